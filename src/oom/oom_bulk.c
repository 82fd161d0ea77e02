/*
 * What people say of how much is given at once: the length of recordings, films and texts, how many
 * there are of what, and numbers with which it works and fails. As in oom_words.c none of it is a
 * fact of the run.
 */
#include "oom/oom_bulk.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_pictures.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

#define MOST_CARD	12	/* GB of a device that has little, */
#define MOST_DEVICE	192	/* and of any */

/* "2 minutes and 16 seconds long", "an hour long" */
static const char *
lasts(struct talk t)
{
	return talk_any_of(t, "audio recording track song speech video wav mp3 mp4 clip film") ? talk_first(t, "minutes and|minutes long|minute long|min long|seconds long|second long|"
	    "hours long|hour long|hour-long|hours-long|minute-long|_long.wav|long.wav|long.mp3|hour audio|hours of audio|hour recording|hours recording|hours of recording|hour video|hours of video|hours of speech|"
	    "hour podcast|hour lecture|hour meeting|hour wav|hour mp3|hour mp4|hours mp4|minute recording|minutes recording|minutes of speech|minutes of recording") : NULL;
}

/* What is cut ahead of the network, and texts of the report itself. */
#define CUT_OR_ELSE	"are split|is split|were split|was split|split into chunks|split into clips|split into segments|chunked|truncated|sorry|see below|my long text below|long post"

#define LONG_CHINESE	"长音频|音频过长|音频太长|音频较长|长录音|录音过长|录音太长|长视频|视频过长|视频太长|时长超过|时长过长|时长太长|分钟音频|分钟的音频|分钟视频|分钟的视频|小时音频|小时的音频|小时视频|小时的视频"
#define MEDIA_CHINESE	"音频|录音|语音|视频|影片|句子|文本|文章|切片|slice|片段|上下文|提示词"
#define IS_LONG		"过长|太长|较长|很长|超长|特别长|非常长|挺长|很久|长达|比较大的"
#define TIME_CHINESE	"小时|分钟|多分|个钟"
#define NEAR_CHINESE	24	/* bytes from what is long to the word that says so */
#define OF_RUN_CHINESE	"训练|运行|跑了|过了|之后|以后|后|，|。|,|. "
#define THAN_CHINESE	"更|较|不"	/* right ahead of it */

/* Is there a number ahead of S, "1", "40多", "两个"? */
static bool
has_count(struct talk t, const char *s)
{
	const char *from = s - t.s > 9 ? s - 9 : t.s;

	return (s > t.s && (is_digit(s[-1]) || (s[-1] == ' ' && s - t.s > 1 && is_digit(s[-2])))) || talk_any_phrase(talk_part(t, from, s), "一|两|二|三|四|五|六|七|八|九|十|几|半|个|多");
}

/* "输入音频较长", "比较长的音频", "1小时的会议录音": a word for a recording or a text beside one that says
 * how long it is. */
static const char *
is_said_long(struct talk t)
{
	const char *at = NULL, *of, *end = t.s + t.n;
	struct talk ahead, behind;
	size_t n, m;

	while (talk_next_phrase(t, IS_LONG "|" TIME_CHINESE, &at, &n)) {
		behind = talk_part(t, at + n, end - (at + n) > NEAR_CHINESE ? at + n + NEAR_CHINESE : end);
		ahead = talk_part(t, at - t.s > NEAR_CHINESE ? at - NEAR_CHINESE : t.s, at);
		if (clause_denies_elsewhere(t, at, n) || talk_any_phrase(ahead, "训练|不会|没有"))
			continue;
		of = NULL;
		if (talk_next_phrase(behind, MEDIA_CHINESE, &of, &m) && !talk_any_phrase(talk_part(t, behind.s, of), OF_RUN_CHINESE) &&
		    (!talk_any_phrase(talk_part(t, at, at + n), TIME_CHINESE) || has_count(t, at)))
			return at;
		of = NULL;
		if (!talk_any_phrase(talk_part(t, at, at + n), TIME_CHINESE) && talk_next_phrase(ahead, MEDIA_CHINESE, &of, &m) && !talk_any_phrase(talk_part(t, of + m, at), OF_RUN_CHINESE "|不"))
			return of;
	}
	return NULL;
}

/* The same in Chinese; not "更长音频也不会" */
static const char *
names_long_chinese(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, LONG_CHINESE, &at, &n))
		if (!clause_denies_elsewhere(t, at, n) && !(at - t.s >= 3 && talk_first(talk_part(t, at - 3, at), THAN_CHINESE)))
			return at;
	return is_said_long(t);
}

/* Films, recordings and texts that are long, */
static const char *
names_long(struct talk t)
{
	const char *at = talk_first(t, "long sequence|longer sequence|long text|longer text|long document|long prompt|long context|"
	    "long input|long sentence|longer sentence|long video|long audio|longer audio|long track|long recording|long song|long film|longer videos|long wav|longer wav|long speech|long utterance|longer utterance|long audios|longer recording|longer audio clips|long audio clips|long word|long words|longer words|long string|long strings|longer strings|long token sequence|long line|long lines|longer lines|longer clips|long clips|longer files|"
	    "\xe5\x8f\xa5\xe7\xa8\x8d\xe5\xbe\xae\xe9\x95\xbf|\xe9\x95\xbf\xe6\x96\x87\xe6\x9c\xac|\xe6\x96\x87\xe6\x9c\xac\xe8\xbf\x87\xe9\x95\xbf|\xe5\x8f\xa5\xe5\xad\x90\xe8\xbf\x87\xe9\x95\xbf");	/* 句稍微长, 长文本, 文本过长, 句子过长 */

	at = at && talk_has_whole(talk_sentence(t, at), CUT_OR_ELSE) ? NULL : at;
	return at ? at : names_long_chinese(t);
}

#define MANY_FRAMES	500

/* "a video with 4200 frames" */
static const char *
counts_frames(struct talk t)
{
	const char *at = NULL, *s;
	int64_t frames;
	size_t n;

	while (talk_next_phrase(t, "总帧数：|总帧数:|总帧数为|总帧数|帧数：|帧数:", &at, &n))
		if (at + n < t.s + t.n && is_digit(at[n]) && piece_count(at + n, t.s + t.n, &frames) && frames >= MANY_FRAMES)
			return at;
	at = NULL;
	while (talk_next_phrase(t, " frames", &at, &n)) {
		for (s = at; s > t.s && (is_digit(s[-1]) || s[-1] == ','); s--)
			;
		if (s < at && is_digit(*s) && (s == t.s || s[-1] == ' ') && piece_count(s, at, &frames) && frames >= MANY_FRAMES && !talk_any_begins(t, "train step epoch replay buffer"))
			return s;
	}
	return NULL;
}

const char *
oom_bulk_long(struct talk t, bool sentence)
{
	const char *at = talk_any_begins(t, "training trained train") ? NULL : lasts(t);

	at = at || !sentence || talk_any_begins(t, "training trained train") ? at : names_long(t);
	return at || !sentence ? at : counts_frames(t);
}

#define OF_PAGES	"+ pages|all pages|hundreds of pages|thousands of pages|many pages|page pdf|pages pdf|large pdf|long pdf|big pdf|larger pdf|longer pdf|large document|larger document"

#define OF_FILM		"video|videos|clip|clips|film|films|movie"
#define NO_LENGTH	"took takes take per every after each interval timeout later elapsed it/s s/it"

/* "an 8 second 24 fps video", "clips of 10 seconds": how long a film is, in a clause that has
 * it. */
const char *
oom_bulk_seconds(struct talk t)
{
	struct talk clause, word;
	const char *s, *to, *end = t.s + t.n;
	int64_t n;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.')) || !(to = piece_number(s, end, &n)))
			continue;
		word = clause_word_behind(t, to);
		clause = talk_clause(t, s, 1);
		if (n > 1 && talk_is_one_of(word, "second seconds sec secs") && talk_has_whole(clause, OF_FILM) && !talk_any_whole(clause, NO_LENGTH))
			return s;
	}
	return NULL;
}

/* or that are what is worked on. */
const char *
oom_bulk_media(struct talk t)
{
	const char *at = names_long(t);

	if (at || talk_any_of(t, "screen record attach http"))
		return at;
	if ((at = talk_first(t, OF_PAGES)) && !talk_any_whole(talk_sentence(t, at), "even despite still although though"))
		return at;
	if ((at = counts_frames(t)) || (at = oom_bulk_seconds(t)))
		return at;
	return talk_first(t, "depending on text size|depending on the text|depending on text length|depending on the length|depends on the length of|depending on sentence length|length of the text|length of my text|string whose length|seconds in length|minutes in length|longer videos|videos longer|more frames|all frames|frame video|frames video|number of frames| frames with |video_length|video length|minute video|minutes video|minutes of video|min video|minute audio|minutes audio|"
	    "minutes of audio|min audio|audio.wav|.mp4|video generation|generate a video|generate video|generating a video|seconds video|second video");
}

#define MANY_CLASSES	5000		/* more than sets of pictures have whose last layer is small */

/* "8k+ classes", "7000 classes", "a big number of classes": so many, right ahead of the word. */
static bool
are_many(struct talk t, const char *at)
{
	int64_t n = 0, place = 1;
	const char *s = at;

	while (s > t.s && memchr(" +-_*", s[-1], 5))
		s--;
	if (s - 1 > t.s && lower(s[-1]) == 'k' && is_digit(s[-2])) {
		place = 1000;
		s--;
	}
	for (; s > t.s && n < MANY_CLASSES && (is_digit(s[-1]) || (s[-1] == ',' && place > 1)); s--)
		if (s[-1] != ',') {
			n += place * (s[-1] - '0');
			place *= 10;
		}
	return n >= MANY_CLASSES;
}

#define NEAR_OBJECTS	24	/* bytes from their number to the word */
#define MANY_OBJECTS	50	/* of a picture */
#define OBJECTS		"objects|bboxes|boxes|instances|gts|ground truths|gt boxes|gt bboxes|bounding boxes|targets|annotations"
#define OF_PICTURE	"in one image|in an image|in each image|in a single image|in the same image|per image|per img|in one picture|in a picture|per picture|in them|in some images|in the image|in one frame"

/* "about 2000 objects in one image", "too many boxes in some images": not what is to be
 * detected. */
const char *
oom_bulk_boxes(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;
	struct talk rest, sentence;
	size_t n;
	int64_t count;

	for (rest = t; (s = talk_find_whole(rest, OBJECTS, &n)); rest = talk_part(t, s + n, end)) {
		sentence = talk_sentence(t, s);
		if (!talk_has_whole(talk_part(t, s + n, sentence.s + sentence.n), OF_PICTURE) || talk_any_whole(talk_part(t, talk_clause(t, s, n).s, s), "not no few fewer less small limit limited limits most max maximum"))
			continue;
		if (talk_any_whole(talk_part(t, talk_clause(t, s, n).s, s), "many numerous hundreds thousands"))
			return s;
		for (to = sentence.s; to < s; to++)
			if (is_digit(*to) && (to == sentence.s || !piece_is_word(to[-1])) && piece_number(to, s, &count) && count >= MANY_OBJECTS && s - to < NEAR_OBJECTS)
				return s;
	}
	return NULL;
}

#define MANY_ROWS	2048
#define OF_PAIRS	"pairwise|pair-wise|all pairs|every pair|each pair|distance matrix|distances matrix|pairwise_dist|pairwise_distance|pairwise_distances|similarity matrix|kernel matrix|affinity matrix|" \
    "agglomerativeclustering|agglomerative clustering|hierarchical clustering|hclust|spectralclustering|spectral clustering|affinitypropagation|affinity propagation|silhouette_score|silhouette score|kernelpca|kernel pca|kernelridge|" \
    "gaussianprocessregressor|gaussian process regression|multidimensional scaling|pdist|cdist|squareform"
#define ITEMS		"points samples rows vectors nodes items observations sentences embeddings molecules cells particles atoms documents genes users words sequences proteins images examples data"

/* "pairwise distances between 50,000 points" */
static const char *
pairs_of_many(struct talk t)
{
	const char *at, *s, *to, *end;
	struct talk sentence;
	size_t length;
	int64_t n;

	if (!(at = talk_find_whole(t, OF_PAIRS, &length)))
		return NULL;
	sentence = talk_sentence(t, at);
	end = sentence.s + sentence.n;
	if (talk_any_whole(talk_part(sentence, sentence.s, at), "not no without instead avoid"))
		return NULL;
	if (talk_any_phrase(talk_part(sentence, at, end), "^2|quadratic|n*n|n x n|huge memory|memory footprint|lot of memory|too much memory|so much memory"))
		return at;
	for (s = at + length; s < end; s = to) {
		bool counts = !piece_is_word(s[-1]) && s[-1] != '.';

		to = s + 1;
		if (!is_digit(*s))
			continue;
		to = piece_count(s, end, &n);
		if (end - to > 1 && lower(*to) == 'k' && to[1] == ' ' && n < MANY_ROWS) {
			n *= 1000;		/* "80k points" */
			to++;
		}
		if (counts && n >= MANY_ROWS && talk_is_one_of(clause_word_behind(sentence, to), ITEMS))
			return at;
	}
	return NULL;
}

/* "(4, 10000, 10000)", "10000x10000": two extents that are the same, one behind the other, of
 * something that has a number for each pair, by a word. */
const char *
oom_bulk_pairs(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t n, next;

	if ((s = pairs_of_many(t)))
		return s;
	if (!talk_any_begins(t, "matrix matrices distance dist_ similarit affinit attention adjacency pairwise kernel covariance gram cost_") || talk_any_begins(t, "image picture pixel resolution photo frame") || talk_any_phrase(t, "<-"))
		return NULL;
	for (s = t.s; s < end; s++) {
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.')))
			continue;
		to = piece_past_blanks(piece_number(s, end, &n), end);
		if (n < MANY_ROWS || to == end || !memchr(",xX*", *to, 4))
			continue;
		to = piece_past_blanks(to + 1, end);
		if (to < end && is_digit(*to) && piece_number(to, end, &next) && next == n)
			return s;
	}
	return NULL;
}

/* "the number of classes is small" */
static bool
are_few(struct talk t, struct talk clause, const char *at)
{
	(void)t;
	return talk_any_whole(talk_part(clause, at, clause.s + clause.n), "small smaller same few fewer two");
}

const char *
oom_bulk_classes(struct talk t)
{
	const char *at = clause_says_unless(t, "number of classes|many classes|lot of classes|lots of classes|more classes|too many labels", AHEAD | WORKS, "small smaller same few fewer", are_few), *s;
	struct talk rest;
	size_t n;

	for (rest = t; !at && (s = talk_find_whole(rest, "classes|identities", &n)); rest = talk_part(t, s + n, t.s + t.n))
		at = are_many(t, s) ? s : NULL;
	return at;
}

#define OF_CARD		"gpu gpus graphics a6000 a5000 a100 h100 v100 3090 4090 5090 1080ti 2080 2080ti titan gtx rtx geforce quadro nvidia vram tesla 1050 1050ti 1060 1650 1650ti 1660 1660ti 3050 3060 2060 960 970 940mx 750ti 1070 1080"
#define OF_OTHER_CARD	"upgrade upgraded another other bought buy need needs require required requires recommend recommended if works worked fine instead than least without enough should even minimum recommended requirement requirements suggested people users consumers everyone"
#define OF_THIS_CARD	"my card|my graphics card|my video card|this card|mine is|mine has|mine only has|mine is only"
#define OF_USAGE	"usage free left allocated allocate available takes consumes consume consumed costs cost rises rise rose grows grew increases increased drops dropped reaches reached remains remain remaining occupied occupies kept held taken reserved"

/* Of a card that is used, and not of how much of it: "using a GTX 980 of 6 GB". */
#define USES		"used uses using"
#define USES_ONE	"using a|using an|using my|using one|using nvidia|using gtx|using rtx|using two|using 2|used a|used an|used my|uses a|uses my"

/* "the model is 7 GB": what the amount at S is of is no card. */
static bool
is_of_network(struct talk clause, const char *s)
{
	struct talk word = clause_word_ahead(clause, s);

	while (talk_is_one_of(word, "about around only just roughly nearly almost over already"))
		word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, "is are was were takes needs uses") &&
	    talk_any_whole(clause_word_ahead(clause, word.s), "model models weights network checkpoint checkpoints file files dataset data images it");
}

/* "I had a 3060 with 12 GB a few days ago"; not "I had an error with my 4 GB GPU". */
static bool
is_of_past(struct talk clause)
{
	size_t n;
	const char *at = talk_find_whole(clause, "i had|we had|used to have|used to use", &n);
	struct talk word = at ? clause_word_behind(clause, at + n) : clause;

	if (talk_has_whole(clause, "my old|my previous|my former") && !talk_any_whole(clause, "still"))
		return true;
	while (at && talk_is_one_of(word, "a an the my our only an old"))
		word = clause_word_behind(clause, word.s + word.n);
	return at && word.n > 0 && (is_digit(*word.s) || talk_any_begins(word, OF_CARD));
}

/* "It works well on my laptop (8 GB)": does the sentence say so ahead of S, and of no failure? */
static bool
works_there(struct talk t, const char *s)
{
	struct talk sentence = talk_sentence(t, s);

	struct talk ahead = talk_part(t, sentence.s, s);

	return (clause_works(ahead) || (talk_has_whole(ahead, "was able to|were able to|am able to|are able to|could run|could train") && !clause_says_no(ahead, ""))) && !oom_short_fails(sentence);
}

/* "A forward pass takes 48 GB (6 GB per GPU)": in brackets, behind what a run takes. */
static bool
is_share_taken(struct talk t, struct talk clause)
{
	return clause.s > t.s && clause.s[-1] == '(' && talk_any_whole(talk_part(t, talk_sentence(t, clause.s).s, clause.s), "takes take took consumes consumed occupies occupied uses used needs requires");
}

/* Is what ends at TO an amount of data? "12 GB video memory" is none. */
static bool
is_of_files(struct talk t, const char *to)
{
	struct talk word = clause_word_behind(t, to);

	return talk_is_one_of(word, "dataset data file files model models checkpoint csv images video corpus archive swap disk freed less more") && !talk_is_one_of(clause_word_behind(t, word.s + word.n), "memory ram");
}

/* Is an amount from S to TO of CLAUSE what a card has that failed? Neither "4G/24G", nor the
 * machine's, nor what one needs. */
static bool
is_of_this_card(struct talk t, struct talk clause, const char *s, const char *to)
{
	struct talk ahead = talk_part(clause, clause.s, s);
	bool named_ahead = talk_any_begins(ahead, OF_CARD) || talk_has_whole(ahead, OF_THIS_CARD);

	if (is_of_past(clause) || works_there(t, s) || is_share_taken(t, clause) || talk_has_whole(ahead, "no gpu|no usable gpu|no dedicated gpu|no discrete gpu|no nvidia|no graphics|without a gpu|without gpu"))
		return false;
	if (is_of_files(t, to) || is_of_network(clause, s) || (to < t.s + t.n && *to == '/') || (talk_is_one_of(clause_word_behind(t, to), "ram memory") && !named_ahead))
		return false;
	if (!talk_any_begins(clause, OF_CARD) && !named_ahead && !talk_has_whole(clause, "video card|graphic card"))
		return false;
	/* "on my 4 GB GPU it runs out of memory even with one, is there a way?": the clause itself
	 * says it */
	if (oom_short_fails(clause) && talk_has_whole(ahead, "on my|with my|i have|i use|i am using|using my") && !talk_any_whole(ahead, OF_OTHER_CARD))
		return true;
	return !talk_any_whole(clause, OF_OTHER_CARD) && !talk_any_whole(clause, OF_USAGE) && (!talk_any_whole(clause, USES) || talk_has_whole(ahead, USES_ONE)) && !clause_is_question(talk_sentence(t, s));
}

/* Cards that have as much or less, in all of their kinds. */
#define SMALL_CARDS	"gtx 950|gtx950|gtx 960|gtx960|gtx 965m|gtx 970|gtx970|gtx 980|gtx980|gtx 980ti|gtx 980 ti|gtx980ti|gtx 1050|gtx1050|gtx 1050ti|gtx 1050 ti|gtx1050ti|gtx 1060|gtx1060|gtx 1070|gtx1070|gtx 1650|gtx1650|"	\
    "gtx 1660|gtx1660|rtx 2070|rtx2070|rtx 3060|rtx3060|rtx 3060ti|rtx 3060 ti|rtx 3070|rtx3070|gtx 1080|gtx1080|gtx 1080ti|gtx1080ti|1080 ti|1080ti|rtx 2080|rtx2080|rtx 2080ti|rtx2080ti|2080 ti|2080ti|titan x|titan xp|940mx|mx150|mx250|mx350|mx450|gtx 750|gtx 750ti|gtx 750 ti|gtx 780|gtx 650|gtx650"
#define OF_ONES_OWN	"i am using|i'm using|i use|i have|i only have|i've got|i run|i am running|i'm running|my gpu|my card|my graphics|we use|we have|we are using|it runs on|running on|training on|train on|with a|on a|on my"

#define OF_ONES_CHINESE	"显卡是|显卡为|显卡：|显卡:|我用的是|我使用的是|我的是|我是用|我的卡是|gpu是|gpu为|gpu：|我的显卡|单张|用的显卡"

/* "I am using a GTX 1080": by its name alone. */
static const char *
named_card(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, SMALL_CARDS, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (at && talk_any_phrase(talk_part(t, sentence.s, at), OF_ONES_CHINESE) && !talk_any_phrase(sentence, "吗|能跑|可以跑|够|建议|推荐|需要|换成|换了|别人|作者"))
		return at;
	if (!at || !talk_has_whole(talk_part(t, sentence.s, at), OF_ONES_OWN) || clause_says_no(talk_part(t, talk_clause(t, at, n).s, at), ""))
		return NULL;
	return talk_any_whole(sentence, OF_OTHER_CARD) || clause_is_question(sentence) || is_of_past(talk_clause(t, at, n)) || works_there(t, at) ? NULL : at;
}

/* "I have a 24 GB GPU and get ...", of any size, where that sentence says that it fails there. */
#define OWN_ANY		"i have |i've |i am using |i'm using |i use |i used |we used |on a |on my |on our |with my |with a |on one |on two |on an |with an |using a |using my |using an |used a |used an "
/* "out of memory on 32GB V100": the words right ahead of an amount, where no article stands. */
#define RIGHT_AHEAD	"on with using"
/* "I have a GPU with only 12 GB. It fails with out of memory.", in two sentences. */
#define ONLY_OWN	"i have|i only have|i just have|we have|we only have|i've got|i am using|i'm using|i use|my gpu|my card|my graphics"

/* With which a device of any size is too small for what failed there. */
#define AT_ONCE		"as soon as|right away|immediately|at the first step|in the first step|at the first iteration|in the first iteration|at the very beginning"

/* "a GTX 1650 4GB", "my 4 GB GPU", "mine is 2G", "an nvidia GPU that is 2GB": an amount right
 * beside a name of a card, and no run that needs it, or that works. */
#define FAILS_CHINESE	"超显存|超出显存|炸显存|显存炸|爆显存|显存爆|爆掉|显存不足|显存不够|显存溢出|oom|out of memory|out-of-memory|现存不足"
#define TAKEN_CHINESE	"需要|占用|建议|要求|至少|够用|足够|占了|剩|训练占|才占|只占|空闲|可以跑|能跑|怎么才"

/* "12GB显存单卡，也会爆显存": an amount right ahead of the word for a card's memory. */
static const char *
card_in_chinese(struct talk t)
{
	const char *at = NULL, *s;
	int64_t n;
	size_t length;

	if (!talk_any_phrase(t, FAILS_CHINESE) || talk_any_phrase(t, TAKEN_CHINESE))
		return NULL;
	while (talk_next_phrase(t, "g显存|gb显存|g 显存|gb 显存|g的显存|gb的显存", &at, &length)) {
		for (s = at; s > t.s && (is_digit(s[-1]) || s[-1] == ' '); s--)
			;
		s = piece_past_blanks(s, at);
		if (s < at && is_digit(*s) && piece_number(s, at, &n) && n > 0 && n <= MOST_DEVICE)
			return s;
	}
	return NULL;
}

/* The most that a card of which T says the amount at S may have, to be too small. */
static int64_t
most_card(struct talk t, const char *s)
{
	struct talk sentence = talk_sentence(t, s), ahead = talk_part(t, sentence.s, s);

	if (talk_has_whole(t, AT_ONCE) || (oom_short_fails(sentence) && (talk_any_phrase(ahead, OWN_ANY) || talk_is_one_of(clause_word_ahead(t, s), RIGHT_AHEAD))))
		return MOST_DEVICE;
	return oom_short_fails(t) && talk_any_whole(ahead, "only just") && talk_has_whole(ahead, ONLY_OWN) ? MOST_DEVICE : MOST_CARD;
}

const char *
oom_bulk_card(struct talk t)
{
	const char *s = card_in_chinese(t), *to, *end = t.s + t.n;
	struct talk unit;
	int64_t n;

	if (s)
		return s;

	if (!talk_any_begins(t, OF_CARD) && !talk_has_whole(t, OF_THIS_CARD "|video card|graphic card"))
		return NULL;
	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || memchr(".*/-~<>", s[-1], 7))))
			continue;
		to = piece_number(s, end, &n);
		unit = clause_word_behind(t, to);
		if (n <= 0 || n > most_card(t, s) || unit.s - to > 1 || !talk_is_one_of(unit, "gb g gib gig"))
			continue;
		if (is_of_this_card(t, talk_clause(t, s, 1), s, unit.s + unit.n))
			return s;
	}
	return named_card(t);
}

#define WORKS_FINE	"works|work|worked|working|fine|ok|okay"
/* Numbers of something else stand behind or ahead of these. */
#define AHEAD_OF_OTHER	"tp -tp --tp pp -pp --pp dp ep tensor_parallel_size tensor-parallel-size --tensor-parallel-size num-shard --num-shard num_shard nproc_per_node --nproc_per_node num_processes --num_processes ngpus num_gpus world_size gpu gpus card version python cuda cudnn driver pytorch torch tensorflow tf keras windows ubuntu linux commit branch release cpu epoch iteration step line v rtx gtx fold trial run round attempt stage task part chunk cell seed"
#define BEHIND_OTHER	"gpu gpus card cards cpus epoch epochs iteration iterations step steps hour hours minute minutes days times gb gib g mb mib ti b x"

/* The largest number of a clause, where it is no card's or version's; 0: it has none. */
static int64_t
counts(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t n, most = 0;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s))
			continue;
		to = piece_number(s, end, &n);
		if ((s > t.s && (s[-1] == '.' || (piece_is_word(s[-1]) && s[-1] != 'x'))) || (to + 1 < end && *to == '.' && is_digit(to[1])) ||
		    talk_is_one_of(clause_word_ahead(t, s), AHEAD_OF_OTHER) || talk_is_one_of(clause_word_behind(t, to), BEHIND_OTHER))
			continue;
		most = n > most ? n : most;
	}
	return most;
}

/* "it worked for an epoch, then it was out of memory again": behind the clause, in its sentence. */
static bool
fails_again(struct talk t, struct talk clause)
{
	struct talk sentence = talk_sentence(t, clause.s), behind = talk_part(t, clause.s + clause.n, sentence.s + sentence.n);

	return talk_any_whole(behind, "then again until after") && oom_short_fails(behind);
}

/* "I got a memory error, then I reduced the batch to 1 and it worked": where a clause says that it
 * works with what was made less, in a line that says that it failed. */
static const char *
reduced(struct talk t)
{
	const char *s, *at, *end = t.s + t.n;
	struct talk clause;
	size_t n, length;

	for (s = t.s; (s = talk_find_whole(talk_part(t, s, end), WORKS_FINE, &n)); s += n) {
		clause = talk_clause(t, s, n);
		at = talk_find_whole(talk_part(clause, clause.s, s), "reduce|reduced|reducing|lower|lowered|lowering|decrease|decreased|decreasing", &length);
		if (at && counts(talk_part(clause, at, s)) > 0 && clause_works(clause) && !oom_short_fails(clause) && oom_short_fails(t) &&
		    !memchr(clause.s, '?', clause.n) && !fails_again(t, clause))
			return at;
	}
	return NULL;
}

/* What takes no memory by its size. */
#define OF_NO_SIZE	"learning rate|lr|version|torch|pytorch|cuda|python|tensorflow|epochs|epoch|transformers|driver|port|seed|gpus|gpu"

/* "when I reduce minibatchsize 256 to 32, it runs well": the same by both numbers, where no failure
 * is told beside it. */
static const char *
works_reduced(struct talk t)
{
	const char *at = talk_first(t, "reduce|reducing|decreas|lower|changed|changing|i change|adjusted|modified"), *s, *end;
	int64_t from, to;

	if (!at)
		return NULL;
	t = talk_sentence(t, at);
	end = t.s + t.n;
	if (memchr(t.s, '?', t.n) || oom_short_fails(t) || talk_any_whole(t, "still even not") ||
	    !(clause_works(t) || talk_any_phrase(t, "run well|runs well|ran well|it runs|runs fine|ran fine")))
		return NULL;
	for (s = at; s < end && !(is_digit(*s) && !piece_is_word(s[-1]) && s[-1] != '.'); s++)
		;
	if (s == end || !(s = piece_number(s, end, &from)) || end - s < 5 || memcmp(s, " to ", 4) != 0 || !is_digit(s[4]) ||
	    !(s = piece_number(s + 4, end, &to)) || (s < end && (piece_is_word(*s) || (*s == '.' && s + 1 < end && is_digit(s[1])))))
		return NULL;
	return to < from && !talk_has_whole(t, OF_NO_SIZE) ? at : NULL;
}

#define CAN_RUN		"able to run|can run|could run|able to train|can train|able to generate|can generate|able to do|can do|runs at|runs with|works at|works with|works for"
#define CAN_NOT		"not work|not run|not train|n't work|n't run|n't train|cannot|can't|can not|fails|fail|failed|crashes|crashed|oom|out of memory"

/* Past the sign between two sides, with the blanks around it: "512 x 512", "512×512"; S: there is
 * none. */
static const char *
past_times(const char *s, const char *end)
{
	const char *to = piece_past_blanks(s, end);

	if (to < end && memchr("xX*", *to, 3))
		return piece_past_blanks(to + 1, end);
	return end - to > 2 && memcmp(to, "\xc3\x97", 2) == 0 ? piece_past_blanks(to + 2, end) : s;
}

/* The pixels of the first "512x512" of T; 0: it has none. */
static int64_t
sides(struct talk t)
{
	const char *s, *to, *end = t.s + t.n, *times;
	int64_t high, wide;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.')))
			continue;
		to = piece_number(s, end, &high);
		if (!to || high > MOST_SIDE)
			return 0;
		if ((times = past_times(to, end)) > to && times < end && is_digit(*times) && (to = piece_number(times, end, &wide)) && wide <= MOST_SIDE)
			return high < LEAST_SIDE || wide < LEAST_SIDE || (to < end && piece_is_word(*to)) ? 0 : high * wide;
		to = to ? to : end;
	}
	return 0;
}

/* "I can run 256x256, but 512x512 does not work": a size of pictures with which it runs, and a
 * larger one behind it with which it does not. */
static const char *
smaller_runs(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, CAN_RUN, &n);
	struct talk clause, sentence, behind;
	int64_t less;

	if (!at)
		return NULL;
	clause = talk_clause(t, at, n);
	sentence = talk_sentence(t, at);
	behind = talk_part(t, clause.s + clause.n, sentence.s + sentence.n);
	less = sides(clause);
	return less && sides(behind) > less && talk_has_whole(behind, CAN_NOT) && !clause_says_no(talk_part(t, clause.s, at), "if") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define MOST_RUNS	"largest|maximum|max|biggest|highest"
#define OF_SIZES	"resolution|image size|picture size|size of image|size of the image|size of images|input size|crop size|patch size|size"

/* "The largest resolution that can be used for training is 512 x 512": what is larger does not
 * run. */
static const char *
most_that_runs(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, MOST_RUNS, &n), *size;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || !(size = talk_find_whole(talk_part(clause, at, clause.s + clause.n), OF_SIZES, &length)) || !talk_any_whole(talk_part(clause, size, clause.s + clause.n), "i we can could able used use trained run") ||
	    !sides(talk_part(clause, size, clause.s + clause.n)))
		return NULL;
	return talk_any_whole(clause, "you your should would paper authors recommended supported supports what batch") || memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) ? NULL : at;
}

/* "Reducing the 'hidden_size' parameter to 64 allows for training" */
static const char *
reducing_allows(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, "reducing|lowering|decreasing", &n), *allows;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || !(allows = talk_find_whole(clause, "allows|allowed|lets me|made it work|makes it work|made it run|makes it run", &length)) || allows < at || counts(talk_part(clause, at, allows)) <= 0 ||
	    memchr(clause.s, '?', clause.n) || oom_short_fails(clause))
		return NULL;
	return talk_any_whole(clause, "should would could might may if not never still even you your") || talk_any_phrase(clause, "n't ") ? NULL : at;
}

#define WITH_SMALLER	"only trained on the first|only train on the first|trained only on the first|only used the first|only use the first|small part of|a part of|a subset of|small subset of|small portion of|a portion of|for smaller|on a smaller|on smaller|on a subset|on a small subset|with a subset|for a smaller|for a subset|with smaller|with a smaller|using smaller|using a smaller|with fewer|with lower|with a lower"
#define RUNS_FINE	"it runs|it ran|it finishes|it completes|it passes|it succeeds|run well|ran well|runs through|finally runs|works|work|worked|runs without|run without|runs fine|runs well|ran fine|trains fine|no problem|no error|no errors|no issue|without error|without any error|without errors"

/* "For smaller dimensions the code runs without error": what is said of one's own run. */
static const char *
runs_with_smaller(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, WITH_SMALLER, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t, sentence = at ? talk_sentence(t, at) : t;

	/* "when I use a part of the data, it runs well", "on a smaller one (of 30k rows) it
	 * works" */
	if (at && (talk_any_whole(talk_part(clause, clause.s, at), "when") || (clause.s + clause.n < t.s + t.n && clause.s[clause.n] == '(')))
		clause = talk_part(t, clause.s, sentence.s + sentence.n);
	if (!at || memchr(sentence.s, '?', sentence.n) || !talk_find_whole(clause, RUNS_FINE, &length) || oom_short_fails(clause))
		return NULL;
	return talk_any_whole(clause, "should would could might may if not never still even hope want try you your") || talk_any_phrase(clause, "n't ") ? NULL : at;
}

#define ABLE		"succeeded in creating|succeed in creating|succeeded in generating|succeed in generating|managed to create|managed to generate|was able to create|was able to generate|able to create|succeed to run|succeeded to run|succeed to train|succeeded to train|succeeded in running|succeeded in training|succeed in running|succeed in training|succeed to run it|managed to run|managed to train|was able to run|was able to train|were able to run|were able to train"

/* "I succeeded to run it with 128x128": a size with which it runs. */
static const char *
able_with_size(struct talk t)
{
	size_t n;
	int64_t side;
	const char *at = talk_find_whole(t, ABLE, &n), *s, *to, *end, *times;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (at && clause.s + clause.n < t.s + t.n && clause.s[clause.n] == '(')
		clause = talk_part(t, clause.s, talk_sentence(t, at).s + talk_sentence(t, at).n);
	if (!at || oom_short_fails(clause) || clause_is_question(talk_sentence(t, at)) || clause_says_no(clause, "if should would only without until before how") || talk_any_whole(clause, "batch epoch epochs steps paper"))
		return NULL;
	for (s = at + n, end = clause.s + clause.n; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || !(to = piece_number(s, end, &side)))
			continue;
		if (end - to > 3 && *to == '(' && is_letter(to[1]) && to[2] == ')')
			to += 3;		/* "320(h)x448(w)" */
		times = past_times(to, end);
		if (side >= LEAST_SIDE && times > to && times < end && is_digit(*times))
			return at;
	}
	return NULL;
}

#define AT_FIRST	"for the first|at first|initially|in the beginning|at the beginning|for a while|for some time"

/* "With 416x416 it worked fine. But with 832x832 it is out of memory.", "it works with 20 images,
 * with 300 it does not": where a sentence says that it works with so much, in a line that says that
 * it fails with more. */
const char *
oom_bulk_less(struct talk t)
{
	const char *s, *next, *works = NULL, *end = t.s + t.n;
	int64_t n, less = 0, most = 0;
	struct talk clause;
	size_t length;

	if ((next = works_reduced(t)) || (next = smaller_runs(t)) || (next = runs_with_smaller(t)) || (next = reducing_allows(t)) || (next = able_with_size(t)) || (next = most_that_runs(t)) || (next = oom_wording(t, WORDING_NOT_WITH_SMALLER)))
		return next;
	if (!talk_has_whole(t, WORKS_FINE))
		return NULL;
	for (s = t.s; s < end; s = next > s ? next + 1 : s + 1) {
		clause = talk_clause(t, s, 0);
		next = clause.s + clause.n;
		if (end - next > 5 && memcmp(next, " but ", 5) == 0)
			next += 4;
		if ((n = counts(clause)) == 0)
			continue;
		if (clause_works(clause) && (talk_has_whole(clause, AT_FIRST) || fails_again(t, clause)))
			continue;		/* one run, which fails later */
		if (clause_works(clause) && !oom_short_fails(clause) && !memchr(clause.s, '?', clause.n)) {
			works = works ? works : talk_find_whole(clause, WORKS_FINE, &length);
			less = less ? less : n;
		} else if (n > most && (oom_short_fails(clause) || oom_short_fails(talk_sentence(t, clause.s)) || talk_any_whole(clause, "exploded explodes"))) {
			most = n;
		}
	}
	return most > less ? works : reduced(t);
}

#define TEBI		((int64_t)1 << 40)

/* The bytes of a unit at S, as "GB", "TiB"; 0: there is none. */
static int64_t
unit_at(struct talk t, const char *s)
{
	struct talk word = clause_word_behind(t, s);

	if (word.n == 0 || piece_past_blanks(s, t.s + t.n) != word.s)
		return 0;
	return talk_is_one_of(word, "gb gib gigabytes") ? TEBI >> 10 : talk_is_one_of(word, "tb tib terabytes") ? TEBI :
	    talk_is_one_of(word, "pb pib petabytes") ? TEBI << 10 : talk_is_one_of(word, "eb eib exabytes") ? TEBI << 20 : 0;
}

const char *
oom_bulk_absurd(struct talk t, int64_t *bytes)
{
	const char *s, *to, *end = t.s + t.n;
	struct talk clause;
	int64_t n, unit;

	if (!talk_any_of(t, "alloc"))
		return NULL;
	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.' || s[-1] == ',')))
			continue;
		to = piece_number(s, end, &n);
		if (!to)
			return NULL;
		if (to + 1 < end && *to == '.' && is_digit(to[1]))
			for (to++; to < end && is_digit(*to); to++)
				;
		clause = talk_clause(t, s, 1);
		unit = unit_at(t, to);
		if (unit && n > 0 && n <= INT64_MAX / unit && n * unit >= TEBI && talk_any_begins(talk_part(t, clause.s, s), "allocate allocates allocating allocated allocation") && !clause_says_no(talk_part(clause, clause.s, s), "") &&
		    oom_told_happened(t, s, (size_t)(to - s))) {
			*bytes = n * unit;
			return s;
		}
	}
	return NULL;
}
