/* The sentences of stowage autopsy, which its text and its JSON share. */
#include "autopsy/autopsy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ir/op.h"
#include "oom/oom_had.h"
#include "oom/oom_says.h"

#define FEW		20	/* a part of the device that is always in pieces, */
#define MOST_TIMES	16	/* the spec's batch */
#define LARGE_PART	((int64_t)1 << 30)	/* bytes of a process, or of tensors, which had a part in what filled memory */

const char *
autopsy_shape_text(struct arena *a, const struct oom_shape *s)
{
	struct text t;
	int i;

	text_init(&t, a);
	text_puts(&t, "[");
	for (i = 0; i < s->rank; i++)
		text_printf(&t, "%s%lld", i ? ", " : "", (long long)s->dim[i]);
	text_puts(&t, "]");
	return t.s;
}

const char *
autopsy_tensor_text(struct arena *a, const struct shape_match *s)
{
	const struct tensor *t = s->tensor;
	const char *name = t->name && *t->name ? t->name : "a tensor without a name";
	const char *kind = t->def ? "the result of " : t->kind == T_INPUT ? "the input " :
	    t->kind == T_TARGET ? "the target " : "";
	const char *line = t->loc.src ? arena_join(a, ", ", "", loc_shown(a, t->loc, t->loc.src)) : "";

	return arena_printf(a, "%s%s %s%s", kind, t->def ? t->def->path : name,
	    tensor_shape_text(a, t), line);
}

/* "Const_2", "model/Const", "_EagerConst": an array of the program that becomes a tensor whole. */
static bool
makes_constant(const struct oom_message *o)
{
	const char *at = strrchr(o->node, '/');

	at = at ? at + 1 : o->node;
	if (strncmp(at, "_Eager", 6) == 0)
		at += 6;
	return strncmp(at, "Const", 5) == 0 && strspn(at + 5, "_0123456789") == strlen(at + 5);
}

/* A batch may be made one, too, but is not as large. */
static bool
is_constant_of_data(const struct autopsy *y)
{
	int64_t batch = y->matches.all.v->batch;

	return makes_constant(y->main) && (batch / MOST_TIMES > y->said_batch || batch == y->module->set.data.samples);
}

bool
autopsy_is_data(const struct autopsy *y)
{
	return y->main && y->main->shape.known && y->matches.all.n &&
	    (y->matches.all.v[0].tensor->kind == T_INPUT ||
	    y->matches.all.v[0].tensor->kind == T_TARGET) && (y->main->host || is_constant_of_data(y));
}

bool
autopsy_is_array(const struct autopsy *y)
{
	return y->main && y->main->host && y->main->kind == OOM_NUMPY;
}

const char *
autopsy_axis_text(const struct autopsy *y, const struct shape_match *s, int axis)
{
	const struct tensor *t = s->tensor;
	struct arena *a = y->arena;
	int of = s->axis[axis];

	if (of == SHAPE_BATCH)
		return autopsy_is_data(y) || autopsy_is_array(y) ? "samples" : "the batch";
	if (of == SHAPE_MERGED && s->order == SHAPE_ROWS)
		return arena_printf(a, "the batch %lld times %lld %s", (long long)s->batch,
		    (long long)(y->main->shape.dim[axis] / (s->batch ? s->batch : 1)),
		    t->rank == 3 ? "positions" : shape_axis_name(t, 0));
	if (of == SHAPE_MERGED)
		return arena_printf(a, "all of %s in one", tensor_shape_text(a, t));
	return arena_printf(a, "the %s", shape_axis_name(t, of));
}

/* Is it told in whole GB, cut off? */
static bool
is_whole(const struct oom_size *s)
{
	return s->known && s->slack == OOM_WHOLE / 2 && s->bytes % OOM_WHOLE == s->slack;
}

static const char *
whole_text(struct arena *a, const struct oom_size *s)
{
	long long n = s->bytes / OOM_WHOLE;

	return n == 0 ? "less than 1 GiB" : arena_printf(a, "%lld to %lld GiB", n, n + 1);
}

const char *
autopsy_size_text(struct arena *a, int64_t bytes, const struct oom_message *o)
{
	char human[SIZE_TEXT];

	return is_whole(&o->size[OOM_ASKED]) ? whole_text(a, &o->size[OOM_ASKED]) : arena_printf(a, "%s", size_human(human, bytes));
}

static const char *
bytes_text(struct arena *a, const struct oom_size *s)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	if (!s->known)
		return "some memory";
	if (is_whole(s))
		return whole_text(a, s);
	if (s->slack || s->bytes < 1024)
		return arena_printf(a, "%s", size_human(human, s->bytes));
	return arena_printf(a, "%s (%s B)", size_human(human, s->bytes),
	    size_commas(exact, s->bytes));
}

/* By its shape; where the type of its elements is not known, by what was asked for, if that is
 * told. An array's may be of any size, a framework's mostly have 4 bytes. */
int64_t
autopsy_bytes(const struct oom_message *o)
{
	const struct oom_size *asked = &o->size[OOM_ASKED];

	if (o->shape.known && (o->element || (o->kind != OOM_NUMPY && (!o->host || !asked->known))))
		return shape_bytes(&o->shape, o->element ? o->element : 4);
	return asked->known && !is_whole(asked) ? asked->bytes : -1;
}

static const char *
tensor_words(struct arena *a, const struct oom_message *o)
{
	int element = o->element ? o->element : 4;
	int64_t bytes = shape_bytes(&o->shape, element);
	char exact[SIZE_TEXT], human[SIZE_TEXT];

	if (bytes == INT64_MAX)
		return arena_printf(a, "a tensor of shape %s, more bytes than 63 bits can say",
		    autopsy_shape_text(a, &o->shape));
	return arena_printf(a, "a tensor of shape %s, %s B (%s) %s elements %s %d byte%s",
	    autopsy_shape_text(a, &o->shape), size_commas(exact, bytes), size_human(human, bytes),
	    o->element ? "with" : "where its", o->element ? "of" : "have", element, element == 1 ? "" : "s");
}

/* Had PyTorch's allocator as many unused bytes as it was asked for? Of small tensors it has a pool
 * by itself, which takes no pieces of the other. */
static bool
in_pieces(const struct oom_message *o, const struct budget *b)
{
	const struct oom_size *s = &o->size[OOM_ASKED];

	return !b->roomy && !b->lent && s->known && s->bytes > TORCH_SEGMENT && b->unallocated >= s->bytes;
}

/* And are they a part that counts, of what it has reserved and of the device? */
bool
autopsy_is_fragmented(const struct autopsy *y, const struct oom_message *o, const struct budget *b)
{
	return o->kind == OOM_PYTORCH && in_pieces(o, b) && !y->log.expands && !o->wrapped && b->unallocated >= b->reserved / 10 && b->unallocated >= b->total / FEW;
}

static const char *
pytorch_meaning(const struct autopsy *y, const struct oom_message *o)
{
	struct arena *a = y->arena;
	struct budget b = autopsy_budget(a, o);
	const struct oom_size *s = &o->size[OOM_ASKED];
	int64_t limit = o->size[OOM_LIMIT].known ? o->size[OOM_LIMIT].bytes : INT64_MAX;
	bool pieces = in_pieces(o, &b);

	if (strcmp(o->who, OOM_TORCH_ASYNC) == 0 && s->known && b.allocated > limit - s->bytes)
		return arena_printf(a, "PyTorch would have needed %s more, which by a setting it is not allowed.", bytes_text(a, s));
	if (strcmp(o->who, OOM_TORCH_ASYNC) == 0)
		return arena_printf(a, "PyTorch asked the device, by CUDA's own asynchronous allocator, for %s, which it did not get.", bytes_text(a, s));
	return arena_printf(a, "PyTorch's caching allocator had no block for the next tensor and "
	    "%s %s, which it %s.%s%s", s->known && b.reserved > limit - s->bytes ? "would have needed another of" : "asked the device for", bytes_text(a, s),
	    s->known && b.reserved > limit - s->bytes ? "is not allowed" : "did not get",
	    !pieces ? "" : b.unallocated - s->bytes > s->slack + o->size[OOM_ALLOCATED].slack + o->size[OOM_RESERVED].slack ? " It held as many unused bytes itself, but in pieces or of another pool" :
	    " As far as rounding tells, it held about as many unused bytes itself, but in pieces or of another pool",
	    !pieces ? "" : y->log.expands || o->wrapped ? "." : autopsy_is_fragmented(y, o, &b) ? ": the memory is fragmented, or kept for other streams." :
	    ", as a few always are.");
}

/* Is what XLA asked for the block of its temporaries, by its own list? */
static bool
is_temporary(const struct oom_message *o)
{
	const struct oom_size *asked = &o->size[OOM_ASKED], *block = &o->size[OOM_TEMPORARY];

	return block->known && block->bytes > 0 &&
	    llabs(asked->bytes - block->bytes) <= block->slack + asked->slack + 1;
}

/* Is what PyTorch asked of Metal more than its own setting allows, by the message? */
static bool
is_bounded(const struct oom_message *o)
{
	const struct oom_size *s = o->size, *limit = &s[OOM_LIMIT];
	int64_t off = limit->slack + s[OOM_ASKED].slack + s[OOM_ALLOCATED].slack + s[OOM_OTHERS].slack;

	return strcmp(o->who, oom_kind_name(OOM_MPS)) == 0 && limit->known && s[OOM_ASKED].known && s[OOM_ALLOCATED].known &&
	    s[OOM_ASKED].bytes > 0 && s[OOM_ASKED].bytes > limit->bytes - s[OOM_ALLOCATED].bytes - (s[OOM_OTHERS].known ? s[OOM_OTHERS].bytes : 0) - off;
}

bool
autopsy_asks_nothing(const struct oom_message *o)
{
	return o->size[OOM_ASKED].known && o->size[OOM_ASKED].bytes == 0;
}

static const char *
device_meaning(struct arena *a, const struct oom_message *o)
{
	const char *what = bytes_text(a, &o->size[OOM_ASKED]);

	switch (o->kind) {
	case OOM_XLA:
		if (autopsy_asks_nothing(o))
			return "XLA asked for 0 bytes, and was told that memory ended. By that number it was not for want of memory.";
		if (!o->size[OOM_ASKED].known)
			return "XLA's compiler added up what the program needs, and it is more "
			    "than the device has; nothing was run.";
		return arena_printf(a, "XLA asked for %s in one block%s: it fits whole or not at all.",
		    what, is_temporary(o) ? ", the one that it plans for all temporaries of a compiled "
		    "program" : "");
	case OOM_ONNX:
		return arena_printf(a, "ONNX Runtime's arena could not be extended by a buffer%s%s%s%s.", o->size[OOM_ASKED].known ? " of " : "",
		    o->size[OOM_ASKED].known ? what : ", whose size was not read", o->node[0] ? " for node " : "", o->node);
	case OOM_PADDLE:
		return o->size[OOM_ASKED].known ? arena_printf(a, "PaddlePaddle's allocator asked the device for %s.", what) :
		    "PaddlePaddle's allocator got no memory on the device. As read here, the message does not say how much it asked for.";
	case OOM_CUPY:
		if (o->size[OOM_LIMIT].known)
			return arena_printf(a, "CuPy's memory pool was to grow by %s, beyond its limit.", what);
		return arena_printf(a, "CuPy's memory pool asked the device for %s.", what);
	case OOM_MPS:
		if (is_bounded(o))
			return arena_printf(a, "PyTorch takes no more than a bound of the machine's memory through Metal, and %s more would have been beyond it.", what);
		if (!o->size[OOM_ASKED].known || o->size[OOM_ASKED].bytes == 0)
			return strcmp(o->who, "MLX") == 0 ? "MLX was refused memory, as a rule by Metal, which gives a process a share of the machine's; as read here, the message does not say for what." :
			    "Metal gives a process a share of the machine's memory, and that was used up; "
			    "as read here, the message does not say by what.";
		return arena_printf(a, strcmp(o->who, "MLX") == 0 ? "MLX was refused %s, as a rule by Metal, which gives a process a share of the machine's memory." :
		    "Metal gives a process a share of the machine's memory, and "
		    "that ended at a request of %s.", what);
	case OOM_OTHER:
		return o->size[OOM_ASKED].known ? arena_printf(a, "Words that any program may use: "
		    "by them, memory ended at a request of %s.", what) : "Words that any program may use: by them, memory "
		    "ended; as read here, they do not say for what.";
	case OOM_OURS:
		return arena_printf(a, "The program needs %s in one block, and saw before it began "
		    "that they were not there; nothing was trained.", what);
	default:
		return o->facts & TRACE_LIMIT ? arena_printf(a, "A buffer%s%s is larger than this device, or its driver, gives in one piece, "
		    "however much is free: it must be smaller, or in parts.", o->size[OOM_ASKED].known ? " of " : "",
		    o->size[OOM_ASKED].known ? what : "") :
		    o->shape.known ? arena_printf(a, "The device had no room for %s.", tensor_words(a, o)) :
		    !o->size[OOM_ASKED].known && o->status ? "A library of CUDA could not allocate something, by its code; as read here, the message does not say what." :
		    !o->size[OOM_ASKED].known && strcmp(o->who, "Vulkan") == 0 ? "By this message the device had no memory left, or its driver gives no piece as large as was asked for; as read here, it does not say for what." :
		    !o->size[OOM_ASKED].known ? "By this message the device had no memory left; as read here, it does not say for what." :
		    !autopsy_is_driver(o) ? arena_printf(a, "%s of the device's memory were asked for, and not given.", what) :
		    arena_printf(a, "The driver was asked for %s, and did not give it. A framework may go on after that with smaller "
		    "blocks; an error of its own tells whether it did.", what);
	}
}

bool
autopsy_is_named_alone(const struct oom_message *o)
{
	return o->kind == OOM_MACHINE && !o->says && o->titled && !o->cpp && !o->python && !o->raised && !o->size[OOM_ASKED].known && !o->shape.known;
}

static const char *
host_meaning(struct arena *a, const struct oom_message *o)
{
	if (autopsy_is_named_alone(o))
		return "The name of an error, as read here without what raised it: as a rule a request for the " MACHINES ", was refused" WITH_DEVICE("; libraries of a "
		    "GPU have errors of that name, too") ".";
	if (o->kind == OOM_KERNEL)
		return arena_printf(a, "The " MACHINES ", ran out, and the "
		    "kernel ended a process%s.", oom_process_had(a, o));
	if (o->shape.known && !o->element && (o->size[OOM_ASKED].known || o->kind == OOM_NUMPY))
		return arena_printf(a, "The " MACHINES ", had no room for an array of shape %s%s%s.",
		    autopsy_shape_text(a, &o->shape), o->size[OOM_ASKED].known ? ": " : "", o->size[OOM_ASKED].known ?
		    bytes_text(a, &o->size[OOM_ASKED]) : "");
	if (o->shape.known)
		return arena_printf(a, "The " MACHINES ", had no room for "
		    "%s.", tensor_words(a, o));
	if (!o->size[OOM_ASKED].known && o->kind == OOM_MACHINE)
		return "A request for the " MACHINES ", was refused; as read here, the message does not say "
		    "for what.";
	if (!o->size[OOM_ASKED].known)
		return "The " MACHINES ", ran out; as read here, the message does not say "
		    "for what.";
	return arena_printf(a, "The " MACHINES ", had no room for %s.",
	    bytes_text(a, &o->size[OOM_ASKED]));
}

/* By TensorFlow's names: gradients/conv/Conv2D_grad/Conv2DBackpropInput, gradient_tape/...,
 * ReluGrad; not what people call gradient_penalty or policy_gradient. */
bool
autopsy_in_backward(const struct oom_message *o)
{
	const char *last = strrchr(o->node, '/');

	return strstr(o->node, "gradients") || strstr(o->node, "gradient_tape") || strstr(o->node, "Backprop") || strstr(o->node, "_grad/") ||
	    strstr(last ? last : o->node, "Grad");
}

#define NOT_MEMORY	"Not for want of memory, as far as was read: "

/* Do people's words tell no more than that the process ended, which the message is of? */
static bool
tells_of_same_end(const struct oom_paste *p, const struct oom_message *o)
{
	return !p->grows.line && p->told.what >= TOLD_TROUBLE && strcmp(o->says, NO_INSTRUCTION) == 0;
}

/* What a message that is not of memory says, where people tell of memory beside it: of that message
 * alone. */
static const char *
says_apart(const struct autopsy *y, const struct oom_message *o)
{
	const struct oom_paste *p = &y->log.paste;
	const struct said *said = p->grows.line ? &p->grows : &p->told.said;

	if (strncmp(o->says, NOT_MEMORY, strlen(NOT_MEMORY)) != 0 || !said->line || said->line == o->line || tells_of_same_end(p, o))
		return o->says;
	return arena_printf(y->arena, "By its own words this message is not of memory: %s But %s: where memory ends there, another error tells of it, and " LISTER " "
	    "for a device, and " MONITOR " for the machine, show whether it grows.", o->says + strlen(NOT_MEMORY), autopsy_said(y, said));
}

/* Is the amount of a message that says what it means one that was asked for, and in no
 * arithmetic? */
static bool
tells_amount(const struct autopsy *y, const struct oom_message *o)
{
	const struct oom_size *s = o->size;

	if (!o->says || o->apart || !s[OOM_ASKED].known || s[OOM_ASKED].bytes == 0 || s[OOM_TOTAL].known || s[OOM_FREE].known || s[OOM_ALLOCATED].known)
		return false;
	return o->kind != OOM_OTHER && strcmp(o->who, "a miner") != 0 && strcmp(o->says, REMATERIALIZED) != 0 && !(o == y->main && y->log.card.known);
}

const char *
autopsy_amount(const struct autopsy *y, const struct oom_message *o)
{
	return tells_amount(y, o) ? arena_printf(y->arena, " It was asked for %s.", bytes_text(y->arena, &o->size[OOM_ASKED])) : "";
}

static const char *
meaning(const struct autopsy *y, const struct oom_message *o)
{
	struct arena *a = y->arena;

	if (o->says && strcmp(o->says, JAVA_HEAP) == 0 && y->log.paste.spark)
		return arena_printf(a, "%s Line %d names Spark: there spark.driver.memory says it for the driver, to which collect() and toPandas() bring all rows, and on which what is not split among executors runs, and "
		    "spark.executor.memory for an executor.", o->says, y->log.paste.spark);
	if (o->says)
	if (o->says)
		return arena_printf(a, "%s%s", says_apart(y, o), autopsy_amount(y, o));
	if (o->kind == OOM_TOLD)
		return autopsy_told(y);
	if (o->host)
		return host_meaning(a, o);
	if (o->kind == OOM_OTHER && o->shape.known)
		return arena_printf(a, "Words that any program may use: by them, memory ended; they "
		    "speak of %s, which need not be what there was no room for.",
		    tensor_words(a, o));
	if (o->kind == OOM_TENSORFLOW && !o->shape.known)
		return o->size[OOM_ASKED].known ? arena_printf(a, "TensorFlow's allocator could not serve a request of %s%s%s.",
		    bytes_text(a, &o->size[OOM_ASKED]), o->node[0] ? " by " : "", o->node) :
		    arena_printf(a, "TensorFlow had no memory left%s%s; as read here, the "
		    "message does not say for what.", o->node[0] ? " in " : "", o->node);
	if (o->kind == OOM_TENSORFLOW)
		return arena_printf(a, "TensorFlow's allocator had no chunk left for %s%s%s.",
		    tensor_words(a, o), o->node[0] ? autopsy_in_backward(o) ?
		    ", asked for in backward by " : ", asked for by " : "", o->node);	/* a result, or what it works with */
	if (o->kind == OOM_TF_ALLOCATOR)
		return arena_printf(a, "TensorFlow's allocator could not serve a request of "
		    "%s%s%s%s.", bytes_text(a, &o->size[OOM_ASKED]), o->node[0] ? " by " : "",
		    o->node,
		    o->warning ? "; it went on with another algorithm, so this is not the failure" :
		    "");
	if (o->kind == OOM_PYTORCH)
		return pytorch_meaning(y, o);
	return device_meaning(a, o);
}

/* And where its program went on from it, that. */
const char *
autopsy_meaning(const struct autopsy *y, const struct oom_message *o)
{
	const char *text = autopsy_worded(y, meaning(y, o));

	return !o->caught ? text : arena_printf(y->arena, "%s By line %d the program went on from it, as where batches are tried for their size, or one is left out: by itself it is "
	    "no failure of the run, and what ended that, if anything did, says so elsewhere. Where many end so, smaller ones spare them.", text, o->caught);
}

int
autopsy_percent(int64_t part, int64_t whole)
{
	int n = (int)(100.0 * (double)part / (double)whole + 0.5);

	return n >= 100 && part < whole ? 99 : n;
}

/* What had filled the machine's memory is known to be a process, where the kernel says what the one
 * had that it ended; a device's, tensors, where the message counts them. */
const char *
autopsy_unfilled(const struct autopsy *y)
{
	const struct oom_size *had = &y->main->size[OOM_ALLOCATED];
	const struct oom_paste *p = &y->log.paste;
	char human[SIZE_TEXT];

	if (!y->main->host && had->known && had->bytes >= LARGE_PART)
		return arena_printf(y->arena, "Tensors of this process had %s of the device; what they are was not found in what was read", size_human(human, had->bytes));
	if (!y->main->host)
		return "What had filled the device, if anything had, was not found in what was read";
	if (y->main->titled && (p->cuda || p->told.gpu || p->told.device))	/* "bad_alloc on the CPU, and on the GPU it fails in cudaMalloc" */
		return "What had filled the machine's memory was not found in what was read";
	return y->main->kind != OOM_KERNEL || !had->known || had->bytes < LARGE_PART ? "It was the " MACHINES ". What had filled it was not found in what was read" :
	    arena_printf(y->arena, "It was the " MACHINES ". The process that was ended had %s of it; what that was for was not found in what was read", size_human(human, had->bytes));
}
