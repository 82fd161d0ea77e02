/* By TensorFlow's error of a graph that was finalized, in its own words or in people's, and by the
 * name of tf.function beside memory that grows. */
#include "oom/oom_graph.h"

#include "oom/oom_clause.h"

#define FINALIZES	"graph.finalize()|graph().finalize()|gp.finalize()|g.finalize()|graph.finalize`"
#define RAISES		"exception error raised raises raise runtimeerror fails failed threw throws"
#define GROWS		"leak leaks leaking leaked increases increasing increase grow grows growing grew accumulates accumulating"
#define UNLIKE		"solved fixed resolved helps helped no longer"

/* "RuntimeError: Graph is finalized and cannot be modified.", "I added graph.finalize(), and an
 * exception was raised from ops.append(p.assign(w))": not one that a person is told to call. */
static bool
is_added_to(struct talk t)
{
	const char *at;

	if (talk_any_phrase(t, "graph is finalized and cannot be modified"))
		return true;
	at = talk_first(t, FINALIZES);
	return at && talk_any_whole(talk_part(t, at, t.s + t.n), RAISES) && !clause_is_question(talk_sentence(t, at)) && !talk_any_whole(t, "if no without nothing");
}

/* "memory leak with tf.function": in one sentence that denies neither. */
static bool
grows_with_traces(struct talk t)
{
	const char *at = talk_first(t, "tf.function");
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(sentence, GROWS) && talk_any_whole(sentence, "memory ram vram gpu") && !talk_any_whole(sentence, UNLIKE) && !clause_says_no(sentence, "without") && !clause_is_question(sentence);
}

void
oom_graph_seen(struct oom_habits *h, struct talk t, int line)
{
	if (is_added_to(t))
		oom_habit_keep(h, HABIT_FINALIZED, line, 0, NULL, NULL);
	if (grows_with_traces(t))
		oom_habit_keep(h, HABIT_TRACED, line, 0, NULL, NULL);
}
