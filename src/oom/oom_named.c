/*
 * Names of a report in words, each by the words right beside it. Numbers in sentences are not read:
 * a batch that a person mentions may as well be one that runs, one of another, or a bound.
 */
#include "oom/oom_named.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_full.h"
#include "oom/oom_data.h"
#include "oom/oom_killed.h"
#include "oom/oom_note.h"
#include "oom/oom_number.h"
#include "oom/oom_whose.h"
#include "oom/oom_wording.h"

#define TWO_SIGNS	6	/* bytes of 泄漏 */
#define MANY_NODES	5000	/* of a graph */
#define DEVICES		"rtx gtx titan titanx titanxp tesla quadro geforce nvidia gpu gpus cuda 1080ti 2080ti 3090 4090 3080 4080 a100 v100 "	\
    "p100 h100 k80 1080 2080 2070 3060 3070 vram"

static const struct {
	const char *name, *words;
	enum told_pool pool;
} framework[TOLD_FRAMEWORKS] = {
	[TOLD_PYTORCH] = { "PyTorch", "pytorch torch torch_xla", POOL_NONE },
	{ "TensorFlow", "tensorflow tf", POOL_ALL },
	{ "Keras", "keras", POOL_OF_ANOTHER },
	{ "Caffe", "caffe caffe2", POOL_NONE },
	[TOLD_THEANO] = { "Theano", "theano libgpuarray pygpu", POOL_NONE },
	{ "MXNet", "mxnet", POOL_NONE },
	{ "JAX", "jax jaxlib", POOL_ALL },
	{ "Darknet", "darknet", POOL_NONE },
	{ "PaddlePaddle", "paddle paddlepaddle", POOL_NONE },
	{ "Burn", "wgpu burn-wgpu cubecl", POOL_NONE },
	{ "Chainer", "chainer", POOL_NONE },
	{ "MindSpore", "mindspore mindnlp", POOL_NONE },
	{ "MLX", "mlx mlx_lm mlx-lm mlx_vlm mlx-vlm", POOL_NONE },
};

const char *
oom_told_framework(int i)
{
	return i >= 0 && i < TOLD_FRAMEWORKS ? framework[i].name : NULL;
}

bool
oom_told_names_another(const struct oom_told *o)
{
	int i;

	for (i = 1; i < TOLD_FRAMEWORKS; i++)
		if (o->framework[i].line)
			return true;
	return false;
}

enum told_pool
oom_told_pool(int i)
{
	return framework[i].pool;
}

#define AMOUNT_WITHIN	48	/* bytes from how much is used to where it is */

/* "memory consumption reaches 128GB (on the CPU)": which memory that is, and not where it runs. */
static bool
is_how_much(struct talk ahead)
{
	return talk_any_whole(ahead, "consumption usage consumes occupies ram memory") && talk_any_whole(ahead, "consumption usage consumes occupies reaches reached climbs grows goes rises hits peaks gb gib") &&
	    !talk_any_whole(ahead, "run runs running ran train trains training infer inference");
}

#define NOT_THERE	"not doing it|not doing this|not doing that|doesn't do it|doesn't do this|does not do it|does not do this|doesn't happen|does not happen|didn't happen|did not happen|isn't happening|not happening|doesn't occur|does not occur|"	\
    "doesn't crash|does not crash|doesn't leak|does not leak|doesn't grow|does not grow|no leak|no issue|no issues|no problem|no problems|no crash|no oom|is fine|was fine|all fine|works|worked|goes away|is gone|disappears|stays flat|stays constant|stable"

/* "I ran this on CPU instead of GPU and it's not doing it": the run there is the one that went
 * well. */
static bool
is_well_there(struct talk sentence, const char *behind)
{
	struct talk rest = talk_part(sentence, behind, sentence.s + sentence.n);
	const char *but = talk_find_word(rest, "but however whereas while");

	return talk_has_whole(but ? talk_part(sentence, behind, but) : rest, NOT_THERE);
}

/* The run itself, and not its memory, what is loaded or saved there, or a run that works there, or
 * that is asked for. */
static const char *
runs_on_processor(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "runtime: cpu|on a cpu machine|on a cpu server|on a cpu-only machine|on a cpu only machine|on my cpu machine|on cpu|on the cpu|on my cpu|use cpu|use the cpu|using cpu|using the cpu|cpu only|"
	    "only cpu|only the cpu|with cpu|cpu version|cpu to do|without gpu|without a gpu|no gpu", &n);

	if (at && is_how_much(talk_part(t, at - t.s > AMOUNT_WITHIN ? at - AMOUNT_WITHIN : t.s, at)))
		return NULL;
	if (at && talk_has_whole(talk_part(t, talk_clause(t, at, n).s, at), "than|compared|unlike|instead of|as opposed|whether"))
		return NULL;		/* "more than on the CPU": of another run; "whether on the CPU": of none */
	if (at && is_well_there(talk_sentence(t, at), at + n))
		return NULL;
	return !at || clause_is_question(talk_sentence(t, at)) || talk_any_whole(talk_part(t, talk_clause(t, at, n).s, at), "cannot can't cant not unable") || talk_any_whole(clause_word_behind(t, at + n), "ram memory oom mem or") ||
	    (talk_any_whole(clause_word_behind(t, at + n), "and") && (at + n == t.s + t.n || at[n] != ',')) || talk_any_whole(clause_word_ahead(t, at), "or and oom oomed ooms memory ram than versus vs unlike") ||
	    clause_works(talk_clause(t, at, n)) || talk_any_whole(talk_clause(t, at, n), "tried try could load loads loaded loading save saves "
	    "saved saving checkpoint checkpoints offload") ? NULL : at;
}

#define BY_SYSTEM	"by the system|by system|by the os|by the kernel|by linux|by the oom killer|by oom killer|by the oom-killer|by oom-killer|by the oom|被oom|oom杀|系统杀"
#define GRAPH_NETWORK	"ogbn|ogbn-products|ogbn-arxiv|ogbn-proteins|ogbn-papers100m|to_dense_adj|edge_index|gcn|gcns|gnn|gnns|gat|gcnconv|gatconv|adjacency|dgl|pyg|torch_geometric|neighbor sampling|neighbour sampling|"		\
    "graph network|graph networks|graph neural|graph convolution|graph convolutions|graph convolutional|graph attention"
#define GRAPH_NAMES	"adj_mat|create_adj_mat|adj_matrix|adj_mx|norm_adj"	/* in code that people speak of */
#define OTHER_GRAPH	"comput autograd backward graphic static dynamic frozen retain tensorflow cluster kubernetes plot shows below loss usage memory"
#define AT_ONCE	"at the beginning|at the very beginning|from the beginning|immediately|right away|as soon as|instant|"		\
    "first iteration|first batch|first step|very first|at the start|at startup|on startup|before training starts|"			\
    "when training starts|when i start|start training|starts training|beginning of training"
#define AGENT	"reinforcement learning|ppo|dqn|ddpg|td3|rllib|stable-baselines|stable_baselines|stable_baselines3|gym environment|openai gym|rollout buffer|" \
    "rollout_buffer|ml-agents|mlagents|rl agent|ppo agent|tensorforce|n_envs|cartpole|cart-pole|halfcheetah|half-cheetah|walker2d|lunarlander|lunar lander|dm_control|dmcontrol|deepmind control suite|metaworld|meta-world|procgen|minigrid|d4rl|atari games|atari game"
/* Where a language model is what learns, it sees texts that it wrote itself. */
#define OF_LANGUAGE	"rlhf|grpo|llama|qwen|mistral|language model|llm|verl|vllm|from trl|in trl|with trl"
#define SPLATS	"3d gaussian|3d gaussians|gaussian splatting|gaussian-splatting|gsplat|splatfacto|3dgs|2dgs|splats|splat scene|lichtfeld|densify_grad_threshold|densify_until_iter"
#define DENSIFIES	"densify_and_prune|densify_and_prune()|densify_and_split|densify_and_split()|densify_and_clone|densify_and_clone()"
/* Libraries of Julia, .NET, the JVM and R, by their names or by calls of them. */
#define COLLECTED	"torchsharp|cuarrays|cuda.jl|cuarrays.jl|flux.jl|lux.jl|knet|knet.jl|cuda.reclaim()|gc.gc()|gc.gc(true)|newdisposescope|disposescope|" \
    "library(torch)|library(luz)|mlverse/torch|r torch|torch for r|torch in r|rtorch"
#define CLOUD	"point cloud|point clouds|pointcloud|pointclouds"
#define UPDATE	"optimizer step|optimizer.step|optimizer.step()|optimizer's step|optimizer state|optimizer states|optimizer update|step of the optimizer"
#define REPLAY	"replay buffer|replaybuffer|replay_buffer|replay memory|replay_memory|experience replay|replay_ratio|replay ratio"

#define VECTORS	"word2vec|doc2vec|glove|fasttext|word vectors|word vector|word embeddings|pre-trained embeddings|pretrained embeddings|googlenews|wiki2vec|"	\
    "crawl-300d|gensim|keyedvectors|wiki-news-300d|load_word2vec_format|load_facebook_model"

#define ADAPTER	"lora|qlora|peft|dora"
#define CODES	"to_categorical|to_categorical()|one-hot|one hot|onehot|one_hot|one_hot()|get_dummies|get_dummies()|onehotencoder|one-hot-encoding|one-hot encoding|1-hot|1-hot encoding|1-hot encoded"

#define IS_OFF		"not used|unused|disabled|is off|are off|turned off|switched off|not enabled|not set|is skipped|was skipped"

/* Within an address: "https://github.com/hill-a/stable-baselines/issues/716". */
static bool
is_of_address(struct talk t, const char *at)
{
	const char *s = at;

	while (s > t.s && s[-1] > ' ')
		s--;
	return talk_any_phrase(talk_part(t, s, at), "://");
}

/* Where any of these phrases is, and not denied; or NULL. */
static const char *
says(struct talk t, const char *phrases)
{
	struct talk clause;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, phrases, &at, &n); ) {
		clause = talk_clause(t, at, n);
		if (!clause_says_no(talk_part(t, clause.s, at), "") && !talk_any_phrase(talk_head(t, at, sizeof("dgl backend")), "dgl backend") && !talk_has_whole(talk_part(t, at + n, clause.s + clause.n), IS_OFF) && !is_of_address(t, at))
			return at;
	}
	return NULL;
}

/* "I want its poses to get files for gsplat": is what stands at S what results are for? */
static bool
is_purpose(struct talk sentence, const char *s)
{
	return talk_any_phrase(talk_part(sentence, sentence.s, s), "file for|files for|input for|inputs for|data for|dataset for|poses for|points for|cloud for|clouds for|initialization for|results for|output for|"
	    "prepare for|as input to|input to|to be used in|to use in|to use with|later in|用于|用来做");
}

#define GIVES		"i am processing|i'm processing|we are processing|i process|processing a|i have a|i am using a|i'm using a|my input is|the input is|i feed|input of|i run it on|i am running it on"

static const char *
names_cloud(struct talk t)
{
	const char *at = says(t, CLOUD);

	return at ? at : talk_first(t, "点云");
}

/* "I'm processing a cloud of 40k points": what one's own run is given, whatever sentence tells of
 * the failure. */
static const char *
gives_cloud(struct talk t)
{
	size_t n;
	const char *at = says(t, CLOUD), *gives = at ? talk_find_whole(talk_part(t, talk_sentence(t, at).s, at), GIVES, &n) : NULL;

	return gives && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) && !talk_any_whole(talk_sentence(t, at), "if should would could") ? at : NULL;
}

/* The same of a program that is run: in the sentence that tells of memory, or in one that says that
 * it trains or runs. */
static const char *
says_of_run(const struct oom_told *o, struct talk t, const char *phrases, int line)
{
	struct talk rest = t, sentence;
	const char *at, *end = t.s + t.n;

	for (; (at = says(rest, phrases)); rest = talk_part(t, sentence.s + sentence.n, end)) {
		sentence = talk_sentence(t, at);
		if (!is_purpose(sentence, at) && ((o->here_line == line && oom_told_sentence(o, t).s == sentence.s) || talk_any_begins(sentence, "train run using use render")))
			return at;
	}
	return NULL;
}

/* Or the functions that add some, or one's own wish for them, in the line that tells of memory. */
static const char *
says_splats(const struct oom_told *o, struct talk t, int line)
{
	const char *at = says_of_run(o, t, SPLATS, line);
	struct talk sentence;
	size_t n;

	if (at || o->here_line != line)
		return at;
	if ((at = talk_find_whole(t, DENSIFIES, &n)))
		return !talk_any_whole(clause_word_ahead(t, at), "no without not") ? at : NULL;
	at = says(t, SPLATS);
	sentence = at ? talk_sentence(t, at) : t;
	return at && talk_any_whole(talk_part(t, sentence.s, at), "i i'm we we're") && !is_purpose(sentence, at) ? at : NULL;
}

#define AGENT_MODULES	"stable_baselines|stable_baselines3|sb3_contrib|rllib|ray.rllib|tianshou|tensorforce|gym|gymnasium|torchrl|tf_agents|keras_rl|rl.agents"

/* "BreakoutNoFrameskip-v4": how Gym names its games of Atari. */
static const char *
names_game(struct talk t)
{
	const char *at = talk_first(t, "noframeskip-v|deterministic-v4|deterministic-v0"), *from = at;

	while (at && from > t.s && is_letter(from[-1]))
		from--;
	return from < at && !clause_passes_by(t, from) && !clause_denies(t, from, (size_t)(at - from)) ? from : NULL;
}

#define AGENT_CALLS	"env.step(|envs.step(|gym.make(|gymnasium.make(|agent.act(|agent.learn(|select_action(|choose_action(|--env_id|--env-id|next_state'|next_state\"|ppoagent|dqnagent|ddpgagent|sacagent|td3agent|replaymemory(|replay_memory.push|memory.push("
#define ALGORITHMS	"ppo dqn ddqn ddpg td3 sac a2c a3c trpo r2d2 maddpg qmix"

#define LEARNING	"train trains trainer training run runs runner agent agents policy actor critic replay buffer learner learn continuous discrete atari mujoco cartpole gym env envs rollout rollouts jax torch keras lstm rnn cnn"

/* "ppo_continuous_action", "train_sac.py", "agents/dqn/": a program's file or a folder, or with
 * another part that is of learning; not "sac_amplitude", a column's name. */
static bool
is_of_learning(struct talk t, const char *s, const char *to)
{
	const char *end = t.s + t.n, *part;

	while (s > t.s && (is_letter(s[-1]) || is_digit(s[-1]) || memchr("_-/.", s[-1], 4)))
		s--;
	while (to < end && (is_letter(*to) || is_digit(*to) || memchr("_-/.", *to, 4)))
		to++;
	if (talk_any_phrase(talk_part(t, s, to), ".py") || memchr(s, '/', (size_t)(to - s)))
		return true;
	for (; s < to; s = part + 1) {
		for (part = s; part < to && (is_letter(*part) || is_digit(*part)); part++)
			;
		if (talk_is_one_of(talk_part(t, s, part), LEARNING))
			return true;
	}
	return false;
}

/* "run_r2d2_sac.py", "ppo_continuous": of a name's parts one is what agents learn by, and it is a
 * program's, or has another part. */
static const char *
names_algorithm(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_letter(*s) || (s > t.s && (is_letter(s[-1]) || is_digit(s[-1]))))
			continue;
		while (to < end && (is_letter(*to) || is_digit(*to)))
			to++;
		if (((s > t.s && memchr("_/", s[-1], 2)) || (to < end && (*to == '_' || (end - to > 2 && memcmp(to, ".py", 3) == 0)))) && talk_is_one_of(talk_part(t, s, to), ALGORITHMS) && is_of_learning(t, s, to) &&
		    !talk_any_phrase(t, "://|reward_model|actor_rollout|deepspeed|accelerate launch|trlx|trainer.main"))
			return s;
	}
	return NULL;
}

/* A library of agents, or of what they act in, that code imports; or in prose. */
static const char *
says_agent(const struct oom_told *o, struct talk t, int line)
{
	struct talk word = clause_word_behind(t, t.s);
	const char *at;
	size_t n;

	if (talk_any_phrase(t, OF_LANGUAGE))
		return NULL;
	if (talk_is_one_of(word, "import from"))
		return talk_find_whole(t, AGENT_MODULES, &n);
	if (!(at = says_of_run(o, t, AGENT, line)))
		at = names_game(t);
	if (!at && !(at = talk_first(t, AGENT_CALLS)))
		at = names_algorithm(t);
	return at && clause_works(talk_clause(t, at, 1)) ? NULL : at;
}

/* "at the first optimizer step", of the sentence that tells of memory; not "before the optimizer
 * step" */
static const char *
says_update(struct talk t)
{
	struct talk rest = t, word;
	const char *at;

	for (; (at = says(rest, UPDATE)); rest = talk_part(t, at + 1, t.s + t.n)) {
		for (word = clause_word_ahead(t, at); talk_is_one_of(word, "the a an my its this first second next each every of"); )
			word = clause_word_ahead(t, word.s);
		if (talk_is_one_of(word, "at in during when on while by calling doing"))
			return at;
	}
	return NULL;
}

/* 内存, beside which no device is named; of 内存泄漏 it may be either's. */
static bool
names_ram_elsewhere(struct talk t)
{
	const char *at = NULL;
	size_t n;

	if (talk_any_phrase(t, "gpu|cuda"))
		return false;
	while (talk_next_phrase(t, "内存", &at, &n))
		if (!talk_any_phrase(talk_head(t, at + n, TWO_SIGNS), "泄漏|泄露"))
			return true;
	return false;
}

/* "In top the free memory falls": a tool that counts the machine's memory alone. */
static bool
is_watched(struct talk t)
{
	return talk_any_whole(t, "memory mem") && talk_has_whole(t, "open top|opened top|opening top|in top|with top|watch top|watching top|top shows|top command|htop|free -h|free -m|vmstat");
}

/* "about 60000 nodes": more than any cluster has. */
static const char *
counts_nodes(struct talk t)
{
	const char *s, *to = NULL;
	int64_t n;

	while ((s = oom_number_walk(t, ".", &to, &n)))
		if (n >= MANY_NODES && talk_is_one_of(clause_word_behind(t, to), "nodes vertices"))
			return s;
	return NULL;
}

/* Words that are of graph networks alone, not denied; or a graph and its edges in one sentence, and
 * no other graph. */
static const char *
names_graph(struct talk t)
{
	const char *at;
	struct talk clause;
	size_t n;

	if ((at = says(t, GRAPH_NETWORK)) || (at = counts_nodes(t)))
		return at;
	for (at = NULL; talk_next_whole(t, "graph|graphs", &at, &n); ) {
		clause = talk_sentence(t, at);	/* numbers have commas */
		if (talk_any_whole(clause, "edges") && (talk_any_whole(clause, "nodes vertices vertexes") || !talk_any_of(clause, OTHER_GRAPH)) && !clause_says_no(clause, ""))
			return at;
	}
	return NULL;
}

/* "gpu_options.allow_growth = True", "XLA_PYTHON_CLIENT_PREALLOCATE=false": what a framework takes,
 * it takes as it needs it. */
static bool
takes_as_needed(struct talk t)
{
	const char *at = talk_first(t, "preallocate|allow_growth|memory_growth");
	struct talk ahead, behind;

	if (!at)
		return false;
	ahead = talk_part(t, talk_clause(t, at, 1).s, at);
	behind = talk_part(t, at, t.s + t.n);
	return !clause_says_no(ahead, "") && (lower(*at) == 'p' ? talk_any_whole(behind, "false 0") : talk_any_whole(behind, "true 1"));
}

/* Where the sentence that tells of memory says that it ends at the start; or NULL. */
static const char *
says_at_once(struct talk sentence)
{
	return talk_any_phrase(sentence, "after the first|after first") ? NULL : clause_says(sentence, AT_ONCE, AHEAD | BEHIND, "");
}

static const char *
names_shuffling(struct talk t)
{
	return !talk_any_phrase(t, "filename|file name|paths|indices|indexes") && talk_any_of(t, "buffer tf.data tf.dataset dataset.shuffle") ? says(t, "shuffle|shuffling|shuffle_buffer_size|shuffle_buffer|shuffle_buffer_len") : NULL;
}

/* "num_workers: 1": a setting by itself, of one process, whose copy is one more. */
static bool
sets_one_worker(struct talk t)
{
	const char *at = talk_first(t, "num_workers"), *to, *end = t.s + t.n;

	for (to = at ? at + strlen("num_workers") : end; to < end && memchr(" =:\"'", *to, 5); to++)
		;
	return to < end && *to == '1' && piece_past_blanks(to + 1, end) == end && talk_is_one_of(clause_word_behind(t, t.s), "num_workers");
}

static const char *
names_workers(struct talk t)
{
	size_t n;
	const char *none = talk_find_whole(t, "num_workers=0|num_workers = 0|num_workers!=0|num_workers != 0|work_num=0|work_num = 0|num_work=0|num_work = 0|workers to 0|workers = 0", &n);

	if (sets_one_worker(t))
		return NULL;
	if (none)		/* where it works with none, it is theirs; else it is not */
		return clause_works(talk_clause(t, none, n)) ? none : NULL;
	none = says(t, "workers each|copy-on-write|copy on write|num_workers|num_worker|num_work|work_num|dataloader worker|dataloader workers|"
	    "data loader worker|data loader workers|loader workers|load workers|use_multiprocessing=true|use_multiprocessing = true|use_multiprocessing is true|use_multiprocessing to true");
	return none && !clause_works(talk_clause(t, none, 1)) && !talk_any_whole(talk_sentence(t, none), "should") ? none : NULL;
}

#define OF_OTHER_PLACE	"i read|i saw|i have read|other issue|another issue|other issues|similar issue|in the issue|like in|unlike|as in|instead of|compared to|than in|" \
    "moved from|switched from"

/* What a sentence has only of another program, or of another's report, names no program that
 * ran. */
static const char *
names_darknet(struct talk t)
{
	const char *at = talk_first(t, "subdivision|yolov3.cfg|yolov4.cfg");

	at = at ? at : talk_find_word(t, "darknet");
	return at && !talk_any_phrase(talk_sentence(t, at), OF_OTHER_PLACE "|convert") &&
	    !talk_any_whole(talk_sentence(t, at), "difference differences differ differs versus vs") ? at : NULL;
}

/* "using Flux, CUDA", "using TorchSharp;": names alone behind it, of which one is a library's; a
 * sentence goes on in words, and so may "using CUDA" be one by itself. */
static const char *
uses_collected(struct talk t)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *from, *to;
	struct talk name;
	int names = 0;
	bool of = false;

	if (end - s > 6 && memcmp(s, "julia>", 6) == 0)
		s = piece_past_blanks(s + 6, end);
	if (end - s < 6 || memcmp(s, "using ", 6) != 0)
		return NULL;
	for (from = s + 6; (from = piece_past_blanks(from, end)) < end; from = to + 1, names++) {
		for (to = from; to < end && (piece_is_word(*to) || *to == '.'); to++)
			;
		name = talk_part(t, from, to);
		if (to == from || *from < 'A' || *from > 'Z' || (to < end && *to != ',' && *to != ';' && *to != '\r'))
			return NULL;
		of |= talk_is_one_of(name, "flux lux knet cuarrays torchsharp") || (talk_is_one_of(name, "cuda") && (names > 0 || (to < end && *to == ',')));
		if (to == end)
			break;
	}
	return of ? s : NULL;
}

static const char *
names_collected(struct talk t)
{
	const char *at = uses_collected(t);

	at = at ? at : says(t, COLLECTED);
	return at && !talk_any_phrase(talk_sentence(t, at), OF_OTHER_PLACE) ? at : NULL;
}

void
oom_named_line(struct oom_told *o, struct talk t, int line)
{
	const char *killed, *at;
	bool is_set;
	int i;

	if ((talk_any_whole(t, DEVICES) && !oom_whose_is_not_gpus(t)) || talk_any_phrase(t, "\xe6\x98\xbe\xe5\x8d\xa1|\xe6\x98\xbe\xe5\xad\x98"))	/* 显卡, 显存 */
		o->gpu = line;
	if ((oom_whose_names_ram(t) && !(o->gpu_ram && oom_whose_may_be_gpu_ram(t))) || (o->gpu != line && (names_ram_elsewhere(t) || is_watched(t))))
		o->ram = line;
	killed = oom_killed_told(t);
	oom_data_line(o, t, line, killed != NULL);
	if (o->here_line == line)
		oom_note(&o->at_once, t, says_at_once(oom_told_sentence(o, t)), line);
	if (killed)
		o->by_system = talk_has_whole(talk_clause(t, killed, 1), BY_SYSTEM) || talk_has_whole(talk_sentence(t, killed), "sigkill|signal 9");
	oom_note(&o->killed, t, killed, line);
	oom_note(&o->replay, t, says(t, REPLAY), line);
	oom_note(&o->vectors, t, talk_any_of(t, "== version") ? NULL : talk_any_phrase(t, "词向量") ? talk_first(t, "词向量") : says(t, VECTORS), line);
	at = oom_full(t, &is_set);
	oom_note(&o->full, t, is_set || !o->full_set ? at : NULL, line);
	o->full_set = is_set ? line : o->full_set;
	oom_note(&o->adapter, t, talk_any_phrase(t, "w/o ") ? NULL : says(t, ADAPTER), line);
	if ((at = says(t, CODES)) && (o->here_line == line || oom_told_is_of_failure(o, t, at, line)))
		said_at(&o->codes, t, at, line);
	oom_note(&o->shuffle, t, names_shuffling(t), line);
	oom_note(&o->agent, t, says_agent(o, t, line), line);
	if (o->here_line == line)
		oom_note(&o->cloud, t, names_cloud(oom_told_sentence(o, t)), line);
	oom_note(&o->cloud, t, gives_cloud(t), line);
	oom_note(&o->collected, t, names_collected(t), line);
	oom_note(&o->splats, t, says_splats(o, t, line), line);
	if (o->here_line == line)
		oom_note(&o->update, t, says_update(oom_told_sentence(o, t)), line);
	oom_note(&o->workers, t, names_workers(t), line);
	if (talk_any_of(t, "cpu processor"))
		oom_note(&o->processor, t, runs_on_processor(t), line);
	oom_note(&o->graph, t, names_graph(t), line);
	if (!o->graph.line && oom_told_is_of_failure(o, t, t.s, line))
		oom_note(&o->graph, t, says(t, GRAPH_NAMES), line);
	if (takes_as_needed(t))
		o->as_needed = line;
	oom_note(&o->vocabulary, t, oom_wording(t, WORDING_VOCABULARY), line);
	oom_note(&o->darknet, t, names_darknet(t), line);
	for (i = 0; i < TOLD_FRAMEWORKS; i++)
		if (!o->framework[i].line)
			oom_note(&o->framework[i], t, talk_find_word(t, framework[i].words), line);
}
