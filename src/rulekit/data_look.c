/* Looking at data files. */
#include "rulekit/data_look.h"

#include <string.h>
#include <unistd.h>

#include "readers/look.h"
#include "readers/parts_look.h"

#define MOST_BYTES	((size_t)64 << 10)	/* of a file */

/* The file beside the spec; NULL: it is the same place. */
static const char *
beside(const struct lint *l, const char *name)
{
	const char *spec = l->module->src ? l->module->src->path : "";
	const char *slash = strrchr(spec, '/');

	return *name == '/' || !slash ? NULL : arena_printf(l->module->arena, "%.*s%s",
	    (int)(slash + 1 - spec), spec, name);
}

/* Where the program looks for the file, and its first bytes. */
static const char *
read_first(const struct lint *l, const char *name, struct look *look)
{
	const char *root = l->options ? l->options->root : NULL, *path[] = { name, beside(l, name) };
	int i;

	for (i = 0; root && i < 2 && path[i]; i++) {
		look->bytes = source_part_below(l->module->arena, root, path[i], 0, MOST_BYTES, &look->size, &look->all);
		look->whole = look->all == (int64_t)look->size;
		if (look->bytes)
			return look->size > 0 ? path[i] : NULL;
	}
	return NULL;
}

/* What the reader makes of it, which may want a part from further on. */
static bool
take_apart(const struct lint *l, const char *name, struct look *look)
{
	const char *path = read_first(l, name, look);
	const struct reader *r = look->source->reader;
	int64_t all;

	if (!path)
		return false;
	if (r->look(look))
		return true;
	if (look->wants <= 0)
		return false;
	look->more_at = look->wants;
	look->more = source_part_below(l->module->arena, l->options->root, path, look->more_at, MOST_BYTES,
	    &look->more_size, &all);
	look->wants = 0;
	return look->more && r->look(look);
}

/* Which of the files, and where in a row of it. */
static bool
place_of(const struct lint *l, const struct data_source *d, const struct tensor *input,
    struct data_look *out, int64_t *width)
{
	const struct graph *f = l->module->forward;
	int k = 0;

	out->width = *width = tensor_elements_per_sample(input);
	out->field = 0;
	if (d->reader->apart) {
		;
	} else if (d->reader->files != FILES_EACH) {
		out->field = reader_field(l->module, d, input);
		*width = reader_field(l->module, d, NULL);
	} else {
		while (k < f->inputs.n && f->inputs.v[k] != input)
			k++;
	}
	out->file = k < d->nfiles ? d->file[k] : NULL;
	return out->file && *width > 0;
}

static bool
read_look(const struct lint *l, const struct data_source *d, const struct tensor *input, bool part, struct data_look *out)
{
	struct look look = { .part = part, .arena = l->module->arena, .source = d, .all_rows = -1, .input = input,
		.staged = l->module->forward->inputs.v, .nstaged = l->module->forward->inputs.n };
	int64_t *at, row;

	*out = (struct data_look){ .samples = -1 };
	if (!d->reader || !d->reader->look || !place_of(l, d, input, out, &look.width) ||
	    (!part && (size_t)look.width > MOST_BYTES))
		return false;
	if (!take_apart(l, out->file, &look)) {
		out->refused = look.refused;
		out->cure = look.cure;
		return false;
	}
	out->first = look.value + out->field;
	out->stride = look.width;
	out->samples = look.all_rows < 0 ? -1 : reader_samples(d, look.all_rows);
	out->at = at = arena_array(l->module->arena, (size_t)look.rows + 1, sizeof(*at));
	for (row = 0; row < look.rows; row++)
		if (reader_takes(d, row))
			at[out->rows++] = row;
	if (part && look.rows == 0 && look.numbers > 0 && look.width == out->width && reader_takes(d, 0)) {
		out->first = look.part_value;
		out->there = look.numbers;
		out->rows = 1;
	}
	return out->rows > 0;
}

struct known_look {
	const struct data_source *source;
	const struct tensor *input;
	bool part, found;
	struct data_look look;
};

/* What was found of it before; else what is read now. */
static const struct known_look *
known_look(const struct lint *l, const struct data_source *d, const struct tensor *input, bool part)
{
	struct data_looks *looks = l->looks, none = { NULL };
	struct known_look *k;
	int i;

	looks = looks ? looks : &none;
	if (looks->of != l->module)
		*looks = (struct data_looks){ .of = l->module };
	for (i = 0; i < looks->all.n; i++) {
		k = looks->all.v[i];
		if (k->source == d && k->input == input && k->part == part)
			return k;
	}
	k = ARENA_NEW(l->module->arena, struct known_look);
	*k = (struct known_look){ .source = d, .input = input, .part = part };
	k->found = read_look(l, d, input, part, &k->look);
	vec_push(l->module->arena, &looks->all, k);
	return k;
}

static bool
look_at(const struct lint *l, const struct data_source *d, const struct tensor *input, bool part, struct data_look *out)
{
	const struct known_look *k = known_look(l, d, input, part);

	*out = k->look;
	return k->found;
}

bool
data_look(const struct lint *l, const struct data_source *d, const struct tensor *input,
    struct data_look *out)
{
	return look_at(l, d, input, false, out);
}

bool
data_look_part(const struct lint *l, const struct data_source *d, const struct tensor *input,
    struct data_look *out)
{
	return look_at(l, d, input, true, out);
}

int64_t
data_last_run(const struct data_look *d, int64_t row)
{
	double last = data_value(d, row, d->width - 1);
	int64_t n = 1;

	while (n < d->width && data_value(d, row, d->width - 1 - n) == last)
		n++;
	return n;
}

int64_t
data_samples(const struct lint *l, const struct data_source *d)
{
	const struct graph *f = l->module->forward;
	struct data_look look;
	int i;

	if (d->samples > 0)
		return d->samples;
	for (i = 0; i < f->inputs.n; i++)
		if (data_look(l, d, f->inputs.v[i], &look) && look.samples > 0)
			return look.samples;
	return 0;
}

/* ---- parts of pictures ---- */

#define MOST_TEXT	((size_t)16 << 20)	/* bytes, */
#define MOST_FILES	4096

struct reading {
	const struct lint *l;
	size_t left;	/* bytes, */
	int files;	/* that may be read */
};

static const unsigned char *
read_file(void *of, const char *path, size_t *size)
{
	struct reading *r = of;
	const unsigned char *bytes;
	int64_t all;

	if (r->files-- <= 0)
		return NULL;
	bytes = source_part_below(r->l->module->arena, r->l->options->root, path, 0, 0, size, &all);
	if (!bytes || all < 0 || (uint64_t)all > r->left)
		return NULL;
	r->left -= (size_t)all;
	bytes = source_part_below(r->l->module->arena, r->l->options->root, path, 0, (size_t)all, size, &all);
	return bytes && (int64_t)*size == all ? bytes : NULL;
}

static char *const *
read_names(void *of, const char *folder, const char *end, int *n)
{
	struct reading *r = of;

	return source_names_below(r->l->module->arena, r->l->options->root, folder, end, r->files, n);
}

bool
data_parts(const struct lint *l, const struct data_source *d, bool crowds, struct data_parts *out)
{
	struct reading reading = { l, MOST_TEXT, MOST_FILES };
	struct parts_look look = { .arena = l->module->arena, .source = d, .crowds = crowds, .file = read_file,
		.names = read_names, .of = &reading };
	const char *apart = d->nfiles ? beside(l, d->file[0]) : NULL;

	if (!d->reader || !d->reader->parts || !d->nfiles || !l->options || !l->options->root)
		return false;
	look.place = apart && access(d->file[0], F_OK) != 0 ? apart : d->file[0];
	if (!d->reader->parts(&look))
		return false;
	*out = (struct data_parts){ look.pictures, look.parts };
	return true;
}
