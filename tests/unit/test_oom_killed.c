/*
 * Texts of public reports of processes that the kernel, a scheduler or someone else ended, as
 * kernels, shells, launchers and schedulers say it. See test_oom_reports.c.
 */
#include "oom_forms.h"

static const struct want texts[] = {
	{ .name = "a process ended", .from = "xk-huang/yet-another-vectornet/issues/37",
	  .who = "the system", .host = true, .hedged = true,
	  .says = "signal 9",
	  .text = "205944/205944 [18:54<00:00, 181.58it/s]\n"
	    "Killed\n" },
	{ .name = "a process ended, in bold", .from = "CharlesShang/FastMaskRCNN/issues/172",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "classes\n"
	    "**Killed**\n" },
	{ .name = "a job of a script", .from = "divamgupta/deep-clustering-kingdra/issues/2",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "2020-11-24 20:22:28.106 /bin/bash: line 27: 318 Killed sh start.sh\n" },
	{ .name = "a job of a script, blanks", .from = "divamgupta/deep-clustering-kingdra/issues/2",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "train.sh: line 1: 12345 Killed                  python train.py --batch 64\n" },
	{ .name = "a job in the background", .from = "xk-huang/yet-another-vectornet/issues/37",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "[1]+  Killed                  python train.py\n" },
	{ .name = "a shell that speaks Chinese", .from = "danijar/dreamerv3/issues/203",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "Writing metrics: /home/a/scores.jsonl\n"
	    "已杀死\n" },
	{ .name = "CalledProcessError", .from = "bmaltais/kohya_ss/issues/1065",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "subprocess.CalledProcessError: Command '['python', 'train_network.py']' "
	    "died with <Signals.SIGKILL: 9>.\n" },
	{ .name = "PyCharm", .from = "davidsandberg/facenet/issues/236",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "Process finished with exit code 137 (interrupted by signal 9: SIGKILL)\n" },
	{ .name = "PyCharm, later", .from = "noelshin/selfmask/issues/11",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "Process finished with exit code 137 (interrupted by signal 9:SIGKILL)" },
	{ .name = "torchrun", .from = "fidelity/stoke/issues/31",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) "
	    "local_rank: 0 (pid: 10398) of binary: /usr/bin/python\n" },
	{ .name = "torchrun, its table", .from = "fidelity/stoke/issues/31",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "  traceback : Signal 9 (SIGKILL) received by PID 10398\n" },
	{ .name = "DeepSpeed", .from = "CASIA-LMC-Lab/AnomalyGPT/issues/43",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "[INFO] [launch.py:314:sigkill_handler] Killing subprocess 9440\n"
	    "[ERROR] [launch.py:320:sigkill_handler] ['python', 'train.py'] exits with "
	    "return code = -9\n" },
	{ .name = "spawn", .from = "lyu-yx/ACUMEN/issues/4",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated "
	    "with signal SIGKILL\n" },
	{ .name = "Docker Compose", .from = "mozilla/addons/issues/5259",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "Exited with code 137\n" },
	{ .name = "docker inspect", .from = "kubernetes/kubernetes/issues/19825",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "    \"State\": {\n"
	    "        \"Status\": \"exited\",\n"
	    "        \"OOMKilled\": false,\n"
	    "        \"Dead\": false,\n"
	    "        \"ExitCode\": 137,\n" },
	{ .name = "the kernel", .from = "docker/for-linux/issues/1001",
	  .who = "Linux", .host = true,
	  .size = { { OOM_ALLOCATED, 4390912 } },
	  .text = "May 15 23:09:30 a kernel: [  518.050606] Out of memory: Killed process "
	    "15784 (python3) total-vm:11964kB, anon-rss:4288kB, file-rss:3028kB, "
	    "shmem-rss:0kB\n" },
	{ .name = "an older kernel", .from = "genular/pandora/issues/49",
	  .who = "Linux", .host = true,
	  .size = { { OOM_ALLOCATED, 1066930176 } },
	  .text = "May 07 21:43:54 a kernel: Out of memory: Kill process 27438 (R) score 31 or "
	    "sacrifice child\n"
	    "May 07 21:43:54 a kernel: Killed process 27438 (R) total-vm:38349780kB, "
	    "anon-rss:1041924kB, file-rss:4kB, shmem-rss:0kB\n" },
	{ .name = "a control group, older", .from = "kubernetes/kubernetes/issues/56891",
	  .who = "Linux", .host = true,
	  .size = { { OOM_ALLOCATED, 477347840 } },
	  .text = "[Thu Dec  7 00:05:15 2017] Memory cgroup out of memory: Kill process 24572 "
	    "(python) score 0 or sacrifice child\n"
	    "[Thu Dec  7 00:05:15 2017] Killed process 28438 (python) "
	    "total-vm:20255636kB, anon-rss:466160kB, file-rss:13684kB\n" },
	{ .name = "a control group", .from = "reportportal/kubernetes/issues/203",
	  .who = "Linux", .host = true,
	  .size = { { OOM_ALLOCATED, 168951808 } },
	  .text = "[ 7063.247407] Memory cgroup out of memory: Killed process 63214 (python) "
	    "total-vm:3149468kB, anon-rss:164992kB, file-rss:52176kB, shmem-rss:92kB, "
	    "UID:0 pgtables:1372kB oom_score_adj:986\n" },
	{ .name = "a much older kernel", .from = "cPanelSSP/SSP/issues/76",
	  .who = "Linux", .host = true,
	  .size = { { OOM_ALLOCATED, 2600210432 } },
	  .text = "Mar  2 17:35:10 a kernel: [2858609.598568] Killed process 11726, UID 498, "
	    "(python) total-vm:7823732kB, anon-rss:2539268kB, file-rss:768kB\n" },
	{ .name = "the killer is called", .from = "harvester/harvester/issues/2419",
	  .who = "Linux", .host = true,
	  .text = "Jun 23 10:10:34 a kernel: CPU 2/KVM invoked oom-killer: "
	    "gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=872\n" },
	{ .name = "why it was called", .from = "ironcore-dev/dpservice/issues/74",
	  .who = "Linux", .host = true,
	  .text = "kernel: "
	    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0"
	    ",oom_memcg=/kubepods.slice,task=python,pid=4242,uid=0\n" },
	{ .name = "Windows", .from = "pytorch/pytorch/issues/59904",
	  .who = "Windows", .host = true,
	  .says = "paging file",
	  .text = "OSError: [WinError 1455] The paging file is too small for this operation to "
	    "complete. Error loading "
	    "\"C:\\a\\lib\\site-packages\\torch\\lib\\caffe2_module_test_dynamic.dll\" "
	    "or one of its dependencies.\n" },
	{ .name = "Windows in Chinese", .from = "yassouali/pytorch-segmentation/issues/118",
	  .who = "Windows", .host = true,
	  .text = "OSError: [WinError 1455] 页面文件太小，无法完成操作。 Error loading "
	    "\"F:\\a\\torch\\lib\\caffe2_detectron_ops_gpu.dll\" or one of its "
	    "dependencies.\n" },
	{ .name = "a loader that is gone", .from = "fidelity/stoke/issues/31",
	  .who = "PyTorch's DataLoader", .host = true, .hedged = true,
	  .text = "RuntimeError: DataLoader worker (pid(s) 6662) exited unexpectedly\n" },
	{ .name = "Slurm, older", .from = "Slurm",
	  .who = "Slurm", .host = true,
	  .text = "slurmstepd: error: Step 1234.0 exceeded memory limit (5281812 > 5242880), "
	    "being killed\n" },
	{ .name = "LSF", .from = "LSF",
	  .who = "LSF", .host = true,
	  .text = "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\n"
	    "Exited with exit code 137.\n" },
	{ .name = "PBS", .from = "PBS",
	  .who = "PBS", .host = true,
	  .text = "=>> PBS: job killed: mem 2097152kb exceeded limit 1048576kb\n" },
	{ .name = "an evicted pod", .from = "kubernetes/kubernetes",
	  .who = "Kubernetes", .host = true,
	  .text = "Warning   Evicted   The node was low on resource: memory. Container a was "
	    "using 1924152Ki, which exceeds its request of 0.\n" },
	{ .name = "Kaggle", .from = "Kaggle",
	  .who = "Kaggle", .host = true,
	  .text = "Your notebook tried to allocate more memory than is available. It has "
	    "restarted.\n" },
	{ .name = "Colab", .from = "Colab",
	  .who = "Colab", .host = true,
	  .text = "Your session crashed after using all available RAM.\n" },
	{ .name = "torchrun, its summary", .from = "hpcaitech/ColossalAI/issues/3514",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "  exitcode  : -9 (pid: 812917)\n"
	    "  error_file: <N/A>\n" },
	{ .name = "a child of Python", .from = "python/cpython",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "<Process name='Process-1' pid=77 parent=76 stopped exitcode=-SIGKILL>\n" },
	{ .name = "make", .from = "GNU make",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "make: *** [Makefile:12: train] Error 137\n" },
	{ .name = "a child of Go", .from = "golang/go",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "train: signal: killed\n" },
	{ .name = "mpirun", .from = "open-mpi/ompi",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "mpirun noticed that process rank 0 with PID 4242 on node a exited on signal "
	    "9 (Killed).\n" },
	{ .name = "systemd", .from = "systemd/systemd",
	  .who = "the system", .host = true, .hedged = true,
	  .text = "train.service: Main process exited, code=killed, status=9/KILL\n" },
	{ .name = "macOS", .from = "macOS",
	  .who = "macOS", .host = true, .hedged = true,
	  .text = "Killed: 9\n" },
	{ .name = "Ray", .from = "ray-project/ray",
	  .who = "Ray", .host = true,
	  .text = "ray.exceptions.OutOfMemoryError: Task was killed due to the node running "
	    "low on memory.\n" },
	{ .name = "Java", .from = "eclipse/deeplearning4j",
	  .who = "Java", .host = true,
	  .text = "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n" },
	{ .name = "R", .from = "R",
	  .who = "R", .host = true,
	  .size = { { OOM_ASKED, 8053063680 } },
	  .text = "Error: cannot allocate vector of size 7.5 Gb\n" },
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

/* The same in other words, a line each. */
static const struct {
	const char *text, *who;
	bool host, hedged;
} lines[] = {
	{ "Command terminated with exit code -9", "the system", true, true },
	{ "returned non-zero exit status 137.", "the system", true, true },
	{ "returned non-zero exit status -9.", "the system", true, true },
	{ "The step failed with code 137", "the system", true, true },
	{ "error code 137", "the system", true, true },
	{ "Training task exit with status code 137", "the system", true, true },
	{ "trainer died from signal 9", "the system", true, true },
	{ "worker 3 got signal 9", "the system", true, true },
	{ "process 77 received signal 9", "the system", true, true },
	{ "The process is killed by SIGKILL by OOM killer due to high memory usage.", "the system", true,
	    true },
	{ "slurmstepd: error: Exceeded job memory limit", "Slurm", true, false },
	{ "DataLoader worker is killed by signal", "PyTorch's DataLoader", true, true },
	{ "RuntimeError: DataLoader worker (pid 2978) is killed by", "PyTorch's DataLoader", true, true },
	{ "=>> PBS: job killed: vmem 2097152kb exceeded limit 1048576kb", "PBS", true, false },
	{ "was running was 30.46GB / 32.00GB (0.95), which exceeds the memory usage threshold of 0.95.",
	    "Ray", true, false },
	{ "The paging file is too small for this operation to complete. (os error 1455)", "Windows", true,
	    false },
	{ "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python,pid=7", "Linux", true, false },
	{ "pyopencl._cl.RuntimeError: clEnqueueNDRangeKernel failed: OUT_OF_RESOURCES", "OpenCL", false, true },
	{ "level_zero backend failed with error: 40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)", "Level Zero",
	    false, true },
	{ "NCCL WARN Cuda failure 2 'out of memory'", "NCCL", false, false },
	{ "failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED", "cuBLAS", false, false },
	{ "could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED", "cuDNN", false, true },
	{ "failed to create cublas handle: cublas error", "cuBLAS", false, true },
	{ "tinygrad/runtime/ops_cuda.py: CUDA Error 2, CUDA_ERROR_OUT_OF_MEMORY", "tinygrad", false, false },
	{ "GPU 0 has a total capacty of 6.00 GiB of which 0 bytes is free.", "PyTorch", false, false },
	{ "To serve at least one request with the models's max seq len (32768), (3.00 GiB KV cache is "
	    "needed, which is larger than the available KV cache memory (1.50 GiB).", "vLLM", false,
	    false },
};

TestSuite(oom_killed, .init = setup, .fini = teardown);

Test(oom_killed, say_the_same_in_every_form)
{
	expect_in_every_form(arena, texts, sizeof(texts) / sizeof(*texts));
}

Test(oom_killed, other_words_say_the_same)
{
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct out o = { arena_strdup(arena, lines[i].text), strlen(lines[i].text) };
		const struct oom_message *m;
		struct oom_log log;

		oom_log_read(&log, arena, feed, &o);
		m = oom_log_main(&log);
		cr_assert(m, "%s: nothing", lines[i].text);
		cr_expect_str_eq(m->who, lines[i].who, "%s: of %s", lines[i].text, m->who);
		cr_expect_eq(m->host, lines[i].host, "%s: host", lines[i].text);
		cr_expect_eq(m->hedged, lines[i].hedged, "%s: hedged", lines[i].text);
		cr_expect_eq(log.messages.n, 1, "%s: %d messages", lines[i].text, log.messages.n);
	}
}
