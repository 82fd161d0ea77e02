/* Looking at data files. */
#include "rulekit/data_look.h"

#include <string.h>

#include "readers/look.h"

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
	return out->file && *width > 0 && (size_t)*width <= MOST_BYTES;
}

bool
data_look(const struct lint *l, const struct data_source *d, const struct tensor *input,
    struct data_look *out)
{
	struct look look = { .arena = l->module->arena, .source = d, .all_rows = -1, .input = input,
		.staged = l->module->forward->inputs.v, .nstaged = l->module->forward->inputs.n };
	int64_t *at, row;

	*out = (struct data_look){ .samples = -1 };
	if (!d->reader || !d->reader->look || !place_of(l, d, input, out, &look.width) ||
	    !take_apart(l, out->file, &look))
		return false;
	out->first = look.value + out->field;
	out->stride = look.width;
	out->samples = look.all_rows < 0 ? -1 : reader_samples(d, look.all_rows);
	out->at = at = arena_array(l->module->arena, (size_t)look.rows + 1, sizeof(*at));
	for (row = 0; row < look.rows; row++)
		if (reader_takes(d, row))
			at[out->rows++] = row;
	return out->rows > 0;
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
