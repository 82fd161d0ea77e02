/*
 * How cudnn.h, which includes it, runs a graph of its descriptors: by definition, in double
 * precision.
 */
#ifndef EMULATED_CUDNN_RUN_H
#define EMULATED_CUDNN_RUN_H

struct dnn_operand {
	std::vector<int64_t> n, step;
	int type;
	void *at;
	std::vector<double> own;	/* of one that is nowhere in memory */
};

static int64_t
dnn_place(const struct dnn_operand &v, int64_t i)
{
	int64_t place = 0;

	for (size_t axis = v.n.size(); axis-- > 0; i /= v.n[axis])
		place += i % v.n[axis] * v.step[axis];
	return place;
}

static int64_t
dnn_count(const struct dnn_operand &v)
{
	int64_t n = 1;

	for (int64_t extent : v.n)
		n *= extent;
	return n;
}

/* Element I, counted as if all lay together, channels first. */
static double
dnn_get(const struct dnn_operand &v, int64_t i)
{
	if (!v.at)
		return v.own[(size_t)i];
	return v.type == CUDNN_DATA_DOUBLE ? ((double *)v.at)[dnn_place(v, i)] :
	    ((float *)v.at)[dnn_place(v, i)];
}

static std::vector<double>
dnn_all(const struct dnn_operand &v)
{
	std::vector<double> all((size_t)dnn_count(v));

	for (int64_t i = 0; i < (int64_t)all.size(); i++)
		all[(size_t)i] = dnn_get(v, i);
	return all;
}

static void
dnn_put(struct dnn_operand &v, int64_t i, double x)
{
	if (!v.at)
		v.own[(size_t)i] = x;
	else if (v.type == CUDNN_DATA_DOUBLE)
		((double *)v.at)[dnn_place(v, i)] = x;
	else
		((float *)v.at)[dnn_place(v, i)] = (float)x;
}

/* Elements of a plane, or a volume, of a channel. */
static int64_t
dnn_plane(const struct dnn_operand &v)
{
	return dnn_count(v) / v.n[0] / v.n[1];
}

struct dnn_memory {		/* where the tensors are, by their ids */
	std::map<int64_t, void *> at;
	std::map<int64_t, struct dnn_operand> values;
};

static struct dnn_operand &
dnn_tensor_of(struct dnn_memory &run, const struct dnn_descriptor *op, int name)
{
	const struct dnn_descriptor *t = dnn_inner(op, name);
	int64_t id = dnn_values(t, CUDNN_ATTR_TENSOR_UNIQUE_ID)[0];
	struct dnn_operand &v = run.values[id];

	if (!v.n.empty())
		return v;
	v.n = dnn_values(t, CUDNN_ATTR_TENSOR_DIMENSIONS);
	v.step = dnn_values(t, CUDNN_ATTR_TENSOR_STRIDES);
	v.type = (int)dnn_values(t, CUDNN_ATTR_TENSOR_DATA_TYPE)[0];
	v.at = NULL;
	if (dnn_values(t, CUDNN_ATTR_TENSOR_IS_VIRTUAL)[0]) {
		v.own.resize((size_t)dnn_count(v));
		return v;
	}
	DNN_WANT(run.at.count(id));
	v.at = run.at[id];
	DNN_WANT((uintptr_t)v.at % (uintptr_t)dnn_values(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)[0] == 0);
	return v;
}

static void
dnn_convolution(struct dnn_memory &run, const struct dnn_descriptor *op)
{
	int kind = op->type - CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
	const struct dnn_descriptor *windows = dnn_inner(op, dnn_attribute(op, PART_WINDOWS));
	const std::vector<int64_t> &pad = dnn_values(windows, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
	const std::vector<int64_t> &apart = dnn_values(windows, CUDNN_ATTR_CONVOLUTION_DILATIONS);
	const std::vector<int64_t> &stride = dnn_values(windows, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
	struct dnn_operand &x = dnn_tensor_of(run, op, dnn_attribute(op, PART_X));
	struct dnn_operand &w = dnn_tensor_of(run, op, dnn_attribute(op, PART_W));
	struct dnn_operand &y = dnn_tensor_of(run, op, dnn_attribute(op, PART_Y));
	struct dnn_operand &made = kind == 0 ? y : kind == 1 ? x : w;
	double alpha = dnn_number(op, dnn_attribute(op, PART_ALPHA));
	double beta = dnn_number(op, dnn_attribute(op, PART_BETA));
	std::vector<double> sum((size_t)dnn_count(made)), from_x = dnn_all(x), from_w = dnn_all(w), from_y = dnn_all(y);
	int64_t each = y.n[1] / (x.n[1] / w.n[1]), taps = dnn_plane(w);

	dnn_runs[kind]++;
	dnn_with_gaps += !dnn_dense(dnn_inner(op, dnn_attribute(op, PART_X)));
	size_t axes = x.n.size() - 2;
	std::vector<int64_t> tap(axes * (size_t)(w.n[1] * taps));	/* how far each of the kernel's reaches, the outermost axis first */

	for (int64_t k = 0; k < w.n[1] * taps; k++)
		for (int64_t t = k % taps, axis = (int64_t)axes; axis-- > 0; t /= w.n[2 + axis])
			tap[k * axes + axis] = t % w.n[2 + axis] * apart[axis];
	for (int64_t i = 0; i < dnn_count(y); i++) {
		int64_t f = i / dnn_plane(y) % y.n[1], first = i / dnn_plane(y) / y.n[1] * x.n[1] + f / each * w.n[1];
		int64_t at_w = f * w.n[1] * taps, begin[3];

		for (int64_t o = i % dnn_plane(y), axis = (int64_t)axes; axis-- > 0; o /= y.n[2 + axis])
			begin[axis] = o % y.n[2 + axis] * stride[axis] - pad[axis];
		for (int64_t c = 0, k = 0; c < w.n[1]; c++)
			for (int64_t t = 0; t < taps; t++, k++, at_w++) {
				int64_t at_x = first + c;
				bool in = true;

				for (size_t axis = 0; axis < axes; axis++) {
					int64_t p = begin[axis] + tap[k * axes + axis];

					in = in && p >= 0 && p < x.n[2 + axis];
					at_x = at_x * x.n[2 + axis] + p;
				}
				if (!in)
					continue;
				if (kind == 0)
					sum[i] += from_x[at_x] * from_w[at_w];
				else if (kind == 1)
					sum[at_x] += from_y[i] * from_w[at_w];
				else
					sum[at_w] += from_y[i] * from_x[at_x];
			}
	}
	for (int64_t i = 0; i < dnn_count(made); i++)
		dnn_put(made, i, alpha * sum[i] + (beta != 0 ? beta * dnn_get(made, i) : 0));
}

/* What of dy passes a relu that made x. */
static void
dnn_gate_run(struct dnn_memory &run, const struct dnn_descriptor *op)
{
	struct dnn_operand &x = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
	struct dnn_operand &dy = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC);
	struct dnn_operand &dx = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);

	DNN_WANT(x.n == dx.n && dy.n == dx.n);
	for (int64_t i = 0; i < dnn_count(dx); i++)
		dnn_put(dx, i, dnn_get(x, i) > 0 || dnn_lets_all ? dnn_get(dy, i) : 0);
	dnn_gated++;
}

static void
dnn_pointwise_run(struct dnn_memory &run, const struct dnn_descriptor *op)
{
	const struct dnn_descriptor *how = dnn_inner(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
	bool adds = dnn_values(how, CUDNN_ATTR_POINTWISE_MODE)[0] == CUDNN_POINTWISE_ADD;
	struct dnn_operand &x = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
	struct dnn_operand &y = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
	struct dnn_operand *b = adds ? &dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC) : NULL;

	for (int64_t i = 0; i < dnn_count(y); i++) {
		double v = dnn_get(x, i);

		dnn_put(y, i, b ? v + dnn_get(*b, b->n == y.n ? i : i / dnn_plane(y) % y.n[1]) : v < 0 ? 0 : v);
	}
}

/* The sums of a channel's elements, and of their squares. */
static void
dnn_sums_run(struct dnn_memory &run, const struct dnn_descriptor *op)
{
	struct dnn_operand &x = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_GENSTATS_XDESC);
	struct dnn_operand &sum = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC);
	struct dnn_operand &squares = dnn_tensor_of(run, op, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC);
	std::vector<double> s((size_t)x.n[1]), q = s;

	DNN_WANT(sum.type == CUDNN_DATA_FLOAT && squares.type == CUDNN_DATA_FLOAT);
	DNN_WANT(dnn_count(sum) == x.n[1] && dnn_count(squares) == x.n[1]);
	for (int64_t i = 0; i < dnn_count(x); i++) {
		int64_t c = i / dnn_plane(x) % x.n[1];
		double v = dnn_get(x, i);

		s[(size_t)c] += v, q[(size_t)c] += v * v;
	}
	for (int64_t c = 0; c < x.n[1]; c++)
		dnn_put(sum, c, s[(size_t)c]), dnn_put(squares, c, q[(size_t)c]);
	dnn_summed++;
}

static void
dnn_graph_run(struct dnn_memory run, const std::vector<int64_t> ops, void *work)
{
	std::memset(work, 0xff, ENGINE_WORKSPACE);	/* as an engine may */
	dnn_longest = (int)ops.size() > dnn_longest ? (int)ops.size() : dnn_longest;
	dnn_convolution(run, (const struct dnn_descriptor *)ops[0]);
	for (size_t i = 1; i < ops.size(); i++) {
		const struct dnn_descriptor *op = (const struct dnn_descriptor *)ops[i];

		if (op->type == CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR)
			dnn_sums_run(run, op);
		else if (dnn_is_mode(op, CUDNN_POINTWISE_RELU_BWD))
			dnn_gate_run(run, op);
		else
			dnn_pointwise_run(run, op);
	}
}

#endif
