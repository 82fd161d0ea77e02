/*
 * The engines of cuDNN for a program's convolutions, chosen while it is written, for a card that
 * need not be in this machine: cuDNN's heuristics and plans accept a description of a device (JSON,
 * since 9.8). The program carries the choice, checks it again when it starts, and asks cuDNN itself
 * where the card or the library refuses it; so a wrong guess here costs only that query.
 *
 * The library is loaded when it is needed, with dlopen(): Stowage neither needs cuDNN nor waits for
 * it to load. Without it, without its header when Stowage was built, or for a card of which too
 * little is known (target/gpu.c), a program is written without a choice.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "emit/program.h"

#ifdef HAVE_CUDNN

#include <cudnn.h>
#include <dlfcn.h>

struct dnn_api {		/* what of cuDNN is called, in conv/engine_cudnn.cu */
	cudnnStatus_t (*CreateDescriptor)(cudnnBackendDescriptorType_t, cudnnBackendDescriptor_t *);
	cudnnStatus_t (*DestroyDescriptor)(cudnnBackendDescriptor_t);
	cudnnStatus_t (*Finalize)(cudnnBackendDescriptor_t);
	cudnnStatus_t (*SetAttribute)(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t,
	    cudnnBackendAttributeType_t, int64_t, const void *);
	cudnnStatus_t (*GetAttribute)(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t,
	    cudnnBackendAttributeType_t, int64_t, int64_t *, void *);
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"	/* programs also take engines, dnn_take() */
#include "../../kernels/conv/engine_cudnn.cu"
#pragma GCC diagnostic pop

#include "base/text.h"
#include "target/gpu.h"
#include "ir/op.h"

/* ---- the card, as cuDNN wants it described: clocks do not differ enough to matter ---- */

static const char *
describe_card(struct arena *a, const struct gpu *gpu, const struct gpu_arch *g)
{
	return arena_printf(a,
	    "{\"deviceVer\":%d,\"driverVer\":13000,\"cudaDeviceId\":0,\"deviceName\":\"NVIDIA %s\","
	    "\"multiProcessorCount\":%d,\"warpSize\":32,\"regsPerBlock\":65536,"
	    "\"maxRegistersPerSM\":65536,\"maxSharedMemoryPerBlock\":49152,"
	    "\"maxSharedMemoryPerBlockOptin\":%d,\"reservedSharedMemoryPerBlock\":%d,"
	    "\"maxCtasPerSM\":%d,\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":%d,"
	    "\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64],"
	    "\"pciDeviceId\":0,\"isTccDriver\":0,\"supportCoopLaunch\":1,\"totalGlobalMem\":%lld,"
	    "\"smClockRateKHz\":1700000,\"memClockRateKHz\":3200000,\"l2CacheSize\":%lld}",
	    g->arch * 10, gpu->name, gpu->multiprocessors, g->shared, g->arch >= 80 ? 1024 : 0,
	    g->blocks, g->threads, (long long)gpu_memory(gpu), (long long)gpu->l2_mib << 20);
}

/* The description of the spec's device; NULL for one that is not known well enough. */
static const char *
description(struct arena *a, const struct device *d)
{
	const struct gpu *gpu = d->given && d->name ? gpu_find(d->name) : NULL;
	const struct gpu_arch *arch = gpu ? gpu_arch_find(gpu->arch) : NULL;

	return arch && arch->blocks && gpu->l2_mib ? describe_card(a, gpu, arch) : NULL;
}

/* ---- the library ---- */

struct library {
	void *handle;
	struct dnn_api api;
	struct dnn_device device;
	struct dnn own;		/* the description of the device */
	size_t (*version)(void);
};

static bool
find_function(void *handle, const char *name, void *pointer)
{
	void *found = dlsym(handle, name);

	memcpy(pointer, &found, sizeof(found));	/* ISO C has no cast from object to function */
	return found != NULL;
}

/* Once loaded it stays: loading takes longer than asking, and what unloading leaves behind adds
 * up. */
static bool
open_library(struct library *l)
{
	static const char *const place[] = { "libcudnn.so.9", CUDA_FOLDER "/lib64/libcudnn.so.9",
		CUDA_FOLDER "/lib/libcudnn.so.9" };
	size_t i;

	for (i = 0; i < sizeof(place) / sizeof(place[0]) && !l->handle; i++)
		l->handle = dlopen(place[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return l->handle &&
	    find_function(l->handle, "cudnnBackendCreateDescriptor", &l->api.CreateDescriptor) &&
	    find_function(l->handle, "cudnnBackendDestroyDescriptor", &l->api.DestroyDescriptor) &&
	    find_function(l->handle, "cudnnBackendFinalize", &l->api.Finalize) &&
	    find_function(l->handle, "cudnnBackendSetAttribute", &l->api.SetAttribute) &&
	    find_function(l->handle, "cudnnBackendGetAttribute", &l->api.GetAttribute) &&
	    find_function(l->handle, "cudnnGetVersion", &l->version);
}

static bool
describe_device(struct library *l, const char *json, int arch)
{
	cudnnBackendDescriptor_t d;

	l->device.api = &l->api;
	l->device.arch = arch;
	l->own.device = &l->device;
	d = dnn_make(&l->own, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
	dnn_set(&l->own, d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
	    (int64_t)strlen(json) + 1, json);
	dnn_finish(&l->own, d);
	l->device.described = d;
	return !l->own.status;
}

static void
close_library(struct library *l)
{
	if (l->own.device)
		dnn_free(&l->own, 0);
	if (l->handle)
		dlclose(l->handle);
}

/* ---- the choices ---- */

static void
put_record(struct emitter *e, const struct dnn_conv *c, const struct dnn_choice *choice)
{
	const struct conv *s = &c->s;
	const struct conv_view *v = &c->view;
	char keep[SIZE_TEXT];
	const char *depth = s->d ? arena_printf(e->module->arena, ", %d, %d, %d, %d, %d, %d", s->d, s->od, s->kd,
	    s->sz, s->front, s->dz) : "";
	int i;

	text_printf(e->out, "\t{ { %s, DNN_TYPE, DNN_FAST, %s, %s, %s, %s, %lld, %lld,\n"
	    "\t    { %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d%s }, "
	    "{ %d, %d, %d, %d, %d } },\n"
	    "\t  { %lld, %d, {", c->kind == DNN_FORWARD ? "DNN_FORWARD" : c->kind == DNN_INPUT ?
	    "DNN_INPUT" : "DNN_WEIGHT", c->bias ? "true" : "false",
	    c->relu ? "true" : "false", c->sums ? "true" : "false", emit_real(keep, c->keep, false),
	    (long long)c->room, (long long)c->b, s->c, s->h, s->w, s->f, s->oh, s->ow, s->kh,
	    s->kw, s->sy, s->sx, s->top, s->left, s->dy, s->dx, s->groups, s->last,
	    depth, v->h, v->w, v->aligned, v->down, v->across,
	    (long long)choice->engine, choice->knobs);
	for (i = 0; i < choice->knobs; i++)
		text_printf(e->out, "%s{%lld, %lld}", i ? ", " : " ",
		    (long long)choice->knob[i][0], (long long)choice->knob[i][1]);
	text_printf(e->out, "%s}, %lld } },\n", choice->knobs ? " " : "{0, 0}",
	    (long long)choice->workspace);
}

static bool
same(const struct convolution_note *a, const struct convolution_note *b)
{
	return a->kind == b->kind && a->bias == b->bias && a->relu == b->relu && a->sums == b->sums &&
	    a->keep == b->keep && a->room == b->room && a->b == b->b && memcmp(&a->s, &b->s, sizeof(a->s)) == 0 &&
	    memcmp(&a->view, &b->view, sizeof(a->view)) == 0;
}

/* Is V one of the first N? */
static bool
noted(const struct emitter *e, const struct convolution_note *v, int n)
{
	int k;

	for (k = 0; k < n; k++)
		if (same(&e->convolutions.v[k], v))
			return true;
	return false;
}

static void
put_choice(struct emitter *e, struct library *l, int i)
{
	struct convolution_note v = e->convolutions.v[i];
	const struct precision *precision = e->module->set.precision;
	struct dnn_conv c = { .kind = v.kind, .bias = v.bias, .relu = v.relu,
		.sums = v.sums, .keep = v.keep, .room = v.room, .b = v.b, .s = v.s, .view = v.view,
		.fast = precision->rounds_products,
		.type = (cudnnDataType_t)precision->element->cudnn };
	struct dnn_choice choice;
	struct dnn d;
	bool found;

	if (noted(e, &v, i))
		return;
	found = dnn_choose(&d, &l->device, &c, &choice);
	if (!found && v.sums) {		/* a sweep adds up, then */
		c.sums = v.sums = false;
		if (noted(e, &v, e->convolutions.n))
			return;		/* the same without sums has its own record */
		found = dnn_choose(&d, &l->device, &c, &choice);
	}
	e->engines.requested++;
	if (!found)
		return;
	e->engines.chosen++;
	dnn_free(&d, 0);
	put_record(e, &c, &choice);
}

static void
put_choices(struct emitter *e)
{
	const struct device *device = &e->module->set.device;
	const char *json = description(e->module->arena, device);
	int arch = json ? gpu_find(device->name)->arch : 0, i;
	struct library l = { 0 };

	l.device.any_order = e->module->set.any_order;
	if (json && open_library(&l) && describe_device(&l, json, arch)) {
		e->engines.arch = arch;
		e->engines.version = (int)l.version();
		for (i = 0; i < e->convolutions.n; i++)
			put_choice(e, &l, i);
	}
	close_library(&l);
}

#else

static void
put_choices(struct emitter *e)
{
	(void)e;
}

#endif

void
emit_engines(struct emitter *e)
{
	if (!emit_calls_libraries(e) || !e->convolutions.n)
		return;
	text_puts(e->out, "\n#ifdef USE_CUDNN\n"
	    "/* The engines chosen when this was written; where one is refused, and on other cards, cuDNN is asked. */\n"
	    "extern const struct dnn_record dnn_record[] = {\n");
	put_choices(e);
	text_printf(e->out, "\t{ { -1 } }\n};\n"
	    "extern const struct dnn_records_for dnn_records_for = { %d, %d };\n#endif\n",
	    e->engines.arch, e->engines.version);
}
