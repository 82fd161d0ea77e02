/*
 * The order of the passes. A pass is one record in one file, here or in src/plan and src/schedule;
 * to add one, write its file and give it a row where it belongs. The row is all that names it.
 */
#include "ir/pass.h"

#include <stddef.h>

#define PASSES(_)				\
	_(phases)				\
	_(turns)				\
	_(split_layers)				\
	_(borders)				\
	_(formulas)				\
	_(simplify)				\
	_(join_formulas)			\
	_(transposed)				\
	_(pool_first)				\
	_(concat_in_place)			\
	_(chunk_loss)				\
	_(fuse_norm)				\
	_(layout)				\
	_(differentiate)			\
	_(stages)				\
	_(update)				\
	_(average)				\
	_(gradients_in_place)			\
	_(table_rows)				\
	_(prune)				\
	_(relu_dropped)				\
	_(sums_of_formulas)			\
	_(join_gradients)			\
	_(bodies)				\
	_(forks_in_place)			\
	_(recompute)				\
	_(order)				\
	_(fuse_activation)			\
	_(relu_bits)				\
	_(bias_gradients)			\
	_(pooled_biases)			\
	_(formula_in_bias)			\
	_(formula_in_norm)			\
	_(marked_norms)				\
	_(pooled_norms)				\
	_(conv_sums)				\
	_(fuse_loss)				\
	_(feed)					\
	_(updates_together)			\
	_(last_sums)				\
	_(buckets)				\
	_(gather)				\
	_(sync_norm)				\
	_(part_statistics)			\
	_(workspaces)				\
	_(inplace)				\
	_(gated_gradients)			\
	_(lifetimes)				\
	_(place)				\
	_(spare)				\
	_(sums)					\
	_(branches)				\
	_(cooperative)				\
	_(verify)

#define DECLARE(name)	extern const struct pass pass_##name;
PASSES(DECLARE)

#define ROW(name)	&pass_##name,
const struct pass *const pass_table[] = { PASSES(ROW) NULL };
