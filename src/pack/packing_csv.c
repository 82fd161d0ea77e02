/* Packing instances as text: see packing_csv.h. A field may stand in quotes, as in RFC 4180; within
 * them commas are literal, but a line still ends at its end, so that one mistake stays one. */
#include "pack/packing_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SUM	((int64_t)1 << 61)	/* of sizes and alignments: offsets cannot wrap */

enum column { ID, LOWER, UPPER, SIZE, ALIGNMENT, OFFSET, COLUMNS };

static const struct column_spec {
	const char *name;
	bool required;
	int64_t least;
	const char *cure;
} column_table[COLUMNS] = {
	[ID] = { .name = "id", .required = true },
	[LOWER] = { .name = "lower", .required = true, .least = 0,
	    .cure = "times count from 0: add the same number to all of them" },
	[UPPER] = { .name = "upper", .required = true, .least = 0,
	    .cure = "times count from 0: add the same number to all of them" },
	[SIZE] = { .name = "size", .required = true, .least = 0,
	    .cure = "a size is a number of bytes, 0 or more" },
	[ALIGNMENT] = { .name = "alignment", .least = 1,
	    .cure = "1 puts the buffer anywhere" },
	[OFFSET] = { .name = "offset" },
};

struct csv_reader {
	struct arena *arena;
	struct diags *diags;
	const struct source *src;
	struct packing_csv *csv;
	int at[COLUMNS];		/* which field; -1: there is no such column */
	struct loc *field;		/* of the row being read */
	int nfields, maxfields;
	struct loc *id;			/* by row */
	int cap;
	int64_t sum;
};

/* ---- fields ---- */

static struct loc
part_of(const struct csv_reader *r, int beg, int end)
{
	return (struct loc){ r->src, beg, end };
}

static void
add_field(struct csv_reader *r, int beg, int end)
{
	const char *s = r->src->text;

	while (beg < end && (s[beg] == ' ' || s[beg] == '\t'))
		beg++;
	while (end > beg && (s[end - 1] == ' ' || s[end - 1] == '\t'))
		end--;
	if (end - beg >= 2 && s[beg] == '"' && s[end - 1] == '"') {
		beg++;
		end--;
	}
	if (r->nfields == r->maxfields) {
		int grown = r->maxfields ? 2 * r->maxfields : 16;

		r->field = arena_grow(r->arena, r->field,
		    (size_t)r->maxfields * sizeof(*r->field), (size_t)grown * sizeof(*r->field));
		r->maxfields = grown;
	}
	r->field[r->nfields++] = part_of(r, beg, end);
}

/* *OPEN: a quote in it has not been closed where the line ends. */
static int
field_end(const struct loc line, int at, bool *open)
{
	const char *s = line.src->text;

	for (*open = false; at < line.end && (*open || s[at] != ','); at++)
		if (s[at] == '"')
			*open = !*open;
	return at;
}

/* False after a message. */
static bool
split_row(struct csv_reader *r, struct loc line)
{
	int at = line.beg, end;
	bool open;

	for (r->nfields = 0;; at = end + 1) {
		end = field_end(line, at, &open);
		add_field(r, at, end);
		if (end >= line.end)
			break;
	}
	if (open)	/* how many fields there are is not known then */
		diag_help(r->diags, diag_error(r->diags, "data", part_of(r, at, end),
		    "a quote is not closed on its line"), "each field in quotes ends on the line on "
		    "which it begins");
	return !open;
}

/* Line N, 1-based, without its end; a byte order mark is no part of the first. */
static struct loc
line_of(const struct source *src, int n)
{
	int length, beg;
	const char *s = source_line(src, n, &length);

	beg = (int)(s - src->text);
	if (length > 0 && s[length - 1] == '\r')
		length--;
	if (n == 1 && length >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) {
		beg += 3;
		length -= 3;
	}
	return (struct loc){ src, beg, beg + length };
}

static bool
is_blank(struct loc l)
{
	int i;

	for (i = l.beg; i < l.end; i++)
		if (l.src->text[i] != ' ' && l.src->text[i] != '\t')
			return false;
	return true;
}

static bool
equals(struct loc l, const char *word)
{
	return (size_t)(l.end - l.beg) == strlen(word) &&
	    memcmp(l.src->text + l.beg, word, strlen(word)) == 0;
}

/* A piece of the text, for a message. */
static const char *
shown(const struct csv_reader *r, struct loc l)
{
	int n = l.end - l.beg < 60 ? l.end - l.beg : 60;

	return arena_strndup(r->arena, l.src->text + l.beg, (size_t)n);
}

/* ---- the header ---- */

static void
name_column(struct csv_reader *r, int field)
{
	struct loc l = r->field[field];
	struct diag *d;
	int c;

	if (equals(l, "gaps")) {
		d = diag_error(r->diags, "data", l, "column 'gaps' is not supported");
		diag_help(r->diags, d, "remove it, and split each buffer at its gaps where its "
		    "content need not last");
	}
	for (c = 0; c < COLUMNS; c++) {
		if (!equals(l, column_table[c].name))
			continue;
		if (r->at[c] >= 0) {
			d = diag_error(r->diags, "data", l, "a second column '%s'",
			    column_table[c].name);
			diag_help(r->diags, d, "rename or remove one of them");
		}
		r->at[c] = field;
	}
}

static bool
read_header(struct csv_reader *r, struct loc line)
{
	int before = r->diags->errors;
	struct diag *d;
	int c, i;

	for (c = 0; c < COLUMNS; c++)
		r->at[c] = -1;
	if (!split_row(r, line))
		return false;
	for (i = 0; i < r->nfields; i++)
		name_column(r, i);
	for (c = 0; c < COLUMNS; c++) {
		if (!column_table[c].required || r->at[c] >= 0)
			continue;
		d = diag_error(r->diags, "data", line, "there is no column '%s'",
		    column_table[c].name);
		diag_help(r->diags, d, "the first line names the columns: id,lower,upper,size, and "
		    "alignment where it matters, in any order");
	}
	r->csv->header = line;
	r->csv->columns = r->nfields;
	r->csv->offset_column = r->at[OFFSET];
	return r->diags->errors == before;
}

/* ---- rows ---- */

/* A decimal number that fits 64 bits; false after a message. */
static bool
read_number(struct csv_reader *r, enum column c, int64_t *n)
{
	const struct column_spec *spec = &column_table[c];
	struct loc l = r->field[r->at[c]];
	const char *s = l.src->text;
	bool negative = l.end > l.beg && s[l.beg] == '-';
	struct diag *d;
	int i = l.beg + negative;

	*n = 0;
	if (i == l.end) {
		d = diag_error(r->diags, "data", l, "expected a number as '%s', found %s",
		    spec->name, negative ? "'-'" : "nothing");
		diag_help(r->diags, d, "whole decimal numbers only");
		return false;
	}
	for (; i < l.end; i++) {
		if (s[i] < '0' || s[i] > '9') {
			d = diag_error(r->diags, "data", l, "expected a number as '%s', found '%s'",
			    spec->name, shown(r, l));
			diag_help(r->diags, d, "whole decimal numbers only, without a sign, a unit "
			    "or an exponent");
			return false;
		}
		if (__builtin_mul_overflow(*n, 10, n) ||
		    __builtin_add_overflow(*n, s[i] - '0', n)) {
			d = diag_error(r->diags, "data", l, "'%s' is %s, more than 64 bits hold",
			    spec->name, shown(r, l));
			diag_help(r->diags, d, "the largest number is %" PRId64, INT64_MAX);
			return false;
		}
	}
	if ((negative && *n != 0) || *n < spec->least) {
		d = diag_error(r->diags, "data", l, "'%s' is %s, less than %" PRId64, spec->name,
		    shown(r, l), spec->least);
		diag_help(r->diags, d, "%s", spec->cure);
		return false;
	}
	return true;
}

static bool
row_is_whole(struct csv_reader *r, struct loc line)
{
	struct diag *d;

	if (r->nfields == r->csv->columns)
		return true;
	d = diag_error(r->diags, "data", line, "%d field%s in this row, %d in the header",
	    r->nfields, r->nfields == 1 ? "" : "s", r->csv->columns);
	diag_help(r->diags, d, "each row has a field for each column; commas within a field need "
	    "quotes around it");
	return false;
}

static void
keep_row(struct csv_reader *r, struct loc line, struct loc id, const struct item *it)
{
	struct packing *p = &r->csv->packing;

	if (p->n == r->cap) {
		int cap = r->cap ? 2 * r->cap : 256;

		p->item = arena_grow(r->arena, p->item, (size_t)r->cap * sizeof(*it),
		    (size_t)cap * sizeof(*it));
		r->csv->row = arena_grow(r->arena, r->csv->row,
		    (size_t)r->cap * sizeof(struct loc), (size_t)cap * sizeof(struct loc));
		r->id = arena_grow(r->arena, r->id, (size_t)r->cap * sizeof(struct loc),
		    (size_t)cap * sizeof(struct loc));
		r->cap = cap;
	}
	r->csv->row[p->n] = line;
	r->id[p->n] = id;
	p->item[p->n++] = *it;
}

static void
read_row(struct csv_reader *r, struct loc line)
{
	struct item it = { 0 };
	struct loc id;
	struct diag *d;
	bool good;

	if (!split_row(r, line) || !row_is_whole(r, line))
		return;
	id = r->field[r->at[ID]];
	good = read_number(r, LOWER, &it.lower);
	good &= read_number(r, UPPER, &it.upper);
	if (good && it.upper <= it.lower) {
		d = diag_error(r->diags, "data", r->field[r->at[UPPER]], "buffer '%s' ends at %"
		    PRId64 ", but begins at %" PRId64, shown(r, id), it.upper, it.lower);
		diag_help(r->diags, d, "lifetimes are half-open: 'upper' is the first instant at "
		    "which the buffer is no longer needed, at least lower + 1");
	}
	good = read_number(r, SIZE, &it.size);
	it.alignment = 1;
	if (r->at[ALIGNMENT] >= 0)
		good &= read_number(r, ALIGNMENT, &it.alignment);
	if (good && (__builtin_add_overflow(r->sum, it.size, &r->sum) ||
	    __builtin_add_overflow(r->sum, it.alignment, &r->sum) || r->sum > LARGEST_SUM)) {
		d = diag_error(r->diags, "data", line, "the sizes so far add up to more than 2^61 "
		    "bytes");
		diag_help(r->diags, d, "no device has that much memory: check the sizes, and divide "
		    "them by what they have in common");
		r->sum = 0;
	}
	keep_row(r, line, id, &it);
}

static int
by_text(const void *x, const void *y)
{
	const struct loc *a = x, *b = y;
	int n = a->end - a->beg, m = b->end - b->beg;
	int c = memcmp(a->src->text + a->beg, b->src->text + b->beg, (size_t)(n < m ? n : m));

	if (!c)
		c = n - m;
	return c ? c : a->beg - b->beg;
}

static void
check_ids(struct csv_reader *r)
{
	int i, n = r->csv->packing.n;
	struct diag *d;

	if (n == 0)
		return;
	qsort(r->id, (size_t)n, sizeof(*r->id), by_text);
	for (i = 1; i < n; i++) {
		const struct loc *a = &r->id[i - 1], *b = &r->id[i];

		if (a->end - a->beg != b->end - b->beg || memcmp(a->src->text + a->beg,
		    b->src->text + b->beg, (size_t)(a->end - a->beg)) != 0)
			continue;
		d = diag_error(r->diags, "data", *b, "a second buffer '%s'", shown(r, *b));
		diag_place(r->diags, d, *a, "the first is here");
		diag_help(r->diags, d, "give each buffer an id of its own: offsets are found by it");
	}
}

bool
packing_csv_read(struct arena *a, struct diags *diags, const struct source *src,
    struct packing_csv *csv)
{
	struct csv_reader r = { .arena = a, .diags = diags, .src = src, .csv = csv };
	struct diag *d;
	struct loc line;
	int n, before = diags->errors;
	bool header = false;

	*csv = (struct packing_csv){ .packing = { .alignment = 1 } };
	for (n = 1; n <= src->lines; n++) {
		line = line_of(src, n);
		if (is_blank(line))
			continue;
		if (header)
			read_row(&r, line);
		else if (!read_header(&r, line))
			return false;	/* rows mean nothing without their header */
		header = true;
	}
	if (!header) {
		d = diag_error(diags, "data", part_of(&r, 0, 0), "the file is empty");
		diag_help(diags, d, "its first line names the columns: id,lower,upper,size");
	}
	check_ids(&r);
	return diags->errors == before;
}

/* ---- writing ---- */

static void
write_row(struct text *t, const struct packing_csv *csv, struct loc row, const char *offset)
{
	int column = 0, at = row.beg, end;
	bool open;

	for (;; at = end + 1, column++) {
		end = field_end(row, at, &open);
		if (column == csv->offset_column)
			text_puts(t, offset);
		else
			text_add(t, row.src->text + at, (size_t)(end - at));
		if (end >= row.end)
			break;
		text_puts(t, ",");
	}
	if (csv->offset_column < 0)
		text_printf(t, ",%s", offset);
	text_puts(t, "\n");
}

void
packing_csv_write(struct text *t, const struct packing_csv *csv)
{
	char number[32];
	int i;

	write_row(t, csv, csv->header, "offset");
	for (i = 0; i < csv->packing.n; i++) {
		snprintf(number, sizeof(number), "%" PRId64, csv->packing.item[i].offset);
		write_row(t, csv, csv->row[i], number);
	}
}
