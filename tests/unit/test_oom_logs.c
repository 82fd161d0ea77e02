/*
 * Logs, rather than single messages: those without memory trouble have none; of several failures
 * the cause is chosen; what stands around messages (dumps, lists, a network as it is loaded) is
 * read.
 */
#include "oom_forms.h"

#include <stdio.h>

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

TestSuite(oom_logs, .init = setup, .fini = teardown);

static const struct oom_log *
read_bytes(struct out o)
{
	struct oom_log *log = ARENA_NEW(arena, struct oom_log);

	oom_log_read(log, arena, feed, &o);
	return log;
}

static const struct oom_log *
read_log(const char *text)
{
	return read_bytes((struct out){ arena_strdup(arena, text), strlen(text) });
}

/* ---- no memory trouble ---- */

static const char *const healthy[] = {
	"| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2     |\n"
	"|   0  NVIDIA GeForce RTX 4090        On  | 00000000:1E:00.0 Off |            Off |\n"
	"| 30%   26C    P8              16W / 450W |  14214MiB / 24564MiB |      0%  Default |\n"
	"|    0   N/A  N/A     19157      C   python                              104MiB |\n",
	"Killed the previous session\n",
	"the old server was Killed\nworker 3 Killed by its parent\nKilled 3 of 4 workers\n"
	"Session::Killed()\nKilledWorker\nkilled\n",
	"Epoch 3/100  GPU_mem 10.2G  box_loss 0.05: 100%|####| 120/120 [01:10<00:00, 1.70it/s]\n"
	"step 40 loss 0.25 max memory: 10467 memory 9.8/16.0 GiB, 6.2 GiB free\n"
	"peak allocated 9.46 GiB of 10.76 GiB total capacity\n",
	"Process finished with exit code 1\nProcess finished with exit code 0\n"
	"command terminated with exit code 1370\ntrainer-1 exited with code 0\nexited with code 1\n"
	"exit status 13\nexit code: -15\nexits with return code = -11\n",
	"Received 15 death signal, shutting down workers\n"
	"traceback : Signal 15 (SIGTERM) received by PID 7\n"
	"terminated by signal 15\nterminated by signal 90\ndied with <Signals.SIGABRT: 6>.\n"
	"process 0 terminated with signal SIGSEGV\nsending signal 9 to the old server\n"
	"make: *** [Makefile:12: train] Error 1\nexited with code 13\nsignal: terminated\n",
	"[INFO] [launch.py:314:sigkill_handler] Killing subprocess 9439\n"
	"waiting 5 s, then sending SIGKILL to the old server\n",
	"W tensorflow/core/framework/allocator.cc:107] Allocation of 553190400 exceeds 10% of system "
	"memory.\n"
	"W tensorflow/core/framework/cpu_allocator_impl.cc:81] Allocation of 9707550720 exceeds 10% of "
	"free system memory.\n",
	"I tensorflow/core/common_runtime/gpu/gpu_device.cc:1115] Created TensorFlow device "
	"(/job:localhost/replica:0/task:0/device:GPU:0 with 10411 MB memory) -> physical GPU (device: 0)\n",
	"I0920 net.cpp:150] Top shape: 10 16 76 76 (924160)\n"
	"I0920 net.cpp:158] Memory required for data: 8123360\n",
	"\"State\": { \"OOMKilled\": false, \"ExitCode\": 0 }\n  OOMKilled:false\n",
	"INFO 03-18 worker.py:281] Available KV cache memory: 8.11 GiB\n"
	"GPU KV cache size: 178,880 tokens\nMaximum concurrency for 20,000 tokens per request: 1.56x\n"
	"Free memory on device cuda:0: 67.24 GiB\n",
	"onnxruntime 1.18 with ['CUDAExecutionProvider', 'CPUExecutionProvider']\nUsing GPU 0; batch 64\n",
	"terminate called after throwing an instance of 'std::runtime_error'\nAborted (core dumped)\n"
	"Segmentation fault (core dumped)\n",
	"totalMemory: 7.93GiB freeMemory: 7.60GiB\nTotal memory: 7.92GiB\nFree memory: 190.31MiB\n"
	"[0] Tesla V100-SXM2-16GB | 44'C,   0 % | 15836 / 16130 MB | ann(15826M)\n",
	"UserWarning: volatile was removed and now has no effect. Use `with torch.no_grad():` instead.\n"
	"Validating:  40%|####      | 2/5 [00:01<00:02]\n----> 3 validate(net)\n",
	"   62 conv   1024       3 x 3/ 2     20 x  20 x 512 ->   10 x  10 x1024 0.944 BF\n"
	"Traceback (most recent call last):\n  File \"fit.py\", line 3, in <module>\n    loss.backward()\n"
	"ValueError: no gradient\n",
	"CUDA failure 30: unknown error ; GPU=0 ; hostname=a\n"
	"THCudaCheck FAIL file=a.cu line=83 error=59\n",
};

Test(oom_logs, without_memory_trouble_have_no_message)
{
	size_t i, k;

	for (i = 0; i < sizeof(healthy) / sizeof(*healthy); i++)
		for (k = 0; k < FORMS; k++) {
			struct out o = { arena_alloc(arena, 40 * strlen(healthy[i]) + 1024), 0 };
			const struct oom_log *log;

			if (strcmp(forms[k].name, "wrapped") == 0)	/* it may put a word alone */
				continue;
			forms[k].write(&o, healthy[i]);
			log = read_bytes(o);
			cr_expect_eq(log->messages.n, 0, "%zu %s: %s", i, forms[k].name,
			    log->messages.n ? log->messages.v[0].who : "");
		}
}

Test(oom_logs, an_assertion_alone_is_no_message_of_memory)
{
	const struct oom_log *log = read_log("epoch 1\n"
	    "ClassNLLCriterion.cu:52: block: [0,0,0], thread: [13,0,0] Assertion `t >= 0 && t < n_classes` "
	    "failed.\n"
	    "THCudaCheck FAIL file=a.cu line=83 error=59 : device-side assert triggered\n");

	cr_assert_eq(log->messages.n, 1);
	cr_expect(log->messages.v[0].apart);
	cr_expect_eq(log->assertion, 2);
}

Test(oom_logs, lines_are_counted_whatever_ends_them)
{
	cr_expect_eq(read_log("a\033\nb\033[1\nc\\\nd\r\ne")->lines, 5);
}

/* ---- several failures ---- */

#define TORCH(asked)	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate " asked	\
    " MiB. GPU 0 has a total capacity of 14.58 GiB of which 17.56 MiB is free.\n"
#define HANDLING	"\nDuring handling of the above exception, another exception occurred:\n\n"
#define TF_SHAPE(shape)	"Resource exhausted: OOM when allocating tensor with shape[" shape "] and "	\
    "type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
#define ASSERTION	"Indexing.cu:702: block: [1,0,0], thread: [2,0,0] Assertion `srcIndex < "	\
    "srcSelectDimSize` failed.\n"

static const struct {
	const char *name, *text, *who;
	int line, count;
	int64_t asked, first;	/* bytes; the first extent. 0: not said */
	bool host, hedged, asserted;
} several[] = {
	{ "the exception repeats the first warning", TF_SHAPE("10,3") TF_SHAPE("20,3") TF_SHAPE("30,3")
	    "Traceback (most recent call last):\n" TF_SHAPE("10,3"), "TensorFlow", 1, 2, 0, 10,
	    .host = false },
	{ "a failure of the clean-up", TORCH("512.00") HANDLING TORCH("20.00"), "PyTorch", 1, 1,
	    INT64_C(512) << 20, 0, .host = false },
	{ "two runs", TORCH("512.00") "\nwith a batch of 32:\n" TORCH("256.00"), "PyTorch", 4, 1,
	    INT64_C(256) << 20, 0, .host = false },
	{ "another run, after an assertion", ASSERTION
	    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED\n" TORCH("512.00"), "PyTorch", 3, 1,
	    INT64_C(512) << 20, 0, .host = false },
	{ "an assertion, then its consequences", ASSERTION ASSERTION
	    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED\n", "cuBLAS", 3, 1, 0, 0,
	    .asserted = true },
	{ "what the kernel says, and who waited", "Out of memory: Kill process 7 (python) score 900 or "
	    "sacrifice child\nKilled process 7 (python) total-vm:6kB, anon-rss:3000kB\n"
	    "command terminated with exit code 137\n", "Linux", 1, 1, 0, 0, .host = true },
	{ "a library, then the framework", "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n" TORCH("512.00"),
	    "PyTorch", 2, 1, INT64_C(512) << 20, 0, .host = false },
	{ "the language, and who waited", "Traceback (most recent call last):\nMemoryError\n"
	    "Process finished with exit code 137\n", "the machine", 2, 1, 0, 0, .host = true },
	{ "a warning, then the end", "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.28GiB. "
	    "The caller indicates that this is not a failure\nstep 3\nKilled\n", "the system", 3, 1, 0, 0,
	    .host = true, .hedged = true },
	{ "Darknet says it twice", "CUDA Error: out of memory\nCUDA Error: out of memory: File exists\n",
	    "Darknet", 1, 1, 0, 0, .host = false },
};

Test(oom_logs, of_several_failures_the_cause_is_chosen)
{
	size_t i;

	for (i = 0; i < sizeof(several) / sizeof(*several); i++) {
		const struct oom_message *m = oom_log_main(read_log(several[i].text));

		cr_assert(m, "%s: nothing", several[i].name);
		cr_expect_str_eq(m->who, several[i].who, "%s: of %s", several[i].name, m->who);
		cr_expect_eq(m->line, several[i].line, "%s: line %d", several[i].name, m->line);
		cr_expect_eq(m->count, several[i].count, "%s: %d times", several[i].name, m->count);
		cr_expect_eq(m->size[OOM_ASKED].bytes, several[i].asked, "%s", several[i].name);
		cr_expect_eq(m->shape.dim[0], several[i].first, "%s", several[i].name);
		cr_expect_eq(m->host, several[i].host, "%s: host", several[i].name);
		cr_expect_eq(m->hedged, several[i].hedged, "%s: hedged", several[i].name);
		cr_expect_eq(m->asserted > 0, several[i].asserted, "%s: asserted", several[i].name);
	}
}

/* Pinned memory is CUDA's; what others ask of the machine is not pinned. */
Test(oom_logs, pinned_memory_is_told_from_other_memory_of_the_machine)
{
	cr_expect_eq(oom_log_main(read_log("failed to alloc 8589934592 bytes on host: CUDA_ERROR\n"))->kind, OOM_CUDA);
	cr_expect_eq(oom_log_main(read_log("failed to alloc 8589934592 bytes on host\n"))->kind, OOM_HOST);
	cr_expect_eq(oom_log_main(read_log("cannot allocate vector of size 7.5 Gb\n"))->kind, OOM_HOST);
	cr_expect_eq(oom_log_main(read_log("host allocation of size 9 failed\n"))->kind, OOM_HOST);
}

Test(oom_logs, a_title_of_what_was_the_machines)
{
	const struct oom_log *log = read_log("Why CUDA_ERROR_OUT_OF_MEMORY?\n"
	    "E cuda_driver.cc:955] failed to alloc 34358689792 bytes on host: CUDA_ERROR_OUT_OF_MEMORY\n");

	cr_assert_eq(log->messages.n, 1);
	cr_expect(log->messages.v[0].host);
}

/* What ends in a number may go on where the line is broken: these are read as they were printed. */
Test(oom_logs, numbers_at_the_end_of_a_message)
{
	const struct oom_message *m = oom_log_main(read_log("MemoryError: Unable to allocate array with shape (26577,) and data type <U1847338\n"));

	cr_assert(m);
	cr_expect_eq(m->element, 4 * 1847338);
	m = oom_log_main(read_log("ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 137438953504\n"
	    "llama_kv_cache_init: failed to allocate buffer for kv cache\n"));
	cr_assert(m);
	cr_expect(m->host);
	cr_expect_eq(m->size[OOM_ASKED].bytes, 137438953504);
	cr_expect(m->facts & TRACE_CACHE);
}

/* A batch's is its word: what the next line of a log begins with is another. */
Test(oom_logs, a_number_ends_with_its_line)
{
	const char *ahead[] = { "Instantaneous batch size per device = 1\n12/12/2024 07:07:23 - INFO - begun\n", "batch_size: 1\n2 devices\n" };
	size_t i;

	for (i = 0; i < sizeof(ahead) / sizeof(*ahead); i++)
		cr_expect_eq(read_log(arena_printf(arena, "%sRuntimeError: CUDA error: out of memory\n", ahead[i]))->batch, 1, "%s", ahead[i]);
}

/* Nor are a title's, or an item's. */
Test(oom_logs, what_a_title_has_is_no_output)
{
	static const char *const none[] = {
		"# CUDA out of memory, batch_size=4, epoch 3/10\n\n", "CUDA out of memory, batch_size=4, epoch 3/10\n\n", "- batch size = 4, epoch 3/10\n",
		"* batch size = 4, epoch 3/10\n", "**batch size = 4, epoch 3/10**\n", "1. batch size = 4, epoch 3/10\n",
	};
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(*none); i++) {
		const struct oom_log *log = read_log(arena_printf(arena, "%sRuntimeError: CUDA error: out of memory\n", none[i]));

		cr_expect_eq(log->batch, 0, "%s", none[i]);
		cr_expect_eq(log->epoch, 0, "%s", none[i]);
	}
	cr_expect_eq(read_log("train.py --train_batch_size=\"6\" --fp16\nRuntimeError: CUDA error: out of memory\n")->batch, 6, "in quotes");
	cr_expect_eq(read_log("train.py --train_batch_size=\"auto\" 6\nRuntimeError: CUDA error: out of memory\n")->batch, 0, "no number");
	cr_expect_eq(read_log("Instantaneous batch size per device = 4\nRuntimeError: CUDA error: out of memory\n")->batch, 4);
}

/* A sentence's numbers and names are no program's. */
Test(oom_logs, what_a_sentence_has_is_no_output)
{
	const struct oom_log *log = read_log("I use batch_size=4 there, it is at epoch 3/10, step 20 and then step 30, and replay_size=90000 is set.\n"
	    "My onnxruntime is new, and I have vllm/ as well.\nrenderer: out of memory\n");

	cr_expect_eq(log->batch, 0);
	cr_expect_eq(log->epoch, 0);
	cr_expect_eq(log->steps, 0);
	cr_expect_eq(log->replay, 0);
	cr_expect_eq(log->serving, 0);
	log = read_log("batch_size=4\nepoch 3/10\nstep 20\nstep 30\nreplay_size=90000\nlog of vllm/engine\nRuntimeError: CUDA error: out of memory\n");
	cr_expect_eq(log->batch, 4);
	cr_expect_eq(log->epoch, 3);
	cr_expect_eq(log->steps, 30);
	cr_expect_eq(log->replay, 90000);
	cr_expect_eq(log->serving, 6);
}

Test(oom_logs, an_assertion_is_named_with_its_line)
{
	const struct oom_message *m = oom_log_main(read_log("epoch 1\n" ASSERTION ASSERTION
	    "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED\n"));

	cr_assert(m);
	cr_expect_eq(m->asserted, 2);
	cr_expect(strstr(m->says, "on line 2,"), "%s", m->says);
}

Test(oom_logs, the_limit_of_a_container_is_told_from_the_machine)
{
	const struct oom_message *m = oom_log_main(read_log(
	    "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=872\n"
	    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,task=python,pid=7\n"
	    "Memory cgroup out of memory: Killed process 7 (python) total-vm:9kB, anon-rss:2097152kB\n"));

	cr_assert(m);
	cr_expect_eq(m->count, 1);
	cr_expect(m->limited);
	cr_expect(strstr(m->says, "it had 2.00 GiB"), "%s", m->says);
}

Test(oom_logs, paddle_says_its_share)
{
	cr_expect_eq(oom_log_main(read_log("Out of memory error on GPU 0. Cannot allocate 6.9GB memory on "
	    "GPU 0, available memory is only 726.7MB.\n 2) FLAGS_fraction_of_gpu_memory_to_use is 0.92 "
	    "now, please set it\n"))->share, 920);
	cr_expect_eq(oom_log_main(read_log("Cannot malloc 49.0002 MB GPU memory. Current "
	    "FLAGS_fraction_of_gpu_memory_to_use value is 0.1. Current"))->share, 100);
}

/* ---- what stands around ---- */

/* The statistics count what the list has lost: only two of its chunks were pasted. */
Test(oom_logs, a_cut_list_of_chunks_is_not_the_sum)
{
	const struct oom_log *log = read_log(
	    "I bfc_allocator.cc:680] 3 Chunks of size 256 totalling 768B\n"
	    "I bfc_allocator.cc:680] 1 Chunks of size 149247232 totalling 142.33MiB\n"
	    "I bfc_allocator.cc:684] Sum Total of in-use chunks: 209.08MiB\n"
	    "I bfc_allocator.cc:686] Stats: \nLimit:  2258160026\nInUse:  219240192\n");

	cr_expect_eq(log->dump.listed, 768 + 149247232);
	cr_expect_eq(log->dump.in_use, 219240192);
	cr_expect_eq(log->dump.said_in_use, 219240192);
}

/* https://github.com/tensorflow/tensorflow/issues/16221 */
Test(oom_logs, who_holds_tensors_is_read)
{
	const struct oom_log *log = read_log("1.00GiB from nowhere\n" TF_SHAPE("64,55,55,64")
	    "Current usage from device: /job:localhost/replica:0/task:0/device:GPU:0, allocator: "
	    "GPU_0_bfc\n"
	    "  250.78MiB from network/convolutions/conv2d_5/Conv2D\n"
	    "  217.34MiB from network/convolutions/conv2d_5/Conv2D\n"
	    "  Remaining 1252 nodes with 98.80MiB\n\n\n\nstep 1\n  3.00GiB from elsewhere\n");

	cr_assert_eq(log->messages.n, 1);
	cr_assert_eq(log->holders.n, 2);
	cr_expect_eq(log->holders.v[0].bytes, INT64_C(25078) * (1 << 20) / 100);
	cr_expect_str_eq(log->holders.v[0].node, "network/convolutions/conv2d_5/Conv2D");
	cr_expect_eq(log->holders.v[1].bytes, INT64_C(21734) * (1 << 20) / 100);
	cr_expect_eq(log->other_holders, 1252);
	cr_expect_eq(log->held_by_others, INT64_C(9880) * (1 << 20) / 100);
}

#define CARD(USED)	"| 41%   37C    P2    52W / 300W |  " USED " / 16130MiB |     99%      Default |\n" \
	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"

/* 9007199254740993 MiB in bytes is 2^53 + 1 times 2^20, which is 1 MiB where it goes past 64
 * bits. */
Test(oom_logs, a_card_holds_no_more_than_it_has)
{
	const struct oom_log *log = read_log(CARD("14214MiB"));

	cr_assert(log->card.known);
	cr_expect_eq(log->card.bytes, INT64_C(16130) << 20);
	cr_expect_eq(log->card_used.bytes, INT64_C(14214) << 20);
	cr_expect_not(read_log(CARD("16131MiB"))->card.known);
	cr_expect_not(read_log(CARD("9007199254740993MiB"))->card.known);
	cr_expect_not(read_log(CARD("10373441024000MiB"))->card.known);
}

/* A network for training and one for testing are loaded; an old Caffe writes its input
 * otherwise. */
Test(oom_logs, a_network_of_caffe_is_read)
{
	static const char *const input[] = { "data_layer.cpp:41] output data size: 64,3,224,224\n",
	    "net.cpp:150] Top shape: 64 3 224 224 (9633792)\n" };
	static const int64_t dim[] = { 64, 3, 224, 224 };
	size_t i;

	for (i = 0; i < 2; i++) {
		const struct oom_log *log = read_log(arena_printf(arena, "%s"
		    "net.cpp:150] Top shape: 64 (64)\n"
		    "net.cpp:158] Memory required for data: 38535424\n"
		    "net.cpp:150] Top shape: 64 96 55 55 (18585600)\n"
		    "net.cpp:158] Memory required for data: 112877824\n"
		    "net.cpp:150] Top shape: 10 3 224 224 (1505280)\n"
		    "net.cpp:158] Memory required for data: 6021120\n", input[i]));

		cr_expect_eq(log->net_bytes, 112877824);
		cr_expect_eq(log->input.rank, 4, "%zu", i);
		cr_expect(memcmp(log->input.dim, dim, sizeof(dim)) == 0, "%zu", i);
	}
}

/* Beside a configuration as Darknet's: an error of Python's is not Darknet's. */
Test(oom_logs, darknets_own_message_is_told_from_pythons)
{
#define CFG "batch=64\nsubdivisions=8\n"
	cr_expect_str_eq(oom_log_main(read_log(CFG "CUDA Error: out of memory\n"))->who, "Darknet");
	cr_expect_str_eq(oom_log_main(read_log(CFG "RuntimeError: CUDA error: out of memory\n"))->who, "CUDA");
	cr_expect_str_eq(oom_log_main(read_log(CFG "Traceback (most recent call last):\n"
	    "  File \"train.py\", line 9, in <module>\n    x = x.to(device)\nCudaError: CUDA error: out of memory\n"))->who, "CUDA");
#undef CFG
}

/* What a bar counts is data only where its title says so. */
Test(oom_logs, a_bar_of_weights_or_downloads_reads_no_data)
{
#define BAR ":  67%|######6   | 100/150 [00:07<00:03,  2.00it/s]\n"
	cr_expect_eq(read_log("Loading images" BAR)->reading, 1);
	cr_expect_eq(read_log("Loading images" BAR "Downloading" BAR)->reading, 1);
	cr_expect_eq(read_log("Training" BAR "Downloading" BAR)->bar, 1);
	cr_expect_eq(read_log("Loading checkpoint shards" BAR)->bar, 0, "they are no rounds either");
	cr_expect_eq(read_log("Downloading" BAR)->reading, 0);
	cr_expect_eq(read_log("Loading checkpoint shards" BAR)->reading, 0);
	cr_expect_eq(read_log("Loading pipeline components..." BAR)->reading, 0);
#undef BAR
}

Test(oom_logs, words_as_messages_have_them)
{
	cr_expect_eq(read_log("The kids in room [3] 17 killed the ants.\n")->messages.n, 0);
	cr_expect_eq(read_log("[1]    12345 killed     python train.py\n")->messages.n, 1);
	cr_expect_eq(read_log("See raise_if_cache_size_invalid for what is checked.\n")->messages.n, 0);
	cr_expect_eq(read_log("def raise_if_cache_size_invalid(num_gpu_blocks, block_size):\n")->messages.n, 0);
	cr_expect_eq(read_log("  File \"a.py\", line 1, in raise_if_cache_size_invalid\n")->messages.n, 1);
	cr_expect_str_eq(oom_log_main(read_log("miner: Out of memory error on GPU 0.\n"))->who, "CUDA");
}

/* https://www.tensorflow.org/xla/shapes: from the most minor axis to the most major. */
Test(oom_logs, a_layout_is_read_behind_a_shape)
{
	static const struct {
		const char *text;
		bool laid;
		int minor, next;
	} of[] = {
		{ "f32[1,128,256,32768]{0,1,2,3:T(8,128)}", true, 0, 1 }, { "f32[2048,1024,1,128]{3,2,1,0}", true, 3, 2 },
		{ "f32[7]{0}", true, 0, -1 }, { "f32[7,8]", false, -1, -1 }, { "f32[7,8]{1,2}", false, -1, -1 },
		{ "f32[7,8]{1", false, -1, -1 }, { "f32[7,8]{,}", false, -1, -1 }, { "f32[7,8]{}", false, -1, -1 },
		{ "f32[7,8]{99999999999,0}", false, -1, -1 },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		char text[64];
		struct oom_match m;

		snprintf(text, sizeof(text), " %s", of[i].text);
		cr_assert(oom_pattern("$", text + 1, text + strlen(text), &m), "%s", text);
		cr_expect_eq(m.shape.laid, of[i].laid, "%s", text);
		if (m.shape.laid) {
			cr_expect_eq(m.shape.minor[0], of[i].minor, "%s", text);
			cr_expect_eq(m.shape.minor[1], of[i].next, "%s", text);
		}
	}
}
