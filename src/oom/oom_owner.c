/* One row for each program of which a phrase is marked. Its words are names of its own files,
 * functions and options, never such as any program may use; those that other words may hold are
 * looked for by themselves. */
#include "oom/oom_owner.h"

#include <string.h>

#include "oom/oom_pattern.h"
#include "oom/oom_source.h"

static const struct owner {
	const char *who;
	const char *anywhere;	/* strokes part; NULL, here and below: none */
	const char *begins;	/* blanks part: where a word begins, */
	const char *whole;	/* and words by themselves */
	bool own_line;		/* only in the line of the phrase, since others say such words beside it */
} owners[] = {
	{ "TensorFlow", "tensorflow|[op:|{{node |[[node|resourceexhausted", NULL, NULL, false },
	{ "TensorFlow's allocator", "tensorflow|bfc_allocator|allocator (gpu|resourceexhausted", NULL, NULL, false },
	{ "PyTorch", "pytorch|libtorch|_torch", "torch comfy vaedecode vaeencode ksampler", NULL, false },
	{ "PyTorch's DataLoader", "dataloader|torch.multiprocessing|torch/multiprocessing|torch.utils.data|torch/utils/data|worker_init_fn", NULL, "num_workers", false },
	{ "PyTorch on Metal", "torch|runtimeerror: invalid buffer size", "mpsndarray mpsgraph mpscore mpskernel mpstemporary", "mps", false },
	{ "PyTorch before 1.11, or Torch", "torch|/thc|thcudacheck|/aten/|.lua:", NULL, NULL, false },
	{ "XLA", "resource_exhausted|resource exhausted|resourceexhausted|bfc_allocator|tensorflow|torch_xla|tf2xla|stablehlo",
	    "xla_ hlo_ hlomodule jax_", "xla hlo jax jaxlib jnp", false },
	{ "MXNet", "mxnet|mshadow|gluon", NULL, NULL, false },
	{ "Caffe", "syncedmem|prototxt|digits version", "caffe_ caffe2 caffemodel", "caffe libcaffe pycaffe nvcaffe im2col.cu math_functions.cu base_conv_layer cudnn_conv_layer net.cpp solver.cpp", false },
	{ "Caffe2", "caffe2", NULL, NULL, false },
	{ "MatConvNet", "matconvnet|dagnn", "vl_nn vl_simplenn", NULL, false },
	{ "Darknet", "darknet|bflops|subdivisions|check_error: assertion|out of memory: file exists|out of memory: no such file|"
	    "additional workspace_size| x 3 / 1 | x 3/ 1 | x 1 / 1 | x 1/ 1 | x 3 / 2 | x 3/ 2 ", NULL, "src/cuda.c src/dark_cuda.c", false },
	{ "tinygrad", "tinygrad", NULL, "ops_cuda ops_nv ops_gpu", false },
	{ "Theano", "theano|cudandarray|apply node that caused|pygpu", NULL, NULL, false },
	{ "CTranslate2", "ctranslate2|whisper|argostranslate", NULL, NULL, false },
	{ "PyCUDA", "pycuda", NULL, NULL, false },
	{ "dlib", "face_recognition|cnn_face_detect", NULL, "dlib libdlib cuda_data_ptr gpu_data", false },
	{ "Vulkan", "vulkan", "vk_error vkallocate", "vk", false },
	{ "ggml", "ggml-cuda|ggml_cuda", NULL, NULL, false },
	{ "LMDeploy", "lmdeploy|turbomind", NULL, NULL, false },
	{ "DirectML", "dmlexecutionprovider|directml|torch-directml|torch_directml", NULL, NULL, false },
	{ "SYCL", NULL, "sycl_", "sycl ggml_sycl dpcpp", false },
	{ "MLX", "metal::malloc|greater than the maximum allowed buffer size of", NULL, "mlx mlx_lm mlx_vlm mlx_whisper", false },
	{ "CUDA", "from device: cuda|on host: cuda|cuda_error_out_of_memory", "cumem", "cuda_driver cuda_executor gpu_async gpu_async_0", true },
	{ "XGBoost", "xgboost|gpu_hist|updater_gpu|common/device_helpers.cu", NULL, NULL, false },
	{ "Torch's allocator of pinned memory", "cachinghostallocator|thccachinghost", NULL, NULL, false },
	{ "NNabla", "nnabla|freeing memory cache and retrying", NULL, NULL, false },
	{ "RELION", "relion|backprojector|/src/acc/|gpu_utils/cuda_", NULL, NULL, false },
	{ "NCCL", "nccl", NULL, NULL, false },
	{ "RMM", "/rmm/|rmm::|maximum_pool_size|pool_allocator=", NULL, "rmm cudf cuml cugraph dask_cudf dask_cuda", false },
	{ "wgpu", "wgpu|create_buffer", NULL, NULL, false },
	{ "a miner", "ethminer|lolminer|phoenixminer|creating dag buffer|generating dag|dag size", NULL, NULL, false },
	{ "OpenCL", "opencl", "clenqueue clcreate clfinish clwait", NULL, false },
	{ "Linux", "total-vm|anon-rss|oom-kill|oom_kill|oom_reaper|oom_score|sacrifice child", NULL, NULL, false },
	{ "Kaldi", "kaldi|cu-allocator|cu-device|nnet3-|nnet2-|nnet-train|chain-train", NULL, NULL, false },
	{ "Marian", "marian|/tensors/gpu/device.cu", NULL, NULL, false },
	{ "Knet", "knet", NULL, NULL, false },
	{ "vLLM's sleep mode", "cumem_allocator", NULL, NULL, true },
	{ "Slurm", "slurmstepd", "slurm", "srun sbatch", false },
};

#define OWNERS	(sizeof(owners) / sizeof(*owners))
_Static_assert(OWNERS <= 64, "struct oom_owners has a bit for each");

static int
index_of(const char *who)
{
	size_t i;

	for (i = 0; i < OWNERS; i++)
		if (strcmp(owners[i].who, who) == 0)
			return (int)i;
	return -1;
}

static bool
names(struct talk t, const struct owner *o)
{
	return (o->anywhere && talk_any_phrase(t, o->anywhere)) || (o->begins && talk_any_begins(t, o->begins)) ||
	    (o->whole && talk_any_whole(t, o->whole));
}

bool
oom_owner_known(const char *who)
{
	return index_of(who) >= 0;
}

void
oom_owner_line(struct oom_owners *o, struct talk t, int line, int begun)
{
	size_t i;

	if (!begun)
		return;
	if (begun != o->begun)
		*o = (struct oom_owners){ .begun = begun };
	o->last = line;
	for (i = 0; i < OWNERS; i++)
		if (!owners[i].own_line && names(t, &owners[i]))
			o->named |= (uint64_t)1 << i;
}

/* Is it named by a line of NEAR that is OWN, or no person's sentence? */
static bool
is_named_near(const struct owner *o, struct talk near, struct talk own, bool fenced)
{
	struct oom_sources sources = { .fenced = oom_fences(talk_part(near, near.s, own.s + own.n)) % 2 ? !fenced : fenced };
	const char *s = near.s, *to, *end = near.s + near.n;
	enum oom_source source;
	struct talk t;

	if (!names(near, o))
		return false;
	for (; s < end; s = to + 1) {
		for (to = s; to < end && *to != '\n' && *to != OOM_BREAK; to++)
			;
		t = talk_part(near, s, to);
		source = oom_source_of(&sources, t);
		if ((source != SOURCE_PROSE || (s >= own.s && s < own.s + own.n)) && names(t, o))
			return true;
	}
	return false;
}

bool
oom_is_owned(const struct oom_owners *o, const char *who, struct talk near, struct talk own, int line, bool fenced)
{
	int i = index_of(who);

	if (i < 0 || owners[i].own_line)
		return i >= 0 && names(own, &owners[i]);
	return (o->begun && line - o->last <= OWNER_LINES && (o->named >> i & 1)) || is_named_near(&owners[i], near, own, fenced);
}
