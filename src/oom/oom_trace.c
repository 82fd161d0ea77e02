/*
 * Each line is looked at once: is it a call ("File a.py, line 9, in f"), a line of code, or the head of
 * another traceback? A traceback belongs to the message at its end, or where none stands there, to the
 * one right ahead of it, as debuggers print it.
 *
 * What a place means is in two tables: calls by file and function, and lines of code by the words in
 * them. A line of code counts only for the innermost call that is not PyTorch's own, since what stands
 * outside of it merely led there.
 */
#include "oom/oom_trace.h"

#include <string.h>

#include "oom/oom_bar.h"

#define NEAR_MESSAGE	24	/* lines from a traceback's end to its message, and on to a better one */
#define MOST_GAP	40	/* lines within a traceback */
#define MOST_PLACE	256
#define MARK_WITHIN	64	/* bytes, with what collectors of logs put ahead */
#define TRACE_OF_GGML	(TRACE_CACHE | TRACE_COMPUTE | TRACE_LAYERS)

struct piece {
	const char *s;
	size_t n;
};

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_word(char c)
{
	c = lower(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where WORD stands in T, whatever the case of its letters. */
static const char *
find(struct piece t, const char *word)
{
	size_t n = strlen(word), i, k;

	for (i = 0; n > 0 && i + n <= t.n; i++) {
		for (k = 0; k < n && lower(t.s[i + k]) == word[k]; k++)
			;
		if (k == n)
			return t.s + i;
	}
	return NULL;
}

/* The same, standing by itself: "q" in "matmul(q, k)". */
static bool
names(struct piece t, const char *word)
{
	size_t n = strlen(word);
	struct piece rest = t;
	const char *at;

	while ((at = find(rest, word))) {
		if ((at == t.s || !is_word(at[-1])) && (at + n == t.s + t.n || !is_word(at[n])))
			return true;
		rest = (struct piece){ at + 1, (size_t)(t.s + t.n - at - 1) };
	}
	return false;
}

/* Does T hold any of the words of LIST, which blanks part? */
static bool
any_of(struct piece t, const char *list)
{
	char word[64];
	size_t n;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == 0 || n >= sizeof(word))
			continue;
		memcpy(word, list, n);
		word[n] = '\0';
		if (find(t, word))
			return true;
	}
	return false;
}

/* ---- lines of code ---- */

/* Products of all pairs, as "b i d, b j d -> b i j": two operands that differ in one index, which both
 * the result has. */
static bool
is_pairs(struct piece t)
{
	const char *at = find(t, "einsum("), *end = t.s + t.n;
	char index[3][16];
	size_t count[3] = { 0 };
	int part = 0, differ = -1;
	size_t i;

	if (!at)
		return false;
	for (at += 7; at < end && *at != '"' && *at != '\''; at++)
		;
	for (at++; at < end && *at != '"' && *at != '\''; at++) {
		if (*at == ',' || (*at == '-' && part == 1)) {
			if (++part > 2)
				return false;
		} else if (is_word(*at)) {
			if (count[part] == sizeof(index[0]))
				return false;
			index[part][count[part]++] = *at;
		}
	}
	if (part != 2 || count[0] != count[1] || count[0] < 2)
		return false;
	for (i = 0; i < count[0]; i++)
		if (index[0][i] != index[1][i]) {
			if (differ >= 0)
				return false;
			differ = (int)i;
		}
	return differ >= 0 && memchr(index[2], index[0][differ], count[2]) &&
	    memchr(index[2], index[1][differ], count[2]);
}

/* A number for each pair, as attention's scores: their product, or softmax. OF: the file or function is
 * of attention. */
static bool
is_scores(struct piece t, bool of)
{
	bool product = any_of(t, "matmul( bmm( baddbmm( einsum(") || find(t, " @ ");
	bool scores = any_of(t, "scores"), attention = any_of(t, "attn attention_p attention_s attention_w");

	if (is_pairs(t))
		return true;
	if (product && ((any_of(t, "query") && any_of(t, "key")) ||
	    (names(t, "q") && (names(t, "k") || any_of(t, "k.transpose k.t( k_t")))))
		return true;
	if (attention && (product || any_of(t, "softmax( dropout( attn.masked_fill( weights.masked_fill(")))
		return true;
	return scores && (product || ((of || any_of(t, "sqrt scale")) && find(t, "softmax(")));
}

/* Logits as an operand, not as what a call of the whole network is to return. */
static bool
is_logits(struct piece t)
{
	const char *is = memchr(t.s, '=', t.n), *end = t.s + t.n;
	struct piece operands = is ? (struct piece){ is, (size_t)(end - is) } : t;

	return any_of(t, "lm_head log_softmax(") || find(operands, "logits");
}

/* What words in a line of code, or in a call's file and function, tell: all that are not NULL must hold
 * one each. */
struct sign {
	const char *words, *others;
	uint64_t facts;
};

/* Of the innermost line of code that is not PyTorch's own: what it is about, */
static const struct sign code_signs[] = {
	{ "box_iou( bbox_overlaps( bbox_iou( pairwise_iou( pairwise_distance( cdist(", NULL, TRACE_PAIRS },
	{ "read_csv( np.load( pickle.load( json.load( read_parquet( loadtxt( genfromtxt( read_json( "
	    "read_pickle( joblib.load( read_hdf( .readlines(", NULL, TRACE_READS },
	{ "np.empty( np.zeros( np.ones( np.full( numpy.empty( numpy.zeros(", NULL, TRACE_MAKES },
	{ "rasterize_gaussians", NULL, TRACE_SPLATS },
	{ "reduce_bucket_size allgather_bucket_size", NULL, TRACE_REDUCES },
	{ "model.to( model.cuda( net.to( net.cuda( network.to( network.cuda( pipe.to( pipeline.to( unet.to( "
	    "model.half().cuda( model.to_empty(", NULL, TRACE_LOADING },
	{ "torch.cat( torch.stack(", "all_ outputs results chunks pieces", TRACE_PIECES },
	{ "deepcopy(model) deepcopy(self.model) deepcopy(net) deepcopy(self.net) deepcopy(network) deepcopy(self.network) "
	    "deepcopy(unet) deepcopy(model.state_dict deepcopy(self.model.state_dict deepcopy(de_parallel( "
	    "deepcopy(model).", NULL, TRACE_TWICE },
	{ "torch.cat([self.key_cache torch.cat([self.value_cache torch.cat([past_key torch.cat((past_key "
	    "torch.cat([past_value", NULL, TRACE_CACHE },
	{ NULL, NULL, 0 }
};

/* and of any: what it calls. */
static const struct sign call_signs[] = {
	{ "torch.load(", NULL, TRACE_CHECKPOINT },
	{ ".backward(", NULL, TRACE_BACKWARD },
	{ "optimizer.step( optim.step(", NULL, TRACE_STEP },
	{ "_cuda_init( cuctxcreate cudeviceprimaryctxretain", NULL, TRACE_FIRST },
	{ "variables_initializer( paddle.load(", NULL, TRACE_LOADING },
	{ "create_graph= retain_graph=true", "backward( grad(", TRACE_RETAINS },
	{ "(x_train (x_test (x_val (train_x (test_x (val_x (train_data (test_data x_train. x_test. "
	    "train_x. test_x. train_data.", ".to( .cuda( model( net( self( predict(", TRACE_WHOLE },
	{ "gatheredparameters(", NULL, TRACE_GATHERS },
	{ ".from_pretrained(", NULL, TRACE_LOADING },
	{ "cameralist_from_caminfos(", NULL, TRACE_CAMERAS },
	{ "sliding_window_inference(", NULL, TRACE_WINDOWS },
	{ "t.is_floating_point()", "t.to(", TRACE_LOADING },	/* of Module.to() */
	{ "._to_shared_mem(", NULL, TRACE_SHARED },
	{ "torch.cuda.graph( make_graphed_callables( capture_model(", NULL, TRACE_GRAPH },
	{ "pin_memory( cudahostalloc", NULL, TRACE_PINNED },
	{ "vae.decode( first_stage_model.decode( decode_first_stage( decode_latents( vae.encode(", NULL,
	    TRACE_DECODER },
	{ NULL, NULL, 0 }
};

static uint64_t
signs(const struct sign *list, struct piece a, struct piece b)
{
	uint64_t facts = 0;

	for (; list->words || list->others; list++)
		if ((!list->words || any_of(a, list->words)) && (!list->others || any_of(b, list->others)))
			facts |= list->facts;
	return facts;
}

static uint64_t
code_facts(struct piece t, bool of_attention)
{
	uint64_t facts = 0;

	if (any_of(t, "scaled_dot_product_attention( multi_head_attention_forward("))
		facts |= TRACE_ATTENTION;
	else if (is_scores(t, of_attention))
		facts |= TRACE_SCORES;
	else if (is_logits(t))
		facts |= TRACE_LOGITS;
	if (any_of(t, "torch.cat( torch.stack( torch.vstack( torch.concat(") &&
	    any_of(t, "pred logits output all_ prob result feature embed score label"))
		facts |= TRACE_JOIN;
	if (any_of(t, "np.insert( np.append( np.concatenate( np.vstack( np.hstack( np.stack( np.array( "
	    "np.asarray( .astype( np.repeat( np.tile( to_categorical( get_dummies( .toarray( .todense("))
		facts |= TRACE_ARRAY;
	if (any_of(t, "exp_avg momentum_buffer") || find(t, "zeros_like(p"))
		facts |= TRACE_STATE;
	facts |= signs(code_signs, t, t);
	if (any_of(t, "mmap_mode chunksize="))	/* and so not as a whole */
		facts &= ~TRACE_READS;
	return facts;
}

/* Calls that a line of code makes, wherever it stands. */
static uint64_t
made_calls(struct piece t)
{
	uint64_t facts = signs(call_signs, t, t);

	/* the one is no, the other PyTorch's own line */
	if (any_of(t, "create_graph=false create_graph=create_graph") && !any_of(t, "retain_graph=true"))
		facts &= ~TRACE_RETAINS;
	/* FSDP warns of it on the message's own line */
	if (any_of(t, "_fsdp_wrapped_module") || find(t, "failed to clone() tensor with name"))
		facts |= TRACE_GATHERS;
	return facts;
}

/* ---- calls ---- */

/* PyTorch's own files, and those of arrays. Of \torch and \nn, JSON's reader makes a tab and a line's end. */
static bool
is_library(struct piece path)
{
	return any_of(path, "numpy/ pandas/ orch/nn/ orch/optim/ orch/autograd/ orch/utils/ orch/cuda/ orch/_ "
	    "orch/serialization.py orch/functional.py orch/tensor.py n/modules/ n/functional.py "
	    "n/parallel/ orch/storage.py");
}

static bool
is_installed(struct piece path)
{
	return any_of(path, "site-packages dist-packages") || is_library(path);
}

/* By a part of its name: "run_eval", "Trainer.evaluate", "validation_step". */
static bool
evaluates(struct piece function)
{
	static const char *const part[] = { "evaluate", "evaluation", "eval", "validate", "validation",
	    "valid", "val", "test", "testing", "predict", "prediction", "inference", "infer", NULL };
	size_t from = 0, to, i;

	for (; from < function.n; from = to + 1) {
		for (to = from; to < function.n && is_word(function.s[to]) && function.s[to] != '_'; to++)
			;
		for (i = 0; part[i]; i++)
			if (strlen(part[i]) == to - from &&
			    find((struct piece){ function.s + from, to - from }, part[i]))
				return true;
	}
	return false;
}

/* Calls by their file and their function. */
static const struct sign place_signs[] = {
	{ "fsdp/_state_dict_utils.py checkpoint/state_dict.py", NULL, TRACE_GATHERS },
	{ NULL, "_consolidated_16bit_state_dict _zero3_consolidated get_full_model_state_dict", TRACE_GATHERS },
	{ "vllm/ sglang/", "create_weights load_weights process_weights_after_loading", TRACE_LOADING },
	{ "vllm/ sglang/", "profile_run determine_num_available_blocks determine_available_memory _dummy_run",
	    TRACE_PROFILES },
	{ "assigners/ assigner.py utils/tal.py matcher.py iou_calculators/ iou2d_calculator.py", NULL,
	    TRACE_PAIRS },
	{ NULL, "pairwise_distance square_distance pdist", TRACE_PAIRS },
	{ "exllama", "load_gen load_autosplit load_tp", TRACE_LOADING },
	{ NULL, "bbox_overlaps pairwise_iou box_iou bbox_iou gather_topk_anchors", TRACE_PAIRS },
	{ "cuda/graphs.py cuda_graph_runner.py cudagraph_utils.py cuda_graph.py", NULL, TRACE_GRAPH },
	{ NULL, "capture_model capture_begin capture_end capture_one_batch_size init_cuda_graphs", TRACE_GRAPH },
	{ NULL, "_share_filename_ _share_fd_ _to_shared_mem _new_shared", TRACE_SHARED },
	{ "pin_memory.py", NULL, TRACE_PINNED },
	{ NULL, "pin_memory", TRACE_PINNED },
	{ NULL, "_ddp_init_helper", TRACE_BUCKETS },
	{ NULL, "to_dense_adj", TRACE_DENSE },
	{ "scene/ camera_utils.py", "cameralist_from_caminfos loadcam", TRACE_CAMERAS },
	{ "monai/", "sliding_window_inference", TRACE_WINDOWS },
	{ "comfy/", "prepare_sampling load_models_gpu load_model_gpu patch_model model_load", TRACE_LOADING },
	{ "message_passing.py torch_scatter/ torch_sparse/ dgl/ torch_geometric/nn/conv/", NULL, TRACE_EDGES },
	{ "autoencoder vae", "decode encode", TRACE_DECODER },
	{ NULL, "decode_latents decode_first_stage vae_decode", TRACE_DECODER },
	{ NULL, "initialize_kv_cache allocate_kv_cache init_cache_engine _init_cache", TRACE_CACHE },
	{ "deepspeed/", "_configure_zero_optimizer initialize_optimizer_states _setup_for_real_optimizer "
	    "_create_fp32_partitions _configure_bf16_optimizer", TRACE_MASTER },
	{ NULL, NULL, 0 }
};

static uint64_t
call_facts(struct piece path, struct piece function)
{
	uint64_t facts = signs(place_signs, path, function);

	if (find(path, "orch/serialization.py"))
		facts |= TRACE_CHECKPOINT;
	if ((find(path, "n/modules/module.py") && (names(function, "_apply") ||
	    names(function, "convert") || names(function, "to") || names(function, "cuda"))) ||
	    any_of(function, "from_pretrained _move_model_to_device _load_pretrained_model "
	    "_load_state_dict_into set_module_tensor_to_device _configure_distributed_model") ||
	    any_of(function, "load_model"))
		facts |= TRACE_LOADING;
	if (find(path, "orch/optim/") && names(function, "step"))
		facts |= TRACE_STEP;
	if (any_of(function, "_call_impl") || names(function, "closure") ||
	    (find(path, "n/modules/module.py") && names(function, "__call__")))
		facts |= TRACE_FORWARD;
	if (find(path, "orch/autograd/__init__.py") && names(function, "backward"))
		facts |= TRACE_BACKWARD;
	if (any_of(path, "n/parallel/data_parallel.py n/parallel/scatter_gather.py n/parallel/comm.py "
	    "n/parallel/replicate.py"))
		facts |= TRACE_PARALLEL;
	if (names(function, "decorate_context") || names(function, "decorate_no_grad"))
		facts |= TRACE_NO_GRAD;
	if (any_of(path, "lightning transformers/trainer fastai/ ignite/ mmcv mmengine"))
		facts |= TRACE_TRAINER;
	if (any_of(path, "cross_entropy"))
		facts |= TRACE_LOGITS;
	if (any_of(function, "nested_concat pad_and_concatenate distributed_concat"))
		facts |= TRACE_JOIN;
	if (evaluates(function))
		facts |= TRACE_EVALUATES;
	return facts;
}

/* ---- lines ---- */

static struct piece
until(const char *from, const char *end)
{
	size_t n = from < end ? (size_t)(end - from) : 0;

	return n > MOST_PLACE ? (struct piece){ end - MOST_PLACE, MOST_PLACE } :
	    (struct piece){ from, n };
}

/* The function's name after " in ", up to what its arguments begin with. */
static struct piece
function_at(const char *s, const char *end)
{
	const char *to = s;

	while (to < end && (is_word(*to) || *to == '.' || *to == '<' || *to == '>'))
		to++;
	return (struct piece){ s, (size_t)(to - s) };
}

/* What follows a file's name in a call: returns where its function is looked for, or NULL. A warning has a
 * place, too, "a.py:9: UserWarning", and collectors of logs have their own, "[log.py:9]". */
static const char *
call_rest(struct piece line, const char *s)
{
	const char *end = line.s + line.n;

	if (s < end && *s == '"')
		return find((struct piece){ s, (size_t)(end - s) }, ", line ");
	if (s < end && *s == ':')
		for (s++; s < end && *s >= '0' && *s <= '9'; s++)
			;
	if (end - s >= 5 && (memcmp(s, " in ", 4) == 0 || memcmp(s, ", in ", 5) == 0))
		return s;
	return NULL;
}

/* A call: its file and its function. "a.py", line 9, in f"; "a.py:9, in f(x)"; "a.py in f(x)". */
static bool
is_call(struct piece line, struct piece *path, struct piece *function)
{
	const char *py = line.s, *end = line.s + line.n, *s = NULL, *in;

	while (!s && (py = find((struct piece){ py, (size_t)(end - py) }, ".py")))
		s = call_rest(line, py += 3);
	if (!s)
		return false;
	*path = until(line.s, py);
	in = find((struct piece){ s, (size_t)(end - s) }, " in ");
	*function = in ? function_at(in + 4, end) : (struct piece){ end, 0 };
	return true;
}

/* The mark that a notebook ("----> 3 f(x)") or rich sets at the line of code that ran. */
static bool
is_marked(struct piece line)
{
	const char *at, *end = line.s + line.n;

	if (find(line, "\xe2\x9d\xb1"))
		return true;
	at = find(line, "-> ");
	return at && at - line.s <= MARK_WITHIN && at + 3 < end && at[3] >= '0' && at[3] <= '9' &&
	    (at == line.s || at[-1] == '-' || at[-1] == ' ');
}

static void
note_code(struct oom_trace *t, struct piece line)
{
	uint64_t facts = code_facts(line, t->attention);

	t->facts |= made_calls(line);
	if (find((struct piece){ line.s, line.n }, "exp_avg") || (t->facts & TRACE_STEP))
		t->facts |= facts & TRACE_STATE;
	if (t->library || (t->turned && t->settled))
		return;
	t->code = t->here & TRACE_EVALUATES ? facts : facts & ~TRACE_JOIN;
	t->settled = true;
}

/* A path of Windows as others write it: within JSON each of its signs is doubled. */
static struct piece
plain_path(struct piece path, char to[MOST_PLACE])
{
	size_t i, n = 0;

	for (i = 0; i < path.n; i++)
		if (path.s[i] != '\\' || n == 0 || to[n - 1] != '/')
			to[n++] = path.s[i] == '\\' ? '/' : path.s[i];
	return (struct piece){ to, n };
}

static void
note_call(struct oom_trace *t, struct piece as_written, struct piece function)
{
	char buffer[MOST_PLACE];
	struct piece path = plain_path(as_written, buffer);
	uint64_t facts = call_facts(path, function);

	t->library = is_library(path);
	if ((facts & TRACE_EVALUATES) && !is_installed(path) && !t->function[0] &&
	    function.n < sizeof(t->function)) {
		memcpy(t->function, function.s, function.n);
		t->function[function.n] = '\0';
	}
	t->facts |= facts;
	if (!t->library) {
		t->here = facts;
		t->attention = any_of(path, "attention attn") || any_of(function, "attention attn attend");
		t->code = t->turned ? t->code : 0;
	}
	t->expect = function.n ? 1 : 3;
}

/* ---- whose it is ---- */

static uint64_t
told(const struct oom_trace *t)
{
	return t->facts | t->code;
}

static void
give(const struct oom_trace *t, struct oom_message *o)
{
	if (o->facts & ~TRACE_OF_GGML)
		return;
	o->facts |= told(t);
	memcpy(o->function, t->function, sizeof(o->function));
}

/* Without a message at its end it is of the one ahead of it. */
static void
close_trace(struct oom_trace *t, struct oom_log *log)
{
	int i;

	for (i = 0; t->begun && t->after && !t->taken && i < log->messages.n; i++)
		if (log->messages.v[i].last == t->after)
			give(t, &log->messages.v[i]);
	memset(t, 0, sizeof(*t));
}

static int
message_before(const struct oom_log *log, int line)
{
	int i, last = 0;

	for (i = 0; i < log->messages.n; i++)
		if (log->messages.v[i].last > last)
			last = log->messages.v[i].last;
	return last && line - last <= 3 ? last : 0;
}

static void
open_trace(struct oom_trace *t, struct oom_log *log, int line, bool headed)
{
	close_trace(t, log);
	t->begun = t->last = line;
	t->after = message_before(log, line);
	t->turned = t->after && !headed;
}

/* What a bar of progress says: whose it is, and what was done. */
static void
note_bar(struct oom_log *log, struct piece line, int number)
{
	struct oom_bar bar;
	struct piece title;

	if (!oom_bar_read(line.s, line.n, &bar))
		return;
	title = until(bar.title, bar.title + bar.title_bytes);
	if (any_of(title, "valid( valid validation evaluat eval testing"))
		log->evaluating = number;
	log->bar = number;
	log->done = bar.done;
	log->rounds = bar.all;
}

void
oom_trace_line(struct oom_trace *t, struct oom_log *log, const char *s, size_t n, int line)
{
	struct piece text = { s, n }, path, function;

	if (t->begun && line - (t->taken ? t->taken : t->last) > MOST_GAP)
		close_trace(t, log);
	note_bar(log, text, line);
	if (find(text, "op_name=\""))
		log->attention = any_of(text, "attention attn");
	if (find(text, "traceback (most recent call last)")) {
		open_trace(t, log, line, true);
	} else if (is_call(text, &path, &function)) {
		if (!t->begun || t->taken)
			open_trace(t, log, line, false);
		t->last = line;
		note_call(t, path, function);
	} else if (t->begun && !t->taken && (t->expect > 0 || is_marked(text))) {
		t->expect -= t->expect > 0;
		t->last = line;
		note_code(t, text);
	} else if (is_marked(text)) {
		open_trace(t, log, line, false);
		note_code(t, text);
	}
}

void
oom_trace_message(struct oom_trace *t, struct oom_message *o, const char *s, size_t n)
{
	struct piece code = { s, n };

	if (t->begun && o->line - (t->taken ? t->taken : t->last) <= NEAR_MESSAGE) {
		give(t, o);
		t->taken = t->taken ? t->taken : o->line;
		return;
	}
	o->facts |= (code_facts(code, false) & ~(TRACE_JOIN | TRACE_STATE)) | made_calls(code);
}

void
oom_trace_end(struct oom_trace *t, struct oom_log *log)
{
	close_trace(t, log);
}
