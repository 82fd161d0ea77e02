/* Prints stowage-rules.7 from the rules' own records. */
#include "doc/mdoc.h"

#include "lint/catalog.h"

static void
print_rule(const struct rule *r)
{
	if (rule_is_language(r))
		printf(".Ss %s (%s)\n", r->name, severity_name(r->severity));
	else
		printf(".Ss %s (%s, %s)\n", r->name, r->id, severity_name(r->severity));
	mdoc_text(r->brief);
	printf(".Pp\n");
	mdoc_text(r->doc);
}

static void
print_family(enum family f)
{
	int i, started = 0;

	for (i = 0; rule_table[i]; i++) {
		const struct rule *r = rule_table[i];

		if (r->family != f)
			continue;
		if (!started++) {
			const char *s = family_name(f);

			printf(".Sh ");
			for (; *s; s++)
				putchar(*s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
			putchar('\n');
		}
		print_rule(r);
	}
}

int
main(void)
{
	const struct rule *r;
	int f, i;

	mdoc_head("STOWAGE-RULES", "stowage-rules", "lint rules of Stowage");
	printf(".Sh DESCRIPTION\n"
	    ".Xr stowage-lint 1\n"
	    "reports two kinds of findings.\n"
	    "Those of the language itself are errors, and cannot be suppressed\n"
	    "unless they are warnings.\n"
	    "The others belong to rules of four families.\n"
	    "A finding of a rule is suppressed by a comment that names it,\n"
	    "on the same line or on a line of its own before the statement:\n"
	    ".Bd -literal -offset indent\n"
	    "# stowage: allow(RULE) reason\n"
	    "# stowage: allow-file(RULE) reason\n"
	    ".Ed\n");
	for (f = 0; f < FAMILIES; f++)
		print_family(f);
	printf(".Sh THE LANGUAGE\n");
	for (i = 0; (r = rule_at(i)) && rule_is_language(r); i++)
		print_rule(r);
	printf(".Sh SEE ALSO\n.Xr stowage-lint 1 ,\n.Xr stowage 5\n");
	return ferror(stdout) != 0;
}
