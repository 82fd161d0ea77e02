/*
 * What the steps of recurrent layers (recurrent.c) and the layers around them (recurrent_layers.c)
 * share: the cells that there are.
 */
#ifndef STOWAGE_OPS_RECURRENT_H
#define STOWAGE_OPS_RECURRENT_H

#include "ir/op.h"

#define RECURRENT_CELLS	"rnn_tanh rnn_relu gru lstm"	/* as enum recurrent_cell has them */

struct cell {
	const char *constant;	/* as kernels/recurrent/cell.cu calls it */
	int gates;		/* sums of the inputs, and as many of the state */
	const char *keeps;	/* what backward reads beside the gates, a state for each step; NULL: it reads
				 * the states alone, which are the gates */
	bool carries;		/* beside the state there is one that no sum reads: KEEPS is what it was */
	bool apart;		/* the last gate's sum of the state has a gradient of its own */
};

const struct cell	*recurrent_cell(int64_t i);

/* Operands and results of the steps; what there is not is NULL. */
enum { RECURRENT_X, RECURRENT_H0, RECURRENT_C0, RECURRENT_LENGTHS, RECURRENT_OPERANDS };
enum { RECURRENT_GATES, RECURRENT_Y, RECURRENT_KEPT, RECURRENT_LAST, RECURRENT_CARRIED };

/* Of lstm, gru or rnn. */
enum recurrent_cell	recurrent_kind(const struct node *layer);

extern const struct op op_recurrent;

/* recurrent_torch.c: op->torch of these: PyTorch runs such a layer, not its parts. */
bool	recurrent_whole(const struct node *layer);
void	recurrent_torch(struct tape *, const struct node *layer);

/* The states of all steps; a poisoned tensor where there are none. */
struct tensor	*recurrent_states(const struct node *);

#endif
