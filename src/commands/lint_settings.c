/*
 * lint --show-settings: the settings of a spec, each line with their origin.
 *
 *     specs/unet.nn
 *       project file         .stowage
 *       device               RTX 3090, 24.00 GiB           .stowage:1
 *       as                   pytorch                       .stowage:4
 *       fail_on              warning                       .stowage:5
 *       last-batch           off                           .stowage:3
 */
#include <stdio.h>
#include <string.h>

#include "base/filename.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/lint_check.h"
#include "lint/catalog.h"

static const char *
place(struct arena *a, struct loc loc)
{
	return loc.src ? arena_printf(a, "%s:%d", loc.src->path, loc_line(loc)) : "default";
}

static void
row(FILE *f, const char *what, const char *value, const char *from)
{
	int n = (int)strlen(value);

	fprintf(f, "  %-24s ", what);
	print_visible(f, value);
	fprintf(f, "%*s", n < 32 ? 33 - n : 1, "");
	print_visible(f, from);
	putc('\n', f);
}

static const char *
joined(struct arena *a, const struct config_words *w)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < w->all.n; i++)
		text_printf(&t, "%s%s", i ? ", " : "", w->all.v[i].text);
	return t.n ? t.s : "none";
}

static struct loc
first_loc(const struct config_words *w)
{
	return w->all.n ? w->all.v[0].loc : (struct loc){ NULL, 0, 0 };
}

static void
show_device(struct arena *a, FILE *f, const struct lint_check *l, const struct file *file)
{
	const char *name = l->compile->device;
	const struct section *own = file_first_section(file, SEC_DEVICE, name);
	const struct project_device *d = project_device(l->project->project, name);
	char size[SIZE_TEXT];

	if (own)
		row(f, "device", own->name.text ? own->name.text : "the spec's own",
		    place(a, own->head));
	else if (d)
		row(f, "device", arena_printf(a, "%s%s%s", d->device.name ? d->device.name : "",
		    d->device.name ? ", " : "", size_human(size, d->device.memory)),
		    place(a, d->loc));
	else
		row(f, "device", name ? name : "none", name ? "--device" : "default");
}

static void
show_flag(struct arena *a, FILE *f, const char *what, const struct config_flag *flag, bool given,
    const char *option)
{
	if (given)
		row(f, what, flag->on ? "false" : "true", option);
	else
		row(f, what, flag->on ? "true" : "false", place(a, flag->loc));
}

static const char *
fatal_name(int fatal)
{
	int i;

	for (i = 0; config_fail_on(i) != fatal; i++)
		;
	return config_fail_on_name(i);
}

static void
show_levels(struct arena *a, FILE *f, const struct levels *levels)
{
	int i;

	for (i = 0; rule_at(i); i++) {
		const struct level_of *l = &levels->rule[i];

		if (l->from.src || l->option)
			row(f, rule_at(i)->name, level_name(l->level),
			    l->option ? l->option : place(a, l->from));
	}
}

void
lint_show_settings(const struct lint_check *l, struct source *source, FILE *f)
{
	const struct lint_config *c = l->project->config;
	const struct lint_given *given = l->given;
	struct arena *a = l->arena;
	struct config_words own_as = { .all = { NULL, 0, 0 } };
	struct level_layer own = { .words = { NULL, 0, 0 } };
	const struct file *file;
	struct diags quiet;
	int i;

	diags_init(&quiet, a);
	file = parse_file(a, &quiet, source);
	config_of_spec(a, &quiet, file, &own, &own_as);
	print_visible(f, source->path);
	putc('\n', f);
	row(f, "project file", l->project->path ? l->project->project->file->src->path : "none",
	    l->compile->config ? "--config" : l->compile->no_config ? "--no-config" :
	    l->project->path ? "nearest" : "");
	show_device(a, f, l, file);
	if (given->as.n)
		for (i = 0; i < given->as.n; i++)
			row(f, i ? "" : "as", given->as.word[i], "--as");
	else if (own_as.all.n)
		row(f, "as", joined(a, &own_as), place(a, first_loc(&own_as)));
	else
		row(f, "as", joined(a, &c->as), place(a, first_loc(&c->as)));
	row(f, "fail_on", fatal_name(lint_fatal(l)), given->fail_on >= 0 ? "--fail-on" :
	    place(a, c->fail_on_loc));
	show_flag(a, f, "require_reason", &c->require_reason, given->require_reason &&
	    !c->require_reason.on, "--require-reason");
	show_flag(a, f, "inline_suppressions", &c->inline_suppressions, given->no_suppressions &&
	    c->inline_suppressions.on, "--no-inline-suppressions");
	row(f, "baseline", l->project->baseline ?
	    filename_shown(a, l->project->baseline->path) : "none",
	    given->baseline ? "--baseline" : place(a, c->baseline.loc));
	row(f, "exclude", joined(a, &c->exclude), place(a, first_loc(&c->exclude)));
	show_levels(a, f, lint_levels(a, &quiet, c, given, &file, 1, NULL)[0]);
}
