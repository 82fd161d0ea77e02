/*
 * Names in code, and what they hold: a tensor with the graph that made it, or what has let go of
 * that.
 */
#ifndef STOWAGE_OOM_OOM_BINDS_H
#define STOWAGE_OOM_OOM_BINDS_H

#include "oom/oom_paste.h"

/* Does what T makes let go of its graph? */
bool	binds_no_graph(struct talk t);
/* The same, or lie in the machine's memory? */
bool	binds_nothing(struct talk t);
/* Is the first name of T one of what is no tensor, as "file_path"? */
bool	binds_no_tensor(struct talk t);
/* "preds = out.detach().cpu()", "value = loss.item()": by these names nothing is held, which is
 * kept in PLAIN. */
void	binds_note(struct oom_paste *, struct talk t);
/* Does T begin with a name that an earlier line has set to what lets go of the graph? */
bool	binds_nothing_named(const struct oom_paste *, struct talk t);
/* Is a name in T a loss's: "loss", "aux_losses", "loss_fn(y)", "losstensor", but not "lossless" or
 * "lossy"? */
bool	binds_loss(struct talk t);
/* The name that stands at S, as far as it goes. */
struct talk	binds_name_at(struct talk t, const char *s);
/* Does T begin with NAME, and that not go on with any of SIGNS? */
bool	binds_begins(struct talk t, const char *name, const char *signs);
/* Past the sign that a line of code in a sentence has ahead of it, Markdown's or a mail's. */
const char	*binds_past_quote(struct talk t);

#endif
