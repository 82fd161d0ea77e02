/* Counting parts of pictures, as kernels/host/parts.c does. */
#include "readers/parts_look.h"

#include <math.h>

void
parts_see(struct parts_seen *of, double x, double y, double width, double height, bool crowd)
{
	/* in f32, as a program adds them */
	float left = fmaxf((float)x, 0), right = fminf((float)x + (float)width, (float)of->width);
	float top = fmaxf((float)y, 0), bottom = fminf((float)y + (float)height, (float)of->height);

	if (!(right > left && bottom > top))
		return;
	of->crowds += crowd;
	of->parts += !crowd;
}

bool
parts_looked(struct parts_look *l, const struct parts_seen *seen, int64_t pictures)
{
	bool empty = reader_int(l->source, "empty", true) != 0;
	int64_t i, row = 0;

	l->parts = arena_array(l->arena, (size_t)pictures + 1, sizeof(*l->parts));
	for (i = 0; i < pictures; i++) {
		if (!empty && !seen[i].parts)
			continue;
		if (reader_takes(l->source, row))
			l->parts[l->pictures++] = seen[i].parts + (l->crowds ? seen[i].crowds : 0);
		row++;
	}
	return l->pictures > 0;
}
