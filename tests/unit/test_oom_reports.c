/*
 * Texts of public reports, and what they say by their own words. `from` names the thread on github.com
 * that has the wording, or who prints it; what is people's own (names, paths, hosts) is left out or
 * replaced. What is right of each was read from the text: bytes are the printed figures times powers
 * of 1024, cut off. test_oom_killed.c has those in which the machine's memory ended a process.
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
	  .says = "Usually there was no memory left",
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
	  .who = "cuBLAS", .gpu = 1,
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
	  .who = "PyTorch before 1.0",
	  .text = "THCudaCheck FAIL "
	    "file=/opt/conda/conda-bld/pytorch_1513368888240/work/torch/lib/THC/generic/T"
	    "HCStorage.c line=82 error=2 : out of memory\n" },
	{ .name = "THC on Windows", .from = "Cadene/vqa.pytorch/issues/47",
	  .who = "PyTorch before 1.0",
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
	{ .name = "tinygrad", .from = "exo-explore/exo/issues/101",
	  .who = "tinygrad",
	  .text = "RuntimeError: CUDA Error 2, out of memory\n" },
	{ .name = "tinygrad, its allocator", .from = "tinygrad/tinygrad/issues/3943",
	  .who = "tinygrad",
	  .size = { { OOM_ASKED, 1610612736 }, { OOM_ALLOCATED, 24159191040 } },
	  .text = "MemoryError: Allocation of 1.50 GB failed on CUDA. Used: 22.50 GB\n" },
	{ .name = "a TPU", .from = "erfanzar/EasyDeL/issues/78",
	  .who = "XLA",
	  .size = { { OOM_ALLOCATED, 23514945945 }, { OOM_TOTAL, 8031588843 } },
	  .text = "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile "
	    "permanent error. Ran out of memory in memory space hbm. Used 21.90G of "
	    "7.48G hbm. Exceeded hbm capacity by 14.42G.\n" },
	{ .name = "a TPU of PyTorch", .from = "pytorch/xla/issues/1735",
	  .who = "XLA",
	  .size = { { OOM_ASKED, 4241280204 }, { OOM_FREE, 2061584302 },
	    { OOM_TOTAL, 8589934592 } },
	  .text = "RuntimeError: Resource exhausted: From /job:tpu_worker/replica:0/task:0:\n"
	    "Attempting to reserve 3.95G at the bottom of memory. That was not possible. "
	    "There are 1.92G free, 0B reserved, and 1.92G reservable.; \n"
	    "HBM capacity 8.00G:\n" },
	{ .name = "MXNet", .from = "apache/mxnet/issues/2913",
	  .who = "MXNet",
	  .text = "[19:03:47] src/storage/./pooled_storage_manager.h:62: Memory allocation "
	    "failed.\n" },
	{ .name = "MXNet, later", .from = "apache/mxnet/issues/17126",
	  .who = "MXNet",
	  .text = "mxnet.base.MXNetError: [18:53:03] "
	    "src/storage/./pooled_storage_manager.h:157: cudaMalloc failed: out of "
	    "memory\n"
	    "Stack trace:\n" },
	{ .name = "Caffe", .from = "BVLC/caffe/issues/1877",
	  .who = "Caffe",
	  .says = "1,192,246,208 B",
	  .text = "I0217 00:02:05.946698 13030 net.cpp:222] Memory required for data: "
	    "1192246208\n"
	    "F0217 00:02:07.073874 13030 syncedmem.cpp:51] Check failed: error == "
	    "cudaSuccess (2 vs. 0)  out of memory\n" },
	{ .name = "Caffe with its layers", .from = "NVIDIA/caffe/issues/241",
	  .who = "Caffe",
	  .says = "came to 3.77 MiB (3,952,640 B), at a batch of 10;",
	  .text = "I0920 09:05:32.565769 26257 net.cpp:150] Top shape: 10 1 80 80 (64000)\n"
	    "I0920 09:05:32.565773 26257 net.cpp:158] Memory required for data: 256000\n"
	    "I0920 09:05:32.565769 26257 net.cpp:150] Top shape: 10 16 76 76 (924160)\n"
	    "I0920 09:05:32.565773 26257 net.cpp:158] Memory required for data: 3952640\n"
	    "F0920 09:05:33.565773 26257 syncedmem.cpp:56] Check failed: error == "
	    "cudaSuccess (2 vs. 0)  out of memory\n" },
	{ .name = "Caffe in the machine", .from = "BVLC/caffe/issues/2474",
	  .who = "Caffe", .host = true,
	  .size = { { OOM_ASKED, 158297088 } },
	  .text = "F0516 15:51:24.069330 11079 syncedmem.hpp:19] Check failed: *ptr host "
	    "allocation of size 158297088 failed\n" },
	{ .name = "an old Caffe", .from = "BVLC/caffe/issues/26",
	  .who = "Caffe",
	  .text = "F0111 00:39:28.925695  8026 syncedmem.cpp:45] Check failed: "
	    "(cudaMalloc(&gpu_ptr_, size_)) == cudaSuccess (2 vs. 0) \n" },
	{ .name = "Darknet", .from = "AlexeyAB/darknet/issues/3281",
	  .who = "Darknet",
	  .says = "`subdivisions`",
	  .text = " Try to set subdivisions=64 in your cfg-file.\n"
	    "CUDA status Error: file: ./src/dark_cuda.c : () : line: 235 : build time: "
	    "May 30 2019 - 11:14:51\n"
	    "CUDA Error: out of memory\n" },
	{ .name = "PaddlePaddle", .from = "PaddlePaddle/models/issues/4173",
	  .who = "PaddlePaddle", .gpu = 1,
	  .size = { { OOM_ASKED, 83886335 }, { OOM_FREE, 79785164 } },
	  .text = "Out of memory error on GPU 0. Cannot allocate 80.000244MB memory on GPU 0, "
	    "available memory is only 76.089062MB.\n"
	    "\n"
	    "Please check whether there is any other process using GPU 0.\n"
	    "2. If no, please try one of the following suggestions:\n"
	    "   2) FLAGS_fraction_of_gpu_memory_to_use is 0.50 now, please set it to a "
	    "higher value but less than 1.0.\n" },
	{ .name = "PaddlePaddle, its chunks", .from = "PaddlePaddle/Paddle/issues/15458",
	  .who = "PaddlePaddle",
	  .size = { { OOM_ASKED, 20998686233 }, { OOM_FREE, 19587333888 } },
	  .text = "paddle.fluid.core.EnforceNotMet: Enforce failed. Expected allocating <= "
	    "available, but received allocating:20998686233 > available:19587333888.\n" },
	{ .name = "PaddlePaddle, older", .from = "PaddlePaddle/Paddle/issues/6265",
	  .who = "PaddlePaddle",
	  .size = { { OOM_ASKED, 11475179929 }, { OOM_FREE, 11156224154 } },
	  .text = "EnforceNotMet: enforce allocating < available failed, 11475179929 >= "
	    "11156224154\n" },
	{ .name = "PaddlePaddle, another", .from = "PaddlePaddle/models/issues/3011",
	  .who = "PaddlePaddle",
	  .size = { { OOM_ASKED, 51380433 } },
	  .text = "Cannot malloc 49.0002 MB GPU memory. Please shrink "
	    "FLAGS_fraction_of_gpu_memory_to_use or FLAGS_initial_gpu_memory_in_mb "
	    "environment variable to a lower value. Current "
	    "FLAGS_fraction_of_gpu_memory_to_use value is 0.1. \n" },
	{ .name = "CuPy, older", .from = "cupy/cupy/issues/1912",
	  .who = "CuPy",
	  .size = { { OOM_ASKED, 1073741824 }, { OOM_ALLOCATED, 11300152832 } },
	  .text = "cupy.cuda.memory.OutOfMemoryError: out of memory to allocate 1073741824 "
	    "bytes (total 12373894656 bytes)\n" },
	{ .name = "CuPy", .from = "cupy/cupy/issues/2537",
	  .who = "CuPy",
	  .size = { { OOM_ASKED, 25600000 }, { OOM_ALLOCATED, 3635267072 } },
	  .text = "Out of memory allocating 25,600,000 bytes (allocated so far: 3,635,267,072 "
	    "bytes).\n" },
	{ .name = "CUDA's own allocator", .from = "pytorch/pytorch/issues/175431",
	  .who = "PyTorch", .gpu = 1,
	  .size = { { OOM_ASKED, 671088640 }, { OOM_ALLOCATED, 10125385400 },
	    { OOM_TOTAL, 12444667740 }, { OOM_FREE, 7465861 } },
	  .text = "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. "
	    "(out of memory)\n"
	    "Currently allocated     : 9.43 GiB\n"
	    "Requested               : 640.00 MiB\n"
	    "Device limit            : 11.59 GiB\n"
	    "Free (according to CUDA): 7.12 MiB\n" },
	{ .name = "Metal", .from = "ml-explore/mlx",
	  .who = "Metal",
	  .text = "[METAL] Command buffer execution failed: Insufficient Memory "
	    "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)\n" },
	{ .name = "DirectML", .from = "lshqqytiger/stable-diffusion-webui-amdgpu/issues/291",
	  .who = "DirectML",
	  .size = { { OOM_ASKED, 4915840 } },
	  .text = "RuntimeError: Could not allocate tensor with 4915840 bytes. There is not "
	    "enough GPU video memory available!\n" },
	{ .name = "RAPIDS", .from = "rapidsai/rmm",
	  .who = "RMM",
	  .text = "MemoryError: std::bad_alloc: out_of_memory: CUDA error at: "
	    "/rmm/mr/device/cuda_memory_resource.hpp:70: cudaErrorMemoryAllocation out "
	    "of memory\n" },
	{ .name = "RAPIDS, later", .from = "rapidsai/rmm",
	  .who = "RMM",
	  .size = { { OOM_ASKED, 368974272 } },
	  .text = "what(): std::bad_alloc: out_of_memory: CUDA error (failed to allocate "
	    "368974272 bytes) at: cuda_async_view_memory_resource.cpp:43\n" },
	{ .name = "MXNet in the machine", .from = "deepinsight/insightface/issues/1262",
	  .who = "MXNet", .host = true,
	  .text = "mxnet.base.MXNetError: [07:41:06] src/storage/./cpu_device_storage.h:75: "
	    "Failed to allocate CPU Memory\n" },
	{ .name = "mshadow", .from = "MVIG-SJTU/AlphaPose/issues/493",
	  .who = "MXNet",
	  .text = "mshadow/./stream_gpu-inl.h:184: Check failed: e == cudaSuccess: CUDA: out "
	    "of memory\n" },
	{ .name = "PaddlePaddle, its first", .from = "PaddlePaddle/Paddle/issues/8949",
	  .who = "PaddlePaddle",
	  .text = "Check failed: cudaSuccess == cudaStat (0 vs. 2) Cuda Error: out of memory\n" },
	{ .name = "TensorRT in ONNX Runtime", .from = "microsoft/onnxruntime/issues/10770",
	  .who = "TensorRT",
	  .text = "E:onnxruntime:Default, tensorrt_execution_provider.h:50 log] [2022-03-04 "
	    "13:39:28 ERROR] ../rtSafe/safeRuntime.cpp (25) - Cuda Error in allocate: 2 "
	    "(out of memory)\n" },
	{ .name = "TensorFlow finds the card full", .from = "tensorflow/tensorflow",
	  .who = "TensorFlow", .gpu = 1,
	  .says = "another process",
	  .text = "InternalError: CUDA runtime implicit initialization on GPU:0 failed. "
	    "Status: out of memory\n" },
	{ .name = "NCCL", .from = "NVIDIA/nccl",
	  .who = "NCCL",
	  .text = "include/alloc.h:316 NCCL WARN Cuda failure 'out of memory'\n" },
	{ .name = "TensorFlow without its beginning", .from = "tensorflow/tensorflow/issues/47820",
	  .who = "TensorFlow", .rank = 4, .dim = { 3, 3, 512, 1024 }, .gpu = 3,
	  .node = "conv/Conv2D",
	  .text = "ating tensor with shape[3,3,512,1024] and type half on "
	    "/job:localhost/replica:0/task:0/device:GPU:2 by allocator GPU_2_bfc\n"
	    "\t [[{{node conv/Conv2D}}]]\n" },
	{ .name = "cuBLAS, older", .from = "torch/cutorch",
	  .who = "cuBLAS",
	  .text = "cublas runtime error : resource allocation failed at "
	    "/pytorch/aten/src/THC/THCGeneral.cpp:216\n" },
	{ .name = "cuBLAS, older, after an assertion", .from = "r9y9/deepvoice3_pytorch/issues/170",
	  .who = "cuBLAS", .hedged = true, .asserted = true,
	  .text = "THCTensorIndex.cu:362: void indexSelectLargeIndex(TensorInfo<T, IndexType>) "
	    "[with T = float]: block: [7,0,0], thread: [52,0,0] Assertion `srcIndex < "
	    "srcSelectDimSize` failed.\n"
	    "RuntimeError: cublas runtime error : library not initialized at "
	    "../aten/src/THC/THCGeneral.cpp:228\n" },
	{ .name = "CUDA's driver", .from = "pytorch/pytorch",
	  .who = "CUDA",
	  .text = "RuntimeError: CUDA driver error: out of memory\n" },
	{ .name = "an assertion of PyTorch", .from = "pytorch/pytorch",
	  .who = "PyTorch",
	  .says = "had no memory left",
	  .text = "RuntimeError: NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL "
	    "ASSERT FAILED at \"../c10/cuda/CUDACachingAllocator.cpp\":830, please "
	    "report a bug to PyTorch.\n" },
	{ .name = "no batch fits", .from = "huggingface/accelerate",
	  .who = "Accelerate",
	  .text = "RuntimeError: No executable batch size found, reached zero.\n" },
	{ .name = "an NPU", .from = "Ascend/pytorch",
	  .who = "PyTorch on NPU", .gpu = 4,
	  .size = { { OOM_ASKED, 2147483648 }, { OOM_TOTAL, 65466039009 },
	    { OOM_ALLOCATED, 61826054225 }, { OOM_FREE, 1288490188 },
	    { OOM_RESERVED, 62277025792 } },
	  .text = "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 3; 60.97 "
	    "GiB total capacity; 57.58 GiB already allocated; 1.20 GiB free; 58.00 GiB "
	    "reserved in total by PyTorch)\n" },
	{ .name = "Vulkan", .from = "ggml-org/llama.cpp",
	  .who = "Vulkan",
	  .size = { { OOM_ASKED, 1234567890 } },
	  .text = "ggml_vulkan: Device memory allocation of size 1234567890 failed.\n"
	    "ggml_vulkan: Requested buffer size exceeds device memory allocation limit: "
	    "ErrorOutOfDeviceMemory\n" },
	{ .name = "Level Zero", .from = "intel/llvm",
	  .who = "Level Zero",
	  .text = "RuntimeError: level_zero backend failed with error: 39 "
	    "(UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)\n" },
	{ .name = "SYCL", .from = "intel/llvm",
	  .who = "Level Zero", .hedged = true,
	  .text = "Native API failed. Native API returns: -5 (PI_ERROR_OUT_OF_RESOURCES)\n" },
	{ .name = "pinned memory of ggml", .from = "ggml-org/llama.cpp",
	  .who = "ggml", .host = true, .warning = true,
	  .size = { { OOM_ASKED, 1073741824 } },
	  .text = "ggml_cuda_host_malloc: failed to allocate 1024.00 MiB of pinned memory: out "
	    "of memory\n" },
	{ .name = "pinned memory of Numba", .from = "numba/numba",
	  .who = "CUDA", .host = true,
	  .text = "numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemHostAlloc results "
	    "in CUDA_ERROR_OUT_OF_MEMORY\n" },
	{ .name = "JAX's allocator", .from = "jax-ml/jax",
	  .who = "XLA", .gpu = 1,
	  .size = { { OOM_ASKED, 10737418240 } },
	  .text = "2024-05-01 10:11:12.1: W "
	    "external/xla/xla/tsl/framework/bfc_allocator.cc:482] Allocator (GPU_0_bfc) "
	    "ran out of memory trying to allocate 10.00GiB (rounded to "
	    "10737418240)requested by op \n" },
	{ .name = "TensorFlow's allocator of today", .from = "tensorflow/tensorflow",
	  .who = "TensorFlow's allocator", .gpu = 1,
	  .node = "model/conv2d/Conv2D",
	  .size = { { OOM_ASKED, 1280000000 } },
	  .text = "W external/local_xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator "
	    "(GPU_0_bfc) ran out of memory trying to allocate 1.19GiB (rounded to "
	    "1280000000)requested by op model/conv2d/Conv2D\n" },
	{ .name = "a product of matrices", .from = "tensorflow/tensorflow/issues/34069",
	  .who = "cuBLAS", .hedged = true,
	  .says = "another process",
	  .text = "InternalError: Blas GEMM launch failed : a.shape=(32, 9), b.shape=(9, 4), m=32, n=4, k=9\n" },
	{ .name = "cut behind its first words", .from = "tensorflow/tensorflow/issues/1355",
	  .who = "TensorFlow", .gpu = 1, .node = "sub_2518",
	  .text = "Compute status: Resource exhausted: OOM when allocating tensor with shape\n"
	    "\t [[Node: sub_2518 = Sub[T=DT_FLOAT, _device=\"/job:localhost/replica:0/task:0/gpu:0\"](a, "
	    "b)]]\n" },
	{ .name = "no more than where", .from = "Comfy-Org/ComfyUI/issues/6176",
	  .who = "PyTorch", .says = "does not say how much",
	  .text = "torch.OutOfMemoryError: Allocation on device \n" },
	{ .name = "XLA does not try", .from = "jax-ml/jax/issues/7822",
	  .who = "XLA", .says = "before it compiled",
	  .text = "Compilation failure: Aborting compilation early because it's unlikely to have enough memory. "
	    "Requires 3.47E, has 14.49G available.\n" },
	{ .name = "vLLM's sampler", .from = "vllm-project/vllm/issues/15105",
	  .who = "vLLM", .says = "max_num_seqs",
	  .text = "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. "
	    "Please try lowering `max_num_seqs` or `gpu_memory_utilization`.\n" },
	{ .name = "a way that TensorRT leaves out", .from = "NVIDIA/TensorRT",
	  .who = "TensorRT", .hedged = true, .says = "tries others",
	  .text = "[W] Skipping tactic 8 due to insufficient memory on requested size of 17179869184 detected for "
	    "tactic 0x000000000000003c.\n" },
	{ .name = "TensorRT finds no way", .from = "NVIDIA/TensorRT/issues/477",
	  .who = "TensorRT", .says = "no way",
	  .text = "[E] [TRT] tacticOptimizer.cpp (1523) - OutOfMemory Error in nvinfer1::builder::LeafCNode"
	    "::computeCosts: 0\n" },
	{ .name = "shared memory", .from = "tengshaofeng/ResidualAttentionNetwork-pytorch/issues/2",
	  .who = "PyTorch's DataLoader", .host = true, .says = "shm-size",
	  .text = "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared "
	    "memory (shm).\n" },
	{ .name = "a paging file, in small letters", .from = "Comfy-Org/ComfyUI/issues/7069",
	  .who = "Windows", .host = true,
	  .text = "showing error  ( os error 1455 )\n" },
	{ .name = "within the marks of code", .from = "aditya9211/Blur-and-Clear-Classification/issues/9",
	  .who = "the machine", .host = true,
	  .text = "`MemoryError`\n" },
	{ .name = "a type of two bytes", .from = "numpy",
	  .who = "NumPy", .host = true, .rank = 2, .dim = { 60000, 50000 },
	  .text = "MemoryError: Unable to allocate 5.59 GiB for an array with shape (60000, 50000) and data type "
	    "uint16\n" },
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
