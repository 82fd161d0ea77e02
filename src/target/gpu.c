/*
 * The cards. Memory is what NVIDIA's driver reports as total for the card (nvidia-smi), which is
 * less than the box says wherever ECC or the driver keeps some; where only the box's size is known
 * the entry says so. What a program can have is less again by the driver's context, so a plan that
 * fits here still asks the card for its free memory before it runs. Compute capability decides
 * what arithmetic there is and whether today's compiler can build for the card. Multiprocessors and
 * the size of the L2 cache are of NVIDIA's data sheets, for the cards that programs can be built for.
 */
#include "target/gpu.h"

#include <stddef.h>
#include <stdio.h>

const struct gpu gpu_table[] = {
	/* Kepler, Maxwell, Pascal */
	{ "Tesla K40", 35, 11441, false, 0, 0 },
	{ "Tesla K80", 37, 11441, false, 0, 0 },
	{ "Tesla M40", 52, 11443, false, 0, 0 },
	{ "GTX 980 Ti", 52, 6144, true, 0, 0 },
	{ "GTX Titan X", 52, 12288, true, 0, 0 },
	{ "GTX 1050 Ti", 61, 4096, true, 0, 0 },
	{ "GTX 1060 6GB", 61, 6144, true, 0, 0 },
	{ "GTX 1070", 61, 8192, true, 0, 0 },
	{ "GTX 1080", 61, 8192, true, 0, 0 },
	{ "GTX 1080 Ti", 61, 11264, true, 0, 0 },
	{ "Titan Xp", 61, 12288, true, 0, 0 },
	{ "Tesla P4", 61, 7680, false, 0, 0 },
	{ "Tesla P40", 61, 24576, true, 0, 0 },
	{ "Tesla P100", 60, 16384, true, 0, 0 },
	/* Volta, Turing */
	{ "Titan V", 70, 12288, true, 0, 0 },
	{ "Tesla V100 16GB", 70, 16384, true, 0, 0 },
	{ "Tesla V100 32GB", 70, 32768, true, 0, 0 },
	{ "GTX 1650", 75, 4096, true, 14, 0 },
	{ "GTX 1660 Ti", 75, 6144, true, 24, 0 },
	{ "RTX 2060", 75, 6144, true, 30, 0 },
	{ "RTX 2070", 75, 8192, true, 36, 0 },
	{ "RTX 2080", 75, 8192, true, 46, 0 },
	{ "RTX 2080 Ti", 75, 11264, true, 68, 6 },
	{ "Titan RTX", 75, 24576, true, 72, 0 },
	{ "T4", 75, 15360, false, 40, 4 },
	{ "Quadro RTX 6000", 75, 24576, true, 72, 0 },
	{ "Quadro RTX 8000", 75, 49152, true, 72, 0 },
	/* Ampere */
	{ "RTX 3050", 86, 8192, true, 20, 0 },
	{ "RTX 3060", 86, 12288, true, 28, 3 },
	{ "RTX 3060 Ti", 86, 8192, true, 38, 0 },
	{ "RTX 3070", 86, 8192, true, 46, 4 },
	{ "RTX 3070 Ti", 86, 8192, true, 48, 0 },
	{ "RTX 3080", 86, 10240, true, 68, 5 },
	{ "RTX 3080 12GB", 86, 12288, true, 70, 0 },
	{ "RTX 3080 Ti", 86, 12288, true, 80, 0 },
	{ "RTX 3090", 86, 24576, true, 82, 6 },
	{ "RTX 3090 Ti", 86, 24564, false, 84, 0 },
	{ "RTX A2000", 86, 6144, true, 26, 0 },
	{ "RTX A4000", 86, 16376, false, 48, 0 },
	{ "RTX A5000", 86, 24564, false, 64, 0 },
	{ "RTX A6000", 86, 49140, false, 84, 6 },
	{ "A2", 86, 15356, false, 10, 0 },
	{ "A10", 86, 23028, false, 72, 6 },
	{ "A16", 86, 15356, false, 10, 0 },
	{ "A30", 80, 24576, true, 56, 24 },
	{ "A40", 86, 46068, false, 84, 6 },
	{ "A100 40GB", 80, 40960, true, 108, 40 },
	{ "A100 80GB", 80, 81920, true, 108, 40 },
	/* Ada, Hopper */
	{ "RTX 4060", 89, 8188, false, 24, 0 },
	{ "RTX 4060 Ti", 89, 8188, false, 34, 0 },
	{ "RTX 4060 Ti 16GB", 89, 16380, false, 34, 0 },
	{ "RTX 4070", 89, 12282, false, 46, 36 },
	{ "RTX 4070 Super", 89, 12282, false, 56, 0 },
	{ "RTX 4070 Ti", 89, 12282, false, 60, 0 },
	{ "RTX 4070 Ti Super", 89, 16376, false, 66, 0 },
	{ "RTX 4080", 89, 16376, false, 76, 64 },
	{ "RTX 4080 Super", 89, 16376, false, 80, 0 },
	{ "RTX 4090", 89, 24564, false, 128, 72 },
	{ "RTX 6000 Ada", 89, 49140, false, 142, 0 },
	{ "L4", 89, 23034, false, 58, 48 },
	{ "L40", 89, 46068, false, 142, 0 },
	{ "L40S", 89, 46068, false, 142, 96 },
	{ "H100 PCIe", 90, 81559, false, 114, 50 },
	{ "H100", 90, 81559, false, 132, 50 },
	{ "H100 NVL", 90, 95830, false, 132, 0 },
	{ "H200", 90, 143771, false, 132, 60 },
	{ "GH200", 90, 97871, false, 132, 60 },
	/* Blackwell */
	{ "RTX 5060", 120, 8151, false, 30, 0 },
	{ "RTX 5060 Ti 16GB", 120, 16311, false, 36, 0 },
	{ "RTX 5070", 120, 12227, false, 48, 48 },
	{ "RTX 5070 Ti", 120, 16303, false, 70, 0 },
	{ "RTX 5080", 120, 16303, false, 84, 64 },
	{ "RTX 5090", 120, 32607, false, 170, 96 },
	{ "RTX PRO 6000", 120, 97887, false, 188, 0 },
	{ "B200", 100, 183359, false, 148, 126 },
	{ NULL, 0, 0, false, 0, 0 }
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
