/*
 * engine_cudnn.cu - a convolution as an operation graph of cuDNN 9, and the engine that is to run
 * it.
 *
 * On a GPU every convolution is offered to cuDNN (conv_cudnn.cu; convolutions of several tensors
 * part by part, conv_concat_cudnn.cu). conv_cuda.cu does what cuDNN refuses: depthwise
 * convolutions, the last, smaller batch of an epoch, and everything if the program is built without
 * cuDNN.
 *
 * cuDNN has several engines for a convolution, each with knobs; its heuristics rank them. The first
 * engine is taken that gives the same bits every time, is as exact as the program's precision, uses
 * tensor cores where our own kernels do (those that add up channels do, though they do not say so),
 * and needs no more workspace than the plan has for this convolution: the spec's `workspace`, and
 * what the pass `spare` finds beside it. For a gradient of which only what passes a relu is stored
 * there are none but engines that are compiled when the program starts, and what they take beside
 * the arena is not known before: such a one is taken only where it was measured
 * (host/tune_cuda.cu).
 *
 * This file is compiled twice: into the program, and into src/emit/engines.c, which asks cuDNN the
 * same questions about a GPU that is only described. The program carries the answers as
 * `dnn_record`, and asks again only where an engine is refused. emit_convolution() notes what to
 * ask for.
 *
 * Everything made here is a descriptor; a struct dnn owns those of one attempt, and dnn_free()
 * releases all of them. The first failing call is kept in `status`, and later ones do nothing.
 */
#ifndef STOWAGE_CONV_ENGINE_CUDNN_CU
#define STOWAGE_CONV_ENGINE_CUDNN_CU

#include "conv/graph_cudnn.cu"

#if defined(USE_CUDNN) || defined(HAVE_CUDNN)

/* Would it be compiled when its plan is made? That takes seconds for each, and cannot be done where
 * no driver is, so what emission chose would not be what the program runs. */
static bool
dnn_compiles(struct dnn *d, cudnnBackendDescriptor_t engine)
{
	cudnnBackendBehaviorNote_t note[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
	int64_t n = 0;

	if (DNN_CALL(d, GetAttribute)(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
	    CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, &n, note))
		return true;
	for (int64_t i = 0; i < n; i++)
		if (note[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION)
			return true;
	return false;
}

/* Would our own kernels do it on tensor cores (product/gemm_cuda.cu)? They are then faster than any
 * engine without. With groups they would mostly fill their tiles with nothing. */
static bool
dnn_has_rival(const struct dnn *d, const struct dnn_conv *c)
{
	if (c->type == CUDNN_DATA_HALF)
		return c->s.groups == 1 && d->device->arch >= 75;
	return c->s.groups == 1 && d->device->arch >= 80 &&
	    (c->type == CUDNN_DATA_BFLOAT16 || (c->type == CUDNN_DATA_FLOAT && c->fast));
}

/* Is it exact enough, are its bits the same every time, and is it the best that there is? */
static bool
dnn_accepts(struct dnn *d, const struct dnn_conv *c, cudnnBackendDescriptor_t engine)
{
	cudnnBackendNumericalNote_t note[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
	bool cores = false;
	int64_t n = 0;

	if ((!c->gate && dnn_compiles(d, engine)) ||
	    DNN_CALL(d, GetAttribute)(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
	    CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &n, note))
		return false;
	for (int64_t i = 0; i < n; i++) {
		switch (note[i]) {
		case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
			if (!d->device->any_order)
				return false;
			break;
		case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
			if (c->type == CUDNN_DATA_FLOAT && !c->fast)
				return false;
			cores = true;
			break;
		case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
		case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
		case CUDNN_NUMERICAL_NOTE_FFT:
		case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
		case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
			return false;
		default:
			break;
		}
	}
	return cores || c->sums || c->gate || !dnn_has_rival(d, c);
}

/* The plan of an engine with its knobs, if there is room for its workspace. */
static bool
dnn_build_plan(struct dnn *d, const struct dnn_conv *c, cudnnBackendDescriptor_t config,
    int64_t *workspace)
{
	int64_t n;

	d->plan = dnn_make(d, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
	dnn_set_descriptor(d, d->plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
	if (d->device->handle)
		dnn_set(d, d->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1,
		    &d->device->handle);
	else
		dnn_set_descriptor(d, d->plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
		    d->device->described);
	dnn_finish(d, d->plan);
	if (!d->status)
		d->status = DNN_CALL(d, GetAttribute)(d->plan,
		    CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &n, workspace);
	return !d->status && *workspace <= c->room;
}

static void
dnn_read_choice(struct dnn *d, cudnnBackendDescriptor_t config, cudnnBackendDescriptor_t engine,
    struct dnn_choice *choice)
{
	cudnnBackendDescriptor_t knob[DNN_KNOBS];
	int first = d->n;
	int64_t n = 0, one;

	if (!d->status)
		d->status = DNN_CALL(d, GetAttribute)(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
		    CUDNN_TYPE_INT64, 1, &one, &choice->engine);
	for (int i = 0; i < DNN_KNOBS; i++)
		knob[i] = dnn_make(d, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
	if (!d->status)
		d->status = DNN_CALL(d, GetAttribute)(config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
		    CUDNN_TYPE_BACKEND_DESCRIPTOR, DNN_KNOBS, &n, knob);
	choice->knobs = (int)n;
	for (int i = 0; i < (int)n && !d->status; i++) {
		cudnnBackendKnobType_t type = CUDNN_KNOB_TYPE_COUNTS;

		d->status = DNN_CALL(d, GetAttribute)(knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
		    CUDNN_TYPE_KNOB_TYPE, 1, &one, &type);
		choice->knob[i][0] = type;
		if (!d->status)
			d->status = DNN_CALL(d, GetAttribute)(knob[i],
			    CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &one,
			    &choice->knob[i][1]);
	}
	dnn_free(d, first);
}

#define DNN_LOOKED_AT	40	/* engines that a heuristic ranks and that are tried */

/* What a heuristic proposes, the best first; how many there are. */
static int
dnn_proposals(struct dnn *d, cudnnBackendHeurMode_t mode, cudnnBackendDescriptor_t config[DNN_LOOKED_AT])
{
	cudnnBackendDescriptor_t heuristic = dnn_make(d, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
	int64_t n = 0;

	dnn_set_descriptor(d, heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, d->graph);
	dnn_set(d, heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
	if (d->device->described)
		dnn_set_descriptor(d, heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
		    d->device->described);
	dnn_finish(d, heuristic);
	for (int i = 0; i < DNN_LOOKED_AT; i++)
		config[i] = dnn_make(d, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
	if (!d->status)
		d->status = DNN_CALL(d, GetAttribute)(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
		    CUDNN_TYPE_BACKEND_DESCRIPTOR, DNN_LOOKED_AT, &n, config);
	return d->status ? 0 : (int)least(n, DNN_LOOKED_AT);
}

/* Is a proposal one that may be taken? If so, *CHOICE is it, but for its workspace. */
static bool
dnn_is_good(struct dnn *d, const struct dnn_conv *c, cudnnBackendDescriptor_t config,
    struct dnn_choice *choice)
{
	cudnnBackendDescriptor_t engine = dnn_make(d, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
	int64_t one;

	if (d->status || DNN_CALL(d, GetAttribute)(config, CUDNN_ATTR_ENGINECFG_ENGINE,
	    CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &one, &engine) || !dnn_accepts(d, c, engine))
		return false;
	dnn_read_choice(d, config, engine, choice);
	return true;
}

/* The first good one of what a heuristic proposes; the descriptors of the others are given back. */
static bool
dnn_propose(struct dnn *d, const struct dnn_conv *c, cudnnBackendHeurMode_t mode,
    struct dnn_choice *choice)
{
	cudnnBackendDescriptor_t config[DNN_LOOKED_AT];
	int start = d->n, n = dnn_proposals(d, mode, config), kept = d->n;

	for (int i = 0; i < n && !d->status; i++) {
		if (dnn_is_good(d, c, config[i], choice) && dnn_build_plan(d, c, config[i], &choice->workspace))
			return true;
		d->status = CUDNN_STATUS_SUCCESS;	/* an engine's refusal is no failure */
		dnn_free(d, kept);
	}
	d->status = CUDNN_STATUS_SUCCESS;
	dnn_free(d, start);
	return false;
}

static const cudnnBackendHeurMode_t dnn_mode[] = { CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK };

/* Builds the graph of C and chooses an engine. On success d->plan is ready, and D is to be kept as
 * long as it is used; else nothing of it is left. */
static bool
dnn_choose(struct dnn *d, const struct dnn_device *device, const struct dnn_conv *c,
    struct dnn_choice *choice)
{
	d->device = device;
	d->status = CUDNN_STATUS_SUCCESS;
	d->n = 0;
	dnn_build_graph(d, c);
	for (int i = 0; i < 2 && !d->status; i++)
		if (dnn_propose(d, c, dnn_mode[i], choice))
			return true;
	dnn_free(d, 0);
	return false;
}

/* All good ones that are proposed for C, the best first, MOST at most; how many there are. Whether
 * there is room for what each needs, dnn_take() says. */
static int
dnn_offers(const struct dnn_device *device, const struct dnn_conv *c, struct dnn_choice *choice, int most)
{
	struct dnn own, *d = &own;
	int n = 0;

	d->device = device;
	d->status = CUDNN_STATUS_SUCCESS;
	d->n = 0;
	dnn_build_graph(d, c);
	for (int m = 0; m < 2 && !d->status; m++) {
		cudnnBackendDescriptor_t config[DNN_LOOKED_AT];
		int start = d->n, there = dnn_proposals(d, dnn_mode[m], config), kept = d->n;

		for (int i = 0; i < there && n < most; i++) {
			n += dnn_is_good(d, c, config[i], &choice[n]) && !d->status;
			d->status = CUDNN_STATUS_SUCCESS;
			dnn_free(d, kept);
		}
		d->status = CUDNN_STATUS_SUCCESS;
		dnn_free(d, start);
	}
	dnn_free(d, 0);
	return n;
}

/* What dnn_choose() does, of an engine chosen before, whose workspace is asked for again. */
static bool
dnn_take(struct dnn *d, const struct dnn_device *device, const struct dnn_conv *c,
    struct dnn_choice *choice)
{
	cudnnBackendDescriptor_t engine, config, knob[DNN_KNOBS];

	d->device = device;
	d->status = CUDNN_STATUS_SUCCESS;
	d->n = 0;
	dnn_build_graph(d, c);
	engine = dnn_make(d, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
	dnn_set_descriptor(d, engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, d->graph);
	dnn_set(d, engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &choice->engine);
	if (device->described)
		dnn_set_descriptor(d, engine, CUDNN_ATTR_ENGINE_DEVICEPROP, device->described);
	dnn_finish(d, engine);
	for (int i = 0; i < choice->knobs; i++) {
		cudnnBackendKnobType_t type = (cudnnBackendKnobType_t)choice->knob[i][0];

		knob[i] = dnn_make(d, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
		dnn_set(d, knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
		dnn_set(d, knob[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
		    &choice->knob[i][1]);
		dnn_finish(d, knob[i]);
	}
	config = dnn_make(d, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
	dnn_set_descriptor(d, config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
	if (choice->knobs)
		dnn_set(d, config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
		    choice->knobs, knob);
	dnn_finish(d, config);
	if (!d->status && dnn_accepts(d, c, engine) && dnn_build_plan(d, c, config, &choice->workspace))
		return true;
	dnn_free(d, 0);
	return false;
}

#endif

#endif
