/*
 * pointwise/pack_cuda.cu - what is done to packs of elements on CUDA that a sweep makes or is given
 * (epilogue.cu). Which formula it is is asked once a pack, of which all threads have the same.
 */
#ifndef STOWAGE_POINTWISE_PACK_CUDA_CU
#define STOWAGE_POINTWISE_PACK_CUDA_CU

#include "pointwise/epilogue.cu"
#include "sweep/last_cuda.cu"

/* Of WIDTH elements of dy what passes KIND, a function of them and of OF. */
template <int WIDTH> DEVICE void
pack_pass(real *passed, const struct column_pack<WIDTH> &dy, enum epilogue_kind kind, const real *of)
{
#define PASS(kind_, function, reads, known)							\
	case kind_:										\
		_Pragma("unroll")								\
		for (int j = 0; j < WIDTH; j++)							\
			passed[j] = epilogue_of_both(kind_, VALUE(dy.at[j]), of[j]);		\
		break;
	EPILOGUE_CASES_ALL(kind, PASS)
#undef PASS
}

/* What KIND makes of packs of dy and of what is BESIDE it; also stored. */
template <int WIDTH> DEVICE void
pack_make(elem *to, real *made, struct column_pack<WIDTH> dy, enum epilogue_kind kind,
    const struct column_pack<WIDTH> &beside)
{
	real of[WIDTH];

#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		of[j] = VALUE(beside.at[j]);
	pack_pass<WIDTH>(made, dy, kind, of);
#pragma unroll
	for (int j = 0; j < WIDTH; j++)
		dy.at[j] = ELEM(made[j]);
	column_store<WIDTH>(to, dy);
}

/* Stores what THEN makes of WIDTH values, and of those BESIDE them if it reads such, at elements AT
 * and next of y. */
template <int WIDTH> DEVICE void
pack_store(elem *y, const real *value, struct epilogue then, const struct column_pack<WIDTH> &beside, int64_t at)
{
	struct column_pack<WIDTH> made;

#define STORE(kind_, function, reads, known)							\
	case kind_:										\
		_Pragma("unroll")								\
		for (int j = 0; j < WIDTH; j++)							\
			made.at[j] = ELEM(epilogue_of_both(kind_, value[j], reads ? VALUE(beside.at[j]) : 0));	\
		break;
	EPILOGUE_CASES_ALL(then.kind, STORE)
#undef STORE
	column_store<WIDTH>(y + at, made);
}

#endif
