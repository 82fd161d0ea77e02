/*
 * part_proposals.c - boxes of pictures in which others found that there may be something: a file of
 * tensors, one [n, 4] for each picture, called as its file without what says the type. It stays
 * mapped; a picture's boxes are read when a batch needs them, and go along with it.
 */
#include "safetensors.c"

struct proposal_name {
	const char *name;
	struct pictured *of;
};

static int
proposal_by_name(const void *a, const void *b)
{
	return strcmp(((const struct proposal_name *)a)->name, ((const struct proposal_name *)b)->name);
}

/* All pictures by the names of their tensors, in their order. */
static struct proposal_name *
proposal_names(const struct parts *p, struct names *text)
{
	struct proposal_name *list = (struct proposal_name *)data_alloc((uint64_t)p->pictures * sizeof(*list), p->file);

	for (int64_t i = 0; i < p->pictures; i++) {
		const char *name = p->names.text + p->pictured[i].name, *dot = strrchr(name, '.');

		names_add(text, name, dot && !strchr(dot, '/') ? (size_t)(dot - name) : strlen(name));
	}
	for (int64_t i = 0, at = 0; i < p->pictures; i++, at += (int64_t)strlen(text->text + at) + 1) {
		list[i].name = text->text + at;
		list[i].of = &p->pictured[i];
	}
	qsort(list, (size_t)p->pictures, sizeof(*list), proposal_by_name);
	for (int64_t i = 1; i < p->pictures; i++)
		if (!strcmp(list[i].name, list[i - 1].name))
			fail("%s: has two pictures that are called %s, whose proposals nobody can tell apart", p->file, list[i].name);
	return list;
}

/* A tensor of no picture is passed over: several lists may share a file. */
static void
proposal_take(struct proposal_name *list, int64_t n, const struct mapped *f, int64_t data, const struct stored *t)
{
	struct proposal_name key = { t->name, NULL }, *at;
	int type = stored_data_type(t);

	at = (struct proposal_name *)bsearch(&key, list, (size_t)n, sizeof(*list), proposal_by_name);
	if (!at)
		return;
	if (at->of->proposed.value)
		fail("%s: corrupt: tensor %s is there twice", f->name, t->name);
	if (type < 0)
		fail("%s: tensor %s is of type %s, expected F32, F64, I8, I16, I32, I64, U8, U16 or U32", f->name, t->name,
		    t->dtype);
	if (t->rank != 2 || t->dim[1] != 4)
		fail("%s: tensor %s is no [n, 4]: x1, y1, x2, y2 of each box", f->name, t->name);
	if (t->dim[0] > INT32_MAX || t->dim[0] * 4 * type_table[type].bytes != t->end - t->begin)
		fail("%s: corrupt: tensor %s has not the bytes that its shape says", f->name, t->name);
	at->of->proposed.value = f->bytes + data + t->begin;
	at->of->proposed.rows = t->dim[0];
	at->of->type = type;
}

static void
proposals_left_out(const struct parts *p, const char *file, int64_t room)
{
	struct left_out left = { 0, 0, 0 };

	for (int64_t i = 0; i < p->pictures; i++)
		left_out_count(&left, p->pictured[i].proposed.rows, room);
	left_out_say(&left, p, file, "proposals", room);
}

/* Of all pictures, once they are settled: in the spec's file of that number, from 0, where the
 * network asks for them. */
static void
proposals_open(struct data *d, struct parts *p, int number)
{
	static struct stored t;
	struct names text = { NULL, 0, 0 };
	struct proposal_name *list;
	struct mapped f;
	struct json j;
	int64_t data, bytes;
	int fd;

	if (!p->has[ROLE_PROPOSALS])
		return;
	list = proposal_names(p, &text);
	f = data_map(d->folder, d->source->file[number]);
	data = header_open(f.name, &fd, &j, &bytes);
	while (header_next(&j, bytes, &t))
		proposal_take(list, p->pictures, &f, data, &t);
	header_close(fd, &j);
	for (int64_t i = 0; i < p->pictures; i++)
		if (!list[i].of->proposed.value)
			fail("%s: has no tensor %s, the proposals of that picture", f.name, list[i].name);
	for (int k = 0; k < d->inputs; k++)
		if (p->role[k] == ROLE_PROPOSALS)
			proposals_left_out(p, f.name, d->input[k].dim[0]);
	free(list);
	free(text.text);
}

/* The first that there is room for, as they lie in the input. */
static void
proposals_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct parts *p = (const struct parts *)d->own;
	const struct input *in = &d->input[k];
	const struct pictured *of = &p->pictured[row];
	struct placed at;

	if (p->role[k] != ROLE_PROPOSALS) {
		parts_make(d, k, to, row, s);
		return;
	}
	at = picture_place(p, row, s);
	memset(to, 0, (size_t)(in->elements * type_table[in->type].bytes));
	for (int64_t i = 0; i < of->proposed.rows && i < in->dim[0]; i++) {
		float corner[4], box[4];

		for (int c = 0; c < 4; c++)
			corner[c] = (float)value_at(of->type, of->proposed.value, 4 * i + c);
		for (int c = 0; c < 4; c++)
			if (isnan(corner[c]))
				picture_fail("%s%s: proposal %lld of it holds what is no number", p->root, p->names.text + of->name,
				    (long long)i);
		box_within(box, of, corner[0], corner[1], corner[2], corner[3]);
		box_place(&at, box, in->type, to, 4 * i);
	}
}
