/*
 * Inside the expander (expand.c and its neighbours); the public side is expand.h.
 *
 *     import.c   files, their names, -D          check.c   names, before anything is expanded
 *     scope.c    names while expanding           eval.c    expressions as values
 *     apply.c    expressions as layers           call.c    arguments to attributes
 *     operator.c one operator into the graph     arith.c   + - * on numbers and tensors
 *     block.c    blocks and networks             types.c   inputs and targets
 *     builtin.c  functions of numbers            patterns.c  patterns of dotted paths
 *     body.c     layers that an operator runs many times
 *     suggest.c  what a name may have been meant for
 *     elsewhere.c  what names mean elsewhere
 *     settings.c, setting_values.c, optimizer.c, groups.c, turns.c, predict.c, data.c, device_setting.c: the sections
 */
#ifndef STOWAGE_LANG_EXPANDER_H
#define STOWAGE_LANG_EXPANDER_H

#include "ir/dotted_path.h"
#include "lang/expand.h"
#include "base/map.h"
#include "lang/value.h"
#include "ir/op.h"

#define DEEPEST_BLOCKS	64	/* of blocks within blocks */
#define DEEPEST_EXPR	400	/* of expressions within expressions; a pipe is one, however long */
#define DEEPEST_CALLS	1200	/* of our own functions, all recursion together */
/* Expressions evaluated for one network: so many, and more for each byte of the file and each
 * operator made. A block that goes on without making anything is stopped soon. */
#define MOST_STEPS	100000
#define STEPS_PER_NODE	30

/* ---- files ---- */

struct unit {			/* a file and the names it can see */
	struct file *file;
	struct map names;	/* to struct global_name: its own and those of its imports */
	bool bad_syntax;	/* errors of syntax were reported in it: a name may be missing */
	bool names_missing;	/* what it uses could not be read, or has such errors: any may be of that */
	bool loading;		/* its imports are being read: who imports it closes a circle */
};

struct global_name {
	const char *name;
	struct loc loc;
	struct unit *home;
	struct block *block;	/* or: */
	struct expr *expr;	/* of a param */
	struct unit *expr_home;	/* where expr is evaluated: home, or the file of -D */
	struct value value;	/* once evaluated */
	enum { PARAM_NEW, PARAM_BUSY, PARAM_DONE } state;
};

/* ---- names while expanding ---- */

enum binding_kind { BIND_INPUT, BIND_FORMAL, BIND_DEF, BIND_LABEL };

struct binding {
	enum binding_kind kind;
	struct loc loc;
	struct value value;	/* BIND_LABEL: a V_LAYER with its shared, and the last maker */
	struct layer *labelled;	/* BIND_DEF: a label in its own right side is called the same; else NULL */
};

struct scope {			/* of a body; or of a copy or labelled group inside one */
	struct scope *outer;	/* of the group's body; NULL: a body sees its file and operators */
	struct unit *unit;
	struct map names;	/* to struct binding */
	const struct value *index;	/* in a copy: which one */
	const struct expr **index_read;	/* where only that is tried: set to the first place that reads it */
};

/* Where paths are being made. */
enum exactness {
	EXACT_NONE,	/* what comes adds its segment to path */
	EXACT_BLOCK,	/* a copy: a block takes the path for itself, an operator adds to it */
	EXACT_ALL	/* a label: so does an operator */
};

struct where {
	const char *scope;	/* labels sit directly in this */
	const char *path;
	enum exactness exact;
	int next;		/* number of the next unlabelled block or copy */
	struct loc loc;		/* EXACT_ALL: of the label, for messages about what it names */
};

struct owner {			/* of the parameters at a path */
	const struct op *op;
	struct tensor **param;
	int nparams;
	struct loc loc;
};

struct frame {			/* a block being expanded */
	const struct frame *up;
	const char *block;
	struct loc loc;		/* of its use */
};

struct cast {			/* made once for each u8 input */
	const struct tensor *from;
	struct tensor *to;
};

struct operands {
	const struct value *v;
	int n;
};

struct expander {
	struct arena *a;
	struct arena *passing;	/* scopes, values: of no use once the networks are made; opt->forget: freed then, else A */
	struct diags *d;
	const struct lang_options *opt;
	struct spec *spec;
	struct unit *root;
	VEC(struct unit *) units;
	struct map file_keys;	/* a path as written to the one spelling of its file */
	struct map loaded;	/* that spelling to struct unit */
	struct map stand_ins;	/* a path to the struct source that stands for its file */
	int sought;		/* names looked at for suggestions */
	struct map library;	/* a name to the struct block of std/, once one was sought there */
	struct module *m;	/* being expanded; NULL while the file is looked at */
	struct scope *body;	/* its names */
	struct build b;
	struct map owners;	/* path to struct owner */
	struct map results;	/* name of a loss or metric to int, the last number it was given */
	VEC(struct cast) casts;
	const struct frame *frame;
	int nframes, depth, steps, sharing;
	bool sizes_known;	/* batch, accumulate and ranks are as the network says, and not what stands for them after an error */
	bool incomplete;	/* the network has errors of its own: parts of it were not made */
	bool stopped;		/* a bound was met: everything from here on is poison */
	int made;		/* nodes of the networks before */
	bool full;		/* they had no room, which was reported */
};

/* ---- reporting ---- */

/* An error at LOC; inside a block, with remarks saying where the block is used. */
struct diag	*ex_error(struct expander *, const char *rule, struct loc, const char *fmt, ...)
		    __attribute__((format(printf, 4, 5)));
/* The same of one that shape() reported of a layer, whose place that is in the text. */
void		 ex_frames(struct expander *, struct diag *, struct loc);
/* Where a layer is, as users see it: a block that came with Stowage is one thing, at the place of
 * its use. */
struct loc	 ex_place(struct expander *, struct loc);
/* How many operators the networks of the file may have together. */
int		 ex_most_operators(const struct expander *);
/* Counts one level of recursion and one step; false (and an error) when a bound is met. Undone by
 * ex_leave() in either case. */
bool		 ex_enter(struct expander *, struct loc);
void		 ex_leave(struct expander *);
const char	*ex_text(struct expander *, struct loc);	/* the source there, shortened */

/* ---- import.c ---- */

struct unit		*unit_load(struct expander *, const struct source *);
struct global_name	*unit_find(const struct unit *, const char *name);
struct value		 global_value(struct expander *, struct global_name *);

/* ---- check.c ---- */

void	check_unit(struct expander *, struct unit *);
void	check_expr(struct expander *, struct unit *, struct expr *);	/* of a setting */

/* ---- scope.c ---- */

struct binding	*scope_find(const struct scope *, const char *name);
const struct scope	*scope_with_index(const struct scope *);	/* of the nearest copy; NULL: there is none */
struct diag		*scope_no_index(struct expander *, struct loc);	/* reports that */
/* Binds a name; the checker has reported doubles, so the first binding stays. */
struct binding	*scope_bind(struct expander *, struct scope *, const struct name *,
		    enum binding_kind, struct value);
struct scope	*scope_inside(struct expander *, struct scope *outer);
struct scope	*scope_of_unit(struct expander *, struct unit *);

enum callee_kind { CALLEE_NONE, CALLEE_LAYER, CALLEE_BLOCK, CALLEE_FUNCTION, CALLEE_OP };

struct callee {
	enum callee_kind kind;
	struct layer *layer;
	struct global_name *block;
	const struct op *op;	/* CALLEE_FUNCTION: the operator of its name, or NULL */
};

/* A name in layer position: local layer, label, block, function (calls only), operator. */
struct callee	callee_find(struct expander *, struct scope *, const char *name, bool call);
bool		op_visible(const struct op *);	/* may a spec's network name it? */
bool		is_init_word(const char *name);
bool		is_plain_init(const char *name);	/* one without a number */

/* ---- suggest.c ---- */

/* May N names be gathered to suggest from? Not for ever: of a long list for a great many mistakes
 * each would be a walk through it. */
bool	names_wanted(struct expander *, int n);

/* A list of names to suggest from. */
struct names {
	const char **v;
	int n, cap;
};

void	names_add(struct arena *, struct names *, const char *);
void	names_add_map(struct arena *, struct names *, const struct map *);
void	names_add_ops(struct arena *, struct names *, enum op_kind first, enum op_kind last);
/* Are they one name, in any case of letters, with underscores or without? */
bool		 name_same(const char *, const char *);
/* Is it a name that means something in other frameworks? *OURS is that of the same thing here, of
 * an operator or a block of std/; NULL: it is not to be had. */
bool		 name_elsewhere(const char *name, const char **ours);
/* How what others call so is written of operators there are; or NULL. */
const char	*name_written(const char *name);
/* An argument of such a name, which no operator has here: the one that HAS has for it; or NULL, and
 * HERE says what is written in its place, or is NULL. */
const char	*argument_elsewhere(const char *name, const struct names *has, const char **here);
/* Is a layer of PyTorch or Keras called so? */
bool		 call_is_elsewhere(const struct expr *);
/* Says what such a call is here, with a fix where all of it can be said; false: it is no call of
 * theirs. */
bool		 call_elsewhere(struct expander *, struct diag *, const struct expr *);
const char	*names_near(const char *name, const struct names *);	/* or NULL */
/* "did you mean 'x'?" when one is near, with a fix where its letters leave no other; returns
 * whether one is */
bool	names_suggest(struct expander *, struct diag *, const char *name, const struct names *);

/* ---- eval.c ---- */

struct value	eval(struct expander *, struct scope *, struct where *, struct expr *);
struct value	eval_constant(struct expander *, struct unit *, struct expr *);
bool		eval_if(struct expander *, struct scope *, struct where *, struct expr *,
		    struct expr **branch);
/* 3KiB is neither a count nor a share: an error that names WHAT. */
bool		want_plain(struct expander *, const struct value *, const char *what);
/* A whole number in [min, max], or an error that names WHAT. */
bool		want_int(struct expander *, const struct value *, const char *what, int64_t min,
		    int64_t max, int64_t *out);
/* The same of bytes, which have a unit unless they are 0. */
bool		want_bytes(struct expander *, const struct value *, const char *what, int64_t min,
		    int64_t max, int64_t *out);

/* ---- builtin.c, arith.c ---- */

struct value	eval_function(struct expander *, struct scope *, struct where *, struct expr *);
/* exp(2), max(3): a call of an operator that is also a function of one number; false: it is
 * none. */
bool		eval_of_number(struct expander *, const struct op *, const struct expr *,
		    const struct actual *, int n, struct value *out);
/* max and min, which of two operands are other operators than of one. */
struct value	apply_extreme(struct expander *, struct where *, const struct op *, struct expr *,
		    const struct actual *, int n, struct operands);
/* Is this call of such a word how a parameter starts? Else it is the operator of that name. */
bool		is_init_call(const struct expr *, const struct actual *);
struct value	eval_init(struct expander *, struct scope *, struct where *, struct expr *);
struct value	eval_binary(struct expander *, struct scope *, struct where *, struct expr *);
struct value	eval_unary(struct expander *, struct scope *, struct where *, struct expr *);
struct value	eval_index(struct expander *, struct scope *, struct where *, struct expr *);	/* index.c */

/* ---- apply.c ---- */

/* The arms of a pipe, first to last. */
struct expr	**pipe_arms(struct arena *, struct expr *, int *n);
struct value	apply(struct expander *, struct scope *, struct where *, struct expr *,
		    struct operands);
struct value	apply_arms(struct expander *, struct scope *, struct where *, struct expr **arm,
		    int narms, struct value first);
struct value	apply_layer(struct expander *, struct where *, const struct layer *,
		    struct operands);
/* A call whose arguments are known. */
struct value	apply_call(struct expander *, struct scope *, struct where *, struct expr *,
		    struct callee, const struct actual *, int n, struct operands);
/* A definition that is a layer with a label, `encoder = enc: conv(8, 3)`: what names the instance
 * before it is used. */
struct value	declare_label(struct expander *, struct scope *, const struct where *, const struct value *);

/* Where the parts of a group go: what a label or copy is given to, made the path of its parts. */
struct where	*where_inside(struct where *, struct where *storage);
/* The path of what is called NAME here, the COUNT-th of its definition. */
const char	*where_segment(struct expander *, const struct where *, const char *name,
		    int count);
struct loc	 where_loc(const struct where *, struct loc otherwise);

/* ---- operands.c ---- */

/* The place of the operand of that name among an operator's; -1: it has none. */
int		 operand_find(const struct op *, const char *name);
/* How many tensors the arguments lead with (a tuple of tensors counts its items), of NARGS of them.
 * After PIPED others, one may have the name of an operator's operand or a block's input, if that is
 * the next: attend(q, k=a, v=b). */
int		 leading_operands(const struct callee *, int piped, const struct actual *, int n, int *nargs);

/* The same arguments in an order in which tensors come first, where a number stands for an operand
 * before others: where(mask, 0, x) is where(mask, x, yes=0). */
const struct actual	*tensors_first(struct expander *, const struct op *, int piped, const struct actual *, int n);

bool		 any_poison(const struct actual *, int n);
/* OPS, then the first TAKE leading operands among the arguments. */
struct operands	 join_operands(struct expander *, const struct callee *, struct operands ops, const struct actual *,
		    int n, int take);

/* ---- call.c ---- */

#define MAX_TIES	32	/* parameters for which tensors stand */

struct actual	*eval_actuals(struct expander *, struct scope *, struct where *, struct expr *,
		    const struct op *);

struct binding_result {
	struct attr attr[MAX_ATTRS];
	struct tie tie[MAX_TIES];
	int nties;
	struct layer *body;	/* of an operator that runs one many times */
};

/* Fills attributes from arguments FROM on, where so many operands are there; false (and errors)
 * when one is wrong or missing. */
bool	bind_attrs(struct expander *, const struct op *, struct loc, const struct actual *, int n,
	    int from, int noperands, struct binding_result *);

/* ---- operator.c ---- */

struct value	apply_operator(struct expander *, struct where *, const struct op *, struct expr *,
		    const struct actual *, int n, struct operands);
/* An operator with attributes set in code: add, scale, cast. */
struct value	apply_plain(struct expander *, struct where *, const char *op, struct expr *,
		    struct operands, const double *real, int nreals);
/* The same with whole attributes, in the order of the operator's. */
struct value	apply_with(struct expander *, struct where *, const struct op *, struct expr *,
		    struct operands, struct binding_result *);

/* ---- body.c ---- */

/* What the layer in R makes of such operands, as a body of the operator; what it reads beside them
 * is added to them. False after an error. */
bool		make_body(struct expander *, const struct op *, const char *path, struct loc,
		    struct binding_result *r, int *noperands, struct tensor ***operand);

/* ---- block.c ---- */

struct value	apply_block(struct expander *, struct where *, struct global_name *, struct expr *,
		    const struct actual *, int n, struct operands);
int		 block_inputs(const struct block *);	/* how many tensors it takes */
struct module	*expand_network(struct expander *, struct network *);

/* ---- types.c ---- */

struct tensor	*input_tensor(struct expander *, enum tensor_kind, const struct name *,
		    const struct type *);

/* ---- settings.c, setting_values.c, optimizer.c, groups.c, turns.c, places.c, patterns.c, data.c, device_setting.c ---- */

/* Before the network is expanded: everything but paths and data. */
void	settings_read(struct expander *, const struct network *, struct settings *);
/* After: patterns against the paths there are, data against inputs and targets. */
void	settings_bind(struct expander *, const struct network *, struct settings *,
	    struct tensor *const *staged, int nstaged);
void	sections_check(struct expander *);	/* names, doubles: once per file */

struct value	setting_value(struct expander *, const struct expr *);
void	data_read(struct expander *, const struct setting *, struct data_source *,
	    struct tensor *const *staged, int nstaged);
void	optimizer_default(struct expander *, struct settings *);
void	optimizer_read(struct expander *, const struct setting *, struct settings *);
/* An optimizer and its attributes as an expression says them; false after an error. */
bool	optimizer_expr(struct expander *, const struct expr *, struct settings *, const struct op **,
	    struct attr **);
void	schedule_read(struct expander *, const struct setting *, struct settings *);
void	groups_read(struct expander *, const struct setting *, struct settings *);
void	group_pattern_read(struct expander *, const struct expr *, struct settings *);
void	turns_read(struct expander *, const struct setting *, struct settings *);
void	turn_pattern_read(struct expander *, const struct expr *, struct settings *);
void	turns_assign(struct expander *, const struct settings *);	/* which parameter is whose */
void	turns_check(struct expander *, const struct settings *);	/* once it is known what is frozen */
void	groups_check(struct expander *, const struct settings *);
void	places_read(struct expander *, const struct section *, struct settings *);	/* once all else of training is known */
void	place_pattern_read(struct expander *, const struct expr *, struct settings *);
void	places_match(struct expander *, const struct settings *);
void	no_decay_read(struct expander *, const struct expr *, struct settings *);
void	no_decay_check(struct expander *, const struct settings *);
void	freeze_read(struct expander *, const struct setting *, struct settings *);
void	recompute_read(struct expander *, const struct setting *, struct settings *);
void	predict_read(struct expander *, const struct setting *);
void	device_read(struct expander *, struct settings *);
void	device_name(struct expander *, const struct setting *, struct device *);
void	device_memory(struct expander *, const struct setting *, struct device *);
void	device_arch(struct expander *, const struct setting *, struct device *);
void	device_section(struct expander *, const struct section *, struct device *);

/* ---- names, before anything is expanded: check.c (bodies) and check_expr.c (expressions) ---- */

struct tally {			/* uses of a name so far in this definition */
	const char *name;
	int uses;
};

struct checker {
	struct expander *ex;
	struct unit *unit;
	struct arena *names;	/* where `known` and `later` lie: as long as the body is checked */
	struct map known;	/* names of the body defined so far, to their struct name */
	struct map later;	/* all names its statements define, and labels in them */
	VEC(struct tally) tally;
	bool in_block;		/* else a network, or a param */
	bool has_bad;		/* a statement could not be parsed: it may have defined a name */
	int repeats, depth;
};

enum position { POS_VALUE, POS_FIRST, POS_LAYER };	/* POS_FIRST: first arm of a pipe */

/* Looks at an expression, and makes what is wrong in it E_BAD. */
void	check_walk(struct checker *, struct expr *, enum position);
/* Makes a name known from here on. */
void	check_define(struct checker *, const struct name *);

#endif
