/* What must hold of pictures and parts that a reader has taken, and of the samples that are made of
 * them. */

static void
check_part(const struct parts *p, const struct data *d, const struct pictured *of, const struct object *part)
{
	const float *b = part->box;

	if (!(b[0] >= 0 && b[0] < b[2] && b[2] <= (float)of->width && b[1] >= 0 && b[1] < b[3] && b[3] <= (float)of->height))
		fuzz_failed("a box lies beyond its picture");
	if (part->label < 0 || part->label >= p->classes)
		fuzz_failed("a label is no class");
	if (part->mask < -1 || part->mask >= parts_text.size)
		fuzz_failed("a mask lies beyond the file");
	(void)d;
}

/* Each mask is drawn, and edges are left as they were. */
static void
check_mask(const struct parts *p, const struct pictured *of, const struct object *part)
{
	uint8_t *mask = p->plane, *edge = mask + p->plane_each;
	int64_t i;

	p->draw(p, of, part, mask, edge);
	for (i = 0; i < (int64_t)of->width * of->height; i++)
		if (mask[i] > 1 || edge[i])
			fuzz_failed("a mask is neither 0 nor 1, or an edge is left");
}

/* Exactly as many bytes as a sample has. */
static void
check_samples(const struct data *d)
{
	const struct sampling s = { 1, 0 };
	int64_t row;
	void *to;
	int k;

	for (row = 0; row < d->rows && row < 4; row++)
		for (k = 1; k < d->inputs; k++) {
			to = malloc((size_t)(d->input[k].elements * type_table[d->input[k].type].bytes));
			parts_make(d, k, to, row, &s);
		}
}

static void
check(const struct data *d, const struct parts *p)
{
	int64_t i, k, parts = 0;

	for (i = 0; i < p->pictures; i++) {
		const struct pictured *of = &p->pictured[i];

		if (of->width < 1 || of->height < 1 || of->n < 0 || of->crowds < 0 || of->first < 0 ||
		    of->first + of->n + of->crowds > p->parts)
			fuzz_failed("a picture has parts that there are not");
		if (of->name < 0 || of->name >= p->names.n || !p->names.text[of->name])
			fuzz_failed("a picture has no name");
		for (k = 0; k < of->n + of->crowds; k++) {
			const struct object *part = &p->part[of->first + k];

			if (part->crowd != (k >= of->n))
				fuzz_failed("crowds are not the last");
			check_part(p, d, of, part);
			if (p->has[ROLE_MASKS])
				check_mask(p, of, part);
		}
		parts += of->n + of->crowds;
	}
	if (parts > p->parts || d->rows != p->pictures)
		fuzz_failed("there are more or fewer parts than there are");
	check_samples(d);
}

static long
parts_try(const char *text, size_t n, unsigned choice, int classes, void (*open_text)(struct data *, struct parts *))
{
	static const char *files[] = { "text" };
	struct source source = { .file = { files[0] }, .files = 1, .scale = 1, .argument = arguments[choice >> 2 & 3] };
	static struct input in[MAX_COLUMNS];
	static struct data d;		/* beyond longjmp() */
	struct parts *p;

	d = (struct data){ .source = &source, .input = in };
	d.inputs = inputs_of(in, choice, classes);
	if (setjmp(net_failed)) {
		blocks_free();
		return 0;
	}
	parts_text_set(text, n);
	p = parts_open(&d);
	open_text(&d, p);
	check(&d, p);
	blocks_free();
	return 1;
}
