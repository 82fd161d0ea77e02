/* Each line is looked at by itself: what it belongs to is remembered for a few lines. */
#include "oom/oom_around.h"

#include <stdlib.h>
#include <string.h>

#include "oom/oom_keep.h"

#define MOST_KIB	((int64_t)1 << 43)	/* of a machine */
#define STATS_LINES	12	/* that the allocator's statistics have */
#define LEAST_MIB	1000	/* of a card */
#define MOST_MIB	((int64_t)1 << 24)
#define OF_ONE_SIZE	16	/* that part of a card is what its driver keeps, or does not */
#define MOST_COUNTED	1000000
#define MOST_WEIGHTS	((int64_t)1 << 44)
#define NEAR_LINES	60	/* in which a text is one speaker's */
#define HEADED_LINES	8	/* that a head is of */

/* ---- the dump ---- */

static void
count_chunks(struct oom_log *log, int64_t size, int64_t count)
{
	struct oom_dump *d = &log->dump;
	int64_t bytes;
	int lo = 0, hi = d->classes.n, mid;

	if (size <= 0 || count <= 0 || __builtin_mul_overflow(size, count, &bytes) ||
	    __builtin_add_overflow(d->in_use, bytes, &bytes))
		return;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (d->classes.v[mid].size < size)
			lo = mid + 1;
		else
			hi = mid;
	}
	d->in_use = bytes;
	if (lo < d->classes.n && d->classes.v[lo].size == size) {
		d->classes.v[lo].count += count;
		return;
	}
	if (d->classes.n == OOM_CLASSES) {
		d->uncounted += count;
		return;
	}
	vec_push(log->arena, &d->classes, ((struct oom_chunks){ size, count }));
	memmove(d->classes.v + lo + 1, d->classes.v + lo,
	    (size_t)(d->classes.n - 1 - lo) * sizeof(*d->classes.v));
	d->classes.v[lo] = (struct oom_chunks){ size, count };
}

static void
begin_dump(struct oom_dump *d)
{

	d->any = d->summed = false;
	d->classes.n = 0;
	d->in_use = d->free = d->largest_free = d->limit = d->said_in_use = d->uncounted = 0;
}

static void
take_dump(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_dump *d = &r->log->dump;

	switch (p->role) {
	case ROLE_DUMP:
		r->dump_of = m->place;
		r->dump_line = line;
		return;
	case ROLE_BINS:
		begin_dump(d);
		d->of = r->dump_line && line - r->dump_line <= STATS_LINES ? r->dump_of : (struct oom_place){ 0 };
		return;
	case ROLE_CLASS:
		if (!d->summed) {	/* the same chunks once more, now by size */
			d->classes.n = 0;
			d->in_use = d->uncounted = 0;
			d->summed = true;
		}
		count_chunks(r->log, m->number[1], m->number[0]);
		break;
	case ROLE_CHUNK:
		if (!d->summed)
			count_chunks(r->log, m->number[0], 1);
		break;
	case ROLE_FREE_CHUNK:
		if (__builtin_add_overflow(d->free, m->number[0], &d->free))
			d->free = INT64_MAX;
		if (m->number[0] > d->largest_free)
			d->largest_free = m->number[0];
		break;
	case ROLE_STATS:
		r->stats_line = line;
		return;
	case ROLE_LIMIT:
	case ROLE_IN_USE:
		if (!r->stats_line || line - r->stats_line > STATS_LINES)
			return;		/* of something else */
		*(p->role == ROLE_LIMIT ? &d->limit : &d->said_in_use) = m->number[0];
		break;
	default:
		break;
	}
	if (!d->any)
		d->line = line;
	d->any = true;
}

/* ---- who holds tensors ---- */

static void
take_usage(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;
	struct oom_holder h = { .bytes = m->size.bytes };

	if (p->role == ROLE_USAGE) {
		log->holders.n = 0;
		log->holders_gpu = m->place.host ? -1 : m->place.gpu;
		log->held_by_others = log->other_holders = 0;
	} else if (!r->usage_line || line - r->usage_line > 3) {	/* one may be broken */
		r->usage_line = 0;
		return;
	} else if (p->role == ROLE_HOLDERS) {
		log->other_holders = m->number[0];
		log->held_by_others = m->size.bytes;
	} else if (log->holders.n < OOM_HOLDERS) {
		memcpy(h.node, m->name, sizeof(h.node));
		vec_push(log->arena, &log->holders, h);
	}
	r->usage_line = line;
}

/* ---- Caffe's network ---- */

/* A log has several: those of training and of testing. Kept is the one that takes most. */
static void
take_net(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	(void)line;
	if (p->role != ROLE_NET_BYTES) {
		r->net_shape = m->shape;
		if (p->role == ROLE_NET_INPUT)
			r->net_input = m->shape;
		if (p->role == ROLE_NET_INPUT && r->log->net_bytes == 0)
			r->log->input = m->shape;
		return;
	}
	if (m->number[0] < r->net_bytes)
		r->net_input.known = false;	/* another begins */
	if (!r->net_input.known)
		r->net_input = r->net_shape;
	r->net_bytes = m->number[0];
	if (r->net_bytes >= r->log->net_bytes) {
		r->log->net_bytes = r->net_bytes;
		r->log->input = r->net_input;
	}
}

/* ---- devices ---- */

static struct oom_size
mebibytes(int64_t n)
{
	return (struct oom_size){ true, n << 20, (int64_t)1 << 19 };
}

/* The fullest card of nvidia-smi's table, or of gpustat's, which has one unit for both numbers. */
static void
take_card(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_size used, all;
	struct oom_log *log = r->log;

	(void)p;
	if (m->number[1] < LEAST_MIB || m->number[1] > MOST_MIB || m->number[0] > m->number[1])
		return;
	used = mebibytes(m->number[0]);
	all = mebibytes(m->number[1]);
	log->cards_differ |= log->card.known && llabs(log->card.bytes - all.bytes) > all.bytes / OF_ONE_SIZE;
	if (!log->card.known || used.bytes > log->card_used.bytes) {
		log->card = all;
		log->card_used = used;
		log->card_line = line;
	}
}

static void
take_start(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	(void)line;
	if (p->role == ROLE_START_TOTAL) {
		log->start_total = m->size;
		log->starts += log->starts < 2;
		log->start_free.known = false;
	} else if (log->start_total.known && m->size.bytes <= log->start_total.bytes) {
		log->start_free = m->size;
	}
}

/* TensorFlow rounds the limit of its allocator down to whole MiB (gpu_device.cc). */
static void
take_made(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;
	struct oom_made made = { m->place.gpu, m->size.bytes, line };
	int i;

	(void)p;
	if (m->place.host || made.gpu < 0 || made.bytes <= 0)
		return;
	for (i = 0; i < log->made.n && log->made.v[i].gpu != made.gpu; i++)
		;
	if (i < log->made.n)
		log->made.v[i] = made;
	else if (i < OOM_MADE)
		vec_push(log->arena, &log->made, made);
}

#define SERVED_WITHIN	3	/* lines, in which vLLM tells what its weights took once more behind its share */

static void
take_served(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_served *s = &r->log->served;

	if (p->role == ROLE_SERVED_SHARE && m->second.known) {
		*s = (struct oom_served){ .share_line = line, .total = m->size.bytes, .share = m->second.bytes,
			.weights_line = s->weights_line, .weights = s->weights };
	} else if (p->role == ROLE_SERVED_WEIGHTS) {
		if (s->share_line && line - s->share_line > SERVED_WITHIN && s->weights != m->size.bytes)
			*s = (struct oom_served){ 0 };		/* another run begins, on another machine maybe */
		s->weights_line = line;
		s->weights = m->size.bytes;
	} else if (p->role == ROLE_SERVED_TRIAL) {
		s->trial = m->size.bytes;
	}
}

static void
take_needs(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	(void)p;
	if (m->size.known && m->second.known)
		r->log->needs = (struct oom_needs){ line, m->size.bytes, m->second.bytes };
}

static void
take_buffer(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	(void)line;
	if (p->role == ROLE_BUFFER_SIZE) {
		r->buffer = m->size;
		return;
	}
	if (p->role == ROLE_BUFFER_PADDING) {
		if (log->alive.n > 0)
			log->alive.v[log->alive.n - 1].padding = m->size;
		return;
	}
	if (r->xla && log->alive.n < OOM_ALIVE)
		vec_push(log->arena, &log->alive, ((struct oom_alive){ .size = r->buffer, .shape = m->shape,
		    .attention = log->attention }));
	log->attention = false;
	r->buffer.known = false;
}

/* ---- the run ---- */

/* Was it told that memory ran out, elsewhere than in a title, ahead of what is read? */
static bool
has_failed(const struct oom_log *log)
{
	int i;

	for (i = 0; i < log->messages.n && (log->messages.v[i].titled || log->messages.v[i].line == 1); i++)
		;
	return i < log->messages.n;
}

static void
set_epoch(struct oom_log *log, int64_t epoch, int line)
{
	if (has_failed(log) || epoch > MOST_COUNTED)
		return;
	log->epoch = epoch;
	log->epoch_line = line;
}

static void
take_epoch(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	int64_t epoch = m->number[0];

	if (p->role == ROLE_EPOCH) {
		set_epoch(r->log, epoch, line);
		return;
	}
	if (epoch > 0 && epoch == r->next_epoch)	/* it counts them if it goes on to the next */
		set_epoch(r->log, epoch, line);
	r->next_epoch = epoch < MOST_COUNTED ? epoch + 1 : 0;
}

/* Steps are counted where one number follows a smaller one: what is set beside the word stands
 * once. */
static void
take_step(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	(void)p;
	if (has_failed(log) || m->number[0] <= 0)
		return;
	if (r->step > 0 && m->number[0] > r->step) {
		log->steps = m->number[0];
		log->steps_line = line;
	}
	r->step = m->number[0];
}

static void
take_epoch_step(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_match step = *m;

	set_epoch(r->log, m->number[0], line);
	r->epoch_step_line = line;
	step.number[0] = m->number[1];
	take_step(r, p, &step, line);
}

/* A log of peaks, each larger than the one before. */
static void
take_peak(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_peaks *k = &r->log->peaks;

	if (has_failed(r->log) || m->number[0] <= 0 || (p->role == ROLE_PEAK && r->epoch_step_line != line))
		return;
	if (k->count == 0 || m->number[0] <= k->last)
		*k = (struct oom_peaks){ .first = m->number[0], .first_line = line };
	k->last = m->number[0];
	k->last_line = line;
	k->count++;
}

static void
take_batch(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	if (m->number[0] <= 0 || m->number[0] > MOST_COUNTED || (log->micro && p->role == ROLE_BATCH) ||
	    (r->evaluating_line && line - r->evaluating_line <= HEADED_LINES))
		return;
	if (p->role == ROLE_MICRO && !log->micro)
		log->batch = 0;		/* that of all devices, or of several parts */
	log->micro |= p->role == ROLE_MICRO;
	log->batch_line = log->batch ? log->batch_line : line;
	log->batch = log->batch && log->batch != m->number[0] ? -1 : m->number[0];
}

static void
take_length(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	(void)p;
	if (m->number[0] <= 1 || m->number[0] > MOST_COUNTED)
		return;
	log->length_line = log->length ? log->length_line : line;
	log->length = log->length && log->length != m->number[0] ? -1 : m->number[0];
}

/* How many weights there are, or are trained. */
static void
take_weights(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;
	bool millions = m->numbers == 2 && m->number[0] < MOST_COUNTED && m->number[1] < 1000;
	int64_t n = millions ? m->number[0] * 1000000 + m->number[1] * 1000 : m->number[0];
	int64_t *most = p->role == ROLE_TRAINED ? &log->trained : &log->weights;

	if (n > MOST_WEIGHTS)
		return;
	if (n >= log->weights && n >= log->trained)
		log->weights_line = line;
	*most = n > *most ? n : *most;
}

/* Folds are counted where one number follows a smaller one: one by itself may choose one. So is a
 * trial of number 1, which is the first where they are counted from there. */
static void
take_trial(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;
	int64_t n = m->number[0];
	bool counted = p->role == ROLE_TRIAL ? n > log->trial && (n > 1 || r->trials) : r->fold > 0 && n >= r->fold;

	if ((log->messages.n > 0 && log->messages.v[0].line < line) || n > MOST_COUNTED)
		return;
	if (counted) {
		log->trial = n;
		log->trial_line = line;
	}
	r->trials |= p->role == ROLE_TRIAL && n == 0;
	r->fold = p->role == ROLE_FOLD ? n + 1 : r->fold;
}

/* Where the last line of a role is noted, of which that is all. */
static int *
last_line(struct oom_around *r, enum phrase_role role)
{
	switch (role) {
	case ROLE_VOLATILE:	return &r->log->no_volatile;
	case ROLE_HANDLING:	return &r->handling_line;
	case ROLE_SERVES:	return &r->log->serving;
	case ROLE_CAPTURE:	return &r->log->capturing;
	case ROLE_SHARDS:	return &r->log->shards;
	case ROLE_EXPANDS:	return &r->log->expands;
	default:		return &r->log->search_line;
	}
}

static void
take_line(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{

	(void)m;
	*last_line(r, p->role) = line;
}

/* Of a number that is said again and again: the largest, and where. */
static void
take_most(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;
	int64_t n = m->number[0], *most = &log->processes;
	int *at = &log->processes_line;

	if (p->role == ROLE_GIVEN) {
		most = &log->given;
		at = &log->given_line;
	} else if (p->role == ROLE_TENTH) {
		most = &log->warned;
		at = &log->warned_line;
	} else if (n > MOST_COUNTED) {
		return;
	}
	if (n > *most) {
		*most = n;
		*at = line;
	}
}

static void
take_gpu(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	bool one = m->number[0] <= MOST_GPUS;

	if (p->role == ROLE_GPU) {
		r->gpu = one ? (int)m->number[0] : -1;
		r->gpu_line = line;
	} else if (one) {
		r->log->smaller_gpu = (int)m->number[0];
		r->log->smaller_line = line;
	}
}

static void
take_tokens(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{

	(void)p;
	r->log->tokens = m->number[0];
	r->log->most_tokens = m->number[1];
	r->log->tokens_line = line;
}

static void
take_shape(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	if (p->role == ROLE_INPUTS) {
		log->inputs = m->shape;
		log->inputs_line = line;
	} else if (log->messages.n == 0) {
		log->printed = m->shape;
		log->printed_line = line;
	}
}

#define CAUSED_WITHIN	3	/* lines behind TensorFlow's message, which names it there */

static void
name_operation(struct oom_message *o, const struct oom_match *m, int line)
{
	if (o->kind == OOM_TENSORFLOW && !o->node[0] && line - o->last <= CAUSED_WITHIN)
		memcpy(o->node, m->name, sizeof(o->node));
}

/* What needs no more than to be noted. */
static void
take_note(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	struct oom_log *log = r->log;

	switch (p->role) {
	case ROLE_OPERATION:
		if (log->messages.n > 0)
			name_operation(&log->messages.v[log->messages.n - 1], m, line);
		memcpy(r->operation, m->name, sizeof(r->operation));
		break;
	case ROLE_ASSERTION:
		log->assertion = log->assertion ? log->assertion : line;
		break;
	case ROLE_LOSS:
		log->losses += !has_failed(log);
		log->losses_line = !has_failed(log) ? line : log->losses_line;
		break;
	case ROLE_REPLAY:
		log->replay = m->number[0];
		log->replay_line = line;
		break;
	case ROLE_MACHINE:
	case ROLE_MACHINE_KIB:
		log->machine = p->role == ROLE_MACHINE ? m->size.bytes : m->number[0] <= MOST_KIB ? m->number[0] << 10 : 0;
		log->machine_line = line;
		break;
	case ROLE_IMAGES:
		log->images = m->number[0];
		log->images_line = line;
		log->images_size = m->shape;
		break;
	case ROLE_VOCABULARY:
		log->words = m->number[0];
		log->words_line = line;
		break;
	case ROLE_CAUGHT:
		oom_keep_caught(log, line, !(p->flags & PHRASE_ANYONE));
		break;
	case ROLE_SHUFFLE:
		log->shuffled = m->number[1];
		break;
	case ROLE_SPEAKER:
		r->speaker = p->who;
		r->speaker_line = line;
		break;
	default:
		r->evaluating_line = p->role == ROLE_EVALUATES ? line : 0;
	}
}

const char *
oom_speaker(const struct oom_around *r, int line)
{
	return r->speaker && line - r->speaker_line <= NEAR_LINES ? r->speaker : NULL;
}

void
oom_around(struct oom_around *r, const struct phrase *p, const struct oom_match *m, int line)
{
	static void (*const take[ROLES])(struct oom_around *, const struct phrase *,
	    const struct oom_match *, int) = {
		[ROLE_CLASS] = take_dump, [ROLE_CHUNK] = take_dump, [ROLE_FREE_CHUNK] = take_dump,
		[ROLE_STATS] = take_dump, [ROLE_LIMIT] = take_dump, [ROLE_IN_USE] = take_dump,
		[ROLE_BINS] = take_dump, [ROLE_DUMP] = take_dump,
		[ROLE_USAGE] = take_usage, [ROLE_HOLDER] = take_usage, [ROLE_HOLDERS] = take_usage,
		[ROLE_NET_INPUT] = take_net, [ROLE_NET_SHAPE] = take_net, [ROLE_NET_BYTES] = take_net,
		[ROLE_CARD] = take_card,
		[ROLE_START_TOTAL] = take_start, [ROLE_START_FREE] = take_start,
		[ROLE_MADE] = take_made,
		[ROLE_MODEL_NEEDS] = take_needs, [ROLE_SERVED_SHARE] = take_served, [ROLE_SERVED_WEIGHTS] = take_served, [ROLE_SERVED_TRIAL] = take_served,
		[ROLE_BUFFER_SIZE] = take_buffer, [ROLE_BUFFER_SHAPE] = take_buffer,
		[ROLE_BUFFER_PADDING] = take_buffer,
		[ROLE_EPOCH] = take_epoch, [ROLE_EPOCH_COUNT] = take_epoch,
		[ROLE_STEP] = take_step, [ROLE_BATCH] = take_batch, [ROLE_MICRO] = take_batch, [ROLE_LENGTH] = take_length,
		[ROLE_EPOCH_STEP] = take_epoch_step, [ROLE_PEAK] = take_peak, [ROLE_PEAK_NAMED] = take_peak,
		[ROLE_VOLATILE] = take_line, [ROLE_HANDLING] = take_line, [ROLE_SERVES] = take_line,
		[ROLE_CAPTURE] = take_line, [ROLE_SHARDS] = take_line, [ROLE_EXPANDS] = take_line,
		[ROLE_SEARCH] = take_line,
		[ROLE_GIVEN] = take_most, [ROLE_TENTH] = take_most, [ROLE_PROCESS] = take_most,
		[ROLE_GPU] = take_gpu, [ROLE_SMALLER] = take_gpu,
		[ROLE_TOKENS] = take_tokens,
		[ROLE_INPUTS] = take_shape, [ROLE_PRINTED] = take_shape,
		[ROLE_WEIGHTS] = take_weights, [ROLE_TRAINED] = take_weights,
		[ROLE_TRIAL] = take_trial, [ROLE_FOLD] = take_trial,
	};

	(take[p->role] ? take[p->role] : take_note)(r, p, m, line);
}
