/*
 * conv/conv_gated.cu - the gradient of a convolution's input of which a relu passes some, where
 * that relu's result is above 0: the GATE. A graph of cuDNN may make what passes at once, of what
 * lies there, too, where the gradient is added ONTO that, as at the end of a residual block. That
 * spares reading the whole gradient and writing it again. Engines for such graphs are compiled when
 * the program starts, so one is taken only if it was measured then and is faster
 * (host/tune_fused_cuda.cu). Otherwise a convolution makes all of the gradient, and what reads it,
 * a bias's gradient, makes what passes, in the same bytes, as it adds that up
 * (product/bias_cuda.cu), or a sweep does. What these would make of what has passed already is the
 * same once more, so such a sweep has nothing to do.
 *
 * Both are called with what conv_gate() knows of the convolution, of that room, batch and shape, so
 * that they agree.
 */
#ifndef STOWAGE_CONV_CONV_GATED_CU
#define STOWAGE_CONV_CONV_GATED_CU

#include "conv/conv.cu"
#include "product/bias.cu"

struct dnn_entry;

#ifdef USE_CUDNN

#define GATES_GRADIENTS		/* tune() measures it */

/* NULL: no more graphs are known, and the gradient is made whole. */
static struct dnn_entry *
conv_gate(int64_t room, int64_t b, const struct conv &s, struct onto onto)
{
	struct dnn_conv c = dnn_conv_of(DNN_INPUT, room, b, &s);

	c.gate = true;
	c.add = onto.keep != 0;
	return dnn_find(&c);
}

static bool
conv_gate_is_found(const struct dnn_entry *gate)
{
	return gate && gate->found;
}

static void
conv_gate_note(struct dnn_entry *gate, const struct gate_reader &reader)
{
	if (gate && !gate->reader.run)
		gate->reader = reader;
}

static void
conv_gated_backward_input(elem *dx, const elem *dy, const elem *w, const elem *gate, struct onto onto, void *work,
    int64_t room, int64_t b, struct conv s)
{
	struct dnn_entry *e = conv_gate(room, b, s, onto);
	struct dnn_places at = { dx, w, dy, work, NULL, gate, NULL };

	if (conv_gate_is_found(e)) {
		dnn_execute(e, at);
		return;
	}
	if (e && !e->at.y)
		e->at = at;
	conv_backward_input(dx, dy, w, NULL, onto, work, room, b, s);
}

#else

static struct dnn_entry *
conv_gate(int64_t, int64_t, const struct conv &, struct onto)
{
	return NULL;
}

static bool
conv_gate_is_found(const struct dnn_entry *)
{
	return false;
}

static void
conv_gate_note(struct dnn_entry *, const struct gate_reader &)
{
}

static void
conv_gated_backward_input(elem *dx, const elem *dy, const elem *w, const elem *, struct onto onto, void *work,
    int64_t room, int64_t b, struct conv s)
{
	conv_backward_input(dx, dy, w, NULL, onto, work, room, b, s);
}

#endif

/* The sum of what passes, where that was MADE, or of what lies there and FROM says what passes. */
static void
conv_gated_rows_run(const struct gate_reader *r, bool made)
{
	if (made)
		bias_rows_backward(r->db, r->work, r->passed, r->b, r->channels);
	else
		bias_rows_backward_of(r->db, r->passed, r->work, r->passed, r->from, r->b, r->channels);
}

static void
conv_gated_planes_run(const struct gate_reader *r, bool made)
{
	if (made)
		bias_backward(r->db, r->work, r->passed, r->b, r->channels, r->positions);
	else
		bias_backward_of(r->db, r->passed, r->work, r->passed, r->from, r->b, r->channels, r->positions);
}

/* What of the gradient in PASSED, [rows, channels], passes is to lie there, and its sum in db. */
static void
conv_gated_bias_rows(elem *db, elem *passed, void *work, struct epilogue from, int64_t rows, int64_t channels,
    struct dnn_entry *gate)
{
	struct gate_reader r = { conv_gated_rows_run, db, passed, work, from, rows, channels, 1 };

	conv_gate_note(gate, r);
	r.run(&r, conv_gate_is_found(gate));
}

/* The same of [b, channels, positions]. */
static void
conv_gated_bias(elem *db, elem *passed, void *work, struct epilogue from, int64_t b, int64_t channels, int64_t positions,
    struct dnn_entry *gate)
{
	struct gate_reader r = { conv_gated_planes_run, db, passed, work, from, b, channels, positions };

	conv_gate_note(gate, r);
	r.run(&r, conv_gate_is_found(gate));
}

static void
conv_gated_pass_run(const struct gate_reader *r, bool made)
{
	if (!made)
		epilogue_apply(r->passed, r->from, r->positions);
}

/* What of the gradient in PASSED, N elements, passes is to lie there, and nothing sums it. */
static void
conv_gated_pass(elem *passed, struct epilogue from, int64_t n, struct dnn_entry *gate)
{
	struct gate_reader r = { conv_gated_pass_run, NULL, passed, NULL, from, 1, 1, n };

	conv_gate_note(gate, r);
	r.run(&r, conv_gate_is_found(gate));
}

#endif
