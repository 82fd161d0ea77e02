/*
 * Tracebacks that are cut, or that end in something else: whose the place is. The texts are made
 * up.
 */
#include "oom_places.h"

TestSuite(oom_cut, .init = setup, .fini = teardown);

Test(oom_cut, of_a_cut_log_is_that_of_the_message_ahead)
{
	const char *text = "THCudaCheck FAIL file=/src/THCStorage.cu line=58 error=2 : out of memory\n" HEAD
	    CALL("/src/fit.py", "61", "evaluate", "y = net(x)");
	struct out o = { arena_strdup(arena, text), strlen(text) };

	expect_place(&(struct place){ .name = "cut", .facts = TRACE_EVALUATES, .function = "evaluate" },
	    "as it is", o);
}

Test(oom_cut, of_a_cut_log_is_that_of_the_title)
{
	const char *cut = "# " BARE "I get it whenever it validates.\n\n\n\n" HEAD CALL("/src/fit.py", "61", "validate", "y = net(x)");
	const char *other = "# " BARE "I get it whenever it validates.\n\n\n\n" HEAD CALL("/src/fit.py", "61", "validate", "y = net(x)")
	    "KeyError: 'x'\n";
	struct out o = { arena_strdup(arena, cut), strlen(cut) }, p = { arena_strdup(arena, other), strlen(other) };

	expect_place(&(struct place){ .name = "cut", .facts = TRACE_EVALUATES, .function = "validate" }, "as it is", o);
	expect_place(&(struct place){ .name = "another's", .facts = 0, .function = "" }, "as it is", p);
}

/* The message stands in the title and in a sentence below it, and the traceback is cut. */
Test(oom_cut, of_a_cut_log_is_that_of_the_sentence)
{
	const char *cut = "RuntimeError: CUDA error: out of memory on my card\n\nI always get this: RuntimeError: CUDA error: out of memory\n\n"
	    HEAD CALL("/src/fit.py", "61", "validate", "y = net(x)");
	struct out o = { arena_strdup(arena, cut), strlen(cut) };

	expect_place(&(struct place){ .name = "cut", .facts = TRACE_EVALUATES, .function = "validate" }, "as it is", o);
}

/* It stands in the title, and in other words in a sentence. */
Test(oom_cut, of_a_cut_log_is_that_of_all_sentences)
{
	const char *cut = "The step causing CUDA out of memory\n\nAs soon as it validates it goes out of memory.\n\n" HEAD
	    CALL("/src/fit.py", "61", "validate", "y = net(x)");
	const char *other = "The step causing CUDA out of memory\n\nRuntimeError: CUDA error: out of memory\n\n\n\n\nAnd another run of mine:\n" HEAD
	    CALL("/src/fit.py", "61", "validate", "y = net(x)");
	struct out o = { arena_strdup(arena, cut), strlen(cut) }, p = { arena_strdup(arena, other), strlen(other) };

	expect_place(&(struct place){ .name = "cut", .facts = TRACE_EVALUATES, .function = "validate" }, "as it is", o);
	expect_place(&(struct place){ .name = "a program's", .facts = 0, .function = "" }, "as it is", p);
}

Test(oom_cut, a_sentence_is_no_call)
{
	const char *text = "It fails in fit.py in validate, and I do not know why.\nRuntimeError: CUDA error: out of memory\n";
	struct out o = { arena_strdup(arena, text), strlen(text) };

	expect_place(&(struct place){ .name = "a sentence", .facts = 0, .function = "" }, "as it is", o);
}

Test(oom_cut, that_ended_in_something_else_is_of_no_message)
{
	static const char *const ahead[] = { "WARNING step 12: CUDA out of memory, batch skipped\nstep 13 done\n",
	    "RuntimeError: CUDA out of memory.\nlater:\n", "WARNING step 12: CUDA out of memory, batch skipped\n\n\n\nstep 13 done\n" };
	static const char *const end[] = { "socket.timeout: timed out\n", "queue.Empty\n", "StopIteration\n",
	    "Segmentation fault (core dumped)\n", "slurmstepd: error: *** STEP CANCELLED ***\n", "SystemExit: 1\n", "Exit\n" };
	size_t i, k;

	for (i = 0; i < sizeof(ahead) / sizeof(*ahead); i++)
		for (k = 0; k < sizeof(end) / sizeof(*end); k++) {
			const char *text = arena_printf(arena, "%s" HEAD CALL("main.py", "10", "<module>", "loss.backward()") "%s",
			    ahead[i], end[k]);
			struct out o = { arena_strdup(arena, text), strlen(text) };

			expect_place(&(struct place){ .name = end[k], .facts = 0, .function = "" }, ahead[i], o);
		}
}

Test(oom_cut, of_a_cut_log_is_not_that_of_what_a_log_says)
{
	static const char *const ahead[] = { "WARNING step 12: CUDA out of memory, batch skipped\n1\n2\n3\n4\n",
	    "WARNING step 12: CUDA out of memory, batch skipped\nstep 13 done\n",
	    "step 12 done\nRuntimeError: CUDA out of memory.\n1\n2\n3\n4\n" };
	size_t i;

	for (i = 0; i < sizeof(ahead) / sizeof(*ahead); i++) {
		const char *text = arena_printf(arena, "%s" HEAD CALL("main.py", "10", "<module>", "loss.backward()"), ahead[i]);
		struct out o = { arena_strdup(arena, text), strlen(text) };

		expect_place(&(struct place){ .name = "cut", .facts = 0, .function = "" }, ahead[i], o);
	}
}

Test(oom_cut, of_the_next_message_is_not_that_of_the_one_before)
{
	const char *text = HEAD CALL("/src/net.py", "30", "forward", "a = q @ k.transpose(-2, -1)") ENDED
	    "retrying with half the batch\n" HEAD CALL("/src/fit.py", "12", "epoch", "y = net(x)")
	    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 34.00 MiB. GPU 0 has a total "
	    "capacity of 7.78 GiB of which 41.00 MiB is free.\n";
	struct out o = { arena_strdup(arena, text), strlen(text) };
	struct oom_log log;

	oom_log_read(&log, arena, feed, &o);
	cr_assert_eq(log.messages.n, 2);
	cr_expect_eq(log.messages.v[0].facts, TRACE_SCORES);
	cr_expect_eq(log.messages.v[1].facts, 0);
}

Test(oom_cut, a_bar_of_progress_says_what_was_run)
{
	const char *bars[] = { "Validating:  40%|####      | 2/5 [00:01<00:02]\n", "Epoch 3:  40%|####      | 2/5\n" };
	size_t i;

	for (i = 0; i < 2; i++) {
		const char *text = arena_printf(arena, "%s" BARE, bars[i]);
		struct out o = { arena_strdup(arena, text), strlen(text) };
		struct oom_log log;

		oom_log_read(&log, arena, feed, &o);
		cr_expect_eq(log.evaluating, i == 0 ? 1 : 0);
	}
}
