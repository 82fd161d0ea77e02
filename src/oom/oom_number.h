/* Numbers in a person's sentence: of a batch, or of the length of a sequence. */
#ifndef STOWAGE_OOM_OOM_NUMBER_H
#define STOWAGE_OOM_OOM_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "oom/oom_lexicon.h"

#define OOM_NUMBER_WITHIN	48	/* bytes from the word to its number */
#define OOM_LEAST_LENGTH	512	/* that is worth a word */

/* Words for a batch, with strokes between them. */
#define OOM_BATCHES	"samples_per_gpu|samples per gpu|imgs_per_gpu|img_per_gpu|images_per_gpu|images per gpu|imgs per gpu|ims_per_batch|batch=|batch =|batch size|batch sizes|batch_size|batch-size|batchsize|batchsizes|batch__size|bath size|bath_size|bathsize|bach size|bach_size|bachsize|bacth size|bacth_size|bacthsize|batch sice|batch_sice|batch szie|batch_szie|batchszie|batch siz|batch_siz|minibatch size|mini-batch size|mini batch size|batch of|batches of|batch_num to|batch num to|bs|"	\
    "批量大小|批次大小|批大小|"	\
    "バッチサイズ|"	\
    "배치 사이즈|배치사이즈|"	\
    "배치 크기|배치크기|"	\
    "размер батча|"	\
    "batchgröße|batch-größe|tamaño de lote|tamanho do lote|tamanho de lote|taille de batch|taille du batch"

/* The next whole number of T from *TO on, which is NULL before the first, that neither a word nor
 * any of SIGNS stands right ahead of: where it begins, and at *TO what follows it; NULL: there is
 * none. */
const char	*oom_number_walk(struct talk t, const char *signs, const char **to, int64_t *n);
/* A whole number at S of T, and of nothing else: neither "8GB" nor "4x2" nor "0.5" nor "2^12";
 * "32k" is one where THOUSANDS may be. What follows it; NULL: none stands there. */
const char	*oom_number_at(struct talk t, const char *s, bool thousands, int64_t *n);
/* Past the sign between two sides, with the blanks around it: "512 x 512", "512×512"; S: there is
 * none. */
const char	*oom_number_past_times(const char *s, const char *end);
/* The least number of the list that follows N bytes at AT of T, a word for a batch; 0: none
 * does. */
int64_t	oom_number_of_batch(struct talk t, const char *at, size_t n);

/* The next word of T for a batch that has a number behind it, N bytes at *AT, which is NULL before
 * the first, and the least number there; 0: there is none. */
typedef int64_t	oom_number_next(struct talk t, const char **at, size_t *n);
oom_number_next	oom_number_batch;
/* The same for a length, and, of numbers by themselves, for one of positions: "a 128k context". */
oom_number_next	oom_number_length, oom_number_counted;

#endif
