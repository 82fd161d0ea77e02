/*
 * What people say of how much is given at once, and of the device that it is given to: words that
 * tell it, and near them some that do not. They are made up.
 */
#include <criterion/criterion.h>

#include "oom_lines.h"

Test(oom_bulk, a_card_that_has_little)
{
	static const char *const yes[] = { "I train on a GTX 1650 4GB", "my GPU has 6 GB of memory", "a 4 GB GPU", "an nvidia GPU that is 2GB",
	    "GeForce GT 730 2GB", "I have a 1660Ti 6GB", "My laptop has 16 GB RAM, and a GTX 1060 with 6 GB", "4 GB vram",
	    "Training on my 4GB GPU runs out of memory even with one picture, is there a way?", "8 GB are needed, but mine is 2G", "my card has 3 GB",
	    "train.py failed with a GTX1080Ti 11GB", "my device: 2080Ti with 11G memory", "a Titan with 12 GB", "I use an RTX 2080 Ti" };
	static const char *const no[] = { "I have 8 GB of RAM", "a GPU with 24 GB", "the GPU uses 4 GB", "GPU usage is 4G/24G", "a GPU of 16GB or even 8GB should be enough",
	    "you need a GPU with 8 GB", "it works on my 6 GB GPU", "I upgraded from a 4 GB GPU", "does it run on a GPU with 4 GB?", "the file has 4 GB", "2*8 GB GPUs",
	    "4 GB of memory without GPU", "a GPU with 0 GB", "1.5 GB GPU", "the GPU has 4",
	    "is it out of memory on a 6 GB GPU, or enough?", "mine is fine with 4 GB", "a memory card of 4 GB", "does mine need 4 GB?", "a Titan RTX with 24 GB",
	    "I use an RTX 3090", "a V100 with 16 GB", "I train on 2 gpus and a 6 GB dataset", "my GPU reads a 4 GB file" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).card.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).card.line, 0, "%s", no[i]);
}

Test(oom_bulk, a_size_of_pictures_that_runs)
{
	static const char *const yes[] = { "I am able to run 128x128, but 256x256 does not work", "It can generate 512x512 but 1024x1024 crashes", "I can train 300x300, but cannot train 600x600" };
	static const char *const no[] = { "I am able to run 512x512, but 256x256 does not work", "I am not able to run 128x128, but 256x256 does work", "I can run 128x128, and 256x256",
	    "Can it run 128x128 if 256x256 does not work?", "I can run 3x3 kernels, but 5x5 does not work", "I can run 128 of them, but 256 do not work" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
}

Test(oom_bulk, smaller_ones_that_run)
{
	static const char *const yes[] = { "For smaller dimensions the code runs without error", "it works with a smaller image", "with fewer samples it ran fine",
	    "But when I use just a small part of the data, like the first 5000 rows, the code finally runs well.", "Reducing the 'hidden_size' parameter to 64 allows for model training" };
	static const char *const no[] = { "it should work with a smaller image", "does it work with a smaller image?", "it does not work with a smaller image", "you can use a smaller image", "Reducing the size to 64 may allow it", "Reducing the number of 64 rows never allowed it",
	    "with a smaller image the GPU is still out of memory, it works otherwise" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
}

Test(oom_bulk, sides_by_their_unit)
{
	static const char *const yes[] = { "OOM with a 1000px output", "OOM for 2048 pixels", "OOM for images of 1k*1k", "OOM for 2Kx2K inputs" };
	static const char *const no[] = { "OOM with a 64px output", "OOM for 1000 samples", "OOM, and 1k steps", "it works for 1000px, OOM", "OOM for 1k*", "OOM for v1000px" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).large.line, 1, "%s", yes[i]);
	for (i = 0; i < 3; i++)
		cr_expect_eq(read_lines(no[i]).large.line, 0, "%s", no[i]);
	cr_expect_eq(read_lines(no[4]).large.line, 0, "%s", no[4]);
	cr_expect_eq(read_lines(no[5]).large.line, 0, "%s", no[5]);
}

Test(oom_bulk, sides_that_markdown_makes_bold)
{
	struct oom_paste p = read_lines("OOM with images of **1920x1080**\n");

	cr_expect_eq(p.said_high, 1920);
	cr_expect_eq(p.said_wide, 1080);
	cr_expect_eq(read_lines("images of 8*1920*1080*3\n").said_line, 0, "of more than two extents");
}

Test(oom_bulk, several_sizes)
{
	cr_expect_eq(read_lines("When I use multi-scale training it is out of memory\n").sizes.line, 1);
	cr_expect_eq(read_lines("Without multi-scale it is out of memory, too\n").sizes.line, 0);
	cr_expect_eq(read_lines("It is out of memory. The paper has a multi-scale head.\n").sizes.line, 0, "of another sentence");
}

Test(oom_bulk, whole_sets_of_data)
{
	static const char *const yes[] = { "MemoryError for the full mnist dataset", "it explodes my memory with a larger dataset", "out of memory due to a large number of the dataset",
	    "my memory is not enough for large datasets", "It loads the whole train_data into the RAM at once", "is it loading the entire dataset before training?" };
	static const char *const no[] = { "out of memory on a small dataset", "the dataset is public, and I am out of memory", "a full report. Memory ends for any dataset",
	    "It never reads all data into RAM", "all data is loaded from disk", "it loads the model at once for all users" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).told.data.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).told.data.line, 0, "%s", no[i]);
}

Test(oom_bulk, sizes_of_models_by_what_stands_beside_them)
{
	cr_expect_eq(read_lines("40 GB are not enough for 70B-QLoRA\n").millions, 70000);
	cr_expect_eq(read_lines("OOM with a 13B model\n").millions, 13000);
	cr_expect_eq(read_lines("$ ollama run deepseek-r1:671b\n").millions, 671000);
	cr_expect_eq(read_lines("it has 13B rows\n").millions, 0);
	cr_expect_eq(read_lines("at 12:30b models wait\n").millions, 0);
	cr_expect_eq(read_lines("layer 1b model\n").millions, 1000);
	cr_expect_eq(read_lines("the 13B model gives no OOM\n").millions, 0, "another's");
	cr_expect_eq(read_lines("70B-").millions, 0, "cut");
}

Test(oom_bulk, processes_of_cards)
{
	struct oom_paste p = read_lines("|    0     21001      C   python                 519MiB |\n|    1     21001      C   python                6501MiB |\n"
	    "|    0   N/A  N/A      5898      C   ./darknet           1906MiB |\n");

	cr_expect_eq(p.held_count, 3);
	cr_expect_eq(p.held_by[0].process, 21001);
	cr_expect_eq(p.held_by[1].gpu, 1);
	cr_expect_eq(p.held_by[2].process, 5898);
	cr_expect_eq(read_lines("|    0     C   python                 519MiB |\n").held_count, 0, "no number");
}

Test(oom_bulk, counts_of_nodes)
{
	cr_expect_eq(read_lines("killed with a graph of 60000 nodes\n").told.graph.line, 1);
	cr_expect_eq(read_lines("killed on 16 nodes of 8 GPUs\n").told.graph.line, 0, "of a cluster");
	cr_expect_eq(read_lines("killed after 60000 steps on nodes\n").told.graph.line, 0);
}

Test(oom_bulk, pairs_of_many)
{
	static const char *const yes[] = { "I compute pairwise distances between 50000 points", "I compute the distance matrix of 12,500 cells", "We need all pairs of 3000 nodes",
	    "the distances matrix between 60000 vectors", "the pairwise_dist function needs a lot of memory", "all pairs are made, which is quadratic in the atoms" };
	static const char *const no[] = { "I compute pairwise distances between 500 points", "We avoid all pairs of 30000 nodes", "I use a pairwise loss for 20000 pictures",
	    "I compute the distance matrix of 0.5000 points", "I compute all pairs. There are 30000 nodes", "I compute all pairs of a30000 nodes", "I compute all pairs",
	    "pairwise_dist is used for pictures of 4096 x 4096", "we compute it without the pairwise_dist function, so it needs a lot of memory" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).pairs.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).pairs.line, 0, "%s", no[i]);
}

Test(oom_bulk, several_models_at_once)
{
	cr_expect_eq(read_lines("it is out of memory with two models on one GPU\n").models.line, 1);
	cr_expect_eq(read_lines("it is out of memory for both of the models\n").models.line, 0);
	cr_expect_eq(read_lines("I tried several models. Out of memory.\n").models.line, 0);
}

Test(oom_bulk, a_hook_of_lightning)
{
	cr_expect_eq(read_lines("OOM with training_epoch_end\n").hook.line, 1);
	cr_expect_eq(read_lines("I wrote training_epoch_end. Then it was out of memory.\n").hook.line, 0, "of another sentence");
}

Test(oom_bulk, words_that_have_frames_within)
{
	cr_expect_eq(read_lines("core/framework/op_kernel.cc: shape[14525,2000]\n").said_line, 0);
	cr_expect_eq(read_lines("frames of 1024x2000\n").said_line, 1);
}

Test(oom_bulk, a_model_of_any_family_by_what_reads_it)
{
	cr_expect_eq(read_lines("m = AutoModel.from_pretrained(\"some/Breeze-7B-Instruct\")\n").millions, 7000);
	cr_expect_eq(read_lines("python a.py --model some/breeze-7b\n").millions, 7000);
	cr_expect_eq(read_lines("python a.py --out some/breeze-7b\n").millions, 0);
}

Test(oom_bulk, gradients_that_should_be_off)
{
	cr_expect_eq(read_lines("Should use torch.no_grad in validation_step()?\n").no_grad, 0);
	cr_expect_eq(read_lines("with torch.no_grad():\n").no_grad, 1);
}
