/* How a spec writes an operator, and what its arguments are: for manual pages and `explain`. */
#ifndef STOWAGE_OPS_USAGE_H
#define STOWAGE_OPS_USAGE_H

#include "base/text.h"
#include "ir/op.h"

void	op_usage(struct text *, const struct op *);		/* "x -> conv(filters, kernel)" */
void	op_attr_usage(struct text *, const struct attr_spec *);	/* "meaning (type; default 1)." */

#endif
