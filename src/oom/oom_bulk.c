/*
 * What people say of how much is given at once: the length of recordings, films and texts, and how
 * many there are of what. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_bulk.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"

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

/* What has a length, what has one that is called its size, and the words that say it is long. */
#define TEXTS		"article articles document documents paragraph paragraphs passage passages essay essays novel novels transcript transcripts text texts sentence sentences story stories"
#define LENGTHS		TEXTS " audio audios recording recordings video videos sequence sequences input inputs prompt prompts utterance utterances protein proteins contig contigs clip clips"
#define IS_LARGER	"large larger big bigger huge"
#define BETWEEN		"text news input web legal html more very"

/* "a lengthy article", "large documents": a word for the length right ahead of what has one. */
static const char *
has_long(struct talk t)
{
	struct talk word;
	const char *at;
	size_t n;
	bool large;

	for (at = NULL; talk_next_whole(t, "lengthy|long|longer|large|larger|big|bigger|huge", &at, &n); ) {
		large = talk_is_one_of(talk_part(t, at, at + n), IS_LARGER);
		word = clause_word_behind(t, at + n);
		if (talk_is_one_of(word, BETWEEN) && !talk_is_one_of(word, "more very input"))
			word = clause_word_behind(t, word.s + word.n);
		if (talk_is_one_of(word, large ? TEXTS : LENGTHS) && !talk_is_one_of(clause_word_ahead(t, at), "as no not"))
			return at;
	}
	return NULL;
}

/* Films, recordings and texts that are long, */
static const char *
names_long(struct talk t)
{
	const char *at = talk_first(t, "longer length audio|longer-length audio|longer audios|longer generations|long-form audio|long form audio|long-form speech|long-form text|long sequence|longer sequence|long text|longer text|long document|long prompt|long context|"
	    "long input|long sentence|longer sentence|long video|long audio|longer audio|long track|long recording|long song|long film|longer videos|longer length audios|longer length videos|longer audios|longer texts|longer songs|long wav|longer wav|long speech|long utterance|longer utterance|long audios|longer recording|longer audio clips|long audio clips|long word|long words|longer words|long string|long strings|longer strings|long token sequence|long line|long lines|longer lines|longer clips|long clips|longer files|"
	    "\xe5\x8f\xa5\xe7\xa8\x8d\xe5\xbe\xae\xe9\x95\xbf|\xe9\x95\xbf\xe6\x96\x87\xe6\x9c\xac|\xe6\x96\x87\xe6\x9c\xac\xe8\xbf\x87\xe9\x95\xbf|\xe5\x8f\xa5\xe5\xad\x90\xe8\xbf\x87\xe9\x95\xbf");	/* 句稍微长, 长文本, 文本过长, 句子过长 */

	at = at ? at : has_long(t);
	at = at && talk_has_whole(talk_sentence(t, at), CUT_OR_ELSE) ? NULL : at;
	return at ? at : names_long_chinese(t);
}

#define MANY_FRAMES	500

#define LEAST_BOUND	8

/* "It fails with more than 48 frames", ">2000 residues", "over 30 images": from how many on. */
static const char *
has_bound(struct talk t)
{
	const char *at = NULL, *s, *ahead;
	int64_t count;
	size_t n;

	while (talk_next_phrase(t, " frames| residues| amino acids| pages| images| pictures| views", &at, &n)) {
		for (s = at; s > t.s && is_digit(s[-1]); s--)
			;
		for (ahead = s; ahead > t.s && ahead[-1] == ' '; ahead--)
			;
		if (s < at && piece_count(s, at, &count) && count >= LEAST_BOUND && !talk_any_begins(t, "train step epoch replay buffer batch") &&
		    (talk_is_one_of(clause_word_ahead(t, s), "than over above exceeding exceeds beyond") || (ahead > t.s && ahead[-1] == '>')) &&
		    !talk_any_whole(talk_part(talk_clause(t, s, 1), talk_clause(t, s, 1).s, s), "after until till processed") && !talk_has_whole(talk_part(t, t.s, s), "no more than|not more than|less than|fewer than"))
			return s;
	}
	at = NULL;
	while (talk_next_phrase(t, "超过|大于|多于", &at, &n)) {
		s = piece_past_blanks(at + n, t.s + t.n);
		if (s < t.s + t.n && is_digit(*s) && (s = piece_count(s, t.s + t.n, &count)) && count >= LEAST_BOUND && talk_any_phrase(talk_head(t, s, 8), "帧|张|页"))
			return at;
	}
	return NULL;
}

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
	return has_bound(t);
}

#define MEDIA		"audio audios recording recordings video videos film films movie movies podcast podcasts lecture lectures meeting meetings interview interviews song songs track tracks clip clips speech wav mp3 mp4 flac"
#define NEAR_MEDIA	4	/* words from how long it lasts to what it is */
/* What stands between the two where it is said of something else, and ahead of a time that
 * something took. */
#define OF_TIME		"to for in into until before while then and i we it my gpu so every after per of"
#define TOOK		"took takes take taken after every each per in for within than until first last only wait waiting another spent needs"

/* Is one of a list's words within a few of those behind S, or ahead of it? */
static bool
is_near_media(struct talk t, const char *s, bool ahead)
{
	struct talk word = talk_part(t, s, s);
	int i;

	for (i = 0; i < NEAR_MEDIA; i++) {
		word = ahead ? clause_word_ahead(t, word.s) : clause_word_behind(t, word.s + word.n);
		if (word.n == 0 || talk_is_one_of(word, MEDIA))
			break;
		if (ahead ? talk_is_one_of(word, "every each i we took takes take after and") : talk_is_one_of(word, OF_TIME) && !(i == 0 && talk_is_one_of(word, "of")))
			return false;
	}
	return i < NEAR_MEDIA && word.n > 0;
}

/* "an 8-hour audio file", "my video is about 40 minutes": how long what is given lasts, where it is
 * minutes or hours. */
static const char *
has_minutes(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n, *past;
	struct talk word, clause;
	int64_t n;

	while ((s = oom_number_walk(t, ".", &to, &n))) {
		past = end - to > 1 && *to == '.' && is_digit(to[1]) ? to + 2 : to;
		word = clause_word_behind(t, past);
		if (word.s - past > 1 || !(talk_is_one_of(word, "hour hours hr hrs h") || (n > 1 && talk_is_one_of(word, "minute minutes min mins"))))
			continue;
		clause = talk_clause(t, s, 1);
		if (is_near_media(clause, word.s + word.n, false) || (!talk_is_one_of(clause_word_ahead(t, s), TOOK) && is_near_media(clause, s, true)))
			return s;
	}
	return NULL;
}

const char *
oom_bulk_long(struct talk t, bool sentence)
{
	const char *at = talk_any_begins(t, "training trained train") ? NULL : lasts(t);

	at = at || !sentence || talk_any_begins(t, "training trained train") ? at : names_long(t);
	at = at || !sentence || talk_any_begins(t, "training trained train epoch") ? at : has_minutes(t);
	return at ? at : sentence ? counts_frames(t) : has_bound(t);
}

#define OF_PAGES	"+ pages|all pages|hundreds of pages|thousands of pages|many pages|page pdf|pages pdf|large pdf|long pdf|big pdf|larger pdf|longer pdf|large document|larger document"

#define OF_FILM		"video|videos|clip|clips|film|films|movie"
#define NO_LENGTH	"took takes take per every after each interval timeout later elapsed it/s s/it"

/* "an 8 second 24 fps video", "clips of 10 seconds": how long a film is, in a clause that has
 * it. */
static const char *
has_seconds(struct talk t)
{
	struct talk clause, word;
	const char *s, *to = NULL;
	int64_t n;

	while ((s = oom_number_walk(t, ".", &to, &n))) {
		word = clause_word_behind(t, to);
		clause = talk_clause(t, s, 1);
		if (n > 1 && talk_is_one_of(word, "second seconds sec secs") && talk_has_whole(clause, OF_FILM) && !talk_any_whole(clause, NO_LENGTH))
			return s;
	}
	return NULL;
}

const char *
oom_bulk_lasting(struct talk t)
{
	const char *at = has_seconds(t);

	if (!at && (at = has_minutes(t)) && talk_any_begins(t, "train epoch") && (talk_any_begins(t, "epoch") || talk_any_whole(talk_clause(t, at, 1), "after every took takes take for per each until within") || !talk_has_whole(talk_clause(t, at, 1), OF_FILM)))
		return NULL;		/* "it trains for 20 minutes" */
	return at;
}

#define FILM_LENGTH	"视频长度|视频时长|视频的长度|视频的时长|视频太长|视频较长|视频很长|视频过长|长视频|视频帧数"

/* "对视频长度有要求吗": of what is worked on, asked or not. */
const char *
oom_bulk_film_length(struct talk t)
{
	const char *at = talk_first(t, FILM_LENGTH);

	return at && !talk_any_phrase(talk_clause(t, at, 1), "无关|没关系|不长|很短|较短") ? at : NULL;
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
	if ((at = counts_frames(t)) || (at = oom_bulk_lasting(t)))
		return at;
	return talk_first(t, "depending on text size|depending on the text|depending on text length|depending on the length|depends on the length of|depending on sentence length|length of the text|length of my text|string whose length|seconds in length|minutes in length|longer videos|videos longer|more frames|all frames|frame video|frames video|number of frames| frames with |video_length|video length|minute video|minutes video|minutes of video|min video|minute audio|minutes audio|"
	    "minutes of audio|min audio|audio.wav|.mp4|video generation|generate a video|generate video|generating a video|seconds video|second video");
}

#define NEAR_AMOUNT	32	/* bytes from an amount of memory to what it is for */
#define BY_LENGTH	"because of|due to|caused by|related to|depend on|depends on|depending on|proportional to|grows with|increases with|scales with"

/* "It takes 9 GB for a lengthy article", "because of the article's length": does memory go with the
 * length of what is given? */
const char *
oom_bulk_by_length(struct talk t)
{
	const char *at, *to = NULL, *s;
	struct talk part;
	size_t length;
	int64_t n;

	for (at = NULL; talk_next_whole(t, BY_LENGTH, &at, &length); ) {
		part = talk_part(t, at + length, talk_sentence(t, at).s + talk_sentence(t, at).n);
		if (talk_any_whole(part, "length lengths") && talk_any_whole(part, LENGTHS) && !clause_says_no(talk_part(t, talk_sentence(t, at).s, at), ""))
			return at;
	}
	while ((at = oom_number_walk(t, ".", &to, &n))) {
		if (!talk_is_one_of(clause_word_behind(t, to), "gb gib mb mib gigs g"))
			continue;
		part = talk_part(t, to, talk_sentence(t, at).s + talk_sentence(t, at).n);
		s = has_long(part);
		if (s && talk_any_whole(talk_part(part, part.s, s), "for on with processing") && s - to < NEAR_AMOUNT && talk_any_whole(talk_part(t, talk_sentence(t, at).s, at), "using use uses used takes took taking consumes consumed needs needed requires memory"))
			return s;
	}
	return NULL;
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
#define OF_PICTURE	"in one image|in an image|in each image|in a single image|in the same image|per image|per img|in one picture|in a picture|per picture|in them|in some images|for some images|for one image|for an image|for each image|for a single image|in the image|in one frame"

/* "about 2000 objects in one image", "too many boxes in some images": not what is to be
 * detected. */
const char *
oom_bulk_boxes(struct talk t)
{
	const char *s, *to;
	struct talk sentence;
	size_t n;
	int64_t count;

	for (s = NULL; talk_next_whole(t, OBJECTS, &s, &n); ) {
		sentence = talk_sentence(t, s);
		if (!talk_has_whole(talk_part(t, s + n, sentence.s + sentence.n), OF_PICTURE) || talk_any_whole(talk_part(t, talk_clause(t, s, n).s, s), "not no few fewer less small limit limited limits most max maximum"))
			continue;
		if (talk_any_whole(talk_part(t, talk_clause(t, s, n).s, s), "many numerous hundreds thousands") || talk_has_whole(talk_part(t, talk_clause(t, s, n).s, s), "huge number of|large number of|big number of|a lot of|lots of"))
			return s;
		for (to = sentence.s; to < s; to++)
			if (is_digit(*to) && (to == sentence.s || !piece_is_word(to[-1])) && piece_number(to, s, &count) && count >= MANY_OBJECTS && s - to < NEAR_OBJECTS)
				return s;
	}
	return NULL;
}

#define MANY_ROWS	2048
#define OF_PAIRS	"pairwise|pair-wise|all pairs|every pair|each pair|distance matrix|distances matrix|pairwise_dist|pairwise_distance|pairwise_distances|similarity matrix|sim matrix|sim_matrix|sim_mat|similarity_matrix|distance_matrix|kernel matrix|affinity matrix|" \
    "agglomerativeclustering|agglomerative clustering|hierarchical clustering|hclust|spectralclustering|spectral clustering|affinitypropagation|affinity propagation|silhouette_score|silhouette score|kernelpca|kernel pca|kernelridge|" \
    "gaussianprocessregressor|gaussian process regression|multidimensional scaling|pdist|cdist|squareform"
#define ITEMS		"points samples rows vectors nodes items observations sentences embeddings molecules cells particles atoms documents genes users words sequences proteins images examples data"

#define NEEDED		"memory is required|memory is needed|memory required|memory needed|memory does it need|memory do i need|memory do you need|how much memory|how many memory|how much ram"

/* "pairwise distances between 50,000 points", "how much memory does the distance matrix need?" */
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
	if (talk_has_whole(talk_part(sentence, sentence.s, at), NEEDED))
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
	const char *s, *to, *next = NULL, *end = t.s + t.n;
	int64_t n, other;

	if ((s = pairs_of_many(t)))
		return s;
	if (!talk_any_begins(t, "matrix matrices distance dist_ similarit affinit attention adjacency pairwise kernel covariance gram cost_") || talk_any_begins(t, "image picture pixel resolution photo frame") || talk_any_phrase(t, "<-"))
		return NULL;
	while ((s = oom_number_walk(t, ".", &next, &n))) {
		to = piece_past_blanks(next, end);
		if (n < MANY_ROWS || to == end || !memchr(",xX*", *to, 4))
			continue;
		to = piece_past_blanks(to + 1, end);
		if (to < end && is_digit(*to) && piece_number(to, end, &other) && other == n)
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
	size_t n;

	for (s = NULL; !at && talk_next_whole(t, "classes|identities", &s, &n); )
		at = are_many(t, s) ? s : NULL;
	return at;
}

#define TEBI		((int64_t)1 << 40)
#define LARGE		((int64_t)4 << 30)	/* more than small cards have */

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

#define ONE_PIECE	"one allocation|single allocation|a temporary allocation|temporary allocation of|an allocation of|allocation of|tried to allocate|tries to allocate|try to allocate|trying to allocate|attempts to allocate|attempted to allocate|attempting to allocate|wants to allocate|allocate a tensor|allocate an array|allocate a buffer|allocates a buffer"
#define OF_MACHINE	"ram swap cpu host system disk total limit limits quota container docker vm"

/* Is the amount at S what was asked for in one piece, of a device? */
static bool
is_one_piece(struct talk t, const char *s)
{
	return talk_has_whole(talk_part(t, talk_clause(t, s, 1).s, s), ONE_PIECE) && !talk_any_whole(talk_sentence(t, s), OF_MACHINE);
}

const char *
oom_bulk_absurd(struct talk t, int64_t *bytes)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	struct talk clause;
	int64_t n, unit;

	if (!talk_any_of(t, "alloc"))
		return NULL;
	while ((s = oom_number_walk(t, ".,", &to, &n))) {
		if (to + 1 < end && *to == '.' && is_digit(to[1]))
			for (to++; to < end && is_digit(*to); to++)
				;
		clause = talk_clause(t, s, 1);
		unit = unit_at(t, to);
		if (unit && n > 0 && n <= INT64_MAX / unit && (n * unit >= TEBI || (n * unit >= LARGE && is_one_piece(t, s))) && talk_any_begins(talk_part(t, clause.s, s), "allocate allocates allocating allocated allocation") && !clause_says_no(talk_part(clause, clause.s, s), "") &&
		    oom_told_happened(t, s, (size_t)(to - s))) {
			*bytes = n * unit;
			return s;
		}
	}
	return NULL;
}
