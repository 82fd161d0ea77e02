/*
 * What words in a traceback tell of the place where a program was: sets of TRACE_ (oom_log.h).
 */
#ifndef STOWAGE_OOM_OOM_SIGNS_H
#define STOWAGE_OOM_OOM_SIGNS_H

#include "oom/oom_log.h"
#include "oom/oom_piece.h"

/* What words in a line of code, or in a call's file and function, tell: all that are not NULL must
 * hold one each. A list ends with a row of neither. */
struct sign {
	const char *words, *others;
	uint64_t facts;
};

uint64_t	signs_match(const struct sign *, struct piece a, struct piece b);

/* Of the innermost line of code that is not PyTorch's own; OF_ATTENTION: its file or function
 * is. */
uint64_t	signs_of_code(struct piece, bool of_attention);
/* What a line of code tells, CODE, once TEXT, a call deeper within it, is NumPy's own of random
 * numbers: these failed as they were drawn, ahead of what the line makes of them. */
uint64_t	signs_once_drawn(uint64_t code, struct piece text);
/* Of any line of code: by the calls that it makes. */
uint64_t	signs_of_calls_made(struct piece);
/* Of a call, by its file and its function: oom_calls.c. */
uint64_t	signs_of_call(struct piece path, struct piece function);

/* Is that a function that trains, by its name? */
bool	signs_trains(struct piece function);

/* What stands behind the last dot of a name; is that a network's; and does a line put one on a
 * device? */
struct piece	signs_last_part(struct piece name);
bool	signs_is_network(struct piece part);
bool	signs_is_move(struct piece line);

/* Is it a line of PyTorch's own Module.to(), whatever of its traceback is left? */
bool	signs_is_module_move(struct piece line);

/* Does a line of code name the processor as a device? */
bool	signs_is_of_processor(struct piece line);

/* Is that file PyTorch's own, or one of arrays; or was it installed, whosever it is? */
bool	signs_is_library(struct piece path);
bool	signs_is_installed(struct piece path);

#endif
