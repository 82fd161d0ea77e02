/*
 * What was changed, or left out, where people say that it works then: a smaller batch, shorter
 * samples, one loss fewer.
 */
#include "oom/oom_works.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"
#include "oom/oom_tests.h"
#include "oom/oom_wording.h"

#define IT_WORKS	"it works|it worked|then works|works now|worked now|works then|it runs|it ran|it can run|then it works|there is no error|no error|no problem|works fine|works well|can run successfully|could run successfully|runs successfully|ran successfully|run successfully|trains successfully|runs normally|ran normally|run normally|everything works|no longer fails|no more oom|this is resolved|it is resolved|is resolved then|this resolves it|this is solved|it is solved"

/* Where T says that it works, its N bytes: not that it runs out of memory. */
static const char *
says_works(struct talk t, const char *list, size_t *n)
{
	const char *at = NULL;

	for (at = NULL; talk_next_whole(t, list, &at, n) && clause_runs_out(t, at + *n); )
		;
	return at;
}

/* A sentence up to the end of the clause that says at WORKS that it works. */
static struct talk
up_to_clause(struct talk t, struct talk sentence, const char *works, size_t n)
{
	struct talk clause = talk_clause(t, works, n);

	return talk_part(t, sentence.s, clause.s + clause.n);
}

/* Is what works at WORKS asked for? A question may follow in a clause of its own. */
static bool
is_asked(struct talk t, struct talk sentence, const char *works, size_t n)
{
	struct talk told = up_to_clause(t, sentence, works, n);

	return memchr(told.s, '?', told.n) || (told.s + told.n < t.s + t.n && told.s[told.n] == '?');
}

/* "If I change the batch to 1, it works": what was changed, and by that alone. */
static const char *
works_changed(struct talk t)
{
	size_t n, length;
	const char *at, *works;
	struct talk sentence, ahead;

	for (at = NULL; talk_next_whole(t, "change|changed|changing|set|setting|reduce|reduced|reducing|resize|resized|resizing|lower|lowered|decrease|decreased|crop|cropped|shrink|use|used|using|downscale|downscaled", &at, &n); ) {
		sentence = talk_sentence(t, at);
		works = says_works(talk_part(t, at + n, sentence.s + sentence.n), IT_WORKS, &length);
		if (!works)
			continue;
		ahead = talk_part(t, at + n, works);
		if (talk_any_whole(talk_part(t, works + length, sentence.s + sentence.n), "then again until after epoch middle halfway midway suddenly eventually interrupted"))
			continue;		/* for a time */
		if (talk_any_whole(ahead, OOM_PARTS " num_workers workers") && !talk_any_whole(sentence, "still never should would might try hope please whether instead") && (!talk_any_whole(sentence, "could") || talk_has_whole(sentence, "could run successfully")) && !talk_any_phrase(up_to_clause(t, sentence, works, length), "n't |not work|even if|even when") &&
		    !is_asked(t, sentence, works, length) && !clause_says_no(talk_part(t, sentence.s, at), "") && !oom_short_fails(talk_part(t, at, works)))
			return at;
	}
	return NULL;
}

#define DEVICES		"gpu gpus card cards machine server laptop colab a100 v100 h100 3090 4090 cpu computer pc windows linux ubuntu a6000 a5000 a4000 a40 a30 a10 a10g l4 l40 l40s t4 p100 h200 b200 gh200 " \
    "rtx gtx tesla titan quadro 1080ti 2080ti 3060 3070 3080 4070 4080 5090 kaggle tpu mac workstation desktop"
#define SIZES		"batch size|batch_size|batch-size|batchsize|--batch|--batch-size|bs|image size|image_size|img_size|imgsz|--img-size|crop size|crop_size|patch size|patch_size|max_length|max_seq_length|seq_len|sequence length"
#define OTHERWISE	"still even should would could might try hope please whether instead before previously earlier old older same first until then only long loss accuracy paper expected all but and as once when later "	\
    "validation evaluation validating test tests testing inference"

/* "With batch_size=16 it works.", "It runs with an image size of 256." */
static const char *
works_with(struct talk t)
{
	const char *at, *s, *end = t.s + t.n, *word;
	struct talk sentence;
	size_t n, length, any;

	for (at = NULL; talk_next_whole(t, SIZES, &at, &n); ) {
		sentence = talk_sentence(t, at);
		for (s = at + n; s < end && strchr(" =:", *s); s++)
			;
		if (end - s > 3 && (memcmp(s, "of ", 3) == 0 || memcmp(s, "to ", 3) == 0))
			s += 3;
		word = talk_find_whole(talk_part(t, sentence.s, at), "with|using|at", &length);
		if (s == end || !is_digit(*s) || !word || !(clause_works(sentence) || says_works(sentence, "it runs|it ran|runs with|ran with|runs well", &any)))
			continue;
		if (!talk_any_whole(sentence, OTHERWISE " " DEVICES) && !talk_any_phrase(sentence, "n't |not work|not run|cannot") && !clause_says_no(sentence, "") &&
		    !memchr(sentence.s, '?', sentence.n) && !oom_short_fails(sentence))
			return at;
	}
	return NULL;
}

#define UNTIL		"until i add|until i added|until i enable|until i enabled|until i use|until i used|until i turn on|until i turned on|before i add|before i added|before i enable|before i enabled"
#define WITHOUT_IT	"without it|without that|without this"

/* "Training works until I add that loss.", "With it it runs out of memory, without it works." */
static const char *
works_without(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, UNTIL, &n), *end;
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (at && clause_works(talk_part(t, sentence.s, at)) && !memchr(sentence.s, '?', sentence.n))
		return at;
	if (!(at = talk_find_whole(t, WITHOUT_IT, &n)))
		return NULL;
	sentence = talk_sentence(t, at);
	end = sentence.s + sentence.n;
	return oom_short_fails(talk_part(t, sentence.s, at)) && clause_works(talk_part(t, at + n, end)) && !talk_any_whole(talk_part(t, at + n, end), "also too still not even") &&
	    !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define OF_MEMORY	"0gb|1gb|2gb|4gb|6gb|8gb|0 gb|1 gb|2 gb|4 gb|6 gb|8 gb"	/* what a device has, as people count it */

/* "The same script works well with the smaller model." */
static const char *
same_works(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, "same script|same code|same config|same configuration|same command|same settings|same setting|same setup|same parameters|same notebook", &n), *with;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || !clause_works(clause) || memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) || talk_any_whole(clause, DEVICES) || talk_any_phrase(clause, OF_MEMORY) ||
	    talk_any_phrase(talk_part(t, clause.s, at), "not |n't "))
		return NULL;
	with = talk_find_whole(talk_part(t, at + n, clause.s + clause.n), "with|for|on", &length);
	return with && !talk_is_one_of(clause_word_behind(clause, with + length), "no any all me my") ? at : NULL;
}

#define FEWER		"short shorter small smaller fewer few brief"
#define MORE		"long longer large larger big bigger minutes hours length"

/* "It works on short clips, but with one of five minutes it crashes." */
static const char *
shorter_work(struct talk t)
{
	size_t n, length;
	const char *at, *but, *end = t.s + t.n;
	struct talk rest, sentence, ahead, behind;

	for (rest = t; (at = says_works(rest, "work|works|worked|working|runs|ran|fine", &n)); rest = talk_part(t, at + n, end)) {
		sentence = talk_sentence(t, at);
		if (!(but = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "but|however|while|whereas", &length)))
			continue;
		ahead = talk_part(t, sentence.s, but);
		behind = talk_part(t, but, sentence.s + sentence.n);
		if (talk_any_whole(ahead, FEWER) && !talk_any_whole(ahead, MORE " time batch card gpu memory") && talk_any_whole(behind, MORE) && !talk_any_whole(behind, FEWER " time takes slow") && !talk_any_phrase(behind, "as long as|no longer") &&
		    (oom_short_fails(behind) || clause_names_failure(behind)) && !clause_says_no(ahead, "") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define NAMED_SIZES	10
#define OF_THOUSANDS	1000	/* a size that is told in thousands of millions: behind those that have names */

/* How large a model is by a part of its name, "whisper-base", "7B", "yolov8m": of two of one kind
 * the larger has more; 0: it tells none. */
static int64_t
size_of_name(struct talk word)
{
	static const char *const named[NAMED_SIZES] = { "nano", "tiny", "mini", "small", "base", "medium", "large", "xl", "xxl", "huge" };
	static const char letters[] = "nsmlx";
	const char *to, *letter;
	int64_t n;
	int i;

	for (i = 0; i < NAMED_SIZES; i++)
		if (strlen(named[i]) == word.n && talk_is_one_of(word, named[i]))
			return i + 1;
	if (word.n > 1 && is_digit(*word.s) && (to = piece_number(word.s, word.s + word.n, &n)) && to + 1 == word.s + word.n && lower(*to) == 'b' && n < OF_THOUSANDS)
		return OF_THOUSANDS + n;
	letter = word.n > 5 && is_digit(word.s[word.n - 2]) && talk_any_begins(word, "yolo") ? strchr(letters, lower(word.s[word.n - 1])) : NULL;
	return letter && *letter ? letter - letters + 1 : 0;
}

/* The largest that T names. */
static int64_t
largest_of(struct talk t, const char **at)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t most = 0, n;

	for (s = t.s; s < end; s = to > s ? to : s + 1) {
		for (to = s; to < end && (is_letter(*to) || is_digit(*to)); to++)
			;
		if (to > s && (n = size_of_name(talk_part(t, s, to))) > most) {
			most = n;
			*at = s;
		}
	}
	return most;
}

/* "It works with whisper-base, but with whisper-large I get this error." */
static const char *
smaller_model_works(struct talk t)
{
	size_t n, length;
	const char *at, *but, *end = t.s + t.n, *small = NULL, *large = NULL;
	struct talk rest, sentence, ahead, behind;
	int64_t less, more;

	for (rest = t; (at = says_works(rest, "work|works|worked|working|runs|ran|fine|no problem|no problems|without problem|without problems|loads", &n)); rest = talk_part(t, at + n, end)) {
		sentence = talk_sentence(t, at);
		if (!(but = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "but|however|while|whereas", &length)))
			continue;
		ahead = talk_part(t, sentence.s, but);
		behind = talk_part(t, but, sentence.s + sentence.n);
		less = largest_of(ahead, &small);
		more = largest_of(behind, &large);
		if (less > 0 && more > less && (less < OF_THOUSANDS) == (more < OF_THOUSANDS) && !talk_any_whole(ahead, DEVICES) && (oom_short_fails(behind) || clause_names_failure(behind)) &&
		    !clause_says_no(ahead, "") && !memchr(sentence.s, '?', sentence.n))
			return small;
	}
	return NULL;
}

/* "I can go up to 800px. With more it is out of memory.": two sentences of one line. */
static const char *
goes_up_to(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	struct talk sentence, rest;
	size_t n;

	while (talk_next_phrase(t, "up to ", &at, &n)) {
		sentence = talk_sentence(t, at);
		for (s = at + n; s < end && is_digit(*s); s++)
			;
		if (s == at + n || s == end || !talk_is_one_of(clause_word_behind(t, s), "px pixels pixel frames tokens samples nodes points images pictures"))
			continue;
		rest = talk_part(t, sentence.s + sentence.n, end);
		if (talk_any_whole(talk_part(sentence, sentence.s, at), "can could works work trouble problem fine runs") && !talk_any_whole(talk_part(sentence, sentence.s, at), "cannot can't not should") &&
		    talk_any_whole(rest, "higher larger bigger more above beyond longer anything") && oom_short_fails(rest))
			return at;
	}
	return NULL;
}

#define TRAINS		"train training trained trains"
#define AGAINST		"but|while|whereas|however|though|although|yet|then"
#define TRAINS_THERE	"i could train|i can train|we could train|we can train|could be trained|can be trained|able to train|managed to train|can do training|train process needs|training process needs|training only needs|training needs only|training needs|training takes|training uses|training occupies|training only takes|training only uses"
#define OF_NONE		"data dataset set sets accuracy loss split"	/* "the test set" is no test, nor is its loss */

/* Where the first of WORDS stands in T that is followed by none of OTHERS; NULL: none does. */
static const char *
stands(struct talk t, const char *words, const char *others)
{
	const char *at, *end = t.s + t.n;
	struct talk rest, word;

	for (rest = t; (at = talk_find_word(rest, words)); rest = talk_part(t, word.s + word.n, end)) {
		word = clause_word_behind(t, at);
		if (!talk_is_one_of(clause_word_behind(t, word.s + word.n), others))
			return at;
	}
	return NULL;
}

/* Does a part of a sentence say that training works, and nothing of tests? */
static bool
trains_well(struct talk part)
{
	if (talk_has_whole(part, TRAINS_THERE) && !stands(part, OOM_TESTS, "") && !oom_short_fails(part) && !clause_says_no(part, "if should would without"))
		return true;
	return talk_any_whole(part, TRAINS) && clause_works(part) && !stands(part, OOM_TESTS, "") && !oom_short_fails(part) && !clause_says_no(part, "if should would could");
}

#define GOES_WRONG	"something wrong|something is wrong|something goes wrong|something went wrong|goes wrong|went wrong|this error occurs|the error occurs|this problem occurs|this happens"

/* And where the other says that tests fail for want of memory, or with what is told of. */
static const char *
fails_in_tests(struct talk part)
{
	return (oom_short_fails(part) || talk_has_whole(part, GOES_WRONG)) && !talk_any_whole(part, TRAINS " if should would could avoid") ? stands(part, OOM_TESTS, OF_NONE) : NULL;
}

/* What stands behind the last comma of a part. */
static struct talk
behind_comma(struct talk part)
{
	const char *end = part.s + part.n, *s;

	for (s = end; s > part.s && s[-1] != ','; s--)
		;
	return talk_part(part, s, end);
}

const char *
oom_works_trained(struct talk t)
{
	const char *at, *end = t.s + t.n, *tests;
	struct talk rest, sentence, ahead, behind;
	size_t n;

	if (!talk_any_whole(t, TRAINS) || !talk_any_whole(t, OOM_TESTS))
		return NULL;
	for (rest = t; rest.n > 0; rest = talk_part(t, at + n, end)) {
		const char *comma = memchr(rest.s, ',', rest.n), *word = talk_find_whole(rest, AGAINST, &n);

		if (!comma && !word)
			return NULL;
		at = word && (!comma || word < comma) ? word : comma;
		n = at == comma ? 1 : n;
		sentence = talk_sentence(t, at);
		ahead = talk_part(t, sentence.s, at);
		behind = talk_part(t, at + n, sentence.s + sentence.n > at + n ? sentence.s + sentence.n : at + n);
		if ((tests = trains_well(ahead) || trains_well(behind_comma(ahead)) ? fails_in_tests(behind) : NULL) || (tests = trains_well(behind) ? fails_in_tests(ahead) : NULL))
			return tests;
	}
	return NULL;
}

#define TESTS_BEFORE	"previous validation|previous validations|earlier validation|earlier validations|previous evaluation|previous evaluations|earlier evaluation|earlier evaluations|first validation|first few validations|first evaluation|first few evaluations|" \
    "validations before|evaluations before|validation before|evaluation before|several validations|several evaluations|many validations|many evaluations|previous evals|first eval|first few evals|validation at first|evaluation at first"
#define TESTS_BEFORE_CHINESE "之前验证|之前的验证|前几次验证|前几个验证|前两次验证|前面几次验证|前面几轮验证|前面几次评估|前几次测试|前面几次测试|前面的测试|此前验证|此前的验证|以前的验证|上一次验证|上次验证|前面的验证|前面验证|第一次验证|之前测试|之前的测试|之前评估|之前的评估|前几次评估|第一次评估|前几轮验证"
#define WITHIN		24	/* bytes, to what is said of it in Chinese */
#define LEAST_SIDE	32	/* pixels */

/* Are all sides of pictures that a sentence has one number, told twice or more? */
static bool
has_one_size(struct talk sentence)
{
	const char *s, *to, *end = sentence.s + sentence.n;
	int64_t n, side = 0;
	int count = 0;

	for (s = sentence.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || !(to = piece_number(s, end, &n)) || n < LEAST_SIDE)
			continue;
		if (side && n != side)
			return false;
		side = n;
		count++;
	}
	return count > 1;
}

#define BATCH_OF_BOTH	"train and evaluate batch size|train and evaluation batch size|train and eval batch size|train and test batch size|train and validation batch size|train and val batch size|training and evaluation batch size|training and test batch size|training and testing batch size|" \
    "training and validation batch size|batch size for training and validation|batch size for training and evaluation|batch size for training and testing|batch size for both|batch size of both|batch size of training and|batch sizes for both|train/val batch size|train/test batch size|train/eval batch size|both train and test batch|both training and validation batch|both training and evaluation batch"

/* "Crops are 512 in training, and pictures are resized to 512 in validation." */
static bool
has_size_of_training(struct talk sentence)
{
	if (talk_has_whole(sentence, BATCH_OF_BOTH) && !talk_any_whole(sentence, "vs versus differ different larger smaller respectively"))
		return true;
	return talk_any_begins(sentence, "train") && talk_any_begins(sentence, "valid eval test") && !talk_any_whole(sentence, "not n't") &&
	    (talk_has_whole(sentence, "same size|same resolution|same crop|same crop size|same batch size|same batch_size|same batchsize|same batch|same image size|same input size|same shape|same length") ||
	    (talk_any_begins(sentence, "resiz crop") && has_one_size(sentence)));
}

bool
oom_works_tests(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	struct talk sentence, clause;
	size_t n;

	if (!talk_any_begins(t, "valid eval test") && !talk_any_phrase(t, "验证|测试|评估"))
		return false;
	while (talk_next_phrase(t, TESTS_BEFORE_CHINESE, &at, &n))
		if (talk_any_phrase(talk_head(t, at + n, WITHIN), "正常|没问题|没有问题|没报错|没有报错|成功|可以"))
			return true;
	for (at = NULL; talk_next_phrase(t, TESTS_BEFORE, &at, &n); ) {
		clause = talk_clause(t, at, n);
		if ((clause_works(clause) || talk_any_whole(clause, "normal normally passes passed ran runs succeeded succeeds completed completes well")) && !clause_says_no(clause, "if should would could") && !oom_short_fails(clause))
			return true;
	}
	for (s = t.s; s < end; s = sentence.s + sentence.n + 1) {
		sentence = clause_sentence(t, s);
		if (has_size_of_training(sentence))
			return true;
	}
	return false;
}

#define WORKERS		"num_workers|num workers|workers"

/* Where "num_workers=2 it runs, num_workers=4 is out of memory" is told: at what runs. A loader's
 * processes are all that differs there. */
const char *
oom_works_workers(struct talk t)
{
	const char *at, *s, *end = t.s + t.n, *runs = NULL;
	struct talk sentence;
	int64_t n, least = 0;
	size_t length;

	for (at = NULL; talk_next_whole(t, WORKERS, &at, &length); ) {
		for (s = at + length; s < end && strchr(" =:", *s); s++)
			;
		if (s == end || s == at + length || !is_digit(*s) || !piece_number(s, end, &n))
			continue;
		sentence = talk_sentence(t, at);
		if (!oom_short_fails(sentence) && !clause_names_failure(sentence) && !runs) {
			runs = at;
			least = n;
		} else if (runs && n > least && oom_short_fails(sentence) && !talk_holds(sentence, runs)) {
			return runs;
		}
	}
	return NULL;
}

#define ITEMS		"atoms nodes edges points residues tokens frames samples pixels particles sequences slices entities users"

/* The first "192 atoms" of T, or NULL. */
static const char *
names_count(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	int64_t n;

	while ((s = oom_number_walk(t, "", &to, &n)))
		if (to < end && *to == ' ' && talk_is_one_of(clause_word_behind(t, to), ITEMS))
			return s;
	return NULL;
}

/* "It worked for water, with 192 atoms in a frame. But when I change to NPG it is out of memory":
 * not where another machine is what changed. */
static const char *
worked_for_fewer(struct talk t)
{
	const char *at, *verb, *end = t.s + t.n, *behind;
	struct talk sentence, next;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, "it worked for|it worked with|it works for|it works with|it ran with|it runs with|it worked well for|it works well for|it worked fine for|it works fine for|it worked fine with|it works fine with", &at, &n); ) {
		sentence = talk_sentence(t, at);
		behind = sentence.s + sentence.n;
		if (!names_count(talk_part(t, at, behind)) || talk_any_whole(sentence, OTHERWISE) || memchr(sentence.s, '?', sentence.n) || clause_says_no(talk_part(t, sentence.s, at), "") || end - behind < 2)
			continue;
		next = talk_sentence(t, behind + 1);
		verb = talk_find_whole(next, "when i change to|when i changed to|when i switch to|when i switched to|when i change it to|when i changed it to|when i move to|when i moved to", &length);
		if (verb && talk_is_one_of(clause_word_behind(t, behind + 1), "but however") && oom_short_fails(next) && !memchr(next.s, '?', next.n) &&
		    !talk_any_whole(talk_part(next, verb + length, talk_clause(next, verb, length).s + talk_clause(next, verb, length).n), DEVICES " version"))
			return at;
	}
	return NULL;
}

#define OF_ONE		"one image|one picture|one photo|one sample|one video|one file|one frame|one text|one sentence|one document|a single image|a single picture|a single photo|a single sample|a single video|a single file|a single frame|a single text|a single sentence|" \
    "a single document|1 image|1 picture|1 photo|1 sample|1 video|1 file|1 frame|1 text|1 sentence|1 document"
#define ONE_RUNS	"is ok|is okay|is fine|are fine|was ok|was fine|it's ok|it's fine|works|worked|work fine|runs|ran|no problem|no problems|succeeds|succeeded|no error|no errors|goes well|without problem|without problems|without error"
#define ONE_CHINESE	"一张图片|单张图片|一张图|单张图|一张照片|单个样本|一个样本|一条数据|单条数据|一个文件|单个文件|一个视频|一段视频"
#define RUNS_CHINESE	"可以|没问题|没有问题|正常|能跑|能运行|不报错|不会报错|成功"
#define ONE_WITHIN	40	/* bytes to what is said of it */

/* "I tried just one image, that is ok": what runs is the least of what is given at once. */
static const char *
one_works(struct talk t)
{
	const char *at = NULL, *runs;
	struct talk sentence, behind;
	size_t n, length;

	while (talk_next_phrase(t, ONE_CHINESE, &at, &n))
		if (talk_any_phrase(talk_head(t, at + n, ONE_WITHIN), RUNS_CHINESE) && !talk_any_phrase(t, "不可以|也不|吗|？|?|不能|都不|如果"))
			return at;
	if (!(at = talk_find_whole(t, OF_ONE, &n)))
		return NULL;
	sentence = talk_sentence(t, at);
	behind = talk_head(sentence, at + n, ONE_WITHIN);
	runs = says_works(behind, ONE_RUNS, &length);
	return runs && !oom_short_fails(talk_part(t, at, runs + length)) && !talk_any_whole(talk_part(t, at, runs), "out after until then but") && !memchr(sentence.s, '?', sentence.n) &&
	    !clause_says_no(talk_part(t, sentence.s, runs), "even if should would could might least every each only") && !talk_any_whole(sentence, "every each at per") && !talk_any_whole(sentence, DEVICES) ? at : NULL;
}

#define ON_ANOTHER	"on my|on a|on an|on another|on other|on our|on a different|on different"
#define OF_CARDS	"rtx gtx titan tesla quadro geforce a100 h100 h200 v100 p100 a6000 a5000 a4000 a40 l40 l4 t4 k80 radeon rx"
#define OTHER_KINDS	"laptop desktop notebook mac macbook colab kaggle workstation"
#define OTHER_MACHINE	"another machine|another computer|another pc|another server|another gpu|another card|another device|another system|other machine|other computer|other pc|other server|other gpu|other card|different machine|different computer|different pc|different server|different gpu|different card|different system"

/* Is what stands at WORD a device, or what has one: "4060", "RTX 4090"? */
static bool
names_another(struct talk word)
{
	return (word.n >= 4 && is_digit(word.s[0]) && is_digit(word.s[1]) && is_digit(word.s[2]) && is_digit(word.s[3])) || talk_is_one_of(word, OF_CARDS " " OTHER_KINDS);
}

bool
oom_works_elsewhere(struct talk t)
{
	const char *at;
	struct talk clause;
	size_t n;

	for (at = NULL; talk_next_whole(t, ON_ANOTHER, &at, &n); ) {
		clause = talk_clause(t, at, n);
		if (clause_works(clause) && !oom_short_fails(clause) && (names_another(clause_word_behind(t, at + n)) || talk_has_whole(clause, OTHER_MACHINE)))
			return true;
	}
	return false;
}

const char *
oom_works_told(struct talk t)
{
	static const struct finding ways[] = {
		{ WORDING_NONE, works_changed }, { WORDING_NONE, works_with }, { WORDING_NONE, works_without }, { WORDING_NOT_WITH_LESS, NULL }, { WORDING_NONE, same_works },
		{ WORDING_NONE, shorter_work }, { WORDING_NONE, goes_up_to }, { WORDING_NONE, smaller_model_works }, { WORDING_NONE, one_works }, { WORDING_NONE, worked_for_fewer }
	};
	const char *at = NULL;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways) && !at; i++)
		at = oom_find(t, ways[i]);
	return at;
}
