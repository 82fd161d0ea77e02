/*
 * The forms in which logs arrive, and what a text must be read as in each of them: as it is, with a
 * time before each line, in colour, quoted in a mail, broken by a terminal, within JSON.
 */
#ifndef TESTS_UNIT_OOM_FORMS_H
#define TESTS_UNIT_OOM_FORMS_H

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "extended.h"
#include "oom/oom_log.h"

struct want {
	const char *name, *from, *who, *text;	/* from: the public report, where it is known */
	int rank;
	int64_t dim[OOM_RANK];
	const char *node;
	const char *says;	/* a part of what is said of it */
	bool host, warning, hedged, asserted, apart;
	int gpu;		/* the index and one; 0: not said */
	int alive, element;	/* bytes of one; 0: not looked at */
	struct {
		enum oom_field field;
		int64_t bytes;	/* 0 ends the list, unless it is the first */
	} size[5];
};

/* ---- the forms ---- */

struct out {
	char *s;
	size_t n;
};

static void
put(struct out *o, const char *s)
{
	size_t n = strlen(s);

	memcpy(o->s + o->n, s, n);
	o->n += n;
}

static void
put_byte(struct out *o, char c)
{
	o->s[o->n++] = c;
}

static void
as_it_is(struct out *o, const char *s)
{
	put(o, s);
}

static void
each_line(struct out *o, const char *s, const char *before, const char *after)
{
	put(o, before);
	for (; *s; s++) {
		if (*s == '\n')
			put(o, after);
		put_byte(o, *s);
		if (*s == '\n')
			put(o, before);
	}
}

static void
carriage_returns(struct out *o, const char *s)
{
	each_line(o, s, "", "\r");
}

static void
stamped(struct out *o, const char *s)
{
	each_line(o, s, "2024-01-02T03:04:05.678901Z stderr F ", "");
}

static void
ranked(struct out *o, const char *s)
{
	each_line(o, s, "[rank3]: ", "");
}

static void
coloured(struct out *o, const char *s)
{
	each_line(o, s, "\033[1;31m", "\033[0m");
}

static void
quoted(struct out *o, const char *s)
{
	each_line(o, s, "> ", "");
}

static void
wrapped(struct out *o, const char *s)
{
	int column = 0;

	for (; *s; s++) {
		put_byte(o, *s);
		column = *s == '\n' ? 0 : column + 1;
		if (column == 80) {
			put_byte(o, '\n');
			column = 0;
		}
	}
}

static void
in_json(struct out *o, const char *s)
{
	put(o, "{\"log\": \"");
	for (; *s; s++)
		if (*s == '\n')
			put(o, "\\n");
		else if (*s == '\t')
			put(o, "\\t");
		else if (*s == '"')
			put(o, "\\\"");
		else
			put_byte(o, *s);
	put(o, "\"}");
}

static void
amid_others(struct out *o, const char *s)
{
	put(o, "epoch 3 loss 0.25 step 100/2000 [=====>    ] 3.2it/s\n");
	put(o, s);
	put(o, "\nTraceback (most recent call last):\n");
}

/* UTF-8's blank that does not break, as pages have it. */
static void
with_hard_blanks(struct out *o, const char *s)
{
	for (; *s; s++)
		if (*s == ' ')
			put(o, "\xc2\xa0");
		else
			put_byte(o, *s);
}

static void
in_utf_16(struct out *o, const char *s)
{
	put(o, "\xff\xfe");
	for (; *s; s++) {
		put_byte(o, *s);
		put_byte(o, '\0');
	}
}

static const struct {
	const char *name;
	void (*write)(struct out *, const char *);
} forms[] = {
	{ "as it is", as_it_is }, { "carriage returns", carriage_returns }, { "stamped", stamped },
	{ "ranked", ranked }, { "coloured", coloured }, { "quoted", quoted },
	{ "wrapped", wrapped }, { "in JSON", in_json }, { "amid others", amid_others },
	{ "with hard blanks", with_hard_blanks }, { "in UTF-16", in_utf_16 },
};

#define FORMS	(sizeof(forms) / sizeof(*forms))

/* ---- */

static size_t
feed(void *context, char *to, size_t room)
{
	struct out *o = context;
	size_t n = o->n < room ? o->n : room;

	memcpy(to, o->s, n);
	o->s += n;
	o->n -= n;
	return n;
}

static void
expect(const struct want *w, const char *form, const struct oom_log *log)
{
	const struct oom_message *m = oom_log_main(log);
	size_t i;

	cr_assert(m, "%s %s: nothing", w->name, form);
	cr_expect_str_eq(m->who, w->who, "%s %s: of %s", w->name, form, m->who);
	cr_expect_eq(m->host, w->host, "%s %s: host", w->name, form);
	cr_expect_eq(m->warning, w->warning, "%s %s: warning", w->name, form);
	cr_expect_eq(m->shape.rank, w->rank, "%s %s: rank %d", w->name, form, m->shape.rank);
	cr_expect(memcmp(m->shape.dim, w->dim, sizeof(w->dim)) == 0, "%s %s: shape", w->name, form);
	cr_expect_eq(log->alive.n, w->alive, "%s %s: %d buffers", w->name, form, log->alive.n);
	if (w->node && strcmp(form, "wrapped") != 0)	/* a terminal cuts a name in two */
		cr_expect_str_eq(m->node, w->node, "%s %s: %s", w->name, form, m->node);
	cr_expect_eq(m->gpu, w->gpu - 1, "%s %s: GPU %d", w->name, form, m->gpu);
	cr_expect_eq(m->hedged, w->hedged, "%s %s: hedged", w->name, form);
	cr_expect_eq(m->apart, w->apart, "%s %s: apart", w->name, form);
	cr_expect_eq(m->asserted > 0, w->asserted, "%s %s: asserted", w->name, form);
	if (w->element)
		cr_expect_eq(m->element, w->element, "%s %s: elements of %d", w->name, form, m->element);
	if (w->says)
		cr_expect(m->says && strstr(m->says, w->says), "%s %s: says %s", w->name, form,
		    m->says ? m->says : "nothing");
	for (i = 0; i < 5 && (w->size[i].bytes || w->size[i].field); i++) {
		const struct oom_size *s = &m->size[w->size[i].field];

		cr_expect(s->known, "%s %s: no size %zu", w->name, form, i);
		cr_expect(llabs(s->bytes - w->size[i].bytes) <= 1, "%s %s: size %zu is %lld",
		    w->name, form, i, (long long)s->bytes);
	}
}

/* Every text in every form; what is sanitized in a quarter of them, another one each. */
static inline void
expect_in_every_form(struct arena *a, const struct want *texts, size_t n)
{
	size_t step = sanitized() ? 4 : 1, i, k;

	for (i = 0; i < n; i++)
		for (k = i % step; k < FORMS; k += step) {
			struct out o = { arena_alloc(a, 40 * strlen(texts[i].text) + 1024), 0 };
			struct oom_log log;

			forms[k].write(&o, texts[i].text);
			oom_log_read(&log, a, feed, &o);
			expect(&texts[i], forms[k].name, &log);
		}
}

#endif
