/* The JSON writer. Numbers print exactly: integers whole, reals with the fewest digits that read
 * back as the same double. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void
jsonw_begin(struct json *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
}

static void
newline(struct json *j)
{
	int i;

	putc('\n', j->out);
	for (i = 0; i < j->depth; i++)
		fputs("  ", j->out);
}

/* How many bytes of S are printed as they are: most of all that is ever printed. */
static size_t
plain(const struct json *j, const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\' &&
	    !(j->in_page && (s[n] == '<' || s[n] == '>' || s[n] == '&')))
		n++;
	return n;
}

static void
quoted(struct json *j, const char *s)
{
	size_t n = strlen(s), i, took;
	uint32_t c;
	int good;

	putc('"', j->out);
	for (i = 0; i < n; i += took) {
		if ((took = plain(j, s + i)) > 0) {
			fwrite(s + i, 1, took, j->out);
			continue;
		}
		took = utf8_decode(s + i, n - i, &c, &good);
		if (c == '"' || c == '\\')
			fprintf(j->out, "\\%c", (char)c);
		else if (c == '\n')
			fputs("\\n", j->out);
		else if (c == '\t')
			fputs("\\t", j->out);
		else if (!good || c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029 ||
		    (j->in_page && (c == '<' || c == '>' || c == '&')))
			fprintf(j->out, "\\u%04x", (unsigned)c);
		else
			fwrite(s + i, 1, took, j->out);
	}
	putc('"', j->out);
}

/* What comes before any value: the comma, the place, the key. */
static void
lead(struct json *j, const char *key)
{
	int d = j->depth - 1;

	if (d < 0) {
		assert(!key);
		return;
	}
	assert((key != NULL) == (j->close[d] == '}'));
	if (j->filled[d])
		fputs(j->flat[d] ? ", " : ",", j->out);
	j->filled[d] = true;
	if (!j->flat[d])
		newline(j);
	if (key) {
		quoted(j, key);
		fputs(": ", j->out);
	}
}

static void
opening(struct json *j, const char *key, char open, char close, bool flat)
{
	lead(j, key);
	assert(j->depth < JSON_DEPTH);
	putc(open, j->out);
	j->close[j->depth] = close;
	j->filled[j->depth] = false;
	j->flat[j->depth] = flat || (j->depth > 0 && j->flat[j->depth - 1]);
	j->depth++;
}

void
jsonw_object(struct json *j, const char *key)
{
	opening(j, key, '{', '}', false);
}

void
jsonw_array(struct json *j, const char *key)
{
	opening(j, key, '[', ']', false);
}

void
jsonw_flat_object(struct json *j, const char *key)
{
	opening(j, key, '{', '}', true);
}

void
jsonw_flat_array(struct json *j, const char *key)
{
	opening(j, key, '[', ']', true);
}

void
jsonw_end(struct json *j)
{
	assert(j->depth > 0);
	j->depth--;
	if (j->filled[j->depth] && !j->flat[j->depth])
		newline(j);
	putc(j->close[j->depth], j->out);
}

void
jsonw_finish(struct json *j)
{
	while (j->depth > 0)
		jsonw_end(j);
	putc('\n', j->out);
}

void
jsonw_int(struct json *j, const char *key, int64_t n)
{
	lead(j, key);
	fprintf(j->out, "%lld", (long long)n);
}

void
jsonw_real(struct json *j, const char *key, double x)
{
	char buf[40];
	int digits;

	if (!isfinite(x)) {
		jsonw_null(j, key);
		return;
	}
	for (digits = 6; digits < 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			break;
	}
	snprintf(buf, sizeof(buf), "%.*g", digits, x);
	lead(j, key);
	fputs(buf, j->out);
}

void
jsonw_bool(struct json *j, const char *key, bool b)
{
	lead(j, key);
	fputs(b ? "true" : "false", j->out);
}

void
jsonw_null(struct json *j, const char *key)
{
	lead(j, key);
	fputs("null", j->out);
}

void
jsonw_string(struct json *j, const char *key, const char *s)
{
	if (!s) {
		jsonw_null(j, key);
		return;
	}
	lead(j, key);
	quoted(j, s);
}
