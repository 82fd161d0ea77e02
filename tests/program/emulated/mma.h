/*
 * Tensor cores: a fragment is a whole matrix in each thread of a warp, which all do the same, so
 * what a warp does together needs no barrier. A fragment's own layout is nobody's business.
 */
#include <cstddef>

namespace nvcuda {
namespace wmma {

struct matrix_a { };
struct matrix_b { };
struct accumulator { };
struct row_major { };
struct col_major { };
namespace precision { struct tf32 { }; }
enum layout_t { mem_row_major };

template <class T> struct stored { typedef T type; };
template <> struct stored<precision::tf32> { typedef float type; };

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
	static const int ROWS = std::is_same<Use, matrix_b>::value ? K : M;
	static const int COLS = std::is_same<Use, matrix_a>::value ? K : N;
	static const int num_elements = ROWS * COLS;
	typename stored<T>::type x[ROWS * COLS];
};

template <class F> static void
fill_fragment(F &f, float value)
{
	for (auto &x : f.x)
		x = value;
}

template <class Use, int M, int N, int K, class T, class Layout> static void
load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const typename stored<T>::type *from, unsigned pitch)
{
	const bool by_rows = std::is_same<Layout, row_major>::value;

	if ((uintptr_t)from % 32 || pitch * sizeof(*from) % 16)
		std::abort();
	for (int i = 0; i < f.ROWS; i++)
		for (int j = 0; j < f.COLS; j++)
			f.x[i * f.COLS + j] = from[by_rows ? i * pitch + j : j * pitch + i];
}

static inline float
number(float x)
{
	return x;
}

#if NARROW
static inline float
number(elem x)
{
	return VALUE(x);
}
#endif

template <class D, class A, class B> static void
mma_sync(D &d, const A &a, const B &b, const D &c)
{
	for (int i = 0; i < d.ROWS; i++)
		for (int j = 0; j < d.COLS; j++) {
			float sum = c.x[i * d.COLS + j];

			for (int k = 0; k < a.COLS; k++)
				sum += number(a.x[i * a.COLS + k]) * number(b.x[k * b.COLS + j]);
			d.x[i * d.COLS + j] = sum;
		}
}

template <class F> static void
store_matrix_sync(float *to, const F &f, unsigned pitch, layout_t)
{
	for (int i = 0; i < f.ROWS; i++)
		for (int j = 0; j < f.COLS; j++)
			to[i * pitch + j] = f.x[i * f.COLS + j];
}

/* Ten bits of fraction, ties away from zero. */
static inline float
__float_to_tf32(float x)
{
	uint32_t bits;

	std::memcpy(&bits, &x, sizeof(bits));
	bits = (bits + 0x1000) & ~0x1fffu;
	std::memcpy(&x, &bits, sizeof(bits));
	return x;
}

}
}
