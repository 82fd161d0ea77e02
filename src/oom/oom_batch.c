/*
 * A batch, or the length of a sequence, by its number (oom_number.h), in a person's sentence that
 * says that it fails with it, or, of a batch, that it does not: by a word for what befell it in the
 * same sentence. Of other languages there is no grammar here either.
 */
#include "oom/oom_batch.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"

#define OWN_WITHIN	12	/* bytes from the beginning of a sentence to whose setting it tells */

#define TRAINS_NOT	"can't train|cannot train|can not train|unable to train|not able to train|won't train|can't run|cannot run|unable to run|won't run"
/* Words for a failure, where those of English (oom_told.h, oom_clause.h) do not stand: */
#define FAILS_ELSEWHERE	"显存|报错|错误|溢出|"	\
    "오류|에러|부족|"	\
    "エラー|不足|"	\
    "ошибк|не хвата|"	\
    "fehler|speicher|memoria|memória|mémoire"
/* for a run in which that does not come, */
#define COMES_NOT	"no error|no errors|no oom|error does not occur|error doesn't occur|error did not occur|error didn't occur|does not happen|doesn't happen|error disappears|error disappeared|"	\
    "error is gone|error went away|error goes away|problem disappears|problem disappeared|problem is gone|"	\
    "不报错|不会报错|"	\
    "발생되지 않|발생하지 않|오류가 없|"	\
    "エラーは出ません"
/* and for one that is well. */
#define RUNS	"no problem|no problems|no issue|no issues|without error|without errors|without oom|without any error|without problem|without problems|without any problem|"	\
    "solves the problem|solved the problem|solves the issue|solved the issue|solves it|solved it|solves this|solved this|fixes the problem|fixed the problem|fixes the issue|fixed the issue|fixes it|fixed it|"	\
    "resolves the problem|resolved the problem|resolves the issue|resolved the issue|resolves it|resolved it|works|worked|works fine|can train|can run|able to train|able to run|run well|runned well|runed well|ran well|runs fine|runs well|ran fine|trains fine|is ok|was ok|is fine|was fine|"	\
    "就可以|可以跑|可以正常|可以训练|"	\
    "正常运行|能跑|就好了|没有问题|没问题|"	\
    "動作しま|動きま|"	\
    "работает|"	\
    "funktioniert|funciona|fonctionne"
#define RUNS_NOT	"not|n't|cannot|hardly|never|neither|不能|无法|还是|依然|仍|nicht|не работ|no funciona|ne fonctionne"
/* What is told to others, or of others, and what is wished: no run of one's own. */
#define TO_OTHERS	"my friend|a friend|my colleague|a colleague|someone|somebody|other people|recommend|recommended|recommends|suggest|suggested|paper|papers|authors|author|readme|minimum|supports|you should|you can|you need|you have to|you may|"	\
    "should use|need to use|should not|shouldn't|should be enough|expected|建议|应该|别人|有人说|网上说|听说"
/* The same, unless it is told of oneself: "when I try to use". */
#define TRIED	"try to|try a|try batch|try with"
#define WISHED	"hope|want|wish|should|could|would|must|need to|make it|you|your|still|even|想|吗|么|依然|仍然|还是"
/* Words by which a batch is made less, or is the most that runs. */
#define MADE_LESS	"reduc|lower|decreas|smaller|only|改|调|降|减|只能|줄이|"	\
    "下げ|減ら|小さ|уменьш"

/* Is a sentence told to others, or of others? */
static bool
is_to_others(struct talk sentence)
{
	size_t n;
	const char *tried = talk_find_whole(sentence, TRIED, &n);

	return talk_has_whole(sentence, TO_OTHERS) || (tried && !talk_is_one_of(clause_word_ahead(sentence, tried), "i we"));
}

/* Does T say that it fails, by words of any language here? */
static bool
says_failure(struct talk t)
{
	return oom_short_fails(t) || clause_names_failure(t) || talk_has_whole(t, TRAINS_NOT) || talk_any_phrase(t, FAILS_ELSEWHERE);
}

/* Where a sentence has one of a list's phrases; not where a word beside it denies that. */
static const char *
says(struct talk sentence, const char *list)
{
	const char *at, *end = sentence.s + sentence.n;
	struct talk rest = sentence, clause;
	size_t n;

	for (; (at = talk_find_whole(rest, list, &n)); rest = talk_part(sentence, at + n, end)) {
		clause = talk_clause(sentence, at, n);
		if (!clause_runs_out(sentence, at + n) && !talk_has_whole(talk_part(clause, clause.s, at), RUNS_NOT) && !talk_any_phrase(talk_part(clause, clause.s, at), "n't |n’t "))
			return at;
	}
	for (at = NULL; talk_next_phrase(sentence, list, &at, &n); )	/* writings without blanks */
		if ((unsigned char)*at >= 0x80 && !talk_any_phrase(talk_part(sentence, sentence.s, at), RUNS_NOT))
			return at;
	return NULL;
}

static bool
runs_well(struct talk sentence)
{
	return says(sentence, COMES_NOT) || says(sentence, RUNS) || clause_works(sentence);
}

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
	    says_failure(clause_sentence(t, sentence.s - 2));
}

#define OF_ONES_OWN	"i use|i used|i am using|i'm using|im using|i set|i have set|i train|i trained|we use|we used|we are using|my batch|my settings|my config|my setting|my hyperparameters|my parameters|my max|my train"

/* "It is out of memory. I use a batch of 16": a setting of one's own, right behind what failed. */
static bool
is_own_setting(struct talk t, struct talk sentence)
{
	size_t n;
	const char *at = talk_find_whole(sentence, OF_ONES_OWN, &n);

	return at && at - sentence.s <= OWN_WITHIN && sentence.s - t.s > 2 && says_failure(clause_sentence(t, sentence.s - 2)) && !runs_well(sentence) &&
	    !talk_any_whole(sentence, "but before previously now then so reduced reduce lower smaller");
}

/* Does a sentence that has a batch say that it fails, or the one beside it, where it goes on with
 * that or that speaks of each or of the same? */
static bool
fails(struct talk t, struct talk sentence)
{
	struct talk next = next_sentence(t, sentence);

	return goes_on(t, sentence) || is_own_setting(t, sentence) || says_failure(sentence) || (talk_any_whole(next, "each all every same still") && says_failure(next) && !runs_well(next));
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
	struct talk rest = sentence, last = sentence;
	size_t n;

	for (; (but = talk_find_whole(rest, "but", &n)) && but < at; rest = talk_part(sentence, but + n, end))
		last = talk_part(sentence, but + n, end);
	return says_failure(last) ? last : sentence;
}

/* "It ran out of memory with a batch of 32, as in the paper": the clause that has the batch says
 * that it fails, and what is told of others stands in another. */
static bool
fails_itself(struct talk sentence, const char *at, size_t n)
{
	struct talk clause = talk_clause(sentence, at, n);

	return clause.n < sentence.n && oom_short_fails(clause) && !is_to_others(clause);
}

/* "It is fine on one GPU, on two it is not (OOM even with a batch of 1)": a clause that says it by
 * itself, whatever works in its sentence. */
static bool
fails_even(struct talk sentence, const char *at, size_t n)
{
	struct talk clause = talk_clause(sentence, at, n);

	return clause.n < sentence.n && talk_any_whole(talk_part(clause, clause.s, at), "even") && oom_short_fails(clause) && !runs_well(clause);
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
	return !says_failure(ahead) && talk_any_begins(ahead, "train") && talk_any_begins(behind, OF_TESTS);
}

#define AND_MORE	"higher|larger|bigger|greater|more|above|beyond|anything else|any other"

/* "I can only train with a batch of 1, and higher ones fail": the N bytes at AT are ahead of the
 * most that runs. */
static bool
is_most_that_runs(struct talk sentence, const char *at, size_t n)
{
	struct talk ahead = talk_part(sentence, sentence.s, at);

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
#define AND_MORE_CHINESE	"再大|再增|再加|再高|再多|更大|更高|超过|以上就|大于|大一点"

/* "batchsize最大是2，再增加就会溢出", "6G只能batchsize=2": the most that runs. */
static bool
is_most_in_chinese(struct talk t, const char *at)
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

/* Where T says that it fails with what NEXT finds, and that number: "with a batch > 2" with 3. */
static const char *
fails_with(struct talk t, oom_number_next *next, int64_t *least)
{
	const char *at = NULL;
	struct talk sentence;
	size_t n = 0;

	while ((*least = next(t, &at, &n)) > 0) {
		sentence = behind_but(clause_sentence(t, at), at);
		if (talk_any_phrase(sentence, OF_GRAPHS) || is_most_in_chinese(t, at))
			continue;
		if (fails(t, sentence) && (!runs_well(sentence) || fails_even(sentence, at, n)) && !is_ahead_of_tests(sentence, at) && !(next == oom_number_batch && (is_most_that_runs(sentence, at, n) || (*least == 1 && is_above(sentence, at, n) && !talk_any_phrase(talk_head(sentence, at + n, 2), ">")))) && (!is_to_others(sentence) || fails_itself(sentence, at, n)) &&
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

#define IN_VAIN		"not work|n't work|didnt work|doesnt work|no luck|no use|to no avail|in vain|not help|n't help|no help|nothing changed|nothing changes|changed nothing|changes nothing|no effect|no difference|same problem|same error|same issue|still get|still got|still fails|still failing|still the same"

/* "I reduced the batch to 1, but it does not work": not for a layer that needs several samples. */
static bool
is_in_vain(struct talk sentence, const char *at)
{
	return talk_any_begins(talk_part(sentence, sentence.s, at), "reduc lower decreas even set chang tried try") && (talk_has_whole(sentence, IN_VAIN) || talk_any_phrase(sentence, "n't work|n't help")) &&
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

	return set && set < at && !talk_has_whole(sentence, "from 1|from one") && !says(t, RUNS) && !says(t, COMES_NOT) && !talk_any_whole(talk_part(t, at, t.s + t.n), "but slow slower slowly hour hours works worked ran runs fits") && !talk_any_whole(talk_part(t, set + n, at), "and then lr rate epochs");
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
		used = talk_find_whole(sentence, "i used|i use|and used|i am using|i'm using|i already use|i already used|my batch", &length);
		if (((used && used < at) || sets_one(t, sentence, at) || talk_any_whole(talk_clause(sentence, at, n), "already") || says_one(sentence, at) || is_in_vain(sentence, at)) && count == 1 && !is_above(sentence, at, n) && !is_to_others(sentence) && !talk_any_begins(sentence, "val test eval debug infer predict accumul when if once after instead now problem issue solv fix resolv disappear gone") && !says(sentence, RUNS) && (!talk_has_whole(sentence, WISHED) || is_in_vain(sentence, at)) && (!memchr(sentence.s, '?', sentence.n) || says_one(sentence, at)))
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
	struct talk rest = t, clause;
	const char *at, *s;
	size_t n, length;

	for (; (at = talk_find_whole(rest, OOM_BATCHES, &n)); rest = talk_part(t, at + n, t.s + t.n)) {
		clause = talk_clause(t, at, n);
		if ((s = talk_find_whole(talk_part(clause, at + n, clause.s + clause.n), AT_LEAST, &length)) && says_failure(t) && !talk_has_whole(clause, RUNS_NOT) &&
		    !talk_any_whole(clause, "should could would if you your") && !runs_well(clause_sentence(t, at)))
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
	struct talk rest, sentence;
	const char *at;
	size_t n;

	for (rest = t; (at = talk_find_whole(rest, ONE, &n)); rest = talk_part(t, at + n, t.s + t.n)) {
		sentence = clause_sentence(t, at);
		if (says_failure(sentence) && (talk_any_whole(sentence, "even still") || !talk_any_whole(sentence, "if should could would")) && !runs_well(sentence) && !is_to_others(sentence) && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

/* Settings' names, and how the word is misspelt. */
#define NAMES_OF_ONE	"per_device_train_batch_size|per_device_batch_size|per_gpu_train_batch_size|per_gpu_batch_size|train_batch_size|training_batch_size|train_micro_batch_size_per_gpu|micro_batch_size|microbatch_size|"	\
    "microbatch size|micro batch size|micro-batch size|per-device batch size|mini_batch_size|minibatch_size|bath size|bath_size|batch sice|bach size|bach_size|batch-size|batch_size|batch size|batchsize"

#define FEW		4	/* samples, of which the most that is saved is less than what one takes four times */
#define LOWERS		"reduced|lowered|decreased|changed|modified|set|reducing|lowering|decreasing|changing|setting|dropped|cut|tried"
#define ALL_IN_VAIN	"still|not work|n't work|also not work|didn't help|doesn't help|did not help|does not help|no luck|in vain|same error|same problem|same issue|persists|persisted|to no avail|nothing changed|nothing changes|changed nothing|changes nothing|no effect|no difference|no change|without success|not solve|n't solve|not fix|n't fix"

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
	struct talk rest, sentence;
	size_t n, length;

	for (rest = t; (at = talk_find_whole(rest, NAMES_OF_ONE "|total_batch_size|batch", &n)); rest = talk_part(t, at + n, t.s + t.n)) {
		sentence = clause_sentence(t, at);
		lowers = talk_find_whole(sentence, LOWERS, &length);
		*least = oom_number_of_batch(sentence, at, n);
		if (*least < 2 || *least > FEW || comes_down_to(sentence, at + n))
			*least = comes_down_to(sentence, at + n);
		vain = talk_find_whole(talk_part(sentence, at, sentence.s + sentence.n), ALL_IN_VAIN, &length);
		if (*least < 1 || *least > FEW || !lowers || lowers > at || !vain)
			continue;
		if (!is_to_others(sentence) && !memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "val") && !talk_any_begins(sentence, "valid test eval infer accumul accuracy loss converg norm") && !talk_any_whole(sentence, "you your if should would increased larger raised") && !says(sentence, RUNS) && !says(sentence, COMES_NOT) &&
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
		if (talk_any_phrase(talk_part(t, t.s, at), ".py ") && talk_any_whole(sentence, "i we my") && !talk_any_whole(talk_part(t, sentence.s, at), ADVISED) && !is_to_others(sentence))
			return at;
	}
	return NULL;
}

#define SET_TO_ONE	"调为1|调小到1|减到1|减小到1|减少到1|缩小到1|降低到1|改到1|设到1|已经是1|已经为1|已经设1|只有1|调成1|调到1|改为1|改成1|设为1|设成1|设置为1|设置成1|降到1|降为1"
#define ALL_THE_SAME	"依然|还是|仍|也不行|也爆|也报|也会"
#define WITHIN		40	/* bytes from the number to what is said of it */

#define ALREADY_CHINESE	"已经|已将|已把|都改|都调|都设|都已"
#define NOT_SO_CHINESE	"吗|么|？|?|可以跑|就可以|可以了|能跑|正常|解决|就好|如果|要不要|需要|必须|只能|除非|建议|测试时|验证时|推理时"

/* "把batch_size调为1依然不行", "已经将batch_size调为1了": of a run that failed, whatever batch it had
 * before. */
static const char *
fails_with_one(struct talk t)
{
	const char *at = talk_any_phrase(t, "batch") ? talk_first(t, SET_TO_ONE) : NULL, *to, *end = t.s + t.n;

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
	    !is_to_others(sentence) && !runs_well(sentence);
}

bool
oom_batch_is_one(struct talk t)
{
	struct talk rest = t;
	const char *at;
	size_t n;

	for (; (at = talk_find_whole(rest, NAMES_OF_ONE, &n)); rest = talk_part(t, at + n, t.s + t.n))
		if (states_one(clause_sentence(t, at), at, n))
			return true;
	return false;
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
	if (at && *least == 1 && fails_with_more(t, at))
		return NULL;
	return at ? at : commanded(t, least);
}

const char *
oom_batch_long(struct talk t)
{
	int64_t length;
	const char *at = fails_with(t, oom_number_length, &length);

	return at && length >= OOM_LEAST_LENGTH ? at : fails_with(t, oom_number_counted, &length);
}

/* The least whole number of T that is none of the name of a card; 0: there is none. And the
 * largest. */
static int64_t
least_count(struct talk t, int64_t *most)
{
	const char *s, *end = t.s + t.n;
	int64_t n, least = 0;

	*most = 0;
	for (s = t.s; s < end; s++)
		if (is_digit(*s) && (s == t.s || !is_digit(s[-1])) && oom_number_at(t, s, false, &n)) {
			least = !least || n < least ? n : least;
			*most = n > *most ? n : *most;
		}
	return least;
}

bool
oom_batch_fewer_run(struct talk t, const char *at, int64_t least)
{
	struct talk next = clause_sentence(t, at);
	const char *runs;
	int64_t n, most;
	size_t length;

	while (next.s + next.n + 1 < t.s + t.n) {
		next = clause_sentence(t, next.s + next.n + 1);
		n = least_count(next, &most);
		runs = talk_find_whole(next, "worked|works|ran|runs|trains|trained", &length);
		if (n > 0 && n < least && runs && talk_has_whole(talk_part(next, next.s, runs), LOWERS "|batch|batch_size|batchsize") && !talk_any_whole(next, "cpu processor epoch epochs") && !clause_says_no(talk_clause(next, runs, length), "neither") && !memchr(next.s, '?', next.n))
			return true;
		if (next.n == 0)
			next.n = 1;
	}
	return false;
}

/* Where SENTENCE, which has a batch, says that it runs with less: by words for that, or by another
 * number with which it does not. */
static const char *
runs_with_less(struct talk sentence)
{
	const char *runs = says(sentence, COMES_NOT);
	int64_t least, most, none;

	if (!runs && !(runs = says(sentence, RUNS)))
		return NULL;
	least = least_count((unsigned char)*runs >= 0x80 || talk_is_one_of(clause_word_behind(sentence, sentence.s), "only") ? sentence : talk_clause(sentence, runs, 0), &none);
	least_count(sentence, &most);
	return least > 0 && (says(sentence, COMES_NOT) || talk_any_phrase(sentence, MADE_LESS) || (most > least && says_failure(sentence))) ? runs : NULL;
}

/* "Does it run with 2?" asks; "with 2 it works, why is this?" says it first. */
static bool
asks(struct talk sentence)
{
	const char *runs = says(sentence, RUNS);

	return memchr(sentence.s, '?', sentence.n) && !(runs && talk_any_whole(talk_part(sentence, runs, sentence.s + sentence.n), "why what") &&
	    !talk_any_whole(talk_part(sentence, sentence.s, runs), "why what does do can could will would how"));
}

/* "with 8 it works for 3 epochs, then OOM": for a time alone. */
static bool
fails_later(struct talk sentence, const char *runs)
{
	struct talk behind = talk_part(sentence, runs, sentence.s + sentence.n);

	return talk_any_whole(behind, "then until after later middle halfway midway suddenly eventually epoch epochs step steps iterations hours while") && (oom_short_fails(behind) || clause_names_failure(behind));
}

/* "I have trained with a batch of 4 before without any error": with as much as now. */
static bool
is_of_past(struct talk sentence)
{
	const char *at = talk_find_word(sentence, "before previously earlier yesterday formerly");

	if (talk_any_phrase(sentence, MADE_LESS))
		return false;
	return talk_has_whole(sentence, "used to|last week|in the past") || (at && (!talk_is_one_of(clause_word_ahead(sentence, at), "the than any just right") && (lower(*at) != 'b' ||
	    !(clause_word_behind(sentence, at + strlen("before")).n > 0) || talk_is_one_of(clause_word_behind(sentence, at + strlen("before")), "without with and but no fine successfully"))));
}

/* "It is out of memory. But with a batch of 13 it works." */
static bool
runs_after_but(struct talk t, struct talk sentence)
{
	return sentence.s - t.s > 2 && talk_is_one_of(clause_word_behind(sentence, sentence.s), "but") && says_failure(clause_sentence(t, sentence.s - 2)) && !says_failure(sentence) &&
	    !talk_any_whole(sentence, "cpu inference test testing validation evaluation another other different") && says(sentence, RUNS);
}

const char *
oom_batch_runs(struct talk t)
{
	const char *at = NULL, *runs;
	struct talk sentence;
	size_t n = 0;

	while (oom_number_batch(t, &at, &n) > 0) {
		sentence = clause_sentence(t, at);
		if (is_most_in_chinese(t, at) && talk_any_phrase(t, AND_MORE_CHINESE) && says_failure(t))
			return at;
		runs = is_to_others(sentence) || talk_has_whole(sentence, WISHED) || asks(sentence) ? NULL : runs_with_less(sentence);
		if (!runs && !is_to_others(sentence) && !talk_has_whole(sentence, WISHED) && !asks(sentence) && runs_after_but(t, sentence))
			runs = at;
		if (runs && !fails_later(sentence, runs) && !is_of_past(sentence))
			return runs;
	}
	return NULL;
}
