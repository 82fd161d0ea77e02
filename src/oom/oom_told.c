/*
 * Reports in a person's words alone, with no program's message. A sentence is one where a clause of
 * it has a phrase that says so by itself ("out of memory"), or names memory and what befell it ("my
 * VRAM overflows"); both are tables. A clause that denies it, advises against it or is code says
 * nothing. Which memory it was is read from that sentence alone (oom_whose.h); batches, sizes and
 * names from all of them, and only told again.
 */
#include "oom/oom_told.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_form.h"
#include "oom/oom_named.h"
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
	{ TOLD_ENDED, "out-of-video-memory|out of video memory|out-of-cpu-memory|out-of-gpu-memory|out of gpu memory|oom|ooms|oomed|oom-kill|oom_kill|oom-killed|oom-killer|out of memory|out-of-memory|outofmemory|outofmemoryerror|out of the memory|"
	    "out of memeory|out of memroy|out of memorry|out of memery|out of memary|out of mamory|cuda of memory|out memory|run out memory|memory out|gpu out|"
	    "std::bad_alloc|bad_alloc|no memory left|no more memory|no memory available|no free memory|no vram left|no ram left|not any memory left" },
	{ TOLD_ENDED, RESOURCES },
	{ TOLD_TROUBLE, "memory error|memory errors|memoryerror|memory failure|memory failures|memory issue|memory issues|memory problem|memory problems|memory trouble|"
	    "issue with memory|issues with memory|problem with memory|problems with memory|trouble with memory|memory crash|memory crashes|memory crashed|memory limitation|memory limitations|memory constraint|memory constraints|"
	    "memory allocation error|memory allocation errors|memory allocation failure|memory allocation issue|memory allocation problem" },
	{ TOLD_NOTHING, NULL }
};

/* The same in languages whose words are not parted by blanks, or that need no more. */
static const struct {
	bool device, host;
	const char *phrases;
} elsewhere[] = {
	{ true, false, "\xe7\x88\x86\xe6\x98\xbe\xe5\xad\x98|\xe7\x88\x86\xe4\xba\x86\xe6\x98\xbe\xe5\xad\x98|"		/* 爆显存, 爆了显存 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3|\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe5\xa4\x9f|"		/* 显存不足, 显存不够 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe6\xba\xa2\xe5\x87\xba|\xe6\x98\xbe\xe5\xad\x98\xe7\x88\x86|"			/* 显存溢出, 显存爆 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe4\xbc\x9a\xe7\x88\x86|\xe6\x98\xbe\xe5\xad\x98\xe8\x80\x97\xe5\xb0\xbd|"		/* 显存会爆, 显存耗尽 */
	    "\xe8\xb6\x85\xe6\x98\xbe\xe5\xad\x98|\xe8\xb6\x85\xe5\x87\xba\xe6\x98\xbe\xe5\xad\x98" },			/* 超显存, 超出显存 */
	{ false, true, "\xe7\x88\x86\xe5\x86\x85\xe5\xad\x98|\xe5\x86\x85\xe5\xad\x98\xe7\x88\x86|"				/* 爆内存, 内存爆 */
	    "\xe5\x86\x85\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3|\xe5\x86\x85\xe5\xad\x98\xe4\xb8\x8d\xe5\xa4\x9f|"		/* 内存不足, 内存不够 */
	    "\xe5\x86\x85\xe5\xad\x98\xe6\xba\xa2\xe5\x87\xba|\xe5\x86\x85\xe5\xad\x98\xe8\x80\x97\xe5\xb0\xbd" },		/* 内存溢出, 内存耗尽 */
	{ false, false, "\xe5\x86\x85\xe5\xad\x98\xe5\x88\x86\xe9\x85\x8d\xe9\x94\x99\xe8\xaf\xaf|"			/* 内存分配错误 */
	    "\xe5\x86\x85\xe5\xad\x98\xe5\x88\x86\xe9\x85\x8d\xe5\xa4\xb1\xe8\xb4\xa5|\xe3\x83\xa1\xe3\x83\xa2\xe3\x83\xaa\xe4\xb8\x8d\xe8\xb6\xb3|"					/* メモリ不足 */
	    "\xeb\xa9\x94\xeb\xaa\xa8\xeb\xa6\xac \xeb\xb6\x80\xec\xa1\xb1|"						/* 메모리 부족 */
	    "\xeb\xa9\x94\xeb\xaa\xa8\xeb\xa6\xac\xea\xb0\x80 \xeb\xb6\x80\xec\xa1\xb1|"					/* 메모리가 부족 */
	    "memoria insuficiente|falta de memoria" },
	{ false, false, NULL }
};

#define AMOUNTS		"huge amount of|huge amounts of|insane amount of|massive amount of|massive amounts of|enormous amount of|ridiculous amount of|crazy amount of|tremendous amount of|absurd amount of"
/* What befalls memory, where a clause names both: whole words. */
#define MEMORY		"memory|ram|vram|memories"
static const struct {
	enum told_what what;
	const char *phrases;
} befalls[] = {
	{ TOLD_ENDED, "ran out|run out|runs out|running out|out of|exhaust|exhausts|exhausted|exhausting|exhaustion|overflow|overflows|"
	    "overflowed|overflowing|overflown|explode|explodes|exploded|exploding|explosion|blow up|blows up|blew up|blown up|"
	    "blowing up|blowup|burst|bursts|bursting|exceed|exceeds|exceeded|exceeding|beyond|above capacity|above the capacity|above its capacity|above the card's capacity|over the limit|over capacity|ends up full|is end|is ended" },
	{ TOLD_SHORT, "insufficient|insufficiency|not enough|n't enough|n\xe2\x80\x99t enough|no enough|not sufficient|n't sufficient|"
	    "too small|too little|too low|too much|too large|too big|too high|too many|too expensive|not fit|n't fit|n\xe2\x80\x99t fit|"
	    "cannot fit|unable to fit|not fitting|n't fitting|dont fit|doesnt fit|shortage|lack of|lacking|starved of|starved for|short of|short on|low on|"
	    "no room|n't have enough|n\xe2\x80\x99t have enough|not have enough|dont have enough|doesnt have enough|have no enough|runs short|not able to fit|n't able to fit|cannot get loaded into|cannot be loaded into|can not be loaded into|can't be loaded into|larger than|bigger than|more than my|more than the gpu|n't afford|"
	    "cannot afford|not afford|can't handle|cannot handle|cannot contain|can't contain|fails to allocate|failed to allocate|cannot allocate|"
	    "can't allocate|not allocate|n't allocate|unable to allocate|error allocating|issue allocating|problem allocating" },
	{ TOLD_FULL, "full|filled|fills|fill up|filled up|fills up|filling up|maxed out|maxes out|max out|maxing out|saturated|saturates|"
	    "takes all|take all|took all|uses all|use all|used all|using all|eats all|eat all|eating all|eats up|eat up|eating up|"
	    "ate all|consumes all|consume all|consumed all|consuming all|occupies all|occupy all|occupied all|takes up all|"
	    "uses up|used up|using up|fully consumed|fully occupied|fully allocated|completely filled|completely used|uses the whole|takes the whole|uses the entire|takes the entire|eats my|100%|100 %|"
	    "uses 100|to 100|blow through|blows through|blowing through|blew through|eats it all|ate it all|chomps|chomping|devours|devoured|gobbles|gobbles up|hogs|hogging" },
	{ TOLD_SHORT, AMOUNTS },
	{ TOLD_SHORT, "more memory than|more memory then|more vram than|more vram then|more ram than|more ram then|more gpu memory than" },
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

#define OF_TENTH	"% of system memory|% of free system memory"	/* TensorFlow's warning, which is no failure */

/* Networks have memories, too, and so have terms. */
#define OTHER_MEMORY	"short-term memory|short term memory|long-term memory|memory network|memory networks|memory bank|memory cell|" \
    "memory cells|memory module|memory augmented|memory-augmented|associative memory|episodic memory|external memory|memory mapped|"  \
    "memory access|memory format|memory address|memory alignment|memory bandwidth|memory clock|sd memory|memory efficient|"	  \
    "memory-efficient|human memory|working memory|gradient explo|gradients explo|exploding gradient|muscle memory|memory slot|memory slots"

/* What a clause is of that advises, or tells what a program does about it. */
#define POLITE		"if you could|if you can|if you know|if you have any|if anyone|if someone|if somebody"
#define POLITE_WITHIN	16	/* bytes, from its "if" */
#define ASKED		"help tell explain know knows advise idea ideas suggestion suggestions advice clue hint hints solution solutions"
#define ADVICE		"fixed a bug|fixes a bug|fix a bug|bug where|in case|avoid|avoids|avoiding|prevent|prevents|preventing|catch|catches|catching|handles|handling|" \
    "checks for|check for|looks for|look for|searches for|matches the string|the string|"	\
    "paper says|paper claims|paper reports|paper states|authors say|authors claim|authors report|whether|unless|i thought|thought it|would expect|worried|worry|afraid|mitigate|mitigates|risk|should you|simulate|simulates|instead of running"
/* What stands behind it in the name of something that deals with it. */
#define NAMED_AFTER	"handling|handler|detection|detector|prevention|protection|guard|score|recovery|retry|retries|test|tests|safe|"	\
    "adjustment|aware|callback|lane|exception handling|killer config"


/* "is_out_of_memory(RuntimeError('CUDA error: out of memory'))": is an error made as what a
 * function is given? */
static bool
is_given_error(struct talk t)
{
	const char *s = talk_first(t, "error('|error(\"|exception('|exception(\""), *from;

	for (from = s; from && from > t.s && (is_letter(from[-1]) || from[-1] == '.' || from[-1] == '_'); from--)
		;
	if (!from || from - t.s < 2 || from[-1] != '(')
		return false;
	for (from--; from > t.s && piece_is_word(from[-1]); from--)
		;
	return *from >= 'a' && *from <= 'z';	/* not Ray's RayTaskError(RuntimeError(...)) */
}

/* A line of a program's text, or of its log. */
static bool
is_code(struct talk t)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n;
	struct talk rest = talk_part(t, s, end);

	if (talk_any_phrase(t, "str(e)|print(|printf(|logger.|logging.|warnings.warn(|std::cerr|#include|assert(|log(|, line |"
	    "://github.com/pytorch/pytorch/blob|: raise |; raise |{ raise |: throw |; throw |{ throw |: return |; return |{ return ") ||
	    talk_first(rest, "raise |except |throw |return |def ") == s || is_given_error(t))
		return true;
	if (end - s >= 2 && (memcmp(s, "//", 2) == 0 || memcmp(s, "/*", 2) == 0 || memcmp(s, "* ", 2) == 0 || (memcmp(s, "--", 2) == 0 && (end - s < 3 || !is_letter(s[2])))) &&
	    memcmp(s, "* ", 2) != 0)
		return true;
	return (talk_any_begins(talk_head(t, s, 6), "if elif while for") && end > s && end[-1] == ':' &&
	    talk_any_of(rest, "( == in "));
}

static bool
is_sentence(struct talk t)
{
	return talk_has_whole(t, "running out of|run out of|runs out of") ||
	    talk_any_whole(t, "i my me we our you your it when after while how why even with on get got keep this the to is are can");
}

static bool
is_within(struct talk t, const char *at)
{
	return t.s && at >= t.s && at < t.s + t.n;
}

struct talk
oom_told_sentence(const struct oom_told *o, struct talk t)
{
	return is_within(t, o->here) ? talk_sentence(t, o->here) : t;
}

bool
oom_told_is_of_failure(const struct oom_told *o, struct talk t, const char *at, int line)
{
	struct talk sentence = talk_sentence(t, at);

	return (o->here_line == line && is_within(sentence, o->here)) || clause_names_failure(sentence) ||
	    talk_any_whole(sentence, "memory vram enough insufficient") || oom_told_fails(sentence);
}

/* "If I use a batch of 16 it throws an error": what is seen each time, where I is who does it, and
 * something else tells of it. */
#define SEEN		"then even|it throws|it gives|it crashes|it fails|it runs|it shows|it says|it raises|it reports|i get|i got|i receive|we get|we got"

static bool
is_seen(struct talk clause, const char *behind)
{
	struct talk who = clause_word_behind(clause, behind);

	if (talk_has_whole(talk_part(clause, who.s + who.n, clause.s + clause.n), "i get|i got|we get|we got") && !talk_any_whole(who, "you your"))
		return true;		/* "if my images are of that size I get this error" */
	return talk_any_whole(who, "i we") && talk_has_whole(talk_part(clause, who.s + who.n, clause.s + clause.n), SEEN);
}

/* "Take less if it runs out of memory"; but "even if I take less", what comes after the comma of
 * "if it runs, it runs out of memory", and "if you could help with it", are what is said. */
static bool
is_condition(struct talk clause, const char *at)
{
	struct talk before = talk_part(clause, clause.s, at), rest;
	const char *s;
	size_t n;

	for (rest = before; (s = talk_find_whole(rest, "if", &n)); rest = talk_part(before, s + n, at))
		if (!talk_any_whole(clause_word_ahead(before, s), "even as what") && !is_seen(before, s + n) && !(talk_has_whole(talk_head(before, s, POLITE_WITHIN), POLITE) &&
		    talk_any_whole(talk_part(before, s, at), ASKED)))
			return true;
	return false;
}

/* "If you have less than 12 GB, it will run out of memory": what is told to others, not what
 * happened. */
static bool
is_told_to_others(struct talk line, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(line, at), before = talk_part(sentence, sentence.s, at);

	return talk_has_whole(before, "if you") && talk_any_whole(talk_part(clause, clause.s, at), "will would can could may might") &&
	    !talk_any_whole(before, ASKED);
}

bool
oom_told_happened(struct talk line, const char *at, size_t n)
{
	struct talk clause = talk_clause(line, at, n);
	const char *end = clause.s + clause.n, *to = piece_past_blanks(at + n, end);
	struct talk next = talk_part(line, to, end);
	size_t length;

	if (is_code(line) || clause_denies(line, at, n) || is_told_to_others(line, clause, at))
		return false;
	if (talk_find_whole(next, NAMED_AFTER, &length) == to)
		return false;
	return (!talk_has_whole(clause, ADVICE) && !is_condition(clause, at)) || clause_is_question(talk_sentence(line, at));
}

#define ALL_OF		28	/* bytes from "all" to what is all used */
#define OTHER_ALL	"core cores thread threads gpus cards devices images samples files processors"

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
	if (at && strcmp(list, AMOUNTS) == 0 && clause_has_it(t, at))
		return NULL;
	/* nor is "use all available CPU cores" of memory */
	if (at && *n > 3 && piece_find((struct piece){ at + *n - 4, 4 }, " all") && talk_any_whole(talk_head(t, at + *n, ALL_OF), OTHER_ALL))
		return NULL;
	return at;
}

/* "memory usage rises", of the clause in which memory is named at AT: not what makes it grow, nor
 * what it is for. */
static bool
grows(struct talk clause, const char *at)
{
	struct talk behind = talk_part(clause, at, clause.s + clause.n);

	return talk_has_whole(behind, "balloons|ballooning|will balloon|increases|increasing|grows|growing|rises|rising|goes up|went up|going up|climbs|climbing") &&
	    !clause_rises_otherwise(clause, at) && !clause_says_no(clause, "stop stops stopped fixed solved") && !talk_any_phrase(clause, " to be ");
}

#define OF_ALL	"my our the of gpu cpu system video main host device available server gb"
#define TAKEN	"be allocated|is allocated|was allocated|gets allocated|be taken|is taken|was taken|be used|is used|was used|be occupied|is occupied|" \
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
oom_told_is_of_service(struct talk near)
{
	return talk_any_phrase(near, OF_SERVICE) && !talk_any_phrase(near, OF_DEVICE);
}

/* Words that an amount of memory is an object of, */
#define ENDS_OF		"run out of|runs out of|ran out of|running out of"
#define FITS_IN		"not fit in|not fit into|not fit on|n't fit in|n't fit into|n't fit on|cannot fit in|cannot fit into|can't be done in|cannot be done in|can not be done in|" \
    "can't be done with|cannot be done with|can't be done on|cannot be done on|can't run on|cannot run on|can not run on|can't train on|cannot train on|" \
    "can't run in|cannot run in|can't be run on|cannot be run on|can't be trained on|cannot be trained on"
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
	s = piece_past_blanks(s, end);
	for (word = talk_part(t, s, s); word.s + word.n < end && is_letter(word.s[word.n]); word.n++)
		;
	return talk_is_one_of(word, "gb g gib gig gigs mb mib gigabytes gbs") && !talk_has_whole(talk_clause(t, s, 1), OF_FILES);
}

/* "It runs out of 24 GB", "can't be done in 24GB", which name no memory. */
static enum told_what
says_amount(struct talk t, const char **at, size_t *n)
{
	static const struct {
		enum told_what what;
		const char *phrases;
	} of[] = { { TOLD_ENDED, ENDS_OF }, { TOLD_SHORT, FITS_IN } };
	struct talk rest;
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		for (rest = t; (*at = talk_find_whole(rest, of[i].phrases, n)); rest = talk_part(t, *at + *n, t.s + t.n))
			if (is_amount(t, *at + *n) && oom_told_happened(t, *at, *n))
				return of[i].what;
	return TOLD_NOTHING;
}

/* What a sentence says of memory, and where. A clause that denies it by one phrase says it by no
 * other. */
static enum told_what
says_what(struct talk t, const char **at, size_t *n)
{
	struct talk denied = { 0 }, rest = t, clause = { 0 };
	const char *memory, *end = t.s + t.n;
	bool other = false, again;
	size_t i, length;

	for (i = 0; by_itself[i].phrases; i++)
		for (rest = t; (*at = talk_find_whole(rest, by_itself[i].phrases, n)); rest = talk_part(t, *at + *n, end)) {
			if (is_within(denied, *at))
				continue;
			if (!is_of_service(t, *at) && oom_told_happened(t, *at, *n))
				return by_itself[i].what;
			denied = talk_clause(t, *at, *n);
		}
	for (rest = t; (memory = talk_find_whole(rest, MEMORY, &length)); rest = talk_part(t, memory + length, end)) {
		again = is_within(clause, memory);	/* of which all has been asked but what stands behind the word */
		if (!again) {
			clause = talk_clause(t, memory, length);
			other = talk_any_phrase(clause, OTHER_MEMORY) || talk_has_whole(clause, "n't run out|did not run out|never ran out|not running out");
		}
		if (other)
			continue;
		for (i = 0; befalls[i].phrases && !again && !is_within(denied, memory); i++)
			if ((*at = befell(clause, befalls[i].phrases, n)) && oom_told_happened(t, *at, *n))
				return befalls[i].what;
		if (!again && asks_why_much(clause, at, n) && oom_told_happened(t, *at, *n))
			return TOLD_TROUBLE;
		if (!again && is_taken(clause, *at = memory) && oom_told_happened(t, memory, *n = length))
			return TOLD_FULL;
		if (grows(clause, *at = memory) && oom_told_happened(t, memory, length))
			return TOLD_GROWS;
	}
	for (i = 0; of_card[i].phrases; i++)
		if ((*at = talk_find_whole(t, of_card[i].phrases, n)) && talk_has_whole(clause = talk_clause(t, *at, *n), TOLD_CARD) &&
		    !talk_has_whole(clause, OF_ITS_WORK) && oom_told_happened(t, *at, *n))
			return of_card[i].what;
	return says_amount(t, at, n);
}

bool
oom_told_fails(struct talk t)
{
	const char *at;
	size_t n;

	return says_what(t, &at, &n) != TOLD_NOTHING;
}

/* A card (显卡) that is short of something is so of memory where 内存 or 跑 says it, or the word stands
 * right behind it. */
static bool
card_is_short(struct talk t)
{
	return talk_any_phrase(t, "\xe6\x98\xbe\xe5\x8d\xa1") && talk_any_phrase(t, "\xe5\x86\x85\xe5\xad\x98|\xe8\xb7\x91|"
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe6\xba\xa2\xe5\x87\xba|\xe6\x98\xbe\xe5\x8d\xa1\xe7\x88\x86|"		/* 显卡溢出, 显卡爆 */
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe4\xb8\x8d\xe5\xa4\x9f|\xe6\x98\xbe\xe5\x8d\xa1\xe4\xb8\x8d\xe8\xb6\xb3|"	/* 显卡不够, 显卡不足 */
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe6\x97\xa0\xe6\xb3\x95\xe6\xbb\xa1\xe8\xb6\xb3");				/* 显卡无法满足 */
}

/* 内存 is the machine's memory, and people call a card's so, too: beside these it is the
 * machine's. */
static bool
is_of_machine(struct talk t)
{
	return talk_any_whole(t, "cpu ram swap") || talk_any_phrase(t, "\xe7\xb3\xbb\xe7\xbb\x9f|\xe4\xb8\xbb\xe6\x9c\xba|\xe7\x94\xb5\xe8\x84\x91|\xe6\x9c\xba\xe5\x99\xa8|"	/* 系统, 主机, 电脑, 机器 */
	    "\xe7\x89\xa9\xe7\x90\x86\xe5\x86\x85\xe5\xad\x98|\xe8\xbf\x90\xe8\xa1\x8c\xe5\x86\x85\xe5\xad\x98");		/* 物理内存, 运行内存 */
}

static bool
in_other_words(struct oom_told *o, struct talk t)
{
	int i;

	for (i = 0; elsewhere[i].phrases; i++)
		if ((o->at = talk_first(t, elsewhere[i].phrases))) {
			o->what = TOLD_ENDED;
			o->device = o->sure = elsewhere[i].device;
			o->host = elsewhere[i].host && is_of_machine(t);
			return true;
		}
	/* 溢出, 爆, 不够, 不足, 无法满足 of 显存, 显卡 or of 内存 */
	if (!(o->at = talk_first(t, "\xe6\xba\xa2\xe5\x87\xba|\xe7\x88\x86|\xe4\xb8\x8d\xe5\xa4\x9f|\xe4\xb8\x8d\xe8\xb6\xb3|"
	    "\xe6\x97\xa0\xe6\xb3\x95\xe6\xbb\xa1\xe8\xb6\xb3")))
		return false;
	o->device = o->sure = talk_any_phrase(t, "\xe6\x98\xbe\xe5\xad\x98") || card_is_short(t);
	o->what = o->device || talk_any_phrase(t, "\xe5\x86\x85\xe5\xad\x98") ? TOLD_ENDED : TOLD_NOTHING;
	o->host = !o->device && o->what && is_of_machine(t);
	return o->what != TOLD_NOTHING;
}

/* Of two lines the one that says whose memory it was, then a sentence, then the one that says
 * more. */
static bool
says_more(const struct oom_told *a, const struct oom_told *b)
{
	bool placed = a->device || a->host, other = b->device || b->host;

	if ((a->what == TOLD_GROWS && b->what < TOLD_TROUBLE) || (b->what == TOLD_GROWS && a->what < TOLD_TROUBLE))
		return b->what == TOLD_GROWS;
	return placed != other ? placed : a->sentence != b->sentence ? a->sentence : a->what < b->what;
}

static void
keep(struct oom_told *o, const struct oom_told *now)
{
	bool grew = o->what == TOLD_GROWS && !now->device && !now->host;	/* what grew is what ended */

	if (o->what && !says_more(now, o))
		return;
	o->what = now->what;
	o->said = now->said;
	o->device = grew ? o->device : now->device;
	o->host = grew ? o->host : now->host;
	o->sure = grew ? o->sure : now->sure;
	o->sentence = now->sentence;
}

/* Are there words in parentheses, without which a line that says nothing may say it? */
static bool
may_have_aside(struct talk t)
{
	bool may = memchr(t.s, '(', t.n) && memchr(t.s, ')', t.n);
	size_t i;

	if (!may || talk_has_whole(t, MEMORY) || talk_has_whole(t, TOLD_CARD))
		return may;
	for (i = 0; by_itself[i].phrases && !talk_any_phrase(t, by_itself[i].phrases); i++)
		;
	return by_itself[i].phrases != NULL;
}

/* The line without what stands in parentheses: "the memory (not the GPU's) is full". */
struct talk
oom_told_plain(struct talk t, char to[OOM_TOLD_LINE])
{
	size_t i, n = 0;
	int depth = 0;

	for (i = 0; i < t.n && n < OOM_TOLD_LINE; i++) {
		depth += t.s[i] == '(';
		if (depth == 0)
			to[n++] = t.s[i];
		depth -= t.s[i] == ')' && depth > 0;
	}
	return lexicon_read(t.of, to, n);
}

/* Whose memory it is, by the words of T. */
static void
place(struct oom_told *o, struct talk t)
{
	struct whose w = oom_whose(t);

	o->device = w.device;
	o->host = w.host;
	o->sure = w.sure;
}

static void
memory(struct oom_told *o, struct talk t, int line)
{
	struct talk line_itself = t;
	char plain[OOM_TOLD_LINE];
	struct oom_told now = { 0 };
	const char *at;
	size_t n;

	if (in_other_words(&now, t)) {
		said_at(&now.said, t, now.at, line);
	} else if (!form_is_logged(t) && !talk_any_phrase(t, OF_TENTH)) {
		now.what = says_what(t, &at, &n);
		if (now.what == TOLD_NOTHING && may_have_aside(t)) {
			t = oom_told_plain(t, plain);
			now.what = says_what(t, &at, &n);
		}
		now.at = now.here = at;
		if (now.what) {
			said_at(&now.said, t, at, line);
			place(&now, talk_clause(t, at, n));
		}
		if (now.what && !now.device && !now.host && !oom_whose_lists_both(oom_told_sentence(&now, t)))
			place(&now, oom_told_sentence(&now, t));
		if (now.what && !now.device && !now.host && !oom_whose_lists_both(t))
			now.host = oom_whose_ram(t);
		now.at = is_within(line_itself, now.at) ? now.at : line_itself.s;
		if (t.s == plain)
			lexicon_read(t.of, line_itself.s, line_itself.n);
	}
	now.sentence = now.what && is_sentence(line_itself);
	if (now.what) {
		o->here = now.at;
		o->here_line = line;
		keep(o, &now);
	}
}

void
oom_told_grows(struct oom_told *o, struct talk t, int line)
{
	struct oom_told now = { .what = TOLD_GROWS, .at = t.s, .sentence = is_sentence(t) };

	said_at(&now.said, t, t.s, line);
	place(&now, t);
	if (o->what && o->what < TOLD_TROUBLE && !o->device && !o->host) {
		o->device = now.device;
		o->host = now.host;
		o->sure = now.sure;
	}
	keep(o, &now);
}

void
oom_told_stays(struct oom_told *o, struct talk t, int line)
{
	struct oom_told now = { .what = TOLD_TROUBLE, .at = t.s, .sentence = is_sentence(t) };

	if (o->what)
		return;
	said_at(&now.said, t, t.s, line);
	place(&now, t);
	now.device |= talk_any_phrase(t, "\xe6\x98\xbe\xe5\xad\x98|\xe6\x98\xbe\xe5\x8d\xa1");	/* 显存, 显卡 */
	keep(o, &now);
}

void
oom_told_line(struct oom_told *o, struct talk t, int line)
{
	memory(o, t, line);
	oom_named_line(o, t, line);
}
