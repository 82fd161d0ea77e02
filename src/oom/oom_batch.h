/* What people say of the batch, or the length, with which it fails, or runs (oom_batch.c). */
#ifndef STOWAGE_OOM_OOM_BATCH_H
#define STOWAGE_OOM_OOM_BATCH_H

#include "oom/oom_lexicon.h"

/* Where T says that it fails with a batch of so many samples, the least of them; or NULL. */
const char	*oom_batch_fails(struct talk, int64_t *least);
/* Where it says that it fails with a few samples, after more of them; or NULL. */
const char	*oom_batch_few_in_vain(struct talk, int64_t *least);
/* "with a batch of even 2 to 32, still": is LEAST, of the batch at AT, few, and in vain? */
bool		oom_batch_even_few(struct talk, const char *at, int64_t least);
/* "... and got the same error each time. I set it to 1, and it finally worked": does a sentence
 * behind that AT say that fewer than LEAST run? */
bool	oom_batch_fewer_run(struct talk, const char *at, int64_t least);
/* Where it says that it fails with sequences so long; or NULL. */
const char	*oom_batch_long(struct talk);
/* Does it say that a batch of training has one sample, whatever comes of it? */
bool		oom_batch_is_one(struct talk);
/* "batchsize最大是2": is what AT names in T the most that runs? */
bool		oom_batch_is_most(struct talk t, const char *at);
/* Where it says that it runs with a batch of some number; or NULL. */
const char	*oom_batch_runs(struct talk);

#endif
