/* Keywords, names of settings, and the nearest keyword to a misspelt word. */
#include "syntax/words.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "syntax/setting.h"
#include "syntax/token.h"

#include "grammar/parser.h"

#define COUNT(a)	((int)(sizeof(a) / sizeof((a)[0])))
#define LONGEST		24	/* no word of the language comes near it */

static const char *const durations[] = { "epochs", "steps" };

static const struct keyword {
	const char *text;
	int token;
	enum word_group group;
} keywords[] = {
	{ "use", TOK_USE, WORDS_FILE },
	{ "param", TOK_PARAM, WORDS_FILE },
	{ "block", TOK_BLOCK, WORDS_FILE },
	{ "network", TOK_NETWORK, WORDS_FILE },
	{ "train", TOK_TRAIN, WORDS_FILE },
	{ "validate", TOK_VALIDATE, WORDS_FILE },
	{ "device", TOK_DEVICE, WORDS_FILE },
	{ "lint", TOK_LINT, WORDS_FILE },
	{ "input", TOK_INPUT, WORDS_STATEMENT },
	{ "target", TOK_TARGET, WORDS_STATEMENT },
	{ "loss", TOK_LOSS, WORDS_STATEMENT },
	{ "metric", TOK_METRIC, WORDS_STATEMENT },
};

bool
word_is_setting(const char *s)
{
	const struct setting_kind *k;

	for (k = setting_kinds; k->key; k++)
		if (strcmp(s, k->key) == 0)
			return true;
	return false;
}

/* S in lower case, so that Network is as near as can be; false if it is too long to be close. */
static bool
lower(char buf[LONGEST], const char *s)
{
	size_t n = strlen(s), i;

	if (n >= LONGEST)
		return false;
	for (i = 0; i <= n; i++)
		buf[i] = (char)tolower((unsigned char)s[i]);
	return true;
}

const char *
word_near_duration(const char *s)
{
	char buf[LONGEST];
	int i;

	if (lower(buf, s))
		for (i = 0; i < COUNT(durations); i++)
			if (text_distance(buf, durations[i], 1) <= 1)
				return durations[i];
	return NULL;
}

const char *
word_near_keyword(const char *s, enum word_group group, int *token)
{
	const char *candidate[COUNT(keywords)], *found;
	char buf[LONGEST];
	int i, n = 0;

	if (!lower(buf, s))
		return NULL;
	for (i = 0; i < COUNT(keywords); i++)
		if (keywords[i].group == group)
			candidate[n++] = keywords[i].text;
	found = text_nearest(buf, candidate, n);
	for (i = 0; found && i < COUNT(keywords); i++)
		if (keywords[i].text == found)
			*token = keywords[i].token;
	return found;
}

#define PYTHON	"a line of Python; " PYTHON_CURE

#define PICTURES_VARY	"pictures are varied as they are read, by arguments of their reader: "	\
    "data images(\"train\", area=(0.08, 1), flip=0.5)"

#define RATE	"the optimizer has it: optimizer adam(lr=1e-3)"
#define OPTIMIZER	"the optimizer has it: optimizer sgd(lr=0.1, momentum=0.9, weight_decay=1e-4)"
#define FUNCTION	"what is used more than once is a block, whose value is 'out': "	\
    "block f(width) { out = in -> dense(width) }"

#define LIKELIHOOD	"of log-probabilities, cross_entropy is the negative log-likelihood of the labels"

#define SCHEDULE	"the schedule has it: schedule cosine(warmup=5 epochs)"
#define REPETITION	"copies of a layer: 3 * dense(64), each with parameters of its own; index counts them from 0"
#define SEQUENCE	"layers follow one another with '->': x -> dense(64) -> relu"
#define NO_WORD	"a definition has no word before it: y = x -> dense(10)"

static const struct {
	const char *theirs, *here;
	bool statement;		/* it never stands for a value */
} elsewhere[] = {
	{ "augment", PICTURES_VARY, false }, { "augmentation", PICTURES_VARY, false }, { "augmentations", PICTURES_VARY, false },
	{ "transform", PICTURES_VARY, false }, { "transforms", PICTURES_VARY, false },
	{ "lr", RATE, false }, { "learning_rate", RATE, false }, { "rate", RATE, false },
	{ "momentum", OPTIMIZER, false }, { "weight_decay", OPTIMIZER, false },
	{ "def", FUNCTION, false }, { "class", FUNCTION, false }, { "function", FUNCTION, false }, { "func", FUNCTION, false },
	{ "fn", FUNCTION, false }, { "return", "the value of a block is its definition 'out'", false },
	{ "True", "write true", false }, { "False", "write false", false },
	{ "nll", LIKELIHOOD, false }, { "nll_loss", LIKELIHOOD, false }, { "NLLLoss", LIKELIHOOD, false },
	{ "Sequential", SEQUENCE, false }, { "ModuleList", SEQUENCE, false }, { "compose", SEQUENCE, false },
	{ "warmup", SCHEDULE, true }, { "warmup_steps", SCHEDULE, true }, { "warmup_epochs", SCHEDULE, true },
	{ "for", REPETITION, true }, { "while", REPETITION, true },
	{ "import", PYTHON, true }, { "from", PYTHON, true },
	{ "let", NO_WORD, true }, { "var", NO_WORD, true }, { "const", NO_WORD, true }, { "val", NO_WORD, true },
};

const char *
word_elsewhere(const char *s, bool value)
{
	int i;

	for (i = 0; i < COUNT(elsewhere); i++)
		if (strcmp(s, elsewhere[i].theirs) == 0 && !(value && elsewhere[i].statement))
			return elsewhere[i].here;
	return NULL;
}

/* The filter asks this of every token. The keywords of a group are declared in one line of the
 * grammar, so their numbers follow each other. */
bool
word_is_item(int token)
{
	_Static_assert(TOK_LINT - TOK_USE == 7, "USE ... LINT");
	return token >= TOK_USE && token <= TOK_LINT;
}

bool
word_is_section(int token)
{
	return token == TOK_TRAIN || token == TOK_VALIDATE || token == TOK_DEVICE ||
	    token == TOK_LINT;
}

bool
word_is_statement(int token)
{
	_Static_assert(TOK_METRIC - TOK_INPUT == 3, "INPUT ... METRIC");
	return token >= TOK_INPUT && token <= TOK_METRIC;
}
