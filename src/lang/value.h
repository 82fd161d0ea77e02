/*
 * What an expression of the language means. A tensor's value exists only when the program runs; all
 * else is known while expanding. A *layer* is a call that lacks its tensor operands, or what is
 * built of such: it is kept unevaluated and expanded anew, with fresh weights, at each use. A
 * *shared* layer is what a label names: each later use has the same weights.
 */
#ifndef STOWAGE_LANG_VALUE_H
#define STOWAGE_LANG_VALUE_H

#include "ir/ir.h"
#include "syntax/ast.h"

struct scope;

enum value_kind {
	V_POISON,	/* its mistake was reported; uses of it report nothing */
	V_TENSOR, V_NUMBER, V_BOOL, V_STRING, V_TUPLE, V_LAYER,
	V_INIT,		/* normal(0.02): how a parameter starts */
	V_WORD		/* a bare word that an operator's attribute lists among its choices */
};

struct value {
	enum value_kind kind;
	struct loc loc;
	struct number num;
	bool size;		/* V_NUMBER: in bytes */
	bool flag;
	const char *text;
	struct tensor *tensor;
	struct scope *maker;	/* of the block that made it: v.f reads its definition f */
	struct value *item;	/* V_TUPLE */
	int n;
	struct layer *layer;
	struct init init;
};

struct actual {			/* an argument of a call, evaluated */
	const struct arg *arg;
	struct value value;
};

struct shared {			/* what a label names */
	struct expr *expr;	/* the layer under the label, in SCOPE; or the layer FIRST */
	struct scope *scope;
	struct layer *first;
	const char *path;
	struct loc loc;
	bool strip;		/* it was written as a call with its operands: leave those out */
	bool applying;		/* right now: its layer must not lead to itself */
	struct binding *unused;	/* it was named before its first use, which makes it; NULL: that was */
};

struct layer {
	struct expr *expr;
	struct scope *scope;	/* in which its names are looked up */
	struct actual *actual;	/* E_CALL: its arguments */
	int nactuals;
	struct layer *first;	/* E_PIPE: its first arm; E_LABEL: what is labelled */
	struct shared *shared;	/* a label used as a value: the other fields are unset */
	const struct expr *use;	/* of its name, where it was applied first; NULL: nowhere yet */
};

struct value	value_poison(struct loc);
struct value	value_tensor(struct tensor *, struct loc);	/* a poisoned tensor: poison */
struct value	value_number(struct number, struct loc);
struct value	value_bool(bool, struct loc);
struct value	value_layer(struct arena *, struct layer, struct loc);
bool		value_is_tensors(const struct value *);	/* a tensor, or a tuple of nothing else */

/* "the number 3", "a tensor [1, 28, 28]", "a layer": for messages */
const char	*value_text(struct arena *, const struct value *);

#endif
