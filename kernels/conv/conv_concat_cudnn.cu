/*
 * conv/conv_concat_cudnn.cu - conv/conv_concat.cu's convolutions by cuDNN: one for each of the
 * tensors, of its part of the weights. The images are read, and their gradients written, where they
 * lie, crops and all. Engines want weights without gaps, though: a copy of the part, or its
 * gradient before it joins the others, lies at the beginning of the workspace.
 *
 * A part that cuDNN refuses is done by the kernels of conv_concat_cuda.cu; what of which it refuses
 * all parts, or where there is no room for the copies, is left to them as a whole (false).
 */
#ifdef USE_CUDNN

/* ROWS pieces of N elements, from places FROM_PITCH apart to places TO_PITCH apart. */
KERNEL(weights_part_kernel, (elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch,
    struct onto onto, int64_t rows, int64_t n))
{
	real keep = onto_keep(onto);

	EACH_PLACE (r, one, j, rows, 1, n)
		onto_store(&to[(r + one) * to_pitch + j],
		    VALUE(from[(r + one) * from_pitch + j]), keep);
}

struct weights_part {		/* of some channels, as they lie among all weights: */
	int64_t rows, n, pitch;	/* pieces of N elements, PITCH apart */
};

static inline struct weights_part
weights_part_of(const struct conv *part, const struct conv *s)
{
	struct weights_part p;

	p.rows = s->last ? (int64_t)s->f * s->kh * s->kw : s->f;
	p.n = part->c * conv_channel_step(s);
	p.pitch = s->c * conv_channel_step(s);
	return p;
}

/* OWN becomes a copy of the part that begins at W. */
static void
weights_part_copy(elem *own, const elem *w, const struct weights_part &p)
{
	LAUNCH(weights_part_kernel, p.rows * p.n, (own, p.n, w, p.pitch, ANEW, p.rows, p.n));
}

/* The part that begins at DW becomes OWN, ONTO what lies there. */
static void
weights_part_store(elem *dw, const elem *own, struct onto onto, const struct weights_part &p)
{
	LAUNCH(weights_part_kernel, p.rows * p.n, (dw, p.pitch, own, p.n, onto, p.rows, p.n));
}

/* The convolution of so many channels, seen so. Its workspace is what a copy of its weights leaves
 * of ROOM; less than nothing is no room for it. */
static struct dnn_conv
concat_conv(int kind, int channels, struct conv_view view, int64_t room, int64_t b,
    const struct conv *s)
{
	struct conv part = conv_part(*s, channels);
	struct dnn_conv c = dnn_conv_of(kind, room - conv_part_bytes(&part, sizeof(elem)), b, &part);

	c.view = view;
	return c;
}

static struct dnn_conv
concat_conv_of(int kind, const struct piece *x, int64_t room, int64_t b, const struct conv *s)
{
	int64_t w = s->last ? x->row / x->channels : x->row;

	return concat_conv(kind, x->channels, conv_view((int)(x->image / x->channels / w), (int)w,
	    (x->at - x->begin) * (int64_t)sizeof(elem)), room, b, s);
}

/* The workspace of a part, after its weights. */
static void *
concat_rest(void *work, const struct dnn_conv *c)
{
	return (char *)work + conv_part_bytes(&c->s, sizeof(elem));
}

/* Bytes that our own kernels need for the gradient of a part's weights. */
static int64_t
concat_sums(const struct conv *part)
{
	return conv_gpu_splits(part) * conv_weights(part) * (int64_t)sizeof(real);
}

/* The convolutions of all parts; false where there is no room for one, or none is cuDNN's. ADDED:
 * those after the first keep what that made. */
static bool
concat_convs(struct dnn_conv *c, int kind, const struct sources &x, bool bias, bool added,
    int64_t room, int64_t b, const struct conv &s)
{
	bool any = false;

	for (int i = 0; i < x.n; i++) {
		c[i] = concat_conv_of(kind, &x.s[i], room, b, &s);
		if (c[i].room < 0)
			return false;
		if (dnn_can(&c[i], bias && i == 0, ONTO(added && i > 0 ? 1 : 0)))
			any = true;
		else if (kind == DNN_WEIGHT && concat_sums(&c[i].s) > c[i].room)
			return false;
	}
	return any;
}

static inline struct sources
one_source(const struct piece &x)
{
	struct sources one = no_sources();

	one.s[one.n++] = x;
	return one;
}

static bool
concat_forward_dnn(elem *y, const struct sources &x, const elem *w, const elem *bias, void *work,
    int64_t room, int64_t b, const struct conv &s)
{
	struct dnn_conv c[CONV_SOURCES];
	elem *own = (elem *)work;

	if (!concat_convs(c, DNN_FORWARD, x, bias != NULL, true, room, b, s))
		return false;
	for (int i = 0; i < x.n; i++) {
		struct onto onto = ONTO(i ? 1 : 0);
		const elem *first = i ? NULL : bias;

		weights_part_copy(own, w, weights_part_of(&c[i].s, &s));
		if (!dnn_run_conv(&c[i], x.s[i].at, own, y, first, onto, AS_IS,
		    concat_rest(work, &c[i])))
			BY_LAYOUT(s, concat_forward_own, (y, one_source(x.s[i]), own, first, onto, b,
			    c[i].s));
		w += c[i].s.c * conv_channel_step(&s);
	}
	return true;
}

static bool
concat_weight_dnn(elem *dw, const elem *dy, const struct sources &x, struct onto onto, void *work,
    int64_t room, int64_t b, const struct conv &s)
{
	struct dnn_conv c[CONV_SOURCES];
	elem *own = (elem *)work;

	if (!concat_convs(c, DNN_WEIGHT, x, false, false, room, b, s))
		return false;
	for (int i = 0; i < x.n; i++) {
		void *rest = concat_rest(work, &c[i]);

		if (!dnn_run_conv(&c[i], x.s[i].at, own, dy, NULL, ANEW, AS_IS, rest))
			BY_LAYOUT(s, concat_weight_own, (own, dy, one_source(x.s[i]), ANEW, rest, b,
			    c[i].s));
		weights_part_store(dw, own, onto, weights_part_of(&c[i].s, &s));
		dw += c[i].s.c * conv_channel_step(&s);
	}
	return true;
}

/* Of the part P, whose weights begin at W. */
static bool
concat_input_dnn(elem *dx, const elem *dy, const elem *w, struct onto onto, void *work,
    int64_t room, int64_t b, const struct conv &s, const struct part &p)
{
	int64_t corner = part_corner(&p, &s);
	struct dnn_conv c = concat_conv(DNN_INPUT, p.channels, conv_view(p.h, p.w,
	    corner * (int64_t)sizeof(elem)), room, b, &s);

	if (c.room < 0 || !dnn_can(&c, false, onto))
		return false;
	weights_part_copy((elem *)work, w, weights_part_of(&c.s, &s));
	return dnn_run_conv(&c, dx + corner, (const elem *)work, dy, NULL, onto, AS_IS,
	    concat_rest(work, &c));
}

#else

static bool
concat_forward_dnn(elem *, const struct sources &, const elem *, const elem *, void *, int64_t,
    int64_t, const struct conv &)
{
	return false;
}

static bool
concat_weight_dnn(elem *, const elem *, const struct sources &, struct onto, void *, int64_t,
    int64_t, const struct conv &)
{
	return false;
}

static bool
concat_input_dnn(elem *, const elem *, const elem *, struct onto, void *, int64_t, int64_t,
    const struct conv &, const struct part &)
{
	return false;
}

#endif
