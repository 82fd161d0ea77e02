/*
 * A fuzzer of project files; see fuzz.h. A text is read as .stowage, its lint section as a spec's
 * too. Mistakes have a place in it; what is taken has known words only; and the levels of any file
 * are what its parts say, one after the other.
 */
#include "lint/catalog.h"
#include "lint/config.h"

#include "tree.h"

static const char *const words[] = {
	" ", "\n", ", ", "{", "}", "\"", "lint {\n", "lint \"old\" {\n", "lint \"**/x?/*.nn\" { ignore all }\n",
	"lint legacy { }\n", "lint \"\" { }\n", "lint \"/\" { }\n", "device {\n", "device small { memory 1GiB }\n",
	"device { name \"rtx 3090\" }\n", "name \"A100\"\n", "memory 8GiB\n", "memory 0\n", "memory 99999999999TiB\n",
	"arch sm_86\n", "arch \"sm_90\"\n", "reserve 1GiB\n", "train { batch 2 }\n", "use \"a.nn\"\n", "param p = 1\n",
	"select all\n", "ignore all\n", "ignore \"oom\", memory\n", "note \"SW101\"\n", "warning hygiene\n",
	"error \"last-batch\"\n", "error \"syntax\"\n", "ignore last-batch\n", "ignore \"last-bach\"\n", "as pytorch\n",
	"as keras, \"tensorflow\"\n", "as torch\n", "fail_on warning\n", "fail_on never, error\n", "fail_on 3\n",
	"require_reason true\n", "inline_suppressions false\n", "require_reason 1\n", "exclude \"third_party\"\n",
	"exclude \"a*b\", \"**\"\n", "exclude x\n", "baseline \"../base\"\n", "baseline \"\"\n", "off \"oom\"\n",
	"# comment\n", "true", "3", "performance", "memory", "all", "\"dead-layer\"", "\\", "\xff", "\xc3\xa9",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(fuzz_below(4) ? 4 : 20); edits > 0; edits--)
		if (nfrom && fuzz_below(12) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 200);
		else
			fuzz_edit(t, words, COUNT_OF(words), 20);
}

static void
check_layer(const struct level_layer *layer)
{
	int i;

	for (i = 0; i < layer->words.n; i++)
		if (!selection_name(&layer->words.v[i].what))
			fuzz_failed("a word that stands for nothing");
}

/* Errors of the language stay, whatever is said of them. */
static void
check_levels(const struct levels *l)
{
	int i;

	for (i = 0; rule_at(i); i++)
		if (!rule_has_level(rule_at(i)) && l->rule[i].level != LEVEL_OWN)
			fuzz_failed("an error of the language has another level");
		else if (l->rule[i].level < LEVEL_OWN || l->rule[i].level > LEVEL_ERROR)
			fuzz_failed("a level that is none");
}

static void
check_files(struct arena *a, const struct lint_config *c, const struct level_layer *own)
{
	static const char *const path[] = {
		"/some/where/a.nn", "/some/where/old/a.nn", "/some/where/x/y/xz/b.nn", "/some/else.nn", "/c.nn",
	};
	size_t i;

	for (i = 0; i < COUNT_OF(path); i++) {
		check_levels(config_levels(a, c, path[i], own, NULL));
		config_excludes(a, c, path[i]);
	}
}

static long
try(const struct sample *s)
{
	struct arena *a = fuzz_arena();
	const struct source *src = source_from_text(a, ".stowage", s->text, s->n);
	struct level_layer own = { .words = { NULL, 0, 0 } };
	struct config_words as = { .all = { NULL, 0, 0 } };
	struct project *p = project_read(a, src, "/some/where/.stowage");
	struct lint_config *c = config_read(a, p);
	struct diags d;
	int i;

	tree_check(p->file);
	tree_check_diags(src, &p->diags);
	for (i = 0; i < c->parts.n; i++)
		check_layer(&c->parts.v[i].layer);
	if (c->fail_on < 0 || c->fail_on > SEV_ERROR + 1)
		fuzz_failed("a severity that is none");
	if (c->baseline.text && *c->baseline.text != '/')
		fuzz_failed("a baseline that is nowhere");
	for (i = 0; i < p->devices.n; i++)
		if (!p->diags.errors && p->devices.v[i].device.memory < 0)
			fuzz_failed("a device of less than no memory");
	project_device(p, "small");
	diags_init(&d, a);
	config_of_spec(a, &d, p->file, &own, &as);
	tree_check_diags(src, &d);
	check_layer(&own);
	check_files(a, c, &own);
	return p->diags.errors == 0;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_project",
	.outcome = "of them without mistakes",
	.longest = 600,
	.slow = 2,
	.mutate = mutate,
	.try = try,
};
