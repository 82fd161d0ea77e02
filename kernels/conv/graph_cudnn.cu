/*
 * conv/graph_cudnn.cu - a convolution as an operation graph of cuDNN 9.
 *
 * Everything made is a descriptor; a struct dnn owns those of one attempt, and dnn_free() lets go
 * of all of them. The first call that fails is kept in `status`, and the rest do nothing.
 */
#ifndef STOWAGE_CONV_GRAPH_CUDNN_CU
#define STOWAGE_CONV_GRAPH_CUDNN_CU

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sizes.h"

#if defined(USE_CUDNN) || defined(HAVE_CUDNN)

#include <cudnn.h>

struct dnn_conv {
	int kind;
	int type;		/* cudnnDataType_t of all three tensors */
	bool fast;		/* f32 may be rounded to tf32 */
	bool bias;		/* is added to what is made (not DNN_WEIGHT) */
	bool relu;		/* of the sum with the bias is what is stored (DNN_FORWARD) */
	bool sums;		/* of each channel of what is stored, and of its squares, are a second result (DNN_FORWARD) */
	double keep;		/* and so much of what lies there: 0 without bias only */
	int64_t room;		/* bytes of workspace that it may use */
	int64_t b;
	struct conv s;
	struct conv_view view;	/* of x */
	bool gate;		/* what of the gradient passes the relu whose result x is, is what is stored (DNN_INPUT) */
	bool add;		/* and what lies there is added before that */
};

#define DNN_KNOBS	24	/* most that an engine has */

struct dnn_choice {
	int64_t engine;
	int knobs;
	int64_t knob[DNN_KNOBS][2];	/* type, value */
	int64_t workspace;	/* bytes */
};

/* Where it is to run: a handle, or a description of the device; the other is NULL. */
struct dnn_device {
	cudnnHandle_t handle;
	cudnnBackendDescriptor_t described;
	int arch;		/* 80 for compute capability 8.0 */
	bool any_order;		/* engines may add up in another order each time */
#ifdef HAVE_CUDNN
	const struct dnn_api *api;	/* Stowage itself looks for the library when it needs it */
#endif
};

#ifdef HAVE_CUDNN
#define DNN_CALL(d, name)	((d)->device->api->name)
#else
#define DNN_CALL(d, name)	cudnnBackend##name
#endif

#define DNN_DESCRIPTORS	128

struct dnn {
	const struct dnn_device *device;
	cudnnStatus_t status;	/* of the first call that failed */
	int n;
	cudnnBackendDescriptor_t made[DNN_DESCRIPTORS];
	cudnnBackendDescriptor_t graph, plan;
};

/* unique ids of tensors, under which their addresses are given when the graph runs */
enum {
	DNN_X = 'x', DNN_W = 'w', DNN_Y = 'y', DNN_BIAS = 'b', DNN_GATE = 'g', DNN_ADDED = 'a',
	DNN_SUM = 's', DNN_SQUARES = 'q',
	DNN_MADE = 'A'		/* and the next ones: what one operation hands to the next, which is nowhere in memory */
};

static cudnnBackendDescriptor_t
dnn_make(struct dnn *d, cudnnBackendDescriptorType_t type)
{
	cudnnBackendDescriptor_t made = NULL;

	if (!d->status && d->n == DNN_DESCRIPTORS)
		d->status = CUDNN_STATUS_INTERNAL_ERROR;
	if (!d->status)
		d->status = DNN_CALL(d, CreateDescriptor)(type, &made);
	if (!d->status)
		d->made[d->n++] = made;
	return made;
}

static void
dnn_set(struct dnn *d, cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t n, const void *value)
{
	if (!d->status)
		d->status = DNN_CALL(d, SetAttribute)(of, name, type, n, value);
}

static void
dnn_set_descriptor(struct dnn *d, cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name,
    cudnnBackendDescriptor_t value)
{
	dnn_set(d, of, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void
dnn_finish(struct dnn *d, cudnnBackendDescriptor_t made)
{
	if (!d->status)
		d->status = DNN_CALL(d, Finalize)(made);
}

/* Gives back all that was made after the first KEPT. */
static void
dnn_free(struct dnn *d, int kept)
{
	while (d->n > kept)
		DNN_CALL(d, DestroyDescriptor)(d->made[--d->n]);
}

#define DNN_AXES	5	/* samples, channels, depth if it is of volumes, height, width */

#define DNN_STEPS	5	/* at most, behind a convolution */

/* How many there are. */
static int
dnn_axes(const struct dnn_conv *c)
{
	return c->s.d ? 5 : 4;
}

/* Those of a tensor, as cuDNN counts them. */
static void
dnn_extents(const struct dnn_conv *c, int64_t dim[DNN_AXES], int64_t n, int64_t channels, int64_t d, int64_t h,
    int64_t w)
{
	int i = 0;

	dim[i++] = n;
	dim[i++] = channels;
	if (c->s.d)
		dim[i++] = d;
	dim[i++] = h;
	dim[i] = w;
}

static cudnnBackendDescriptor_t
dnn_tensor(struct dnn *d, const struct dnn_conv *c, int64_t id, const int64_t dim[DNN_AXES])
{
	int axes = dnn_axes(c);
	cudnnBackendDescriptor_t t = dnn_make(d, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
	bool is_virtual = id >= DNN_MADE && id < DNN_MADE + DNN_STEPS;
	cudnnDataType_t type = is_virtual && c->type != CUDNN_DATA_DOUBLE ? CUDNN_DATA_FLOAT :
	    (cudnnDataType_t)c->type;
	int64_t h = id == DNN_X ? c->view.h : dim[axes - 2], w = id == DNN_X ? c->view.w : dim[axes - 1];
	int64_t down = id == DNN_X ? c->view.down * w : w, across = id == DNN_X ? c->view.across : 1;
	int64_t plane = h * w * (c->s.d ? dim[2] : 1), rows[DNN_AXES], last[4] = { dim[1] * plane, 1,
		down * dim[1], across * dim[1] };
	int64_t align = id == DNN_X ? c->view.aligned : 16;

	dnn_extents(c, rows, dim[1] * plane, plane, h * w, down, across);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, axes, dim);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, axes, c->s.last ? last : rows);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &align);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
	dnn_finish(d, t);
	return t;
}

/* What must follow below, or to the right, for OUT windows of a source of SIZE; as much as above
 * wherever that comes to the same, since engines like symmetry. */
static int64_t
dnn_after(int size, int before, int out, int kernel, int stride, int dilation)
{
	int64_t reach = (int64_t)(kernel - 1) * dilation + 1;
	int64_t need = (int64_t)(out - 1) * stride + reach - size - before;
	int64_t rest = size + 2 * (int64_t)before - reach;

	if (rest >= 0 && rest / stride + 1 == out)
		return before;
	return need > 0 ? need : 0;
}

static cudnnBackendDescriptor_t
dnn_windows(struct dnn *d, const struct dnn_conv *c)
{
	cudnnBackendDescriptor_t w = dnn_make(d, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
	cudnnDataType_t type = c->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
	cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
	const struct conv *s = &c->s;
	int64_t stride[3] = { s->sz, s->sy, s->sx }, dilation[3] = { s->dz, s->dy, s->dx };
	int64_t before[3] = { s->front, s->top, s->left }, after[3] = {
		s->d ? dnn_after(s->d, s->front, s->od, s->kd, s->sz, s->dz) : 0,
		dnn_after(s->h, s->top, s->oh, s->kh, s->sy, s->dy),
		dnn_after(s->w, s->left, s->ow, s->kw, s->sx, s->dx)
	};
	int64_t axes = s->d ? 3 : 2, none = 3 - axes;

	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &axes);
	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, axes, before + none);
	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, axes, after + none);
	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, axes, dilation + none);
	dnn_set(d, w, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, axes, stride + none);
	dnn_finish(d, w);
	return w;
}

struct dnn_names {		/* what a kind of convolution calls its parts */
	cudnnBackendDescriptorType_t type;
	cudnnBackendAttributeName_t windows, x, w, y, alpha, beta;
};

/* (In order of enum dnn_kind: C++ before 20 has no designated array elements.) */
static const struct dnn_names dnn_names[] = {
	{ CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA },
	{ CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA },
	{ CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
	  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA },
};

static cudnnBackendDescriptor_t
dnn_pointwise(struct dnn *d, const struct dnn_conv *c, cudnnPointwiseMode_t mode)
{
	cudnnBackendDescriptor_t how = dnn_make(d, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
	cudnnBackendDescriptor_t op = dnn_make(d, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
	cudnnDataType_t type = c->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
	cudnnNanPropagation_t passed = CUDNN_PROPAGATE_NAN;

	dnn_set(d, how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
	dnn_set(d, how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
	if (mode == CUDNN_POINTWISE_RELU_FWD)
		dnn_set(d, how, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 1,
		    &passed);
	dnn_finish(d, how);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
	return op;
}

static cudnnBackendDescriptor_t
dnn_add(struct dnn *d, const struct dnn_conv *c, cudnnBackendDescriptor_t what, cudnnBackendDescriptor_t from,
    cudnnBackendDescriptor_t to)
{
	cudnnBackendDescriptor_t op = dnn_pointwise(d, c, CUDNN_POINTWISE_ADD);

	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, from);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, what);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, to);
	dnn_finish(d, op);
	return op;
}

/* FROM + bias, one number a channel, gives TO. */
static cudnnBackendDescriptor_t
dnn_add_bias(struct dnn *d, const struct dnn_conv *c, const int64_t *shape, cudnnBackendDescriptor_t from,
    cudnnBackendDescriptor_t to)
{
	int64_t dim[DNN_AXES] = { 1, shape[1], 1, 1, 1 };

	return dnn_add(d, c, dnn_tensor(d, c, DNN_BIAS, dim), from, to);
}

/* The relu of FROM, which propagates NaN as rectified() does, gives TO. */
static cudnnBackendDescriptor_t
dnn_rectify(struct dnn *d, const struct dnn_conv *c, const int64_t *shape, cudnnBackendDescriptor_t from,
    cudnnBackendDescriptor_t to)
{
	cudnnBackendDescriptor_t op = dnn_pointwise(d, c, CUDNN_POINTWISE_RELU_FWD);

	(void)shape;
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, from);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, to);
	dnn_finish(d, op);
	return op;
}

/* FROM + what lies where the result goes, which is added in place: each element is read by the
 * threads that store it. */
static cudnnBackendDescriptor_t
dnn_add_onto(struct dnn *d, const struct dnn_conv *c, const int64_t *shape, cudnnBackendDescriptor_t from,
    cudnnBackendDescriptor_t to)
{
	return dnn_add(d, c, dnn_tensor(d, c, DNN_ADDED, shape), from, to);
}

/* FROM where what the relu made is above 0, and 0 elsewhere, gives TO. */
static cudnnBackendDescriptor_t
dnn_pass_back(struct dnn *d, const struct dnn_conv *c, const int64_t *shape, cudnnBackendDescriptor_t from,
    cudnnBackendDescriptor_t to)
{
	cudnnBackendDescriptor_t gate = dnn_tensor(d, c, DNN_GATE, shape);
	cudnnBackendDescriptor_t op = dnn_pointwise(d, c, CUDNN_POINTWISE_RELU_BWD);

	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, gate);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, from);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, to);
	dnn_finish(d, op);
	return op;
}

/* One float a channel. */
static cudnnBackendDescriptor_t
dnn_channels(struct dnn *d, int64_t id, int64_t channels, int axes)
{
	cudnnBackendDescriptor_t t = dnn_make(d, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
	cudnnDataType_t type = CUDNN_DATA_FLOAT;
	int64_t dim[DNN_AXES] = { 1, channels, 1, 1, 1 }, step[DNN_AXES] = { channels, 1, channels, channels, channels };
	int64_t align = 16;
	bool is_virtual = false;

	dnn_set(d, t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, axes, dim);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, axes, step);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &align);
	dnn_set(d, t, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
	dnn_finish(d, t);
	return t;
}

/* The sums of FROM's channels, and of their squares. */
static cudnnBackendDescriptor_t
dnn_add_up(struct dnn *d, const struct dnn_conv *c, const int64_t *shape, cudnnBackendDescriptor_t from,
    cudnnBackendDescriptor_t to)
{
	cudnnBackendDescriptor_t op = dnn_make(d, CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);
	cudnnGenStatsMode_t mode = CUDNN_GENSTATS_SUM_SQSUM;
	cudnnDataType_t type = CUDNN_DATA_FLOAT;

	(void)shape, (void)to;
	dnn_set(d, op, CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE, 1, &mode);
	dnn_set(d, op, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_GENSTATS_XDESC, from);
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, dnn_channels(d, DNN_SUM, c->s.f, dnn_axes(c)));
	dnn_set_descriptor(d, op, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC,
	    dnn_channels(d, DNN_SQUARES, c->s.f, dnn_axes(c)));
	dnn_finish(d, op);
	return op;
}

/* The convolution itself, of which RESULT is made. */
static cudnnBackendDescriptor_t
dnn_convolve(struct dnn *d, const struct dnn_conv *c, cudnnBackendDescriptor_t result,
    const int64_t *x_dim, const int64_t *w_dim, const int64_t *y_dim)
{
	const struct dnn_names *name = &dnn_names[c->kind];
	cudnnBackendDescriptor_t op = dnn_make(d, name->type);
	double alpha = 1, beta = c->keep;
	float alpha_f = 1, beta_f = (float)c->keep;
	bool twice = c->type == CUDNN_DATA_DOUBLE;
	cudnnBackendAttributeType_t real_type = twice ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;

	dnn_set_descriptor(d, op, name->windows, dnn_windows(d, c));
	dnn_set_descriptor(d, op, name->x, c->kind == DNN_INPUT ? result :
	    dnn_tensor(d, c, DNN_X, x_dim));
	dnn_set_descriptor(d, op, name->w, c->kind == DNN_WEIGHT ? result :
	    dnn_tensor(d, c, DNN_W, w_dim));
	dnn_set_descriptor(d, op, name->y, c->kind == DNN_FORWARD ? result :
	    dnn_tensor(d, c, DNN_Y, y_dim));
	dnn_set(d, op, name->alpha, real_type, 1, twice ? (void *)&alpha : (void *)&alpha_f);
	dnn_set(d, op, name->beta, real_type, 1, twice ? (void *)&beta : (void *)&beta_f);
	dnn_finish(d, op);
	return op;
}

/* What may be done to what a convolution makes, in this order. */
static const struct dnn_step {
	size_t asked;		/* where struct dnn_conv has it whether it is */
	bool beside;		/* what goes on is what it reads, and its own results lie beside that */
	cudnnBackendDescriptor_t (*make)(struct dnn *, const struct dnn_conv *, const int64_t *shape,
	    cudnnBackendDescriptor_t from, cudnnBackendDescriptor_t to);
} dnn_steps[DNN_STEPS] = {
	{ offsetof(struct dnn_conv, bias), false, dnn_add_bias },
	{ offsetof(struct dnn_conv, relu), false, dnn_rectify },
	{ offsetof(struct dnn_conv, add), false, dnn_add_onto },
	{ offsetof(struct dnn_conv, gate), false, dnn_pass_back },
	{ offsetof(struct dnn_conv, sums), true, dnn_add_up },
};

static bool
dnn_asks(const struct dnn_conv *c, const struct dnn_step *step)
{
	return *(const bool *)((const char *)c + step->asked);
}

/* The convolution and what is done to what it makes; of that only the last is in memory. */
static void
dnn_build_graph(struct dnn *d, const struct dnn_conv *c)
{
	static const int64_t id[] = { DNN_Y, DNN_X, DNN_W };	/* of the result */
	const struct conv *s = &c->s;
	int64_t x_dim[DNN_AXES], y_dim[DNN_AXES], w_dim[DNN_AXES];
	const int64_t *dim = c->kind == DNN_INPUT ? x_dim : c->kind == DNN_WEIGHT ? w_dim : y_dim;
	cudnnBackendDescriptor_t op[1 + DNN_STEPS], last, from;
	int n = 0, left = 0;

	dnn_extents(c, x_dim, c->b, s->c, s->d, s->h, s->w);
	dnn_extents(c, y_dim, c->b, s->f, s->od, s->oh, s->ow);
	dnn_extents(c, w_dim, s->f, s->c / s->groups, s->kd, s->kh, s->kw);
	for (int i = 0; i < DNN_STEPS; i++)
		left += dnn_asks(c, &dnn_steps[i]) && !dnn_steps[i].beside;
	d->graph = dnn_make(d, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
	last = dnn_tensor(d, c, id[c->kind], dim);
	from = left > 0 ? dnn_tensor(d, c, DNN_MADE, dim) : last;
	op[n++] = dnn_convolve(d, c, from, x_dim, w_dim, y_dim);
	for (int i = 0; i < DNN_STEPS; i++) {
		cudnnBackendDescriptor_t to = from;

		if (!dnn_asks(c, &dnn_steps[i]))
			continue;
		if (!dnn_steps[i].beside)
			to = --left > 0 ? dnn_tensor(d, c, DNN_MADE + n, dim) : last;
		op[n++] = dnn_steps[i].make(d, c, dim, from, to);
		from = to;
	}
	dnn_set(d, d->graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, n, op);
	if (d->device->handle)
		dnn_set(d, d->graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
		    &d->device->handle);
	dnn_finish(d, d->graph);
}

#endif

#endif
