/*
 * Code and settings that are known to fill memory, line by line, and beside each that tells
 * something one that is like it and tells nothing. The lines are made up in the forms that people
 * paste.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "oom_lines.h"

static struct oom_habit
habit(const char *text, enum oom_habit_kind kind)
{
	return read_lines(text).habits.of[kind];
}

Test(oom_habit, histograms_of_tensorboard)
{
	cr_expect_eq(habit("tb = TensorBoard(log_dir='logs', histogram_freq=1)\n", HABIT_HISTOGRAMS).line, 1);
	cr_expect_eq(habit("tb = TensorBoard(log_dir='logs', histogram_freq=0)\n", HABIT_HISTOGRAMS).line, 0);
	cr_expect_eq(habit("tb = TensorBoard(log_dir='logs', histogram_freq=freq)\n", HABIT_HISTOGRAMS).line, 0);
	cr_expect_eq(habit("tb = TensorBoard(log_dir='logs', histogram_freq", HABIT_HISTOGRAMS).line, 0, "cut");
	cr_expect_eq(habit("I set histogram_freq=1 and it is fine.\n", HABIT_HISTOGRAMS).line, 0, "a sentence");
}

Test(oom_habit, weights_that_are_spread)
{
	cr_expect_eq(habit("model = A.from_pretrained(name, device_map=\"auto\")\n", HABIT_SPREAD).line, 1);
	cr_expect_eq(habit("model = A.from_pretrained(name, device_map=\"auto\", max_memory=most)\n", HABIT_SPREAD).line, 0);
	cr_expect_eq(habit("model = A.from_pretrained(name, device_map=\"cpu\")\n", HABIT_SPREAD).line, 0);
}

Test(oom_habit, predictions_that_are_joined)
{
	cr_expect_eq(habit("preds_host = logits if preds_host is None else nested_concat(preds_host, logits)\n", HABIT_JOINED).line, 1);
	cr_expect_eq(habit("def nested_concat(preds, new):\n", HABIT_JOINED).line, 0);
}

Test(oom_habit, a_batch_of_tests)
{
	struct oom_paste p = read_lines("a = DataLoader(t, batch_size=16)\nval_loader = DataLoader(v, batch_size=64)\n");

	cr_expect_eq(p.habits.trains.n, 16);
	cr_expect_eq(p.habits.of[HABIT_TESTS].n, 64);
	cr_expect_eq(p.habits.of[HABIT_TESTS].line, 2);
	p = read_lines("per_device_train_batch_size=4,\nper_device_eval_batch_size=32,\n");
	cr_expect_eq(p.habits.trains.n, 4);
	cr_expect_eq(p.habits.of[HABIT_TESTS].n, 32);
	p = read_lines("python run.py --train_batch_size 8 --eval_batch_size 16\n");
	cr_expect_eq(p.habits.trains.n, 8);
	cr_expect_eq(p.habits.of[HABIT_TESTS].n, 16);
	p = read_lines("batch_size=16\nbatch_size=32\n");
	cr_expect_eq(p.habits.trains.n, -1, "several");
	cr_expect_eq(p.habits.of[HABIT_TESTS].line, 0);
	p = read_lines("model.fit(x, y, batch_size=16, validation_data=(a, b))\n");
	cr_expect_eq(p.habits.of[HABIT_TESTS].line, 0, "of both");
	cr_expect_eq(habit("x = make(test_batch_size=n)\n", HABIT_TESTS).line, 0);
	cr_expect_eq(habit("eval_batch_size=0\n", HABIT_TESTS).line, 0);
	cr_expect_eq(habit("eval_batch_sizes=64\n", HABIT_TESTS).line, 0);
	cr_expect_eq(habit("eval_batch_size=999999999999\n", HABIT_TESTS).line, 0);
}

Test(oom_habit, what_a_hook_gets)
{
	cr_expect_eq(habit("    def validation_epoch_end(self, outputs):\n", HABIT_HOOK).line, 1);
	cr_expect_eq(habit("    def on_validation_epoch_end(self):\n", HABIT_HOOK).line, 0, "which gets nothing");
	cr_expect_eq(habit("    def on_train_epoch_end(self):\n", HABIT_HOOK).line, 0);
}

Test(oom_habit, what_flair_stores)
{
	cr_expect_eq(habit("trainer.train('out', embeddings_storage_mode='gpu')\n", HABIT_STORES).n, 1);
	cr_expect_eq(habit("trainer.train('out', embeddings_storage_mode=\"cpu\")\n", HABIT_STORES).n, 0);
	cr_expect_eq(habit("trainer.train('out', embeddings_storage_mode=\"cpu\")\n", HABIT_STORES).line, 1);
	cr_expect_eq(habit("trainer.train('out', embeddings_storage_mode='none')\n", HABIT_STORES).line, 0);
	cr_expect_eq(habit("trainer.train('out', embeddings_storage_mode", HABIT_STORES).line, 0, "cut");
}

Test(oom_habit, several_sizes)
{
	cr_expect_eq(habit("python train.py --multi-scale --batch 8\n", HABIT_SIZES).line, 1);
	cr_expect_eq(habit("parser.add_argument('--multi-scale', action='store_true')\n", HABIT_SIZES).line, 0);
	cr_expect_eq(habit("multi_scale=False\n", HABIT_SIZES).line, 0);
}

Test(oom_habit, predictions_in_a_loop)
{
	cr_expect_eq(habit("for step in range(9):\n    q = model.predict(x)\n", HABIT_PREDICTS).n, 1);
	cr_expect_eq(habit("for epoch in range(9):\n    train(x)\nq = model.predict(x)\n", HABIT_PREDICTS).line, 0, "behind it");
	cr_expect_eq(habit("q = model.predict(x)\n", HABIT_PREDICTS).line, 0);
	cr_expect_eq(habit("for x in xs:\n    q = model.predict_on_batch(x)\n", HABIT_PREDICTS).line, 0);
}

Test(oom_habit, samples_that_are_scaled)
{
	cr_expect_eq(habit("x = scaler.fit_transform(x)\n", HABIT_SCALER).line, 1);
	cr_expect_eq(habit("x = MinMaxScaler().fit_transform(x)\n", HABIT_SCALER).line, 1);
	cr_expect_eq(habit("x = vectorizer.fit_transform(texts)\n", HABIT_SCALER).line, 0, "which is sparse");
	cr_expect_eq(habit("scaler = GradScaler()\n", HABIT_SCALER).line, 0);
}

Test(oom_habit, a_file_of_caffes)
{
	cr_expect_eq(habit("  type: \"HDF5Data\"\n", HABIT_HDF5).line, 1);
	cr_expect_eq(habit("    @     0x7f0000000002  caffe::HDF5DataLayer<>::LayerSetUp()\n", HABIT_HDF5).line, 1);
	cr_expect_eq(habit("    @     0x7f0000000002  caffe::HDF5OutputLayer<>::LayerSetUp()\n", HABIT_HDF5).line, 0);
	cr_expect_eq(habit("I use the HDF5Data layer of Caffe here.\n", HABIT_HDF5).line, 0, "a sentence");
}

Test(oom_habit, a_context_of_llama_cpp)
{
	cr_expect_eq(habit("llm_load_print_meta: n_ctx_train      = 131072\n", HABIT_CONTEXT).n, 131072);
	cr_expect_eq(habit("llama_new_context_with_model: n_ctx      = 65536\n", HABIT_CONTEXT).n, 65536);
	cr_expect_eq(habit("llm_load_print_meta: n_ctx_train      = 4096\n", HABIT_CONTEXT).line, 0, "which takes little");
	cr_expect_eq(habit("llm_load_print_meta: n_ctx_train      = \n", HABIT_CONTEXT).line, 0);
	cr_expect_eq(habit("The n_ctx_train = 131072 of mine is fine.\n", HABIT_CONTEXT).line, 0, "a sentence");
	cr_expect_eq(read_lines("print_info: n_ctx_train = 131072\nllama_context: n_ctx = 4096\n").habits.context, 4096, "the run's own");
	cr_expect_eq(read_lines("llama-server -m a.gguf --ctx-size 8192\n").habits.context, 8192);
	cr_expect_eq(read_lines("print_info: n_ctx_train = 131072\n").habits.context, 0);
}

Test(oom_habit, what_is_off)
{
	cr_expect(read_lines("torch.backends.cudnn.benchmark = False\n").habits.off[HABIT_BENCHMARK]);
	cr_expect(read_lines("args = GRPOConfig(use_vllm=False, vllm_gpu_memory_utilization=0.3)\n").habits.off[HABIT_SERVER]);
	cr_expect(read_lines("model.gradient_checkpointing_enable()\n").habits.off[HABIT_UNCHECKED]);
	cr_expect_not(read_lines("torch.backends.cudnn.benchmark = True\n").habits.off[HABIT_BENCHMARK]);
	cr_expect_eq(habit("parser.add('--multi-scale', action=\"store_true\", help=\"vary the size\")\n", HABIT_SIZES).line, 0, "which options there are");
}

Test(oom_habit, a_state_without_its_graph)
{
	cr_expect_eq(read_lines("hidden = hidden.data\n").habits.lets_go, 1);
	cr_expect_eq(read_lines("state = [s.data for s in state]\n").habits.lets_go, 1);
	cr_expect_eq(read_lines("hidden = hidden.data_ptr()\n").habits.lets_go, 0);
	cr_expect_eq(read_lines("x = batch.data\n").habits.lets_go, 0, "something else");
}

Test(oom_habit, files_of_tensors)
{
	cr_expect_eq(habit("all = json.load(open(path))\n", HABIT_READS).line, 1);
	cr_expect_eq(habit("c = json.load(open(\"config.json\"))\n", HABIT_READS).line, 0, "which is small");
	cr_expect_eq(habit("state = torch.load(path)\n", HABIT_LOAD).line, 1);
	cr_expect_eq(habit("state = torch.load(path, map_location=\"cpu\")\n", HABIT_LOAD).line, 0);
	cr_expect_eq(habit("local model = torch.load(path) -- loading model\n", HABIT_LOAD).line, 0, "Lua's");
}

Test(oom_habit, python_of_32_bits)
{
	cr_expect_eq(habit("Python 2.7.9 (default, Dec 10 2014) [MSC v.1500 32 bit (Intel)] on win32\n", HABIT_NARROW).line, 1);
	cr_expect_str_eq(habit("  File \"D:\\Python35-32\\lib\\site-packages\\x.py\", line 3, in f\n", HABIT_NARROW).name, "Python35-32");
	cr_expect_eq(habit("It turned out that I had a 32-bit Python installed.\n", HABIT_NARROW).line, 1);
	cr_expect_eq(habit("Python 3.7.4 [MSC v.1915 64 bit (AMD64)] on win32\n", HABIT_NARROW).line, 0);
	cr_expect_eq(habit("It is not a 32 bit Python here.\n", HABIT_NARROW).line, 0);
	cr_expect_eq(habit("Do you use 32-bit Python?\n", HABIT_NARROW).line, 0);
	cr_expect_eq(habit("  File \"D:\\work\\vit-32\\lib\\x.py\", line 3, in f\n", HABIT_NARROW).line, 0, "another folder");
}

Test(oom_habit, queue_of_batches)
{
	cr_expect_eq(habit("h = model.fit_generator(flow, max_q_size=200)\n", HABIT_QUEUE).n, 200);
	cr_expect_eq(habit("h = model.fit(flow, workers=2, max_queue_size=4)\n", HABIT_QUEUE).line, 0, "a short one");
	cr_expect_eq(habit("h = model.fit(flow, max_queue_size=size)\n", HABIT_QUEUE).line, 0);
	cr_expect_str_eq(habit("d = d.batch(8).prefetch(500)\n", HABIT_QUEUE).name, "prefetch");
	cr_expect_eq(habit("d = d.batch(8).prefetch(buffer_size=256)\n", HABIT_QUEUE).n, 256);
	cr_expect_eq(habit("d = d.batch(8).prefetch(2)\n", HABIT_QUEUE).line, 0);
	cr_expect_eq(habit("d = d.batch(8).prefetch(AUTOTUNE)\n", HABIT_QUEUE).line, 0);
}

Test(oom_habit, samples_mapped_at_once)
{
	cr_expect_eq(habit("tokens = texts.map(encode, batched=True)\n", HABIT_MAPS).line, 1);
	cr_expect_eq(habit("tokens = texts.map(encode)\n", HABIT_MAPS).line, 0);
	cr_expect_eq(habit("batched=True, out = texts.map(encode)\n", HABIT_MAPS).line, 0);
	cr_expect_eq(habit("tokens = texts.map(encode, num_proc=12)\n", HABIT_JOBS).n, 12);
	cr_expect_str_eq(habit("tokens = texts.map(encode, num_proc=12)\n", HABIT_JOBS).name, "num_proc");
	cr_expect_eq(habit("tokens = texts.map(encode, num_proc=1)\n", HABIT_JOBS).line, 0);
}

Test(oom_habit, tables_by_their_keys)
{
	cr_expect_str_eq(habit("all = left.merge(other, how='outer')\n", HABIT_JOINS).name, "left.merge");
	cr_expect_eq(habit("net = base.merge(lora)\n", HABIT_JOINS).line, 0);
	cr_expect_eq(habit("all = left.merge(other, on='k', validate='1:1')\n", HABIT_JOINS).line, 0);
}

Test(oom_habit, data_moved_by_julia)
{
	cr_expect_eq(habit("imgs = imgs |> gpu\n", HABIT_MOVED).line, 1);
	cr_expect_eq(habit("model = Chain(Dense(4, 2)) |> gpu\n", HABIT_MOVED).line, 0, "a network");
	cr_expect_eq(habit("imgs = gpu(imgs)\n", HABIT_MOVED).line, 1);
	cr_expect_eq(habit("data = data.cuda()\n", HABIT_MOVED).line, 0, "another language");
	cr_expect_eq(habit("for i in 1:9\n    x = x |> gpu\nend\n", HABIT_MOVED).line, 0, "a batch");
}

Test(oom_habit, data_shared_by_theano)
{
	cr_expect_eq(habit("test_x = theano.shared(numpy.asarray(test_set[0]), borrow=True)\n", HABIT_MOVED).line, 1);
	cr_expect_eq(habit("W = theano.shared(rng.normal(size=(9, 9)), name='W')\n", HABIT_MOVED).line, 0, "a weight");
	cr_expect_str_eq(habit("parts = [cp.asarray(p) for p in pieces]\n", HABIT_MOVED).name, "cp.asarray");
	cr_expect_eq(habit("part = cp.asarray(p)\n", HABIT_MOVED).line, 0);
}

Test(oom_habit, graph_that_grows_in_a_loop)
{
	struct oom_habit h = habit("while True:\n    c = tf.nn.softmax(y)\n    v = session.run(c)\n", HABIT_GRAPH);

	cr_expect_eq(h.line, 2);
	cr_expect_eq(h.n, 1);
	cr_expect_eq(habit("for i in range(9):\n    sess.run(tf.argmax(y, 1))\n", HABIT_GRAPH).line, 2);
	cr_expect_eq(habit("c = tf.nn.softmax(y)\nfor i in range(9):\n    v = sess.run(c)\n", HABIT_GRAPH).line, 0, "made ahead of it");
	cr_expect_eq(habit("for i in range(9):\n    c = tf.nn.softmax(y)\n", HABIT_GRAPH).line, 0, "version 2, as it seems");
	cr_expect_eq(habit("for i in range(9):\n    c = tf.nn.relu(c)\nwith tf.Session() as sess:\n    sess.run(c)\n", HABIT_GRAPH).line, 0, "layers");
}

Test(oom_habit, frames_on_the_device)
{
	cr_expect_eq(habit("t = cudf.read_csv('a.csv')\n", HABIT_FRAMES).line, 1);
	cr_expect_eq(habit("t = dask_cudf.read_csv('a.csv')\n", HABIT_FRAMES).line, 0, "which reads parts");
	cr_expect_eq(habit("t = pd.read_csv('a.csv')\n", HABIT_FRAMES).line, 0);
}
