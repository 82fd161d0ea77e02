/* Finding readers, and what was said to them. */
#include "readers/reader.h"

#include <string.h>

const struct reader *
reader_find(const char *name)
{
	int i;

	for (i = 0; reader_table[i] && strcmp(reader_table[i]->name, name) != 0; i++)
		;
	return reader_table[i];
}

const char *
reader_name(int i)
{
	return reader_table[i] ? reader_table[i]->name : NULL;
}

const char *
reader_usage(int i)
{
	return reader_table[i] ? reader_table[i]->usage : NULL;
}

bool
reader_has(const struct reader *r, const char *name)
{
	int i;

	for (i = 0; r->attrs[i].name && strcmp(r->attrs[i].name, name) != 0; i++)
		;
	return r->attrs[i].name != NULL;
}

/* NULL where it was not given. */
static const struct attr *
find(const struct data_source *d, const char *name)
{
	const struct attr_spec *s = d->reader ? d->reader->attrs : NULL;
	int i;

	for (i = 0; d->attr && s && s[i].name; i++)
		if (strcmp(s[i].name, name) == 0)
			return d->attr[i].given ? &d->attr[i] : NULL;
	return NULL;
}

double
reader_real(const struct data_source *d, const char *name, double otherwise)
{
	const struct attr *a = find(d, name);

	return a ? a->r : otherwise;
}

int64_t
reader_int(const struct data_source *d, const char *name, int64_t otherwise)
{
	const struct attr *a = find(d, name);

	return a ? a->i : otherwise;
}

bool
reader_flag(const struct data_source *d, const char *name)
{
	return reader_int(d, name, false) != 0;
}

int
reader_count_of(const struct data_source *d, const char *name)
{
	const struct attr *a = find(d, name);

	return a ? a->n : 0;
}

double
reader_real_at(const struct data_source *d, const char *name, int i, double otherwise)
{
	const struct attr *a = find(d, name);

	return !a || a->n == 0 ? otherwise : a->real[i < a->n ? i : a->n - 1];
}

int64_t
reader_field(const struct module *m, const struct data_source *d, const struct tensor *t)
{
	int64_t at = 0;
	int pass, i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < m->forward->inputs.n; i++) {
			const struct tensor *in = m->forward->inputs.v[i];
			bool target = in->kind == T_TARGET;

			if (target != (reader_flag(d, "label_first") ? pass == 0 : pass == 1))
				continue;
			if (t && !strcmp(in->name, t->name))
				return at;
			at += tensor_elements_per_sample(in);
		}
	return at;
}

bool
reader_takes(const struct data_source *d, int64_t row)
{
	return (d->skip_every == 0 || row % d->skip_every != 0) &&
	    (d->keep_every == 0 || row % d->keep_every == 0);
}

/* Rows may be as many as a file says that it has. */
int64_t
reader_samples(const struct data_source *d, int64_t rows)
{
	int64_t every = d->keep_every ? d->keep_every : d->skip_every, those;

	if (!every)
		return rows;
	those = rows / every + (rows % every != 0);
	return d->keep_every ? those : rows - those;
}

bool
reader_has_files(const struct data_source *d)
{
	return d->reader && d->reader->files != FILES_NONE;
}

const char *
reader_host_file(struct arena *a, const struct reader *r)
{
	return arena_printf(a, "read/%s.c", r->name);
}
