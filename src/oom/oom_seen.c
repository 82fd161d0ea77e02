/*
 * Habits that one line alone does not show: what is named wherever it stands, unless a sentence
 * denies it; an option of one line with a word of another, in one command; and what code puts on a
 * device in one line and keeps in another.
 */
#include "oom/oom_seen.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"

/* ---- by a name ---- */

static const struct {
	enum oom_habit_kind kind;
	const char *phrases;	/* which strokes part, */
	const char *unless;	/* and of these none on the same line */
	bool traced;		/* of a traceback's lines, too */
} names[] = {
	{ HABIT_OFFLOADS, "offload_optimizer|cpu_adam.py|--adam_offload|offload_param|cpu_offload|cpu-offload|cpu offload|cpuoffload|zero-offload|zero offload|zero3_offload|"
	    "zero2_offload|z3_offload|z2_offload|zero3-offload|zero3 offload|zero-3 offload|default_offload|deepspeedcpuadam|module cpu_adam|cpu_adam op:|optimizer offload|offload the optimizer|"
	    "offload optimizer|offloading the optimizer|offloading optimizer",
	    "false|none|nvme|enable_|sequential_|model_cpu|offload_gb|offload-gb|comfy|[no]|import |add_argument(", false },
	{ HABIT_MERGES, "merge_and_unload(|save_pretrained_merged(|merge_adapter(|merge_adapters|merge_peft|merge-lora|merge-peft|merge_lora|lora merging|lora merge|merging lora|merge lora|merging the lora|merge the lora|"
	    "merging the adapter|merge the adapter|merging adapter|merge loras", "def |llama.cpp|stable-diffusion|comfy|false|none|[no]|import |add_argument(", false },
	{ HABIT_INDEX, "indexerror: index out of range|indexerror: target", "def |print(", true },
	{ HABIT_SPLITS, "using fsdp|with fsdp|fsdp_config|--fsdp|--enable_fsdp|enable_fsdp|full_shard|: fsdp|fsdp model|fsdp fine|fsdp train|fullyshardeddataparallel|fsdp_transformer_layer", "false|def |import |[no]|{}|[]|null|none|min_num_params", false },
	{ HABIT_TEXTS, "features from dataset file", "def |logger", false },
	{ HABIT_FEATURES, "padim|patchcore", "sktime|== |import ", false },
	{ HABIT_FACES, "face_locations(|cnn_face_detector(|cnn_face_detection_model|face_detection --model", "def |class |import |hog", true },
	{ HABIT_FACES, "face detection|detect faces|face_recognition", "def |class |import |hog|version", false },
	{ HABIT_CELLS, "sc.read(|sc.read_|read_h5ad|sc.pp.|anndata(|sc.concat(|scanpy", "def |import |==|version|seurat", true },
	{ HABIT_SEURAT, "sctransform|findintegrationanchors|integratedata|integratelayers|scaledata|findtransferanchors", "function(|library(|version", true },
	{ HABIT_DOCUMENTS, "nlp.pipe(|spacy.load(|textacy.corpus(|.pipe(texts|.pipe(docs", "def |import |sklearn|version", true },
	{ HABIT_INDEXES, "faiss.index|faiss.read_index|faiss index|indexflat|indexhnsw|indexivf|ivfpq|index.add_with_ids(|index_factory(", "def |import |version|gpu", true },
	{ HABIT_NEIGHBOURS, "hdbscan|dbscan", "def |import |== |version|plot", true },
	{ HABIT_EMBEDS, "umap", "def |import |== |version|plot|sc.pl|bumap|qumap", true },
	{ HABIT_FOREST, "randomforestclassifier(|randomforestregressor(|extratreesclassifier(|extratreesregressor(", "max_depth|max_leaf_nodes|min_samples_leaf|def |class |import |cuml|labelcol|featurescol", true },
	{ HABIT_SPLIT_ROWS, "safe_indexing(a, train)", "def ", true },	/* of its traceback */
	{ HABIT_COLUMNS, "dictvectorizer(|dict_vectorizer.py", "def |class |import ", true },
	{ HABIT_SIMILAR, "init_sims|syn0norm|most_similar|similar_by_vector|similar_by_word", "def |replace=true|replace = true|== |spacy|vocab.vectors|elasticsearch", true },
	{ HABIT_TAGS, "taggeddocument(|labeledsentence(|labeledlinesentence(|taggedlinedocument(", "def |class |import ", true },
	{ HABIT_HEAP, "-xmx", "def |import ", true },
	{ HABIT_PAIRS, "<- outer(|proximity = true|proximity=true", "function(|library(|def |torch|scipy|np.", true },	/* R's */
	{ HABIT_DISTANCES, "dist(|daisy(|fviz_dist", "function(|library(|def |torch|scipy|np.", true },
	{ HABIT_PAIRS, "kernelridge(|kernelpca(|manifold.mds(|isomap(|pairwise_kernels(|hierarchy.linkage(|sch.linkage(|agglomerativeclustering(|spectralclustering(|affinitypropagation(|euclidean_distances(|linear_kernel(|rbf_kernel(|silhouette_score(|squareform(pdist(", "def |import |class |torch|connectivity|sample_size|nearest_neighbors|dense_output", true },
	{ HABIT_KERNELS, "kernel pca|kernelpca|kernel ridge|kernelridge|spectral clustering|spectralclustering|affinity propagation|affinitypropagation|agglomerative clustering|agglomerativeclustering", "def |import |class |torch|connectivity|nearest_neighbors|nystroem|version|diariz", false },
	{ HABIT_STEPS, "integratedgradients|integrated gradients|integrated_gradients", "def |import |class |version", true },
	{ HABIT_DRAWN, "gradientshap|gradient shap|gradient_shap|noisetunnel|noise_tunnel", "def |import |class |version|nt_samples_batch_size=", true },
	{ HABIT_DENSE, "as.matrix(getassaydata|as.matrix(sparse|as.matrix(assay|as.matrix(seurat|as.matrix(obj@|as.matrix(object@", "function(|library(", true },	/* R's */
	{ HABIT_JOINS, "<- merge(|left_join(|inner_join(|full_join(|right_join(", "function(|library(|pd.|pyspark|df.|add.cell.ids|merge.data|seurat", true },
	{ HABIT_JOINS, "cross join|cross-join|crossjoin|cartesian product|cartesian join|cartesian explosion|many-to-many join|many-to-many merge|many to many join|many to many merge|duplicate keys|duplicated keys|repeated keys|non-unique keys|"
	    "non unique keys|duplicate join keys|duplicates in the join|how=\"cross\"|how='cross'", "def |import |dictionary|redis|insert|primary key|yaml|itertools|parameters|grid", false },
	{ HABIT_GAUSSIAN, "gaussianprocess|gpregression|gpy|exactgp|gpflow|gaussian process|gaussian-process|kriging", "def |import |==|version|sparse|inducing|svgp|variational", true },
	{ HABIT_PRETRAINS, "create_pretraining_data", "def |import ", true },
	{ HABIT_COUNTS, "progress: at sentence|progress: at example|collecting all words and their counts|word types from a corpus", "after removing|def |print(|how many", true },
	{ HABIT_COUNTED, "word types after removing|training model with|deleting the raw counts|estimated required memory|resetting layer weights|effective_min_count|min_count=", "def |word2vec(|fasttext(|doc2vec(", true },
	{ HABIT_SUBWORDS, "fasttext.load_model(|sent2vecmodel(|load_facebook_model(|load_facebook_vectors(|load_fasttext_format(", "def |import ", true },
};

#define UNSURE	"without instead unlike could should would might maybe perhaps recommend suggest avoid can how"
#define LISTS		"docs documentation supports includes provides offers implements"

/* "without cpu offload", "should I use cpu offload?" */
static bool
is_denied(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n), ahead = talk_part(clause, clause.s, at);

	if (talk_any_whole(talk_part(t, talk_sentence(t, at).s, at), LISTS))
		return true;
	return clause_says_no(ahead, "") || talk_any_whole(ahead, UNSURE) || clause_is_question(talk_sentence(t, at)) || clause_works(clause) || clause_is_over(t, at, n) ||
	    talk_any_whole(talk_part(clause, at, clause.s + clause.n), "without successfully finished completed done");
}

/* "python tools/train.py -f exps/default/yolox_s.py -d 1 -b 8 --fp16 -o": of YOLOX, whose -o is
 * --occupy. */
static void
occupies(struct oom_habits *h, struct talk t, int line, bool told)
{
	size_t n;
	const char *at = talk_first(t, "yolox") && talk_first(t, "train") ? talk_find_whole(t, "--occupy|-o", &n) : NULL;

	if (at && !(told && is_denied(t, at, n)))
		oom_habit_keep(h, HABIT_OCCUPIES, line, 0, at, at + n);
}

#define ROOM_MADE	"get around|got around|work around|worked around|solved|fixed|resolved|overcome|overcame|goes through with|went through with|works with|worked with|runs with|ran with|it works|it worked"

/* "I got around this by a larger heap, -Xmx200g": that is what ended it. */
static bool
is_cure(struct talk t)
{
	return talk_has_whole(t, ROOM_MADE) && !talk_any_whole(t, "tried try but however still didn't doesn't not cannot if") && !oom_short_fails(t);
}

/* "envs/scanpy_env/lib/", "/venvs/umap/": a folder of what is installed, by anyone's name, and no
 * use of that. */
static bool
is_of_environment(struct talk t, const char *at, size_t n)
{
	const char *from = at, *to = at + n, *end = t.s + t.n;

	for (; from > t.s && (piece_is_word(from[-1]) || from[-1] == '-'); from--)
		;
	for (; to < end && (piece_is_word(*to) || *to == '-'); to++)
		;
	return to < end && from > t.s && *to == '/' && from[-1] == '/' && talk_any_phrase(talk_part(t, t.s, to), "/envs/|/venvs/|/venv/|/.venv/|virtualenvs/") &&
	    !talk_any_phrase(talk_part(t, t.s, from), "-packages/");
}

/* "dist(", "stats::dist(", "vegdist(": R's, of all pairs of rows; "plot_dist(" is another's. */
static bool
is_of_distances(struct talk t, const char *at, size_t n)
{
	const char *from = at, *to = at + n - (at[n - 1] == '(');

	while (from > t.s && piece_is_word(from[-1]))
		from--;
	return talk_is_one_of(talk_part(t, from, to), "dist daisy vegdist pardist get_dist fviz_dist");
}

/* "KernelPCA of 90 points": so few that a number for each pair of them is nothing. "80 000 points"
 * are many. */
static bool
names_few(struct talk t)
{
	const char *s = t.s, *at, *end = t.s + t.n;
	int64_t n;

	while (s < end) {
		if (!is_digit(*s)) {
			s++;
			continue;
		}
		at = s;
		s = piece_number(s, end, &n);
		if (n < 1000 && s < end && *s == ' ' && !(at - t.s > 1 && at[-1] == ' ' && is_digit(at[-2])) && (at == t.s || !memchr(",.", at[-1], 2)) &&
		    talk_is_one_of(clause_word_behind(t, s), "points samples rows images documents cells observations nodes"))
			return true;
	}
	return false;
}

void
oom_seen_named(struct oom_habits *h, struct talk t, int line, bool told, bool traced)
{
	const char *at, *from, *to, *end = t.s + t.n;
	size_t i, n;

	if (talk_any_begins(t, "dask dask_cudf"))
		h->dask = true;
	occupies(h, t, line, told);
	if (talk_any_phrase(t, "vectors.from_disk"))
		h->of[HABIT_DOCUMENTS] = (struct oom_habit){ 0 };	/* a model's vectors were read, and no text yet */
	if (talk_any_phrase(t, "internal_batch_size"))
		h->off[HABIT_STEPS] = true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((traced && !names[i].traced) || talk_any_phrase(t, names[i].unless))
			continue;
		for (at = NULL; talk_next_phrase(t, names[i].phrases, &at, &n); ) {
			for (from = at; from > t.s && piece_is_word(from[-1]); from--)
				;
			for (to = at + n - (at[n - 1] == '('); to < end && piece_is_word(*to); to++)
				;
			if ((told && is_denied(t, from, (size_t)(to - from))) || is_of_environment(t, at, n))
				continue;
			if (names[i].kind == HABIT_HEAP && (at + n == end || !is_digit(at[n])))
				continue;	/* named without a size */
			if (names[i].kind == HABIT_HEAP && told && is_cure(talk_sentence(t, at)))
				continue;
			if (names[i].kind == HABIT_KERNELS && names_few(talk_sentence(t, at)))
				continue;
			if (names[i].kind == HABIT_DISTANCES && !is_of_distances(t, at, n))
				continue;
			if (names[i].kind == HABIT_HEAP && talk_any_phrase(t, "picked up _java_options"))
				h->of[HABIT_HEAP] = (struct oom_habit){ 0 };	/* that is in force, whatever a command says */
			if (names[i].kind == HABIT_INDEX && at != piece_past_blanks(t.s, end))
				continue;	/* as it is printed; not one that a sentence speaks of */
			oom_habit_keep(h, names[i].kind, line, 0, from, to);
		}
	}
}

/* ---- one process ---- */

#define READ_ONLY	"eval.py|evaluate.py|test.py|infer.py|inference.py|predict.py|generate.py|demo.py|serve.py"
#define SPLITS		"fsdp full_shard zero3 zero-3 zero_3 z3_ zero_stage3"
#define STARTS		"--nproc_per_node|--nproc-per-node|--num_processes|--num-processes|--num_gpus|--num-gpus"
#define ON_SEVERAL	"--nnodes|--num_machines|--num-machines|--num_nodes|--num-nodes|--hostfile"

/* Does the line go on with a command of the one ahead: is it indented, or an option? */
static bool
goes_on(struct talk t)
{
	return t.n > 0 && memchr(" \t-", *t.s, 3);
}

/* "torchrun --nproc_per_node=1 train.py --fsdp full_shard", in one line or in several: weights are
 * to be split, and there is one process alone to have the parts. */
static void
alone(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL;
	int64_t n;
	size_t length;

	if (!goes_on(t))
		h->one_line = 0;
	while (talk_next_phrase(t, STARTS, &at, &length))
		if (oom_habit_number(t, at + length, &n) && length < HABIT_NAME) {
			h->one_line = n == 1 ? line : 0;
			memcpy(h->one, at, length);
			h->one[length] = '\0';
		}
	if (talk_any_phrase(t, ON_SEVERAL) || talk_any_phrase(t, READ_ONLY) || talk_any_of(t, "offload"))
		h->one_line = 0;
	if (h->one_line && talk_any_of(t, SPLITS))
		oom_habit_keep(h, HABIT_ALONE, h->one_line, 1, h->one, h->one + strlen(h->one));
}

/* ---- what an agent saw ---- */

/* Variables that hold it; by its place here each is a bit of what is `placed`. */
static const char *const seen[] = { "state", "next_state", "obs", "next_obs", "observation", "next_observation", "frame", "screen", NULL };

#define ON_DEVICE	".cuda(|.to(device|.to(self.device|.to(\"cuda|.to('cuda|device=device|device=self.device|device='cuda|device=\"cuda"
#define BY_NAME		".to(device|.to(self.device|device=device|device=self.device"
#define OFF_DEVICE	".cpu(|.numpy("
#define MEMORIES	"memory|buffer|replay"
#define PLACED_WITHIN	40	/* lines, from where something is put on a device to where it is kept */

/* "state = torch.tensor(state).cuda()" */
static void
places(struct oom_habits *h, struct talk t, int line)
{
	const char *is = memchr(t.s, '=', t.n);
	struct talk left, right;
	int i;

	if (!is || is + 1 == t.s + t.n || is[1] == '=')
		return;
	left = talk_part(t, t.s, is);
	right = talk_part(t, is, t.s + t.n);
	if (talk_any_whole(left, "device"))
		h->on_processor = talk_any_phrase(right, "'cpu'|\"cpu\"") && !talk_any_phrase(right, "cuda|mps|gpu");
	if (!talk_any_phrase(right, ON_DEVICE) || talk_any_phrase(t, OFF_DEVICE) || (h->on_processor && talk_any_phrase(right, BY_NAME)))
		return;
	for (i = 0; seen[i]; i++)
		if (talk_any_whole(left, seen[i])) {
			h->placed |= (uint64_t)1 << i;
			h->placed_line = line;
		}
}

/* Is what WORD names given as it is, "push(state, action)", and not a word in quotes, "add('state',
 * loss)"? */
static bool
is_given(struct talk given, const char *word)
{
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(given, word, &at, &n); )
		if (at == given.s || !memchr("'\"", at[-1], 2))
			return true;
	return false;
}

/* "self.memory.append((state, action, reward))" of what lies on a device. */
static void
keeps(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *from, *end = t.s + t.n;
	struct talk given;
	size_t n;
	int i;

	if (!h->placed || line - h->placed_line > PLACED_WITHIN || talk_any_phrase(t, OFF_DEVICE) || talk_any_whole(t, "def"))
		return;
	while (talk_next_phrase(t, ".append(|.push(|.add(|.store(|.appendleft(", &at, &n)) {
		for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
			;
		given = talk_part(t, at + n, end);
		for (i = 0; seen[i]; i++)
			if (h->placed >> i & 1 && is_given(given, seen[i]) && talk_any_phrase(talk_part(t, from, at), MEMORIES))
				oom_habit_keep(h, HABIT_REPLAY, line, h->placed_line, from, at);
	}
}

/* ---- loops that are traced ---- */

#define ROUNDS		"epoch epochs step steps iter iters iteration iterations batch batches tqdm"

/* "@tf.function", "def train(model):", and within that "for i in range(epochs):". Loops over
 * tf.range() or a data set are made loops of the graph. */
void
oom_seen_unrolled(struct oom_habits *h, struct talk t, int line)
{
	const char *s, *end = t.s + t.n;
	int inset;

	for (s = t.s; s < end && (*s == ' ' || *s == '\t'); s++)
		;
	inset = (int)(s - t.s);
	if (end - s >= 12 && memcmp(s, "@tf.function", 12) == 0) {
		h->traced_line = line;
		h->traced_inset = -1;
		return;
	}
	if (!h->traced_line || s == end || *s == '\r')
		return;
	if (h->traced_inset < 0 || inset <= h->traced_inset) {
		h->traced_line = h->traced_inset < 0 && end - s > 4 && memcmp(s, "def ", 4) == 0 ? h->traced_line : 0;
		h->traced_inset = inset;
	} else if (end - s > 4 && memcmp(s, "for ", 4) == 0 && talk_any_phrase(t, " in range(| in tqdm(| in trange(") && talk_any_begins(t, ROUNDS)) {
		oom_habit_keep(h, HABIT_UNROLLED, line, h->traced_line, NULL, NULL);
	}
}

/* "ddf.compute()", "from_cudf(frame, npartitions=4).compute()": of all of a name or of what was
 * read; not "ddf.x.mean().compute()", which is small. */
static void
puts_together(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *from, *end = t.s + t.n;
	size_t n;

	while (h->dask && talk_next_phrase(t, ".compute()", &at, &n)) {
		for (from = at; from > t.s && piece_is_word(from[-1]); from--)
			;
		if (from < at ? from == t.s || from[-1] != '.' : talk_any_phrase(talk_part(t, t.s, at), "from_cudf(|from_pandas(|read_csv(|read_parquet(|read_json("))
			oom_habit_keep(h, HABIT_PARTS, line, 0, from < at ? from : at, at + n < end ? at + n : end);
	}
}

void
oom_seen_line(struct oom_habits *h, struct talk t, int line)
{
	puts_together(h, t, line);
	alone(h, t, line);
	if (talk_any_whole(t, "def"))
		h->placed = 0;		/* of another function */
	places(h, t, line);
	keeps(h, t, line);
}
