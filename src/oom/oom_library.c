/* Libraries are told by names of their own; that memory is not given back by three classes of words
 * in one clause: what denies, a verb of giving back, and what is of memory. */
#include "oom/oom_library.h"

#include "oom/oom_clause.h"

static const struct {
	const char *names;	/* which strokes part, */
	const char *unless;	/* and of these none on the same line */
} names[LIBRARIES] = {
	[LIBRARY_FAISS] = { "standardgpuresources|index_cpu_to_gpu|index_cpu_to_all_gpus|gpuindexflat|gpuindexivf|faiss-gpu|faiss_gpu|faiss::gpu|faiss on gpu|search_raw_array_pytorch", "def |import |pip install|conda install" },
	[LIBRARY_PADDLE] = { "paddle_serving|paddle serving|paddleserving|paddle_inference|paddle inference|paddle.inference|paddle_infer|paddlepredictor|create_predictor|create_paddle_predictor|analysisconfig|analysispredictor|"
	    "paddletensor(|paddleocr|paddle-ocr|flags_fraction_of_gpu_memory_to_use", "def |train|pip install" },
	[LIBRARY_MXNET] = { "mxnet|simple_bind|bucketingmodule", "def |pip install|torch|tensorflow" },
	[LIBRARY_CUPY] = { "cupy|free_all_blocks|get_default_memory_pool|_default_memory_pool|cp.random.|cp.cuda.", "def |pip install" },
	[LIBRARY_ONNX] = { "onnxruntime|onnx runtime|onnx-runtime|inferencesession|ort session|sessionoptions|ort::session", "def |pip install" },
	[LIBRARY_TENSORFLOW] = { "tensorflow|tf.session|tf.keras|keras|clear_session|k_clear_session", "def |pip install|tensorboard|torch|onnx|jax" },
};

#define GIVES_BACK	"releas free freed freeing clear reclaim deallocat dealloc decreas drop shrink return giv go down"
#define OF_MEMORY	"memory vram ram mem usage allocation array arrays tensor tensors buffer buffers blocks"
#define STAYS_THERE	"remains high|stays high|remain high|stay high|stays occupied|remains occupied|remains allocated|stays allocated|still occupied|still allocated|still held|still holds|still holding|" \
    "is staying in|stays in|keeps occupying|never goes down|never drops|never decreases|not giving back|never gives back|never released|never freed|no longer released|" \
    "doesn't go down|does not go down|not go down|won't go down|unable to release|unable to free|inconsistent memory release"
/* 不释放, 没有释放, 无法释放, 未释放, 不会释放, 释放不了, 不下降 */
#define STAYS_CHINESE	"不释放|没有释放|没释放|无法释放|未释放|不会释放|释放不|不能释放|不下降|没有下降|降不下"
#define MEMORY_CHINESE	"内存|显存|memory"
#define CLOSES		"close|closed|closing|closes|delete|deleted|deleting|del|exits|clear_session|k_clear_session|kill|关闭|删除"

static bool
gives_none_back(struct talk clause)
{
	if (talk_any_phrase(clause, STAYS_CHINESE))
		return talk_any_phrase(clause, MEMORY_CHINESE);
	return talk_any_whole(clause, OF_MEMORY) && (talk_has_whole(clause, STAYS_THERE) || (clause_says_no(clause, "cannot unable never") && talk_any_begins(clause, GIVES_BACK)));
}

/* "The memory is not released", "usage remains high": in any clause of a sentence. */
static void
retains(struct oom_libraries *l, struct talk t, int line)
{
	static const char verbs[] = "releas|free|clear|reclaim|dealloc|decreas|drop|shrink|giving back|gives back|go down|goes down|remain|stay|still |keeps |"
	    STAYS_CHINESE;
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, verbs, &at, &n)) {
		struct talk sentence = talk_sentence(t, at);

		if (!gives_none_back(talk_clause(t, at, n)) || clause_is_question(sentence))
			continue;
		l->retains = line;
		if (talk_has_whole(sentence, CLOSES))
			l->closes = line;
	}
}

void
oom_library_line(struct oom_libraries *l, struct talk t, int line, bool told)
{
	const char *at, *from, *to, *end = t.s + t.n;
	size_t n;
	int i;

	if (talk_any_phrase(t, "enable_memory_optim|enablememoryoptim"))
		l->reuses = line;
	if (talk_any_phrase(t, "--mem_optim_off"))
		l->off = line;
	else if (talk_any_phrase(t, "--mem_optim"))
		l->option = line;
	if (talk_any_phrase(t, "serving|predict|inference|预测|推理|部署"))
		l->infers = line;
	if (told)
		retains(l, t, line);
	for (i = 0; i < LIBRARIES; i++) {
		if (l->named[i].line || talk_any_phrase(t, names[i].unless))
			continue;
		for (at = NULL; !l->named[i].line && talk_next_phrase(t, names[i].names, &at, &n); ) {
			if ((at > t.s && piece_is_word(at[-1])) || (told && clause_passes_by(t, at)))
				continue;	/* "occupying" */
			for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
				;
			for (to = at + n - (at[n - 1] == '('); to < end && piece_is_word(*to); to++)
				;
			oom_knob_keep(&l->named[i], from, to, line);
		}
	}
}
