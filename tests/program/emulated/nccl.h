/* As much of NCCL's header as an emitted program needs; what stands for NCCL itself is
 * standin/nccl.cc. */
#ifndef EMULATED_NCCL_H
#define EMULATED_NCCL_H

#include <cuda_runtime.h>

typedef enum { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument,
	ncclInvalidUsage, ncclRemoteError, ncclInProgress } ncclResult_t;
typedef enum { ncclInt8, ncclUint8, ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclHalf, ncclFloat, ncclDouble,
	ncclBfloat16 } ncclDataType_t;
typedef enum { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg } ncclRedOp_t;
typedef struct ncclComm *ncclComm_t;
typedef struct { char internal[128]; } ncclUniqueId;

#define EMULATED
#include "nccl.cc"

#endif
