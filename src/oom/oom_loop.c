/*
 * What code does again and again: models and operations of a graph that are made in a loop, and a
 * state that a network is given as it gave it.
 */
#include "oom/oom_loop.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_signs.h"

#define TAB_WIDTH	8

#define STATES		"hidden state states h hc hx hidden_state hiddens memory mems carry"

/* "hidden = hidden.data", "[h.data for h in hidden]": of a state, without its graph. */
static bool
takes_data(struct talk t)
{
	const char *at = NULL, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, ".data", &at, &n))
		if ((at + n == end || !piece_is_word(at[n])) && talk_is_one_of(clause_word_ahead(t, at), STATES " each s v x"))
			return true;
	return false;
}

/* "out, hidden = model(x, hidden)": what a network gives is given to it again; not within a layer,
 * whose steps it is of. */
static void
state(struct oom_habits *h, struct talk t, int line)
{
	const char *is = memchr(t.s, '=', t.n), *open, *from, *s, *to, *end = t.s + t.n;
	struct talk left, right;

	if (talk_any_phrase(t, "detach|repackage") || takes_data(t))
		h->lets_go = line;
	if (talk_any_phrase(t, "init_hidden|inithidden|init_state|initial_state|zero_state"))
		h->begins = line;
	if (!is || is + 1 == end || is[1] == '=' || !(open = memchr(is, '(', (size_t)(end - is))) || talk_any_whole(t, "def self"))
		return;
	for (from = open; from > is && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
		;
	if (!signs_is_network(signs_last_part((struct piece){ from, (size_t)(open - from) })) &&
	    !talk_any_whole(talk_part(t, from, open), "rnn lstm gru decoder"))
		return;
	left = talk_part(t, t.s, is);
	right = talk_part(t, open, end);
	for (s = left.s; s < is; s = to + 1) {
		to = piece_past_word(s, is);
		if (to > s && talk_is_one_of(talk_part(t, s, to), STATES) &&
		    piece_any_whole((struct piece){ right.s, right.n }, talk_is_one_of(talk_part(t, s, to), "hidden") ? "hidden" :
		    "state states h hc hx hidden_state hiddens memory mems carry"))
			oom_habit_keep(h, HABIT_STATE, line, 0, s, to);
	}
}

/* How far a line is set in. */
static int
inset_of(struct talk t, const char **first)
{
	const char *s = t.s, *end = t.s + t.n;
	int n = 0;

	for (; s < end && (*s == ' ' || *s == '\t'); s++)
		n = *s == '\t' ? (n / TAB_WIDTH + 1) * TAB_WIDTH : n + 1;
	*first = s;
	return n;
}

#define MAKES		"= sequential(|=sequential(|= create_model(|=create_model(|= build_model(|=build_model(|= make_model(|= get_model(|=get_model(|" \
    "= load_model(|=load_model(|.from_pretrained(|= keras.sequential(|= tf.keras.sequential(|= models.sequential(|= keras.models.load_model(|" \
    "= tf.keras.models.load_model(|= keras.model(|= tf.keras.model("

static void
lower_to(char to[HABIT_NAME], struct piece name)
{
	size_t i;

	for (i = 0; i < name.n; i++)
		to[i] = lower(name.s[i]);
	to[i] = '\0';
}

/* "model = Model(inputs, outputs)", "net = Net()": a class by its capital, under a network's name;
 * not "net = Conv(8)(net)", which is a layer of one. */
static bool
makes_model(struct talk t)
{
	const char *is = memchr(t.s, '=', t.n), *s, *to, *end = t.s + t.n;
	struct piece name;
	char word[HABIT_NAME];

	if (talk_any_phrase(t, MAKES))
		return true;
	if (!is || is + 1 == end || is[1] == '=')
		return false;
	for (s = is; s > t.s && s[-1] == ' '; s--)
		;
	for (to = s; s > t.s && (piece_is_word(s[-1]) || s[-1] == '.'); s--)
		;
	name = signs_last_part((struct piece){ s, (size_t)(to - s) });
	if (name.n == 0 || name.n >= sizeof(word) || !signs_is_network(name))
		return false;
	lower_to(word, name);
	s = piece_past_blanks(is + 1, end);
	if (s == end || *s < 'A' || *s > 'Z')
		return false;
	to = piece_past_word(s, end);
	return to < end && *to == '(' && !piece_any_whole((struct piece){ to, (size_t)(end - to) }, word);
}

#define OPERATIONS	"= tf.reduce_|= tf.square(|= tf.nn.|= tf.constant(|= tf.matmul(|= tf.losses.|= tf.gradients(|= tf.train.|= tf.assign(|= tf.image.|= tf.concat(|= tf.argmax(|= tf.one_hot(|" \
    "run(tf.|optimizer.minimize("

/* "loss = tf.reduce_mean(...)" and "sess.run(loss)" in one loop: of the first version, whose
 * sessions run a graph. */
static void
makes_operations(struct oom_habits *h, struct talk t, int line)
{
	if (talk_any_phrase(t, OPERATIONS) && !talk_any_whole(t, "def return"))
		h->made_line = h->made_line ? h->made_line : line;
	if (talk_any_phrase(t, "sess.run(|session.run("))
		h->ran_line = line;
	if (h->made_line && h->ran_line)
		oom_habit_keep(h, HABIT_GRAPH, h->made_line, h->loop_line, NULL, NULL);
}

/* "for size in sizes:", and within it "model = build_model(size)". */
static void
in_loop(struct oom_habits *h, struct talk t, int line)
{
	const char *s, *end = t.s + t.n;
	int inset = inset_of(t, &s);

	if (s == end)
		return;
	if (talk_any_phrase(t, "clear_session|del model|del net|gc.collect|reset_default_graph|tf.graph()"))
		h->clears = line;
	if (h->loop_line && inset <= h->loop_inset)
		h->loop_line = 0;
	if (h->loop_line && talk_any_phrase(t, "model.predict(|self.model.predict(|net.predict(|network.predict(") && !talk_any_whole(t, "def"))
		oom_habit_keep(h, HABIT_PREDICTS, line, h->loop_line, NULL, NULL);
	if (h->loop_line && makes_model(t) && !talk_any_whole(t, "def class return"))
		oom_habit_keep(h, HABIT_LOOP, line, h->loop_line, NULL, NULL);
	if (h->loop_line)
		makes_operations(h, t, line);
	if (!h->loop_line && end - s > 4 && (memcmp(s, "for ", 4) == 0 || memcmp(s, "whil", 4) == 0) && memchr(s, ':', (size_t)(end - s))) {
		h->made_line = h->ran_line = 0;
		h->loop_line = line;
		h->loop_inset = inset;
	}
}

void
oom_loop_line(struct oom_habits *h, struct talk t, int line)
{
	state(h, t, line);
	in_loop(h, t, line);
}
