/*
 * Out-of-memory texts as frameworks print them and users paste them, from public reports, with what
 * they say by their own words: whose they are, shape, bytes, operation, device. Each is read as it
 * is and in the forms in which logs arrive (oom_forms.h). test_oom_reports.c has more.
 */
#include "oom_forms.h"

/* Bytes are the printed figures times powers of 1024, cut off. */
static const struct want texts[] = {
	{ .name = "tf05", .gpu = 1, .who = "TensorFlow", .rank = 4, .dim = { 10000, 14, 14, 64 },
	  .node = "Conv2D_1",
	  .text = "tensorflow.python.framework.errors.ResourceExhaustedError: OOM when "
	    "allocating tensor with shapedim { size: 10000 } dim { size: 14 } dim { "
	    "size: 14 } dim { size: 64 }\n"
	    "\t [[Node: Conv2D_1 = Conv2D[T=DT_FLOAT, padding=\"SAME\", strides=[1, 1, "
	    "1, 1], use_cudnn_on_gpu=true, "
	    "_device=\"/job:localhost/replica:0/task:0/gpu:0\"](MaxPool, Variable_4)]]\n" },
	{ .name = "tf1", .gpu = 1, .who = "TensorFlow", .rank = 6, .dim = { 128, 3, 8, 128, 8, 128 },
	  .node = "GPU0/D_loss/G/G_synthesis/cond/cond_1/Upscale2D_2/Tile",
	  .text = "ResourceExhaustedError (see above for traceback): OOM when allocating "
	    "tensor with shape[128,3,8,128,8,128] and type float on "
	    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
	    "         [[node GPU0/D_loss/G/G_synthesis/cond/cond_1/Upscale2D_2/Tile "
	    "(defined at D:\\jiateng\\x.py:66) ]]\n"
	    "Hint: If you want to see a list of allocated tensors when OOM happens, add "
	    "report_tensor_allocations_upon_oom to RunOptions for current allocation "
	    "info.\n" },
	{ .name = "tf1b", .gpu = 1, .who = "TensorFlow", .rank = 4, .dim = { 100, 27, 1, 249 },
	  .node = "false_conv_0/convolution/Conv2D",
	  .text = "ResourceExhaustedError: OOM when allocating tensor with shape[100,27,1,249] "
	    "and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator "
	    "GPU_0_bfc\n"
	    "\t [[{{node false_conv_0/convolution/Conv2D}} = Conv2D[T=DT_FLOAT, "
	    "data_format=\"NCHW\"](a, b)]]\n" },
	{ .name = "tf2eager", .gpu = 1, .who = "TensorFlow", .rank = 4, .dim = { 64, 32, 64, 64 },
	  .node = "Conv2D",
	  .text = "tensorflow.python.framework.errors_impl.ResourceExhaustedError: "
	    "{{function_node "
	    "__wrapped__Conv2D_device_/job:localhost/replica:0/task:0/device:GPU:0}} OOM "
	    "when allocating tensor with shape[64,32,64,64] and type float on "
	    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc "
	    "[Op:Conv2D] name: " },
	{ .name = "tf2graph", .gpu = 1, .who = "TensorFlow", .rank = 4, .dim = { 256, 64, 64, 32 },
	  .node = "gradient_tape/model/conv2d_1/Conv2D/Conv2DBackpropInput",
	  .text = "ResourceExhaustedError: Graph execution error:\n"
	    "\n"
	    "Detected at node 'gradient_tape/model/conv2d_1/Conv2D/Conv2DBackpropInput' "
	    "defined at (most recent call last):\n"
	    "    File \"x.py\", line 3, in <module>\n"
	    "Node: 'gradient_tape/model/conv2d_1/Conv2D/Conv2DBackpropInput'\n"
	    "OOM when allocating tensor with shape[256,64,64,32] and type half on "
	    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
	    "\t [[{{node gradient_tape/model/conv2d_1/Conv2D/Conv2DBackpropInput}}]]\n"
	    "Hint: If you want\n"
	    " [Op:__inference_train_function_1234]\n" },
	{ .name = "tf2nomem", .who = "TensorFlow",
	  .text = "ResourceExhaustedError: failed to allocate memory [Op:AddV2]" },
	{ .name = "tfdst", .hedged = true, .who = "TensorFlow",
	  .text = "tensorflow.python.framework.errors_impl.InternalError: Dst tensor is not "
	    "initialized.\n"
	    "\t [[node zeros_24 (defined at x.py:3) ]]\n" },
	{ .name = "tfcopy", .hedged = true, .who = "TensorFlow",
	  .text = "InternalError: Failed copying input tensor from "
	    "/job:localhost/replica:0/task:0/device:CPU:0 to "
	    "/job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: "
	    "Dst tensor is not initialized." },
	{ .name = "tfalloc2", .gpu = 1, .who = "TensorFlow's allocator",
	  .node = "model/conv2d/Conv2D", .size = { { OOM_ASKED, 1280000000 } },
	  .text = "2021-05-01 10:11:12.1: W "
	    "tensorflow/core/common_runtime/bfc_allocator.cc:456] Allocator (GPU_0_bfc) "
	    "ran out of memory trying to allocate 1.19GiB (rounded to "
	    "1280000000)requested by op model/conv2d/Conv2D\n"
	    "If the cause is memory fragmentation maybe the environment variable "
	    "'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \n"
	    "Current allocation summary follows.\n" },
	{ .name = "jaxalloc", .gpu = 2, .who = "XLA",
	  .size = { { OOM_ASKED, 29995136256 } },
	  .text = "2022-10-25 21:52:08.219469: W "
	    "external/org_tensorflow/tensorflow/tsl/framework/bfc_allocator.cc:479] "
	    "Allocator (GPU_1_bfc) ran out of memory trying to allocate 27.93GiB "
	    "(rounded to 29995136256)requested by op \n"
	    "2022-10-25 21:52:08.220328: W "
	    "external/org_tensorflow/tensorflow/tsl/framework/bfc_allocator.cc:491] "
	    "**____" },
	{ .name = "tfwarn", .gpu = 1, .who = "TensorFlow's allocator", .warning = true,
	  .text = "2018-10-05 10:00:00.1: W "
	    "tensorflow/core/common_runtime/bfc_allocator.cc:219] Allocator (GPU_0_bfc) "
	    "ran out of memory trying to allocate 2.28GiB. The caller indicates that "
	    "this is not a failure, but may mean that there could be performance gains "
	    "if more memory were available.\n" },
	{ .name = "tfwarn2", .gpu = 1, .who = "TensorFlow's allocator", .warning = true,
	  .text = "W tensorflow/core/common_runtime/bfc_allocator.cc:290] Allocator "
	    "(GPU_0_bfc) ran out of memory trying to allocate 3.33GiB with "
	    "freed_by_count=0. The caller indicates that this is not a failure, but this "
	    "may mean that there could be performance gains if more memory were "
	    "available.\n" },
	{ .name = "tfhost", .who = "CUDA", .host = true,
	  .size = { { OOM_ASKED, 8589934592 } },
	  .text = "2018-02-02 failed to alloc 8589934592 bytes on host: "
	    "CUDA_ERROR_OUT_OF_MEMORY: out of memory\n"
	    "W could not allocate pinned host memory of size: 8589934592\n" },
	{ .name = "tfdrv", .who = "CUDA", .size = { { OOM_ASKED, 7956398080 } },
	  .text = "2019-01-01: I tensorflow/stream_executor/cuda/cuda_driver.cc:831] failed to "
	    "allocate 7.41G (7956398080 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: "
	    "out of memory\n" },
	{ .name = "tfcreate", .gpu = 1, .who = "CUDA", .size = { { OOM_TOTAL, 11711807488 } },
	  .text = "E tensorflow/core/common_runtime/direct_session.cc:171] Internal: failed "
	    "initializing StreamExecutor for CUDA device ordinal 0: Internal: failed "
	    "call to cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY; total memory "
	    "reported: 11711807488\n" },
	{ .name = "tfasync", .gpu = 1, .who = "CUDA's asynchronous allocator", .size = { { OOM_ASKED, 134217728 }, { OOM_TOTAL, 25438126080 } },
	  .text = "2023-04-04: E "
	    "tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:288] "
	    "gpu_async_0 cuMemAllocAsync failed to allocate 134217728 bytes: CUDA error: "
	    "out of memory (CUDA_ERROR_OUT_OF_MEMORY)\n"
	    " Reported by CUDA: Free memory/Total memory: 21299200/25438126080\n" },
	{ .name = "cudnnalloc", .who = "cuDNN",
	  .text = "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not create cudnn "
	    "handle: CUDNN_STATUS_ALLOC_FAILED" },
	{ .name = "xla", .who = "XLA", .alive = 2, .size = { { OOM_ASKED, 9031036208 } },
	  .text = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory "
	    "while trying to allocate 9031036208 bytes.\n"
	    "BufferAssignment OOM Debugging.\n"
	    "BufferAssignment stats:\n"
	    "             parameter allocation:    2.78GiB\n"
	    "              constant allocation:    38.6KiB\n"
	    "        maybe_live_out allocation:  436.99MiB\n"
	    "     preallocated temp allocation:    8.41GiB\n"
	    "                 total allocation:   11.62GiB\n"
	    "              total fragmentation:  324.96MiB (2.73%)\n"
	    "Peak buffers:\n"
	    "        Buffer 1:\n"
	    "                Size: 1.52GiB\n"
	    "                Operator: "
	    "op_name=\"jit(apply_fn)/jit(main)/x/reduce_sum[axes=(2,)]\" "
	    "source_file=\"/m/modules.py\" source_line=1446\n"
	    "                XLA Label: fusion\n"
	    "                Shape: f32[5120,1248,64]\n"
	    "                ==========================\n"
	    "\n"
	    "        Buffer 2:\n"
	    "                Size: 384.0KiB\n"
	    "                Entry Parameter Subshape: f32[256,128,3]\n"
	    "                ==========================\n" },
	{ .name = "jax2", .gpu = 1, .who = "XLA", .size = { { OOM_ASKED, 536870912 } },
	  .text = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to "
	    "allocate request for 512.00MiB (536870912B) on device ordinal 0" },
	{ .name = "jax3", .who = "XLA",
	  .size = { { OOM_ASKED, 4294967296 }, { OOM_FREE, 2802466160 } },
	  .text = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate "
	    "4.00G. That was not possible. There are 2.61G free.; (0x0x0_HBM0)" },
	{ .name = "jax4", .who = "XLA", .size = { { OOM_ASKED, 1073741824 } },
	  .text = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating "
	    "1073741824 bytes." },
	{ .name = "tpu", .who = "XLA", .alive = 1,
	  .text = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 17.20G of "
	    "15.48G hbm. Exceeded hbm capacity by 1.72G.\n"
	    "\n"
	    "Total hbm usage >= 17.7G:\n"
	    "    reserved        530.00M\n"
	    "    program          17.20G\n"
	    "    arguments            0B\n"
	    "\n"
	    "Output size 0B; shares 0B with arguments.\n"
	    "\n"
	    "Program hbm requirement 17.20G:\n"
	    "    global           260.0K\n"
	    "    HLO temp         17.20G (100.0% utilization: Unpadded (17.1G) Padded "
	    "(17.1G), 0.0% fragmentation (0B))\n"
	    "\n"
	    "  Largest program allocations in hbm:\n"
	    "\n"
	    "  1. Size: 4.00G\n"
	    "     Operator: op_name=\"jit(f)/dot_general\"\n"
	    "     Shape: f32[64,64,64,64]{3,2,1,0:T(8,128)}\n"
	    "     Unpadded size: 4.00G\n"
	    "     XLA label: fusion.1\n"
	    "     Allocation type: HLO temp\n"
	    "     ==========================\n" },
	{ .name = "t03", .who = "PyTorch before 1.11, or Torch",
	  .text = "RuntimeError: cuda runtime error (2) : out of memory at "
	    "/opt/conda/conda-bld/pytorch_1518244421288/work/torch/lib/THC/generic/THCSto"
	    "rage.cu:58" },
	{ .name = "t04", .who = "PyTorch before 1.11, or Torch",
	  .text = "THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCStorage.cu line=58 "
	    "error=2 : out of memory\n" },
	{ .name = "t10", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_ASKED, 13107200 }, { OOM_TOTAL, 11725260718 } },
	  .text = "RuntimeError: CUDA out of memory. Tried to allocate 12.50 MiB (GPU 0; 10.92 "
	    "GiB total capacity; 8.57 MiB already allocated; 9.28 GiB free; 4.68 MiB "
	    "cached)" },
	{ .name = "t13", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_TOTAL, 6442450944 }, { OOM_ALLOCATED, 3747358965 },
	    { OOM_RESERVED, 3758096384 }, { OOM_FREE, 1116691496 } },
	  .text = "CUDA out of memory. Tried to allocate 1.71 GiB (GPU 0; 6.00 GiB total "
	    "capacity; 3.49 GiB already allocated; 1.04 GiB free; 3.50 GiB reserved in "
	    "total by PyTorch) If reserved memory is >> allocated memory try setting "
	    "max_split_size_mb to avoid fragmentation.  See documentation for Memory "
	    "Management and PYTORCH_CUDA_ALLOC_CONF" },
	{ .name = "t21", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_TOTAL, 6442450944 }, { OOM_FREE, 0 }, { OOM_ALLOCATED, 3146063544 } },
	  .text = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 "
	    "GiB. GPU 0 has a total capacty of 6.00 GiB of which 0 bytes is free. Of the "
	    "allocated memory 2.93 GiB is allocated by PyTorch, and 2.30 GiB is reserved "
	    "by PyTorch but unallocated. If reserved but unallocated" },
	{ .name = "t25", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_TOTAL, 33790655201 }, { OOM_FREE, 13668733419 },
	    { OOM_ALLOCATED, 9749575761 } },
	  .text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 22.78 GiB. "
	    "GPU 0 has a total capacity of 31.47 GiB of which 12.73 GiB is free. "
	    "Including non-PyTorch memory, this process has 18.73 GiB memory in use. Of "
	    "the allocated memory 9.08 GiB is allocated by PyTorch, and 9.35 GiB is "
	    "reserved by PyTorch but unallocated. If" },
	{ .name = "tproc", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_TOTAL, 84986665369 }, { OOM_ALLOCATED, 7516192768 } },
	  .text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU "
	    "0 has a total capacity of 79.15 GiB of which 1.00 GiB is free. Process 111 "
	    "has 70.00 GiB memory in use. Process 222 has 8.00 GiB memory in use. Of the "
	    "allocated memory 7.00 GiB is allocated by PyTorch, with 17.00 MiB allocated "
	    "in private pools (e.g., CUDA Graphs), and 512.00 MiB is reserved by PyTorch "
	    "but unallocated." },
	{ .name = "hip", .gpu = 1, .who = "PyTorch on HIP", .size = { { OOM_ALLOCATED, 1066412277 } },
	  .text = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB. GPU "
	    "0 has a total capacity of 255.98 GiB of which 244.65 GiB is free. 1.05 GiB "
	    "allowed; Of the allocated memory 1017.01 MiB is allocated by PyTorch, with "
	    "17.00 MiB allocated in private pools (e.g., HIP Graphs), and 54.99 MiB is "
	    "reserved by PyTorch but unallocated." },
	{ .name = "xpu", .gpu = 1, .who = "PyTorch on XPU",
	  .size = { { OOM_ALLOCATED, 14495514624 }, { OOM_TOTAL, 17083232419 } },
	  .text = "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 2.00 GiB. GPU "
	    "0 has a total capacity of 15.91 GiB. Of the allocated memory 13.50 GiB is "
	    "allocated by PyTorch, and 200.00 MiB is reserved by PyTorch but "
	    "unallocated. Please use `empty_cache` to release all unoccupied cached "
	    "memory." },
	{ .name = "c10", .who = "PyTorch", .size = { { OOM_TOTAL, 25436943810 } },
	  .text = "terminate called after throwing an instance of 'c10::OutOfMemoryError'\n"
	    "  what():  CUDA out of memory. Tried to allocate 54.00 MiB. GPU  has a "
	    "total capacity of 23.69 GiB of which 31.00 MiB is free. " },
	{ .name = "mps", .who = "PyTorch on Metal", .size = { { OOM_ASKED, 1202590842 } },
	  .text = "RuntimeError: MPS backend out of memory (MPS allocated: 17.99 GiB, other "
	    "allocations: 96.00 KiB, max allowed: 18.13 GiB). Tried to allocate 1.12 GiB "
	    "on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper "
	    "limit" },
	{ .name = "mps2", .who = "PyTorch on Metal",
	  .text = "RuntimeError: Invalid buffer size: 24.00 GB" },
	{ .name = "mlx", .who = "MLX", .size = { { OOM_ASKED, 205520896 } },
	  .text = "libc++abi: terminating due to uncaught exception of type std::runtime_error: "
	    "[metal::malloc] Unable to allocate 205520896 bytes." },
	{ .name = "mlxwait", .who = "MLX", .size = { { OOM_ASKED, 45088768 } },
	  .text = "RuntimeError: [malloc_or_wait] Unable to allocate 45088768 bytes." },
	{ .name = "mlxbuffer", .who = "MLX",
	  .size = { { OOM_ASKED, 77309411328 }, { OOM_LIMIT, 28991029248 } },
	  .text = "RuntimeError: [metal::malloc] Attempting to allocate 77309411328 bytes which is "
	    "greater than the maximum allowed buffer size of 28991029248 bytes." },
	{ .name = "cpu", .who = "PyTorch on the processor", .host = true,
	  .size = { { OOM_ASKED, 4294967296 } },
	  .text = "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. "
	    "DefaultCPUAllocator: can't allocate memory: you tried to allocate "
	    "4294967296 bytes. Error code 12 (Cannot allocate memory)" },
	{ .name = "cpuold", .who = "PyTorch on the processor", .host = true,
	  .size = { { OOM_ASKED, 4831838208 } },	/* 4 GB, cut off: 4 to 5 GiB */
	  .text = "RuntimeError: $ Torch: not enough memory: you tried to allocate 4GB. Buy "
	    "new RAM! at /pytorch/aten/src/TH/THGeneral.cpp:201" },
	{ .name = "cublas", .who = "cuBLAS", .hedged = true, .says = "could not be set up",
	  .text = "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
	    "`cublasCreate(handle)`" },
	{ .name = "cudaerr", .who = "CUDA",
	  .text = "RuntimeError: CUDA error: out of memory\n"
	    "CUDA kernel errors might be asynchronously reported at some other API "
	    "call,so the stacktrace below might be incorrect." },
	{ .name = "accel", .who = "CUDA",
	  .text = "torch.AcceleratorError: CUDA error: out of memory\n"
	    "Search for `cudaErrorMemoryAllocation' in "
	    "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for "
	    "more information." },
	{ .name = "cudnnfind", .who = "cuDNN",
	  .text = "RuntimeError: Unable to find a valid cuDNN algorithm to run convolution" },
	{ .name = "engine", .who = "cuDNN", .hedged = true,
	  .text = "RuntimeError: GET was unable to find an engine to execute this computation" },
	{ .name = "ort", .who = "ONNX Runtime", .node = "/patch_embed/Conv",
	  .size = { { OOM_ASKED, 285081600 } },
	  .text = "onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException: "
	    "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned "
	    "while running Conv node. Name:'/patch_embed/Conv' Status Message: \n"
	    "/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 void* "
	    "onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, "
	    "onnxruntime::Stream*, bool, onnxruntime::WaitNotificationFn) Failed to "
	    "allocate memory for requested buffer of size 285081600\n" },
	{ .name = "ort2", .gpu = 1, .who = "ONNX Runtime",
	  .text = "2020-01-01 [E:onnxruntime:, cuda_call.cc:103 CudaCall] CUDA failure 2: out "
	    "of memory ; GPU=0 ; hostname=abc ; expr=cudaMalloc((void**)&p, size); " },
	{ .name = "mxnet", .who = "MXNet",
	  .text = "mxnet.base.MXNetError: [11:18:15] "
	    "src/storage/./pooled_storage_manager.h:157: cudaMalloc failed: out of "
	    "memory\n"
	    "Stack trace:\n"
	    "  [bt] (0) x" },
	{ .name = "mxnet2", .who = "MXNet",
	  .text = "mxnet.base.MXNetError: [10:38:27] "
	    "src/storage/./pooled_storage_manager.h:161: cudaMalloc retry failed: out of "
	    "memory\n" },
	{ .name = "mxnet3", .who = "MXNet",
	  .text = "MXNetError: Check failed: e == cudaSuccess || e == "
	    "cudaErrorCudartUnloading: CUDA: out of memory" },
	{ .name = "caffe", .who = "Caffe",
	  .text = "F0221 17:05:44.111 syncedmem.cpp:56] Check failed: error == cudaSuccess (2 "
	    "vs. 0)  out of memory\n"
	    "*** Check failure stack trace: ***" },
	{ .name = "darknet", .who = "Darknet",
	  .text = "CUDA Error: out of memory\n"
	    "darknet: ./src/cuda.c:36: check_error: Assertion `0' failed." },
	{ .name = "paddle", .gpu = 1, .who = "PaddlePaddle", .size = { { OOM_ASKED, 58720256 } },
	  .text = "ResourceExhaustedError: \n"
	    "\n"
	    "Out of memory error on GPU 0. Cannot allocate 56.000000MB memory on GPU 0, "
	    "7.782776GB memory has been allocated and available memory is only "
	    "12.750000MB.\n" },
	{ .name = "paddle2", .gpu = 1, .who = "PaddlePaddle", .size = { { OOM_FREE, 75825152 } },
	  .text = "Out of memory error on GPU 0. Cannot allocate 145.468994MB GPU memory, "
	    "available memory is 72.312500MB.\n"
	    "Please check" },
	{ .name = "cupy", .who = "CuPy", .size = { { OOM_ASKED, 1024000512 } },
	  .text = "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 1,024,000,512 "
	    "bytes (allocated so far: 11,534,336,000 bytes, limit set to: 12,000,000,000 "
	    "bytes)." },
	{ .name = "cupyold", .who = "CuPy", .size = { { OOM_ASKED, 8589934592 } },
	  .text = "cupy.cuda.memory.OutOfMemoryError: out of memory to allocate 8589934592 "
	    "bytes (total 11811160064 bytes)" },
	{ .name = "chainer", .who = "CuPy",
	  .text = "cupy.cuda.runtime.CUDARuntimeError: cudaErrorMemoryAllocation: out of memory" },
	{ .name = "matlab", .host = true, .who = "MATLAB",
	  .text = "Out of memory. Type HELP MEMORY for your options." },
	{ .name = "matlab2", .host = true, .who = "MATLAB",
	  .text = "Error using zeros\nOut of memory. Type \"help memory\" for your options." },
	{ .name = "corrmm", .host = true, .who = "Theano",
	  .text = "RuntimeError: CorrMM failed to allocate working memory of 1600 x 1048576" },
	{ .name = "gpucorrmm", .who = "Theano",
	  .text = "RuntimeError: GpuCorrMM failed to allocate working memory of 576 x 50176" },
	{ .name = "theano", .who = "Theano",
	  .size = { { OOM_ASKED, 411041792 }, { OOM_FREE, 34168832 }, { OOM_TOTAL, 4294443008 } },
	  .text = "MemoryError: Error allocating 411041792 bytes of device memory (out of "
	    "memory). Driver report 34168832 bytes free and 4294443008 bytes total \n"
	    "Apply node that caused the error: GpuElemwise" },
	{ .name = "gpuarray", .who = "CUDA",
	  .text = "pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: "
	    "out of memory'" },
	{ .name = "numba", .who = "CUDA",
	  .text = "numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in "
	    "CUDA_ERROR_OUT_OF_MEMORY" },
	{ .name = "trt", .who = "TensorRT", .size = { { OOM_ASKED, 1073741824 } },
	  .text = "[TensorRT] ERROR: Requested amount of GPU memory (1073741824 bytes) could "
	    "not be allocated. There may not be enough free memory for allocation to "
	    "succeed." },
	{ .name = "ggml", .gpu = 1, .who = "ggml", .size = { { OOM_ASKED, 5368709120 } },
	  .text = "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 5120.00 MiB on "
	    "device 0: cudaMalloc failed: out of memory" },
	{ .name = "matlab", .who = "MATLAB",
	  .text = "Error using gpuArray/cat\n"
	    "Out of memory on device. To view more detail about available memory on the "
	    "GPU, use 'gpuDevice()'." },
	{ .name = "julia", .who = "CUDA.jl",
	  .size = { { OOM_ASKED, 205520896 }, { OOM_TOTAL, 8363375067 }, { OOM_ALLOCATED,
	    5858335391 }, { OOM_RESERVED, 7718056230 } },
	  .text = "ERROR: Out of GPU memory trying to allocate 196.000 MiB\n"
	    "Effective GPU memory usage: 99.74% (7.769 GiB/7.789 GiB)\n"
	    "Memory pool usage: 5.456 GiB (7.188 GiB reserved)\n" },
	{ .name = "vulkan", .who = "Vulkan",
	  .text = "vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n"
	    "vkAllocateMemory failed: VK_ERROR_OUT_OF_DEVICE_MEMORY\n" },
	{ .name = "torch without its beginning", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_ASKED, 411041792 }, { OOM_TOTAL, 15848429322 } },
	  .text = "ory. Tried to allocate 392.00 MiB (GPU 0; 14.76 GiB total capacity; 13.3" },
	{ .name = "torch 2 without its beginning", .gpu = 1, .who = "PyTorch",
	  .size = { { OOM_ASKED, 411041792 }, { OOM_TOTAL, 15655155793 }, { OOM_FREE,
	    18412994 } },
	  .text = "of memory. Tried to allocate 392.00 MiB. GPU 0 has a total capacity of 14.58 "
	    "GiB of which 17.56 MiB is free. Process 23467 has 14.55 GiB memory in use." },
	{ .name = "np", .who = "NumPy", .rank = 3, .dim = { 160000, 64, 64 }, .host = true,
	  .text = "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 4.88 GiB for "
	    "an array with shape (160000, 64, 64) and data type float64" },
	{ .name = "oomk", .who = "Linux", .host = true,
	  .text = "[ 1234.5] Out of memory: Killed process 4242 (python3) total-vm:60000000kB, "
	    "anon-rss:31000000kB, file-rss:0kB, shmem-rss:0kB\n" },
	{ .name = "oomk2", .who = "Linux", .host = true,
	  .text = "Out of memory: Kill process 4242 (python) score 900 or sacrifice child\n"
	    "Killed process 4242 (python) total-vm:6kB, anon-rss:3000kB, file-rss:0kB" },
	{ .name = "cgroup", .who = "Linux", .host = true,
	  .text = "Memory cgroup out of memory: Killed process 77 (python) total-vm:1kB, "
	    "anon-rss:2048kB" },
	{ .name = "slurm", .who = "Slurm", .host = true,
	  .text = "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=1234.batch. Some "
	    "of your processes may have been killed by the cgroup out-of-memory handler." },
	{ .name = "loader", .who = "PyTorch's DataLoader", .host = true, .hedged = true,
	  .text = "RuntimeError: DataLoader worker (pid 1234) is killed by signal: Killed. " },
	{ .name = "shm", .who = "PyTorch's DataLoader", .host = true,
	  .text = "RuntimeError: DataLoader worker (pid 1234) is killed by signal: Bus error. "
	    "It is possible that dataloader's workers are out of shared memory. Please "
	    "try to raise your shared memory limit." },
	{ .name = "k8s", .who = "container", .host = true,
	  .text = "    Last State:     Terminated\n"
	    "      Reason:       OOMKilled\n"
	    "      Exit Code:    137\n" },
	{ .name = "bad", .who = "the machine", .host = true,
	  .text = "terminate called after throwing an instance of 'std::bad_alloc'\n"
	    "  what():  std::bad_alloc\n" },
	{ .name = "memerr", .who = "the machine", .host = true,
	  .text = "Traceback (most recent call last):\n"
	    "  File \"x.py\", line 1\n"
	    "MemoryError\n" },
	{ .name = "summary", .gpu = 1, .who = "PyTorch's memory summary",
	  .size = { { OOM_ALLOCATED, 10160701440 }, { OOM_RESERVED, 10596909056 } },
	  .text = "|==========================================================================="
	    "|\n"
	    "|                  PyTorch CUDA memory summary, device ID 0                 "
	    "|\n"
	    "|---------------------------------------------------------------------------"
	    "|\n"
	    "|            CUDA OOMs: 1            |        cudaMalloc retries: 2         "
	    "|\n"
	    "|==========================================================================="
	    "|\n"
	    "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  "
	    "|\n"
	    "|---------------------------------------------------------------------------"
	    "|\n"
	    "| Allocated memory      |   9686 MiB |   9690 MiB |  49303 MiB |  39616 MiB "
	    "|\n"
	    "|       from large pool |   9600 MiB |   9604 MiB |  48000 MiB |  38400 MiB "
	    "|\n"
	    "| Active memory         |   9686 MiB |   9690 MiB |  49303 MiB |  39616 MiB "
	    "|\n"
	    "| GPU reserved memory   |  10106 MiB |  10106 MiB |  10106 MiB |      0 B   "
	    "|\n"
	    "| Non-releasable memory | 430080 KiB | 430081 KiB |    100 MiB |      1 MiB "
	    "|\n" },
};

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(oom_texts, .init = setup, .fini = teardown);

Test(oom_texts, say_the_same_in_every_form)
{
	expect_in_every_form(arena, texts, sizeof(texts) / sizeof(*texts));
}

/* However the texts of several stand in one log, none is lost or taken for another, but for those
 * that name nobody: they are kept only where no other says it better. */
Test(oom_texts, all_in_one_log)
{
	struct out o = { arena_alloc(arena, 1 << 20), 0 };
	struct oom_log log;
	size_t i;
	int k;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put(&o, texts[i].text);
		put(&o, "\n\n");
	}
	oom_log_read(&log, arena, feed, &o);
	cr_expect_eq(log.more, 0);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		for (k = 0; k < log.messages.n; k++)
			if (strcmp(log.messages.v[k].who, texts[i].who) == 0)
				break;
		cr_expect(k < log.messages.n || strcmp(texts[i].who, "the machine") == 0 ||
		    strcmp(texts[i].who, "a program not known here") == 0,
		    "%s is lost", texts[i].who);
	}
}
