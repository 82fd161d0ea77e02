/* A document checked as `stowage lint` checks a file, with the texts that are open in place of
 * their files. */
#include "lsp/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "cli/lint_check.h"
#include "cli/lint_projects.h"
#include "cli/model.h"
#include "lsp/known.h"
#include "lsp/models.h"
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

bool
is_project_file(const struct document *d)
{
	const char *slash = strrchr(d->path, '/');

	return strcmp(slash ? slash + 1 : d->path, PROJECT_FILE) == 0;
}

static struct projects *
projects_new(struct arena *a, const struct unsaved *unsaved)
{
	struct projects *p = ARENA_NEW(a, struct projects);
	struct lint_given *given = ARENA_NEW(a, struct lint_given);

	given->fail_on = -1;
	*p = (struct projects){ .arena = a, .given = given, .mistakes = ARENA_NEW(a, struct diags),
		.unsaved = unsaved };
	diags_init(p->mistakes, a);
	return p;
}

/* SOURCE is its text, or what a model is taken as. The mistakes of its project file and baseline go
 * to *MISTAKES. */
static struct lint_check *
check(struct server *s, struct document *d, struct arena *a, struct source *source, struct known *known, struct diags **mistakes)
{
	struct lint_check *l = ARENA_NEW(a, struct lint_check);
	struct compile_args *compile = ARENA_NEW(a, struct compile_args);
	struct projects *projects;

	*compile = (struct compile_args)COMPILE_DEFAULTS;
	compile->unsaved = unsaved_texts(s, a);
	compile->operators = s->operators;
	projects = projects_new(a, compile->unsaved);
	*mistakes = projects->mistakes;
	*l = (struct lint_check){ .arena = a, .given = projects->given, .compile = compile,
		.project = projects_for(projects, d->path), .known = known };
	lint_check(l, source);
	return l;
}

static struct source *
text_of(struct document *d, struct arena *a)
{
	return source_from_text(a, d->path, d->text.text, d->text.n);
}

struct lint_check *
check_document(struct server *s, struct document *d, struct arena *a)
{
	struct diags *mistakes;
	struct model_told told;
	struct source *source = document_is_model(d) ? document_model(d, a, &told) : text_of(d, a);

	return source ? check(s, d, a, source, NULL, &mistakes) : NULL;
}

/* Adds them by their files. What has no place of its own is said of the document. */
static void
add_findings(const struct server *s, const struct document *d, struct diags *found, json_t *all)
{
	json_t *list;
	int i;

	diags_sort(found);
	for (i = 0; i < found->all.n; i++) {
		const struct diag *g = found->all.v[i];
		json_t *uri = g->loc.src ? source_uri(s, g->loc.src) : json_string(d->uri);

		if (!(list = json_object_get(all, json_string_value(uri))))
			json_object_set_new(all, json_string_value(uri), list = json_array());
		json_array_append_new(list, finding_json(s, g));
		json_decref(uri);
	}
}

/* ALL, by address, which it takes, and the FILES that are used. */
static void
say_findings(FILE *out, json_t *all, json_t *files)
{
	json_t *uris = json_array(), *list;
	const char *uri;

	json_object_foreach(all, uri, list)
		json_array_append_new(uris, json_string(uri));
	job_say(out, json_pack("{s:o, s:o}", "findings", uris, "files", files));
	json_object_foreach(all, uri, list)
		job_say(out, json_incref(list));
	json_decref(all);
}

/* By one spelling for one file; NULL: none. */
static void
add_file(json_t *list, const char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;

	if (path)
		json_array_append_new(list, json_string(real ? real : path));
	free(real);
}

/* What it uses: a change of these may change what is found. SPEC may be NULL. */
static json_t *
files_of(const struct spec *spec, const struct lint_project *project)
{
	json_t *list = json_array();
	int i;

	for (i = 0; spec && i < spec->imported.n; i++)
		if (!spec->imported.v[i]->src->shipped)
			add_file(list, spec->imported.v[i]->src->path);
	add_file(list, project->path);
	add_file(list, project->config->baseline.text);
	return list;
}

/* The mistakes of the project file and the baseline too: both are read with defaults in their
 * places. */
static void
analyse_spec(struct server *s, struct document *d, struct arena *a, struct known_findings *known,
    struct known_text *facts, FILE *out)
{
	struct diags *mistakes;
	struct lint_check *l = check(s, d, a, text_of(d, a), &known->known, &mistakes);
	json_t *all = json_pack("{s:[]}", d->uri);

	add_findings(s, d, &l->made.diags, all);
	add_findings(s, d, mistakes, all);
	say_findings(out, all, files_of(l->made.spec, l->project));
	job_keep(out, KEEP_FINDINGS, known_findings_said(l, known));
	facts_say(l, facts, out);
}

/* What is told of it, and if that is a spec, what is found in this. */
static void
analyse_model(struct server *s, struct document *d, struct arena *a, struct known_text *facts, FILE *out)
{
	struct model_told told;
	struct source *source = document_model(d, a, &told);
	json_t *all = json_pack("{s:[]}", d->uri);
	struct lint_check *l = NULL;
	struct diags *mistakes;

	add_told(s, d, &told, json_object_get(all, d->uri));
	if (source) {
		l = check(s, d, a, source, NULL, &mistakes);
		add_findings(s, d, &l->made.diags, all);
		add_findings(s, d, mistakes, all);
	}
	say_findings(out, all, l ? files_of(l->made.spec, l->project) : json_array());
	if (l)
		facts_say(l, facts, out);
	else
		job_say(out, json_pack("{s:{}}", "facts"));
}

/* A project file has nothing to plan, and no rule looks at it. */
static void
analyse_project(struct server *s, struct document *d, struct arena *a, FILE *out)
{
	struct projects *p = projects_new(a, unsaved_texts(s, a));
	const struct lint_project *project = projects_for(p, d->path);
	json_t *all = json_pack("{s:[]}", d->uri);

	add_findings(s, d, p->mistakes, all);
	say_findings(out, all, files_of(NULL, project));
	job_say(out, json_pack("{s:{}}", "facts"));
}

void
analyse(struct server *s, struct document *d, FILE *out)
{
	struct arena *a = arena_new();
	struct known_findings known;
	struct known_text facts;
	jmp_buf failed;

	if (!a)
		return;
	s->compared = (struct compared){ NULL, NULL };
	known_findings_init(&known, a, &d->known_findings);
	known_text_init(&facts, a, &d->known_facts);
	if (!setjmp(failed)) {
		arena_on_failure(a, &failed);
		if (is_project_file(d))
			analyse_project(s, d, a, out);
		else if (document_is_model(d))
			analyse_model(s, d, a, &facts, out);
		else
			analyse_spec(s, d, a, &known, &facts, out);
	}
	known_text_free(&known.text);
	known_text_free(&facts);
	arena_free(a);
}
