/* How much a model's weights take, by the number of them that its name has: a condition, as a name
 * need not be of what failed. */
#include "autopsy/autopsy_parts.h"

#include "base/print.h"
#include "base/text.h"

#define MILLION		1000000
#define HALF_BYTES	2	/* of a weight in 16 bits, */
#define FLOAT_BYTES	4	/* or in float32; */
#define TRAINED_BYTES	16	/* in both, with a gradient and Adam's two numbers in float32 */
#define MANY		3000	/* millions of weights that a machine's memory may be too small for */

bool
autopsy_weights_fill(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t total = autopsy_device_bytes(y);

	return p->millions > 0 && !p->splits && !p->model_told && p->many_bits && !p->few_bits && total > 0 && p->millions * MILLION * HALF_BYTES > total;
}

/* In which type transformers has read them, where nothing that was read says it and they fill a
 * device of TOTAL bytes so. (PreTrainedModel.from_pretrained() in modeling_utils.py, 4 and 5.) */
static const char *
read_whole(const struct autopsy *y, int64_t total)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t whole = p->millions * MILLION * FLOAT_BYTES;
	char bytes[SIZE_TEXT];

	if (!p->loads_model || p->types || p->many_bits || p->few_bits || whole <= total || !autopsy_may_be_torch(y))
		return "";
	return arena_printf(y->arena, " By line %d transformers reads them, and no type for them was found in what was read: without one (torch_dtype=torch.float16, now "
	    "called dtype), versions before 5 make them float32, %s, which the device does not have.", p->loads_model, size_human(bytes, whole));
}

/* May all of them be trained: it trains, and no word of an adapter or of fewer bits was found? */
static bool
is_trained_whole(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return (p->trains || p->training || (y->main->facts & (TRACE_BACKWARD | TRACE_STEP))) && !p->names_adapter && !p->few_bits && !p->inferring.line &&
	    !p->evaluating.line && !autopsy_is_of_another(y);
}

/* Weights that fit a device of TOTAL bytes, but not with what training keeps of each, where an
 * adapter, parts of them on each device, or fewer bits were not found. */
static void
trained_whole(struct autopsy *y, enum autopsy_says kind, int64_t total)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t whole = p->millions * MILLION * TRAINED_BYTES;
	char n[SIZE_TEXT], bytes[SIZE_TEXT], have[SIZE_TEXT];

	if (whole <= total || !is_trained_whole(y))
		return;
	autopsy_cause(y, kind, arena_printf(y->arena, "L%s. Where the model has about %s million weights, as that name may say, and all of them are trained with Adam in mixed precision, they take, as a rule, "
	    "with their gradients and what it keeps, 16 bytes each, %s, which the device's %s has not: an optimizer that keeps less (8 bits, Adafactor), fewer weights that are trained (LoRA), more devices to "
	    "split them (FSDP, ZeRO), or offloading help; a smaller batch does not.", autopsy_said(y, &p->model) + 1, size_commas(n, p->millions), size_human(bytes, whole), size_human(have, total)));
}

void
autopsy_weights(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	enum autopsy_says kind = p->model_told ? SAYS_TOLD_WEIGHTS : SAYS_NAMED_WEIGHTS;
	int64_t half, total = autopsy_device_bytes(y);
	bool is_served = y->main->kind == OOM_KERNEL && p->serves;
	char n[SIZE_TEXT], bytes[SIZE_TEXT], have[SIZE_TEXT];
	const char *bits = p->few_bits ? arena_printf(y->arena, " (by line %d they may be in fewer: 8 take half of that, 4 a quarter)",
	    p->few_bits) : ", half of that in 8, a quarter in 4";

	if (p->millions <= 0 || p->splits || y->log.weights || y->log.trained || ((y->main->says || y->main->kind == OOM_KERNEL) && !is_served))
		return;
	half = p->millions * MILLION * HALF_BYTES;
	size_commas(n, p->millions);
	size_human(bytes, half);
	if (y->main->host) {
		if (p->millions >= MANY)
			autopsy_cause(y, kind, arena_printf(y->arena, "L%s. Where the model has about %s million weights, as that name may say, they take "
			    "%s in 16 bits%s, and twice that in float32. While they are read, a file's and the model's may lie there together.",
			    autopsy_said(y, &p->model) + 1, n, bytes, bits));
		return;
	}
	if (total <= 0 && p->millions >= MANY && (y->main->kind == OOM_TOLD ? (p->told.device || p->told.gpu) && !p->parallel.line : autopsy_is_torch(y->main) || y->main->kind == OOM_CUDA || y->main->kind == OOM_MPS) && !(y->main->facts & (TRACE_BACKWARD | TRACE_STEP)))
		autopsy_hint(y, kind, arena_printf(y->arena, "L%s. Where the model has about %s million weights, as that name may say, they take "
		    "%s in 16 bits%s, and what a run keeps has to fit beside them on the device.%s",
		    autopsy_said(y, &p->model) + 1, n, bytes, bits, is_trained_whole(y) ? arena_printf(y->arena, " Where all of them are trained with Adam in mixed precision, they take, as a rule, with "
		    "their gradients and what it keeps, %s, on all devices together where those split them (FSDP, ZeRO).", size_human(have, p->millions * MILLION * TRAINED_BYTES)) : ""));
	if (total > 0 && half < total / 2)
		trained_whole(y, kind, total);
	if (total <= 0 || half < total / 2)
		return;
	autopsy_cause(y, kind, arena_printf(y->arena, "L%s. Where the model has about %s million weights, as that name may say, they take %s in "
	    "16 bits%s. %s%s", autopsy_said(y, &p->model) + 1, n, bytes, bits, p->few_bits ? "What a run keeps has to fit beside them." :
	    half > total ? arena_printf(y->arena, "In 16 bits that is more than the device's %s: fewer bits, more devices, or a part of "
	    "them in the machine's memory help%s.", size_human(have, total), p->many_bits ? ", a smaller batch does not" : "") :
	    arena_printf(y->arena, "In 16 bits that is most of the device's %s, and what a run keeps has to fit beside them: fewer bits, "
	    "or shorter and fewer inputs at once, leave more room.", size_human(have, total)), read_whole(y, total)));
}
