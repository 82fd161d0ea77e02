/*
 * Wordings that several programs say: they are told as one program's only where its own words stand
 * near, in the lines around them or in the traceback that they end. The texts are made up, of lines
 * as those programs write them.
 */
#include "oom_forms.h"

#include "oom/oom_owner.h"
#include "oom/oom_phrase.h"

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

TestSuite(oom_owner, .init = setup, .fini = teardown);

static const struct oom_message *
read_main(struct oom_log *log, const char *text)
{
	struct out o = { arena_strdup(arena, text), strlen(text) };

	oom_log_read(log, arena, feed, &o);
	return oom_log_main(log);
}

#define FAR	"step 1\nstep 2\nstep 3\nstep 4\n"	/* more lines than words reach over */
#define ANY	"a program not known here"

/* WHO: NULL where nothing is of memory. */
static const struct {
	const char *text, *who;
	bool host;
} texts[] = {
	/* TensorFlow */
	{ "ResourceExhaustedError: failed to allocate memory [Op:AddV2]\n", "TensorFlow", false },
	{ "  File \"/a/site-packages/tensorflow/python/framework/ops.py\", line 7, in raise_from\n    raise e\n"
	  "  File \"/a/b.py\", line 7, in f\n    g()\n  File \"/a/b.py\", line 9, in g\n    h()\n"
	  "Error: failed to allocate memory\n", "TensorFlow", false },
	{ "mydaemon: failed to allocate memory\n", "words", false },
	{ "import tensorflow as tf\n" FAR "renderer: failed to allocate memory\n", "words", false },
	{ "renderer: failed to allocate memory\n" FAR "import tensorflow as tf\n", "words", false },
	{ "Ran out of memory trying to allocate 2.00GiB\n", ANY, false },
	/* the kernel */
	{ "Killed process 7 (python) total-vm:6kB, anon-rss:3000kB, file-rss:0kB\n", "Linux", true },
	{ "Killed process 123 (timeout)\n", NULL, false },
	{ "watchdog: Killed process 123 after 600 s (timeout)\n", NULL, false },
	{ "engine: CUDA Error: out of memory\nwatchdog: Killed process 123 (timeout)\n", "CUDA", false },
	{ "python invoked oom-killer: gfp_mask=0x6200ca\nKilled process 7 (python)\n", "Linux", true },
	{ "slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.\n", "Slurm", true },
	{ "monitor: 1 oom_kill event in the container's group\n", "Linux", true },
	/* memory that is locked */
	{ "E cuda_driver.cc:893] failed to alloc 8589934592 bytes on host: CUDA_ERROR_OUT_OF_MEMORY\n", "CUDA", true },
	{ "E cuda_driver.cc:967] failed to alloc 2304 bytes on host: CUDA_ERROR_UNKNOWN\n", "CUDA", false },
	{ "broker: failed to alloc 8589934592 bytes on host\n", "a library on the processor", true },
	{ "encoder: failed to allocate 2.5 GiB\n", ANY, false },
	{ "encoder: unable to allocate 2.5 GiB\n", ANY, false },
	{ "encoder: unable to allocate 25 workers\n", NULL, false },
	{ "I cuda_executor.cc:40] failed to allocate 2.5 GiB\n", "CUDA", false },
	{ "CUDA is not available, using the CPU\nerror: failed to allocate 2.5 GiB\n", ANY, false },
	{ "  File \"/a/b.py\", line 7, in f\n    if torch.cuda.is_available():\n  File \"/a/b.py\", line 9, in g\n    h()\n"
	  "Error: failed to allocate 2.5 GiB\n", ANY, false },
	{ "E cuda_driver.cc:318] failed call to cuInit: CUDA_ERROR_NO_DEVICE\nencoder: failed to allocate 2.5 GiB\n", ANY, false },
	{ "gpu_async_0: failed to allocate 2.5 GiB\n", "CUDA", false },
	{ "encoder: failed to allocate 2.5 GiB: CUDA_ERROR_OUT_OF_MEMORY\n", "CUDA", false },
	{ "no CUDA device found\nfailed to alloc 8589934592 bytes on host\n", "a library on the processor", true },
	/* CUDA's error in the words of a program */
	{ "CUDA Error: out of memory\n", "CUDA", false },
	{ "conv     64  3 x 3 / 1   416 x 416 x  32   ->   416 x 416 x  64\nCUDA Error: out of memory\n", "Darknet", false },
	{ "CUDA Error: out of memory\ndarknet: ./src/cuda.c:36: check_error: Assertion `0' failed.\n", "Darknet", false },
	{ "renderer: CUDA Error: out of memory\n", "CUDA", false },
	{ "F0601 syncedmem.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "Caffe", false },
	{ "F0601 engine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "CUDA", false },
	{ "Check failed: e == cudaSuccess: CUDA: out of memory\n", "CUDA", false },
	{ "mxnet.base.MXNetError: [10:00:00] Check failed: e == cudaSuccess: CUDA: out of memory\n", "MXNet", false },
	{ "RuntimeError: CUDA failed with error out of memory\n", "CUDA", false },
	{ "RuntimeError: CUDA Error 2, out of memory\n", "CUDA", false },
	{ "cuMemAlloc failed: out of memory\n", "CUDA", false },
	{ "miner: Cuda failure 'out of memory'\n", "CUDA", false },
	{ "h:1:2 [0] NCCL WARN Cuda failure 'out of memory'\n", "NCCL", false },
	{ "cuda runtime error (2) : out of memory\n", "CUDA", false },
	{ "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/THCStorage.cu:58\n",
	  "PyTorch before 1.11, or Torch", false },
	/* parts of words name nobody */
	{ "cleaning timestamps\ndriver: Invalid buffer size: 24.00 MiB\n", NULL, false },
	{ "dumps of it follow\ndriver: Invalid buffer size: 24.00 MiB\n", NULL, false },
	{ "device mps\ndriver: Invalid buffer size: 24.00 MiB\n", "PyTorch on Metal", false },
	{ "/B/MPSNDArray.mm:850: failed assertion\ndriver: Invalid buffer size: 24.00 MiB\n", "PyTorch on Metal", false },
	{ "linked with stdlib\nnode: code: 2, reason: out of memory\n", ANY, false },
	{ "/a/dlib/cuda/gpu_data.cpp:201\nnode: code: 2, reason: out of memory\n", "dlib", false },
	{ "mlx5_core 0000:a1:00.0: up\nAttempting to allocate 9000000000 bytes which is greater than that\n", NULL, false },
	{ "python -m mlx_lm.lora\nAttempting to allocate 9000000000 bytes which is greater than that\n", "MLX", false },
	{ "resnet.cpp:18] begun\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "CUDA", false },
	{ "resolver.cpp:18] begun\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "CUDA", false },
	{ "I0601 net.cpp:18] begun\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "Caffe", false },
	{ "decaffeinated: begun\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "CUDA", false },
	{ "build/tools/caffe train\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "Caffe", false },
	{ "libcaffe.so: begun\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "Caffe", false },
	{ "ajax request\nreader: Out of memory allocating 1073741824 bytes\n", ANY, false },
	{ "chlorophyll, galaxlab\nreader: Out of memory allocating 1073741824 bytes\n", ANY, false },
	{ "jax 0.4.30\nreader: Out of memory allocating 1073741824 bytes\n", "XLA", false },
	{ "src/cuda.cpp:36: begun\nCUDA Error: out of memory\n", "CUDA", false },
	{ "props_gpu\nCUDA Error 2, out of memory\n", "CUDA", false },
	{ "ops_cuda.py\nCUDA Error 2, out of memory\n", "tinygrad", false },
	{ "jobsrun: one\nmonitor: 1 oom_kill event in the container's group\n", "Linux", true },
	/* a sentence mentions */
	{ "It is as full as Caffe was.\nengine.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n", "CUDA", false },
	{ "CUDA Error: out of memory\nI had that with darknet, too.\n", "CUDA", false },
	{ "```\n./darknet detect\nCUDA Error: out of memory\n```\n", "Darknet", false },
	/* others */
	{ "Device memory allocation of size 1073741824 failed.\n", ANY, false },
	{ "ggml_vulkan: Device memory allocation of size 1073741824 failed.\n", "Vulkan", false },
	{ "queue: Not enough memory left\n", "words", false },
	{ "driver: Invalid buffer size: 24.00 MiB\n", NULL, false },
	{ "RuntimeError: Invalid buffer size: 20.34 GB\n", "PyTorch on Metal", false },
	{ "reader: Out of memory allocating 1073741824 bytes\n", ANY, false },
	{ "RESOURCE_EXHAUSTED: Out of memory allocating 1073741824 bytes.\n", "XLA", false },
	{ "terminate called after throwing an instance of 'thrust::system::detail::bad_alloc'\n"
	  "  what():  std::bad_alloc: out of memory\n", "Thrust", false },
	{ "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n", "the machine", true },
	{ "java.lang.RuntimeException: Failed to allocate 262144000 bytes from DEVICE [0] memory\n", "ND4J", false },
	{ "java.lang.RuntimeException: Failed to allocate 400 bytes from HOST memory\n", "ND4J", true },
	{ "java.lang.RuntimeException: Can't allocate [HOST] memory: 1997324; threadId: 35\n", "ND4J", true },
	{ "java.lang.OutOfMemoryError: Java heap space\n", "Java", true },
	{ "java.lang.OutOfMemoryError: Cannot allocate new FloatPointer(8): totalBytes = 3G, physicalBytes = 7G\n", "JavaCPP", true },
};

Test(oom_owner, words_near_tell_whose_they_are)
{
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct oom_log log;
		const struct oom_message *m = read_main(&log, texts[i].text);

		cr_expect_eq(m == NULL, texts[i].who == NULL, "%s: %s", texts[i].text, m ? m->who : "nothing");
		if (!m || !texts[i].who)
			continue;
		cr_expect_str_eq(m->who, texts[i].who, "%s: of %s", texts[i].text, m->who);
		cr_expect_eq(m->host, texts[i].host, "%s: host", texts[i].text);
		cr_expect_eq(log.messages.n, 1, "%s: %d messages", texts[i].text, log.messages.n);
	}
}

/* A phrase that is marked, and of which no words are known, could never be found. */
Test(oom_owner, each_phrase_of_one_program_has_an_owner)
{
	const struct phrase *const tables[] = { oom_serving_phrases, oom_phrases, oom_machine_phrases }, *p;
	size_t i;
	int n = 0;

	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (p = tables[i]; p->pattern; p++)
			if (p->flags & PHRASE_OWN) {
				n++;
				cr_expect(oom_owner_known(p->who ? p->who : oom_kind_name(p->kind)), "%s", p->pattern);
			}
	cr_expect_gt(n, 0);
}

/* Only what a program says of itself is its own. */
Test(oom_owner, words_of_anyone_are_no_owners)
{
	static const char *const anyone = "Traceback RuntimeError warning job training batch GPU memory device error model\n"
	    "failed to allocate memory\nKilled process 7\nfailed to allocate 3 GB\n";
	struct oom_log log;
	const struct oom_message *m = read_main(&log, anyone);

	cr_assert(m);
	cr_expect_str_eq(m->who, ANY, "of %s", m->who);
}
