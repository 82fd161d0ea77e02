/*
 * Whether all of a model's weights are trained: by a word for all of it and one for tuning right
 * behind, by all of its weights as what is tuned, or by a setting.
 */
#include "oom/oom_full.h"

#include <string.h>

#include "oom/oom_clause.h"

#define ALL		"full fully whole entire complete"
#define OF_MODEL	"parameter parameters param params weight weights model scale supervised fine re ft sft"
#define TUNING		"finetune finetuned finetunes finetuning tune tuned tuning sft dreambooth"
#define BETWEEN		3	/* words of OF_MODEL */

#define TRAINS		"train training trained tune tuning tuned finetune finetuning finetuned update updating updated unfreeze unfreezing unfreezed unfroze"
#define ITS_WEIGHTS	"parameters params weights"
#define TO_WEIGHTS	"of the my our its model model's network network's trainable"
#define OTHERWISE	"non-lora|non lora|without lora|not lora"

/* How a script or a recipe of it is called. */
#define SCRIPTS		"full_finetune|full-finetune|full_fine_tun|full_sft|full-sft|sft_full|finetune_full|finetune-full|examples/train_full/"

#define KINDS		"finetuning_type|finetuning-type|finetune_type|fine_tuning_type|fine_tune_type|train_type|training_type|tuning_type|tune_type|tuner_type|sft_type|train_mode|tuning_mode|tuning_strategy|finetune_strategy|finetuning_strategy"
#define ON_OFF		"full_finetuning|full_finetune|full_fine_tuning|full_tuning|full_parameter|full_parameters"
#define ADAPTERS	"use_lora|use_peft|lora_enable"

#define CHINESE		"全参|全量微调|全量训练|全量sft|全量精调|全模型训练|全模型微调|全权重|全部参数|所有参数"
#define BEFORE_OTHER	"完|安"		/* "完全参考", "安全参数" */
#define BEHIND_OTHER	"全参考|全参照|全参与|全参加|全参阅"
#define WITH_WEIGHTS	"训练|微调|更新|优化"

/* "load: path  # of a full model", what a setting is for. */
static bool
is_remark(struct talk t, const char *at)
{
	const char *sign = memchr(t.s, '#', (size_t)(at - t.s));

	return sign && piece_past_blanks(t.s, sign) < sign;
}

/* "no full fine-tuning" */
static bool
is_denied(struct talk t, const char *at)
{
	return clause_says_no(talk_part(t, talk_clause(t, at, 1).s, at), "") || is_remark(t, at);
}

static struct talk
word_behind(struct talk t, struct talk word)
{
	return clause_word_behind(t, word.s + word.n);
}

/* "full-parameter fine-tuning", "fully fine-tune" */
static const char *
all_is_tuned(struct talk t)
{
	const char *at;
	struct talk rest, word;
	int i;

	for (rest = t; (at = talk_find_word(rest, ALL)); rest = talk_part(t, word.s, t.s + t.n)) {
		word = word_behind(t, clause_word_behind(t, at));
		for (i = 0; i < BETWEEN && talk_is_one_of(word, OF_MODEL); i++)
			word = word_behind(t, word);
		if (word.n == 0)
			return NULL;
		if ((talk_is_one_of(word, TUNING) || (i > 0 && talk_is_one_of(word, "training") && talk_is_one_of(clause_word_ahead(t, word.s), "parameter parameters param"))) && !is_denied(t, at))
			return at;
	}
	return NULL;
}

/* "I train all of the model's weights" */
static const char *
weights_are_tuned(struct talk t)
{
	const char *at;
	struct talk rest, word;
	int i;

	for (rest = t; (at = talk_find_word(rest, TRAINS)); rest = talk_part(t, word.s, t.s + t.n)) {
		word = word_behind(t, clause_word_behind(t, at));
		if (word.n == 0)
			return NULL;
		if (!talk_is_one_of(word, "all every"))
			continue;
		word = word_behind(t, word);
		for (i = 0; i < BETWEEN && talk_is_one_of(word, TO_WEIGHTS); i++)
			word = word_behind(t, word);
		if (word.n == 0)
			return NULL;
		if (talk_is_one_of(word, ITS_WEIGHTS) && !is_denied(t, at) && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n))
			return at;
	}
	return NULL;
}

static const char *
in_chinese(struct talk t)
{
	const char *at = NULL;
	struct talk clause;
	size_t n;

	while (talk_next_phrase(t, CHINESE, &at, &n)) {
		clause = talk_clause(t, at, n);
		if (clause_beside(BEFORE_OTHER, t.s, at, t.s + t.n, true) || clause_beside(BEHIND_OTHER, t.s, at, t.s + t.n, false))
			continue;
		if (!talk_any_phrase(talk_part(t, at, at + n), "全部参数|所有参数") || (talk_any_phrase(clause, WITH_WEIGHTS) && !talk_any_phrase(clause, "冻结|吗|不")))
			return at;
	}
	return NULL;
}

/* "--finetuning_type full", "full_finetuning = True", "use_lora: false" */
static const char *
by_settings(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, KINDS, &at, &n))
		if (clause_is_set_to(t, at + n, "full full_parameter"))
			return at;
	for (at = NULL; talk_next_phrase(t, ON_OFF, &at, &n); )
		if (clause_is_set_to(t, at + n, "true 1 yes on"))
			return at;
	for (at = NULL; talk_next_phrase(t, ADAPTERS, &at, &n); )
		if (clause_is_set_to(t, at + n, "false 0 no off"))
			return at;
	return NULL;
}

const char *
oom_full(struct talk t, bool *by_setting)
{
	const char *at = by_settings(t);
	size_t n;

	*by_setting = at && !is_remark(t, at);
	if (*by_setting)
		return at;
	if ((at = all_is_tuned(t)) || (at = weights_are_tuned(t)))
		return at;
	if ((at = talk_find_whole(t, OTHERWISE, &n)) && !is_denied(t, at))
		return at;
	return (at = talk_first(t, SCRIPTS)) && !is_denied(t, at) ? at : in_chinese(t);
}
