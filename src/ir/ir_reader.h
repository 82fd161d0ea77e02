/*
 * What ir_parse.c and ir_parse_attrs.c read the IR's text by: its words and numbers, each after
 * blanks. The first that is not what was expected ends it: it is reported, and nothing after it.
 */
#ifndef STOWAGE_IR_IR_READER_H
#define STOWAGE_IR_IR_READER_H

#include "ir/ir.h"

struct ir_reader {
	struct arena *a;
	struct module *m;
	struct graph *g;
	const char *s, *start;
	VEC(struct tensor *) tensor;	/* by the number in the text */
	bool failed;
};

struct loc	 ir_read_here(const struct ir_reader *);
/* Reports what was expected here, once; false. */
bool		 ir_read_fail(struct ir_reader *, const char *expected);
void		 ir_read_blanks(struct ir_reader *);
/* Takes the text if it is there, a word only as a whole. */
bool		 ir_read_accept(struct ir_reader *, const char *text);
bool		 ir_read_expect(struct ir_reader *, const char *text);
const char	*ir_read_word(struct ir_reader *);
const char	*ir_read_string(struct ir_reader *);	/* "in quotes" */
int64_t		 ir_read_integer(struct ir_reader *);
double		 ir_read_number(struct ir_reader *);
/* A word of N names, as its index; WHAT they are. 0 where it is none. */
int		 ir_read_one_of(struct ir_reader *, const char *what, const char *const *names, int n);

/* ---- ir_parse_attrs.c ---- */

struct init	 ir_read_init(struct ir_reader *);
/* All attributes of an operator, "{...}". */
struct attr	*ir_read_attrs(struct ir_reader *, const struct op *);

#endif
