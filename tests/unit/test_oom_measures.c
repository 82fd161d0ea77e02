/* Measures against too little memory: texts that show one in use, or tried without help, and near
 * them some that do not. They are made up. */
#include <criterion/criterion.h>

#include "oom_lines.h"

#define COUNT(v)	(sizeof(v) / sizeof(*(v)))

struct row {
	const char *by;
	const char *text;
};

static bool
shows(const struct row *row)
{
	struct oom_measures of = read_lines(row->text).measures;

	return of.line[MEASURE(row->by)] || (row->by[0] == BY_BATCH[0] && of.one && !of.several);
}

Test(oom_measures, in_use_or_tried)
{
	static const struct row yes[] = {
		{ BY_BATCH, "per_device_train_batch_size=1" }, { BY_BATCH, "python train.py --batch 1" }, { BY_BATCH, "samples_per_gpu: 1" }, { BY_BATCH, "It fails even with batch size 1." },
		{ BY_BATCH, "I have set the batch size to 1." }, { BY_BATCH, "I reduced the batch size, but it still fails." }, { BY_BATCH, "I tried:\n- a smaller batch" },
		{ BY_SAMPLES, "A lower resolution did not help." }, { BY_WORKERS, "python train.py --num_workers 0" }, { BY_WORKERS, "The number of workers makes no difference." },
		{ BY_PARTS, "It fails even when I set --ray_chunk 32." },
		{ BY_BITS, "load_in_4bit=True" }, { BY_OFFLOADING, "pipe.enable_model_cpu_offload()" },
		{ BY_GROWTH, "config.gpu_options.allow_growth = True" },
		{ BY_TILES, "pipe.enable_vae_tiling()" }, { BY_EMPTYING, "torch.cuda.empty_cache() had no effect." }, { BY_SEGMENTS, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" },
		{ BY_SWAP, "I tried more swap, and it still gets killed." }, { BY_ALONE, "Nothing else is running on it." },
		{ BY_BATCH, "But with my batch_size set to 1, how do I solve this?" }, { BY_WORKERS, "It was killed with num_workers set to 0." },
		{ BY_WORKERS, "But with num_workers set to 0, is there a way?" }, { BY_FIXED, "random=0" }, { BY_FIXED, "It still fails with random=0." },
		{ BY_BATCH, "Then I changed the batch size value to 16, 8, 4 and even 1, the message is still there." }, { BY_BATCH, "I have reduced the batch size to 16, but it does not help." },
		{ BY_BATCH, "I modified total_batch_size in the config from 16 to 2, but I still faced it." }, { BY_BATCH, "Setting a minibatch of 4, 2 and 1 all gave the same error." },
		{ BY_BATCH, "I lowered the batch size a lot. Same error." }, { BY_BATCH, "I only cut down things such as the batch size.\n\nIt always ran out of memory!" },
		{ BY_BATCH, "I reduced the batch size but still can not train it, maybe the model is too large" }, { BY_BATCH, "把batch size调小了还是报错，怎么解决？" },
		{ BY_BATCH, "バッチサイズを小さくしても同じエラーです。" }, { BY_BATCH, "배치 사이즈를 줄여도 여전히 OOM이 납니다." }, { BY_BATCH, "Ich habe die Batchgröße verkleinert, trotzdem kommt der Fehler." },
		{ BY_BATCH, "He reducido el batch, pero sigue fallando." }, { BY_BATCH, "J'ai réduit la taille du batch, toujours la même erreur." }, { BY_BATCH, "Уменьшил размер батча, не помогло." },
		{ BY_SAMPLES, "I lowered the resolution to 320, but it did not help." }, { BY_SAMPLES, "分辨率降低了也不行" },
		{ BY_DRIVER, "I already use the latest driver." },
		{ BY_DRIVER, "I updated my drivers, and the same error comes." }, { BY_LIMIT, "I tried to change the memory size of my Mac, but it is not working." }, { BY_SAVING, "model.save_pretrained(\"out\")" },
		{ BY_BATCH, "Changing the batch size doesn't seem to matter." },
		{ BY_BATCH, "The error stays after I lowered the batch size to 3." }, { BY_BATCH, "I get the same memory issue after I reduced the batch size." },
		{ BY_BATCH, "I tried many batch sizes and nothing works." },
		{ BY_BATCH, "I try to reduce the batch size but not work." },
		{ BY_BATCH, "I set the batch size to 16, 8, 4, 2, but always out of memory." },
		{ BY_BATCH, "I lower the batch size and the error remains." },
		{ BY_BATCH, "I have adjusted the batch size down to 2 but I still get this error." },
		{ BY_BATCH, "Auch mit kleinerer Batch-Größe kommt der Fehler." },
		{ BY_BATCH, "배치 크기를 줄였지만 같은 오류가 발생합니다" },
		{ BY_ALONE, "I closed all other programs." }, { BY_ALONE, "显卡上没有其他程序" }, { BY_WORKERS, "把num_workers改为0也没用" },
		{ BY_SAMPLES, "I resized the images to 256x256 but the error is the same." }, { BY_SAMPLES, "把图片缩小到256还是爆显存" },
		{ BY_SWAP, "修改了D盘的页面文件大小，还是报错。" }, { BY_SWAP, "I made the paging file larger, and it still fails." },
	};
	static const struct row no[] = {
		{ BY_BATCH, "per_device_train_batch_size=16" }, { BY_BATCH, "It works with batch size 1." }, { BY_BATCH, "Should I set the batch size to 1?" }, { BY_BATCH, "It fails with a batch size > 1." },
		{ BY_BATCH, "val_batch_size=1" }, { BY_BATCH, "I could reduce the batch size." }, { BY_BATCH, "I tried a batch size of 8, and it still fails." }, { BY_BATCH, "I will try:\n- a smaller batch" },
		{ BY_SAMPLES, "A lower resolution helped." }, { BY_WORKERS, "python train.py --num_workers 8" }, { BY_PARTS, "Does --ray_chunk 32 help?" },
		{ BY_BITS, "load_in_4bit=False" },
		{ BY_GROWTH, "config.gpu_options.allow_growth = False" }, { BY_EMPTYING, "Would torch.cuda.empty_cache() help?" },
		{ BY_SWAP, "With more swap it works." }, { BY_ALONE, "Is nothing else running on it?" },
		{ BY_BATCH, "Should the batch_size be set to 1, how do I do that?" }, { BY_BATCH, "But with my batch_size set to 10, how do I solve this?" },
		{ BY_WORKERS, "It was killed with num_workers set to 8." }, { BY_WORKERS, "Can num_workers be set to 0?" }, { BY_FIXED, "random=1" }, { BY_FIXED, "With random=0 it works." },
		{ BY_BATCH, "I still get it in the first batch." }, { BY_BATCH, "I reduced the batch size to 4 and it fits." }, { BY_BATCH, "With a batch size of 16 it still fails." },
		{ BY_BATCH, "I reduced the batch size. Now it trains, still slowly." }, { BY_BATCH, "If I reduced the batch size, would it still fail?" }, { BY_BATCH, "It still fails with batch size 32, 8 GB of memory." },
		{ BY_BATCH, "batch size调小就好了，但还是很慢" }, { BY_BATCH, "增大batch size还是报错" }, { BY_BATCH, "バッチサイズを小さくしたら解決しました。" }, { BY_BATCH, "Batchgröße verkleinert, gelöst." },
		{ BY_DRIVER, "Is it the latest driver?" }, { BY_LIMIT, "What is the memory limit?" },
		{ BY_BATCH, "I increased the batch size and it still fails." },
		{ BY_BATCH, "The error went away after I lowered the batch size to 3." },
		{ BY_BATCH, "The small batch of images still fails to load." },
		{ BY_BATCH, "My minimum batch size is 16 and it still fails." },
		{ BY_BATCH, "I tried increasing the batch size but it failed." },
		{ BY_BATCH, "배치 사이즈를 줄여도 되나요?" },
		{ BY_BITS, "4bit" }, { BY_WORKERS, "num_workers=0就好了" },
		{ BY_SAMPLES, "I will resize the images to 256" },
		{ BY_SWAP, "修改了页面文件大小就好了。" }, { BY_SWAP, "页面文件太小，无法完成操作" },
	};
	size_t i;

	for (i = 0; i < COUNT(yes); i++)
		cr_expect(shows(&yes[i]), "%s", yes[i].text);
	for (i = 0; i < COUNT(no); i++)
		cr_expect(!shows(&no[i]), "%s", no[i].text);
}
