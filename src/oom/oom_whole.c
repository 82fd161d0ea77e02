/* Calls that are told from others by what stands around them: of tables, of samples and of data. */
#include "oom/oom_whole.h"

#include <string.h>

/* "a.merge(b, on='id')", "merge(x, y, how="left")": tables by the words of their keys. */
static void
joins_tables(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, ".merge("), *from;

	if (!at || !talk_any_phrase(t, "on=|on =|how=|how =|left_index=|right_index=") || talk_any_phrase(t, "def |validate="))
		return;
	for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
		;
	oom_habit_keep(h, HABIT_JOINS, line, 0, from, at + strlen(".merge"));
}

/* "train_set_x = theano.shared(np.asarray(data_x))", as the tutorials have it: on the device, where
 * there is one. "[cuda.to_gpu(x) for x in images]": each of a list. */
static void
shares_data(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, "theano.shared("), *to, *end = t.s + t.n;

	if (!at && (at = talk_first(t, "[cuda.to_gpu(|[to_gpu(|[cp.asarray(|[cupy.asarray(|[cp.array(|[cupy.array(")) && talk_any_phrase(talk_part(t, at, end), " for ")) {
		to = memchr(at, '(', (size_t)(end - at));
		oom_habit_keep(h, HABIT_MOVED, line, 0, at + 1, to);
		return;
	}
	if (at && talk_any_phrase(talk_part(t, at, end), "data_x|data_y|train_set|test_set|valid_set|x_train|train_x|x_test|trainx|all_data|dataset|train_data|images")) {
		to = at + strlen("theano.shared");
		oom_habit_keep(h, HABIT_MOVED, line, 0, at, to);
	}
}

#define OF_DATA		"x y xtrain ytrain xtest ytest x_train y_train x_test y_test train_x train_y test_x test_y xs ys data images labels features inputs targets train_data test_data imgs"

/* "X = X |> gpu" of Julia, where no loop is around it by how far it is set in: data, by their
 * name. */
static void
moves_data(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, "> gpu|= gpu(|=gpu("), *is = memchr(t.s, '=', t.n), *to;
	struct talk name;

	if (!at || !is || t.n == 0 || t.s[0] == ' ' || t.s[0] == '\t' || talk_any_phrase(t, "for |loader|@epochs"))
		return;
	for (to = is; to > t.s && to[-1] == ' '; to--)
		;
	name = talk_part(t, t.s, to);
	if (talk_is_one_of(name, OF_DATA))
		oom_habit_keep(h, HABIT_MOVED, line, 0, name.s, to);
}

/* "ds.map(tokenize, batched=True)" of datasets. */
static void
maps(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, ".map("), *batched = at ? talk_first(talk_part(t, at, t.s + t.n), "batched=true|batched = true") : NULL;

	if (batched && !talk_any_phrase(t, "def "))
		oom_habit_keep(h, HABIT_MAPS, line, 0, batched, batched + strlen("batched"));
}

void
oom_whole_traced(struct oom_habits *h, struct talk t, int line)
{
	joins_tables(h, t, line);
	shares_data(h, t, line);
}

void
oom_whole_line(struct oom_habits *h, struct talk t, int line)
{
	oom_whole_traced(h, t, line);
	moves_data(h, t, line);
	maps(h, t, line);
}
