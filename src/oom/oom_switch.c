/* A switch is told by its name and the value behind it, "adam8bit: false", "--offload_model
 * False". */
#include "oom/oom_switch.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

static const char *const names[SWITCHES] = {
	[SWITCH_BITS] = "quantize|quantize_transformer|quantize_model|load_in_8bit|load_in_4bit|load-in-8bit|load-in-4bit|use_4bit|use_8bit|use_int8|fp8_base|fp8_transformer|fp8_scaled|enable_fp8|use_fp8|quant_4bit|quant_8bit|use_quantization|use_qlora|qlora",
	[SWITCH_ADAM] = "adam8bit|use_8bit_adam|use_8bit_optimizer|use_adam8bit|adam_8bit|use_8bit_adamw|optimizer_8bit",
	[SWITCH_OFFLOADS] = "offload_model|enable_model_cpu_offload|model_cpu_offload|enable_sequential_cpu_offload|sequential_cpu_offload|cpu_offload|offload_to_cpu|low_vram|lowvram|low_vram_mode|use_cpu_offload|enable_cpu_offload",
	[SWITCH_TILES] = "vae_tiling|enable_vae_tiling|vae_slicing|enable_vae_slicing|use_tiled_vae|use_tile_vae|tiled_vae|enable_tiling|use_tiling",
	[SWITCH_KERNEL] = "xformers|use_xformers|enable_xformers|enable_xformers_memory_efficient_attention|flash_attn|use_flash_attn|use_flash_attention|flash_attention|enable_flash_attn|use_flash|mem_eff_attn|memory_efficient_attention|use_memory_efficient_attention",
	[SWITCH_FILES] = "save_cache_on_disk|cache_latents_to_disk|cache_text_encoder_outputs_to_disk|cache_to_disk|cache_latents_on_disk",
};

#define OF_HELP		"help=|default=|add_argument|usage:|[--|boolean|optional["

/* Does VALUE say so, and not begin a version, "xformers: 0.0.20"? */
static bool
is_off(struct talk value, const char *end)
{
	const char *to = value.s + value.n;

	return talk_is_one_of(value, "false no none null off 0") && !(to + 1 < end && *to == '.' && is_digit(to[1]));
}

void
oom_switch_line(struct oom_knob of[SWITCHES], struct talk t, int line, enum oom_source source)
{
	const char *at, *to, *end = t.s + t.n;
	struct talk value;
	size_t n;
	int k;

	if ((source != SOURCE_SETTING && source != SOURCE_COMMAND && source != SOURCE_CODE && source != SOURCE_UNSURE) || talk_any_phrase(t, OF_HELP))
		return;
	for (k = 0; k < SWITCHES; k++)
		for (at = NULL; !of[k].line && talk_next_whole(t, names[k], &at, &n); ) {
			for (to = at + n; to < end && memchr(" =:\"'", *to, 5); to++)
				;
			value = clause_word_behind(t, to);
			if (to > at + n && value.s == to && is_off(value, end) && !(k == SWITCH_KERNEL && talk_is_one_of(value, "none null")) && clause_sets_off(t, at))
				oom_knob_keep(&of[k], at, value.s + value.n, line);
		}
}
