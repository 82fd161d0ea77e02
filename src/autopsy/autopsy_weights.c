/* How much a model's weights take, by the number of them that its name has: a condition, as a name
 * need not be of what failed. With the device's memory it is a cause; without, or where that is the
 * machine's, what they take is told of large ones. */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"

#define MILLION		1000000
#define HALF_BYTES	2	/* of a weight in 16 bits, */
#define FLOAT_BYTES	4	/* or in float32; */
#define TRAINED_BYTES	16	/* in both, with a gradient in 16 and Adam's two numbers in 32 */
#define GIB		((int64_t)1 << 30)
#define LEAST_MEASURED	((int64_t)1 << 30)
#define SMALL_DEVICE	((int64_t)16 << 30)
#define MANY		3000	/* millions of weights that a machine's memory may be too small for */

/* The weights' bytes, with so many for each. */
static int64_t
weights_bytes(const struct autopsy *y, int each)
{
	return y->log.paste.millions * MILLION * each;
}

/* Not where a run is to make them so, which reads them as they were. */
static bool
in_few_bits(const struct oom_paste *p)
{
	return p->few_bits && !p->quantizing && !p->quantizes.line;
}

bool
autopsy_weights_fill(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t total = autopsy_device_bytes(y);

	return p->millions > 0 && !p->splits && !p->model_told && p->many_bits && !in_few_bits(p) && total > 0 && weights_bytes(y, HALF_BYTES) > total;
}

bool
autopsy_trains_many(const struct autopsy *y)
{
	int64_t total = autopsy_device_bytes(y);

	return y->log.paste.millions <= 0 || weights_bytes(y, TRAINED_BYTES) >= (total > 0 ? total / 2 : SMALL_DEVICE);
}

/* ---- parts of sentences ---- */

/* "Line 3 names x-7b. Where the model has about 7,000 million weights, as that name may say," */
static const char *
where_named(const struct autopsy *y)
{
	char n[SIZE_TEXT];

	return arena_printf(y->arena, "L%s. Where the model has about %s million weights, as that name may say,",
	    autopsy_said(y, &y->log.paste.model) + 1, size_commas(n, y->log.paste.millions));
}

/* "they take 13.0 GiB in 16 bits, half of that in 8, a quarter in 4" */
static const char *
they_take(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	char bytes[SIZE_TEXT], few[SIZE_TEXT];

	if (in_few_bits(p) && p->bits > 0)
		return arena_printf(y->arena, "they take %s in 16 bits, and about %s in %d, as they may be by line %d", size_human(bytes, weights_bytes(y, HALF_BYTES)),
		    size_human(few, weights_bytes(y, HALF_BYTES) / (16 / p->bits)), p->bits, p->bits_line);
	return arena_printf(y->arena, "they take %s in 16 bits%s", size_human(bytes, weights_bytes(y, HALF_BYTES)), in_few_bits(p) ?
	    arena_printf(y->arena, " (by line %d they may be in fewer: 8 take half of that, 4 a quarter)", p->few_bits) :
	    ", half of that in 8, a quarter in 4");
}

/* In which type transformers has read them, where nothing that was read says it and they fill a
 * device of TOTAL bytes so. (PreTrainedModel.from_pretrained() in modeling_utils.py, 4 and 5.) */
static const char *
read_whole(const struct autopsy *y, int64_t total)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t whole = weights_bytes(y, FLOAT_BYTES);
	char bytes[SIZE_TEXT];

	if (!p->loads_model || p->types || p->many_bits || in_few_bits(p) || whole <= total || !autopsy_may_be_torch(y))
		return "";
	return arena_printf(y->arena, " By line %d transformers reads them, and no type for them was found in what was read: without one (torch_dtype=torch.float16, now "
	    "called dtype), versions before 5 make them float32, %s, which the device does not have.", p->loads_model, size_human(bytes, whole));
}

/* May all of them be trained, and lie on the device with what that keeps of each: it trains, and no
 * word of an adapter, of fewer bits, or of offloading was found? */
static bool
is_trained_whole(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return (p->trains || p->training || (y->main->facts & (TRACE_BACKWARD | TRACE_STEP))) && (!p->names_adapter || p->told.full_set) && !in_few_bits(p) && !p->inferring.line &&
	    !p->evaluating.line && !autopsy_is_of_another(y) && !autopsy_is_tried(y, BY_OFFLOADING);
}

/* ---- where they are ---- */

/* " Where the machine is that of line 3, they do not fit there": in 16 bits, in less than people
 * say that it has. */
static const char *
beside_ram(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	char human[SIZE_TEXT];

	if (!p->ram.line || in_few_bits(p) || weights_bytes(y, HALF_BYTES) <= p->ram_gib << 30)
		return "";
	return arena_printf(y->arena, " Where the machine is the one of line %d, with %s, they do not fit there in 16 bits as a whole: fewer bits, or weights that are mapped, or put on a device part by part, need less of it.",
	    p->ram.line, size_human(human, p->ram_gib << 30));
}

static void
in_machine(struct autopsy *y, enum autopsy_says kind)
{
	char all[SIZE_TEXT], full[SIZE_TEXT];

	if (y->log.paste.millions < MANY)
		return;
	size_human(full, weights_bytes(y, 4));
	if (autopsy_in_update(y->main) && is_trained_whole(y))
		autopsy_cause(y, kind, arena_printf(y->arena, "%s %s, and %s in float32. Where all of them are trained so, with a gradient each and what Adam keeps of it, that is %s (16 bytes for each).",
		    where_named(y), they_take(y), full, size_human(all, weights_bytes(y, 16))));
	else
		autopsy_cause(y, kind, arena_printf(y->arena, "%s %s, and %s in float32. While they are read, a file's and the model's may lie there together.%s",
		    where_named(y), they_take(y), full, beside_ram(y)));
}

/* Is the failure of a device by its own message, or, of a single one, by a person's words, or at
 * least not of the machine's memory by these? */
static bool
is_of_device(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (y->main->kind == OOM_TOLD)
		return (p->told.device || p->told.gpu || (!p->told.host && !p->told.ram)) && !p->parallel.line;
	return autopsy_is_torch(y->main) || y->main->kind == OOM_CUDA || y->main->kind == OOM_MPS;
}

/* Does what the message means speak of weights that lie on the device, as a server's does? How much
 * they take is told then, too. */
static bool
speaks_of_weights(const struct oom_message *o)
{
	return o->says && o->kind == OOM_CUDA && !o->host && !o->apart && strstr(o->says, "weights");
}

/* " In 16 bits that is more than ...": than the largest card that is named, where any are. */
static const char *
beside_card(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	char human[SIZE_TEXT];

	if (!p->card_most || p->card_unknown || p->unified || p->mac || in_few_bits(p) || weights_bytes(y, HALF_BYTES) <= (int64_t)p->card_most << 30)
		return "";
	return arena_printf(y->arena, " In 16 bits that is more than one card has as line %d names it (%s), of which that kind has no more than %s.", p->card_line, p->card_name, size_human(human, (int64_t)p->card_most << 30));
}

/* What one card that people tell of leaves beside them, where that is little, or that it has no
 * room for them; "": none is told of, several may be, or the processor is what works on them. */
static const char *
on_told_card(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool few = in_few_bits(p) && p->bits > 0, trains = p->trains || p->training || p->names_adapter;
	int64_t card = p->card_gib * GIB, whole = weights_bytes(y, FLOAT_BYTES), take = few ? weights_bytes(y, HALF_BYTES) / (16 / p->bits) : weights_bytes(y, HALF_BYTES);
	const char *where;
	char left[SIZE_TEXT], all[SIZE_TEXT];

	if (card <= 0 || p->unified || p->mac || p->parallel.line || p->several || p->decided.on_processor || (in_few_bits(p) && !few) || take < card / 2 || *beside_card(y))
		return "";
	where = arena_printf(y->arena, " Where one card of %lld GB has to hold them (line %d),", (long long)p->card_gib, p->card_told);
	if (take > card)
		return few ? "" : arena_printf(y->arena, "%s they do not fit in 16 bits, whatever the batch.", where);
	return arena_printf(y->arena, "%s they leave it %s in %d bits for %s.%s", where, size_human(left, card - take), few ? p->bits : 16,
	    trains ? "what training keeps, which grows with the samples at once and their length" : "what a program sets aside beside them (keys and values for as many texts as it may be given at once) and makes",
	    few || p->types || p->many_bits || whole <= card ? "" : arena_printf(y->arena, " In float32, as some programs read them where nothing says otherwise, they are %s, which it has not.", size_human(all, whole)));
}

/* On a device of which nothing tells how much it has. */
static void
on_some_device(struct autopsy *y, enum autopsy_says kind)
{
	char bytes[SIZE_TEXT];

	if (y->log.paste.millions < MANY || y->log.paste.later.line || !is_of_device(y) || (y->main->facts & (TRACE_BACKWARD | TRACE_STEP)))
		return;
	autopsy_hint(y, kind, arena_printf(y->arena, "%s %s.%s%s", where_named(y), they_take(y), beside_card(y),
	    is_trained_whole(y) ? arena_printf(y->arena, " Where all of them are trained with Adam in mixed precision, they take, as a rule, with "
	    "their gradients and what it keeps, %s, on all devices together where those split them (FSDP, ZeRO).", size_human(bytes, weights_bytes(y, TRAINED_BYTES))) : on_told_card(y)));
}

/* What they take in training, where they are split among devices. */
static void
split(struct autopsy *y, enum autopsy_says kind)
{
	char bytes[SIZE_TEXT];

	if (y->log.paste.millions >= MANY && !y->log.paste.later.line && !y->main->host && is_trained_whole(y))
		autopsy_hint(y, kind, arena_printf(y->arena, "%s and all of them are trained with Adam in mixed precision, they take, as a rule, with their gradients and what it keeps, 16 bytes "
		    "each, %s, on all devices together%s, ahead of what forward keeps: where those have not as much, a smaller batch does not help.", where_named(y), size_human(bytes, weights_bytes(y, TRAINED_BYTES)),
		    y->log.paste.told.ram && !y->log.paste.told.device ? ", or, as far as they are offloaded, in the machine's memory" : ""));
}

/* They fit a device of TOTAL bytes, but not with what training keeps of each, where an adapter,
 * parts of them on each device, or fewer bits were not found. */
static void
trained_whole(struct autopsy *y, enum autopsy_says kind, int64_t total)
{
	int64_t whole = weights_bytes(y, TRAINED_BYTES);
	char bytes[SIZE_TEXT], have[SIZE_TEXT];

	if (whole <= total || !is_trained_whole(y))
		return;
	autopsy_cause(y, kind, arena_printf(y->arena, "%s and all of them are trained with Adam in mixed precision, they take, as a rule, "
	    "with their gradients and what it keeps, 16 bytes each, %s" WITH_PARTS(" on all devices together where those split them (FSDP, ZeRO)") ", which the device's %s has not" WITH_PARTS(" by itself") ": " WITH_PARTS("where one has to hold all of it, ") TRY BY_ANYTHING "an optimizer that keeps less (8 bits, Adafactor)" TRY BY_ADAPTER "fewer weights that are trained (LoRA)" TRY BY_SPLITTING
	    "more devices to split them (FSDP, ZeRO)" TRY BY_OFFLOADING "offloading" TRY_END " help; a smaller batch does not.", where_named(y), size_human(bytes, whole), size_human(have, total)));
}

/* They take most of a device of TOTAL bytes, or all of it. */
static void
filling(struct autopsy *y, enum autopsy_says kind, int64_t total)
{
	const struct oom_paste *p = &y->log.paste;
	const char *then;
	char have[SIZE_TEXT];

	if (!in_few_bits(p) && weights_bytes(y, HALF_BYTES) > total && (autopsy_had_steps(y) || p->quantizing || p->quantizes.line))
		return;			/* it had them there, or goes over them layer by layer */
	size_human(have, total);
	if (in_few_bits(p))
		then = "What a run keeps has to fit beside them.";
	else if (weights_bytes(y, HALF_BYTES) > total)
		then = arena_printf(y->arena, "In 16 bits that is more than the device's %s: " TRY BY_BITS "fewer bits" TRY BY_DEVICES "more devices" TRY BY_OFFLOADING "a part of "
		    "them in the machine's memory" TRY_END " help%s.", have, p->many_bits ? ", a smaller batch does not" : "");
	else
		then = arena_printf(y->arena, "In 16 bits that is most of the device's %s, and what a run keeps has to fit beside them: fewer bits, "
		    "or shorter and fewer inputs at once, leave more room.", have);
	autopsy_cause(y, kind, arena_printf(y->arena, "%s %s. %s%s", where_named(y), they_take(y), then, read_whole(y, total)));
}

void
autopsy_weights(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	enum autopsy_says kind = p->model_told ? SAYS_TOLD_WEIGHTS : SAYS_NAMED_WEIGHTS;
	int64_t total = autopsy_device_bytes(y);
	bool is_served = y->main->kind == OOM_KERNEL && (p->serves || p->quantizing || (p->loading.line && !autopsy_had_steps(y)));

	if (!y->main->host && y->log.served.weights >= LEAST_MEASURED)
		return;			/* a program measured them */
	if (p->millions <= 0 || y->lo >= NO_DEVICE || y->log.weights || y->log.trained || ((y->main->says || y->main->kind == OOM_KERNEL) && !is_served && !speaks_of_weights(y->main)))
		return;
	if (p->splits || p->shares)
		split(y, kind);
	else if (y->main->host)
		in_machine(y, kind);
	else if (total <= 0)
		on_some_device(y, kind);
	else if (weights_bytes(y, HALF_BYTES) < total / 2)
		trained_whole(y, kind, total);
	else
		filling(y, kind, total);
}
