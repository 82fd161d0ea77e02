/*
 * What single lines decide of a run, whatever else was read of it: by phrases of programs, settings
 * and code that are told apart from people's wishes. What is made of it is decided in
 * autopsy/autopsy_decided.c.
 */
#include "oom/oom_decided.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define LOGS		"dmesg|journalctl|kern.log|/var/log/messages|syslog|kernel log|kernel's log|system log"
#define FOUND_THERE	"oom|oom-kill|oom_kill|out of memory|out-of-memory|oom killer|killed process"
#define NOT_LOOKED	"should|could|please|can you|if|would|nothing|no trace"

/* "dmesg shows that the OOM killer ended it", "查看dmesg发现OOM" */
static bool
reads_log(struct talk t)
{
	const char *at = talk_first(t, LOGS);

	return at && talk_any_phrase(clause_sentence(t, at), FOUND_THERE) && !talk_has_whole(clause_sentence(t, at), NOT_LOOKED) && !talk_any_phrase(t, "?|吗|？|没有");
}

/* "However, now I am getting ..." */
#define IS_NOW		"now i am getting|now i'm getting|now i get|now i got|now i have|now we get|now it is|now it's|but now|however now|now there is|now getting|now it gives|now it says"

/* "Could it have tiles? For example" */
static bool
asks_with_example(struct talk t)
{
	size_t n;
	const char *last = NULL, *at, *end = t.s + t.n;

	for (at = NULL; talk_next_whole(t, "for example|for instance|e.g|like this|something like|such as", &at, &n); )
		last = at + n;
	while (last && last < end && memchr(" .:`,", *last, 5))
		last++;
	return last == end && memchr(t.s, '?', t.n);
}

#define CODES		"exit codes of the workers are {"

/* joblib's list of how workers ended; *BY_SIGNAL: by a signal, or by a code that stands for one. */
static bool
tells_codes(struct talk t, bool *by_signal)
{
	const char *at = talk_first(t, CODES);

	if (at)
		*by_signal = talk_any_phrase(talk_part(t, at, t.s + t.n), "sig|exit(137)|exit(139)|unknown|(-");
	return at && memchr(at, '(', (size_t)(t.s + t.n - at));
}

#define ON_PROCESSOR	"export_device: cpu|export_device=cpu|--export_device cpu|--export_device=cpu|merge_device: cpu|device_map=\"cpu\"|device_map='cpu'|device_map: cpu|--device cpu|--device=cpu|low_gpu_mem"
#define BY_REWARDS	"verl.|verl/|actor_rollout_ref|trainer.test_freq|trainer.save_freq|openrlhf|trl.ppo|ppotrainer(|grpo|vllm_rollout|reward_model.|data.max_prompt_length"

/* The last bytes of "MemAvailable:  1867312 kB"; 0: none are told. */
static int64_t
free_of(struct talk t)
{
	const char *at = talk_first(t, "memavailable:"), *s, *end = t.s + t.n;
	int64_t n;

	at = at ? at : talk_first(t, "memfree:");
	for (s = at; s && s < end && !is_digit(*s); s++)
		;
	return s && s < end && (s = piece_number(s, end, &n)) && n > 0 && n < INT64_MAX / 1024 && talk_is_one_of(clause_word_behind(t, s), "kb") ? n * 1024 : 0;
}

#define PROPOSES	"mask r-cnn|mask-rcnn|mask_rcnn|maskrcnn|faster r-cnn|faster-rcnn|faster_rcnn|fasterrcnn|detectron2|mmdet|softgroup|pointgroup|instance segmentation|proposals|roi_heads|rpn_head"

#define EXTENTS		"width|height|channels|rows|cols|columns|num_points|vertices"
#define LEAST_DIGITS	4	/* of what is no mark, "-1" */

/* "width, height: -16842752, 1766213120" */
static bool
has_negative(struct talk t)
{
	const char *at, *s, *end = t.s + t.n;
	size_t n;

	if (!(at = talk_find_whole(t, EXTENTS, &n)))
		return false;
	for (s = at + n; s < end; s++)
		if (*s == '-' && (s[-1] == ' ' || s[-1] == '=' || s[-1] == ':' || s[-1] == ',') && s + LEAST_DIGITS < end && is_digit(s[1]) && is_digit(s[2]) && is_digit(s[3]) && is_digit(s[4]))
			return true;
	return false;
}

#define FACTORS		".cholesky(|cholesky_ex(|cholesky_inverse(|linalg.inv(|torch.inverse(|linalg.pinv(|linalg.eigh(|linalg.eig(|torch.symeig(|linalg.svd(|torch.svd("

/* Is anything computed, outside of quotation marks: an operator between two operands? */
static bool
has_operator(struct talk t)
{
	const char *s, *from, *to, *end = t.s + t.n;
	char quote = '\0';

	for (s = t.s; s < end; s++) {
		if (quote || *s == '\'' || *s == '"') {
			quote = !quote ? *s : *s == quote ? '\0' : quote;
			continue;
		}
		if (!memchr("+-*/", *s, 4) || (s + 1 < end && s[1] == *s) || (s > t.s && s[-1] == *s))
			continue;
		for (from = s; from > t.s && from[-1] == ' '; from--)
			;
		to = piece_past_blanks(s + 1, end);
		if (from > t.s && to < end && (piece_is_word(from[-1]) || from[-1] == ')' || from[-1] == ']') && (piece_is_word(*to) || *to == '('))
			return true;
	}
	return false;
}

/* "data = (data - low) / range" of a traceback */
static bool
computes(struct talk t)
{
	const char *end = t.s + t.n, *name = piece_past_blanks(t.s, end), *to = name, *at;
	struct talk rest, word;

	while (to < end && (piece_is_word(*to) || *to == '.'))
		to++;
	at = piece_past_blanks(to, end);
	if (to == name || is_digit(*name) || end - at < 3 || *at != '=' || at[1] == '=')
		return false;
	rest = talk_part(t, at + 1, end);
	if (!has_operator(rest))
		return false;
	for (word = clause_word_behind(rest, rest.s); word.n > 0; word = clause_word_behind(rest, word.s + word.n))
		if (word.n == (size_t)(to - name) && memcmp(word.s, name, word.n) == 0)
			return true;
	return false;
}

/* Calls of libraries that run networks with gradients off, and what a traceback shows of it. */
#define GUARDED		"in decorate_context|pipeline.from_pretrained(|pipeline.from_single_file(|.chat(tokenizer|.stream_chat("

#define ONE_SIZE	"mnist fashionmnist fashion_mnist kmnist emnist cifar cifar10 cifar100 svhn stl10"

/* "   5 conv    128  3 x 3 / 1   152 x 152 x  64   ->   152 x 152 x 128", and not layer 0 */
static bool
is_layer(struct talk t)
{
	const char *end = t.s + t.n, *s = piece_past_blanks(t.s, end), *to;

	for (to = s; to < end && is_digit(*to); to++)
		;
	return to > s && *s != '0' && talk_is_one_of(clause_word_behind(t, to), "conv max upsample route shortcut connected") && talk_any_phrase(t, "->");
}

void
oom_decided_line(struct oom_decided *d, struct talk t, int line, enum oom_source source)
{
	const char *at;
	int64_t n;

	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		d->log_read = reads_log(t) ? line : d->log_read;
		d->example = asks_with_example(t) ? line : d->example;
		d->now = talk_has_whole(t, IS_NOW) && talk_any_whole(t, "oom memory oome") ? line : d->now;
	}
	d->exited = tells_codes(t, &d->by_signal) ? line : d->exited;
	if (source != SOURCE_COMMENT && source != SOURCE_PROSE && talk_any_phrase(t, ON_PROCESSOR))
		d->on_processor = line;
	if (talk_any_phrase(t, BY_REWARDS))
		d->writes = line;
	if ((at = talk_first(t, "error creating array ")) && !talk_any_phrase(talk_head(t, at + strlen("error creating array "), 3), "pme"))
		d->other_array = line;
	if (talk_any_phrase(t, "openmm_context_loadcheckpoint|_openmm.context_loadcheckpoint|.loadcheckpoint("))
		d->checkpoint = line;
	if (source != SOURCE_COMMENT && talk_any_phrase(t, "pickle.load(|joblib.load(|dill.load(|read_pickle("))
		d->unpickles = line;
	if (source != SOURCE_COMMENT && talk_has_whole(t, PROPOSES))
		d->proposes = line;
	if (source == SOURCE_TRACE && talk_any_phrase(t, FACTORS))
		d->factors = line;
	if (source == SOURCE_TRACE && computes(t))
		d->computes = line;
	if (source == SOURCE_CODE && talk_any_phrase(t, "= pool(|=pool(|multiprocessing.pool(|mp.pool(|with pool(|processpoolexecutor("))
		d->pool = line;
	if (source == SOURCE_CODE && talk_any_phrase(t, ".map(|.imap(|.imap_unordered(|.starmap(|.map_async("))
		d->mapped = line;
	if (source == SOURCE_OUTPUT || source == SOURCE_UNSURE || source == SOURCE_SETTING)
		d->negative = has_negative(t) ? line : d->negative;
	if (talk_any_phrase(t, "could not find any implementation for node"))
		d->no_tactic = line;
	if (source != SOURCE_PROSE && talk_any_phrase(t, "prompt executed in "))
		d->ran = line;
	if (source != SOURCE_COMMENT && talk_any_phrase(t, GUARDED))
		d->guarded = line;
	if (source != SOURCE_PROSE && source != SOURCE_COMMENT && talk_any_phrase(t, "optim/lbfgs."))
		d->histories = line;
	if (source != SOURCE_COMMENT && source != SOURCE_PROSE && talk_any_whole(t, ONE_SIZE))
		d->one_size = line;
	if (talk_has_whole(t, "exla|elixir|livebook") || (talk_has_whole(t, "bumblebee") && talk_has_whole(t, "xla")))
		d->exla = line;
	if (source != SOURCE_PROSE && is_layer(t))
		d->layered = line;
	if (source == SOURCE_TRACE && talk_any_phrase(t, "subprocess.py"))
		d->starts = line;
	if (talk_any_phrase(t, "worker timeout (pid:"))
		d->timeout = line;
	if ((n = free_of(t)) > 0) {
		d->free = n;
		d->free_line = line;
	}
}
