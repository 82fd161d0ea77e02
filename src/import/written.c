/*
 * Steps in the order in which a spec says them, whichever order the model's nodes have: what one
 * step alone reads, and nothing beside it, stands in front of that one (body.c). So a layer is
 * named before others share its weights, and pieces that are alike have their steps in one order.
 */
#include "import/importer.h"

/* Does a statement go on with the step's result? Each step's one reader is in READER; NULL: it has
 * none, or several. */
static bool
goes_on(const struct step *s, struct step *const *reader)
{
	const struct step *r = reader[s->number];

	return s->part ? s->out->uses > 0 && !s->out->output : r && !r->part && (r->nin == 1 || s->nin == 0);
}

void
steps_as_written(struct importer *im)
{
	int n = im->steps.n, i, k, nopen, done = 0;
	struct step **was = arena_array(im->arena, (size_t)n + 1, sizeof(struct step *)),
	    **reader = arena_array(im->arena, (size_t)n + 1, sizeof(struct step *)),
	    **open = arena_array(im->arena, (size_t)n + 1, sizeof(struct step *));
	bool *said = arena_array(im->arena, (size_t)n + 1, sizeof(*said));

	for (i = 0; i < n; i++) {
		was[i] = im->steps.v[i];
		for (k = 0; k < was[i]->nin; k++)
			if (was[i]->in[k]->def && was[i]->in[k]->uses == 1)
				reader[was[i]->in[k]->def->number] = was[i];
	}
	for (i = 0; i < n; i++) {
		if (goes_on(was[i], reader))
			continue;
		open[0] = was[i];
		for (nopen = 1; nopen > 0;) {
			struct step *s = open[nopen - 1], *before = NULL;

			for (k = 0; k < s->nin && !before; k++)
				if (s->in[k]->def && !said[s->in[k]->def->number])
					before = s->in[k]->def;
			if (before) {
				open[nopen++] = before;
				continue;
			}
			nopen--;
			if (!said[s->number])
				im->steps.v[done++] = s;
			said[s->number] = true;
		}
	}
	for (i = 0; i < n; i++)
		im->steps.v[i]->number = i;
}
