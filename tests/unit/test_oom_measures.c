/* Measures against too little memory: texts that show one in use, or tried without help, and near
 * them some that do not. They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define COUNT(v)	(sizeof(v) / sizeof(*(v)))

struct row {
	const char *by;
	const char *text;
};

Test(oom_measures, in_use_or_tried)
{
	static const struct row yes[] = {
		{ BY_BATCH, "per_device_train_batch_size=1" }, { BY_BATCH, "python train.py --batch 1" }, { BY_BATCH, "samples_per_gpu: 1" }, { BY_BATCH, "It fails even with batch size 1." },
		{ BY_BATCH, "I have set the batch size to 1." }, { BY_BATCH, "I reduced the batch size, but it still fails." }, { BY_BATCH, "I tried:\n- a smaller batch" },
		{ BY_SAMPLES, "A lower resolution did not help." }, { BY_WORKERS, "python train.py --num_workers 0" }, { BY_WORKERS, "The number of workers makes no difference." },
		{ BY_PARTS, "It fails even when I set --ray_chunk 32." }, { BY_CHECKPOINTS, "model.gradient_checkpointing_enable()" }, { BY_CHECKPOINTS, "I am using gradient checkpointing." },
		{ BY_HALF, "python train.py --fp16" }, { BY_HALF, "I already use fp16, so that is enabled." }, { BY_BITS, "load_in_4bit=True" }, { BY_OFFLOADING, "pipe.enable_model_cpu_offload()" },
		{ BY_ATTENTION, "Using xformers cross attention" }, { BY_GROWTH, "config.gpu_options.allow_growth = True" }, { BY_LOWVRAM, "python main.py --lowvram" },
		{ BY_TILES, "pipe.enable_vae_tiling()" }, { BY_EMPTYING, "torch.cuda.empty_cache() had no effect." }, { BY_SEGMENTS, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" },
		{ BY_SWAP, "I tried more swap, and it still gets killed." }, { BY_ALONE, "Nothing else is running on it." },
		{ BY_BATCH, "But with my batch_size set to 1, how do I solve this?" }, { BY_WORKERS, "It was killed with num_workers set to 0." },
		{ BY_WORKERS, "But with num_workers set to 0, is there a way?" }, { BY_FIXED, "random=0" }, { BY_FIXED, "It still fails with random=0." },
		{ BY_SWAP, "修改了D盘的页面文件大小，还是报错。" }, { BY_SWAP, "I made the paging file larger, and it still fails." },
	};
	static const struct row no[] = {
		{ BY_BATCH, "per_device_train_batch_size=16" }, { BY_BATCH, "It works with batch size 1." }, { BY_BATCH, "Should I set the batch size to 1?" }, { BY_BATCH, "It fails with a batch size > 1." },
		{ BY_BATCH, "val_batch_size=1" }, { BY_BATCH, "I could reduce the batch size." }, { BY_BATCH, "I tried a batch size of 8, and it still fails." }, { BY_BATCH, "I will try:\n- a smaller batch" },
		{ BY_SAMPLES, "A lower resolution helped." }, { BY_WORKERS, "python train.py --num_workers 8" }, { BY_PARTS, "Does --ray_chunk 32 help?" },
		{ BY_CHECKPOINTS, "gradient_checkpointing=False" }, { BY_CHECKPOINTS, "It still fails without gradient checkpointing." }, { BY_HALF, "parser.add_argument(\"--fp16\")" },
		{ BY_HALF, "I have not tried fp16 yet." }, { BY_BITS, "load_in_4bit=False" }, { BY_ATTENTION, "No module named 'xformers'. Proceeding without it." },
		{ BY_GROWTH, "config.gpu_options.allow_growth = False" }, { BY_LOWVRAM, "Does --lowvram help?" }, { BY_EMPTYING, "Would torch.cuda.empty_cache() help?" },
		{ BY_SWAP, "With more swap it works." }, { BY_ALONE, "Is nothing else running on it?" },
		{ BY_BATCH, "Should the batch_size be set to 1, how do I do that?" }, { BY_BATCH, "But with my batch_size set to 10, how do I solve this?" },
		{ BY_WORKERS, "It was killed with num_workers set to 8." }, { BY_WORKERS, "Can num_workers be set to 0?" }, { BY_FIXED, "random=1" }, { BY_FIXED, "With random=0 it works." },
		{ BY_SWAP, "修改了页面文件大小就好了。" }, { BY_SWAP, "页面文件太小，无法完成操作" },
	};
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect(read_lines(yes[i].text).measures.line[MEASURE(yes[i].by)], "%s", yes[i].text);
	for (i = 0; i < COUNT(no); i++)
		cr_expect(!read_lines(no[i].text).measures.line[MEASURE(no[i].by)], "%s", no[i].text);
}
