/*
 * What a library keeps in a store of its own, where a report names the library and its memory
 * grows, or is not given back, or is the device's that it works on. That it is what filled memory
 * is a condition.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"
#include "oom/oom_says.h"

enum where { ON_HOST = 1, ON_DEVICE = 2, ON_EITHER = 3 };

static const struct {
	enum library library;
	enum where where;
	bool anyway;		/* or only where memory grows, or is not given back */
	const char *says;
} stores[] = {
	{ LIBRARY_FAISS, ON_DEVICE, true, "Where faiss works on that device, it sets aside what its operations work with in one block, ahead of any index, by itself 512 MiB to 1.5 GiB by the device's size, beside the vectors (a flat index has 4 bytes for "
	    "each number), and beside what PyTorch or another library holds in the same process. " FAISS_SMALLER },
	{ LIBRARY_PADDLE, ON_DEVICE, true, "Where that is Paddle's predictor (Paddle Inference, Paddle Serving), %sits pool keeps the most that any input so far took: inputs of a bounded size, or fewer at once, take less." },
	{ LIBRARY_PADDLE, ON_HOST, false, "Where that is Paddle's inference on the processor, oneDNN, where it is on (enable_mkldnn), keeps what it made for each size of input that came: pictures of a few sizes, a bound on how many are kept "
	    "(set_mkldnn_cache_capacity()), or inference without it (enable_mkldnn=False) hold it." },
	{ LIBRARY_MXNET, ON_EITHER, false, "Where that is MXNet's, an executor that is bound anew for each shape that comes (buckets, reshape) has memory of its own for all of its results, unless it shares that of a larger one: the largest bound first, or "
	    "inputs padded to a few shapes, hold it. What is called runs later, so that rounds pile up where none waits for its results (asnumpy(), wait_to_read())." },
	{ LIBRARY_CUPY, ON_DEVICE, false, "Where that is CuPy's, its pool keeps blocks of arrays that are gone, for later ones, and the driver counts them as taken, until get_default_memory_pool().free_all_blocks(). An array is gone when nothing holds it: "
	    "a name, an output of a notebook, or the traceback of the last error, which an interpreter keeps." },
	{ LIBRARY_ONNX, ON_DEVICE, false, "Where that is ONNX Runtime's, its arena keeps the most that any inputs so far took. An entry of a run gives it back (memory.enable_memory_arena_shrinkage in RunOptions; a session's options do not have it), and "
	    "arena_extend_strategy kSameAsRequested lets it grow by what is asked for, and not by powers of two. Where a second run of a session takes more than the first, enable_mem_pattern = False spares the one block in which "
	    "it plans the results of shapes that it has seen." },
	{ LIBRARY_ONNX, ON_HOST, false, "Where that is ONNX Runtime's on the processor, its arena keeps the most that any inputs so far took: enable_cpu_mem_arena = False has none, and enable_mem_pattern = False none of the blocks in which it plans the "
	    "results of shapes that it has seen." },
};

#define TF_HOLDS	"Where that is TensorFlow's, its allocator gives nothing of a device back by itself before its process ends, whatever is closed or deleted in it (a session, clear_session()), and uses it again itself: a process for each part " \
    "gives it back, and a bound on what it takes (memory growth, a limit of the device's memory) leaves others some."

/* Has a message of the library's own pool told of it? */
static bool
is_told(const struct autopsy *y, enum library library)
{
	const struct oom_libraries *l = &y->log.paste.libraries;
	const struct oom_message *o = y->main;

	switch (library) {
	case LIBRARY_FAISS:
		return o->says && strcmp(o->who, "faiss") == 0;
	case LIBRARY_CUPY:
		return o->kind == OOM_CUPY;
	case LIBRARY_ONNX:
		return o->kind == OOM_ONNX;
	case LIBRARY_PADDLE:
		return autopsy_trains(y) || (strncmp(l->named[LIBRARY_PADDLE].name, "FLAGS", 5) == 0 && (o->kind == OOM_PADDLE || !l->infers));	/* a setting of training, too */
	default:
		return false;
	}
}

/* Where it was by the message, or by people's words as far as these tell; else either. */
static enum where
where(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;

	if (autopsy_is_of_machine(y) || autopsy_is_near_ram(y))
		return ON_HOST;
	return y->main->kind == OOM_TOLD && ((!t->device && !t->gpu) || (t->ram && !t->sure) || (t->killed.line && t->by_system)) ? ON_EITHER : ON_DEVICE;
}

void
autopsy_libraries(struct autopsy *y)
{
	const struct oom_libraries *l = &y->log.paste.libraries;
	bool stays = l->retains || y->log.paste.grows.line || y->log.paste.again.line;
	const struct oom_knob *named;
	const char *reuses = l->reuses ? "" : l->off ? arena_printf(y->arena, "results of layers that are done with lie there beside all others, as line %d has --mem_optim_off, which switches their reuse off (without it, it is on), and ", l->off) :
	    l->option ? arena_printf(y->arena, "results of layers that are done with lie there beside all others, unless its optimisation of memory is on (line %d has --mem_optim: where the options of that Serving have "
	    "--mem_optim_off in its place, it is on by itself, and --mem_optim, read as a short form of that, turns it off: leave it out there), and ", l->option) :
	    "results of layers that are done with lie there beside all others, unless its optimisation of memory is on (enable_memory_optim() of its Config; in Serving --mem_optim, where its options have that; where they have "
	    "--mem_optim_off, it is on by itself, and --mem_optim would be read as that), and ", *at, *says;
	size_t i;

	for (i = 0; i < sizeof(stores) / sizeof(*stores); i++) {
		named = &l->named[stores[i].library];
		says = stores[i].says;
		if (!named->line || !(stores[i].where & where(y)) || (!stores[i].anyway && !stays) || is_told(y, stores[i].library))
			continue;
		at = strstr(says, "%s");
		autopsy_hint(y, SAYS_LIBRARY, arena_printf(y->arena, "Line %d names %s. %.*s%s%s", named->line, named->name, at ? (int)(at - says) : 0, says, at ? reuses : "", at ? at + 2 : says));
	}
	named = &l->named[LIBRARY_TENSORFLOW];
	if (named->line && l->retains && l->closes && where(y) == ON_DEVICE && !autopsy_in_torch(y))
		autopsy_hint(y, SAYS_LIBRARY, arena_printf(y->arena, "Line %d names %s. %s", named->line, named->name, TF_HOLDS));
}
