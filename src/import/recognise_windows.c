/*
 * Windows of an image that was rolled, as Swin has them (Liu and others, 2021): of such a window's
 * places only those attend to each other that were beside each other before. A model has a constant
 * of all windows for that, [windows, 1, T, T].
 */
#include "import/arrays.h"
#include "import/rows.h"
#include "import/strided.h"
#include "ops/attend.h"

/* A score that is not seen is one that the constant says no to, or with LOWERS one that it lowers
 * so much that nothing is left of it behind a softmax. */
static bool
is_shift(const struct numbers *n, bool lowers, const int64_t *windows, const int64_t *grid, const int64_t *shift)
{
	int64_t places = grid[0] * grid[1], k;

	for (k = 0; k < n->count; k++) {
		int64_t at = k / places / places, i = k / places % places, j = k % places;
		bool together = attend_side(windows, at, grid, shift, i) == attend_side(windows, at, grid, shift, j);
		double x = numbers_real(n, k);

		if (lowers ? together ? x != 0 : !(x <= -100) : (x != 0) != together)
			return false;
	}
	return true;
}

/* By how much the image was rolled is seen in its last window: so many places of an axis are not
 * with the first one. */
static void
shift_of(const struct numbers *n, bool lowers, const int64_t *grid, int64_t *shift)
{
	int64_t first = n->count - grid[0] * grid[1] * grid[0] * grid[1], i, k;

	for (i = 0; i < 2; i++)
		for (shift[i] = k = 0; k < grid[i]; k++)
			shift[i] += (numbers_real(n, first + k * (i == 0 ? grid[1] : 1)) != 0) == lowers;
}

bool
recognise_shift(struct importer *im, const struct numbers *n, bool lowers, const struct tensor *scores, const int64_t *grid,
    int64_t *windows, int64_t *shift)
{
	int64_t places = grid[0] * grid[1], all = 1;
	int r = n->rank, s = scores->rank, i;

	if (places < 1 || s < 4 || r < 4 || n->dim[r - 1] != places || n->dim[r - 2] != places || n->dim[r - 3] != 1)
		return false;
	for (i = 0; i < s - 3; i++)
		all *= scores->dim[i];
	for (i = 0; i < r - 3; i++)
		if (n->dim[i] != (s - r + i < 0 ? 1 : scores->dim[s - r + i]))
			return false;
	if (n->count != all * places * places || n->count > MOST_FOLDED)
		return false;
	shift_of(n, lowers, grid, shift);
	for (windows[0] = s > 4 ? all / scores->dim[s - 4] : 1; windows[0] <= all; windows[0]++) {
		windows[1] = all / windows[0];
		if (windows[0] * windows[1] != all)
			continue;
		if (!rows_follow(im, n->count))
			return false;
		if (is_shift(n, lowers, windows, grid, shift))
			return true;
		if (s > 4)
			return false;
	}
	return false;
}
