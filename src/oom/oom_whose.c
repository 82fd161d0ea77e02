/*
 * Which memory a sentence is of, by the names of the two kinds of memory and of cards near them. A
 * card or an amount of RAM that is there is not for that what ran out.
 */
#include "oom/oom_whose.h"

#include "base/ascii.h"
#include "oom/oom_card.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"

#define MOST_AHEAD	5	/* words ahead of a card's name */
#define OF_DEVICE	"vram|hbm|cuda|cudamalloc|hipmalloc|cudamallocasync|cumemalloc|gpu malloc|out-of-gpu-memory|video-memory|accelerator memory|accelerator's memory|memory of the accelerator|video memory|video card|graphics|graphic|device memory|card memory|memory on a v100|memory on a100|memory on an a100|memory on a h100|memory on an h100|memory on v100|memory of the v100|memory of a v100|memory of an a100|memory of the a100"
#define OF_HOST		"ram|rss memory|resident memory|resident set size|dram|sdram|dataloader takes|dataloader uses|dataloader consumes|dataloader eats|dataloader process|dataloader processes|process for the dataloader|process of the dataloader|processes of the dataloader|data loader takes|data loader uses|data loader consumes|data loader eats|" \
    "process for the data loader|process of the data loader|processes of the data loader|dataloader's process|dataloader's processes|dataloader's memory|memory of the dataloader|ddr4|ddr5|non-gpu memory|non gpu memory|nongpu memory|rayoutofmemoryerror|cpu oom|cpu ooms|cpu out of memory|cpu out-of-memory|out-of-cpu-memory|out of cpu memory|host memory|cpu memory|cpu-side memory|cpu side memory|cpu-side oom|host-side memory|host side memory|system memory|main memory|machine memory|system's memory|computer memory|computer out of memory|computer is out of memory|computer runs out of memory|computer ran out of memory|computer run out of memory|computer to run out of memory|pc runs out of memory|pc ran out of memory|laptop runs out of memory|laptop ran out of memory|computer's memory|machine's memory|pc's memory|laptop's memory|memory of the computer|memory of my machine|physical memory|swap|system ram|" \
    "pc memory|per-node memory|memory on a node|memory on the node|memory of a node|memory of the node|node's memory|node memory|server memory|memory of the machine|memory of my computer|memory of the server|cpu ram|of my machine|my machine's|of my pc|" \
    "of my laptop|gig machine|gb machine|bad_alloc|bad alloc|bad allocation|slurm out-of-memory|slurm out of memory|slurm oom|cgroup|" \
    "oom-kill|oom_kill|oom kill|oomkilled|oomkill|oom killer|oom-killer|oomkiller|oom killed|oom-killed|kernel to kill|kernel kills|kernel killed"
#define NO_CARD		"non-gpu|non gpu|nongpu|not gpu memory|not the gpu memory|not my gpu memory|instead of using the gpu|instead of using gpu|instead of the gpu|instead of gpu|not using the gpu|not using gpu|not use the gpu|not use gpu"
#define RAM_OF_DEVICE	"gpu ram|video ram|gpu's ram|ram of gpu|ram of the gpu|ram of my gpu|gb of gpu ram|cuda ram"

#define DENIED		"not n't rather instead"
#define LINKS_DENIED	"on in of from by about due to because than the my our your a its any really actually necessarily"
#define DEVICE_WORDS	"gpu gpus gpu's vram cuda card card's device device's video graphics"
#define MEMORY_WORDS	"memory mem ram vram one ones oom side but and it it's its"

/* "It takes 32 GB (not GPU memory)", "the OOM is not on the GPU", "rather than the VRAM": is it
 * said of what T speaks of that it is no device's memory? Not "it does not use the GPU". */
static bool
is_not_devices(struct talk t)
{
	struct talk word, next;
	const char *s = t.s;

	for (; (word = clause_word_behind(t, s)).n > 0; s = word.s + word.n) {
		if (!talk_is_one_of(word, DENIED) && !(word.n > 3 && talk_any_phrase(talk_part(t, word.s + word.n - 3, word.s + word.n), "n't")))
			continue;
		for (next = clause_word_behind(t, word.s + word.n); talk_is_one_of(next, LINKS_DENIED); next = clause_word_behind(t, next.s + next.n))
			;
		if (!talk_is_one_of(next, DEVICE_WORDS) || !talk_holds(talk_clause(t, word.s, word.n), next.s))
			continue;
		if (talk_is_one_of(next, "vram gpu's card's device's") || clause_word_behind(talk_clause(t, word.s, word.n), next.s + next.n).n == 0 ||
		    talk_is_one_of(clause_word_behind(t, next.s + next.n), MEMORY_WORDS))
			return true;
	}
	return false;
}

static bool
has_digit(struct talk t)
{
	size_t i;

	for (i = 0; i < t.n && !is_digit(t.s[i]); i++)
		;
	return i < t.n;
}

/* Is a card what its memory is of, by the words beside its name: "on my 11 GB GPU", "GPU memory",
 * "the card is full"? */
static bool
is_of_card(struct talk t, struct talk card)
{
	struct talk word = clause_word_behind(t, card.s + card.n);
	int i;

	if (talk_any_whole(word, "memory memories mem ram oom out is runs run ran explodes explode exploded overflows overflow with stuck"))
		return true;
	if (talk_any_whole(word, "test tests testing training train setup mode machine machines server servers node nodes cluster version"))
		return false;
	for (i = 0, word = card; i < MOST_AHEAD && (word = clause_word_ahead(t, word.s)).n > 0; i++) {
		if (talk_any_whole(word, "on in into of from my our onto with the memory mem its"))
			return true;
		if (!has_digit(word) && !talk_any_whole(word, "a an one two single gb g gib nvidia geforce rtx gtx titan tesla quadro this each dedicated"))
			return false;
	}
	return false;
}

static bool
names_card(struct talk t)
{
	struct talk word;
	const char *s;

	for (s = t.s; (word = clause_word_behind(t, s)).n > 0; s = word.s + word.n)
		if ((talk_has_whole(word, TOLD_CARD) && is_of_card(t, word)) || (talk_any_whole(word, "device") &&
		    talk_any_whole(clause_word_behind(t, word.s + word.n), "memory mem oom out")))
			return true;
	return false;
}

/* "My machine has 64 GB of RAM": what is there, of a clause in which that is named at AT. */
static bool
is_what_there_is(struct talk clause, const char *at)
{
	struct talk ahead = talk_part(clause, clause.s, at);
	size_t n;
	const char *has = talk_find_whole(ahead, "have|has|had|having|with|got|there is|there are", &n);

	return has && has_digit(talk_part(ahead, has + n, at));
}

#define CARDS		"gpu gpus cuda vram nvidia rtx gtx titan tesla quadro 1080 1080ti 2070 2080 2080ti 3060 3070 3080 3090 4070 4080 4090 a100 v100 h100 p100 t4 k80 " OOM_CARD_NUMBERS

/* "Out of memory with 16 GB of RAM": what there is is what ended, where no card is named. */
static bool
ends_with_it(struct talk t, struct talk clause, const char *at)
{
	const char *from = at;
	struct talk word;
	int i;

	for (i = 0; i < 4 && (word = clause_word_ahead(clause, from)).n > 0; i++) {
		if (talk_any_whole(word, "with using"))
			return oom_short_fails(talk_part(clause, clause.s, word.s)) && !talk_any_whole(t, CARDS);
		from = word.s;
	}
	return false;
}

#define LINKS_TO_CARD	"on of in from a an the my our this that one its single nvidia geforce rtx gtx titan tesla quadro radeon rx"

/* "32 GB of RAM on a 5090", "the RAM of my GPU": is a card said to have the RAM at AT? Not "64 GB
 * of RAM and a 5090". */
static bool
is_ram_on_card(struct talk t, const char *at)
{
	struct talk clause = talk_clause(t, at, 3), word = clause_word_behind(clause, at + 3);

	if (!talk_is_one_of(word, "on of in"))
		return false;
	while ((word = clause_word_behind(clause, word.s + word.n)).n > 0 && talk_is_one_of(word, LINKS_TO_CARD) && !talk_is_one_of(word, "rtx gtx titan tesla quadro radeon rx"))
		;
	return talk_is_one_of(word, CARDS " card radeon rx") || talk_is_one_of(word, OOM_CARD_NUMBERS);
}

/* "a GPU card with 4 GB RAM", "GeForce 755 M (2 gb ram)": is the RAM at AT what a card has? */
static bool
is_ram_of_card(struct talk t, const char *at)
{
	struct talk word = clause_word_ahead(t, at);
	int i;

	if (is_ram_on_card(t, at))
		return true;
	if (talk_any_whole(word, "gb gib g"))
		word = clause_word_ahead(t, word.s);
	if (word.n == 0 || !is_digit(*word.s) || at - word.s > (long)sizeof("100 gib "))
		return false;
	if (word.s > t.s && word.s[-1] == '(') {
		for (i = 0; i < MOST_AHEAD && (word = clause_word_ahead(t, word.s)).n > 0; i++)
			if (talk_any_whole(word, "geforce rtx gtx titan tesla quadro nvidia gpu"))
				return true;
		return false;
	}
	word = clause_word_ahead(t, word.s);
	return talk_any_whole(word, "with of has having") && talk_any_whole(clause_word_ahead(t, word.s), "card gpu");
}

#define OF_MEMORY_CALLS	"outofmemory|empty_cache|memory|max_memory|mem_get|reset_peak|reset_max|set_per_process"

/* Does it name a device's memory, or what fails for it? "torch.cuda.amp" is where something
 * lies. */
static bool
names_device(struct talk t)
{
	const char *at, *end = t.s + t.n;
	size_t n;

	for (at = NULL; talk_next_whole(t, OF_DEVICE, &at, &n); )
		if (n != sizeof("cuda") - 1 || lower(*at) != 'c' || at + n + 1 >= end || at[n] != '.' || !is_letter(at[n + 1]) || talk_first(talk_part(t, at + n + 1, end), OF_MEMORY_CALLS) == at + n + 1)
			return true;
	return false;
}

/* Does T say that a card has RAM? */
static bool
names_cards_ram(struct talk t)
{
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, "ram", &at, &n); )
		if (is_ram_on_card(t, at))
			return true;
	return false;
}

/* Does T name RAM, of a machine? */
static bool
names_ram(struct talk t)
{
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, OF_HOST, &at, &n); )
		if (n != 3 || !is_ram_of_card(t, at))
			return true;
	return false;
}

#define CONTRASTS	" although | even though | though | while | whereas | whilst | but | despite | in spite of | yet | until | till "
#define AT_EASE		"fine free ok okay off enough plenty unused idle stable constant empty low unchanged normal steady flat untouched"

/* The part of T's clause at AT, N bytes of a name, that no word for a contrast or an end parts. */
static struct talk
part_at(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n);
	const char *from = clause.s, *to = clause.s + clause.n, *s = NULL;
	size_t m;

	while (talk_next_phrase(clause, CONTRASTS, &s, &m)) {
		if (s < at)
			from = s + m - 1;
		else if (s < to)
			to = s;
	}
	return talk_part(clause, from, to);
}

#define NOT_LET_GO	"not release|n't release|never releases|not released|n't released|not releasing|n't releasing|not free|n't free|never frees|not freed|n't freed|not freeing|not clear|n't clear|not cleared|n't cleared|not given back|not give back|n't give back"

/* "The GPU is nearly empty", "VRAM usage is only 5 GB"; not "it does not free RAM" */
static bool
is_at_ease(struct talk part)
{
	return !oom_short_fails(part) && !talk_has_whole(part, NOT_LET_GO) && (clause_says_no(part, AT_EASE) || (talk_any_whole(part, "only just") && has_digit(part)));
}

/* Is the machine's memory named, and not by a clause that denies it or says that there is enough:
 * "the RAM is fine"? */
static bool
names_host(struct talk t)
{
	struct talk clause = { 0 };
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, OF_HOST, &at, &n); ) {
		if (clause.s && at < clause.s + clause.n)
			continue;		/* of which all has been asked */
		if (n == 3 && is_ram_of_card(t, at))
			continue;
		clause = talk_clause(t, at, n);
		if (is_what_there_is(clause, at)) {
			if (ends_with_it(t, clause, at) || (!talk_any_whole(t, CARDS) && oom_short_is_full(talk_sentence(t, at))))
				return true;
			continue;
		}
		if (!is_at_ease(part_at(t, at, n)))
			return true;
	}
	return false;
}

/* Does it fail "on the GPU"? A card beside it may be no more than where it ran. */
static bool
fails_on_card(struct talk t)
{
	return talk_has_whole(t, "oom|ooms|oomed|out of memory|out-of-memory|overflow|overflows|overflowed|overflowing") &&
	    talk_has_whole(t, "on gpu|on the gpu|on my gpu|my gpu|the gpu|on the card|on my card|my card|the card|on the device|the device|on device");
}

/* "On a GPU or CPU": where it runs, and not whose memory it is. */
#define EITHER		"gpu or cpu|cpu or gpu|gpu or on cpu|cpu or on gpu|gpu or a cpu|cpu or a gpu|gpu or the cpu|cpu or the gpu|gpu and cpu|cpu and gpu|" \
    "gpu and on cpu|cpu and on gpu|gpu/cpu|cpu/gpu|gpus or cpus|cpus or gpus"

/* "On 8 A100 it hits CPU OOM": the failure by the name of whose memory it is, beside which a card
 * is no more than where it ran. */
static bool
is_named_hosts(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "cpu oom|cpu ooms|cpu out of memory|cpu out-of-memory|host oom|host out of memory|ram oom|system oom", &n);

	return at && !clause_denies(t, at, n) && !talk_has_whole(t, OF_DEVICE "|gpu oom|gpu ooms|gpu out of memory");
}

/* Is a name of LIST in T, in a part of it that does not say that there is enough? */
static bool
is_short_of(struct talk t, const char *list)
{
	const char *at;
	struct talk part;
	size_t n;

	for (at = NULL; talk_next_whole(t, list, &at, &n); ) {
		part = part_at(t, at, n);
		if (!is_at_ease(part) && !is_what_there_is(part, at))
			return true;
	}
	return false;
}

/* A memory by its own name, and no card, processor or program beside it. */
#define HOST_MEMORY	"cpu memory|cpu-side memory|cpu side memory|cpu ram|host memory|host-side memory|host ram|system memory|system ram|main memory|pc memory|pc ram|server memory|machine memory|node memory"
#define DEVICE_MEMORY	"gpu memory|gpu's memory|gpu mem|gpu ram|gpu-side memory|vram|cuda memory|device memory|video memory|graphics memory|card memory|card's memory|hbm|memory of the gpu|memory on the gpu|memory of my gpu|" \
    "cuda out of memory|gpu out of memory|cuda oom|gpu oom|gpu runs|gpu ran|gpu run|cuda runs|cuda ran|card runs|card ran|device runs|gpu fills|gpu is"

/* Where T names both, "system memory fills up although the GPU is nearly empty": the one that is
 * short; both as T says it of both, or of none. */
static void
by_contrast(struct talk t, bool *device, bool *host)
{
	bool of_device = is_short_of(t, OF_DEVICE "|" TOLD_CARD), of_host = is_short_of(t, OF_HOST);

	if (of_device && of_host && is_short_of(t, HOST_MEMORY) && !talk_has_whole(t, DEVICE_MEMORY))
		of_device = false;		/* "a leak of CPU memory, even where it runs on the GPU" */
	if (of_device == of_host)
		return;
	*device = of_device;
	*host = of_host;
}

#define CONTAINERS	"container containers container's pod pods pod's cgroup dyno lambda kubernetes k8s docker"
#define ITS_LIMIT	"memory limit|memory limits|memory quota|limit of memory|memory constraint|memory constraints"

/* "The pod exceeds its memory limit", "I cannot allocate a numpy array of that size": whose memory
 * that is, where no device is named. */
static bool
is_hosts_by_nature(struct talk t)
{
	return (talk_any_whole(t, CONTAINERS) && talk_has_whole(t, ITS_LIMIT)) || (talk_any_begins(t, "allocat") && talk_any_whole(t, "numpy np ndarray"));
}

/* Which memory is it, by the sentence? Both, or neither: that is not said. */
struct whose
oom_whose(struct talk t)
{
	struct whose w;
	bool denied = is_not_devices(t);
	bool device = (names_device(t) || names_cards_ram(t) || (names_card(t) && !talk_has_whole(t, EITHER))) && !talk_any_phrase(t, NO_CARD) && !denied, of_device = talk_has_whole(t, RAM_OF_DEVICE);
	bool host = (names_host(t) && !of_device) || denied;

	if (is_named_hosts(t))
		return (struct whose){ .host = true };
	if (device && host)
		by_contrast(t, &device, &host);
	host |= !device && !talk_any_whole(t, CARDS) && is_hosts_by_nature(t);
	w.device = device && !host;
	w.host = host && !device;
	w.sure = w.device && (names_device(t) || talk_any_phrase(t, "gpu mem|gpu's mem|gpu ram|gpu out|gpu oom") ||
	    fails_on_card(t));
	return w;
}

/* "I have 64 GB of RAM and a GPU of 8 GB": what there is, and not which of them ran out. */
bool
oom_whose_lists_both(struct talk t)
{
	return talk_has_whole(t, "ram") && talk_any_whole(t, "gpu gpus card cards vram nvidia rtx gtx cuda") && !talk_has_whole(t, RAM_OF_DEVICE) &&
	    has_digit(t);
}

/* "I have 64 GB of RAM": what a machine has, in a sentence beside the one that says it. */
static bool
counts_ram(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, OF_HOST, &n);

	return at && has_digit(talk_sentence(t, at));
}

#define MACHINES	"computer pc laptop machine system server desktop mac macbook workstation os ubuntu linux windows box node vm"
#define HALTS		"freeze freezes froze frozen freezing hang hangs hung hanging unresponsive reboot reboots rebooted rebooting lock locks locked dies died"
#define HALTS_IT	"freezes|freezing|freeze|froze|hangs|hanging|locks up|hard-crashing|hard crashing|reboots|rebooting|brings down|take down|takes down|kills"
#define HALT_WITHIN	4	/* words */

/* "My computer freezes", "hard-crashing the machine" */
bool
oom_whose_halts_machine(struct talk t)
{
	struct talk rest, word;
	const char *at;
	size_t n;
	int i;

	for (word = clause_word_behind(t, t.s); word.n > 0; word = clause_word_behind(t, word.s + word.n)) {
		if (!talk_is_one_of(word, MACHINES) || clause_denies(t, word.s, word.n))
			continue;
		rest = clause_word_behind(t, word.s + word.n);
		for (i = 0; i < HALT_WITHIN && rest.n > 0 && talk_holds(talk_clause(t, word.s, word.n), rest.s); i++, rest = clause_word_behind(t, rest.s + rest.n)) {
			if (talk_is_one_of(rest, HALTS) && !clause_denies(t, rest.s, rest.n))
				return true;
			if (!talk_is_one_of(rest, "to is was just then always completely totally gets got becomes became starts started will would itself also and had has"))
				break;
		}
	}
	for (at = NULL; talk_next_whole(t, HALTS_IT, &at, &n); ) {
		for (word = clause_word_behind(t, at + n); talk_is_one_of(word, "the my our whole entire up"); word = clause_word_behind(t, word.s + word.n))
			;
		if (talk_is_one_of(word, MACHINES) && !clause_denies(t, at, n))
			return true;
	}
	return false;
}

bool
oom_whose_names_card(struct talk t)
{
	return talk_any_whole(t, CARDS);
}

bool
oom_whose_names_ram(struct talk t)
{
	return (names_ram(t) || talk_any_phrase(t, "gb machine|gb of ram|python process") || is_not_devices(t)) && !talk_has_whole(t, RAM_OF_DEVICE);
}

/* Does it say so of what it speaks of? */
bool
oom_whose_is_not_gpus(struct talk t)
{
	return is_not_devices(t);
}

#define OF_OTHER_RAM	"cpu ram|system ram|cpu memory|system memory|host memory|machine|computer|cpu|swap|laptop|pc"

bool
oom_whose_may_be_gpu_ram(struct talk t)
{
	return !talk_has_whole(t, OF_OTHER_RAM);
}

bool
oom_whose_is_gpu_ram(struct talk t)
{
	return talk_has_whole(t, RAM_OF_DEVICE) && oom_whose_may_be_gpu_ram(t);
}

bool
oom_whose_ram(struct talk t)
{
	return names_host(t) && !counts_ram(t) && !talk_any_whole(t, "gpu gpus card cards") && !talk_has_whole(t, OF_DEVICE);
}

/* "It throws a memory error. With 120 GB of RAM, too. It eats the whole RAM.": does one of a line's
 * sentences say that the machine's memory ended, and none that a device's did? */
bool
oom_whose_ram_ends(struct talk t)
{
	const char *s, *end = t.s + t.n;
	struct talk sentence;
	bool host = false;

	if (t.n > OOM_TOLD_LINE || !talk_has_whole(t, OF_HOST))
		return false;
	for (s = t.s; s < end; s = sentence.s + sentence.n + 1) {
		sentence = talk_sentence(t, s);
		if (!oom_short_fails(sentence))
			continue;
		if (oom_whose(sentence).device)
			return false;
		host |= oom_whose(sentence).host;
	}
	return host;
}
