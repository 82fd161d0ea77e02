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
 * Bandwidth, clock and products of 16 bits are those that are published for the card, from which
 * plan/estimate.c makes the least time of a step; bench/cards.tsv has what bandwidth follows from.
 */
#include "target/gpu.h"

#include <stddef.h>
#include <stdio.h>

const struct gpu gpu_table[] = {
	/* Kepler, Maxwell, Pascal */
	{ "GTX 780 Ti", 35, 2976, 0, 0, 336, 928, 0 },
	{ "Tesla K40", 35, 11432, 0, 0, 288, 875, 0 },
	{ "Tesla K80", 37, 11441, 0, 0, 240, 875, 0 },
	{ "GTX 750 Ti", 50, 1984, 0, 0, 86, 1085, 0 },
	{ "GTX 960", 52, 1984, 0, 0, 112, 1178, 0 },
	{ "GTX 960 4GB", 52, 4039, 0, 0, 112, 1178, 0 },
	{ "GTX 970", 52, 4029, 0, 0, 224, 1178, 0 },
	{ "GTX 980", 52, 4039, 0, 0, 224, 1216, 0 },
	{ "GTX 980 Ti", 52, 6077, 0, 0, 336, 1075, 0 },
	{ "GTX Titan X", 52, 12200, 0, 0, 336, 1075, 0 },
	{ "Tesla M40", 52, 11443, 0, 0, 288, 1114, 0 },
	{ "GTX 1050", 61, 1991, 0, 0, 112, 1455, 0 },
	{ "GTX 1050 Ti", 61, 4029, 0, 0, 112, 1392, 0 },
	{ "GTX 1060 6GB", 61, 6063, 0, 0, 192, 1708, 0 },
	{ "GTX 1070", 61, 8111, 0, 0, 256, 1683, 0 },
	{ "GTX 1070 Ti", 61, 8111, 0, 0, 256, 1683, 0 },
	{ "GTX 1080", 61, 8111, 0, 0, 320, 1733, 0 },
	{ "GTX 1080 Ti", 61, 11172, 0, 0, 484, 1582, 0 },
	{ "Titan Xp", 61, 12190, 0, 0, 547, 1582, 0 },
	{ "Quadro P5000", 61, 16276, 0, 0, 288, 1733, 0 },
	{ "Tesla P4", 61, 7603, 0, 0, 192, 1063, 0 },
	{ "Tesla P40", 61, 22912, 0, 0, 346, 1531, 0 },
	{ "Tesla P100", 60, 16269, 0, 0, 732, 1303, 0 },
	/* Volta, Turing */
	{ "Titan V", 70, 12064, 0, 0, 653, 1455, 512 },
	{ "Tesla V100 16GB", 70, 16144, 0, 0, 897, 1530, 512 },
	{ "Tesla V100 32GB", 70, 32494, 0, 0, 897, 1530, 512 },
	{ "GTX 1650", 75, 3664, 14, 0, 128, 1665, 0 },
	{ "GTX 1660 Ti", 75, 5696, 24, 0, 288, 1770, 0 },
	{ "RTX 2060", 75, 5696, 30, 0, 336, 1680, 256 },
	{ "RTX 2070", 75, 7728, 36, 0, 448, 1620, 256 },
	{ "RTX 2070 Super", 75, 7728, 40, 0, 448, 1770, 256 },
	{ "RTX 2080", 75, 7728, 46, 0, 448, 1710, 256 },
	{ "RTX 2080 Super", 75, 7728, 48, 0, 496, 1815, 256 },
	{ "RTX 2080 Ti", 75, 10825, 68, 6, 616, 1545, 256 },
	{ "Titan RTX", 75, 23984, 72, 0, 672, 1770, 512 },
	{ "T4", 75, 14913, 40, 4, 320, 1590, 512 },
	{ "Quadro RTX 6000", 75, 22460, 72, 0, 672, 1770, 512 },
	{ "Quadro RTX 8000", 75, 48380, 72, 0, 672, 1770, 512 },
	/* Ampere */
	{ "RTX 3050", 86, 7728, 20, 0, 224, 1777, 256 },
	{ "RTX 3060", 86, 11910, 28, 3, 360, 1777, 256 },
	{ "RTX 3060 Ti", 86, 7833, 38, 0, 448, 1665, 256 },
	{ "RTX 3070", 86, 7753, 46, 4, 448, 1725, 256 },
	{ "RTX 3070 Ti", 86, 7728, 48, 0, 608, 1770, 256 },
	{ "RTX 3080", 86, 9760, 68, 5, 760, 1710, 256 },
	{ "RTX 3080 12GB", 86, 11792, 70, 0, 912, 1710, 256 },
	{ "RTX 3080 Ti", 86, 11910, 80, 0, 912, 1665, 256 },
	{ "RTX 3090", 86, 24120, 82, 6, 936, 1695, 256 },
	{ "RTX 3090 Ti", 86, 24110, 84, 0, 1008, 1860, 256 },
	{ "RTX A2000", 86, 5690, 26, 0, 288, 1200, 512 },
	{ "RTX A4000", 86, 15979, 48, 0, 448, 1560, 512 },
	{ "RTX A5000", 86, 24114, 64, 0, 768, 1695, 512 },
	{ "RTX A6000", 86, 48356, 84, 6, 768, 1800, 512 },
	{ "A2", 86, 14836, 10, 0, 200, 1770, 512 },
	{ "A10", 86, 22448, 72, 6, 600, 1695, 512 },
	{ "A10G", 86, 22587, 80, 6, 600, 1710, 512 },
	{ "A16", 86, 14836, 10, 0, 200, 1755, 512 },
	{ "A30", 80, 24089, 56, 24, 933, 1440, 1024 },
	{ "A40", 86, 45308, 84, 6, 696, 1740, 512 },
	{ "A100 40GB", 80, 40326, 108, 40, 1555, 1410, 1024 },
	{ "A100 80GB", 80, 81034, 108, 40, 2039, 1410, 1024 },
	{ "A800 80GB", 80, 81051, 108, 40, 1935, 1410, 1024 },
	/* Ada, Hopper */
	{ "RTX 4060", 89, 7724, 24, 0, 272, 2460, 256 },
	{ "RTX 4060 Ti", 89, 7806, 34, 0, 288, 2535, 256 },
	{ "RTX 4060 Ti 16GB", 89, 15852, 34, 0, 288, 2535, 256 },
	{ "RTX 4070", 89, 11786, 46, 36, 504, 2475, 256 },
	{ "RTX 4070 Super", 89, 11786, 56, 0, 504, 2475, 256 },
	{ "RTX 4070 Ti", 89, 11786, 60, 0, 504, 2610, 256 },
	{ "RTX 4070 Ti Super", 89, 15934, 66, 0, 672, 2610, 256 },
	{ "RTX 4080", 89, 15848, 76, 64, 717, 2505, 256 },
	{ "RTX 4080 Super", 89, 15944, 80, 0, 736, 2550, 256 },
	{ "RTX 4090", 89, 24069, 128, 72, 1008, 2520, 256 },
	{ "RTX 6000 Ada", 89, 48497, 142, 0, 960, 2505, 512 },
	{ "L4", 89, 22563, 58, 48, 300, 2040, 512 },
	{ "L40", 89, 45308, 142, 0, 864, 2490, 256 },
	{ "L40S", 89, 45308, 142, 96, 864, 2490, 512 },
	{ "H100 PCIe", 90, 80993, 114, 50, 2039, 1620, 2048 },
	{ "H100", 90, 80993, 132, 50, 3352, 1830, 2048 },
	{ "H100 NVL", 90, 95320, 132, 0, 3939, 1545, 2048 },
	{ "H200", 90, 143068, 132, 60, 4800, 1830, 2048 },
	{ "GH200", 90, 96706, 132, 60, 4023, 1830, 2048 },
	/* Blackwell */
	{ "RTX 5060", 120, 7687, 30, 0, 448, 2497, 256 },
	{ "RTX 5060 Ti 16GB", 120, 15816, 36, 0, 448, 2572, 256 },
	{ "RTX 5070", 120, 11731, 48, 48, 672, 2512, 256 },
	{ "RTX 5070 Ti", 120, 15775, 70, 0, 896, 2452, 256 },
	{ "RTX 5080", 120, 15840, 84, 64, 960, 2617, 256 },
	{ "RTX 5090", 120, 32087, 170, 96, 1792, 2407, 256 },
	{ "RTX PRO 6000", 120, 97244, 188, 0, 1792, 2617, 512 },
	{ "B200", 100, 182631, 148, 126, 8000, 1857, 4096 },
	/* Slices of cards (MIG): CUDA reports all that the profile has, and its multiprocessors */
	{ "A100 40GB MIG 1g.5gb", 80, 4864, 14, 0, 194, 1410, 1024 },
	{ "A100 40GB MIG 1g.10gb", 80, 9856, 14, 0, 389, 1410, 1024 },
	{ "A100 40GB MIG 2g.10gb", 80, 9856, 28, 0, 389, 1410, 1024 },
	{ "A100 40GB MIG 3g.20gb", 80, 19968, 42, 0, 778, 1410, 1024 },
	{ "A100 40GB MIG 4g.20gb", 80, 19968, 56, 0, 778, 1410, 1024 },
	{ "A100 40GB MIG 7g.40gb", 80, 40192, 98, 0, 1555, 1410, 1024 },
	{ "A100 80GB MIG 1g.10gb", 80, 9728, 14, 0, 255, 1410, 1024 },
	{ "A100 80GB MIG 1g.20gb", 80, 19968, 14, 0, 510, 1410, 1024 },
	{ "A100 80GB MIG 2g.20gb", 80, 19968, 28, 0, 510, 1410, 1024 },
	{ "A100 80GB MIG 3g.40gb", 80, 40192, 42, 0, 1020, 1410, 1024 },
	{ "A100 80GB MIG 4g.40gb", 80, 40192, 56, 0, 1020, 1410, 1024 },
	{ "A100 80GB MIG 7g.80gb", 80, 80896, 98, 0, 2039, 1410, 1024 },
	{ "H100 MIG 1g.10gb", 90, 9728, 16, 0, 419, 1830, 2048 },
	{ "H100 MIG 1g.20gb", 90, 19968, 26, 0, 838, 1830, 2048 },
	{ "H100 MIG 2g.20gb", 90, 19968, 32, 0, 838, 1830, 2048 },
	{ "H100 MIG 3g.40gb", 90, 40192, 60, 0, 1676, 1830, 2048 },
	{ "H100 MIG 4g.40gb", 90, 40192, 64, 0, 1676, 1830, 2048 },
	{ NULL, 0, 0, 0, 0, 0, 0, 0 }
};

/* Every compute capability that CUDA 8 to 13 compile for, those of embedded chips included; limits are of
 * the CUDA programming guide's table of technical specifications. */
static const struct gpu_arch archs[] = {
	{ 20, 2048, 0, 0, 32 },
	{ 21, 2048, 0, 0, 48 },
	{ 30, 2048, 0, 0, 192 },
	{ 32, 2048, 0, 0, 192 },
	{ 35, 2048, 0, 0, 192 },
	{ 37, 2048, 0, 0, 192 },
	{ 50, 2048, 0, 0, 128 },
	{ 52, 2048, 0, 0, 128 },
	{ 53, 2048, 0, 0, 128 },
	{ 60, 2048, 0, 0, 64 },
	{ 61, 2048, 0, 0, 128 },
	{ 62, 2048, 0, 0, 128 },
	{ 70, 2048, 0, 0, 64 },
	{ 72, 2048, 0, 0, 64 },
	{ 75, 1024, 16, 65536, 64 },
	{ 80, 2048, 32, 166912, 64 },
	{ 86, 1536, 16, 101376, 128 },
	{ 87, 2048, 0, 0, 128 },
	{ 88, 2048, 0, 0, 128 },
	{ 89, 1536, 24, 101376, 128 },
	{ 90, 2048, 32, 232448, 128 },
	{ 100, 2048, 32, 232448, 128 },
	{ 101, 2048, 0, 0, 128 },
	{ 103, 2048, 0, 0, 128 },
	{ 110, 2048, 0, 0, 128 },
	{ 120, 1536, 24, 101376, 128 },
	{ 121, 2048, 0, 0, 128 },
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
