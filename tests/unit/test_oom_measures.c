/* Measures against too little memory: texts that show one in use, or tried without help, and near
 * them some that do not. They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define COUNT(v)	(sizeof(v) / sizeof(*(v)))

struct row {
	enum measure measure;
	const char *text;
};

Test(oom_measures, in_use_or_tried)
{
	static const struct row yes[] = {
		{ MEASURE_BATCH, "per_device_train_batch_size=1" }, { MEASURE_BATCH, "python train.py --batch 1" }, { MEASURE_BATCH, "samples_per_gpu: 1" }, { MEASURE_BATCH, "It fails even with batch size 1." },
		{ MEASURE_BATCH, "I have set the batch size to 1." }, { MEASURE_BATCH, "I reduced the batch size, but it still fails." }, { MEASURE_BATCH, "I tried:\n- a smaller batch" },
		{ MEASURE_SMALLER, "A lower resolution did not help." }, { MEASURE_WORKERS, "python train.py --num_workers 0" }, { MEASURE_WORKERS, "The number of workers makes no difference." },
		{ MEASURE_PARTS, "It fails even when I set --ray_chunk 32." }, { MEASURE_CHECKPOINTS, "model.gradient_checkpointing_enable()" }, { MEASURE_CHECKPOINTS, "I am using gradient checkpointing." },
		{ MEASURE_HALF, "python train.py --fp16" }, { MEASURE_HALF, "I already use fp16, so that is enabled." }, { MEASURE_BITS, "load_in_4bit=True" }, { MEASURE_OFFLOAD, "pipe.enable_model_cpu_offload()" },
		{ MEASURE_ATTENTION, "Using xformers cross attention" }, { MEASURE_GROWTH, "config.gpu_options.allow_growth = True" }, { MEASURE_LOWVRAM, "python main.py --lowvram" },
		{ MEASURE_TILES, "pipe.enable_vae_tiling()" }, { MEASURE_EMPTY, "torch.cuda.empty_cache() had no effect." }, { MEASURE_SEGMENTS, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" },
		{ MEASURE_SWAP, "I tried more swap, and it still gets killed." }, { MEASURE_ALONE, "Nothing else is running on it." },
		{ MEASURE_BATCH, "But with my batch_size set to 1, how do I solve this?" }, { MEASURE_WORKERS, "It was killed with num_workers set to 0." },
		{ MEASURE_WORKERS, "But with num_workers set to 0, is there a way?" }, { MEASURE_FIXED, "random=0" }, { MEASURE_FIXED, "It still fails with random=0." },
		{ MEASURE_SWAP, "修改了D盘的页面文件大小，还是报错。" }, { MEASURE_SWAP, "I made the paging file larger, and it still fails." },
	};
	static const struct row no[] = {
		{ MEASURE_BATCH, "per_device_train_batch_size=16" }, { MEASURE_BATCH, "It works with batch size 1." }, { MEASURE_BATCH, "Should I set the batch size to 1?" }, { MEASURE_BATCH, "It fails with a batch size > 1." },
		{ MEASURE_BATCH, "val_batch_size=1" }, { MEASURE_BATCH, "I could reduce the batch size." }, { MEASURE_BATCH, "I tried a batch size of 8, and it still fails." }, { MEASURE_BATCH, "I will try:\n- a smaller batch" },
		{ MEASURE_SMALLER, "A lower resolution helped." }, { MEASURE_WORKERS, "python train.py --num_workers 8" }, { MEASURE_PARTS, "Does --ray_chunk 32 help?" },
		{ MEASURE_CHECKPOINTS, "gradient_checkpointing=False" }, { MEASURE_CHECKPOINTS, "It still fails without gradient checkpointing." }, { MEASURE_HALF, "parser.add_argument(\"--fp16\")" },
		{ MEASURE_HALF, "I have not tried fp16 yet." }, { MEASURE_BITS, "load_in_4bit=False" }, { MEASURE_ATTENTION, "No module named 'xformers'. Proceeding without it." },
		{ MEASURE_GROWTH, "config.gpu_options.allow_growth = False" }, { MEASURE_LOWVRAM, "Does --lowvram help?" }, { MEASURE_EMPTY, "Would torch.cuda.empty_cache() help?" },
		{ MEASURE_SWAP, "With more swap it works." }, { MEASURE_ALONE, "Is nothing else running on it?" },
		{ MEASURE_BATCH, "Should the batch_size be set to 1, how do I do that?" }, { MEASURE_BATCH, "But with my batch_size set to 10, how do I solve this?" },
		{ MEASURE_WORKERS, "It was killed with num_workers set to 8." }, { MEASURE_WORKERS, "Can num_workers be set to 0?" }, { MEASURE_FIXED, "random=1" }, { MEASURE_FIXED, "With random=0 it works." },
		{ MEASURE_SWAP, "修改了页面文件大小就好了。" }, { MEASURE_SWAP, "页面文件太小，无法完成操作" },
	};
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect(read_lines(yes[i].text).measures.line[yes[i].measure], "%s", yes[i].text);
	for (i = 0; i < COUNT(no); i++)
		cr_expect(!read_lines(no[i].text).measures.line[no[i].measure], "%s", no[i].text);
}
