/* A document checked as `stowage lint` checks a file, with the texts that are open in place of their files. */
#include "lsp/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "cli/lint_check.h"
#include "cli/lint_projects.h"
#include "lsp/known.h"
#include "lsp/publish.h"

/* The texts of all open documents. */
static const struct unsaved *
unsaved_texts(struct server *s, struct arena *a)
{
	struct unsaved *all = NULL;
	struct document *d;

	for (d = s->documents; d; d = d->next) {
		struct unsaved *one = ARENA_NEW(a, struct unsaved);

		*one = (struct unsaved){ .path = filename_absolute(a, d->path), .text = d->text.text,
			.size = d->text.n, .next = all };
		all = one;
	}
	return all;
}

static struct lint_check *
check(struct server *s, struct document *d, struct arena *a, struct known *known)
{
	struct lint_check *l = ARENA_NEW(a, struct lint_check);
	struct lint_given *given = ARENA_NEW(a, struct lint_given);
	struct compile_args *compile = ARENA_NEW(a, struct compile_args);
	struct projects *projects = ARENA_NEW(a, struct projects);

	given->fail_on = -1;
	*compile = (struct compile_args)COMPILE_DEFAULTS;
	compile->unsaved = unsaved_texts(s, a);
	*projects = (struct projects){ .arena = a, .given = given };
	*l = (struct lint_check){ .arena = a, .given = given, .compile = compile,
		.project = projects_for(projects, d->path), .known = known };
	lint_check(l, source_from_text(a, d->path, d->text.text, d->text.n));
	return l;
}

struct lint_check *
check_document(struct server *s, struct document *d, struct arena *a)
{
	return check(s, d, a, NULL);
}

/* Adds them by their files. What has no place of its own is said of the document. */
static void
add_findings(const struct server *s, const struct document *d, const struct diags *found, json_t *all)
{
	json_t *list;
	int i;

	for (i = 0; i < found->all.n; i++) {
		const struct diag *g = found->all.v[i];
		json_t *uri = g->loc.src ? source_uri(s, g->loc.src) : json_string(d->uri);

		if (!(list = json_object_get(all, json_string_value(uri))))
			json_object_set_new(all, json_string_value(uri), list = json_array());
		json_array_append_new(list, finding_json(s, g));
		json_decref(uri);
	}
}

/* The mistakes of the project file too, which is read with defaults in their places. */
static json_t *
all_findings(const struct server *s, const struct document *d, const struct lint_check *l)
{
	json_t *all = json_pack("{s:[]}", d->uri);

	add_findings(s, d, &l->made.diags, all);
	if (l->project->project && l->project->broken)
		add_findings(s, d, &l->project->project->diags, all);
	return all;
}

/* What it uses, by one spelling for one file. */
static json_t *
files_of(const struct spec *spec)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < spec->imported.n; i++) {
		const char *path = spec->imported.v[i]->src->path;
		char *real = realpath(path, NULL);

		json_array_append_new(list, json_string(real ? real : path));
		free(real);
	}
	return list;
}

void
analyse(struct server *s, struct document *d, FILE *out)
{
	struct arena *a = arena_new();
	struct known_findings known;
	struct known_text facts;
	struct lint_check *l;
	jmp_buf failed;

	if (!a)
		return;
	known_findings_init(&known, a, &d->known_findings);
	known_text_init(&facts, a, &d->known_facts);
	if (!setjmp(failed)) {
		arena_on_failure(a, &failed);
		l = check(s, d, a, &known.known);
		job_say(out, json_pack("{s:o, s:o}", "findings", all_findings(s, d, l), "files",
		    files_of(l->made.spec)));
		job_keep(out, KEEP_FINDINGS, known_findings_said(l, &known));
		facts_say(l, &facts, out);
	}
	known_text_free(&known.text);
	known_text_free(&facts);
	arena_free(a);
}
