/*
 * The language's words: keywords, which only the parser gives meaning, and the names of settings,
 * which the filter needs to see where a setting ends and the next begins on the same line. Settings
 * of other names are still read where they start a line; what settings there are is
 * syntax/setting.h's.
 */
#ifndef STOWAGE_SYNTAX_WORDS_H
#define STOWAGE_SYNTAX_WORDS_H

#include <stdbool.h>

/* What makes a spec of a model in Python. */
#define PYTHON_CURE	"'stowage-torch FILE.py:NAME SHAPE' makes a spec of a module of PyTorch, 'stowage import' of a "	\
    "model that was saved as ONNX or by Keras"

enum word_group { WORDS_FILE, WORDS_STATEMENT };

bool	word_is_setting(const char *);
/* The duration a misspelt word is close to, or NULL. */
const char	*word_near_duration(const char *);
/* The keyword of that group a misspelt word is close to, and its token; or NULL. */
const char	*word_near_keyword(const char *, enum word_group, int *token);

/* What others write as a statement, section or setting of its own, or as a VALUE: where that is
 * said here; else NULL. */
const char	*word_elsewhere(const char *, bool value);

bool	word_is_item(int token);	/* begins something at file level */
bool	word_is_section(int token);	/* train, validate, device, lint */
bool	word_is_statement(int token);	/* begins a statement: input, target, loss, metric */

#endif
