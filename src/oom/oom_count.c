/*
 * A number and the noun behind it, "about 200+ objects", "2 million users", or a noun that is
 * called many; or a setting and the number behind it. Nouns of which many are common for other
 * reasons need a word beside them that says what is done with them.
 */
#include "oom/oom_count.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_amount.h"
#include "oom/oom_fares.h"
#include "oom/oom_number.h"

#define BETWEEN_MOST	2	/* words from a number to its noun */
#define LEAST_THING	1000	/* that may be an extent of a shape */
#define LEAST_NUMBERED	200	/* where it is told as their number */

static const struct {
	const char *nouns;	/* strokes part them */
	const char *settings;	/* whose value is such a number; NULL: there is none */
	int64_t least;		/* that is worth a word */
	const char *beside;	/* a word that begins so has to be in the line; NULL: none has to */
	const char *unless;	/* nor may one that begins so */
	bool near;		/* another sentence of its line may tell of the failure */
	const char *noun_beside;	/* and beside a noun a word that begins so has to be there */
} kinds[COUNTS] = {
	[COUNT_OBJECTS] = { "objects|masks|instances", NULL, 10, "segment track mask video frame clip", "dataset coco class train categor label detect", false, NULL },
	[COUNT_ATOMS] = { "atoms", NULL, 500, NULL, "dataset", true, NULL },
	[COUNT_STEPS] = { "prediction steps|rollout steps|forecast steps|autoregressive steps|lead times", "prediction_steps|rollout_steps|num_rollout_steps|n_rollout_steps|forecast_steps|autoregressive_steps|unroll_steps|rollout_length|forecast_horizon|prediction_horizon|n_forward_steps", 20, NULL, "replay", true, NULL },
	[COUNT_REQUESTS] = { "concurrent requests|parallel requests|simultaneous requests|concurrent users|concurrent calls|concurrent sessions|parallel users|requests at once|requests at the same time|requests in parallel|requests simultaneously|requests concurrently", NULL, 2, NULL, "rate limit quota", true, NULL },
	[COUNT_STREAMS] = { "cameras|streams|rtsp streams|video streams|camera streams", NULL, 2, NULL, "cuda pose colmap nerf splat stereo train compil build", false, NULL },
	[COUNT_WORLDS] = { "environments|envs|parallel environments|parallel envs", "num_envs|--num_envs|--num-envs|n_envs|num_environments|number of envs|number of environments", 16, NULL, "conda virtual docker", false, "agent ppo sac dqn rollout reward episode gym isaac polic reinforc rl mujoco atari" },
	[COUNT_QUBITS] = { "qubits", "num_qubits|n_qubits|nqubits", 20, NULL, NULL, true, NULL },
	[COUNT_VIEWS] = { "images|views|frames|pictures|photos", NULL, 5, "vggt dust3r mast3r fast3r mapanything must3r cut3r", "train finetun", true, NULL },
	[COUNT_USERS] = { "users|items|entities|customers", NULL, 10000, "recommend embed graph adj matrix user entit rating interact", "concurrent traffic request", true, NULL },
};

#define MANY_OF		"too many|so many|that many|hundreds of|thousands of|large number of|huge number of|big number of|lots of|a lot of"
#define NO_MANY		"few fewer less not no small smaller limited"
#define ABOUT		"about around approximately roughly nearly almost over some circa"

/* A number that ends ahead of a noun: its first byte, and its value with a suffix or a word for
 * thousands; how much its last digit stands for. NULL: none does. */
static const char *
number_ahead(struct talk t, const char *at, int64_t *n, int64_t *unit)
{
	static const struct { const char *word; int64_t times; } scales[] = { { "thousand", 1000 }, { "k", 1000 }, { "million", 1000000 }, { "m", 1000000 }, { "billion", 1000000000 } };
	struct talk word = clause_word_ahead(t, at);
	const char *s, *to, *end = t.s + t.n;
	int64_t times = 1;
	size_t i;
	int k;

	for (k = 0; k < BETWEEN_MOST && word.n > 0 && !is_digit(*word.s) && !talk_is_one_of(word, "thousand million billion k m") && !talk_is_one_of(word, "of for to from in on with and or than the"); k++)
		word = clause_word_ahead(t, word.s);
	for (i = 0; i < sizeof(scales) / sizeof(scales[0]) && word.n > 0; i++)
		if (talk_is_one_of(word, scales[i].word)) {
			times = scales[i].times;
			word = clause_word_ahead(t, word.s);
			break;
		}
	if (word.n == 0 || !is_digit(*word.s))
		return NULL;
	for (s = word.s; s - t.s > 1 && memchr(",.", s[-1], 2) && is_digit(s[-2]); )
		for (s -= 2; s > t.s && is_digit(s[-1]); s--)
			;
	if ((s > t.s && (piece_is_word(s[-1]) || memchr("./-$#", s[-1], 5))) || !(to = piece_count(s, end, n)))
		return NULL;
	*unit = 1;
	if (to + 1 < end && *to == '.' && is_digit(to[1]) && times > 1) {	/* "2.5 million" */
		*n = *n * 10 + to[1] - '0';
		times /= 10;
		for (to += 2; to < end && is_digit(*to); to++)
			;
	}
	if (to < end && times == 1 && memchr("kKmM", *to, 4) && !(to + 1 < end && piece_is_word(to[1]))) {
		times = lower(*to) == 'k' ? 1000 : 1000000;
		to++;
	}
	if ((to < end && (is_letter(*to) || *to == '%' || *to == '/')) || *n <= 0 || *n > INT64_MAX / 1000000000 || to > at)
		return NULL;
	*n *= times;
	*unit = times;
	return s;
}

/* Is the noun at AT called many, a few words ahead? */
static bool
is_many(struct talk t, const char *at)
{
	struct talk clause = talk_clause(t, at, 1), ahead;
	const char *from = at - clause.s > 32 ? at - 32 : clause.s;

	ahead = talk_part(t, from, at);
	return talk_has_whole(ahead, MANY_OF) && !talk_any_whole(ahead, NO_MANY);
}

/* Does its sentence, or its line, tell of a failure, and not that it goes well? */
static bool
is_told(const struct oom_told *told, struct talk t, const char *at, int line, bool near)
{
	struct talk clause = talk_clause(t, at, 1), sentence = talk_sentence(t, at);

	if (clause_works(clause) && !clause_names_failure(clause) && !talk_any_whole(clause, "only"))
		return false;
	if (clause_is_question(sentence) && !oom_told_is_of_failure(told, t, at, line))
		return false;
	return !oom_fares_others(sentence) && ((near && told->here_line == line) || oom_told_is_of_failure(told, t, at, line));
}

static void
by_noun(struct oom_counts *c, const struct oom_told *told, struct talk t, int line, int k)
{
	const char *at;
	int64_t n, unit;
	size_t length;

	if (kinds[k].noun_beside && !talk_any_begins(t, kinds[k].noun_beside))
		return;
	for (at = NULL; !c->of[k].line && talk_next_whole(t, kinds[k].nouns, &at, &length); ) {
		n = 0;
		if (k == COUNT_OBJECTS && talk_is_one_of(clause_word_behind(t, at + length), "of"))
			continue;		/* "instances of the model" */
		if (!(number_ahead(t, at, &n, &unit) ? n >= kinds[k].least : is_many(t, at)) || !is_told(told, t, at, line, kinds[k].near))
			continue;
		said_at(&c->of[k], t, at, line);
		c->n[k] = n;
	}
}

/* "prediction_steps: 1460", "num_envs=4096" */
static void
by_setting(struct oom_counts *c, const struct oom_told *told, struct talk t, int line, enum oom_source source, int k)
{
	const char *at, *to, *end = t.s + t.n;
	int64_t n;
	size_t length;

	for (at = NULL; !c->of[k].line && talk_next_whole(t, kinds[k].settings, &at, &length); ) {
		for (to = at + length; to < end && memchr(" =:\"'`", *to, 6); to++)
			;
		if (to == at + length || to == end || !is_digit(*to) || !oom_number_at(t, to, true, &n) || n < kinds[k].least)
			continue;
		if (source == SOURCE_PROSE && !is_told(told, t, at, line, true))
			continue;
		said_at(&c->of[k], t, at, line);
		c->n[k] = n;
	}
}

/* The same in Chinese: what is counted stands right behind its number, or a name for how many ahead
 * of it. */
static const struct { enum count_of of; const char *behind, *ahead; } chinese[] = {
	{ COUNT_REQUESTS, "个并发|并发|路并发|个请求同时|个用户同时|个并发请求", "并发数|并发量|并发请求数|并发" },
	{ COUNT_STREAMS, "路视频|路摄像头|个摄像头|路rtsp|路视频流|路相机|路流", NULL },
	{ COUNT_ATOMS, "个原子|原子", "原子数" },
	{ COUNT_WORLDS, "个环境|个并行环境", "环境数|环境数量" },
	{ COUNT_QUBITS, "个量子比特|量子比特|个qubit", "量子比特数" },
	{ COUNT_USERS, "个用户|用户|个实体|个商品", "用户数|用户数量|实体数" },
};

#define TEN_THOUSAND	"万"
#define LINKS_CHINESE	"为|是|设为|设置为|达到|到|超过|：|:|=| |约|大约|调到|设成|改为|改成"

/* The number that ends at AT: "100", "1.5万" counts as its whole ones. */
static int64_t
ends_with_number(struct talk t, const char *at)
{
	const char *s, *to = at;
	int64_t n, times = 1;

	while (to > t.s && to[-1] == ' ')
		to--;
	if (to - t.s > 3 && memcmp(to - 3, TEN_THOUSAND, 3) == 0) {
		times = 10000;
		to -= 3;
	}
	for (s = to; s > t.s && is_digit(s[-1]); s--)
		;
	return s < to && !(s > t.s && (s[-1] == '.' || is_letter(s[-1]) || s[-1] == '-')) && piece_number(s, to, &n) && n < INT32_MAX ? n * times : 0;
}

/* And that begins at S, or behind what links it. */
static int64_t
begins_with_number(struct talk t, const char *s)
{
	const char *end = t.s + t.n, *link = NULL, *to;
	size_t length;
	int64_t n;

	while (s < end && !is_digit(*s) && (link = talk_first(talk_head(t, s, 12), LINKS_CHINESE)) == s) {
		for (length = 1; s + length < end && ((unsigned char)s[length] & 0xC0) == 0x80; length++)
			;
		s += length;
	}
	if (s == end || !is_digit(*s) || !(to = piece_number(s, end, &n)) || n >= INT32_MAX)
		return 0;
	return end - to >= 3 && memcmp(to, TEN_THOUSAND, 3) == 0 ? n * 10000 : n;
}

static void
by_chinese(struct oom_counts *c, const struct oom_told *told, struct talk t, int line)
{
	const char *at;
	size_t i, length;
	int64_t n;
	int k;

	for (i = 0; told->here_line == line && i < sizeof(chinese) / sizeof(chinese[0]); i++) {
		k = chinese[i].of;
		for (at = NULL; !c->of[k].line && talk_next_phrase(t, chinese[i].behind, &at, &length); )
			if ((n = ends_with_number(t, at)) >= kinds[k].least) {
				said_at(&c->of[k], t, at, line);
				c->n[k] = n;
			}
		for (at = NULL; !c->of[k].line && chinese[i].ahead && talk_next_phrase(t, chinese[i].ahead, &at, &length); )
			if ((n = begins_with_number(t, at + length)) >= kinds[k].least) {
				said_at(&c->of[k], t, at, line);
				c->n[k] = n;
			}
	}
}

/* "the number of sequences is 900", of the word from S to TO; 0: that is not how it is told. */
static int64_t
number_of(struct talk t, const char *s, const char *to)
{
	struct talk ahead = clause_word_ahead(t, s), link = clause_word_behind(t, to);
	const char *from, *end = t.s + t.n;
	int64_t n;

	if (!talk_is_one_of(ahead, "of") || !talk_is_one_of(clause_word_ahead(t, ahead.s), "number amount count total"))
		return 0;
	from = talk_is_one_of(link, "is are was were equals") ? link.s + link.n : to;
	while (from < end && memchr(" =:", *from, 3))
		from++;
	return from > to && from < end && is_digit(*from) && piece_number(from, end, &n) ? n : 0;
}

/* Numbers of things, whatever is said of them. */
static void
things(struct oom_counts *c, struct talk t, int line)
{
	struct talk word;
	const char *s, *from, *to, *end = t.s + t.n;
	int64_t n, unit;

	for (s = t.s; s < end && c->many < THINGS; s = to > s ? to : s + 1) {
		to = piece_past_word(s, end);
		if (to == s || is_digit(*s))
			continue;
		word = talk_part(t, s, to);
		if (!oom_amount_is_thing(word))
			continue;
		if ((n = number_of(t, s, to)) >= LEAST_NUMBERED) {
			c->things[c->many].least = c->things[c->many].most = n;
			said_at(&c->things[c->many++].said, t, s, line);
			continue;
		}
		if (!(from = number_ahead(t, s, &n, &unit)) || n < LEAST_THING)
			continue;
		if (unit == 1 && talk_is_one_of(clause_word_ahead(t, from), ABOUT))
			while (n % (unit * 10) == 0)
				unit *= 10;
		c->things[c->many].least = n - unit / 2;
		c->things[c->many].most = n + unit / 2;
		said_at(&c->things[c->many++].said, t, s, line);
	}
}

void
oom_count_line(struct oom_counts *c, const struct oom_told *told, struct talk t, int line, enum oom_source source)
{
	bool prose = source == SOURCE_PROSE || source == SOURCE_UNSURE;
	int k;

	for (k = 0; k < COUNTS; k++) {
		if (c->of[k].line || (kinds[k].beside && !talk_any_begins(t, kinds[k].beside)) || (kinds[k].unless && talk_any_begins(t, kinds[k].unless)))
			continue;
		if (prose)
			by_noun(c, told, t, line, k);
		if (kinds[k].settings && (prose || source == SOURCE_SETTING || source == SOURCE_COMMAND || source == SOURCE_CODE))
			by_setting(c, told, t, line, source, k);
	}
	if (prose) {
		by_chinese(c, told, t, line);
		things(c, t, line);
	}
}
