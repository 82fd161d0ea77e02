/* What a message says of itself: by its phrase, and by the details that follow it
 * (oom_detail.c). */
#include "oom/oom_tell.h"

#include <string.h>

#include "base/ascii.h"

#define LEAST_OTHER	((int64_t)128 << 20)	/* bytes of a process on a device that is listed */
#define MOST_SIGNS	(1 << 28)	/* of a text in an array */

static struct oom_size
exactly(int64_t bytes)
{
	return (struct oom_size){ true, bytes, 0 };
}

static void
add_size(struct oom_size *to, const struct oom_size *more)
{
	to->known = true;
	if (__builtin_add_overflow(to->bytes, more->bytes, &to->bytes))
		to->bytes = INT64_MAX;
	to->slack += more->slack;
}

/* "0.92" in thousandths; 0: it is no such number. */
static int
thousandths(const char *s)
{
	int n, places;

	if ((*s != '0' && *s != '1') || s[1] != '.')
		return 0;
	n = *s - '0';
	s += 2;
	for (places = 0; places < 3; places++)
		n = 10 * n + (is_digit(*s) ? *s++ - '0' : 0);
	return n <= 1000 ? n : 0;
}

static void
note_place(struct telling *t, const struct detail *d, const struct oom_match *m)
{
	struct oom_message *o = t->o;

	if (d->role == DETAIL_ELSEWHERE) {
		t->placed = true;
	} else if (d->role == DETAIL_GPU) {
		if (o->gpu < 0 && m->number[0] <= MOST_GPUS)
			o->gpu = (int)m->number[0];
	} else if (!t->placed) {
		o->host = m->place.host;
		o->gpu = m->place.gpu;
		o->placed = t->placed = true;
	}
}

/* What is in bytes: the field's size, by what is matched. */
static void
note_size(struct oom_message *o, const struct detail *d, const struct oom_match *m)
{
	struct oom_size *size = &o->size[d->value];

	switch (d->role) {
	case DETAIL_SIZE:
		if (m->size.known && !size->known)
			*size = m->size;
		else if (m->numbers)
			*size = exactly(m->number[0]);	/* of bytes: more exact than before */
		break;
	case DETAIL_EXACT:
		if (size->known && m->numbers)
			*size = exactly(m->number[0]);
		break;
	case DETAIL_MORE:
		if (!size->known && m->numbers > 1)
			*size = exactly(m->number[m->number[1] > m->number[0]]);
		else if (!size->known)
			*size = m->second.bytes > m->size.bytes ? m->second : m->size;
		break;
	case DETAIL_SECOND:
		if (!size->known)
			*size = m->second;
		break;
	case DETAIL_SUM:
		add_size(size, &m->size);
		if (!size[1].known || m->size.bytes > size[1].bytes)
			size[1] = m->size;
		if (m->numbers && m->size.bytes >= LEAST_OTHER && o->other_processes < OOM_OTHER_PROCESSES)
			o->others[o->other_processes++] = m->number[0];
		break;
	default:
		if (!size->known && m->size.bytes >= o->size[OOM_ASKED].bytes)
			*size = exactly(m->size.bytes - o->size[OOM_ASKED].bytes);
	}
}

void
oom_tell_detail(struct telling *t, const struct detail *d, const struct oom_match *m)
{
	struct oom_message *o = t->o;

	switch (d->role) {
	case DETAIL_SIZE:
	case DETAIL_EXACT:
	case DETAIL_MORE:
	case DETAIL_SECOND:
	case DETAIL_SUM:
	case DETAIL_TOTAL:
		note_size(o, d, m);
		break;
	case DETAIL_SHAPE:
		if (!o->shape.known)
			o->shape = m->shape;
		break;
	case DETAIL_NODE:
		if (!o->node[0])
			memcpy(o->node, m->name, sizeof(o->node));
		break;
	case DETAIL_ELEMENT:
		if (!o->element)
			o->element = (int)(d->value & ~ELEMENT_FIXED);
		o->fixed |= (d->value & ELEMENT_FIXED) != 0;
		break;
	case DETAIL_TEXT:
		if (!o->element && m->numbers && m->number[0] > 0 && m->number[0] <= MOST_SIGNS)
			o->element = (int)(m->number[0] * d->value);
		break;
	case DETAIL_WARNING:
		o->warning = true;
		break;
	case DETAIL_RUN:
		if (o->run == RUN_UNKNOWN)
			o->run = (enum oom_run)d->value;
		break;
	case DETAIL_SHARE:
		o->share = thousandths(m->name);
		break;
	case DETAIL_FACT:
		o->facts |= (uint64_t)d->value;
		o->traced |= ((uint64_t)d->value & (TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP)) != 0;	/* a stack's calls */
		break;
	case DETAIL_END:		/* nothing of its own */
		break;
	case DETAIL_PLACE:
	case DETAIL_ELSEWHERE:
	case DETAIL_GPU:
		note_place(t, d, m);
		break;
	}
}

#define MOST_KIB	((int64_t)1 << 27)	/* of a limit: 128 GiB; more may be bytes, as versions between write them */

/* What was held and its limit, "(41393168 > 20971520)", where it is sure of what they are. */
static void
note_held(struct oom_message *o, const struct phrase *p, const struct oom_match *m)
{
	bool kib = (p->flags & PHRASE_KIB) != 0;

	if (m->numbers < 2 || m->number[1] <= 0 || m->number[0] <= m->number[1] || (kib && (m->number[1] >= MOST_KIB || m->number[0] > INT64_MAX >> 10)))
		return;
	o->size[OOM_ALLOCATED] = exactly(m->number[0] << (kib ? 10 : 0));
	o->size[OOM_LIMIT] = exactly(m->number[1] << (kib ? 10 : 0));
}

void
oom_tell_sizes(struct oom_message *o, const struct phrase *p, const struct oom_match *m)
{
	bool onnx = p->kind == OOM_ONNX;	/* what was free comes first */

	o->size[p->field] = m->size;
	if (m->second.known)
		o->size[OOM_FREE] = m->second;
	if (p->flags & PHRASE_HELD)
		note_held(o, p, m);
	if (p->flags & PHRASE_GPU) {
		if (m->numbers && m->number[0] <= MOST_GPUS)
			o->gpu = (int)m->number[0];
		return;
	}
	if ((onnx || p->kind == OOM_PADDLE) && m->numbers == 2) {
		if (!o->limited)		/* else it is what an arena's own limit leaves */
			o->size[OOM_FREE] = exactly(m->number[!onnx]);
		o->size[OOM_ASKED] = exactly(m->number[onnx]);
	} else if ((p->flags & PHRASE_BOTH) && m->numbers == 2) {
		o->size[OOM_FREE] = exactly(m->number[0]);
		o->size[OOM_ASKED] = exactly(m->number[1]);
	} else if (p->flags & PHRASE_TIMES) {
		int64_t bytes;

		if (m->numbers == 2 && !__builtin_mul_overflow(m->number[0], m->number[1], &bytes))
			o->size[OOM_ASKED] = exactly(bytes);
	} else if (p->flags & PHRASE_BYTES) {
		o->size[OOM_ASKED] = exactly(m->number[0]);
	} else if ((p->flags & PHRASE_WHOLE) && m->numbers && m->number[0] < INT64_MAX / OOM_WHOLE) {
		o->size[OOM_ASKED] = (struct oom_size){ true, m->number[0] * OOM_WHOLE + OOM_WHOLE / 2, OOM_WHOLE / 2 };
		return;
	}
	/* "2.12G (2282521344 bytes)": rounded or cut off */
	if (m->size.known && m->numbers && m->number[0] >= m->size.bytes - 2 * m->size.slack &&
	    m->number[0] <= m->size.bytes + 2 * m->size.slack)
		o->size[OOM_ASKED] = exactly(m->number[0]);
}

void
oom_tell_element(struct oom_message *o)
{
	const struct oom_size *asked = &o->size[OOM_ASKED];
	int64_t n = 1;
	int i, bytes;

	if (o->element || o->kind != OOM_NUMPY || !o->shape.known || !asked->known)
		return;
	for (i = 0; i < o->shape.rank; i++)
		if (__builtin_mul_overflow(n, o->shape.dim[i], &n))
			return;
	for (bytes = 1; bytes <= 16; bytes *= 2)
		if (n > 0 && n <= INT64_MAX / 16 && asked->bytes >= n * bytes - n * bytes / 16 &&
		    asked->bytes <= n * bytes + n * bytes / 16)
			o->element = bytes;
}
