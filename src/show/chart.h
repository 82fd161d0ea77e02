/*
 * What the pictures of a plan (plan_text.c, plan_svg.c, plan_html.c) have in common: the parts of
 * the step, the kinds' colours, round steps of an axis, and how one buffer came to be shared.
 * Everything is allocated from the module's arena.
 */
#ifndef STOWAGE_SHOW_CHART_H
#define STOWAGE_SHOW_CHART_H

#include "show/show.h"

struct plan_summary;

#define CHART_REGIONS	(MOST_TURNS + 3)

struct chart_region {		/* a part of the step, as people name it */
	const char *name;	/* "forward", "backward", "update", "update 2" of several, "validate", "inference" */
	int first, last;	/* instants, inclusive */
};

/* The parts of the plan's time, in order; returns how many, at most CHART_REGIONS. */
int	chart_regions(const struct plan *, const struct module *,
	    struct chart_region region[CHART_REGIONS]);

/* The kinds in the order of legends; ends with T_POISON. */
extern const enum tensor_kind chart_kinds[];

const char	*chart_colour(enum tensor_kind);	/* "#009e73" */
bool		 chart_dark(enum tensor_kind);	/* is text on that colour white? */

/* A round step, a power of two, that divides TOP bytes into at most MOST parts. */
int64_t	chart_step(int64_t top, int most);

/* The forward node that the making of this buffer repeats, or NULL. */
const struct node	*chart_recomputed(const struct buffer *);

/* How tensor T came by its bytes: "view", "in place", "update"; NULL when they are its own. */
const char	*chart_sharing(const struct node *, int out);

/* "f32[B, 6, 28, 28]" */
const char	*chart_shape(struct arena *, const struct tensor *);

/* About how many pixels wide S is in a sans-serif font: pages differ in the fonts they have. */
int	chart_width(const char *s, int font);

/* Prints S as the text of XML or HTML, whatever bytes it holds. */
void	chart_escape(FILE *, const char *s);

/* Bytes under a name in a list of the text; the line is left open. */
void	plan_size_row(FILE *, const struct plan_style *, const char *name, int64_t bytes);
/* plan_stages.c: the ranks of a module of stages. */
void	plan_stages(FILE *, const struct module *, const struct plan_style *);
/* plan_ranks.c: what goes over the wire between ranks, and how long that takes at least; nothing
 * for one. */
void	plan_between_ranks(FILE *, const struct module *, const struct plan_summary *, const struct plan_style *);
/* What ranks that do not fit might share out, and what each holds of it then; nothing where they
 * fit. */
void	plan_sharding(FILE *, const struct module *, const struct plan_style *);
/* plan_feeding.c: what a program for a GPU does beside its plan for small steps; nothing on
 * others. */
void	plan_feeding(FILE *, const struct module *, const struct plan_style *);
/* plan_curve.c: live bytes over the step, in the characters of a terminal. */
void	plan_curve(FILE *, const struct module *, const struct plan_style *);

#endif
