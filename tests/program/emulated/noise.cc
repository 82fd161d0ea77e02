/*
 * Noise: normal numbers against Box and Muller's formula in double precision, from the same bits; and a sum of the bits
 * of all of them, on the last line, which must be the same however this is compiled.
 */
#ifdef IN_C
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#define restrict __restrict
#else
#include "cuda.h"
#endif

#include "pointwise/noise.cu"

#include "values.h"

int
main()
{
	static const int64_t n = 400003;
	struct step s = {};
	Values x = nothing(n), u = nothing(n);
	Sums want((size_t)n), want_u((size_t)n);
	uint64_t sum = 0, key;

	s.seed = 3, s.draw = 7;
	key = philox_key(s.seed, 11);
	noise_normal(x.data(), &s, 11, -2, 3, n);
	noise_uniform(u.data(), &s, 11, -1, 4, n);
	for (int64_t i = 0; i < n; i++) {
		struct philox c = philox(key, (uint64_t)i / 4, s.draw);
		uint32_t a = c.v[i % 4 / 2 * 2], b = c.v[i % 4 / 2 * 2 + 1];
		double length = std::sqrt(-2 * std::log(((double)a + 0.5) / 4294967296.0));
		double angle = ((double)(b >> 30) + (double)(int32_t)(b << 2) / 4294967296.0) * 1.5707963267948966;

		want[i] = -2 + 3 * length * (i % 2 ? std::sin(angle) : std::cos(angle));
		want_u[i] = -1 + 4 * (double)(c.v[i % 4] >> 8) / 16777216;
	}
	same("normal", x, want, 4e-7);
	same("uniform", u, want_u, 1e-7);
	for (int64_t i = 0; i < n; i++) {
		float f = (float)x[i], g = (float)u[i];
		uint32_t bits[2];

		memcpy(&bits[0], &f, 4);
		memcpy(&bits[1], &g, 4);
		sum = (sum ^ bits[0]) * 0x100000001b3u + bits[1];
	}
	int status = verdict();
	std::printf("bits %016llx\n", (unsigned long long)sum);
	return status;
}
