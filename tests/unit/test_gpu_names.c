/* Cards by the names that people, and drivers, give them: which is meant, and that no other is. */
#include <criterion/criterion.h>
#include <string.h>

#include "target/gpu.h"

static const struct {
	const char *name, *card;	/* NULL: none, though one has a name like it */
} named[] = {
	{ "rtx3090", "RTX 3090" }, { "NVIDIA GeForce RTX 3090", "RTX 3090" }, { "Tesla T4", "T4" },
	{ "NVIDIA GeForce RTX 2080 SUPER", "RTX 2080 Super" }, { "RTX 3090 Laptop GPU", NULL },
	{ "NVIDIA A100-SXM4-40GB", "A100 40GB" }, { "NVIDIA A100-PCIE-40GB", "A100 40GB" },
	{ "NVIDIA A100 80GB PCIe", "A100 80GB" }, { "NVIDIA A800-SXM4-80GB", "A800 80GB" },
	{ "NVIDIA A800-SXM4-40GB", "A800 40GB" }, { "NVIDIA A800 40GB Active", "A800 40GB" }, { "A800", NULL },
	{ "A100-SXM-64GB", NULL }, { "A100", NULL },
	{ "NVIDIA H100 80GB HBM3", "H100" }, { "NVIDIA H100 PCIe", "H100 PCIe" }, { "NVIDIA H100 NVL", "H100 NVL" },
	{ "NVIDIA H100 96GB HBM3", NULL }, { "NVIDIA GH200 480GB", "GH200" }, { "NVIDIA GH200 144G HBM3e", NULL },
	{ "Tesla V100-SXM2-32GB", "Tesla V100 32GB" }, { "Tesla P100-PCIE-16GB", "Tesla P100" },
	{ "Tesla P100-PCIE-12GB", NULL }, { "RTX 3060 8GB", NULL }, { "RTX 4060 Ti 8GB", "RTX 4060 Ti" },
	{ "RTX 4060 Ti 16GB", "RTX 4060 Ti 16GB" }, { "NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada" },
	{ "NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000" },
	{ "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "A100 40GB MIG 1g.5gb" },
	{ "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "H100 MIG 1g.10gb" }, { "NVIDIA H100 96GB HBM3 MIG 1g.10gb", NULL },
	{ "NVIDIA H100 80GB HBM3 MIG 1g.10gb+me", "H100 MIG 1g.10gb" }, { "NVIDIA H100 80GB HBM3 MIG 7g.80gb", "H100 MIG 7g.80gb" },
	{ "NVIDIA A30 MIG 2g.12gb+me", "A30 MIG 2g.12gb" }, { "NVIDIA A30 MIG 1g.24gb", NULL }, { "NVIDIA A30 me", NULL },
	{ "NVIDIA H100 NVL MIG 1g.12gb", "H100 NVL MIG 1g.12gb" }, { "NVIDIA H200 MIG 7g.141gb", "H200 MIG 7g.141gb" },
	{ "NVIDIA GH200 480GB MIG 3g.48gb", "GH200 MIG 3g.48gb" },
	{ "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb-me", "RTX PRO 6000 MIG 1g.24gb" },
	{ "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 2g.48gb+me.all", "RTX PRO 6000 MIG 2g.48gb" },
	{ "H100 80GB M IG 1g.10g b", NULL }, { "A100 40GB mi g 1g.5gb", "A100 40GB MIG 1g.5gb" },
	{ "", NULL }, { "80GB", NULL }, { "MIG 1g.10gb", NULL }
};

Test(gpu_names, which_card)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		const struct gpu *g = gpu_find(named[i].name);

		cr_expect((!g && !named[i].card) || (g && named[i].card && strcmp(g->name, named[i].card) == 0),
		    "'%s' is %s", named[i].name, g ? g->name : "no card");
	}
}

/* Each is found by its own name, and with the maker in front. */
Test(gpu_names, each_by_its_own)
{
	for (const struct gpu *g = gpu_table; g->name; g++) {
		char name[64];

		cr_expect(gpu_find(g->name) == g, "%s", g->name);
		cr_assert(strlen(g->name) < sizeof(name) - 8);
		strcpy(name, "NVIDIA ");
		strcat(name, g->name);
		cr_expect(gpu_find(name) == g, "%s", name);
	}
}
