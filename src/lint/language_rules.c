/*
 * The rules of the language itself: what its errors and warnings mean. The parser, the expander and
 * the planner check them, and name them in their diagnostics; here is only what they stand for.
 */
#include "lint/catalog.h"

const struct rule language_rules[] = {
	{
		.id = "syntax", .name = "syntax",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "the text is not a spec",
		.doc = "A word, a bracket or a line stands where the grammar has no place for it. "
		    "The parser takes up its work again at the next statement, so that one run "
		    "reports every such place. stowage(5) is the grammar.",
	},
	{
		.id = "name", .name = "name",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "a name that nothing has, or that two things have",
		.doc = "A layer, block, operator, param, attribute or file is named that does not "
		    "exist, or a name is given a second time. The finding names the nearest one "
		    "that exists.",
	},
	{
		.id = "type", .name = "type",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "a value of another kind than is wanted here",
		.doc = "A tensor stands where a number is wanted, a number where a layer is, a "
		    "string where a size is, and so on.",
	},
	{
		.id = "shape", .name = "shape",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "tensors whose shapes do not go together",
		.doc = "An operator is given a tensor of a rank or size that it cannot take: a "
		    "kernel larger than its image, operands that do not broadcast, a head whose "
		    "width is not the number of classes. Shapes are computed exactly, without the "
		    "batch, which no spec names. Sizes beyond 64 bits belong here too.",
	},
	{
		.id = "value", .name = "value",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "a number out of its range, or not exact",
		.doc = "A number is negative, zero, fractional or too large where that makes no "
		    "sense. Arithmetic in specs is exact: 85/2 is 42.5, never 42, so that nothing "
		    "is rounded unless floor() or ceil() say so.",
	},
	{
		.id = "data", .name = "data",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR, .also_warns = true,
		.brief = "a data source that cannot feed the network",
		.doc = "The columns, sizes or classes of a data source do not match the network's "
		    "inputs and targets, or the source has no sample for a batch. Where training "
		    "could still run it is a warning, which allow(data) suppresses.",
	},
	{
		.id = "settings", .name = "settings",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR, .also_warns = true,
		.brief = "a setting of train, validate, device or lint that cannot hold",
		.doc = "A setting is unknown, given twice, contradicts another or changes nothing: "
		    "a batch that accumulate does not divide, a layer to freeze that has no "
		    "parameters. Where it merely does nothing it is a warning, which "
		    "allow(settings) suppresses.",
	},
	{
		.id = "recompute", .name = "recompute",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "a budget for recomputation that cannot be kept",
		.doc = "The train section gives activations, or its objective a program's plan, fewer bytes than any "
		    "choice of what to compute again can reach. The finding says what would be needed.",
	},
	{
		.id = "target", .name = "target",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "something the target cannot run",
		.doc = "An operator has no kernel for the target that the program is written for, "
		    "or none for a loss in 16-bit precision, where losses are f32: they can be "
		    "added, subtracted, multiplied and scaled.",
	},
	{
		.id = "suppression", .name = "suppression",
		.family = FAMILY_LANGUAGE, .severity = SEV_WARNING, .subject = ABOUT_COMMENT,
		.brief = "a comment that suppresses nothing, for what it says",
		.doc = "A comment '# stowage: allow(RULE)' names no rule, or an error of the "
		    "language, so it allows nothing; or the project file says that comments do not "
		    "count (inline_suppressions false).",
	},
	{
		.id = "internal", .name = "internal",
		.family = FAMILY_LANGUAGE, .severity = SEV_ERROR,
		.brief = "a mistake of Stowage's own",
		.doc = "A check of the compiler on itself has failed: the plan or the graph is "
		    "wrong, and no program is written. It is a bug of Stowage, never of the spec; "
		    "please report the spec that shows it.",
	},
};

const int language_rule_count = sizeof(language_rules) / sizeof(*language_rules);
