/* One row for each program of which a phrase is marked. Its words are names of its own files, functions and options, never
 * such as any program may use. */
#include "oom/oom_owner.h"

#include <string.h>

static const struct owner {
	const char *who, *words;
} owners[] = {
	{ "TensorFlow", "tensorflow|[op:|{{node |[[node|resourceexhausted" },
	{ "TensorFlow's allocator", "tensorflow|bfc_allocator|allocator (gpu|resourceexhausted" },
	{ "PyTorch", "torch|comfy" },
	{ "PyTorch on Metal", "torch|mps|runtimeerror: invalid buffer size" },
	{ "PyTorch before 1.0, or Torch", "torch|/thc|thcudacheck|/aten/|.lua:" },
	{ "XLA", "xla|jax|hlo|resource_exhausted|resource exhausted|resourceexhausted|bfc_allocator|tensorflow" },
	{ "MXNet", "mxnet|mshadow|gluon" },
	{ "Caffe", "caffe|syncedmem|prototxt|im2col.cu|math_functions.cu|base_conv_layer|cudnn_conv_layer|net.cpp|solver.cpp" },
	{ "Caffe2", "caffe2" },
	{ "MatConvNet", "matconvnet|vl_nn|vl_simplenn|dagnn" },
	{ "Darknet", "darknet|bflops|subdivisions|check_error: assertion|src/cuda.c|src/dark_cuda.c|out of memory: file exists|out of memory: no such file|additional workspace_size|"
	    " x 3 / 1 | x 3/ 1 | x 1 / 1 | x 1/ 1 | x 3 / 2 | x 3/ 2 " },
	{ "tinygrad", "tinygrad|ops_cuda|ops_nv|ops_gpu" },
	{ "Theano", "theano|cudandarray|apply node that caused|pygpu" },
	{ "CTranslate2", "ctranslate2|whisper|argostranslate" },
	{ "PyCUDA", "pycuda" },
	{ "dlib", "dlib" },
	{ "Vulkan", "vulkan|vk_" },
	{ "SYCL", "sycl" },
	{ "MLX", "mlx|metal::malloc" },
	{ "CUDA", "cuda|cumem" },
	{ "NCCL", "nccl" },
	{ "wgpu", "wgpu|create_buffer" },
	{ "OpenCL", "opencl|clenqueue|clcreate|clfinish|clwait|pyopencl|_cl." },
	{ "Linux", "total-vm|anon-rss|oom-kill|oom_kill|oom_reaper|oom_score|sacrifice child" },
	{ "Slurm", "slurm|srun|sbatch" },
};

#define OWNERS	(sizeof(owners) / sizeof(*owners))

static int
index_of(const char *who)
{
	size_t i;

	for (i = 0; i < OWNERS; i++)
		if (strcmp(owners[i].who, who) == 0)
			return (int)i;
	return -1;
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
		if (talk_any_phrase(t, owners[i].words))
			o->named |= 1u << i;
}

bool
oom_is_owned(const struct oom_owners *o, const char *who, struct talk near, int line)
{
	int i = index_of(who);

	return i >= 0 && ((o->begun && line - o->last <= OWNER_LINES && (o->named >> i & 1)) ||
	    talk_any_phrase(near, owners[i].words));
}
