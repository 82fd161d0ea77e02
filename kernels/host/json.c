/* json.c - JSON of any kind, beside what checkpoints have of it: numbers with fractions, and values
 * that nobody asks for. */
#include "checkpoint_json.c"

#define JSON_DEEP	64	/* how deep a value that is passed over may be nested */

/* A file that is mapped, a NUL behind it. */
static struct json
json_of(const struct mapped *f)
{
	struct json j;

	j.path = f->name;
	j.text = j.at = (const char *)f->bytes;
	j.end = j.text + f->size;
	j.of = "";
	return j;
}

/* Of what begins at AT. */
__attribute__((noreturn)) static void
json_fail_at(const struct json *j, const char *at, const char *expected)
{
	struct json there = *j;

	there.at = at;
	json_fail(&there, expected);
}

static double
json_real(struct json *j)
{
	char c = json_peek(j), *stop;
	const char *at = j->at + (c == '-');
	double x;

	if (at >= j->end || *at < '0' || *at > '9' || (*at == '0' && j->end - at > 1 && (at[1] == 'x' || at[1] == 'X')))
		json_fail(j, "a number");
	x = strtod(j->at, &stop);
	if (stop > j->end || !isfinite(x))
		json_fail(j, "a number");
	j->at = stop;
	return x;
}

/* A string whose text nobody asks for. */
static void
json_pass_string(struct json *j)
{
	char utf8[4];

	json_need(j, '"', "a string");
	while (j->at < j->end && *j->at != '"') {
		if ((unsigned char)*j->at < ' ')
			json_fail(j, "the end of a string");
		json_character(j, utf8);
	}
	json_need(j, '"', "the end of a string");
}

static void
json_pass_word(struct json *j)
{
	static const char *const words[] = { "true", "false", "null" };

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(j->end - j->at) >= n && !memcmp(j->at, words[i], n)) {
			j->at += n;
			return;
		}
	}
	json_real(j);
}

/* A key of an object, and where its value begins. */
static void
json_key(struct json *j, char *key, size_t size)
{
	const char *at = (json_peek(j), j->at);
	size_t n;

	json_pass_string(j);
	n = (size_t)(j->at - at) - 2;
	n = n < size ? n : 0;	/* one that is longer is none of ours, nor is one with escapes */
	memcpy(key, at + 1, n);
	key[n] = '\0';
	json_need(j, ':', ":");
}

/* A value of any kind. */
static void
json_pass(struct json *j)
{
	char open[JSON_DEEP], key[1];
	int deep = 0;

	do {
		char c = json_peek(j);

		if ((c == '{' || c == '[') && deep == JSON_DEEP)
			json_fail(j, "a value that is nested less deeply");
		if (c == '{' || c == '[') {
			j->at++;
			open[deep++] = c;
			if (json_peek(j) != (c == '{' ? '}' : ']')) {
				if (c == '{')
					json_key(j, key, sizeof(key));
				continue;
			}
		} else if (c == '"') {
			json_pass_string(j);
		} else {
			json_pass_word(j);
		}
		while (deep && !json_take(j, ',')) {
			json_need(j, open[deep - 1] == '{' ? '}' : ']', ", or the end of a list or an object");
			deep--;
		}
		if (deep && open[deep - 1] == '{')
			json_key(j, key, sizeof(key));
	} while (deep);
}

/* Into each object of a list: 0 before the first; false behind the last. */
static bool
json_each(struct json *j, int64_t *n)
{
	if (*n == 0) {
		json_need(j, '[', "a list");
		if (json_take(j, ']'))
			return false;
	} else if (json_take(j, ']')) {
		return false;
	} else {
		json_need(j, ',', ", or ]");
	}
	(*n)++;
	return true;
}

/* The next key of an object: 0 before the first; false behind the last. */
static bool
json_field(struct json *j, int *n, char *key, size_t size)
{
	if (*n == 0) {
		json_need(j, '{', "an object");
		if (json_take(j, '}'))
			return false;
	} else if (json_take(j, '}')) {
		return false;
	} else {
		json_need(j, ',', ", or }");
	}
	(*n)++;
	json_key(j, key, size);
	return true;
}
