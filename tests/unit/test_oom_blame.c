/* What people say themselves of the cause, and near it what says the contrary. They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define EACH(list)	(size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++)

Test(oom_blame, what_stays_on_the_device)
{
	static const char *const yes[] = { "The reason is that the features of all 50000 pictures are kept on the GPU.", "it is out of memory as all embeddings are stored in GPU memory",
	    "the outputs are accumulated on the GPU" };
	static const char *const no[] = { "The model's weights are stored on the GPU.", "the outputs are not stored on the GPU", "Are the outputs stored on the GPU?", "they should be stored on the GPU",
	    "the outputs are stored on the disk", "can they be stored on the GPU instead" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).kept.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).kept.line, 0, "%s", no[i]);
}

Test(oom_blame, another_version)
{
	static const char *const yes[] = { "After downgrading to PyTorch 2.1 the error disappeared.", "After updating transformers to 4.40 I get OOM.", "Since I upgraded to torch 2.3 it runs out of memory.",
	    "It is out of memory with version 0.6.4, but 0.6.3 works.", "I went back to the older release and it works." };
	static const char *const no[] = { "After downgrading to PyTorch 2.1 it is still out of memory.", "I downgraded to 2.1 and it is gone, or is it?", "After upgrading my GPU to 24 GB it runs out of memory.",
	    "It was out of memory even before, and after updating to 4.40 I get OOM.", "It is out of memory with both 0.6.4 and 0.6.3.", "After updating the weights it runs out of memory.",
	    "You should try downgrading to 2.1, it works.", "It takes 10.5 GB and works, but 12.5 GB is out of memory", "I use torch 2.3 and it runs out of memory" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).version.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).version.line, 0, "%s", no[i]);
}

Test(oom_blame, samples_that_are_kept)
{
	static const char *const yes[] = { "My RAM is full since it caches the dataset.", "with cache=True the RAM grows each epoch", "it wants to keep all images in RAM, and my RAM is full", "data.cache() fills my RAM" };
	static const char *const no[] = { "My RAM is full even with caching disabled.", "I do not cache the dataset and my RAM is full", "I call torch.cuda.empty_cache() and cache all", "use_cache=True and RAM is full",
	    "it caches the files of the compiler" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).cached.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).cached.line, 0, "%s", no[i]);
}

Test(oom_blame, rays_and_a_server)
{
	cr_expect_eq(read_lines("I get OOM when rendering a novel view").rays.line, 1);
	cr_expect_eq(read_lines("I get OOM when training NeRF on my pictures").rays.line, 1);
	cr_expect_eq(read_lines("Gaussian splatting of novel views is OOM").rays.line, 0);
	cr_expect_eq(read_lines("I get OOM with chest X-rays").rays.line, 0);
	cr_expect_eq(read_lines("a minerf tool is OOM").rays.line, 0);
	cr_expect_eq(read_lines("vLLM is out of GPU memory when it starts").server.line, 1);
	cr_expect_eq(read_lines("Lowering gpu_memory_utilization gives OOM, too").server.line, 1);
	cr_expect_eq(read_lines("While training with GRPO and vllm the GPU is out of memory").server.line, 0, "which has a share beside it");
}

Test(oom_blame, results_that_are_written)
{
	cr_expect_eq(read_lines("I get a MemoryError when I save the features to a file").saved.line, 1);
	cr_expect_eq(read_lines("I get a MemoryError when I save the model").saved.line, 0);
	cr_expect_eq(read_lines("I save the features to a file.").saved.line, 0, "no failure");
	cr_expect_eq(read_lines("it saves the features without any MemoryError").saved.line, 0);
}

Test(oom_blame, what_works)
{
	static const char *const yes[] = { "If I change the batch size to 1, it works.", "I have to resize the pictures and then it works.", "The error does not occur when I resize the image to 512.",
	    "The same script works well with the small model.", "when I set batch_size = 2 it runs" };
	static const char *const no[] = { "If you set the batch to 1 it should work.", "I reduced the batch to 1 but it still does not work.", "Does it work if I change the batch size to 1?", "I changed the learning rate and it works",
	    "The same script works on my other GPU.", "The error does not occur when I use another card.", "the same code does not work with the small model", "I can't set the batch size so that it works",
	    "even if I set the batch size to 1 it works no better" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
}

Test(oom_blame, what_is_asked_of_memory)
{
	cr_expect_eq(read_lines("What is the longest film that it can take without running out of memory?").told.what, TOLD_ENDED);
	cr_expect_eq(read_lines("It now takes all of it without running out of memory.").told.what, TOLD_NOTHING);
	cr_expect_eq(read_lines("The patch size is too big for the GPU.").large.line, 1);
	cr_expect_eq(read_lines("The patch size is too big for the paper.").told.what, TOLD_NOTHING);
	cr_expect_eq(read_lines("--lowvram OOMs on my card").told.what, TOLD_ENDED);
	cr_expect_eq(read_lines("-- out of memory, it says").told.what, TOLD_NOTHING, "a comment of SQL or Lua");
	cr_expect_eq(read_lines("It runs out of GPU memory within 3-4 iterations").later.line, 1);
	cr_expect_eq(read_lines("It runs out of GPU memory within 3-4 iterations, with a tiny model").grows.line, 0, "a time is no growth");
}

Test(oom_blame, copies_of_data)
{
	static const char *const yes[] = { "It gets killed as each process gets a replica of the dataset.", "With 4 GPUs every rank holds its own copy of the features, and RAM is full",
	    "each process loads the entire corpus", "the data are duplicated in each worker", "it spends its time on pickling the dataset to the other processes" };
	static const char *const no[] = { "Each process loads its part of the dataset.", "each process has no copy of the dataset", "Does each process get a replica of the dataset?", "each process gets a replica of the model",
	    "each GPU has its own data loader", "all processes map the dataset, there is one copy", "each process loads the data", "other processes copy data to the disk", "the entire dataset is copied to the disk" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).replicas.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).replicas.line, 0, "%s", no[i]);
}

Test(oom_blame, whose_memory_it_was_not)
{
	cr_expect(read_lines("It runs out of memory.\nBy the way, the OOM is not CUDA OOM.").told.host);
	cr_expect(!read_lines("It runs out of memory.\nBy the way, the OOM is CUDA OOM.").told.host);
	cr_expect(!read_lines("It runs out of memory.\nIs the OOM not CUDA OOM?").told.host);
	cr_expect(!read_lines("It runs out of memory.\nIt is not CUDA 11 but OOM.").told.host);
}

Test(oom_blame, videos_and_their_size)
{
	static const char *const large[] = { "The resolution of my video is 4k.", "our input images are 8k" };
	static const char *const small[] = { "The resolution of my monitor is 4k.", "it works with my 4k video", "would my video run if it were 4k", "I have 4k videos of 128 pixels in my set", "is my video of 4k too large?" };

	for EACH(large)
		cr_expect_eq(read_lines(large[i]).large.line, 1, "%s", large[i]);
	for EACH(small)
		cr_expect_eq(read_lines(small[i]).large.line, 0, "%s", small[i]);
	cr_expect_eq(read_lines("Long videos only, the short ones run.").media.line, 1);
	cr_expect_eq(read_lines("OOM only with long videos").media.line, 1);
	cr_expect_eq(read_lines("not with long videos only").media.line, 0);
	cr_expect_eq(read_lines("It works only with long videos").media.line, 0);
	cr_expect_eq(read_lines("only with long training").media.line, 0);
}

Test(oom_blame, devices_that_idle)
{
	cr_expect_eq(read_lines("GPU 0 and 2 are idling while GPU 1 is busy").unused.line, 1);
	cr_expect_eq(read_lines("The GPU is idling while the CPU loads data").unused.line, 0);
	cr_expect_eq(read_lines("The GPU is mostly idle").unused.line, 0);
}

Test(oom_blame, shorter_ones_work)
{
	static const char *const yes[] = { "It works with short recordings, but with one of five minutes it is out of memory.", "Small pictures run fine, however large ones crash with an OOM error" };
	static const char *const no[] = { "It works with short recordings, but with long ones it takes hours.", "Does it work with short ones, but run out of memory with long ones?", "It works on the smaller card, but a larger batch is out of memory",
	    "It never works with short ones, but long ones are out of memory, too", "It works with short ones, but it is out of memory now" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
	cr_expect_eq(read_lines("OOM\nI only trained on the first 100 classes and it worked.").less.line, 2);
	cr_expect_eq(read_lines("OOM\nI only trained on the first 100 classes and it still failed.").less.line, 0);
}

Test(oom_blame, learning_through_steps_of_learning)
{
	static const char *const yes[] = { "I cannot train MAML on one card", "it calls autograd.grad(loss, weights, create_graph=True)", "it needs second-order gradients" };
	static const char *const no[] = { "I use first-order MAML", "without MAML it is out of memory", "the gradient penalty has create_graph=True", "the second order of pizza" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).tasks.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).tasks.line, 0, "%s", no[i]);
}

Test(oom_blame, gradients_that_are_on)
{
	static const char *const yes[] = { "The test script has no torch.no_grad() around it.", "I evaluate without torch.no_grad() and the GPU is full", "there is not no_grad around the forward" };
	static const char *const no[] = { "There is no problem with torch.no_grad().", "Is it without torch.no_grad()?", "Even without torch.no_grad() it is the same", "it works without torch.no_grad()", "torch.no_grad() is there" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).ungraded.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).ungraded.line, 0, "%s", no[i]);
}

Test(oom_blame, one_difference)
{
	cr_expect_eq(read_lines("The only difference between yours and mine is their length.").media.line, 1);
	cr_expect_eq(read_lines("The only difference is the GPU and the length of its cable.").media.line, 0);
	cr_expect_eq(read_lines("The only difference is the resolution.").large.line, 1);
	cr_expect_eq(read_lines("Is the only difference the resolution?").large.line, 0);
	cr_expect_eq(read_lines("The frames might be too big for my GPU").large.line, 1);
	cr_expect_eq(read_lines("The network of the frames might be too big for my GPU").large.line, 0);
	cr_expect_eq(read_lines("The frames are not too big for my GPU").large.line, 0);
	cr_expect_eq(read_lines("I can go up to 640 px. Anything larger is out of memory.").less.line, 1);
	cr_expect_eq(read_lines("I can go up to 640 px. Anything larger is slow.").less.line, 0);
	cr_expect_eq(read_lines("I should go up to 640 px. Anything larger is out of memory.").less.line, 0);
}

Test(oom_blame, machines_with_little_memory)
{
	static const char *const yes[] = { "It is Killed on a Raspberry Pi.", "I run it on a VM, with 4 GB of RAM", "my laptop has 8 GB of memory" };
	static const char *const no[] = { "Unlike on a Raspberry Pi, it is killed here", "Should it run on a Raspberry Pi?", "my laptop has 64 GB of memory", "my laptop has a GPU with 4 GB of memory", "my laptop has 8 GB on its disk",
	    "the file has 4 GB of memory" };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).small.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).small.line, 0, "%s", no[i]);
	cr_expect_eq(read_lines("I increased the swap to 8 GB and now it works.").swapped.line, 1);
	cr_expect_eq(read_lines("I increased the swap to 8 GB. The model is loaded now. But it is slow, not good.").swapped.line, 1);
	cr_expect_eq(read_lines("I increased the swap to 8 GB but it still works no better.").swapped.line, 0);
	cr_expect_eq(read_lines("You could try increasing the swap, then it works.").swapped.line, 0);
}

Test(oom_blame, processes_on_one_device)
{
	cr_expect_eq(read_lines("With a certain number of processes it is out of GPU memory.").processes.line, 1);
	cr_expect_eq(read_lines("It is not dependent on the number of processes.").processes.line, 0);
	cr_expect_eq(read_lines("The loader has too many processes").processes.line, 0);
	cr_expect_eq(read_lines("Does it need fewer processes?").processes.line, 0);
}

Test(oom_blame, memory_that_did_not_end)
{
	cr_expect_eq(read_lines("it crashed and did not run out of RAM").told.what, TOLD_NOTHING);
	cr_expect_eq(read_lines("just a crash (I didn't run out of RAM)").told.what, TOLD_NOTHING);
	cr_expect_neq(read_lines("it crashed and did run out of RAM").told.what, TOLD_NOTHING);
}

Test(oom_blame, one_sample_already)
{
	cr_expect_eq(read_lines("Batch-size is already 1.").of_batch.line, 1);
	cr_expect_eq(read_lines("Batch-size is already 16.").of_batch.line, 0);
	cr_expect_eq(read_lines("with the batch size at 1 already it works").of_batch.line, 0);
	cr_expect_eq(read_lines("Is the batch size 1 already?").of_batch.line, 0);
}

Test(oom_blame, sizes_with_which_it_works)
{
	static const char *const yes[] = { "With bs=24 it works.", "It runs with an image size of 320.", "using max_length: 256 it works fine" };
	static const char *const no[] = { "With bs=24 it does not work.", "Does it work with bs=24?", "On an A100 with bs=24 it works.", "It should work with bs=24.", "With bs=24 it works for two epochs and then it is out of memory.",
	    "With bs=24 the loss works better in the paper.", "I work with bs=auto.", "It still works with bs=24 as before." };

	for EACH(yes)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for EACH(no)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
}
