/* When people say that it fails: sentences that tell of memory that grows, or of a failure after a
 * time, and near them some that do not. They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define COUNT(v)	(sizeof(v) / sizeof(*(v)))

Test(oom_when, memory_that_grows)
{
	static const char *const yes[] = { "The memory usage keeps increasing until it fails",
	    "GPU memory is growing with every batch", "RAM usage creeps up over the night", "the VRAM gradually fills up", "a memory 'leak' of tensors", "out of GPU memory for storing every state of the loss",
	    "\xe6\x98\xbe\xe5\xad\x98\xe5\x8d\xa0\xe7\x94\xa8\xe9\x80\x90\xe6\xb8\x90\xe5\xa2\x9e\xe5\x8a\xa0",	/* 显存占用逐渐增加 */

	    "The worker slowly grows in memory until it ends", "RAM usage keeps on piling up", "an ever increasing memory consumption",
	    "it works, but memory usage keeps growing", "I do not know why memory keeps increasing",
	    "the batch is not large but RAM usage builds up",
	    "it will continue to increase the amount of memory usage", "RAM is getting accumulated with every round",
	    "Increasing GPU memory usage until it ends", "why is GPU memory-usage increasing in each step?",
	    "Is there a memory leak? Memory increases with every step until CUDA out of memory on the GPU.",
	    "I see a steady increase of memory, is it a leak?", "The accuracy keeps increasing. The memory keeps increasing, too.",
	    "\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x80\xe7\x9b\xb4\xe6\x9a\xb4\xe6\xb6\xa8",	/* 显存一直暴涨 */
	    "The search eats 1GB memory every 20 trials", "It takes 300 MB of RAM every 100 steps or so",
	    "\xe5\x86\x85\xe5\xad\x98\xe5\x8d\xa0\xe7\x94\xa8\xe6\x8c\x81\xe7\xbb\xad\xe4\xb8\x8a\xe6\xb6\xa8",	/* 内存占用持续上涨 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x80\xe7\x9b\xb4\xe5\x9c\xa8\xe6\xb6\xa8" };	/* 显存一直在涨 */
	static const char *const no[] = { "I increased the memory of the machine", "the memory does not increase", "the loss keeps increasing",
	    "it is not a memory leak", "memory growth must be set before", "the batch size keeps growing",
	    "I continue to increase the accuracy", "gradients get accumulated in memory", "Is it a memory leak?", "I think there is a memory leak", "Memory leakage?",
	    "\xe7\xb2\xbe\xe5\xba\xa6\xe6\x8c\x81\xe7\xbb\xad\xe4\xb8\x8a\xe6\xb6\xa8",	/* 精度持续上涨 */
	    "the memory usage does not keep growing", "usage is growing no more", "The memory leak was fixed", "memory stops growing",
	    "\xe8\xaf\xaf\xe5\xb7\xae\xe9\x80\x90\xe6\xb8\x90\xe5\xa2\x9e\xe5\x8a\xa0",	/* 误差逐渐增加 */
	    "64 GB of RAM to be gradually increasing", "the network grows in depth, not in memory usage", "bills are piling up", "we continuously push to memory",
	    "My GPU runs out of memory. I want to see the accuracy keep increasing.",
	    "My GPU runs OOM. Gradient is accumulating over 4 steps, memory is fine.",
	    "I am increasing GPU memory by buying a new card. Still OOM on it.",
	    "I tried increasing memory usage limit (gpu_options); my GPU still gives OOM.",
	    "By increasing memory usage I make it faster.", "I set it with increasing GPU memory utilization.",
	    "Bugs are piling up in this repo. My GPU memory is not enough, I get OOM.",
	    "To check memory usage, keep increasing the batch size until it fails.",
	    "Is there a memory leak? My GPU memory is not enough.",
	    "As my dataset keeps growing I run into CUDA out of memory", "The loss is increasing while GPU memory stays at 9 GB",
	    "When I increase the sequence length memory usage increases and it is OOM", "GPU memory usage grows with the batch size",
	    "memory consumption increases with larger images", "I clear the memory every 20 trials", "It takes 3 GB memory every time", "I have 16 GB memory for every 2 GPUs" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).grows.line, 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).grows.line, 0, "%s", no[i]);
}

Test(oom_when, a_failure_after_a_time)
{
	static const char *const yes[] = { "it crashes after 26 epochs", "after a few iterations I get the error", "it runs for a while and stops",
	    "fails in the second epoch", "it fails when the epoch goes to 60", "it works fine for a while, then it crashes",
	    "it does not fail at once, but after 3 epochs",
	    "It trains for 12 epochs, after which it is out of memory", "The loss is fine, but after 12 epochs it stops", "After 12 epochs of training I get the error in a loss" };
	static const char *const no[] = { "after installing the new driver", "it fails at once", "one epoch takes an hour",
	    "look after it", "it runs for a while", "I train it for 12 epochs. It fails.", "After 4 epochs the accuracy is 0.6", "kernel compiling for a while", "It ran out of memory a few hours ago", "killed after \"saving at step 0\"", "It fails immediately, not after a few iterations", "it never runs for a while",
	    "After 3 hours of searching I did not find the cause", "I train with 90 hours of speech and get CUDA out of memory",
	    "Some jobs randomly run out of CUDA memory during the setup prior to training", "It worked for a while with the old version; the new one fails at once",
	    "It is out of memory; with smaller ones, the AP of each category is 0 after 12 epochs",
	    "After an hour in the queue the job starts and is out of memory at once", "It was idle overnight, then it is out of memory at the first step" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).later.line, 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).later.line, 0, "%s", no[i]);
}

Test(oom_when, after_a_time_in_chinese)
{
	/* 训练一段时间之后显存不足, and 这段时间 of people's own */
	cr_expect_eq(read_lines("\xe8\xae\xad\xe7\xbb\x83\xe4\xb8\x80\xe6\xae\xb5\xe6\x97\xb6\xe9\x97\xb4\xe4\xb9\x8b\xe5\x90\x8e\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3").later.line, 1);
	cr_expect_eq(read_lines("这段时间训练总是显存不足").later.line, 0);
}

/* Of each a sentence that tells of it, and one that names it for something else. */
Test(oom_when, what_rises_once_or_was_waited_for)
{
	static const char *const no_growth[] = { "GPU memory increases after the first batch and then stays constant, OOM", "memory usage increases by a factor of two with float32, OOM",
	    "memory increases at first and levels off, it is OOM", "After upgrading CUDA memory usage increases, OOM", "memory consumption increases with the new version, OOM",
	    "memory increases linearly with the number of images, OOM", "GPU memory usage keeps increasing as the sequence gets longer, OOM" };
	static const char *const not_late[] = { "It is OOM at epoch 0", "I waited for a while before I asked: CUDA out of memory", "OOM at iteration 0 after loading for 20 minutes",
	    "OOM suddenly appeared after I updated PyTorch", "OOM happens sometimes when starting, depending on other users" };
	size_t i;

	for (i = 0; i < sizeof(no_growth) / sizeof(no_growth[0]); i++)
		cr_expect_eq(read_lines(no_growth[i]).grows.line, 0, "%s", no_growth[i]);
	for (i = 0; i < sizeof(not_late) / sizeof(not_late[0]); i++)
		cr_expect_eq(read_lines(not_late[i]).later.line, 0, "%s", not_late[i]);
	cr_expect_eq(read_lines("GPU memory increases after each batch until it is OOM").grows.line, 1);
	cr_expect_eq(read_lines("memory increases linearly with the number of steps, OOM").grows.line, 1);
	cr_expect_eq(read_lines("It is OOM at epoch 12").later.line, 1);
	cr_expect_eq(read_lines("OOM suddenly appears").later.line, 1);
}

Test(oom_when, what_each_round_adds)
{
	static const char *const yes[] = { "The algorithm increases the GPU memory usage every iteration", "it takes more memory each epoch" };
	static const char *const no[] = { "a larger batch increases the memory usage every iteration", "it never increases the memory usage every iteration", "it increases the memory usage", "it would take more memory each epoch" };
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).grows.line, 1, "%s", yes[i]);
	for (i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).grows.line, 0, "%s", no[i]);
}

Test(oom_when, growth_of_one_call_is_none_from_step_to_step)
{
	static const char *const one[] = { "While loading the model, the memory usage keeps increasing", "During a single step the GPU memory keeps increasing",
	    "When I load the dataset, RAM usage keeps increasing" };
	static const char *const more[] = { "After loading the model, the memory usage keeps increasing", "With each single image the GPU memory keeps increasing" };
	size_t i;

	for (i = 0; i < COUNT(one); i++)
		cr_expect_eq(read_lines(one[i]).grows.line, 0, "%s", one[i]);
	for (i = 0; i < COUNT(more); i++)
		cr_expect_eq(read_lines(more[i]).grows.line, 1, "%s", more[i]);
}

/* By classes of words: what is of memory, a verb of growth, and that it goes on; near them what
 * grows once, with something else, or is no memory. */
Test(oom_when, growth_by_classes_of_words)
{
	static const char *const yes[] = { "The cost of memory climbs as the script runs until it is out of memory", "I saw a gradual increase of the used memory", "usage of video memory rises with every clip", "The system RAM slowly expands over the epochs",
	    "host memory is constantly climbing until no free byte is left", "显存持续往上走高，一直攀升", "运行时内存越来越多，不断变大", "学習中にメモリが少しずつ上昇していく", "학습하면서 메모리가 꾸준히 올라갑니다", "видеопамять медленно заполняется с каждой эпохой", "la memoria sube poco a poco",
	    "a memória sobe a cada época", "der Speicher steigt mit jeder Epoche", "la mémoire grimpe à chaque époque" };
	static const char *const no[] = { "GPU memory increases first and then decreases", "The memory climbs with each larger batch size", "disk usage keeps growing while memory is at 3 GB", "If memory rises over time, tell me",
	    "memory does not rise with every clip", "All memory is used up during training", "显存突然升高", "显存一直稳定，精度不断上升", "内存不会一直增加", "メモリは徐々に増えない", "메모리는 계속 증가하지 않습니다", "память не растет постоянно", "la memoria no aumenta con cada paso" };

	for (size_t i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).grows.line, 1, "%s", yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).grows.line, 0, "%s", no[i]);
}

/* A word of time, a number and a unit, in either order; near them amounts, people's time, and what
 * is begun behind the run. */
Test(oom_when, a_point_of_a_run)
{
	static const char *const yes[] = { "Out of memory comes when the iteration is about 7310", "OOM at Step 41000", "it always runs out of memory when processing the 31st clip", "After over 15,000 images the program crashed with OOM", "when 4 epochs were done it failed", "OOM after ~400 seconds",
	    "It is out of memory at the last iteration", "a memory error at the very end of training", "With this card it only lasts 30 epochs", "最多只能跑到25个epoch", "微调了几个小时，OOM", "训练到40次左右报错显存不足", "训练结束之后总是OOM" };
	static const char *const no[] = { "OOM with 300 images in a batch", "OOM after 12 images at once", "It is out of memory when I give it 40 images", "OOM at step 3", "After 2 hours of audio it is OOM", "After 3 days of debugging it is still OOM", "out of memory in epoch 1", "After training is finished, I run inference and get OOM",
	    "at iteration 500 the accuracy is 0.3", "it needs 40 epochs, and is OOM", "oom-kill event(s) in step 640467.batch", "OOM with 8 frames per video", "训练结束后进行推理时OOM", "最近一段时间总是OOM" };

	for (size_t i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).later.line, 1, "%s", yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).later.line, 0, "%s", no[i]);
}

/* Memory that falls as an epoch ends had grown within it. */
Test(oom_when, memory_that_falls_as_an_epoch_ends)
{
	cr_expect_eq(read_lines("RAM is full at once\nand at the end of each epoch the memory drops").falls.line, 0);
	cr_expect_eq(read_lines("RAM rises steadily within an epoch\nand at the end of each epoch the memory drops").falls.line, 2);
	cr_expect_eq(read_lines("At the end of every epoch the memory usage decreases, and it increases in the next").falls.line, 1);
	cr_expect_eq(read_lines("At the end of every epoch the loss decreases").falls.line, 0);
}
