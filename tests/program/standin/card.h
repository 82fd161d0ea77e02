/* What the stand-ins for the runtime (card.cc, queues.cc) and for its libraries (libraries.cc)
 * share. */
#ifndef STANDIN_CARD_H
#define STANDIN_CARD_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

#include <cuda_runtime.h>

struct place {			/* in a capture: the calls that came last, by number */
	std::set<int> behind;
};

struct stream {
	struct place at;
	bool captured = false;
};

struct nvml_process {
	unsigned id;
	unsigned long long bytes;
	unsigned instances[2];
};

cudaError_t	card_refuse(const char *what);
cudaError_t	card_call(cudaStream_t on);	/* a kernel, or a library's */
void	card_takes(double ms);	/* the last call, which is not captured, took so long */
bool	card_is_captured(void);
cudaError_t	card_not_captured(const char *what);	/* which is refused while a step is captured */
void	card_begins(void);	/* a step runs: what is first needed later is late */
int64_t	card_number(const char *name, int64_t otherwise);	/* a variable of the environment */
/* That of place AT in a list of them: 1,2,3; OTHERWISE if there is none. */
double	card_listed(const char *name, int64_t at, double otherwise);
/* How many a list has; 1 if there is none. */
int	card_count(const char *name);
void	libraries_report();	/* the last lines of the report */
void	queues_report();
/* touches.cc: a capture begins; and a call of it, directly behind those, by number. */
void	touches_begin();
void	touches_call(const std::set<int> &last);
/* A line of it. */
void	card_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What goes between ranks: FUNCTION is called at once, so that all are heard of what all call;
 * within a capture, it is to wait for all that the step has come to. */
void	card_do(cudaStream_t on, std::function<void()> function);
/* What goes from one rank to another, when READY says so: that is counted, and goes nowhere, as
 * kernels compute nothing. */
void	card_do_when(cudaStream_t on, std::function<bool()> ready, std::function<void()> function);
/* What was called waits for other processes. */
static inline void	card_waits(void) {}
/* Is it all in memory of the card? */
extern "C" bool	card_within(const void *p, size_t n);
/* WHAT is loaded when it is first needed, and takes BYTES of the card. */
void	card_needs(const char *what, int64_t bytes);

#endif
