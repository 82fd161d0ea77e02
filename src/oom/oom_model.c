/*
 * Models as reports name them: how many weights one has by its name, in how many bits they may be,
 * and whether they are split among devices. A name need not be of what failed.
 */
#include "oom/oom_model.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_habit.h"
#include "oom/oom_short.h"

#define LEAST_LETTERS	3	/* of a model's name */

static bool
is_of_name(char c)
{
	return piece_is_word(c) || c == '-' || c == '.' || c == '/';
}

/* "8x7B": a mixture whose experts share what is not theirs alone, in millions. */
static int64_t
size_of_mixtral(const char *s, const char *end)
{
	static const struct {
		const char *name;
		int64_t millions;
	} of[] = { { "8x7b", 46703 }, { "7bx8", 46703 }, { "8x22b", 140621 } };
	size_t i, k, n;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		n = strlen(of[i].name);
		for (k = 0; k < n && s + k < end && lower(s[k]) == of[i].name[k]; k++)
			;
		if (k == n && (s + n == end || !piece_is_word(s[n]) || s[n] == '_'))
			return of[i].millions;
	}
	return 0;
}

#define VERSIONED	"llama"	/* whose versions stand so ahead of a size: "llama_2_7b" */

enum ahead { NO_POINT, UNSURE_POINT, POINT };

/* "Qwen-1_8B", "qwen2-0-5b": is the sign ahead of the digit at S, of a number of one digit, a
 * point, behind *WHOLE? "phi-2_7b" and "coder-1-3b" may be of a version; "qwen_7B", "llama-2-7b",
 * "qwen2_5_7B" and "qwen2_7B" have none. */
static enum ahead
point_ahead(const char *s, const char *from, int64_t *whole)
{
	const char *at = s - 2;
	bool letter, dash;

	if (s - from < 2 || !memchr("_-", s[-1], 2) || !is_digit(*at) || (at > from && is_digit(at[-1])) || (at - from >= 2 && at[-1] == s[-1] && is_digit(at[-2]) && *at != '0'))
		return NO_POINT;
	letter = at > from && is_letter(at[-1]);
	dash = s[-1] == '-';
	*whole = *at - '0';
	if (piece_any_of((struct piece){ from, (size_t)(at - from) }, VERSIONED) || ((letter || dash) && *whole > 1) || (letter && dash))
		return NO_POINT;
	return *whole == 0 || (*whole == 1 && !letter && !dash) ? POINT : UNSURE_POINT;
}

/* "7b" or "1.5B" where a part of a name begins, in thousands of millions times a thousand; 0: it is
 * none. */
static int64_t
size_at(const char *s, const char *from, const char *end)
{
	int64_t n, part = 0, digits = 0, whole = 0;
	enum ahead ahead;
	const char *to;

	if (s > from && (piece_is_word(s[-1]) || s[-1] == '.') && s[-1] != '_')
		return 0;
	if ((n = size_of_mixtral(s, end)) > 0)
		return n;
	if (!(to = piece_number(s, end, &n)) || n > 999)
		return 0;
	if (to < end && *to == '.')
		for (to++; to < end && is_digit(*to) && digits < 3; to++, digits++)
			part = 10 * part + (*to - '0');
	for (; digits < 3; digits++)
		part *= 10;
	if (to >= end || (*to != 'b' && *to != 'B') || (to + 1 < end && piece_is_word(to[1]) && to[1] != '_'))
		return 0;
	ahead = n < 10 && part == 0 ? point_ahead(s, from, &whole) : NO_POINT;
	return ahead == UNSURE_POINT ? 0 : ahead == POINT ? 1000 * whole + 100 * n : 1000 * n + part;
}

#define OF_ANOTHER_RUN	"before previously earlier instead unlike whereas works worked fine successfully"

/* Of whom a sentence is that names a model, where it is not of who writes. */
#define OF_OTHERS	"friend friends colleague colleagues coworker coworkers someone somebody others person people authors paper"
#define NAMED_WITHIN	24	/* bytes from "e.g." to a name */

/* "e.g. Llama-2-7b" of a form, "my friend trains Llama-2-7b": is the model at S an example, or
 * another's? */
static bool
is_model_of_others(struct talk t, const char *s, bool told)
{
	struct talk ahead = talk_part(t, s - t.s > NAMED_WITHIN ? s - NAMED_WITHIN : t.s, s);

	return talk_any_phrase(ahead, "e.g.|e.g |for example|for instance|such as") || (told && talk_any_whole(talk_sentence(t, s), OF_OTHERS));
}

#define OF_WORK		"train trained run load finetune fine-tune tune serve quantize training running loading finetuning fine-tuning pretrain pretraining"
#define OF_BITS		"fp8 fp16 bf16 int8 int4 8bit 4bit nf4 gguf gptq awq lora"
#define OF_FAMILY	"llama llama2 llama3 qwen mistral gemma falcon deepseek vicuna"

#define OF_FAILING	"doesn't does didn't did won't will cannot can't can couldn't could wouldn't would is ooms oom runs ran crashes crashed fails failed"

#define WORK_AHEAD	"训练|微调|加载|部署|推理|运行|跑|量化|全参|模型"
#define WORK_BEHIND	"模型|的模型|大模型|参数|全参|量级|规模"
#define BESIDE		9	/* bytes of what stands right beside it */

/* "训练7B", "13B模型" */
static bool
is_size_in_chinese(struct talk t, const char *s, const char *to)
{
	const char *end = t.s + t.n, *from = s - t.s > BESIDE ? s - BESIDE : t.s;

	return to[-1] == 'B' && (talk_any_phrase(talk_part(t, from, s), WORK_AHEAD) || talk_any_phrase(talk_head(t, to, (size_t)(end - to) < BESIDE ? (size_t)(end - to) : BESIDE), WORK_BEHIND));
}

/* "70B-QLoRA", "13B model", "14B_fp8", "llama 70B", "deepseek-r1:671b": a size that its neighbours
 * make a model's; "the 14B does not fit", in a sentence that says so. */
static bool
is_size_of_model(struct talk t, const char *s, const char *to)
{
	struct talk ahead, behind = clause_word_behind(t, to);

	if (!is_digit(*s))
		return false;
	if (s > t.s && s[-1] == ':')
		return talk_any_of(talk_part(t, t.s, s), "llama qwen mistral gemma deepseek phi mixtral vicuna codellama starcoder gpt-oss");
	ahead = clause_word_ahead(t, s);
	return talk_any_of(talk_part(t, s, to), OF_BITS) || talk_is_one_of(ahead, OF_WORK " " OF_FAMILY) ||
	    talk_is_one_of(behind, "model models llm llms param params parameter parameters pretrain pretraining " OF_BITS) ||
	    is_size_in_chinese(t, s, to) || (talk_is_one_of(ahead, "the") && to[-1] == 'B' && ((talk_is_one_of(behind, OF_FAILING) && oom_short_fails(talk_clause(t, s, 1))) || (talk_is_one_of(behind, "on with") && talk_is_one_of(clause_word_ahead(t, ahead.s), OF_WORK))));
}

#define RUNS_INSTEAD	"stuck using|stuck with|stuck on|limited to|only use|only run|only able to|can run|could run|able to run|can use|able to use|settle for|fall back to|fell back to|get by with"
#define RUNS_WELL	"no issue with|no issues with|no trouble with|works with|worked with|fine with|works for|worked for"

/* "I am stuck using the 1.3B model", "no issue with a 7B model", "anyone who trained 65B?": what
 * runs in place of the one that failed, or another's. */
static bool
is_size_that_runs(struct talk t, const char *s)
{
	struct talk ahead = talk_part(t, talk_clause(t, s, 1).s, s);

	return talk_has_whole(ahead, RUNS_WELL) || (clause_works(talk_clause(t, s, 1)) && !oom_short_fails(talk_clause(t, s, 1))) || (talk_has_whole(ahead, RUNS_INSTEAD) && !clause_says_no(ahead, "")) ||
	    talk_any_whole(talk_part(t, talk_sentence(t, s).s, s), "anyone anybody");
}

#define FEW_BITS	"4bit|8bit|nf4|int4|w4a16|w8a8|mxfp4|nvfp4|fp8_scaled|fp8_e4m3|_fp8|-fp8|gpt-oss|exl2|gptq|awq|gguf|--bits 4|--bits 8|bits=4|bits=8|quantization_bit: 4|quantization_bit: 8|" \
    "quantization_bit 4|quantization_bit 8|quantization_bit=4|quantization_bit=8|.quantize(4)|.quantize(8)|--quantize|--quantization|eetq"
/* What makes such weights of others, which have 16 bits until then: */
#define BY_SAMPLES_OF	"model.quantize(tokenizer|model.quantize(calib|model.quantize(examples|model.quantize(traindataset|model.quantize(data"
#define QUANTIZING	"python quantize.py|python3 quantize.py|hf_ptq.py|--qformat|quantizeconfig(|gptqmodifier(|awqmodifier(|lmdeploy lite|lite auto_awq|lite auto_gptq|lite smooth_quant|lite calibrate"

/* "convert-hf-to-gguf.py", "hf2gguf": what is made then, and need not have fewer. */
static bool
is_made_from_others(struct talk t, const char *at)
{
	if (!talk_any_begins(talk_part(t, at, t.s + t.n), "gguf") || at - t.s < 3)
		return false;
	return at[-1] == '2' || (memchr("-_ ", at[-1], 3) && lower(at[-2]) == 'o' && lower(at[-3]) == 't');
}

/* "--load-8bit"; not "load_in_4bit: false", nor "with --load-8bit it loads normally", which is of
 * another run. */
static bool
is_in_few_bits(struct talk t, bool told)
{
	const char *at;
	struct talk rest;

	for (rest = t; (at = clause_set(rest, FEW_BITS)) && is_made_from_others(t, at); rest = talk_part(t, at + 1, t.s + t.n))
		;
	return at && !(told && clause_works(talk_clause(t, at, 1)));
}

/* "17b-scout-16e", "OLMoE-1B-7B": of a mixture of experts, whose number may be of the weights that
 * each token uses; not "30B-A3B", which has both. */
static bool
is_of_experts(struct talk t, struct talk name)
{
	const char *s, *end = name.s + name.n;

	for (s = name.s; s < end; s++)
		if (is_digit(*s) && s + 1 < end && lower(s[1]) == 'e' && (s + 2 == end || !is_letter(s[2])) && (s + 2 == end || !is_digit(s[2])))
			return true;
	if (talk_any_of(name, "-a1 -a2 -a3 -a4 -a5 -a6 -a7 -a8 -a9 8x7b 8x22b 7bx8"))
		return false;
	return talk_any_of(t, "mixtral scout maverick") || talk_any_of(name, "moe") || talk_has_whole(t, "mixture of experts|mixture-of-experts");
}

#define PARTS		"tp|tp_size|tp-size|tensor_parallel_size|tensor-parallel-size|tensor_parallel|tensor-parallel|ep|ep_size|ep-size|pp_size|pp-size|pipeline_parallel_size|pipeline-parallel-size|num-shard|num_shard|gpu_split|gpu-split|tensor_split|tensor-split"
#define MOST_PARTS	1024

/* "--tp 4", "tensor_parallel_size=2": weights of one model on several devices; not "--tp 1". */
static bool
parts_weights(struct talk t)
{
	const char *at;
	int64_t parts;
	size_t n;

	for (at = NULL; talk_next_whole(t, PARTS, &at, &n); )
		if (oom_habit_number(t, at + n, &parts) && parts > 1 && parts <= MOST_PARTS)
			return true;
	return talk_any_whole(t, "tp2 tp4 tp8 tp16");
}

/* "--work-dir llama-3-70b-4bit", "output_dir=...": is what stands at S where results are put? */
static bool
is_of_results(struct talk t, const char *s)
{
	const char *to = s, *from;

	while (to > t.s && memchr(" =:\"'", to[-1], 5))
		to--;
	for (from = to; from > t.s && (piece_is_word(from[-1]) || from[-1] == '-'); from--)
		;
	return talk_any_of(talk_part(t, from, to), "output out_ out- work_dir work-dir save_ save- export quant_path");
}

/* "the 2b fails, yet the 11b works": which of them is elsewhere no size tells. */
static bool
has_two_sizes(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t first = 0, size;

	for (s = t.s; s < end; s = to + 1) {
		for (to = s; to < end && is_of_name(*to); to++)
			;
		if ((size = size_at(s, s, to)) > 0 && first > 0 && size != first)
			return true;
		first = size > 0 ? size : first;
	}
	return false;
}

/* "for less than 30B parameters": a bound, and no size of a model. */
static bool
is_bound(struct talk t, const char *at)
{
	struct talk word = clause_word_ahead(t, at);

	return talk_is_one_of(word, "than under below over above exceeding beyond") || talk_has_whole(talk_part(t, word.s - t.s > 6 ? word.s - 6 : t.s, at), "up to");
}

static bool
is_likened(struct talk sentence)
{
	return talk_any_whole(sentence, OF_ANOTHER_RUN) || talk_any_phrase(sentence, "no oom|no error|without error|no problem|so we use|so i use|so we train|so i train|we switched to|i switched to|in place of");
}

#define OF_4_BITS	"4bit|4-bit|int4|-awq|_awq|awq |gptq|q4_0|q4_k|q4_k_m|q4_k_s|iq4_|nf4|fp4|w4a16|load_in_4bit"
#define OF_8_BITS	"8bit|8-bit|int8|fp8|q8_0|w8a8|load_in_8bit"

/* Which number of bits does a line name by which they are few? */
static void
count_bits(struct oom_paste *p, struct talk t, int line)
{
	bool four = talk_any_phrase(t, OF_4_BITS), eight = talk_any_phrase(t, OF_8_BITS);
	int bits = four && eight ? -1 : four ? 4 : eight ? 8 : 0;

	if (p->few_bits != line || !bits)
		return;
	p->bits_line = p->bits ? p->bits_line : line;
	p->bits = p->bits && p->bits != bits ? -1 : bits;
}

/* A name of a family of language models, with a size. */
void
oom_model_line(struct oom_paste *p, struct talk t, int line, bool told)
{
	const char *s = t.s, *end = t.s + t.n, *to, *at;
	bool of_model = !told && talk_any_of(t, "from_pretrained( --model model_name model_path model_id");
	struct talk name;
	int64_t millions;

	for (; s < end; s = to + 1) {
		for (to = s; to < end && is_of_name(*to); to++)
			;
		name = talk_part(t, s, to);
		if (told && has_two_sizes(t) && talk_any_whole(t, OF_ANOTHER_RUN))
			p->millions = -1;
		if (told && is_digit(*s) && is_bound(t, s))
			continue;
		if (told && is_likened(talk_sentence(t, s)))
			continue;	/* another model, to which the one that failed is likened */
		if (name.n > 0 && ((name.n > 2 && memcmp(name.s, "//", 2) == 0) || is_model_of_others(t, s, told) || is_of_results(t, s)))
			continue;
		if (name.n >= 2 && is_size_of_model(t, s, to) && (millions = size_at(s, s, to)) > 0) {
			if (told && is_size_that_runs(t, s))
				continue;
			if (told && p->model_of)
				continue;
			p->millions = (p->millions && p->millions != millions) || is_of_experts(t, name) ? -1 : millions;
			p->model_told = told && (p->model_told || !p->model.line);
			said_at(&p->model, t, s, line);
			continue;
		}
		if (name.n < LEAST_LETTERS || talk_any_of(name, "esrgan anime") || (!of_model && !talk_any_of(name, "llama qwen mistral gemma falcon opt- bloom glm gpt neox "
		    "vicuna llava alpaca baichuan internlm internvl yi- phi- deepseek llava mpt- pythia wizard starcoder stablelm dolly "
		    "rwkv mamba granite nemotron olmo minicpm solar zephyr")))
			continue;
		for (at = s; at < to; at++) {
			if (!is_digit(*at) || (millions = size_at(at, s, to)) == 0)
				continue;
			if (told && p->model_of)
				break;
			if (of_model && p->model_told)
				p->millions = 0;	/* what a setting has counts, whatever sentences name ahead of it */
			p->millions = (p->millions && p->millions != millions) || is_of_experts(t, name) ? -1 : millions;
			p->model_told = told && (p->model_told || !p->model.line);
			if (of_model || !p->model_of || p->millions < 0)	/* not the name of a folder of results */
				said_at(&p->model, name, at, line);
			p->model_of = of_model ? line : p->model_of;
			if (talk_any_of(t, "4-bit int4 int8 8-bit q2_ q3_ q4_ q5_ q6_ q8_ iq1_ iq2_ iq3_ iq4_ bnb fp8"))
				p->few_bits = line;
			break;
		}
	}
	if (p->model.line == line && talk_any_whole(t, "quantized quantised") && !clause_says_no(t, "without un-quantized unquantized full false if") && !clause_works(t))
		p->few_bits = line;
	if (parts_weights(t))
		p->splits = line;
	if (talk_any_phrase(t, "train_new_from_iterator"))
		p->millions = -1;	/* a tokenizer is learned, and the model is the one that it was made for */
	if (is_in_few_bits(t, told))
		p->few_bits = line;
	count_bits(p, t, line);
	if ((at = talk_first(t, BY_SAMPLES_OF)) && !told) {
		p->quantizing = line;
		if (!p->quantizes.line)
			said_at(&p->quantizes, t, at, line);
	}
	if (talk_any_phrase(t, QUANTIZING))
		p->quantizing = line;
	if (clause_set(t, "float16|fp16|bf16|float32|.half()"))
		p->many_bits = line;
}
