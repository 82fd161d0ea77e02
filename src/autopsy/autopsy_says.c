/* Under which head a sentence stands, by what its kind rests on: see autopsy_says.h. */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"

#define MACS_LISTER	"Activity Monitor"
#define ANY_LISTER	"the driver's tool (nvidia-smi, rocm-smi)"

static const struct {
	const char *name, *evidence;
	enum rests rests;
} kinds[SAYS_KINDS] = {
#define KIND(kind, on, what)	[SAYS_ ## kind] = { #kind, what, RESTS_ ## on },
	AUTOPSY_SAYS(KIND)
#undef KIND
};

enum rests
autopsy_rests(enum autopsy_says kind)
{
	return kinds[kind].rests;
}

const char *
autopsy_rests_name(enum rests rests)
{
	static const char *const name[] = { [RESTS_FIGURES] = "figures", [RESTS_WORDING] = "wording", [RESTS_PLACE] = "place",
	    [RESTS_NAME] = "name", [RESTS_SHAPE] = "shape", [RESTS_STATISTICS] = "statistics", [RESTS_SPEC] = "spec",
	    [RESTS_LINE] = "line", [RESTS_WORDS] = "words" };

	return name[rests];
}

const char *
autopsy_says_name(enum autopsy_says kind)
{
	return kinds[kind].name;
}

const char *
autopsy_says_evidence(enum autopsy_says kind)
{
	return kinds[kind].evidence;
}

const char *
autopsy_lister(const struct oom_message *o)
{
	static const struct {
		const char *who, *lister;
	} makers[] = {
		{ "HIP", "rocm-smi" }, { "ROCm", "rocm-smi" }, { "amdgpu", "rocm-smi" }, { "XPU", "xpu-smi" }, { "Level Zero", "xpu-smi" }, { "NPU", "npu-smi" }, { "Ascend", "npu-smi" }, { "MindSpore", "npu-smi or nvidia-smi" }, { "Gaudi", "hl-smi" },
		{ "a GPU", ANY_LISTER }, { "OpenCL", ANY_LISTER }, { "Vulkan", ANY_LISTER }, { "SYCL", ANY_LISTER },
		{ "wgpu", ANY_LISTER }, { "DirectML", ANY_LISTER }, { "ggml", ANY_LISTER }, { NULL, NULL }
	};
	int i;

	for (i = 0; makers[i].who; i++)
		if (strstr(o->who, makers[i].who))
			return makers[i].lister;
	return o->kind == OOM_MPS ? MACS_LISTER : o->kind == OOM_TOLD || o->kind == OOM_OTHER ? ANY_LISTER : "nvidia-smi";
}

/* The same, where what stands beside the message tells of a board or a computer that has none of
 * these. */
static const char *
lister(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const char *name = autopsy_lister(y->main);

	if (p->jetson && strcmp(name, "nvidia-smi") == 0)
		return "tegrastats";
	return p->mac && !p->told.gpu && strcmp(name, ANY_LISTER) == 0 ? MACS_LISTER : name;
}

const char *
autopsy_named_lister(const struct autopsy *y, const char *text)
{
	const char *s = text, *to;
	struct text t;

	if (!strstr(text, LISTER))
		return text;
	text_init(&t, y->arena);
	for (; (to = strstr(s, LISTER)); s = to + strlen(LISTER))
		text_printf(&t, "%.*s%s", (int)(to - s), s, lister(y));
	text_puts(&t, s);
	return t.s;
}

void
autopsy_cause(struct autopsy *y, enum autopsy_says kind, const char *text)
{
	text = autopsy_named_lister(y, text);
	if (kinds[kind].rests >= RESTS_LINE)
		vec_push(y->arena, &y->reported, ((struct sentence){ text, kind }));
	else
		vec_push(y->arena, &y->causes, ((struct sentence){ text, kind }));
	y->lines += kinds[kind].rests == RESTS_LINE;
}

void
autopsy_hint(struct autopsy *y, enum autopsy_says kind, const char *text)
{
	autopsy_cause(y, kind, text);
	y->hints++;
}
