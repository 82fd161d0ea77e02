/*
 * Device sections: device { name "RTX 3090" }, device ci { memory 8GiB arch sm_86 }. Without
 * --device the unnamed section counts; --device names a section, or a card. A spec's own sections
 * come before those of its project.
 */
#include "lang/expander.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "target/gpu.h"
#include "lang/project.h"
#include "syntax/setting.h"

#define MOST_SUGGESTED	6
#define LARGEST_ARCH	999

static void
suggest_gpus(struct expander *ex, struct diag *g, const char *name)
{
	const struct gpu *gpu[MOST_SUGGESTED];
	int n = gpu_suggest(name, gpu, MOST_SUGGESTED), i;
	struct text t;

	text_init(&t, ex->a);
	for (i = 0; i < n; i++)
		text_printf(&t, "%s'%s'", i == 0 ? "" : i == n - 1 ? " or " : ", ", gpu[i]->name);
	if (n)
		diag_help(ex->d, g, "did you mean %s?", t.s);
	else
		diag_help(ex->d, g, "say what it has instead: memory 24GiB  arch sm_86");
}

static void
use_gpu(struct device *d, const struct gpu *gpu)
{
	d->name = gpu->name;
	d->memory = gpu_memory(gpu);
	d->arch = gpu->arch;
}

void
device_name(struct expander *ex, const struct setting *st, struct device *d)
{
	struct value v = setting_value(ex, st->value[0]);
	const struct gpu *gpu;

	if (v.kind == V_POISON)
		return;
	if (v.kind != V_STRING) {
		ex_error(ex, "settings", st->value[0]->loc, "a card's name is text: "
		    "name \"RTX 3090\"");
		return;
	}
	gpu = gpu_find(v.text);
	if (!gpu) {
		struct diag *g = ex_error(ex, "settings", st->value[0]->loc,
		    "no card is known by the name \"%s\"", v.text);

		suggest_gpus(ex, g, v.text);
		return;
	}
	use_gpu(d, gpu);
	d->loc = st->loc;
}

void
device_memory(struct expander *ex, const struct setting *st, struct device *d)
{
	struct value v = setting_value(ex, st->value[0]);
	int64_t bytes;

	if (!want_bytes(ex, &v, "memory", 1, LARGEST_BYTES, &bytes))
		return;
	d->memory = bytes;
	d->loc = st->loc;
}

void
device_arch(struct expander *ex, const struct setting *st, struct device *d)
{
	struct value v = setting_value(ex, st->value[0]);
	const char *s = v.kind == V_WORD || v.kind == V_STRING ? v.text : "";
	char *end, known[512];
	struct diag *g;
	long n = 0;

	if (v.kind == V_POISON)
		return;
	if (strncmp(s, "sm_", 3) == 0) {
		n = strtol(s + 3, &end, 10);
		if (*end)
			n = 0;
	}
	if (n < 1 || n > LARGEST_ARCH)
		ex_error(ex, "settings", st->value[0]->loc, "an architecture is written sm_86");
	else if (!gpu_arch_find((int)n)) {
		g = ex_error(ex, "settings", st->value[0]->loc, "there is no architecture %s", s);
		gpu_arch_list(known, (int)sizeof(known));
		diag_help(ex->d, g, "there are: %s", known);
	} else
		d->arch = (int)n;
}

static const struct section *
chosen(struct expander *ex)
{
	return file_first_section(ex->spec->file, SEC_DEVICE, ex->opt->device);
}

static void
unknown_device(struct expander *ex)
{
	const struct file *f = ex->spec->file;
	struct diag *g = ex_error(ex, "settings", (struct loc){ NULL, 0, 0 },
	    "--device %s: neither a device section nor a card's name", ex->opt->device);
	const struct project *p = ex->opt->project;
	const char *word = ex->opt->device;
	struct names names = { NULL, 0, 0 };
	int64_t bytes;
	int i;

	if (size_parse(word, &bytes) && word[strspn(word, "0123456789")]) {	/* 8000 is rather a card */
		diag_help(ex->d, g, "memory stands in the spec, as device { memory 8GiB }; fit has --memory SIZE");
		return;
	}
	for (i = 0; i < f->sections.n; i++)
		if (f->sections.v[i]->kind == SEC_DEVICE && f->sections.v[i]->name.text)
			names_add(ex->a, &names, f->sections.v[i]->name.text);
	for (i = 0; p && i < p->devices.n; i++)
		if (p->devices.v[i].name)
			names_add(ex->a, &names, p->devices.v[i].name);
	if (!names_suggest(ex, g, ex->opt->device, &names))
		suggest_gpus(ex, g, ex->opt->device);
}

/* Does it say how much memory, if only by something that could not be read? */
static bool
tries_memory(const struct section *s)
{
	int i;

	for (i = 0; i < s->nsettings; i++)
		if (strcmp(s->setting[i].key.text, "memory") == 0 ||
		    strcmp(s->setting[i].key.text, "name") == 0)
			return true;
	return false;
}

void
device_section(struct expander *ex, const struct section *s, struct device *d)
{
	int i, before = ex->d->errors;
	const struct setting_kind *kind;

	d->given = true;
	for (kind = setting_kinds; kind->key; kind++)	/* the name first: the rest may differ */
		for (i = 0; i < s->nsettings && kind->device; i++)
			if (strcmp(s->setting[i].key.text, kind->key) == 0)
				kind->device(ex, &s->setting[i], d);
	if (!d->name)
		d->name = s->name.text;
	if (d->memory == 0) {
		d->given = false;
		if (ex->d->errors == before && !tries_memory(s))
			diag_help(ex->d, ex_error(ex, "settings", s->head, "a device needs a name or its memory"),
			    "written: device { name \"RTX 3090\" } or device { memory 24GiB }");
	}
}

void
device_read(struct expander *ex, struct settings *set)
{
	const char *name = ex->opt->device;
	const struct section *s = chosen(ex);
	const struct project_device *project = project_device(ex->opt->project, name);
	const struct gpu *gpu;

	if (s) {
		device_section(ex, s, &set->device);
	} else if (project) {
		set->device = project->device;
	} else if (name && (gpu = gpu_find(name))) {
		use_gpu(&set->device, gpu);
		set->device.given = true;
	} else if (name) {
		unknown_device(ex);
	}
}
