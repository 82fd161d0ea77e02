/*
 * Saying steps as text. Between steps where one value alone is still to be read the network is cut
 * into *segments*; segments that differ in numbers alone are a *block*, whose parameters are these
 * numbers.
 */
#ifndef STOWAGE_IMPORT_WRITER_H
#define STOWAGE_IMPORT_WRITER_H

#include "import/importer.h"

struct segment {
	int first, n;		/* steps */
	struct val *in, *out;
	bool closed;		/* it reads nothing but IN, and makes nothing but OUT */
	const char *shape;	/* its text with holes for numbers */
	struct kind *kind;	/* the block that it is one of; NULL: none */
	const char *prefix;	/* where the source has all its layers: "layer1.0"; "" */
	const char *group;	/* the first word of that; "" */
};

struct hole {			/* a number that is not the same in all segments of a kind */
	int step;		/* among those of the segment */
	int attr;
	const char *text;	/* in the block: "width", "4 * width", "channels(in)" */
	bool own;		/* it is a parameter, of that name */
	const char *preset;	/* NULL: it has none */
};

struct kind {
	const char *name;
	const char *shape;
	VEC(struct segment *) all;
	VEC(struct hole) holes;
	const char **label;	/* of each step; NULL: none */
};

struct writer {
	struct importer *im;
	VEC(struct segment *) segments;
	VEC(struct kind *) kinds;
	VEC(struct step *) order;	/* in which the spec makes them */
	struct map words;	/* taken in the network */
};

/* Finds segments and kinds. */
void	segments_find(struct writer *);

/* How a body is said. */
struct body {
	struct writer *w;
	const struct segment *s;
	enum { NUMBERS_SAID, NUMBERS_LEFT_OUT, NUMBERS_OF_KIND } numbers;
	const struct kind *kind;	/* NUMBERS_OF_KIND */
	bool network;		/* statements of the network, not of a block */
	const char *const *label;	/* of each step; NULL: none has one */
	struct map *words;	/* taken where it stands */
	const char *indent;
	VEC(struct step *) order;
	VEC(struct val *) named;	/* whose word is to be forgotten */
};

/* Appends the statements of a segment; the last defines OUT. */
void	body_write(struct body *, struct text *, const char *out);
/* "conv(64, 3)": a step without what it reads. */
const char	*step_text(struct body *, const struct step *);
const char	*attr_as_text(struct arena *, const struct attr_spec *, const struct attr *);

/* A name that the language lets one give, made of S, and not among WORDS, to which it is added. */
const char	*word_fresh(struct arena *, struct map *words, const char *s);
bool		 word_is_free(const char *);	/* no keyword, operator or function */
/* The label of a step below that place of the source; NULL: it has none. */
const char	*step_label(struct arena *, const struct step *, const char *prefix);

void	kinds_number(struct writer *);	/* what their holes are; names and labels */

#endif
