/*
 * CUDA's convolutions by a stand-in for cuDNN (cudnn.h), against sums by definition: what the
 * graphs ask for, what of them waits for which engine, where a workspace is cut, and what is left
 * to our own kernels. Channels lie first and last; a convolution sees one tensor, or several
 * through crops.
 */
#include "cuda.h"

#include "../products/epilogues.h"
#include "cudnn.h"

#define CUDNN(call)	DNN_WANT((call) == CUDNN_STATUS_SUCCESS)
#define CHANNELS_FIRST
#define CHANNELS_LAST
#define VOLUMES
#include "conv/conv_concat.cu"
#include "conv/conv_gated.cu"
#include "../products/shapes.h"

#include "values.h"

extern const struct dnn_record dnn_record[] = { { { -1 } } };

static void
check(const std::string &what, const Values &got, const Sums &want)
{
	same(what, got, want, sizeof(real) == 8 ? 1e-13 : 4e-6);
}

struct image {			/* a tensor that the convolution sees: its planes, and from where on */
	int c, h, w, top, left;
	Values x;
	Sums dx;
};

/* What a convolution of B samples is by definition, channels first: of all the images, one after
 * the other along the channels. */
struct problem {
	struct conv s;
	int64_t b;
	std::vector<struct image> from;
	Values w, bias, dy;
	Sums y, dw;
};

static int64_t
place(const struct problem &p, int64_t image, int c, int z, int y, int x, struct image const **of)
{
	const struct image *i = &p.from[0];

	while (c >= i->c)
		c -= (i++)->c;
	*of = i;
	return (((image * i->c + c) * conv_deep(&p.s) + z) * i->h + i->top + y) * i->w + i->left + x;
}

static void
solve(struct problem &p)
{
	const struct conv &s = p.s;
	int cg = s.c / s.groups, taps = conv_deep_taps(&s) * s.kh * s.kw, places = (int)conv_outputs(&s);

	p.w = drawn((int64_t)s.f * cg * taps), p.bias = drawn(s.f), p.dy = drawn(p.b * s.f * places);
	p.y.assign(p.dy.size(), 0), p.dw.assign(p.w.size(), 0);
	for (struct image &i : p.from)
		i.x = drawn(p.b * i.c * conv_deep(&s) * i.h * i.w), i.dx.assign(i.x.size(), 0);
	for (int64_t i = 0; i < (int64_t)p.y.size(); i++) {
		int ox = (int)(i % s.ow), oy = (int)(i / s.ow % s.oh), f = (int)(i / places % s.f);
		int oz = (int)(i / s.ow / s.oh % conv_depth(&s));

		p.y[i] = p.bias[f];
		for (int k = 0; k < cg * taps; k++) {
			int y = oy * s.sy - s.top + k / s.kw % s.kh * s.dy, x = ox * s.sx - s.left + k % s.kw * s.dx;
			int z = oz * s.sz - s.front + k % taps / (s.kh * s.kw) * s.dz;
			const struct image *of;
			int64_t at, weight = (int64_t)f * cg * taps + k;

			if (z < 0 || z >= conv_deep(&s) || y < 0 || y >= s.h || x < 0 || x >= s.w)
				continue;
			at = place(p, i / ((int64_t)places * s.f), f / (s.f / s.groups) * cg + k / taps, z, y, x, &of);
			p.y[i] += (double)of->x[at] * p.w[weight];
			p.dw[weight] += (double)of->x[at] * p.dy[i];
			((struct image *)of)->dx[at] += (double)p.w[weight] * p.dy[i];
		}
	}
}

/* Channels first of what lies channels last, where it does. */
static Values
first(const Values &v, bool last, int64_t b, int64_t channels, int64_t plane)
{
	return last ? turned(v, b, plane, channels) : v;
}

static Sums
onto(Sums v, const Values &old, double keep)
{
	for (size_t i = 0; i < v.size(); i++)
		v[i] += keep * old[i];
	return v;
}

static Sums
rectified(Sums v)
{
	for (double &x : v)
		x = x < 0 ? 0 : x;
	return v;
}

static Sums
where_more(Sums v, const Values &beside)
{
	for (size_t i = 0; i < v.size(); i++)
		v[i] = beside[i] > 0 ? v[i] : 0;
	return v;
}

/* One tensor, all of which is seen. */
static void
check_plain(int64_t b, struct conv s)
{
	struct problem p = { s, b, { { s.c, s.h, s.w, 0, 0 } } };
	Sums work(100000);
	int64_t room = (int64_t)(work.size() * sizeof(double)), in = conv_deep(&s) * s.h * s.w;
	int64_t out = conv_outputs(&s);
	int cg = s.c / s.groups, taps = conv_deep_taps(&s) * s.kh * s.kw;

	solve(p);
	for (int last = 0; last < (s.d ? 1 : 2); last++) {
		struct conv t = last ? channels_last(s) : s;
		std::string at = last ? ", channels last" : "";
		struct image &i = p.from[0];
		Values x = last ? turned(i.x, b, s.c, in) : i.x, w = last ? turned(p.w, s.f, cg, taps) : p.w;
		Values dy = last ? turned(p.dy, b, s.f, out) : p.dy, y(dy.size(), (real)NAN), dx, dw;
		Values old_x = drawn((int64_t)x.size()), old_w = drawn((int64_t)w.size());
		struct step step = { 1, 2, 3, 0, 1, 1 };

		conv_forward(&y[0], &x[0], &w[0], &p.bias[0], ANEW, AS_IS, &work[0], room, b, t);
		check("forward" + at, first(y, last, b, s.f, out), p.y);
		conv_forward(&y[0], &x[0], &w[0], &p.bias[0], ANEW, THEN(RELU), &work[0], room, b, t);
		check("forward, relu" + at, first(y, last, b, s.f, out), rectified(p.y));
		conv_forward(&y[0], &x[0], &w[0], &p.bias[0], ANEW, THEN_WITH(RELU_GRAD, &dy[0]), &work[0], room, b, t);
		check("forward, where there is more than 0 beside" + at, first(y, last, b, s.f, out), where_more(p.y, p.dy));
		dx.assign(x.size(), (real)NAN);
		conv_backward_input(&dx[0], &dy[0], &w[0], NULL, ANEW, &work[0], room, b, t);
		check("input" + at, first(dx, last, b, s.c, in), i.dx);
		dx = old_x;
		conv_backward_input(&dx[0], &dy[0], &w[0], NULL, ONTO(1), &work[0], room, b, t);
		check("input, added onto" + at, first(dx, last, b, s.c, in),
		    onto(i.dx, first(old_x, last, b, s.c, in), 1));
		dw.assign(w.size(), (real)NAN);
		conv_backward_weight(&dw[0], &dy[0], &x[0], ANEW, &work[0], room, b, t);
		check("weights" + at, first(dw, last, s.f, cg, taps), p.dw);
		dw = old_w, step_on_host = &step;
		conv_backward_weight(&dw[0], &dy[0], &x[0], ONTO_FIRST(0, &step), &work[0], room, b, t);
		check("weights of a second micro-batch" + at, first(dw, last, s.f, cg, taps),
		    onto(p.dw, first(old_w, last, s.f, cg, taps), 1));
	}
}

/* With the sums of channels; FOUND: there is an engine that makes them. */
static void
check_summed(const std::string &how, int64_t b, struct conv s, int64_t room, bool found)
{
	struct problem p = { s, b, { { s.c, s.h, s.w, 0, 0 } } };
	struct conv t = channels_last(s);
	int64_t out = conv_outputs(&s);
	Sums work(100000), want((size_t)(2 * s.f));
	alignas(16) real sums[2 * 16];
	int before = dnn_summed;

	solve(p);
	Values x = turned(p.from[0].x, b, s.c, (int64_t)s.h * s.w), y = nothing((int64_t)p.y.size());
	Values w = turned(p.w, s.f, s.c / s.groups, (int64_t)s.kh * s.kw);

	for (int64_t i = 0; i < (int64_t)p.y.size(); i++) {
		int64_t f = i / out % s.f;

		p.y[(size_t)i] -= p.bias[(size_t)f];
		want[(size_t)f] += p.y[(size_t)i];
		want[(size_t)(s.f + f)] += p.y[(size_t)i] * p.y[(size_t)i];
	}
	conv_summed_forward(&y[0], sums, &x[0], &w[0], &work[0], room, b, t);
	check("forward" + how, turned(y, b, out, s.f), p.y);
	DNN_WANT(conv_sums(sums, room, b, t) == (found ? sums : NULL));
	DNN_WANT(dnn_summed == before + found);
	if (found)
		check("sums" + how, Values(sums, sums + 2 * s.f), want);
}

/* Of a gradient, ADDED onto another or not, what passes a relu, by our own kernels and by a graph
 * that makes it, and its sum over positions. */
static void
check_gated(int64_t b, struct conv s, bool added)
{
	struct problem p = { s, b, { { s.c, s.h, s.w, 0, 0 } } };
	struct conv t = channels_last(s);
	int64_t in = (int64_t)s.h * s.w, room = 100000;
	Sums work((size_t)room), sums((size_t)room), want((size_t)s.c);
	const struct image &i = p.from[0];
	int before = dnn_gated;

	solve(p);
	Values w = turned(p.w, s.f, s.c / s.groups, (int64_t)s.kh * s.kw), dy = turned(p.dy, b, s.f, conv_outputs(&s));
	Values gate = turned(i.x, b, s.c, in), db = nothing(s.c), old = drawn(b * s.c * in);
	Sums passed = where_more(added ? onto(i.dx, old, 1) : i.dx, i.x);
	struct onto there = added ? ONTO(1) : ANEW;

	for (int64_t k = 0; k < (int64_t)passed.size(); k++)
		want[(size_t)(k / in % s.c)] += passed[(size_t)k];
	for (int own = 1; own >= 0; own--) {
		std::string how = std::string(own ? "" : ", at once") + (added ? ", added" : "");
		struct dnn_entry *e = conv_gate(room, b, t, there);
		Values dx = added ? turned(old, b, s.c, in) : nothing(b * s.c * in), alone;

		DNN_WANT(e && e->found == !own);
		conv_gated_backward_input(&dx[0], &dy[0], &w[0], &gate[0], there, &work[0], room, b, t);
		alone = dx;
		conv_gated_pass(&alone[0], THEN_WITH(RELU_GRAD, &gate[0]), b * s.c * in, own ? NULL : e);
		check("what passes, without its sum" + how, turned(alone, b, in, s.c), passed);
		if (!own)
			check("what passes, before its sum" + how, turned(dx, b, in, s.c), passed);
		conv_gated_bias_rows(&db[0], &dx[0], &sums[0], THEN_WITH(RELU_GRAD, &gate[0]), b * in, s.c,
		    conv_gate(room, b, t, there));
		check("what passes" + how, turned(dx, b, in, s.c), passed);
		check("its sum" + how, db, want);
		DNN_WANT(dnn_gated == before + !own && e->at.x == &dx[0] && (own ? e->reader.db == &db[0] : !e->reader.db));
		e->at.x = NULL, e->at.y = NULL, e->reader.run = NULL;
		e->found = dnn_choose(&e->dnn, &dnn_device, &e->conv, &e->choice);	/* as tune() may */
	}
}

/* Several, in ROOM bytes of workspace. */
static void
check_concat(const std::string &how, int64_t b, struct conv s, const std::vector<struct image> &from,
    int64_t room)
{
	struct problem p = { s, b, from };
	Sums work(100000);
	int64_t out = s.oh * s.ow;
	int taps = s.kh * s.kw, before;

	solve(p);
	for (int last = 0; last < 2; last++) {
		struct conv t = last ? channels_last(s) : s;
		std::string at = how + (last ? ", channels last" : "");
		Values w = last ? turned(p.w, s.f, s.c, taps) : p.w, old = drawn((int64_t)w.size()), dw = old;
		Values dy = last ? turned(p.dy, b, s.f, out) : p.dy, y(dy.size(), (real)NAN);
		std::vector<Values> x;
		struct sources sources = no_sources();

		for (const struct image &i : p.from)
			x.push_back(last ? turned(i.x, b, i.c, i.h * i.w) : i.x);
		for (size_t k = 0; k < x.size(); k++) {
			const struct image &i = p.from[k];

			sources = last ? beside_last(sources, &x[k][0], b, part{ 0, i.c, i.h, i.w, i.top, i.left }) :
			    beside(sources, &x[k][0], b, part{ 0, i.c, i.h, i.w, i.top, i.left });
		}
		conv_concat_forward(&y[0], sources, &w[0], &p.bias[0], &work[0], room, b, t);
		check("forward" + at, first(y, last, b, s.f, out), p.y);
		conv_concat_backward_weight(&dw[0], &dy[0], sources, ONTO(0.5f), &work[0], room, b, t);
		check("weights" + at, first(dw, last, s.f, s.c, taps), onto(p.dw, first(old, last, s.f, s.c, taps),
		    0.5));
		before = 0;
		for (const struct image &i : p.from) {
			Values was = drawn((int64_t)i.x.size()), dx = was;

			conv_concat_backward_input(&dx[0], &dy[0], &w[0], ONTO(0.5f), &work[0], room, b, t,
			    part{ before, i.c, i.h, i.w, i.top, i.left });
			check("input" + at, first(dx, last, b, i.c, i.h * i.w), onto(i.dx, first(was, last, b, i.c,
			    i.h * i.w), 0.5));
			before += i.c;
		}
	}
}

/* How many graphs of each kind ran since the last time. */
static void
check_runs(const char *what, int forward, int input, int weight)
{
	int want[3] = { forward, input, weight };

	for (int i = 0; i < 3; i++) {
		checks++;
		if (dnn_runs[i] != want[i])
			failed(std::string(what) + ": graphs of kind " + std::to_string(i),
			    dnn_runs[i] - want[i], want[i]);
		dnn_runs[i] = 0;
	}
}

int
main(void)
{
	struct conv same = conv_shape(5, 7, 6, 9, 7, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1);
	struct conv striding = conv_shape(6, 7, 6, 5, 4, 3, 1, 1, 2, 2, 0, 0, 1, 1, 1);
	struct conv beside = conv_shape(8, 4, 4, 5, 3, 3, 1, 1, 2, 2, 0, 0, 1, 1, 1);	/* padded below and right */
	struct conv seen = conv_shape(9, 6, 5, 10, 4, 3, 3, 3, 1, 1, 0, 0, 1, 1, 1);
	/* odd corners, so that nothing is aligned to more than an element; and ones that lie
	 * well */
	std::vector<struct image> two = { { 3, 6, 5, 0, 0 }, { 6, 9, 7, 2, 1 } };
	std::vector<struct image> three = { { 4, 8, 8, 1, 0 }, { 1, 6, 5, 0, 0 }, { 4, 6, 9, 0, 4 } };
	struct conv volume = deep(conv_shape(5, 6, 7, 9, 6, 4, 3, 3, 1, 2, 1, 1, 1, 1, 1), 5, 4, 3, 1, 1, 1);
	int64_t weights = 10 * 9 * 9 * (int64_t)sizeof(real), alive;

	CUDNN(cudnnCreate(&dnn_device.handle));
	dnn_building = true;
	check_plain(2, same);
	check_runs("plain", 6, 4, 4);
	DNN_WANT(dnn_longest == 3);
	check_plain(2, conv_shape(8, 9, 7, 12, 4, 4, 3, 2, 2, 2, 0, 1, 1, 2, 4));
	check_plain(1, conv_shape(6, 9, 8, 7, 4, 4, 2, 2, 2, 2, 0, 0, 1, 1, 1));	/* a row is left over */
	check_runs("others", 12, 8, 8);
	check_plain(2, striding);
	check_runs("a stride of one element", 6, 4, 4);
	DNN_WANT(dnn_with_gaps == 2);	/* of what is added to, in either order of channels, others are left alone */
	check_plain(2, beside);
	check_runs("a stride of one element past the image", 6, 4, 4);
	DNN_WANT(dnn_with_gaps == 2);
	check_plain(2, volume);
	check_plain(1, deep(conv_shape(4, 6, 7, 6, 3, 6, 2, 2, 2, 1, 0, 0, 1, 1, 2), 7, 3, 2, 2, 0, 2));
	check_runs("volumes", 6, 4, 4);
	check_concat("", 2, seen, two, 20000);
	check_runs("two tensors", 4, 4, 4);
	check_concat(" of three", 2, seen, three, 20000);
	check_runs("three tensors", 6, 6, 6);
	check_concat(" without room", 2, seen, two, weights / 3);
	check_runs("no room for copies", 0, 0, 0);
	dnn_refuses_gaps = true;	/* in another batch: what was found is remembered */
	check_concat(" partly refused", 3, seen, two, 20000);
	check_runs("what is seen whole, too little room for our own sums", 2, 2, 0);
	check_concat(" partly refused", 3, seen, two, 400000);
	check_runs("what is seen whole", 2, 2, 2);
	check_plain(3, striding);
	check_runs("a stride of one element, in an engine of all", 6, 4, 4);
	check_concat(" of which nothing is whole", 3, seen, { { 4, 8, 8, 1, 0 }, { 5, 6, 9, 0, 4 } }, 20000);
	check_runs("nothing whole", 0, 0, 0);
	dnn_refuses_gaps = false;

	if (sizeof(real) == 4) {	/* they are floats */
		struct conv eight = conv_shape(8, 7, 6, 16, 7, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1);

		check_summed(", summed", 2, eight, 100000, true);
		check_summed(", summed again", 2, eight, 100000, true);
		check_runs("with sums", 2, 0, 0);
		check_summed(", not summed without room", 2, eight, 10, false);
		check_runs("without room, our own", 0, 0, 0);
		check_summed(", not summed by fewer channels", 2, same, 100000, false);
		check_runs("without sums", 1, 0, 0);
	}

	for (int added = 0; added < 2; added++) {
		check_gated(3, conv_shape(5, 7, 6, 9, 7, 6, 3, 3, 1, 1, 1, 1, 1, 1, 1), added);
		check_gated(2, conv_shape(8, 9, 7, 12, 4, 4, 3, 2, 2, 2, 0, 1, 1, 2, 4), added);
	}
	check_runs("with a gate", 0, 8, 0);

	dnn_building = false;
	alive = dnn_alive;
	check_plain(1, same);		/* the last, smaller batch */
	check_plain(3, volume);
	check_plain(3, deep(conv_shape(4, 6, 7, 6, 3, 6, 2, 2, 2, 1, 0, 0, 1, 1, 2), 7, 3, 2, 2, 0, 2));
	check_runs("a batch for which there is no graph", 0, 0, 0);
	check_plain(2, same);
	check_runs("plain again", 6, 4, 4);
	DNN_WANT(dnn_alive == alive);
	return verdict();
}
