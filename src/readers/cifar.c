/*
 * cifar: the binary files of the CIFAR-10 and CIFAR-100 sets. Which of the two it is follows from
 * the targets' classes.
 */
#include "readers/look.h"
#include "readers/pictures.h"

static const struct attr_spec attrs[] = { READER_ROWS, READER_PICTURES, ATTRS_END };

static bool
is_label(const struct tensor *t)
{
	int64_t n = t->classes ? t->classes : picture_shares(t);

	return t->kind == T_TARGET && (!t->classes || tensor_elements_per_sample(t) == 1) &&
	    (n == 10 || n == 20 || n == 100);
}

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	int64_t first = 0;
	int i;

	for (i = 0; i < n; i++) {
		const struct tensor *t = staged[i];
		int64_t classes = t->classes ? t->classes : picture_shares(t);

		if (picture_is(t) && t->dim[0] == 3 && t->dim[1] == 32 && t->dim[2] == 32)
			continue;
		if (!is_label(t))
			return arena_printf(a, "the files hold pictures, f32[3, 32, 32], and labels, class[10], or class[20] "
			    "and class[100]; '%s' is %s", t->name, tensor_type_text(a, t));
		if (first && (first == 10) != (classes == 10))
			return "CIFAR-10 has labels of 10 classes, CIFAR-100 of 20 and 100: one file has not both";
		first = classes;
	}
	return pictures_unfit(a, d, staged, n);
}

#define PICTURE_BYTES	(3 * 32 * 32)

/* As kernels/read/cifar.c has records: labels, then the picture. */
static bool
look(struct look *l)
{
	int64_t labels = 1, at = 0, record;
	int i;

	for (i = 0; i < l->nstaged; i++)
		if (!picture_is(l->staged[i]) &&
		    (l->staged[i]->classes ? l->staged[i]->classes : picture_shares(l->staged[i])) != 10)
			labels = 2;
	record = labels + PICTURE_BYTES;
	if (!l->input || l->all % record || (!picture_is(l->input) && !l->input->classes))
		return false;
	if (picture_is(l->input))
		at = labels;
	else if (labels == 2 && l->input->classes == 100)
		at = 1;
	if (!look_rows(l, at, record, l->all / record, LOOK_U8, false))
		return false;
	if (l->source->nfiles > 1)
		l->all_rows = -1;	/* the others may have more or fewer */
	return true;
}

const struct reader reader_cifar = {
	.name = "cifar",
	.brief = "the binary files of CIFAR-10 and CIFAR-100",
	.doc = "The binary files of the CIFAR sets, one after the other: pictures of 3 channels, 32 by 32. A target of "
	    "class[10] says that they are CIFAR-10's; class[100] and class[20] are the fine and the coarse labels of "
	    "CIFAR-100. f32[10] is 1 for the label and 0 elsewhere. The files are mapped: a set takes no memory of its "
	    "own.\n\n" PICTURES_DOC,
	.usage = "cifar(\"data_batch_1.bin\", scale=1/255, pad=4, flip=0.5)",
	.files = FILES_MANY,
	.attrs = attrs,
	.bytes = true,
	.unfit = unfit,
	.alike = pictures_alike,
	.look = look,
	.apart = true,
};
