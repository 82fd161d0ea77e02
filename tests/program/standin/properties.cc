/*
 * properties.cc - what card.cc's card is, and beside it what names ranges for profilers.
 *
 *	STANDIN_CARD	its name; STANDIN_CARDS: how many there are; STANDIN_DRIVER: the CUDA that the driver is for
 *	NVTX_INJECTION64_PATH	this library, which then reports each range of NVTX once: range NAME
 */
#include <algorithm>
#include <set>
#include <string>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include "card.h"

int64_t
card_number(const char *name, int64_t otherwise)
{
	const char *s = getenv(name);

	return s ? atoll(s) : otherwise;
}

double
card_listed(const char *name, int64_t at, double otherwise)
{
	const char *s = getenv(name);

	for (; s && at > 0; at--)
		s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL;
	return s ? atof(s) : otherwise;
}

int
card_count(const char *name)
{
	const char *s = getenv(name);

	return s ? 1 + (int)std::count(s, s + strlen(s), ',') : 1;
}

extern "C" {

cudaError_t
cudaGetDevice(int *to)
{
	*to = 0;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *to)
{
	*to = (int)card_number("STANDIN_CARDS", 1);
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *to, cudaDeviceAttr what, int)
{
	int arch = (int)card_number("STANDIN_ARCH", 90);

	switch (what) {
	case cudaDevAttrComputeCapabilityMajor:
		*to = arch / 10;
		break;
	case cudaDevAttrComputeCapabilityMinor:
		*to = arch % 10;
		break;
	case cudaDevAttrMultiProcessorCount:
		*to = 132;
		break;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin:
		*to = 227 * 1024;
		break;
	default:
		*to = 1;
	}
	return cudaSuccess;
}

#undef cudaGetDeviceProperties	/* under which name the header has it */
#if CUDART_VERSION >= 13000
#define PROPERTIES	cudaGetDeviceProperties
#else
#define PROPERTIES	cudaGetDeviceProperties_v2
#endif

cudaError_t
PROPERTIES(cudaDeviceProp *to, int)
{
	const char *name = getenv("STANDIN_CARD");

	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "%s", name ? name : "stand-in");
	to->multiProcessorCount = 132;
	return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion(int *to)
{
	*to = (int)card_number("STANDIN_DRIVER", 13000);
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetPCIBusId(char *to, int n, int)
{
	snprintf(to, (size_t)n, "0000:01:00.0");
	return cudaSuccess;
}

/* ---- NVTX ---- */

#ifdef NVTX_VERSION
static int ranges_open;

static int
range_push(const char *name)
{
	static std::set<std::string> seen;

	if (seen.insert(name).second)
		card_report("range %s\n", name);
	return ranges_open++;
}

static int
range_pop(void)
{
	if (ranges_open == 0)
		card_refuse("the end of a range that has not begun");
	return --ranges_open;
}

int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table)
{
	const NvtxExportTableCallbacks *of = (const NvtxExportTableCallbacks *)table(NVTX_ETID_CALLBACKS);
	NvtxFunctionTable functions;
	unsigned n;

	if (!of || !of->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &n) || n <= NVTX_CBID_CORE_RangePop)
		return 0;
	*functions[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)range_push;
	*functions[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)range_pop;
	return 1;
}
#endif

}
