/* What a line of a report is: a program's, code, or a person's. The lines are made up, after forms
 * that reports have. */
#include <criterion/criterion.h>

#include <string.h>

#include "oom/oom_source.h"

#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))
#define MOST		16

struct line {
	enum oom_source source;
	const char *text;
};

static void
expect(const struct line *line, size_t n)
{
	struct oom_sources sources = { 0 };
	struct arena *a = arena_new();
	struct lexicon *l = lexicon_new(a);
	size_t i;

	for (i = 0; i < n && line[i].text; i++) {
		enum oom_source source = oom_source_of(&sources, lexicon_read(l, line[i].text, strlen(line[i].text)));

		cr_expect_eq(source, line[i].source, "%s: %d, not %d", line[i].text, (int)source, (int)line[i].source);
	}
	arena_free(a);
}

/* Each by itself. */
Test(oom_source, lines)
{
	static const struct line lines[] = {
		{ SOURCE_NONE, "" }, { SOURCE_NONE, "   " }, { SOURCE_NONE, "```python" },
		/* a program's */
		{ SOURCE_OUTPUT, "2021-02-06 19:49:11.123 loading" },
		{ SOURCE_OUTPUT, "19:49:11 | it is the first of 3 steps" },
		{ SOURCE_OUTPUT, "[INFO] the model has 3 layers" },
		{ SOURCE_OUTPUT, "2018-02-06 19:49:00: I tensorflow/core/x.cc:3] I am up" },
		{ SOURCE_OUTPUT, "F0601 syncedmem.cpp:56] Check failed" },
		{ SOURCE_OUTPUT, "RuntimeError: CUDA out of memory. If it is more than that, try to set it" },
		{ SOURCE_OUTPUT, "torch.cuda.OutOfMemoryError: CUDA out of memory." },
		{ SOURCE_OUTPUT, "KeyboardInterrupt" },
		{ SOURCE_OUTPUT, "Epoch 3/10" }, { SOURCE_OUTPUT, "Epoch: [2][40/90] loss 0.3" }, { SOURCE_OUTPUT, "iter 100, loss: 0.3" },
		{ SOURCE_OUTPUT, " 45%|####      | 40/90 [00:01<00:02]" },
		{ SOURCE_OUTPUT, "***** Running training *****" },
		{ SOURCE_OUTPUT, "/a/b.py:9: UserWarning: it is not there" },
		{ SOURCE_OUTPUT, "Killed" },
		{ SOURCE_OUTPUT, "[rank0]: it is full" },
		{ SOURCE_OUTPUT, "[09/12 12:01:02 d2.engine]: it is begun" }, { SOURCE_OUTPUT, "INFO 06-20 12:01:02 engine.py:72] it is begun" },
		{ SOURCE_OUTPUT, "I20240101 12:01:02.123 3 net.cpp:18] it is up" }, { SOURCE_OUTPUT, "[2024-06-20 12:01:02] it is begun" },
		{ SOURCE_OUTPUT, "W tensorflow/core/x.cc:3] it is full" }, { SOURCE_OUTPUT, "WARNING: please set it" },
		{ SOURCE_OUTPUT, "a.cu(9): warning: it is not used" }, { SOURCE_OUTPUT, "Killed     python train.py to the end" },
		{ SOURCE_OUTPUT, "Exception: it is full" },
		/* a traceback's */
		{ SOURCE_TRACE, "Traceback (most recent call last):" },
		{ SOURCE_TRACE, "  File \"train.py\", line 9, in forward" },
		{ SOURCE_TRACE, "> [rank0]:   File \"train.py\", line 9, in f" },
		{ SOURCE_TRACE, "a/train.py:9: in f" }, { SOURCE_TRACE, "~/a/train.py in f(x)" },
		{ SOURCE_TRACE, "----> 3 model(x)" }, { SOURCE_TRACE, "---> 12 y = model(x)" },
		/* tables */
		{ SOURCE_TABLE, "|  0%   45C    P2    60W / 250W |  11000MiB / 11178MiB |    100%      Default |" },
		{ SOURCE_TABLE, "+-------------------------------+" },
		/* what is typed */
		{ SOURCE_COMMAND, "$ python train.py" }, { SOURCE_COMMAND, "!pip install a" }, { SOURCE_COMMAND, "%%time" },
		{ SOURCE_COMMAND, "python train.py --batch-size 4 --name a" }, { SOURCE_COMMAND, "CUDA_VISIBLE_DEVICES=0 python train.py" },
		{ SOURCE_COMMAND, "user@host:~/a$ python train.py" }, { SOURCE_COMMAND, "(base) C:\\a>python train.py" },
		{ SOURCE_COMMAND, "(env) user@host:~/a$ ls" }, { SOURCE_COMMAND, "torchrun --nproc_per_node 2 a.py" },
		/* settings */
		{ SOURCE_SETTING, "batch_size: 4" }, { SOURCE_SETTING, "batch=64" }, { SOURCE_SETTING, "\"epochs\": 3," },
		{ SOURCE_SETTING, "--train_batch_size 4" }, { SOURCE_COMMAND, "  --bf16 \\" }, { SOURCE_PROSE, "-- what else I did, as it may help you" }, { SOURCE_SETTING, "lr=0.1" },
		/* code */
		{ SOURCE_CODE, "import torch" }, { SOURCE_CODE, "from torch import nn" }, { SOURCE_CODE, "def forward(self, x):" },
		{ SOURCE_CODE, "for x, y in loader:" }, { SOURCE_CODE, "with torch.no_grad():" }, { SOURCE_CODE, "    return self.fc(x)" },
		{ SOURCE_CODE, "x = self.conv(x)" }, { SOURCE_CODE, "total_loss += loss" }, { SOURCE_CODE, "self.a[i] = f(x)" },
		{ SOURCE_CODE, "a, b = f(x)" }, { SOURCE_CODE, "model.cuda()" }, { SOURCE_CODE, ">>> model.cuda()" },
		{ SOURCE_CODE, "`model.eval()`" }, { SOURCE_CODE, "print(\"this is the end of my run\")" },
		{ SOURCE_CODE, "model = nn.DataParallel(model)   # it is on my two cards" }, { SOURCE_CODE, "cudaMalloc(&p, n);" },
		{ SOURCE_CODE, "while not a and b is None:" }, { SOURCE_CODE, "with open(f) as g, h(\"of a b\") as i:" },
		{ SOURCE_CODE, "if (const auto *p = f(x)) {" }, { SOURCE_CODE, "for it in range(10):" }, { SOURCE_CODE, "return" },
		{ SOURCE_CODE, "@torch.no_grad()" }, { SOURCE_CODE, "if (x == 3) {" }, { SOURCE_CODE, "nn.Linear(3, 4)," },
		/* comments */
		{ SOURCE_COMMENT, "#model = nn.DataParallel(model)" }, { SOURCE_COMMENT, "# model = nn.DataParallel(model)" },
		{ SOURCE_COMMENT, "// model = nn.DataParallel(model)" },
		/* a person's */
		{ SOURCE_PROSE, "I use nn.DataParallel(model) and it fails." }, { SOURCE_PROSE, "# My model is too large" },
		{ SOURCE_PROSE, "python train.py gives me OOM" }, { SOURCE_PROSE, "I set batch_size=1 and it is still full" },
		{ SOURCE_PROSE, "it fails in train.py in function forward" }, { SOURCE_PROSE, "With a batch of 4 it fails:" },
		{ SOURCE_PROSE, "For example, the error occurs at epoch 3/10" }, { SOURCE_PROSE, "from there it is full" },
		{ SOURCE_PROSE, "While training it crashes:" }, { SOURCE_PROSE, "import works, but the rest does not" },
		{ SOURCE_PROSE, "batch_size=4\xe4\xbc\x9a\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3" }, { SOURCE_PROSE, "\xe8\xae\xad\xe7\xbb\x83 train.py" },
		{ SOURCE_CODE, "x = f(y)   # \xe8\xae\xad\xe7\xbb\x83" }, { SOURCE_OUTPUT, "12/12/2024 07:07:23 - INFO - it is begun" },
		{ SOURCE_PROSE, "Python is what I use" }, { SOURCE_PROSE, "Epoch 3 is where it fails" }, { SOURCE_PROSE, "> the memory grows in each epoch" },
		{ SOURCE_PROSE, "Description: I train my net with batch_size=64" }, { SOURCE_PROSE, "Assumption: the batch is 4" },
		{ SOURCE_PROSE, "Caption: it is full" }, { SOURCE_PROSE, "Option: do it by 4" },
		{ SOURCE_PROSE, "More info: I once tried batch_size=4 at epoch 3/10 and it worked" },
		{ SOURCE_PROSE, "Info: I once tried batch_size=4 at epoch 3/10 and it worked" },
		{ SOURCE_PROSE, "I am using tensorflow/tensorflow:latest-gpu in docker" },
		{ SOURCE_PROSE, "I get this warning: the batch_size=4 is small" }, { SOURCE_PROSE, "this UserWarning is what I get" },
		{ SOURCE_PROSE, "Killed at epoch 3/10 for my friend, batch_size=4 was OK for him" },
		{ SOURCE_PROSE, "while training with batch_size=64 crashes:" }, { SOURCE_PROSE, "while training with batch_size=64 it crashes:" },
		{ SOURCE_PROSE, "with larger batches, batch_size=64:" }, { SOURCE_PROSE, "if training on GPU:" },
		/* neither for sure */
		{ SOURCE_UNSURE, "batch_size=1 works fine" }, { SOURCE_UNSURE, "batch_size=4 crashes, batch_size=2 works" },
		{ SOURCE_UNSURE, "losses.append(loss) fails" },
		{ SOURCE_UNSURE, "Memory leak in validation" }, { SOURCE_UNSURE, "CUDA out of memory" }, { SOURCE_UNSURE, "# Environment" },
		{ SOURCE_UNSURE, "- GPU: RTX 2080" }, { SOURCE_UNSURE, "Batch size = 4" },
	};
	size_t i;

	for (i = 0; i < COUNT(lines); i++)
		expect(&lines[i], 1);
}

/* What stands ahead of it decides, too. */
Test(oom_source, blocks)
{
	static const struct line blocks[][MOST] = {
		/* a fence holds a program's, but for what a person says of himself */
		{ { SOURCE_NONE, "```" }, { SOURCE_OUTPUT, "the model is loaded" }, { SOURCE_COMMENT, "# the model" }, { SOURCE_PROSE, "here I get OOM" },
		    { SOURCE_NONE, "```" }, { SOURCE_PROSE, "the model is loaded" } },
		{ { SOURCE_OUTPUT, "```the model is loaded```" }, { SOURCE_PROSE, "the model is loaded" } },
		/* the line of code of a call */
		{ { SOURCE_TRACE, "  File \"a.py\", line 9, in f" }, { SOURCE_TRACE, "    assert x, \"it is the end\"" },
		    { SOURCE_OUTPUT, "RuntimeError: a" }, { SOURCE_PROSE, "What can I do?" } },
		/* within code */
		{ { SOURCE_CODE, "x = f(y)" }, { SOURCE_COMMENT, "# the first of them" }, { SOURCE_CODE, "y = f(x)" }, { SOURCE_NONE, "" },
		    { SOURCE_PROSE, "# What I tried" } },
		/* and what R's reprex writes between it */
		{ { SOURCE_CODE, "x = f(y)" }, { SOURCE_OUTPUT, "#> Error in f(y)" }, { SOURCE_CODE, "y = f(x)" }, { SOURCE_COMMENT, "# Error in f(y)" } },
		{ { SOURCE_CODE, "def f(x):" }, { SOURCE_COMMENT, "\"\"\"It is the loop of validation:" }, { SOURCE_COMMENT, "model.eval()" },
		    { SOURCE_COMMENT, "\"\"\"" }, { SOURCE_CODE, "return x" } },
		/* a report's form; and Markdown's titles are not inset */
		{ { SOURCE_COMMENT, "<!-- does it fail in validation? -->" }, { SOURCE_PROSE, "it does" }, { SOURCE_COMMENT, "<!-- what is" },
		    { SOURCE_COMMENT, "the batch? -->" }, { SOURCE_PROSE, "it is one <!--" }, { SOURCE_COMMENT, "or two" } },
		/* the end of what it asks is deleted: what failed, and a fence, are seen all the
		 * same; a fence has no such comments */
		{ { SOURCE_COMMENT, "<!-- what is it" }, { SOURCE_COMMENT, "the batch" }, { SOURCE_TRACE, "Traceback (most recent call last):" },
		    { SOURCE_OUTPUT, "RuntimeError: a" }, { SOURCE_SETTING, "batch_size=64" } },
		{ { SOURCE_COMMENT, "<!-- what is it" }, { SOURCE_NONE, "```" }, { SOURCE_SETTING, "batch_size=64" } },
		{ { SOURCE_NONE, "```" }, { SOURCE_OUTPUT, "<!-- begin of template" }, { SOURCE_SETTING, "batch_size=64" },
		    { SOURCE_NONE, "```" }, { SOURCE_UNSURE, "validation loop" } },
		{ { SOURCE_UNSURE, "# validation loop" }, { SOURCE_NONE, "" }, { SOURCE_COMMENT, "    # validation loop" } },
		{ { SOURCE_UNSURE, "> # validation loop" }, { SOURCE_NONE, ">" }, { SOURCE_COMMENT, ">     # validation loop" } },
		/* a text of several lines does not go on over what failed */
		{ { SOURCE_CODE, "def f(x):" }, { SOURCE_COMMENT, "\"\"\"It is the loop" }, { SOURCE_OUTPUT, "RuntimeError: a" } },
		/* a block is one thing; a blank line ends it */
		{ { SOURCE_OUTPUT, "[INFO] begun" }, { SOURCE_OUTPUT, "loading weights" }, { SOURCE_NONE, "" }, { SOURCE_UNSURE, "loading weights" } },
	};
	size_t i;

	for (i = 0; i < COUNT(blocks); i++)
		expect(blocks[i], MOST);
}
