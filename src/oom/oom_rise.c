/*
 * That memory goes on to grow, by classes of words and not by phrases: what is of memory, a verb of
 * growth, and what tells that it went on. In English memory has to be what grows, with nothing but
 * words of its own kind and of the verb's between the two; in other languages the three stand in
 * one clause, which denies nothing.
 */
#include "oom/oom_rise.h"

#include <string.h>

#include "base/ascii.h"

#define FEW_WORDS	14	/* between memory and its verb, */
#define NEAR_WORDS	6	/* and between a noun of growth and memory */

/* ---- English ---- */

#define MEMORY		"memory mem memmory memery vram ram"
/* What is of memory where that is named beside it, and what else has the same. */
#define OF_MEMORY	"usage consumption footprint allocation occupancy occupation utilization cost gpu"
#define OF_OTHERS	"cpu disk swap power energy time"

#define GROWS		"increase|increases|increasing|increased|incrementing|increments|grow|grows|growing|grew|grown|rise|rises|rising|rose|risen|raises|raising|climb|climbs|climbing|climbed|creeps|creeping|crept|accumulate|accumulates|accumulating|accumulated|"	\
    "swells|swelling|expands|expanding|go up|goes up|going up|went up|gone up|build up|builds up|building up|built up|pile up|piles up|piling up|piled up|ramps up|ramping up|fill up|fills up|filling up|filling|stack up|stacks up|stacking up|" \
    "cranked up|crank up|balloons|ballooning|ballooned|mushrooms|mushrooming|mushroomed"
/* What may stand between memory and its verb, */
#define BETWEEN		"of the my our its their this that a all both each gpu gpu's gpus cpu system device host machine machine's computer computer's server's process process's total used usage consumption cost footprint allocated allocation occupied occupation occupancy utilization in on use by for cuda video card "	\
    "is are was were be been being has have had will just also which then that's keep keeps kept keeping continue continues continued to on continuously constantly continually steadily gradually slowly progressively linearly linear always still only simply ever quickly rapidly start starts started begin begins began "	\
    "seem seems seemed appears get gets got getting indefinitely more completely totally quite bit slightly little every single time i've noticed 0 1 2 3"
#define GOES_ON		"keep keeps kept keeping constantly continuously continually continue continues continued steadily gradually slowly progressively linearly linear always ever indefinitely creeps creeping crept"
/* Right behind the verb */
#define AS_IT_GOES	"gradually steadily continuously constantly continually progressively indefinitely endlessly monotonically linearly slowly"
#define BE		"is are was were been being be"
/* Nouns of growth, and what tells of those that they go on. */
#define GROWTH		"increase|increases|increment|increments|incremental|growth|rise|accumulation|creep"
#define LASTING		"constant steady continuous continual gradual indefinite linear endless slow unbounded unlimited monotonic ongoing progressive persistent"
/* What tells, ahead of it or behind it, that it went on. */
#define ON_AND_ON	"over time|with time|as time|as the program|as the process|as the script|as the run|as it runs|as it goes|as i run|as training|as the training|as the trainning|as inference|as the inference|when the training proceeds|over the course|over epochs|over iterations|over steps|over the epochs|" \
    "until|untill|till|all the way|in a loop|in the loop|in loop|within an epoch|within one epoch|within the epoch|in one epoch|during an epoch|during the epoch|during one epoch|during training|during the training|during the whole training|while training|while running|while it runs|throughout|indefinitely|infinitely|endlessly|forever|" \
    "never released|never gets released|never freed|never free|not released|n't released|not freed|n't freed|without releasing|without being released|without reducing|without going down|without limit|without bound|without stop|more and more|monotonically|linearly"
#define EACH		"each every per another"
#define ROUNDS		"epoch epochs step steps iteration iterations iter iters batch batches loop loops call calls run runs round rounds request requests inference inferences generation generations image images picture pictures frame frames video videos file files trial trials episode episodes time job jobs query queries prompt prompts prediction predictions sample samples forward pass minute minutes second seconds hour hours day fold folds model models evaluation validation"
/* What rises and falls is not kept. */
#define FALLS_THEN	"first and then|then decrease|then decreases|then decreased|then drops|then dropped|then falls|then fell|then goes down|then goes back|then comes down|and decreases|and then drops|and then decreases|and drops|then stays|then stable|then remains|then constant|fluctuat"

/* Is what stands at AT, up to NEAR_WORDS of it, each time or each round: "with every batch"? */
static bool
is_each_round(struct talk t, const char *at)
{
	struct talk word = clause_word_behind(t, at);
	int i;

	for (i = 0; i < 3 && word.n > 0; i++, word = clause_word_behind(t, word.s + word.n))
		if (talk_is_one_of(word, ROUNDS))
			return true;
	return false;
}

/* Does a sentence tell that what grows in it does so again and again? */
static bool
goes_on(struct talk sentence)
{
	struct talk rest;
	const char *at, *end = sentence.s + sentence.n;
	size_t n;

	if (talk_has_whole(sentence, ON_AND_ON))
		return true;
	for (rest = sentence; (at = talk_find_word(rest, EACH)); rest = talk_part(sentence, at + n, end)) {
		n = clause_word_behind(sentence, at).n;
		if (is_each_round(sentence, at + n))
			return true;
	}
	return false;
}

/* Is the word of memory: by itself, or, as "usage", with such a one beside it in WITHIN? */
static bool
is_of_memory(struct talk within, struct talk word)
{
	if (talk_is_one_of(word, MEMORY))
		return true;
	return talk_is_one_of(word, OF_MEMORY) && (talk_any_whole(within, MEMORY) || (talk_any_whole(within, "gpu") && !talk_any_whole(within, OF_OTHERS)));
}

/* Ahead of the verb at AT: what stands from memory, which grows, on to it; nothing where it is
 * something else that does, or that is denied. */
static struct talk
memory_ahead(struct talk clause, const char *at)
{
	struct talk word = clause_word_ahead(clause, at), found = { 0 };
	int i;

	for (i = 0; i < FEW_WORDS && word.n > 0; i++, word = clause_word_ahead(clause, word.s)) {
		if (is_of_memory(talk_part(clause, clause.s, at), word))
			found = talk_part(clause, word.s, at);
		else if (!talk_is_one_of(word, BETWEEN))
			break;
	}
	return found;
}

/* "is constantly increasing": the verb at AT as what was going on then. */
static bool
is_going_on(struct talk clause, const char *at)
{
	struct talk word = clause_word_ahead(clause, at), verb = clause_word_behind(clause, at);
	int i;

	if (verb.n < 4 || lower(verb.s[verb.n - 1]) != 'g')
		return false;
	for (i = 0; i < 4 && word.n > 0; i++, word = clause_word_ahead(clause, word.s))
		if (talk_is_one_of(word, BE))
			return true;
	return false;
}

/* "Memory keeps growing", "RAM usage rises with every request" */
static const char *
grows_itself(struct talk t, clause_refuse *refuses)
{
	struct talk clause, group, sentence;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, GROWS, &at, &n); ) {
		clause = talk_clause(t, at, n);
		group = memory_ahead(clause, at);
		sentence = talk_sentence(t, at);
		if (group.n == 0 || talk_has_whole(sentence, FALLS_THEN) || refuses(t, clause, at))
			continue;
		if (talk_any_whole(talk_part(t, group.s, at + n), GOES_ON) || talk_is_one_of(clause_word_behind(clause, at + n), AS_IT_GOES) || is_going_on(clause, at) || goes_on(sentence))
			return at;
	}
	return NULL;
}

/* "A constant increase of the memory", "indefinite memory growth" */
static const char *
has_growth(struct talk t, clause_refuse *refuses)
{
	struct talk clause, word, ahead, group;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, GROWTH, &at, &n); ) {
		clause = talk_clause(t, at, n);
		group = memory_ahead(clause, at);
		ahead = clause_word_ahead(clause, group.n > 0 ? group.s : at);
		if (talk_is_one_of(ahead, "gpu cpu system cuda"))
			ahead = clause_word_ahead(clause, ahead.s);
		for (i = 0, word = clause_word_behind(clause, at + n); group.n == 0 && i < NEAR_WORDS && word.n > 0 && talk_is_one_of(word, "in of the its my our use used usage consumption gpu cpu cuda " MEMORY); i++, word = clause_word_behind(clause, word.s + word.n))
			if (is_of_memory(clause, word))
				group = word;
		if (group.n > 0 && talk_is_one_of(ahead, LASTING) && !clause_says_no(talk_part(clause, clause.s, at), "if") && !refuses(t, clause, at))
			return ahead.s;
	}
	return NULL;
}

#define UNITS		"gb mb gib mib g m gigs megs"
#define ADDS		"allocated|added|lost|leaked|eaten|more memory|more ram|more vram|more gpu memory"

/* "After each iteration about 440 MB of memory is allocated": an amount, again and again. */
static const char *
adds_amount(struct talk t)
{
	struct talk rest, sentence, word;
	const char *at, *each, *end = t.s + t.n;
	int i;

	for (rest = t; (at = talk_find_word(rest, MEMORY)); rest = talk_part(t, at + 1, end)) {
		for (i = 0, word = clause_word_ahead(t, at); i < 4 && word.n > 0 && talk_is_one_of(word, "of gpu cpu more additional extra the cuda video " UNITS) && !is_digit(*word.s); i++)
			word = clause_word_ahead(t, word.s);
		sentence = talk_sentence(t, at);
		if (word.n == 0 || !is_digit(*word.s) || i == 0 || !talk_has_whole(sentence, ADDS) || memchr(sentence.s, '?', sentence.n) || clause_says_no(sentence, "if should would could") || talk_has_whole(sentence, FALLS_THEN))
			continue;
		each = talk_find_word(sentence, EACH);
		if (each && talk_is_one_of(clause_word_ahead(sentence, each), "after with on at in during for") && is_each_round(sentence, each + clause_word_behind(sentence, each).n))
			return at;
	}
	return NULL;
}

#define THE_MORE	"the longer|the more|the further"
#define THE_LARGER	"the more|the larger|the higher|the bigger|the greater"
#define OF_TIME		"time long longer run runs running train trains training trained use uses using epochs epoch steps step iterations iteration images frames videos files requests calls rounds episodes games queries generations"
#define OF_SIZE		"batch batches resolution length size width layers channels parameters classes words tokens context prompt sequence sequences pixels workers gpus cards data samples long-form text texts audio"

#define OF_RULE		"is required|are required|is needed|are needed|you need|you will need|you'll need|will be required|will be needed"

/* "The longer it runs, the more memory it uses": by time or rounds, and not by how much is given,
 * nor as a program's help tells of what it needs ("the more you use the more is required"). */
static const char *
grows_the_more(struct talk t)
{
	struct talk sentence, ahead, behind;
	const char *at, *then;
	size_t n, m;

	for (at = NULL; talk_next_whole(t, THE_MORE, &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (!(then = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), THE_LARGER, &m)))
			continue;
		ahead = talk_part(t, at, then);
		behind = talk_part(t, then, sentence.s + sentence.n);
		if (talk_any_whole(ahead, OF_TIME) && !talk_any_whole(ahead, OF_SIZE) && talk_any_whole(behind, MEMORY) && !clause_is_question(sentence) && !talk_any_whole(sentence, "not free available left") && !talk_has_whole(behind, OF_RULE))
			return then;
	}
	return NULL;
}

#define HEAPS		"accumulate|accumulates|accumulating|accumulated|piles up|piling up|builds up|building up"

/* "Something accumulates memory": of memory as what is heaped up. */
static const char *
heaps_up(struct talk t, clause_refuse *refuses)
{
	struct talk clause, word;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, HEAPS, &at, &n); ) {
		clause = talk_clause(t, at, n);
		word = clause_word_behind(clause, at + n);
		while (talk_is_one_of(word, "the gpu cuda system more and some"))
			word = clause_word_behind(clause, word.s + word.n);
		if (talk_is_one_of(word, MEMORY) && !clause_says_no(talk_part(clause, clause.s, at), "if should would could may might") && !refuses(t, clause, at))
			return at;
	}
	return NULL;
}

#define BY_COUNT	"number of gpus|number of gpu|number of processes|number of ranks|number of cards|number of nodes|gpu number|gpu count|gpus count|process count|more gpus|more processes|more ranks|more cards|world size|world_size|each additional gpu|every additional gpu|each added gpu"
#define SCALES		"increase increases increasing increased grow grows growing scale scales scaling scaled multiply multiplies multiplied double doubles doubled rise rises linear linearly proportional proportionally"
#define OF_MACHINE	"ram|cpu memory|host memory|system memory|main memory|machine memory|physical memory"

/* "RAM usage scales as more GPUs are used": with how many there are, and not with time. */
const char *
oom_rise_by_count(struct talk t)
{
	struct talk sentence;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, BY_COUNT, &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (talk_has_whole(sentence, OF_MACHINE) && talk_any_whole(sentence, SCALES) && !talk_has_whole(sentence, "gpu ram|vram|video ram|gpu memory") && !clause_says_no(sentence, "if should would could decrease decreases reduce reduces less") &&
		    !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

/* ---- other languages ---- */

#define MEMORY_CHINESE	"显存|内存|占用|ram|vram|缓存"
#define DENIED_CHINESE	"没有|不会|不再|没|batch增|随着batch|随batch|分辨率|序列|长度|不变|稳定|如果|吗|？|下降|减少|利用率"
#define ON_WITHIN	48	/* bytes, of writings without blanks, to the verb */

static const struct language {
	const char *memory, *on, *grows, *denies;	/* phrases; what tells that it goes on, in the same clause */
} languages[] = {
	{ MEMORY_CHINESE, "一直|一致|不断|持续|逐渐|慢慢|越来越|缓慢|逐步|一路|不停|每次|每轮|每个epoch|每一轮|每一次|每一步|每步|每张|每跑|总是|一点一点|一点点|随着|疯狂|始终", "涨|增大|增加|增长|增多|增高|暴增|激增|在增|直增|渐增|断增|续增|步增|慢增|致增|点增|递增|上升|升高|攀|飙|变大|变高|变多|走高|累积|累加|堆积|往上|占满",
	    DENIED_CHINESE },
	{ MEMORY_CHINESE, "越来越|愈来愈|越用越|越跑越|越积越|越涨越", "大|多|高|满|涨", "没有|不会|不再|batch|分辨率|序列|长度|如果|精度|准确|下降|减少" },
	{ "メモリ|vram|ram", "徐々に|どんどん|少しずつ|続け|ずっと|だんだん|次第に|たびに|たび、|ごとに|毎に|じわじわ", "増え|増加|上昇|膨ら|溜ま|たまっ|増して|圧迫", "ない|なく|ません|安定|バッチサイズ" },
	{ "메모리|vram|ram|램", "계속|점점|지속적으로|꾸준히|서서히|갈수록|매번|때마다|마다|조금씩", "증가|늘어|늘고|올라|쌓이|쌓여|차오르|차올라|누적|커지|상승", "않|안정|배치 사이즈|배치 크기" },
	{ "памят|vram|озу", "постоянно|постепенно|медленно|непрерывно|все время|всё время|с каждой|с каждым|со временем|каждую|каждый|продолжает", "раст|увелич|повыша|накаплив|заполня|забива", "не раст|не увел|если|стабил" },
	{ "memoria|vram|ram", "sigue|siguen|va |constantemente|continuamente|poco a poco|gradualmente|cada vez|progresivamente|con cada|en cada|no para de|no deja de|lentamente|continua|vai |aos poucos|a cada|sempre|continuamente|ad ogni|a ogni|man mano|gradualmente", "aument|crec|crece|sube|subiendo|subir|increment|acumul|cresce|cresc|sale|riemp|llen", "si aument|se aument|lote|resoluci|no aument|non aument|estable|não aument" },
	{ "memória", "continua|vai |constantemente|gradualmente|aos poucos|cada vez|a cada|sempre|lentamente|progressivamente|não para de", "aument|cresc|sobe|subindo|acumul|enche", "não aument|se aument|lote|estável" },
	{ "speicher|vram|ram", "ständig|immer|stetig|langsam|kontinuierlich|nach und nach|mit jede|bei jede|nach jede|allmählich|fortlaufend", "wächst|steigt|wachsen|steigen|nimmt zu|nimmt immer|nimmt mit|füllt|ansteig|zunimmt|voller|läuft voll|läuft langsam voll", "nicht|wenn ich|konstant|batch" },
	{ "mémoire|memoire|vram|ram", "sans cesse|cesse|continue|progressivement|petit à petit|peu à peu|constamment|lentement|à chaque|a chaque|de plus en plus|au fur et à mesure|en continu", "augment|croît|croit|monte|grimpe|accumul|rempli|sature", "n'augment|pas|si j'|constante|lot " },
};

#define LANGUAGES	(sizeof(languages) / sizeof(*languages))

#define OTHERS_ELSEWHERE	"精度|准确|损失|loss|误差|acc|指标|速度|时间|利用率|数据量|参数|精确|得分|分数|学习率|精 度|功耗|温度"

/* Is it written without blanks between words, so that phrases, not words, are looked for? */
static bool
is_unspaced(const struct language *l)
{
	return (unsigned char)*l->memory >= 0xe3;	/* the first byte of kana, Han characters and Hangul */
}

/* "显存的问题：训练时一直在涨": may what grows in the clause be memory: does it name it, or nothing
 * else, where its sentence does? */
static bool
may_be_memory(const struct language *l, struct talk t, struct talk clause)
{
	return talk_any_phrase(clause, l->memory) || (is_unspaced(l) && talk_any_phrase(clause_sentence(t, clause.s), l->memory) && !talk_any_phrase(clause, OTHERS_ELSEWHERE));
}

/* "显存慢慢地往上涨": all three in one clause; of writings without blanks the verb stands behind. */
static const char *
grows_elsewhere(struct talk t, clause_refuse *refuses)
{
	const struct language *l;
	struct talk clause;
	const char *at;
	size_t n;

	for (l = languages; l < languages + LANGUAGES; l++)
		for (at = NULL; talk_next_phrase(t, l->on, &at, &n); ) {
			clause = talk_clause(t, at, n);
			if (may_be_memory(l, t, clause) && talk_any_phrase(is_unspaced(l) ? talk_head(clause, at, ON_WITHIN) : clause, l->grows) && !talk_any_phrase(clause, l->denies) && !((unsigned char)*at >= 0x80 && refuses(t, clause, at)))
				return at;
		}
	return NULL;
}

/* Verbs that tell by themselves that it goes on; as of gradients, too, memory stands right
 * ahead. */
static const struct {
	const char *memory, *verb, *denies;
} piles[] = {
	{ "显存|内存", "累积|累加|堆积|越积|递增", "没有|不会|不再|没|梯度|如果|吗|？" },
	{ "メモリ|vram", "溜ま|たまっ|蓄積", "ない|なく|ません|勾配" },
	{ "메모리|vram", "쌓이|쌓여|쌓인|쌓임|누적", "않|그래디언트|안 쌓" },
	{ "памят|vram", "накапливает|накапливаются", "не накап|если|градиент" },
	{ "memoria|memória|vram", "se acumula|si accumula|acumula-se", "no se acumula|não se|non si|gradiente|si se" },
	{ "speicher|vram", "sammelt sich|häuft sich|staut sich", "nicht|gradient" },
	{ "mémoire|vram", "s'accumule|s’accumule", "ne s|gradient" },
};
#define PILES_WITHIN	30	/* bytes from memory to the verb */

/* "메모리가 쌓여서" */
static const char *
piles_up(struct talk t)
{
	const char *at, *verb;
	size_t i, n;

	for (i = 0; i < sizeof(piles) / sizeof(piles[0]); i++)
		for (at = NULL; talk_next_phrase(t, piles[i].memory, &at, &n); )
			if ((verb = talk_first(talk_head(t, at + n, PILES_WITHIN), piles[i].verb)) && talk_holds(talk_clause(t, at, n), verb) && !talk_any_phrase(talk_clause(t, at, n), piles[i].denies))
				return at;
	return NULL;
}

const char *
oom_rise(struct talk t, clause_refuse *refuses)
{
	const char *at = grows_itself(t, refuses);

	return at || (at = has_growth(t, refuses)) || (at = grows_the_more(t)) || (at = heaps_up(t, refuses)) || (at = adds_amount(t)) || (at = piles_up(t)) ? at : grows_elsewhere(t, refuses);
}

#define LESSENS		"decrease|decreases|decreased|drop|drops|dropped|fall|falls|fell|goes down|reduce|reduces|reduced|released|freed|cleared|is released|is freed|gets released|release|releases"
#define AS_EPOCH_ENDS	"at the end of every epoch|at the end of each epoch|at the end of the epoch|at the end of an epoch|at the end of epoch|at each epoch end|after every epoch|after each epoch|when the epoch ends|when an epoch ends|once the epoch ends|every time an epoch ends"

/* "At the end of every epoch the memory usage will decrease" */
const char *
oom_rise_falls(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, AS_EPOCH_ENDS, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(sentence, MEMORY) && talk_has_whole(sentence, LESSENS) && !clause_says_no(sentence, "if should would could") && !clause_is_question(sentence) ? at : NULL;
}
