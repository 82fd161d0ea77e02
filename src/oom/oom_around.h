/*
 * What stands around messages in a log: an allocator's dump and its lists, nvidia-smi's table,
 * XLA's buffers, Caffe's network as it is loaded, and whose text that is. The reader (oom_log.c)
 * hands in one place after the other.
 */
#ifndef STOWAGE_OOM_OOM_AROUND_H
#define STOWAGE_OOM_OOM_AROUND_H

#include "oom/oom_phrase.h"

struct oom_around {
	struct oom_log *log;
	char operation[OOM_NAME];	/* as ONNX Runtime tells it before the message */
	int gpu, gpu_line;	/* as CUDA's error is said to be of, there; line 0: nowhere */
	struct oom_size buffer;	/* as XLA tells it before the shape */
	bool xla;
	int stats_line;		/* where the allocator's statistics began; 0: nowhere */
	struct oom_place dump_of;	/* of whose memory a dump is to follow, as its head says; */
	int dump_line;		/* where that stood; 0: nowhere */
	int usage_line;		/* the last line of the list of who holds tensors; 0: none */
	int64_t net_bytes;	/* Caffe's network that is being loaded, so far */
	struct oom_shape net_input, net_shape;
	const char *speaker;	/* whose text it was last; */
	int speaker_line;	/* there */
	int64_t next_epoch;	/* after the number that a line gave last beside the word; 0: none did */
	int epoch_step_line;	/* the last that gave an epoch's number and a step's */
	int64_t step;		/* the number that a line gave last beside that word; 0: none did */
	bool trials;		/* a line gave the number of a trial, the first of which is 0 or 1 */
	int64_t fold;		/* one more than the number of the last fold that a line gave; 0: none did */
	int evaluating_line;	/* the head of what is told of evaluation; 0: of training, or nowhere */
	int handling_line;	/* where an error was being handled; 0: nowhere */
};

/* What the phrase P says, which stands on LINE. */
void	oom_around(struct oom_around *, const struct phrase *p, const struct oom_match *, int line);
/* Whose text it is on LINE, if something near it tells; NULL: nothing does. */
const char	*oom_speaker(const struct oom_around *, int line);

#endif
