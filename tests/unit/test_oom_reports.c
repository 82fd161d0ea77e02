/*
 * Texts of public reports, and what they say by their own words. `from` names the thread on
 * github.com that has the wording, or who prints it; what is people's own (names, paths, hosts) is
 * left out or replaced. What is right of each was read from the text: bytes are the printed figures
 * times powers of 1024, cut off. test_oom_killed.c has those in which the machine's memory ended a
 * process.
 */
#include "oom_forms.h"

static const struct want texts[] = {
	{ .name = "failing node, then a copy", .from = "tensorflow/tensorflow/issues/16768",
	  .who = "TensorFlow", .rank = 2, .dim = { 1792, 4096 }, .gpu = 1,
	  .node = "tower/gradients/MatMul_36_grad/MatMul_1",
	  .text = "OOM when allocating tensor with shape[1792,4096]\n"
	    "\t [[Node: tower/gradients/MatMul_36_grad/MatMul_1 = MatMul[T=DT_FLOAT, "
	    "transpose_a=true, transpose_b=false, "
	    "_device=\"/job:localhost/replica:0/task:0/device:GPU:0\"](concat_36, "
	    "control_dependency)]]\n"
	    "\t [[Node: tower/gradients/concat/_2929 = _Recv[client_terminated=false, "
	    "recv_device=\"/job:localhost/replica:0/task:0/device:CPU:0\", "
	    "send_device=\"/job:localhost/replica:0/task:0/device:GPU:0\", "
	    "send_device_incarnation=1, tensor_name=\"edge_646323\", "
	    "tensor_type=DT_FLOAT, "
	    "_device=\"/job:localhost/replica:0/task:0/device:CPU:0\"]()]]\n" },
	{ .name = "device and hint, then a copy", .from = "tensorflow/tensorflow/issues/17076",
	  .who = "TensorFlow", .rank = 3, .dim = { 100000, 60, 190 }, .gpu = 1,
	  .node = "Tile",
	  .text = "ResourceExhaustedError: OOM when allocating tensor with "
	    "shape[100000,60,190] and type double on "
	    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
	    "\t [[Node: Tile = Tile[T=DT_DOUBLE, Tmultiples=DT_INT32, "
	    "_device=\"/job:localhost/replica:0/task:0/device:GPU:0\"](ExpandDims, "
	    "Tile/multiples)]]\n"
	    "Hint: If you want to see a list of allocated tensors when OOM happens, add "
	    "report_tensor_allocations_upon_oom to RunOptions for current allocation "
	    "info.\n"
	    "\n"
	    "\t [[Node: tower/gradients/concat/_2929 = _Recv[client_terminated=false, "
	    "recv_device=\"/job:localhost/replica:0/task:0/device:CPU:0\", "
	    "send_device=\"/job:localhost/replica:0/task:0/device:GPU:0\", "
	    "send_device_incarnation=1, tensor_name=\"edge_646323\", "
	    "tensor_type=DT_FLOAT, "
	    "_device=\"/job:localhost/replica:0/task:0/device:CPU:0\"]()]]\n"
	    "Hint: If you want to see a list of allocated tensors when OOM happens, add "
	    "report_tensor_allocations_upon_oom to RunOptions for current allocation "
	    "info.\n" },
	{ .name = "the second card", .from = "tensorflow/tensorflow/issues/16768",
	  .who = "TensorFlow", .rank = 4, .dim = { 64, 56, 56, 256 }, .gpu = 2,
	  .node = "tower_1/conv/Conv2D",
	  .text = "OOM when allocating tensor with shape[64,56,56,256] and type float on "
	    "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc\n"
	    "\t [[{{node tower_1/conv/Conv2D}} = Conv2D[T=DT_FLOAT, "
	    "_device=\"/job:localhost/replica:0/task:0/device:GPU:1\"](a, b)]]\n"
	    "\t [[Node: tower/gradients/concat/_2929 = _Recv[client_terminated=false, "
	    "recv_device=\"/job:localhost/replica:0/task:0/device:CPU:0\", "
	    "send_device=\"/job:localhost/replica:0/task:0/device:GPU:0\", "
	    "send_device_incarnation=1, tensor_name=\"edge_646323\", "
	    "tensor_type=DT_FLOAT, "
	    "_device=\"/job:localhost/replica:0/task:0/device:CPU:0\"]()]]\n" },
	{ .name = "by the node alone", .from = "tensorflow/tensorflow/issues/17669",
	  .who = "TensorFlow", .rank = 4, .dim = { 1, 5095, 3729, 3 }, .gpu = 1,
	  .node = "unstack_2",
	  .text = "W tensorflow/core/framework/op_kernel.cc:1192] Resource exhausted: OOM when "
	    "allocating tensor with shape[1,5095,3729,3]\n"
	    "\t [[Node: unstack_2 = Unpack[T=DT_FLOAT, axis=0, num=24, "
	    "_device=\"/job:localhost/replica:0/task:0/device:GPU:0\"](prefetch_queue_Deq"
	    "ueue/_3249)]]\n" },
	{ .name = "old names of devices", .from = "tensorflow/tensorflow/issues/16768",
	  .who = "TensorFlow", .rank = 4, .dim = { 10000, 28, 28, 32 }, .host = true,
	  .node = "Conv2D",
	  .text = "OOM when allocating tensor with shape[10000,28,28,32]\n"
	    "\t [[Node: Conv2D = Conv2D[T=DT_FLOAT, "
	    "_device=\"/job:localhost/replica:0/task:0/cpu:0\"](Reshape, "
	    "Variable/read)]]\n"
	    "\t [[Node: Mean/_7 = "
	    "_Recv[recv_device=\"/job:localhost/replica:0/task:0/gpu:0\", "
	    "_device=\"/job:localhost/replica:0/task:0/gpu:0\"]()]]\n" },
	{ .name = "a copy alone", .from = "tensorflow/tensorflow/issues/16768",
	  .who = "TensorFlow", .rank = 2, .dim = { 1792, 4096 },
	  .node = "tower/gradients/concat/_2929",
	  .text = "OOM when allocating tensor with shape[1792,4096]\n"
	    "\t [[Node: tower/gradients/concat/_2929 = _Recv[client_terminated=false, "
	    "recv_device=\"/job:localhost/replica:0/task:0/device:CPU:0\", "
	    "send_device=\"/job:localhost/replica:0/task:0/device:GPU:0\", "
	    "send_device_incarnation=1, tensor_name=\"edge_646323\", "
	    "tensor_type=DT_FLOAT, "
	    "_device=\"/job:localhost/replica:0/task:0/device:CPU:0\"]()]]\n" },
	{ .name = "the processor", .from = "tensorflow/models/issues/6450",
	  .who = "TensorFlow", .rank = 5, .dim = { 24, 1, 2304, 1152, 3 }, .host = true,
	  .text = "OOM when allocating tensor with shape[24,1,2304,1152,3] and type float on "
	    "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu" },
	{ .name = "the processor with MKL", .from = "tensorflow/models/issues/6450",
	  .who = "TensorFlow", .rank = 3, .dim = { 256, 512, 512 }, .host = true,
	  .node = "dense/MatMul",
	  .text = "OOM when allocating tensor with shape[256,512,512] and type float on "
	    "/job:localhost/replica:0/task:0/device:CPU:0 by allocator mklcpu\n"
	    "\t [[{{node dense/MatMul}}]]\n" },
	{ .name = "an operation run at once", .from = "tensorflow/tensorflow/issues/47820",
	  .who = "TensorFlow", .rank = 4, .dim = { 3, 3, 512, 1024 }, .gpu = 1,
	  .node = "Mul",
	  .text = "OOM when allocating tensor with shape[3,3,512,1024] and type float on "
	    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]" },
	{ .name = "pinned memory", .from = "tensorflow/tensorflow/issues/11915",
	  .who = "TensorFlow's allocator", .host = true,
	  .size = { { OOM_ASKED, 4005057003 } },
	  .text = "W tensorflow/core/common_runtime/bfc_allocator.cc:273] Allocator "
	    "(cuda_host_bfc) ran out of memory trying to allocate 3.73GiB.  Current "
	    "allocation summary follows.\n" },
	{ .name = "cuBLAS after an assertion", .from = "OptimalScale/LMFlow/issues/114",
	  .who = "cuBLAS", .hedged = true, .asserted = true,
	  .says = "Not memory",
	  .text = "../aten/src/ATen/native/cuda/Indexing.cu:1146: indexSelectLargeIndex: "
	    "block: [170,0,0], thread: [95,0,0] Assertion `srcIndex < srcSelectDimSize` "
	    "failed.\n"
	    "../aten/src/ATen/native/cuda/Indexing.cu:1146: indexSelectLargeIndex: "
	    "block: [170,0,0], thread: [96,0,0] Assertion `srcIndex < srcSelectDimSize` "
	    "failed.\n"
	    "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling "
	    "`cublasCreate(handle)`\n" },
	{ .name = "allocation failed after an assertion", .from = "karpathy/llama2.c/issues/279",
	  .who = "cuBLAS", .asserted = true,
	  .says = "Not memory",
	  .text = "C:\\cb\\pytorch_1000000000000\\work\\aten\\src\\ATen\\native\\cuda\\Indexing"
	    ".cu:1146: block: [15,0,0], thread: [64,0,0] Assertion `srcIndex < "
	    "srcSelectDimSize` failed.\n"
	    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
	    "`cublasCreate(handle)`\n" },
	{ .name = "a server, after an assertion", .from = "pytorch/serve/issues/1993",
	  .who = "cuBLAS", .hedged = true, .asserted = true,
	  .says = "Not memory",
	  .text = "W-9000-my_tc_1.0-stderr MODEL_LOG - "
	    "../aten/src/ATen/native/cuda/Indexing.cu:975: indexSelectLargeIndex: block: "
	    "[85,0,0], thread: [53,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
	    "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling "
	    "`cublasCreate(handle)`" },
	{ .name = "labels out of range", .from = "DrSleep/light-weight-refinenet/issues/65",
	  .who = "cuDNN", .hedged = true, .asserted = true,
	  .says = "a label that is no class",
	  .text = "/pytorch/aten/src/THCUNN/SpatialClassNLLCriterion.cu:106: "
	    "cunn_SpatialClassNLLCriterion_updateOutput_kernel: block: [3,0,0], thread: "
	    "[911,0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
	    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n" },
	{ .name = "told before the assertion", .from = "pytorch/serve/issues/1993",
	  .who = "cuBLAS", .asserted = true,
	  .says = "Not memory",
	  .text = "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
	    "`cublasCreate(handle)`\n"
	    "RuntimeError: CUDA error: device-side assert triggered\n" },
	{ .name = "cuDNN in PyTorch", .from = "pytorch/pytorch/issues/1171",
	  .who = "cuDNN", .hedged = true,
	  .says = "no memory was left for it",
	  .text = "RuntimeError: CUDNN_STATUS_NOT_INITIALIZED\n" },
	{ .name = "a handle of cuBLAS", .from = "tensorflow/tensor2tensor/issues/1127",
	  .who = "cuBLAS", .hedged = true,
	  .says = "allow_growth",
	  .text = "2018-10-09 14:57:07.811459: E "
	    "tensorflow/stream_executor/cuda/cuda_blas.cc:464] failed to create cublas "
	    "handle: CUBLAS_STATUS_NOT_INITIALIZED\n" },
	{ .name = "another handle of cuBLAS", .from = "tensorflow/tensorflow/issues/9489",
	  .who = "cuBLAS", .hedged = true,
	  .says = "set_memory_growth",
	  .text = "InternalError: Create cublas handle failed\n" },
	{ .name = "a handle of cuDNN", .from = "tensorflow/tensorflow/issues/24496",
	  .who = "cuDNN", .hedged = true,
	  .says = "set_memory_growth",
	  .text = "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not create cudnn "
	    "handle: CUDNN_STATUS_INTERNAL_ERROR\n" },
	{ .name = "a handle of cuDNN in JAX", .from = "jax-ml/jax/issues/15774",
	  .who = "cuDNN", .hedged = true,
	  .says = "XLA_PYTHON_CLIENT_PREALLOCATE",
	  .text = "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:429] Could not create "
	    "cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n" },
	{ .name = "an older handle of cuDNN", .from = "tensorflow/tensorflow/issues/16004",
	  .who = "cuDNN", .hedged = true,
	  .says = "allow_growth",
	  .text = "E tensorflow/stream_executor/cuda/cuda_dnn.cc:385] could not create cudnn "
	    "handle: CUDNN_STATUS_INTERNAL_ERROR\n" },
	{ .name = "cuBLAS in ONNX Runtime", .from = "hacksider/Deep-Live-Cam/issues/645",
	  .who = "cuBLAS", .gpu = 1, .hedged = true, .says = "could not be set up",
	  .text = "onnxruntime::CudaCall CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0 "
	    "; hostname=a ; file=cuda_execution_provider.cc ; line=168 ; "
	    "expr=cublasCreate(&cublas_handle_);" },
	{ .name = "the pool of Theano", .from = "Theano/Theano/issues/4302",
	  .who = "Theano",
	  .says = "lib.cnmem",
	  .text = "ERROR: Not using GPU. Initialisation of device gpu failed:\n"
	    "initCnmem: cnmemInit call failed! Reason=CNMEM_STATUS_OUT_OF_MEMORY. "
	    "numdev=1\n" },
	{ .name = "from the pool of Theano", .from = "Theano/Theano/issues/4302",
	  .who = "Theano",
	  .size = { { OOM_ASKED, 1258291200 } },
	  .text = "MemoryError: Error allocating 1258291200 bytes of device memory "
	    "(CNMEM_STATUS_OUT_OF_MEMORY).\n"
	    "Apply node that caused the error: if{inplace,gpu}\n" },
	{ .name = "Theano", .from = "Theano/Theano/issues/3748",
	  .who = "Theano",
	  .size = { { OOM_ASKED, 71323200 }, { OOM_FREE, 10526720 },
	    { OOM_TOTAL, 4294770688 } },
	  .text = "Error allocating 71323200 bytes of device memory (out of memory). Driver "
	    "report 10526720 bytes free and 4294770688 bytes total \n" },
	{ .name = "the end of a message", .from = "pytorch/pytorch/issues/33143",
	  .who = "PyTorch", .gpu = 1,
	  .size = { { OOM_TOTAL, 11553462026 }, { OOM_ALLOCATED, 10157597655 },
	    { OOM_FREE, 32442941 }, { OOM_RESERVED, 10597831802 } },
	  .text = "(GPU 0; 10.76 GiB total capacity; 9.46 GiB already allocated; 30.94 MiB "
	    "free; 9.87 GiB reserved in total by PyTorch)\n" },
	{ .name = "the end of a message of today", .from = "pytorch/pytorch/issues/175431",
	  .who = "PyTorch", .gpu = 8,
	  .size = { { OOM_TOTAL, 309216170475 }, { OOM_FREE, 218495723765 },
	    { OOM_ALLOCATED, 73690901381 }, { OOM_UNALLOCATED, 16030965432 } },
	  .text = "GPU 7 has a total capacity of 287.98 GiB of which 203.49 GiB is free. Of "
	    "the allocated memory 68.63 GiB is allocated by PyTorch, and 14.93 GiB is "
	    "reserved by PyTorch but unallocated." },
	{ .name = "THC", .from = "Cadene/vqa.pytorch/issues/47",
	  .who = "PyTorch before 1.11, or Torch",
	  .text = "THCudaCheck FAIL "
	    "file=/opt/conda/conda-bld/pytorch_1513368888240/work/torch/lib/THC/generic/T"
	    "HCStorage.c line=82 error=2 : out of memory\n" },
	{ .name = "THC on Windows", .from = "Cadene/vqa.pytorch/issues/47",
	  .who = "PyTorch before 1.11, or Torch",
	  .text = "THCudaCheck FAIL file=C:\\Program Files\\a b\\THC\\generic\\THCStorage.cu "
	    "line=58 error=2 : out of memory\n" },
	{ .name = "CNTK", .from = "microsoft/CNTK/issues/480",
	  .who = "CNTK", .gpu = 1,
	  .text = "EXCEPTION occurred: CUDA failure 2: out of memory ; GPU=0 ; hostname=a ; "
	    "expr=cudaMalloc((void**) &deviceBufferPtr, sizeof(AllocatedElemType) * "
	    "numElements)\n"
	    "\n"
	    "[CALL STACK]\n"
	    "[0x7f6b352798c4]    float* "
	    "Microsoft::MSR::CNTK::TracingGPUMemoryAllocator::  Allocate  <float>(int,  "
	    "unsigned long,  unsigned long) + 0x44 \n" },
	{ .name = "CNTK from Python", .from = "microsoft/CNTK/issues/1193",
	  .who = "CNTK", .gpu = 2,
	  .text = "  File \"/usr/lib/python3.5/site-packages/cntk/trainer.py\", line 125, in "
	    "test_minibatch\n"
	    "RuntimeError: CUDA failure 2: out of memory ; GPU=1 ; hostname=a ; "
	    "expr=cudaMalloc((void**) &deviceBufferPtr, sizeof(AllocatedElemType) * "
	    "numElements)\n" },
	{ .name = "CNTK or ONNX Runtime", .from = "microsoft/CNTK/issues/1591",
	  .who = "CUDA", .gpu = 1,
	  .text = "CUDA failure 2: out of memory ; GPU=0 ; hostname=a ; "
	    "expr=cudaMalloc((void**) &deviceBufferPtr, 4)\n" },
	{ .name = "ONNX Runtime", .from = "hacksider/Deep-Live-Cam/issues/584",
	  .who = "ONNX Runtime", .gpu = 1,
	  .text = "[ONNXRuntimeError] : 1 : FAIL : onnxruntime::CudaCall CUDA failure 2: out "
	    "of memory ; GPU=0 ; hostname=a ; file=cuda_stream_handle.cc ; line=175 ; "
	    "expr=cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);" },
	{ .name = "ONNX Runtime's arena", .from = "microsoft/onnxruntime/issues/9939",
	  .who = "ONNX Runtime",
	  .node = "MatMul_92_FusedMatMulAndScale",
	  .size = { { OOM_ASKED, 8388608000 } },
	  .text = "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned "
	    "while running FusedMatMul node. Name:'MatMul_92_FusedMatMulAndScale' Status "
	    "Message: bfc_arena.cc:331 void* "
	    "onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Failed to allocate "
	    "memory for requested buffer of size 8388608000\n" },
	{ .name = "PlaidML", .from = "iperov/DeepFaceLab/issues/281",
	  .who = "OpenCL",
	  .text = "ERROR:plaidml:unable to run OpenCL kernel: "
	    "CL_MEM_OBJECT_ALLOCATION_FAILURE\n" },
	{ .name = "PyOpenCL", .from = "clij/clij/issues/19",
	  .who = "OpenCL",
	  .text = "pyopencl.MemoryError: clEnqueueNDRangeKernel failed: "
	    "MEM_OBJECT_ALLOCATION_FAILURE\n" },
	{ .name = "OpenCL", .from = "iperov/DeepFaceLab/issues/462",
	  .who = "OpenCL", .hedged = true,
	  .text = "plaidml.exceptions.Unknown: unable to allocate host-local memory: "
	    "CL_OUT_OF_RESOURCES\n" },
	{ .name = "OpenCL's host", .from = "plaidml/plaidml/issues/73",
	  .who = "OpenCL", .host = true, .hedged = true,
	  .text = "plaidml.exceptions.Unknown: creating a command queue for an OpenCL device: "
	    "CL_OUT_OF_HOST_MEMORY\n" },
	{ .name = "amdgpu", .from = "X11Libre/xserver/issues/2093",
	  .who = "amdgpu",
	  .text = "[108159.803872] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory "
	    "for command submission!\n" },
	{ .name = "amdgpu, later", .from = "ROCm/legacy-rocm-build/issues/5844",
	  .who = "amdgpu",
	  .text = "[85392.497777] amdgpu 0000:04:00.0: amdgpu: [drm] *ERROR* Not enough memory "
	    "for command submission!\n" },
	{ .name = "radv", .from = "ggml-org/llama.cpp/issues/25080",
	  .who = "amdgpu",
	  .text = "radv/amdgpu: Not enough memory for command submission.\n" },
	{ .name = "HSA", .from = "tinygrad/tinygrad/issues/3608",
	  .who = "ROCm", .hedged = true,
	  .text = "RuntimeError: HSA Error 4104: HSA_STATUS_ERROR_OUT_OF_RESOURCES: The "
	    "runtime failed to allocate the necessary resources.\n" },
	{ .name = "HIP", .from = "huggingface/autotrain-advanced/issues/737",
	  .who = "PyTorch on HIP", .gpu = 1,
	  .size = { { OOM_ASKED, 130023424 }, { OOM_TOTAL, 21410411970 },
	    { OOM_FREE, 581403934 }, { OOM_ALLOCATED, 17040282746 },
	    { OOM_UNALLOCATED, 173319127 } },
	  .text = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 124.00 MiB. "
	    "GPU 0 has a total capacity of 19.94 GiB of which 554.47 MiB is free. Of the "
	    "allocated memory 15.87 GiB is allocated by PyTorch, and 165.29 MiB is "
	    "reserved by PyTorch but unallocated.\n" },
	{ .name = "vLLM", .from = "vllm-project/vllm/issues/2248",
	  .who = "vLLM",
	  .says = "for serving",
	  .text = "ValueError: No available memory for the cache blocks. Try increasing "
	    "`gpu_memory_utilization` when initializing the engine.\n" },
	{ .name = "vLLM, a long request", .from = "vllm-project/vllm/issues/2418",
	  .who = "vLLM",
	  .text = "ValueError: The model's max seq len (4096) is larger than the maximum "
	    "number of tokens that can be stored in KV cache (3664). Try increasing "
	    "`gpu_memory_utilization` or decreasing `max_model_len` when initializing "
	    "the engine.\n" },
	{ .name = "vLLM at the start", .from = "ovg-project/kvcached/issues/110",
	  .who = "vLLM", .says = "less than that was free",
	  .text = "ValueError: Free memory on device (67.24/79.25 GiB) on startup is less than "
	    "desired GPU memory utilization (0.9, 71.33 GiB). Decrease GPU memory "
	    "utilization or reduce GPU memory used by other processes.\n" },
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

TestSuite(oom_reports, .init = setup, .fini = teardown);

Test(oom_reports, say_the_same_in_every_form)
{
	expect_in_every_form(arena, texts, sizeof(texts) / sizeof(*texts));
}
