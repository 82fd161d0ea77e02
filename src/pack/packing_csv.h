/*
 * Packing instances as text, in the exchange format of google/minimalloc: comma-separated, a header
 * that names the columns in any order, a buffer a line, half-open lifetimes [lower, upper).
 *
 *     id,lower,upper,size            id,lower,upper,size,offset
 *     b1,0,3,4              -->      b1,0,3,4,8
 *     b2,3,9,4                       b2,3,9,4,8
 *
 * An optional column `alignment` has what each offset must be a multiple of. A column `offset` in
 * the input is ignored and replaced; other columns are copied.
 */
#ifndef STOWAGE_PACK_PACKING_CSV_H
#define STOWAGE_PACK_PACKING_CSV_H

#include "base/diag.h"
#include "base/text.h"
#include "pack/packing.h"

struct packing_csv {
	struct packing packing;		/* an item a row */
	struct loc header;
	struct loc *row;		/* of each item, without the end of its line */
	int columns;
	int offset_column;		/* -1: none */
};

/* Reads all rows and reports all mistakes (rule "data"); false when there was one. What it returns
 * refers to the source. */
bool	packing_csv_read(struct arena *, struct diags *, const struct source *,
	    struct packing_csv *);
/* The rows as they came, with the offsets. */
void	packing_csv_write(struct text *, const struct packing_csv *);

#endif
