/*
 * The parts of the program's text, in the order in which program.c puts them together. Private to
 * this folder.
 */
#ifndef STOWAGE_EMIT_PROGRAM_H
#define STOWAGE_EMIT_PROGRAM_H

#include "calls/emitter.h"
#include "emit/emit.h"
#include "emit/kernels.h"
#include "plan/plan.h"

/* constants.c */
void	emit_constants(struct emitter *, const char *program);

/* tables.c: buffers, persistent tensors, results, schedule */
void	emit_tables(struct emitter *);
/* inference.c: the tables of a program that only infers; what others call, in its text and as a
 * header */
void	emit_inference(struct emitter *, const char *program, struct text *header);
/* tables that it has too */
void	emit_buffers(struct emitter *);
void	emit_persistent(struct emitter *);
void	emit_prediction_table(struct emitter *);
/* pieces of a table's row */
const char	*emit_decimal(struct emitter *, double);
const char	*emit_truth(bool);
void	emit_dims(struct emitter *, const struct tensor *);	/* "{6, 1, 5, 5}" */
int	emit_buffer_number(const struct emitter *, const struct tensor *);	/* -1: it has none */
int64_t	emit_numbers_of(const struct emitter *, const struct tensor *);	/* of a result of a whole batch */
/* Is it in checkpoints? */
bool	emit_is_saved(const struct emitter *, const struct tensor *);
/* All that are, of all stages where there are some. */
struct saved {
	const struct tensor *tensor;
	bool here;		/* this program's arena has it; else another stage's has */
	int stage;
};
int	emit_saved_list(const struct emitter *, struct saved **);
int	emit_saved_count(const struct emitter *);
/* Does it lie otherwise than its dims say? Then: how many channels lie side by side at each of how
 * many taps, or places of an image. */
bool	emit_lies_last(const struct tensor *, int64_t *channels, int64_t *places);

/* data_tables.c: where samples come from, and the inputs that they fill */
bool	emit_data_check(struct emitter *);
void	emit_data_tables(struct emitter *, const char *name, const struct graph *,
	    const struct data_source *);
/* The inputs alone. */
void	emit_inputs(struct emitter *, const char *name, const struct graph *, const struct data_source *);
/* The program's half of each reader: declared, and its file. */
void	emit_reader_declarations(struct emitter *);
void	emit_readers(struct emitter *, bool *done);
/* Do its calls of products and convolutions ask libraries? */
bool	emit_calls_libraries(const struct emitter *);
/* The reader, of those of training and of validation, that needs libraries; NULL: none does. */
const struct reader	*emit_libraries_of(const struct module *);

/* What the host reads after a step of this graph: its scalar results, preceded by the sum of the
 * losses if that is not one of them. */
int	emit_result_list(struct arena *, const struct graph *, struct result **list);

/* file_tables.c: tables of files, how many there are, and the readers that they need beside N */
void	emit_file_tables(struct emitter *);
int	emit_file_table_count(const struct module *);
/* Of a program that only infers: reads the files below ROOT; false after messages. Then what the
 * program has of them. */
bool	emit_tables_read(struct emitter *, const char *root);
void	emit_tables_within(struct emitter *);
/* Does a metric keep what it says of each sample? */
bool	emit_keeps(const struct module *);
int	emit_table_readers(const struct module *, const struct reader **, int n);

/* stages.c: the programs of a pipeline's stages. The module of the last one, which has the results,
 * and that of stage K; where there are no stages, the module itself. */
const struct module	*emit_last_stage(const struct module *);
const struct module	*emit_stage(const struct module *, int64_t k);
struct staged_input {		/* what is read from the data, for this program or another stage's */
	const struct module *module;	/* that reads it */
	const struct tensor *tensor;	/* there */
	bool here;
};
int	emit_staged_list(const struct module *, const struct graph *, struct staged_input **);
void	emit_stage_constants(struct emitter *);
/* What emitter->place is. */
const char *const	*emit_stage_places(const struct emitter *);
/* Is the node's call beside the step, in one of the functions that follow? */
bool	emit_is_beside(const struct emitter *, const struct node *);
/* Of nodes FROM to END, which are the step of that function: what it receives, and on a GPU what it
 * sends. */
void	emit_stage_between(struct emitter *, const struct graph *, const char *function, int from, int end);
bool	emit_stages_check(const struct module *, const struct target *);	/* reports what cannot be written */
/* Each stage's program by WRITE, which is told how many lines stand before it, and a main() that
 * chooses one. */
void	emit_stages(struct module *, void (*write)(struct module *, const struct target *, const char *program, int lines,
	    struct text *), const struct target *, const char *program, struct text *source);
int	emit_count_lines(const struct text *);

/* step.c: train_step, update_step, validate_step */
void	emit_steps(struct emitter *);
/* Numbers of the tensors that MADE() names, in the order of stowage_tensors; -1: not listed.
 * By tensor id. */
int	*emit_tensor_numbers(const struct module *, int *count);

/* updates.c: weight updates that one call does */
/* The call that does N. */
void	emit_updates(struct emitter *, struct node *const *n, int count);
/* The tables that these calls, and the gradients' norm, refer to. */
void	emit_update_tables(struct emitter *);

/* engines.c: the engines of cuDNN for the convolutions that were noted */
void	emit_engines(struct emitter *);

/* embed.c: the files of kernels/ */
void	emit_file(struct emitter *, const char *name, bool *done);
int	emit_embedded_count(void);

/* A line of kernels/ that is in the program. */
struct kept_line {
	int number;		/* in kernel_lines */
	const char *text;	/* as it is there, but for directives that say less */
	size_t n;		/* with its end */
};

struct kept_lines {
	VEC(struct kept_line) all;
};

/* conditionals.c: a file's lines without what the program's target and precision rule out */
struct conditionals	*conditionals_new(struct emitter *, struct kept_lines *out);
/* Is the text at this place wanted? */
bool	conditionals_keep(const struct conditionals *);
void	conditionals_line(struct conditionals *, struct kept_line);

/* parts.c: what a program is put together from, and what of it something in it uses */
struct parts	*parts_new(struct arena *, struct text *own);
/* What is written to the own text from here on defines NAME and nothing else; NULL: it stays. */
void	parts_own(struct parts *, const char *name);
void	parts_lines(struct parts *, const struct kept_lines *);
/* The own text becomes the program: all that is wanted. */
void	parts_write(struct parts *);

/* text.c */
void	emit_string(struct text *, const char *s);	/* a C string literal, NULL included */
const char	*emit_safe(struct arena *, const char *s);	/* for comments: no end of comment */
/* Words after PREFIX, broken so that no line passes LINE_WIDTH; continued lines begin with NEXT. */
void	emit_wrapped(struct text *, const char *prefix, const char *next, const char *words);
const char	*emit_spec_path(const struct module *);

#endif
