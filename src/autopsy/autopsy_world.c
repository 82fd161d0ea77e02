/*
 * The world of a run: its framework (autopsy_framework.c) and whether it trained, by the message
 * and by what was read beside it. What is of another one is not said.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"

#define MARKS		128

static bool
is_out_of_torch(const struct autopsy *y)
{
	return !autopsy_in_torch(y);
}

static bool
in_browser(const struct autopsy *y)
{
	return y->log.paste.domains[DOMAIN_BROWSER].line;
}

static bool
on_a_mac(const struct autopsy *y)
{
	return y->log.paste.mac || strcmp(y->main->who, "macOS") == 0;
}

static bool
is_out_of_browser(const struct autopsy *y)
{
	return !in_browser(y);
}

bool
autopsy_trains(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->training || p->trains || y->log.epoch || y->log.losses || y->log.trained || y->main->run == RUN_TRAINS || (y->main->facts & (TRACE_BACKWARD | TRACE_STEP));
}

static bool
trains_not(const struct autopsy *y)
{
	return !autopsy_trains(y);
}

/* Is it a program's message that runs networks, and trains none? */
bool
autopsy_is_of_server(const struct oom_message *o)
{
	static const char *const who[] = { "vLLM", "MLC-LLM", "ExLlamaV2", "SGLang", "text-generation-inference", "LMDeploy", "Ollama", "ggml", "llama.cpp", "TensorRT", "TensorRT-LLM", "OpenVINO", "OpenCV", "ncnn", NULL };
	int i;

	for (i = 0; who[i]; i++)
		if (strcmp(o->who, who[i]) == 0)
			return true;
	return o->kind == OOM_ONNX;
}

/* Is it, by names, a program that serves, generates or draws samples by chains, and sees to
 * gradients itself? */
bool
autopsy_is_of_program(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return autopsy_is_of_server(y->main) || p->domains[DOMAIN_CHAINS].line || p->domains[DOMAIN_BROWSER].line || p->domains[DOMAIN_WEBGL].line ||
	    p->serves || y->log.serving || p->server.line || p->generates || p->images || p->images_told || (y->main->facts & TRACE_GENERATES);
}

bool
autopsy_serves(const struct autopsy *y)
{
	return autopsy_is_of_server(y->main) || ((autopsy_is_of_program(y) || y->log.paste.inferring.line || y->log.paste.detects > 0) && !autopsy_trains(y));
}

static bool
may_train(const struct autopsy *y)
{
	return !autopsy_serves(y);
}

/* Is it one of a network's tensors, or of its steps, that failed in training, so that a spec of it
 * would tell more? */
bool
autopsy_is_of_step(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (autopsy_serves(y) || o->asserted || o->hedged || (o->host && !o->shape.known && !(o->kind == OOM_PYTORCH_CPU && o->size[OOM_ASKED].known)) || (o->facts & TRACE_NO_BATCH) || y->log.paste.lua)
		return false;
	switch (o->kind) {
	case OOM_TENSORFLOW: case OOM_TF_ALLOCATOR: case OOM_PYTORCH: case OOM_TORCH_SUMMARY: case OOM_PYTORCH_CPU: case OOM_PADDLE:
		return true;
	case OOM_XLA:		/* of what is computed besides, too, as chains that draw */
		return autopsy_trains(y);
	case OOM_CUDA: case OOM_MPS:
		return autopsy_trains(y) && autopsy_in_torch(y);
	default:
		return false;
	}
}

/* Is it a server's engine, which switches gradients off? */
static bool
runs_by_itself(const struct autopsy *y)
{
	return autopsy_is_of_server(y->main) || y->log.serving || y->log.paste.serves || y->log.paste.server.line || y->log.paste.domains[DOMAIN_SGLANG].line || y->log.paste.domains[DOMAIN_LMDEPLOY].line;
}

/* May gradients be on where they need not? Not where torch.no_grad() was read, unless people say
 * that it is missing. */
static bool
has_gradients(const struct autopsy *y)
{
	return autopsy_in_torch(y) && (autopsy_trains(y) || !runs_by_itself(y)) && !(y->log.paste.older && !y->log.paste.newer) && !autopsy_is_tried(y, BY_NO_GRAD);
}

/* CUDA's bare words, with nothing beside them that names a framework, or gradients that are off. */
static bool
may_have_gradients(const struct autopsy *y)
{
	return !autopsy_in_torch(y) && autopsy_may_be_torch(y) && (autopsy_trains(y) || !runs_by_itself(y)) && !autopsy_is_tried(y, BY_NO_GRAD);
}

/* Is it a program of another language than those that networks are trained in, by its message or by
 * people's words? */
static bool
is_of_language(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	return y->log.paste.language || strcmp(o->who, ".NET") == 0 || strcmp(o->who, "Java") == 0 || strcmp(o->who, "Node.js") == 0;
}

static bool
may_be_python(const struct autopsy *y)
{
	return !is_of_language(y) && strcmp(y->main->who, "R") != 0 && strcmp(y->main->who, "MATLAB") != 0;
}

/* What serves or draws by chains has no loader, nor has what learns trees, or works with tables. */
static bool
has_loader(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_serves(y) && !autopsy_is_tried(y, BY_WORKERS) && !p->domains[DOMAIN_CHAINS].line && !is_of_language(y) && !autopsy_is_of_trees(p) &&
	    !((p->tables || p->classic) && !p->layers && !p->torch && !p->tf_files && !p->jax_files && autopsy_is_of_machine(y));
}

/* Does anything tell that it goes over data, as what has a loader does? */
static bool
reads_data(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return autopsy_trains(y) || p->told.workers.line || p->habits.of[HABIT_WORKERS].line || p->evaluating.line || p->told.shuffle.line || p->told.data.line;
}

static bool
has_device(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->told.device || p->told.gpu || p->gpu_files || p->cuda || p->nvidia || p->amd || p->intel || p->torch || p->tf_files;
}

/* Do people tell of processes that have the first device, and of none that gathers there? */
static bool
may_gather(const struct autopsy *y)
{
	return !y->log.paste.first_of_ranks && (autopsy_in_torch(y) || (autopsy_trains(y) && !autopsy_is_of_another(y))) && !autopsy_serves(y);
}

/* May weights lie there in parts, on several devices? */
static bool
is_split(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->several || p->shares || p->splits || p->parallel.line || p->first.line || p->processes.line || y->log.processes > 1 || y->log.shards || y->main->gpus || y->main->gpu > 0 || (y->main->facts & (TRACE_GATHERS | TRACE_MASTER));
}

/* Do people say that it fails where a single sample is predicted? */
static bool
predicts_one(const struct said *tests)
{
	static const char *const one[] = { "single record", "single sample", "single row", "single image", "single example", "single instance", "one record", "one sample", "one row", "only 1 sample", "单条", "单个样本", "一条数据", NULL };
	int i;

	for (i = 0; tests->line && one[i] && !strstr(tests->words, one[i]); i++)
		;
	return tests->line && one[i];
}

/* May tests be given more at once than training is? */
static bool
may_be_larger(const struct autopsy *y)
{
	return !y->log.paste.tests_alike && !predicts_one(&y->log.paste.evaluating);
}

static bool
builds_engine(const struct autopsy *y)
{
	const char *words = y->log.paste.converts.words;

	return y->log.paste.converts.line && (strstr(words, "ngine") || strstr(words, "ensorRT") || strstr(words, "ensorrt") || strstr(words, "trt") || strstr(words, "TRT"));
}

static bool
draws_none(const struct autopsy *y)
{
	return !y->log.paste.images && !y->log.paste.images_told;
}

static bool
may_leap(const struct autopsy *y)
{
	return !y->log.paste.grows_evenly && !oom_figures_even(&y->log.paste.figures) && !y->log.paste.decided.one_size && !y->log.paste.sorted && !autopsy_is_given_same(y);
}

static bool
is_unsorted(const struct autopsy *y)
{
	return !y->log.paste.sorted;
}

static bool
stays(const struct autopsy *y)
{
	return !y->log.paste.leaps;
}

bool
autopsy_names_host(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->log.messages.n; i++)
		if (y->log.messages.v[i].host && !y->log.messages.v[i].apart && !y->log.messages.v[i].warning)
			return true;
	return false;
}

static bool
may_be_device(const struct autopsy *y)
{
	return !y->main->host && !(y->main->kind == OOM_OTHER && autopsy_names_host(y)) && !autopsy_is_near_ram(y) && !(y->log.paste.grows.line && y->log.paste.grows_host == y->log.paste.grows.line);
}

static bool
has_room(const struct autopsy *y)
{
	return autopsy_is_tried(y, BY_ROOM);
}

static bool
has_bytes(const struct autopsy *y)
{
	return y->main->element != 1;
}

static bool
has_doubles(const struct autopsy *y)
{
	return y->main->element == 8;
}

static bool
names_torch(const struct autopsy *y)
{
	return y->log.paste.torch || y->log.paste.torch_told;
}

static bool
names_no_torch(const struct autopsy *y)
{
	return !names_torch(y);
}

static bool
less_may_fail(const struct autopsy *y)
{
	return !autopsy_less_runs(y);
}

static bool
more_may_fail(const struct autopsy *y)
{
	return !autopsy_more_runs(y);
}

static bool
may_fit(const struct autopsy *y)
{
	return !autopsy_needs_more(y);
}

static bool
may_be_even(const struct autopsy *y)
{
	return !autopsy_grows_there(y);
}

static bool
is_resumed_by_setting(const struct autopsy *y)
{
	return !y->log.paste.resuming.line && !autopsy_goes_on(y);
}

static bool
may_be_first_test(const struct autopsy *y)
{
	return !autopsy_tests_late(y);
}

static bool
is_unlooked(const struct autopsy *y)
{
	return !y->log.paste.decided.log_read;
}

static bool
may_be_ended(const struct autopsy *y)
{
	return !autopsy_workers_exited(y);
}

static bool
is_other_array(const struct autopsy *y)
{
	return y->log.paste.decided.other_array;
}

static bool
may_be_of_pme(const struct autopsy *y)
{
	return !is_other_array(y);
}

static bool
loads_checkpoint(const struct autopsy *y)
{
	return y->log.paste.decided.checkpoint;
}

static bool
has_no_tactic(const struct autopsy *y)
{
	return y->log.paste.decided.no_tactic;
}

static bool
may_have_tactic(const struct autopsy *y)
{
	return !has_no_tactic(y);
}

static bool
may_be_no_pickle(const struct autopsy *y)
{
	return !autopsy_unpickles(y);
}

static bool
may_grow_elsewhere(const struct autopsy *y)
{
	return !autopsy_grows_there_alone(y);
}

static bool
may_be_midway(const struct autopsy *y)
{
	return !autopsy_fails_at_end(y);
}

static bool
has_fewest(const struct autopsy *y)
{
	return autopsy_is_tried(y, BY_BATCH);
}

static bool
proposes(const struct autopsy *y)
{
	return y->log.paste.decided.proposes;
}

static bool
has_gone_on(const struct autopsy *y)
{
	return autopsy_had_steps(y) || autopsy_grows_there(y);
}

static bool
may_be_first_layer(const struct autopsy *y)
{
	return !y->log.paste.decided.layered;
}

static bool
starts_no_program(const struct autopsy *y)
{
	return !autopsy_starts_program(y);
}

static bool
may_keep_graphs(const struct autopsy *y)
{
	return !autopsy_keeps_numbers(y);
}

static bool
may_be_one_place(const struct autopsy *y)
{
	const char *words = y->log.paste.later.line ? y->log.paste.later.words : "";

	return !strstr(words, "random") && !strstr(words, "arbitrary") && !strstr(words, "varying") && !strstr(words, "unpredictabl");
}

/* May what ran before have been a process of its own, and no round of a loop? */
static bool
may_be_process(const struct autopsy *y)
{
	const char *words = y->log.paste.again.words;

	return !strstr(words, "loop") && !strstr(words, "iteration") && !strstr(words, "循环");
}

/* By the marks of oom_world.h; one that two have does not compile without a warning. */
static bool (*const worlds[MARKS])(const struct autopsy *) = {
	['t'] = autopsy_in_torch, ['o'] = is_out_of_torch, ['k'] = autopsy_in_keras, ['n'] = may_train,
	['a'] = autopsy_trains, ['g'] = has_gradients, ['?'] = may_have_gradients,
	['@'] = may_be_one_place, ['l'] = has_loader, ['i'] = reads_data, ['p'] = may_gather,
	['j'] = autopsy_may_be_jax, ['m'] = autopsy_may_be_keras, ['d'] = has_device, ['b'] = in_browser, ['|'] = on_a_mac,
	['s'] = is_out_of_browser, ['e'] = autopsy_may_start, ['f'] = autopsy_may_go_on,
	['h'] = autopsy_had_steps, ['q'] = is_split, ['v'] = autopsy_serves, ['w'] = autopsy_trains_many,
	['x'] = may_be_larger, ['r'] = builds_engine, ['c'] = trains_not, ['3'] = draws_none,
	['u'] = may_leap, ['y'] = has_bytes, ['z'] = has_doubles, ['5'] = has_room, ['1'] = is_unsorted,
	['2'] = stays, ['4'] = may_be_device, ['6'] = names_torch, ['7'] = names_no_torch,
	['8'] = less_may_fail, ['9'] = more_may_fail, ['0'] = may_fit, ['!'] = may_be_even,
	['"'] = has_gone_on, ['#'] = is_resumed_by_setting, ['$'] = may_be_first_test,
	['%'] = is_unlooked, ['&'] = autopsy_workers_exited, ['\''] = may_be_ended,
	['('] = is_other_array, [')'] = may_be_of_pme, ['*'] = loads_checkpoint, ['+'] = has_no_tactic,
	[','] = may_have_tactic, ['.'] = autopsy_unpickles, ['/'] = may_be_no_pickle,
	[':'] = autopsy_grows_there_alone, [';'] = may_grow_elsewhere, ['<'] = autopsy_has_pool,
	['\016'] = may_be_python, ['\017'] = autopsy_in_theano, ['\020'] = autopsy_in_exla,
	['\021'] = may_be_first_layer, ['\022'] = autopsy_starts_program, ['\023'] = starts_no_program,
	['\024'] = may_keep_graphs, ['\025'] = autopsy_keeps_numbers,
	['\026'] = may_be_process,
	['-'] = has_fewest, ['{'] = proposes, ['='] = autopsy_fails_at_end, ['>'] = may_be_midway,
};

static bool
holds(const struct autopsy *y, char mark)
{
	unsigned char m = (unsigned char)mark;

	if (mark >= BY_ANYTHING[0] && mark < BY_ANYTHING[0] + MEASURES)
		return !autopsy_is_tried(y, &mark);
	return m < MARKS && worlds[m] && worlds[m](y);
}

const char *
autopsy_worded(const struct autopsy *y, const char *text)
{
	const char *s;
	struct text t;
	int depth = 0, hidden = 0;	/* how many marks are open, and which of them hides what follows */

	if (!strpbrk(text, LISTER MONITOR IN_WORLD("", "") TRY))
		return text;
	text_init(&t, y->arena);
	text_puts(&t, "");
	for (s = text; *s; s++)
		if (*s == WORLD_BEGINS && s[1]) {
			depth++;
			s++;
			hidden = hidden == 0 && !holds(y, *s) ? depth : hidden;
		} else if (*s == WORLD_ENDS) {
			hidden = hidden == depth ? 0 : hidden;
			depth--;
		} else if (hidden == 0 && strncmp(s, LISTER, strlen(LISTER)) == 0)
			text_puts(&t, autopsy_lister(y));
		else if (hidden == 0 && strncmp(s, MONITOR, strlen(MONITOR)) == 0)
			text_puts(&t, y->log.paste.windows ? "the Task Manager" : "top");
		else if (hidden == 0)
			text_add(&t, s, 1);
	return autopsy_untried(y, t.s);
}
