/*
 * Data that are read whole, as people name them: the set, how large it is called, and that it is
 * loaded into memory at once.
 */
#include "oom/oom_data.h"

#include "base/ascii.h"
#include "oom/oom_change.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

#define WORDS_AHEAD	3	/* of a set's name, in which it may be called large */
#define DATA	"whole dataset|whole data|entire dataset|all the data|all data|full dataset|large dataset|huge dataset|big dataset|"	\
    "dataset is too|full memory copy|full copy of the data|copy of the data|copies of the data|copy of the dataset|copies of the dataset|large file|large files|big file|big files|huge file|huge files|file is too large|file is too big|file is large|files are large|files are too large|all images|all the images|dataframe|csv|all features|load the dataset|load the data|load data|"		\
    "loading raster|loading a raster|loading the raster|load a raster|load the raster|read the raster|whole raster|read a band|"	\
    "whole training set|entire training set|full training set|load this file|load the file|loading the file|np.load|npy|all samples|all the samples|"	\
    "list of images|list of all images|images list|a lot of data|lots of data|so large a list|such a large list|large list|huge list|amount of data|loading the dataset|loading my dataset|loading our dataset|loading my data|loading data|loading the data|loading dataset|data loading|pickle"

/* "the full mnist dataset", "a large number of the dataset", "with a larger dataset": by how much
 * of it there is. */
static const char *
names_whole_set(struct talk t)
{
	struct talk word;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, "dataset|datasets|data set|data sets|corpus|training set|training data|input data", &at, &n); )
		for (i = 0, word = clause_word_ahead(t, at); i < WORDS_AHEAD && word.n > 0; i++, word = clause_word_ahead(t, word.s))
			if (talk_is_one_of(word, "whole entire full complete larger large huge big number"))
				return at;
	return NULL;
}

#define LOADS		"load|loads|loaded|loading|read|reads|reading|cache|caches|cached|caching"
#define ALL_AT		"into one array|into an array|into a numpy array|into one numpy array|into a single array|into a list|into one list|to one array|to a numpy array|into memory|into the memory|in memory|in the memory|into ram|into the ram|in ram|in the ram|before training|at once"
#define IN_MEMORY	"into memory|into the memory|in memory|in the memory|into ram|into the ram|in ram|in the ram"
#define IN_TURN		"on demand|lazily|one by one|as needed|when needed|each time|batch by batch|at a time|per batch"
#define NO_DATA		"memory error|memory errors|memory issue|memory issues|memory problem|memory problems"

#define PROPOSED	"better solution|better way|solution would|solution is to|would be to|would be better|would be nice|should be loaded|should load|should only|could be loaded|instead of loading|instead of reading|only load|suggestion|proposal|proactively|did not change|didn't change|did not help|didn't help|no difference|does not help|doesn't help"

/* "A better solution would be to read batches into memory": what is not done. */
static bool
is_proposed(struct talk sentence)
{
	return talk_has_whole(sentence, PROPOSED);
}

/* "It loads the whole train_data into the RAM at once", "loading entire dataset before training",
 * "reading training patches in memory". */
static const char *
loads_all(struct talk t)
{
	struct talk clause, behind;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, LOADS, &at, &n); ) {
		clause = talk_clause(t, at, n);
		behind = talk_part(clause, at + n, clause.s + clause.n);
		if (((talk_any_whole(behind, "whole entire all full complete") && talk_any_begins(behind, "data train_ images pictures photos frames samples files corpus videos") && talk_has_whole(behind, ALL_AT)) ||
		    (talk_any_whole(behind, "data dataset images samples videos patches features frames clips slices recordings documents") && talk_has_whole(behind, IN_MEMORY) && !talk_has_whole(behind, IN_TURN)) ||
		    (talk_any_begins(behind, "features embeddings annotations dict dictionary pickle pkl .pkl .mat lmdb spectrograms waveforms wavs .hdf5 hdf5 .tsv .csv .npy .npz .json") && !talk_any_begins(behind, "model weights checkpoint") &&
		    (oom_short_fails(clause) || (talk_any_whole(talk_part(clause, clause.s, at), "when while as during once") && oom_short_fails(talk_sentence(t, at)))))) && !talk_has_whole(behind, NO_DATA) &&
		    !clause_says_no(talk_part(clause, clause.s, at), "") && !is_proposed(talk_sentence(t, at)))
			return at;
	}
	return NULL;
}

#define OF_DATA		"file files csv json jsonl xml dump corpus dataset data txt tsv parquet table log pcap vcf fastq fasta bam hdf5 pdf doc docx xlsx"
#define NO_DATA_FILE	"model models weights checkpoint checkpoints gguf safetensors swap swapfile pagefile paging core image images docker download downloads disk free"

#define RUNS_ON		"on within"	/* what has that much: "the file says that it runs on 24GB" */

/* "The file size is more than 8GB", "a 3 GB csv": a gigabyte at least, of what is read. */
static const char *
has_size(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	struct talk clause, unit;
	int64_t n;

	while ((s = oom_number_walk(t, ".", &to, &n))) {
		while (to < end && (*to == '.' || is_digit(*to)))
			to++;
		unit = clause_word_behind(t, to);
		clause = talk_clause(t, s, 1);
		if (n > 0 && unit.s == piece_past_blanks(to, end) && talk_is_one_of(unit, "gb gib gigabytes gigabyte") && talk_any_whole(clause, OF_DATA) && !talk_any_whole(clause, NO_DATA_FILE) &&
		    !talk_any_whole(clause, "ram memory mem vram gpu") && !talk_is_one_of(clause_word_ahead(t, s), RUNS_ON))
			return s;
	}
	return NULL;
}

#define FORMS		"converting|convert|converts|dumping|dump|dumps|serializing|pickling|preprocessing|preprocess"
#define SETS_NEAR	4	/* words from that to the set */

/* "when converting the ImageNet dataset", "while dumping the data set": of all of it something is
 * made. */
static const char *
forms_set(struct talk t)
{
	struct talk word;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, FORMS, &at, &n); )
		for (i = 0, word = clause_word_behind(t, at + n); i < SETS_NEAR && word.n > 0 && talk_holds(talk_clause(t, at, n), word.s); i++, word = clause_word_behind(t, word.s + word.n))
			if (talk_is_one_of(word, "dataset datasets corpus lmdb csv tfrecord tfrecords dmatrix"))
				return at;
	return NULL;
}

/* What is read at once; "I run into memory errors" is none of it. */
static const char *
names_data(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, DATA, &n), *whole = names_whole_set(t), *sized = has_size(t);

	at = at ? at : forms_set(t);
	if (!at || (sized && sized < at))
		at = sized ? sized : at;
	if (at || whole)
		return !at || (whole && whole < at) ? whole : at;
	for (at = NULL; talk_next_whole(t, "into memory", &at, &n); )
		if (!talk_is_one_of(clause_word_ahead(t, at), "run runs ran running"))
			return at;
	return NULL;
}

/* "There is nothing in the csv code that would leak": what is said not to be the cause. */
static bool
is_cleared(struct talk sentence, const char *at)
{
	return talk_any_whole(sentence, "cause causes causing caused leak leaks culprit reason") && clause_says_no(talk_part(sentence, sentence.s, at), "nothing none");
}

/* "import pickle", "from a import b" */
static bool
begins_code(struct talk t)
{
	return talk_is_one_of(clause_word_behind(t, t.s), "import from");
}

/* "It is not a lot of data": does a denial stand right ahead of AT? */
static bool
is_little(struct talk t, const char *at)
{
	struct talk word = clause_word_ahead(t, at);

	while (talk_is_one_of(word, "a an quite that such so really very even"))
		word = clause_word_ahead(t, word.s);
	return talk_is_one_of(word, "not isn't aren't wasn't");
}

/* "./run -n 8 >> sizes.csv", "-o out.npy", "| tee all.csv": where output goes. */
static bool
is_written(struct talk t, const char *at)
{
	const char *s = at, *to;

	while (s > t.s && s[-1] != ' ' && s[-1] != '>')
		s--;
	while (s > t.s && s[-1] == ' ')
		s--;
	for (to = s; s > t.s && s[-1] != ' ' && s[-1] != '=';)
		s--;
	if (to > s && to[-1] == '>')
		return s == t.s || to - s <= 3;		/* "1>>", not a quote's */
	return talk_is_one_of(talk_part(t, s, to), "-o --out --output tee");
}

#define IS_LITTLE	"dataset is small|dataset is very small|dataset is tiny|dataset is quite small|data set is small|data set is very small|data is small|data is very small|data is tiny|data are few|file is small|file is very small|is not a large dataset|is not large"

void
oom_data_line(struct oom_told *o, struct talk t, int line, bool killed)
{
	const char *at;
	struct talk rest;

	if (talk_any_phrase(t, "page cache|page-cache|disk cache"))
		return;			/* what the system keeps of files */
	for (rest = t; !begins_code(t) && (at = names_data(rest)); rest = talk_part(t, at + 1, t.s + t.n))
		if ((killed || oom_told_is_of_failure(o, t, at, line)) && !is_proposed(talk_sentence(t, at)) && !is_little(t, at) && !talk_any_whole(talk_clause(t, at, 1), "small tiny lazily") && !talk_has_whole(talk_sentence(t, at), IS_LITTLE) && !talk_has_whole(talk_clause(t, at, 1), "fits into memory|fits in memory|fits easily") && !oom_change_not_read(talk_clause(t, at, 1), at) && !is_written(t, at) && !(clause_works(talk_clause(t, at, 1)) && !clause_names_failure(talk_clause(t, at, 1))) && !is_cleared(talk_sentence(t, at), at)) {
			said_at(&o->data, t, at, line);
			break;
		}
	if (!o->data.line && ((at = loads_all(t)) || (at = has_size(t))))
		said_at(&o->data, t, at, line);
}
