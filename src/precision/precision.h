/*
 * Precisions: what a network is computed in, and how its numbers are stored. One file each, which
 * the table finds by its record; with a new element type comes a file of kernels/element/. Nothing
 * outside this folder asks which precision it is: it asks for what follows from it.
 */
#ifndef STOWAGE_PRECISION_PRECISION_H
#define STOWAGE_PRECISION_PRECISION_H

#include <stdbool.h>
#include <stddef.h>

/* Of the elements of a tensor. */
struct dtype {
	const char *name;	/* "bf16" */
	int bytes;
	bool is_float;
	/* "BF16": programs have pointers BF16(offset) and the constant TYPE_BF16, checkpoints that
	 * name */
	const char *macro;
	/* "element/bf16.h": the file of kernels/ that converts it, where it is stored narrower than
	 * it is computed with; NULL: not so */
	const char *element;
	const struct dtype *real;	/* what is computed with: sums, statistics, losses */
	int cudnn;		/* cuDNN's number of it (cudnnDataType_t), of elements of convolutions */
	bool cudnn_sums;	/* its convolutions of them can add up the channels of what they make (struct gpu_arch) */
};

extern const struct dtype dtype_f32, dtype_f64, dtype_bf16, dtype_i32, dtype_u8;

#define DT_F32	(&dtype_f32)
#define DT_F64	(&dtype_f64)
#define DT_I32	(&dtype_i32)
#define DT_U8	(&dtype_u8)

extern const struct dtype *const dtype_table[];		/* ends with NULL */

static inline const char *
dtype_name(const struct dtype *d)
{
	return d->name;
}

static inline int
dtype_bytes(const struct dtype *d)
{
	return d->bytes;
}

static inline bool
dtype_is_float(const struct dtype *d)
{
	return d->is_float;
}

/* Is it stored in fewer bits than it is computed with? */
static inline bool
dtype_is_narrow(const struct dtype *d)
{
	return d->element != NULL;
}

const struct dtype	*dtype_find(const char *name);	/* NULL: there is none */

/* The elements are those of inputs, activations, parameters and their gradients. Statistics, losses
 * and the states of optimizers are of the type that the elements are computed with. */
struct precision {
	const char *name;	/* "bf16": what a spec says */
	int place;		/* in lists for people: those with lower ones come first */
	const struct dtype *element;
	bool masters;		/* optimizers work on a copy of each parameter, which is not narrow */
	bool scales_loss;	/* or gradients, having too little range, would become 0 */
	bool tensor_cores;	/* they run its products */
	bool rounds_products;	/* of f32, for tensor cores: cuDNN and cuBLAS may */
	const char *macro;	/* that programs define, for kernels to ask; NULL: none */

	/* where it serves */
	int arch;		/* the oldest compute capability that has it; 0: any */
	const char *too_old;	/* what to do on an older card: "use f32" */
	const struct precision *serves;	/* what mostly would do as well, in fewer bytes, or NULL */

	/* what `stowage fit` advises to save memory */
	const struct precision *narrower;	/* than this one, or NULL */
	const struct precision *instead;	/* of this one, on a card that does not have it */
	const char *note;	/* what stays as it was, once this is advised */
};

extern const struct precision precision_f32, precision_f64, precision_bf16, precision_f16;

extern const struct precision *const precision_table[];	/* ends with NULL */
extern const int precision_count;

const struct precision	*precision_find(const char *name);	/* NULL: there is none */
/* The one after P in lists for people, the first for NULL; NULL after the last. */
const struct precision	*precision_next(const struct precision *p);
/* Has a card it? ARCH 0: it is not known, and taken to. */
bool	precision_runs_on(const struct precision *, int arch);

static inline bool
precision_is_narrow(const struct precision *p)
{
	return dtype_is_narrow(p->element);
}

#endif
