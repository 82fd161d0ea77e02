/*
 * What people say made the difference, and what their network is for: words that tell it, and near
 * them some that do not. They are made up.
 */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define COUNT(v)	(sizeof(v) / sizeof(*(v)))

Test(oom_cure, what_was_added)
{
	static const char *const yes[] = { "When I enable --train_text_encoder I get CUDA out of memory.", "It is out of memory as soon as I add the second head", "the OOM happens only when I use the perceptual loss",
	    "Training works without the discriminator.", "After adding an auxiliary branch it runs out of memory" };
	static const char *const no[] = { "Even when I enable gradient checkpointing it is out of memory", "when I enable amp it is still out of memory", "When I add a print, it is out of memory",
	    "It works without any error.", "does it work without the discriminator?", "When I enable it, it works.", "when I add the second head the loss is nan", "it never works without the discriminator",
	    "when I use a smaller batch it is out of memory, too" };
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).turned_on.line, 1, "%s", yes[i]);
	for (i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).turned_on.line, 0, "%s", no[i]);
}

Test(oom_cure, what_ended_it)
{
	static const char *const yes[] = { "I solved it by keeping numbers in place of tensors.", "It was fixed by a restart of the machine", "it was sufficient to set n_samples to 50", "The error goes away when I remove the second loss" };
	static const char *const no[] = { "It could be fixed by a restart", "How is it solved by others?", "Can this be fixed by a restart?", "you may have solved it by now", "it was not fixed by a restart", "someone solved it by a restart" };
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).ended_by.line, 1, "%s", yes[i]);
	for (i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).ended_by.line, 0, "%s", no[i]);
}

Test(oom_cure, a_cache_that_is_emptied)
{
	static const char *const yes[] = { "I call torch.cuda.empty_cache() after each step. Now it is solved.", "with torch.cuda.empty_cache() memory stays constant", "empty_cache() in each step solved the issue" };
	static const char *const no[] = { "I tried torch.cuda.empty_cache(), it is not solved", "torch.cuda.empty_cache() does not help", "I call torch.cuda.empty_cache(). It still fails.", "would empty_cache() have helped?",
	    "I call empty_cache() after each step." };
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).emptied.line, 1, "%s", yes[i]);
	for (i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).emptied.line, 0, "%s", no[i]);
}

Test(oom_cure, a_number_that_was_changed)
{
	static const char *const yes[] = { "I changed crop from 256 to 200, it seems to work. Is that right?", "when I reduce the minibatch 256 to 32 it runs well" };
	static const char *const no[] = { "I changed crop from 200 to 256, it seems to work", "I changed torch from 2 to 1, and it works", "I changed crop from 256 to 200, does it work?", "I changed crop from 256 to 200, it still does not work",
	    "I changed the learning rate from 10 to 1 and it works" };
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for (i = 0; i < COUNT(no); i++)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
}

Test(oom_cure, other_data_in_one_sentence)
{
	cr_expect_eq(read_lines("With the data set of faces it is working, when I changed to cars it is out of memory").other_data.line, 1);
	cr_expect_eq(read_lines("With the data set of faces it is working, when I changed to cars it works").other_data.line, 0);
	cr_expect_eq(read_lines("With a ResNet it is working, when I changed to a ViT it is out of memory").other_data.line, 0);
	cr_expect_eq(read_lines("With the data set it is working, when I changed to a larger model it is out of memory").other_data.line, 0);
}

Test(oom_cure, what_a_network_is_for)
{
	cr_expect_eq(read_lines("I train an ASR model with ESPnet").domains[DOMAIN_SPEECH].line, 1);
	cr_expect_eq(read_lines("I embed FB15k-237").domains[DOMAIN_ENTITIES].line, 1);
	cr_expect_eq(read_lines("RandRotate and a complex loss").domains[DOMAIN_ENTITIES].line, 0, "%s", "words for other things");
	cr_expect_eq(read_lines("File \"/opt/nnunet/run.py\", line 4, in run").domains[DOMAIN_VOLUMES].line, 1);
	cr_expect_eq(read_lines("gt_size: 256").domains[DOMAIN_RESTORES].line, 1);
}

Test(oom_cure, what_is_read_into_memory)
{
	cr_expect_eq(read_lines("It fails since it is reading training patches in memory").told.data.line, 1);
	cr_expect_eq(read_lines("It fails though it reads images into memory on demand").told.data.line, 1, "%s", "\"into memory\" by itself is of data");
	cr_expect_eq(read_lines("It is reading a file in memory").told.data.line, 0);
	cr_expect_eq(read_lines("It runs out of RAM while loading the features from its .hdf5 files").told.data.line, 1);
	cr_expect_eq(read_lines("It runs out of RAM while loading the model's .hdf5 weights").told.data.line, 0);
}

Test(oom_cure, growth_beside_what_stands_aside)
{
	cr_expect(read_lines("the computer's memory (no cuda memory) keeps increasing").grows.line);
	cr_expect(read_lines("the computer's memory (no cuda memory) keeps increasing").told.host);
	cr_expect(read_lines("a non-stop increasing GPU memory consumption").grows.line);
	cr_expect_not(read_lines("the memory does not keep increasing (no cuda memory)").grows.line);
}

Test(oom_cure, a_flag_that_does_nothing)
{
	cr_expect_eq(read_lines("The volatile flag is deprecated since 0.4").deprecated.line, 1);
	cr_expect_eq(read_lines("The volatile memory of the board is full").deprecated.line, 0);
}

Test(oom_cure, a_version_that_mends_it)
{
	cr_expect_eq(read_lines("`transformers>=4.46.0` resolved this issue").version.line, 1);
	cr_expect_eq(read_lines("OOM when upgrading to 1.2.0 of the library").version.line, 1);
	cr_expect_eq(read_lines("transformers>=4.46.0 may have fixed this issue").version.line, 0);
	cr_expect_eq(read_lines("a batch of 4 resolved this issue").version.line, 0);
	cr_expect_eq(read_lines("has transformers 4.46.0 fixed this issue?").version.line, 0);
}

Test(oom_cure, a_batch_in_a_command_or_glued)
{
	cr_expect_eq(read_lines("I run `python main.py --batch_size 16 --epochs 2` here. It is out of memory.").least_batch, 16);
	cr_expect_eq(read_lines("You could run `python main.py --batch_size 16`. It is out of memory.").least_batch, 0);
	cr_expect_eq(read_lines("I have batch size16 and it is out of memory").least_batch, 16);
	cr_expect_eq(read_lines("I have batch size16x and it is out of memory").least_batch, 0);
}

Test(oom_cure, a_leak_that_is_guessed)
{
	cr_expect_eq(read_lines("Maybe some library causes a memory leak").grows.line, 0);
	cr_expect_eq(read_lines("Maybe it leaks: memory keeps increasing").grows.line, 1);
	cr_expect_eq(read_lines("There is a memory leak").grows.line, 1);
}
