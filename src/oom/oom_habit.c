/* Most are found by a phrase; what a phrase alone does not tell has a function of its own. */
#include "oom/oom_habit.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_array.h"
#include "oom/oom_clause.h"
#include "oom/oom_graph.h"
#include "oom/oom_layer.h"
#include "oom/oom_log.h"
#include "oom/oom_loop.h"
#include "oom/oom_seen.h"
#include "oom/oom_signs.h"
#include "oom/oom_whole.h"

#define MOST_PROCESSES	1024
#define LEAST_SHUFFLED	1000
#define MOST_SHUFFLED	((int64_t)1 << 40)
#define MOST_BATCH	((int64_t)1 << 20)
#define STORED_WITHIN	12	/* bytes from a setting's name to its value's end */
#define ALL_THERE	"load_all=true|load_all = true|load_all: true|cache_all=true|preload=true|in_memory=true|load_in_memory=true|load_into_memory=true"
#define TRAINED_THERE	"cache=ram,|cache=true,"	/* of the settings that Ultralytics prints as it begins */
/* As people tell of it. */
#define PREDICTS_TOLD	"predict in a loop|predict() in a loop|predict in the loop|predict() in the loop|predict within a loop|predict in a for loop|predict() in a for loop|predict inside a loop|predict() inside a loop|predict in a callback|" \
    "predict() in a callback|model.predict repeatedly|model.predict() repeatedly|repeatedly call model.predict|repeatedly calling model.predict|repeatedly calling predict|repeated calls to predict|repeated calls to model.predict|" \
    "multiple calls to model.predict|循环调用predict|循环调用model.predict|循环里调用predict|循环中调用model.predict|循环predict|多次调用predict|多次调用model.predict|反复调用predict|反复调用model.predict"
/* vLLM beside training, on devices of its own. */
#define SERVER_APART	"one for training|another for vllm|one for vllm|other for vllm|1 for vllm|a separate gpu|separate gpus|separate node|separate nodes|separate server|separate device|dedicated gpu|dedicated gpus|dedicated node|different gpu|different gpus|different node|" \
    "gpu for vllm|gpus for vllm|device for vllm|its own gpu|its own gpus|own device|vllm_mode server|vllm_mode: server|vllm_mode=server|vllm_mode=\"server\"|vllm_mode='server'|vllm_server_host|vllm-serve|gpus for training|gpu for training"

static const struct {
	enum oom_habit_kind kind;
	const char *phrases, *unless;	/* strokes part */
	bool traced;		/* of a traceback's lines, too; the place tells of others (oom_signs.h) */
} calls[] = {
	{ HABIT_READS, "read_csv(|read_table(|read_excel(|read_json(|read_parquet(|read_pickle(|pickle.load(|json.load(|np.load(|numpy.load(|loadtxt(|"
	    "genfromtxt(|joblib.load(|.readlines(|np.array(hf.get(|np.array(hf[|np.array(f.get(|np.array(h5f|np.array(h5[|np.array(h5_file[|np.array(data_file[", "chunksize|nrows|mmap_mode|iterator|config|cfg|param|setting|vocab|dask_cudf.read_|dd.read_|dask.dataframe", false },
	{ HABIT_TEXTS, "linebylinetextdataset(|textdataset(tokenizer", "class |def ", true },
	{ HABIT_CODES, "to_categorical(|get_dummies(|onehotencoder(|one_hot_encode(", "sparse=true|sparse_output=true", true },
	{ HABIT_JOINS, "pd.merge(|.merge(df|.merge(train|.merge(test|.merge(right|.merge(left", "def |validate=", true },
	{ HABIT_FRAMES, "cudf.io.csv.read_csv(|cudf.io.read_csv(|cudf.io.parquet.read_parquet(|cudf.read_csv(|cudf.read_parquet(|cudf.read_json(|cudf.read_feather(|cudf.read_orc(", "nrows|byte_range", true },
	{ HABIT_DENSE, ".toarray()|.todense()", "def ", false },
	{ HABIT_CACHE, ".cache()|cache_images|cache-images|cache='ram'|cache=\"ram\"|cache=ram|--cache ram|--cache --", "lru_cache|empty|false|df.cache|spark|rdd", false },
	{ HABIT_LOAD, "torch.load(", "map_location| -- |local |.t7|table.insert(|:cuda()", false },
	{ HABIT_PARALLEL, "dataparallel(", "distributed|class |def |isinstance|device_ids=[0]|device_ids = [0]", false },
	{ HABIT_SERVER, "vllm_gpu_memory_utilization|use_vllm=true|use_vllm true|use_vllm: true|use_vllm = true", "false", false },
	{ HABIT_UNIT, "fsdp(|fullyshardeddataparallel(", "auto_wrap_policy|def |class |isinstance", false },
	{ HABIT_CREATES, "create_graph=true|create_graph = true", "def ", false },
	{ HABIT_SCALER, "scaler.fit_transform(|scaler().fit_transform(", "def ", true },
	{ HABIT_SIZES, "--multi-scale|--multi_scale|multi_scale=true|multi_scale: true|multiscale=true|multi_scale = true", "false|nargs|add_argument|action=|help=|[--", false },
	{ HABIT_SPREAD, "device_map=\"auto|device_map='auto|device_map=auto|device_map = \"auto|device_map: auto|--device_map auto|device_map=\"sequential|device_map='sequential", "max_memory|def ", false },
	{ HABIT_JOINED, "nested_concat(preds_host|nested_concat(all_preds|nested_concat(preds|nested_concat(self.all_preds", "def ", false },
	{ HABIT_BENCHMARK, "cudnn.benchmark = true|cudnn.benchmark=true|cudnn_benchmark=true|cudnn_benchmark = true|cudnn_benchmark: true|torch.backends.cudnn.benchmark = true", "if |args.|nargs", false },
	{ HABIT_HOOK, "training_epoch_end(|validation_epoch_end(|test_epoch_end(", "on_train|on_val|on_test", true },
};

/* What says on any line that a kind is off. */
static const struct {
	enum oom_habit_kind kind;
	const char *phrases;
} off[] = {
	{ HABIT_UNCHECKED, "gradient_checkpointing_enable|enable_gradient_checkpointing|gradient_checkpointing=true|gradient_checkpointing = true|gradient_checkpointing: true" },
	{ HABIT_SPLITS, "ram_efficient_loading': true|ram_efficient_loading: true|ram_efficient_loading=true" },
	{ HABIT_UNIT, "auto_wrap_policy|auto_wrap(|enable_wrap(|wrap(|apply_fsdp(" },
	{ HABIT_OFFLOADS, "\"device\": \"none|\"device\":\"none|\"device\": \"nvme|\"device\":\"nvme" },
	{ HABIT_SERVER, "use_vllm=false|use_vllm: false|use_vllm = false|use_vllm false" },
	{ HABIT_INSTANCES, "kind_cpu" },
	{ HABIT_SIZES, "multi_scale=false|multi_scale: false|multi_scale = false" },
	{ HABIT_BENCHMARK, "cudnn.benchmark = false|cudnn.benchmark=false|cudnn_benchmark=false|cudnn_benchmark = false|cudnn_benchmark: false" },
};

/* Keeps the first of a kind, and the name that stands from S to END. */
void
oom_habit_keep(struct oom_habits *h, enum oom_habit_kind kind, int line, int64_t n, const char *s, const char *end)
{
	struct oom_habit *of = &h->of[kind];
	size_t length = s ? (size_t)(end - s) : 0;

	if (of->line)
		return;
	length = length < HABIT_NAME ? length : HABIT_NAME - 1;
	of->line = line;
	of->n = n;
	if (length > 0)
		memcpy(of->name, s, length);
	of->name[length] = '\0';
}

/* "dask_cudf.read_csv(" reads parts, and is no "cudf.read_csv(". */
static bool
next_call(struct talk t, enum oom_habit_kind kind, const char *phrases, const char **at, size_t *n)
{
	while (talk_next_phrase(t, phrases, at, n))
		if (kind != HABIT_FRAMES || *at == t.s || !piece_is_word((*at)[-1]))
			return true;
	return false;
}

static void
by_call(struct oom_habits *h, struct talk t, int line, bool traced)
{
	const char *at, *from, *end = t.s + t.n, *to;
	size_t i, n;

	for (i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		if (talk_any_phrase(t, off[i].phrases))
			h->off[off[i].kind] = true;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		at = NULL;
		if (traced && !calls[i].traced)
			continue;
		if (!next_call(t, calls[i].kind, calls[i].phrases, &at, &n) || talk_any_phrase(t, calls[i].unless) ||
		    (calls[i].kind == HABIT_DENSE && (at[1] == 'T' || at[3] == 'A')))	/* ".ToArray()" of C#, ".toArray()" of Java */
			continue;
		if (*at == '.' && at[1] >= 'A' && at[1] <= 'Z')
			continue;		/* "stream.ToArray()" of .NET: Python's are in small letters */
		for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
			;
		for (to = at; to < end && (piece_is_word(*to) || *to == '.'); to++)
			;
		if (from == to)
			to += n;		/* an option */
		if ((calls[i].kind != HABIT_LOAD && calls[i].kind != HABIT_UNIT) || memchr(at, ')', (size_t)(end - at)))	/* what follows on the next line is not known */
			oom_habit_keep(h, calls[i].kind, line, 0, from, to - from > 3 && memcmp(to - 3, " --", 3) == 0 ? to - 3 : to);
	}
}

bool
oom_habit_number(struct talk t, const char *at, int64_t *n)
{
	const char *end = t.s + t.n, *to;
	bool less = false;

	while (at < end && memchr(" \t=:\"'", *at, 6))
		at++;
	if (at < end && *at == '-') {
		less = true;
		at++;
	}
	if (at == end || !is_digit(*at) || !(to = piece_number(at, end, n)) || (to < end && (piece_is_word(*to) || *to == '.')))
		return false;
	*n = less ? -*n : *n;
	return true;
}

#define OF_LOADER	"max dataloader data loader loaders dl train training val valid validation eval test predict"

/* "dataloader_num_workers", not "preprocess_num_workers": what stands ahead of AT within the name
 * leaves it a loader's. */
static bool
is_loaders(struct talk t, const char *at)
{
	const char *from = at, *to;

	while (from > t.s && (piece_is_word(from[-1]) || from[-1] == '-'))
		from--;
	for (; from < at; from = to + 1) {
		for (to = from; to < at && *to != '_' && *to != '-'; to++)
			;
		if (to > from && !talk_is_one_of(talk_part(t, from, to), OF_LOADER))
			return false;
	}
	return true;
}

/* A loader's processes, by the names that people's own options have, too. */
#define WORKERS		"num_workers|num-workers|--workers|workers_per_gpu|num_worker|worker_num|workers_num|work_num|num_work|loader_n_workers|loader-n-workers"
#define JOBS		"n_jobs|num_proc=|num_proc =|num_proc:|preprocessing_num_workers|preprocess_num_workers"

static void
by_number(struct oom_habits *h, struct talk t, int line)
{
	const char *at;
	int64_t n;
	size_t length;

	for (at = NULL; talk_next_phrase(t, WORKERS, &at, &length); )
		if (oom_habit_number(t, at + length, &n) && n > 0 && n <= MOST_PROCESSES && is_loaders(t, at))
			oom_habit_keep(h, HABIT_WORKERS, line, n, at, at + length);
	for (at = NULL; talk_next_phrase(t, JOBS, &at, &length); )
		if (oom_habit_number(t, at + length, &n) && (n < 0 || n > 1) && n <= MOST_PROCESSES)
			oom_habit_keep(h, HABIT_JOBS, line, n < 0 ? 0 : n, at, piece_past_word(at, t.s + t.n));
	if ((at = talk_first(t, ".shuffle(")) && oom_habit_number(t, at + strlen(".shuffle("), &n) && n >= LEAST_SHUFFLED && n <= MOST_SHUFFLED)
		oom_habit_keep(h, HABIT_SHUFFLE, line, n, NULL, NULL);
	else if ((at = talk_first(t, ".shuffle(buffer_size=")) && oom_habit_number(t, at + strlen(".shuffle(buffer_size="), &n) && n >= LEAST_SHUFFLED &&
	    n <= MOST_SHUFFLED)
		oom_habit_keep(h, HABIT_SHUFFLE, line, n, NULL, NULL);
}

#define NARROW		"32 bit (intel)|32-bit python|32 bit python|32bit python|python 32-bit|python 32 bit|python (32-bit)|python (32 bit)|anaconda 32-bit|anaconda (32-bit)|x86 build|platform target x86|platform target: x86|platformtarget>x86|compiled as x86|compiled for x86 |prefer 32-bit|32-bit process|32 bit process|32位python|32位的python|32位 python|python是32位|python 32位|python32位|32位的r|r是32位"
#define NARROW_BUILDS	"32-bit r|32 bit r|32bit r|32-bit version of r|32 bit version of r|32-bit version of python|32 bit version of python|r 32-bit|r 32 bit"
#define NARROW_R	"your machine has a 4gb address|i386-w64-mingw32"

/* "python 2.7 32 bit": the version stands between. */
static const char *
narrow_version(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, "python ", &at, &n)) {
		for (s = at + n; s < end && (is_digit(*s) || *s == '.' || *s == ',' || *s == ' ' || *s == '('); s++)
			if (s > at + n && s[-1] == ' ' && end - s >= 6 && (talk_any_phrase(talk_part(t, s, s + 6), "32 bit|32-bit") || talk_any_phrase(talk_part(t, s, s + 5), "32bit")))
				return at;
	}
	return NULL;
}

/* "[MSC v.1900 32 bit (Intel)]", "C:\\Python36-32\\lib": of the Python that ran; people's words may
 * deny it. */
static const char *
narrow_at(struct talk t)
{
	const char *at = NULL, *s;
	int64_t bits;
	size_t n;

	while (talk_next_phrase(t, "-32\\", &at, &n)) {
		for (s = at; s > t.s && is_digit(s[-1]); s--)
			;
		if (s - t.s >= 6 && talk_first(talk_part(t, s - 6, s), "python"))
			return s - 6;
	}
	if ((s = talk_first(t, "python-bits")) && oom_habit_number(t, s + strlen("python-bits"), &bits) && bits == 32)
		return s;		/* as pandas tells it */
	return (s = talk_first(t, NARROW)) || (s = talk_find_whole(t, NARROW_BUILDS, &n)) ? s : narrow_version(t);
}

static void
narrow(struct oom_habits *h, struct talk t, int line)
{
	const char *own = talk_first(t, NARROW_R), *at = own ? own : narrow_at(t);	/* R's own words */
	size_t n, by_build;

	by_build = talk_find_whole(t, NARROW_BUILDS, &n) == at ? n : 0;
	if (at && (own || (!clause_says_no(talk_clause(t, at, 1), "64 64-bit 64bit instead if should") && !memchr(t.s, '?', t.n)))) {
		for (n = by_build; !by_build && n < HABIT_NAME - 1 && at + n < t.s + t.n && (!memchr(",.\\]", at[n], 4) || (at[n] == '.' && at + n + 1 < t.s + t.n && is_digit(at[n + 1]))); n++)
			;
		n -= n > 0 && at[n - 1] == ' ';
		oom_habit_keep(h, HABIT_NARROW, line, 0, at, at + n);
	}
}

#define RANKS		"--nproc_per_node|--nproc-per-node|--num_processes|--num-processes"
#define HISTOGRAMS	"histogram_freq"	/* of TensorBoard's; 0 draws none */
#define QUEUES		"max_queue_size|max_q_size|.prefetch(|prefetch(buffer_size="
#define LEAST_QUEUE	10	/* what Keras has by itself */
#define MOST_QUEUE	1000000

/* One of the settings NAMES, with a number from LEAST to MOST. */
static void
counted(struct oom_habits *h, enum oom_habit_kind kind, const char *names, int64_t least, int64_t most, struct talk t, int line)
{
	const char *at = NULL;
	int64_t n;
	size_t length;

	while (talk_next_phrase(t, names, &at, &length))
		if (oom_habit_number(t, at + length, &n) && n >= least && n <= most)
			oom_habit_keep(h, kind, line, n, at + (*at == '.'), at + strcspn(at, "(=") < at + length ? at + strcspn(at, "(=") : at + length);
}

#define CLASSES		"num_classes|n_classes|nb_classes|num_class|num_labels"
#define LEAST_CLASSES	1000	/* of which a number for each pair is worth a word */

/* What code sets last is what fails. */
static void
classes(struct oom_habits *h, struct talk t, int line)
{
	struct oom_habit before = h->of[HABIT_CLASSES];

	h->of[HABIT_CLASSES] = (struct oom_habit){ 0 };
	counted(h, HABIT_CLASSES, CLASSES, LEAST_CLASSES, MOST_SHUFFLED, t, line);
	if (!h->of[HABIT_CLASSES].line)
		h->of[HABIT_CLASSES] = before;
}

#define SAVED		"modules_to_save|additional_target"	/* of PEFT, and LLaMA-Factory's name of it */

/* The same of people who name what is trained. */
#define SAVED_TOLD	"lm_head and embed_tokens|embed_tokens and lm_head|lm_head & embed_tokens|embed_tokens & lm_head|lm_head and the embeddings|embed_tokens, lm_head|lm_head, embed_tokens"

/* "modules_to_save=["embed_tokens", "lm_head"]" */
static void
saved(struct oom_habits *h, struct talk t, int line)
{
	size_t n;
	const char *at = talk_find_whole(t, SAVED, &n);

	if (at && talk_any_of(talk_part(t, at + n, t.s + t.n), "embed lm_head wte"))
		oom_habit_keep(h, HABIT_SAVED, line, 0, at, at + n);
}

#define CHECKPOINTS	"gradient_checkpointing|gradient-checkpointing|activation_checkpointing|activation-checkpointing|grad_checkpointing|use_checkpointing"
/* Scripts of diffusers' that take that as an option, and keep all without it. */
#define OF_DIFFUSERS	"train_dreambooth|train_text_to_image|train_controlnet|train_instruct_pix2pix|train_custom_diffusion|train_t2i_adapter"
/* And those of them that train a network as a whole. */
#define TRAIN_WHOLE	"train_dreambooth|train_text_to_image|train_controlnet|train_instruct_pix2pix"
#define OFF_WITHIN	12	/* bytes from the name to its value's end */

/* "gradient_checkpointing=False"; and "train_dreambooth.py --resolution=512", whatever follows on
 * other lines. */
static void
checkpoints(struct oom_habits *h, struct talk t, int line)
{
	const char *at, *to, *end = t.s + t.n;
	size_t n;

	if ((at = talk_find_whole(t, CHECKPOINTS, &n))) {
		if (talk_any_whole(talk_head(t, at + n, OFF_WITHIN), "false"))
			oom_habit_keep(h, HABIT_UNCHECKED, line, 0, at, at + n);
	} else if ((at = talk_first(t, OF_DIFFUSERS))) {
		to = piece_past_word(at, end);
		if (end - to > 3 && memcmp(to, ".py", 3) == 0)
			oom_habit_keep(h, HABIT_UNCHECKED, line, 1, at, to + 3);
	}
	if ((at = talk_first(t, TRAIN_WHOLE)) && !talk_any_of(t, "lora dora peft")) {
		to = piece_past_word(at, end);
		if (end - to > 3 && memcmp(to, ".py", 3) == 0)
			oom_habit_keep(h, HABIT_WHOLE, line, 0, at, to + 3);
	}
}

/* Names of tests have one of these: "val_loader = DataLoader(set, batch_size=64)",
 * "per_device_eval_batch_size". */
#define TESTS		"val|valid|eval|test|dev_"

/* "batch_size=16" of training and "batch_size=256" of tests, by the names there. */
static void
batches(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *from, *is, *end = t.s + t.n;
	struct talk name;
	int64_t n;
	size_t length;

	while (talk_next_phrase(t, "batch_size|batch-size|batchsize", &at, &length)) {
		for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '-'); from--)
			;
		if ((at + length < end && piece_is_word(at[length])) || !oom_habit_number(t, at + length, &n) || n <= 0 || n > MOST_BATCH)
			continue;
		is = memchr(t.s, '=', t.n);
		name = from < at && talk_any_phrase(talk_part(t, from, at), TESTS "|train") ? talk_part(t, from, at) :
		    is && is < from ? talk_part(t, t.s, is) : talk_part(t, t.s, t.s);
		if (talk_any_phrase(name, TESTS) && !talk_any_phrase(name, "train|interval")) {
			if (n > h->of[HABIT_TESTS].n) {
				h->of[HABIT_TESTS].line = 0;
				oom_habit_keep(h, HABIT_TESTS, line, n, from, at + length);
			}
		} else if (!talk_any_phrase(t, TESTS) || talk_any_phrase(name, "train")) {
			h->trains.n = h->trains.line && h->trains.n != n ? -1 : n;
			h->trains.line = line;
		}
	}
}

/* "train('out', embeddings_storage_mode='gpu')" of flair */
static void
stores(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, "embeddings_storage_mode|embedding_storage_mode|embeddings_in_memory"), *to, *end = t.s + t.n;

	if (!at)
		return;
	to = piece_past_word(at, end);
	if (to < end && talk_any_whole(talk_head(t, to, STORED_WITHIN), "gpu cuda cpu true"))
		oom_habit_keep(h, HABIT_STORES, line, talk_any_whole(talk_head(t, to, STORED_WITHIN), "gpu cuda"), at, to);
}

#define SPREADS		"device_map=\"auto|device_map='auto|device_map=\"balanced|device_map='balanced|device_map=\"sequential|device_map='sequential|device_map = \"auto|device_map = 'auto|device_map = \"balanced"
#define GATHERS		").cuda()|).to(\"cuda|).to('cuda|).to(device)|).to(0)"

/* "X.from_pretrained(name, device_map="auto").cuda()", or on a later line "model.cuda()". */
static void
regathers(struct oom_habits *h, struct talk t, int line)
{
	const char *spread = talk_first(t, SPREADS), *at = NULL, *end = t.s + t.n;
	size_t n;

	if (spread)
		h->spread = line;
	while (spread && talk_next_phrase(t, GATHERS, &at, &n))
		if (at > spread && talk_first(talk_part(t, spread, end), ".eval().cuda()|).cuda()|).to(") && !talk_any_phrase(talk_part(t, spread, at), "tokenizer|inputs"))
			oom_habit_keep(h, HABIT_REGATHERED, line, line, at + 1, at + n);
}

#define OF_GROUP	8	/* lines from the head of instance_group to its count */

/* "instance_group [ { count: 8 kind: KIND_GPU } ]" */
static void
instances(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL;
	int64_t count;
	size_t n;

	if (talk_any_phrase(t, "instance_group"))
		h->group = line;
	if (!h->group || line - h->group > OF_GROUP)
		return;
	while (talk_next_phrase(t, "count:|count :|\"count\"", &at, &n))
		if (oom_habit_number(t, at + n, &count) && count > 1 && count <= MOST_PROCESSES)
			oom_habit_keep(h, HABIT_INSTANCES, line, count, NULL, NULL);
}

#define CHAIN_WITHIN	12	/* lines, from a call to the innermost of its traceback */
#define COPIED		"distributed_type: multi_gpu|distributed_type: 'multi_gpu|distributed_type\": \"multi_gpu|distributedtype.multi_gpu|distributeddataparallel(model"

void
oom_habit_seen(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL;
	size_t n;

	regathers(h, t, line);
	instances(h, t, line);
	if (talk_next_phrase(t, COPIED, &at, &n))
		oom_habit_keep(h, HABIT_COPIED, line, 0, at, memchr(at, '(', n) ? (const char *)memchr(at, '(', n) : at + n);
	if (talk_any_phrase(t, CHECKPOINTS "|gradient checkpoint|activation checkpoint"))
		h->checks = line;
	if ((at = talk_first(t, ".toarray()|.todense()")) && at[3] >= 'a' && at[1] >= 'a' && !talk_any_phrase(t, "instead|without|avoid|rather than|def "))
		oom_habit_keep(h, HABIT_DENSE, line, 0, NULL, NULL);
	if (talk_any_phrase(t, "transform(") && talk_any_phrase(t, ").toarray()|).todense()"))
		h->chained = line;
	if (h->chained && h->chained == h->of[HABIT_DENSE].line && line > h->chained && line <= h->chained + CHAIN_WITHIN && talk_any_phrase(t, ", in fit_transform|, in transform|, in _transform"))
		h->of[HABIT_DENSE].line = 0;	/* it failed within that call */
	if (talk_any_phrase(t, "triggered tf.function retracing"))
		oom_habit_keep(h, HABIT_RETRACES, line, 0, NULL, NULL);
	if (talk_any_phrase(t, "vllm") && talk_has_whole(t, SERVER_APART))
		h->off[HABIT_SERVER] = true;
	if ((at = talk_first(t, PREDICTS_TOLD)) && !talk_any_phrase(t, "instead|rather than|without"))
		oom_habit_keep(h, HABIT_PREDICTS, line, line, NULL, NULL);
	if (talk_any_phrase(t, "bitsandbytes was compiled without gpu support"))
		oom_habit_keep(h, HABIT_WITHOUT, line, 0, NULL, NULL);
	if ((at = talk_find_whole(t, SAVED_TOLD, &n)) && talk_any_begins(t, "train finetun fine-tun"))
		oom_habit_keep(h, HABIT_SAVED, line, 0, at, at + n);
	if (talk_any_phrase(t, "was asked to gather along dimension"))
		oom_habit_keep(h, HABIT_GATHERED, line, 0, NULL, NULL);
	oom_seen_unrolled(h, t, line);
	oom_graph_seen(h, t, line);
	oom_array_seen(h, t, line);
	/* a program may print it, too */
	narrow(h, t, line);
	if ((at = talk_first(t, ALL_THERE)) || (talk_any_phrase(t, "mode=train") && (at = talk_first(t, TRAINED_THERE))))
		oom_habit_keep(h, HABIT_CACHE, line, 0, at, piece_past_word(at, t.s + t.n));
}

#define RERUNS		"_fixup_main_from_path(|_fixup_main_from_name("	/* Lib/multiprocessing/spawn.py */

void
oom_habit_traced(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, RERUNS);

	if (at)
		oom_habit_keep(h, HABIT_RERUNS, line, 0, at, memchr(at, '(', (size_t)(t.s + t.n - at)));
	by_call(h, t, line, true);
	oom_whole_traced(h, t, line);
	oom_array_traced(h, t, line);
	counted(h, HABIT_HISTOGRAMS, HISTOGRAMS, 1, INT64_MAX, t, line);
}

void
oom_habit_line(struct oom_habits *h, struct talk t, int line)
{
	const char *at;

	by_call(h, t, line, false);
	by_number(h, t, line);
	oom_whole_line(h, t, line);
	oom_seen_line(h, t, line);
	counted(h, HABIT_RANKS, RANKS, 2, MOST_PROCESSES, t, line);
	counted(h, HABIT_QUEUE, QUEUES, LEAST_QUEUE, MOST_QUEUE, t, line);
	classes(h, t, line);
	saved(h, t, line);
	checkpoints(h, t, line);
	counted(h, HABIT_HISTOGRAMS, HISTOGRAMS, 1, INT64_MAX, t, line);
	batches(h, t, line);
	if (h->spread && line > h->spread && signs_is_move(talk_piece(t)) && (at = talk_first(t, ".cuda(|.to(")))
		oom_habit_keep(h, HABIT_REGATHERED, line, h->spread, at, memchr(at, ')', (size_t)(t.s + t.n - at)) ? (const char *)memchr(at, ')', (size_t)(t.s + t.n - at)) + 1 : t.s + t.n);
	stores(h, t, line);
	oom_layer_line(h, t, line);
	oom_loop_line(h, t, line);
	oom_array_line(h, t, line);
	if (signs_of_code(talk_piece(t), false) & TRACE_ALL_PAIRS)
		oom_habit_keep(h, HABIT_PAIRS, line, 0, NULL, NULL);
}
