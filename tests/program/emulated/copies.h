/* What the host asks of a device at its start, where all memory is the host's. Behind cuda.h. */
#ifndef EMULATED_COPIES_H
#define EMULATED_COPIES_H

#define CUDA(call)	((void)(call))

enum { cudaSuccess };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static inline int
cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t)
{
	std::memset(to, value, n);
	return cudaSuccess;
}

static inline int
cudaMemcpyAsync(void *to, const void *from, size_t n, int, cudaStream_t)
{
	std::memcpy(to, from, n);
	return cudaSuccess;
}

static inline int
cudaStreamSynchronize(cudaStream_t)
{
	return cudaSuccess;
}

#endif
