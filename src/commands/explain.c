/*
 * stowage explain: what a rule, an operator or a block of std/ is, from what the manual pages and
 * SARIF are made of too, without a network. Without a name, the list of all rules.
 */
#include <string.h>

#include "base/utf8.h"
#include "commands/commands.h"
#include "cli/compile.h"
#include "lang/library.h"
#include "ops/usage.h"
#include "lint/catalog.h"

#define WIDTH		80
#define MOST_NAMES	1024

struct explain_args {
	bool operators, blocks;
};

static const struct option options[] = {
	{ .name = "operators", .type = OPTION_FLAG,
	  .doc = "list the operators, in place of the rules",
	  FIELD(struct explain_args, operators) },
	{ .name = "blocks", .type = OPTION_FLAG,
	  .doc = "list the files and blocks that come with Stowage",
	  FIELD(struct explain_args, blocks) },
	{ .name = NULL }
};

struct explain_run {
	const struct command *command;
	const struct explain_args *args;
	char **name;
	int nnames;
};

static int
columns(const char *s, size_t n)
{
	uint32_t c;
	size_t i;
	int k = 0;

	for (i = 0; i < n; i += utf8_decode(s + i, n - i, &c, NULL))
		k++;
	return k;
}

/* Words in lines of WIDTH columns; an empty line ends a paragraph. */
static void
print_paragraphs(const char *s, int indent)
{
	int column = 0;

	for (s += strspn(s, " \n"); *s; s += strspn(s, " \n")) {
		size_t n = strcspn(s, " \n");
		int wide = columns(s, n);

		if (column > 0 && column + 1 + wide > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += column > 0 ? printf(" ") : printf("%*s", indent, "");
		fwrite(s, 1, n, stdout);
		column += wide;
		s += n;
		if (s[0] == '\n' && s[1] == '\n' && s[2]) {
			fputs("\n\n", stdout);
			column = 0;
		}
	}
	putchar('\n');
}

static void
explain_rule(const struct rule *r)
{
	if (rule_is_language(r))
		printf("%s (the language, %s)\n", r->name, severity_name(r->severity));
	else
		printf("%s, %s (%s, %s)\n", r->name, r->id, family_name(r->family),
		    severity_name(r->severity));
	print_paragraphs(r->brief, 2);
	putchar('\n');
	print_paragraphs(r->doc, 0);
	if (r->subject == ABOUT_BASELINE)
		printf("\nNo comment of a spec allows it; --ignore %s switches it off.\n", r->name);
	else if (!rule_is_language(r))
		printf("\nAllow it, on the line or above the statement:\n"
		    "  # stowage: allow(%s) reason\n", r->name);
}

static const char *
kind_name(enum op_kind k)
{
	static const char *const name[] = {
		[OP_LAYER] = "layer", [OP_LOSS] = "loss", [OP_METRIC] = "metric",
		[OP_OPTIMIZER] = "optimizer",
	};

	return name[k];
}

static void
explain_operator(struct arena *a, const struct op *op)
{
	const struct attr_spec *s = op->attrs;
	struct text t;

	text_init(&t, a);
	op_usage(&t, op);
	printf("%s (%s)\n", op->name, kind_name(op->kind));
	print_paragraphs(op->brief, 2);
	printf("\n%s\n", t.s);
	if (op->doc) {
		putchar('\n');
		print_paragraphs(op->doc, 0);
	}
	if (s && s->name)
		putchar('\n');
	for (; s && s->name; s++) {
		text_init(&t, a);
		op_attr_usage(&t, s);
		printf("  %s\n", s->name);
		print_paragraphs(t.s, 6);
	}
}

static void
explain_block(struct arena *a, const struct block *b)
{
	struct text t;

	text_init(&t, a);
	library_usage(&t, b);
	printf("%s (block)\n  use \"%s\"\n\n%s\n\n", b->name.text, b->name.loc.src->path, t.s);
	print_paragraphs(library_comment(a, b->name.loc), 0);
}

/* The operator of that name, unless no spec can name it. */
static const struct op *
public_operator(const char *name)
{
	const struct op *op = op_find(name);

	return op && op->kind != OP_INTERNAL ? op : NULL;
}

static int
unknown_name(struct arena *a, const struct command *c, const char *name)
{
	const char *candidate[MOST_NAMES], *near;
	const struct file *f;
	int n = 0, i, k;

	for (i = 0; rule_at(i) && n < MOST_NAMES - 1; i++) {
		candidate[n++] = rule_at(i)->name;
		candidate[n++] = rule_at(i)->id;
	}
	for (i = 0; op_table[i] && n < MOST_NAMES; i++)
		if (op_table[i]->kind != OP_INTERNAL)
			candidate[n++] = op_table[i]->name;
	for (i = 0; (f = library_file(a, i)) && n < MOST_NAMES - 1; i++) {
		candidate[n++] = f->src->path;
		for (k = 0; k < f->blocks.n && n < MOST_NAMES; k++)
			candidate[n++] = f->blocks.v[k]->name.text;
	}
	near = text_nearest(name, candidate, n);
	if (near)
		return usage_error(c, "no rule, operator or block is called '%s'; did you mean '%s'?",
		    name, near);
	return usage_error(c, "no rule, operator or block is called '%s'; 'stowage explain' lists them",
	    name);
}

static int
list_blocks(struct arena *a, void *context)
{
	const struct file *f;
	struct text t;
	int i, k;

	(void)context;
	for (i = 0; (f = library_file(a, i)); i++) {
		printf("%suse \"%s\"\n", i ? "\n" : "", f->src->path);
		for (k = 0; k < f->blocks.n; k++) {
			text_init(&t, a);
			library_usage(&t, f->blocks.v[k]);
			printf("  %s\n", t.s);
		}
	}
	return 0;
}

static void
list_rules(void)
{
	const struct rule *r;
	int i;

	for (i = 0; (r = rule_at(i)); i++)
		printf("%-7s %-24s %-9s %s\n", rule_is_language(r) ? "-" : r->id, r->name,
		    severity_name(r->severity), r->brief);
}

static void
list_operators(void)
{
	int i;

	for (i = 0; op_table[i]; i++)
		if (op_table[i]->kind != OP_INTERNAL)
			printf("%-22s %-11s %s\n", op_table[i]->name,
			    kind_name(op_table[i]->kind), op_table[i]->brief);
}

static int
explain_all(struct arena *a, void *context)
{
	const struct explain_run *run = context;
	struct map blocks = { .n = 0 };
	int i, rule, status = 0;

	library_blocks(a, &blocks);
	for (i = 0; i < run->nnames; i++) {
		const struct op *op = public_operator(run->name[i]);
		const struct block *b = map_get(&blocks, run->name[i]);
		const struct source *src = library_source(a, run->name[i]);

		rule = rule_index(run->name[i]);
		if (rule < 0 && !op && !b && !src) {
			status = unknown_name(a, run->command, run->name[i]);
			continue;
		}
		if (i > 0)
			putchar('\n');
		if (rule >= 0)
			explain_rule(rule_at(rule));
		if (rule >= 0 && op)
			putchar('\n');
		if (op)
			explain_operator(a, op);
		if (b && (rule >= 0 || op))
			putchar('\n');
		if (b)
			explain_block(a, b);
		if (src)
			fputs(src->text, stdout);
	}
	return status;
}

/* All that can be explained, for completion: rules, operators, files that come with Stowage. */
static const char *
explainable_name(int i)
{
	const struct rule *r = NULL;
	int k;

	for (k = 0; k <= i && (r = rule_at(k)); k++)
		;
	if (r)
		return r->name;
	for (i -= k, k = 0; op_table[k]; k++)
		if (op_table[k]->kind != OP_INTERNAL && i-- == 0)
			return op_table[k]->name;
	return library_path(i);
}

static int
run_explain(const struct command *c, int argc, char **argv)
{
	struct explain_args args = { false };
	struct explain_run run = { c, &args, argv, 0 };
	enum parsed parsed = options_parse(c, &args, argc, argv, &run.nnames);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (run.nnames > 0)
		return compile_in_arena(explain_all, &run);
	if (args.blocks)
		return compile_in_arena(list_blocks, NULL);
	if (args.operators)
		list_operators();
	else
		list_rules();
	return 0;
}

const struct command command_explain = {
	.name = "explain",
	.brief = "say what a rule, an operator or a block is",
	.operands = "[RULE|ID|OPERATOR|BLOCK|FILE...]",
	.details = "Without a name, all rules are listed, or with --operators all operators, with\n"
	    "--blocks all blocks of the files that come with Stowage; of such a file, its text is printed.\n"
	    "Exit status: 0 explained, 2 a name is that of nothing known.",
	.options = options,
	.operand = explainable_name,
	.run = run_explain,
};
