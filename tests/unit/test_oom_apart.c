/*
 * Texts that look as if memory had ended, or are pasted as if it had, and are of something else;
 * and some that are of memory and do not look it. `from` names the thread on github.com that has
 * the wording, and what it settled on was read there; what is people's own is left out or replaced.
 */
#include "oom_forms.h"

#define ON_CHIP		"Not the device's memory: a kernel needs more of the memory on a multiprocessor"
#define FILES		"Not the GPU's memory: the device that is full is one of files"
#define GONE		"A process that prepares data ended before its time"

static const struct want texts[] = {
	{ .name = "a kernel's shared memory", .from = "Yuliang-Liu/MonkeyOCR/issues/25", .who = "Triton",
	  .apart = true, .says = ON_CHIP,
	  .text = "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 65538, "
	    "Hardware limit: 65536. Reducing block sizes or `num_stages` may help.\n" },
	{ .name = "the same, older", .from = "triton-lang/triton/issues/384", .who = "Triton", .apart = true,
	  .says = ON_CHIP, .text = "triton.code_gen.OutOfResources: out of resource: shared memoryRequired: "
	    "110592Hardware limit: 101376\n" },
	{ .name = "a block of threads", .from = "MGHPhysicsResearch/moquimc/issues/7", .who = "CUDA", .apart = true,
	  .says = "more threads in a block", .text = "Vertices total memory 32508 MB Free memory 31830 MB\n"
	    "CUDA error (transport particle table): too many resources requested for launch\n" },
	{ .name = "an address", .from = "kokkos/kokkos/issues/2330", .who = "CUDA", .apart = true,
	  .says = "an index out of range", .text = "  what():  cudaDeviceSynchronize() error( "
	    "cudaErrorIllegalAddress): an illegal memory access was encountered a.cpp:119\n" },
	{ .name = "an address, on AMD's", .from = "ROCm/legacy-rocm-build/issues/1535", .who = "HIP", .apart = true,
	  .says = "an index out of range", .text = "Memory access fault by GPU node-2 (Agent handle: 0x55fea5592860) on address 0x7fc133800000. "
	    "Reason: Page not present or supervisor privilege.\nAborted (core dumped)\n" },
	{ .name = "memory that CUDA refuses for another reason", .from = "rishizek/tensorflow-deeplab-v3-plus/issues/8", .who = "CUDA",
	  .apart = true, .says = "Not for want of memory", .text = "E tensorflow/stream_executor/cuda/cuda_driver.cc:967] failed to alloc 2304 "
	    "bytes on host: CUDA_ERROR_UNKNOWN\n" },
	{ .name = "a device without code for it", .from = "TheLegendAli/DeepLab-Context/issues/28", .who = "CUDA", .apart = true,
	  .says = "compiled for this device", .text = "F0409 im2col.cu:61] Check failed: error == cudaSuccess (8 vs. 0)  invalid device "
	    "function\n" },
	{ .name = "a pool that was reckoned too small", .from = "ggml-org/llama.cpp/issues/29", .who = "ggml", .apart = true,
	  .says = "of a size that is reckoned ahead", .text = "ggml_new_tensor_impl: not enough space in the context's memory pool (needed "
	    "458853944, available 454395136)\n" },
	{ .name = "a size that cannot be", .from = "NVIDIA/nccl/issues/1284", .who = "PyTorch", .apart = true,
	  .says = "No machine has as much", .text = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
	    "allocate more than 1EB memory.\n" },
	{ .name = "semaphores", .from = "NVIDIA/Megatron-LM/issues/878", .who = "the file system", .apart = true,
	  .says = FILES, .text = "    sl = self._semlock = _multiprocessing.SemLock(\n"
	    "OSError: [Errno 28] No space left on device\n" },
	{ .name = "files that are open", .from = "Peterande/D-FINE/issues/22", .who = "Python's multiprocessing", .apart = true,
	  .says = "only so many files open", .text = "  File \"python3.10/multiprocessing/reduction.py\", line 164, in recvfds\n"
	    "    raise RuntimeError('received %d items of ancdata' %\nRuntimeError: received 0 items of ancdata\n" },
	{ .name = "the same, where it is sent", .from = "datalab-to/marker/issues/181", .who = "PyTorch", .apart = true,
	  .says = "only so many files open", .text = "RuntimeError: unable to open shared memory object </torch_87_36_0> in read-write mode: Too many "
	    "open files (24)\n" },
	{ .name = "an assertion", .from = "VinAIResearch/3D-UCaps/issues/8", .who = "CUDA", .apart = true,
	  .says = "an assertion fails on the device", .text = "RuntimeError: CUDA error: device-side "
	    "assert triggered\n" },
	/* of memory */
	{ .name = "a buffer of results", .from = "ggml-org/llama.cpp/issues/9352", .who = "ggml", .size = { { OOM_ASKED, INT64_C(18035509504) } },
	  .text = "ggml_gallocr_reserve_n: failed to allocate ROCm0 buffer of size 18035509504\n"
	    "llama_new_context_with_model: failed to allocate compute buffers\n" },
	{ .name = "a physics engine", .from = "isaac-sim/IsaacGymEnvs/issues/256", .who = "PhysX", .size = { { OOM_ASKED, 100663296 } },
	  .text = "[job] PxgCudaDeviceMemoryAllocator fail to allocate memory 100663296 bytes!! Result = 2\n" },
	{ .name = "wgpu's buffer", .from = "Gadersd/stable-diffusion-burn/issues/5", .who = "wgpu", .says = "in one piece",
	  .text = "thread 'main' panicked at 'wgpu error: Validation Error\nCaused by:\n    In Device::create_buffer\n"
	    "    Not enough memory left\n" },
	{ .name = "CubeCL's buffer", .from = "ArthurBrussee/brush/issues/551", .who = "CubeCL", .size = { { OOM_ASKED, INT64_C(3595479680) } },
	  .text = "failed to reserve 3595479680 bytes of device memory: can't allocate buffer of size: 3595479680\n" },
	{ .name = "a model that is not spread whole", .from = "hustvl/Senna/issues/17", .who = "transformers", .says = "quantized model over the devices",
	  .text = "ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM to fit the quantized "
	    "model. If you want to dispatch the model on the CPU or the disk while keeping these modules in 32-bit\n" },
	{ .name = "CUDA, by the call that failed", .from = "NVIDIA/cuml/issues/2386", .who = "CUDA",
	  .text = "FAIL: call='cudaMalloc(&ptr, n)'. Reason:out of memory\n" },
	{ .name = "an assertion of ggml", .from = "ggml-org/whisper.cpp/issues/1915", .who = "ggml", .host = true,
	  .text = "GGML_ASSERT: a/ggml-backend.c:460: data != NULL && \"failed to allocate buffer\"\n" },
	{ .name = "tensors that are shared", .from = "ostris/ai-toolkit/issues/515", .who = "PyTorch",
	  .host = true, .says = "/dev/shm", .text = "RuntimeError: unable to write to file "
	    "</torch_4210_2437918_1>: No space left on device (28)\n" },
	{ .name = "PyCUDA's device", .from = "NervanaSystems/deepspeech/issues/10", .who = "PyCUDA",
	  .text = "pycuda._driver.MemoryError: cuMemAlloc failed: out of memory\n" },
	{ .name = "what PyCUDA locks", .from = "inducer/pycuda", .who = "PyCUDA", .host = true,
	  .text = "pycuda._driver.MemoryError: cuMemHostAlloc failed: out of memory\n" },
	{ .name = "cuDNN in TensorFlow", .from = "matterport/Mask_RCNN/issues/1620", .who = "cuDNN", .hedged = true,
	  .says = "set_memory_growth", .text = "Unknown: Failed to get convolution algorithm. This is probably because "
	    "cuDNN failed to initialize, so try looking to see if a warning log message was printed above.\n" },
	{ .name = "as people write it", .from = "Confusezius/unet-lits-2d-pipeline/issues/6", .who = "PyTorch",
	  .size = { { OOM_ASKED, 377487360 } },
	  .text = "RuntimeError: CUDA out of the memory. Tried to allocate 360.00 MiB\n" },
	{ .name = "an array, in small letters", .from = "keras-team/keras/issues/13433", .who = "NumPy", .host = true,
	  .rank = 2, .dim = { 150528, 150528 },
	  .text = "Memory error: unable to allocate array with shape(150528, 150528) and data type float32\n" },
	{ .name = "a library's words, of CUDA", .from = "junjie18/CMT/issues/15", .who = "CUDA",
	  .text = "cuda failed with error 2 out of memory. use CUDA_LAUNCH_BLOCKING=1 to get correct traceback.\n" },
	{ .name = "the machine's, by a library of CUDA", .from = "made up", .who = "a program not known here",
	  .text = "cudaHostAlloc says: out of memory\n" },
	{ .name = "an error's number, as people write it", .from = "pytorch/pytorch/issues/7634", .who = "PyTorch before 1.11, or Torch",
	  .text = "RuntimeError: cuda runtime err(2): out of memory at /src/THCStorage.cu:66\n" },
	{ .name = "an arena's, cut", .from = "poppanda/LLM_PDF_Translator/issues/9", .who = "ONNX Runtime",
	  .text = "bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, "
	    "onnxruntime::WaitNotificationFn) Failed to alloc\n" },
	{ .name = "a library that could not be set up", .from = "layumi/Person_reID_baseline_pytorch/issues/286", .who = "cuBLAS",
	  .hedged = true, .says = "an index out of range", .text = "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n" },
	{ .name = "one that had been", .from = "made up", .who = "cuBLAS",
	  .text = "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasSgemm( handle, opa, opb)`\n" },
	{ .name = "what AMD's driver locks", .from = "JuliaGPU/AMDGPU.jl/issues/591", .who = "HIP", .hedged = true,
	  .says = "memory of the machine was to be locked", .text = "ERROR: HIPError(code hipErrorOutOfMemory, out of memory)\n"
	    "Stacktrace:\n  [1] check\n    @ AMDGPU.Runtime.Mem [error.jl:149]\n"
	    "  [2] AMDGPU.Runtime.Mem.HostBuffer(bytesize::Int64)\n" },
	{ .name = "PyTorch's, in small letters", .from = "bmaltais/kohya_ss/issues/3329", .who = "PyTorch", .gpu = 1,
	  .size = { { OOM_ASKED, 31457280 }, { OOM_TOTAL, 8589934592 }, { OOM_ALLOCATED, 7559142440 }, { OOM_FREE, 0 },
	    { OOM_RESERVED, 7816840478 } },
	  .text = "cuda out of memory. tried to allocate 30.00 mib (gpu 0; 8.00 gib total capacity; 7.04 gib already allocated; "
	    "0 bytes free; 7.28 gib reserved in total by pytorch)\n" },
	{ .name = "PyTorch on the processor, cut", .from = "snap-stanford/ogb/issues/140", .who = "PyTorch on the processor",
	  .host = true, .text = "RuntimeError: [enforce fail at CPUAllocator.cpp:67] . DefaultCPUAllocator: can't allocate memory\n" },
	{ .name = "TensorFlow, cut", .from = "qubvel/segmentation_models/issues/21", .who = "TensorFlow",
	  .text = "ResourceExhaustedError: OOM when allocating tensor\n" },
	{ .name = "the head of a notebook's traceback", .from = "google/dopamine/issues/64", .who = "the machine", .host = true,
	  .text = "MemoryError                               Traceback (most recent call last)\n" },
	{ .name = "workers of nnU-Net", .from = "MIC-DKFZ/nnUNet/issues/1572", .who = "nnU-Net", .host = true,
	  .hedged = true, .says = GONE, .text = "RuntimeError: Background workers died. Look for the error "
	    "message further up! If there is none then your RAM was full\n" },
	{ .name = "workers of batchgenerators", .from = "MIC-DKFZ/nnUNet/issues/1437", .who = "batchgenerators",
	  .host = true, .hedged = true, .says = GONE, .text = "RuntimeError: One or more background workers are "
	    "no longer alive. Exiting. Please check the print statements above for the actual error message\n" },
	{ .name = "ENOMEM", .from = "pytorch/pytorch/issues/31302", .who = "PyTorch on the processor", .host = true,
	  .text = "RuntimeError: [enforce fail at CPUAllocator.cpp:56] posix_memalign(&data, gAlignment, nbytes) == "
	    "0. 12 vs 0\n" },
	{ .name = "a block above 4 GiB", .from = "lllyasviel/stable-diffusion-webui-forge/issues/523",
	  .who = "PyTorch on XPU", .gpu = 1, .says = "no single block of 4 GiB or more",
	  .size = { { OOM_ASKED, 4831838208 }, { OOM_TOTAL, 16707422781 } },
	  .text = "RuntimeError: Current platform can NOT allocate memory block with size larger than 4GB! Tried to "
	    "allocate 4.50 GiB (GPU  0; 15.56 GiB total capacity; 487.30 MiB already allocated; 510.00 MiB reserved "
	    "in total by PyTorch)\n" },
	{ .name = "NCCL's buffers", .from = "NVIDIA/nccl/issues/1235", .who = "NCCL",
	  .says = "not from the framework's allocator", .text = "n3:3066152 [3] include/alloc.h:178 NCCL WARN Cuda "
	    "failure 'out of memory'\nn3:3066152 [3] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 6291456 "
	    "bytes\n" },
	{ .name = "an array as a tensor", .from = "tensorflow/tensorflow/issues/55502", .who = "TensorFlow",
	  .hedged = true, .says = "one that fit() or predict() is given", .text = "InternalError: Failed "
	    "copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to "
	    "/job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not "
	    "initialized.\n" },
	{ .name = "a device of Level Zero", .from = "intel/compute-runtime/issues/984", .who = "Level Zero",
	  .text = "zeMemAllocDevice returns ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY\n" },
	{ .name = "tokens of a server", .from = "huggingface/text-generation-inference/issues/710",
	  .who = "text-generation-inference", .says = "tokens that it is to hold at once",
	  .text = "Not enough memory to handle 16000 total tokens with 2 prefill tokens. You need to decrease "
	    "`--max-batch-total-tokens` or `--max-batch-prefill-tokens`\n" },
	{ .name = "a decimal comma", .from = "ggml-org/llama.cpp/issues/9629", .who = "ggml", .host = true,
	  .warning = true, .says = "no failure", .size = { { OOM_ASKED, 1992294400 } },
	  .text = "ggml_cuda_host_malloc: failed to allocate 1900,00 MiB of pinned memory: invalid argument\n" },
	{ .name = "another device for one operation", .from = "facebookresearch/detectron2/issues/2595",
	  .who = "Detectron2", .warning = true, .says = "on the processor",
	  .text = "Attempting to copy inputs of <function pairwise_iou at 0x7f> to CPU due to CUDA OOM\n" },
	{ .name = "a batch that is left out", .from = "facebookresearch/fairseq/issues/103", .who = "fairseq",
	  .warning = true, .says = "--max-tokens", .text = "| WARNING: ran out of memory on GPU #2, skipping batch\n" },
	{ .name = "the processor's ONNX Runtime", .from = "DayBreak-u/chineseocr_lite/issues/355",
	  .who = "ONNX Runtime", .host = true, .node = "347_nchwc", .size = { { OOM_ASKED, 285081600 } },
	  .text = "Non-zero status code returned while running Conv node. Name:'347_nchwc' Status Message: bfc_arena.cc:330 "
	    "onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 285081600\n" },
	{ .name = "Darknet's advice alone", .from = "pjreddie/darknet/issues/2146", .who = "Darknet", .says = "subdivisions",
	  .text = " 608 x 608 \n Try to set subdivisions=64 in your cfg-file. \nCUDA status Error: file: ./src/dark_cuda.c : "
	    "() : line: 373 : build time: Apr  1 2020 - 19:18:55\n" },
	{ .name = "PaddlePaddle on the processor", .from = "PaddlePaddle/PaddleOCR/issues/2199", .who = "PaddlePaddle",
	  .host = true, .node = "conv2d", .size = { { OOM_ASKED, 564023296 } },
	  .text = "ResourceExhaustedError: Fail to alloc memory of 564023296 size, error code is 12.\n      [operator < "
	    "conv2d > error]\n" },
	{ .name = "Caffe alone", .from = "CMU-Perceptual-Computing-Lab/caffe_rtpose/issues/36", .who = "Caffe",
	  .says = "its data layers have a batch_size",
	  .text = "F0406 17:19:19.386066 12837 syncedmem.cpp:56] Check failed: error == cudaSuccess (2 vs. 0) out of memory\n" },
	{ .name = "Ray's workers", .from = "jchengai/planTF/issues/28", .who = "Ray", .host = true,
	  .says = "tasks and actors", .text = "(raylet) node_manager.cc:3064: 12 Workers (tasks / actors) killed due to "
	    "memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 1)\n" },
	{ .name = "Ray's monitor", .from = "ray-project/ray/issues/22068", .who = "Ray", .host = true,
	  .says = "Fewer tasks, actors", .text = "ray._private.memory_monitor.RayOutOfMemoryError: More than 95% of the memory "
	    "on node w-24dbv is used (1.92 / 2.0 GB). The top 10 memory consumers are:\n" },
	{ .name = "Ray's guess", .from = "AgentR1/Agent-R1/issues/33", .who = "Ray", .host = true, .hedged = true,
	  .says = "a likely reason", .text = "Worker exits with an exit code None. The worker may have exceeded K8s pod "
	    "memory limits.\n" },
	{ .name = "nnU-Net's windows", .from = "murong-xu/CADS/issues/4", .who = "nnU-Net", .hedged = true, .warning = true,
	  .says = "no failure", .text = "Prediction on device was unsuccessful, probably due to a lack of memory. Moving "
	    "results arrays to CPU\n" },
	{ .name = "Tenstorrent's", .from = "tenstorrent/tt-xla/issues/1886", .who = "TT-Metal",
	  .size = { { OOM_ASKED, 6710886400 } }, .text = "critical | Out of Memory: Not enough space to allocate 6710886400 B "
	    "DRAM buffer across 12 banks, where each bank needs to store 559243264 B\n" },
	{ .name = "CTranslate2", .from = "m-bain/whisperX/issues/315", .who = "CTranslate2", .says = "compute_type",
	  .text = "    self.model = ctranslate2.models.Whisper(\nRuntimeError: CUDA failed with error out of memory\n" },
	{ .name = "killed, as dash says it", .from = "jkjung-avt/hand-detection-tutorial/issues/28", .who = "the system",
	  .host = true, .hedged = true, .says = "ended from outside, by signal 9",
	  .text = "./train.sh:  60: 11880 killed              PYTHONPATH=a python3 ./model_main.py\n" },
	{ .name = "MXNet, raised later", .from = "apache/mxnet/issues/19499", .who = "MXNet",
	  .text = "MXNetError: cudaMalloc retry failed: out of memory\n" },
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

TestSuite(oom_apart, .init = setup, .fini = teardown);

Test(oom_apart, say_the_same_in_every_form)
{
	expect_in_every_form(arena, texts, sizeof(texts) / sizeof(*texts));
}

static struct oom_log
read_log(const char *text)
{
	struct out o = { arena_strdup(arena, text), strlen(text) };
	struct oom_log log;

	oom_log_read(&log, arena, feed, &o);
	return log;
}

Test(oom_apart, gives_way_to_a_message_of_memory)
{
	struct oom_log log = read_log("an illegal memory access was encountered\nretrying\n"
	    "RuntimeError: CUDA error: out of memory\n");

	cr_assert_eq(log.messages.n, 1);
	cr_expect(!log.messages.v[0].apart);
	cr_expect_eq(log.messages.v[0].line, 3);
}

Test(oom_apart, memory_that_was_to_be_locked_is_the_machines_or_the_devices)
{
	struct oom_log log = read_log("Traceback (most recent call last):\n"
	    "  File \"/src/fit.py\", line 9, in main\n    buffer = torch.empty(n).pin_memory()\n"
	    "RuntimeError: CUDA error: out of memory\n");

	cr_assert_eq(log.messages.n, 1);
	cr_expect(log.messages.v[0].hedged);
	cr_expect(strstr(log.messages.v[0].says, "locked (pinned)"));
	log = read_log("Traceback (most recent call last):\n"
	    "  File \"/src/fit.py\", line 9, in main\n    x = DataLoader(set, pin_memory=True)\n"
	    "RuntimeError: CUDA error: out of memory\n");
	cr_expect(!log.messages.v[0].hedged);
}

/* google-deepmind/alphafold/issues/355 */
Test(oom_apart, an_allocator_and_xla_say_the_same_once)
{
	struct oom_log log = read_log("Allocator (GPU_0_bfc) ran out of memory trying to allocate 34.71GiB (rounded to "
	    "37274034432)requested by op\nRESOURCE_EXHAUSTED: Out of memory while trying to allocate 37274034352 "
	    "bytes.\n");

	cr_assert_eq(log.messages.n, 1);
	cr_expect_eq(log.messages.v[0].kind, OOM_XLA);
}

Test(oom_apart, a_batch_is_that_of_training_and_one)
{
	cr_expect_eq(read_log("Namespace(lr=0.1, batch_size=48, val_batch_size=512)\n").batch, 48);
	cr_expect_eq(read_log("--train-batch-size 12\neffective_batch_size: 96\n").batch, 12);
	cr_expect_eq(read_log("{'batch_size': 8}\nbatch size: 8\n").batch, 8);
	cr_expect_eq(read_log("batch_size=8\nbatch_size=16\n").batch, -1);
	cr_expect_eq(read_log("eval_batch_size=8\nminibatch 9\n").batch, 0);
	cr_expect_eq(read_log("--eval-batch-size 8\nmax_batch_size=9\ntotal batch size: 7\n").batch, 0);
	cr_expect_eq(read_log("Namespace(per_device_train_batch_size=4, per_device_eval_batch_size=32)\n").batch, 4);
	cr_expect_eq(read_log("batch-size 6\n").batch, 6);
}

#define RUNNING(what, batch)	"***** Running " what " *****\n  Num examples = 2000\n" batch

Test(oom_apart, a_batch_of_evaluation_is_none_of_training)
{
	cr_expect_eq(read_log(RUNNING("Evaluation", "  Batch size = 32\n")).batch, 0);
	cr_expect_eq(read_log(RUNNING("prediction", "  Batch size = 32\n")).batch, 0);
	cr_expect_eq(read_log(RUNNING("training", "  Batch size = 32\n")).batch, 32);
	cr_expect_eq(read_log(RUNNING("training", "  Num Epochs = 3\n  Instantaneous batch size per device = 16\n"
	    "  Total train batch size (w. parallel, distributed & accumulation) = 64\n")
	    RUNNING("Evaluation", "  Batch size = 8\n")).batch, 16);
}

Test(oom_apart, an_epoch_is_counted_and_not_one_of_a_count)
{
	cr_expect_eq(read_log("Epoch 3/10\n").epoch, 3);
	cr_expect_eq(read_log("Epoch: [4][10/200]\n").epoch, 4);
	cr_expect_eq(read_log("epoch=1 loss=2\nepoch=2 loss=1\n").epoch, 2);
	cr_expect_eq(read_log("steps_per_epoch 1/10\nsub-epoch 3/10\nepochs: 3/4\nepoch: 7 best\n").epoch, 0);
}
