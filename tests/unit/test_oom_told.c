/* Reports in a person's words alone: sentences that say that memory ran out, and near them some
 * that do not. They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))

Test(oom_told, memory_that_ran_out)
{
	static const struct {
		const char *text;
		enum told_what what;
		bool device, host;
	} said[] = {
		{ "I use a 12GB titanxp. It runs out of memory.", TOLD_ENDED, false, false },
		{ "I raise the batch and run out of GPU memory", TOLD_ENDED, true, false },
		{ "why gpu memory rises suddenly, resulting in out of memory?", TOLD_ENDED, true, false },
		{ "I always get a GPU out of memory error", TOLD_ENDED, true, false },
		{ "my GPU memory is not enough for this model", TOLD_SHORT, true, false },
		{ "The model does not fit into my 8 GB of VRAM", TOLD_SHORT, true, false },
		{ "I seem to use more VRAM than I have", TOLD_SHORT, true, false },
		{ "it eats all my RAM", TOLD_FULL, false, true },
		{ "I have 16 GB of RAM, and see that it is fully used", TOLD_FULL, false, true },
		{ "Beim Laden ist der Arbeitsspeicher voll", TOLD_ENDED, false, true },
		{ "显存没有足够的空间，报OOM", TOLD_ENDED, true, false },
		{ "显存占用小于30%，报OOM", TOLD_ENDED, false, false },
		{ "the whole RAM gets filled after an hour", TOLD_FULL, false, true },
		{ "memory overflow when I run test.py", TOLD_ENDED, false, false },
		{ "I set the batch to 1, but still get OOM", TOLD_ENDED, false, false },
		{ "I keep getting OOM no matter what I do", TOLD_ENDED, false, false },
		{ "I get OOM and do not know why", TOLD_ENDED, false, false },
		{ "My machine has 64GB of RAM and I get OOM.", TOLD_ENDED, false, false },
		{ "With 64GB of RAM I get OOM.", TOLD_ENDED, false, false },
		{ "I get OOM, as it takes 64GB of RAM", TOLD_ENDED, false, true },
		{ "I have 64 GB RAM and a GPU of 8 GB, and training runs out of memory.", TOLD_ENDED, false, false },
		{ "Resource exhausted error when training", TOLD_ENDED, false, false },
		{ "ResourceExhaustedError", TOLD_ENDED, false, false },
		{ "it can not train because of out of memory", TOLD_ENDED, false, false },
		{ "I cannot train it without running out of memory", TOLD_ENDED, false, false },
		{ "the out of memory error is not solved", TOLD_ENDED, false, false },
		{ "If it runs out of memory, what can I do?", TOLD_ENDED, false, false },
		{ "If I use a batch of 16 it throws an OOM error", TOLD_ENDED, false, false },
		{ "It runs out of memory even if I take one sample", TOLD_ENDED, false, false },
		{ "even if I take one sample it runs out of memory", TOLD_ENDED, false, false },
		{ "I have a GPU of 8 GB. It runs out of memory.", TOLD_ENDED, false, false },
		{ "oom error on a memory card of 32G", TOLD_ENDED, true, false },
		{ "the memory (not GPU memory) of my machine runs full", TOLD_FULL, false, true },
		{ "I seem to have issues with memory", TOLD_TROUBLE, false, false },
		{ "I can't fit even one sample into my 11 GB GPU", TOLD_SHORT, true, false },
		{ "the GPU is still exploding", TOLD_ENDED, true, false },
		{ "we get std::bad_alloc from it", TOLD_ENDED, false, true },
		{ "my run was killed by the OOM killer", TOLD_ENDED, false, true },
		{ "my computer's memory runs out when I read the list of images", TOLD_ENDED, false, true },
		{ "一个oom-kill错误", TOLD_ENDED, false, true },
		{ "GPU memory usage has gone above the capacity of the card", TOLD_ENDED, true, false },
		{ "the memory cannot contain so much data", TOLD_SHORT, false, false },
		{ "the model cannot be loaded into the memory of the GPU", TOLD_SHORT, true, false },
		{ "There is no room for training in GPU memory", TOLD_SHORT, true, false },
		{ "I don't have enough memory to run it", TOLD_SHORT, false, false },
		{ "My GPU doesn't have enough memory", TOLD_SHORT, true, false },
		{ "Why does training take so much GPU memory?", TOLD_TROUBLE, true, false },
		{ "U-Net: why the program requires a lot of RAM", TOLD_TROUBLE, false, true },
		{ "I do not know why memory usage is so high", TOLD_TROUBLE, false, false },
		{ "Instead of using the GPU, it runs out of memory", TOLD_ENDED, false, false },
		{ "only the first GPU is full", TOLD_FULL, true, false },
		{ "a memory problem in a single GPU test", TOLD_TROUBLE, false, false },
		{ "I get OOM on a GPU server", TOLD_ENDED, false, false },
		{ "memory overflow occurs on the A100 GPU", TOLD_ENDED, true, false },
		{ "OOM error on one GPU of 11 GB", TOLD_ENDED, true, false },
		{ "this makes the GPU run out of memory", TOLD_ENDED, true, false },
		{ "\xe6\x98\xbe\xe5\xad\x98 a b \xe6\xba\xa2\xe5\x87\xba", TOLD_ENDED, true, false },
		{ "Training with accelerator=\"cpu\" runs out of memory", TOLD_ENDED, false, false },
		{ "With accelerator.prepare(model) it runs out of memory", TOLD_ENDED, false, false },
		{ "It runs out of the accelerator's memory", TOLD_ENDED, true, false },
		{ "there is a memory leak in the loop", TOLD_TROUBLE, false, false },
		{ "The memory usage increases after the first epoch", TOLD_GROWS, false, false },
		{ "batch_size\xe6\x94\xb9\xe4\xb8\xba" "1\xe7\x88\x86\xe6\x98\xbe\xe5\xad\x98", TOLD_ENDED, true, false },
		{ "\xe5\x86\x85\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3", TOLD_ENDED, false, false },	/* 内存不足, of which people say a card's, too */
		{ "\xe7\xb3\xbb\xe7\xbb\x9f\xe5\x86\x85\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3", TOLD_ENDED, false, true },	/* 系统内存不足 */
		{ "\xe6\x98\xbe\xe5\x8d\xa1\xe5\x86\x85\xe5\xad\x98\xe6\x97\xa0\xe6\xb3\x95\xe6\xbb\xa1\xe8\xb6\xb3", TOLD_ENDED, true,
		    false },	/* 显卡内存无法满足 */
		{ "I run out of my 130GB RAM. Is the increasing memory consumption expected?", TOLD_ENDED, false, true },
		{ "The run ends, since it uses too much memory. Its RAM is small.", TOLD_SHORT, false, true },
		{ "my device had 128GB of memory and that memory is not enough", TOLD_SHORT, false, false },
		{ "the device memory is not enough", TOLD_SHORT, true, false },
		{ "I am sure that the RAM is not the problem. Every run is out of memory.", TOLD_ENDED, false, false },
		{ "The RAM is fine, half of it is free. Still every run ends with OOM.", TOLD_ENDED, false, false },
		{ "The RAM is small. Still every run ends with OOM.", TOLD_ENDED, false, true },
		{ "If you have any idea why it runs out of memory, tell me.", TOLD_ENDED, false, false },
		{ "I wonder if you could help me with some OOM issues", TOLD_ENDED, false, false },
		{ "I thought it would be enough, however the process gets killed due to memory issues", TOLD_TROUBLE, false, false },
		{ "OOM in \"def adapt\"", TOLD_ENDED, false, false },
		{ "I return to this, since it runs out of memory", TOLD_ENDED, false, false },
		{ "it ends with out-of-video-memory errors", TOLD_ENDED, true, false },
		{ "I have a problem with running out of GPU memory", TOLD_ENDED, true, false },
		{ "It runs out of 24 GB within a minute", TOLD_ENDED, false, false },
		{ "we run out of our 80G", TOLD_ENDED, false, false },
		{ "the 7B model does not fit in 24GB", TOLD_SHORT, false, false },
		{ "it can't be done in 24GB", TOLD_SHORT, false, false },
		{ "such a model cannot be trained on 8 GB", TOLD_SHORT, false, false },
		{ "system memory is end after 150 epochs", TOLD_ENDED, false, true },
		{ "OOM occurred in training by Object Detection API", TOLD_ENDED, false, false },
		{ "after hours all my 189GB memory will be allocated", TOLD_FULL, false, false },
		{ "the whole RAM is used after an epoch", TOLD_FULL, false, true },
		{ "a strange problem is HBM OOM", TOLD_ENDED, true, false },
		{ "a face detector runs out of memory", TOLD_ENDED, false, false },
	};
	size_t i;

	for (i = 0; i < COUNT(said); i++) {
		struct oom_told t = read_lines(said[i].text).told;

		cr_expect_eq(t.said.line, 1, "%s", said[i].text);
		cr_expect_eq(t.what, said[i].what, "%s: %d", said[i].text, (int)t.what);
		cr_expect_eq(t.device, said[i].device, "%s", said[i].text);
		cr_expect_eq(t.host, said[i].host, "%s", said[i].text);
	}
}

Test(oom_told, what_says_nothing_of_it)
{
	static const char *const none[] = {
		/* denials */
		"The paper says the memory is exhausted with vanilla attention; ours does not run out of memory.",
		"It never runs out of memory.", "I have no problem with running out of GPU memory", "there is no issue running out of memory",
		"This does not look like a general out-of-memory case.", "There is no OOM with batch 8.", "The out of memory error is gone now.",
		"I did not get any out of memory error", "we trained for 10 epochs without running out of memory",
		"it does not exceed 4 GB of memory", "The memory is not full", "I fixed my memory issue", "I have enough memory",
		"Memory is not an issue here", "out of memory does not occur any more",
		/* advice, and what programs do about it */
		"If you run out of memory, reduce the batch size.", "To avoid out of memory errors use smaller pictures.",
		"the trainer catches out of memory errors and skips the batch", "Add OOM handling to the trainer",
		"this may run out of memory", "If training runs out of memory, lower the batch.", "if you run out of memory, lower the batch",
		"If I get an OOM error I lower the batch", "If you use a batch of 16 it throws an OOM error",
		"return out of memory", "    def out_of_memory(self):  # out of memory",
		"I thought it would run out of memory, but it works.", "Resource exhausted: quota exceeded", "429 resource exhausted",
		"the resource is exhausted", "We were told to lower it if it runs out of memory. By how much?",
		/* code, and logs */
		"if 'out of memory' in str(e):", "    raise RuntimeError(\"out of memory\")", "// out of memory",
		"    print('| WARNING: ran out of memory')", "[INFO] memory is full of samples",
		/* of something else */
		"The LSTM has a long short-term memory that explodes.", "The loss explodes after 3 epochs.",
		"a trip out of memory lane", "GPU utilization is 100%.", "the GPU load is full", "it catches std::bad_alloc", "the card is not full", "the room zooms out", "the memory network is too large",
		"illegal memory access", "our working memory is exceeded by nine items", "We use 5 GB out of 8 GB memory", "RAM: 16 GB, GPU: RTX 3090", "memory usage: 3.2 GB",
		"How much GPU memory is needed?", "the loss increases, memory is fine",
		"Why is it so much faster with more memory?", "That is why it needs a lot of memory", "I know why it takes so much memory", "There is no room for doubt. The memory is fine.",
		"3 GB of memory is allocated for the model", "all my layers need memory that is allocated once",
		"It takes 5 GB out of 24 GB.", "Can it be done in 24GB?", "We run out of 100 GB of disk space", "the data does not fit in 2 GB of cache",
		"It ran out of 24 hours", "I have run out of 8 ideas", "it never runs out of 24 GB", "if it runs out of 24 GB, lower the batch",
		"Add an OOM detector to the loop", "OOM detection in the trainer",
	};
	size_t i;

	for (i = 0; i < COUNT(none); i++)
		cr_expect_eq(read_lines(none[i]).told.said.line, 0, "%s", none[i]);
}

Test(oom_told, the_sentence_that_says_whose_it_was_counts)
{
	struct oom_told t = read_lines("Out of memory\n\nmy GPU runs out of memory\nit runs out of memory\n").told;

	cr_expect_eq(t.said.line, 3);
	cr_expect(t.device);
	t = read_lines("RL stage, out of memory\n\nFinally the system is out of memory.\n").told;
	cr_expect_eq(t.said.line, 3, "a sentence before a title");
	t = read_lines("the GPU's memory grows each step\nAt last I get out of memory\n").told;
	cr_expect_eq(t.said.line, 2, "what grows tells less");
	cr_expect(t.device, "but whose memory it was that ended");
	t = read_lines("I run 200 inferences on the GPUs here. This looks like a memory leak. I looked for it.\n").told;
	cr_expect_eq(t.said.line, 1);
	cr_expect_not(t.device, "another sentence names the GPUs");
	t = read_lines("There is a memory leak on my GPU. What can I do?\n").told;
	cr_expect(t.device);
	t = read_lines("My CPU RAM is full, not the GPU.\n").told;
	cr_expect(t.host);
	cr_expect_not(t.device);
}

Test(oom_told, sizes_names_and_times)
{
	struct oom_paste p = read_lines("Keras on a card of 11 GB: at the start it runs out of memory.\nIt worked.\n");

	cr_expect_eq(p.told.framework[2].line, 1);
	cr_expect_str_eq(oom_told_framework(2), "Keras");
	cr_expect_null(oom_told_framework(TOLD_FRAMEWORKS));
	cr_expect_eq(p.told.at_once.line, 1);
	cr_expect_eq(read_lines("Reading the whole set at once runs out of memory.").told.at_once.line, 0, "all of it");
	cr_expect_eq(read_lines("At the start it was slow. Later memory is full.").told.at_once.line, 0, "another sentence's");
	cr_expect_eq(read_lines("sometimes it runs out of memory").later.line, 1);
	cr_expect_eq(read_lines("sometimes it is slow").later.line, 0);
	cr_expect_eq(read_lines("out of memory after a few iterations").later.line, 1);
	cr_expect_eq(read_lines("out of memory where I stop the first run after a few iterations").later.line, 0, "what was done then");
	cr_expect_eq(read_lines("it runs out of memory, but when it does occasionally work, it fills the card").later.line, 0);
	cr_expect_eq(read_lines("it is full after every iteration").later.line, 0);
	cr_expect_eq(read_lines("on a GTX 1080 GPU").parallel.line, 0);
	cr_expect_eq(read_lines("I read in another issue that subdivisions=64 helps. I run it.").told.darknet.line, 0, "another's");
	cr_expect_eq(read_lines("I run it with subdivisions=64.").told.darknet.line, 1);
	cr_expect_eq(read_lines("OOM, with a vocabulary of 30k").told.vocabulary.line, 1);
	cr_expect_eq(read_lines("OOM, while settings are identical (hidden size, vocabulary)").told.vocabulary.line, 0);
	cr_expect_eq(read_lines("when loading the point cloud").loading.line, 0);
	cr_expect_eq(read_lines("I ran into OOM as I read all files into memory.").told.data.line, 1);
	cr_expect_eq(read_lines("I read all files and run into memory errors.").told.data.line, 0);
	cr_expect_eq(read_lines("It crashes when I load the dataset").told.data.line, 1);
	cr_expect_eq(read_lines("I ran into OOM. I load the dataset as a whole.").told.data.line, 0, "what failed is not said");
	cr_expect_eq(read_lines("import numpy as np").told.data.line, 0);
	cr_expect_eq(read_lines("from data import load the dataset").told.data.line, 0);
	cr_expect_eq(read_lines("my graph has 3 million edges").told.graph.line, 1);
	cr_expect_eq(read_lines("the graph of the loss over all epochs").told.graph.line, 0);
	cr_expect_eq(read_lines("a large computation graph").told.graph.line, 0, "autograd's");
	cr_expect_eq(read_lines("I use the CPU to do the training").told.processor.line, 1);
	cr_expect_eq(read_lines("on the CPU it works").told.processor.line, 0);
	cr_expect_eq(read_lines("whether running on CPU or GPU, RAM explodes").told.processor.line, 0, "either");
	cr_expect_eq(read_lines("RAM grows with num_workers > 0").told.workers.line, 1);
	cr_expect_eq(read_lines("RAM grows with num_workers=0, too").told.workers.line, 0);
	cr_expect_eq(read_lines("can it run on the CPU?").told.processor.line, 0);
	cr_expect_eq(read_lines("each needs all of it in place of only CPU RAM for its part").told.processor.line, 0, "memory");
	cr_expect_eq(read_lines("every process loads the model on CPU").told.processor.line, 0, "where it is loaded");
	cr_expect_eq(read_lines("out of memory right after the first iteration").later.line, 0);
	cr_expect_eq(read_lines("out of memory right after the first iteration").told.at_once.line, 0);
	cr_expect_eq(read_lines("out of memory after the first epoch").later.line, 1);
}

Test(oom_told, graphs_of_networks)
{
	static const char *const graph[] = { "I train a GCN on it", "the ogbn-products experiment", "import dgl", "the graph neural network is small",
	    "the graph has 1,000 nodes and 5,000 edges", "a GAT in TensorFlow, whose memory is full" };
	static const char *const other[] = { "My TensorFlow graph has 5,000 nodes after optimization.",
	    "I don't use a graph network, and my graph of the loss looks fine. The cluster has 4 nodes.",
	    "Kubernetes cluster with 3 nodes; I plot the loss graph with matplotlib.", "The graph shows a huge spike of memory.",
	    "The graph below shows memory for a single step.", "Graph Node: keras ResNet50 model with convolution layers, see graph." };
	size_t i;

	for (i = 0; i < COUNT(graph); i++)
		cr_expect_eq(read_lines(graph[i]).told.graph.line, 1, "%s", graph[i]);
	for (i = 0; i < COUNT(other); i++)
		cr_expect_eq(read_lines(other[i]).told.graph.line, 0, "%s", other[i]);
}

Test(oom_told, devices_that_are_taken_as_needed)
{
	cr_expect_eq(read_lines("XLA_PYTHON_CLIENT_PREALLOCATE=false is set").told.as_needed, 1);
	cr_expect_eq(read_lines("config.gpu_options.allow_growth = True").told.as_needed, 1);
	cr_expect_eq(read_lines("allow_growth=True does not help").told.as_needed, 1);
	cr_expect_eq(read_lines("config.gpu_options.allow_growth = False").told.as_needed, 0);
	cr_expect_eq(read_lines("I do not set allow_growth to true").told.as_needed, 0);
}

Test(oom_told, a_process_that_was_ended)
{
	cr_expect_eq(read_lines("The training process was killed when it loads data").told.killed.line, 1);
	cr_expect_eq(read_lines("the kernel dies each time").told.killed.line, 1);
	cr_expect_eq(read_lines("Google Colab seems to crash with all pictures").told.killed.line, 1);
	cr_expect_eq(read_lines("the market seems to crash").told.killed.line, 0);
	cr_expect_eq(read_lines("I killed the process").told.killed.line, 0);
	cr_expect_eq(read_lines("it was killed by a timeout").told.killed.line, 0);
	cr_expect_eq(read_lines("the process was not killed").told.killed.line, 0);
	cr_expect_eq(read_lines("a kernel of 3x3").told.killed.line, 0);
	cr_expect_eq(read_lines("训练中进程被杀死").told.killed.line, 1);
	cr_expect_eq(read_lines("程序直接被 killed").told.killed.line, 1);
	cr_expect_eq(read_lines("手动把进程kill了, 僵尸进程被kill").told.killed.line, 0);
	cr_expect_eq(read_lines("启动之后直接kill主进程不会释放显存").told.killed.line, 0);
	cr_expect_eq(read_lines("运行一会就直接killed").told.killed.line, 1);
	cr_expect_eq(read_lines("процесс был убит при обучении").told.killed.line, 1);
	cr_expect_eq(read_lines("le programme est tué par le système").told.killed.line, 1);
	cr_expect_eq(read_lines("das Programm wird vom System beendet").told.killed.line, 1);
	cr_expect_eq(read_lines("das Programm wird beendet").told.killed.line, 0);
	cr_expect_eq(read_lines("I train it with LoRA").told.adapter.line, 1);
	cr_expect_eq(read_lines("I train it w/o LoRA").told.adapter.line, 0);
	cr_expect_eq(read_lines("Kernel restart when loading the data").told.data.line, 1);
	cr_expect_eq(read_lines("I am loading the data").told.data.line, 0);
	cr_expect_eq(read_lines("MemoryError in to_categorical() of the labels").told.codes.line, 1);
	cr_expect_eq(read_lines("It ends in a MemoryError for the training set. I noticed that it uses a 1-hot encoding.").told.codes.line, 1);
	cr_expect_eq(read_lines("I code the labels by to_categorical()").told.codes.line, 0);
	cr_expect_eq(read_lines("It ends in a MemoryError.\nElsewhere I use a 1-hot encoding.").told.codes.line, 0);
	cr_expect_eq(read_lines("I just restarted the kernel").told.killed.line, 0);
	cr_expect_eq(read_lines("when I train the kernel dies").told.killed.line, 1);
}

/* A process that was killed is told as of the machine's memory only where no card is named. */
Test(oom_told, a_card_beside_a_process_that_was_ended)
{
	static const char *const sure[] = { "My program was killed again. The card has 8 GB, and my GPU overflows: it runs out of memory on the GPU.",
	    "Training OOMs on the GPU. I have to restart since the kernel crashed.",
	    "My RTX 3090 has not enough memory on the device: OOM. The kernel keeps dying." };
	size_t i;

	for (i = 0; i < COUNT(sure); i++) {
		cr_expect(read_lines(sure[i]).told.sure, "%s", sure[i]);
		cr_expect(read_lines(sure[i]).told.killed.line, "%s", sure[i]);
	}
	cr_expect_not(read_lines("OOM error on one GPU of 11 GB").told.sure);
	cr_expect_not(read_lines("I run out of memory, and the kernel keeps dying.").told.sure);
}

Test(oom_told, what_is_no_report)
{
	static const char *const none[] = { "If you have any GPU below 12 GB, training will run out of GPU memory.",
	    "} catch (e) { throw new Error(\"GPU ran out of memory\"); }", "x = f(y); return \"GPU out of memory\"",
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe6\x95\xb0\xe9\x87\x8f\xe4\xb8\x8d\xe5\xa4\x9f" };	/* 显卡数量不够 */
	size_t i;

	for (i = 0; i < COUNT(none); i++)
		cr_expect_eq(read_lines(none[i]).told.said.line, 0, "%s", none[i]);
	cr_expect(read_lines("\xe6\x98\xbe\xe5\x8d\xa1\xe4\xb8\x8d\xe5\xa4\x9f").told.device, "%s", "right behind it");	/* 显卡不够 */
}
