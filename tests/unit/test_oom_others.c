/*
 * Texts of public reports as in test_oom_reports.c, of other frameworks, of servers, of drivers and
 * of what libraries say. `from` names the thread on github.com that has the wording, or who prints
 * it.
 */
#include "oom_forms.h"

static const struct want texts[] = {
	{ .name = "DeepSpeed's inference", .from = "JarodMica/ai-voice-cloning/issues/24",
	  .who = "DeepSpeed",
	  .text = "RuntimeError: Workspace can't be allocated, no enough memory.\n" },
	{ .name = "Caffe2", .from = "facebookresearch/Detectron/issues/560",
	  .who = "Caffe2",
	  .text = "RuntimeError: [enforce fail at event_gpu.cc:17] error == cudaSuccess. 2 vs 0. Error at: "
	    "/src/caffe2/core/event_gpu.cc:17: out of memory\n" },
	{ .name = "NVIDIA's Caffe", .from = "NVIDIA/DIGITS/issues/1842",
	  .who = "Caffe", .says = "its data layers have a batch_size",
	  .text = "F1011 18:03:00.939154 12931 gpu_memory.hpp:27] Out of memory: failed to allocate 150994944 bytes on device 0\n" },
	{ .name = "tcmalloc", .from = "marco-c/autowebcompat/issues/191",
	  .who = "tcmalloc", .host = true, .hedged = true, .says = "By itself that is no failure",
	  .size = { { OOM_ASKED, 3666862080 } },
	  .text = "tcmalloc: large alloc 3666862080 bytes == 0x52d8000 @  0x7fb937352f21 0x7fb934aa2ae5\n" },
	{ .name = "tinygrad", .from = "exo-explore/exo/issues/101",
	  .who = "tinygrad",
	  .text = "  File \"/a/tinygrad/runtime/ops_cuda.py\", line 23, in check\n"
	    "RuntimeError: CUDA Error 2, out of memory\n" },
	{ .name = "tinygrad, its allocator", .from = "tinygrad/tinygrad/issues/3943",
	  .who = "tinygrad",
	  .size = { { OOM_ASKED, 1610612736 }, { OOM_ALLOCATED, 24159191040 } },
	  .text = "MemoryError: Allocation of 1.50 GB failed on CUDA. Used: 22.50 GB\n" },
	{ .name = "PyOpenCL", .from = "PyOpenCL",
	  .who = "OpenCL", .says = "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
	  .text = "pyopencl._cl.MemoryError: clEnqueueWriteBuffer failed: MEM_OBJECT_ALLOCATION_FAILURE\n" },
	{ .name = "XLA's kernels", .from = "XLA",
	  .who = "CUDA", .says = "the code of kernels",
	  .text = "RuntimeError: Internal: Failed to load in-memory CUBIN: CUDA_ERROR_OUT_OF_MEMORY: out of memory\n" },
	{ .name = "LightGBM", .from = "LightGBM",
	  .who = "LightGBM", .host = true, .says = "num_leaves",
	  .text = "[LightGBM] [Fatal] bad allocation\n" },
	{ .name = "Slurm's seff", .from = "seff",
	  .who = "Slurm", .host = true,
	  .text = "Job ID: 71\nCluster: a\nState: OUT_OF_MEMORY (exit code 0)\n" },
	{ .name = "Heroku", .from = "Heroku",
	  .who = "Heroku", .host = true, .says = "dyno",
	  .text = "2021-02-03T04:05:06.7+00:00 heroku[worker.1]: Error R14 (Memory quota exceeded)\n" },
	{ .name = "R", .from = "R",
	  .who = "R", .host = true, .says = "R_MAX_VSIZE",
	  .text = "Error: vector memory limit of 16.0 Gb reached, see mem.maxVSize()\n" },
	{ .name = "a server's worker", .from = "gunicorn",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "[ERROR] Worker (pid:31) was terminated due to signal 9\n" },
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
	  .who = "PyTorch by cudaMallocAsync", .gpu = 1,
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
	{ .name = "DirectML's code", .from = "C0untFloyd/roop-unleashed/issues/827",
	  .who = "DirectML", .says = "Whose it was it does not tell",
	  .text = "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Exception during initialization: dml\\DmlExecutionProvider\\src\\FusedGraphKernel.cpp(70)\\"
	    "state.pyd!00007FFA705F8971: (caller: 00007FFA705F64C9) Exception(2) tid(6e4) 8007000E Not enough memory resources are available to complete this operation.\n" },
	{ .name = "OpenVINO's GPU", .from = "immich-app/immich/issues/13674",
	  .who = "OpenVINO", .hedged = true, .says = "OpenCL's codes",
	  .text = "Exception from src/plugins/intel_gpu/src/runtime/ocl/ocl_engine.cpp:185:\n"
	    "[GPU] out of GPU resources\n" },
	{ .name = "InvokeAI", .from = "invoke-ai/InvokeAI/issues/6106",
	  .who = "InvokeAI", .says = "play no part yet",
	  .text = "[ModelManagerService]::WARNING --> Insufficient GPU memory to load model. Aborting\n" },
	{ .name = "libgpuarray", .from = "imatge-upc/salgan/issues/37",
	  .who = "Theano",
	  .text = "RuntimeError: gpudata_alloc: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory\n" },
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
	{ .name = "texts of fifty signs", .from = "bio-ontology-research-group/DeepViral/issues/1", .who = "NumPy", .host = true,
	  .rank = 2, .dim = { 14661920, 4 }, .element = 200,
	  .text = "MemoryError: Unable to allocate 10.9GiB for an array with shape (14661920, 4) and data type <U50\n" },
	{ .name = "texts of bytes", .from = "numpy", .who = "NumPy", .host = true, .rank = 1, .dim = { 99000000 }, .element = 21,
	  .text = "MemoryError: Unable to allocate 1.94 GiB for an array with shape (99000000,) and data type |S21\n" },
	{ .name = "ggml's weights, of which no size is told", .from = "ggml-org/llama.cpp/issues/7366", .who = "ggml",
	  .says = "does not say where", .text = "llama_model_load: error loading model: unable to allocate backend buffer\n" },
	{ .name = "dlib", .from = "davisking/dlib/issues/370", .who = "dlib",
	  .text = "  what():  Error while calling cudaMalloc(&data, new_size*sizeof(float)) in file /a/dlib/dnn/gpu_data.cpp:190. "
	    "code: 2, reason: out of memory\n" },
	{ .name = "OpenCL in small letters", .from = "iperov/DeepFaceLab/issues/167", .who = "OpenCL",
	  .text = "OPENCL Error: cl_mem_object_allocation_failure\n" },
	{ .name = "the kernel's figures with commas in wrong places", .from = "0jc1/py-autovod/issues/7", .who = "Linux", .host = true,
	  .text = "Out of memory: Killed process 7899 (python) total-vm:26,184,840kB, anon-rss:153,700,88kB, file-rss:0kB\n" },
	{ .name = "ggml on Metal", .from = "ggml", .who = "ggml", .size = { { OOM_ASKED, 8589934592 } },
	  .text = "ggml_backend_metal_buffer_type_alloc_buffer: error: failed to allocate buffer, size =  8192.00 MiB\n" },
	{ .name = "OpenCV", .from = "OpenCV", .who = "OpenCV", .host = true, .size = { { OOM_ASKED, 2359296000 } },
	  .text = "cv2.error: OpenCV(4.5.5) error: (-4:Insufficient memory) Failed to allocate 2359296000 bytes in function 'OutOfMemoryError'\n" },
	{ .name = "OpenCV before 4", .from = "OpenCV", .who = "OpenCV", .host = true, .size = { { OOM_ASKED, 921600004 } },
	  .text = "OpenCV Error: Insufficient memory (Failed to allocate 921600004 bytes) in OutOfMemoryError, file alloc.cpp, line 52\n" },
	{ .name = "Arrow", .from = "Arrow", .who = "Arrow", .host = true, .size = { { OOM_ASKED, 1073741824 } },
	  .text = "pyarrow.lib.ArrowMemoryError: malloc of size 1073741824 failed\n" },
	{ .name = "Ollama, before it begins", .from = "Ollama", .who = "Ollama", .host = true, .says = "did not begin",
	  .text = "Error: model requires more system memory (8.4 GiB) than is available (3.4 GiB)\n" },
	{ .name = "Julia", .from = "Julia", .who = "Julia", .host = true, .text = "ERROR: LoadError: OutOfMemoryError()\n" },
	{ .name = ".NET", .from = ".NET", .who = ".NET", .host = true,
	  .text = "System.OutOfMemoryException: Exception of type 'System.OutOfMemoryException' was thrown.\n" },
	{ .name = "Node.js", .from = "Node.js", .who = "Node.js", .host = true, .says = "--max-old-space-size",
	  .text = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n" },
	{ .name = "Dask", .from = "Dask", .who = "Dask", .host = true, .says = "memory_limit",
	  .text = "distributed.nanny - WARNING - Worker exceeded 95% memory budget. Restarting\n" },
	{ .name = "LightGBM, by OpenCL", .from = "LightGBM", .who = "OpenCL",
	  .text = "[LightGBM] [Fatal] Memory Object Allocation Failure\n" },
	{ .name = "XGBoost", .from = "XGBoost", .who = "XGBoost", .says = "QuantileDMatrix", .size = { { OOM_FREE, 12517376 }, { OOM_ASKED, 9232383 } },
	  .text = "xgboost.core.XGBoostError: [12:00:00] device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: "
	    "cudaErrorMemoryAllocation: out of memory\n- Free memory: 12517376\n- Requested memory: 9232383\n\n" },
	{ .name = "XGBoost, of its own allocator", .from = "XGBoost", .who = "XGBoost", .says = "QuantileDMatrix",
	  .size = { { OOM_FREE, 224067584 }, { OOM_ASKED, 878511352 } },
	  .text = "XGBoostError: [12:00:00] device_helpers.cuh:428: Memory allocation error on worker 3: Caching allocator\n"
	    "- Free memory: 224067584\n- Requested memory: 878511352\n" },
	{ .name = "XGBoost, sizes with units", .from = "XGBoost", .who = "XGBoost", .says = "QuantileDMatrix",
	  .size = { { OOM_FREE, 2684354560 }, { OOM_ASKED, 4026531840 } },
	  .text = "XGBoostError: [12:00:00] device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: "
	    "cudaErrorMemoryAllocation: out of memory\n- Free memory: 2.5GB\n- Requested memory: 3.75GB\n\n" },
	{ .name = "RMM's pool, and what it was to grow by", .from = "RMM", .who = "RMM", .says = "maximum_pool_size", .size = { { OOM_ASKED, 4026531840 } },
	  .text = "MemoryError: std::bad_alloc: out_of_memory: RMM failure at: /a/arena.hpp:181: Maximum pool size exceeded "
	    "(failed to allocate 3.750000 GiB): No room in arena.\n" },
	{ .name = "XGBoost, by its source", .from = "XGBoost", .who = "XGBoost", .says = "max_bin",
	  .text = "CUDA error: src/xgboost/plugin/updater_gpu/src/device_helpers.cuh(412): out of memory\n" },
	{ .name = "LightGBM, by OpenCL's word for the machine's", .from = "LightGBM", .who = "OpenCL", .host = true, .hedged = true, .says = "from the machine",
	  .text = "lightgbm.basic.LightGBMError: Out of Host Memory\n" },
	{ .name = "CNTK, without its calls", .from = "CNTK", .who = "CNTK", .gpu = 1,
	  .text = "RuntimeError: CUDA failure 2: out of memory ; GPU=0 ; hostname=a ; expr=cudaMalloc((void**) &deviceBufferPtr, "
	    "sizeof(AllocatedElemType) * AsMultipleOf(numElements, 2))\n" },
	{ .name = "the allocator of pinned memory", .from = "PyTorch", .who = "PyTorch before 1.11, or Torch", .host = true, .says = "locked (pinned)",
	  .text = "THCudaCheck FAIL file=..\\aten\\src\\THC\\THCCachingHostAllocator.cpp line=271 error=2 : out of memory\n" },
	{ .name = "the allocator of pinned memory, by its exception", .from = "PyTorch", .who = "Torch's allocator of pinned memory", .host = true,
	  .says = "locked (pinned)",
	  .text = "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/THCCachingHostAllocator.cpp:278\n" },
	{ .name = "MindSpore's pinned memory", .from = "mindspore-ai/mindspore/issues/172", .who = "MindSpore", .host = true, .says = "locked (pinned)",
	  .text = "[ERROR] MD(20112,7f1c2d7fe700,python):2022-01-03-10:20:11.101.202 [mindspore/ccsrc/minddata/dataset/util/arena.cc:250] Init] cudaHostAlloc failed, ret[2], out of memory\n" },
	{ .name = "Gaudi's workspace", .from = "HabanaAI/Model-References/issues/10", .who = "Intel Gaudi", .size = { { OOM_ASKED, 9663676416 } },
	  .text = "RuntimeError: FATAL ERROR :: MODULE:SYNHELPER workspace Allocation of size ::9663676416 failed!\n" },
	{ .name = "Gaudi's device", .from = "mila-iqia/milabench/issues/301", .who = "Intel Gaudi", .size = { { OOM_ASKED, 134217728 } },
	  .text = "RuntimeError: [Rank:0] FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::134217728 (128)MB\n" },
	{ .name = "vineyard", .from = "alibaba/GraphScope/issues/2672", .who = "vineyard", .host = true, .says = "however much the machine has",
	  .size = { { OOM_ASKED, 10467840 } },
	  .text = "Check failed: Not enough memory: Failed to allocate memory of size 10467840, total available memory size are "
	    "4294967296, and 4285825152 are already in use in \"client.CreateBlob(size, buffer_)\"\n" },
	{ .name = "another program's exception, not Darknet's", .from = "VLOGroup/cnn-crf-stereo/issues/4", .who = "CUDA",
	  .text = "  what():  IuException: CUDA Error: out of memory\n" },
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

TestSuite(oom_others, .init = setup, .fini = teardown);

Test(oom_others, say_the_same_in_every_form)
{
	expect_in_every_form(arena, texts, sizeof(texts) / sizeof(*texts));
}
