/*
 * Data readers, one a file: where the samples of a program come from.
 *
 * In comes what lang/data.c has taken apart of a setting such as data idx("images", "labels",
 * scale=1/255), by the record of the reader that is named there. Out goes a struct data_source
 * (ir/settings.h), which rules look at and programs are written from. A reader says what its call
 * may hold and opens no file: that is done by the program, in kernels/read/NAME.c, the other half
 * of each reader here.
 */
#ifndef STOWAGE_READERS_READER_H
#define STOWAGE_READERS_READER_H

#include "ir/op.h"
#include "ir/settings.h"

enum reader_files {
	FILES_NONE,		/* without a name come the attributes, in their order */
	FILES_ONE,		/* for all inputs and targets */
	FILES_MANY,		/* the same, and one goes on where the one before it ends */
	FILES_EACH		/* for every input and target, by name or in the network's order */
};

struct look;
struct parts_look;

struct reader {
	const char *name;	/* in specs */
	const char *brief;
	const char *doc;	/* paragraphs of plain text: its files, and how they become samples */
	const char *usage;	/* an example, for messages */
	enum reader_files files;
	const struct attr_spec *attrs;	/* INT, REAL, REALS and BOOL; those below have uses of their own */
	const char *needs;	/* in words, what a required attribute says: "a count" */
	/* libraries that the program needs for it: pkg-config's names, and what the linker takes
	 * where there is no pkg-config; NULL: none */
	const char *packages, *links;
	bool bytes;		/* what it reads is bytes of 0 to 255, as a rule */
	/* What of the network or the arguments it cannot read, in words; NULL: nothing, or there is
	 * no such function. Only where each argument by itself is right. */
	const char *(*unfit)(struct arena *, const struct data_source *, struct tensor *const *staged, int nstaged);
	/* Are samples alike in all epochs, so that a device with room for all of them may keep
	 * them? NULL: they are. */
	bool (*alike)(const struct data_source *);
	bool drawn;		/* a device may draw its samples itself (kernels/host/draw.h) */
	/* Takes the first bytes of a file apart (readers/look.h); false where they are not what it
	 * reads. NULL: it has no files. */
	bool (*look)(struct look *);
	bool apart;		/* look() takes one input's numbers, and not those of all side by side */
	/* Counts the parts of its pictures (readers/parts_look.h); false where nothing is known.
	 * NULL: they have none. */
	bool (*parts)(struct parts_look *);
};

/* Attributes of files with a sample a row. */
#define READER_MOST	0x1p40	/* samples */
#define READER_ROWS									\
	{ .name = "scale", .type = ATTR_REAL, .preset = "1",				\
	  .doc = "real-valued inputs are multiplied by this as they are read" },	\
	{ .name = "skip_every", .type = ATTR_INT, .min = 2, .max = READER_MOST,		\
	  .doc = "n: skips rows 0, n, 2 n and so on" },		\
	{ .name = "keep_every", .type = ATTR_INT, .min = 1, .max = READER_MOST,		\
	  .doc = "n: uses only these rows, so that training and validation can share a file" }

extern const struct reader *const reader_table[];	/* ends with NULL */
extern const int reader_count;

const struct reader	*reader_find(const char *name);	/* NULL: there is none */
bool			 reader_has(const struct reader *, const char *attr);
/* By place in the table, NULL after the last: for lists in messages. */
const char	*reader_name(int);
const char	*reader_usage(int);

/* The source's value of an attribute; OTHERWISE where it is not given, or the reader has none. */
double		 reader_real(const struct data_source *, const char *attr, double otherwise);
int64_t		 reader_int(const struct data_source *, const char *attr, int64_t otherwise);
bool		 reader_flag(const struct data_source *, const char *attr);
/* How many numbers a list has; 0: it is not given. */
int		 reader_count_of(const struct data_source *, const char *attr);
/* Its I-th number: a list of one has the same for all. */
double		 reader_real_at(const struct data_source *, const char *attr, int i, double otherwise);

/* Of a reader with one file for all: where an input's numbers begin in a row, with all inputs
 * before all targets or the other way round. T NULL: how many numbers a row has. */
int64_t		 reader_field(const struct module *, const struct data_source *,
		    const struct tensor *);

/* Which of so many rows does it use? How many of them. */
bool		 reader_takes(const struct data_source *, int64_t row);
int64_t		 reader_samples(const struct data_source *, int64_t rows);

/* Does it read files, and not make its samples? False where there are no data. */
bool	reader_has_files(const struct data_source *);

/* The program's half, in kernels/. */
const char	*reader_host_file(struct arena *, const struct reader *);

#endif
