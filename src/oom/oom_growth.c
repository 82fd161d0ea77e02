/*
 * When people say that memory grows: what grows, and whether it is memory, by which amount, and of
 * how much one call or many. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_growth.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_rise.h"
#include "oom/oom_whose.h"
#include "oom/oom_wording.h"

#define BATCH_WITHIN	40	/* bytes, to the batch that someone makes larger */
/* What grows by itself and is no memory: ahead of "keeps growing". */
#define OTHER_SUBJECT	"cache dataset data loss losses accuracy error reward score length size number count batch time speed resolution context community project codebase"
#define WITH_SETTING_CHINESE	"随着batch|随batch|随着批|batch增大|batch越大|batchsize增大|batchsize越大|batch_size增大|batch_size越大|随着分辨率|随着图片|随着图像|随着序列|随着输入|链路|按顺序|各阶段|每个阶段"
/* What grew and then stays: 最后稳定在, 稳定下来, 保持稳定, 后稳定 */
#define ROSE_ONCE_CHINESE	"|最后稳定|稳定下来|保持稳定|后稳定|不再增|不再涨"
#define TWO_SIGNS	6		/* bytes of 泄漏 */
#define OTHER_GROWS	"increasing the batch|increase the batch|increasing batch size|increasing batchsize|increasing batch_size|increase batch size|increase batchsize|increase batch_size|" \
    "increasing my batch|increasing the number|increase the number|increasing the size|increase the size"

static bool
is_of_memory(struct talk t)
{
	return talk_any_of(t, "memory vram usage leak") || talk_any_whole(t, "ram mem");
}

/* "The GPU's memory ends after some calls, it keeps increasing": what stands AHEAD of the verb is
 * "it", and nothing before it but memory, in its sentence or, where it begins that, in the one
 * ahead, may be what that means: "The GPU has 24 GB of memory. The rate warms up, it keeps
 * increasing" is of the rate. */
static bool
goes_on_of_it(struct talk t, struct talk ahead)
{
	struct talk before = talk_part(t, t.s, ahead.s), nearest = talk_part(t, talk_sentence(t, ahead.s).s, ahead.s);

	if (clause_word_ahead(nearest, ahead.s).n == 0 && nearest.s > t.s)
		nearest = talk_part(t, talk_sentence(t, nearest.s - 1).s, nearest.s);
	return talk_is_one_of(ahead, "it") && is_of_memory(nearest) && !talk_any_whole(before, OTHER_SUBJECT);
}

#define OF_ONE		"when i start a generation|when i start generating|when i generate an image|when i generate a picture|when i press generate|when i click generate|starting generation|while generating the image|during one generation|" \
    "during a single|within a single|within one|in a single forward|in one forward|a single image|one image|one picture|single picture|a single step|one step|first step|first iteration|first batch|first image|first generation|first request|a single file|" \
    "one file|a single request|one request|a single call|one call|the call|loading the model|loading a model|loading the checkpoint|loading checkpoint|loads the model|load the model|model is loading|model loads|model is loaded|while loading|when loading|as it loads|" \
    "during loading|load the weights|loading the weights|loading weights|reading the file|read the file|reads the file|while reading|decoding the|loading shards|checkpoint shards|first token|the first forward|load the dataset|loading the dataset|loads the dataset|reading the dataset|dataset is loaded|" \
    "dataset is being loaded|dataset is read"
#define OF_MANY		"each every epoch epochs steps iterations images pictures calls requests generations batches files runs rounds times again repeatedly leak leaks leaking over"

/* "When I start a generation, it slowly increases my VRAM and then fails", "while the model is
 * loaded the RAM keeps growing": one call, load or step, of which growth tells nothing that is kept
 * from one to the next. */
static bool
is_of_one(struct talk sentence)
{
	size_t n;
	const char *at = talk_find_whole(sentence, OF_ONE, &n);

	return at && !talk_any_whole(sentence, OF_MANY) && !talk_is_one_of(clause_word_ahead(sentence, at), "after since once before than to unlike");
}

/* "The GPU continued to increase with the tracking, until out of memory": of what AHEAD of the verb
 * has memory, in a sentence that says that this ended. */
static bool
is_gpu_filling(struct talk sentence, struct talk ahead)
{
	while (talk_is_one_of(ahead, "to continued continues continue keeps kept keep started starts constantly slowly gradually continuously steadily"))
		ahead = clause_word_ahead(sentence, ahead.s);
	return talk_is_one_of(ahead, "gpu gpu's") && talk_has_whole(sentence, "out of memory|oom|runs out|ran out");
}

/* Is what grows at AT no memory, or what someone makes grow: "gradients", "by increasing memory",
 * "increasing the limit"? "It increases to 15 GB" tells of one rise, which every run has. */
static bool
is_other_growth(struct talk t, struct talk clause, const char *at)
{
	struct talk behind = talk_part(clause, at, clause.s + clause.n), ahead = clause_word_ahead(clause, at);

	if ((unsigned char)*at >= 0x80)		/* of languages whose clauses are not told apart here */
		return talk_any_phrase(t, WITH_SETTING_CHINESE ROSE_ONCE_CHINESE) || clause_denies_elsewhere(t, at, TWO_SIGNS);
	if (is_of_one(talk_sentence(t, at)) || oom_rise_by_count(talk_sentence(t, at)))
		return true;
	if (talk_has_whole(talk_part(clause, clause.s, at), "rather than|instead of|if memory|if the memory|if gpu memory|if vram|do you also|did you also|do you see|did you see|i thought|i suspected|i assumed|first thought"))
		return true;		/* "rather than a leak", "I thought that it was a leak" */
	while (talk_is_one_of(ahead, "keeps keep kept is are was has have been just to continues continue constantly continuously continually steadily slowly gradually always still"))
		ahead = clause_word_ahead(clause, ahead.s);
	if (talk_is_one_of(ahead, "usage use") && talk_is_one_of(clause_word_ahead(clause, ahead.s), "disk cpu swap power energy"))
		return true;
	if (talk_is_one_of(ahead, OTHER_SUBJECT) || clause_rises_otherwise(clause, at))
		return true;
	if (talk_any_phrase(behind, "first and then decreas|first, and then decreas|first, then decreas|first then decreas|first and then drop|first and then goes down|first and then falls|increase to |increases to |increased to |increasing to |going up to ") || talk_any_phrase(talk_head(clause, at, BATCH_WITHIN), OTHER_GROWS))
		return true;
	if ((!is_of_memory(clause) && !goes_on_of_it(t, ahead) && !is_gpu_filling(talk_sentence(t, at), ahead)) || talk_any_begins(clause, "gradient gradients"))
		return true;
	return talk_any_begins(talk_head(clause, at, sizeof("increasing")), "increasing") &&
	    (talk_any_whole(clause_word_ahead(clause, at), "am by tried try trying") || talk_any_whole(behind, "limit utilization utilisation fraction"));
}

#define OF_ROUNDS	"trial trials step steps iteration iterations epoch epochs batch batches round rounds episode episodes sample samples image images"

/* "It eats 1GB memory every 20 trials": an amount that is taken again and again. */
static const char *
grows_by(struct talk t)
{
	const char *at, *s, *end = t.s + t.n;
	struct talk amount;
	size_t n;
	int64_t count;

	if (!(at = talk_find_whole(t, "memory every|ram every|vram every|memory for every|ram for every|memory each|ram each", &n)))
		return NULL;
	amount = clause_word_ahead(t, at);
	if (talk_is_one_of(amount, "of"))
		amount = clause_word_ahead(t, amount.s);
	if (talk_is_one_of(amount, "gb mb gib mib gigs g"))
		amount = clause_word_ahead(t, amount.s);
	s = piece_past_blanks(at + n, end);
	if (amount.n == 0 || !is_digit(*amount.s) || s == end || !is_digit(*s) || !(s = piece_number(s, end, &count)) || count < 2)
		return NULL;
	return talk_is_one_of(clause_word_behind(t, s), OF_ROUNDS) ? at : NULL;
}

/* The same in other languages. */
#define GROWS_ELSEWHERE	"不断吃|不断地吃|一直吃显存|一直吃内存|一直在吃|持续吃显存|持续吃内存|不停吃|不停地吃|不断占用|慢慢吃|显存就会累加|显存会累加|显存累加|显存也在增|内存也在增|显存还在增|内存还在增|显存也在涨|显存还在涨|内存还在涨|会被多占用|就多占用|都会多占|都多占|就会多占|显存会多|就多占|都会涨|都会增|都要涨|都涨一|都增一|越涨越|越用越多|越跑越多|越积越多|只增不减|线性增|メモリリーク|누수|утечка памяти|fuga de memoria|speicherleck|fuite de mémoire"

/* "The memory will increase without stop" */
#define WITHOUT_END	"increase without stop|increases without stop|increasing without stop|grow without stop|grows without stop|growing without stop|increase without bound|increases without bound|increasing without bound|grow without bound|grows without bound|growing without bound|" \
    "increase without limit|increases without limit|increasing without limit|grow without limit|grows without limit|growing without limit|increase non-stop|increases non-stop|increasing non-stop|grows non-stop|increases nonstop|increase without end|never stops increasing|never stops growing|" \
    "not stop increasing|n't stop increasing|not stop growing|n't stop growing"

/* Of memory that grows by its own words: "the batch, by increasing memory" is another matter. */
static bool
is_no_rise(struct talk t, struct talk clause, const char *at)
{
	return is_other_growth(t, clause, at) || talk_any_whole(talk_part(clause, clause.s, at), "if would should could might may");
}

/* Where words say that memory grows. */
static const char *
grows(struct talk t)
{
	const char *by = grows_by(t);
	size_t n;

	if (by || (by = oom_wording(t, WORDING_ADDS_EACH)) || (by = oom_wording(t, WORDING_KEEPS_EACH)))
		return by;
	if (!talk_any_whole(t, "mem") && !talk_any_of(t, "leak memory vram usage ram 占用 显存 内存 メモリ 메모리 памят memoria speicher mémoire"))
		return NULL;
	if ((by = talk_find_whole(t, WITHOUT_END, &n)) && !talk_any_whole(talk_clause(t, by, n), "if would could should might may disk"))
		return by;
	if ((talk_any_phrase(t, " to be ") && !talk_any_of(t, "seem appear")) || talk_any_phrase(t, "page cache|disk cache"))
		return NULL;		/* what it is for; or what the system keeps of files, which is no want */
	if ((by = oom_rise(t, is_no_rise)))
		return by;
	return clause_says_unless(t, "\xe6\xb3\x84\xe6\xbc\x8f|\xe6\xb3\x84\xe9\x9c\xb2|"		/* 泄漏 泄露 */
	    "continuously uses more|continuously takes more|continuously consumes more|continually uses more|steadily uses more|constantly uses more|constantly consumes more|constantly takes more|indefinite memory growth|unbounded memory growth|continuous memory growth|steady memory growth|constant memory growth|memory consumption growth|memory usage growth|"
	    "grows indefinitely|grow indefinitely|growing indefinitely|increases indefinitely|increase indefinitely|increasing indefinitely|memory stacking|memory stacks|memory is stacking|stacks up memory|to clear ram after a few|to clear the ram after a few|to clear vram after a few|to clear memory after a few|to free ram after a few|to free memory after a few|to free vram after a few|kept filling up|allocated without release|allocated without releasing|allocated without being released|allocated without being freed|allocated but never freed|allocated and never freed|allocated but never released|allocated and never released|keeps filling|keep filling up|filling up non-stop|fills up non-stop|eating up ram continuously|memory not being freed in time|memory not being freed when|memory not being freed while|memory not being freed during|memory not being freed between|memory not being released in time|memory is not freed in time|memory not freed in time|memory is not released in time|memory cost increased with|memory cost increases|memory cost keeps|memory leak|grows linearly|increases linearly|rises linearly|increasing linearly|growing linearly|linear increase|adds up after each|adds up after every|adds up with each|adds up with every|adds up over|consumption grows|consumption rises|consumption goes up|footprint rises|consumption keeps|more memory than the previous|more memory than the last|more memory than the one before|leaks memory|leaking memory|leak memory|leak gpu memory|leaks gpu memory|keeps increas|keeping increas|is increaing|is incresing|is increseing|is increacing|memory increaing|memory incresing|keeps increaing|keeps incresing|keep increaing|keep incresing|keeps on increaing|keeping growing|keeping rising|continued to increase|continued to grow|continue to increase|progressively increas|keep increas|keeps on increas|keeps grow|"
	    "keep grow|keeps on grow|just keeps|footprint increase|foot print increase|footprint grows|foot print grows|memory increase|usage increase|consumption increase|memory increasing|usage increasing|memory-usage increasing|"
	    "increasing gpu memory|increasing memory usage|increasing memory consumption|increasing ram|is increasing|has been increasing|been increasing|been rising|been growing|been climbing|kept rising|kept growing|kept climbing|keeps on rising|"
	    "is going up|goes up a bit|goes up each|goes up every|goes up after each|goes up after every|goes up slightly|goes up slowly|goes up gradually|climbs after|climbs with|climbs each|climbs every|climbs slowly|climbs steadily|keeps climbing|keeps rising|creeps up|increases after each|increases after every|rises after each|rises after every|rises with each|rises each|rises every|grows after each|grows after every|grows with each|grows with every|grows each|grows every|keeps going up|goes up as|goes up with|going up over|went up as|so did the memory|so does the memory|memory per second|ram per second|memory grows|usage grows|doubles the memory|doubles the vram|doubles the gpu memory|memory doubles|usage doubles|growing|slowly grow|grows in memory|grows slowly|keeps on pil|piling up|pilling up|piles up|ever increasing|ever-increasing|ever growing|"
	    "to increase until|increases until|increased until|to grow until|grows until|grew until|to rise until|rises until|rose until|climbs until|climbed until|increase over|increases over|increasing over|increases with|increase with|"
	    "grows in each|grows in every|increases in each|increases in every|rises in each|rises in every|increases each|increases every|increase during each|increase during every|increases during each|increases during every|increase after each|increase after every|increases after each|increases after every|increase with each|increase with every|goes up each|goes up every|goes up during each|goes up during every|goes up after each|goes up after every|rises each|rises every|rises after each|rises after every|rises during each|rises during every|grows after each|grows after every|grows during each|grows during every|grows each|grows every|slowly increas|slowly rais|slowly rises|slowly rising|slowly goes up|slowly going up|slowly went up|gradually rais|gradually goes up|gradually increas|gradually fill|gradually grow|gradually rise|gradually us|continuously increas|continuously grow|continuously rise|continuously fill|steadily increas|steady increase|"
	    "always to go up|always go up|always goes up|always going up|only goes up|only go up|only ever goes up|go up, no down|goes up, no down|goes up and never down|goes up but never down|goes up and never goes down|constantly increas|builds up|build up|creep|accumulates|been accumulating|is accumulating|keeps accumulating|getting accumulated|gets accumulated|higher and higher|continued growth|continuous growth|still growth|larger and larger|bigger and bigger|is getting bigger|is getting larger|is getting higher|keeps getting bigger|keeps getting larger|keeps getting higher|becomes larger as|becomes bigger as|gets larger as|gets larger after|gets larger with|gets larger each|gets larger every|get larger after|get larger with|just gets larger|just get larger|gets bigger after|gets bigger with|gets bigger each|gets bigger every|get bigger after|just gets bigger|just get bigger|up and up|keeps using more|keep using more|keeps taking more|keeps consuming more|keeps requesting more|keeps asking for more|gets bigger as|get larger as|get bigger as|become larger as|become bigger as|more and more|increasingly consum|increasingly us|increasingly tak|increasingly eat|consumes increasingly|uses increasingly|takes increasingly|"
	    "continues to grow|continues to expand|continues expanding|keeps expanding|memory is being allocated with each|memory is being allocated in each|memory is allocated with each|memory is allocated in each|memory is rising on every|memory is rising at every|memory is rising with every|continues to increase|get filled over time|gets filled over time|filling over time|fills over time|fills slowly|filled slowly|filled up slowly|increases along|memory 'leak'|memory \"leak\"|storing every state|storing all states|"
	    GROWS_ELSEWHERE "|持续异常增|异常增加|异常增长|异常上涨|持续地增|持续性增|随着epoch增|随着epoch的增|随epoch增|随着迭代增|随着step增|随step增|随着轮数增|随轮数增|随时间增|随着时间增|随训练增|随着训练增|就涨|涨一点|涨一些|每次涨|每轮涨|显存增加|显存会增加|显存就增加|显存增长|内存增长|显存占用增加|"
	    "而增大|而增加|而增长|而上升",
	    AHEAD | BEHIND, "fixed solved stop stops stopped", is_other_growth);
}

#define OF_LEARNING	"accurac score reward precision recall psnr bleu converg"

#define ASKING	"a an is are was were do does did can could would may might has have any possible possibly maybe memory leak leakage gpu ram vram cuda"

#define OF_READING	"tried with|tried the|tried memory|tried tensorflow|tried pytorch|read about|read the|looked at|looked into|searched for|leak fix|leak fixes|leak solution|leak solutions|issue #|issues #|previous issue|previous issues|earlier issue|earlier issues|similar issue|similar issues|described a|reported a"

/* "Maybe a library leaks", "I tried with memory leak issues": a guess of what it may be, or what
 * was read of it, and no growth that was seen. */
static bool
guesses_leak(struct talk t)
{
	return talk_any_of(t, "leak") && (talk_any_whole(t, "maybe perhaps possibly potential potentially suspect guess") || talk_has_whole(t, "some kind of|some sort of|kind of a|seems like it would|not sure if|not sure whether|unsure if|unsure whether|not certain if|not certain whether|do not know if|don't know if|dont know if|not know whether|n't know whether|wonder if|wondering if|wonder whether|wondering whether|i think|we think|i believe|i assume|may be|looks like|look like|might be|could be|" OF_READING)) && !talk_any_of(t, "grow increas");
}

/* "Memory leak?" and "Is there a memory leak?" ask; "Why is there a memory leak?" tells of one. */
static bool
asks_for_leak(struct talk t)
{
	return talk_any_of(t, "leak") && t.n && memchr(t.s, '?', t.n) && !talk_any_whole(t, "why what how where when") &&
	    talk_any_whole(clause_word_behind(t, t.s), ASKING);
}

/* The first sentence of T that says it, as another may name a device for something else; all of T
 * where none does by itself. */
static bool
is_growing(struct talk t, struct talk *growth)
{
	const char *at, *end = t.s + t.n;
	bool any = false;

	if (!grows(t))
		return false;
	for (at = t.s; at < end; at++) {
		*growth = talk_sentence(t, at);
		if (grows(*growth)) {
			any = true;
			if (!talk_any_of(*growth, OF_LEARNING) && !asks_for_leak(*growth) && !guesses_leak(*growth))
				return true;
		}
		at = growth->s + growth->n;
	}
	*growth = t;
	return !any && !talk_any_of(t, OF_LEARNING) && !asks_for_leak(t) && !guesses_leak(t);
}

#define BY_THE_SAME	"steadily|linearly|linear growth|constant rate|constant manner|same amount|every epoch|each epoch|per epoch|every step|each step|per step|every iteration|each iteration|per iteration|every batch|each batch|per batch|" \
    "every image|each image|per image|after each|after every"
#define BY_THE_SAME_CHINESE	"每个epoch|每轮|每一轮|每个step|每次迭代|每迭代|线性|匀速|都会涨|都会增"

/* "450 MB more with each epoch": by the same again and again; not "it is not constant, but comes at
 * once". */
static bool
is_even(struct talk growth)
{
	return (talk_has_whole(growth, BY_THE_SAME) || talk_any_phrase(growth, BY_THE_SAME_CHINESE)) && !talk_any_begins(growth, "sudden random jump leap spik") && !talk_has_whole(growth, "not constant|not linear|not steady|not every|not each");
}

/* The same of a sentence that only has words for it. */
static bool
tells_even(struct talk t)
{
	return talk_any_of(t, "memory ram vram leak usage 显存 内存") && talk_any_of(t, "grow increas leak rise climb 增 涨 升") && is_even(t);
}

/* More than the name of a leak, which is a guess of what it is. */
static bool
is_seen_growing(struct talk growth)
{
	return !talk_any_of(growth, "leak 泄 누수 リーク") || talk_any_of(growth, "grow increas ris fill climb more 增 涨 升 越") || talk_any_whole(growth, "gb mb gib mib up after");
}

#define STEADY_CHINESE	"显存稳定|显存不变|显存没变|显存没有变|显存基本不变|显存正常|显存占用稳定|显存占用不变|显存一直稳定|显存保持|显存不增|显存没有增"
#define CLAUSE_CHINESE	24	/* bytes from the memory's name to its verb, either way */

/* "显存稳定，内存不断增加": the device's memory is steady, so that what grows at AT by the word for either
 * is the machine's. */
static bool
grows_beside_steady(struct talk t, const char *at)
{
	const char *from = at - t.s > CLAUSE_CHINESE ? at - CLAUSE_CHINESE : t.s;

	return talk_any_phrase(t, STEADY_CHINESE) && talk_any_phrase(talk_head(t, from, 2 * CLAUSE_CHINESE), "内存");
}

#define MORE_THAN_ONE	"more than one|more than 1|more than a single|more than two|more than 2"
#define ONE_BY_ONE	"in a loop|in the loop|in loop|in a row|consecutively|one after another|one after the other|successively|sequentially|in succession"

/* "Does it leak? It is unable to process more than one image in a loop.": in a line that speaks of
 * memory, that a round leaves less for the next. */
static bool
fails_after_one(struct talk t, struct talk *growth)
{
	struct talk clause, word;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, MORE_THAN_ONE, &at, &n); ) {
		clause = talk_clause(t, at, n);
		word = clause_word_behind(t, at + n);
		if (talk_any_of(t, "leak memory vram") && talk_is_one_of(word, "image picture photo video file sample prompt request document page song clip scene") && talk_has_whole(clause, ONE_BY_ONE) &&
		    clause_says_no(talk_part(clause, clause.s, at), "unable fails failed") && !talk_any_whole(clause, "batch gpu gpus if should")) {
			*growth = talk_sentence(t, at);
			return true;
		}
	}
	return false;
}

/* Where it is said that memory grew; or NULL. */
static const char *
growth(struct oom_paste *p, struct talk t, int line)
{
	struct talk growth;
	struct whose whose;
	const char *at;

	if (fails_after_one(t, &growth)) {
		oom_told_grows(&p->told, growth, line);
		said_at(&p->grows, t, growth.s, line);
		p->grew = line;
		return growth.s;
	}
	if (!is_growing(t, &growth) || oom_wording(t, WORDING_TWICE))
		return NULL;		/* what is read twice does not go on growing */
	oom_told_grows(&p->told, growth, line);
	if ((at = grows(growth))) {
		said_at(&p->grows, t, at, line);
		p->grew = is_seen_growing(growth) ? line : p->grew;
		whose = oom_whose(talk_clause(growth, at, 1));
		if (!whose.host && !whose.device)
			whose.host = grows_beside_steady(t, at);
		p->grows_host = whose.host && !whose.device ? line : p->grows_host;
		p->grows_device = whose.device && !whose.host ? line : p->grows_device;
	}
	return at ? at : growth.s;
}

/* "The machine's memory (not the GPU's) keeps growing": what stands aside denies something else. It
 * is quoted as it stands. */
static void
growth_beside_aside(struct oom_paste *p, struct talk t, int line)
{
	char plain[OOM_TOLD_LINE];
	bool quoted = p->told.said.line == line;
	const char *at = talk_any_of(t, "memory vram ram usage") ? growth(p, oom_told_plain(t, plain), line) : NULL;

	lexicon_read(t.of, t.s, t.n);
	if (!at)
		return;
	at = oom_told_in_itself(t, plain, at);
	if (p->grows.line == line)
		said_at(&p->grows, t, at, line);
	if (p->told.what == TOLD_GROWS && p->told.said.line == line && !quoted)
		said_at(&p->told.said, t, at, line);
}

/* That it fell as an epoch ended, where it had grown by this line or those before. */
static void
falls(struct oom_paste *p, struct talk t, int line)
{
	const char *fell = p->grows.line == line ? oom_wording(t, WORDING_FALLS) : NULL;

	if (fell || ((fell = oom_rise_falls(t)) && (p->grows.line || talk_any_begins(talk_sentence(t, fell), "increas grow ris"))))
		said_at(&p->falls, t, fell, line);
}

/* "Is it a leak?", "the memory seems still occupied after the first call": that memory is kept, be
 * it a guess or a question; not that something in use keeps what it is given. */
bool
oom_growth_keeps(struct talk t)
{
	return talk_any_whole(t, "leak leaks leaking leaked leakage") ? !talk_any_whole(t, "semaphore semaphores") :
	    talk_any_of(t, "memory vram") && talk_has_whole(t, "still occupied|still being occupied|remains occupied|stays occupied|still allocated|remains allocated|stays allocated|still held|not released|n't released|never released|not being released|n't being released|"
	    "not freed|n't freed|never freed|not being freed|n't being freed|n't release|not release|n't free|not cleared|n't cleared");
}

void
oom_growth_line(struct oom_paste *p, struct talk t, int line)
{
	const char *at;

	if (!growth(p, t, line) && memchr(t.s, '(', t.n))
		growth_beside_aside(p, t, line);
	falls(p, t, line);
	at = p->told.at;
	if (p->told.what == TOLD_GROWS && p->told.said.line == line && !is_of_one(at && at >= t.s && at < t.s + t.n ? talk_sentence(t, at) : t))
		p->grows = p->told.said;
	p->grows_evenly = tells_even(t) ? line : p->grows_evenly;
}
