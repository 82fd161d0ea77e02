/* What the stand-ins for the runtime (card.cc) and for its libraries (libraries.cc) share. */
#ifndef STANDIN_CARD_H
#define STANDIN_CARD_H

#include <cstdint>
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
/* WHAT is loaded when it is first needed, and takes BYTES of the card. */
void	card_needs(const char *what, int64_t bytes);

#endif
