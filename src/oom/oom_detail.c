/* What messages of each kind go on to say: see oom_phrase.c. */
#include "oom/oom_phrase.h"

#define ELEMENT(kind, text, bytes)	{ text, DETAIL_ELEMENT, kind, bytes }

/* The types of elements by TensorFlow's names and by NumPy's: of two that begin alike the longer
 * one first. */
#define ELEMENTS(kind, before, after)									\
	ELEMENT(kind, before "float64" after, 8), ELEMENT(kind, before "float32" after, 4),		\
	ELEMENT(kind, before "float16" after, 2), ELEMENT(kind, before "float" after, 4),		\
	ELEMENT(kind, before "double" after, 8), ELEMENT(kind, before "half" after, 2),			\
	ELEMENT(kind, before "bfloat16" after, 2), ELEMENT(kind, before "int64" after, ELEMENT_FIXED | 8),		\
	ELEMENT(kind, before "int32" after, 4), ELEMENT(kind, before "int16" after, 2),			\
	ELEMENT(kind, before "int8" after, 1), ELEMENT(kind, before "uint64" after, ELEMENT_FIXED | 8),			\
	ELEMENT(kind, before "uint32" after, 4), ELEMENT(kind, before "uint16" after, 2),		\
	ELEMENT(kind, before "uint8" after, 1), ELEMENT(kind, before "bool" after, 1),			\
	ELEMENT(kind, before "complex128" after, 16), ELEMENT(kind, before "complex64" after, ELEMENT_FIXED | 8),	\
	ELEMENT(kind, before "object" after, ELEMENT_FIXED | 8), ELEMENT(kind, before "datetime64" after, ELEMENT_FIXED | 8)

/* What a node gives whose attribute T is of 8 bytes, where the message does not say it itself. */
#define DOUBLES(op)	ELEMENT(OOM_TENSORFLOW, "= " op "[T=DT_DOUBLE", 8)

const struct detail oom_details[] = {
	ELEMENTS(OOM_TENSORFLOW, "and type ", " on"),
	DOUBLES("MatMul"), DOUBLES("BatchMatMul"), DOUBLES("BatchMatMulV2"), DOUBLES("Mul"), DOUBLES("Add"), DOUBLES("AddV2"), DOUBLES("AddN"), DOUBLES("Sub"),
	DOUBLES("RealDiv"), DOUBLES("Exp"), DOUBLES("Square"), DOUBLES("Sqrt"), DOUBLES("Neg"), DOUBLES("Transpose"), DOUBLES("Tile"), DOUBLES("ConcatV2"),
	DOUBLES("Cholesky"), DOUBLES("Reshape"), DOUBLES("Fill"), DOUBLES("Conv2D"), DOUBLES("BiasAdd"),
	{ "type @ on ^", DETAIL_PLACE, OOM_TENSORFLOW, 0 },
	{ "by allocator ^", DETAIL_PLACE, OOM_TENSORFLOW, 0 },
	{ "= _Recv[", DETAIL_ELSEWHERE, OOM_TENSORFLOW, 0 },
	{ "= _Send[", DETAIL_ELSEWHERE, OOM_TENSORFLOW, 0 },
	{ "= _HostRecv[", DETAIL_ELSEWHERE, OOM_TENSORFLOW, 0 },
	{ "= _HostSend[", DETAIL_ELSEWHERE, OOM_TENSORFLOW, 0 },
	{ ", _device=\"^", DETAIL_PLACE, OOM_TENSORFLOW, 0 },
	{ "[_device=\"^", DETAIL_PLACE, OOM_TENSORFLOW, 0 },
	{ "InvalidArgumentError", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "FailedPreconditionError", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "NotFoundError", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "UnimplementedError", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "InternalError", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "OutOfRangeError", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "assertion failed: [", DETAIL_END, OOM_TENSORFLOW, 0 },
	{ "[[Node: &", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "{{node &", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "[[node &", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "[Op:&", DETAIL_NODE, OOM_TENSORFLOW, 0 },
	{ "__inference_train_function", DETAIL_RUN, OOM_TENSORFLOW, RUN_TRAINS },	/* of Keras: engine/training.py */
	{ "__inference_test_function", DETAIL_RUN, OOM_TENSORFLOW, RUN_TESTS },
	{ "__inference_predict_function", DETAIL_RUN, OOM_TENSORFLOW, RUN_PREDICTS },
	{ "call stack: train_function", DETAIL_RUN, OOM_TENSORFLOW, RUN_TRAINS },
	{ "call stack: test_function", DETAIL_RUN, OOM_TENSORFLOW, RUN_TESTS },
	{ "call stack: predict_function", DETAIL_RUN, OOM_TENSORFLOW, RUN_PREDICTS },
	{ "]PETSC ERROR: Memory requested #", DETAIL_SIZE, OOM_MACHINE, OOM_ASKED },
	{ "(rounded to #)", DETAIL_SIZE, OOM_TF_ALLOCATOR, OOM_ASKED },
	{ "requested by op\t&", DETAIL_NODE, OOM_TF_ALLOCATOR, 0 },
	{ "this is not a failure", DETAIL_WARNING, OOM_TF_ALLOCATOR, 0 },
	{ "with freed_by_count=", DETAIL_WARNING, OOM_TF_ALLOCATOR, 0 },	/* of the same, whose end may be cut */
	{ "~GPU #", DETAIL_GPU, OOM_PYTORCH, 0 },
	{ "NPU #", DETAIL_GPU, OOM_PYTORCH, 0 },
	{ "Currently allocated : %", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED },
	{ "Requested : %", DETAIL_SIZE, OOM_PYTORCH, OOM_ASKED },
	{ "Device limit : %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "Free (according to CUDA): %", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "user-supplied memory fraction) : %", DETAIL_SIZE, OOM_PYTORCH, OOM_LIMIT },
	{ "~% total capacity", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "~% already allocated", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED },
	{ "~% reserved in total", DETAIL_SIZE, OOM_PYTORCH, OOM_RESERVED },
	{ "% cached", DETAIL_SIZE, OOM_PYTORCH, OOM_CACHED },
	{ "~% free ;", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "% free)", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "has a total capacty of %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "has a total capacity of %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "of which %", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "this process has % memory", DETAIL_SIZE, OOM_PYTORCH, OOM_PROCESS },
	{ "Process # has % memory", DETAIL_SUM, OOM_PYTORCH, OOM_LISTED },
	{ "% is allocated by PyTorch", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED },
	{ "with % allocated in private pools", DETAIL_SIZE, OOM_PYTORCH, OOM_KEPT },
	{ "% is reserved by PyTorch", DETAIL_SIZE, OOM_PYTORCH, OOM_UNALLOCATED },
	{ "% allowed;", DETAIL_SIZE, OOM_PYTORCH, OOM_LIMIT },
	/* as machines translate it */
	{ "总容量为 %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL }, { "总容量 %", DETAIL_SIZE, OOM_PYTORCH, OOM_TOTAL },
	{ "其中 % 是免费的", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE }, { "其中 % 是空闲的", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE }, { "其中 % 可用", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE }, { "其中 % 空闲", DETAIL_SIZE, OOM_PYTORCH, OOM_FREE },
	{ "此进程有 % 内存", DETAIL_SIZE, OOM_PYTORCH, OOM_PROCESS }, { "该进程有 % 内存", DETAIL_SIZE, OOM_PYTORCH, OOM_PROCESS }, { "此进程使用了 %", DETAIL_SIZE, OOM_PYTORCH, OOM_PROCESS },
	{ "% 由 PyTorch 分配", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED }, { "% 由 PyTorch 保留但未分配", DETAIL_SIZE, OOM_PYTORCH, OOM_UNALLOCATED }, { "% 被 PyTorch 保留但未分配", DETAIL_SIZE, OOM_PYTORCH, OOM_UNALLOCATED },
	{ "% 已分配", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED }, { "已分配 %", DETAIL_SIZE, OOM_PYTORCH, OOM_ALLOCATED },
	{ "% 总共由 PyTorch 保留", DETAIL_SIZE, OOM_PYTORCH, OOM_RESERVED }, { "PyTorch 总共保留 %", DETAIL_SIZE, OOM_PYTORCH, OOM_RESERVED },
	{ "MPS allocated: %", DETAIL_SIZE, OOM_MPS, OOM_ALLOCATED },
	{ "other allocations: %", DETAIL_SIZE, OOM_MPS, OOM_OTHERS },
	{ "max allowed: %", DETAIL_SIZE, OOM_MPS, OOM_LIMIT },
	{ "Tried to allocate %", DETAIL_SIZE, OOM_MPS, OOM_ASKED },
	{ "maximum allowed buffer size of %", DETAIL_SIZE, OOM_MPS, OOM_LIMIT },
	{ "failed to allocate compute buffers", DETAIL_FACT, OOM_MPS, TRACE_COMPUTE },
	{ "ggml_gallocr_reserve", DETAIL_FACT, OOM_MPS, TRACE_COMPUTE },
	{ "(rounded to #)", DETAIL_SIZE, OOM_XLA, OOM_ASKED },
	{ "this is not a failure", DETAIL_WARNING, OOM_XLA, 0 },
	{ "device ordinal #", DETAIL_GPU, OOM_XLA, 0 },
	{ "HBM capacity %", DETAIL_SIZE, OOM_XLA, OOM_TOTAL },
	{ "Currently allocated: %", DETAIL_SIZE, OOM_XLA, OOM_ALLOCATED },
	{ "output % (", DETAIL_SIZE, OOM_XLA, OOM_RESULTS },
	{ "There are % free", DETAIL_SIZE, OOM_XLA, OOM_FREE },
	{ "and % reservable", DETAIL_SIZE, OOM_XLA, OOM_RESERVABLE },
	{ "% was available", DETAIL_SIZE, OOM_XLA, OOM_FREE },
	{ "(# bytes)", DETAIL_EXACT, OOM_XLA, OOM_ASKED },
	{ "(#B)", DETAIL_EXACT, OOM_XLA, OOM_ASKED },
	{ "parameter allocation: %", DETAIL_SIZE, OOM_XLA, OOM_PARAMETERS },
	{ "constant allocation: %", DETAIL_SIZE, OOM_XLA, OOM_CONSTANTS },
	{ "maybe_live_out allocation: %", DETAIL_SIZE, OOM_XLA, OOM_RESULTS },
	{ "preallocated temp allocation: %", DETAIL_SIZE, OOM_XLA, OOM_TEMPORARY },
	{ "HLO temp %", DETAIL_SIZE, OOM_XLA, OOM_TEMPORARY },	/* of a TPU's program */
	{ "total allocation: %", DETAIL_SIZE, OOM_XLA, OOM_ALLOCATED },
	{ "Unpadded (% )", DETAIL_SIZE, OOM_XLA, OOM_UNPADDED },	/* of the temporaries of a TPU's program */
	{ ") Padded (% )", DETAIL_SIZE, OOM_XLA, OOM_PADDED },
	{ "Used % of", DETAIL_SIZE, OOM_XLA, OOM_ALLOCATED },
	{ "of % hbm", DETAIL_SIZE, OOM_XLA, OOM_TOTAL },
	{ "Exceeded hbm capacity by %", DETAIL_SIZE, OOM_XLA, OOM_EXCESS },
	{ "FLAGS_fraction_of_gpu_memory_to_use is & now", DETAIL_SHARE, OOM_PADDLE, 0 },
	{ "FLAGS_fraction_of_gpu_memory_to_use value is &", DETAIL_SHARE, OOM_PADDLE, 0 },
	{ "[operator < & > error]", DETAIL_NODE, OOM_PADDLE, 0 },
	{ "% memory has been allocated", DETAIL_SIZE, OOM_PADDLE, OOM_ALLOCATED },
	{ "available memory is only %", DETAIL_SIZE, OOM_PADDLE, OOM_FREE },
	{ "GPU memory usage is limited to %", DETAIL_SIZE, OOM_PADDLE, OOM_LIMIT },
	{ "available memory is %", DETAIL_SIZE, OOM_PADDLE, OOM_FREE },
	ELEMENTS(OOM_NUMPY, "data type ", "\b"),
	{ "data type <U#", DETAIL_TEXT, OOM_NUMPY, 4 },
	{ "data type >U#", DETAIL_TEXT, OOM_NUMPY, 4 },
	{ "data type |S#", DETAIL_TEXT, OOM_NUMPY, 1 },
	{ "data type |V#", DETAIL_TEXT, OOM_NUMPY, 1 },
	{ "total %", DETAIL_TOTAL, OOM_CUPY, OOM_ALLOCATED },
	{ "far: %", DETAIL_SIZE, OOM_CUPY, OOM_ALLOCATED },
	{ "limit set to: %", DETAIL_SIZE, OOM_CUPY, OOM_LIMIT },
	{ "; GPU=#", DETAIL_GPU, OOM_CUDA, 0 },	/* of ONNX Runtime; not "GPU=0,1" of a script */
	{ "device ordinal #", DETAIL_GPU, OOM_CUDA, 0 },
	{ "on device #", DETAIL_GPU, OOM_CUDA, 0 },
	{ "on @ Used: %", DETAIL_SIZE, OOM_CUDA, OOM_ALLOCATED },	/* of tinygrad */
	{ "# , Capacity:", DETAIL_GPU, OOM_CUDA, 0 },	/* of Flashlight */
	{ "Capacity: % , Allocated:", DETAIL_SIZE, OOM_CUDA, OOM_TOTAL },
	{ "Allocated: % , Cached:", DETAIL_SIZE, OOM_CUDA, OOM_RESERVED },	/* with what it keeps unused: */
	{ "Cached: % ) with error", DETAIL_SIZE, OOM_CUDA, OOM_UNALLOCATED },
	{ "model weight size (% )", DETAIL_SIZE, OOM_CUDA, OOM_PARAMETERS },	/* of MLC-LLM */
	{ "temporary buffer size (% )", DETAIL_SIZE, OOM_CUDA, OOM_TEMPORARY },
	{ "Total: % Used:", DETAIL_SIZE, OOM_CUDA, OOM_TOTAL },	/* of Jittor, on a line of its own */
	{ "Total: % Used: %", DETAIL_SECOND, OOM_CUDA, OOM_RESERVED },
	{ "total_device_ram: %", DETAIL_SIZE, OOM_CUDA, OOM_TOTAL },	/* of its table of memory */
	{ "[requestedSpace: # B]", DETAIL_SIZE, OOM_CUDA, OOM_ASKED },	/* of RELION */
	{ "total memory reported: #", DETAIL_SIZE, OOM_CUDA, OOM_TOTAL },
	{ "Free memory/Total memory: # / #", DETAIL_MORE, OOM_CUDA, OOM_TOTAL },	/* of XLA's asynchronous allocator */
	{ "memory usage: @ (% / %", DETAIL_MORE, OOM_CUDA, OOM_TOTAL },
	{ "pool usage: %", DETAIL_SIZE, OOM_CUDA, OOM_ALLOCATED },
	{ "(% reserved)", DETAIL_SIZE, OOM_CUDA, OOM_RESERVED },
	{ "currently at # /", DETAIL_SIZE, OOM_CUDA, OOM_ALLOCATED },	/* of Guppy */
	{ "Only % available on device", DETAIL_SIZE, OOM_CUDA, OOM_FREE },
	{ "CUDA memory: % total", DETAIL_SIZE, OOM_CUDA, OOM_TOTAL },	/* of a miner */
	{ "total, % free", DETAIL_SIZE, OOM_CUDA, OOM_FREE },
	{ "Driver report % free", DETAIL_SIZE, OOM_CUDA, OOM_FREE },
	{ "# bytes total", DETAIL_SIZE, OOM_CUDA, OOM_TOTAL },
	{ "Memory info: free:%", DETAIL_SIZE, OOM_CUDA, OOM_FREE },	/* of Kaldi */
	{ "used:% , total:%", DETAIL_MORE, OOM_CUDA, OOM_TOTAL },
	{ "- Free memory: %", DETAIL_SIZE, OOM_CUDA, OOM_FREE },	/* of XGBoost */
	{ "- Requested memory: %", DETAIL_SIZE, OOM_CUDA, OOM_ASKED },
	{ "- Free memory: #", DETAIL_SIZE, OOM_CUDA, OOM_FREE },	/* of older ones, in bytes */
	{ "- Requested memory: #", DETAIL_SIZE, OOM_CUDA, OOM_ASKED },
	{ "failed to allocate buffer for kv cache", DETAIL_FACT, OOM_CUDA, TRACE_CACHE },
	{ "Requested buffer size exceeds device", DETAIL_FACT, OOM_CUDA, TRACE_LIMIT },
	{ "failed to allocate compute buffers", DETAIL_FACT, OOM_CUDA, TRACE_COMPUTE },
	{ "ggml_gallocr_reserve", DETAIL_FACT, OOM_CUDA, TRACE_COMPUTE },
	{ "error loading model: unable to allocate", DETAIL_FACT, OOM_CUDA, TRACE_LAYERS },
	{ "error loading model: failed to allocate", DETAIL_FACT, OOM_CUDA, TRACE_LAYERS },
	{ "CUDA kernel errors might be asynchronously reported", DETAIL_FACT, OOM_CUDA, TRACE_LATE },
	{ "cuCtxCreate", DETAIL_FACT, OOM_CUDA, TRACE_FIRST },
	{ "THCTensorRandom.cu:25", DETAIL_FACT, OOM_CUDA, TRACE_FIRST },	/* Torch makes its generator there as it begins */
	{ "in function 'readObject'", DETAIL_FACT, OOM_CUDA, TRACE_LOADING },	/* Torch reads a file */
	{ "in function 'torch_Storage_type'", DETAIL_FACT, OOM_CUDA, TRACE_LOADING },	/* it moves a network, */
	{ "in function 'recursiveType'", DETAIL_FACT, OOM_CUDA, TRACE_LOADING },	/* with all within */
	{ "optim/sgd.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },	/* its optimizers' own lines, not what they call */
	{ "optim/adam.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },
	{ "optim/nag.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },
	{ "optim/rmsprop.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },
	{ "optim/adagrad.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },
	{ "optim/adadelta.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },
	{ "optim/adamax.lua:# : cuda runtime error", DETAIL_FACT, OOM_CUDA, TRACE_STEP },
	{ "_updateOutput'", DETAIL_FACT, OOM_CUDA, TRACE_FORWARD },
	{ "_updateGradInput'", DETAIL_FACT, OOM_CUDA, TRACE_BACKWARD },
	{ "_accGradParameters'", DETAIL_FACT, OOM_CUDA, TRACE_BACKWARD },
	{ "in function 'updateOutput'", DETAIL_FACT, OOM_CUDA, TRACE_FORWARD },
	{ "in function 'updateGradInput'", DETAIL_FACT, OOM_CUDA, TRACE_BACKWARD },
	{ "in function 'accGradParameters'", DETAIL_FACT, OOM_CUDA, TRACE_BACKWARD },
	{ "THCTensorRandom.cu line=25", DETAIL_FACT, OOM_CUDA, TRACE_FIRST },
	{ "cublasCreate(handle)", DETAIL_FACT, OOM_CUDA, TRACE_HANDLE },
	{ "expr=cublasCreate", DETAIL_FACT, OOM_CUDA, TRACE_HANDLE },	/* of ONNX Runtime */
	{ "expr=cudnnCreate(", DETAIL_FACT, OOM_CUDA, TRACE_HANDLE },
	{ "expr=cublasLtCreate", DETAIL_FACT, OOM_CUDA, TRACE_HANDLE },
	{ "expr=rocblas_create_handle", DETAIL_FACT, OOM_CUDA, TRACE_HANDLE },
	{ "Mem.HostBuffer(", DETAIL_FACT, OOM_CUDA, TRACE_PINNED },	/* of AMDGPU.jl */
	{ "hl_create_global_resources", DETAIL_FACT, OOM_CUDA, TRACE_HANDLE },	/* of PaddlePaddle before version 0.11 */
	{ "::InitTestNets", DETAIL_FACT, OOM_CUDA, TRACE_TEST_NET },
	{ "Allocated memory | % | %", DETAIL_MORE, OOM_TORCH_SUMMARY, OOM_ALLOCATED },
	{ "GPU reserved memory | % | %", DETAIL_SIZE, OOM_TORCH_SUMMARY, OOM_RESERVED },
	{ "now anon-rss:", DETAIL_END, OOM_KERNEL, 0 },	/* what is left of it */
	{ "anon-rss:%", DETAIL_SIZE, OOM_KERNEL, OOM_ALLOCATED },
	{ "VmRSS\t%", DETAIL_SIZE, OOM_KERNEL, OOM_ALLOCATED },
	{ "shmem-rss:%", DETAIL_SIZE, OOM_KERNEL, OOM_SHARED },
	{ "file-rss:%", DETAIL_SIZE, OOM_KERNEL, OOM_FILES },
	{ "failed to allocate buffer for kv cache", DETAIL_FACT, OOM_HOST, TRACE_CACHE },
	ELEMENT(OOM_HOST, "Inputs types: [TensorType(float64", 8), ELEMENT(OOM_HOST, "Inputs types: [TensorType(float32", 4),
	{ "and only %", DETAIL_SIZE, OOM_OURS, OOM_FREE },
	{ "; # of", DETAIL_SIZE, OOM_OURS, OOM_FREE },
	{ "~allocate\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~allocating\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~allocation of\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~alloc\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~requested\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~requested:\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~requesting\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~need\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~needs\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "~of size\t%", DETAIL_SIZE, OOM_OTHER, OOM_ASKED },
	{ "% free", DETAIL_SIZE, OOM_OTHER, OOM_FREE },
	{ "~free: %", DETAIL_SIZE, OOM_OTHER, OOM_FREE },
	{ "% available", DETAIL_SIZE, OOM_OTHER, OOM_FREE },
	{ "~available: %", DETAIL_SIZE, OOM_OTHER, OOM_FREE },
	{ "~available memory is %", DETAIL_SIZE, OOM_OTHER, OOM_FREE },
	{ "% total", DETAIL_SIZE, OOM_OTHER, OOM_TOTAL },
	{ "~total: %", DETAIL_SIZE, OOM_OTHER, OOM_TOTAL },
	{ "~shape$", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ "~shape $", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ "~shape=$", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ "~shape: $", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ "~tensor$", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ "~tensor $", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ "~tensor shaped $", DETAIL_SHAPE, OOM_OTHER, 0 },
	{ NULL, DETAIL_SIZE, OOM_KINDS, 0 }
};
