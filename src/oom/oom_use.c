/*
 * What people say a network was used for: evaluation, inference or training. As in oom_words.c none
 * of it is a fact of the run.
 */
#include "oom/oom_use.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_note.h"
#include "oom/oom_when.h"
#include "oom/oom_works.h"

/* A program that is tried, not a network that is tested. */
#define TRIES		"testing with batch|testing with a batch|testing different|testing various|testing with different|testing notebook|testing the notebook|testing the example|testing an example|testing example|testing this example|testing the tutorial|testing the demo|installation|install|installing|the demo|demo script|demo code|example script|sample script|web ui|webui|testing the code|testing your code|testing this code|testing my code|testing the program|testing the script|testing the repo|"	\
    "testing this repo|testing your repo|testing out|test the code|test your code|test this code|test my code|test the program|test the script"

/* What is ready as others made it: "when I test the diarization pipeline". */
#define READY		"asr tts ocr audio pipeline pipelines demo demos example examples repo repository api server endpoint notebook colab app application release plugin extension docker tool software installation webui"

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

	return is_tried(t, clause, at) || is_after_tests(clause, at) || (talk_any_phrase(talk_head(t, at, sizeof("when using test")), "doing the|to do |using test|on the test data") && talk_any_begins(sentence, "train")) || talk_any_phrase(talk_head(t, at, sizeof("but the test accuracy")), "test loss|test accuracy") || talk_any_phrase(sentence, OF_CODE) || talk_any_phrase(talk_head(t, at, sizeof("with custom compute_metrics = none")), "metrics=none|metrics = none") || talk_has_whole(talk_part(t, sentence.s, at), WATCHES) || (talk_any_phrase(talk_head(t, at, sizeof("in eval mode")), "eval mode") && talk_any_whole(sentence, "train training")) || (talk_any_begins(talk_head(t, at, 7), "predict") && talk_any_phrase(sentence, FITS)) ||
	    (talk_any_whole(sentence, "train training") && talk_any_whole(talk_part(t, sentence.s, at), "or")) ||
	    talk_has_whole(sentence, "not always|not only|n't always|isn't only|sometimes during training|sometimes in training");
}

/* A mode by its short name, as logs have it. */
#define TO_VAL		"change to val|changes to val|changed to val|switch to val|switches to val|switched to val|change to 'val'|changes to 'val'|changed to 'val'|switch to 'val'|switches to 'val'|switched to 'val'|'val' mode| val mode"

#define DOES		"do does doing did run runs running ran perform performs performing performed start starts starting make makes making"
#define AS_IT		"when while as if whenever once i we it before during"

/* "when I do an evaluation", "while it performs the full validation" */
static const char *
does_tests(struct talk t)
{
	const char *at, *end = t.s + t.n;
	struct talk rest, word, clause;

	for (rest = t; (at = talk_find_word(rest, "evaluation evaluations validation validations")); rest = talk_part(t, at + 1, end)) {
		word = clause_word_ahead(t, at);
		while (talk_is_one_of(word, "a an the my our its full whole complete first final model"))
			word = clause_word_ahead(t, word.s);
		clause = talk_clause(t, at, 1);
		if (talk_is_one_of(word, DOES) && talk_is_one_of(clause_word_ahead(t, word.s), AS_IT) && !is_no_evaluation(t, clause, at) && !clause_says_no(talk_part(t, clause.s, at), "after without should would could") && !clause_works(clause))
			return word.s;
	}
	return NULL;
}

#define GIVES		"is giving|are giving|gives|gave|give|throws|threw|raises|raised|fails|failed|crashes|crashed|leads to|led to|causes|caused|runs out|ran out|run out|ends with|ended with|ends in|ended in|results in|resulted in|goes out|went out|dies"
#define AHEAD_OF_IT	"the my our but however and so then now only also because since while model still when though although that"

/* "However, testing for the first model is giving an out of memory error": what is named first is
 * what failed so. */
static const char *
tests_fail(struct talk t)
{
	const char *at, *end = t.s + t.n, *gives;
	struct talk rest, clause, ahead;
	size_t n;

	for (rest = t; (at = talk_find_word(rest, "testing evaluation evaluating validation validating")); rest = talk_part(t, at + 1, end)) {
		clause = talk_clause(t, at, 1);
		ahead = clause_word_ahead(clause, at);
		gives = talk_find_whole(talk_part(clause, at, clause.s + clause.n), GIVES, &n);
		if ((ahead.n == 0 || talk_is_one_of(ahead, AHEAD_OF_IT)) && gives && talk_has_whole(talk_part(t, gives, clause.s + clause.n), "memory|oom|out-of-memory|outofmemory|outofmemoryerror") &&
		    !clause_says_no(talk_part(clause, clause.s, gives), "should would could might may if train training") && !is_no_evaluation(t, clause, at))
			return at;
	}
	return NULL;
}

static const char *
evaluates(struct talk t)
{
	const char *val = clause_says_unless(t, TO_VAL, AHEAD | BEHIND | WORKS, "", is_no_evaluation);
	const char *elsewhere = talk_first(t, "进行评估|进行验证|评估时|验证时|评估的时候|验证的时候|在验证集上|评估阶段|验证阶段|测试阶段|evaluate阶段|eval阶段|test时|eval时|val时|valid时|validation时|evaluate时|test的时候|eval的时候|val的时候|跑测试集|跑验证集|validation阶段|test阶段"), *at = elsewhere && !clause_goes_well_elsewhere(t, elsewhere) ? elsewhere : talk_any_of(t, "valid eval test predict") ? clause_says(t, "outputs are stored on the gpu|results are stored on the gpu|"
	    "predictions are stored on the gpu|outputs are kept on the gpu|predictions are kept on the gpu", AHEAD, "") : NULL;

	if (!at && val)
		return val;
	if (!at && ((at = does_tests(t)) || (at = tests_fail(t))))
		return at;
	return at || !talk_any_of(t, "valid eval test predict verif metric") ? at : clause_says_unless(t, "during validation|during the validation|during evaluation|during the evaluation|during eval|"
	    "in validation|in the validation|until validation|until the validation|on validation|in evaluation|in the evaluation|while validating|while evaluating|when validating|when validate|"
	    "when evaluating|when evaluate|when it evaluat|when it validat|when doing validation|when doing evaluation|doing the testing|doing the evaluation|doing the validation|to do evaluation|to do the evaluation|to do validation|when using test data|when using the test set|on the test data|at validation|at evaluation|first validation|second validation|after each validation|after every validation|each validation batch|each validation step|next validation|validation phase|evaluate phase|eval phase|validate phase|evaluate stage|eval stage|eval step|, in validate|, in evaluate|when verifying|while verifying|during verification|"
	    "validation crashes|validation crashed|evaluation crashes|evaluation crashed|trying to validate|tries to validate|try to validate|trying to evaluate|tries to evaluate|try to evaluate|validation step|validation stage|validation part|validation loop|evaluation phase|evaluation step|"
	    "evaluation stage|evaluation part|evaluation loop|when testing|while testing|during testing|during the test|was testing the model|am testing the model|was testing my model|test but out of memory|test but oom|"
	    "can't test|cannot test|can not test|unable to test|couldn't test|could not test|can't evaluate|cannot evaluate|can not evaluate|unable to evaluate|couldn't evaluate|could not evaluate|"
	    "during test|test phase|testing phase|test stage|testing stage|testing part|beginning testing|"
	    "dataloader for test|loader for test|dataloader for the test|loader for the test|test dataloader starts|test loader starts|starts validat|starts evaluat|start validat|start evaluat|in test mode|in testing mode|when i test |while i test |when i inference |when i infer |when i evaluate |when i predict |i run test|testing process|running test|run the test|at test time|in test time|in the test |"
	    "validation out of memory|evaluation out of memory|validation oom|evaluation oom|testing out of memory|test out of memory|testing oom|memory in testing|memory in test|memory at testing|memory when test|memory while test|oom in test|oom when test|oom while test|memory when validation|memory when evaluation|oom when validation|oom when evaluation|run evaluation|running evaluation|run validation|run the validation|"
	    "running validation|perform evalu|perform valid|validation begins|validation starts|evaluation starts|validation started|evaluation started|testing started|validation began|evaluation began|trainer.evaluate|eval_accum|evaluation code|the eval code|eval script|evaluation script|evaluate script|the test script|the testing script|oom on test set|oom on the test set|memory on test set|memory on the test set|oom on the validation set|memory on the validation set|the eval mode|eval mode|evaluation mode|validation mode|with compute_metrics|with custom compute_metrics|using compute_metrics|when compute_metrics|adding compute_metrics|added compute_metrics|add compute_metrics|the eval will run|starts eval|eval_period|eval period|eval.period|when eval|the test showed|the test shows|but the test|ready for testing|model.predict|using predict|predict function|predict throws|at predict time|during prediction|"
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

#define OF_THAT		"that happened|that happens|which happened|which happens|that one|that issue|that was|theirs|they got|they get"

/* "It is as in issue #70, but that happened in inference": of another's report. */
static bool
is_of_another_report(struct talk t, struct talk clause, const char *at)
{
	return talk_any_phrase(talk_part(t, t.s, at), "/issues/|issue #|issues #|issue: #") && talk_has_whole(clause, OF_THAT);
}

/* "infer_auto_device_map", a folder's name, all types of it alike, "before any inference". */
static bool
is_no_inference(struct talk t, struct talk clause, const char *at)
{
	return is_folder(t, at) || is_of_another_report(t, clause, at) || talk_has_whole(talk_part(t, clause.s, at), "before any|prior to any") ||
	    talk_any_phrase(t, "accumulate in ram") || talk_any_phrase(talk_head(t, at, sizeof("inference require:")), "inference require:|infer auto|infer_auto|inferred|infer the|infer that|infer from") || talk_has_whole(talk_part(t, t.s, at), "all type of|all types of|any type of");
}

/* What stands behind the word where it is said of how well it goes, and ahead of it where that has
 * not begun. */
#define OF_INFERENCE_CHINESE	"速度|能力|性能|效率|加速|框架|引擎|之前|前"
#define TRAINED_CHINESE		"训练完|训练好|预训练"

/* "多卡推理完就爆显存": in Chinese the word is the same for all that has to do with it. */
static const char *
infers_chinese(struct talk t)
{
	const char *at = NULL;
	size_t n;

	if (talk_any_phrase(t, "训练") && !talk_any_phrase(t, TRAINED_CHINESE))
		return NULL;
	while (talk_next_phrase(t, "推理", &at, &n))
		if (!talk_any_phrase(talk_head(t, at + n, sizeof("加速") - 1), OF_INFERENCE_CHINESE) && !clause_goes_well_elsewhere(t, at))
			return at;
	return NULL;
}

static const char *
infers(struct talk t)
{
	const char *elsewhere = infers_chinese(t);

	if (elsewhere)
		return elsewhere;
	return talk_any_whole(t, "inference infer inferring") ? clause_says_unless(t, "infer", AHEAD | BEHIND | WORKS, "", is_no_inference) : NULL;
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

	while (talk_next_phrase(t, "training|fine-tun|finetun|grad accum|gradient accum|grad_accum|gradient_accum", &at, &n))
		if (!is_in_path(t, at) && !(talk_has_whole(talk_head(t, at, 16), "training mode") && clause_says_no(talk_part(t, talk_clause(t, at, n).s, at), "")))
			return true;
	return false;
}

/* What is said of how a network was trained that is run. */
#define OF_TRAINED	"used in training|used for training|used during training|seen in training|seen during training|than in training|than during training|after training|as in training|as during training|trained on|training data of"

#define TEST_SCRIPTS	"eval evals evaluate evaluation test testing val valid validate validation"
#define INFER_SCRIPTS	"infer inference inferencing predict prediction predictions"
#define OTHER_SCRIPTS	"train training trainval pretrain finetune unit server tests plot data dataset convert"
/* What a script goes through whose name begins with test; test_csv.py tries code. */
#define TESTED		"net network model models set all single multi image images img video videos loop epoch"
#define RUNS_IT		"python python3 python2 run runs ran running execute executed executing launch launched launching use used using call called calling when in at with by of the script file a my"

/* Where the script whose name ends at DOT goes through tests, or only runs a network, by the parts
 * of its name: "tools/eval_net.py", "test.py", "test_model.py"; *INFERS tells which. Not one that
 * trains as well, nor those that try code. */
static const char *
script_of(struct talk t, const char *dot, bool *infers)
{
	const char *s, *to, *from = dot;
	bool tests = false, tries = false, of_network = false;

	*infers = false;
	while (from > t.s && (piece_is_word(from[-1]) || from[-1] == '-'))
		from--;
	for (s = from; s < dot; s = to + 1) {
		for (to = s; to < dot && *to != '_' && *to != '-'; to++)
			;
		if (to == s)
			continue;
		if (talk_is_one_of(talk_part(t, s, to), OTHER_SCRIPTS))
			return NULL;
		tries |= s == from && to < dot && talk_is_one_of(talk_part(t, s, to), "test tests");
		of_network |= talk_is_one_of(talk_part(t, s, to), TESTED);
		tests |= talk_is_one_of(talk_part(t, s, to), TEST_SCRIPTS);
		*infers |= talk_is_one_of(talk_part(t, s, to), INFER_SCRIPTS);
	}
	if (tries && !of_network)
		return NULL;
	*infers &= !tests;
	return tests || *infers ? from : NULL;
}

static void
note_script(struct oom_paste *p, struct talk t, const char *at, bool infers, int line)
{
	struct said *to = infers ? &p->inferring : &p->evaluating;

	if (!to->line && !(infers && p->training)) {
		said_at(to, t, at, line);
		p->scripted = line;
	}
}

/* "File "tools/infer_net.py", line 9, in <module>": a script that was run, by its name, and no
 * library's file. */
void
oom_use_script(struct oom_paste *p, struct talk t, int line)
{
	const char *py = talk_any_phrase(t, ", in <module>") && !talk_any_phrase(t, "-packages|pytest|/tests/|\\tests\\") ? talk_first(t, ".py\"") : NULL, *at;
	bool infers;

	if (!py)
		return;
	if (p->scripted && p->scripted != line) {		/* what a command or a sentence named need not be what ran */
		p->evaluating.line = p->evaluating.line == p->scripted ? 0 : p->evaluating.line;
		p->inferring.line = p->inferring.line == p->scripted ? 0 : p->inferring.line;
		p->scripted = 0;
	}
	if ((at = script_of(t, py, &infers)))
		note_script(p, t, at, infers, line);
}

/* "when I run python eval.py", "python tools/test.py --batch 4": in a command, or in a sentence
 * that has it run, and says of nothing that it goes well. */
static void
scripts(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *py = NULL, *at, *from;
	size_t n;
	bool infers;

	if (!(source == SOURCE_COMMAND || source == SOURCE_PROSE || source == SOURCE_UNSURE) || talk_any_phrase(t, "pytest|unittest|/tests/"))
		return;
	while (talk_next_phrase(t, ".py", &py, &n)) {
		if ((py + n < t.s + t.n && (piece_is_word(py[n]) || py[n] == '.')) || !(at = script_of(t, py, &infers)))
			continue;
		for (from = at; from > t.s && !memchr(" `\"'*(", from[-1], 6); from--)
			;
		if (source == SOURCE_COMMAND ? talk_any_of(talk_part(t, t.s, at), "train.") : !(talk_is_one_of(clause_word_ahead(t, from), RUNS_IT) || talk_any_begins(clause_word_ahead(t, from), "python")) || clause_works(talk_clause(t, at, 1)) ||
		    clause_says_no(talk_part(t, talk_clause(t, at, 1).s, at), "should would could will if before"))
			continue;
		note_script(p, t, at, infers, line);
	}
}

/* "I infer (not train)" */
#define TRAINS_NOT	"not train|not training|n't train|n't training|not trained|no training|not for training|not fine-tune|not finetune|not fine-tuning|not finetuning"

/* In evaluation, inference or training. */
void
oom_use_line(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	bool trains_not;

	oom_note_any(&p->evaluating, &p->told, t, line, FOUND_BY(evaluates));
	oom_note_failure(&p->evaluating, &p->told, t, tests_trained(t), line);
	oom_note(&p->evaluating, t, oom_wording(t, WORDING_UNGUARDED), line);
	oom_note(&p->evaluating, t, oom_works_trained(t), line);
	if ((at = oom_when_left(t))) {
		said_at(&p->grows, t, at, line);
		said_at(&p->evaluating, t, at, line);
	}
	if (oom_works_tests(t))
		p->tests_alike = line;
	banners(p, t, line, source);
	scripts(p, t, line, source);
	if (p->evaluating.line != line && p->told.here_line == line)
		oom_note_failure(&p->evaluating, &p->told, t, oom_wording(oom_told_sentence(&p->told, t), WORDING_TESTS_FAIL), line);
	if (source == SOURCE_COMMAND)
		oom_note(&p->evaluating, t, talk_first(t, "--eval-only|--eval_only|--evaluate-only|--test-only|--test_only|--only-eval|--only_eval|--only_test|--only-test"), line);
	oom_note(&p->metrics, t, measures(t), line);
	if (p->metrics.line == line && p->told.here_line == line && !p->evaluating.line && talk_any_begins(t, "evaluat validat"))
		p->evaluating = p->metrics;	/* where its results fill memory, it failed in that */
	trains_not = talk_has_whole(t, TRAINS_NOT);
	if (trains_not || !talk_any_of(t, "train fine-tun finetun"))
		oom_note_failure(&p->inferring, &p->told, t, infers(t), line);
	if (trains_not && talk_any_whole(t, "infer inference inferring predict prediction predicting"))
		return;
	if (talk_any_whole(t, "inference infer") && talk_has_whole(t, OF_TRAINED))
		return;
	if (names_training(t) || talk_any_whole(t, "train trains pretrain pre-train epoch epochs") || talk_has_whole(t, "when i trained|while i trained|when we trained|while we trained|as i trained|once i trained|i was training|we were training") || (talk_any_phrase(t, "训练|微调") && !talk_any_phrase(t, "训练好|预训练|训练完|微调好|微调后|推理")))
		p->training = line;
}
