/*
 * A line is a program's, or of code, by its form alone: how logs, errors, calls, commands, settings
 * and statements begin and end. It is a person's by words that none of these have outside of
 * quotation marks. In a fence, where logs and code are pasted, it takes a person's own ("I", "my")
 * to make one.
 */
#include "oom/oom_form.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_bar.h"

#define LOG_HEAD	48	/* bytes in which the level of a log's line stands */

/* Of sentences, whoever writes them; */
#define WORDS		"i my me we our us you your he they it it's its i'm i've when after while how why what which even but because since please " \
    "thanks the is are was were can could would should does did do not don't doesn't can't have has had get gets got getting this that these " \
    "there so if with then than still very only also just any a an to"
/* of those in which nothing but a person speaks, and of these such as no program has in what it
 * asks and advises; */
#define SELF_WORDS	"i my me i'm i've"
#define OWN_WORDS	SELF_WORDS " we our please thanks hi hello"
/* and such as code has none of outside of texts: it has "is", "not", "if", "with", "this", "do" and
 * "i". */
#define NO_CODE		"my me we our you your he they it's i'm i've when after how why what because since please thanks the are was were could would should " \
    "does did don't doesn't can't have has had get gets got getting there so than still very also an of on crashes fails works gives"
/* What stands between two names of code without a sign. */
#define OPERATORS	"and or not in is if else as for lambda await async const auto struct unsigned"

/* ---- words outside of texts ---- */

struct talk
form_without_comment(struct talk t)
{
	char quote = 0;
	size_t i;

	for (i = 0; i < t.n; i++) {
		if (quote ? t.s[i] == quote : t.s[i] == '"' || t.s[i] == '\'')
			quote = quote ? 0 : t.s[i];
		else if (!quote && t.s[i] == '#')
			return talk_part(t, t.s, t.s + i);
	}
	return t;
}

/* The end of the text that a quotation mark at S begins; an apostrophe within a word begins
 * none. */
static const char *
past_text(struct talk t, const char *s)
{
	const char *end = t.s + t.n, *to;

	if (*s != '"' && *s != '`' && (*s != '\'' || (s > t.s && piece_is_word(s[-1]))))
		return s;
	to = memchr(s + 1, *s, (size_t)(end - s - 1));
	return to ? to + 1 : s;
}

/* Does a sign of Chinese, Japanese or Korean stand at S, whose sentences have no words that blanks
 * part? */
static bool
is_of_east(const char *s, const char *end)
{
	return end - s > 2 && (unsigned char)s[0] >= 0xe3 && (unsigned char)s[0] <= 0xed && ((unsigned char)s[1] & 0xc0) == 0x80;
}

/* Is any word of T, outside of texts and not part of a name ("a.b", "a_b", "--a"), one of LIST? */
static bool
has_words(struct talk t, const char *list)
{
	const char *s = t.s, *end = t.s + t.n, *to;

	while (s < end) {
		if ((to = past_text(t, s)) > s) {
			s = to;
			continue;
		}
		if (is_of_east(s, end))
			return true;
		if (!is_letter(*s)) {
			s++;
			continue;
		}
		for (to = s; to < end && (piece_is_word(*to) || (*to == '\'' && to + 1 < end && is_letter(to[1]))); to++)
			;
		if ((s == t.s || !memchr("./\\-=<$@%&", s[-1], 10)) && (to == end || !memchr("/\\=(_[", *to, 6)) &&
		    !(*to == '.' && to + 1 < end && piece_is_word(to[1])) && talk_is_one_of(talk_part(t, s, to), list))
			return true;
		s = to;
	}
	return false;
}

/* ---- a program's lines ---- */

/* "12:01:02", with a date ahead of it ("06-20", "12/12/2024") or without? */
static bool
is_time(const char *s, const char *end)
{
	const char *at = s;

	while (at < end && (is_digit(*at) || memchr("-/.", *at, 3)))
		at++;
	if (at > s && at < end && *at == ' ')
		s = at + 1;
	return end - s >= 8 && is_digit(s[0]) && is_digit(s[1]) && s[2] == ':' && is_digit(s[3]) && is_digit(s[4]) && s[5] == ':' &&
	    is_digit(s[6]) && is_digit(s[7]);
}

/* "2018-02-06 19:49", "[09/12 12:01:02 d2.engine]:", "INFO 06-20 12:01:02 engine.py:72]" */
static bool
is_stamped(struct talk t)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *to;

	if (end - s > 8 && is_digit(s[0]) && is_digit(s[1]) && (s[2] == ':' || (is_digit(s[2]) && is_digit(s[3]) && s[4] == '-')))
		return true;
	if (s < end && *s == '[')
		s++;
	for (to = s; to < end && is_letter(*to); to++)
		;
	if (talk_is_one_of(talk_part(t, s, to), "debug info warn warning error critical"))
		s = piece_past_blanks(to, end);
	return is_time(s, end);
}

/* "I tensorflow/core/a.cc:3]": without the letter it is the name of a folder or an image. */
static bool
is_of_tensorflow(struct talk first)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(first, "i tensorflow/|w tensorflow/|e tensorflow/|f tensorflow/", &at, &n))
		if (memchr("IWEF", *at, 4) && (at == first.s || !piece_is_word(at[-1])))
			return true;
	return false;
}

/* "[INFO] ...", "WARNING: ...", "name - INFO - ...": the level is a word of sentences, too, but
 * behind others there. */
static bool
is_levelled(struct talk t)
{
	struct talk first = talk_head(t, piece_past_blanks(t.s, t.s + t.n), LOG_HEAD);

	return talk_any_phrase(first, " - info - | - debug - | - warning - | - error - |[info|[debug|[warn|[error|[fatal|[critical|info]") ||
	    talk_first(first, "info:|debug:|warning:") == first.s;
}

/* "slurmstepd: error: ...", "srun: fatal: ...": a command's name ahead of it. */
static bool
is_of_command(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	while (s < end && ((is_letter(*s) && lower(*s) == *s) || is_digit(*s) || memchr("_-+.", *s, 4)))
		s++;
	return s - t.s > 1 && s < end && talk_first(talk_part(t, s, end), ": error: |: fatal: |: fatal error: ") == s;
}

bool
form_is_logged(struct talk t)
{
	return is_stamped(t) || is_of_tensorflow(talk_head(t, t.s, LOG_HEAD)) || ((is_levelled(t) || is_of_command(t)) && !has_words(t, SELF_WORDS));
}

static bool
ends_in(const char *s, const char *end, const char *name)
{
	size_t n = strlen(name);

	return (size_t)(end - s) >= n && memcmp(end - n, name, n) == 0;
}

/* "RuntimeError: ...", "torch.cuda.OutOfMemoryError: ...", "KeyboardInterrupt": what a program ends
 * with. "Error" by itself names none. */
static bool
is_error(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	while (s < end && (piece_is_word(*s) || *s == '.'))
		s++;
	return (s == end || *s == ':') && s > t.s &&
	    (ends_in(t.s + 1, s, "Error") || ends_in(t.s, s, "Exception") || ends_in(t.s, s, "Interrupt"));
}

/* "F0601 net.cpp:18]", "E0613 12:", "I20240101 12:": of glog. */
static bool
is_glog(struct talk t)
{
	size_t i;

	for (i = 1; i < t.n && is_digit(t.s[i]); i++)
		;
	return t.n > i + 1 && memchr("IWEF", t.s[0], 4) && (i == 5 || i == 9) && t.s[i] == ' ';
}

/* "a.py:9: UserWarning: ...", "a.cu(9): warning: ...", "WARNING: ..." */
static bool
is_warning(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "warning: ", &at, &n))
		if (at == t.s || is_letter(at[-1]) || (at - t.s > 1 && at[-1] == ' ' && at[-2] == ':'))
			return true;
	return false;
}

/* "Killed", "Killed: 9", "Killed      python a.py": a shell's, of which a sentence goes on behind one blank. */
static bool
is_killed(struct talk t)
{
	struct talk rest = talk_first(t, "killed") == t.s ? talk_part(t, t.s + strlen("killed"), t.s + t.n) : talk_head(t, t.s, 1);

	return rest.s > t.s && (rest.n == 0 || *rest.s == ':' || (rest.n > 1 && memcmp(rest.s, "  ", 2) == 0));
}

/* "Epoch 3/10", "Epoch: [2][40/90]", "step 100, loss: 0.3": counts, and neither a sentence nor
 * "for step in range(100):". */
static bool
is_count(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;
	int64_t n;

	if (!talk_any_whole(talk_head(t, t.s, 9), "epoch iter iteration step train training val validation test") || has_words(t, WORDS) ||
	    talk_first(t, "for ") == s)
		return false;
	for (; s < end; s++)
		if (is_digit(*s) && piece_number(s, end, &n))
			return true;
	return false;
}

bool
form_is_output(struct talk t, bool fenced)
{
	struct oom_bar bar;

	if (form_is_logged(t) || is_glog(t) || is_error(t) || is_count(t) || oom_bar_read(t.s, t.n, &bar) || is_killed(t) ||
	    talk_any_begins(talk_head(t, t.s, 5), "*****") || talk_any_phrase(t, "{'loss':") || talk_first(t, "[rank") == t.s)
		return true;
	return (is_levelled(t) || is_warning(t) || talk_any_phrase(t, "(core dumped)") || (t.n > 6 && memcmp(t.s, "ERROR:", 6) == 0)) &&
	    (fenced || !has_words(t, SELF_WORDS));
}

bool
form_is_table(struct talk t)
{
	return (t.s[0] == '|' && talk_any_of(t, "mib n/a nvidia-smi volatile pwr: gpu-util")) || (t.s[0] == '+' && t.n > 3 && memchr("-=", t.s[1], 2));
}

/* "File "a.py", line 9, in f", "a.py:9: in f", "~/a.py in f(x)", "---> 12 f(x)", "     11 x = y", or a traceback's head. */
bool
form_is_call(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	size_t n;
	int64_t number;

	if (talk_any_phrase(t, "traceback (most recent call last)|\", line |\xe2\x80\x9d, line "))
		return true;
	while (talk_next_phrase(t, ".py", &at, &n)) {
		s = at + n;
		if (s < end && *s == ':' && (s = piece_number(s + 1, end, &number)) && end - s > 5 && memcmp(s, ": in ", 5) == 0)
			return true;
		s = at + n;
		if (end - s > 4 && memcmp(s, " in ", 4) == 0 && !memchr(t.s, ' ', (size_t)(at - t.s)))
			return true;
	}
	s = t.s;
	while (s < end && *s == '-')
		s++;
	return s - t.s >= 2 && s < end && *s == '>' && (s = piece_past_blanks(s + 1, end)) < end && is_digit(*s);
}

/* ---- what people type for a program ---- */

#define NO_COMMAND	"i my me we you it it's when after how why because the is are was were can could gives give get got fails runs and but"
#define PROGRAMS	"python python3 cuda_visible_devices torchrun accelerate deepspeed sbatch srun bash sh pip pip3 conda docker mpirun mpiexec horovodrun " \
    "nvidia-smi sudo export wget ./darknet vllm ollama llama-cli ./llama-cli llama-server ./llama-server llamafactory-cli yolo nnunetv2_train /set"

/* "user@host:~/a$ ", "(base) C:\a>", "$ ", "!", "%%": what shells and notebooks put ahead of it. */
static bool
has_prompt(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n, *at;

	if (end - s > 2 && (memcmp(s, "$ ", 2) == 0 || (*s == '!' && is_letter(s[1])) || (*s == '%' && (s[1] == '%' || is_letter(s[1])))))
		return true;
	if (*s == '(' && (at = memchr(s, ')', t.n)))
		s = piece_past_blanks(at + 1, end);
	for (at = s; at < end && *at != ' ' && *at != '$' && *at != '#' && *at != '>'; at++)
		;
	return at < end && *at != ' ' && at > s && (*at == '>' ? at - s > 2 && s[1] == ':' :
	    memchr(s, '@', (size_t)(at - s)) && memchr(s, ':', (size_t)(at - s)));
}

/* "['python', 'train.py', '--epochs', '3']", as Python prints it, by itself or where it ended with
 * an error. */
bool
form_has_started(struct talk t)
{
	const char *at = talk_first(t, "['");

	return at && talk_any_phrase(talk_part(t, at, t.s + t.n), "', '--") && talk_any_phrase(talk_part(t, at, t.s + t.n), ".py'");
}

/* "--option" and no more: of a command that stands on several lines. With a value it is a
 * setting. */
static bool
is_option(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	if (t.n < 4 || memcmp(s, "--", 2) != 0 || !is_letter(s[2]))
		return false;
	while (end > s && memchr(" \\", end[-1], 2))
		end--;
	for (s += 3; s < end && (piece_is_word(*s) || *s == '-'); s++)
		;
	return s == end;
}

bool
form_is_command(struct talk t)
{
	const char *to = t.s, *end = t.s + t.n;

	if (has_prompt(t) || is_option(t) || (*t.s == '[' && form_has_started(t)))
		return true;
	while (to < end && *to != ' ' && *to != '=')
		to++;
	return (lower(*t.s) == *t.s || memchr(t.s, '=', t.n)) && talk_is_one_of(talk_part(t, t.s, to), PROGRAMS) && !has_words(t, NO_COMMAND);
}

/* A name by itself: letters, digits, and what parts of names are joined by. */
static const char *
past_name(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && (piece_is_word(*s) || memchr(".-\"'", *s, 4)))
		s++;
	return s > from ? s : NULL;
}

/* "batch_size: 4", "lr=0.1", ""epochs": 3,", "--gpus 2": a name in small letters, and one value. */
bool
form_is_setting(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n, *to = past_name(s, end), *value;

	if (!to || to == end)
		return false;
	value = piece_past_blanks(to, end);
	if (end - s > 3 && memcmp(s, "--", 2) == 0)
		return !has_words(t, WORDS);
	if (value == end || (*value != ':' && *value != '=') || (value + 1 < end && value[1] == '='))
		return false;
	value = piece_past_blanks(value + 1, end);
	return value < end && (lower(*s) == *s || *s == '"' || *s == '\'') && !has_words(talk_part(t, value, end), WORDS) &&
	    (is_digit(*value) || memchr("\"'[{-", *value, 5) || talk_any_whole(talk_part(t, value, end), "true false none null")) &&
	    !memchr(value, ' ', (size_t)(end - value));
}

/* ---- code ---- */

/* Do two words stand side by side, as in sentences, neither of which parts names of code? */
static bool
has_bare_words(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n, *to, *last = NULL;	/* the end of the word ahead */

	for (; s < end; s = to) {
		if ((to = past_text(t, s)) > s)
			continue;
		while (to < end && piece_is_word(*to))
			to++;
		if (to == s) {
			to++;
		} else if (talk_is_one_of(talk_part(t, s, to), OPERATORS)) {
			last = NULL;
		} else if (last && piece_past_blanks(last, s) == s) {
			return true;
		} else {
			last = to;
		}
	}
	return false;
}

/* "import a", "from a import b", "def f(x):", "for a in b:", "return x", "@decorator" */
static bool
is_keyword_line(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n, *to;
	struct talk word, rest;

	if (*s == '@' && end - s > 1 && is_letter(s[1]))
		return !memchr(s, ' ', t.n);
	to = piece_past_word(s, end);
	word = talk_part(t, s, to);
	rest = talk_part(t, to, end);
	if (talk_is_one_of(word, "import"))
		return !has_words(rest, WORDS) && memchr(s, ' ', t.n);
	if (talk_is_one_of(word, "from"))
		return talk_any_whole(rest, "import");
	if (lower(*s) != *s)
		return false;			/* a sentence begins */
	if (talk_is_one_of(word, "for"))
		return (end[-1] == ':' && talk_any_whole(rest, "in")) || end[-1] == '{';
	if (talk_is_one_of(word, "def class while if elif else try except finally with"))
		return memchr(":({", end[-1], 3) && !(talk_is_one_of(word, "while if elif with") && has_bare_words(rest));
	return talk_is_one_of(word, "return raise yield assert del") && (to == end || memchr(" (", *to, 2)) && !has_words(rest, NO_CODE);
}

/* The end of what is assigned to, or of a function's name: "a.b[0]", "x, y", "self.f"; NULL:
 * none. */
static const char *
past_target(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;
	int depth = 0;

	if (s == end || !(is_letter(*s) || *s == '_' || *s == '*' || *s == '('))
		return NULL;
	for (; s < end; s++) {
		depth += (*s == '[') - (*s == ']');
		if (depth == 0 && !piece_is_word(*s) && !memchr(".]*", *s, 3) && !(*s == ',' && s + 1 < end && s[1] == ' ') &&
		    !(*s == ' ' && s[-1] == ','))
			break;
	}
	return s;
}

/* "x = f(y)", "total += loss", "const int n = 3;" */
static bool
is_assignment(struct talk t)
{
	const char *end = t.s + t.n, *at = past_target(t);

	if (!at || at == end)
		return false;
	at = piece_past_blanks(at, end);
	if (end - at > 1 && memchr("+-*/|&", *at, 6) && at[1] == '=')
		at++;
	return end - at > 1 && *at == '=' && at[1] != '=' && at[1] != '>';
}

/* "model.cuda()", "print(x)", "loss.backward();", "nn.Linear(3, 4),": a call, and nothing behind
 * it. */
static bool
is_call_statement(struct talk t)
{
	const char *end = t.s + t.n, *at = past_target(t);

	return at && at < end && at > t.s && *at == '(' && memchr("),:;([{\\", end[-1], 8);
}

/* A statement, by its form. */
bool
form_is_statement(struct talk t)
{
	const char *end = t.s + t.n;
	struct talk rest = form_without_comment(t);

	while (rest.n > 0 && memchr(" \t\r", rest.s[rest.n - 1], 3))
		rest.n--;
	if (rest.n < 2 || has_words(rest, NO_CODE))
		return false;
	if (is_keyword_line(rest) || is_assignment(rest) || is_call_statement(rest))
		return true;
	return end - t.s > 1 && memchr(";{}", end[-1], 3) && memchr("(){};=", end[-1] == ';' ? end[-2] : end[-1], 6);
}

bool
form_speaks(struct talk t, bool fenced)
{
	return has_words(t, fenced ? OWN_WORDS : WORDS);
}

#define EMPHASIZED	60	/* bytes between two signs of it */

/* Behind the words that stars at S emphasize, which are WIDE bytes wide, or NULL: they are none. */
static const char *
emphasis_ends(const char *s, const char *end, ptrdiff_t wide)
{
	const char *to = s + wide;

	if (to >= end || !(is_letter(*to) || is_digit(*to)))
		return NULL;
	while (to < end && to - s < EMPHASIZED && *to != '*' && (piece_is_word(*to) || memchr(" -'.,/", *to, 6)))
		to++;
	if (end - to < wide || memchr(" ,", to[-1], 2))
		return NULL;
	for (s = to; s < end && *s == '*'; s++)
		;
	return s - to == wide && (s == end || !piece_is_word(*s)) ? s : NULL;
}

size_t
form_plain(char *to, const char *s, size_t n)
{
	const char *from = s, *end = s + n, *behind;
	char *begin = to;
	ptrdiff_t wide;

	while (s < end) {
		if (end - s > 2 && s > from && s[0] == '\\' && s[1] == '*' && is_digit(s[-1]) && is_digit(s[2]))
			s++;		/* "1920\\*1080", which is to be no emphasis */
		for (wide = 0; s + wide < end && s[wide] == '*'; wide++)
			;
		behind = wide > 0 && wide < 3 && s > from && memchr(" \t(\"", s[-1], 4) ? emphasis_ends(s, end, wide) : NULL;
		if (behind) {
			memcpy(to, s + wide, (size_t)(behind - s - 2 * wide));
			to += behind - s - 2 * wide;
			s = behind;
			continue;
		}
		for (wide = wide > 0 ? wide : 1; wide > 0; wide--)
			*to++ = *s++;
	}
	return (size_t)(to - begin);
}
