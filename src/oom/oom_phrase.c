/*
 * The wordings, from the sources of the frameworks and from what their users pasted into reports. The
 * order within a table matters only where two patterns begin alike.
 *
 * A message to be recognised is a row of oom_phrases; what it says beyond its first words are rows of
 * oom_detail.c. oom_pattern.h explains the signs. A phrase must not occur in logs without memory
 * trouble. oom_text.c cleans what is read, oom_shape.c finds tensors by shape or by bytes, and
 * oom_dump.c names the chunks of an allocator's dump. tests/unit/test_oom_texts.c and
 * test_oom_reports.c hold the real texts, and read each in every form in which logs arrive.
 */
#include "oom/oom_phrase.h"

#define ROW(role, kind, host, who, says, flags)	role, kind, host, who, says, OOM_ASKED, flags
#define MESSAGE(kind)	ROW(ROLE_MESSAGE, kind, false, NULL, NULL, 0)
#define ON_GPU(kind)	ROW(ROLE_MESSAGE, kind, false, NULL, NULL, PHRASE_GPU)
#define HOST(kind)	ROW(ROLE_MESSAGE, kind, true, NULL, NULL, 0)
#define KERNEL(flags)	ROW(ROLE_MESSAGE, OOM_KERNEL, true, NULL, NULL, flags)
#define SAYS(kind, who, says)	ROW(ROLE_MESSAGE, kind, false, who, says, 0)
#define HOST_SAYS(who, says)	ROW(ROLE_MESSAGE, OOM_KERNEL, true, who, says, 0)
#define ON_WINDOWS	ROW(ROLE_MESSAGE, OOM_PYTORCH_CPU, true, NULL, NULL, PHRASE_WINDOWS)
#define FROM(who)	SAYS(OOM_CUDA, who, NULL)
#define FROM_METAL(who)	SAYS(OOM_MPS, who, NULL)
#define TORCH_ON(who)	SAYS(OOM_PYTORCH, who, NULL)
#define STATUS(who, says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, says, PHRASE_ASSERTED)
#define HEDGED(kind, who, says)	ROW(ROLE_MESSAGE, kind, false, who, says, PHRASE_HEDGED)
#define HANDLE(who)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, NO_HANDLE,				\
    PHRASE_HEDGED | PHRASE_ASSERTED)
#define ENDED		ROW(ROLE_MESSAGE, OOM_KERNEL, true, NULL, SIGNAL_9, PHRASE_HEDGED)
#define APART(who, says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, says, PHRASE_APART)
#define NAMED		ROW(ROLE_NAMED, OOM_OTHER, false, NULL, NULL, 0)
#define GENERIC		ROW(ROLE_GENERIC, OOM_OTHER, false, NULL, NULL, 0)
#define RUNTIME		ROW(ROLE_NAMED, OOM_MACHINE, true, NULL, NULL, 0)
#define LINE(role)	ROW(role, OOM_KINDS, false, NULL, NULL, 0)
#define ALONE(role)	ROW(role, OOM_KINDS, false, NULL, NULL, PHRASE_ALONE)
#define SPEAKER(who)	ROW(ROLE_SPEAKER, OOM_KINDS, false, who, NULL, 0)

#define NO_ALGORITHM	"cuDNN found no algorithm for a convolution. Most often that means that "	\
    "no algorithm's workspace fitted into what was free."
#define GROWTH		"TensorFlow takes nearly all of a device at the start, unless "			\
    "tf.config.experimental.set_memory_growth (TensorFlow 1: gpu_options.allow_growth) is on; JAX "	\
    "takes three quarters, unless XLA_PYTHON_CLIENT_PREALLOCATE=false."
#define NOT_COPIED	"TensorFlow could not copy a tensor to the device. Nearly always that "	\
    "means that the device had no memory left for it: the network's own, or another process's, took "	\
    "it. Where no other process is there, the network needs more than there is, and a smaller batch makes its "	\
    "results smaller. " GROWTH
#define NO_HANDLE	"A library of CUDA could not be set up on the device. Usually there was no "	\
    "memory left for it, because the framework itself or another process had taken it. " GROWTH		\
    " A library that does not fit the driver, and an index out of range, end so, too."
#define NO_WORKSPACE	"A library of CUDA got no memory on the device: the framework itself or "	\
    "another process had taken it. " GROWTH
#define KILLED		"The machine's memory, not the device's, ran out, or a limit of the "	\
    "container was reached, and the process was ended. Data lie there that are read at once, their "	\
    "copies in loader processes, pinned buffers, and what is offloaded from a device."
#define SIGNAL_9	"The process was ended from outside, by signal 9. Unless someone did that, it "	\
    "was the kernel, because the machine's memory, not the device's, ran out, or the limit of a "	\
    "container or job was reached; its log (dmesg) then says so. Data lie there that are read at "	\
    "once, their copies in loader processes, pinned buffers, and what is offloaded from a device."
#define NVML		"PyTorch had no memory left on the device. When it wrote its message, it asked "	\
    "NVIDIA's library who has the memory, and that call failed."
#define NO_BATCH	"The device had no memory left at a batch of one, after all larger ones. The "	\
    "messages of those stand above it, if the log has them."
#define JAVA_HEAP	"Java's heap was full, whose limit -Xmx is: that is the machine's memory, not the "	\
    "device's."
#define LOADER_GONE	"A process that loads data ended before its time. Often that is for want of the "	\
    "machine's memory or of shared memory (/dev/shm): fewer workers need less of both. An error in "	\
    "the data's own code ends so, too: num_workers=0 shows it."
#define PAGING_FILE	"Windows had no memory left to promise: what programs have asked for does not "	\
    "fit the machine's memory and the paging file. It is the machine's, not the device's. Each "	\
    "process that loads CUDA's libraries is promised gigabytes: fewer loader processes, or a larger "	\
    "paging file, help."
#define SUBDIVISIONS	"Darknet had no memory left on the device, and does not say for what. It "	\
    "computes a batch in parts, as many as `subdivisions` in the .cfg file says: 16, 32 or 64 of them "	\
    "take less memory; so do a smaller width and height, and random=0."
#define KV_CACHE	"vLLM keeps the keys and values of requests in what gpu_memory_utilization of "	\
    "the device leaves after the weights and a trial run, and that was not enough. It is memory for "	\
    "serving a network, not for training it."
#define TOKENS		"The server tried at its start whether the tokens that it is to hold at once fit beside the "	\
    "weights, and they do not: smaller limits (--max-batch-total-tokens, --max-batch-prefill-tokens, "		\
    "--max-input-length), weights in fewer bits, or more devices (--num-shard) make them fit."
#define TRANSLATES	"CTranslate2 had no memory left on the device: weights lie there (compute_type int8 or "	\
    "float16 takes less), and what a batch takes, by batch_size, beam_size and the inputs' length."
#define CNMEM		"Theano takes the share of the device that lib.cnmem says at the start, and "	\
    "could not get it: another process has a part of the device."
#define COMMAND		"The driver could not place what one command needs in the device's memory at "	\
    "once."
#define RESOURCES	"The driver had no resources left for a command. That may be the device's "	\
    "memory; a kernel that needs too many registers or too much local memory, or reads beyond a "	\
    "buffer, ends so, too."
#define CL_HOST		"The driver of OpenCL says that it got no memory from the machine. Drivers "	\
    "answer so as well where they cannot serve the device, or where contexts, queues or events were "	\
    "made over and over and never released."
#define ROCM_RESOURCES	"AMD's runtime could not get what it needs. Most often that is the device's "	\
    "memory; queues, events and threads can be short, too."
#define BUS_ERROR	"Worker processes pass batches through shared memory (/dev/shm), and that was "	\
    "full: Docker gives a container 64 MiB of it, unless --shm-size (or --ipc=host) says otherwise. "	\
    "Fewer workers and smaller batches need less. It is the machine's memory, not the device's."
#define GEMM		"cuBLAS could not start a product of matrices in TensorFlow. Nearly always it had "	\
    "got no memory on the device for itself, because the network or another process, such as a "	\
    "notebook that is still open, had taken it. " GROWTH " A library that does not fit the device ends "	\
    "so, too."
#define TACTIC		"TensorRT left out a way to run a layer, since its workspace was not there; it "	\
    "tries others, so by itself this is a warning. A smaller limit of workspaces keeps it from trying "	\
    "such ways."
#define NO_TACTIC	"TensorRT found no way to run a layer in the workspace and the memory it was "	\
    "allowed."
#define WARM_UP		"vLLM tries its sampler with as many requests as max_num_seqs allows, before it "	\
    "serves any, and the device had no memory left for that: fewer of them, or a lower "	\
    "gpu_memory_utilization, leave some."
#define ENGINE		"TensorRT had no memory left on the device for what it builds or runs: weights, results "	\
    "of layers at the largest shapes and batch that its profile allows, and workspaces up to the limit that it is "	\
    "given. A limit of workspaces as large as the device leaves nothing for the rest; on a Jetson that is the "	\
    "machine's memory."
#define UNLIKELY	"XLA gave up before it compiled the program: it counts the bytes that it needs, "	\
    "and they are more than the device has."
#define BARE		"PyTorch could not get memory on the device. This message (of cudaMallocAsync, or "	\
    "cut short) does not say how much was asked for, nor who has it."
#define NCCL_BUFFERS	"NCCL, which moves data among devices, got no memory on one of them. It takes "	\
    "its buffers from the device itself, not from the framework's allocator, which may have all the rest: "	\
    "PyTorch keeps freed blocks in its cache, JAX takes three quarters of a device when it begins "	\
    "(XLA_PYTHON_CLIENT_MEM_FRACTION). A smaller batch, or a smaller share for that allocator, leaves room; "	\
    "so does ending other processes there."
#define EXABYTE		"No machine has as much: the size itself is wrong, as when it is computed from "	\
    "something that was never set, or received in part. Look for the error that came before it."
#define LARGE_BLOCK	"The driver of this device gives no single block of 4 GiB or more, however much is "	\
    "free: what was asked for must be made in parts or smaller, such as by fewer samples or pixels at once."
#define ON_CHIP		"Not the device's memory: a kernel needs more of the memory on a multiprocessor "	\
    "(\"shared memory\") than that device has, of which there are tens or hundreds of KiB. "		\
    "Smaller blocks (BLOCK sizes, fewer num_stages or num_warps), or a version of the library that knows "	\
    "the device, make it fit; a smaller batch does not."
#define LAUNCH		"Not the device's memory: a kernel was to run with more threads in a block than the "	\
    "registers or the on-chip memory of a multiprocessor suffice for. Smaller blocks, or a library that was "	\
    "compiled for that device, make it fit."
#define ILLEGAL		"Not for want of memory, as far as the log tells: a kernel read or wrote where "	\
    "nothing of its is. Most often that is an index out of range, or a library's fault; "			\
    "CUDA_LAUNCH_BLOCKING=1 and compute-sanitizer show which kernel."
#define FULL_FILES	"Not the GPU's memory: the device that is full is one of files. That is a disk, or "	\
    "/dev/shm, which is the machine's memory, and where processes keep semaphores and batches that they "	\
    "share: Docker gives a container 64 MiB of it, unless --shm-size (or --ipc=host) says otherwise. df -h "	\
    "tells which is full."
#define WORKER_GONE	"A process that prepares data ended before its time. If no error of its own stands "	\
    "ahead of this, the kernel ended it, because the machine's memory ran out, not the device's: fewer such "	\
    "processes need less of it."
#define COPIED_ARRAY	"TensorFlow was to put an array of the machine's memory on the device as one "	\
    "tensor, such as one that fit() or predict() is given whole, or weights, and had no room for it. "		\
    "A tf.data.Dataset made from a generator, or a keras.utils.Sequence, hands it over batch by batch. "	\
    GROWTH
#define NOT_PINNED	"ggml was to lock (pin) memory of the machine, so that copies to the device are fast, "	\
    "and CUDA refused. It goes on with memory that is not locked, which is slower: by itself this is no failure."
#define ELSEWHERE	"Detectron2 had no memory left on the device for one operation, and went on with that "	\
    "on the processor, which is slower: by itself this is no failure. For pairwise_iou, which compares boxes with "	\
    "all others, an image has very many."
#define SHARE_TAKEN	"vLLM takes a share of the device (gpu_memory_utilization) when it starts, and less than "	\
    "that was free: other processes have the rest, be it a desktop or an earlier run that has not ended. A "	\
    "smaller share, or ending those, is what it asks for; the network plays no part yet."
#define SKIPPED		"fairseq had no room on the device for a batch, left it out and went on. Batches differ by the "	\
    "lengths of what is in them, and --max-tokens bounds them: a few that are left out do little harm, and many "	\
    "ask for a smaller one."
#define RAY		"Ray ended a process of its own, because the machine's memory was nearly full, not the "	\
    "device's: what its tasks and actors hold together is too much. Fewer of them at once (more CPUs for each, fewer "	\
    "workers), and objects that are let go of, need less."
#define RAY_GONE	"A process of Ray ended before its time, and Ray takes the limit of its container's memory "	\
    "for a likely reason: that would be the machine's memory, not the device's. Fewer tasks and actors at once need "	\
    "less of it."
#define ALL_WINDOWS	"nnU-Net could not predict on the device, most likely for want of memory: the results of all "	\
    "windows lie there, a number for each voxel and class. It goes on with them in the machine's memory, so that by "	\
    "itself this is no failure."
#define POOL		"MXNet's pool of device memory could not be extended; it does not say by how "	\
    "much."

const struct phrase oom_phrases[] = {
	/* TensorFlow */
	{ "OOM when allocating tensor with shape$", MESSAGE(OOM_TENSORFLOW) },
	{ "OOM when allocating tensor of shape $", MESSAGE(OOM_TENSORFLOW) },
	{ "OOM when allocating tensor with shape\n", MESSAGE(OOM_TENSORFLOW) },	/* cut */
	{ "OOM when allocating tensor of shape\n", MESSAGE(OOM_TENSORFLOW) },
	{ "with shape$ and type @ on ^", ROW(ROLE_MESSAGE, OOM_TENSORFLOW, false, NULL, NULL,
	    PHRASE_REST) },		/* pasted without its beginning */
	{ "Dst tensor is not initialized", HEDGED(OOM_TENSORFLOW, NULL, NOT_COPIED) },
	{ "in order to run _EagerConst: Dst tensor is not initialized",
	    HEDGED(OOM_TENSORFLOW, NULL, COPIED_ARRAY) },
	{ "failed to allocate memory\t[", MESSAGE(OOM_TENSORFLOW) },
	{ "failed to allocate memory!", MESSAGE(OOM_TENSORFLOW) },
	{ "Allocator (^ ) ran out of memory trying to allocate %", MESSAGE(OOM_TF_ALLOCATOR) },
	{ ") ran out of memory trying to allocate %", MESSAGE(OOM_TF_ALLOCATOR) },
	{ "Ran out of memory trying to allocate %", MESSAGE(OOM_TF_ALLOCATOR) },
	{ "gpu_async_# cuMemAllocAsync failed to allocate %", ON_GPU(OOM_CUDA) },
	{ "cuMemAllocAsync failed to allocate %", MESSAGE(OOM_CUDA) },
	/* PyTorch */
	{ "CUDA out of memory. Tried to allocate more than", APART("PyTorch", EXABYTE) },
	{ "CUDA out of memory. Tried to allocate %", MESSAGE(OOM_PYTORCH) },
	{ "HIP out of memory. Tried to allocate %", TORCH_ON("PyTorch on HIP") },
	{ "XPU out of memory. Tried to allocate %", TORCH_ON("PyTorch on XPU") },
	{ "NPU out of memory. Tried to allocate %", TORCH_ON("PyTorch on NPU") },
	{ "out of memory. Tried to allocate %", MESSAGE(OOM_PYTORCH) },
	{ "out of memory. Tried to allocate more than", APART("PyTorch", EXABYTE) },
	{ "can NOT allocate memory block with size larger than @ Tried to allocate %",
	    SAYS(OOM_PYTORCH, "PyTorch on XPU", LARGE_BLOCK) },
	{ "Tried to allocate % (GPU #", ON_GPU(OOM_PYTORCH) },	/* pasted without its beginning */
	{ "Tried to allocate % . GPU #", ON_GPU(OOM_PYTORCH) },
	{ "GPU # ; % total capacity", ROLE_MESSAGE, OOM_PYTORCH, false, NULL, NULL, OOM_TOTAL,
	    PHRASE_GPU | PHRASE_REST },
	{ "GPU # has a total capacity of %", ROLE_MESSAGE, OOM_PYTORCH, false, NULL, NULL, OOM_TOTAL,
	    PHRASE_GPU | PHRASE_REST },
	{ "GPU # has a total capacty of %", ROLE_MESSAGE, OOM_PYTORCH, false, NULL, NULL, OOM_TOTAL,
	    PHRASE_GPU | PHRASE_REST },
	{ "Allocation on device # would exceed allowed memory", ON_GPU(OOM_PYTORCH) },
	{ "OutOfMemoryError: Allocation on device\n", SAYS(OOM_CUDA, "PyTorch", BARE) },
	{ "Allocation on device\n", SAYS(OOM_CUDA, "PyTorch", BARE) },
	{ "NVML_SUCCESS == @ INTERNAL ASSERT FAILED", SAYS(OOM_CUDA, "PyTorch", NVML) },
	{ "No executable batch size found, reached zero", SAYS(OOM_CUDA, "Accelerate", NO_BATCH) },
	{ "MPS backend out of memory", MESSAGE(OOM_MPS) },
	{ "Invalid buffer size: %", MESSAGE(OOM_MPS) },
	{ "DefaultCPUAllocator: can't allocate memory: you tried to allocate %",
	    HOST(OOM_PYTORCH_CPU) },
	{ "DefaultCPUAllocator: not enough memory: you tried to allocate %", ON_WINDOWS },
	{ "not enough memory: you tried to allocate %", HOST(OOM_PYTORCH_CPU) },
	{ "gAlignment, nbytes) == 0. 12 vs 0", HOST(OOM_PYTORCH_CPU) },	/* 12: ENOMEM */
	{ "unable to write to file </torch_", HOST_SAYS("PyTorch's DataLoader", BUS_ERROR) },
	{ "unable to mmap @ bytes from file </torch_", HOST_SAYS("PyTorch's DataLoader", BUS_ERROR) },
	{ "PyTorch CUDA memory summary, device ID #", ROW(ROLE_MESSAGE, OOM_TORCH_SUMMARY, false, NULL,
	    "A table of PyTorch's caching allocator: what tensors took at most, and what it "
	    "keeps.", PHRASE_GPU) },
	{ "DataLoader worker (pid @ is killed by signal: Bus error",
	    HOST_SAYS("PyTorch's DataLoader", BUS_ERROR) },
	{ "Unexpected bus error encountered in worker", ROW(ROLE_MESSAGE, OOM_KERNEL, true,
	    "PyTorch's DataLoader", BUS_ERROR, PHRASE_AGAIN) },
	{ "DataLoader worker (pid @ is killed by signal: Killed",
	    HOST_SAYS("PyTorch's DataLoader", KILLED " Each loader worker holds copies of data.") },
	{ "DataLoader worker (pid(s) @ exited unexpectedly", ROW(ROLE_MESSAGE, OOM_KERNEL, true,
	    "PyTorch's DataLoader", LOADER_GONE, PHRASE_HEDGED) },
	{ "background workers are no longer alive", ROW(ROLE_MESSAGE, OOM_KERNEL, true, "batchgenerators",
	    WORKER_GONE, PHRASE_HEDGED | PHRASE_AGAIN) },
	{ "Prediction on device was unsuccessful, probably due to a lack of memory", ROW(ROLE_MESSAGE, OOM_CUDA, false,
	    "nnU-Net", ALL_WINDOWS, PHRASE_HEDGED | PHRASE_WARNING) },
	{ "Background workers died", ROW(ROLE_MESSAGE, OOM_KERNEL, true, "nnU-Net", WORKER_GONE,
	    PHRASE_HEDGED | PHRASE_AGAIN) },
	/* XLA and JAX, whose allocator is TensorFlow's: JAX is built with that from outside */
	{ "external/org_tensorflow/tensorflow/tsl/framework/bfc_allocator.cc:# ] Allocator (^ ) ran out "
	    "of memory trying to allocate %", MESSAGE(OOM_XLA) },
	{ "external/org_tensorflow/tensorflow/core/common_runtime/bfc_allocator.cc:# ] Allocator (^ ) ran "
	    "out of memory trying to allocate %", MESSAGE(OOM_XLA) },
	{ "external/xla/xla/tsl/framework/bfc_allocator.cc:# ] Allocator (^ ) ran out of memory trying to "
	    "allocate %", MESSAGE(OOM_XLA) },
	{ "external/tsl/tsl/framework/bfc_allocator.cc:# ] Allocator (^ ) ran out of memory trying to "
	    "allocate %", MESSAGE(OOM_XLA) },
	{ "Out of memory while trying to allocate %", MESSAGE(OOM_XLA) },
	{ "Out of memory trying to allocate %", MESSAGE(OOM_XLA) },
	{ "Out of memory allocating % (allocated so", MESSAGE(OOM_CUPY) },
	{ "Out of memory allocating %", MESSAGE(OOM_XLA) },
	{ "Failed to allocate request for %", MESSAGE(OOM_XLA) },
	{ "Attempting to allocate %. That was not possible", MESSAGE(OOM_XLA) },
	{ "Attempting to reserve % at the bottom of memory", MESSAGE(OOM_XLA) },
	{ "Ran out of memory in memory space", MESSAGE(OOM_XLA) },
	{ "unlikely to have enough memory. Requires", SAYS(OOM_XLA, NULL, UNLIKELY) },
	/* ONNX Runtime, TensorRT */
	{ "Failed to allocate memory for requested buffer of size #", ROW(ROLE_MESSAGE, OOM_ONNX, false,
	    NULL, NULL, PHRASE_BYTES) },
	{ "Available memory of # is smaller than requested bytes of #", MESSAGE(OOM_ONNX) },
	{ "CUDA failure 2: out of memory", ROW(ROLE_MESSAGE, OOM_CUDA, false, NULL, NULL,
	    PHRASE_ANYONE) },
	{ "Requested amount of GPU memory (% ) could not be allocated", FROM("TensorRT") },
	{ "Requested amount of memory (% ) could not be allocated", FROM("TensorRT") },
	{ "Out of memory error during getBestTactic:", ROW(ROLE_MESSAGE, OOM_CUDA, false, "TensorRT", ENGINE,
	    PHRASE_AGAIN) },
	{ "Tactic Device request: % Available: %", SAYS(OOM_CUDA, "TensorRT", TACTIC) },
	{ "Skipping tactic @ due to insufficient memory on requested size of #",
	    ROW(ROLE_MESSAGE, OOM_CUDA, false, "TensorRT", TACTIC, PHRASE_HEDGED) },
	{ "OutOfMemory Error in nvinfer#::", SAYS(OOM_CUDA, "TensorRT", NO_TACTIC) },
	{ "Error Code 1: Cuda Runtime (out of memory)", SAYS(OOM_CUDA, "TensorRT", ENGINE) },
	{ "Cuda Error in nvinfer@ 2 (out of memory)", SAYS(OOM_CUDA, "TensorRT", ENGINE) },
	{ "Error Code 2: OutOfMemory", SAYS(OOM_CUDA, "TensorRT", ENGINE) },
	{ "OutOfMemory Error in allocate: 0", SAYS(OOM_CUDA, "TensorRT", ENGINE) },
	{ "Cuda Error in allocate: 2 (out of memory)", SAYS(OOM_CUDA, "TensorRT", ENGINE) },
	/* others */
	{ "Out of memory error on GPU # . Cannot allocate %", ON_GPU(OOM_PADDLE) },
	{ "Fail to alloc memory of # size", ROW(ROLE_MESSAGE, OOM_PADDLE, true, NULL, NULL, PHRASE_BYTES) },
	{ "Cannot malloc % GPU memory", MESSAGE(OOM_PADDLE) },
	{ "cudaStat (0 vs. 2) Cuda Error: out of memory", FROM("PaddlePaddle") },
	{ "enforce allocating <= available failed, # > #", MESSAGE(OOM_PADDLE) },
	{ "enforce allocating < available failed, # >= #", MESSAGE(OOM_PADDLE) },
	{ "received allocating:# > available:#", MESSAGE(OOM_PADDLE) },
	{ "out of memory to allocate % (", MESSAGE(OOM_CUPY) },
	{ "pooled_storage_manager.h:# : Memory allocation failed", SAYS(OOM_CUDA, "MXNet", POOL) },
	{ "pooled_storage_manager.h:# : cudaMalloc failed: out of memory", FROM("MXNet") },
	{ "pooled_storage_manager.h:# : cudaMalloc retry failed: out of memory", FROM("MXNet") },
	{ "MXNetError: cudaMalloc failed: out of memory", FROM("MXNet") },
	{ "MXNetError: cudaMalloc retry failed: out of memory", FROM("MXNet") },
	{ "cudaErrorCudartUnloading: CUDA: out of memory", FROM("MXNet") },
	{ "cudaErrorCudartUnloading CUDA: out of memory", FROM("MXNet") },
	{ "cudaSuccess: CUDA: out of memory", FROM("MXNet") },
	{ "Failed to allocate CPU Memory", ROW(ROLE_MESSAGE, OOM_HOST, true, "MXNet", NULL, 0) },
	{ "cudaSuccess (2 vs. 0) out of memory", ROW(ROLE_MESSAGE, OOM_CUDA, false, "Caffe", NULL, PHRASE_STACK) },
	{ "cudaSuccess (2 vs. 0)", ROW(ROLE_MESSAGE, OOM_CUDA, false, "Caffe", NULL, PHRASE_STACK) },
	{ "host allocation of size # failed", ROW(ROLE_MESSAGE, OOM_HOST, true, "Caffe", NULL,
	    PHRASE_BYTES) },
	{ "Try to set subdivisions=64 in your cfg-file", ROW(ROLE_MESSAGE, OOM_CUDA, false, "Darknet", SUBDIVISIONS,
	    PHRASE_AGAIN) },
	{ "CUDA Error: out of memory: @", ROW(ROLE_MESSAGE, OOM_CUDA, false, "Darknet", SUBDIVISIONS,
	    PHRASE_AGAIN) },	/* with the last error of the C library, whatever that was */
	{ "CUDA Error: out of memory", SAYS(OOM_CUDA, "Darknet", SUBDIVISIONS) },
	{ "CUDA Error 2, out of memory", FROM("tinygrad") },
	{ "CUDA Error 2, CUDA_ERROR_OUT_OF_MEMORY", FROM("tinygrad") },
	{ "MemoryError: Allocation of % failed", FROM("tinygrad") },
	{ "Error allocating % of device memory (CNMEM_STATUS_OUT_OF_MEMORY)", FROM("Theano") },
	{ "Error allocating % of device memory", FROM("Theano") },
	{ "cnmemInit call failed@ Reason=CNMEM_STATUS_OUT_OF_MEMORY",
	    SAYS(OOM_CUDA, "Theano", CNMEM) },
	{ "CNMEM_STATUS_OUT_OF_MEMORY", FROM("Theano") },
	{ "CUDA out of memory occurred when warming up sampler with",
	    SAYS(OOM_CUDA, "vLLM", WARM_UP) },
	{ "Not enough memory to handle # total tokens",
	    SAYS(OOM_CUDA, "text-generation-inference", TOKENS) },
	{ "WARNING: ran out of memory on GPU @", ROW(ROLE_MESSAGE, OOM_CUDA, false, "fairseq", SKIPPED,
	    PHRASE_WARNING) },
	{ "Out of Memory: Not enough space to allocate # B", ROW(ROLE_MESSAGE, OOM_CUDA, false, "TT-Metal", NULL,
	    PHRASE_BYTES) },
	{ "CUDA failed with error out of memory", SAYS(OOM_CUDA, "CTranslate2", TRANSLATES) },
	{ "No available memory for the cache blocks", SAYS(OOM_CUDA, "vLLM", KV_CACHE) },
	{ "max seq len (# ) is larger than the maximum number of tokens that can be stored in KV cache",
	    SAYS(OOM_CUDA, "vLLM", KV_CACHE) },
	{ "% KV cache is needed, which is larger than the available KV cache memory (%",
	    SAYS(OOM_CUDA, "vLLM", KV_CACHE) },
	{ "on startup is less than desired GPU memory utilization", SAYS(OOM_CUDA, "vLLM", SHARE_TAKEN) },
	{ "to CPU due to CUDA OOM", ROW(ROLE_MESSAGE, OOM_CUDA, false, "Detectron2", ELSEWHERE, PHRASE_WARNING) },
	{ "allocating % on device # : cudaMalloc failed", ROW(ROLE_MESSAGE, OOM_CUDA, false, "ggml", NULL,
	    PHRASE_GPU) },
	{ "Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory", FROM_METAL("Metal") },
	{ "kIOGPUCommandBufferCallbackErrorOutOfMemory", FROM_METAL("Metal") },
	{ "Could not allocate tensor with % . There is not enough GPU video memory", FROM("DirectML") },
	{ "std::bad_alloc: out_of_memory: CUDA error (failed to allocate %", FROM("RMM") },
	{ "std::bad_alloc: out_of_memory", FROM("RMM") },
	{ "Device memory allocation of size # failed", ROW(ROLE_MESSAGE, OOM_CUDA, false, "Vulkan", NULL,
	    PHRASE_BYTES) },
	{ "VK_ERROR_OUT_OF_DEVICE_MEMORY", FROM("Vulkan") },
	{ "ErrorOutOfDeviceMemory", FROM("Vulkan") },
	{ "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", FROM("Level Zero") },
	{ "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", FROM("Level Zero") },
	{ "can't allocate # Bytes of memory on device", ROW(ROLE_MESSAGE, OOM_CUDA, false, "SYCL", NULL,
	    PHRASE_BYTES) },
	{ "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY", ROW(ROLE_MESSAGE, OOM_HOST, true, "Level Zero", NULL, 0) },
	{ "UR_RESULT_ERROR_OUT_OF_RESOURCES", HEDGED(OOM_CUDA, "Level Zero", RESOURCES) },
	{ "PI_ERROR_OUT_OF_RESOURCES", HEDGED(OOM_CUDA, "Level Zero", RESOURCES) },
	{ "malloc] Unable to allocate %", FROM_METAL("MLX") },
	{ "malloc_or_wait] Unable to allocate %", FROM_METAL("MLX") },
	{ "Attempting to allocate % which is greater than", SAYS(OOM_MPS, "MLX",
	    "Metal gives no single buffer as large as that, however much memory is free.") },
	{ "Out of memory on device. To view more detail", FROM("MATLAB") },
	{ "Out of GPU memory trying to allocate %", FROM("CUDA.jl") },
	/* CUDA and its libraries */
	{ "failed to alloc % on host", HOST(OOM_CUDA) },
	{ "failed to allocate % of pinned memory", ROW(ROLE_MESSAGE, OOM_CUDA, true, "ggml", NOT_PINNED,
	    PHRASE_WARNING) },
	{ "cuMemHostAlloc results in CUDA_ERROR_OUT_OF_MEMORY", HOST(OOM_CUDA) },
	{ "failed to allocate % (# bytes) from device", MESSAGE(OOM_CUDA) },
	{ "failed to allocate %", MESSAGE(OOM_CUDA) },
	{ "CUDA runtime implicit initialization on GPU:# failed. Status: out of memory",
	    ROW(ROLE_MESSAGE, OOM_CUDA, false, "TensorFlow", NO_WORKSPACE, PHRASE_GPU) },
	{ "Cuda failure 'out of memory'", SAYS(OOM_CUDA, "NCCL", NCCL_BUFFERS) },
	{ "Cuda failure 2 'out of memory'", SAYS(OOM_CUDA, "NCCL", NCCL_BUFFERS) },
	{ "CUDA_ERROR_OUT_OF_MEMORY", MESSAGE(OOM_CUDA) },
	{ "cudaErrorMemoryAllocation", MESSAGE(OOM_CUDA) },
	{ "CUDA driver error: out of memory", MESSAGE(OOM_CUDA) },
	{ "cublas runtime error : resource allocation failed", STATUS("cuBLAS", NULL) },
	{ "cublas runtime error : library not initialized", HANDLE("cuBLAS") },
	{ "cuda runtime error (2)", FROM("PyTorch before 1.0") },
	{ "line=# error=2 : out of memory", FROM("PyTorch before 1.0") },	/* THCudaCheck FAIL file= */
	{ "CUDA error: out of memory", MESSAGE(OOM_CUDA) },
	{ "HIP error: out of memory", FROM("HIP") },
	{ "hipErrorOutOfMemory", FROM("HIP") },
	{ "CUDA out of memory", MESSAGE(OOM_CUDA) },
	{ "~could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED", STATUS("cuDNN", NO_WORKSPACE) },
	{ "~could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED", HANDLE("cuDNN") },
	{ "~could not create cudnn handle", HANDLE("cuDNN") },
	{ "~failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED", STATUS("cuBLAS", NO_WORKSPACE) },
	{ "~failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED", HANDLE("cuBLAS") },
	{ "~failed to create cublas handle", HANDLE("cuBLAS") },
	{ "~create cublas handle failed", HANDLE("cuBLAS") },
	{ "Blas GEMM launch failed", ROW(ROLE_MESSAGE, OOM_CUDA, false, "cuBLAS", GEMM,
	    PHRASE_HEDGED | PHRASE_ASSERTED) },
	{ "Blas SGEMM launch failed", ROW(ROLE_MESSAGE, OOM_CUDA, false, "cuBLAS", GEMM,
	    PHRASE_HEDGED | PHRASE_ASSERTED) },
	{ "Blas xGEMM launch failed", ROW(ROLE_MESSAGE, OOM_CUDA, false, "cuBLAS", GEMM,
	    PHRASE_HEDGED | PHRASE_ASSERTED) },
	{ "CUBLAS_STATUS_ALLOC_FAILED", STATUS("cuBLAS", NULL) },
	{ "CUDNN_STATUS_ALLOC_FAILED", STATUS("cuDNN", NULL) },
	{ "CUBLAS_STATUS_NOT_INITIALIZED", HANDLE("cuBLAS") },
	{ "CUDNN_STATUS_NOT_INITIALIZED", HANDLE("cuDNN") },
	{ "Unable to find a valid cuDNN algorithm", STATUS("cuDNN", NO_ALGORITHM) },
	{ "unable to find an engine to execute this computation", STATUS("cuDNN", NO_ALGORITHM) },
	/* OpenCL, and AMD's */
	{ "CL_MEM_OBJECT_ALLOCATION_FAILURE", FROM("OpenCL") },
	{ "MEM_OBJECT_ALLOCATION_FAILURE", FROM("OpenCL") },
	{ "CL_OUT_OF_RESOURCES", HEDGED(OOM_CUDA, "OpenCL", RESOURCES) },
	{ "failed: OUT_OF_RESOURCES", HEDGED(OOM_CUDA, "OpenCL", RESOURCES) },
	{ "CL_OUT_OF_HOST_MEMORY", ROW(ROLE_MESSAGE, OOM_HOST, true, "OpenCL", CL_HOST, PHRASE_HEDGED) },
	{ "Not enough memory for command submission", SAYS(OOM_CUDA, "amdgpu", COMMAND) },
	{ "HSA_STATUS_ERROR_OUT_OF_RESOURCES", HEDGED(OOM_CUDA, "ROCm", ROCM_RESOURCES) },
	{ "cudaMalloc failed: out of memory", MESSAGE(OOM_CUDA) },
	{ "cudaMalloc retry failed: out of memory", MESSAGE(OOM_CUDA) },
	/* the machine */
	{ "Unable to allocate % for an array with shape $", HOST(OOM_NUMPY) },
	{ "Unable to allocate array with shape $", HOST(OOM_NUMPY) },
	{ "java.lang.OutOfMemoryError", HOST_SAYS("Java", JAVA_HEAP) },
	{ "cannot allocate vector of size %", ROW(ROLE_MESSAGE, OOM_HOST, true, "R", NULL, 0) },
	{ "Memory cgroup out of memory: Kill process #", KERNEL(PHRASE_LIMITED | PHRASE_AGAIN) },
	{ "Memory cgroup out of memory: Killed process #", KERNEL(PHRASE_LIMITED) },
	{ "Out of memory: Kill process #", KERNEL(PHRASE_AGAIN) },
	{ "Out of memory: Killed process #", HOST(OOM_KERNEL) },
	{ "Killed process #", HOST(OOM_KERNEL) },
	{ "invoked oom-killer", KERNEL(PHRASE_AGAIN) },
	{ "oom-kill:constraint=CONSTRAINT_MEMCG", KERNEL(PHRASE_LIMITED | PHRASE_AGAIN) },
	{ "oom-kill:constraint=", KERNEL(PHRASE_AGAIN) },
	{ "oom-kill event", HOST_SAYS("Slurm", KILLED) },
	{ "oom_kill event", HOST_SAYS("Slurm", KILLED) },
	{ "Exceeded job memory limit", HOST_SAYS("Slurm", KILLED) },
	{ "exceeded memory limit (# > # ), being killed", HOST_SAYS("Slurm", KILLED) },
	{ "Task was killed due to the node running low on memory", HOST_SAYS("Ray", RAY) },
	{ "which exceeds the memory usage threshold of", HOST_SAYS("Ray", RAY) },
	{ "Workers (tasks / actors) killed due to memory pressure (OOM)", HOST_SAYS("Ray", RAY) },
	{ "RayOutOfMemoryError: More than @ of the memory on node", HOST_SAYS("Ray", RAY) },
	{ "The worker may have exceeded K8s pod memory limits", ROW(ROLE_MESSAGE, OOM_KERNEL, true, "Ray", RAY_GONE,
	    PHRASE_HEDGED) },
	{ "job killed after reaching LSF memory usage limit", HOST_SAYS("LSF", KILLED) },
	{ "PBS: job killed: mem", HOST_SAYS("PBS", KILLED) },
	{ "PBS: job killed: vmem", HOST_SAYS("PBS", KILLED) },
	{ "The node was low on resource: memory", HOST_SAYS("Kubernetes", KILLED) },
	{ "Your notebook tried to allocate more memory than is available", HOST_SAYS("Kaggle", KILLED) },
	{ "Your session crashed after using all available RAM", HOST_SAYS("Colab", KILLED) },
	{ "OOMKilled\afalse", LINE(ROLE_NOTHING) },	/* a field of each container's state */
	{ "OOMKilled", HOST_SAYS("Kubernetes", KILLED) },
	{ "[WinError 1455] The paging file is too small", HOST_SAYS("Windows", PAGING_FILE) },
	{ "[WinError 1455]", HOST_SAYS("Windows", PAGING_FILE) },
	{ "~the paging file is too small for this operation", HOST_SAYS("Windows", PAGING_FILE) },
	{ "~os error 1455", HOST_SAYS("Windows", PAGING_FILE) },
	/* a process that ended so, in the words of who started it */
	{ "Killed: 9", ROW(ROLE_MESSAGE, OOM_KERNEL, true, "macOS", SIGNAL_9,
	    PHRASE_HEDGED | PHRASE_ALONE) },
	{ "\xe5\xb7\xb2\xe6\x9d\x80\xe6\xad\xbb\n", ENDED },	/* the same, in Chinese */
	{ "Killed\n", ROW(ROLE_MESSAGE, OOM_KERNEL, true, NULL, SIGNAL_9,
	    PHRASE_HEDGED | PHRASE_ALONE) },
	{ "line # : # Killed", ENDED },
	{ ".sh: # : # killed", ENDED },
	{ "]+ Killed", ENDED },
	{ "~exit_code\a137", ENDED },
	{ "~exit_code\a-9", ENDED },
	{ "~exit_code\a-SIGKILL", ENDED },
	{ "~exit code\a137", ENDED },
	{ "~exit code\a-9", ENDED },
	{ "~exit status\a137", ENDED },
	{ "~exit status\a-9", ENDED },
	{ "~with code\a137", ENDED },
	{ "~error code\a137", ENDED },
	{ "] Error 137", ENDED },
	{ "~status code\a137", ENDED },
	{ "~return code\a-9", ENDED },
	{ "~signal: killed", ENDED },
	{ "~by SIGKILL", ENDED },
	{ "~by signal 9", ENDED },
	{ "~from signal 9", ENDED },
	{ "~got signal 9", ENDED },
	{ "~received signal 9", ENDED },
	{ "~with signal 9", ENDED },
	{ "~on signal 9", ENDED },
	{ "~signal 9 (SIGKILL)", ENDED },
	{ "<Signals.SIGKILL: 9", ENDED },
	{ "with signal SIGKILL", ENDED },
	{ "code=killed, status=9/KILL", ENDED },
	/* what looks like one, and is of something else */
	{ "out of resource: shared memory", APART("Triton", ON_CHIP) },
	{ "out of resource: tensor memory", APART("Triton", ON_CHIP) },
	{ "out of resource: threads", APART("Triton", LAUNCH) },
	{ "uses too much shared data", APART("ptxas", ON_CHIP) },
	{ "~too many resources requested for launch", APART("CUDA", LAUNCH) },
	{ "cudaErrorLaunchOutOfResources", APART("CUDA", LAUNCH) },
	{ "ERROR_LAUNCH_OUT_OF_RESOURCES", APART("CUDA", LAUNCH) },
	{ "~an illegal memory access was encountered", APART("CUDA", ILLEGAL) },
	{ "CUDA_ERROR_ILLEGAL_ADDRESS", APART("CUDA", ILLEGAL) },
	{ "cudaErrorIllegalAddress", APART("CUDA", ILLEGAL) },
	{ "~no space left on device", APART("the file system", FULL_FILES) },
	/* ours */
	{ "the plan needs %", MESSAGE(OOM_OURS) },
	{ "the system refuses an arena of %", HOST(OOM_OURS) },
	{ "the device refuses an arena of %", MESSAGE(OOM_OURS) },
	/* anyone's */
	{ "std::bad_alloc", RUNTIME },
	{ "MemoryError", RUNTIME },
	{ "~cannot allocate memory", RUNTIME },
	{ "~out of memory", NAMED },
	{ "~outofmemory", NAMED },
	{ "~out of GPU memory", NAMED },
	{ "~out of device memory", NAMED },
	{ "~out_of_device_memory", NAMED },
	{ "~ran out of @ memory", NAMED },
	{ "~resource exhausted", NAMED },
	{ "~resource_exhausted", NAMED },
	{ "~resourceexhausted", NAMED },
	{ "~insufficient memory", NAMED },
	{ "~insufficient @ memory", GENERIC },
	{ "~not enough memory", NAMED },
	{ "~not enough @ memory", GENERIC },
	{ "~memory allocation fail", GENERIC },
	{ "~failed to allocate", GENERIC },
	{ "~failed to alloc", GENERIC },
	{ "~allocation failed", GENERIC },
	{ "~unable to allocate", GENERIC },
	{ "~cannot allocate", GENERIC },
	{ "~can't allocate", GENERIC },
	{ "~could not allocate", GENERIC },
	{ "~couldn't allocate", GENERIC },
	{ "~exceeds available memory", GENERIC },
	/* what stands around messages */
	{ "# Chunks of size # totalling", LINE(ROLE_CLASS) },
	{ "% / % |", LINE(ROLE_CARD) },
	{ "# / # MB |", LINE(ROLE_CARD) },		/* gpustat's */
	{ "Chunk at @ of size #", LINE(ROLE_CHUNK) },
	{ "InUse at @ of size #", LINE(ROLE_CHUNK) },
	{ "Free at @ of size #", LINE(ROLE_FREE_CHUNK) },
	{ "Stats:", LINE(ROLE_STATS) },
	{ "Limit: #", LINE(ROLE_LIMIT) },
	{ "InUse: #", LINE(ROLE_IN_USE) },
	{ "Bin (256):", LINE(ROLE_BINS) },
	{ "while running @ node. Name:'&", LINE(ROLE_OPERATION) },
	{ "for CUDA device ordinal #", LINE(ROLE_GPU) },
	{ "Size: %", LINE(ROLE_BUFFER_SIZE) },
	{ "Shape: $", LINE(ROLE_BUFFER_SHAPE) },
	{ "Entry Parameter Subshape: $", LINE(ROLE_BUFFER_SHAPE) },
	{ "Current usage from device: ^", LINE(ROLE_USAGE) },
	{ "% from &", LINE(ROLE_HOLDER) },
	{ "Remaining # nodes with %", LINE(ROLE_HOLDERS) },
	{ "output data size: `", LINE(ROLE_NET_INPUT) },
	{ "Top shape: `", LINE(ROLE_NET_SHAPE) },
	{ "Memory required for data: #", LINE(ROLE_NET_BYTES) },
	{ "device-side assert triggered", LINE(ROLE_ASSERTION) },
	{ "cudaErrorAssert", LINE(ROLE_ASSERTION) },
	{ "thread: $ Assertion", LINE(ROLE_ASSERTION) },
	{ "volatile was removed and now has no effect", LINE(ROLE_VOLATILE) },
	{ "Total memory: %", LINE(ROLE_START_TOTAL) },
	{ "totalMemory: %", LINE(ROLE_START_TOTAL) },
	{ "Free memory: %", LINE(ROLE_START_FREE) },
	{ "freeMemory: %", LINE(ROLE_START_FREE) },
	{ "During handling of the above exception", LINE(ROLE_HANDLING) },
	{ "\bvllm/", LINE(ROLE_SERVES) },
	{ "\bvllm.", LINE(ROLE_SERVES) },
	{ "~\bgpu_memory_utilization\a#", LINE(ROLE_SERVES) },
	{ "\bsglang/", LINE(ROLE_SERVES) },
	{ "\bsglang.", LINE(ROLE_SERVES) },
	{ "\btext_generation_server/", LINE(ROLE_SERVES) },
	{ "\blmdeploy/", LINE(ROLE_SERVES) },
	{ "Capturing the model for CUDA graphs", LINE(ROLE_CAPTURE) },
	{ "Capturing cudagraphs", LINE(ROLE_CAPTURE) },
	{ "Capturing CUDA graph", LINE(ROLE_CAPTURE) },
	{ "Capture cuda graph begin", LINE(ROLE_CAPTURE) },
	{ "Filling up shuffle buffer (this may take a while): # of #", LINE(ROLE_SHUFFLE) },
	{ "~\bepoch\a#/", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a# of #", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a#[", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a[#", LINE(ROLE_EPOCH) },
	{ "~\bepoch[#", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a#\b", LINE(ROLE_EPOCH_COUNT) },
	{ "~running training\b", LINE(ROLE_TRAINS) },
	{ "~running evaluation\b", LINE(ROLE_EVALUATES) },
	{ "~running prediction\b", LINE(ROLE_EVALUATES) },
	{ "~running predict\b", LINE(ROLE_EVALUATES) },
	{ "~running test\b", LINE(ROLE_EVALUATES) },
	/* not that of evaluation, nor of all devices or steps in one (total_, global_, effective_) */
	{ "~\bbatch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\btrain_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\bper_device_train_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\bper_device_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\bper_gpu_train_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\bbatch_size_per_gpu\a#\b", LINE(ROLE_BATCH) },
	{ "~\bbatch_size_per_device\a#\b", LINE(ROLE_BATCH) },
	{ "~\bmicro_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\btrain_micro_batch_size_per_gpu\a#\b", LINE(ROLE_BATCH) },
	{ "~\bsamples_per_gpu\a#\b", LINE(ROLE_BATCH) },
	{ "~batch size\a#\b", ALONE(ROLE_BATCH) },
	{ "~instantaneous batch size per device\a#\b", LINE(ROLE_BATCH) },
	{ "Microsoft::MSR::CNTK", SPEAKER("CNTK") },
	{ "_cntk_py", SPEAKER("CNTK") },
	{ "packages\\cntk", SPEAKER("CNTK") },
	{ "packages/cntk", SPEAKER("CNTK") },
	{ "onnxruntime", SPEAKER("ONNX Runtime") },
	{ "ONNXRuntimeError", SPEAKER("ONNX Runtime") },
	{ "CUDAExecutionProvider", SPEAKER("ONNX Runtime") },
	{ NULL, LINE(ROLE_BINS) }
};
