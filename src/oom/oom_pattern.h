/*
 * Patterns of out-of-memory messages. A blank in a pattern stands for any white space or none, and
 * between any two letters the text may break its line, with a quotation mark of a mail or of a log
 * collector after it: messages are pasted from terminals that wrapped them.
 *
 *     %   a size with its unit: "44.00 MiB", "2.12G", "2282521344 bytes"
 *     #   a whole number, commas allowed; at the end of a pattern one by itself (oom_counted.h)
 *     $   a shape: "[32,1,5000,4]", "f32[4096,128,3]{2,1,0}", "(160000, 64, 64)"
 *     &   a name: printable, up to white space, a quote or a bracket
 *     @   a word that does not matter
 *     !   the end of a sentence: a punctuation mark, a line's end or the text's
 *     ^   a device of TensorFlow or one of its allocators: "/job:localhost/task:0/device:GPU:0",
 *         "/cpu:0", "GPU_0_bfc", "cuda_host_bfc"
 *     `   extents without brackets: "64 3 224 224", "64,3,224,224", "64x3x224x224", "64 x 3"
 *     \a  what parts a name from its value: "=", ": ", " is ", "': ", or blanks, and " (" of "(137)"
 *     \f  a code or status by which a process is told to have been ended by signal 9, with the words
 *         ahead of it: " with exit code 137", "code: (-9)"
 *     \b  where a word begins or ends: letters, digits and underscores, and hyphens between those
 *     tab blanks within the line
 *     a line's end: nothing more in the line, but for blanks, a quote or an emphasis
 *
 * Of a pattern of three words and more, the first in small letters behind its first, that one may
 * be small or large in the text: titles begin with what programs say within a line.
 * A pattern that begins with ~ does not mind the case of letters, and in such a one an underscore
 * stands for itself, a hyphen or nothing, as names are written in options and in code. After one
 * that ends with a digit the number must end.
 */
#ifndef STOWAGE_OOM_OOM_PATTERN_H
#define STOWAGE_OOM_OOM_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"

#define OOM_NAME	256
#define OOM_RANK	12	/* axes: frameworks have more than we do */
#define OOM_BREAK	'\v'	/* stands for a line break that is written as \n, as in JSON */

#define OOM_WHOLE	((int64_t)1 << 30)	/* of which a size may be told in whole ones, the rest cut off */

struct oom_size {		/* as printed: somewhere within SLACK of BYTES */
	bool known;
	int64_t bytes, slack;
};

struct oom_shape {
	bool known;
	int rank;
	int64_t dim[OOM_RANK];
	bool laid;		/* the layout is said, as XLA does: "{1,0:T(8,128)}"; then */
	int minor[2];		/* the axis whose elements lie side by side, and the next; -1: there is no next */
};

struct oom_place {		/* where memory ended, as far as it is said */
	bool known, host;
	int gpu;		/* its index; -1: not said */
};

struct oom_match {		/* what a pattern's signs stood for */
	struct oom_size size, second;	/* the first two */
	bool beyond;		/* a size, or a whole number, is more than 63 bits can say: it is not among these */
	int64_t number[2];
	int numbers;
	struct oom_shape shape;
	char name[OOM_NAME];
	struct oom_place place;
};

/* Does the pattern match the text at S, which has a byte ahead of it? Returns its end, or NULL; the
 * match is cleared first. */
const char	*oom_pattern(const char *pattern, const char *s, const char *end,
		    struct oom_match *);
/* Is it such a one, of words? */
bool		oom_pattern_is_wording(const char *pattern);
/* The pattern without the signs that stand for no text, ~ and \b, ahead of its first. */
const char	*oom_pattern_first(const char *pattern);

#endif
