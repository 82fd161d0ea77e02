/* Code that is pasted beside a log: what of it is known to fill a device, or the machine. */
#ifndef STOWAGE_OOM_OOM_CODE_H
#define STOWAGE_OOM_OOM_CODE_H

#include "oom/oom_paste.h"
#include "oom/oom_piece.h"

/* TRACED: a traceback's line, of which only what switches gradients off is read. */
void	oom_code_line(struct oom_paste *, struct talk, int line, bool traced);
/* A person's sentence: what it says of code rules out, and shows nothing, */
void	oom_code_said(struct oom_paste *, struct talk, int line);
/* but for what lies between Markdown's signs and holds results: "I add it up by `total +=
 * loss`". */
void	oom_code_spans(struct oom_paste *, struct talk, int line);

/* "net = net.to(device)", and nothing else. */
bool	oom_code_moves(struct talk);

#endif
