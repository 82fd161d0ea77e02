/*
 * A grid of pixels for what is too small to be drawn by itself (pixels.h).
 */
#include "show/pixels.h"

#include "base/text.h"

#define KINDS	64

struct cell {
	float bytes;		/* of the largest thing here */
	unsigned char kind;	/* its kind + 1; 0: nothing */
};

struct run {			/* equal cells [from, to) of the rows first to last */
	int to, first, last, kind;
};

struct pixels {
	struct arena *a;
	int left, top, across, down;
	struct cell *cell;
	struct text path[KINDS];
};

struct pixels *
pixels_new(struct arena *a, int left, int top, int across, int down)
{
	struct pixels *p = ARENA_NEW(a, struct pixels);

	*p = (struct pixels){ .a = a, .left = left, .top = top, .across = across, .down = down };
	p->cell = arena_array(a, (size_t)across * (size_t)down, sizeof(*p->cell));
	return p;
}

/* The pixels [*from, *to) of LIMIT that a stretch touches: at least one. */
static void
touched(int at, int length, int origin, int limit, int *from, int *to)
{
	*from = at / 10 - origin;
	*to = (at + length + 9) / 10 - origin;
	*from = *from < limit ? *from : limit - 1;
	*from = *from > 0 ? *from : 0;
	*to = *to < limit ? *to : limit;
	*to = *to > *from ? *to : *from + 1;
}

void
pixels_paint(struct pixels *p, struct box r, int kind, int64_t bytes)
{
	int x, x0, x1, y, y1;

	touched(r.x, r.w, p->left, p->across, &x0, &x1);
	touched(r.y, r.h, p->top, p->down, &y, &y1);
	for (; y < y1; y++)
		for (x = x0; x < x1; x++) {
			struct cell *at = &p->cell[y * p->across + x];

			if (at->kind && at->bytes >= (float)bytes)
				continue;
			at->bytes = (float)bytes;
			at->kind = (unsigned char)(kind + 1);
		}
}

static void
run_close(struct pixels *p, const struct run *r, int from)
{
	struct text *path;

	if (!r->kind)
		return;
	path = &p->path[r->kind - 1];
	if (!path->s)
		text_init(path, p->a);
	text_printf(path, "M%d %dh%dv%dh%dz", p->left + from, p->top + r->first, r->to - from,
	    r->last + 1 - r->first, from - r->to);
}

/* Runs of a row first, then those that continue a run of the row above; open[x] is the last one
 * that began at x. */
void
pixels_join(struct pixels *p)
{
	struct run *open = arena_array(p->a, (size_t)p->across, sizeof(*open)), *r;
	int x, y, to;

	for (y = 0; y < p->down; y++)
		for (x = 0; x < p->across; x = to) {
			const struct cell *row = &p->cell[y * p->across];

			for (to = x + 1; to < p->across && row[to].kind == row[x].kind; to++)
				;
			r = &open[x];
			if (!row[x].kind)
				continue;
			if (r->kind == row[x].kind && r->to == to && r->last == y - 1) {
				r->last = y;
				continue;
			}
			run_close(p, r, x);
			*r = (struct run){ to, y, y, row[x].kind };
		}
	for (x = 0; x < p->across; x++)
		run_close(p, &open[x], x);
}

const char *
pixels_path(const struct pixels *p, int kind)
{
	return p->path[kind].s;
}
