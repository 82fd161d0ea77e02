/*
 * Hyperlinks to the documentation of a rule: the page stowage-rules.html, which has an anchor for
 * each. It is where the user says (STOWAGE_RULES_URL), else where it was installed; if it is not
 * there, there is no link.
 */
#include "findings/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lint/catalog.h"

#ifndef RULES_PAGE
#define RULES_PAGE	""
#endif

#define MOST_HOST	256

bool
report_uri(const char *path, char *to, size_t room)
{
	static const char plain[] = "-._~/!$&'()*+,;=@";
	size_t n = 0;

	for (; *path && n + 4 <= room; path++) {
		unsigned char c = (unsigned char)*path;

		if (c < 0x80 && (isalnum(c) || strchr(plain, c)))
			to[n++] = (char)c;
		else
			n += (size_t)sprintf(to + n, "%%%02X", c);
	}
	to[n] = '\0';
	return !*path;
}

const char *
report_rules_url(void)
{
	const char *url = getenv("STOWAGE_RULES_URL"), *s;

	if (!url || (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0))
		return NULL;
	for (s = url; *s; s++)
		if (!isgraph((unsigned char)*s) || strchr("\"<>\\^`{|}#", *s))
			return NULL;
	return url;
}

/* A file's address has the host's name in it, so that a terminal that shows another machine does
 * not look for the file on its own. */
void
report_link_rules(struct report *r)
{
	const char *url = report_rules_url();
	char host[MOST_HOST] = "", path[REPORT_PATH];

	r->rules_page[0] = '\0';
	if (url && strlen(url) < sizeof(r->rules_page)) {
		strcpy(r->rules_page, url);
		return;
	}
	if (url || !*RULES_PAGE || access(RULES_PAGE, R_OK) != 0)
		return;
	if (gethostname(host, sizeof(host) - 1) != 0 || strspn(host, "-.0123456789"
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(host))
		host[0] = '\0';
	if (report_uri(RULES_PAGE, path, sizeof(path) - sizeof(host) - 8))
		snprintf(r->rules_page, sizeof(r->rules_page), "file://%s%.*s", host,
		    REPORT_PATH - MOST_HOST - 8, path);
}

void
report_rule_name(struct report *r, const char *rule)
{
	int i = r->rules_page[0] ? rule_index(rule) : -1;

	if (i < 0)
		fputs(rule, r->out);
	else
		fprintf(r->out, "\033]8;;%s#%s\033\\%s\033]8;;\033\\", r->rules_page,
		    rule_at(i)->name, rule);
}
