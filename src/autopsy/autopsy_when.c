/*
 * Where nothing tells what filled memory: how to find out. No cause is said to be likelier than
 * another, which would be no evidence of this run; the time when it fails, and who else has the
 * device, tell them apart, and each is told with what helps then. Programs that are no networks
 * fail in the same words, so that there has to be a sign of one.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "oom/oom_says.h"

#define TELLS_MOST	"when it fails tells most, and so does " LISTER ", before the run and while it runs:"
#define TOP_TELLS	"when it grows, by the machine's own tool (top), tells most:"

static const char *const of_device[] = {
	AT_START("- At the first steps or calls, where the device was nearly free before: the run needs more than there is, for weights, or for what layers make, which grows with the samples at "
	    "once (the batch) and their size (pixels, length)."),
	UNTRIED(BY_ALONE, "- As soon as it uses a device that was not free before: another process has the rest, such as a run or a notebook that has not ended."),
	AFTERWARDS("- Only later: something may be kept from step to step (results on lists), or larger samples came."),
	NULL
};

static const char *const of_machine[] = {
	AT_START("- Before the first step: data are read whole, and once more while they are converted, or weights are."),
	AFTERWARDS("- From step to step: something may be kept (results on lists)" WITH_LOADER(", or a loader's processes come to hold copies of what the data set has") "."),
	"- In a step, where the network itself runs on the processor: what layers make, which grows with the samples at once and their size.",
	NULL
};

/* C++ refuses a size that no machine has in the same words. */
#define WRONG_SIZE	"- At once, however much is free: the size that was asked for may be wrong, as where it was read from a file that is damaged, cut, missing or of another form."

/* Where trees are learned: what lies there, and when it grows. */
static const char *const of_trees[] = {
	"- Before the first tree: all rows are put into a matrix of the library's own, as a rule in bins, beside the data and copies of them: fewer rows or columns, numbers of 4 bytes, "
	    "what is sparse kept so, or parts one after the other (in XGBoost a QuantileDMatrix or external memory) take less.",
	"- As trees are made: sums for each bin of every column are kept for leaves: fewer leaves or levels (num_leaves, max_depth), or bins (max_bin), take less.",
	"- From run to run, as over folds or in a search: models and matrices of the runs before lie there for as long as a name or a list holds them.",
	NULL
};

/* Of a language whose libraries are of other things as often. */
static bool
is_of_other_language(const struct oom_message *o)
{
	return strcmp(o->who, "R") == 0 || strcmp(o->who, ".NET") == 0;
}

/* Is there a sign of a network: a framework's message, or words, code or calls of one? */
static bool
is_of_network(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (!p->layers && !p->torch && !p->torch_files && !p->tf_files && !p->jax_files && ((p->classic && autopsy_is_of_machine(y)) || is_of_other_language(y->main) || (p->tables && autopsy_is_of_machine(y) && !autopsy_trains(y))))
		return false;
	if (autopsy_tells_no_network(p) || p->phone || p->gpu_files || autopsy_serves(y))
		return false;
	switch (y->main->kind) {
	case OOM_TENSORFLOW: case OOM_TF_ALLOCATOR: case OOM_PYTORCH: case OOM_TORCH_SUMMARY: case OOM_PYTORCH_CPU: case OOM_PADDLE:
		return true;
	case OOM_CUDA:
		return p->network || p->torch || p->torch_files || p->tf_files || p->jax_files;
	default:
		return p->names_network || p->torch || p->torch_files || p->tf_files || p->jax_files;
	}
}

bool
autopsy_had_steps(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->later.line || p->falls.line || (autopsy_had_rounds(y) && !p->resuming.line);
}

/* What is saved, or tested beside training, has had its steps. */
bool
autopsy_may_start(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_had_steps(y) && !p->saving.line && !(p->evaluating.line && autopsy_trains(y));
}

bool
autopsy_may_go_on(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_in_first_round(y) && !p->saving.line && (!p->soon.line || p->later.line);
}

bool
autopsy_when(struct autopsy *y, bool placed)
{
	const struct oom_message *o = y->main;
	const struct oom_told *told = &y->log.paste.told;
	bool trees = autopsy_is_of_trees(&y->log.paste);
	bool machine = autopsy_is_of_machine(y);
	const char *const *list = trees ? of_trees : o->host ? of_machine : of_device;
	const char *head = !placed ? machine ? "Where it was the machine's memory, " TOP_TELLS : "Where it was a device's memory, " TELLS_MOST :
	    o->says ? "Where it was the machine's memory, " TOP_TELLS : o->host ?
	    o->cpp ? "It was the " MACHINES ". What had filled it, if anything had, was not found in what was read: " TOP_TELLS :
	    arena_printf(y->arena, "%s: " TOP_TELLS, autopsy_unfilled(y)) :
	    "What had filled the device, if anything had, was not found in what was read: " TELLS_MOST;

	if (o->kind == OOM_TOLD && !o->host && told->ram && told->gpu && !told->device)
		return false;		/* either memory may be meant */
	if (!trees && !is_of_network(y))
		return false;
	vec_push(y->arena, &y->likely, autopsy_worded(y, head));
	for (; *list; list++)
		if (*autopsy_worded(y, *list))
			vec_push(y->arena, &y->likely, autopsy_worded(y, *list));
	if (o->cpp)
		vec_push(y->arena, &y->likely, WRONG_SIZE);
	return true;
}
