/* Prints stowage-frameworks.7 from the frameworks' own records. */
#include "doc/mdoc.h"

#include "frameworks/framework.h"

#define INTERVAL									\
	"Its lower end is exact: the tensors of the most economical step that needs no rewrite of the " \
	"model, in the blocks of the framework's allocator. Relu and residual sums run in place, " \
	"variables are dropped after their last use, gradients are set to None after the update, and " \
	"libraries have no workspace. Of frameworks whose order is not known, as TensorFlow's, it is the " \
	"tensors alone that are alive when forward is over, which no order can do without.\n\n"	\
	"Its upper end is the same step as it is often written: gradients stay from step to step, as " \
	"zero_grad left them by default before PyTorch 2.0; while a convolution runs there are " \
	"copies of what it reads and writes, in another layout, and of its weights as Winograd's " \
	"algorithm transforms them, four times as large; and what is kept for cuBLAS.\n\n"	\
	"Both ends are given for two quantities. The peak of the allocator is what it hands out: " \
	"torch.cuda.max_memory_allocated(), or TensorFlow's peak bytes in use. What the card needs, " \
	"and nvidia-smi shows of PyTorch, has a context as well, an estimate of which half to five " \
	"quarters are taken, and at its upper end all that PyTorch's allocator reserves. TensorFlow's " \
	"allocator takes the whole card in advance, or regions that double, so that a card's figure " \
	"says nothing of a network; there the pool that is needed is given."

#define VALIDATION									\
	"If the spec validates, validation is part of the run: forward alone, in evaluation mode and " \
	"under no_grad, at its own batch. It holds parameters, statistics, the optimizer's state and " \
	"the input; each activation is free once its last reader has run, so that the largest pair " \
	"decides. Gradients of the step before are gone, or stay at the upper end. If its peak is " \
	"larger than that of training, the forecast says so."

#define LIMITS										\
	"Copies that a wrapper makes of all gradients are not included, such as the buckets of " \
	"DistributedDataParallel, as many bytes as the parameters. Nor is what trying out all of " \
	"cuDNN's algorithms takes for a moment. The order in which TensorFlow runs a graph is not " \
	"modelled, so that for it and for Keras the upper end is no bound. Half precision is not " \
	"forecast, nor are running averages of weights and steps of several updates, as in adversarial training, which are " \
	"written in several ways: of such networks it is said that there is no forecast. Of detectors the lower end is " \
	"without boxes and masks, and the upper end with as many as the spec has rows for; losses that a spec makes of formulas are " \
	"counted as such, and torchvision's may keep more; RetinaNet's focal loss is counted as torchvision's, and as if no anchor " \
	"were between its thresholds. bench/reported.md holds forecasts against published figures."

static void
print_framework(const struct framework *f)
{
	printf(".Ss %s\n", f->name);
	mdoc_text(f->brief);
	printf(".Pp\n");
	mdoc_text(f->doc);
	if (f->allocator)
		printf(".Pp\nTensors are %s; memory is reserved %s.\n", f->allocator->rounds,
		    f->allocator->reserves);
}

int
main(void)
{
	int i;

	mdoc_head("STOWAGE-FRAMEWORKS", "stowage-frameworks",
	    "frameworks whose memory Stowage forecasts");
	printf(".Sh DESCRIPTION\n"
	    "These are the names that\n"
	    ".Fl -as\n"
	    "takes in\n"
	    ".Xr stowage-plan 1 ,\n"
	    ".Xr stowage-fit 1\n"
	    "and\n"
	    ".Xr stowage-lint 1 ,\n"
	    "and the setting\n"
	    ".Ic as\n"
	    "in\n"
	    ".Xr stowage-config 5 :\n"
	    "where the same training could run, and what it would take there.\n"
	    ".Pp\n"
	    "A forecast is an interval.\n");
	mdoc_text(INTERVAL);
	printf(".Sh VALIDATION\n");
	mdoc_text(VALIDATION);
	printf(".Sh LIMITS\n");
	mdoc_text(LIMITS);
	printf(".Sh FRAMEWORKS\n");
	for (i = 0; framework_table[i]; i++)
		print_framework(framework_table[i]);
	printf(".Sh SEE ALSO\n.Xr stowage 1 ,\n.Xr stowage-fit 1 ,\n.Xr stowage-plan 1\n");
	return ferror(stdout) != 0;
}
