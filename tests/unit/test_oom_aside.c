/* What a report has beside what it is of: posts of others, and code that is not, or no longer, what
 * ran. The texts are made up. */
#include <criterion/criterion.h>

#include <string.h>

#include "oom/oom_aside.h"

#define MOST		12

struct text {
	const char *line[MOST];
	int aside;		/* lines of it that nothing rests on, from its last */
};

/* How many of the last lines that are no blank ones are comments. */
static int
aside_of(const struct text *t)
{
	struct oom_sources sources = { 0 };
	struct oom_aside aside = { 0 };
	struct arena *a = arena_new();
	struct lexicon *l = lexicon_new(a);
	int i, n = 0;

	for (i = 0; i < MOST && t->line[i]; i++) {
		struct talk line = lexicon_read(l, t->line[i], strlen(t->line[i]));
		enum oom_source source = oom_source_of(&sources, line);

		source = oom_aside(&aside, line, source, sources.fenced, i > 0);
		n = source == SOURCE_COMMENT ? n + 1 : source == SOURCE_NONE ? n : 0;
	}
	arena_free(a);
	return n;
}

Test(oom_aside, posts_of_others)
{
	static const struct text texts[] = {
		{ { "It fails.", "", "+1, in my case it was the sum of losses.", "It grew." }, 2 },
		{ { "It fails.", "Same here: I forgot torch.no_grad() in it." }, 1 },
		{ { "It fails.", "@a: I have the same problem, for me it is the validation." }, 1 },
		{ { "It fails.", "> I had the same issue. In my case a notebook had it." }, 1 },
		{ { "It fails.", "+1, it was the loss.", "loss_sum += loss" }, 2 },
		{ { "It fails.", "+1, it was the loss.", "@torch.no_grad()", "# a sum", "loss_sum += loss" }, 4 },
		/* whoever asks says the like */
		{ { "I have the same issue as in the other thread, for me it fails at once." }, 0 },
		{ { "It fails.", "I get the same error with a batch of 1." }, 0 },
		{ { "It fails.", "I have the same issue as described there, in my case with a batch of 1." }, 0 },
		{ { "It fails.", "In my case it is the validation." }, 0 },
		{ { "It fails.", "+10 GB of memory are taken by it." }, 0 },
		/* the next post is another's again, who may be the one who asked */
		{ { "It fails.", "Me too.", "---", "I did that, and it fails." }, 0 },
		{ { "It fails.", "Me too.", "@a: it is the validation that fails." }, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cr_expect_eq(aside_of(&texts[i]), texts[i].aside, "%s: %d", texts[i].line[1] ? texts[i].line[1] : texts[i].line[0], aside_of(&texts[i]));
}

Test(oom_aside, code_that_did_not_run)
{
	static const struct text texts[] = {
		{ { "I am not doing this:", "", "```python", "loss_sum += loss" }, 1 },
		{ { "Before, my code was:", "loss_sum += loss", "losses.append(loss)" }, 2 },
		{ { "I add the number instead of:", "loss_sum += loss" }, 1 },
		{ { "x = model(y)", "# old version", "loss_sum += loss" }, 2 },
		{ { "I used to have this:", "```", "loss_sum += loss" }, 1 },
		{ { "I do not know why. My code is:", "loss_sum += loss" }, 0 },
		{ { "Before it failed, my code was:", "loss_sum += loss" }, 0 },
		{ { "This old code runs out of memory:", "loss_sum += loss" }, 0 },
		{ { "Instead of the tensor I add:", "loss_sum += loss" }, 0 },
		{ { "Why do you not do this:", "I do:", "loss_sum += loss" }, 0 },
		{ { "I used to have this:", "```", "loss_sum += loss", "```", "Now:", "```", "loss_sum += loss" }, 0 },
		{ { "x = model(y)", "# old version", "y = model(x)", "# new version", "loss_sum += loss" }, 0 },
		{ { "x = model(y)", "# before training", "loss_sum += loss" }, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cr_expect_eq(aside_of(&texts[i]), texts[i].aside, "%s: %d", texts[i].line[0], aside_of(&texts[i]));
}
