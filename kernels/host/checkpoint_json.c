/*
 * checkpoint_json.c - JSON as checkpoints have it: objects, strings and whole numbers, and nothing
 * else. What is not so ends in one line that names the file.
 */
#ifndef STOWAGE_HOST_CHECKPOINT_JSON_C
#define STOWAGE_HOST_CHECKPOINT_JSON_C

struct json {			/* a header being parsed */
	const char *path;	/* of the file */
	const char *text, *at, *end;
	const char *of;		/* what of the file this is: " of the header", or "" */
};

__attribute__((noreturn)) static void
json_fail(const struct json *j, const char *expected)
{
	fail("%s: corrupt: expected %s at byte %lld%s", j->path, expected, (long long)(j->at - j->text), j->of);
}

static char
json_peek(struct json *j)
{
	while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
		j->at++;
	return j->at < j->end ? *j->at : '\0';
}

static bool
json_take(struct json *j, char c)
{
	if (json_peek(j) != c || !c)
		return false;
	j->at++;
	return true;
}

static void
json_need(struct json *j, char c, const char *expected)
{
	if (!json_take(j, c))
		json_fail(j, expected);
}

static int
json_hex(struct json *j)
{
	int code = 0;

	for (int i = 0; i < 4; i++, j->at++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *d = j->at < j->end && *j->at ? strchr(digits, *j->at) : NULL;

		if (!d)
			json_fail(j, "four hexadecimal digits");
		code = code * 16 + (int)(d - digits) % 16;
	}
	return code;
}

/* One character of a string, its escapes undone, as UTF-8 into OUT; returns its length. */
static int
json_character(struct json *j, char *out)
{
	static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	int code;

	if (*j->at != '\\') {
		*out = *j->at++;
		return 1;
	}
	j->at++;
	if (j->at < j->end && *j->at == 'u') {
		j->at++;
		code = json_hex(j);
		if (!code)
			json_fail(j, "a character that is not NUL");
		if (code < 0x80) {
			out[0] = (char)code;
			return 1;
		}
		if (code < 0x800) {
			out[0] = (char)(0xc0 | code >> 6);
			out[1] = (char)(0x80 | (code & 0x3f));
			return 2;
		}
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	for (int i = 0; escapes[i]; i += 2)
		if (j->at < j->end && *j->at == escapes[i]) {
			j->at++;
			*out = escapes[i + 1];
			return 1;
		}
	json_fail(j, "an escape");
}

static void
json_string(struct json *j, char *out, size_t size)
{
	size_t n = 0;

	json_need(j, '"', "a string");
	for (;;) {
		char utf8[4];
		int length;

		if (j->at >= j->end || (unsigned char)*j->at < ' ')
			json_fail(j, "the end of a string");
		if (*j->at == '"')
			break;
		length = json_character(j, utf8);
		if (n + (size_t)length >= size)
			json_fail(j, "a shorter string");
		memcpy(out + n, utf8, (size_t)length);
		n += (size_t)length;
	}
	j->at++;
	out[n] = '\0';
}

/* A whole number that is not negative. */
static int64_t
json_count(struct json *j)
{
	int64_t x = 0;
	char c = json_peek(j);

	if (c < '0' || c > '9')
		json_fail(j, "a number");
	for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++)
		if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *j->at - '0', &x))
			json_fail(j, "a smaller number");
	return x;
}

/* "[1, 2, 3]" into LIST; returns how many there are. */
static int
json_list(struct json *j, int64_t *list, int most)
{
	int n = 0;

	json_need(j, '[', "[");
	if (json_take(j, ']'))
		return 0;
	do {
		if (n == most)
			json_fail(j, "fewer numbers");
		list[n++] = json_count(j);
	} while (json_take(j, ','));
	json_need(j, ']', "]");
	return n;
}

#endif
