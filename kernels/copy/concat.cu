/*
 * copy/concat.cu - operands side by side.
 */
#ifndef STOWAGE_COPY_CONCAT_CU
#define STOWAGE_COPY_CONCAT_CU

#include "kernel.h"

#define CONCAT_CHUNK	4096
#define CONCAT_SHORT	1024	/* rows shorter than this are taken together */

/* ROWS pieces of N elements, from places FROM_PITCH apart to places TO_PITCH apart. */
KERNEL(concat_kernel, (elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch,
    int64_t rows, int64_t n))
{
	int64_t chunks = (n + CONCAT_CHUNK - 1) / CONCAT_CHUNK;

	ROWS (r, rows * chunks) {
		int64_t row = r / chunks, at = r % chunks * CONCAT_CHUNK;
		int64_t count = n - at < CONCAT_CHUNK ? n - at : CONCAT_CHUNK;
		const elem *f = from + row * from_pitch + at;
		elem *t = to + row * to_pitch + at;

		ALONG_EACH (j, count)
			t[j] = f[j];
	}
}

/* The same of rows that are too short for a block of threads each. */
KERNEL(concat_short_kernel, (elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch,
    int64_t rows, int64_t n))
{
	EACH_PLACE (r, one, j, rows, 1, n)
		to[(r + one) * to_pitch + j] = from[(r + one) * from_pitch + j];
}

static void
concat_copy(elem *to, int64_t to_pitch, const elem *from, int64_t from_pitch, int64_t rows,
    int64_t n)
{
	if (n < CONCAT_SHORT)
		LAUNCH(concat_short_kernel, rows * n, (to, to_pitch, from, from_pitch, rows, n));
	else
		LAUNCH_ROWS(concat_kernel, rows * ((n + CONCAT_CHUNK - 1) / CONCAT_CHUNK),
		    (to, to_pitch, from, from_pitch, rows, n));
}

/* One operand of concat: its rows of N elements, at OFFSET in rows of PITCH elements. */
static void
concat_forward(elem *out, const elem *in, int64_t rows, int64_t pitch, int64_t offset, int64_t n)
{
	concat_copy(out + offset, pitch, in, n, rows, n);
}

static void
concat_backward(elem *dx, const elem *dy, int64_t rows, int64_t pitch, int64_t offset, int64_t n)
{
	concat_copy(dx, n, dy + offset, pitch, rows, n);
}

#endif
