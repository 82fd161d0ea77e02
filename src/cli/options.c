/* The option parser. Everything it says comes from the command's table. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "ir/ir.h"

#define MAX_OPTIONS	64
#define HELP_COLUMN	30

int
usage_error(const struct command *c, const char *fmt, ...)
{
	char *message;
	va_list ap;

	fprintf(stderr, "stowage %s: ", c->name);
	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) >= 0) {
		print_visible(stderr, message);
		free(message);
	}
	va_end(ap);
	fprintf(stderr, "\nTry 'stowage %s --help'.\n", c->name);
	return 2;
}

static const struct option *
by_name(const struct command *c, const char *name, size_t n)
{
	const struct option *o;

	for (o = c->options; o->name; o++)
		if (strlen(o->name) == n && strncmp(o->name, name, n) == 0)
			return o;
	return NULL;
}

static const struct option *
by_letter(const struct command *c, char letter)
{
	const struct option *o;

	for (o = c->options; o->name; o++)
		if (o->letter && o->letter == letter)
			return o;
	return NULL;
}

static enum parsed
unknown(const struct command *c, const char *name, size_t n)
{
	const char *names[MAX_OPTIONS + 1], *near;
	char word[64];
	int i, k = 0;

	for (i = 0; c->options[i].name && k < MAX_OPTIONS; i++)
		names[k++] = c->options[i].name;
	names[k++] = "help";
	snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), name);
	near = text_nearest(word, names, k);
	if (near)
		usage_error(c, "unknown option '--%s'; did you mean '--%s'?", word, near);
	else
		usage_error(c, "unknown option '--%s'", word);
	return PARSED_ERROR;
}

/* Nobody has less memory than this, in bytes: 8 means gigabytes, 24576 mebibytes as nvidia-smi
 * counts them. */
#define LEAST_BARE	(1 << 18)
#define MOST_GIGABYTES	1024

static bool
lacks_unit(const char *word, int64_t bytes)
{
	bool part = strchr(word, '.') != NULL;

	return word[strspn(word, "0123456789.")] == '\0' && (part || (bytes > 0 && bytes < LEAST_BARE));
}

static void
ask_unit(const struct command *c, const char *name, const char *word, int64_t bytes)
{
	bool whole = !strchr(word, '.');	/* nobody has a part of a byte */

	usage_error(c, "--%s: %s has no unit; did you mean %s%s?%s%s%s", name, word, word, bytes < MOST_GIGABYTES ? "GiB" : "MiB",
	    whole ? " Bytes are written " : "", whole ? word : "", whole ? "B" : "");
}

bool
option_size(const struct command *c, const char *name, const char *word, int64_t least, int64_t *bytes)
{
	if (!size_parse(word, bytes))
		usage_error(c, "--%s: expected a size such as 8GiB, 11GB or 11439MiB, got '%s'", name, word);
	else if (lacks_unit(word, *bytes))
		ask_unit(c, name, word, *bytes);
	else if (*bytes < least || *bytes > LARGEST_BYTES)
		usage_error(c, "--%s: %s is outside %lld B..2^60 B", name, word, (long long)least);
	else
		return true;
	return false;
}

static bool
set_int(const struct command *c, const struct option *o, int64_t *to, const char *value)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(value, &end, 10);
	if (end == value || *end) {
		usage_error(c, "--%s: expected a whole number, got '%s'", o->name, value);
		return false;
	}
	if (errno || n < o->min || n > o->max) {
		usage_error(c, "--%s: %s is outside %lld..%lld", o->name, value,
		    (long long)o->min, (long long)o->max);
		return false;
	}
	*to = n;
	return true;
}

static bool
set_choice(const struct command *c, const struct option *o, void *args, const char *value)
{
	const char *word[MAX_WORDS], *near;
	int *to = (int *)(void *)((char *)args + o->offset);
	int64_t none, *bytes = o->size ? (int64_t *)(void *)((char *)args + o->size) : &none;
	char all[512] = "";
	size_t used = 0;
	int i;

	*to = 0;
	if (o->size && size_parse(value, bytes)) {
		if (lacks_unit(value, *bytes)) {
			ask_unit(c, o->name, value, *bytes);
			return false;
		}
		if (*bytes > 0)
			return true;
	}
	*bytes = 0;
	for (i = 0; i < MAX_WORDS && (word[i] = o->choice(i)); i++) {
		if (strcmp(word[i], value) == 0) {
			*to = i;
			return true;
		}
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
			    i ? ", " : "", word[i]);
	}
	near = text_nearest(value, word, i);
	if (near)
		usage_error(c, "--%s: unknown value '%s'; did you mean '%s'? (%s)", o->name, value,
		    near, all);
	else
		usage_error(c, "--%s: unknown value '%s'; expected one of %s%s", o->name, value, all,
		    o->size ? ", or a size, as 8GiB" : "");
	return false;
}

static bool
set(const struct command *c, const struct option *o, void *args, const char *value)
{
	void *to = (char *)args + o->offset;
	struct words *list;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return true;
	case OPTION_STRING:
		*(const char **)to = value;
		return true;
	case OPTION_COUNTED:
		if (!value) {
			*(int64_t *)to = o->min;
			return true;
		}
		return set_int(c, o, to, value);
	case OPTION_INT:
		return set_int(c, o, to, value);
	case OPTION_CHOICE:
		return set_choice(c, o, args, value);
	case OPTION_LIST:
		list = to;
		if (list->n == MAX_WORDS) {
			usage_error(c, "--%s: given more than %d times", o->name, MAX_WORDS);
			return false;
		}
		list->word[list->n++] = value;
		return true;
	}
	return false;
}

/* What the words that are left look like to the functions below. */
struct option_reader {
	const struct command *command;
	void *args;
	int argc, at;
	char **argv;
};

static enum parsed
long_option(struct option_reader *r)
{
	const char *name = r->argv[r->at] + 2, *value = strchr(name, '=');
	size_t n = value ? (size_t)(value++ - name) : strlen(name);
	const struct option *o = by_name(r->command, name, n);

	if (!o && n == 4 && strncmp(name, "help", 4) == 0) {
		options_help(stdout, r->command);
		return PARSED_HELP;
	}
	if (!o)
		return unknown(r->command, name, n);
	if (o->type == OPTION_FLAG) {
		if (value) {
			usage_error(r->command, "--%s takes no value", o->name);
			return PARSED_ERROR;
		}
	} else if (!value && o->type != OPTION_COUNTED) {
		if (r->at + 1 >= r->argc) {
			usage_error(r->command, "--%s needs a value: %s", o->name, o->value);
			return PARSED_ERROR;
		}
		value = r->argv[++r->at];
	}
	return set(r->command, o, r->args, value) ? PARSED_RUN : PARSED_ERROR;
}

static enum parsed
short_options(struct option_reader *r)
{
	const char *s = r->argv[r->at] + 1, *value;
	const struct option *o;

	for (; *s; s++) {
		if (!(o = by_letter(r->command, *s))) {
			if (*s == 'h') {
				options_help(stdout, r->command);
				return PARSED_HELP;
			}
			usage_error(r->command, "unknown option '-%c'", *s);
			return PARSED_ERROR;
		}
		if (o->type == OPTION_FLAG) {
			set(r->command, o, r->args, NULL);
			continue;
		}
		value = s + 1;
		if (!*value) {
			if (r->at + 1 >= r->argc) {
				usage_error(r->command, "-%c needs a value: %s", *s, o->value);
				return PARSED_ERROR;
			}
			value = r->argv[++r->at];
		}
		return set(r->command, o, r->args, value) ? PARSED_RUN : PARSED_ERROR;
	}
	return PARSED_RUN;
}

enum parsed
options_parse(const struct command *c, void *args, int argc, char **argv, int *noperands)
{
	struct option_reader r = { c, args, argc, 1, argv };
	enum parsed done = PARSED_RUN;
	bool plain = false;
	int n = 0;

	for (; r.at < argc && done == PARSED_RUN; r.at++) {
		char *word = argv[r.at];

		if (plain || word[0] != '-' || !word[1])
			argv[n++] = word;
		else if (strcmp(word, "--") == 0)
			plain = true;
		else if (word[1] == '-')
			done = long_option(&r);
		else
			done = short_options(&r);
	}
	*noperands = n;
	return done;
}

const char *
option_doc(char buf[OPTION_DOC], const struct option *o)
{
	const char *at = o->listed ? strstr(o->doc, "%s") : NULL;
	char list[OPTION_DOC];

	if (!at)
		return o->doc;
	snprintf(buf, OPTION_DOC, "%.*s%s%s", (int)(at - o->doc), o->doc,
	    text_list(list, sizeof(list), o->listed, ", "), at + 2);
	return buf;
}

static void
help_option(FILE *f, const struct option *o)
{
	char left[80], letter[8] = "    ", doc[OPTION_DOC];
	const char *word;
	int i;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s%s", letter, o->name,
	    o->type == OPTION_COUNTED ? "[=" : o->value ? " " : "", o->value ? o->value : "",
	    o->type == OPTION_COUNTED ? "]" : "");
	fprintf(f, "  %-*s", HELP_COLUMN, left);
	if (strlen(left) >= HELP_COLUMN)
		fprintf(f, "\n  %*s", HELP_COLUMN, "");
	fputs(option_doc(doc, o), f);
	if (o->type == OPTION_CHOICE) {
		fprintf(f, ":\n  %*s", HELP_COLUMN, "");
		for (i = 0; (word = o->choice(i)); i++)
			fprintf(f, "%s%s", i ? ", " : "", word);
		fputs(o->size ? ", or a size" : "", f);
	}
	putc('\n', f);
}

void
options_help(FILE *f, const struct command *c)
{
	static const struct option help = { .name = "help", .letter = 'h', .doc = "print this" };
	const struct option *o;

	fprintf(f, "usage: stowage %s [option ...] %s\n\n%c%s.\n\n", c->name, c->operands,
	    toupper((unsigned char)c->brief[0]), c->brief + 1);
	for (o = c->options; o->name; o++)
		help_option(f, o);
	help_option(f, &help);
	if (c->details)
		fprintf(f, "\n%s\n", c->details);
}
