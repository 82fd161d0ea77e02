/*
 * update/pipe.cu - what goes from one stage of a pipeline to the next, and back:
 *
 *     pipe_expect     what is received begins to come to where nothing else lies
 *     pipe_arrive     it is there
 *     pipe_send       what is sent begins to go
 *     pipe_settle     it has left its bytes
 *
 * Between two ranks all goes in the order of the borders and of the micro-batches, on both sides. A
 * micro-batch is expected when the one before it begins, so it comes while that is worked on.
 *
 * Nobody waits around a ring. A forward waits until both neighbours have received what this rank
 * sent them: the next one expects the micro-batch before, at the latest, when it comes to its
 * forward of that, and the one before in its backward of the oldest; each comes there without this
 * forward. A backward waits for what went back alone: the next rank may come to its next forward
 * only when it has sent the gradient that this backward is about to receive, and that was received.
 */
#ifndef STOWAGE_UPDATE_PIPE_CU
#define STOWAGE_UPDATE_PIPE_CU

enum { PIPE_ON = 1, PIPE_BACK = 2 };	/* which way: to later ranks, to earlier ones */

#ifdef __CUDACC__
#include "update/pipe_cuda.cu"
#else
#include "update/pipe_c.cu"
#endif

#endif
