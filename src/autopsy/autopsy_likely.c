/*
 * What it may be where a log shows nothing of the cause, but what it failed at is told by its
 * message or by people's words: a table, of which the first row counts whose signs are all there.
 * Where nothing is told nothing is said: what is usual is no evidence of a run, and of public
 * threads (bench/threads.md) every other wrong sentence was of such a list.
 */
#include "autopsy/autopsy_parts.h"
#include "autopsy/autopsy_rows.h"

#include <string.h>

#include "base/text.h"
#include "oom/oom_keep.h"
#include "oom/oom_says.h"

/* What rows rest on that need no line of their own: the failing message, and whose program it
 * is. */
#define OF_MESSAGE	(NEEDS_HOST | NEEDS_TORCH | NEEDS_WORDS | NEEDS_POOL | NEEDS_LIBRARY | NEEDS_DRIVER | NEEDS_STRANGER | \
    NEEDS_SESSION | NEEDS_UNDER_WAY)

/* What makes a row one of the machine's memory, or of either. */
#define OF_EITHER	(NEEDS_HOST | NEEDS_TRIALS | NEEDS_AGAIN | NEEDS_STRANGER | NEEDS_REPLAY | NEEDS_AGENT | NEEDS_DATA | NEEDS_CODES | NEEDS_SHAPES | NEEDS_VECTORS | NEEDS_FALLS | NEEDS_COLLECTED | \
    NEEDS_LONG | NEEDS_LARGE | NEEDS_MODELS | NEEDS_FULL | NEEDS_RISES | NEEDS_COPIES)

/* What makes a row one that holds where trees are learned, too. */
#define OF_TREES	(NEEDS_DATA | NEEDS_TRIALS | NEEDS_AGAIN | NEEDS_STAYS | NEEDS_SHARED | NEEDS_FREE | NEEDS_COPIES)

/* The sign's place among others. */
static int
place(uint64_t sign)
{
	return __builtin_ctzll(sign | NEEDS(SIGNS));
}

/* Is a framework named that takes a device at once, and is not told otherwise? */
static bool
has_pool(const struct oom_told *t)
{
	bool all = false;
	int i;

	for (i = 0; i < TOLD_FRAMEWORKS; i++)
		all |= t->framework[i].line && oom_told_pool(i) == POOL_ALL;
	return all && !t->as_needed;
}

/* Where a framework is named that takes a device's memory at once, of a device that is only said to
 * be full; or NULL. Beside PyTorch TensorFlow may be there for its board alone. */
static const struct said *
takes_all(const struct oom_told *t)
{
	int i;

	for (i = 0; t->what == TOLD_FULL && t->device && !t->as_needed && i < TOLD_FRAMEWORKS; i++)
		if (t->framework[i].line && oom_told_pool(i) == POOL_ALL && !(t->framework[0].line && strcmp(oom_told_framework(i), "TensorFlow") == 0))
			return &t->framework[i];
	return NULL;
}

static bool
is_library(const struct oom_message *o)
{
	return o->kind == OOM_CUDA && o->status && strncmp(o->who, "cu", 2) == 0;
}

/* Did the system end the process, as the message says in so many words, or by its signal, or
 * people do? */
static bool
is_killed(const struct oom_message *o)
{
	return o->says && (o->kind == OOM_TOLD ? o->host : o->kind == OOM_KERNEL && (strcmp(o->says, SIGNAL_9) == 0 || strcmp(o->says, KILLED) == 0));
}

/* Was it the heap of Java or of JavaScript, of which nothing tells what had filled it? */
static bool
is_heap(const struct oom_message *o)
{
	return o->says && (strcmp(o->says, JAVA_HEAP) == 0 || strcmp(o->says, SCRIPT_HEAP) == 0);
}

/* Does it tell how its program went on, and of no cause? */
static bool
went_on(const struct oom_message *o)
{
	return o->says && strcmp(o->says, JITTOR_MANAGED) == 0;
}

/* Does the message say no more than that a device was full, where a program names what ran then? */
static bool
is_bare(const struct autopsy *y)
{
	return autopsy_says_little(y->main) && y->main->says && (y->log.paste.loading.line || y->log.paste.decoder.line);
}

/* Do people tell of a program, and of nothing that a network has? A bare message is taken for a
 * network's. */
bool
autopsy_tells_no_network(const struct oom_paste *p)
{
	const struct oom_told *t = &p->told;

	return p->prose && !p->network && !p->torch && !p->retains.line && !t->graph.line && !t->vocabulary.line && !t->darknet.line && !t->replay.line && !t->agent.line &&
	    !t->splats.line && !t->update.line && !t->shuffle.line && !t->workers.line && !p->evaluating.line && !p->inferring.line;
}

/* Do all signs tell of trees that are learned, and none of a network? */
bool
autopsy_is_of_trees(const struct oom_paste *p)
{
	return p->trees && !p->layers && !p->torch && !p->torch_files && !p->tf_files && !p->jax_files;
}

/* Is it of the machine's memory: by the message, or by words of a library that has no other, beside
 * which no device is named? */
bool
autopsy_is_of_machine(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return y->main->host || ((y->main->kind == OOM_TOLD || oom_is_vague(y->main)) && (p->classic || p->trees || p->tables) && !p->layers && !p->torch && !p->torch_files && !p->told.device && !p->told.gpu && !p->gpu_files);
}

/* Was a framework's own allocator refused ahead of what the driver refused? */
static bool
was_under_way(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->log.messages.n; i++)
		if (y->log.messages.v[i].kind == OOM_TF_ALLOCATOR && y->log.messages.v[i].line < y->main->line)
			return true;
	return false;
}

/* Has a line that reads weights been told of, which says the same? */
static bool
is_reading_told(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->reported.n && y->reported.v[i].kind != SAYS_READING; i++)
		;
	return i < y->reported.n;
}

/* Do people name the machine's memory, and no device, though not where they say that memory
 * ended? */
bool
autopsy_is_near_ram(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;

	return (y->main->kind == OOM_TOLD || (y->main->kind == OOM_OTHER && oom_is_vague(y->main))) && !y->main->host && ((!t->device && t->ram && !t->gpu) || autopsy_grows_in_machine(y));
}

/* Is it a program that makes images, whose steps and batches are its own? */
static bool
draws_images(const struct autopsy *y)
{
	return (y->log.paste.images || y->log.paste.images_told) && !autopsy_trains(y);
}

/* In place of words, where the place tells of tests. */
static const struct said placed = { 1, "" };

/* "When I test sequence 10", of a program of C++ that nothing tells to have a network: it is
 * tried. */
static bool
is_tried_program(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const char *words = p->evaluating.words;

	return y->main->cpp && p->prose && !p->layers && !p->torch && !p->trains && strstr(words, "test") && !strstr(words, "valid") && !strstr(words, "eval") && !strstr(words, "predict");
}

/* Do people use any of those WORDS there? */
static bool
says_any(const struct said *said, const char *const *words)
{
	int i;

	for (i = 0; words[i] && !(said->line && strstr(said->words, words[i])); i++)
		;
	return words[i] != NULL;
}

/* Do they call pictures large, by a word for that and not by their sides? */
static bool
says_large(const struct said *large)
{
	static const char *const words[] = { "large", "big", "huge", "太大", "过大", NULL };

	return says_any(large, words);
}

/* And what is given long, or do they tell from how much on it fails? A film alone is not long. */
static bool
says_long(const struct said *media)
{
	static const char *const words[] = { "a long ", "very long", "too long", "long audio", "long video", "long text", "long input", "longer than", "more than ", "over ", "all frames", "00 frames", "hours", "-hour", "hour audio", "hour video", "hour record", "-minute", "minute audio", "minute video", "minute record", "minute long", "minutes long", "minutes of", "小时", "分钟的", "分钟音", "分钟视", "很长", "较长", "太长", "过长",
	    "超过", NULL };

	return media && says_any(media, words);
}

/* What there is of what rows need; TOLD: the words in which people speak of it. */
static uint64_t
signs(const struct autopsy *y, const struct said *told[SIGNS + 1])
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;
	uint64_t is = o->host ? NEEDS_HOST : 0;
	bool words = o->kind == OOM_TOLD;
	int i;

	/* predictions in a loop, with which memory grows, are told by themselves */
	told[place(NEEDS_EVALUATES)] = is_tried_program(y) || (words && p->grows.line && p->habits.of[HABIT_PREDICTS].line) ? NULL : &p->evaluating;
	told[place(NEEDS_RISES)] = told[place(NEEDS_EVALUATES)] && p->evaluating.line == p->grows.line ? &p->evaluating : NULL;
	told[place(NEEDS_METRICS)] = o->host ? NULL : &p->metrics;
	told[place(NEEDS_LATE)] = (p->loads_halted && !autopsy_had_rounds(y)) ? NULL : p->later.line && (p->talk.line == p->later.line || p->decoder.line == p->later.line) ? NULL : &p->later;
	/* what the system ended had no more of the machine's memory, however a device is named */
	told[place(NEEDS_INFERS)] = (words && !o->host && p->told.killed.line && p->told.by_system) || p->trains || p->converts_there || p->one_runs.line ? NULL : &p->inferring;
	told[place(NEEDS_LONG)] = p->inferring.line ? (says_long(&p->media) ? &p->media : NULL) : p->media.line || words || o->host ? &p->media : &p->lasts;
	told[place(NEEDS_REPLAY)] = words || is_killed(o) ? &p->told.replay : NULL;
	told[place(NEEDS_VECTORS)] = p->grows.line || autopsy_counts_words(y) ? NULL : o->host || (words && !p->told.device && !p->told.gpu) ? &p->told.vectors : NULL;
	told[place(NEEDS_LOADS)] = p->resuming.line || autopsy_goes_on(y) || p->twice.line || (o->host && (p->grows.line || p->llama || is_reading_told(y))) || autopsy_tells_no_network(p) || (o->facts & (TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP)) ? NULL : &p->loading;
	told[place(NEEDS_RESUMES)] = p->resuming.line ? &p->resuming : autopsy_goes_on(y) ? &p->loading : autopsy_had_rounds(y) || autopsy_tells_when(p) ? NULL : &p->resumed;
	told[place(NEEDS_SAVES)] = &p->saving;
	told[place(NEEDS_GRAPH)] = (words && p->grows.line) || p->later.line ? NULL : &p->told.graph;
	told[place(NEEDS_DARKNET)] = o->host || autopsy_grows_there(y) || p->later.line ? NULL : &p->told.darknet;
	told[place(NEEDS_DATA)] = p->cached.line ? NULL : o->kind == OOM_MACHINE || is_killed(o) || is_heap(o) || (words && (o->host || (!p->told.device && !p->told.gpu))) ? &p->told.data : NULL;
	told[place(NEEDS_SHAPES)] = &p->shapes;
	told[place(NEEDS_ADAPTER)] = &p->told.adapter;
	told[place(NEEDS_FULL)] = o->host || p->later.line || (p->inferring.line && !autopsy_trains(y)) || (told[place(NEEDS_RESUMES)] && told[place(NEEDS_RESUMES)]->line) || (p->measures.line[MEASURE(BY_ADAPTER)] && !p->told.full_set) ? NULL : &p->told.full;
	told[place(NEEDS_CODES)] = told[place(NEEDS_DATA)] ? &p->told.codes : NULL;
	told[place(NEEDS_SECOND)] = o->host || p->grows.line || autopsy_is_of_another(y) || (words && !autopsy_may_be_torch(y) && !autopsy_trains(y)) || p->inferring.line || p->evaluating.line ? NULL : &p->second;
	told[place(NEEDS_ADAM)] = o->host ? NULL : &p->adam;
	told[place(NEEDS_LARGE)] = p->same_size ? NULL : &p->large;
	/* "a GPU (2 GB available)": what is free of it */
	told[place(NEEDS_CARD)] = o->host || (p->card.line && p->card.line == p->unused.line && strcmp(p->card.words, p->unused.words) == 0) || p->told.host || (words && p->told.ram && !p->told.device) || p->later.line || p->second_fails || p->knobs[KNOB_THREADS].line ? NULL : &p->card;
	told[place(NEEDS_DECODES)] = o->host || (o->facts & TRACE_DECODER) ? NULL : &p->decoder;
	told[place(NEEDS_GROWS)] = autopsy_grows_there(y) ? &p->grows : NULL;
	told[place(NEEDS_FALLS)] = o->host || (words && !p->told.device && !p->told.gpu) ? &p->falls : NULL;
	told[place(NEEDS_SHUFFLE)] = words && (!p->told.sure || o->host) ? &p->told.shuffle : NULL;
	told[place(NEEDS_PROCESSOR)] = (words || is_killed(o)) && !p->grows.line && !p->later.line ? &p->told.processor : NULL;
	told[place(NEEDS_WORKERS)] = words && (o->host || !p->grows.line || (!p->told.sure && p->grows.line == p->told.workers.line)) ? &p->told.workers : NULL;
	told[place(NEEDS_CLOUD)] = o->host ? NULL : &p->told.cloud;
	told[place(NEEDS_COLLECTED)] = p->lua && !p->told.collected.line && autopsy_grows_there(y) ? &p->grows : &p->told.collected;
	told[place(NEEDS_SPLATS)] = o->host ? NULL : &p->told.splats;
	told[place(NEEDS_AGENT)] = !p->decided.writes && (o->host || (words && (p->grows.line || autopsy_is_near_ram(y)) && !p->told.device)) ? &p->told.agent : NULL;
	told[place(NEEDS_UPDATE)] = o->host || (o->facts & (TRACE_FORWARD | TRACE_BACKWARD)) ? NULL : &p->told.update;
	told[place(NEEDS_TAKES_ALL)] = words && !p->mac ? takes_all(&p->told) : NULL;
	told[place(NEEDS_RETAINS)] = o->host || p->keeps ? NULL : &p->retains;
	told[place(NEEDS_FIRST)] = o->host || autopsy_is_of_another(y) ? NULL : &p->first;
	told[place(NEEDS_VOCABULARY)] = o->host ? NULL : &p->vocabulary;
	told[place(NEEDS_UNFREEZES)] = o->host ? NULL : &p->unfreezes;
	/* a restart frees what had grown; a session's second run is no second process */
	told[place(NEEDS_AGAIN)] = (p->other_sessions && strstr(p->again.words, "session")) || (p->grows.line && p->grows.line == p->again.line && (strstr(p->again.words, "重启") || strstr(p->again.words, "restart"))) ? NULL : &p->again;
	told[place(NEEDS_HOOK)] = o->host ? NULL : &p->hook;
	told[place(NEEDS_MODELS)] = &p->models;
	told[place(NEEDS_CONVERTS)] = o->host && !autopsy_is_tried(y, BY_ADAPTER) ? &p->converts : NULL;
	told[place(NEEDS_TRIALS)] = &p->trials;
	told[place(NEEDS_SHARED)] = o->host ? NULL : &p->shared;
	told[place(NEEDS_BOXES)] = o->host ? NULL : &p->boxes;
	told[place(NEEDS_LOSS)] = o->host || (o->facts & (TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP)) ? NULL : &p->loss;
	told[place(NEEDS_PENALTY)] = o->host || autopsy_is_of_another(y) ? NULL : &p->penalty;
	told[place(NEEDS_CLASSES)] = o->host ? NULL : &p->classes;
	told[place(NEEDS_SINGLE)] = o->host || p->splits || p->shares || autopsy_is_of_another(y) ? NULL : &p->single;
	told[place(NEEDS_FREE)] = o->host ? &p->spare : p->single.line && p->single.line == p->unused.line ? NULL : &p->unused;
	told[place(NEEDS_PEAK)] = o->host ? NULL : &p->peak;
	told[place(NEEDS_COPIES)] = o->host || (words && !p->told.sure) ? &p->replicas : NULL;
	told[place(NEEDS_OUTLASTS)] = o->host ? NULL : &p->outlasts;
	told[place(NEEDS_STAYS)] = o->host ? NULL : &p->stays;
	if (!p->evaluating.line && !p->inferring.line && !o->host && !autopsy_is_near_ram(y) && autopsy_in_tests(y))
		told[place(NEEDS_EVALUATES)] = told[place(o->phase ? NEEDS_EVALUATES : NEEDS_INFERS)] = &placed;
	is |= words ? NEEDS_WORDS : 0;
	is |= p->session && !p->finalizes && !p->other_sessions ? NEEDS_SESSION : 0;
	is |= autopsy_tells_no_network(p) || (p->domains[DOMAIN_BROWSER].line && p->domains[DOMAIN_WEBGL].line) || (p->classic && autopsy_is_of_machine(y)) || draws_images(y) ? NEEDS_STRANGER : 0;
	is |= is_library(o) ? NEEDS_LIBRARY : 0;
	is |= has_pool(&p->told) ? NEEDS_POOL : 0;
	for (i = 0; i < SIGNS; i++)
		is |= told[i] && told[i]->line ? NEEDS(i) : 0;
	is |= autopsy_in_torch(y) && (autopsy_is_torch(o) || o->kind == OOM_CUDA || words) ? NEEDS_TORCH : 0;
	is |= was_under_way(y) ? NEEDS_UNDER_WAY : 0;
	return is | (autopsy_is_driver(o) ? NEEDS_DRIVER : 0);
}

/* Is nothing known but that memory ended, or hints beside it, of which those of words are no lines?
 * A model, or an allocator's dump, tells more. */
static bool
is_unknown(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (o && o->kind == OOM_XLA && (!o->size[OOM_ASKED].known || o->size[OOM_ASKED].bytes == 0))
		return false;		/* a sum of the program's own is what failed, or no memory at all */
	return o && ((y->causes.n == 0 && y->lines <= y->hints) || o->kind == OOM_TOLD) && ((!o->says && !o->hedged) || is_killed(o) || is_heap(o) || went_on(o) || is_bare(y)) && !o->warning && !(o->facts & TRACE_LIMIT) && !o->asserted && !o->apart &&
	    (o->host || (!y->module && !y->log.dump.any && (o->kind != OOM_MPS || !o->size[OOM_ASKED].known) && o->kind != OOM_OURS));
}

/* Whose memory it was, where a program's message tells; what people say of it is a condition. */
bool
autopsy_is_placed(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	return o->kind != OOM_TOLD && !o->hedged && !autopsy_is_named_alone(o) && (o->host || o->gpu >= 0 || (o->kind != OOM_OTHER && o->kind != OOM_TENSORFLOW));
}

/* May what grew be of either memory: is none of them named for sure, or is a device named and the
 * machine's memory, too, or that the system ended the process? */
static bool
is_any_memory(const struct oom_told *t)
{
	return !t->device || (t->ram && !t->sure) || (t->killed.line && t->by_system);
}

/* Do people name no memory of a device: none at all, or the machine's, beside a device that may be
 * there for something else? */
static bool
names_no_memory(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;

	return y->main->kind == OOM_TOLD && !y->main->host && !t->device && (!t->gpu || t->ram) && !autopsy_is_near_ram(y);
}

/* How a place tells of tests, where people do not. */
static const char *
by_place(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	return o->phase && !o->function[0] ? arena_printf(y->arena, " (by line %d, right ahead of the traceback)", o->phase) : !o->function[0] ? " (by the title of its bar of progress)" :
	    arena_printf(y->arena, " (by the traceback%s in %s())", o->kind == OOM_TOLD ? ", whose own error is not there," : "", o->function);
}

/* Words that were quoted already are not quoted again. */
static const char *
in_brackets(const struct autopsy *y, const struct said *said)
{
	return said == &placed ? by_place(y) : y->main->kind == OOM_TOLD && strcmp(said->words, y->log.paste.told.said.words) == 0 ?
	    arena_printf(y->arena, " (line %d)", said->line) : arena_printf(y->arena, " (%s)", autopsy_said(y, said));
}

/* "Where it was a device's memory, and it failed in validation (line 3 says "..."), it may be:" of
 * row R. */
static void
head(struct autopsy *y, const struct row *r, const struct said *told)
{
	const struct oom_message *o = y->main;
	bool either = !o->hedged && !(r->needs & NEEDS_WORKERS) && ((r->needs & (NEEDS_COPIES | NEEDS_DATA | NEEDS_CODES | NEEDS_REPLAY | NEEDS_VECTORS | NEEDS_COLLECTED)) || ((r->needs & (NEEDS_GROWS | NEEDS_TRIALS)) && !o->host && is_any_memory(&y->log.paste.told) && !(autopsy_is_near_ram(y) && (r->needs & (NEEDS_TRIALS | NEEDS_HOST)))) ||
	    ((r->needs & (NEEDS_LONG | NEEDS_LARGE | NEEDS_LATE | (y->log.paste.told.ram ? NEEDS_AGAIN : 0))) && names_no_memory(y)));
	const char *whose = autopsy_is_placed(y) || either ? NULL : o->host || autopsy_is_near_ram(y) || (r->needs & (NEEDS_FALLS | NEEDS_AGENT | NEEDS_WORKERS | NEEDS_SHUFFLE)) ? "it was the machine's memory" :
	    "it was a device's memory";
	struct text t;

	text_init(&t, y->arena);
	if (autopsy_is_placed(y))
		text_printf(&t, "%s. ", autopsy_unfilled(y));
	if (whose || r->where)
		text_printf(&t, "Where %s%s%s%s, it may be:", whose ? whose : "", whose && r->where ? ", and " : "",
		    r->where ? r->where : "", r->where ? in_brackets(y, told) : "");
	else
		text_puts(&t, "By the message, it may be:");
	vec_push(y->arena, &y->likely, t.s);
}

static void
push(struct autopsy *y, const char *text)
{
	vec_push(y->arena, &y->likely, autopsy_worded(y, text));
}

/* C++ refuses a size that no machine has in the same words. */
#define WRONG_SIZE	" Where it fails at once, however much is free, the size may be wrong, as where it was read from a file that is damaged, cut, missing or of another form."

#define NO_SAMPLES	" Line %d names a database of samples. Where that was read then, and has none, as where the paths it was made of were wrong (LMDB's data.mdb has some kB then), or is damaged or cut, the size that was asked for was read from nothing, and " \
    "no machine has it: then it fails at once, however much is free."

#define NEAR_FAILURE	8	/* lines */

/* May what C++ refused be of a size that was read, as right ahead of it, or below a title,
 * something is, and no part of its work was done before? */
static bool
may_be_misread(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool below = y->main->last == 1 && p->database, ahead = p->reads > 0 && p->reads > y->main->last - NEAR_FAILURE && p->reads <= y->main->last + 1;

	return y->main->cpp && y->reported.n == 0 && (below || ahead) && !p->spent && !p->later.line;
}

/* Has the program of the message said in another one what it was, as R of its own limit? */
static bool
is_said_by_another(const struct autopsy *y)
{
	const struct oom_message *o;
	int i;

	for (i = 0; i < y->log.messages.n; i++) {
		o = &y->log.messages.v[i];
		if (o != y->main && o->says && !o->warning && !o->hedged && !o->apart && o->host == y->main->host && o->gpu == y->main->gpu && strcmp(o->who, y->main->who) == 0)
			return true;
	}
	return false;
}

/* What Slurm ended may have reached no more than its own limit. */
static void
job_limit(struct autopsy *y)
{
	if (strcmp(y->main->who, "Slurm") == 0)
		push(y, "Where the job's own limit was reached (--mem or --mem-per-cpu of sbatch and srun), and not the machine's end, sacct's MaxRSS, or seff, tells what it had taken, "
		    "and a higher limit lets it go on as far as the machine has as much.");
}

/* Is an allocation told of that no device has, or that more runs, whatever fills it? */
static bool
is_beyond(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->reported.n && y->reported.v[i].kind != SAYS_TOLD_ABSURD && y->reported.v[i].kind != SAYS_TOLD_MORE; i++)
		;
	return i < y->reported.n;
}

/* Where nothing tells what it may be: where to look. When it fails, and who else is there, would
 * tell causes apart, but which of them there are is no evidence of this run. */
static void
nothing_told(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	bool windows = y->log.paste.windows && !y->log.paste.wsl && !o->limited;

	if (is_said_by_another(y) || is_beyond(y))
		return;
	job_limit(y);
	if (autopsy_is_placed(y) && !o->says)
		push(y, o->host ? arena_printf(y->arena, "%s: the line of code that asked for it, and the machine's own tool (" MONITOR ") while it runs, tell more.%s%s%s",
		    o->cpp ? "It was the " MACHINES ". What had filled it, if anything had, was not found in what was read" : autopsy_unfilled(y), !may_be_misread(y) ? "" : y->log.paste.database ? arena_printf(y->arena, NO_SAMPLES, y->log.paste.database) : WRONG_SIZE,
		    windows ? " " PROMISED : "", windows && strcmp(o->who, "R") == 0 ? R_PROMISED : "") :
		    arena_printf(y->arena, "%s: " LISTER ", " UNTRIED(BY_ALONE, "before the run and ") "while it runs, tells more.", autopsy_unfilled(y)));
}

static void
push_items(struct autopsy *y, const struct row *r)
{
	const char *cause;
	int i;

	for (i = 0; i < MOST_LIKELY && r->item[i].cause; i++)
		if (*(cause = autopsy_worded(y, r->item[i].cause)))
			push(y, arena_printf(y->arena, "- %s: %s", cause, r->item[i].shows));
}

/* Rows that a message with figures leaves open, too, where people's words lead there. */
#define BESIDE_FIGURES	(NEEDS_RESUMES | NEEDS_FIRST | NEEDS_UNFREEZES | NEEDS_SECOND | NEEDS_ADAM | NEEDS_RETAINS | NEEDS_DECODES | NEEDS_VOCABULARY | NEEDS_SAVES | NEEDS_TRIALS | \
    NEEDS_SPLATS | NEEDS_LARGE | NEEDS_LONG | NEEDS_HOOK | NEEDS_MODELS | NEEDS_CLASSES | NEEDS_BOXES | NEEDS_PENALTY | NEEDS_LOSS | NEEDS_SINGLE)

/* Rows beside which it is told, too, what a network is for. */
#define BESIDE_DOMAIN	(OF_MESSAGE | NEEDS_DATA | NEEDS_EVALUATES | NEEDS_INFERS | NEEDS_LATE | NEEDS_CARD | NEEDS_LARGE | NEEDS_LONG | NEEDS_PROCESSOR)
/* and those beside which only what grows by itself is named. */
#define BESIDE_GROWTH	(NEEDS_GROWS | NEEDS_RISES | NEEDS_AGAIN)

/* Rows of when it failed and on what, which tell nothing where people name the cause. */
#define OF_TIME		(OF_MESSAGE | NEEDS_EVALUATES | NEEDS_INFERS | NEEDS_METRICS | NEEDS_RISES | NEEDS_LATE | NEEDS_GROWS | NEEDS_CARD)

/* Is a cause told that people name? Beside growth that was seen, what was made larger is none. */
static bool
is_named(const struct autopsy *y)
{
	enum autopsy_says kind;
	int i;

	for (i = 0; i < y->reported.n; i++) {
		kind = y->reported.v[i].kind;
		if ((kind == SAYS_TOLD_RAISED && !y->log.paste.grew) || kind == SAYS_TOLD_KEPT || kind == SAYS_TOLD_CACHED || kind == SAYS_TOLD_UNGRADED || kind == SAYS_TOLD_PROCESSES || kind == SAYS_TOLD_TASKS || kind == SAYS_TOLD_VERSION)
			return true;
	}
	return false;
}

/* Is anything told beside what any run has, a batch, a length or what its network is for? */
static bool
is_explained(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->reported.n; i++)
		switch (y->reported.v[i].kind) {
		case SAYS_TOLD_BATCH: case SAYS_BATCH_SAID: case SAYS_TOLD_LENGTH: case SAYS_LENGTH_SAID: case SAYS_DOMAIN: case SAYS_KNOB: case SAYS_SWITCH: case SAYS_PIXELS_SAID: case SAYS_TOLD_PICTURES:
			break;
		default:
			return true;
		}
	return y->causes.n > 0;
}

/* The first item of row R that holds in this world; MOST_LIKELY: none does. */
static int
first_item(const struct autopsy *y, const struct row *r)
{
	int i;

	for (i = 0; i < MOST_LIKELY && r->item[i].cause; i++)
		if (*autopsy_worded(y, r->item[i].cause))
			return i;
	return MOST_LIKELY;
}

#define OF_ONE		1	/* the item, of pictures in the machine's memory, that holds of a single one, too */

/* Of a message that only figures explain: where people say what the run was at, what that would
 * mean. */
static void
beside_figures(struct autopsy *y, const struct said *told[])
{
	const struct row *r;
	uint64_t is = signs(y, told);
	int i;

	if (told[place(NEEDS_RESUMES)] == &y->log.paste.resumed)
		is &= ~NEEDS_RESUMES;	/* a setting tells no time */
	for (i = 0; i < y->reported.n && y->reported.v[i].kind != SAYS_TOLD_LONG; i++)
		;
	if (i < y->reported.n || !says_long(told[place(NEEDS_LONG)]))
		is &= ~NEEDS_LONG;	/* or that was told of one tensor */
	if (y->log.paste.again.line || y->causes.n == 0 || (y->main->host ? !says_large(&y->log.paste.large) : !autopsy_is_of_samples(y)))
		return;
	for (r = autopsy_rows; r->needs; r++)
		if ((is & r->needs) == r->needs && (r->needs & BESIDE_FIGURES) && (y->main->host ? r->needs == (NEEDS_HOST | NEEDS_LARGE) : !(r->needs & NEEDS_HOST)) && (i = y->main->host ? OF_ONE : first_item(y, r)) < MOST_LIKELY) {
			autopsy_cause(y, SAYS_TOLD_LIKELY, arena_printf(y->arena, "L%s. Where %s, it may be this. %s: %s",
			    autopsy_said(y, told[place(r->needs & BESIDE_FIGURES)]) + 1, r->where, r->item[i].cause, r->item[i].shows));
			return;
		}
}

/* Is it a batch that a program left out, whose result is missing then? */
static bool
leaves_out(const struct oom_message *o)
{
	return o && o->warning && o->says && strstr(o->says, "left it out, so that");
}

void
autopsy_likely(struct autopsy *y)
{
	const struct said *told[SIGNS + 1] = { NULL };
	const struct said *on;
	const struct row *r = autopsy_rows;
	bool unknown = is_unknown(y), trees = autopsy_is_of_trees(&y->log.paste);
	uint64_t is;

	if (y->main && !y->main->asserted && !y->main->apart && !y->main->warning)
		autopsy_words(y, !unknown);
	if (!unknown && y->main && !y->main->asserted && !y->main->apart && !y->main->warning) {
		autopsy_tests(y);
		beside_figures(y, told);
		autopsy_domain(y, false);
	}
	if (leaves_out(y->main))
		autopsy_domain(y, false);
	if (!unknown)
		return;
	is = signs(y, told) | (autopsy_is_near_ram(y) ? NEEDS_HOST : 0);
	while ((is & r->needs) != r->needs || (autopsy_is_near_ram(y) && r->needs && !(r->needs & OF_EITHER)) || (trees && r->needs && !(r->needs & OF_TREES)) || (r->needs && first_item(y, r) == MOST_LIKELY))
		r++;		/* the last needs nothing; one of which nothing holds in this world says nothing */
	if (!(r->needs & ~(BESIDE_DOMAIN | BESIDE_GROWTH)))
		autopsy_domain(y, r->needs & ~BESIDE_DOMAIN);
	if (r->needs && !(r->needs & ~OF_TIME) && (is_named(y) || (r->needs == NEEDS_CARD && is_explained(y))))
		return;
	if (y->hints && !r->where && y->main->kind != OOM_TOLD)
		return;
	if (first_item(y, r) == MOST_LIKELY) {
		if (y->main->kind != OOM_MPS)
			nothing_told(y);
		return;
	}
	on = told[place(r->needs & ~(OF_MESSAGE | (r->needs & NEEDS_METRICS ? NEEDS_EVALUATES : 0) | (r->needs & NEEDS_LONG ? NEEDS_INFERS : 0) | (r->needs & NEEDS_WORKERS ? NEEDS_GROWS : 0)))];
	head(y, r, on);
	push_items(y, r);
	job_limit(y);
}
