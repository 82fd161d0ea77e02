/*
 * Laws that hold for every operator, looped over the registry: each is documented, its presets
 * read, its record found by name; and over the networks of tests/ops: backward reads of its
 * forward node only what `saves` names.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "lang/expand.h"
#include "ir/op.h"
#include "ops/usage.h"
#include "passes/passes.h"

static bool
is_named_in_specs(const struct op *op)
{
	return op->kind != OP_INTERNAL;
}

Test(ops, records_are_complete)
{
	int i, j;

	for (i = 0; op_table[i]; i++) {
		const struct op *op = op_table[i];

		cr_assert_eq(op_find(op->name), op, "%s is not found by its name", op->name);
		cr_assert(op->brief && *op->brief, "%s has no brief", op->name);
		cr_assert(!op->calls.kernels || op->calls.emit, "%s names kernels but emits nothing", op->name);
		if (is_named_in_specs(op)) {
			cr_assert(op->doc && strlen(op->doc) > 40, "%s is not documented", op->name);
			cr_assert_neq(!op->shape, !op->expand, "%s has no shape rule, or two", op->name);
		}
		for (j = 0; j < op_nattrs(op); j++) {
			struct attr a;

			cr_assert(op->attrs[j].doc && *op->attrs[j].doc, "%s(%s) is not documented",
			    op->name, op->attrs[j].name);
			cr_assert(op_attr_preset(&op->attrs[j], &a), "%s(%s): bad preset", op->name,
			    op->attrs[j].name);
		}
		cr_assert_leq(op_nattrs(op), MAX_ATTRS);
	}
	cr_assert_gt(i, 60);
}

/* Is T a tensor of the forward node that backward has no business with? */
static bool
is_unsaved(const struct node *forward, const struct tensor *t)
{
	const struct node *def = t->def;
	int k;

	if (def && def->phase == PHASE_BACKWARD && op_is_view(def->op)) {
		t = def->in[0];		/* under another shape */
		def = t->def;
	}
	if (def && def->phase == PHASE_BACKWARD && def->forward == forward && !def->again)
		return false;		/* backward itself has made it, such as the states of an lstm */
	for (k = 0; def && def->again && k < def->nout; k++)
		if (def->out[k] == t)
			t = def->again->out[k];	/* made again: what counts is what it stands for */
	for (k = 0; k < forward->nin; k++)
		if (forward->in[k] == t && (forward->op->gradient.saves & SAVES_IN(k)))
			return false;
	for (k = 0; k < forward->nout; k++)
		if (forward->out[k] == t && (forward->op->gradient.saves & SAVES_OUT(k)))
			return false;
	return t->kind != T_DELTA && t->kind != T_GRADIENT;
}

static int
check_spec(const char *path)
{
	struct arena *a = arena_new();
	/* they join the gradients of several nodes, of which only one is known as forward */
	const char *without[] = { "fuse-activation", "join-gradients" };
	struct pass_options o = { .target = target_find("c"), .threads = 1, .input_gradients = true,
		.without = without, .nwithout = 2 };
	struct diags d;
	struct spec *spec;
	struct module *m;
	const char *why;
	int i, j, read = 0;

	diags_init(&d, a);
	spec = spec_load(a, &d, source_read(a, path, &why), NULL);
	cr_assert_eq(spec->modules.n, 1);
	m = spec->modules.v[0];
	cr_assert(passes_run(m, &o), "%s", path);
	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if (n->phase != PHASE_BACKWARD || !n->forward)
			continue;
		for (j = 0; j < n->nin; j++) {
			if (!n->in[j])
				continue;
			cr_assert_not(is_unsaved(n->forward, n->in[j]),
			    "%s: %s reads '%s', which %s does not save", path, n->op->name,
			    n->in[j]->name, n->forward->op->name);
			read++;
		}
	}
	arena_free(a);
	return read;
}

Test(ops, backward_reads_only_what_is_saved)
{
	const char *top = getenv("top_srcdir");
	struct arena *a = arena_new();
	const char *folder = arena_printf(a, "%s/tests/ops", top ? top : ".");
	DIR *dir = opendir(folder);
	struct dirent *e;
	int read = 0;

	cr_assert_not_null(dir);
	while ((e = readdir(dir)))
		if (strstr(e->d_name, ".nn"))
			read += check_spec(arena_printf(a, "%s/%s", folder, e->d_name));
	closedir(dir);
	arena_free(a);
	cr_assert_gt(read, 100);
}

/* "where(condition, yes, no)": of names between the brackets, whether they are given a default or
 * not. */
Test(ops, usage_has_each_name_once)
{
	struct arena *a = arena_new();
	int i;

	for (i = 0; op_table[i]; i++) {
		struct text t;
		char *word, *at, *names[64];
		int n = 0, k;

		text_init(&t, a);
		op_usage(&t, op_table[i]);
		if (op_table[i]->kind == OP_INTERNAL || !(at = strchr(t.s, '(')))
			continue;
		for (word = strtok(at + 1, ", \n)[]"); word && n < 64; word = strtok(NULL, ", \n)[]")) {
			word[strcspn(word, "=")] = '\0';
			for (k = 0; k < n; k++)
				cr_expect(strcmp(names[k], word) != 0 || strcmp(word, "...") == 0, "%s: '%s' twice",
				    op_table[i]->name, word);
			names[n++] = word;
		}
	}
	arena_free(a);
}
