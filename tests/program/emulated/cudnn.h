/*
 * As much of cuDNN's backend as kernels/conv/engine_cudnn.cu asks for, on a host: descriptors hold
 * what is set, finished ones are checked, and a plan runs its graph (cudnn_run.h). What real
 * engines refuse that tests have found is refused here too (weights with gaps); what else they
 * would not do for a type or shape is not known here. The heuristics offer, before the one engine
 * that is to be taken, others that must not be.
 */
#ifndef EMULATED_CUDNN_H
#define EMULATED_CUDNN_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

enum cudnnStatus_t { CUDNN_STATUS_SUCCESS, CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_INTERNAL_ERROR };
enum cudnnDataType_t { CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16 };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION };
enum cudnnNanPropagation_t { CUDNN_NOT_PROPAGATE_NAN, CUDNN_PROPAGATE_NAN };
enum cudnnPointwiseMode_t { CUDNN_POINTWISE_ADD, CUDNN_POINTWISE_RELU_FWD, CUDNN_POINTWISE_RELU_BWD };
enum cudnnGenStatsMode_t { CUDNN_GENSTATS_SUM_SQSUM };
enum cudnnBackendHeurMode_t { CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK };
enum cudnnBackendKnobType_t { CUDNN_KNOB_TYPE_SPLIT_K, CUDNN_KNOB_TYPE_COUNTS };
enum cudnnBackendBehaviorNote_t { CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT };
enum cudnnBackendNumericalNote_t {
	CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS,
	CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, CUDNN_NUMERICAL_NOTE_FFT,
	CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
	CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13, CUDNN_NUMERICAL_NOTE_TYPE_COUNT
};
enum cudnnBackendAttributeType_t {
	CUDNN_TYPE_HANDLE, CUDNN_TYPE_DATA_TYPE, CUDNN_TYPE_BOOLEAN, CUDNN_TYPE_INT64, CUDNN_TYPE_FLOAT,
	CUDNN_TYPE_DOUBLE, CUDNN_TYPE_VOID_PTR, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_TYPE_HEUR_MODE,
	CUDNN_TYPE_KNOB_TYPE, CUDNN_TYPE_NAN_PROPOGATION, CUDNN_TYPE_NUMERICAL_NOTE,
	CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_TYPE_BACKEND_DESCRIPTOR, CUDNN_TYPE_POINTWISE_MODE, CUDNN_TYPE_GENSTATS_MODE
};
enum cudnnBackendDescriptorType_t {
	CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
	CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
	CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
	CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
	CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
	CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
	CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
	CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
	CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR
};
enum cudnnBackendAttributeName_t {
	CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_ATTR_TENSOR_DIMENSIONS,
	CUDNN_ATTR_TENSOR_STRIDES, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_ATTR_TENSOR_IS_VIRTUAL,
	CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
	CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
	CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_ATTR_CONVOLUTION_DILATIONS,
	CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_ATTR_POINTWISE_MODE, CUDNN_ATTR_POINTWISE_MATH_PREC,
	CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
	CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
	CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC,
	CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, CUDNN_ATTR_OPERATION_GENSTATS_MODE,
	CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_ATTR_OPERATION_GENSTATS_XDESC,
	CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC,
	/* in the order of dnn_part */
	CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
	CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
	CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
	CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
	CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
	CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
	CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
	CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
	CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
	CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_ATTR_OPERATIONGRAPH_HANDLE,
	CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_ATTR_ENGINEHEUR_RESULTS,
	CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
	CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_ATTR_ENGINE_DEVICEPROP,
	CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
	CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
	CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
	CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
	CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_ATTR_VARIANT_PACK_WORKSPACE
};
enum dnn_part { PART_WINDOWS, PART_X, PART_W, PART_Y, PART_ALPHA, PART_BETA, DNN_PARTS };

/* the engines that there are, in the order in which they are offered */
enum { ENGINE_COMPILED, ENGINE_CHANGING, ENGINE_LARGE, ENGINE_GOOD, ENGINES };
#define ENGINE_WORKSPACE	1000	/* bytes that the good one needs */

typedef void **cudnnHandle_t;	/* its stream */

struct dnn_descriptor {
	int type;
	bool finished;
	std::map<int, std::vector<int64_t>> value;	/* by attribute: numbers, pointers, bits of a double */
};
typedef struct dnn_descriptor *cudnnBackendDescriptor_t;

static bool dnn_refuses_gaps;	/* also in images */
static int dnn_runs[3];		/* graphs, by the kind of their convolution: forward, data, filter */
static int dnn_with_gaps;	/* convolutions between elements of whose image others lie */
static int dnn_longest;		/* operations of a graph that ran */
static int dnn_summed;		/* graphs that added up channels */
static int dnn_gated;		/* graphs in which a relu passed back some of a gradient */
static int dnn_lets_all;	/* these pass all of it, which is wrong */
static int64_t dnn_alive;	/* descriptors */

#define DNN_WANT(what)	do {									\
	if (!(what)) {										\
		std::printf("cuDNN: not so: %s\n", #what);					\
		std::exit(1);									\
	}											\
} while (0)

static inline cudnnStatus_t
cudnnCreate(cudnnHandle_t *handle)
{
	static void *stream;

	*handle = &stream;
	return CUDNN_STATUS_SUCCESS;
}

#ifdef EMULATED_QUEUES_H	/* in programs */
/* EMULATED_GATES: what graphs with a relu's gradient take, where the others take 1; EMULATED_WRONG:
 * these pass all. */
static double
dnn_gate_takes(void)
{
	const char *takes = getenv("EMULATED_GATES");

	dnn_lets_all = getenv("EMULATED_WRONG") != NULL;
	return takes ? atof(takes) : 1;
}

static inline cudnnStatus_t
cudnnSetStream(cudnnHandle_t handle, emulated_stream *s)
{
	*handle = s;
	return CUDNN_STATUS_SUCCESS;
}

static inline const char *
cudnnGetErrorString(cudnnStatus_t)
{
	return "refused";
}

/* EMULATED_GATED: the file that says how many graphs with a relu's gradient ran, of which kind
 * others. */
static struct dnn_said {
	~dnn_said()
	{
		const char *name = getenv("EMULATED_GATED");
		FILE *f = name ? fopen(name, "w") : NULL;

		if (f) {
			fprintf(f, "%d %d\n", dnn_gated, dnn_runs[1]);
			fclose(f);
		}
	}
} dnn_said;
#endif

static inline size_t
cudnnGetVersion(void)
{
	return 0;
}

static inline cudnnStatus_t
cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *d)
{
	*d = new dnn_descriptor();
	(*d)->type = type;
	dnn_alive++;
	return CUDNN_STATUS_SUCCESS;
}

static inline cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d)
{
	delete d;
	dnn_alive--;
	return CUDNN_STATUS_SUCCESS;
}

static inline cudnnStatus_t
cudnnBackendSetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t n, const void *from)
{
	std::vector<int64_t> &v = d->value[name];

	DNN_WANT(!d->finished);
	v.assign((size_t)n, 0);
	for (int64_t i = 0; i < n; i++)
		switch (type) {
		case CUDNN_TYPE_BOOLEAN:
			v[i] = ((const bool *)from)[i];
			break;
		case CUDNN_TYPE_FLOAT: {
			double x = ((const float *)from)[i];

			std::memcpy(&v[i], &x, sizeof(x));
			break;
		}
		case CUDNN_TYPE_HANDLE: case CUDNN_TYPE_INT64: case CUDNN_TYPE_DOUBLE:
		case CUDNN_TYPE_VOID_PTR: case CUDNN_TYPE_BACKEND_DESCRIPTOR:
			v[i] = ((const int64_t *)from)[i];
			break;
		default:
			v[i] = ((const int *)from)[i];
		}
	return CUDNN_STATUS_SUCCESS;
}

/* ---- what is in descriptors ---- */

static const std::vector<int64_t> &
dnn_values(const struct dnn_descriptor *d, int name)
{
	DNN_WANT(d->value.count(name));
	return d->value.at(name);
}

static const struct dnn_descriptor *
dnn_inner(const struct dnn_descriptor *d, int name)
{
	const struct dnn_descriptor *inner = (const struct dnn_descriptor *)dnn_values(d, name)[0];

	DNN_WANT(inner->finished || inner->type == CUDNN_BACKEND_ENGINE_DESCRIPTOR ||
	    inner->type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
	return inner;
}

static double
dnn_number(const struct dnn_descriptor *d, int name)
{
	double x;

	std::memcpy(&x, &dnn_values(d, name)[0], sizeof(x));
	return x;
}

static int
dnn_attribute(const struct dnn_descriptor *op, enum dnn_part part)
{
	int kind = op->type - CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;

	return CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC + kind * DNN_PARTS + part;
}

/* Do the elements lie together, in one order or the other? */
static bool
dnn_dense(const struct dnn_descriptor *tensor)
{
	const std::vector<int64_t> &n = dnn_values(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS);
	const std::vector<int64_t> &s = dnn_values(tensor, CUDNN_ATTR_TENSOR_STRIDES);

	std::vector<int64_t> first(n.size()), last(n.size());
	int64_t inner = 1, outer = n[1];

	for (size_t i = n.size(); i-- > 2; inner *= n[i], outer *= n[i])
		first[i] = inner, last[i] = outer;
	first[1] = inner, last[1] = 1;
	first[0] = last[0] = outer;
	return s == first || s == last;
}

static bool
dnn_is_mode(const struct dnn_descriptor *op, enum cudnnPointwiseMode_t mode)
{
	return op->type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR &&
	    dnn_values(dnn_inner(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR), CUDNN_ATTR_POINTWISE_MODE)[0] == mode;
}

/* Has it a relu's gradient? Only engines that are compiled have. */
static bool
dnn_has_gate(const struct dnn_descriptor *graph)
{
	const std::vector<int64_t> &ops = dnn_values(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);

	return ops.size() > 1 && dnn_is_mode((const struct dnn_descriptor *)ops.back(), CUDNN_POINTWISE_RELU_BWD);
}

/* Does the result have as many windows as there are? */
static bool
dnn_fits(const struct dnn_descriptor *op)
{
	const struct dnn_descriptor *windows = dnn_inner(op, dnn_attribute(op, PART_WINDOWS));
	const std::vector<int64_t> *of[3];

	for (int i = 0; i < 3; i++)
		of[i] = &dnn_values(dnn_inner(op, dnn_attribute(op, (enum dnn_part)(PART_X + i))),
		    CUDNN_ATTR_TENSOR_DIMENSIONS);
	DNN_WANT(dnn_values(windows, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS)[0] + 2 == (int64_t)of[0]->size());
	for (size_t i = 0; i + 2 < of[0]->size(); i++) {
		int64_t padded = (*of[0])[2 + i] + dnn_values(windows, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS)[i] +
		    dnn_values(windows, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS)[i];
		int64_t reach = ((*of[1])[2 + i] - 1) * dnn_values(windows, CUDNN_ATTR_CONVOLUTION_DILATIONS)[i];

		if ((padded - reach - 1) / dnn_values(windows, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES)[i] + 1 !=
		    (*of[2])[2 + i])
			return false;
	}
	return (*of[0])[0] == (*of[2])[0] && (*of[1])[0] == (*of[2])[1] && (*of[0])[1] % (*of[1])[1] == 0;
}

static inline cudnnStatus_t
cudnnBackendFinalize(cudnnBackendDescriptor_t d)
{
	if (d->type >= CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
	    d->type <= CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)
		DNN_WANT(dnn_fits(d));
	if (d->type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) {	/* as the heuristics have it: which engine, of what graph */
		std::vector<int64_t> &engine = d->value[CUDNN_ATTR_ENGINECFG_ENGINE];
		const struct dnn_descriptor *of = (const struct dnn_descriptor *)engine[0];

		engine = { dnn_values(of, CUDNN_ATTR_ENGINE_GLOBAL_INDEX)[0], dnn_values(of, CUDNN_ATTR_ENGINE_OPERATION_GRAPH)[0] };
	}
	d->finished = true;
	return CUDNN_STATUS_SUCCESS;
}

/* ---- engines ---- */

static bool
dnn_serves(const struct dnn_descriptor *graph)
{
	const std::vector<int64_t> &ops = dnn_values(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
	const struct dnn_descriptor *conv = (const struct dnn_descriptor *)ops[0];
	double beta = dnn_number(conv, dnn_attribute(conv, PART_BETA));
	bool bias = false, relu = false;

	if (dnn_has_gate(graph))	/* with channels last, and of a sum with another gradient at most */
		return conv->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR && beta == 0 &&
		    (ops.size() == 2 || (ops.size() == 3 && dnn_is_mode((const struct dnn_descriptor *)ops[1], CUDNN_POINTWISE_ADD))) &&
		    dnn_values(dnn_inner(conv, dnn_attribute(conv, PART_X)), CUDNN_ATTR_TENSOR_STRIDES)[1] == 1;
	for (size_t i = 1; i < ops.size(); i++) {
		const struct dnn_descriptor *op = (const struct dnn_descriptor *)ops[i], *how;

		if (op->type == CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR) {	/* with channels last, and nothing else */
			const struct dnn_descriptor *x = dnn_inner(op, CUDNN_ATTR_OPERATION_GENSTATS_XDESC);

			return i == 1 && ops.size() == 2 && dnn_values(x, CUDNN_ATTR_TENSOR_STRIDES)[1] == 1 &&
			    dnn_values(x, CUDNN_ATTR_TENSOR_DIMENSIONS)[1] % 8 == 0 && beta == 0;
		}
		how = dnn_inner(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);

		bias |= dnn_values(how, CUDNN_ATTR_POINTWISE_MODE)[0] == CUDNN_POINTWISE_ADD;
		relu |= dnn_values(how, CUDNN_ATTR_POINTWISE_MODE)[0] == CUDNN_POINTWISE_RELU_FWD;
	}
	return dnn_dense(dnn_inner(conv, dnn_attribute(conv, PART_W))) && !(bias && beta != 0) &&
	    !(relu && !bias) && !(dnn_refuses_gaps && !dnn_dense(dnn_inner(conv,
	    dnn_attribute(conv, PART_X))));
}

static cudnnStatus_t
dnn_offer(const struct dnn_descriptor *heuristic, int64_t most, int64_t *n, cudnnBackendDescriptor_t *config)
{
	const struct dnn_descriptor *graph = dnn_inner(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);

	for (*n = 0; dnn_serves(graph) && *n < (dnn_has_gate(graph) ? 1 : ENGINES) && *n < most; ++*n)
		config[*n]->value[CUDNN_ATTR_ENGINECFG_ENGINE] = { *n, (int64_t)graph };
	return CUDNN_STATUS_SUCCESS;
}

/* Only what is asked of the heuristics, of engines and of plans. */
static inline cudnnStatus_t
cudnnBackendGetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t, int64_t most, int64_t *n, void *to)
{
	cudnnBackendDescriptor_t *inner = (cudnnBackendDescriptor_t *)to;
	int64_t engine = d->value.count(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) ?
	    d->value[CUDNN_ATTR_ENGINE_GLOBAL_INDEX][0] : -1;

	*n = 1;
	switch (name) {
	case CUDNN_ATTR_ENGINEHEUR_RESULTS:
		return dnn_offer(d, most, n, inner);
	case CUDNN_ATTR_ENGINECFG_ENGINE:
		(*inner)->value[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] = { d->value[name][0] };
		(*inner)->value[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = { d->value[name][1] };
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
		*(int64_t *)to = engine;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
		*n = engine == ENGINE_COMPILED;
		*(int *)to = CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
		*n = engine == ENGINE_CHANGING;
		*(int *)to = CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
		*n = 0;
		return CUDNN_STATUS_SUCCESS;
	case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
		engine = dnn_inner(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)->value.at(
		    CUDNN_ATTR_ENGINECFG_ENGINE)[0];
		*(int64_t *)to = engine == ENGINE_LARGE ? INT64_MAX : ENGINE_WORKSPACE;
		return CUDNN_STATUS_SUCCESS;
	default:
		return CUDNN_STATUS_NOT_SUPPORTED;
	}
}

#include "cudnn_run.h"

static inline cudnnStatus_t
cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack)
{
	const std::vector<int64_t> &engine = dnn_inner(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)->
	    value.at(CUDNN_ATTR_ENGINECFG_ENGINE);
	const struct dnn_descriptor *graph = (const struct dnn_descriptor *)engine[1];
	const std::vector<int64_t> &ops = dnn_values(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
	const std::vector<int64_t> &id = dnn_values(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
	void *work = (void *)dnn_values(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE)[0];
	struct dnn_memory run;

	DNN_WANT(plan->finished && pack->finished && engine[0] == (dnn_has_gate(graph) ? ENGINE_COMPILED : ENGINE_GOOD));
	for (size_t i = 0; i < id.size(); i++)
		run.at[id[i]] = (void *)dnn_values(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)[i];
#ifdef EMULATED_QUEUES_H	/* in its turn, and what is of the past by then is not changed */
	double takes = dnn_has_gate(graph) ? dnn_gate_takes() : 1;

	card_do(*(emulated_stream **)handle, [=] { dnn_graph_run(run, ops, work), emulated_clock += takes; });
#else
	(void)handle;
	dnn_graph_run(run, ops, work);
#endif
	return CUDNN_STATUS_SUCCESS;
}

#endif
