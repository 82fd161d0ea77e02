/*
 * update/elements.cu - what two ranks have of some elements, added up by a processor. In 16 bits it
 * is rounded.
 */
#ifndef STOWAGE_UPDATE_ELEMENTS_CU
#define STOWAGE_UPDATE_ELEMENTS_CU

#include "update/ranks.cu"

#if NARROW
static void
elements_add(void *from, void *to, int *n, MPI_Datatype *type)
{
	const elem *x = (const elem *)from;
	elem *y = (elem *)to;

	(void)type;
	for (int i = 0; i < *n; i++)
		y[i] = ELEM(VALUE(x[i]) + VALUE(y[i]));
}
#endif

/* TO may be OWN. */
static void
elements_sum(char *to, const char *own, const char *from, int64_t n, int bytes)
{
	if (bytes == 8)
		for (int64_t i = 0; i < n; i++)
			((double *)to)[i] = ((const double *)own)[i] + ((const double *)from)[i];
	else if (bytes == 4)
		for (int64_t i = 0; i < n; i++)
			((float *)to)[i] = ((const float *)own)[i] + ((const float *)from)[i];
#if NARROW
	else
		for (int64_t i = 0; i < n; i++)
			((elem *)to)[i] = ELEM(VALUE(((const elem *)own)[i]) + VALUE(((const elem *)from)[i]));
#endif
}

#endif
