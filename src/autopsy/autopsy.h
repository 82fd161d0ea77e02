/*
 * What a log's messages mean for the network that was run, or by themselves where there is no spec.
 *
 *     autopsy_explain()     autopsy_story.c: the tensor, the batch of the run, a plan at that batch,
 *                           the forecast of the framework that failed, what would have fitted
 *     autopsy_budget()      autopsy_budget.c: the message's arithmetic, checked before it is believed
 *     autopsy_causes()      autopsy_causes.c: what the log gives evidence of, with autopsy_place.c, by the
 *                           place where memory ended, autopsy_alone.c, by figures alone,
 *                           autopsy_xla.c, by what XLA counts, autopsy_paste.c, by what was pasted
 *                           beside it, autopsy_progress.c, by how far the run had come, and
 *                           autopsy_shape.c, by shapes alone
 *     autopsy_says.h        the inventory: each kind of sentence, and what it rests on
 *     autopsy_likely()      autopsy_likely.c: what it may be where the log shows no cause, by its words
 *     autopsy_usual()       autopsy_usual.c: where none is named, what public threads came to
 *     autopsy_text() ...    the answer for people and for programs
 *
 * Where the log does not show something, nothing is said of it.
 */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_H
#define STOWAGE_AUTOPSY_AUTOPSY_H

#include <stdio.h>

#include "autopsy/autopsy_says.h"
#include "fit/advice.h"
#include "frameworks/forecast.h"
#include "oom/oom_dump.h"
#include "oom/oom_log.h"
#include "oom/oom_shape.h"

struct spec;

#define NEAREST		3
#define MOST_ADVICE	3

struct budget {			/* the arithmetic of a message; bytes, -1 where unknown */
	int64_t total, allocated, unallocated, reserved, free, outside, context, others;
	int64_t kept;		/* of what is reserved: free in private pools, as those of CUDA graphs */
	int64_t in_use;		/* of the device, by all processes together */
	int64_t pool;		/* what the framework could have at most; 0: unknown */
	const char *pool_is;	/* how that is known */
	bool peak;		/* `allocated` is the most that it ever was, not what it is */
	bool roomy;		/* by its own figures the request had room */
	bool listed;		/* the message lists who `others` are; else they are what is left */
	bool idle;		/* by its counters nothing was allocated */
	bool lent;		/* it counts more than the card has */
	VEC(const char *) doubts;	/* figures that cannot be, and what was made of them */
};

struct sentence {
	const char *text;
	enum autopsy_says kind;	/* which says what it rests on */
};

struct cure {			/* a change of the run that failed */
	const struct advice *advice;
	const char *how;	/* where that is written in the framework; NULL: not known */
};

struct autopsy {
	struct arena *arena;
	FILE *out;
	bool colour;
	const char *log_path;
	const struct spec *spec;	/* NULL: the log alone */
	struct module *module;	/* its network, planned at `batch`; NULL: the log alone */
	int64_t said_batch;	/* the micro-batch, as this says it: the spec, --batch, or a line of the log */
	const char *batch_said_by;
	bool batch_asked;	/* in: by --batch */
	int64_t batch;		/* that of the run, as far as known */
	bool batch_of_line;	/* said_batch is that of a line of the log, and the spec has another */
	bool implied;		/* by a shape of the message */
	bool validation;	/* it failed while validating: forward only */
	struct oom_log log;
	const struct oom_message *main;
	int element;		/* bytes of an element of the main message's tensor */
	int64_t lo, hi;		/* bytes that were asked for lie between these; hi 0: unknown */
	struct shape_matches matches;	/* of the shape, or else of the bytes */
	struct shape_matches nearest;	/* where none matches */
	struct budget budget;
	struct dump_story dump;
	bool other_dump;	/* the log's is of another memory than what failed */
	const struct framework *framework;	/* whose run that was; NULL: there is no model */
	struct forecast forecast;	/* of that run; known: there is a model, and a step */
	bool fits_alone;	/* others have a part of the device: without them the run surely fits */
	int64_t batch_for_said;	/* the batch that takes the bytes the message counts; 0: none */
	const struct node *scored;	/* attention whose scores were stored, by the log; NULL: none is told to */
	bool scores_asked;	/* they have the shape, or the bytes at the spec's batch, that were asked for */
	int64_t sure_batch, largest_batch;	/* within the pool by that model: surely, and at most */
	int64_t limit;		/* of the framework's allocator, by the log; 0: not said */
	int64_t memory;		/* as the user says; 0: not said */
	int64_t card, card_largest;	/* --memory beside a pool of the log, and the batch by the dump's rules */
	VEC(struct sentence) causes;	/* what the message and its log give evidence of, most telling first */
	VEC(struct sentence) reported;	/* what other lines and people's words would mean, each named and a condition */
	int lines, hints;	/* of the latter, those that rest on lines, and of these what is only mentioned (a batch, a size) */
	VEC(const char *) likely;	/* where that is nothing: what it may be by words, after a sentence ahead of it; or where to look */
	const char *usual;	/* where no cause is named: what public threads came to in which none was; NULL: one is */
	VEC(struct cure) cures;	/* that make the run fit, or come nearest, by its forecast */
};

/* Fills Y from y->log, y->log_path, y->batch_asked and y->memory. SPEC, with one network that is
 * planned: NULL where there is none. */
void	autopsy_explain(struct arena *, struct autopsy *y, const struct spec *);

/* The micro-batch that the spec of M says. */
int64_t	autopsy_batch_of(const struct module *m);

/* Figures that cannot be are left out, and named in `doubts`. */
struct budget	autopsy_budget(struct arena *, const struct oom_message *);
#define SHARED_DEVICE	"all of the device, by the message; others may have a part of it"
/* Bytes of tensors that the message counts, or else its allocator's statistics; 0: neither does. */
int64_t	autopsy_counted(const struct autopsy *);
/* What the device has: by the message, or by nvidia-smi's table where all cards there are alike. 0:
 * not known. */
int64_t	autopsy_device_bytes(const struct autopsy *);
/* An amount found elsewhere, where the message does not say one. */
void	budget_set_pool(struct budget *, int64_t bytes, const char *is);

/* Bytes that surely are enough for the run, beside its context: what the allocator may reserve. */
int64_t	autopsy_surely(const struct forecast *);

/* What goes ahead of the forecast's upper end: where another order of the framework's operations
 * may keep more, that is no limit. */
const char	*autopsy_at_most(const struct autopsy *);

/* Does the message mention 16 bits, where the spec has more? */
bool	autopsy_is_narrower(const struct autopsy *);
/* Does validation alone, at the batch that the spec gives it, take more than the pool? Then no
 * batch of training helps. */
bool	autopsy_validates_too_much(const struct autopsy *);

/* Fills y->causes: y is complete otherwise. */
void	autopsy_causes(struct autopsy *y);
/* And y->likely, after that: autopsy_likely.c. */
void	autopsy_likely(struct autopsy *y);
/* And y->usual, after that: autopsy_usual.c. */
void	autopsy_usual(struct autopsy *y);

/* Bytes of a buffer that XLA names. */
int64_t	autopsy_buffer_bytes(const struct oom_alive *);
/* PART of WHOLE in hundredths, rounded; 100 is all of it and no less. */
int	autopsy_percent(int64_t part, int64_t whole);
/* "[32, 1, 5000, 4]" */
const char	*autopsy_shape_text(struct arena *, const struct oom_shape *);
/* Whose tensor it is, and how its axes stand: one line an axis of the message. */
const char	*autopsy_tensor_text(struct arena *, const struct shape_match *);
const char	*autopsy_axis_text(const struct autopsy *, const struct shape_match *, int axis);
/* Samples that are an array, in the machine's memory or put on the device: they may be a batch of
 * the network, or all there are. */
bool	autopsy_is_data(const struct autopsy *);
/* An array of the program around a network, and no tensor of a step. */
bool	autopsy_is_array(const struct autopsy *);
/* Does the message tell bytes alone, which tensors of the network have at other batches, and none
 * at the spec's? Then the run had another, or the log is of another network. */
bool	autopsy_is_of_another_batch(const struct autopsy *);
/* Was all of the forecast there when memory ended, as far as the message and its place tell? */
bool	autopsy_was_alive(const struct autopsy *);
/* Could the framework have less than any card has? */
bool	autopsy_is_limited(const struct autopsy *);
/* What the device is, of which a message tells the index. */
const char	*autopsy_device_word(const struct oom_message *);
/* Was nothing asked for, by the message? */
bool	autopsy_asks_nothing(const struct oom_message *);
/* False of a block of many tensors, and of data of the machine. */
bool	autopsy_bytes_name_a_tensor(const struct oom_message *);
/* Did it fail, by its traceback, while weights were made or put on the device? */
bool	autopsy_is_made(const struct oom_message *);
/* Does an operation of that name of TensorFlow's give a weight, or what an optimizer keeps, its
 * first values? */
bool	autopsy_gives_first_values(const char *node);
/* Does its operation make a gradient? */
bool	autopsy_in_backward(const struct oom_message *);
/* Had PyTorch's allocator as many unused bytes as it was asked for, a part that counts, in
 * pieces? */
bool	autopsy_is_fragmented(const struct autopsy *, const struct oom_message *, const struct budget *);
/* What the message means, in a sentence or two, and of that how much was asked for: "" where that
 * is not told, or elsewhere. */
const char	*autopsy_amount(const struct autopsy *, const struct oom_message *);
const char	*autopsy_meaning(const struct autopsy *, const struct oom_message *);
/* The same of a person's words alone: autopsy_told.c. */
const char	*autopsy_told(const struct autopsy *);
int64_t		autopsy_bytes(const struct oom_message *);
const char	*autopsy_size_text(struct arena *, int64_t bytes, const struct oom_message *);	/* of BYTES asked for, as far as the message tells it */
/* Is it a tensor or a step of a network in training that failed, so that a spec would tell more?
 * autopsy_world.c. */
bool	autopsy_is_of_step(const struct autopsy *);

void	autopsy_text(const struct autopsy *);
void	autopsy_json(const struct autopsy *);

#endif
