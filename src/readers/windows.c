/* Which networks windows of tokens are for. */
#include "readers/windows.h"

const char *
windows_unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	bool bytes = d->reader->bytes;
	int i;

	if (reader_real(d, "from", 0) >= reader_real(d, "to", 1))
		return arena_printf(a, "from=%g to=%g leaves nothing of the file", reader_real(d, "from", 0),
		    reader_real(d, "to", 1));
	for (i = 0; i < n; i++) {
		if (!staged[i]->classes)
			return arena_printf(a, "%s, for tokens[T, vocab=%s], and '%s' is %s of %s",
			    bytes ? "the bytes of a text are tokens" : "the file holds tokens",
			    bytes ? "256" : "50257", staged[i]->name, tensor_type_text(a, staged[i]),
			    dtype_name(staged[i]->dtype));
		if (tensor_elements_per_sample(staged[i]) != tensor_elements_per_sample(staged[0]))
			return arena_printf(a, "windows of a %s are of one length, but '%s' has %lld positions and "
			    "'%s' has %lld", bytes ? "text" : "file", staged[0]->name,
			    (long long)tensor_elements_per_sample(staged[0]), staged[i]->name,
			    (long long)tensor_elements_per_sample(staged[i]));
	}
	return NULL;
}

/* Of the first file, as kernels/host/data_windows.c cuts it. */
bool
windows_look(struct look *l, int64_t header, enum look_type type)
{
	const struct data_source *d = l->source;
	int64_t bytes = type == LOOK_U8 ? 1 : type == LOOK_U16 ? 2 : 4, ahead = reader_int(d, "ahead", 1);
	int64_t stride = reader_int(d, "stride", 0), tokens = (l->all - header) / bytes, from, to, past = l->width + ahead;

	if (l->all < header || !l->input)
		return false;
	from = (int64_t)((double)tokens * reader_real(d, "from", 0));
	to = (int64_t)((double)tokens * reader_real(d, "to", 1));
	stride = stride ? stride : l->width;
	return to - from >= past && look_rows(l, header + (from + (l->input->kind == T_TARGET ? ahead : 0)) * bytes,
	    stride * bytes, (to - from - past) / stride + 1, type, false);
}
