#include "common.h"
#include <cuda_runtime.h>
#include <dlfcn.h>
#if __has_include(<nvtx3/nvToolsExt.h>)	/* names for profilers */
#include <nvtx3/nvToolsExt.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#pragma nv_diag_suppress 177	/* some functions are a program's alone, some a library's */

/* Every call of the runtime goes through CUDA(), so that none fails unseen. */
#define CUDA(call)	cuda_check((call), #call, __LINE__)

static inline void
cuda_check(cudaError_t error, const char *call, int line)
{
	if (error != cudaSuccess)
		fail("%s (line %d): %s", call, line, cudaGetErrorString(error));
}

/* A refused launch is named at once; one that fails while it runs, by the next device_wait(). */
#define LAUNCHED(name)	cuda_check(cudaGetLastError(), "launch of " #name, __LINE__)

#ifdef USE_CUBLASLT
#include <cublasLt.h>

#define CUBLAS(call)	cublas_check((call), #call, __LINE__)

static cublasLtHandle_t lt;	/* made by device_open() */

static inline void
cublas_check(cublasStatus_t status, const char *call, int line)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		fail("%s (line %d): %s", call, line, cublasLtGetStatusString(status));
}
#endif

#ifdef RANKS
#include <nccl.h>
#include <pthread.h>

#define NCCL(call)	nccl_check((call), #call, __LINE__)

static void	nccl_wait(void);

/* Mostly another rank is gone: who watches is left the time to say which. */
static inline void
nccl_check(ncclResult_t result, const char *call, int line)
{
	if (result == ncclSuccess)
		return;
	nccl_wait();
	fail("%s (line %d): NCCL: %s: %s", call, line, ncclGetErrorString(result), ncclGetLastError(NULL));
}
#endif

#ifdef USE_CUDNN
#include <cudnn.h>

#define CUDNN(call)	cudnn_check((call), #call, __LINE__)

static inline void
cudnn_check(cudnnStatus_t status, const char *call, int line)
{
	if (status != CUDNN_STATUS_SUCCESS)
		fail("%s (line %d): %s", call, line, cudnnGetErrorString(status));
}
#endif
