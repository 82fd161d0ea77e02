/*
 * What people say made the difference between a run that fails and one that does not. What takes
 * less itself, or is advised, or did not help, is none.
 */
#include "oom/oom_cure.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_contrast.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"
#include "oom/oom_wording.h"

#define ADDS		"when i enable|if i enable|once i enable|as soon as i enable|after i enabled|after enabling|when enabling|with it enabled|only when i use|only if i use|only happens when i use|" \
    "when i turn on|if i turn on|after turning on|when turning on|when i activate|if i activate|after activating|when activating|when i switch on|when i add|if i add|after i added|after adding|as soon as i add|once i add|" \
    "happens when i use|happens only when i use|occurs when i use|happens when i activate|happens when i enable|happens only with|only happens with|happens only when|only happens when|occurs only when|only occurs when"
#define LACKS		"works without|works fine without|work without|work fine without|worked without|worked fine without|runs without|runs fine without|run fine without|trains without|trains fine without|is fine without|fine without"

#define TAKES_OFF	"if i disable|when i disable|once i disable|if i turn off|when i turn off|once i turn off|if i switch off|when i switch off|after i disabled|after disabling|after turning off"
#define OF_MACHINE	"computer pc machine desktop laptop server monitor screen antivirus wifi gpu gpus card display"

/* What takes less memory, or none: where it fails with that, that is not what it failed for. */
#define SAVERS		"checkpoint checkpointing gradient_checkpointing amp fp16 bf16 half mixed autocast float16 bfloat16 xformers flash flash_attention offload offloading cpu_offload no_grad empty_cache gc lora qlora " \
    "8bit 4bit int8 8bit_adam deepspeed zero fsdp smaller fewer less lower batch batch_size swap print prints debug log logging line sleep timeout del collect slicing tiling quantization"
/* "without error", "without a problem": of no setting. */
#define NOTHING		"much many too so big large any trouble troubles difficulty difficulties bugs complaints interruption hiccups error errors problem problems issue issues crash crashing oom running memory warning fail failing that out it this"

/* Is what stands behind AT neither of these, nor told of what is the same without? */
static bool
is_of_more(struct talk sentence, const char *behind)
{
	struct talk clause = talk_clause(sentence, behind, 0);
	struct talk rest = talk_part(sentence, behind, clause.s + clause.n);

	return clause_word_behind(sentence, behind).n > 0 && !talk_is_one_of(clause_word_behind(sentence, behind), "large big long huge larger bigger longer") && !talk_any_whole(rest, SAVERS) && !talk_any_whole(sentence, OOM_ALSO_THEN) && !memchr(sentence.s, '?', sentence.n);
}

/* "It freezes only when the browser runs out of memory": what ends the phrase ADDS is the failure
 * itself, and nothing that was added. */
static bool
is_of_state(struct talk adds, struct talk clause, const char *behind)
{
	return talk_any_whole(adds, "only happens occurs") && oom_short_fails(talk_part(clause, behind, clause.s + clause.n));
}

/* "It works without the GPU": another place where it runs, and nothing that was added to it. */
static bool
is_of_machine(struct talk sentence, const char *behind)
{
	struct talk word = clause_word_behind(sentence, behind);

	while (talk_is_one_of(word, "the a an any my using use of"))
		word = clause_word_behind(sentence, word.s + word.n);
	return talk_is_one_of(word, OF_MACHINE " cuda device tpu colab docker");
}

#define ONLY_THEN	"only occurs when using|only occurs when i use|only happens when using|only happens when i use|only appears when using|only appears when i use|occurs only when using|happens only when using|" \
    "appears only when using|only shows up when using|only fails when using|only crashes when using"
#define SAVER_WITHIN	48	/* bytes, from "disable" to what takes less */
#define OTHER_PLACES	"a100 v100 h100 t4 p100 3090 4090 cpu gpu gpus card cards colab kaggle server laptop desktop machine"
#define PLATFORMS	"windows linux wsl wsl2 mac macos version versions notebook jupyter python pytorch tensorflow jax keras conda driver"

/* "It only occurs when using the replay buffer": what "it" is, the report says ahead of that. */
static const char *
only_then(struct talk t)
{
	const char *at = NULL;
	struct talk sentence;
	size_t n;

	while (talk_next_phrase(t, ONLY_THEN, &at, &n)) {
		sentence = talk_sentence(t, at);
		if (talk_any_whole(talk_part(t, sentence.s, at), "it this that error oom issue problem crash") && !clause_says_no(talk_part(t, sentence.s, at), "") && is_of_more(sentence, at + n) &&
		    !is_of_machine(sentence, at + n) && !talk_any_whole(talk_part(t, at, sentence.s + sentence.n), PLATFORMS))
			return at;
	}
	return NULL;
}

#define BUT_NOT		"but not in|but not with|but not for|but not during|but not when|but not while|and not in|and not with|and not for|and not during"

/* "OOM in the second stage but not in the first": what the one does more. */
static const char *
fails_but_not(struct talk t)
{
	const char *at = NULL;
	struct talk sentence, ahead, behind;
	size_t n;

	while (talk_next_phrase(t, BUT_NOT, &at, &n)) {
		sentence = talk_sentence(t, at);
		ahead = talk_part(t, sentence.s, at);
		behind = talk_part(t, at + n, sentence.s + sentence.n);
		if (behind.n > 0 && !piece_is_word(*behind.s) && oom_short_fails(ahead) && !clause_says_no(ahead, "") && is_of_more(sentence, at + n) && !is_of_machine(sentence, at + n) && !talk_any_whole(behind, PLATFORMS " " OTHER_PLACES))
			return sentence.s;
	}
	return NULL;
}

#define PHASES	"phase|stage|stages|pretraining|pre-training|pretrain|pre-train|finetuning|fine-tuning|warmup|warm-up|warm up|burn-in|burn in|burn_in|burn_in_step|self-critical|adversarial|semi-supervised|unsupervised|self-supervised|distillation|stage1|stage2|" \
    "rl training|xe training|using xe|joint training|end-to-end"
#define PHASES_CHINESE	"第一阶段|一阶段|第1阶段|stage1|stage 1|预训练阶段|预训练时|第一步训练"
#define NEXT_CHINESE	"第二阶段|二阶段|第2阶段|stage2|stage 2|微调阶段|微调时|第二步训练"
#define NO_ROOM_CHINESE	"爆显存|显存不足|显存不够|显存溢出|oom|out of memory|内存不足|内存溢出"

/* Of a part of a report that speaks of one phase, and another behind "but" that fails for want of
 * memory: is the first well? */
static bool
is_well_phase(struct talk ahead, struct talk behind)
{
	return clause_works(ahead) && talk_has_whole(ahead, PHASES) && !oom_short_fails(ahead) && !clause_says_no(ahead, "") && oom_short_fails(behind) && talk_any_whole(behind, "when during in at while once run running") &&
	    !talk_any_begins(behind, "valid eval test infer predict") && !memchr(behind.s, '?', behind.n);
}

/* "The first stage trains fine. But in the second it is out of memory.": in one sentence, or in
 * two. */
static const char *
fails_in_next_phase(struct talk t)
{
	const char *at = talk_first(t, PHASES_CHINESE), *next = at ? talk_first(t, NEXT_CHINESE) : NULL, *end = t.s + t.n;
	struct talk sentence, behind;
	size_t n;

	if (next && next > at && talk_any_phrase(talk_part(t, at, next), "正常|没问题|没有问题|可以|能跑") && talk_any_phrase(talk_part(t, next, end), NO_ROOM_CHINESE) && !talk_any_phrase(talk_part(t, at, next), "不可以|不正常"))
		return next;
	for (at = NULL; talk_next_whole(t, "but|however|while|whereas", &at, &n); ) {
		sentence = talk_sentence(t, at);
		behind = talk_part(t, at, sentence.s + sentence.n);
		if (clause_word_ahead(sentence, at).n == 0 && sentence.s > t.s + 1)
			sentence = talk_sentence(t, sentence.s - 2);
		if (is_well_phase(talk_part(t, sentence.s, at), behind))
			return at;
	}
	return NULL;
}

#define TAKEN_OFF	"if i disable|if we disable|when i disable|when we disable|once i disable|disabling|if i turn off|when i turn off|turning off|if i remove|if we remove|when i remove|removing|without using|without enabling|without"
#define TAKES_LESS	"gradient_checkpointing|gradient checkpointing|activation checkpointing|checkpointing|offload|offloading|cpu_offload|fp16|bf16|amp|mixed precision|flash attention|flash_attention|flash-attention|flash_attn|flashattention|xformers|8bit adam|8-bit adam|" \
    "lora|zero3|zero-3|zero 3|deepspeed|quantization|load_in_4bit|load_in_8bit"
#define TAKEN_OFF_CHINESE	"关闭|关掉|不开|不用|不使用|去掉"

/* "If we disable gradient_checkpointing, it leads to OOM": what takes less, without which it has no
 * room. */
static const char *
needs_saver(struct talk t)
{
	const char *at = talk_any_phrase(t, TAKES_LESS) ? talk_first(t, TAKEN_OFF_CHINESE) : NULL, *saver;
	struct talk sentence;
	size_t n, length;

	if (at)
		return talk_any_phrase(talk_head(t, at, 40), TAKES_LESS) && talk_any_phrase(talk_part(t, at, t.s + t.n), "就爆|就oom|就会爆|就会oom|会爆显存|就显存不|会oom") && !talk_any_phrase(t, "吗|？|?|还是|也") ? at : NULL;
	for (at = NULL; talk_next_phrase(t, TAKEN_OFF, &at, &n); ) {
		sentence = talk_sentence(t, at);
		saver = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), TAKES_LESS, &length);
		if (saver && saver - at <= SAVER_WITHIN && oom_short_fails(talk_part(t, saver, sentence.s + sentence.n)) && !talk_any_whole(sentence, "still even also too either both same") && !memchr(sentence.s, '?', sentence.n) &&
		    !clause_says_no(talk_part(t, sentence.s, at), ""))
			return at;
	}
	return NULL;
}

#define ADDED_CHINESE	"加了|加上|添加了|增加了|开启了|打开了|启用了|加入了|加入"
#define THEN_FULL	"就爆显存|就炸显存|就爆了|就炸了|就oom|就会爆|就会炸|就显存不|就显存溢|就内存不|就爆内存|后爆显存|后炸显存|后显存不|后就报"
#define ADDED_WITHIN	60	/* bytes from what was added to what it leads to */

/* "加了插帧后就爆显存": with what is named between. */
static const char *
added_in_chinese(struct talk t)
{
	const char *at = NULL, *then;
	size_t n;

	while (talk_next_phrase(t, ADDED_CHINESE, &at, &n)) {
		then = talk_first(talk_head(t, at + n, ADDED_WITHIN), THEN_FULL);
		if (then && then - at - (ptrdiff_t)n >= 3 && !talk_any_phrase(talk_part(t, at, then), "。|？|?|吗|数据|显存|内存|还是|也|batch|虚拟|内存条|环境变量|参数"))
			return at;
	}
	return NULL;
}

#define REPLACES	"when i replace|if i replace|when i replaced|after replacing|when replacing|once i replaced|after i replaced|when i switch to|when i switched to|after switching to|if i switch to|when i swap|but when i use|but if i use|however, when i use|however when i use|when we replace|if we replace|when we switch to"
#define NO_PART		"batch batch_size batchsize size sizes resolution length data dataset datasets dataloader version versions image images larger bigger longer more another other own custom gpu gpus fp32 float32"
#define NOT_FAILED	"do not get|don't get|dont get|did not get|didn't get|do not have|don't have|does not run out|doesn't run out|no oom|no memory error|no out of memory|does not happen|doesn't happen|never get|never got"

/* "With A I do not run out of memory. When I replace it with B, I do.": a part of the network that
 * took the place of another, which is told to run. */
static const char *
replaced(struct talk t)
{
	const char *at = NULL, *to, *end = t.s + t.n;
	struct talk sentence, clause, ahead;
	size_t n;

	while (talk_next_phrase(t, REPLACES, &at, &n)) {
		sentence = talk_sentence(t, at);
		clause = talk_clause(t, at, n);
		ahead = talk_part(t, t.s, at);
		for (to = at + n; to < clause.s + clause.n && !(is_digit(*to) && !piece_is_word(to[-1]) && !(to + 1 < end && is_letter(to[1]))); to++)
			;		/* a number by itself, and no "3D" */
		if (to < clause.s + clause.n || talk_any_whole(clause, NO_PART) || talk_any_whole(talk_part(t, at, clause.s + clause.n), OTHER_PLACES " " PLATFORMS) || !is_of_more(sentence, at + n) || is_of_machine(sentence, at + n))
			continue;
		if (oom_short_fails(talk_part(t, at, sentence.s + sentence.n < end ? sentence.s + sentence.n : end)) && (talk_has_whole(ahead, NOT_FAILED) || (clause_works(ahead) && !oom_short_fails(ahead))))
			return at;
	}
	return NULL;
}

#define OF_MANNER	"changing change modification modifications doing being having knowing restarting restart reboot losing loss sacrificing needing affecting touching further success luck them these those"
#define FAILS_WITHIN	24	/* bytes behind "without", of "without getting any error" */

/* "Without the --cubic option all went well." */
static const char *
well_without(struct talk t)
{
	const char *at;
	struct talk sentence, word;
	size_t n;

	for (at = NULL; talk_next_whole(t, "without", &at, &n); ) {
		sentence = talk_sentence(t, at);
		for (word = clause_word_behind(sentence, at + n); talk_is_one_of(word, "the a an any my using adding use of option flag"); word = clause_word_behind(sentence, word.s + word.n))
			;
		if (word.n > 0 && !clause_names_failure(talk_head(sentence, at + n, FAILS_WITHIN)) && !talk_is_one_of(word, NOTHING " " OF_MANNER " enough sufficient") && is_of_more(sentence, at + n) && !is_of_machine(sentence, at + n) && oom_contrast_is_own(sentence) && oom_contrast_is_well(sentence, at, at + n))
			return at;
	}
	return NULL;
}

const char *
oom_cure_added(struct talk t)
{
	const char *at = NULL;
	struct talk sentence, behind, word;
	size_t n;

	while (talk_next_phrase(t, ADDS, &at, &n)) {
		sentence = talk_sentence(t, at);
		word = clause_word_behind(t, at + n);
		if (talk_is_one_of(word, "it them this") && talk_is_one_of(clause_word_behind(t, word.s + word.n), "to up"))
			continue;		/* "when I add it to the total" */
		if (is_of_state(talk_part(t, at, at + n), talk_clause(t, at + n, 0), at + n))
			continue;
		if (is_of_more(sentence, at + n) && !is_of_machine(sentence, at + n) && !clause_works(talk_clause(t, at, n)) && oom_short_fails(sentence))
			return at;
	}
	for (at = NULL; talk_next_phrase(t, TAKES_OFF, &at, &n); ) {
		sentence = talk_sentence(t, at);
		behind = talk_part(sentence, at + n, sentence.s + sentence.n);
		if (!talk_any_whole(behind, SAVERS " " OF_MACHINE) && !talk_any_whole(sentence, OOM_ALSO_THEN) && !memchr(sentence.s, '?', sentence.n) && !clause_says_no(behind, "") &&
		    (clause_works(behind) || talk_has_whole(behind, OOM_RUNS_THEN)))
			return at;
	}
	for (at = NULL; talk_next_phrase(t, LACKS, &at, &n); ) {
		sentence = talk_sentence(t, at);
		word = clause_word_behind(sentence, at + n);
		if (talk_is_one_of(word, "a an the one single"))
			word = clause_word_behind(sentence, word.s + word.n);
		if ((at == t.s || !piece_is_word(at[-1])) && !talk_is_one_of(word, "enough sufficient " NOTHING " hitch hiccup trouble difficulty crash warning bug glitch doubt further") && !is_of_machine(sentence, at + n) && is_of_more(sentence, at + n) && !clause_says_no(talk_part(sentence, sentence.s, at), ""))
			return at;
	}
	if ((at = well_without(t)) || (at = only_then(t)) || (at = fails_but_not(t)) || (at = added_in_chinese(t)) || (at = replaced(t)))
		return at;
	return fails_in_next_phase(t);
}

#define ENDED		"solved the problem by|solved the issue by|solved this problem by|solved this issue by|solved my problem by|solved it by|solved this by|solved by|fixed the problem by|fixed the issue by|fixed it by|" \
    "fixed this by|fixed by|resolved the problem by|resolved the issue by|resolved it by|resolved this by|resolved by|got rid of it by|worked around it by|sufficient to set|enough to set|sufficient to reduce|enough to reduce|" \
    "problem goes away when i|problem disappears when i|error goes away when i|error disappears when i|issue goes away when i|goes away if i|disappears if i|disappears when i|works if i|worked if i|works when i|worked when i|works once i|worked once i|worked after i|ran when i|ran once i|ran after i|runs if i|runs when i|runs fine when i|works fine when i|works fine if i"
/* Another version took nothing away, and made nothing smaller. */
#define UPDATES		"updating upgrading reinstalling downgrading rolling reverting update upgrade updated upgraded installing"

#define DOES		"setting|changing|reducing|lowering|decreasing|removing|disabling|replacing|switching|adding|moving"
#define ENDS_IT		"solves this|solves the|solves it|solves my|solved this|solved the|solved it|solved my|fixes this|fixes the|fixes it|fixes my|fixed this|fixed the|fixed it|fixed my|resolves this|resolves the|resolves it|resolved this|" \
    "resolved the|resolved it"
/* What is behind that, unless it is "it" that it ends. */
#define IT		"issue problem error oom leak memory out"

/* "Setting pin_memory=False in the loader solves this issue." */
static const char *
does_it(struct talk t)
{
	const char *at, *ends, *end = t.s + t.n;
	struct talk sentence;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, DOES, &at, &n); ) {
		sentence = talk_sentence(t, at);
		ends = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), ENDS_IT, &length);
		if (ends && !talk_any_whole(sentence, OOM_NOT_ENDED " for import") && !memchr(sentence.s, '?', sentence.n) &&
		    !clause_says_no(talk_part(t, sentence.s, ends), "") && !oom_short_fails(talk_part(t, sentence.s + sentence.n, end)) &&
		    (talk_any_whole(talk_part(t, ends, ends + length), "it") || talk_is_one_of(clause_word_behind(sentence, ends + length), IT)))
			return at;
	}
	return NULL;
}

#define BY_DOING	"by setting|by changing|by reducing|by lowering|by decreasing|by removing|by disabling|by replacing|by switching|by adding|by moving|by limiting|by splitting|by deleting|by turning off|by turning it off|by commenting out"
#define OVERCOMES	"overcome overcame overcoming solve solved fix fixed resolve resolved avoid avoided circumvent circumvented bypass bypassed eliminate eliminated cured"
#define ERRORS		"error issue problem crash oom leak this it"

/* "I am able to overcome this error by changing pin_memory to False." */
static const char *
overcome_by(struct talk t)
{
	const char *at;
	struct talk sentence, ahead;
	size_t n;

	for (at = NULL; talk_next_whole(t, BY_DOING, &at, &n); ) {
		sentence = talk_sentence(t, at);
		ahead = talk_part(t, talk_clause(t, at, n).s, at);
		if (talk_any_whole(ahead, OVERCOMES) && talk_any_whole(ahead, ERRORS) && talk_any_whole(ahead, "i i'm we am was were able") && !talk_any_whole(ahead, OOM_NOT_ENDED " tried try trying want wanted for") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

const char *
oom_cure_ended(struct talk t)
{
	const char *at = NULL;
	struct talk sentence, clause, behind;
	size_t n;

	while (talk_next_phrase(t, ENDED, &at, &n)) {
		sentence = talk_sentence(t, at);
		clause = talk_clause(t, at, n);
		behind = talk_part(t, sentence.s + sentence.n, t.s + t.n);
		if (!(talk_any_whole(behind, "however but still another") && oom_short_fails(behind)) && !talk_any_whole(talk_part(t, clause.s, at), OOM_NOT_ENDED) && !memchr(sentence.s, '?', sentence.n) && clause_word_behind(sentence, at + n).n > 0 &&
		    !talk_is_one_of(clause_word_behind(sentence, at + n), UPDATES) && !talk_has_whole(talk_part(t, sentence.s, at), "other issue|another issue|other thread|another thread|other report|linked issue|posts|threads|answers|other issues|previous issues|similar issues|other people|most people|many people|others"))
			return at;
	}
	if ((at = overcome_by(t)) || (at = oom_wording(t, WORDING_FOLLOWED)) || (at = oom_wording(t, WORDING_ENDED_CHINESE)) || (at = needs_saver(t)))
		return at;
	return does_it(t);
}

#define OTHER_ONE	"now it fails|now it crashes|now it runs out|new problem|new error|new issue|another problem|another error|another issue|other problem|now i get|now i got|but now i|then i get|then i got|then it gives|but then"

bool
oom_cure_begins_other(struct talk t)
{
	return talk_has_whole(t, OTHER_ONE);
}

#define EMPTIES		"empty_cache|emptycache|empty cache|memory.empty_cache"
#define HELPED		"solved|fixed|resolved|helps|helped|no longer|goes away|gone|stable|stays constant|works"

const char *
oom_cure_emptied(struct talk t)
{
	const char *at, *end = t.s + t.n;
	struct talk sentence, next;
	size_t n;

	if (!(at = talk_find_whole(t, EMPTIES, &n)))
		return NULL;
	sentence = talk_sentence(t, at);
	next = sentence.s + sentence.n + 1 < end ? talk_sentence(t, sentence.s + sentence.n + 1) : sentence;
	if (memchr(sentence.s, '?', sentence.n) || talk_any_whole(talk_clause(t, at, n), "not doesn't didn't no never tried still even should could would may might can if cannot without"))
		return NULL;
	if (talk_find_whole(sentence, HELPED, &n))
		return at;
	return talk_find_whole(next, HELPED, &n) && talk_any_whole(next, "now this that it then") && !clause_says_no(next, "still didn't doesn't") && !memchr(next.s, '?', next.n) ? at : NULL;
}

