/*
 * The program that lists who has a device, by its maker: of the message's words, or of what stands
 * beside it.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#define MACS_LISTER	"Activity Monitor"
#define ANY_LISTER	"the driver's tool (nvidia-smi, rocm-smi --showpids)"
#define WINDOWS_LISTER	"the Task Manager"
#define AMDS_LISTER	"rocm-smi --showpids"
#define INTELS_LISTER	"xpu-smi ps"
#define JETSONS_LISTER	"jtop (of jetson-stats)"
#define GOOGLES_LISTER	"tpu-info"

/* Where the message does not tell the maker of the device: whose tool it is by what stands beside
 * it, where that names one alone. */
static const char *
makers_lister(const struct oom_paste *p)
{
	int makers = (p->nvidia != 0) + (p->amd != 0) + (p->intel != 0);

	if (p->mac && makers == 0)
		return MACS_LISTER;
	if (makers == 0 && p->cuda)
		return "nvidia-smi";
	if (p->windows && makers == 1 && !p->nvidia)
		return WINDOWS_LISTER;		/* where ROCm's tool is not */
	if (makers == 0 && p->tpu)
		return GOOGLES_LISTER;
	if (p->mac || makers != 1)
		return ANY_LISTER;
	return p->nvidia ? "nvidia-smi" : p->amd ? AMDS_LISTER : INTELS_LISTER;
}

const char *
autopsy_lister(const struct autopsy *y)
{
	static const struct {
		const char *who, *lister;
	} makers[] = {
		{ "HIP", AMDS_LISTER }, { "MIOpen", AMDS_LISTER }, { "ROCm", AMDS_LISTER }, { "amdgpu", AMDS_LISTER }, { "XPU", INTELS_LISTER }, { "Level Zero", INTELS_LISTER }, { "NPU", "npu-smi" }, { "Ascend", "npu-smi" },
		{ "MindSpore", "npu-smi or nvidia-smi" }, { "Gaudi", "hl-smi" }, { "a GPU", NULL }, { "OpenCL", NULL }, { "Vulkan", NULL }, { "SYCL", NULL }, { "wgpu", NULL },
		{ "DirectML", WINDOWS_LISTER }, { "ggml", NULL }, { "LAMMPS", NULL }, { "Blender", NULL },
	};
	const struct oom_message *o = y->main;
	const struct oom_paste *p = &y->log.paste;
	const char *name = o->kind == OOM_MPS ? MACS_LISTER : o->kind == OOM_TOLD || o->kind == OOM_OTHER || o->host ? NULL : "nvidia-smi";
	size_t i;

	for (i = 0; i < sizeof(makers) / sizeof(*makers) && !strstr(o->who, makers[i].who); i++)
		;
	if (i < sizeof(makers) / sizeof(*makers))
		name = makers[i].lister;
	else if (o->kind == OOM_TENSORFLOW || o->kind == OOM_TF_ALLOCATOR || o->kind == OOM_XLA || o->kind == OOM_ONNX)	/* of any maker's */
		name = strcmp(makers_lister(p), ANY_LISTER) == 0 ? name : NULL;
	if (name && strcmp(name, "nvidia-smi") == 0 && p->amd && !p->nvidia && o->kind == OOM_CUDA)
		name = p->windows ? WINDOWS_LISTER : ANY_LISTER;	/* what CUDA is called by may stand on another's */
	name = name ? name : makers_lister(p);
	return p->jetson && strcmp(name, "nvidia-smi") == 0 ? JETSONS_LISTER : name;
}
