/*
 * Prints stowage-rules.html from the rules' own records: one page with an anchor for each rule,
 * which the hyperlinks of findings lead to. It is self-contained.
 */
#include <stdio.h>
#include <string.h>

#include "lint/catalog.h"

static void
escaped(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i] == '<')
			fputs("&lt;", stdout);
		else if (s[i] == '>')
			fputs("&gt;", stdout);
		else if (s[i] == '&')
			fputs("&amp;", stdout);
		else
			putchar(s[i]);
	}
}

/* An empty line ends a paragraph. */
static void
paragraphs(const char *s)
{
	const char *end;

	while (*s) {
		end = strstr(s, "\n\n");
		if (!end)
			end = s + strlen(s);
		fputs("<p>", stdout);
		escaped(s, (size_t)(end - s));
		fputs("</p>\n", stdout);
		s = end + strspn(end, "\n");
	}
}

static void
print_rule(const struct rule *r)
{
	bool language = rule_is_language(r);

	printf("<h3 id=\"%s\"><a href=\"#%s\">%s</a> <small>%s%s%s</small></h3>\n", r->name,
	    r->name, r->name, language ? "" : r->id, language ? "" : ", ",
	    severity_name(r->severity));
	fputs("<p><em>", stdout);
	escaped(r->brief, strlen(r->brief));
	fputs("</em></p>\n", stdout);
	paragraphs(r->doc);
	if (!language)
		printf("<pre># stowage: allow(%s) reason</pre>\n", r->name);
}

static void
print_family(enum family f)
{
	int i, started = 0;

	for (i = 0; rule_table[i]; i++) {
		if (rule_table[i]->family != f)
			continue;
		if (!started++)
			printf("<h2>%s</h2>\n", family_name(f));
		print_rule(rule_table[i]);
	}
}

int
main(void)
{
	const struct rule *r;
	int f, i;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>stowage-rules</title>\n<style>\n"
	    "body { max-width: 46em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif;\n"
	    "  color-scheme: light dark }\n"
	    "h2 { text-transform: capitalize }\nh3 a { text-decoration: none }\n"
	    "small { font-weight: normal }\n:target { background: #fe06 }\n"
	    "</style>\n</head>\n<body>\n<h1>Lint rules of Stowage</h1>\n"
	    "<p>What <code>stowage lint</code> finds; <code>stowage explain RULE</code> and\n"
	    "<code>man stowage-rules</code> say the same.</p>\n", stdout);
	for (f = 0; f < FAMILIES; f++)
		print_family((enum family)f);
	fputs("<h2>the language</h2>\n", stdout);
	for (i = 0; (r = rule_at(i)) && rule_is_language(r); i++)
		print_rule(r);
	fputs("</body>\n</html>\n", stdout);
	return ferror(stdout) != 0;
}
