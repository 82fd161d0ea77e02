/* Loss and optimizer that the source says the model is trained with. */
#include "import/importer.h"

#include <string.h>

void
compiled_loss_find(struct importer *im, const struct val *logits, int along)
{
	const struct compiled *c = &im->model->compiled;
	const struct val *out = im->outputs.v[0];
	bool classes = c->loss && strcmp(c->loss, "cross_entropy") == 0;

	if (!c->loss)
		return;
	if (im->model->outputs.n > 1)
		vec_push(im->arena, &im->result->notes, "the model was compiled with a loss of several outputs, which is not read");
	else if (!classes || (c->of_logits ? !logits : logits && !out->logits && along == spec_classes(im)))
		im->compiled_loss = c->loss;
	else
		vec_push(im->arena, &im->result->notes, "the model was compiled with a loss of classes, which does not fit what it "
		    "makes, and is not read");
}

void
compiled_say(struct importer *im)
{
	const struct compiled *c = &im->model->compiled;
	int i;

	if (strcmp(spec_loss(im), "none") == 0)
		return;
	if (c->optimizer)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the optimizer is %s, as the model was compiled",
		    c->optimizer));
	for (i = 0; i < c->notes.n; i++)
		vec_push(im->arena, &im->result->notes, c->notes.v[i]);
}
