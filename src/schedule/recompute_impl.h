/*
 * What the files of the search share: a search, its moves, the steps down.
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_IMPL_H
#define STOWAGE_SCHEDULE_RECOMPUTE_IMPL_H

#include "schedule/recompute.h"

#define TRAFFIC		0.25	/* multiply-adds that a byte read or written is worth */
#define STEP		40	/* a rung lies this part of the last below it */
#define MOST_EXCHANGED	4	/* inputs kept in exchange for what is made from them */

enum move_kind {
	TO_KEEP = KEEP, TO_AGAIN = AGAIN, TO_EACH = EACH,
	EXCHANGE,	/* for what it is made from: a concat for its operands */
	MOVE_KINDS
};

struct untouched {		/* what a move leaves as it is: events before `to` */
	int from, to;
	int64_t freed;		/* but that the value is there from `from` on, and so many bytes may not be */
	int shorter, end;	/* and what may be alive for less time behind, in search->shorter; 0: not known */
};

struct shorter {
	int beg, end;		/* events between which that may not be alive */
	int64_t bytes;
};
#define MOST_SHORTER	100000

struct move {
	int value;
	enum move_kind kind;
	double gain, score;	/* excess removed, and that for its cost: both estimated */
	struct untouched untouched;
};

struct change {
	int value;
	unsigned char old;
};

struct remake_cost {		/* as estimated */
	double macs, traffic;
	int nodes;
};

struct choice {			/* on the way down */
	unsigned char *state;	/* of the candidates */
	int64_t peak;
	double cost;
};

struct steps {			/* a step that recomputes, as what runs; recompute_steps.c */
	struct step_event *event;
	int n;
	int64_t peak;
	double cost;		/* HUGE_VAL: there is none */
};

struct struck {			/* a value that is made again, but might be kept */
	double cost, excess;	/* of making it; without that */
	int what, nth;		/* of the times that it is made again */
};

struct state_search {
	struct model *m;
	const struct search_limits *limits;
	int *candidate;
	int n;
	int64_t macs;		/* of what the spec itself asks to recompute */
	int64_t aim;
	double traffic;		/* what this descent takes a byte for */
	double excess, cost;	/* of the choice that stands */
	double *above;		/* by event: the excess before it, summed */
	int64_t highest;	/* the most above the aim at one event */
	int64_t *live;		/* by event, of nlive: what is alive in the trial of the choice that stands, */
	int nlive;
	int *copy;		/* and by value of the model: its first copy in it, or -1 */
	int *later;		/* by copy: the next of the same value, or -1 */
	int *born;		/* and the event that makes it */
	struct shorter *shorter;	/* what moves may shorten, of nshorter */
	int nshorter;
	int64_t *less;		/* by event: scratch */
	int *last;		/* by value of the model, of roots: the last node that uses it */
	struct move *move;
	int nmoves;
	int64_t most_effort;	/* events in all trials of a descent, after which it ends */
	int halved;		/* how often the shares of the work are, on this rung */
	struct tried_choices *tried;	/* NULL: without a budget, where one descent makes few twice */
	int trials;		/* of single moves, in this descent */
	int made;		/* moves so far */
	int *until;		/* by value and kind: shun the move until so many are made */
	struct change *change;	/* that the moves being tried made */
	int nchanges;
	int *seen, seeing;	/* by node, for estimates */
	struct choice before_detour;
	bool in_time;		/* are values made again, too, before nodes that do not need them yet? */
	struct gaps *gaps;	/* recompute_gaps.c */
};

/* ---- recompute_named.c ---- */

/* Settles the states that the spec's patterns ask for. */
void	recompute_settle(const struct module *, struct model *);

/* ---- recompute_moves.c ---- */

/* Of the last trial: its cost, whether it is feasible at all, and the excess above the aim. */
double	search_cost(const struct state_search *);
bool	search_allowed(const struct state_search *);
double	search_excess(const struct state_search *);

/* Sums the excess of the last trial; what BYTES less from event BEG to before END would remove of
 * it, about. */
void	search_sum_excess(struct state_search *);
double	search_relief(const struct state_search *, int64_t bytes, int beg, int end);

/* What it takes to make a value again, with all that is not there either. */
struct remake_cost	search_remake_cost(struct state_search *, int value);

/* Fills search->move with moves that may lower the excess, in the order of their tensors. */
void	moves_propose(struct state_search *);

/* Changes states as the move says; search->change remembers how they were. */
void	move_make(struct state_search *, const struct move *);
void	moves_take_back(struct state_search *);

/* May the search go on? */
static inline bool
search_may(const struct state_search *s)
{
	return s->m->work < s->limits->most_work;
}

/* That part of the work that a search may do. */
static inline int64_t
search_share(const struct state_search *s, int part)
{
	return s->limits->work / (s->limits->asked ? RECOMPUTE_SHARED : 1) / part >> s->halved;
}

/* A rung of the way down lies a little below the last. */
static inline int64_t
search_next_rung(int64_t peak)
{
	return peak - peak / STEP - 1;
}

/* ---- recompute_vain.c ---- */

/* Notes the last trial, which is of the choice that stands; what keeping V, which is made again in
 * it, leaves as it is; and whether a move can remove no excess: false where that is not told. */
void			vain_note(struct state_search *);
struct untouched	vain_untouched(struct state_search *, int v);
bool			vain_is(const struct state_search *, const struct move *);

/* ---- recompute_tried.c ---- */

struct tried_choices	*tried_new(struct arena *);
/* A state has changed; or many have. */
void	tried_change(struct state_search *, int value, int from, int to);
void	tried_anew(struct state_search *);
/* Is the choice that stands one that may be? If so, its excess and cost. The model's trial is of
 * it, or of any other choice. */
bool	tried_look_up(struct state_search *, double *excess, double *cost);

/* ---- recompute_steps.c ---- */

struct steps	steps_new(struct model *);	/* room for any step */
void	steps_copy(struct steps *, const struct steps *);
void	steps_of_trial(const struct model *, struct steps *);
/* Of what a trial made again: multiply-adds, and what reading and writing is worth. */
double	recompute_cost(const struct trial *);
/* The model's trial is of that step, which the trial alone decides whether it may be. */
bool	steps_try(struct model *, struct steps *);
/* Does it fit the budget, as the passes that follow see it? The model's trial is of it. */
bool	steps_fit(struct state_search *, struct steps *);
/* FROM without one event, or -1, and without all that is then made again for nobody. False where
 * what is alive is above an aim by more than so much, surely, summed over events: then it is not
 * all. FROM may be the list that is written. */
struct steps_limit {
	int64_t aim;
	double excess;
};
#define STEPS_NO_LIMIT	(struct steps_limit){ INT64_MAX, 0 }
bool	steps_prune(struct model *, struct steps *, const struct steps *from, int without, struct steps_limit);
/* Keeps what can be kept while the peak is from LEAST to MOST. The model's trial is of any step. */
void	steps_strike_out(struct state_search *, struct steps *, int64_t least, int64_t most);
/* The same of N values, from the BEGth on of those that are made again, the dearest first; returns
 * how many these are. */
int	steps_strike_out_part(struct state_search *, struct steps *, int64_t most, int beg, int n);
/* The values that are made again, the dearest first; those without which the excess is least; both
 * at MOST so many; and the list without one: false if it can't be, or there is none. */
int	steps_list(struct state_search *, const struct steps *, struct struck *, int most);
int	steps_rank(struct state_search *, struct steps *, struct struck *, int most);
bool	steps_strike(struct state_search *, const struct steps *, const struct struck *, struct steps *to);

/* ---- recompute_parts.c ---- */

/* With checkpoints at N regular distances; the model's trial is of it. */
bool	steps_in_parts(struct state_search *, int n, struct steps *);

/* ---- recompute_climb.c ---- */

/* To a peak, or about as low as can be, with so many events in all trials, about: with prices as
 * they are, or those that stood last. False where there is none. The model's trial is of any
 * step. */
struct climbing	*climb_new(struct state_search *);
bool		climb_anew(struct climbing *, int64_t aim, int64_t work, struct steps *);
bool		climb_on(struct climbing *, int64_t aim, int64_t work, struct steps *);
/* By a single pass to the budget, or to somewhat less, as an arena may be larger than the peak, but
 * not below LEAST: what fits, if something does. It is made however much was searched: in a step of
 * many thousands of nodes a search ends before it has come to the budget. */
bool		climb_to_budget(struct climbing *, int64_t least, struct steps *);
/* Something fits, and the search was perhaps over early: by such a pass, where that costs less. The
 * model's trial is of what fits before, and after. The lists are written. */
void		climb_to_cheaper(struct climbing *, struct steps *, struct steps *);

/* ---- recompute_gaps.c ---- */

/* On from a step until nothing is above the aim; false when that cannot be. */
bool	steps_descend(struct state_search *, struct steps *, int64_t aim);
/* The same for less than that cost, where estimates see a way. */
bool	steps_descend_below(struct state_search *, struct steps *, int64_t aim, double most);
/* Keeps what is made again, and makes other values again for it, where that costs less; so many
 * events in all trials, about. HOPEFUL: only where that seems enough by estimates, which spares
 * most trials, and misses some ways. */
bool	steps_improve(struct state_search *, struct steps *, int64_t aim, int64_t work, bool hopeful);

/* ---- recompute_descent.c ---- */

struct choice	choice_new(struct state_search *);
void	choice_save(const struct state_search *, struct choice *);
void	choice_take(struct state_search *, const struct choice *);

/* Takes stock of the last trial, which was of the choice that stands. */
void	search_settle(struct state_search *);
/* On from the choice that stands until nothing is above the aim, or the peak is low ENOUGH; false
 * when neither can be, or takes too many trials. */
bool	search_descend(struct state_search *, int64_t enough);
/* Keeps what can be kept where that lowers the cost and nothing gets above the aim. */
void	search_restore(struct state_search *);

/* ---- recompute_exact.c ---- */

/* To the budget, the cheapest way of all, if it costs MOST or less. False where there is none, or
 * it takes too long to tell; then everything is kept as before. */
bool	search_exact(struct state_search *, double most);

/* ---- recompute_ladder.c ---- */

/* To the budget, as recompute_search(). */
bool	search_ladder(struct state_search *);

/* ---- recompute_known.c ---- */

struct known_descent {		/* that began anew, to a rung */
	const struct known_descent *next;
	int rung;
	bool there;
	struct steps made, lowest;	/* what it came to; the lowest of that search so far */
	int64_t work;		/* that this took, of events, */
	int64_t share;		/* and what its parts are shares of */
};

/* Searched with the same shares of work in this order of the step, or NULL. */
const struct known_descent	*known_descent(const struct state_search *, int rung);
void				known_descent_keep(struct state_search *, const struct known_descent *);

/* ---- recompute_refine.c ---- */

/* On from a step that fits: the same with less that is made again. False where nothing is found;
 * the model's trial is of any step. */
bool	search_refine(struct state_search *, struct steps *);

#endif
