/*
 * conv/conv_cudnn.cu - convolutions by cuDNN (-DUSE_CUDNN). What it refuses is left to
 * conv_cuda.cu.
 *
 * Graphs are built when the steps are rehearsed, before anything is trained (device_cuda.cu), with
 * the engines that are known to be the fastest (host/choices_cuda.cu), or those that emission chose
 * for this card, or else by asking cuDNN's heuristics here; of the latter two others are tried
 * (host/tune_cuda.cu).
 */
#ifndef STOWAGE_CONV_CONV_CUDNN_CU
#define STOWAGE_CONV_CONV_CUDNN_CU

#include "kernel.h"
#include "product/bias.cu"
#include "pointwise/epilogue.cu"
#include "conv/engine_cudnn.cu"
#include "host/choices_cuda.cu"

#ifdef __CUDACC__

struct gate_reader {		/* what reads a gradient of which a relu passes some, and makes that some itself if need be */
	void (*run)(const struct gate_reader *, bool made);
	elem *db, *passed;
	void *work;
	struct epilogue from;
	int64_t b, channels, positions;
};

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

enum dnn_chosen {		/* by whom an engine was */
	DNN_HERE,		/* by cuDNN's heuristics, now */
	DNN_BEFORE,		/* by emission */
	DNN_KEPT,		/* it was measured in an earlier run */
	DNN_MEASURED		/* and in this one */
};

struct dnn_places {		/* what a convolution reads and writes, y being what it makes of x forward */
	const elem *x, *w, *y;
	void *work;
	const elem *bias, *gate;	/* NULL where there is none, */
	const real *sums;		/* [2, channels], likewise */
};

struct dnn_entry {
	struct dnn_conv conv;
	bool found;		/* there is a plan; else the convolution is not cuDNN's, */
	bool apart;		/* or there was one that did more, and a sweep of its own is faster (tune_cuda.cu) */
	enum dnn_chosen chosen;
	struct dnn_choice choice;
	struct dnn dnn;
	struct dnn_places at;	/* of the first run, */
	struct gate_reader reader;	/* and of what came behind a gradient with a gate */
};

#define DNN_ENTRIES	512	/* more convolutions than that are not cuDNN's */

static struct dnn_entry dnn_entry[DNN_ENTRIES];
static int dnn_entries;
static struct dnn_device dnn_device;	/* opened by device_open() */
static bool dnn_building;	/* the steps are rehearsed */
static const struct step *step_on_host;	/* the numbers of the step that is launched */

/* What emission chose (engines.c); ends with kind -1. Another architecture, and another cuDNN, has
 * engines that are better or none of that number, though some would be accepted. */
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
	return a->kind == b->kind && a->bias == b->bias && a->relu == b->relu && a->sums == b->sums &&
	    a->gate == b->gate && a->add == b->add && a->keep == b->keep && a->room == b->room && a->b == b->b &&
	    memcmp(&a->s, &b->s, sizeof(a->s)) == 0 && memcmp(&a->view, &b->view, sizeof(a->view)) == 0;
}

#ifdef TUNES
/* Its question: all that makes it one of its own. */
static uint64_t
dnn_question(const struct dnn_conv *c)
{
	int64_t number[] = { c->kind, c->type, c->fast, c->bias, c->relu, c->sums, c->gate, c->add, c->room, c->b,
		dnn_device.any_order };
	uint64_t hash = fnv_add(FNV_BEGIN, number, sizeof(number));

	hash = fnv_add(hash, &c->keep, sizeof(c->keep));
	hash = fnv_add(hash, &c->s, sizeof(c->s));
	return fnv_add(hash, &c->view, sizeof(c->view));
}

/* Takes the engine that is known to be the fastest, if one is, or none where it is known that a
 * sweep is to do what it would do more; false: nothing is known, or it is refused. */
static bool
dnn_take_kept(struct dnn_entry *e)
{
	uint64_t question = dnn_question(&e->conv);
	const struct choice *c = choice_find(&choices, CHOICE_CONVOLUTION, question);
	const struct choice *apart = choice_find(&choices, CHOICE_APART, question);

	if (apart) {
		e->chosen = apart->measured ? DNN_MEASURED : DNN_KEPT;
		return e->apart = true;
	}
	if (!c || c->n % 2 == 0)
		return false;
	memset(&e->choice, 0, sizeof(e->choice));
	e->choice.engine = c->number[0];
	e->choice.knobs = c->n / 2;
	for (int k = 0; k < e->choice.knobs; k++) {
		e->choice.knob[k][0] = c->number[1 + 2 * k];
		e->choice.knob[k][1] = c->number[2 + 2 * k];
	}
	e->chosen = c->measured ? DNN_MEASURED : DNN_KEPT;
	return e->found = dnn_take(&e->dnn, &dnn_device, &e->conv, &e->choice);
}
#endif

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
#ifdef TUNES
	if (dnn_take_kept(e))
		return e;
#endif
	if (c->gate)		/* what is compiled here is taken only if that was measured */
		return e;
	for (const struct dnn_record *r = dnn_record; r->conv.kind >= 0 && !e->found; r++)
		if (dnn_records_hold() && dnn_same(&r->conv, c)) {
			e->choice = r->choice;
			e->chosen = DNN_BEFORE;
			e->found = dnn_take(&e->dnn, &dnn_device, c, &e->choice);
		}
	if (!e->found) {
		e->chosen = DNN_HERE;
		e->found = dnn_choose(&e->dnn, &dnn_device, c, &e->choice);
	}
	return e;
}

/* The tensors that are made are written to; of the others cuDNN only reads. */
static cudnnStatus_t
dnn_start(const struct dnn *d, const struct dnn_conv *c, const struct dnn_places *p)
{
	cudnnBackendDescriptor_t pack;
	int64_t id[3 + 1 + DNN_STEPS] = { DNN_X, DNN_W, DNN_Y }, n = 3;
	const void *at[3 + 1 + DNN_STEPS] = { p->x, p->w, p->y };
	cudnnStatus_t status = cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);

	if (c->bias)
		id[n] = DNN_BIAS, at[n++] = p->bias;
	if (c->gate)
		id[n] = DNN_GATE, at[n++] = p->gate;
	if (c->add)
		id[n] = DNN_ADDED, at[n++] = p->x;
	if (c->sums) {
		id[n] = DNN_SUM, at[n++] = p->sums;
		id[n] = DNN_SQUARES, at[n++] = p->sums + c->s.f;
	}

	if (status)
		return status;
	status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, n, id);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
		    n, at);
	if (!status)
		status = cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
		    &p->work);
	if (!status)
		status = cudnnBackendFinalize(pack);
	if (!status)
		status = cudnnBackendExecute(dnn_device.handle, d->plan, pack);
	cudnnBackendDestroyDescriptor(pack);
	return status;
}

static void
dnn_execute(struct dnn_entry *e, const struct dnn_places &at)
{
	if (!e->at.y)
		e->at = at;
	CUDNN(dnn_start(&e->dnn, &e->conv, &at));
}

/* y[b, c, p] += bias[c], where PLANE elements lie between channels: one where these come last */
KERNEL(dnn_bias_kernel, (elem *y, const elem *bias, int64_t n, int channels, int64_t plane))
{
	EACH (i, n)
		y[i] = ELEM(VALUE(y[i]) + VALUE(bias[i / plane % channels]));
}

/* --profile: the convolutions of the steps, and the engine of each; "own" are conv_cuda.cu's. */
static void
dnn_report(FILE *report)
{
	static const char *const kind[] = { "forward", "input", "weight" };
	static const char *const chosen[] = { "here", "before", "kept", "measured" };

	if (dnn_record[0].conv.kind >= 0 && !dnn_records_hold())
		fprintf(report, "\nengines were chosen for sm_%d and cuDNN %zu, not for these, and are chosen here\n",
		    dnn_records_for.arch, dnn_records_for.version);
	fprintf(report, "\nconvolutions, as cuDNN %zu runs them\n%-8s %5s  %-20s %-20s %-8s %12s  %s\n",
	    cudnnGetVersion(), "kind", "batch", "from", "to", "chosen", "workspace", "engine");
	for (int i = 0; i < dnn_entries; i++) {
		const struct dnn_entry *e = &dnn_entry[i];
		const struct conv *s = &e->conv.s;
		char from[64], to[96];

		if ((e->conv.sums || e->conv.gate) && !e->found)	/* the one without is in the list */
			continue;
		if (s->d) {
			snprintf(from, sizeof(from), "%dx%dx%dx%d", s->c, s->d, s->h, s->w);
			snprintf(to, sizeof(to), "%dx%dx%dx%d:%dx%dx%d", s->f, s->od, s->oh, s->ow, s->kd, s->kh,
			    s->kw);
		} else {
			snprintf(from, sizeof(from), "%dx%dx%d", s->c, s->h, s->w);
			snprintf(to, sizeof(to), "%dx%dx%d:%dx%d", s->f, s->oh, s->ow, s->kh, s->kw);
		}
		fprintf(report, "%-8s %5lld  %-20s %-20s ", kind[e->conv.kind], (long long)e->conv.b, from, to);
		if (!e->found) {
			fprintf(report, "%-8s\n", "own");
			continue;
		}
		fprintf(report, "%-8s %12lld  %lld", chosen[e->chosen], (long long)e->choice.workspace, (long long)e->choice.engine);
		for (int k = 0; k < e->choice.knobs; k++)
			fprintf(report, "%s%lld=%lld", k ? "," : " ", (long long)e->choice.knob[k][0],
			    (long long)e->choice.knob[k][1]);
		fprintf(report, "%s%s%s%s%s\n", e->conv.bias ? " +bias" : "", e->conv.relu ? " +relu" : "",
		    e->conv.gate ? " +gate" : "", e->conv.sums ? " +sums" : "", e->conv.keep != 0 || e->conv.add ? " +kept" : "");
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
	struct dnn_places at = { x, w, y, work, bias, NULL, NULL };
	struct dnn_entry *e;

	if (bias && c->kind == DNN_FORWARD && keep == 0) {
		if (epilogue_known(then) == OF_RELU && (e = dnn_with(*c, true, true, 0))) {
			dnn_execute(e, at);
			return true;
		}
		if ((e = dnn_with(*c, true, false, 0))) {
			dnn_execute(e, at);
			epilogue_apply((elem *)y, then, c->b * s->f * conv_outputs(s));
			return true;
		}
	}
	e = dnn_with(*c, false, false, keep);
	if (!e)
		return false;
	dnn_execute(e, at);
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

/* The graph of a convolution forward that adds up the channels of what it makes, too; NULL: none is
 * known. */
static struct dnn_entry *
dnn_with_sums(int64_t room, int64_t b, const struct conv *s)
{
	struct dnn_conv c = dnn_conv_of(DNN_FORWARD, room, b, s);
	struct dnn_entry *e;

	c.sums = true;
	e = dnn_find(&c);
	return e && e->found ? e : NULL;
}

/* y, and where cuDNN can [2, channels] SUMS, of its elements and of their squares; false:
 * neither. */
static bool
dnn_run_sums(const elem *x, const elem *w, elem *y, real *sums, void *work, int64_t room, int64_t b, const struct conv *s)
{
	struct dnn_places at = { x, w, y, work, NULL, NULL, sums };
	struct dnn_entry *e = dnn_with_sums(room, b, s);

	if (e)
		dnn_execute(e, at);
	return e;
}

/* Does it? */
static bool
dnn_makes_sums(int64_t room, int64_t b, const struct conv *s)
{
	return dnn_with_sums(room, b, s);
}

/* The same of a convolution of kind KIND that sees all of x. */
static bool
dnn_run(int kind, const elem *x, const elem *w, const elem *y, const elem *bias, struct onto onto,
    struct epilogue then, void *work, int64_t room, int64_t b, const struct conv *s)
{
	struct dnn_conv c = dnn_conv_of(kind, room, b, s);

	return dnn_run_conv(&c, x, w, y, bias, onto, then, work);
}

/* The gradient of x. What is added to it is added where the convolution saw it, and the rest left
 * alone. */
static bool
dnn_run_input(const elem *dx, const elem *w, const elem *dy, const elem *bias, struct onto onto, void *work,
    int64_t room, int64_t b, const struct conv *s)
{
	if (conv_adds_seen(s, bias, onto.keep)) {
		struct dnn_conv c = dnn_conv_of(DNN_INPUT, room, b, s);

		c.s = conv_seen(*s, &c.view);
		if (dnn_run_conv(&c, dx, w, dy, NULL, onto, AS_IS, work))
			return true;
	}
	return dnn_run(DNN_INPUT, dx, w, dy, bias, onto, AS_IS, work, room, b, s);
}

#else

#ifndef COOPERATIVE
#ifndef WITHOUT_CUDNN		/* why: the Makefile says */
#define WITHOUT_CUDNN	"USE_CUDNN was not defined"
#endif
#endif

static bool
dnn_run(int, const elem *, const elem *, const elem *, const elem *, struct onto,
    struct epilogue, void *, int64_t, int64_t, const struct conv *)
{
	return false;
}

static bool
dnn_run_input(const elem *, const elem *, const elem *, const elem *, struct onto, void *, int64_t, int64_t,
    const struct conv *)
{
	return false;
}

static bool
dnn_run_sums(const elem *, const elem *, elem *, real *, void *, int64_t, int64_t, const struct conv *)
{
	return false;
}

static bool
dnn_makes_sums(int64_t, int64_t, const struct conv *)
{
	return false;
}

#endif
#endif

#endif
