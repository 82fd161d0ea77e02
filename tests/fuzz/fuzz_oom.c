/*
 * A fuzzer for the reader of logs: edits real messages at random, and reads them twice, in reads of
 * different lengths, which must find the same; explains what was found, for people and for
 * programs, and looks for it in a network. See fuzz.h.
 */
#include "autopsy/autopsy.h"
#include "target/target.h"
#include "lang/expand.h"
#include "oom/oom_dump.h"
#include "oom/oom_shape.h"
#include "passes/passes.h"

#include "fuzz.h"

static const char *const words[] = {
	"OOM when allocating tensor with shape[32,1,5000,4]",
	"CUDA out of memory. Tried to allocate 44.00 MiB",
	"9 Chunks of size 2560000 totalling", "Chunk at 0x1 of size 80128",
	"Shape: f32[4,5]", "Size: 6.00MiB", "[[Node: a/b = C[]]]",
	"Out of memory while trying to allocate 9 bytes", "9223372036854775807", "\n",
	"\033[1m", "% total capacity; ", "1.5 GiB already allocated; ", "(", "]", ",", "9",
	".", "\033", "G", "InUse: 9", "Limit: 10373441024", "Bin (256):",
	"total capacity of 3 GiB", "\xff", "> ", "Killed", "exit code 137", "GPU 0; ", "by allocator ",
	"/job:localhost/device:GPU:", "CPU:0", "GPU_0_bfc", ", _device=\"", "= _Recv[",
	"thread: [1,0,0] Assertion", "CUBLAS_STATUS_ALLOC_FAILED", "Out of memory: Kill process 9",
	"Current usage from device: ", "1.00GiB from a/b", "Top shape: 64 3 9 9 (15552)",
	"Memory required for data: 9", "CUDA failure 2: out of memory", "onnxruntime",
	"During handling of the above exception", "(total 9 bytes)", "InUse: 9223372036854775807",
	"Traceback (most recent call last):\n", "  File \"/a/torch/nn/modules/module.py\", line 9, in _apply\n",
	"  File \"a.py\", line 9, in validate\n", "----> 3 f(x)", "\xe2\x9d\xb1", ".py:9, in ", "torch.cat((preds,",
	"einsum(\"b i d, b j d -> b i j\"", "einsum('", "optimizer.step()", "torch.load(", "_cuda_init(",
	"op_name=\"a/attention\"", "totalMemory: 8.00GiB", "freeMemory: 1.00GiB", "Validating: 9%|",
	"volatile was removed and now has no effect", "failed to allocate buffer for kv cache",
	"Process 9 has 1.00 GiB memory in use. ", "Of the allocated memory 1.00 GiB is allocated by PyTorch", "1,5 GiB",
	"9%|#   | 9/99 [", "epoch 9/99", "Epoch: [9]", "batch_size=9", "batch-size 9", "Running Evaluation", "vllm/",
	"data type float64", "exit code: -9", "gatheredparameters(", "rasterize_gaussians", "is ",
	"total_loss += loss\n", "preds.append(model(x))\n", "out = torch.zeros(9).cuda()\n", "out[i] = net(x)\n", "model.eval()",
	"retain_graph=True", "llama-7b", "subdivisions=9\n", "/content/", "^C\n", "|  0  9  C  a  999MiB |\n", "**", "[1]  9 killed",
	"full_batch", "ERROR: LoadError:", "Loading: 9%|#  | 25/99 [", "np.tile(", "bmm(a, b.transpose(", "Inputs shapes: [(9, 9)]",
	".cuh(9): out of memory", "MemoryError ", "it runs out of memory. ", "when testing ", "It works? ", "compute_metrics", "num_workers",
	"failed to allocate memory\n", "CUDA Error: out of memory", "darknet", "tensorflow/core/", "Killed process 9", "total-vm",
	"failed to alloc 9 bytes on host", "cuda", "Not enough memory left", "wgpu", "does not look like ",
	"\xe7\x88\x86\xe6\x98\xbe\xe5\xad\x98", "\xe6\xb1\x89\xe6\xb1\x89\xe6\xb1\x89\xe6\xb1\x89", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits = (int)fuzz_below(fuzz_below(3) ? 4 : 60);

	(void)from;
	(void)nfrom;
	while (edits-- > 0)
		fuzz_edit(t, words, COUNT_OF(words), 9);
}

struct feed {
	const struct sample *of;
	size_t at, most;
};

static size_t
feed(void *context, char *to, size_t room)
{
	struct feed *f = context;
	size_t n = f->of->n - f->at;

	n = n < room ? n : room;
	n = n < f->most ? n : f->most;
	memcpy(to, f->of->text + f->at, n);
	f->at += n;
	return n;
}

static struct module *
network(struct arena *a)
{
	static const char text[] =
	    "network n { input x : f32[1, 2, 500] target t : f32[1]\n"
	    "y = x -> conv(4, (2, 1)) -> local(1, (1, 1)) -> flatten -> dense(1)\n"
	    "loss mse(y, t) }\ntrain { batch 32 optimizer adam() data synthetic(64) }\n";
	struct pass_options o = { .target = target_table[0], .threads = 1 };
	struct diags *d = ARENA_NEW(a, struct diags);
	struct spec *spec;

	diags_init(d, a);
	spec = spec_load(a, d, source_from_text(a, "n.nn", text, strlen(text)), NULL);
	if (d->errors || !passes_run(spec->modules.v[0], &o))
		fuzz_failed("the network is refused");
	return spec->modules.v[0];
}

static void
look_up(struct arena *a, const struct oom_log *log)
{
	struct module *m = network(a);
	struct shape_matches found;
	struct dump_story story;
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (log->messages.v[i].shape.known) {
			shape_find(m, &log->messages.v[i].shape, 32, "node", &found);
			shape_nearest(m, &log->messages.v[i].shape, 32, 3, &found);
		}
	if (log->dump.any)
		dump_explain(a, m, &log->dump, 32, 1 << 20, &story);
}

/* As stowage autopsy LOG does. */
static void
explain(struct arena *a, const struct oom_log *log)
{
	struct autopsy *y = ARENA_NEW(a, struct autopsy);

	y->log_path = "log.txt";
	y->log = *log;
	autopsy_explain(a, y, NULL);
	if (!(y->out = fopen("/dev/null", "w")))
		return;
	autopsy_text(y);
	autopsy_json(y);
	fclose(y->out);
}

static bool
same_main(const struct oom_message *a, const struct oom_message *b)
{
	return (!a && !b) || (a && b && a->kind == b->kind && a->line == b->line &&
	    a->count == b->count && a->host == b->host && a->gpu == b->gpu &&
	    a->hedged == b->hedged && strcmp(a->who, b->who) == 0 &&
	    a->facts == b->facts && strcmp(a->function, b->function) == 0);
}

static bool
same_paste(const struct oom_paste *a, const struct oom_paste *b)
{
	return a->sums == b->sums && a->lists == b->lists && a->keeps == b->keeps && a->runs == b->runs &&
	    a->no_grad == b->no_grad && a->loads == b->loads && a->images == b->images && a->whole == b->whole &&
	    a->julia == b->julia && a->stores == b->stores && a->stopped == b->stopped && a->millions == b->millions &&
	    a->few_bits == b->few_bits && a->many_bits == b->many_bits &&
	    a->batch == b->batch && a->parts_line == b->parts_line && a->holder_bytes == b->holder_bytes &&
	    a->holder_gpu == b->holder_gpu && a->trains == b->trains && a->colab == b->colab &&
	    strcmp(a->sum, b->sum) == 0 && strcmp(a->store, b->store) == 0 && strcmp(a->holder, b->holder) == 0;
}

static long
try(const struct sample *t)
{
	struct feed whole = { t, 0, SIZE_MAX }, bits = { t, 0, 1 + fuzz_below(50) };
	struct arena *a = arena_new();
	struct oom_log log, again;
	bool any;

	oom_log_read(&log, a, feed, &whole);
	oom_log_read(&again, a, feed, &bits);
	if (log.messages.n != again.messages.n || log.more != again.more ||
	    log.lines != again.lines || log.dump.in_use != again.dump.in_use ||
	    log.alive.n != again.alive.n || log.holders.n != again.holders.n ||
	    log.assertion != again.assertion || log.net_bytes != again.net_bytes ||
	    !same_paste(&log.paste, &again.paste) || log.reading != again.reading ||
	    !same_main(oom_log_main(&log), oom_log_main(&again)))
		fuzz_failed("the same text says something else in smaller reads");
	if (log.messages.n > OOM_MESSAGES || log.holders.n > OOM_HOLDERS || log.dump.classes.n > OOM_CLASSES)
		fuzz_failed("more is kept than may be");
	any = log.messages.n > 0 || log.dump.any;
	if (any && fuzz_below(50) == 0)
		look_up(a, &log);
	explain(a, &log);
	arena_free(a);
	return any;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_oom",
	.outcome = "of them had something to say",
	.longest = 20000,
	.one_in = 20,
	.mutate = mutate,
	.try = try,
};
