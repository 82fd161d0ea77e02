/*
 * parts.c - pictures whose parts are known: objects, of each a box, a class and a mask. A target
 * has room for as many as it says, and rows of zeros are behind those that there are.
 *
 *     file           scaled                 input
 *     +------+       as it fits, but        +--------+--+
 *     | +--+ |  -->  never beyond      -->  | +-+    | 0|    boxes and masks go along
 *     | +--+ |       shorter, longer        | +-+    |  |
 *     +------+                              +--------+--+
 *
 * Sizes, boxes and masks are torchvision's (GeneralizedRCNNTransform), in the same order of the
 * same operations in the same precision: mirrored in the file's pixels, then scaled, bilinear
 * without antialiasing and masks by the nearest pixel, normalised, and then filled up with zeros.
 *
 * In memory are, of a part, its box and where in the file its mask is said; for each thread a
 * picture and a mask.
 */
#include "pictures.c"
#include "picture_scale.c"
#include "names.c"
#include "picture_file.c"

enum { ROLE_PICTURE, ROLE_BOXES, ROLE_LABELS, ROLE_MASKS, ROLE_SIZE, ROLE_COUNT, ROLE_TRUTH, ROLE_PROPOSALS, ROLES };

struct object {
	float box[4];		/* left, top, right, bottom, in pixels of the file's picture */
	float area;		/* of the part, in these */
	int32_t label;
	bool crowd;
	int64_t picture;	/* of which it is */
	int64_t mask;		/* where the file says it; -1: nowhere */
};

struct pictured {
	int64_t name;		/* where it begins */
	int64_t id;
	int32_t width, height;
	int64_t first;		/* of its parts; crowds are behind the others */
	int32_t n, crowds;
	struct stretch proposed;	/* boxes that part_proposals.c knows, best first, */
	int type;		/* of such numbers */
};

struct parts {
	struct variation variation;	/* first: what pictures.c knows of */
	const char *file;	/* which says all this */
	const char *root;	/* of the pictures; ends with a slash */
	struct names names;
	struct pictured *pictured;
	struct object *part;
	int64_t pictures, parts, rooms[2];
	int role[MAX_COLUMNS];
	bool has[ROLES];
	int64_t most;		/* parts of a sample; 0: nothing is asked of them */
	int classes;		/* of labels */
	double shorter, longer;	/* pixels of a picture's sides at most; 0: any */
	int64_t wide, high;	/* of the input */
	struct canvas *canvas;	/* for each thread, */
	uint8_t *plane;		/* and room for a mask and its edges, */
	int64_t plane_each;	/* of so many pixels */
	/* draws a part's mask into such a plane, column by column */
	void (*draw)(const struct parts *, const struct pictured *, const struct object *, uint8_t *mask, uint8_t *edge);
	const void *own;	/* the reader's */
};

/* ---- what is asked for ---- */

static int
role_of(const struct input *in)
{
	static const struct { const char *name; int role; } roles[] = {
		{ "boxes", ROLE_BOXES }, { "labels", ROLE_LABELS }, { "masks", ROLE_MASKS }, { "size", ROLE_SIZE },
		{ "count", ROLE_COUNT }, { "truth", ROLE_TRUTH }, { "proposals", ROLE_PROPOSALS },
	};

	for (int i = 0; i < (int)(sizeof(roles) / sizeof(*roles)); i++)
		if (!strcmp(in->name, roles[i].name))
			return roles[i].role;
	return ROLE_PICTURE;
}

static bool
role_is_places(int role)
{
	return role == ROLE_BOXES || role == ROLE_TRUTH || role == ROLE_SIZE || role == ROLE_PROPOSALS;
}

/* Does it say something of as many parts as it has room for? */
static bool
role_is_bounded(int role)
{
	return role == ROLE_BOXES || role == ROLE_LABELS || role == ROLE_MASKS || role == ROLE_TRUTH;
}

/* Places in a picture have more digits than some numbers. */
static void
parts_note_rounding(const struct data *d, const struct parts *p)
{
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];

		if (!role_is_places(p->role[k]))
			continue;
		if (in->type != TYPE_F32 && in->type != TYPE_F64) {
			fprintf(stderr, "%s: note: %s is rounded to %s: places in a picture are not exact\n", PROGRAM, in->name,
			    type_table[in->type].name);
			return;
		}
	}
}

static struct parts *
parts_open(struct data *d)
{
	struct parts *p = (struct parts *)data_alloc(sizeof(*p), "pictures");
	bool pictures[MAX_COLUMNS];

	memset(p, 0, sizeof *p);
	d->own = p;
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		int role = p->role[k] = role_of(in);

		d->makes[k] = true;
		p->has[role] = true;
		pictures[k] = role == ROLE_PICTURE;
		if (role == ROLE_PICTURE || role == ROLE_MASKS) {
			p->high = in->dim[1];
			p->wide = in->dim[2];
		}
		if (role == ROLE_LABELS)
			p->classes = in->classes;
		if (role_is_bounded(role))
			p->most = role == ROLE_LABELS ? in->elements : in->dim[0];
	}
	parts_note_rounding(d, p);
	if (!p->wide)
		fail("nothing of the network is as large as a picture");
	p->shorter = source_number(d->source, "shorter", 0, 0);
	p->longer = source_number(d->source, "longer", 0, 0);
	variation_read(&p->variation, d->source);
	variation_room(&p->variation, d, pictures);
	p->canvas = canvas_each();
	return p;
}

/* ---- what there is ---- */

/* Room for one more. */
static void *
row_room(void *rows, int64_t n, int64_t *room, size_t size)
{
	if (n < *room)
		return rows;
	*room = 2 * *room + 1024;
	rows = realloc(rows, (size_t)*room * size);
	if (!rows)
		fail("no memory for what is said of pictures");
	return rows;
}

static struct pictured *
picture_next(struct parts *p)
{
	p->pictured = (struct pictured *)row_room(p->pictured, p->pictures, &p->rooms[0], sizeof(*p->pictured));
	memset(&p->pictured[p->pictures], 0, sizeof(*p->pictured));
	return &p->pictured[p->pictures++];
}

/* A box from X, Y to those corners, as far as it lies in the picture. */
static void
box_within(float *box, const struct pictured *of, float left, float top, float right, float bottom)
{
	float w = (float)of->width, h = (float)of->height;

	box[0] = fminf(fmaxf(left, 0), w);
	box[1] = fminf(fmaxf(top, 0), h);
	box[2] = fminf(fmaxf(right, 0), w);
	box[3] = fminf(fmaxf(bottom, 0), h);
}

/* A part of a picture, whose box is X, Y and so wide and high. What has no area in it is none, nor
 * is a crowd if nobody asks for them. */
static void
part_add(struct parts *p, const struct object *like, float x, float y, float width, float height)
{
	struct object *part;

	if (like->crowd && !p->has[ROLE_TRUTH])
		return;
	p->part = (struct object *)row_room(p->part, p->parts, &p->rooms[1], sizeof(*p->part));
	part = &p->part[p->parts];
	*part = *like;
	box_within(part->box, &p->pictured[like->picture], x, y, x + width, y + height);
	p->parts += part->box[2] > part->box[0] && part->box[3] > part->box[1];
}

/* The parts of each picture together, in the file's order, crowds last. */
static void
parts_sort(struct parts *p)
{
	struct object *sorted = (struct object *)data_alloc((uint64_t)(p->parts + 1) * sizeof(*sorted), p->file);
	int64_t first = 0;

	for (int64_t i = 0; i < p->parts; i++) {
		struct pictured *of = &p->pictured[p->part[i].picture];

		of->n += !p->part[i].crowd;
		of->crowds += p->part[i].crowd;
	}
	for (int64_t i = 0; i < p->pictures; i++) {
		struct pictured *of = &p->pictured[i];

		of->first = first;
		first += of->n + of->crowds;
		of->crowds = of->n;	/* where the next of either goes */
		of->n = 0;
	}
	for (int64_t i = 0; i < p->parts; i++) {
		struct pictured *of = &p->pictured[p->part[i].picture];

		sorted[of->first + (p->part[i].crowd ? of->crowds++ : of->n++)] = p->part[i];
	}
	for (int64_t i = 0; i < p->pictures; i++)
		p->pictured[i].crowds -= p->pictured[i].n;
	free(p->part);
	p->part = sorted;
}

struct left_out {		/* what there is no room for */
	int64_t pictures, parts, most;	/* most: of any picture, those with room too */
};

static void
left_out_count(struct left_out *l, int64_t n, int64_t room)
{
	l->pictures += n > room;
	l->parts += n > room ? n - room : 0;
	l->most = n > l->most ? n : l->most;
}

/* Have so many of these been said of that file? Training and validation may share one, and use
 * other parts of it. */
static bool
is_said(const char *file, const char *what, int64_t count)
{
	static struct { const char *file, *what; int64_t count; } said[8];
	static int n;

	for (int i = 0; i < n; i++)
		if (!strcmp(said[i].file, file) && !strcmp(said[i].what, what) && said[i].count == count)
			return true;
	if (n < 8) {
		said[n].file = file;
		said[n].what = what;
		said[n++].count = count;
	}
	return false;
}

static void
left_out_say(const struct left_out *l, const struct parts *p, const char *file, const char *what, int64_t room)
{
	if (!l->pictures || is_said(file, what, l->parts))
		return;
	fprintf(stderr, "%s: note: ", PROGRAM);
	put_safe(stderr, file);
	fprintf(stderr, ": %lld of %lld pictures have more than %lld %s, up to %lld: %lld %s are left out\n",
	    (long long)l->pictures, (long long)p->pictures, (long long)room, what, (long long)l->most, (long long)l->parts,
	    what);
}

static void
parts_left_out(const struct parts *p)
{
	struct left_out left = { 0, 0, 0 };

	for (int64_t i = 0; i < p->pictures && p->most; i++)
		left_out_count(&left, p->pictured[i].n + p->pictured[i].crowds, p->most);
	left_out_say(&left, p, p->file, "parts", p->most);
}

#define SPARE_MASKS	((int64_t)16 << 20)	/* numbers of a picture that are worth a word */

/* Says where masks have room that nearly no picture needs. */
static void
parts_spare(const struct parts *p)
{
	int64_t *with, most = 0, enough = 0, pictures;

	if (!p->most || !p->has[ROLE_MASKS])
		return;
	with = (int64_t *)data_alloc((uint64_t)(p->most + 1) * sizeof(*with), p->file);
	memset(with, 0, (size_t)(p->most + 1) * sizeof(*with));
	for (int64_t i = 0; i < p->pictures; i++) {
		int64_t n = p->pictured[i].n + p->pictured[i].crowds;

		with[n < p->most ? n : p->most]++;
		most = n > most ? n : most;
	}
	for (pictures = with[0]; pictures < p->pictures - p->pictures / 100; pictures += with[++enough])
		;
	free(with);
	if (enough > p->most / 2 || (p->most - enough) * p->wide * p->high < SPARE_MASKS || is_said(p->file, "masks", pictures))
		return;
	fprintf(stderr, "%s: note: ", PROGRAM);
	put_safe(stderr, p->file);
	fprintf(stderr, ": %lld of %lld pictures have no more than %lld parts, none more than %lld, and there is room for %lld: "
	    "of masks, %lld x %lld each, fewer take less\n", (long long)pictures, (long long)p->pictures, (long long)enough,
	    (long long)most, (long long)p->most, (long long)p->high, (long long)p->wide);
}

/* All pictures and parts are there. */
static void
parts_settle(struct data *d, struct parts *p)
{
	int64_t n = 0, pixels = 0;

	parts_sort(p);
	for (int64_t i = 0; i < p->pictures; i++)
		if (source_number(d->source, "empty", 0, 1) != 0 || p->pictured[i].n)
			p->pictured[n++] = p->pictured[i];
	p->pictures = d->rows = n;
	if (!n)
		fail("%s: holds no pictures%s", p->file,
		    source_number(d->source, "empty", 0, 1) != 0 ? "" : " that have parts");
	parts_left_out(p);
	parts_spare(p);
	for (int64_t i = 0; i < n && p->has[ROLE_MASKS]; i++) {
		int64_t all = (int64_t)p->pictured[i].width * p->pictured[i].height;

		pixels = all > pixels ? all : pixels;
	}
	p->plane_each = pixels;
	p->plane = (uint8_t *)data_alloc((uint64_t)(2 * pixels * pictures_threads()), p->file);
	memset(p->plane, 0, (size_t)(2 * pixels * pictures_threads()));
}

/* ---- a sample ---- */

struct placed {			/* how a picture comes to lie in the input */
	const struct pictured *of;
	int64_t width, height;	/* its size there */
	bool flip, turn;
};

static struct placed
picture_place(const struct parts *p, int64_t row, const struct sampling *s)
{
	struct picture drawn = { NULL, 0, 0, 0, row, s };
	struct placed at = { &p->pictured[row], 0, 0, picture_is_flipped(&p->variation, &drawn),
		picture_is_turned(&p->variation, &drawn) };
	double w = at.of->width, h = at.of->height, scale = fmin((double)p->wide / w, (double)p->high / h);

	if (p->shorter > 0)
		scale = fmin(scale, p->shorter / fmin(w, h));
	if (p->longer > 0)
		scale = fmin(scale, p->longer / fmax(w, h));
	at.width = (int64_t)(w * scale);
	at.height = (int64_t)(h * scale);
	at.width = at.width < 1 ? 1 : at.width > p->wide ? p->wide : at.width;
	at.height = at.height < 1 ? 1 : at.height > p->high ? p->high : at.height;
	return at;
}

/* The box as it lies there, a row of a tensor. */
static void
box_place(const struct placed *at, const float *box, int type, void *to, int64_t first)
{
	float w = (float)at->of->width, h = (float)at->of->height;
	float x = (float)at->width / w, y = (float)at->height / h;
	float left = at->flip ? w - box[2] : box[0], right = at->flip ? w - box[0] : box[2];
	float top = at->turn ? h - box[3] : box[1], bottom = at->turn ? h - box[1] : box[3];

	value_put(type, (unsigned char *)to, first, left * x);
	value_put(type, (unsigned char *)to, first + 1, top * y);
	value_put(type, (unsigned char *)to, first + 2, right * x);
	value_put(type, (unsigned char *)to, first + 3, bottom * y);
}

static void
truth_place(const struct parts *p, const struct placed *at, const struct input *in, void *to)
{
	int64_t n = at->of->n + at->of->crowds;

	for (int64_t i = 0; i < p->most; i++)
		value_put(in->type, (unsigned char *)to, i * in->dim[1] + 4, -1);
	for (int64_t i = 0; i < p->most && i < n; i++) {
		const struct object *part = &p->part[at->of->first + i];
		int64_t row = i * in->dim[1];

		box_place(at, part->box, in->type, to, row);
		value_put(in->type, (unsigned char *)to, row + 4, part->label);
		value_put(in->type, (unsigned char *)to, row + 5, part->area);
		value_put(in->type, (unsigned char *)to, row + 6, part->crowd);
	}
}

/* The mask of a part in the file's pixels, column by column, into the input's rows. */
static void
mask_place(const struct placed *at, const uint8_t *mask, const struct input *in, unsigned char *to, int64_t first)
{
	int64_t w = at->of->width, h = at->of->height;
	float across = (float)w / (float)at->width, down = (float)h / (float)at->height;

	for (int64_t y = 0; y < at->height; y++) {
		int64_t row = (int64_t)floorf((float)y * down);

		row = row < h ? row : h - 1;
		row = at->turn ? h - 1 - row : row;
		for (int64_t x = 0; x < at->width; x++) {
			int64_t column = (int64_t)floorf((float)x * across);

			column = column < w ? column : w - 1;
			column = at->flip ? w - 1 - column : column;
			if (mask[column * h + row])
				value_put(in->type, to, first + y * in->dim[2] + x, 1);
		}
	}
}

static void
masks_place(const struct parts *p, const struct placed *at, const struct input *in, void *to)
{
	uint8_t *mask = p->plane + 2 * p->plane_each * pictures_thread(), *edge = mask + p->plane_each;
	int64_t n = at->of->n + at->of->crowds;

	for (int64_t i = 0; i < n && i < p->most; i++) {
		p->draw(p, at->of, &p->part[at->of->first + i], mask, edge);
		mask_place(at, mask, in, (unsigned char *)to, i * in->dim[1] * in->dim[2]);
	}
}

static void
picture_make(const struct data *d, int k, void *to, const struct placed *at, int64_t row, const struct sampling *s)
{
	const struct parts *p = (const struct parts *)d->own;
	struct canvas *c = &p->canvas[pictures_thread()];
	char path[PATH_MAX];

	picture_path(path, p->root, p->names.text + at->of->name);
	c->name = path;
	c->data = d;
	c->variation = &p->variation;
	c->mask = false;
	c->sharp = true;
	c->picture = picture_room(&p->variation, &d->input[k], row, s);
	c->picture.width = at->width;
	c->picture.height = at->height;
	picture_decode(c);
	if (c->width != at->of->width || c->height != at->of->height)
		picture_fail("%s: is %d by %d pixels, but %s says that it is %d by %d", path, c->width, c->height, p->file,
		    at->of->width, at->of->height);
	picture_finish(d, &p->variation, k, to, &c->picture);
}

static void
parts_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct parts *p = (const struct parts *)d->own;
	const struct input *in = &d->input[k];
	struct placed at = picture_place(p, row, s);
	int64_t n = p->most && at.of->n > p->most ? p->most : at.of->n;
	unsigned char *bytes = (unsigned char *)to;

	if (p->role[k] == ROLE_PICTURE) {
		picture_make(d, k, to, &at, row, s);
		return;
	}
	memset(to, 0, (size_t)(in->elements * type_table[in->type].bytes));
	for (int64_t i = 0; i < n && p->role[k] == ROLE_BOXES; i++)
		box_place(&at, p->part[at.of->first + i].box, in->type, to, 4 * i);
	for (int64_t i = 0; i < n && p->role[k] == ROLE_LABELS; i++)
		value_put(in->type, bytes, i, p->part[at.of->first + i].label);
	if (p->role[k] == ROLE_MASKS)
		masks_place(p, &at, in, to);
	if (p->role[k] == ROLE_TRUTH)
		truth_place(p, &at, in, to);
	if (p->role[k] == ROLE_COUNT)
		value_put(in->type, bytes, 0, (double)n);
	if (p->role[k] == ROLE_SIZE) {
		value_put(in->type, bytes, 0, (double)at.height);
		value_put(in->type, bytes, 1, (double)at.width);
		value_put(in->type, bytes, 2, at.of->height);
		value_put(in->type, bytes, 3, at.of->width);
	}
}
