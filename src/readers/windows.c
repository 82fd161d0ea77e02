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
