/* Which networks and arguments pictures are for. */
#include "readers/pictures.h"

bool
picture_is(const struct tensor *t)
{
	return t->rank == 3 && !t->classes && (t->dim[0] == 1 || t->dim[0] == 3);
}

int64_t
picture_shares(const struct tensor *t)
{
	return t->kind == T_TARGET && !t->classes && t->rank == 1 ? t->dim[0] : 0;
}

static const char *
unfit_picture(struct arena *a, const struct data_source *d, const struct tensor *t)
{
	static const char *const each[] = { "mean", "std", NULL };
	int i;

	for (i = 0; each[i]; i++) {
		int n = reader_count_of(d, each[i]);

		if (n && t->dtype == DT_U8)
			return arena_printf(a, "'%s' is of bytes, which %s= would make numbers of: declare f32",
			    t->name, each[i]);
		if (n > 1 && n != t->dim[0])
			return arena_printf(a, "%s= has %d numbers, but '%s' has %lld channels", each[i], n,
			    t->name, (long long)t->dim[0]);
	}
	return NULL;
}

const char *
pictures_unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	const char *why;
	int i;

	for (i = 0; i < n; i++) {
		if (picture_is(staged[i]) && (why = unfit_picture(a, d, staged[i])))
			return why;
		if (staged[i]->classes && reader_real(d, "mixup", 0) > 0)
			return arena_printf(a, "mixup mixes classes too: '%s' must be their shares, f32[%d], not %s",
			    staged[i]->name, staged[i]->classes, tensor_type_text(a, staged[i]));
	}
	return NULL;
}

bool
pictures_alike(const struct data_source *d)
{
	static const char *const drawn[] = {
		"flip", "flip_vertical", "brightness", "contrast", "saturation", "hue", "mixup", NULL
	};
	int i;

	for (i = 0; drawn[i]; i++)
		if (reader_real(d, drawn[i], 0) > 0)
			return false;
	return !reader_int(d, "pad", 0) && !reader_int(d, "cutout", 0);
}

bool
pictures_decoded(const struct data_source *d)
{
	(void)d;
	return false;
}
