/*
 * That a run fails later on a card with more memory, as people tell of two cards: for each a name
 * or an amount, and how many rounds it went on for. What fills a card in so many rounds and a
 * larger one in more is kept from round to round.
 */
#include "oom/oom_outlasts.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

#define MOST_GB		192
#define LINES_APART	3
#define LONGER(n)	((n) + (n) / 4)	/* that counts as more rounds */

/* How much cards have, in all of their kinds. */
static const struct {
	const char *names;
	int least, most;
} cards[] = {
	{ "gtx 750|gtx750|gtx 750ti|gtx750ti|gtx 950|gtx950|gtx 960|gtx960|gtx 1050|gtx1050", 1, 4 },
	{ "gtx 970|gtx970|gtx 980|gtx980|gtx 1050ti|gtx 1050 ti|gtx1050ti|gtx 1650|gtx1650", 4, 4 },
	{ "gtx 1060|gtx1060|gtx 1660|gtx1660|gtx 1660ti|gtx 1660 ti|gtx 980ti|gtx980ti|gtx 980 ti", 3, 6 },
	{ "gtx 1070|gtx1070|gtx 1080|gtx1080|rtx 2070|rtx2070|rtx 2080|rtx2080|rtx 3070|rtx3070|rtx 3060ti|rtx 3060 ti", 8, 8 },
	{ "gtx 1080ti|gtx1080ti|gtx 1080 ti|1080ti|1080 ti", 11, 11 }, { "rtx 2080ti|rtx2080ti|rtx 2080 ti|2080ti|2080 ti", 11, 22 },
	{ "rtx 2060|rtx2060|rtx 3060|rtx3060", 6, 12 }, { "rtx 3080|rtx3080|rtx 4060|rtx4060|rtx 4070|rtx4070|rtx 4080|rtx4080", 8, 20 },
	{ "titan x|titan xp|titanx", 12, 12 }, { "rtx 3090|rtx3090|3090|titan rtx|a5000|a10|a10g|l4", 24, 24 }, { "rtx 4090|rtx4090|4090", 16, 48 },
	{ "rtx 5090|rtx5090|5090", 24, 32 }, { "t4|p100|a4000", 12, 16 }, { "v100", 16, 32 }, { "a6000|l40|l40s|a40", 48, 48 }, { "a100", 40, 80 }, { "h100", 80, 96 },
};

static const char *const units[] = { "epoch epochs", "step steps iteration iterations iters", "minute minutes mins", "hour hours hrs", "generation generations call calls request requests" };
static const char *const units_chinese[] = { "个epoch|epoch|轮", "步|个step|step|次迭代|次", "分钟", "小时|个小时", "个请求|个调用" };

/* The unit of rounds behind TO, from 1; 0: it is none. */
static int
unit_behind(struct talk t, const char *to)
{
	struct talk word = clause_word_behind(t, to);
	const char *s = piece_past_blanks(to, t.s + t.n);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if ((word.s - to == 1 && talk_is_one_of(word, units[i])) || clause_beside(units_chinese[i], t.s, s, t.s + t.n, false))
			return (int)i + 1;
	return 0;
}

#define OF_OTHER	"ram swap disk data dataset storage file files"

/* How much the card has that T names first, by its amount ahead of its name. */
static bool
has_card(struct talk t, int64_t *least, int64_t *most)
{
	const char *s, *to = NULL, *at, *first = NULL;
	struct talk unit, word;
	size_t i, n, longest = 0;
	int64_t gb;

	while ((s = oom_number_walk(t, ".*/-~<>", &to, &gb))) {
		unit = talk_head(t, piece_past_blanks(to, t.s + t.n), 2);
		if (gb > 0 && gb <= MOST_GB && unit.n > 0 && lower(*unit.s) == 'g' && (unit.n < 2 || !is_letter(unit.s[1]) || lower(unit.s[1]) == 'b')) {
			word = clause_word_behind(t, unit.s + unit.n);
			if (talk_is_one_of(talk_is_one_of(word, "of") ? clause_word_behind(t, word.s + word.n) : word, OF_OTHER))
				continue;
			*least = *most = gb;
			return true;
		}
	}
	for (i = 0; i < sizeof(cards) / sizeof(*cards); i++)
		if ((at = talk_find_whole(t, cards[i].names, &n)) && (!first || at < first || (at == first && n > longest))) {
			first = at;
			longest = n;
			*least = cards[i].least;
			*most = cards[i].most;
		}
	return first != NULL;
}

#define OTHERWISE	"if would should could batch batches"
#define GOES_ON		"跑到|训到|坚持|撑到|lasts|lasted|survives|survived"

/* Are two of them told in one unit, where the card that has more goes on for longer? */
static bool
is_longer(const struct oom_outlasts *o, int i, int k)
{
	if (i == k || !o->of[i].unit || o->of[i].unit != o->of[k].unit || o->of[k].line - o->of[i].line > LINES_APART || o->of[i].line > o->of[k].line)
		return false;
	return (o->of[i].most < o->of[k].least && LONGER(o->of[i].rounds) < o->of[k].rounds) || (o->of[k].most < o->of[i].least && LONGER(o->of[k].rounds) < o->of[i].rounds);
}

const char *
oom_outlasts_line(struct oom_outlasts *o, struct talk t, int line)
{
	const char *s, *to = NULL, *from = t.s, *at = NULL;
	struct talk sentence, part;
	int64_t rounds, least, most;
	int unit, i;

	while ((s = oom_number_walk(t, ".*/-~<>", &to, &rounds))) {
		sentence = clause_sentence(t, s);
		from = from < sentence.s ? sentence.s : from;
		if (!(unit = unit_behind(t, to)) || rounds < 2)
			continue;
		part = talk_part(t, from, to);
		from = to;
		if (!has_card(part, &least, &most) || talk_any_whole(sentence, OTHERWISE) || (!oom_short_fails(sentence) && !talk_any_phrase(sentence, GOES_ON)))
			continue;
		o->of[o->next].least = least;
		o->of[o->next].most = most;
		o->of[o->next].rounds = rounds;
		o->of[o->next].unit = unit;
		o->of[o->next].line = line;
		for (i = 0; i < OUTLASTS; i++)
			at = is_longer(o, i, o->next) ? s : at;
		o->next = (o->next + 1) % OUTLASTS;
	}
	return at;
}
