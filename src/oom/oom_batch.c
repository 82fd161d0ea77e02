/*
 * A batch, or the length of a sequence, by its number (oom_number.h), in a person's sentence that
 * says that it fails with it: by a word for what befell it in the same sentence (oom_fares.h). With
 * which batch it runs is found in oom_batch_runs.c.
 */
#include "oom/oom_batch.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_fares.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"

#define OWN_WITHIN	12	/* bytes from the beginning of a sentence to whose setting it tells */

/* The sentence behind one, which may say what became of it. */
static struct talk
next_sentence(struct talk t, struct talk sentence)
{
	const char *s = sentence.s + sentence.n, *end = t.s + t.n;

	while (s < end && (*s == '.' || *s == ' ' || *s == '!'))
		s++;
	return s < end ? clause_sentence(t, s) : talk_part(t, end, end);
}

/* "It is out of memory. But the batch size is 1.": what begins so is of the sentence ahead. */
static bool
goes_on(struct talk t, struct talk sentence)
{
	return sentence.s - t.s > 2 && talk_is_one_of(clause_word_behind(sentence, sentence.s), "but even although though") && !talk_any_whole(sentence, "with it") &&
	    oom_fares_ill(clause_sentence(t, sentence.s - 2));
}

#define OF_ONES_OWN	"i use|i used|i am using|i'm using|im using|i set|i have set|i train|i trained|we use|we used|we are using|my batch|my settings|my config|my setting|my hyperparameters|my parameters|my max|my train"

/* "It is out of memory. I use a batch of 16": a setting of one's own, right behind what failed. */
static bool
is_own_setting(struct talk t, struct talk sentence)
{
	size_t n;
	const char *at = talk_find_whole(sentence, OF_ONES_OWN, &n);

	return at && at - sentence.s <= OWN_WITHIN && sentence.s - t.s > 2 && oom_fares_ill(clause_sentence(t, sentence.s - 2)) && !oom_fares_well(sentence) &&
	    !talk_any_whole(sentence, "but before previously now then so reduced reduce lower smaller");
}

#define AS_MINE		"in my experiment|in my experiments|in my case|on my|for me|in my setting|in my run|in my training"

/* "As in the paper, the batch is 32. But this leads to an OOM in my experiments.": of a batch that
 * others have, too. */
static bool
fails_here(struct talk t, struct talk sentence)
{
	struct talk next = next_sentence(t, sentence), first = clause_word_behind(next, next.s);

	return talk_is_one_of(first, "but however this that") && talk_any_whole(next, "this that it") && talk_has_whole(next, AS_MINE) && oom_fares_ill(next) && !oom_fares_well(next) && !memchr(next.s, '?', next.n);
}

/* Does a sentence that has a batch say that it fails, or the one beside it, where it goes on with
 * that or that speaks of each or of the same? */
static bool
fails(struct talk t, struct talk sentence)
{
	struct talk next = next_sentence(t, sentence);

	return goes_on(t, sentence) || is_own_setting(t, sentence) || fails_here(t, sentence) || oom_fares_ill(sentence) || (talk_any_whole(next, "each all every same still") && oom_fares_ill(next) && !oom_fares_well(next));
}

/* Is it what happened, or, as in "if I use a batch of 16 it throws an error", what does each
 * time? */
static bool
happens(struct talk t, struct talk sentence, const char *at, size_t n)
{
	return oom_told_happened(t, at, n) || (talk_has_whole(talk_part(t, sentence.s, at), "if i|if we") && oom_short_fails(sentence) && !clause_denies(t, at, n));
}

/* Of SENTENCE, that says something else first, what stands behind its "but" before AT, where that
 * tells of the failure by itself: "training runs fine, but testing fails with batch size 1". */
static struct talk
behind_but(struct talk sentence, const char *at)
{
	const char *end = sentence.s + sentence.n, *but;
	struct talk last = sentence;
	size_t n;

	for (but = NULL; talk_next_whole(sentence, "but", &but, &n) && but < at; )
		last = talk_part(sentence, but + n, end);
	return oom_fares_ill(last) ? last : sentence;
}

/* "It ran out of memory with a batch of 32, as in the paper": the clause that has the batch says
 * that it fails, and what is told of others stands in another. */
static bool
fails_itself(struct talk sentence, const char *at, size_t n)
{
	struct talk clause = talk_clause(sentence, at, n);

	return clause.n < sentence.n && oom_short_fails(clause) && !oom_fares_others(clause);
}

/* "It is fine on one GPU, on two it is not (OOM even with a batch of 1)": a clause that says it by
 * itself, whatever works in its sentence. */
static bool
fails_even(struct talk sentence, const char *at, size_t n)
{
	struct talk clause = talk_clause(sentence, at, n);

	return clause.n < sentence.n && talk_any_whole(talk_part(clause, clause.s, at), "even") && oom_short_fails(clause) && !oom_fares_well(clause);
}

#define OF_TESTS	"valid eval test verif infer predict"

/* "With a batch of 16 it trains in 6 GB, but validation is out of memory": the number at AT is of
 * what does not fail. */
static bool
is_ahead_of_tests(struct talk sentence, const char *at)
{
	const char *but, *end = sentence.s + sentence.n;
	struct talk ahead, behind;
	size_t n;

	if (!(but = talk_find_whole(sentence, "but|however", &n)) || but < at)
		return false;
	ahead = talk_part(sentence, sentence.s, but);
	behind = talk_part(sentence, but, end);
	return !oom_fares_ill(ahead) && talk_any_begins(ahead, "train") && talk_any_begins(behind, OF_TESTS);
}

#define AND_MORE	"higher|larger|bigger|greater|more|above|beyond|anything else|any other"

#define RUNS_ALONE	"did not|didn't|does not|doesn't|prevent|prevents|prevented|avoid|avoids|avoided|without|works|worked|fits|runs|ran|possible"

#define ONLY_THAT_RUNS	"only satisfied|only satisfying|only working|only successful|only suitable|only feasible|only viable|only acceptable|maximum working|max working|largest working|biggest working|highest working"

/* "I set a batch of 1, as it was the only one that did not fail": what runs. */
static bool
is_only_one(struct talk sentence)
{
	size_t n;
	const char *only = talk_find_whole(sentence, "the only", &n);

	if (talk_has_whole(sentence, ONLY_THAT_RUNS))
		return true;
	return only && talk_has_whole(talk_part(sentence, only + n, sentence.s + sentence.n), RUNS_ALONE);
}

/* "I can only train with a batch of 1, and higher ones fail": the N bytes at AT are ahead of the
 * most that runs. */
static bool
is_most_that_runs(struct talk sentence, const char *at, size_t n)
{
	struct talk ahead = talk_part(sentence, sentence.s, at);

	if (is_only_one(sentence))
		return true;
	return talk_any_whole(ahead, "only most max maximum able can could successfully") && !clause_says_no(ahead, "") &&
	    talk_has_whole(talk_part(sentence, at + n, sentence.s + sentence.n), AND_MORE);
}

/* "With a batch greater than 1 it fails", which says that with 1 it need not. */
static bool
is_above(struct talk sentence, const char *at, size_t n)
{
	return talk_has_whole(talk_head(sentence, at + n, OOM_NUMBER_WITHIN), "larger than|greater than|bigger than|higher than|more than|above|over") ||
	    talk_any_phrase(talk_head(sentence, at + n, 4), ">");
}

/* Is the batch at AT, of LEAST samples, another than what is given at once? One of a single sample
 * is that, however many of them are gone through ahead of a step. */
static bool
is_other_batch(struct talk sentence, const char *at, int64_t least)
{
	return talk_any_phrase(sentence, "val_batch|test_batch|eval_batch|micro-batch-size|max_batch|max-batch|num_batch|n_batch") ||
	    (talk_any_phrase(sentence, "accumul") && (least > 1 || talk_any_begins(clause_word_ahead(sentence, at), "accumul")));
}

#define MOST_CHINESE	"只能|最大|最多|顶多"

/* "batchsize最大是2，再增加就会溢出", "6G只能batchsize=2": the most that runs. */
bool
oom_batch_is_most(struct talk t, const char *at)
{
	const char *most = NULL;
	size_t n;

	while (talk_next_phrase(t, MOST_CHINESE, &most, &n))
		if ((most < at ? at - most : most - at) <= OOM_NUMBER_WITHIN)
			return true;
	return false;
}

/* "--cuda-graph-max-bs 8": for how many requests at once graphs are captured, which no step of
 * training has. */
#define OF_GRAPHS	"cuda-graph|cuda_graph|cudagraph|cuda graph"

#define SET_THEN	"i then set|then i set|then set|i then changed|then i changed|then changed|i then reduced|then i reduced|then reduced|i then lowered|then i lowered|then lowered|i then decreased|then i decreased|then decreased|so i set|so i changed|so i reduced|so i lowered|so i decreased|so i have to set|so i had to set"
#define ANOTHER_ERROR	"following error|another error|a different error|different error|new error|other error|this error|error below"

/* "It was out of memory, and I then set a batch of 2"; "It is out of memory. When I changed the
 * batch from 32 to 4, another error came": is the batch at AT one that was set after the failure,
 * with nothing said of memory thereafter? */
static bool
is_set_after(struct talk t, struct talk sentence, const char *at)
{
	struct talk ahead = talk_part(t, t.s, sentence.s);
	const char *set, *end = sentence.s + sentence.n;
	size_t n;

	if ((set = talk_find_whole(sentence, SET_THEN, &n)) && set < at && oom_short_fails(talk_part(t, t.s, set)))
		return !oom_fares_ill(talk_part(sentence, set, end));
	return talk_any_begins(talk_part(sentence, sentence.s, at), "chang reduc lower decreas set") && talk_has_whole(talk_part(sentence, at, end), ANOTHER_ERROR) && !oom_short_fails(sentence) && oom_short_fails(ahead);
}

/* Where T says that it fails with what NEXT finds, and that number: "with a batch > 2" with 3. */
static const char *
fails_with(struct talk t, oom_number_next *next, int64_t *least)
{
	const char *at = NULL;
	struct talk sentence;
	size_t n = 0;

	while ((*least = next(t, &at, &n)) > 0) {
		sentence = behind_but(clause_sentence(t, at), at);
		if (talk_any_phrase(sentence, OF_GRAPHS) || oom_batch_is_most(t, at) || is_set_after(t, sentence, at))
			continue;
		if (fails(t, sentence) && (!oom_fares_well(sentence) || fails_even(sentence, at, n)) && !is_ahead_of_tests(sentence, at) && !(next == oom_number_batch && (is_most_that_runs(sentence, at, n) || (*least == 1 && is_above(sentence, at, n) && !talk_any_phrase(talk_head(sentence, at + n, 2), ">")))) && (!oom_fares_others(sentence) || fails_itself(sentence, at, n) || fails_here(t, sentence)) &&
		    !is_other_batch(sentence, at, *least) && happens(t, sentence, at, n)) {
			*least += next == oom_number_batch && talk_any_phrase(talk_head(sentence, at + n, 2), ">");
			return at;
		}
	}
	return NULL;
}

/* "But the batch size is 1": what it is, and not what it is slow, or runs, with. */
static bool
says_one(struct talk sentence, const char *at)
{
	return talk_is_one_of(clause_word_behind(sentence, sentence.s), "but though although") && !talk_any_whole(talk_part(sentence, sentence.s, at), "with using for at when while only is does can should if");
}

#define IN_VAIN		"not work|n't work|not working|n't working|still exist|still exists|still exits|still there|persists|persist|didnt work|doesnt work|no luck|no use|to no avail|in vain|not help|n't help|no help|nothing changed|nothing changes|changed nothing|changes nothing|no effect|no difference|same problem|same error|same issue|still get|still got|still fails|still failing|still the same"

/* "I reduced the batch to 1, but it does not work": not for a layer that needs several samples. */
static bool
is_in_vain(struct talk sentence, const char *at)
{
	return talk_any_begins(talk_part(sentence, sentence.s, at), "reduc lower decreas minimi even set chang tried try") && (talk_has_whole(sentence, IN_VAIN) || talk_any_phrase(sentence, "n't work|n't help")) &&
	    !talk_any_begins(sentence, "norm shape dimension expected error accuracy loss converg") && !talk_any_whole(sentence, "should could would you your hope want wish");
}

#define SETS	"i changed|i have changed|i've changed|i set|i have set|i've set|i reduced|i have reduced|i've reduced|i lowered|i have lowered|i decreased|i have decreased|we set|we have set|we reduced|we changed"

/* "I changed the batch to 1, and ran the code.": what failed thereafter, where nothing of the line
 * says that it ran. */
static bool
sets_one(struct talk t, struct talk sentence, const char *at)
{
	size_t n;
	const char *set = talk_find_whole(sentence, SETS, &n);

	return set && set < at && !talk_has_whole(sentence, "from 1|from one") && !oom_fares_says(t, OOM_RUNS_WELL) && !oom_fares_says(t, OOM_COMES_NOT) && !talk_any_whole(talk_part(t, at, t.s + t.n), "but slow slower slowly hour hours works worked ran runs fits") && !talk_any_whole(talk_part(t, set + n, at), "and then lr rate epochs");
}

/* "I have a 1080 Ti and used batch=1", "the batch is 1 already": fewer samples there are not. */
static const char *
uses_one(struct talk t)
{
	const char *at = NULL, *used;
	struct talk sentence;
	size_t n = 0, length;
	int64_t count;

	while ((count = oom_number_batch(t, &at, &n)) > 0) {
		sentence = clause_sentence(t, at);
		used = talk_find_whole(sentence, "i used|i use|and used|i am using|i'm using|i am keeping|i keep|i'm keeping|i kept|i already use|i already used|my batch", &length);
		if (((used && used < at) || sets_one(t, sentence, at) || talk_any_whole(talk_clause(sentence, at, n), "already") || says_one(sentence, at) || is_in_vain(sentence, at)) && count == 1 && !is_above(sentence, at, n) && !oom_fares_others(sentence) && !talk_any_begins(sentence, "val test eval debug infer predict accumul when if once after instead now solv fix resolv disappear gone") && (is_in_vain(sentence, at) || !talk_any_begins(sentence, "problem issue")) && !oom_fares_says(sentence, OOM_RUNS_WELL) && (!talk_has_whole(sentence, OOM_WISHED) || is_in_vain(sentence, at)) && (!memchr(sentence.s, '?', sentence.n) || says_one(sentence, at)))
			return at;
	}
	return NULL;
}

#define AT_LEAST	"to the minimum|to minimum|to its minimum|to the smallest|is minimal already|is already minimal|is at the minimum|is at its minimum|to the least"

/* "It fails. The batch size has been cut to the minimum.": how many samples that are is not told,
 * and fewer there are not. */
static const char *
fails_at_least(struct talk t)
{
	struct talk clause;
	const char *at, *s;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, OOM_BATCHES, &at, &n); ) {
		clause = talk_clause(t, at, n);
		if ((s = talk_find_whole(talk_part(clause, at + n, clause.s + clause.n), AT_LEAST, &length)) && oom_fares_ill(t) && !talk_has_whole(clause, OOM_RUNS_NOT) &&
		    !talk_any_whole(clause, "should could would if you your") && !oom_fares_well(clause_sentence(t, at)))
			return at;
	}
	return NULL;
}

#define ONE		"batch size to one|batch_size to one|batchsize to one|batch size of one|batch_size of one|batch size one|batch_size one|batch size is one|batch_size is one|batch_size = one|batch size equal one|batch size equal to one|"	\
    "batch of one|single sample per batch|one sample per batch|one image per batch"

/* "It is out of memory, even if I set the batch size to one." */
static const char *
fails_in_words(struct talk t)
{
	struct talk sentence;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, ONE, &at, &n); ) {
		sentence = clause_sentence(t, at);
		if (oom_fares_ill(sentence) && (talk_any_whole(sentence, "even still") || !talk_any_whole(sentence, "if should could would")) && !oom_fares_well(sentence) && !oom_fares_others(sentence) && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define FEW		4	/* samples, of which the most that is saved is less than what one takes four times */
#define ALL_IN_VAIN	"still|not work|n't work|also not work|didn't help|doesn't help|did not help|does not help|no luck|in vain|same error|same problem|same issue|persists|persisted|to no avail|nothing changed|nothing changes|changed nothing|changes nothing|no effect|no difference|no change|without success|not solve|n't solve|not fix|n't fix"

#define EVEN_CHINESE	"也会|也爆|也报|也不行|都会|都爆|还会|还是|仍|依然"

/* "out of memory even with a batch of 2" */
static bool
begins_even(struct talk sentence, const char *at)
{
	struct talk word = clause_word_ahead(sentence, at);

	while (talk_is_one_of(word, "with at when using for a the if my i set"))
		word = clause_word_ahead(sentence, word.s);
	return word.n > 0 && word.s + word.n < at && talk_is_one_of(word, "even") && clause_word_behind(sentence, word.s + word.n).s < at;
}

/* "with a batch of even 2 to 32, still", "even with a batch of 3 I still get it": is the least of
 * what was tried so few? */
bool
oom_batch_even_few(struct talk t, const char *at, int64_t least)
{
	struct talk sentence = clause_sentence(t, at), behind = talk_part(t, at, sentence.s + sentence.n);

	if (least < 2 || least > FEW || talk_any_of(t, "eval valid test 验证 测试 评估 推理"))
		return false;		/* or it may be that of tests */
	if (begins_even(sentence, at) && oom_fares_ill(sentence) && !oom_fares_well(sentence))
		return true;
	return ((talk_any_whole(talk_head(behind, behind.s, OOM_NUMBER_WITHIN), "even") || talk_any_whole(talk_part(sentence, sentence.s, at), "even")) && talk_has_whole(behind, ALL_IN_VAIN)) ||
	    talk_any_phrase(talk_head(t, at, OOM_NUMBER_WITHIN), EVEN_CHINESE);
}

/* Settings' names, and how the word is misspelt. */
#define NAMES_OF_ONE	"per_device_train_batch_size|per_device_batch_size|per_gpu_train_batch_size|per_gpu_batch_size|train_batch_size|training_batch_size|train_micro_batch_size_per_gpu|micro_batch_size|microbatch_size|"	\
    "microbatch size|micro batch size|micro-batch size|per-device batch size|mini_batch_size|minibatch_size|batch__size|bath size|bath_size|bathsize|bach size|bach_size|bachsize|bacth size|bacth_size|bacthsize|batch sice|batch_sice|batch szie|batch_szie|batchszie|batch-size|batch_size|batch size|batchsize"

/* The last of the numbers of "from 16 to 2", "32, 16, 8" behind S, where each is less; 0: they are
 * none. */
static int64_t
comes_down_to(struct talk sentence, const char *s)
{
	const char *end = sentence.s + sentence.n, *to;
	int64_t n, last = 0;
	int numbers = 0;

	for (; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || piece_is_word(s[-1]) || s[-1] == '.' || !(to = oom_number_at(sentence, s, false, &n)))
			to = to ? to : s + 1;
		else if (last && n >= last)
			return 0;
		else {
			last = n;
			numbers++;
		}
	}
	return numbers > 1 ? last : 0;
}

/* "batchsize改小为4，还是会爆显存" */
static const char *
few_in_chinese(struct talk t, int64_t *least)
{
	const char *at = NULL, *vain;
	size_t n;

	while ((*least = oom_number_batch(t, &at, &n)) > 0)
		if (*least > 1 && *least <= FEW && (vain = talk_first(talk_part(t, at, t.s + t.n), "依然|仍|还是|也不行|也爆|还会|还报|还不行")) && !talk_any_phrase(t, "吗|就可以|可以跑|可以了|能跑|正常|解决了|就好|如果|验证时|测试时|推理时"))
			return vain;
	return NULL;
}

/* "I lowered the batch from 16 to 2, but it is still out of memory" */
const char *
oom_batch_few_in_vain(struct talk t, int64_t *least)
{
	const char *at, *lowers, *vain;
	struct talk sentence;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, NAMES_OF_ONE "|total_batch_size|batch", &at, &n); ) {
		sentence = clause_sentence(t, at);
		lowers = talk_find_whole(sentence, OOM_LOWERS, &length);
		*least = oom_number_of_batch(sentence, at, n);
		if (*least < 2 || *least > FEW || comes_down_to(sentence, at + n))
			*least = comes_down_to(sentence, at + n);
		vain = talk_find_whole(talk_part(sentence, at, sentence.s + sentence.n), ALL_IN_VAIN, &length);
		if (*least < 1 || *least > FEW || !lowers || lowers > at || !vain)
			continue;
		if (!oom_fares_others(sentence) && !memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "val") && !talk_any_begins(sentence, "valid test eval infer accumul accuracy loss converg norm") && !talk_any_whole(sentence, "you your if should would increased larger raised") && !oom_fares_says(sentence, OOM_RUNS_WELL) && !oom_fares_says(sentence, OOM_COMES_NOT) &&
		    (oom_short_fails(t) || !talk_any_begins(sentence, "nan shape dimension")))
			return vain;
	}
	return few_in_chinese(t, least);
}

#define OPTIONS		"--batch_size|--batch-size|--batchsize|--bs|--train_batch_size|--train-batch-size|--per_device_train_batch_size"
#define ADVISED		"you your should could instead recommend recommended suggest works worked fine if"

/* "I run `python main.py --batch_size 16`, and it is out of memory": the command of a run, in a
 * sentence. */
static const char *
commanded(struct talk t, int64_t *least)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	struct talk sentence;
	size_t n;

	while (talk_next_phrase(t, OPTIONS, &at, &n)) {
		sentence = talk_sentence(t, at);
		for (s = at + n; s < end && (*s == ' ' || *s == '='); s++)
			;
		if (s == at + n || s == end || !is_digit(*s) || !oom_number_at(t, s, false, least) || *least < 2)
			continue;
		if (talk_any_phrase(talk_part(t, t.s, at), ".py ") && talk_any_whole(sentence, "i we my") && !talk_any_whole(talk_part(t, sentence.s, at), ADVISED) && !oom_fares_others(sentence))
			return at;
	}
	return NULL;
}

#define SET_TO_ONE	"调到了1|调成了1|调为了1|设为了1|设成了1|设置为了1|改成了1|改为了1|降到了1|降低到了1|减到了1|减少到了1|减小到了1|缩小到了1|调为1|调小到1|减到1|减小到1|减少到1|缩小到1|降低到1|改到1|设到1|已经是1|已经为1|已经设1|只有1|调成1|调到1|改为1|改成1|设为1|设成1|设置为1|设置成1|降到1|降为1"
#define ALL_THE_SAME	"依然|依旧|还是|仍|也不行|也爆|也报|也会"
#define SLIPS		"bantch|bacth|btach|bactch|baych|batchz|bath_size|bathsize|batc_size|bacht"	/* of the pen, for "batch" */
#define WITHIN		40	/* bytes from the number to what is said of it */

#define ALREADY_CHINESE	"已经|已将|已把|都改|都调|都设|都已"
#define NOT_SO_CHINESE	"吗|么|？|?|可以跑|就可以|可以了|能跑|正常|解决|就好|如果|要不要|需要|必须|只能|除非|建议|测试时|验证时|推理时"

/* "把batch_size调为1依然不行", "已经将batch_size调为1了": of a run that failed, whatever batch it had
 * before. */
static const char *
fails_with_one(struct talk t)
{
	const char *at = talk_any_phrase(t, "batch|" SLIPS) ? talk_first(t, SET_TO_ONE) : NULL, *to, *end = t.s + t.n;

	for (to = at; to && to < end && *to != '1'; to++)
		;
	if (!to || (to + 1 < end && is_digit(to[1])))
		return NULL;
	return talk_any_phrase(talk_head(t, to + 1, WITHIN), ALL_THE_SAME) || (talk_any_phrase(clause_sentence(t, at), ALREADY_CHINESE) && !talk_any_phrase(talk_part(t, to, end), NOT_SO_CHINESE)) ? at : NULL;
}

/* What is of other batches than that of training, or no more than what runs, or may be tried. */
#define OTHER_BATCHES	"val valid eval test debug infer predict sampl"
#define OTHER_USES	"max maximum most largest biggest larger greater bigger than above over if should could would can able or other others"

#define OTHER_ENDS	"slow slower solves solved fixes fixed resolved resolves gone goes disappeared disappears helped helps fits fit succeeded"

/* Does SENTENCE say so, with N bytes at AT for a batch in it, and neither asks it nor tells it of a
 * run that was well? */
static bool
states_one(struct talk sentence, const char *at, size_t n)
{
	struct talk clause = talk_clause(sentence, at, n);
	int64_t least = oom_number_of_batch(sentence, at, n);

	if (least > 1 || (least == 0 && !clause_is_set_to(sentence, at + n, "one single")))
		return false;
	return !is_above(sentence, at, n) && !talk_any_whole(clause, OTHER_USES) && !talk_any_whole(sentence, OTHER_ENDS) && !talk_has_whole(clause, "from 1|from one") && !talk_any_begins(clause, OTHER_BATCHES) && !talk_any_phrase(sentence, "eval_batch|val_batch|test_batch") &&
	    !oom_fares_others(sentence) && !oom_fares_well(sentence);
}

bool
oom_batch_is_one(struct talk t)
{
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, NAMES_OF_ONE, &at, &n); )
		if (states_one(clause_sentence(t, at), at, n))
			return true;
	return false;
}

/* "只有batch为1时才能训练", "一直调到 1 为止 model 才 train 的起来": with that it runs. */
static bool
runs_with_no_more(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return talk_any_phrase(talk_part(t, at, sentence.s + sentence.n), "才") || talk_any_phrase(talk_part(t, sentence.s, at), "只有");
}

/* "为1时 ... bs=2时，显存就会溢出": it is more than one that fails then. */
#define FAILS_WITH_MORE	"=2时|=2就|为2时|为2就|是2时|是2就|到2就|成2就|=2的时候|为2的时候|=2会|为2会|=4时|=4就|为4时|为4就"

static bool
fails_with_more(struct talk t, const char *at)
{
	return talk_any_phrase(talk_part(t, at, t.s + t.n), FAILS_WITH_MORE) && !talk_any_phrase(t, ALL_THE_SAME "|都");
}

const char *
oom_batch_fails(struct talk t, int64_t *least)
{
	const char *at = fails_with_one(t);

	at = at ? at : fails_in_words(t);
	if (at) {
		*least = 1;
		return at;
	}
	at = fails_with(t, oom_number_batch, least);
	if (!at && ((at = fails_at_least(t)) || (at = uses_one(t))))
		*least = 1;
	if (at && *least == 1 && (fails_with_more(t, at) || runs_with_no_more(t, at)))
		return NULL;
	return at ? at : commanded(t, least);
}

#define DOES_SO		"when i set it|when i set that|when i do that|when i do so|when i do this|when i do it|when i try it|when i try that|when i try this|when i change it|when i increase it|when i raise it|when we do that|when we do so|when we set it|" \
    "once i do|once i set it|after setting it|after doing that|after doing so|after i set it|after i do that|after i did that|when setting it|when doing so|when doing that|doing so|doing that"

/* "I want to set the context to 32k. When I do that, it runs out of memory": a length that is told
 * ahead of the sentence in which it fails. */
static const char *
fails_so(struct talk t)
{
	const char *at = NULL, *end = t.s + t.n, *past;
	struct talk sentence, next;
	int64_t length;
	size_t n;

	while ((length = oom_number_length(t, &at, &n)) > 0) {
		sentence = talk_sentence(t, at);
		past = sentence.s + sentence.n + 2;
		if (length < OOM_LEAST_LENGTH || past >= end || clause_is_question(sentence))
			continue;
		next = talk_sentence(t, past);
		if (talk_has_whole(next, DOES_SO) && (oom_short_fails(next) || clause_names_failure(next)) && !clause_is_question(next) && !clause_works(next))
			return at;
	}
	return NULL;
}

const char *
oom_batch_long(struct talk t)
{
	int64_t length;
	const char *at = fails_with(t, oom_number_length, &length);

	if (at && length >= OOM_LEAST_LENGTH)
		return at;
	at = fails_with(t, oom_number_counted, &length);
	return at ? at : fails_so(t);
}
