/*
 * The cards. Memory is what CUDA reports (totalGlobalMem, the total of cudaMemGetInfo), on Linux: the
 * least of what users' logs show, since each driver keeps another share of the card and the newest
 * keep most. nvidia-smi says more, and the box more again. bench/cards.tsv has the log behind each
 * figure; where none was found, or only one of an older driver, what nvidia-smi says less 400 MiB and
 * 1/128 of it is assumed, which is a little more than any logged share of a card since Turing, and
 * less 1/32 for those before it. What a program can have is less again by its context, so a plan that
 * fits here still asks the card for its free memory before it runs. Compute capability decides
 * what arithmetic there is and whether today's compiler can build for the card. Multiprocessors and
 * the size of the L2 cache are of NVIDIA's data sheets, for the cards that programs can be built for.
 */
#include "target/gpu.h"

#include <stddef.h>
#include <stdio.h>

const struct gpu gpu_table[] = {
	/* Kepler, Maxwell, Pascal */
	{ "GTX 780 Ti", 35, 2976, 0, 0 },
	{ "Tesla K40", 35, 11432, 0, 0 },
	{ "Tesla K80", 37, 11441, 0, 0 },
	{ "GTX 750 Ti", 50, 1984, 0, 0 },
	{ "GTX 960", 52, 1984, 0, 0 },
	{ "GTX 960 4GB", 52, 4039, 0, 0 },
	{ "GTX 970", 52, 4029, 0, 0 },
	{ "GTX 980", 52, 4039, 0, 0 },
	{ "GTX 980 Ti", 52, 6077, 0, 0 },
	{ "GTX Titan X", 52, 12200, 0, 0 },
	{ "Tesla M40", 52, 11443, 0, 0 },
	{ "GTX 1050", 61, 1991, 0, 0 },
	{ "GTX 1050 Ti", 61, 4029, 0, 0 },
	{ "GTX 1060 6GB", 61, 6063, 0, 0 },
	{ "GTX 1070", 61, 8111, 0, 0 },
	{ "GTX 1070 Ti", 61, 8111, 0, 0 },
	{ "GTX 1080", 61, 8111, 0, 0 },
	{ "GTX 1080 Ti", 61, 11172, 0, 0 },
	{ "Titan Xp", 61, 12190, 0, 0 },
	{ "Quadro P5000", 61, 16276, 0, 0 },
	{ "Tesla P4", 61, 7603, 0, 0 },
	{ "Tesla P40", 61, 22912, 0, 0 },
	{ "Tesla P100", 60, 16269, 0, 0 },
	/* Volta, Turing */
	{ "Titan V", 70, 12064, 0, 0 },
	{ "Tesla V100 16GB", 70, 16144, 0, 0 },
	{ "Tesla V100 32GB", 70, 32494, 0, 0 },
	{ "GTX 1650", 75, 3664, 14, 0 },
	{ "GTX 1660 Ti", 75, 5696, 24, 0 },
	{ "RTX 2060", 75, 5696, 30, 0 },
	{ "RTX 2070", 75, 7728, 36, 0 },
	{ "RTX 2070 Super", 75, 7728, 40, 0 },
	{ "RTX 2080", 75, 7728, 46, 0 },
	{ "RTX 2080 Super", 75, 7728, 48, 0 },
	{ "RTX 2080 Ti", 75, 10825, 68, 6 },
	{ "Titan RTX", 75, 23984, 72, 0 },
	{ "T4", 75, 14913, 40, 4 },
	{ "Quadro RTX 6000", 75, 22460, 72, 0 },
	{ "Quadro RTX 8000", 75, 48380, 72, 0 },
	/* Ampere */
	{ "RTX 3050", 86, 7728, 20, 0 },
	{ "RTX 3060", 86, 11910, 28, 3 },
	{ "RTX 3060 Ti", 86, 7833, 38, 0 },
	{ "RTX 3070", 86, 7753, 46, 4 },
	{ "RTX 3070 Ti", 86, 7728, 48, 0 },
	{ "RTX 3080", 86, 9760, 68, 5 },
	{ "RTX 3080 12GB", 86, 11792, 70, 0 },
	{ "RTX 3080 Ti", 86, 11910, 80, 0 },
	{ "RTX 3090", 86, 24120, 82, 6 },
	{ "RTX 3090 Ti", 86, 24110, 84, 0 },
	{ "RTX A2000", 86, 5690, 26, 0 },
	{ "RTX A4000", 86, 15979, 48, 0 },
	{ "RTX A5000", 86, 24114, 64, 0 },
	{ "RTX A6000", 86, 48356, 84, 6 },
	{ "A2", 86, 14836, 10, 0 },
	{ "A10", 86, 22448, 72, 6 },
	{ "A10G", 86, 22587, 80, 6 },
	{ "A16", 86, 14836, 10, 0 },
	{ "A30", 80, 24089, 56, 24 },
	{ "A40", 86, 45308, 84, 6 },
	{ "A100 40GB", 80, 40326, 108, 40 },
	{ "A100 80GB", 80, 81034, 108, 40 },
	{ "A800 80GB", 80, 81051, 108, 40 },
	/* Ada, Hopper */
	{ "RTX 4060", 89, 7724, 24, 0 },
	{ "RTX 4060 Ti", 89, 7806, 34, 0 },
	{ "RTX 4060 Ti 16GB", 89, 15852, 34, 0 },
	{ "RTX 4070", 89, 11786, 46, 36 },
	{ "RTX 4070 Super", 89, 11786, 56, 0 },
	{ "RTX 4070 Ti", 89, 11786, 60, 0 },
	{ "RTX 4070 Ti Super", 89, 15934, 66, 0 },
	{ "RTX 4080", 89, 15848, 76, 64 },
	{ "RTX 4080 Super", 89, 15944, 80, 0 },
	{ "RTX 4090", 89, 24069, 128, 72 },
	{ "RTX 6000 Ada", 89, 48497, 142, 0 },
	{ "L4", 89, 22563, 58, 48 },
	{ "L40", 89, 45308, 142, 0 },
	{ "L40S", 89, 45308, 142, 96 },
	{ "H100 PCIe", 90, 80993, 114, 50 },
	{ "H100", 90, 80993, 132, 50 },
	{ "H100 NVL", 90, 95320, 132, 0 },
	{ "H200", 90, 143068, 132, 60 },
	{ "GH200", 90, 96706, 132, 60 },
	/* Blackwell */
	{ "RTX 5060", 120, 7687, 30, 0 },
	{ "RTX 5060 Ti 16GB", 120, 15816, 36, 0 },
	{ "RTX 5070", 120, 11731, 48, 48 },
	{ "RTX 5070 Ti", 120, 15775, 70, 0 },
	{ "RTX 5080", 120, 15840, 84, 64 },
	{ "RTX 5090", 120, 32087, 170, 96 },
	{ "RTX PRO 6000", 120, 97244, 188, 0 },
	{ "B200", 100, 182631, 148, 126 },
	/* Slices of cards (MIG): CUDA reports all that the profile has, and its multiprocessors */
	{ "A100 40GB MIG 1g.5gb", 80, 4864, 14, 0 },
	{ "A100 40GB MIG 1g.10gb", 80, 9856, 14, 0 },
	{ "A100 40GB MIG 2g.10gb", 80, 9856, 28, 0 },
	{ "A100 40GB MIG 3g.20gb", 80, 19968, 42, 0 },
	{ "A100 40GB MIG 4g.20gb", 80, 19968, 56, 0 },
	{ "A100 40GB MIG 7g.40gb", 80, 40192, 98, 0 },
	{ "A100 80GB MIG 1g.10gb", 80, 9728, 14, 0 },
	{ "A100 80GB MIG 1g.20gb", 80, 19968, 14, 0 },
	{ "A100 80GB MIG 2g.20gb", 80, 19968, 28, 0 },
	{ "A100 80GB MIG 3g.40gb", 80, 40192, 42, 0 },
	{ "A100 80GB MIG 4g.40gb", 80, 40192, 56, 0 },
	{ "A100 80GB MIG 7g.80gb", 80, 80896, 98, 0 },
	{ "H100 MIG 1g.10gb", 90, 9728, 16, 0 },
	{ "H100 MIG 1g.20gb", 90, 19968, 26, 0 },
	{ "H100 MIG 2g.20gb", 90, 19968, 32, 0 },
	{ "H100 MIG 3g.40gb", 90, 40192, 60, 0 },
	{ "H100 MIG 4g.40gb", 90, 40192, 64, 0 },
	{ NULL, 0, 0, 0, 0 }
};

/* Every compute capability that CUDA 8 to 13 compile for, those of embedded chips included; limits are of
 * the CUDA programming guide's table of technical specifications. */
static const struct gpu_arch archs[] = {
	{ 20, 2048, 0, 0 },
	{ 21, 2048, 0, 0 },
	{ 30, 2048, 0, 0 },
	{ 32, 2048, 0, 0 },
	{ 35, 2048, 0, 0 },
	{ 37, 2048, 0, 0 },
	{ 50, 2048, 0, 0 },
	{ 52, 2048, 0, 0 },
	{ 53, 2048, 0, 0 },
	{ 60, 2048, 0, 0 },
	{ 61, 2048, 0, 0 },
	{ 62, 2048, 0, 0 },
	{ 70, 2048, 0, 0 },
	{ 72, 2048, 0, 0 },
	{ 75, 1024, 16, 65536 },
	{ 80, 2048, 32, 166912 },
	{ 86, 1536, 16, 101376 },
	{ 87, 2048, 0, 0 },
	{ 88, 2048, 0, 0 },
	{ 89, 1536, 24, 101376 },
	{ 90, 2048, 32, 232448 },
	{ 100, 2048, 32, 232448 },
	{ 101, 2048, 0, 0 },
	{ 103, 2048, 0, 0 },
	{ 110, 2048, 0, 0 },
	{ 120, 1536, 24, 101376 },
	{ 121, 2048, 0, 0 },
};

#define ARCHS	(sizeof(archs) / sizeof(*archs))

const struct gpu_arch *
gpu_arch_find(int arch)
{
	size_t i;

	for (i = 0; i < ARCHS; i++)
		if (archs[i].arch == arch)
			return &archs[i];
	return NULL;
}

void
gpu_arch_list(char *buf, int size)
{
	int used = 0;
	size_t i;

	for (i = 0; i < ARCHS && used < size; i++)
		used += snprintf(buf + used, (size_t)(size - used), "%ssm_%d", i ? ", " : "",
		    archs[i].arch);
}

int64_t
gpu_memory(const struct gpu *g)
{
	return (int64_t)g->mib << 20;
}
