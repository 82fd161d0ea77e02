/*
 * What a phrase begins, told as a message: how far it goes on, what it says there, and whether it
 * is one at all, since people name what happens without reporting it, and programs say it twice.
 */
#include "oom/oom_log_impl.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_keep.h"
#include "oom/oom_says.h"
#include "oom/oom_short.h"

#define DETAILS		2000	/* bytes in which a message says more; */
#define FEW		400	/* one in words that anyone may use */
#define WRAPPED		2	/* lines that one may become in a terminal */
#define NEAR_LINES	300	/* in which one error follows from another */

/* Does another message begin with P? What is vague does not end what is not. */
static bool
ends_message(const struct phrase *p, const struct oom_message *o)
{
	if (!p || ((p->flags & PHRASE_REST) && p->kind == o->kind))
		return false;
	return p->role == ROLE_MESSAGE || (o->kind == OOM_OTHER && p->role <= ROLE_GENERIC);
}

/* Is it what a person tells of the machine, "it has 14 GB available", and no count of the
 * program's? */
static bool
is_of_sentence(const struct log_reader *r, const struct detail *d, const char *s, const char *end)
{
	return d->kind == OOM_OTHER && d->role == DETAIL_SIZE && (d->value == OOM_FREE || d->value == OOM_TOTAL) && r->source != SOURCE_OUTPUT &&
	    talk_any_whole(oom_line_of(r, s, s, end), "i i'm i've my we our ram cpu machine computer laptop pc");
}

static void
tell_wrong(struct oom_message *o)
{
	o->apart = o->beyond = true;
	o->says = EXABYTE;
}

#define NOBODY_HAS	((int64_t)1 << 60)

/* Was so much asked for in one piece as no machine has, by no shape that may be meant so? */
static bool
is_wrong(const struct oom_message *o)
{
	return o->size[OOM_ASKED].known && o->size[OOM_ASKED].bytes >= NOBODY_HAS && !o->shape.known && !o->apart && (o->kind == OOM_CUDA || o->kind == OOM_HOST || o->kind == OOM_MACHINE || o->kind == OOM_OTHER);
}

/* What 63 bits cannot say: as what is free, a count that ran below 0; as what was asked for, a
 * wrong one. */
static void
tell_beyond(struct oom_message *o, const struct detail *d)
{
	if (d->role == DETAIL_SIZE && d->value == OOM_FREE)
		o->wrapped = true;
	if (d->role == DETAIL_SIZE && d->value == OOM_ASKED && !o->size[OOM_ASKED].known)
		tell_wrong(o);
}

/* Up to STOP, or where another message or error than OWN begins, or it itself on another line:
 * returned. CUDA's error has its own name in its text, which would begin a message by itself; where
 * an amount is told ahead of it, in words and as a code. */
static const char *
read_details(const struct log_reader *r, struct telling *t, const struct phrase *own, const char *s, const char *stop,
    const char *end)
{
	const char *from = s;
	struct oom_message *o = t->o;
	int nested = o->kind == OOM_CUDA ? 1 + o->size[OOM_ASKED].known : o->kind == OOM_MPS;
	const struct detail *d;
	const struct phrase *p;
	const char *after;
	struct oom_match m;

	for (; s < stop; s++) {
		p = oom_find_phrase(r, s, end, &m, &after);
		if (ends_message(p, o) && ((p == own && memchr(from, '\n', (size_t)(s - from))) || nested-- == 0))
			break;
		if (p && p->role == ROLE_SPEAKER && (t->flags & PHRASE_ANYONE)) {
			o->who = p->who;
			t->flags &= ~(unsigned)PHRASE_ANYONE;
		}
		for (d = r->details[o->kind]; d && d->kind == o->kind; d++)
			if (oom_may_begin(d->pattern, s, end) && oom_pattern(d->pattern, s, end, &m) && !is_of_sentence(r, d, s, end)) {
				if (d->role == DETAIL_END)
					return s;
				if (!m.beyond)
					oom_tell_detail(t, d, &m);
				else
					tell_beyond(o, d);
			}
	}
	return s;
}

/* Do the words stand for themselves: does the sentence end, or the exception's name? */
static bool
stands_alone(const char *s, const char *end)
{
	struct oom_match m;

	return oom_pattern("!", s, end, &m) || oom_pattern("\n", s, end, &m) || oom_pattern("Error", s, end, &m) ||
	    oom_pattern("Exception", s, end, &m);
}

/* Where a blank line follows, up to STOP; NULL: none does. */
static const char *
paragraph_end(const char *s, const char *stop)
{
	for (; (s = memchr(s, '\n', (size_t)(stop - s))); s++)
		if (s + 1 < stop && s[1] == '\n')
			return s;
	return NULL;
}

/* How far a message may go on: one that may be of something else, to the end of its line. */
static const char *
details_end(const struct phrase *p, const char *s, const char *end)
{
	bool brief = p->role != ROLE_MESSAGE || (p->kind == OOM_CUDA && !(p->flags & PHRASE_STACK));
	ptrdiff_t most = brief ? FEW : DETAILS;
	const char *stop = end - s > most ? s + most : end, *line;

	if (p->role == ROLE_MESSAGE && (p->flags & PHRASE_WARNING) && (line = memchr(s, '\n', (size_t)(stop - s))))
		return line;
	if (brief && !(p->flags & PHRASE_ANYONE) && (line = paragraph_end(s, stop)))
		stop = line;
	if (p->role == ROLE_MESSAGE || (p->role == ROLE_NAMED && stands_alone(s, end)))
		return stop;
	line = memchr(s, '\n', (size_t)(stop - s));
	return line ? line : stop;
}

/* ONNX Runtime arranges channels in blocks for processors alone, and names such nodes so. */
static bool
is_of_processor(const struct oom_message *o)
{
	return o->kind == OOM_ONNX && strstr(o->node, "_nchwc");
}

/* Did it happen while an earlier message's error was being handled? */
static bool
follows(const struct log_reader *r)
{
	int at = r->around.handling_line, i;

	for (i = 0; at && r->line - at < NEAR_LINES && i < r->log->messages.n; i++)
		if (r->log->messages.v[i].line < at && at - r->log->messages.v[i].last < NEAR_LINES)
			return true;
	return false;
}

/* What may stand between CUDA's name and what befell memory, where a person writes both. */
#define OF_CUDA_ERROR	"error errors exception failure runtime driver api is was ran runs run running goes went gives gave throws says still again always a an the " \
    "returned returns failed fail fails with code message gpu device memory allocation kernel launch launching call"

/* "profiler_cuda.cpp:23: out of memory": is the name at NAME within that of a file of code, whose
 * line is all that stands between it and AT? */
static bool
is_of_source(const char *name, const char *at)
{
	const char *s, *line;

	for (s = name; s < at && *s != '.' && *s > ' '; s++)
		;
	if (at - s < 4 || *s != '.' || !strchr("ch", s[1]))
		return false;
	for (s++; s < at && (is_letter(*s) || *s == '+'); s++)
		;
	for (line = s; s < at && (is_digit(*s) || memchr(":()", *s, 3)); s++)
		;
	return s > line + 1 && !is_digit(s[-1]) && piece_past_blanks(s, at) == at;
}

/* "CUDA out of memory", "CUDA error at a.h:9 - out of memory", "cudaMalloc(&a, n) failed: out of
 * memory", where the name begins at NAME: what failed. Not "the CUDA build of COLMAP ran out of
 * memory". */
static bool
is_what_failed(struct talk line, const char *name, const char *at)
{
	const char *s = name + strlen("cuda"), *to;

	if (at - name == sizeof("cuda.") - 1 && *s == '.')
		return true;		/* "torch.cuda.OutOfMemoryError", whatever stands ahead of it */
	if (is_of_source(name, at))
		return true;
	if (s < at && is_letter(*s)) {
		s = piece_past_word(s, at);
		if (talk_find_whole(talk_part(line, s, at), "fail|failed|fails", &(size_t){ 0 }) != piece_past_blanks(s, at))
			return s < at && *s == '(';	/* else a call that failed, or a check: "THCudaCheck FAIL: out of memory" */
	}
	if (talk_find_whole(talk_part(line, s, at), "error|runtime error|driver error", &(size_t){ 0 }) == piece_past_blanks(s, at))
		return talk_holds(talk_sentence(line, at), name);
	for (; s < at; s = to > s ? to : s + 1) {
		for (to = s; to < at && piece_is_word(*to); to++)
			;
		if ((to > s && !is_digit(*s) && !talk_is_one_of(talk_part(line, s, to), OF_CUDA_ERROR)) || memchr(".,;-", *s, 4))
			return false;
	}
	return true;
}

/* Does its line say ahead of it that the memory is CUDA's, and not the machine's that CUDA locks?
 * In a person's sentence CUDA's name may stand for a version, a build or a card that idles: there
 * it is to be what failed, and no machine's memory may be named. */
static bool
is_of_cuda(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	struct talk line = oom_line_of(r, s, after, end);
	const char *from = line.s, *name = NULL;
	struct oom_match m;

	for (; from < s; from++) {
		if (lower(*from) == 'h' && oom_pattern("~host", from, s, &m))
			return false;
		if (lower(*from) == 'c' && oom_pattern("~cuda", from, s, &m))
			name = from;
	}
	if (!name || oom_source_is_evidence(r->source))
		return name;
	return is_what_failed(line, name, s) && !talk_any_whole(line, "ram cpu") &&
	    !talk_any_whole(clause_word_ahead(line, name), "without no not");
}

/* "OP_REQUIRES failed at conv_ops.cc:501 : ...": the file of an operation that works on pictures or
 * sequences and makes no scores of pairs. */
static bool
convolves(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	return p->kind == OOM_TENSORFLOW && talk_any_phrase(oom_line_of(r, s, after, end), "failed at conv_|failed at depthwise_conv|"
	    "failed at maxpooling|failed at avgpooling|failed at pooling|failed at cudnn_pool|failed at fused_batch_norm|failed at resize_");
}

/* "OP_REQUIRES failed at softmax_op_gpu.cu.cc:219 : ...": the file of an operation that makes such
 * scores, as others do. */
static bool
attends(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	return p->kind == OOM_TENSORFLOW && talk_any_phrase(oom_line_of(r, s, after, end), "failed at softmax|failed at batch_matmul|failed at einsum");
}

/* Does what begins at S repeat, in anyone's words, what a program's message on the same line goes
 * on to say? Terminals break lines. */
static bool
is_told_already(const struct log_reader *r, const struct phrase *p, const struct oom_match *m, const char *s)
{
	return !m->size.known && p->role != ROLE_MESSAGE && r->told_kind == OOM_CUDA && r->before + (s - r->in.text) < r->told && r->log->messages.n > 0 &&
	    r->line - r->log->messages.v[r->log->messages.n - 1].last <= WRAPPED;
}

/* "raise RuntimeError('DataLoader worker (pid(s) {}) exited unexpectedly'.format(pids))": does S
 * stand in a text of which code makes an error, as tracebacks show it ahead of that? */
static bool
is_text_of_code(const struct log_reader *r, const char *s)
{
	const char *begin = oom_lines_ahead(r, s, 1), *from, *at;
	struct oom_match m;

	for (from = begin; from < s; from++) {
		at = *from == 'r' && (from == begin || !is_letter(from[-1])) ? oom_pattern("raise &(", from, s, &m) : NULL;
		if (at && at < s && (*at == 'f' || *at == 'r'))
			at++;
		if (at && at < s && (*at == '"' || *at == '\''))
			return !memchr(at + 1, *at, (size_t)(s - at - 1));
	}
	return false;
}

/* "This may cause CL_OUT_OF_RESOURCES": does the sentence that has the name of an error at S say no
 * more than that it may happen? */
static bool
is_foreseen(const struct log_reader *r, const char *s)
{
	const char *from = oom_lines_ahead(r, s, 1), *at;

	for (at = from; at + 1 < s; at++)
		if (strchr(".:;!?", *at) && at[1] == ' ')
			from = at + 1;
	return talk_any_phrase(lexicon_read(r->lexicon, from, (size_t)(s - from)), "may cause|can cause|could cause|might cause|may lead to|"
	    "can lead to|could lead to|might lead to|may result in|can result in|could result in|might result in");
}

#define ASSUMES		"what i assume|what i think|what i believe|what i guess|what i suspect|what i presume|what seems to be|what seem to be|what looks like|what appears to be|what appear to be|i assume are|i assume is|which i assume"
#define ASSUMED_WITHIN	48	/* bytes ahead of what is assumed */

/* "I get what I assume are CUDA out of memory errors": a person's name for a failure that says
 * something else. */
static bool
is_assumed(const struct log_reader *r, const char *s)
{
	const char *from = oom_lines_ahead(r, s, 1);

	from = s - from > ASSUMED_WITHIN ? s - ASSUMED_WITHIN : from;
	return r->source == SOURCE_PROSE && talk_has_whole(lexicon_read(r->lexicon, from, (size_t)(s - from)), ASSUMES);
}

/* "    cudaErrorMemoryAllocation = 2,", "#define CL_OUT_OF_RESOURCES -5": a line of a header, which
 * says what number the code at S has. */
static bool
is_defined(const struct log_reader *r, const char *s, const char *after, const char *end)
{
	struct talk line = oom_line_of(r, s, after, end);
	const char *to = line.s + line.n, *from = piece_past_blanks(line.s, to), *value = piece_past_blanks(after, to);
	bool defines = to - from > 8 && memcmp(from, "#define ", 8) == 0;

	if (piece_past_blanks(defines ? from + 8 : from, to) != s)
		return false;
	if (value < to && *value == '=')
		value = piece_past_blanks(value + 1, to);
	else if (!defines)
		return false;
	value += value < to && (*value == '-' || *value == '(');
	return value < to && is_digit(*value);
}

/* Is what begins at S no more than a name of what happens, in a sentence that denies it or advises,
 * or in code? */
static bool
is_not_reported(const struct log_reader *r, const struct phrase *p, const char *s, const char *after, const char *end)
{
	if (is_foreseen(r, s) || is_defined(r, s, after, end))
		return true;
	if (r->log->messages.n > 0 && r->log->messages.v[r->log->messages.n - 1].last == r->line)
		return false;		/* the line has one that is */
	if (p->kind == OOM_KERNEL && (p->flags & PHRASE_HEDGED) && r->source == SOURCE_PROSE &&
	    talk_any_whole(talk_sentence(oom_line_of(r, s, after, end), s), "means meaning indicates usually typically generally"))
		return true;		/* "exit code 137 means that memory ended" */
	if (p->kind == OOM_KERNEL && (p->flags & PHRASE_HEDGED) && r->source == SOURCE_PROSE &&
	    talk_any_phrase(oom_line_of(r, s, after, end), "docker stop|docker kill|kill -9|scancel|i stopped|i killed|we stopped|we killed"))
		return true;		/* "exit code 137 after I ran docker stop": by whom is said */
	if (p->kind == OOM_OTHER && strstr(p->pattern, "esource") && oom_short_is_of_service(oom_surroundings(r, s, after, end)))
		return true;
	if (p->kind == OOM_CUDA && !p->says && is_assumed(r, s))
		return true;
	return (p->kind == OOM_OTHER || (p->flags & PHRASE_NAME) || (p->kind == OOM_CUDA && !p->says && !p->host && !p->who)) &&
	    !oom_told_happened(oom_line_of(r, s, after, end), s, (size_t)(after - s));
}

#define RAISED_WITHIN	3	/* lines from the line of code that raises an error to the error */
#define NEAR_WORDS	12	/* lines of a traceback ahead of its error */
#define OF_GPU		"on gpu|on the gpu|gpu memory"

/* What stands behind S on its line. */
static struct talk
words_behind(const struct log_reader *r, const char *s, const char *end)
{
	const char *to = s;

	while (to < end && to - s < TRACE_BEHIND && !oom_is_line_end(*to))
		to++;
	return lexicon_read(r->lexicon, s, (size_t)(to - s));
}

/* "MemoryError: no room on the GPU": Python's own has no words, NumPy's tells of an array; one
 * whose words, or whose traceback, name a device may be of that. */
static bool
is_worded(const struct log_reader *r, const struct phrase *p, const char *s, const char *end)
{
	struct talk words;
	const char *from;

	if (p->kind != OOM_MACHINE || p->says || !strstr(p->pattern, "MemoryError") || end - s < 3 || memcmp(s, ": ", 2) != 0)
		return false;
	words = words_behind(r, s, end);
	if (talk_any_phrase(words, "device memory|" OF_GPU "|on device|on the device"))
		return true;
	from = oom_lines_ahead(r, s, RAISED_WITHIN);	/* a program's own: whose memory that is, it may say */
	if (is_letter(s[2]) && !talk_any_whole(words, "ram host cpu system machine") &&
	    talk_any_phrase(lexicon_read(r->lexicon, from, (size_t)(s - from)), "raise memoryerror("))
		return true;
	words = words_behind(r, s, end);	/* the lexicon keeps no two at a time */
	if (!is_letter(s[2]) || talk_any_of(words, "alloc array bytes memory size"))
		return false;
	from = oom_lines_ahead(r, s, NEAR_WORDS);
	return talk_any_of(lexicon_read(r->lexicon, from, (size_t)(s + words.n - from)), "cuda gpu device vram cupy opencl");
}

/* JAX is built with TensorFlow's allocator, too: is it JAX's, by a line beside it? What TensorFlow
 * builds of XLA lies in external/local_xla. */
static bool
is_of_jax(const struct log_reader *r, const struct phrase *p, const char *begin, const char *s, const char *end)
{
	return (p->kind == OOM_TF_ALLOCATOR || (p->kind == OOM_TENSORFLOW && strncmp(p->pattern, "Allocator (", 11) == 0)) &&
	    talk_any_phrase(oom_surroundings(r, begin, s, end), "external/org_tensorflow/|external/xla/|external/tsl/|/jax/_src/|/jaxlib/|xlaruntimeerror");
}

/* "CUDA_ERROR_OUT_OF_MEMORY in cuMemAddressReserve"; ggml has the call two lines below its
 * message. */
static bool
reserves_addresses(const struct log_reader *r, const struct oom_message *o, const char *begin, const char *s, const char *end)
{
	return o->kind == OOM_CUDA && !o->says && !o->host && (talk_any_phrase(oom_line_of(r, begin, s, end), "cumemaddressreserve") ||
	    talk_any_phrase(oom_surroundings(r, begin, s, end), "cumemaddressreserve(&"));
}

/* Calls that lock memory of the machine, and those that take a device's. */
#define LOCKS		"hiphostmalloc|hiphostregister|hiphostalloc|hipmallochost|cudamallochost|cudahostalloc|cudahostregister|cumemhostalloc|cumemallochost|cumemhostregister"
#define OF_DEVICE	"cudamalloc|hipmalloc|cumemalloc|cudamallocmanaged|cudamallocasync|hipmallocmanaged|hipmallocasync|cumemallocmanaged|cumemallocasync|cudamallocpitch"
#define FAILS		"fail failed fails failing failure return returns returned error errors causing causes caused gives gave refused"

/* vLLM's cache of keys and values, on the processor: what to raise then is a variable. */
static bool
serves_on_processor(const struct log_reader *r, const struct phrase *p, const char *s, const char *end)
{
	return p->who && strcmp(p->who, "vLLM") == 0 && talk_any_phrase(words_behind(r, s, end), "vllm_cpu_kvcache_space");
}

/* "Return value 2 from 'cudaMallocHost(&chunk, n)'", "hipHostRegister returns an out of memory
 * error": T names such a call as what failed, and none that takes a device's memory. */
static bool
says_locks(struct talk t)
{
	const char *at = NULL;
	bool locks = false;
	size_t n;

	while (talk_next_phrase(t, LOCKS, &at, &n))
		locks |= (at + n < t.s + t.n && at[n] == '(') || talk_any_whole(talk_sentence(t, at), FAILS);
	for (at = t.s; locks && (at = talk_find_whole(talk_part(t, at, t.s + t.n), OF_DEVICE, &n)); at += n)
		locks = clause_works(talk_clause(t, at, n));
	return locks;
}

static bool
locks_pages(const struct log_reader *r, const struct oom_message *o, const char *begin, const char *s, const char *end)
{
	return o->kind == OOM_CUDA && !o->says && !o->host && (says_locks(oom_line_of(r, begin, s, end)) || says_locks(oom_surroundings(r, begin, s, end)));
}

#define LEAST_DOTS	2	/* of a weight's name within a network */

/* "ERROR blocks.0.norm1.weight CUDA out of memory": a program that puts weights on a device, or
 * patches them there, one by one, names the one that found no room. */
static bool
names_weight(const struct log_reader *r, const char *begin)
{
	const char *from = oom_lines_ahead(r, begin, 1), *end = begin, *s;
	int dots = 0;

	while (end > from && strchr(" :", end[-1]))
		end--;
	for (s = end; s > from && (is_letter(s[-1]) || is_digit(s[-1]) || s[-1] == '_' || s[-1] == '.'); s--)
		dots += s[-1] == '.';
	return dots >= LEAST_DOTS && ((end - s > 7 && memcmp(end - 7, ".weight", 7) == 0) || (end - s > 5 && memcmp(end - 5, ".bias", 5) == 0)) &&
	    s > from && s[-1] == ' ';
}

/* By the call in the traceback's last lines: was it a file that Python was to map? Without one
 * (mmap(-1, ...)) it is memory. */
static bool
maps_file(struct log_reader *r, const struct oom_message *o, const char *begin)
{
	const char *from;
	struct talk ahead;

	if (!o->says || strcmp(o->says, NO_PROCESS) != 0)
		return false;
	from = oom_lines_ahead(r, begin, NEAR_WORDS);
	ahead = lexicon_read(r->lexicon, from, (size_t)(begin - from));
	return talk_any_phrase(ahead, "mmap.mmap(") && !talk_any_phrase(ahead, "mmap.mmap(-1|subprocess|os.fork|heap.py|shared_memory");
}

void
oom_message(struct log_reader *r, const struct phrase *p, const struct oom_match *m, const char *begin,
    const char *s, const char *end)
{
	const char *speaker = p->flags & PHRASE_ANYONE ? oom_speaker(&r->around, r->line) : NULL;
	struct oom_message o = { .kind = p->kind, .line = r->line, .last = r->line, .count = 1,
		.host = p->host, .gpu = -1, .hedged = p->flags & PHRASE_HEDGED, .says = p->says,
		.status = p->flags & PHRASE_ASSERTED, .again = p->flags & PHRASE_AGAIN, .echo = p->flags & PHRASE_ECHO,
		.limited = p->flags & PHRASE_LIMITED, .apart = p->flags & PHRASE_APART, .warning = p->flags & PHRASE_WARNING,
		.facts = p->flags & PHRASE_PIECE ? TRACE_LIMIT : strstr(p->pattern, "ggml_gallocr_reserve") ? TRACE_COMPUTE : 0, .windows = p->flags & PHRASE_WINDOWS, .cpp = p->flags & PHRASE_CPP, .follows = follows(r),
		.who = speaker ? speaker : p->who ? p->who : oom_kind_name(p->kind) };
	struct telling t = { .o = &o, .flags = speaker ? 0 : p->flags };
	const char *told, *code;
	bool within;		/* the text of another: CUDA's name of what that one says */

	if (is_worded(r, p, s, end)) {
		o.kind = talk_any_phrase(words_behind(r, s, end), OF_GPU) ? OOM_CUDA : OOM_OTHER;
		o.host = false;
		o.who = o.kind == OOM_CUDA ? "a GPU" : oom_kind_name(OOM_OTHER);
	}
	if (is_of_jax(r, p, begin, s, end)) {
		o.kind = p->kind == OOM_TF_ALLOCATOR ? OOM_XLA : OOM_CUDA;	/* without figures XLA's would be its compiler's */
		o.who = oom_kind_name(OOM_XLA);
	}
	if (reserves_addresses(r, &o, begin, s, end)) {
		o.apart = true;
		o.says = NO_ADDRESSES;
	}
	if (maps_file(r, &o, begin)) {
		o.apart = true;
		o.says = PYTHON_NOT_MAPPED;
	}
	if (locks_pages(r, &o, begin, s, end)) {
		o.host = true;
		o.says = HOST_ALLOCATOR;
	}
	if (serves_on_processor(r, p, s, end)) {
		o.host = true;
		o.says = KV_ON_PROCESSOR;
	}
	if (m->shape.known) {
		o.shape = m->shape;
	} else if (m->beyond) {
		tell_wrong(&o);
	}
	oom_tell_sizes(&o, p, m);
	if (m->place.known)
		oom_tell_detail(&t, &(struct detail){ .role = DETAIL_PLACE }, m);
	if (p->kind == OOM_ONNX)
		memcpy(o.node, r->around.operation, sizeof(o.node));
	if (p->kind == OOM_CUDA && r->around.gpu_line && r->line - r->around.gpu_line <= 2)
		o.gpu = r->around.gpu;
	r->around.xla |= p->kind == OOM_XLA;
	within = p->kind == OOM_CUDA && r->told_kind == OOM_CUDA &&
	    r->before + (s - r->in.text) < r->told;
	told = o.apart && !o.beyond ? s : read_details(r, &t, p, s, details_end(p, s, end), end);
	oom_tell_element(&o);
	if (is_wrong(&o))
		tell_wrong(&o);
	o.host |= is_of_processor(&o);
	if (is_told_already(r, p, m, s) || is_text_of_code(r, begin) || (o.warning && r->source == SOURCE_CODE))	/* what code would say */
		return;
	if (within && !p->who && !p->says && !m->size.known)
		return;
	if (p->role != ROLE_MESSAGE && !o.size[OOM_ASKED].known && !o.shape.known && !m->beyond &&
	    !(p->role == ROLE_NAMED && stands_alone(s, end)))
		return;
	if (!o.size[OOM_ASKED].known && !o.shape.known && is_not_reported(r, p, begin, s, end))
		return;
	r->told = r->before + (told - r->in.text);
	r->told_kind = p->kind;
	o.of_cuda = p->kind == OOM_OTHER && !strstr(p->pattern, "esource") && is_of_cuda(r, begin, s, end);	/* which CUDA itself does not say */
	o.of_tensorflow = p->role == ROLE_NAMED && end - begin > 22 && memcmp(begin, "ResourceExhaustedError", 22) == 0;
	o.convolves = convolves(r, p, begin, s, end);
	o.attends = attends(r, p, begin, s, end);
	code = oom_lines_ahead(r, begin, 3);
	o.alone = r->titled;
	oom_trace_message(&r->trace, &o, code, (size_t)(begin - code), r->source);
	if (!o.facts && !o.host && (o.of_weight = names_weight(r, begin)))
		o.facts = TRACE_LOADING;
	if (o.warning && o.says && strcmp(o.says, SKIPPED) == 0)
		oom_keep_caught(r->log, r->line, false);
	oom_keep(r->log, &o);
}
