/*
 * A person who reports a failure often tells its cause without knowing it: "it caches the data in
 * RAM", "with the older version it works", "all embeddings are stored on the GPU". Each of these is
 * found where no word beside it says the contrary.
 */
#include "oom/oom_blame.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_entire.h"
#include "oom/oom_machine.h"
#include "oom/oom_note.h"
#include "oom/oom_number.h"
#include "oom/oom_rise.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"
#include "oom/oom_version.h"
#include "oom/oom_wording.h"
#include "oom/oom_works.h"

/* Rays that are followed through a scene. */
static const char *
follows_rays(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "nerf|nerfs|nerfacto|radiance field|radiance fields|novel view|novel views|rays per batch|volume rendering|ray marching|n_importance|netchunk", &n);

	/* of what begins with an n the beginning of the word is not looked at */
	return at && (at == t.s || (!piece_is_word(at[-1]) && at[-1] != '/')) && !clause_passes_by(t, at) && !talk_any_whole(t, "splatting gaussians gaussian x-ray x-rays") ? at : NULL;
}

#define NO_DEVICE	"not cuda oom|not a cuda oom|not gpu oom|not a gpu oom|not cuda out of memory|not the gpu memory|not gpu memory|not the gpu's memory|not vram|isn't cuda oom"

/* "It is no CUDA OOM", "the OOM is not CUDA's": whose memory it was, told by whose it was not. */
static void
denies_device(struct oom_paste *p, struct talk t)
{
	if (!talk_has_whole(t, NO_DEVICE) || !p->told.what || memchr(t.s, '?', t.n))
		return;
	p->told.host = true;
	p->told.device = false;
}

#define EACH_PROCESS	"each process|every process|each rank|every rank|each gpu|every gpu|each worker|every worker|all processes|per process|per rank|each replica|to other processes|to the other processes|to the processes"

#define ONCE_EACH	"one time for each gpu|once for each gpu|once per gpu|once for every gpu|one time for each process|once for each process|once per process|once for each rank|once per rank|instances of the same model|instances of the same models|copies of the same model|copies of the same models"

#define WHOLE_CHINESE	"数据|state_dict|state dict|权重|模型|checkpoint|参数"

/* "Four complete models are loaded", "8 copies of the weights lie in RAM". */
static const char *
counts_copies(struct talk t)
{
	struct talk word, sentence;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, "complete models|full models|whole models|entire models|complete copies|full copies|copies of the model|copies of the whole model|copies of the weights|copies of all weights", &at, &n); ) {
		word = clause_word_ahead(t, at);
		sentence = talk_sentence(t, at);
		if ((talk_is_one_of(word, "two three four five six eight sixteen") || (word.n > 0 && is_digit(*word.s) && !talk_is_one_of(word, "1 0"))) &&
		    talk_any_begins(sentence, "load read held kept lie stay") && !talk_any_whole(sentence, "not no instead without avoid if should vram") && !talk_has_whole(sentence, "on gpu|on gpus|on the gpu|on the gpus|on one gpu|on a gpu|in gpu|into gpu|into the gpu|gpu memory|each gpu|on the card|on one card") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define OF_RAM		"ram|cpu memory|cpu ram|host memory|system memory|machine memory|main memory|cpu内存|内存"
#define MOST_TIMES	64	/* processes of one machine */

/* "= 1200GB": is what stands at S that product, in gigabytes? */
static bool
is_product(struct talk t, const char *s, int64_t times, int64_t each)
{
	const char *end = t.s + t.n;
	int64_t product;

	s = piece_past_blanks(s, end);
	if (s == end || *s != '=' || each > INT32_MAX || times > INT32_MAX)
		return false;
	s = piece_past_blanks(s + 1, end);
	return s < end && is_digit(*s) && (s = piece_number(s, end, &product)) && product == times * each && talk_is_one_of(clause_word_behind(t, s), "gb g gib");
}

/* "nearly 8*60GB of CPU memory", "150*8=1200GB of RAM": what one takes, as many times as there
 * are. */
static const char *
multiplies(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n, *past;
	int64_t times, each;
	struct talk clause;

	while ((s = oom_number_walk(t, ".-/~<>*x", &to, &times))) {
		if (times < 2 || !(past = oom_number_past_times(to, end)) || past == to)
			continue;
		clause = talk_clause(t, s, 1);
		if (past < end && is_digit(*past) && (past = piece_number(past, end, &each)) && each > 0 && ((times <= MOST_TIMES && talk_is_one_of(clause_word_behind(t, past), "gb g gib")) || ((times <= MOST_TIMES || each <= MOST_TIMES) && each > 1 && is_product(t, past, times, each))) && talk_any_phrase(clause, OF_RAM) &&
		    !talk_any_phrase(clause, "vram|gpu memory|显存|swap|ddr") && !talk_any_whole(clause, "have has installed sticks dimm dimms if should would") && !memchr(talk_sentence(t, s).s, '?', talk_sentence(t, s).n))
			return s;
	}
	return NULL;
}

#define FOR_EACH	"processes each|ranks each|workers each|per proc|per process|per rank|per gpu|per card|for each gpu|for each process|for each rank|each process|each rank|every process|every rank|all ranks|all processes|all the processes"
#define NOT_IN_RAM	"vram|gpu memory|on each gpu|onto|on the gpu|on gpu|to the gpu|to gpu|on its own|to cuda"

/* "It loads the model directly into memory per process" */
static const char *
loads_for_each(struct talk t)
{
	struct talk sentence;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, FOR_EACH, &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (talk_any_whole(sentence, "load loads loaded loading read reads reading") && talk_any_whole(sentence, "model models weights checkpoint checkpoints") && talk_has_whole(sentence, "into memory|in memory|into ram|in ram|into the ram|" OF_RAM) &&
		    !talk_has_whole(sentence, NOT_IN_RAM) && !talk_any_whole(sentence, "not no without instead avoid avoids once if should would could part parts shard shards") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define PROCESS_WITHIN	3	/* words from "each" to what it is of */

/* "Every worker of gunicorn loads the model on the GPU": several of them on one device, where none
 * is said to have its own. */
static const char *
each_on_device(struct talk t)
{
	struct talk sentence, word;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, "each|every", &at, &n); ) {
		sentence = talk_sentence(t, at);
		for (i = 0, word = clause_word_behind(sentence, at + n); i < PROCESS_WITHIN && word.n > 0 && !talk_is_one_of(word, "worker process subprocess instance replica"); i++, word = clause_word_behind(sentence, word.s + word.n))
			;
		if (i < PROCESS_WITHIN && word.n > 0 && talk_any_whole(talk_part(sentence, word.s, sentence.s + sentence.n), "loads has holds keeps creates load") && talk_any_whole(sentence, "model models network weights") &&
		    talk_any_whole(sentence, "gpu vram cuda card") && !talk_any_begins(sentence, "dataloader loader num_worker") && !talk_any_whole(sentence, "not no n't without if should would could can ram cpu part parts shard rank") &&
		    !talk_has_whole(sentence, OOM_ON_SEVERAL "|its gpu|its own gpu|its card|its device|their gpu|a gpu") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

/* "Each process gets a replica of the data", "loads all of the data", "loads the models into RAM
 * once for each GPU": as many of them as
 * processes. */
static const char *
copies_data(struct talk t)
{
	size_t n;
	const char *at = talk_first(t, OOM_EACH_CHINESE);
	struct talk sentence;

	if (at)
		return talk_any_phrase(t, WHOLE_CHINESE) && talk_any_phrase(t, OOM_READS_CHINESE) && !talk_any_phrase(t, "共享|避免|只加载|不会|不再爆|就不爆|不爆内存|不再溢出|就不溢出|就正常|就没问题|就没有问题|就好了") ? at : NULL;
	at = talk_find_whole(t, ONCE_EACH, &n);
	if (at && talk_any_whole(talk_sentence(t, at), "ram cpu host") && talk_any_begins(talk_sentence(t, at), "load read model weight encod checkpoint") && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) && !talk_any_whole(talk_sentence(t, at), "not no without instead avoid if should would could"))
		return at;
	if ((at = multiplies(t)) || (at = loads_for_each(t)))
		return at;
	if (!(at = talk_find_whole(t, EACH_PROCESS, &n)))
		return counts_copies(t);
	sentence = talk_sentence(t, at);
	if (!(talk_any_whole(sentence, "data dataset datasets dataframe dataframes features corpus embeddings csv file images matrix matrices array arrays table tables dict dictionary list object") || ((talk_any_whole(sentence, "state_dict weights checkpoint") || (talk_any_whole(sentence, "model") && talk_any_whole(sentence, "loads reads"))) && !talk_any_begins(sentence, "gpu vram card cuda device"))) || memchr(sentence.s, '?', sentence.n))
		return NULL;
	if (talk_any_whole(sentence, "not no without instead avoid avoids once shared loader loaders part parts shard shards subset portion chunk slice map maps mapped"))
		return NULL;
	return talk_any_whole(sentence, "copy copies copying pickling replica replicas replicated duplicated duplicate duplicates") ||
	    (talk_any_whole(sentence, "loads reads holds keeps has own") && talk_any_whole(sentence, "whole entire full all complete")) ||
	    talk_has_whole(sentence, "load the dataset|loads the dataset|loading the dataset|loaded the dataset|load the data set|loads the data set|read the dataset|reads the dataset|reads the data set|load the same data|loads the same data|load the same dataset|loads the same dataset") ? at : NULL;
}

#define SWAP_WITHIN	5	/* words from "adding" to "swap" */
#define SWAP_CHINESE	"加了swap|增加swap|增加了swap|加大swap|调大swap|加大虚拟内存|加大了虚拟内存|增大虚拟内存|增大了虚拟内存|调大虚拟内存|调大了虚拟内存|扩大虚拟内存|扩大了虚拟内存|设置虚拟内存|设置了虚拟内存|增加虚拟内存|增加了虚拟内存"
#define MORE_SWAP	"increased the swap|increasing the swap|increased my swap|increasing my swap|increased swap|increasing swap|added swap|added a swap|adding swap|adding a swap|created a swap|creating a swap|larger swap|bigger swap|more swap|" \
    "increased the page file|increasing the page file|increased the pagefile|increasing the pagefile|increased my page file|larger page file|increased virtual memory|increased the virtual memory|increasing the virtual memory"

/* Does a line say behind N bytes at AT, of more swap, that it runs with that? Then AT. */
static const char *
swap_runs(struct talk t, const char *at, size_t n)
{
	struct talk sentence = talk_sentence(t, at), next = talk_sentence(t, sentence.s + sentence.n + 2 < t.s + t.n ? sentence.s + sentence.n + 2 : t.s + t.n - 1);
	struct talk rest = talk_part(t, at + n, next.s + next.n > at + n ? next.s + next.n : t.s + t.n);

	return (clause_works(rest) || talk_any_whole(rest, "loaded solved helped fixed trick finished finishes completes completed succeeds succeeded")) &&
	    !talk_any_whole(talk_part(t, sentence.s, at), "if should would could try not") && !talk_any_whole(rest, "still not never") && !talk_has_whole(rest, "n't work|n't help|n't solve|n't fix") ? at : NULL;
}

/* "adding 64 GB of swap": where that is, and its length. */
static const char *
adds_swap(struct talk t, size_t *n)
{
	struct talk word, clause;
	const char *at;
	size_t length;
	int i;

	for (at = NULL; talk_next_whole(t, "adding|added|add|with|created|creating|enabling|enabled", &at, &length); ) {
		clause = talk_clause(t, at, length);
		for (i = 0, word = clause_word_behind(clause, at + length); i < SWAP_WITHIN && word.n > 0; i++, word = clause_word_behind(clause, word.s + word.n))
			if (talk_is_one_of(word, "swap swapfile pagefile") && (i > 0 || !talk_is_one_of(talk_part(t, at, at + length), "with"))) {
				*n = (size_t)(word.s + word.n - at);
				return at;
			}
	}
	return NULL;
}

/* "I increased the swap. Now it is loaded." */
static const char *
swap_helped(struct talk t)
{
	size_t n;
	const char *at = talk_first(t, SWAP_CHINESE);

	if (at)
		return talk_any_phrase(talk_part(t, at, t.s + t.n), "就好|才能|才行|解决|可以|成功|不报错|正常") && !talk_any_phrase(t, "没用|无效|不行|还是|仍然|依然|吗|？|?|不可以|不能") ? at : NULL;
	at = talk_find_whole(t, MORE_SWAP, &n);
	at = at ? at : adds_swap(t, &n);
	return at ? swap_runs(t, at, n) : NULL;
}

#define OF_MODEL	"model checkpoint gguf safetensors weights"
#define OF_CARD		"vram gpu card"

/* The gigabytes that T says, "22gb", right ahead of one of WORDS, or of a name and that: the most
 * of them; 0: none. */
static int64_t
gigabytes_of(struct talk t, const char *words, const char **at)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	struct talk unit, word;
	int64_t n, most = 0;

	while ((s = oom_number_walk(t, ".", &to, &n))) {
		if (to < end && *to == '.')
			continue;
		unit = clause_word_behind(t, to);
		if (!talk_is_one_of(unit, "g gb gib") || unit.s - to > 1)
			continue;
		word = clause_word_behind(t, unit.s + unit.n);
		if (!talk_is_one_of(word, words) && word.n > 0 && word.s - (unit.s + unit.n) == 1)
			word = talk_is_one_of(word, OF_MODEL " " OF_CARD " ram and") ? word : clause_word_behind(t, word.s + word.n);
		if (n > most && talk_is_one_of(word, words)) {
			most = n;
			*at = s;
		}
	}
	return most;
}

/* "16g vram, trying to load a 22gb FLUX model" */
static const char *
is_more_than_card(struct talk t)
{
	const char *model = NULL, *card = NULL;
	int64_t has;

	if (!talk_any_whole(t, OF_MODEL) || !talk_any_whole(t, OF_CARD) || !talk_any_whole(t, "load loading loads run running using use") || memchr(t.s, '?', t.n))
		return NULL;
	has = gigabytes_of(t, OF_CARD, &card);
	return has > 0 && gigabytes_of(t, OF_MODEL, &model) > has && !clause_works(talk_clause(t, model, 1)) && !talk_any_whole(talk_sentence(t, model), "should would could if even") ? model : NULL;
}

/* What is said, and where that is kept: the first of each. */
static const struct {
	size_t at;	/* in struct oom_paste: a struct said */
	struct finding finding;
} blames[] = {
	{ offsetof(struct oom_paste, kept), { WORDING_KEPT, NULL } },
	{ offsetof(struct oom_paste, kept), { WORDING_NONE, oom_entire_on_device } },
	{ offsetof(struct oom_paste, version), { WORDING_NONE, oom_version_told } },
	{ offsetof(struct oom_paste, cached), { WORDING_CACHED, NULL } },
	{ offsetof(struct oom_paste, cached), { WORDING_NONE, oom_entire_cached } },
	{ offsetof(struct oom_paste, entire), { WORDING_NONE, oom_entire } },
	{ offsetof(struct oom_paste, shared_memory), { WORDING_SHARED, NULL } },
	{ offsetof(struct oom_paste, rays), { WORDING_NONE, follows_rays } },
	{ offsetof(struct oom_paste, replicas), { WORDING_NONE, copies_data } },
	{ offsetof(struct oom_paste, replicas), { WORDING_NONE, oom_rise_by_count } },
	{ offsetof(struct oom_paste, ungraded), { WORDING_UNGRADED, NULL } },
	{ offsetof(struct oom_paste, full_size), { WORDING_FULL_SIZE, NULL } },
	{ offsetof(struct oom_paste, twice), { WORDING_TWICE, NULL } },
	{ offsetof(struct oom_paste, too_large), { WORDING_TOO_LARGE, NULL } },
	{ offsetof(struct oom_paste, too_large), { WORDING_NONE, is_more_than_card } },
	{ offsetof(struct oom_paste, of_length), { WORDING_BY_LENGTH, NULL } },
	{ offsetof(struct oom_paste, attached), { WORDING_LETS_GO, NULL } },
	{ offsetof(struct oom_paste, attached), { WORDING_ATTACHED, NULL } },
	{ offsetof(struct oom_paste, by_growth), { WORDING_BY_GROWTH, NULL } },
	{ offsetof(struct oom_paste, processes), { WORDING_PROCESSES, NULL } },
	{ offsetof(struct oom_paste, processes), { WORDING_NONE, each_on_device } },
	{ offsetof(struct oom_paste, media), { WORDING_ONLY_LONG, NULL } },
	{ offsetof(struct oom_paste, media), { WORDING_DIFFERS_LENGTH, NULL } },
	{ offsetof(struct oom_paste, large), { WORDING_OWN_SIZE, NULL } },
	{ offsetof(struct oom_paste, large), { WORDING_DIFFERS_PIXELS, NULL } },
	{ offsetof(struct oom_paste, large), { WORDING_TOO_LARGE_PICTURES, NULL } },
	{ offsetof(struct oom_paste, less), { WORDING_NONE, oom_works_told } },
	{ offsetof(struct oom_paste, swapped), { WORDING_NONE, swap_helped } },
	{ offsetof(struct oom_paste, small), { WORDING_NONE, oom_machine_small } },
	{ offsetof(struct oom_paste, limited), { WORDING_NONE, oom_machine_limit } },
	{ offsetof(struct oom_paste, tasks), { WORDING_TASKS, NULL } },
};

/* Words that stand beside the name of what runs containers where something runs in it, */
#define RUNS_THERE	"in on within inside using with via under container containers image images pod pods cluster deploy deployed deploying deployment run running runs compose desktop node nodes job jobs service services"
/* and that say that it does not, in some languages. */
#define NOT_THERE	"unrelated natively local locally outside kein keine keinen ohne sans sin sem"

/* Does the sentence at AT, or a program's line, say that it runs there? */
static bool
runs_there(struct talk t, const char *at, enum oom_source source)
{
	struct talk sentence = talk_sentence(t, at);
	bool speaks = source == SOURCE_PROSE || source == SOURCE_UNSURE || source == SOURCE_COMMENT;

	return !clause_says_no(sentence, NOT_THERE) && !clause_is_question(sentence) && (!speaks || talk_any_whole(sentence, RUNS_THERE));
}

#define NODES		"**node type:**|node type:|error occurred when executing"

/* "Node Type: CheckpointLoaderSimple": which of its nodes ComfyUI says has failed. What loads takes
 * its word from that name, as what decodes does. */
static void
node_named(struct oom_paste *p, struct talk t, int line)
{
	const char *at = talk_first(t, NODES), *s, *end = t.s + t.n;
	struct talk name;

	if (!at)
		return;
	for (s = at; s < end && *s != ':' && !(end - s > 10 && memcmp(s, "executing ", 10) == 0); s++)
		;
	s = s < end && *s == ':' ? s + 1 : s + 10;
	while (s < end && memchr(" *`", *s, 3))
		s++;
	for (at = s; s < end && piece_is_word(*s); s++)
		;
	name = talk_part(t, at, s);
	if (!p->decoder.line && talk_any_of(name, "vaedecode hyvideodecode wanvideodecode decodevae decodevideo videodecode vae_decode"))
		said_at(&p->decoder, t, at, line);
	else if (!p->loading.line && talk_any_of(name, "loader loadmodel loadcheckpoint"))
		said_at(&p->loading, t, at, line);
}

void
oom_blame_line(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	int64_t gib;
	size_t i, n;

	if (!p->kubernetes && (at = talk_find_whole(t, "kubernetes|kubectl|k8s|kube|kubelet|kubeflow|gke", &n)) && runs_there(t, at, source))
		p->kubernetes = line;
	if (!p->kubernetes && talk_any_whole(t, "pod pods") && talk_has_whole(t, "oomkilled|oom-killed|oom killed|oom kill|oomkill|evicted|namespace|memory limit") && source != SOURCE_CODE) {
		p->kubernetes = line;
		p->pods = true;
	}
	if (!p->docker && ((talk_any_phrase(t, "docker") && talk_any_phrase(t, "exited with code 137")) || (source == SOURCE_COMMAND && talk_any_phrase(t, "docker run |docker exec |docker-compose run |docker compose run "))))
		p->docker = line;		/* a container's name, as Compose writes it */
	if (talk_any_phrase(t, "oomkilled:false|oomkilled: false|oomkilled\":false|oomkilled\": false|oomkilled=false|oomkilled = false|oomkilled is false|oomkilled was false|oomkilled to false"))
		p->spared = line;
	if (talk_any_phrase(t, "dataloader|data loader|data_loader|num_workers|torch/utils/data|torch\\utils\\data|loader worker|loader process"))
		p->loader = line;
	node_named(p, t, line);
	if (!p->server.line && !p->training && (at = talk_first(t, "-m vllm.entrypoints|vllm serve |vllm/vllm-openai|= LLM(model=|=LLM(model=|vllm.LLM(|--gpu-memory-utilization|vllm api server version|initializing an llm engine (v|initializing an llm engine with config|initializing a v1 llm engine|initializing a v0 llm engine")))
		said_at(&p->server, t, at, line);
	if (source == SOURCE_CODE && !p->tasks.line)
		oom_note(&p->tasks, t, talk_first(t, "innerloop_ctx("), line);
	if (source != SOURCE_PROSE && source != SOURCE_UNSURE && source != SOURCE_COMMENT)
		return;
	for (i = 0; i < sizeof(blames) / sizeof(*blames); i++) {
		struct said *said = (struct said *)((char *)p + blames[i].at);

		if (!said->line)
			oom_note(said, t, oom_find(t, blames[i].finding), line);
	}
	if ((at = oom_machine_has(t, &gib)) && gib > p->ram_gib) {
		p->ram_gib = gib;
		said_at(&p->ram, t, at, line);
	}
	if ((at = talk_find_whole(t, "coincidence|coincidental", &n)) && !clause_denies(t, at, n) && talk_any_whole(talk_sentence(t, at), "version versions worked works upgrade update upgrading updating"))
		p->version = (struct said){ 0 };	/* "that 0.4 worked is a coincidence" */
	denies_device(p, t);
	if (!p->saved.line && (at = oom_wording(t, WORDING_SAVED)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->saved, t, at, line);
	if (!p->captures.line && (at = oom_wording(t, WORDING_CAPTURES)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->captures, t, at, line);
	if (!p->quantizes.line && (at = oom_wording(t, WORDING_QUANTIZES)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->quantizes, t, at, line);
	if (!p->server.line && !p->training)
		oom_note(&p->server, t, oom_wording(t, WORDING_SERVER), line);
	if (!p->docker && (at = talk_find_whole(t, "docker|dockerfile|docker-compose", &n)) && runs_there(t, at, source))
		p->docker = line;
}
