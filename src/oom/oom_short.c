/*
 * What says that memory is short: phrases that do by themselves ("out of memory"), and what befalls
 * memory where a clause names both ("my VRAM overflows"). All are tables.
 */
#include "oom/oom_short.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_whose.h"

/* TensorFlow's name of it, where no service says it of what it allows. */
#define RESOURCES	"resource exhausted|resources exhausted|resource exhaustion|resourceexhausted|resourceexhaustederror|resource exhasted|" \
    "resource exausted|resource_exhausted"
#define OF_SERVICE	"quota|rate limit|rate-limit|429|disk|inode|too many requests|requests per|api key|api call|grpc|statuscode.|connection"
#define OF_DEVICE	"memory|oom|allocat|hbm|vmem"
/* Phrases that say it by themselves, whole words. */
static const struct {
	enum told_what what;
	const char *phrases;
} by_itself[] = {
	{ TOLD_ENDED, "out_of_memory|cuda_out_of_memory|cuda_out_of memory|cuda_out of memory|out_of memory|out of_memory|gpu_out_of_memory|out_of_gpu_memory|cuda_error_out_of_memory|out-of-video-memory|out of gpu space|out of vram space|out of video memory|out-of-cpu-memory|out-of-gpu-memory|out of gpu memory|oom|ooms|oomed|oom-kill|oom_kill|oom-killed|oom-killer|out of memory|out-of-memory|outofmemory|outofmemoryerror|rayoutofmemoryerror|out of the memory|"
	    "out of memeory|out of memroy|out of memorry|out of memery|out of memary|out of mamory|cuda of memory|out of mem|out-of-mem|out memory|run out memory|memory out|gpu out|"
	    "std::bad_alloc|bad_alloc|bad alloc|bad allocation|no memory left|no more memory|no memory available|no free memory|no vram left|no ram left|not any memory left" },
	{ TOLD_FULL, "memory: 100%|memory 100%|memory at 100%|ram: 100%|ram 100%|ram at 100%" },
	{ TOLD_ENDED, RESOURCES },
	{ TOLD_TROUBLE, "memory error|memory errors|memoryerror|memoryerrors|memory related error|memory related errors|memory-related error|memory-related errors|memory related issue|memory related issues|memory-related issue|memory-related issues|memory related problem|memory related problems|memory-related problem|memory-related problems|memory related crash|memory-related crash|memory failure|memory failures|memory issue|memory issues|memory problem|memory problems|memory trouble|"
	    "ram issue|ram issues|ram problem|ram problems|ram error|ram errors|vram issue|vram issues|vram problem|vram problems|vram error|vram errors|issue with memory|issues with memory|problem with memory|problems with memory|trouble with memory|memory crash|memory crashes|memory crashed|malloc related issue|malloc related error|malloc-related issue|malloc-related error|memory limitation|memory limitations|memory constraint|memory constraints|"
	    "run into memory bottleneck|run into memory bottlenecks|ran into memory bottlenecks|running into memory bottlenecks|run into gpu memory bottlenecks|run into vram bottlenecks|run into (gpu) memory bottlenecks|ran into gpu memory bottlenecks|hit a memory bottleneck|hit memory bottlenecks|memory allocation error|memory allocation errors|error allocate memory|error allocating memory|error to allocate memory|errors allocating memory|error in allocating memory|allocate memory error|memory allocation failure|memory allocation issue|memory allocation problem|wrong with the memory|wrong with the cuda memory|wrong with the gpu memory|wrong with my memory|wrong with cuda memory|wrong with gpu memory|wrong with memory" },
	{ TOLD_NOTHING, NULL }
};

#define AMOUNTS		"huge amount of|huge amounts of|insane amount of|massive amount of|massive amounts of|enormous amount of|ridiculous amount of|crazy amount of|tremendous amount of|absurd amount of|insane amounts of|enormous amounts of|ridiculous amounts of|crazy amounts of|tremendous amounts of|absurd amounts of"
/* How much it takes, where that is what is complained of. */
#define MUCH		"huge memory|huge gpu memory|huge ram|huge vram|enormous memory|massive memory|using a lot of|uses a lot of|takes a lot of|taking a lot of|takes up a lot of|taking up a lot of|will take a lot of|will take up a lot of|will use a lot of|will consume a lot of|will use up a lot of|consumes a lot of|consuming a lot of|eats a lot of|eating a lot of|" \
    "uses lots of|using lots of|takes lots of|consumes lots of|consuming lots of|large amount of|large amounts of|whole lot of|incredible amount of|unreasonable amount of|excessive amount of|excessive amounts of|" \
    "becomes enormous|is enormous|becomes huge|gets huge|incredibly high|extremely high|insanely high|ridiculously high|crazy high|abnormally high|excessive|abnormal memory usage|abnormal ram usage|" \
    "high memory usage|high memory consumption|high memory requirement|high memory requirements|high gpu memory usage|high video memory usage|high video memory consumption|high gpu memory consumption|high gpu memory requirement|high gpu memory requirements|high ram usage|high ram consumption|" \
    "high vram usage|high vram consumption|high cpu memory usage"
/* What befalls memory, where a clause names both: whole words. */
#define MEMORY		"memory|ram|vram|memories|mem"
static const struct {
	enum told_what what;
	const char *phrases;
} befalls[] = {
	{ TOLD_ENDED, "out of bound|out of bounds|ran out|run out|runs out|running out|out of|exhaust|exhausts|exhausted|exhausting|exhaustion|overflow|overflows|"
	    "overflowed|overflowing|overflown|explode|explodes|exploded|exploding|explosion|blow up|blows up|blew up|blown up|"
	    "blowing up|blowup|burst|bursts|bursting|exceed|exceeds|exceeded|exceeding|beyond|above capacity|above the capacity|above its capacity|above the card's capacity|over the limit|over capacity|ends up full|is end|is ended" },
	{ TOLD_SHORT, "insufficient|insufficiency|not enough|n't enough|n\xe2\x80\x99t enough|no enough|not sufficient|n't sufficient|"
	    "too small|too little|too low|too much|too large|too big|too high|too many|too expensive|not fit|n't fit|n\xe2\x80\x99t fit|"
	    "cannot fit|unable to fit|not fitting|n't fitting|dont fit|doesnt fit|shortage|lack of|lacking|starved of|starved for|short of|short on|low on|"
	    "no room|n't have enough|n\xe2\x80\x99t have enough|not have enough|dont have enough|doesnt have enough|have no enough|runs short|not able to fit|n't able to fit|cannot get loaded into|cannot be loaded into|can not be loaded into|can't be loaded into|larger than|bigger than|more than my|more than the gpu|n't afford|"
	    "limits me|limits us|limiting me|limiting us|limited me|limited us|restricts me|restricts us|restricting me|constrains me|constrains us|not cut it|n't cut it|not cut the mustard|n't cut the mustard|not seem to cut|n't seem to cut|n't suffice|not suffice|n't seem to suffice|not seem to suffice|cannot afford|not afford|can't handle|cannot handle|cannot contain|can't contain|fails to allocate|failed to allocate|cannot allocate|"
	    "can't allocate|not allocate|n't allocate|unable to allocate|error allocating|issue allocating|problem allocating" },
	{ TOLD_FULL, "up to the limit|reached the limit|reaches the limit|reaching the limit|hits the limit|hit the limit|hitting the limit|reaches its limit|reached its limit|hits its limit|filling all|fills all|filled all|filling our|fills our|filled our|filling my|fills my|filled my|filling the whole|filling the ram|filling the memory|filling ram|full|filled|fills|fill up|filled up|fills up|filling up|maxed out|maxes out|max out|maxing out|saturated|max's out|maxs out|max’s out|tops out|topped out|"
	    "takes all|take all|took all|uses all|use all|used all|using all|eats all|eat all|eating all|eats up|eat up|eating up|"
	    "ate all|consumes all|consume all|consumed all|consuming all|occupies all|occupy all|occupied all|takes up all|"
	    "uses up|used up|using up|fully used|fully consumed|fully occupied|fully allocated|completely filled|completely used|uses the whole|takes the whole|uses the entire|takes the entire|eats the whole|eat the whole|eating the whole|ate the whole|eats whole|consumes the whole|consumes whole|consuming the whole|occupies the whole|fills the whole|fills whole|filled the whole|eats the entire|eat the entire|eats up the|consumes the entire|occupies the entire|fills the entire|filled the entire|eats my|balloons the|balloons my|balloons our|ballooned the|ballooned my|ballooning the|ballooning my|100%|100 %|"
	    "uses 100|to 100|blow through|blows through|blowing through|blew through|eats it all|ate it all|chomps|chomping|devours|devoured|gobbles|gobbles up|hogs|hogging" },
	{ TOLD_SHORT, AMOUNTS },
	{ TOLD_TROUBLE, MUCH },
	{ TOLD_SHORT, "more memory than|more memory then|more vram than|more vram then|more ram than|more ram then|more gpu memory than" },
	{ TOLD_TROUBLE, "surge|surges|surged|surging|spike|spikes|spiked|spiking|skyrocket|skyrockets|skyrocketed|skyrocketing|soars|soared|soaring|doubles|doubled|triples|tripled" },
	{ TOLD_TROUBLE, "not release all|n't release all|not free all|n't free all|not give back all|n't give back all" },
	{ TOLD_TROUBLE, "leak|leaks|leaking|leaked|leakage|crash|crashes|crashed|crashing|kill|kills|killed|killing|killer|dies|died|dead|"
	    "freeze|freezes|frozen|hangs|fails due|failed due|error due|errors due|because of|due to|overload|overloads|overloaded" },
	{ TOLD_NOTHING, NULL }
};

/* The same of a card, which has no other sense than of its memory. */
static const struct {
	enum told_what what;
	const char *phrases;
} of_card[] = {
	{ TOLD_ENDED, "explode|explodes|exploded|exploding|overflow|overflows|overflowed|overflowing" },
	{ TOLD_SHORT, "not fit|n't fit|n\xe2\x80\x99t fit|cannot fit|unable to fit|too big for|too large for|insufficient to train|not enough to train|n't enough to train|insufficient to run|not enough to run|n't enough to run" },
	{ TOLD_FULL, "is full|are full|gets full|get full|becomes full|runs full|fills up|filled up" },
	{ TOLD_NOTHING, NULL }
};
#define OF_ITS_WORK	"usage|utilization|utilisation|util|load|power|speed|fan"

/* Networks have memories, too, and so have terms. */
#define OTHER_MEMORY	"short-term memory|short term memory|long-term memory|memory network|memory networks|memory bank|memory cell|" \
    "memory cells|memory module|memory augmented|memory-augmented|associative memory|episodic memory|external memory|memory mapped|"  \
    "memory access|memory format|memory address|memory alignment|memory bandwidth|memory clock|sd memory|memory efficient|"	  \
    "memory-efficient|human memory|working memory|gradient explo|gradients explo|exploding gradient|muscle memory|memory slot|memory slots|"	  \
    "memory thread|memory threads"

#define OF_REPORT	"log output traceback trace stack error message report code command config script"
#define ALL_OF		28	/* bytes from "all" to what is all used, */
#define WHOLE_OF	24	/* and from "whole", */
#define OF_AMOUNT	16	/* and from "amount of" */
#define OTHER_ALL	"core cores thread threads gpus cards devices images samples files processors"

/* "the whole" ahead of T: of memory, or of a card? */
static bool
is_whole_of(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, MEMORY "|gb|gib|gpu|gpus|card|cards|device", &n);

	return at && !talk_any_whole(talk_part(t, t.s, at), "in into onto to on of data dataset set file image model");
}

/* "a large amount of GPU memory", where an amount is told: not of data that memory is read to, nor
 * what a machine has. */
static bool
is_much_memory(struct talk t, const char *at, size_t n)
{
	struct talk phrase = talk_part(t, at, at + n);

	return !talk_has_whole(phrase, "of") || (talk_has_whole(talk_head(t, at + n, OF_AMOUNT), MEMORY) && (talk_any_whole(phrase, "using uses takes taking consumes consuming eats eating") || !clause_has_it(t, at)));
}

/* "To run the full program": of something else that is whole. */
static bool
is_full_other(struct talk t, const char *at)
{
	struct talk word = clause_word_behind(t, at + 4);

	return talk_is_one_of(clause_word_ahead(t, at), "the a my our this its") && word.n > 0 && !is_digit(*word.s) &&
	    !talk_is_one_of(word, "capacity amount and but so when while after as on in at with by because") && !is_whole_of(talk_head(t, at + 4, WHOLE_OF));
}

#define BEFALLS_TO	"seem seems seemed tend tends start starts started begin begins began going appear appears try tries tried trying attempt attempts want wants continue continues"

/* "A build of 64 bits is needed to use all memory": what someone would have it do, and not "it
 * starts to use all memory". */
static bool
is_for_use(struct talk t, const char *at)
{
	struct talk to = clause_word_ahead(t, at);

	return talk_any_whole(talk_head(t, at, 8), "use take") && talk_is_one_of(to, "to") && !talk_is_one_of(clause_word_ahead(t, to.s), BEFALLS_TO);
}

/* The first of a clause's words that says what befell memory, where it names that. */
static const char *
befell(struct talk t, const char *list, size_t *n)
{
	const char *at = talk_find_whole(t, list, n), *end = t.s + t.n;
	struct talk behind;

	/* "out of" has to be of memory: neither "5 out of 8 GB of memory" nor "out of nowhere" */
	if (at && *n == 6 && piece_find((struct piece){ at, 6 }, "out of")) {
		if (at > t.s + 1 && (is_digit(at[-2]) || lower(at[-2]) == 'b'))
			return NULL;
		behind = talk_part(t, at + 6, end);
		return talk_has_whole(behind, MEMORY) ? at : NULL;
	}
	if (at && piece_find((struct piece){ at, *n }, "of bound") && (talk_any_whole(t, "index indices access read write address array") || !talk_any_whole(talk_part(t, t.s, at), "memory vram ram")))
		return NULL;		/* "an index that is out of bounds" */
	if (at && *n == 4 && lower(*at) == 'f' && (talk_any_begins(clause_word_behind(t, at + *n), OF_REPORT) || is_full_other(t, at)))
		return NULL;		/* "full logs are attached" */
	if (at && strcmp(list, AMOUNTS) == 0 && clause_has_it(t, at) && !talk_any_whole(talk_part(t, t.s, at), "unless"))
		return NULL;		/* "unless you have insane amounts of RAM" lacks them */
	if (at && strcmp(list, MUCH) == 0 && (talk_any_begins(t, "reduc lower decreas optimi limit sav warn") || !is_much_memory(t, at, *n)))
		return NULL;		/* what is there, wished for or warned of */
	/* nor is "it takes the whole data set into memory" of what memory is full */
	if (at && talk_any_whole(talk_part(t, at, at + *n), "whole entire") && !is_whole_of(talk_head(t, at + *n, WHOLE_OF)))
		return NULL;
	/* nor is "use all available CPU cores" of memory */
	if (at && *n > 3 && piece_find((struct piece){ at + *n - 4, 4 }, " all") && (talk_any_whole(talk_head(t, at + *n, ALL_OF), OTHER_ALL) || is_for_use(t, at)))
		return NULL;
	return at;
}

#define OF_PROGRAM	"profiler profiling test tests benchmark benchmarks script scripts module optimizer checker check analysis"

/* "I got CUDA run of memory", "ran off memory": a slip for "run out of", where the memory is named
 * at AT. Not "the run of memory tests". */
static const char *
slips(struct talk t, const char *at, size_t n)
{
	struct talk word = clause_word_ahead(t, at);

	while (talk_is_one_of(word, "the my its our gpu gpu's cuda device video graphics system cpu"))
		word = clause_word_ahead(t, word.s);
	if (!talk_is_one_of(word, "of off") || talk_is_one_of(clause_word_behind(t, at + n), OF_PROGRAM))
		return NULL;
	word = clause_word_ahead(t, word.s);
	return talk_is_one_of(word, "run runs ran running") && !talk_is_one_of(clause_word_ahead(t, word.s), "a the this that each one first second every last test") ? word.s : NULL;
}

/* "Which leads to the memory is out", "my RAM went out": where the memory is named at AT, of N
 * bytes. Not "the memory is out of sync". */
static const char *
out_behind(struct talk clause, const char *at, size_t n)
{
	struct talk word = clause_word_behind(clause, at + n), next;

	if (!talk_is_one_of(word, "is was are goes went gets got just runs"))
		return NULL;
	word = clause_word_behind(clause, word.s + word.n);
	next = clause_word_behind(clause, word.s + word.n);
	return talk_is_one_of(word, "out") && (next.n == 0 || talk_is_one_of(next, "when while during after because since as so again")) ? at : NULL;
}

#define MALLOC		"cudamalloc|cuda malloc|gpu malloc|hipmalloc|cudamallocasync|cuda mem alloc|cumemalloc"
#define MALLOC_FAILS	"fail fails failed failing failure failures error errors"
#define OTHER_CODE	"illegal unknown invalid initialization initialized driver launch unsupported unavailable busy assert device-side"

/* "CUDA malloc fails", "a cudaMalloc failure": the call by which a program asks for a device's
 * memory, where no other code of its error is told. */
static const char *
call_fails(struct talk t, size_t *n)
{
	struct talk word;
	const char *at;

	for (at = NULL; talk_next_whole(t, MALLOC, &at, n); ) {
		word = clause_word_behind(t, at + *n);
		while (talk_is_one_of(word, "always is has sometimes then just often"))
			word = clause_word_behind(t, word.s + word.n);
		if (talk_is_one_of(word, MALLOC_FAILS) && !talk_any_whole(talk_sentence(t, at), OTHER_CODE) && oom_told_happened(t, at, *n))
			return at;
	}
	return NULL;
}

#define OVER_TIME	"gradually|slowly|steadily|continuously|constantly|keeps|keep|kept|over time|over the|each|every|until|step by step|with time|during|more and more|linearly|after a while|eventually"

/* "memory usage goes up to 128GB": is what a part of a clause tells of an amount alone? */
static bool
rises_to(struct talk behind)
{
	size_t n;
	const char *at = talk_find_whole(behind, "goes up to|went up to|going up to|rises to|rising to|climbs to|climbing to|increases to|grows to|balloons to|raised to|rose to|risen to|climbed to|increased to|grew to|jumps to|jumped to|shoots up to|shot up to", &n);
	struct talk word = at ? clause_word_behind(behind, at + n) : behind;

	while (at && talk_is_one_of(word, "about around over nearly almost more than roughly"))
		word = clause_word_behind(behind, word.s + word.n);
	return at && word.n > 0 && is_digit(*word.s);
}

/* "memory usage rises", of the clause in which memory is named at AT: not what makes it grow, nor
 * what it is for. */
static bool
grows(struct talk clause, const char *at)
{
	struct talk behind = talk_part(clause, at, clause.s + clause.n);
	const char *rises;
	size_t n;

	rises = talk_find_whole(behind, "increases|increasing|grows|growing", &n);
	if (rises && talk_is_one_of(clause_word_ahead(behind, rises), "cache"))
		return false;		/* that holds what nobody has */
	if (rises_to(behind) && !talk_has_whole(clause, OVER_TIME))
		return false;		/* how much it takes, by which it need not grow from step to step */
	return talk_has_whole(behind, "balloons|ballooning|will balloon|increases|increasing|grows|growing|rises|rising|goes up|went up|going up|climbs|climbing") &&
	    !clause_rises_otherwise(clause, at) && !clause_says_no(clause, "stop stops stopped fixed solved") && !talk_any_phrase(clause, " to be ");
}

#define OF_ALL	"system's computer's machine's pc's laptop's computer machine pc laptop my our the of gpu cpu system video main host device available server gb"
#define TAKEN	"was utilized|is utilized|were utilized|be utilized|be allocated|is allocated|was allocated|gets allocated|be taken|is taken|was taken|be used|is used|was used|be occupied|is occupied|" \
    "was occupied|be consumed|is consumed|was consumed|is eaten|was eaten|is gone|was gone"

/* "All my 189 GB of memory will be allocated" */
static bool
is_taken(struct talk clause, const char *at)
{
	struct talk word = clause_word_ahead(clause, at);

	while (word.n > 0 && (is_digit(*word.s) || talk_is_one_of(word, OF_ALL)))
		word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, "all whole entire") && talk_has_whole(talk_part(clause, at, clause.s + clause.n), TAKEN);
}

#define SO_MUCH	"so much|that much|too much|a lot of|lots of|huge amount of|so high|so large|so big|very high|very large"
#define THAN	"less more faster slower better worse smaller larger bigger longer higher lower fewer"

/* "Why does it take so much memory?", "why the program requires a lot of RAM"; not "why is it so
 * much faster?" */
static bool
asks_why_much(struct talk clause, const char **at, size_t *n)
{
	const char *much = talk_find_whole(clause, SO_MUCH, n), *why;
	struct talk ahead, word;
	size_t length;

	if (!much || !(why = talk_find_whole(ahead = talk_part(clause, clause.s, much), "why", &length)))
		return false;
	word = clause_word_ahead(clause, why);
	if (talk_is_one_of(word, "is s thats that's explain explains see sees ask asks asked tells shows reason") ||
	    (talk_is_one_of(word, "know knows understand understands") && !talk_any_phrase(ahead, "not |n't |want to |like to |dont |cannot ")))
		return false;
	*at = much;
	return !talk_any_whole(talk_part(clause, much + *n, clause.s + clause.n), THAN);
}

static bool
is_of_service(struct talk t, const char *at)
{
	return lower(at[0]) == 'r' && talk_any_phrase(t, OF_SERVICE) && talk_has_whole(talk_part(t, at, t.s + t.n), RESOURCES);
}

bool
oom_short_is_of_service(struct talk near)
{
	return talk_any_phrase(near, OF_SERVICE) && !talk_any_phrase(near, OF_DEVICE);
}

/* Words that an amount of memory is an object of, */
#define ENDS_OF		"run out of|runs out of|ran out of|running out of"
#define FITS_IN		"not fit in|not fit into|not fit on|n't fit in|n't fit into|n't fit on|cannot fit in|cannot fit into|can't be done in|cannot be done in|can not be done in|" \
    "can't be done with|cannot be done with|can't be done on|cannot be done on|can't run on|cannot run on|can not run on|can't train on|cannot train on|" \
    "can't run in|cannot run in|can't be run on|cannot be run on|can't be trained on|cannot be trained on"
#define FILLS_UP	"occupying whole|occupies whole|occupying the whole|occupies the whole|occupying all|occupies all|occupying the entire|occupies the entire|uses up all|using up all|eats up all|eating up all|takes up all|taking up all"
/* and what an amount may be of that is none. */
#define OF_FILES	"disk|storage|ssd|hard drive|drive|quota|dataset|data|images|files|tokens|traffic|bandwidth|cache"

/* "24GB", "24 GB", "8G", "my 11 GiB": an amount of memory that begins at S, or behind a few words
 * there; not one of a file's. */
static bool
is_amount(struct talk t, const char *s)
{
	const char *end = t.s + t.n;
	struct talk word = clause_word_behind(t, s);
	int64_t n;

	while (talk_is_one_of(word, "my the our a an all its just only even of"))
		word = clause_word_behind(t, word.s + word.n);
	if (word.n == 0 || !is_digit(*word.s) || !(s = piece_number(word.s, end, &n)))
		return false;
	if (end - s > 1 && *s == '.' && is_digit(s[1]))
		for (s++; s < end && is_digit(*s); s++)
			;
	s = piece_past_blanks(s, end);
	for (word = talk_part(t, s, s); word.s + word.n < end && is_letter(word.s[word.n]); word.n++)
		;
	return talk_is_one_of(word, "gb g gib gig gigs mb mib gigabytes gbs") && !talk_has_whole(talk_clause(t, s, 1), OF_FILES);
}

#define ASKS_FOR	"try to allocate|trying to allocate|tries to allocate|tried to allocate|try allocate|try allocating|tries allocating|wants to allocate|attempts to allocate|attempted to allocate|asks for|demands"
#define CONTRAST	"just only but why although though yet even weird strange"

/* "The video is just 4 MB, it tries to allocate 134 GiB": an amount that is asked for, set against
 * what is given. */
static const char *
asks_amount(struct talk t, size_t *n)
{
	const char *at;

	for (at = NULL; talk_next_whole(t, ASKS_FOR, &at, n); )
		if (is_amount(t, at + *n) && talk_any_whole(talk_sentence(t, at), CONTRAST) && oom_told_happened(t, at, *n))
			return at;
	return NULL;
}

/* "It runs out of 24 GB", "can't be done in 24GB", "is occupying whole 16GB", which name no
 * memory. */
static enum told_what
says_amount(struct talk t, const char **at, size_t *n)
{
	static const struct {
		enum told_what what;
		const char *phrases;
	} of[] = { { TOLD_ENDED, ENDS_OF }, { TOLD_SHORT, FITS_IN }, { TOLD_FULL, FILLS_UP } };
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (*at = NULL; talk_next_whole(t, of[i].phrases, at, n); )
			if (is_amount(t, *at + *n) && oom_told_happened(t, *at, *n))
				return of[i].what;
	return TOLD_NOTHING;
}

#define LACKS	"it is not enough|it's not enough|it isn't enough|it is far from enough|it's far from enough|that is not enough|that's not enough|that isn't enough|this is not enough|it was not enough|it wasn't enough|it is not sufficient|it isn't sufficient|it is insufficient|is still not enough"

/* "I have 24 GB of VRAM, but it is not enough to train": what is short is named ahead of it. */
static bool
lacks_it(struct talk t, const char **at, size_t *n)
{
	struct talk sentence, word;

	for (*at = NULL; talk_next_whole(t, LACKS, at, n); ) {
		sentence = talk_sentence(t, *at);
		word = clause_word_behind(sentence, *at + *n);
		if ((word.n == 0 || piece_past_blanks(*at + *n, t.s + t.n) != word.s || talk_is_one_of(word, "to for at even")) && talk_has_whole(talk_part(t, sentence.s, *at), MEMORY) &&
		    talk_any_whole(talk_part(t, sentence.s, *at), "but however yet although though even still") && !talk_has_whole(talk_part(t, sentence.s, *at), OTHER_MEMORY) && oom_told_happened(t, *at, *n))
			return true;
	}
	return false;
}

#define IS_FULL		"it is full|it's full|it was full|it gets full|it got full|it becomes full|it is fully used|it's fully used|it was fully used|it is completely full|it is completely used|it fills up|it filled up|it is 100%|it is at 100%|it's at 100%|it goes to 100%|it reaches 100%|it reached 100%|it is maxed out|it's maxed out|it maxes out|it is exhausted|it gets exhausted|it is all used|it was all used|it is used up|it was used up"
#define OTHER_FULL	"disk ssd drive storage queue buffer dataset file folder cache"

/* "I have 16 GB of RAM, and it is fully used": what is full is named ahead of it. */
static const char *
is_full(struct talk t, size_t *n)
{
	struct talk ahead;
	const char *at;

	for (at = NULL; talk_next_whole(t, IS_FULL, &at, n); ) {
		ahead = talk_part(t, talk_sentence(t, at).s, at);
		if (talk_has_whole(ahead, MEMORY) && !talk_has_whole(ahead, OTHER_MEMORY) && !talk_any_whole(ahead, OTHER_FULL) && oom_told_happened(t, at, *n))
			return at;
	}
	return NULL;
}

bool
oom_short_is_full(struct talk t)
{
	size_t n;

	return is_full(t, &n) != NULL;
}

enum told_what
oom_short_says(struct talk t, const char **at, size_t *n)
{
	struct talk denied = { 0 }, clause = { 0 };
	const char *memory;
	bool other = false, again;
	size_t i, length;

	for (i = 0; by_itself[i].phrases; i++)
		for (*at = NULL; talk_next_whole(t, by_itself[i].phrases, at, n); ) {
			if (talk_holds(denied, *at))
				continue;
			if (!is_of_service(t, *at) && !(by_itself[i].what == TOLD_FULL && talk_any_whole(talk_clause(t, *at, *n), "free available")) && oom_told_happened(t, *at, *n))
				return by_itself[i].what;
			denied = talk_clause(t, *at, *n);
		}
	for (memory = NULL; talk_next_whole(t, MEMORY, &memory, &length); ) {
		again = talk_holds(clause, memory);	/* of which all has been asked but what stands behind the word */
		if (!again) {
			clause = talk_clause(t, memory, length);
			other = talk_any_phrase(clause, OTHER_MEMORY) || talk_has_whole(clause, "n't run out|did not run out|never ran out|not running out");
		}
		if (other)
			continue;
		for (i = 0; befalls[i].phrases && !again && !talk_holds(denied, memory); i++)
			if ((*at = befell(clause, befalls[i].phrases, n)) && oom_told_happened(t, *at, *n))
				return befalls[i].what;
		if ((*at = slips(t, memory, length)) && oom_told_happened(t, *at, *n = (size_t)(memory + length - *at)))
			return TOLD_ENDED;
		if ((*at = out_behind(clause, memory, length)) && oom_told_happened(t, *at, *n = length))
			return TOLD_ENDED;
		if (!again && asks_why_much(clause, at, n) && oom_told_happened(t, *at, *n))
			return TOLD_TROUBLE;
		if (!again && is_taken(clause, *at = memory) && oom_told_happened(t, memory, *n = length))
			return TOLD_FULL;
		if (grows(clause, *at = memory) && oom_told_happened(t, memory, length))
			return TOLD_GROWS;
		if (!again && rises_to(clause) && oom_told_happened(t, memory, *n = length))
			return TOLD_TROUBLE;
	}
	for (i = 0; of_card[i].phrases; i++)
		if ((*at = talk_find_whole(t, of_card[i].phrases, n)) && talk_has_whole(clause = talk_clause(t, *at, *n), TOLD_CARD) &&
		    !talk_has_whole(clause, OF_ITS_WORK) && oom_told_happened(t, *at, *n))
			return of_card[i].what;
	if ((*at = is_full(t, n)))
		return TOLD_FULL;
	if ((*at = call_fails(t, n)) || (*at = asks_amount(t, n)))
		return TOLD_TROUBLE;
	return lacks_it(t, at, n) ? TOLD_SHORT : says_amount(t, at, n);
}

bool
oom_short_fails(struct talk t)
{
	const char *at;
	size_t n;

	return oom_short_says(t, &at, &n) != TOLD_NOTHING;
}

bool
oom_short_may_say(struct talk t)
{
	size_t i;

	if (talk_has_whole(t, MEMORY) || talk_has_whole(t, TOLD_CARD))
		return true;
	for (i = 0; by_itself[i].phrases && !talk_any_phrase(t, by_itself[i].phrases); i++)
		;
	return by_itself[i].phrases != NULL;
}
