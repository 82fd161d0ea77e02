/*
 * Sentences are told from a program's own lines by phrases that only people use. None of them is a
 * fact of the run: what they tell is which of the usual causes is likelier, and that is all they
 * are taken for.
 */
#include "oom/oom_words.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_array.h"
#include "oom/oom_batch.h"
#include "oom/oom_blame.h"
#include "oom/oom_bulk.h"
#include "oom/oom_card.h"
#include "oom/oom_change.h"
#include "oom/oom_clause.h"
#include "oom/oom_cure.h"
#include "oom/oom_less.h"
#include "oom/oom_measures.h"
#include "oom/oom_pictures.h"
#include "oom/oom_runs.h"
#include "oom/oom_short.h"
#include "oom/oom_when.h"
#include "oom/oom_wording.h"
#include "oom/oom_works.h"

#define BLAMES		"due to|caused by|because of|causes due to|comes from|reason is|culprit"
#define NEAR_FAILURE	2	/* lines, to a sentence about it */
#define SAVED_WITHIN	40	/* bytes from 保存 to its 时 */
#define TWO_SIGNS	6	/* bytes of 验证 */

/* A program that is tried, not a network that is tested. */
#define TRIES		"testing with batch|testing with a batch|testing different|testing various|testing with different|testing notebook|testing the notebook|testing the example|testing an example|testing example|testing this example|testing the tutorial|testing the demo|installation|install|installing|the demo|demo script|demo code|example script|sample script|web ui|webui|testing the code|testing your code|testing this code|testing my code|testing the program|testing the script|testing the repo|"	\
    "testing this repo|testing your repo|testing out|test the code|test your code|test this code|test my code|test the program|test the script"

/* That a stage behind others was come to, and so those before it had fitted. */
#define COMES_TO	"all the way to |all the way through|all the way up to|gets as far as|got as far as|makes it as far as|made it as far as|makes it through|made it through|gets through all|got through all"

/* What is ready as others made it: "when I test the diarization pipeline". */
#define READY		"pipeline pipelines demo demos example examples repo repository api server endpoint notebook colab app application release plugin extension docker tool software installation webui"

static bool
is_tried(struct talk t, struct talk clause, const char *at)
{
	struct talk behind = talk_part(t, at, clause.s + clause.n);

	return talk_any_phrase(clause, TRIES) || (talk_any_phrase(talk_head(t, at, sizeof("during testing")), "i test |testing") && talk_any_whole(behind, READY));
}

/* What people look at then is not what fails. */
#define WATCHES		"to monitor|to watch|to observe|to track|to profile"
#define FITS		"fit_generator|fit()|.fit(|train_on_batch"
/* What tries a program's own code, whatever that is. */
#define OF_CODE		"test body|test suite|unit test|unittest|test fixture|test harness|pytest|gtest"

#define PART_OF_TESTS	"step stage part loop phase code script"

/* "After evaluation on validation images", "after the validation step": what came when tests had
 * ended. */
static bool
is_after_tests(struct talk clause, const char *at)
{
	struct talk first = clause_word_behind(clause, at), second = clause_word_behind(clause, first.s + first.n), third = clause_word_behind(clause, second.s + second.n), word = clause_word_ahead(clause, at);
	bool within = talk_is_one_of(first, "on in at with") && talk_is_one_of(word, "evaluation evaluating validation validating testing eval test");

	if (!within && !(talk_is_one_of(first, "validation evaluation eval validate evaluate test testing") && talk_is_one_of(second, PART_OF_TESTS) && !talk_any_begins(third, "start begin")))
		return false;
	word = within ? clause_word_ahead(clause, word.s) : word;
	while (talk_is_one_of(word, "the each every an a first last"))
		word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, "after");
}

/* A program that is tried; or training as well, which fails there, too: "when I train with fit() or
 * do prediction", "fit_generator and predict_generator leak". */
static bool
is_no_evaluation(struct talk t, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return is_tried(t, clause, at) || is_after_tests(clause, at) || (talk_any_phrase(talk_head(t, at, sizeof("when using test")), "doing the|to do |using test|on the test data") && talk_any_begins(sentence, "train")) || talk_any_phrase(talk_head(t, at, sizeof("but the test accuracy")), "test loss|test accuracy") || talk_any_phrase(sentence, OF_CODE) || talk_has_whole(talk_part(t, sentence.s, at), WATCHES) || (talk_any_phrase(talk_head(t, at, sizeof("in eval mode")), "eval mode") && talk_any_whole(sentence, "train training")) || (talk_any_begins(talk_head(t, at, 7), "predict") && talk_any_phrase(sentence, FITS)) ||
	    (talk_any_whole(sentence, "train training") && talk_any_whole(talk_part(t, sentence.s, at), "or")) ||
	    talk_has_whole(sentence, "not always|not only|n't always|isn't only|sometimes during training|sometimes in training");
}

/* "验证时没有问题": what is said at AT is said to go well, in Chinese. */
static bool
is_fine(struct talk t, const char *at)
{
	return talk_any_phrase(talk_clause(t, at, 1), "没有问题|没问题|没有报错|正常|成功") || clause_denies_elsewhere(t, at, TWO_SIGNS);
}

/* A mode by its short name, as logs have it. */
#define TO_VAL		"change to val|changes to val|changed to val|switch to val|switches to val|switched to val|change to 'val'|changes to 'val'|changed to 'val'|switch to 'val'|switches to 'val'|switched to 'val'|'val' mode| val mode"

static const char *
evaluates(struct talk t)
{
	const char *val = clause_says_unless(t, TO_VAL, AHEAD | BEHIND | WORKS, "", is_no_evaluation);
	const char *elsewhere = talk_first(t, "进行评估|进行验证|评估时|验证时|评估的时候|验证的时候|在验证集上|评估阶段|验证阶段|测试阶段|evaluate阶段|eval阶段|test时|eval时|val时|valid时|validation时|evaluate时|test的时候|eval的时候|val的时候|跑测试集|跑验证集|validation阶段|test阶段"), *at = elsewhere && !is_fine(t, elsewhere) ? elsewhere : talk_any_of(t, "valid eval test predict") ? clause_says(t, "outputs are stored on the gpu|results are stored on the gpu|"
	    "predictions are stored on the gpu|outputs are kept on the gpu|predictions are kept on the gpu", AHEAD, "") : NULL;

	if (!at && val)
		return val;
	return at || !talk_any_of(t, "valid eval test predict verif metric") ? at : clause_says_unless(t, "during validation|during the validation|during evaluation|during the evaluation|during eval|"
	    "in validation|in the validation|until validation|until the validation|on validation|in evaluation|in the evaluation|while validating|while evaluating|when validating|when validate|"
	    "when evaluating|when evaluate|when it evaluat|when it validat|when doing validation|when doing evaluation|doing the testing|doing the evaluation|doing the validation|to do evaluation|to do the evaluation|to do validation|when using test data|when using the test set|on the test data|at validation|at evaluation|first validation|second validation|after each validation|after every validation|each validation batch|each validation step|next validation|validation phase|evaluate phase|eval phase|validate phase|evaluate stage|eval stage|eval step|, in validate|, in evaluate|when verifying|while verifying|during verification|"
	    "validation crashes|validation crashed|evaluation crashes|evaluation crashed|trying to validate|tries to validate|try to validate|trying to evaluate|tries to evaluate|try to evaluate|validation step|validation stage|validation part|validation loop|evaluation phase|evaluation step|"
	    "evaluation stage|evaluation part|evaluation loop|when testing|while testing|during testing|during the test|"
	    "during test|test phase|testing phase|test stage|testing stage|testing part|beginning testing|"
	    "dataloader for test|loader for test|dataloader for the test|loader for the test|test dataloader starts|test loader starts|starts validat|starts evaluat|start validat|start evaluat|in test mode|in testing mode|when i test |while i test |when i inference |when i infer |when i evaluate |when i predict |i run test|testing process|running test|run the test|at test time|in test time|in the test |"
	    "validation out of memory|evaluation out of memory|validation oom|evaluation oom|testing out of memory|test out of memory|testing oom|memory in testing|memory in test|memory at testing|memory when test|memory while test|oom in test|oom when test|oom while test|memory when validation|memory when evaluation|oom when validation|oom when evaluation|run evaluation|running evaluation|run validation|run the validation|"
	    "running validation|perform evalu|perform valid|validation begins|validation starts|evaluation starts|validation started|evaluation started|testing started|validation began|evaluation began|trainer.evaluate|eval_accum|evaluation code|the eval code|eval script|evaluation script|evaluate script|the eval mode|eval mode|evaluation mode|validation mode|with compute_metrics|with custom compute_metrics|using compute_metrics|when compute_metrics|adding compute_metrics|added compute_metrics|add compute_metrics|the eval will run|starts eval|eval_period|eval period|eval.period|when eval|the test showed|the test shows|but the test|ready for testing|model.predict|using predict|predict function|predict throws|at predict time|during prediction|"
	    "computing metrics|computing the metrics|trying to compute metrics|trying to compute the metrics|calculating metrics|calculating the metrics|metrics are computed|prediction phase|when predicting|while predicting|predict()|predict_generator", AHEAD | BEHIND | WORKS, "", is_no_evaluation);
}

#define TRIES_TESTS	"wanted to test it|want to test it|wanted to test the model|want to test the model|wanted to test my model|want to test my model|tried to test it|try to test it|trying to test it|tried to test the model|try to test the model|trying to test the model|tried to test my model|trying to test my model|tried to test the network|trying to test the network|able to train but"

/* "I trained it for hours. Now I tried to test it": what was trained is what is tested, and no
 * program that is tried. */
static const char *
tests_trained(struct talk t)
{
	const char *at = talk_any_whole(t, "trained train training") ? clause_says_unless(t, TRIES_TESTS, AHEAD | WORKS, "", is_no_evaluation) : NULL;

	return at && (talk_any_whole(talk_sentence(t, at), "test") && talk_any_whole(talk_part(t, t.s, at), "trained train training")) ? at : NULL;
}

/* "src/inference/core.cpp" */
static bool
is_folder(struct talk t, const char *at)
{
	const char *to = at, *end = t.s + t.n;

	while (to < end && piece_is_word(*to))
		to++;
	return at > t.s && to < end && memchr("/\\", at[-1], 2) && memchr("/\\", *to, 2);
}

/* "infer_auto_device_map", a folder's name, all types of it alike, "before any inference". */
static bool
is_no_inference(struct talk t, struct talk clause, const char *at)
{
	return is_folder(t, at) || talk_has_whole(talk_part(t, clause.s, at), "before any|prior to any") ||
	    talk_any_phrase(t, "accumulate in ram") || talk_any_phrase(talk_head(t, at, sizeof("inference require:")), "inference require:|infer auto|infer_auto|inferred|infer the|infer that|infer from") || talk_has_whole(talk_part(t, t.s, at), "all type of|all types of|any type of");
}

static const char *
infers(struct talk t)
{
	const char *elsewhere = talk_any_phrase(t, "训练") ? NULL : talk_first(t, "进行推理|推理报|推理就报|推理会报|推理出现|推理显存|推理爆|推理时|执行推理|做推理|推理的时候|推理任务|在推理|多次推理|次推理后|推理后|推理过程|推理阶段|推理几|推理了");

	if (elsewhere && !is_fine(t, elsewhere))
		return elsewhere;
	return talk_any_whole(t, "inference infer inferring") ? clause_says_unless(t, "infer", AHEAD | BEHIND | WORKS, "", is_no_inference) : NULL;
}

#define OF_NEED		"requires require required needs need takes take took consumes consumed uses used occupies occupied costs cost gb gib"

/* "The increase is just to load the weights": an explanation, which most often is given up. And
 * "Loading the model requires less than 30 GB" tells what a load that came to its end took. */
static bool
is_no_loading(struct talk t, struct talk clause, const char *at)
{
	return (talk_any_whole(talk_part(clause, at, clause.s + clause.n), OF_NEED) && !clause_names_failure(clause) && !oom_short_fails(clause)) || talk_is_one_of(clause_word_ahead(t, at), "just only used merely");
}

static const char *
loads(struct talk t)
{
	const char *chinese = talk_first(t, "加载模型时|加载模型的时候|加载权重时|加载权重的时候|加载模型权重时|加载模型权重的时候|模型加载时|加载checkpoint时|加载checkpoint的时候|加载模型就|加载模型报|加载模型爆|加载模型出现|加载模型显存");

	if (!chinese)
		chinese = talk_first(t, ".cuda()的时候|.cuda() 的时候|.cuda()时|.cuda() 时|.cuda()` 的时候|.cuda()`时|.to(device)的时候|.to(device) 的时候|.to(device)时");
	if (chinese)
		return is_fine(t, chinese) ? NULL : chinese;
	if (!talk_any_of(t, "model weight checkpoint ckpt lora safetensor gguf pretrained state_dict vae unet llm network"))
		return NULL;		/* programs load scenes and maps, too */
	return talk_has_whole(t, "it is not the case|is not the case|not just to load|not only to load") || talk_any_phrase(t, "point cloud|requested to load|prepared for dynamic|force pre-loaded") || talk_any_of(t, "dataset data image csv video file module library plugin driver font dll extension") ? NULL : clause_says_unless(t, "while loading|when loading|during loading|to load|can't load|cannot load|can not load|couldn't load|"
	    "could not load|fails to load|failed to load|when i load|when it loads|at loading|upon loading|loading checkpoint shards|loading the checkpoint|loading the model|loading the weights", AHEAD | WORKS, "after since", is_no_loading);
}

#define WISHES		"can i|could i|should i|how to|how do i|how can i|possible to|way to|want to|instead of"

#define GOES_WELL	"without problems|without problem|without any problem|without any problems|without issues|without any issue|without errors|without error|no problem|no problems|no issue|no issues"

#define RESUMES_CHINESE	"从检查点恢复|从检查点继续|从检查点重新|从断点恢复|从断点继续|断点续训|断点续练|恢复训练|加载检查点继续|加载断点|续训时|继续训练时|继续训练的时候|接着训练|重新加载模型继续训练|resume时|resume的时候|从checkpoint恢复|从checkpoint继续|从checkpoint续|从ckpt续|从断点续|step续训|epoch续训|续训，|续训就|续训会|续训报|续训显存|续训导致|续训后|加载之前的权重继续|加载上次的权重继续"

/* "Can I resume it?" is a wish, and one that works has not failed. */
static bool
is_not_resumed(struct talk t, const char *at)
{
	struct talk clause = talk_clause(t, at, 1);

	return clause_works(clause) || talk_has_whole(clause, GOES_WELL) || (talk_has_whole(talk_part(t, clause.s, at), WISHES) && !talk_has_whole(talk_part(t, clause.s, at), "when i want to|when i wanted to|when we want to|whenever i want to|once i want to"));
}

static const char *
resumes(struct talk t)
{
	const char *at;

	if (talk_any_of(t, "train finetun fine-tun checkpoint model run step iter weights") && talk_any_begins(t, "resume resuming resumed") &&
	    !talk_any_phrase(t, "resume work|resumed work|resuming work|resumed watch|resumed read|my resume") && (at = talk_first(t, "resum")) && !is_not_resumed(t, at))
		return at;
	at = clause_says(t, "continue training|continued training|continuing training|training from checkpoint|training from a checkpoint|train from a checkpoint|"
	    "from a specific checkpoint|from a state checkpoint|from an unfinished checkpoint|after restoring from|restoring from a checkpoint|restored from a checkpoint", AHEAD | WORKS, "");
	/* "can I skip them and continue training?" is a wish */
	if (at)
		return !clause_is_question(talk_sentence(t, at)) || talk_any_of(talk_sentence(t, at), "checkpoint") ? at : NULL;
	at = talk_first(t, RESUMES_CHINESE);
	return at && !is_fine(t, at) ? at : NULL;
}

#define RESUME_SETTINGS	"resume_from_checkpoint|resume-from-checkpoint|resume_ckpt|resume-ckpt|resume_path|resume_checkpoint|--resume|resume_from"

/* "--resume_from_checkpoint out/checkpoint-4000" of a command: a file is given, and it is
 * training. */
static const char *
resumes_by_setting(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, RESUME_SETTINGS, &n), *to;

	if (!at || clause_sets_off(t, at) || talk_any_begins(t, "eval test infer valid predict add_argument") || talk_any_phrase(t, "help=|default="))
		return NULL;
	for (to = at + n; to < t.s + t.n && memchr(" =:\"'", *to, 5); to++)
		;
	return to > at + n && to < t.s + t.n && !talk_is_one_of(clause_word_behind(t, to), "auto") && (piece_is_word(*to) || memchr("./$~", *to, 4)) ? at : NULL;
}

/* "When saving the model"; in Chinese 保存, with 时 behind it. */
static const char *
saves(struct talk t)
{
	const char *at = talk_first(t, "\xe4\xbf\x9d\xe5\xad\x98");

	if (at && talk_any_phrase(talk_head(t, at, SAVED_WITHIN), "\xe6\x97\xb6"))
		return is_fine(t, at) ? NULL : at;
	if (talk_any_whole(t, "steps epochs iterations checkpoint checkpoints") && (at = clause_says(t, "save every|saves every|saving every|save_steps|save_every", AHEAD | WORKS, "")) && !talk_any_phrase(talk_part(t, t.s, at), "--"))
		return at;
	return talk_any_of(t, "model weight checkpoint ckpt state") ? clause_says(t, "when it creates a checkpoint|when creating a checkpoint|when creating checkpoints|while creating a checkpoint|when a checkpoint is|during checkpointing|while checkpointing|when checkpointing|when saving|while saving|during saving|trying to save|tries to save|try to save|"
	    "when i save|when it saves|due to model save|due to saving|because of saving|model checkpointing cause|checkpoint saving|checkpoint serialization|serialization of the checkpoint|serializing the checkpoint|serializing a checkpoint|serializing checkpoints|serializing the model|saving step|get state dict|gets state dict|get the state dict|"
	    "creates a checkpoint|creating a checkpoint|create a checkpoint|writes a checkpoint|writing a checkpoint|write a checkpoint|writing the checkpoint|time to save|checkpointing frequency|checkpoint frequency|"
	    "getting the state dict|get the state_dict|getting the state_dict|to save the model|to save a model|to save the checkpoint|to save a checkpoint|while the model is saved|while the checkpoint is saved",
	    AHEAD | WORKS, "") : NULL;
}

static void
said(struct said *to, struct talk t, const char *at, int line)
{
	if (at)
		said_at(to, t, at, line);
}

/* "Whenever I run the tests. I get ...", "I wanted to test it. But I always get": does the next
 * sentence tell of the failure, or does the line end with what a message follows? */
static bool
is_ahead_of_failure(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at), next = talk_part(t, sentence.s + sentence.n, t.s + t.n);
	const char *s = piece_past_blanks(next.s, next.s + next.n);

	while (s < next.s + next.n && memchr(".!;,", *s, 4))
		s = piece_past_blanks(s + 1, next.s + next.n);
	next = s < next.s + next.n ? talk_sentence(t, s) : next;
	if (next.n == 0 || memchr(sentence.s, '?', sentence.n) || memchr(next.s, '?', next.n))
		return false;
	return (talk_is_one_of(clause_word_behind(sentence, sentence.s), "when whenever while once") && !memchr(sentence.s, ',', sentence.n) && oom_short_fails(next)) ||
	    (talk_has_whole(next, "but i always get|but i get|but i got|but it gives|i always get|but i keep getting|but always get") && talk_is_one_of(clause_word_ahead(next, next.s + next.n), "get got getting gives error errors following this"));
}

/* Only where the sentence at AT tells of a failure, of memory's or by a word for any: what else a
 * report speaks of is no place of it. */
static void
said_of_failure(struct said *to, const struct oom_told *told, struct talk t, const char *at, int line)
{
	if (at && (oom_told_is_of_failure(told, t, at, line) || is_ahead_of_failure(t, at)) && !oom_measures_in_vain(t, at))
		said_at(to, t, at, line);
}

/* Of batches with which it fails the smallest, and one with which it runs; of lengths the first. */
static void
batch_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	int64_t least;
	const char *at = oom_batch_fails(t, &least);

	if (at && (!p->of_batch.line || least < p->least_batch)) {
		said_at(&p->of_batch, t, at, line);
		p->least_batch = least;
	} else if (!p->of_batch.line && (source == SOURCE_PROSE || source == SOURCE_UNSURE || source == SOURCE_SETTING) && oom_batch_is_one(t)) {
		p->least_batch = 1;
	}
	if (!at && !p->of_batch.line && (at = oom_batch_few_in_vain(t, &least))) {
		said_at(&p->of_batch, t, at, line);
		p->least_batch = least;
		p->few_in_vain = line;
		if (!p->measures.line[MEASURE(BY_BATCH)])
			p->measures.line[MEASURE(BY_BATCH)] = line;
	}
	if (oom_wording(t, WORDING_FITS) || (at && least > 1 && oom_batch_fewer_run(t, at, least)))
		p->fits = line;
	if (!p->less.line)
		said(&p->less, t, oom_batch_runs(t), line);
	if (!p->of_length.line)
		said(&p->of_length, t, oom_batch_long(t), line);
}

/* What is found first need not be in the sentence that tells of the failure: then in that. */
static void
said_of_any(struct said *to, const struct oom_told *told, struct talk t, int line, struct finding finding)
{
	const char *at = oom_find(t, finding), *s, *end = t.s + t.n;
	struct talk sentence;

	said_of_failure(to, told, t, at, line);
	for (s = t.s; at && to->line != line && s < end; s = sentence.s + sentence.n + 1) {
		sentence = talk_sentence(t, s);
		said_of_failure(to, told, t, oom_find(sentence, finding), line);
	}
}

/* The same of what is given: "I cannot upscale a 12 second video" tells of a failure, too. */
static void
said_of_given(struct said *to, const struct oom_told *told, struct talk t, int line, const char *(*find)(struct talk))
{
	const char *at = find(t);

	said_of_any(to, told, t, line, FOUND_BY(find));
	if (at && to->line != line && talk_any_whole(talk_part(talk_clause(t, at, 0), talk_clause(t, at, 0).s, at), "cannot can't cant unable couldn't impossible"))
		said_at(to, t, at, line);
	if (at && to->line != line && told->here_line == line && talk_has_whole(talk_sentence(t, at), "is it because|is this because|the reason is that|the reason may be that|i think the reason is|i guess the reason is|i think because|i think it is because|i guess because|maybe because|probably because|perhaps because|because the|because my|because of the"))
		said_at(to, t, at, line);	/* "... memory errors. Is it because the slide is too large?" */
}

/* What transformers' evaluation is told; not "compute_metrics=None", by which it keeps no
 * results. */
static const char *
measures(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "compute_metrics|eval_accumulation_steps|eval_accumilation_steps|preprocess_logits_for_metrics", &at, &n))
		if (lower(*at) != 'c' || !talk_has_whole(talk_head(t, at + n, sizeof(" is None")), "none|null"))
			return at;
	return NULL;
}

/* "***** Running Evaluation *****" of transformers' Trainer, which tells its loss when that is
 * done. */
static void
banners(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at = source == SOURCE_PROSE ? NULL : talk_first(t, "***** running evaluation *****|***** running prediction *****");

	if (at && !p->evaluating.line) {
		said_at(&p->evaluating, t, at, line);
		p->banner = line;
	} else if (p->banner && talk_any_phrase(t, "***** running training|eval_loss|eval_runtime|'loss':|test_runtime|predict_runtime")) {
		p->evaluating.line = p->evaluating.line == p->banner ? 0 : p->evaluating.line;
		p->banner = 0;
	}
}

/* "C:/BackupTraining/a.pth": does a name among folders have what is at AT? */
static bool
is_in_path(struct talk t, const char *at)
{
	const char *from = at, *to = at, *end = t.s + t.n;

	while (from > t.s && !memchr(" \t\"'`(=,", from[-1], 9))
		from--;
	while (to < end && !memchr(" \t\"'`),", *to, 8))
		to++;
	return memchr(from, '/', (size_t)(to - from)) || memchr(from, '\\', (size_t)(to - from));
}

/* Of training, by a word for it that is no folder's. */
static bool
names_training(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "training|fine-tun|finetun", &at, &n))
		if (!is_in_path(t, at))
			return true;
	return false;
}

/* What is said of how a network was trained that is run. */
#define OF_TRAINED	"used in training|used for training|used during training|seen in training|seen during training|than in training|than during training|after training|as in training|as during training|trained on|training data of"

/* In evaluation, inference or training. */
static void
use_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

	said_of_any(&p->evaluating, &p->told, t, line, FOUND_BY(evaluates));
	said_of_failure(&p->evaluating, &p->told, t, tests_trained(t), line);
	said(&p->evaluating, t, oom_wording(t, WORDING_UNGUARDED), line);
	said(&p->evaluating, t, oom_works_trained(t), line);
	if ((at = oom_when_left(t))) {
		said_at(&p->grows, t, at, line);
		said_at(&p->evaluating, t, at, line);
	}
	if (oom_works_tests(t))
		p->tests_alike = line;
	banners(p, t, line, source);
	if (p->evaluating.line != line && p->told.here_line == line)
		said_of_failure(&p->evaluating, &p->told, t, oom_wording(oom_told_sentence(&p->told, t), WORDING_TESTS_FAIL), line);
	if (source == SOURCE_COMMAND)
		said(&p->evaluating, t, talk_first(t, "--eval-only|--eval_only|--evaluate-only|--test-only|--test_only|--only-eval|--only_eval|--only_test|--only-test"), line);
	said(&p->metrics, t, measures(t), line);
	if (!talk_any_of(t, "train fine-tun finetun"))
		said_of_failure(&p->inferring, &p->told, t, infers(t), line);
	if (talk_any_whole(t, "inference infer") && talk_has_whole(t, OF_TRAINED))
		return;
	if (names_training(t) || talk_any_whole(t, "train trains pretrain pre-train epoch epochs") || talk_has_whole(t, "when i trained|while i trained|when we trained|while we trained|as i trained|once i trained|i was training|we were training") || (talk_any_phrase(t, "训练|微调") && !talk_any_phrase(t, "训练好|预训练|训练完|微调好|微调后|推理")))
		p->training = line;
}

/* What was run before, how often, and what is held of it. */
static void
runs_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

#define HAPPENS		"it appears|it usually appears|it often appears|it always appears|it only appears|it happens|it usually happens|it often happens|it always happens|it only happens|it mostly happens|it occurs|it usually occurs|it often occurs|it always occurs|it only occurs"

	said_of_any(&p->again, &p->told, t, line, FOUND_BY(oom_runs_again));
	if (source == SOURCE_PROSE)
		said(&p->again, t, oom_runs_well_once(t), line);
	said(&p->again, t, oom_wording(t, WORDING_BACK), line);
	said(&p->again, t, oom_runs_restarted(t), line);
	if (source == SOURCE_PROSE && !p->again.line && (at = oom_wording(t, WORDING_NO_LONGER))) {
		said_at(&p->again, t, at, line);
		p->ran_earlier = line;
	}
	if ((at = oom_runs_trials(t)) && source == SOURCE_PROSE && (oom_runs_done(t, at) || p->grows.line == line || (p->told.said.line && talk_has_whole(talk_part(t, talk_sentence(t, at).s, at), HAPPENS))))
		said_at(&p->trials, t, at, line);
	else
		said_of_failure(&p->trials, &p->told, t, at, line);
	if (p->told.here_line == line || p->grows.line == line || (source == SOURCE_PROSE && (p->grows.line || p->told.what) && talk_has_whole(t, BLAMES)))
		said(&p->retains, t, oom_wording(t, WORDING_RETAINS), line);
	if (p->told.here_line == line)
		said(&p->vocabulary, t, oom_runs_words(t), line);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE)
		said_of_any(&p->talk, &p->told, t, line, FOUND_BY(oom_runs_talk));
	said_of_any(&p->first, &p->told, t, line, FOUND_BY(oom_runs_first));
	if (p->first.line != line && p->told.here_line == line)
		said(&p->first, t, oom_runs_first(t), line);
	if (p->first.line == line)
		p->first_of_ranks = (talk_any_whole(t, "processes rank ranks scripts ddp distributeddataparallel torchrun multiprocessing") || talk_has_whole(t, "each process|every process|each script|every script")) &&
		    !talk_any_whole(t, "dataparallel");
	said_of_any(&p->unfreezes, &p->told, t, line, WORDED(UNFREEZES));
	if (source != SOURCE_CODE && (at = oom_wording(t, WORDING_STAYS))) {
		said_at(&p->stays, t, at, line);
		oom_told_stays(&p->told, talk_sentence(t, at), line);
	}
}

/* What is large of its data or its network, and what was changed of that. */
static void
sizes_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	int64_t absurd;

	said_of_given(&p->media, &p->told, t, line, oom_bulk_media);
	if (p->told.here_line == line && source == SOURCE_PROSE)	/* "It is only 10 seconds. As expected, it ran out of memory." */
		said(&p->media, t, oom_bulk_seconds(t), line);
	if (!p->lasts.line)
		said(&p->lasts, t, oom_bulk_long(t, source == SOURCE_PROSE), line);
	said_of_failure(&p->hook, &p->told, t, oom_wording(t, WORDING_HOOK), line);
	at = oom_wording(t, WORDING_MODELS);
	if (at && clause_is_question(talk_sentence(t, at)))
		at = NULL;
	if (source == SOURCE_PROSE && at && talk_any_whole(talk_sentence(t, at), "release free unload concurrently simultaneously simulataneously"))
		said(&p->models, t, at, line);
	else
		said_of_failure(&p->models, &p->told, t, at, line);
	said_of_any(&p->classes, &p->told, t, line, FOUND_BY(oom_bulk_classes));
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		said(&p->pairs, t, oom_bulk_pairs(t), line);
		said(&p->boxes, t, oom_bulk_boxes(t), line);
		if ((at = oom_runs_loss(t)) && (p->told.here_line == line || (p->told.said.line && line - p->told.said.line <= NEAR_FAILURE) ||
		    talk_any_whole(talk_clause(t, at, 1), "memory vram oom")))
			said_at(&p->loss, t, at, line);
		said(&p->penalty, t, oom_wording(t, WORDING_PENALTY), line);
		said(&p->shared, t, oom_runs_shared(t), line);
		said(&p->unused, t, oom_runs_unused(t), line);
		said(&p->single, t, oom_runs_single(t), line);
		if (p->told.said.line || p->told.here_line)
			said(&p->spare, t, oom_runs_spare(t), line);
		said(&p->peak, t, oom_wording(t, WORDING_PEAK), line);
	}
	said_of_given(&p->large, &p->told, t, line, oom_pictures_large);
	said_of_failure(&p->large, &p->told, t, oom_pictures_side(t), line);
	said_of_failure(&p->sizes, &p->told, t, oom_pictures_sizes(t), line);
	if (!p->sizes.line)
		said(&p->sizes, t, oom_wording(t, WORDING_FIXED_SIZE), line);
	if (source != SOURCE_CODE && source != SOURCE_OUTPUT && source != SOURCE_COMMAND && !p->card.line && !talk_any_phrase(t, COMES_TO))
		said(&p->card, t, oom_card_small(t), line);
	if (talk_any_phrase(t, "再小都|再小也|多小都|多低都|no matter how small|however small|regardless of how small|no matter how low") && (p->told.here_line == line || clause_names_failure(t)))
		p->however = line;
	said(&p->less, t, oom_less_runs(t), line);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		p->films = oom_change_films(t) ? line : p->films;
		if (p->films && line - p->films <= NEAR_FAILURE)
			said(&p->less, t, oom_change_media(t), line);
	}
	if ((at = oom_works_workers(t))) {
		said_at(&p->less, t, at, line);
		p->same_size = line;
	}
	if ((at = oom_change_raised(t)) && source == SOURCE_PROSE && oom_change_leads(t, at))
		said_at(&p->raised, t, at, line);
	else
		said_of_failure(&p->raised, &p->told, t, at, line);
	said(&p->other_data, t, oom_change_data(t), line);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		said(&p->turned_on, t, oom_cure_added(t), line);
		said(&p->ended_by, t, at = oom_cure_ended(t), line);
		if (oom_cure_begins_other(at ? talk_part(t, at, t.s + t.n) : t))
			p->ended_by.line = 0;		/* that was of another failure */
		said(&p->emptied, t, oom_cure_emptied(t), line);
		said(&p->deprecated, t, oom_wording(t, WORDING_DEPRECATED), line);
	}
	if (source != SOURCE_CODE && source != SOURCE_COMMENT && source != SOURCE_COMMAND)
		batch_said(p, t, line, source);
	if (source == SOURCE_PROSE && (at = oom_array_made(t, &absurd)) && oom_told_is_of_failure(&p->told, t, at, line)) {
		said_at(&p->array, t, at, line);
		p->array_bytes = absurd;
	}
	if ((at = oom_bulk_absurd(t, &absurd)) && source != SOURCE_CODE) {
		said_at(&p->absurd, t, at, line);
		p->absurd_bytes = absurd;
	}
}

/* In which part of a program. */
static void
parts_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

	said_of_any(&p->decoder, &p->told, t, line, WORDED(DECODES));
	if ((p->images || p->images_told || talk_has_whole(t, "generating image|generating images|generate image|generate images|generating an image|generate an image|generating a picture|image generation|generating a video|video generation")) && !p->training)
		said(&p->decoder, t, oom_wording(t, WORDING_DRAWS_LAST), line);
	said_of_failure(&p->second, &p->told, t, oom_wording(t, WORDING_FIRST_RAN), line);
	said_of_failure(&p->adam, &p->told, t, oom_wording(t, WORDING_ADAM), line);
	said_of_any(&p->converts, &p->told, t, line, WORDED(CONVERTS));
	if (source != SOURCE_PROSE && talk_any_phrase(t, "begin building engine|building tensorrt engine|building an engine from file|[trt] building engine"))
		said_at(&p->converts, t, t.s, line);
	if (source == SOURCE_PROSE || source == SOURCE_COMMENT)
		said(&p->shapes, t, talk_first(t, "new shape|new length|new sequence length|new input size|new image size|dynamic shape|dynamic input|dynamic axes|dynamic batch|various input shape|various shape|various size|different input shape|different shape|varying shape|"
		    "varying input|variable shape|variable input|shapes vary|shape varies|shapes change|shape changes|changing shape|different sentence length|different sequence length|different input length|batches of different length|sentence lengths|varying length|lengths vary|length varies|variable length"), line);
	said_of_any(&p->loading, &p->told, t, line, FOUND_BY(loads));
	if (talk_any_whole(t, "load loads loaded loading read reading open opens opening parses parsing deserialize import imports importing"))
		p->reads = line;
	if (talk_any_phrase(t, " sec)| secs)| seconds)| min)| minutes)"))
		p->spent = line;
	said_of_any(&p->saving, &p->told, t, line, FOUND_BY(saves));
	said_of_any(&p->resuming, &p->told, t, line, FOUND_BY(resumes));
	if (!p->resuming.line && talk_any_whole(t, "kill kills killed sigkill"))	/* "it sends Kill when I try to resume" */
		said(&p->resuming, t, resumes(t), line);
	if (oom_runs_on_one(t))
		p->one_runs = line;
	if (source == SOURCE_COMMAND || source == SOURCE_SETTING)
		said(&p->resumed, t, resumes_by_setting(t), line);
	if ((at = oom_runs_parallel(t)) && p->told.here_line == line)		/* "on two it fails. On one it works." */
		said_at(&p->parallel, t, at, line);
	else
		said_of_failure(&p->parallel, &p->told, t, at, line);
}

/* Whose program it is. */
static void
libraries_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	if (talk_any_begins(t, "torch pytorch nn.dataparallel") || (source == SOURCE_CODE && !oom_told_names_another(&p->told) && talk_any_of(t, ".backward() .zero_grad( .to(device)")))
		*(source == SOURCE_PROSE ? &p->torch_told : &p->torch) = line;
	if (talk_any_phrase(t, "detector train|classifier train"))
		p->detects = -1;
	else if (p->detects == 0 && talk_any_phrase(t, "detector test|detector demo|detector valid|detector map|detector recall|darknet detect "))
		p->detects = line;
	if (talk_any_phrase(t, "session.run|sess.run|tf.session("))
		p->session = line;
	if (talk_any_phrase(t, "onnxruntime|inferencesession|.run(none|ort_session|requests.session|boto3.session|sessionmaker"))
		p->other_sessions = line;
	if (talk_any_phrase(t, "graph.finalize|graph().finalize"))
		p->finalizes = line;
	if (talk_any_of(t, "pytorch torch") && talk_any_phrase(t, "h 0.3|h0.3|=0.3"))
		p->older = line;
	if (talk_any_of(t, "pytorch torch") && talk_any_phrase(t, "h 0.4|h0.4|=0.4"))
		p->newer = line;
}

void
oom_words_line(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	oom_told_line(&p->told, t, line);
	oom_when_line(p, t, line);
	use_said(p, t, line, source);
	runs_said(p, t, line, source);
	sizes_said(p, t, line, source);
	parts_said(p, t, line, source);
	libraries_said(p, t, line, source);
	oom_blame_line(p, t, line, source);
	oom_pictures_said(p, t, line);
}
