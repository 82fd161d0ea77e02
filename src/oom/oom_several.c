/*
 * That a run works on one device and fails on several, as people tell it: by the number and a name
 * of the devices, by a launcher's setting, and in several languages. As in oom_words.c none of it
 * is a fact of the run.
 */
#include "oom/oom_several.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_fares.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

/* Devices as people call them, by their kinds, too, and the words that such a name begins with. */
#define DEVICE_NAMES	"gpu gpus grafikkarte tarjeta placa карте видеокарте card cards device devices npu npus titan a10 a10g a30 a40 a100 a800 a5000 a6000 h20 h100 h200 h800 v100 p100 k80 t4 l4 l40 l40s l20 3080 3090 4080 4090 5090 1080ti 2080ti a100s a800s h100s h800s v100s 3090s 4090s"
#define DEVICE_AHEAD	"nvidia tesla geforce rtx gtx quadro titan ascend amd"
#define OF_NAME		4	/* words from a number to the last of a device's name */
#define MOST_DEVICES	1024

/* "4 A800", "3 v100-GPUs", "a single NVIDIA RTX 3090": where the name of a device ends that stands
 * right behind a number, which ends at S; NULL: none does. */
static const char *
past_device(struct talk clause, const char *s)
{
	const char *to = NULL;
	struct talk word;
	int i;

	for (i = 0; i < OF_NAME && (word = clause_word_behind(clause, s)).n > 0; i++, s = word.s + word.n) {
		if (talk_is_one_of(word, DEVICE_NAMES) || (talk_any_begins(word, DEVICE_AHEAD " a100- a800- h100- v100-") && is_digit(word.s[word.n - 1])))
			to = word.s + word.n;
		else if (to || (!talk_any_begins(word, DEVICE_AHEAD " v100- a100- h100-") && !is_digit(*word.s)))
			break;
		else if (talk_any_begins(word, "v100- a100- h100-"))
			to = word.s + word.n;
	}
	return to;
}

#define SEVERAL_WORDS	"two|three|four|five|six|eight|sixteen|multiple|several|both|many"

/* Where T counts devices, more than one of them, and at *TO where that ends; NULL: it does not. */
static const char *
counts_several(struct talk t, const char **to)
{
	const char *at, *from = NULL, *end = t.s + t.n;
	int64_t count;
	size_t n;

	while ((at = oom_number_walk(t, ".-/~<>*", &from, &count)))
		if (count > 1 && count <= MOST_DEVICES && (*to = past_device(talk_clause(t, at, 1), oom_number_past_times(from, end))))
			return at;
	for (at = NULL; talk_next_whole(t, SEVERAL_WORDS, &at, &n); )
		if ((*to = past_device(talk_clause(t, at, n), at + n)))
			return at;
	return NULL;
}

/* Where REST has one device, "a single A800", and its bytes. */
static const char *
names_one(struct talk rest, size_t *n)
{
	const char *at, *to, *end = rest.s + rest.n;

	for (; (at = talk_find_whole(rest, "single|one|1|una sola|una única|una|uma única|uma só|uma|einer einzigen|einer|eine|une seule|одной", n)); rest = talk_part(rest, at + *n, end))
		if ((to = past_device(talk_clause(rest, at, *n), at + *n))) {
			*n = (size_t)(to - at);
			return at;
		}
	return NULL;
}

/* What counts devices in Chinese, Japanese and Korean, right behind their number: by itself, or
 * where a device is named in the line. */
#define BY_ITSELF	"gpu|卡|张卡|张显卡|张gpu|块卡|块显卡|个gpu|个卡|枚のgpu|台のgpu|개의 gpu"
#define BESIDE_DEVICE	"张|块|枚|台|개|장|대"
#define UNIT		3	/* bytes of the shortest of them */
#define DEVICE_NAMED	"gpu|显卡|卡|3090|4090|a100|a800|v100|h100|h800|a6000|グラボ|그래픽카드"
#define WORDS_ELSEWHERE	"双卡|两卡|四卡|八卡|两张卡|四张卡|八张卡|双显卡|两张显卡|多卡|多gpu|多张卡|几张卡"
#define ONE_ELSEWHERE	"单卡|单gpu|单张卡|单张|一张卡|一张显卡|单个gpu|一块卡|单块|シングルgpu|単一gpu|単体gpu|단일 gpu|gpu 하나|한 개의 gpu"

/* "4卡", "1GPUでは", "GPU 4개": where such a number stands in REST that is 1, or more, and its N
 * bytes; not "第2卡". */
static const char *
counts_elsewhere(struct talk rest, struct talk line, bool one, size_t *n)
{
	const char *at, *to = NULL, *unit, *end = rest.s + rest.n;
	int64_t count;

	while ((at = oom_number_walk(rest, ".-/~<>*x", &to, &count))) {
		unit = to < end && *to == ' ' ? to + 1 : to;
		if ((count == 1) != one || count < 1 || count > MOST_DEVICES || (at - rest.s >= 3 && memcmp(at - 3, "第", 3) == 0))
			continue;
		if (talk_first(talk_part(rest, unit, end), BY_ITSELF) == unit || (talk_first(talk_part(rest, unit, end), BESIDE_DEVICE) == unit && talk_any_phrase(line, DEVICE_NAMED))) {
			*n = (size_t)(unit - at) + UNIT;
			return at;
		}
	}
	return NULL;
}

/* "num_processes=1": where a launcher is told how many, one or more, and the N bytes of its
 * name. */
#define RANKS		"num_processes|num-processes|nproc_per_node|nproc-per-node|world_size|world size|num_gpus|n_gpus|n_gpu|ngpus|ngpu"

static const char *
counts_ranks(struct talk rest, bool one, size_t *n)
{
	const char *at, *s, *end = rest.s + rest.n;
	int64_t count;

	for (; (at = talk_find_whole(rest, RANKS, n)); rest = talk_part(rest, at + *n, end)) {
		for (s = at + *n; s < end && memchr(" =:", *s, 3); s++)
			;
		if (s < end && is_digit(*s) && (s = piece_number(s, end, &count)) && (s == end || !piece_is_word(*s)) && count >= 1 && (count == 1) == one && count <= MOST_DEVICES)
			return at;
	}
	return NULL;
}

/* Where REST, a part of LINE, counts several. */
static const char *
counted(struct talk rest, struct talk line)
{
	const char *to, *at = counts_several(rest, &to);
	size_t n;

	return at ? at : (at = counts_elsewhere(rest, line, false, &n)) ? at : talk_first(rest, WORDS_ELSEWHERE);
}

const char *
oom_several_counted(struct talk t)
{
	return counted(t, t);
}

#define SEVERAL		"gpus cards devices ddp dataparallel distributed multi multiple multi-gpu"
#define TRAINS_SO	"dpo|ddp|deepspeed|并行"	/* of what runs on several, as a rule */

static bool
speaks_of_several(struct talk t)
{
	size_t n;

	return talk_any_whole(t, SEVERAL) || oom_several_counted(t) || counts_ranks(t, false, &n) || (talk_any_phrase(t, ONE_ELSEWHERE) && talk_any_phrase(t, TRAINS_SO));
}

#define RUNS_WELL	"without problem|without problems|without any problem|without error|without errors|no problem|runs well|"	\
    "run well|trains well|train well|runs normally|only costs|only cost|just costs|just cost|only takes|just takes|only uses|just uses|only needs|just needs|can fine-tune|can finetune|can load|can fit|could train|could run|trains without|runs without|trains successfully|runs successfully|it runs|it trains"
#define RUNS_ELSEWHERE	"没问题|没有问题|正常|可以|能够|能跑|能训|塞得下|放得下|跑得|動く|動いた|動作し|되는데|됩니다|잘 되|잘 돼|돌아가|돌아갑|läuft|funciona|fonctionne|работает"
#define RUNS_NOT	"不能|不可以|吗|不够|不正常|不足|動かな|안 되|안 돼|nicht|no funciona|ne fonctionne|не работает"
#define TAKES		"uses|takes|needs|used|took|consumes|consumed|costs|requires|occupies"

/* "It only uses a single GPU": of several, that one is used, and not that it runs there. */
static bool
is_all_used(struct talk t, const char *at)
{
	struct talk word = clause_word_ahead(t, at);

	while (talk_is_one_of(word, "a the on one of"))
		word = clause_word_ahead(t, word.s);
	return talk_is_one_of(word, "use uses used using utilizes utilize") && talk_is_one_of(clause_word_ahead(t, word.s), "only just");
}

/* What the clause of N bytes at AT has of one device alone: up to where it goes on of several. */
static struct talk
of_one(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n), behind = talk_part(clause, at + n, clause.s + clause.n);
	const char *several = counted(behind, t);

	return several ? talk_part(clause, clause.s, several) : clause;
}

/* "The single-GPU run uses 20 GB, but with 4 GPUs each uses 39 GB": how much it takes, where the
 * rest of the sentence says that several fail. */
static bool
takes_less(struct talk t, struct talk clause)
{
	struct talk sentence = talk_sentence(t, clause.s), rest = talk_part(t, clause.s + clause.n, sentence.s + sentence.n);
	const char *s, *to = NULL;
	int64_t gib;

	if (!talk_has_whole(clause, TAKES) || !speaks_of_several(rest) || !oom_short_fails(rest))
		return false;
	while ((s = oom_number_walk(clause, ".-/~<>", &to, &gib)))
		if (talk_is_one_of(clause_word_behind(clause, to), "gb gib g mb mib"))
			return true;
	return false;
}

/* "Memory usage differs between a single GPU and four": more of it with several. */
static bool
differs(struct talk t, struct talk clause, const char *at)
{
	return talk_any_whole(clause, "memory vram") && talk_any_whole(talk_part(t, clause.s, at), "different differs differ difference higher more larger increases") &&
	    talk_has_whole(talk_part(t, clause.s, at), "between|than|compared to|compared with|from") && speaks_of_several(clause);
}

/* Does the run at AT, N bytes that name one device, work there? */
static bool
works_there(struct talk t, const char *at, size_t n)
{
	struct talk clause = of_one(t, at, n), sentence = talk_sentence(t, at), next = clause;
	const char *end = t.s + t.n;

	if (clause.s + clause.n + 1 < end && clause.s[clause.n] == ',' && talk_any_whole(clause, "when with on using if"))
		next = of_one(t, clause.s + clause.n + 1, 1);
	if (clause_says_no(talk_part(t, clause.s, at), "") || is_all_used(t, at) || oom_short_fails(clause) || memchr(sentence.s, '?', sentence.n))
		return false;
	if (clause_works(clause) || clause_works(next) || oom_fares_well(clause) || oom_fares_well(next) || talk_has_whole(clause, RUNS_WELL) || talk_has_whole(next, RUNS_WELL) || takes_less(t, clause) || differs(t, talk_clause(t, at, n), at))
		return true;
	return (talk_any_phrase(clause, RUNS_ELSEWHERE) || talk_any_phrase(next, RUNS_ELSEWHERE)) && !talk_any_phrase(clause, RUNS_NOT) && !talk_any_phrase(next, RUNS_NOT) && oom_fares_ill(t);
}

/* The next place of REST, a part of LINE, that names one device, of the ways of naming it number
 * WAY. */
static const char *
next_one(struct talk rest, struct talk line, int way, size_t *n)
{
	const char *at = NULL;

	switch (way) {
	case 0:
		return names_one(rest, n);
	case 1:
		return counts_elsewhere(rest, line, true, n);
	case 2:
		return counts_ranks(rest, true, n);
	default:
		return talk_next_phrase(rest, ONE_ELSEWHERE, &at, n) ? at : NULL;
	}
}

#define WAYS		4

/* "With one GPU it works", in a line that speaks of several: there it is not the run that is too
 * large. */
bool
oom_several_fail(struct talk t)
{
	const char *s, *end = t.s + t.n;
	struct talk sentence;

	for (s = t.s; s < end; s = sentence.s + sentence.n + 1) {
		sentence = talk_sentence(t, s);
		if (speaks_of_several(sentence) && oom_fares_ill(sentence) && !oom_fares_well(sentence) && !clause_is_question(sentence))
			return true;
	}
	return false;
}

const char *
oom_several_not_one(struct talk t, bool several)
{
	const char *at, *end = t.s + t.n;
	struct talk rest;
	size_t n;
	int way;

	for (way = 0; way < WAYS && (several || speaks_of_several(t)); way++)
		for (rest = t; (at = next_one(rest, t, way, &n)); rest = talk_part(t, at + n < end ? at + n : end, end))
			if (works_there(t, at, n))
				return at;
	return NULL;
}
