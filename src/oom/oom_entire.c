/*
 * That all of a set is read or held at once, by classes of words: a verb of reading or keeping, a
 * word for all, and what a set is made of. Of what someone asks to avoid it is so, and of what
 * someone would have read as it is needed, it is not read so yet.
 */
#include "oom/oom_entire.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"

#define READS		"load loads loaded loading preload preloads preloaded preloading read reads reading cache caches cached caching open opens opened opening store stores stored storing hold holds holding held keep keeps keeping kept put puts putting decode decodes decoded decoding"
#define ALL		"all every whole entire full complete"
#define OF_SETS		"frame frames image images picture pictures photo photos sample samples video videos clip clips file files dataset datasets data set sets corpus document documents recording recordings audio audios slice slices volume volumes patches tiles chunks features embeddings spectrograms sequences sentences rows records shards parquet csv"
/* What may stand between the three, */
#define TO_ALL		"up in into to the ram memory at once of my our their its simply just directly"
#define TO_SET		"of the my our your these those single training train test validation input video raw 3d"
#define AHEAD_WORDS	4	/* and how much of it, ahead of the word for all and behind it */
#define BEHIND_WORDS	4
/* Where a set that is read lies, or when it is read. */
#define AT_ONCE		"memory|ram|vram|gpu|at once|at one time|at the same time|simultaneously|before training|before the training|ahead of training|at the start|at the beginning|at startup|upfront|up front|in advance|in one go|first place"
#define IN_TURN		"on the fly|on-the-fly|on demand|lazily|lazy|as needed|as it is needed|as they are needed|when needed|when they are needed|one by one|one at a time|just before each|right before each|before each iteration|before every iteration|at each iteration|at every iteration|each iteration|" \
    "in batches|by batches|batch by batch|batch-wise|batchwise|in chunks|chunk by chunk|by chunks|in parts|part by part|in pieces|piece by piece|incrementally|iteratively|frame by frame|image by image|file by file|per iteration|in a streaming|streaming"
#define ASKS		"is there a way|is there any way|is there anyway|anyway to|is it possible|is there some way|any way to|a way to|how to|how can|how do|how could|possible to|can we|can i|could we|could i|could you|please|would be nice|would be better|would be great|it is better to|it's better to|better to|should|need to|want to|would like to|plan to|feature|request|support|instead|you can"
#define NOT_WANTED	"avoid avoids avoiding prevent prevents preventing without"
/* What is read at once and is no set of data. */
#define OF_OTHERS	"model models weights checkpoint checkpoints layers gpus cards cores logs log screenshot config settings drivers browser tabs windows"

/* Is the word for all at AT followed by what a set is made of? Then what stands behind that. */
static const char *
names_set(struct talk clause, struct talk all)
{
	struct talk word = clause_word_behind(clause, all.s + all.n);
	int i;

	for (i = 0; i < BEHIND_WORDS && word.n > 0; i++, word = clause_word_behind(clause, word.s + word.n))
		if (talk_is_one_of(word, OF_SETS))
			return word.s + word.n;
		else if (!talk_is_one_of(word, TO_SET) && !is_digit(*word.s))
			break;
	return NULL;
}

/* "loading every frame", "all frames are loaded": the verb, ahead of the word for all or behind the
 * set, which ends at TO; nothing where none stands there. */
static struct talk
verb_of(struct talk clause, struct talk all, const char *to)
{
	struct talk word = clause_word_ahead(clause, all.s);
	int i;

	for (i = 0; i < AHEAD_WORDS && talk_is_one_of(word, TO_ALL); i++)
		word = clause_word_ahead(clause, word.s);
	if (talk_is_one_of(word, READS))
		return word;
	for (i = 0, word = clause_word_behind(clause, to); i < BEHIND_WORDS && talk_is_one_of(word, "are is was were be being been get gets got will have has first all"); i++)
		word = clause_word_behind(clause, word.s + word.n);
	return i > 0 && talk_is_one_of(word, "loaded preloaded read cached opened stored held kept put decoded") ? word : talk_part(clause, to, to);
}

/* "avoid loading", "not to load", "instead of reading": what is asked to be otherwise is so. */
static bool
is_unwanted(struct talk clause, const char *verb)
{
	struct talk word = clause_word_ahead(clause, verb);

	while (talk_is_one_of(word, "to have having need needing of be"))
		word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, NOT_WANTED " not than") || (talk_is_one_of(word, "instead rather") && word.s > clause.s);
}

/* Does a sentence that says so with VERB in CLAUSE mean that it is done? */
static bool
is_done(struct talk sentence, struct talk clause, struct talk verb)
{
	struct talk ahead = talk_part(clause, clause.s, verb.s), within = talk_part(sentence, sentence.s, verb.s);

	if (is_unwanted(clause, verb.s))
		return talk_has_whole(sentence, ASKS);
	if (clause_says_no(ahead, "if should would could instead"))
		return false;
	if (memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "why because"))
		return false;		/* "Can I read all of it?" */
	return !talk_has_whole(within, "how to|how can|can i|can we|could you|is it possible|please") && (talk_has_whole(clause, AT_ONCE) || oom_short_fails(sentence) || clause_names_failure(sentence));
}

/* "It loads all frames into memory", "how to avoid reading every single file" */
static const char *
takes_all(struct talk t)
{
	struct talk rest = t, clause, all, verb;
	const char *at, *to, *end = t.s + t.n;

	for (; (at = talk_find_word(rest, ALL)); rest = talk_part(t, all.s + all.n, end)) {
		all = clause_word_behind(t, at);
		clause = talk_clause(t, at, all.n);
		if (!(to = names_set(clause, all)))
			continue;
		verb = verb_of(clause, all, to);
		if (verb.n > 0 && !clause_works(clause) && !talk_has_whole(clause, IN_TURN) && !talk_any_whole(clause, OF_OTHERS) && is_done(talk_sentence(t, at), clause, verb))
			return verb.s < all.s ? verb.s : all.s;
	}
	return NULL;
}

#define NEAR_SET	4	/* words from a verb to what it reads */

/* "Please load the frame just before each iteration", "is there a way to read the files in chunks?"
 */
static const char *
asks_for_turns(struct talk t)
{
	struct talk sentence, behind, word;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, "load|read|loading|reading|open|opening|decode|decoding", &at, &n); ) {
		sentence = talk_sentence(t, at);
		behind = talk_part(talk_clause(t, at, n), at + n, talk_clause(t, at, n).s + talk_clause(t, at, n).n);
		for (i = 0, word = clause_word_behind(behind, behind.s); i < NEAR_SET && word.n > 0 && !talk_is_one_of(word, OF_SETS); i++)
			word = clause_word_behind(behind, word.s + word.n);
		if (i < NEAR_SET && word.n > 0 && talk_has_whole(behind, IN_TURN) && talk_has_whole(talk_part(sentence, sentence.s, at), ASKS) &&
		    !clause_says_no(talk_part(sentence, sentence.s, at), "already even though although") && !talk_any_whole(sentence, OF_OTHERS))
			return at;
	}
	return NULL;
}

#define OF_DATA		"data|dataset|datasets|data set|data sets|dataframe|dataframes|training set|training data|corpus|csv file|parquet file|image stack"
#define TOO_LARGE	"larger than|bigger than|that exceeds|that exceed|exceeding|that does not fit|that do not fit|that doesn't fit|that don't fit|does not fit|do not fit|doesn't fit|don't fit|not fitting|too large for|too big for|too large to fit|too big to fit"
#define OF_ROOM		"memory ram vram"
#define LARGE_WITHIN	36	/* bytes from a set to what makes it too large, and from there to the memory */

/* "I try to load data larger than GPU memory", "the data set does not fit in RAM" */
static const char *
is_too_large(struct talk t)
{
	struct talk clause, near;
	const char *at, *than;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, OF_DATA, &at, &n); ) {
		clause = talk_clause(t, at, n);
		near = talk_head(clause, at + n, LARGE_WITHIN);
		if (!(than = talk_find_whole(near, TOO_LARGE, &length)) || !talk_any_whole(talk_head(clause, than + length, LARGE_WITHIN), OF_ROOM) || talk_any_whole(talk_part(clause, at + n, than), "parallel model models batch sample samples"))
			continue;
		if (!clause_says_no(talk_part(clause, clause.s, at), "if should would could small smaller") && !talk_any_whole(talk_sentence(t, at), OF_OTHERS) && (!memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) || talk_any_whole(talk_sentence(t, at), "how why")))
			return at;
	}
	return NULL;
}

#define TAKES		"use uses using take takes taking took occupy occupies occupying possess possesses possessing consume consumes consuming eat eats eating cost costs need needs"

/* "The data set's tensors use so much GPU memory": data that lie on the device. */
const char *
oom_entire_on_device(struct talk t)
{
	struct talk clause, word;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, "dataset|datasets|data set|data sets|training data|training set", &at, &n); ) {
		clause = talk_clause(t, at, n);
		for (i = 0, word = clause_word_behind(clause, at + n); i < NEAR_SET && talk_is_one_of(word, "tensor tensors variable variables itself alone already also would will"); i++)
			word = clause_word_behind(clause, word.s + word.n);
		if (talk_is_one_of(word, TAKES) && talk_has_whole(talk_part(clause, word.s, clause.s + clause.n), "gpu memory|vram|gpu ram|video memory|cuda memory|memory of the gpu|memory on the gpu") &&
		    !clause_says_no(talk_part(clause, clause.s, word.s), "if should would could"))
			return at;
	}
	return NULL;
}

#define CACHED		"image images picture pictures frame frames data dataset datasets sample samples feature features file files video videos"
#define OTHER_CACHES	"latent latents embedding embeddings kv key keys prompt model models weights empty allocator compiler compilation pip hugging huggingface download downloads browser page prefix disk"

/* "I use tf.dataset.cache to cache data", "with --cache-images": the verb, or an option's name, and
 * right behind it what is cached. */
const char *
oom_entire_cached(struct talk t)
{
	struct talk clause, sentence, word;
	const char *at;
	size_t n;

	if (!oom_short_fails(t) || talk_any_phrase(t, "empty_cache|cache_dir|use_cache|cache-dir|hf_home|cached alloc|cached mem|cached block|cache=disk|--cache disk"))
		return NULL;
	for (at = NULL; talk_next_whole(t, "cache|caches|cached|caching", &at, &n); ) {
		clause = talk_clause(t, at, n);
		sentence = talk_sentence(t, at);
		word = clause_word_behind(clause, at + n);
		while (talk_is_one_of(word, "the my our all whole entire training"))
			word = clause_word_behind(clause, word.s + word.n);
		if (talk_is_one_of(word, CACHED) && !talk_any_whole(sentence, OTHER_CACHES) && !clause_says_no(talk_part(clause, clause.s, at), "if should would could instead disable disabled off before") && !memchr(sentence.s, '?', sentence.n) &&
		    !clause_works(clause))
			return at;
	}
	return NULL;
}

const char *
oom_entire(struct talk t)
{
	const char *at;

	if (!talk_any_whole(t, OF_SETS))
		return NULL;
	return (at = takes_all(t)) || (at = is_too_large(t)) ? at : asks_for_turns(t);
}
