/* What people say beside a log: sentences that tell of a failure, and near them some that do not.
 * They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

Test(oom_words, validation_and_tests)
{
	static const char *const yes[] = { "it goes smoothly until validation, where it fails", "GPU memory spike on validation", "out of memory in test time", "it always fails in the validation step", "the error comes during evaluation",
	    "it crashes when testing on my own pictures", "it fails in test mode", "It works in training but fails during validation",
	    "there is not enough memory during evaluation",
	    "testing the code on my data, I get OOM during validation", "OOM when I call model.predict on all of it", "out of memory at predict time", "Validation out of memory", "CUDA out of memory when validation" };
	static const char *const no[] = { "200 pictures in my validation set", "I get OOM in training. When testing on my own pictures I used another card.", "it predicts well", "I run model.predict on all of it", "model.predict works", "it saves when validation accuracy is best", "Test code:", "When I tested with a batch of 4 it failed", "val_loss: 0.4", "I tested it on two cards",
	    "testing the driver helps", "Schema validation fails for my config", "Schema validation fails. I get OOM in training.", "out of memory when testing the code with my data", "OOM while testing your code", "It works during validation, but fails during training",
	    "It fails when training, never when validating", "during evaluation it works" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).evaluating.line, 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).evaluating.line, 0, "%s", no[i]);
	cr_expect_eq(read_lines("Validation fails with OOM.").evaluating.line, 1);
	cr_expect_eq(read_lines("The validation loss never falls.").evaluating.line, 0);
	cr_expect_eq(read_lines("It exceeds the memory when verifying.").evaluating.line, 1);
	cr_expect_eq(read_lines("I verified that the memory is full.").evaluating.line, 0);
}

Test(oom_words, the_evaluation_of_a_trainer)
{
	cr_expect_eq(read_lines("OOM with eval_accumulation_steps=None").evaluating.line, 1);
	cr_expect_eq(read_lines("OOM with eval_accumulation_steps=None").metrics.line, 1);
	cr_expect_eq(read_lines("def compute_metrics(pred):").metrics.line, 1);
	cr_expect_eq(read_lines("def compute_metrics(pred):").evaluating.line, 0, "where it failed is not said");
}

Test(oom_words, what_is_loaded)
{
	cr_expect_eq(read_lines("I get OOM while loading the weights").loading.line, 1);
	cr_expect_eq(read_lines("is 48 GB not enough to load the model?").loading.line, 1);
	cr_expect_eq(read_lines("Loading model ...").loading.line, 0, "a program's own line");
	cr_expect_eq(read_lines("the load of the machine").loading.line, 0);
	cr_expect_eq(read_lines("I can't load it").loading.line, 0, "why is not said");
	cr_expect_eq(read_lines("there is no failure to load").loading.line, 0);
	cr_expect_eq(read_lines("Without torch.load or anything to load").loading.line, 0);
}

Test(oom_words, several_devices)
{
	cr_expect_eq(read_lines("I use nn.DataParallel on both").parallel.line, 0, "what failed is not said");
	cr_expect_eq(read_lines("the first GPU has more than others, and fails").parallel.line, 1);
	cr_expect_eq(read_lines("(GPU 0 ; 4.00 GiB total capacity").parallel.line, 0);
	cr_expect_eq(read_lines("my GPU is a K80").parallel.line, 0);
	cr_expect_eq(read_lines("I do not use DataParallel, there is one GPU").parallel.line, 0);
	cr_expect_eq(read_lines("without DataParallel").parallel.line, 0);
	cr_expect_eq(read_lines("the first GPU has no memory left").parallel.line, 1);
	cr_expect_eq(read_lines("net = nn.DataParallel(net) is what I use: the first GPU is full").parallel.line, 1, "behind a call");
	cr_expect_eq(read_lines("Do I need multi-gpu for that?").parallel.line, 0);
	cr_expect_eq(read_lines("It fails with multi-gpu training.").parallel.line, 1);
	cr_expect_eq(read_lines("It fails with DataParallel.").parallel.line, 1);
	cr_expect_eq(read_lines("python train.py --gpu 0 --epochs 3").parallel.line, 0, "an option");
	cr_expect_eq(read_lines("Only GPU 0 is full.").parallel.line, 1);
	cr_expect_eq(read_lines("net = torch.nn.DataParallel(net, device_ids=[0])").parallel.line, 0, "code that one device runs, too");
}

/* What only names them says nothing of what failed. */
Test(oom_words, several_devices_in_questions_and_wishes)
{
	static const char *const none[] = {
		"So when it comes to multi-GPU, what is the meaning of IMS_PER_BATCH?", "What does DataParallel do here?",
		"I wonder if I can change the code to use multi-gpu", "The repository supports multi-gpu training.", "I want to use DataParallel later.",
		"You could try DataParallel.", "How is a batch split in data parallel mode?", "Does multi-gpu help?", "multi-gpu is optional, an option of it",
		"With both single GPU and multi GPU I run out of memory.", "OOM on one GPU and in multi-gpu training",
		"It works with one GPU.", "With one GPU it runs out of memory, with four GPUs it works.", "Does it work with a single GPU, or are more GPUs needed?",
		"It does not work on one GPU, and on two GPUs it does not either.",
	};
	static const char *const told[] = {
		"Why does the first GPU run out of memory, and the others do not?", "Why do I run out of memory with DataParallel?", "I run it with multi-gpu and it stops.",
		"I call 2 gpus, but it is still out of memory. When I use a single gpu, it just costs about 5GB.", "On one GPU it works fine, with two GPUs it fails.",
		"It runs well on a single gpu, but with ddp it is out of memory.", "If I use multi-gpu it fails.",
	};
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		cr_expect_eq(read_lines(none[i]).parallel.line, 0, "%s", none[i]);
	for (i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		cr_expect_eq(read_lines(told[i]).parallel.line, 1, "%s", told[i]);
	cr_expect_eq(read_lines("I get well into training, thousands of steps, then it is out of memory").later.line, 1);
}

Test(oom_words, the_size_of_pictures)
{
	struct oom_paste p = read_lines("The dimension of my images is 2480 x 3507.");

	cr_expect_eq(p.said_high, 2480);
	cr_expect_eq(p.said_wide, 3507);
	cr_expect_eq(read_lines("a 550*700 image").said_wide, 700);
	cr_expect_eq(read_lines("a picture of 640\xc3\x97" "480").said_wide, 480);
	cr_expect_eq(read_lines("a matrix of 2480 x 3507").said_wide, 0);
	cr_expect_eq(read_lines("images of 3 x 64").said_wide, 0);
	cr_expect_eq(read_lines("images of 128x128x128").said_wide, 0, "of a volume");
	cr_expect_eq(read_lines("1080i30 image, 2 x").said_wide, 0);
	cr_expect_eq(read_lines("image 1080x").said_wide, 0, "cut");
	cr_expect_eq(read_lines("My screen resolution is 1920x1080.").said_wide, 0);
	cr_expect_eq(read_lines("An image of 320x512 fails, one of 1024x768 does not.").said_wide, -1, "of several sizes");
	cr_expect_eq(read_lines("The images are resized to 224x224 from 4000x3000.").said_wide, 0, "what they were");
}

Test(oom_words, inference_and_versions)
{
	cr_expect_eq(read_lines("it crashes when I run inference on a film").inferring.line, 1);
	cr_expect_eq(read_lines("it crashes on a long video").media.line, 1);
	cr_expect_eq(read_lines("on a long video").media.line, 0);
	cr_expect_eq(read_lines("train on a long video").media.line, 0);
	cr_expect_eq(read_lines("train on a long video").training, 1);
	cr_expect_eq(read_lines("The inference works fine, only fine-tuning fails.").inferring.line, 0);
	cr_expect_eq(read_lines("inference works").inferring.line, 0);
	cr_expect_eq(read_lines("not in inference").inferring.line, 0);
	cr_expect_eq(read_lines("the audio files to train on are long").inferring.line, 0);
	cr_expect_eq(read_lines("30 wavs, mono audio").inferring.line, 0);
	cr_expect_eq(read_lines("no other process uses video memory").inferring.line, 0);
	cr_expect_eq(read_lines("my inferences are right").inferring.line, 0);
	cr_expect_eq(read_lines("it ran with PyTorch 0.3.0").older, 1);
	cr_expect_eq(read_lines("torch==0.4.1").newer, 1);
	cr_expect_eq(read_lines("TensorFlow 0.4").newer, 0);
	cr_expect_eq(read_lines("torch 10.3").older, 0);
}

Test(oom_words, what_is_named_for_something_else)
{
	cr_expect_eq(read_lines("I resumed work on this model today.").resuming.line, 0);
	cr_expect_eq(read_lines("It fails when I resume training from a checkpoint.").resuming.line, 1);
	cr_expect_eq(read_lines("It fails every time I continued training.").resuming.line, 1);
	cr_expect_eq(read_lines("It fails when I generate a video of 5 seconds.").media.line, 1);
	cr_expect_eq(read_lines("Out of memory at the start.\nThe GPU is out of memory after training on some samples.").later.line, 2,
	    "though another line is what is quoted");
	cr_expect_eq(read_lines("I get OOM at the first optimizer step.").told.update.line, 1);
	cr_expect_eq(read_lines("I get OOM.\noptimizer.step()").told.update.line, 0, "code, and no sentence of memory");
	cr_expect_eq(read_lines("OOM comes in the forward pass before the optimizer step.").told.update.line, 0);
	cr_expect_eq(read_lines("I get OOM in the forward pass. It never gets to the optimizer step.").told.update.line, 0);
	cr_expect_eq(read_lines("OOM when optimizer.step() is called.").told.update.line, 1);
	cr_expect_eq(read_lines("See also my TD3 branch. My CNN runs out of memory.").told.agent.line, 0);
	cr_expect_eq(read_lines("I train a TD3 agent. It runs out of memory.").told.agent.line, 1);
	cr_expect_eq(read_lines("There is a page on 2dgs. My CNN runs out of memory.").told.splats.line, 0);
	cr_expect_eq(read_lines("2dgs runs out of memory.").told.splats.line, 1);
	cr_expect_eq(read_lines("A list doubles with each densify_and_prune(). It ends in OOM.").told.splats.line, 1);
	cr_expect_eq(read_lines("It has no densify_and_prune(). It ends in OOM.").told.splats.line, 0);
	cr_expect_eq(read_lines("It ends in OOM.\n\nAs to densify_and_prune(), that is another thing.").told.splats.line, 0);
	cr_expect_eq(read_lines("Training a PPO agent, I run out of RAM.").told.agent.line, 1);
	cr_expect_eq(read_lines("I run out of RAM without any PPO, and the agent of the monitor says so.").told.agent.line, 0);
	cr_expect_eq(read_lines("See my screen recording demo.mp4 of the error.").media.line, 0);
	cr_expect_eq(read_lines("My GPU runs out of memory. I do not use a replay buffer.").told.replay.line, 0);
	cr_expect_eq(read_lines("My GPU runs out of memory with a replay buffer of 10000.").told.replay.line, 1);
	cr_expect_eq(read_lines("I use the standard vocab.txt.").told.vocabulary.line, 0);
	cr_expect_eq(read_lines("RAM fills up with tf.data shuffle(buffer_size=10000).").told.shuffle.line, 1);
	cr_expect_eq(read_lines("RAM fills up without any shuffle of the dataset's buffer.").told.shuffle.line, 0);
	cr_expect_eq(read_lines("It runs out of memory at 145 epochs.").later.line, 1);
	cr_expect_eq(read_lines("y = net(x)  # within torch.no_grad()\nwith torch.no_grad():").no_grad, 2);
	cr_expect_eq(read_lines("It was run without torch.no_grad().").no_grad, 0);
}

Test(oom_words, what_is_quoted)
{
	static const char *const quoted[][2] = {
		{ "I tried much. It fails when testing. Why?", "It fails when testing" },
		{ "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d it fails when testing on my own pictures of flowers and of trees in the garden",
		    "...w x y z a b c d it fails when testing on my own pictures of flowers and of trees..." },
		{ "fails when testing on\vmy pictures", "fails when testing on my pictures" },
	};
	char chinese[400] = "";
	const char *words;
	int i;

	for (i = 0; i < 3; i++)
		cr_expect_str_eq(read_lines(quoted[i][0]).evaluating.words, quoted[i][1]);
	for (i = 0; i < 60; i++)		/* without a blank: cut where a sign ends */
		strcat(chinese, i == 30 ? "\xe7\x88\x86\xe6\x98\xbe\xe5\xad\x98" : "\xe6\xb1\x89");
	words = read_lines(chinese).told.said.words;
	cr_expect(strstr(words, "\xe7\x88\x86\xe6\x98\xbe\xe5\xad\x98"), "%s", words);
	cr_expect(strlen(words) < SAID);
	cr_expect_eq(words[3] & 0xc0, 0xc0, "%s", words);
	cr_expect_eq((strlen(words) - 6) % 3, 0, "whole signs: %s", words);
}

Test(oom_words, what_works)
{
	static const char *const yes[] = { "it works", "it is fine on the CPU", "inference is OK" };
	static const char *const no[] = { "it does not work", "BERT is fine-tuned", "for fine tuning", "a workspace" };
	struct arena *a = arena_new();
	struct lexicon *l = lexicon_new(a);
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect(clause_works(lexicon_read(l, yes[i], strlen(yes[i]))), "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_not(clause_works(lexicon_read(l, no[i], strlen(no[i]))), "%s", no[i]);
	arena_free(a);
}

Test(oom_words, memory_that_a_stopped_run_has)
{
	static const char *const yes[] = { "The GPU memory is not released if I stop the training (with Ctrl-C)", "GPU memory is not freed after training was interrupted",
	    "memory is still occupied after I killed the run" };
	static const char *const no[] = { "memory is released after I stop the training", "memory is not released after each epoch", "The run was stopped with OOM, and memory is not released",
	    "the lock is not released when I stop the training", "it was killed by the system, and memory is not released" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).stays.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).stays.line, 0, "%s", no[i]);
}

Test(oom_words, large_pictures)
{
	cr_expect_eq(read_lines("Is there any way against OOM when the input image is large?").large.line, 1);
	cr_expect_eq(read_lines("OOM for any size, whether the image is large or not").large.line, 0);
	cr_expect_eq(read_lines("OOM even when the image is resized to be less large").large.line, 0);
}

Test(oom_words, a_batch_that_fails)
{
	static const struct {
		const char *text;
		int64_t least;
	} yes[] = {
		{ "I get an OOM error with a batch size of 24", 24 }, { "I get an OOM error with a batch size of 1,024", 1024 }, { "a batch size of 16, 8 is out of memory", 8 }, { "batch_size=8 or 16 leads to out of memory", 8 }, { "CUDA out of memory even with batch size 1", 1 },
		{ "I reduced the batch size from 64 to 2 and it is still out of memory", 2 }, { "I tried batch sizes 8, 4 and 1. Each of them gives the same error.", 1 },
		{ "If I try to use a batch size like 12 it starts, and then it throws an OOM error", 12 }, { "this card can't train, even if batch_size is set to 1", 1 }, { "My batch size had been set to 1, but it still runs into OOM", 1 },
		{ "We are able to train here, but testing is out of memory with a batch size of 1", 1 },
		{ "It is often out of memory. Batchsize had been cut to the minimum.", 1 }, { "The batch size is already minimal and it runs out of memory", 1 },
		{ "batch_size\xe8\xae\xbe\xe4\xb8\xba" "24\xef\xbc\x8c\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3", 24 },	/* 设为24，显存不足 */
	};
	static const char *const no[] = { "the batch size is 24", "I am out of memory with a batch size of 2^12", "it works with a batch size of 24, not out of memory", "use a batch size of 4 if it runs out of memory",
	    "The paper uses a batch size of 32, but I am out of memory", "You should try a batch size of 2 to avoid out of memory", "it fails at batch 4 of 100 with out of memory",
	    "out of memory, my batch size is in the file and I have 4 GPUs", "a batch size of 0.5 GB is out of memory", "it should not run out of memory with a batch size of 2",
	    "Try to use a batch size of 4 against out of memory", "If you try to use a batch size of 12 it throws an OOM error",
	    "It is out of memory. You should set the batch size to the minimum.", "The loss falls to the minimum with that batch size, then it is out of memory" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		struct oom_paste p = read_lines(yes[i].text);

		cr_expect_eq(p.of_batch.line, 1, "%s", yes[i].text);
		cr_expect_eq(p.least_batch, yes[i].least, "%s: %lld", yes[i].text, (long long)p.least_batch);
	}
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).of_batch.line, 0, "%s", no[i]);
}

Test(oom_words, a_length_that_fails)
{
	static const char *const yes[] = { "Out of memory as soon as seq_len > 2048", "the context length is very large (16k), and it is OOM after some steps", "a max_seq_length of 4096 gives an OOM error",
	    "It crashes with sequence lengths of 1024 and 2048: out of memory", "序列长度设为8192就OOM",
	    "A 128k context crashes with CUDA error: out of memory", "processing a 64k request is out of memory" };
	static const char *const no[] = { "the context length is 16k", "with a max_seq_length of 4096 it works, it is not out of memory", "OOM with a max_length of 128", "use a seq_len of 1024 if it is out of memory",
	    "out of memory, the context length is not 16kB", "you should try a context length of 4096 against OOM", "it never runs out of memory with a seq_len of 4096",
	    "a 64 context is out of memory", "the 128k context works, it is not out of memory", "128k files are out of memory" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).of_length.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).of_length.line, 0, "%s", no[i]);
}

Test(oom_words, weights_that_are_saved)
{
	static const char *const yes[] = { "Model checkpointing causes an OOM on the GPU", "out of GPU memory due to model save", "When it is to get the state dict, the GPU is OOM", "the saving step of the model crashes: CUDA out of memory" };
	static const char *const no[] = { "Gradient checkpointing avoids OOM of the model", "Model checkpointing works, it is out of memory later", "I get the state dict of the model" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).saving.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).saving.line, 0, "%s", no[i]);
}

Test(oom_words, what_is_no_inference)
{
	cr_expect_eq(read_lines("infer_auto_device_map ends with OOM").inferring.line, 0);
	cr_expect_eq(read_lines("it ends with OOM for all types of inference").inferring.line, 0);
	cr_expect_eq(read_lines("inference ends with OOM").inferring.line, 1);
}

Test(oom_words, a_conversion_that_is_over)
{
	cr_expect_eq(read_lines("The conversion of the model was killed, which I fixed by a smaller workspace").converts.line, 0);
	cr_expect_eq(read_lines("The conversion of the model was killed").converts.line, 1);
}

Test(oom_words, evaluation_in_chinese)
{
	cr_expect_eq(read_lines("每次评估时都报OOM").evaluating.line, 1);
	cr_expect_eq(read_lines("训练时报OOM").evaluating.line, 0);
}

Test(oom_words, darknet_that_looks_at_pictures)
{
	cr_expect_eq(read_lines("./darknet detector test a.data a.cfg a.weights b.jpg\nCUDA Error: out of memory\n").detects, 1);
	cr_expect_eq(read_lines("./darknet detector test a.data a.cfg a.weights\n./darknet detector train a.data a.cfg\n").detects, -1);
	cr_expect_eq(read_lines("./darknet detector train a.data a.cfg\n./darknet detector map a.data a.cfg\n").detects, -1);
}

Test(oom_words, a_batch_of_one_that_is_used)
{
	static const char *const yes[] = { "I have a 1080ti 11gb and used training.batch=1", "I don't have enough memory. I use a batch size of 1." };
	static const char *const no[] = { "I used a batch size of 2", "I set the batch size to 1 for validation", "When I use a batch size of 1, the problem is gone", "I use a batch size of 1 and it works", "should I have used a batch size of 1?", "the paper used a batch size of 1" };
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).least_batch, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).of_batch.line, 0, "%s", no[i]);
}

Test(oom_words, a_batch_that_runs)
{
	static const char *const yes[] = { "There is no error when the batch size is 1", "With batch size 32 it is out of memory, with 16 it works fine", "it only works with a batch size of 2",
	    "It is out of memory. Only if I set the batch size to 1, it works, why is this?",
	    "batch_size\xe6\x94\xb9\xe6\x88\x90" "4\xe5\xb0\xb1\xe5\x8f\xaf\xe4\xbb\xa5\xe4\xba\x86" };	/* 改成4就可以了 */
	static const char *const no[] = { "I can train with a batch size of 68 and all is fine", "Does it work with only a batch size of 2?", "Why does it only work with a batch size of 2?", "I hope that it works with a smaller batch size of 2",
	    "there is no error in the code that sets the batch size", "with SGD and a batch size of 8 it works, with Adam it is out of memory", "a smaller batch size of 2 does not work",
	    "batch_size\xe6\x94\xb9\xe6\x88\x90" "4\xe5\xb0\xb1\xe5\x8f\xaf\xe4\xbb\xa5\xe5\x90\x97" };	/* ...吗 */
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect_eq(read_lines(yes[i]).less.line, 1, "%s", yes[i]);
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect_eq(read_lines(no[i]).less.line, 0, "%s", no[i]);
}

Test(oom_words, allocations_that_no_machine_has)
{
	cr_expect_eq(read_lines("it tries to allocate 93000 GB of memory").absurd_bytes, (int64_t)93000 << 30);
	cr_expect_eq(read_lines("why does it allocate 2.5 TiB?").absurd.line, 1);
	cr_expect_eq(read_lines("it tries to allocate 12 GB of memory").absurd_bytes, (int64_t)12 << 30);	/* a card may have less */
	cr_expect_eq(read_lines("it allocates 12 GB of memory").absurd.line, 0);
	cr_expect_eq(read_lines("it tries to allocate 12 GB of RAM").absurd.line, 0);
	cr_expect_eq(read_lines("my disk has 93000 GB").absurd.line, 0);
	cr_expect_eq(read_lines("it never allocates 2 TB").absurd.line, 0);
}

Test(oom_words, weights_that_are_loaded)
{
	cr_expect_eq(read_lines("At the \"Loading checkpoint shards\" step I get an error").loading.line, 1);
	cr_expect_eq(read_lines("After loading the model I get an out of memory error").loading.line, 0);
	cr_expect_eq(read_lines("I get an error when loading the point cloud with the model").loading.line, 0);
}

Test(oom_words, clauses_of_chinese)
{
	/* 内存随步数而增大，报错 ...: what stands behind the stop denies nothing ahead of it */
	cr_expect_eq(read_lines("\xe5\x86\x85\xe5\xad\x98\xe9\x9a\x8f\xe6\xad\xa5\xe6\x95\xb0\xe8\x80\x8c\xe5\xa2\x9e\xe5\xa4\xa7\xef\xbc\x8c\xe6\x8a\xa5\xe9\x94\x99 Cannot allocate memory").grows.line, 1);
	/* 精度随步数而增大: another thing grows */
	cr_expect_eq(read_lines("\xe7\xb2\xbe\xe5\xba\xa6\xe9\x9a\x8f\xe6\xad\xa5\xe6\x95\xb0\xe8\x80\x8c\xe5\xa2\x9e\xe5\xa4\xa7").grows.line, 0);
}

Test(oom_words, a_folder_named_work_runs_nothing)
{
	cr_expect_eq(read_lines("error: [02:14:02] /home/build_17331/work/src/c_api/helpers.cuh:393: Memory allocation error on worker 0: std::bad_alloc: out_of_memory").less.line, 0);
	cr_expect_eq(read_lines("it is out of memory at 832, and /opt/work/416 is a folder").less.line, 0);
	cr_expect_eq(read_lines("Reducing the batch size from 14 to 8 solves the problem.").less.line, 1);
	cr_expect_eq(read_lines("Reducing the batch size from 14 to 8 does not solve the problem.").less.line, 0);
}

Test(oom_words, a_loader_without_processes)
{
	cr_expect_eq(read_lines("It works with num_workers = 0, with 8 the RAM runs out").told.workers.line, 1);
	cr_expect_eq(read_lines("The RAM runs out with num_workers = 0, too").told.workers.line, 0);
	cr_expect_eq(read_lines("RAM grows with 4 workers each, by copy-on-write").told.workers.line, 1);
}

Test(oom_words, memory_that_a_zombie_holds)
{
	struct oom_paste p = read_lines("The process is a zombie and keeps occupying the GPU memory");

	cr_expect_eq(p.stays.line, 1);
	cr_expect_eq(p.told.what, TOLD_TROUBLE);
	cr_expect(p.told.device);
	/* 停止训练后显存不释放 and 精度不释放 */
	cr_expect_eq(read_lines("\xe5\x81\x9c\xe6\xad\xa2\xe8\xae\xad\xe7\xbb\x83\xe5\x90\x8e\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe9\x87\x8a\xe6\x94\xbe").stays.line, 1);
	cr_expect_eq(read_lines("\xe5\x81\x9c\xe6\xad\xa2\xe8\xae\xad\xe7\xbb\x83\xe5\x90\x8e\xe7\xb2\xbe\xe5\xba\xa6\xe4\xb8\x8d\xe9\x87\x8a\xe6\x94\xbe").stays.line, 0);
	cr_expect_eq(read_lines("the memory keeps occupying my thoughts").stays.line, 0);
}

Test(oom_words, films_that_cannot_be_made)
{
	cr_expect_eq(read_lines("My films are from 6 to 10 seconds in length, which leads to OOM").media.line, 1);
	cr_expect_eq(read_lines("I cannot upscale a 12 second video on this card").media.line, 1);
	cr_expect_eq(read_lines("I upscale a 12 second video on this card").media.line, 0);
}

Test(oom_words, clouds_of_points)
{
	cr_expect_eq(read_lines("OOM on my GPU with a point cloud of 20 million points").told.cloud.line, 1);
	cr_expect_eq(read_lines("I work with point clouds. My GPU is out of memory with BERT.").told.cloud.line, 0);
	cr_expect_eq(read_lines("OOM on my GPU, with no point cloud at all").told.cloud.line, 0);
	cr_expect_eq(read_lines("OOM on my GPU: the number of points will increase from 300,000 to 10 million").told.cloud.line, 0);
}

Test(oom_words, runs_that_are_told_of)
{
	cr_expect_eq(read_lines("With k-fold training it is OOM in the third fold").trials.line, 1);
	cr_expect_eq(read_lines("With k-fold by separate scripts it is OOM in each fold").trials.line, 0);
	cr_expect_eq(read_lines("A search with optuna takes 1 GB of RAM every 20 trials").trials.line, 1);
	cr_expect_eq(read_lines("I read of optuna.\nMemory grows with every step.").trials.line, 0);
	cr_expect_eq(read_lines("I get CUDA OOM with few samples.\nIt occurs during loss computation at").loss.line, 2);
	cr_expect_eq(read_lines("CUDA is out of memory. The loss function seems to take a lot of memory.").loss.line, 1);
	cr_expect_eq(read_lines("CUDA is out of memory. Is it the loss function that needs memory?").loss.line, 0);
	cr_expect_eq(read_lines("CUDA is out of memory. I did not change the loss function to save memory.").loss.line, 0);
	cr_expect_eq(read_lines("It occurs during loss computation, which gives NaN").loss.line, 0);
	cr_expect_eq(read_lines("Suddenly extra processes came and my 0 GPU is out of memory").first.line, 1);
	cr_expect_eq(read_lines("GPU 0 has several processes of other users and is out of memory").first.line, 0);
	cr_expect_eq(read_lines("np.zeros((400000,4000000), dtype=np.int8) does not work --> MemoryError").array.line, 1);
	cr_expect_eq(read_lines("np.zeros((400000,4000000), dtype=np.int8) does not work --> MemoryError").array_bytes, (int64_t)400000 * 4000000);
	cr_expect_eq(read_lines("I get a MemoryError. The shape comes from np.zeros((4, 4)).").array.line, 0, "it is small");
	cr_expect_eq(read_lines("I use np.zeros((400000, 4000000)), and it is fast").array.line, 0);
	cr_expect_eq(read_lines("When I run the cell again it is OOM").again.line, 1);
	cr_expect_eq(read_lines("It is OOM when I run the cell again for a second run").again.line, 1);
	cr_expect_eq(read_lines("The first run works, the second run is OOM").again.line, 1);
	cr_expect_eq(read_lines("It is OOM on the first run and on the second run, too").again.line, 0);
	cr_expect_eq(read_lines("After unfreezing the backbone it is OOM").unfreezes.line, 1);
	cr_expect_eq(read_lines("Even before unfreezing the backbone it is OOM").unfreezes.line, 0);
	cr_expect_eq(read_lines("The first step runs, the second step is OOM").second.line, 1);
	cr_expect_eq(read_lines("The first step of the pipeline runs, the second step is OOM").second.line, 0);
	cr_expect_eq(read_lines("It is OOM in the VAE decode step").decoder.line, 1);
	cr_expect_eq(read_lines("I train a VAE, and in the VAE it is OOM").decoder.line, 0);
	cr_expect_eq(read_lines("OOM with 200 boxes per image").boxes.line, 1);
	cr_expect_eq(read_lines("OOM although I limited it to 100 boxes per image").boxes.line, 0);
	cr_expect_eq(read_lines("OOM with a large vocabulary of words").vocabulary.line, 1);
	cr_expect_eq(read_lines("OOM with a large vocabulary and adaptive softmax").vocabulary.line, 0);
	cr_expect_eq(read_lines("I train PPO in gym, it is OOM").told.agent.line, 1);
	cr_expect_eq(read_lines("I train PPO with RLHF on Llama, it is OOM").told.agent.line, 0);
}

Test(oom_words, libraries_with_a_collector)
{
	cr_expect_eq(read_lines("using Flux, CUDA\n").told.collected.line, 1);
	cr_expect_eq(read_lines("julia> using CUDA, Lux\n").told.collected.line, 1);
	cr_expect_eq(read_lines("using TorchSharp;\n").told.collected.line, 1);
	cr_expect_eq(read_lines("I am using CUDA 11.8, and it is out of memory").told.collected.line, 0);
	cr_expect_eq(read_lines("using CUDA").told.collected.line, 0, "as programs say it");
	cr_expect_eq(read_lines("It runs out of VRAM using Flux dev in fp8").told.collected.line, 0, "a model of images");
	cr_expect_eq(read_lines("using Flux and a LoRA").told.collected.line, 0);
}

Test(oom_words, sessions_of_tensorflow)
{
	cr_expect_eq(read_lines("y = sess.run(None, {'x': x})\n").other_sessions, 1, "as ONNX Runtime's");
	cr_expect_eq(read_lines("y = sess.run(loss, feed_dict={x: a})\n").other_sessions, 0);
}

Test(oom_words, a_containers_memory_is_no_cards)
{
	cr_expect_eq(read_lines("docker run --gpus all --memory 8g image python train.py").card.line, 0);
	cr_expect_eq(read_lines("I use a GTX 1650 4GB").card.line, 1);
}

Test(oom_words, what_is_not_used)
{
	cr_expect_eq(read_lines("OOM with tf.data and a shuffle buffer").told.shuffle.line, 1);
	cr_expect_eq(read_lines("OOM with tf.data; shuffle is disabled, the buffer is small").told.shuffle.line, 0);
	cr_expect_eq(read_lines("OOM with tf.data, a shuffle buffer of filenames").told.shuffle.line, 0, "of names");
}

Test(oom_words, runs_that_are_resumed)
{
	cr_expect_eq(read_lines("When I resume training it is OOM").resuming.line, 1);
	cr_expect_eq(read_lines("Resuming from the checkpoint works, training from scratch is OOM").resuming.line, 0);
	cr_expect_eq(read_lines("The first run is fine, whenever I try to resume training from a checkpoint it is OOM").resuming.line, 1);
	cr_expect_eq(read_lines("Can I resume training after an OOM?").resuming.line, 0);
	cr_expect_eq(read_lines("trainer = Trainer(model, compute_metrics=measure)\n").metrics.line, 1);
	cr_expect_eq(read_lines("trainer = Trainer(model, compute_metrics=None)\n").metrics.line, 0);
}

Test(oom_words, numbers_of_something_else)
{
	cr_expect_eq(read_lines("OOM with 12,000 classes").classes.line, 1);
	cr_expect_eq(read_lines("OOM with 1000 classes").classes.line, 0, "as of common sets");
	cr_expect_eq(read_lines("OOM with 8k+ classes").classes.line, 1);
	cr_expect_eq(read_lines("My GPU that is 4GB is OOM").card.line, 1);
	cr_expect_eq(read_lines("The model is about 7GB on the GPU, and it is OOM").card.line, 0);
}

Test(oom_words, settings_that_take_no_memory)
{
	cr_expect_eq(read_lines("I changed crop_size from 256 to 512, it is out of GPU memory").raised.line, 1);
	cr_expect_eq(read_lines("I changed the port from 8000 to 8080, it is out of GPU memory").raised.line, 0);
	cr_expect_eq(read_lines("I changed max_split_size_mb from 128 to 512, it is out of GPU memory").raised.line, 0);
	cr_expect_eq(read_lines("I increased the swap from 8 to 64 and it is still out of memory").raised.line, 0);
	cr_expect_eq(read_lines("I went back to a smaller batch and it is still out of GPU memory").again.line, 1);
	cr_expect_eq(read_lines("I went back to my desk and memory on the GPU is still exhausted").again.line, 0);
	cr_expect_eq(read_lines("Out of memory, then I reduced the batch from 32 to 16 and it worked").less.line, 1);
	cr_expect_eq(read_lines("I reduced the batch from 32 to 16 and it worked for an epoch, then it was out of memory again").less.line, 0);
}

Test(oom_words, what_is_of_several_scales_or_supposed)
{
	cr_expect_eq(read_lines("With multi-scale training it is OOM").sizes.line, 1);
	cr_expect_eq(read_lines("Multi-scale deformable attention is OOM").sizes.line, 0);
	cr_expect_eq(read_lines("The multi scale features are OOM").sizes.line, 0);
	cr_expect_eq(read_lines("My images are 4000x3000").said_high, 4000);
	cr_expect_eq(read_lines("If images are large (say 4000x3000), use tiles").said_high, 0);
	cr_expect_eq(read_lines("If I use images of 1024x1024 it fails").said_high, 1024);
	cr_expect_eq(read_lines("The GPU is used by another process, OOM").shared.line, 1);
	cr_expect_eq(read_lines("Two trainings are made on two GPUs, OOM").shared.line, 0);
	cr_expect_eq(read_lines("Three users at the same time on the same GPU lead to OOM").shared.line, 0, "of one process, perhaps");
}

Test(oom_words, what_goes_well_in_chinese)
{
	cr_expect_eq(read_lines("保存模型时显存不足").saving.line, 1);
	cr_expect_eq(read_lines("保存模型时没有问题，第二个epoch显存不足").saving.line, 0);
	cr_expect_eq(read_lines("验证时显存不足").evaluating.line, 1);
	cr_expect_eq(read_lines("验证时没有问题，训练显存不足").evaluating.line, 0);
	cr_expect_eq(read_lines("显存占用随着训练而增大，最后显存不足").grows.line, 1);
	cr_expect_eq(read_lines("显存占用随着batch增大而增大，最后显存不足").grows.line, 0);
}

Test(oom_words, what_a_mention_is_of)
{
	cr_expect_eq(read_lines("I infer that the OOM is caused by the optimizer").inferring.line, 0);
	cr_expect_eq(read_lines("OOM when I infer on one image").inferring.line, 1);
	cr_expect_eq(read_lines("I quantize the model, and training is OOM").converts.line, 0);
	cr_expect_eq(read_lines("OOM when I quantize the model").converts.line, 1);
	cr_expect_eq(read_lines("OOM. Long videos are split into clips").lasts.line, 0);
	cr_expect_eq(read_lines("OOM with long videos").lasts.line, 1);
	cr_expect_eq(read_lines("OOM with large images disabled").large.line, 0);
	cr_expect_eq(read_lines("OOM, the number of classes is small").classes.line, 0);
	cr_expect_eq(read_lines("OOM, the number of classes is huge").classes.line, 1);
	cr_expect_eq(read_lines("OOM when I train both models in parallel on two GPUs").models.line, 0);
	cr_expect_eq(read_lines("OOM when I train both models in parallel on one GPU").models.line, 1);
	cr_expect_eq(read_lines("OOM. The minimum is a GPU with 8GB; I have a larger one").card.line, 0);
	cr_expect_eq(read_lines("GPU memory rises from 2 GB to 20 GB, then OOM").card.line, 0);
	cr_expect_eq(read_lines("OOM on this machine but not on my GTX 1080").card.line, 0);
	cr_expect_eq(read_lines("OOM on my GTX 1080").card.line, 1);
	cr_expect_eq(read_lines("OOM, retain_graph=True is not set").retains.line, 0);
	cr_expect_eq(read_lines("OOM with retain_graph=True").retains.line, 1);
}

Test(oom_words, what_is_named_and_does_no_harm)
{
	cr_expect_eq(read_lines("A part is in eval mode, training fails with OOM").evaluating.line, 0);
	cr_expect_eq(read_lines("OOM in eval mode").evaluating.line, 1);
	cr_expect_eq(read_lines("RAM is full. Should I set num_workers lower?").told.workers.line, 0);
	cr_expect_eq(read_lines("RAM is full, with dataloader workers it is fine").told.workers.line, 0);
	cr_expect_eq(read_lines("RAM is full with dataloader workers").told.workers.line, 1);
	cr_expect_eq(read_lines("I cannot run on CPU, as it is slow").told.processor.line, 0);
	cr_expect_eq(read_lines("I run on CPU").told.processor.line, 1);
	cr_expect_eq(read_lines("The process was killed, I pressed Ctrl-C").told.killed.line, 0);
	cr_expect_eq(read_lines("The process was killed").told.killed.line, 1);
	cr_expect_eq(read_lines("OOM when the optimizer step is skipped").told.update.line, 0);
	cr_expect_eq(read_lines("MemoryError, the dataframe is small").told.data.line, 0);
	cr_expect_eq(read_lines("MemoryError, the dataframe is huge").told.data.line, 1);
}
