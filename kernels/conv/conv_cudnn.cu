/*
 * conv/conv_cudnn.cu - convolutions by cuDNN (-DUSE_CUDNN), of whole batches. What it refuses, and
 * the last, smaller batch of an epoch, for which no graph is built, are left to conv_cuda.cu.
 *
 * Graphs are built when the steps are rehearsed, before anything is trained (device_cuda.cu), with
 * the engines that emission chose for this card, or else by asking cuDNN's heuristics here.
 */
#ifndef STOWAGE_CONV_CONV_CUDNN_CU
#define STOWAGE_CONV_CONV_CUDNN_CU

#include "kernel.h"
#include "product/bias.cu"
#include "pointwise/epilogue.cu"
#include "conv/engine_cudnn.cu"

#ifdef __CUDACC__
#ifdef USE_CUDNN

#define BY_CUDNN		/* device_open() opens it */

/* what the tensors of this program are */
#if defined(USE_DOUBLE)
#define DNN_TYPE	CUDNN_DATA_DOUBLE
#elif NARROW
#define DNN_TYPE	ELEM_CUDNN
#else
#define DNN_TYPE	CUDNN_DATA_FLOAT
#endif
#ifdef USE_TF32
#define DNN_FAST	true
#else
#define DNN_FAST	false
#endif

struct dnn_entry {
	struct dnn_conv conv;
	bool found;		/* there is a plan; else the convolution is not cuDNN's */
	bool recorded;		/* by the engine that emission chose */
	struct dnn_choice choice;
	struct dnn dnn;
};

#define DNN_ENTRIES	512	/* more convolutions than that are not cuDNN's */

static struct dnn_entry dnn_entry[DNN_ENTRIES];
static int dnn_entries;
static struct dnn_device dnn_device;	/* opened by device_open() */
static bool dnn_building;	/* the steps are rehearsed */
static const struct step *step_on_host;	/* the numbers of the step that is launched */

/* What emission chose (engines.c); ends with kind -1. Another architecture, and another cuDNN, has engines
 * that are better or none of that number, though some would be accepted. */
struct dnn_record {
	struct dnn_conv conv;
	struct dnn_choice choice;
};
extern const struct dnn_record dnn_record[];
extern const struct dnn_records_for {
	int arch;		/* as in struct dnn_device */
	size_t version;
} dnn_records_for;

static bool
dnn_records_hold(void)
{
	return dnn_records_for.arch == dnn_device.arch && dnn_records_for.version == cudnnGetVersion();
}

static bool
dnn_same(const struct dnn_conv *a, const struct dnn_conv *b)
{
	return a->kind == b->kind && a->bias == b->bias && a->relu == b->relu && a->keep == b->keep &&
	    a->room == b->room && a->b == b->b && memcmp(&a->s, &b->s, sizeof(a->s)) == 0 &&
	    memcmp(&a->view, &b->view, sizeof(a->view)) == 0;
}

/* The entry of a convolution, created if necessary and allowed; NULL if there is none. */
static struct dnn_entry *
dnn_find(const struct dnn_conv *c)
{
	struct dnn_entry *e;

	for (int i = 0; i < dnn_entries; i++)
		if (dnn_same(&dnn_entry[i].conv, c))
			return &dnn_entry[i];
	if (!dnn_building || dnn_entries == DNN_ENTRIES)
		return NULL;
	e = &dnn_entry[dnn_entries++];
	e->conv = *c;
	for (const struct dnn_record *r = dnn_record; r->conv.kind >= 0 && !e->found; r++)
		if (dnn_records_hold() && dnn_same(&r->conv, c) &&
		    dnn_take(&e->dnn, &dnn_device, c, &r->choice)) {
			e->choice = r->choice;
			e->found = e->recorded = true;
		}
	if (!e->found)
		e->found = dnn_choose(&e->dnn, &dnn_device, c, &e->choice);
	return e;
}

/* The tensor that is made is written to; of the others cuDNN only reads. */
static void
dnn_execute(const struct dnn_entry *e, const elem *x, const elem *w, const elem *y,
    const elem *bias, void *work)
{
	cudnnBackendDescriptor_t pack;
	int64_t id[4] = { DNN_X, DNN_W, DNN_Y, DNN_BIAS };
	const void *at[4] = { x, w, y, bias };

	CUDNN(cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack));
	CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
	    e->conv.bias ? 4 : 3, id));
	CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
	    CUDNN_TYPE_VOID_PTR, e->conv.bias ? 4 : 3, at));
	CUDNN(cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
	    1, &work));
	CUDNN(cudnnBackendFinalize(pack));
	CUDNN(cudnnBackendExecute(dnn_device.handle, e->dnn.plan, pack));
	CUDNN(cudnnBackendDestroyDescriptor(pack));
}

/* y[b, c, p] += bias[c], where PLANE elements lie between channels: one where these come last */
KERNEL(dnn_bias_kernel, (elem *y, const elem *bias, int64_t n, int channels, int64_t plane))
{
	EACH (i, n)
		y[i] = ELEM(VALUE(y[i]) + VALUE(bias[i / plane % channels]));
}

/* --profile: the convolutions of the steps, and the engine of each; "own" are conv_cuda.cu's. */
static void
dnn_report(void)
{
	static const char *const kind[] = { "forward", "input", "weight" };

	if (dnn_record[0].conv.kind >= 0 && !dnn_records_hold())
		printf("\nengines were chosen for sm_%d and cuDNN %zu, not for these, and are chosen here\n",
		    dnn_records_for.arch, dnn_records_for.version);
	printf("\nconvolutions, as cuDNN %zu runs them\n%-8s %5s  %-20s %-20s %-6s %12s  %s\n",
	    cudnnGetVersion(), "kind", "batch", "from", "to", "chosen", "workspace", "engine");
	for (int i = 0; i < dnn_entries; i++) {
		const struct dnn_entry *e = &dnn_entry[i];
		const struct conv *s = &e->conv.s;
		char from[64], to[96];

		if (s->d) {
			snprintf(from, sizeof(from), "%dx%dx%dx%d", s->c, s->d, s->h, s->w);
			snprintf(to, sizeof(to), "%dx%dx%dx%d:%dx%dx%d", s->f, s->od, s->oh, s->ow, s->kd, s->kh,
			    s->kw);
		} else {
			snprintf(from, sizeof(from), "%dx%dx%d", s->c, s->h, s->w);
			snprintf(to, sizeof(to), "%dx%dx%d:%dx%d", s->f, s->oh, s->ow, s->kh, s->kw);
		}
		printf("%-8s %5lld  %-20s %-20s ", kind[e->conv.kind], (long long)e->conv.b, from, to);
		if (!e->found) {
			printf("%-6s\n", "own");
			continue;
		}
		printf("%-6s %12lld  %lld", e->recorded ? "before" : "here",
		    (long long)e->choice.workspace, (long long)e->choice.engine);
		for (int k = 0; k < e->choice.knobs; k++)
			printf("%s%lld=%lld", k ? "," : " ", (long long)e->choice.knob[k][0],
			    (long long)e->choice.knob[k][1]);
		printf("%s%s%s\n", e->conv.bias ? " +bias" : "", e->conv.relu ? " +relu" : "",
		    e->conv.keep != 0 ? " +kept" : "");
	}
}

static struct dnn_entry *
dnn_with(struct dnn_conv c, bool bias, bool relu, double keep)
{
	struct dnn_entry *e;

	c.bias = bias;
	c.relu = relu;
	c.keep = keep;
	e = dnn_find(&c);
	return e && e->found ? e : NULL;
}

static struct dnn_conv
dnn_conv_of(int kind, int64_t room, int64_t b, const struct conv *s)
{
	struct dnn_conv c;

	memset(&c, 0, sizeof(c));
	c.kind = kind;
	c.type = DNN_TYPE;
	c.fast = DNN_FAST;
	c.room = room;
	c.b = b;
	c.s = *s;
	c.view = conv_view(s->h, s->w, 0);
	return c;
}

/* What is to be kept now. Of two graphs that take turns, the rehearsal runs the first alone, so
 * both are built then. */
static double
dnn_keep(const struct dnn_conv *c, struct onto onto)
{
	if (!onto.step)
		return onto.keep;
	dnn_with(*c, false, false, 1);
	return step_on_host->keep != 0 ? 1 : onto.keep;
}

/* Does dnn_run_conv() run it? */
static bool
dnn_can(const struct dnn_conv *c, bool bias, struct onto onto)
{
	double keep = dnn_keep(c, onto);

	return (bias && keep == 0 && dnn_with(*c, true, false, 0)) || dnn_with(*c, false, false, keep);
}

/*
 * Runs the convolution; false where it is not cuDNN's. BIAS is added to the result and THEN done to
 * it, in the same graph where an engine can: none can that also keeps what lies there, and none
 * that need not be compiled first does a relu without a bias. Of x, what the convolution does not
 * see is left alone; with a bias for it there is nothing such.
 */
static bool
dnn_run_conv(const struct dnn_conv *c, const elem *x, const elem *w, const elem *y,
    const elem *bias, struct onto onto, struct epilogue then, void *work)
{
	const struct conv *s = &c->s;
	double keep = dnn_keep(c, onto);
	struct dnn_entry *e;

	if (bias && c->kind == DNN_FORWARD && keep == 0) {
		if (epilogue_known(then) == OF_RELU && (e = dnn_with(*c, true, true, 0))) {
			dnn_execute(e, x, w, y, bias, work);
			return true;
		}
		if ((e = dnn_with(*c, true, false, 0))) {
			dnn_execute(e, x, w, y, bias, work);
			epilogue_apply((elem *)y, then, c->b * s->f * conv_outputs(s));
			return true;
		}
	}
	e = dnn_with(*c, false, false, keep);
	if (!e)
		return false;
	dnn_execute(e, x, w, y, NULL, work);
	if (bias) {
		bool forward = c->kind == DNN_FORWARD;
		int channels = forward ? s->f : s->c;
		int64_t plane = forward ? conv_outputs(s) : (int64_t)conv_deep(s) * s->h * s->w;
		int64_t n = c->b * channels * plane;

		LAUNCH(dnn_bias_kernel, n, ((elem *)(forward ? y : x), bias, n, channels,
		    s->last ? 1 : plane));
	}
	if (c->kind == DNN_FORWARD)
		epilogue_apply((elem *)y, then, c->b * s->f * conv_outputs(s));
	return true;
}

/* The same of a convolution of kind KIND that sees all of x. */
static bool
dnn_run(int kind, const elem *x, const elem *w, const elem *y, const elem *bias, struct onto onto,
    struct epilogue then, void *work, int64_t room, int64_t b, const struct conv *s)
{
	struct dnn_conv c = dnn_conv_of(kind, room, b, s);

	return dnn_run_conv(&c, x, w, y, bias, onto, then, work);
}

#else

#ifndef WITHOUT_CUDNN		/* why: the Makefile says */
#define WITHOUT_CUDNN	"USE_CUDNN was not defined"
#endif

static bool
dnn_run(int, const elem *, const elem *, const elem *, const elem *, struct onto,
    struct epilogue, void *, int64_t, int64_t, const struct conv *)
{
	return false;
}

#endif
#endif

#endif
