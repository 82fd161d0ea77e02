/*
 * libraries.cc - stands for cuBLASLt and cuDNN beside card.cc: what they are asked for is counted as a call of the
 * stream that they were given, and each distinct question as something that is loaded once. For 16 bits cuDNN's
 * engines are those of tensor cores.
 *
 *	STANDIN_CUDNN	its version; STANDIN_CUBLAS that of cuBLASLt
 *	STANDIN_ENGINES	milliseconds that each of cuDNN's engines takes, which are proposed for every graph: 5,2,9;
 *			one if not given, and then any that is asked for is there
 *	STANDIN_SUMS	and so many more those that add up channels, too
 *	STANDIN_GATES	and those that a relu's gradient is in: if not given, there are none, and they are compiled
 *	STANDIN_COMPILED	bytes that the code of each of these takes, 2 MiB if not given
 *	STANDIN_ROOM	bytes of workspace that each needs
 *	STANDIN_CHANGING	1 for those whose sums are in another order each time
 *	STANDIN_ALGORITHMS	milliseconds of cuBLASLt's, for every product
 *
 *	STANDIN_BITS	what the bits of its relu are: "zero", so that 0 passes, too; "none": it has no algorithm for it
 *
 * The report says of each engine, and of each algorithm, how often it ran and how often it was captured:
 * engine 1 ran 27 captured 4. And so of cuBLASLt's epilogues that make or read such bits, of which one that is made of
 * numbers without a bias is computed, so that a program can ask what they are.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <cublasLt.h>
#include <cudnn.h>

#include "card.h"

static const int64_t MIB = 1 << 20;

/* ---- cuBLASLt: a descriptor is what was set of it ---- */

static std::map<const void *, std::string> said;

static void
note(const void *of, int attribute, const void *value, size_t bytes)
{
	said[of] += std::to_string(attribute) + ":" + std::string((const char *)value, bytes < 16 ? bytes : 16) + ";";
}

struct matrix {			/* in columns */
	cudaDataType type;
	int64_t rows, columns, apart;
};

static std::map<const void *, struct matrix> matrices;

struct product {
	uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
	int32_t turned = CUBLAS_OP_N;	/* the first */
	uint8_t *bits = nullptr;
	int64_t apart = 0;	/* bits of a column */
};

static std::map<const void *, struct product> products;

struct ran {
	int ran, captured;
};

static std::map<std::string, struct ran> ran;

static void
count(const char *what, int64_t at, double ms)
{
	struct ran &r = ran[what + std::string(" ") + std::to_string(at)];

	(card_is_captured() ? r.captured : r.ran)++;
	card_takes(ms);
}

static bool
has_bits(const struct product &p)
{
	return p.epilogue == CUBLASLT_EPILOGUE_RELU_AUX || p.epilogue == CUBLASLT_EPILOGUE_RELU_AUX_BIAS ||
	    p.epilogue == CUBLASLT_EPILOGUE_DRELU;
}

/* Are they where they may be? Columns begin at multiples of 128 bits. */
static bool
bits_are_legal(const struct product &p, const struct matrix &c)
{
	return p.bits && (uintptr_t)p.bits % 16 == 0 && p.apart % 128 == 0 && p.apart >= c.rows &&
	    card_within(p.bits, (size_t)(p.apart / 8 * c.columns));
}

/* In types that have a header here. */
static float
number(const void *from, cudaDataType type, int64_t at)
{
	uint32_t bits = type == CUDA_R_16BF ? (uint32_t)((const uint16_t *)from)[at] << 16 : ((const uint32_t *)from)[at];
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Those of relu(A' B), if the numbers may be read. */
static void
make_bits(const struct product &p, const struct matrix &a, const void *at_a, const struct matrix &b, const void *at_b,
    const struct matrix &c)
{
	const char *how = getenv("STANDIN_BITS");
	bool zero = how && !strcmp(how, "zero");

	if (p.epilogue != CUBLASLT_EPILOGUE_RELU_AUX || p.turned != CUBLAS_OP_T || card_is_captured() || a.type != b.type ||
	    (a.type != CUDA_R_16BF && a.type != CUDA_R_32F))
		return;
	for (int64_t j = 0; j < c.columns; j++)
		for (int64_t i = 0; i < c.rows; i++) {
			uint8_t *byte = p.bits + (i + j * p.apart) / 8, bit = (uint8_t)(1 << i % 8);
			float sum = 0;

			for (int64_t k = 0; k < a.rows; k++)
				sum += number(at_a, a.type, k + i * a.apart) * number(at_b, b.type, k + j * b.apart);
			*byte = (uint8_t)(sum > 0 || (zero && sum == 0) ? *byte | bit : *byte & ~bit);
		}
}

void
libraries_report()
{
	for (auto &r : ran)
		card_report("%s ran %d captured %d\n", r.first.c_str(), r.second.ran, r.second.captured);
}

extern "C" {

size_t cublasLtGetVersion(void) { return (size_t)card_number("STANDIN_CUBLAS", 130000); }

cublasStatus_t
cublasLtCreate(cublasLtHandle_t *to)
{
	*to = (cublasLtHandle_t)calloc(1, 8);
	return CUBLAS_STATUS_SUCCESS;
}

const char *cublasLtGetStatusString(cublasStatus_t) { return "refused by the stand-in"; }

cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *to, cublasComputeType_t compute, cudaDataType_t)
{
	*to = (cublasLtMatmulDesc_t)calloc(1, 8);
	said[*to] = "product " + std::to_string((int)compute) + ";";
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t what, const void *value,
    size_t bytes)
{
	struct product &p = products[of];

	if (what == CUBLASLT_MATMUL_DESC_EPILOGUE)
		memcpy(&p.epilogue, value, sizeof(p.epilogue));
	if (what == CUBLASLT_MATMUL_DESC_TRANSA)
		memcpy(&p.turned, value, sizeof(p.turned));
	if (what == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER)
		memcpy(&p.bits, value, sizeof(p.bits));
	if (what == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD)
		memcpy(&p.apart, value, sizeof(p.apart));
	if (what != CUBLASLT_MATMUL_DESC_BIAS_POINTER && what != CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER)
		note(of, (int)what, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t of)
{
	said.erase(of);
	products.erase(of);
	free(of);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *to, cudaDataType type, uint64_t rows, uint64_t columns, int64_t apart)
{
	*to = (cublasLtMatrixLayout_t)calloc(1, 8);
	said[*to] = std::to_string(rows) + "x" + std::to_string(columns) + ";";
	matrices[*to] = { type, (int64_t)rows, (int64_t)columns, apart };
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t of, cublasLtMatrixLayoutAttribute_t what, const void *value,
    size_t bytes)
{
	note(of, (int)what, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t of)
{
	said.erase(of);
	matrices.erase(of);
	free(of);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *to)
{
	*to = (cublasLtMatmulPreference_t)calloc(1, 8);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *,
    size_t)
{
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t of)
{
	free(of);
	return CUBLAS_STATUS_SUCCESS;
}

static std::string
question(cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b)
{
	size_t h = std::hash<std::string>()(said[product] + said[a] + said[b]);

	return "cuBLASLt " + said[a] + said[b] + " " + std::to_string(h);
}

cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int most,
    cublasLtMatmulHeuristicResult_t *to, int *n)
{
	const char *bits = getenv("STANDIN_BITS");

	*n = std::min(most, card_count("STANDIN_ALGORITHMS"));
	if (has_bits(products[product]) && bits && !strcmp(bits, "none"))
		*n = 0;
	memset(to, 0, sizeof(*to) * (size_t)*n);
	for (int k = 0; k < *n; k++)
		to[k].algo.data[0] = (uint64_t)k + 1;
	card_needs(question(product, a, b).c_str(), MIB);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void *, const void *at_a, cublasLtMatrixLayout_t a,
    const void *at_b, cublasLtMatrixLayout_t b, const void *, const void *, cublasLtMatrixLayout_t, void *,
    cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algo, void *, size_t, cudaStream_t s)
{
	int64_t at = (int64_t)algo->data[0] - 1;
	const struct product &p = products[product];

	if (has_bits(p)) {
		struct ran &r = ran["epilogue " + std::to_string(p.epilogue)];

		if (!bits_are_legal(p, matrices[d])) {
			card_refuse("bits of relu that do not lie as cuBLASLt has them");
			return CUBLAS_STATUS_INVALID_VALUE;
		}
		(card_is_captured() ? r.captured : r.ran)++;
		make_bits(p, matrices[a], at_a, matrices[b], at_b, matrices[d]);
	}
	card_needs((question(product, a, b) + " algorithm " + std::to_string(at)).c_str(), 0);
	count("algorithm", at, card_listed("STANDIN_ALGORITHMS", at, 1));
	return card_call(s) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

/* ---- cuDNN ---- */

struct dnn_handle {
	cudaStream_t stream;
};

struct dnn_descriptor {
	cudnnBackendDescriptorType_t type;
	int64_t engine;		/* that it is, or is for */
	bool sums;		/* so is it of its graph, which adds up channels, */
	bool gate;		/* or has a relu's gradient in it */
	int plan;		/* its number */
};

static cudnnDataType_t dnn_last_type;	/* of a tensor: whether its graph runs on tensor cores */

cudnnStatus_t
cudnnCreate(cudnnHandle_t *to)
{
	*to = (cudnnHandle_t)calloc(1, sizeof(struct dnn_handle));
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnSetStream(cudnnHandle_t h, cudaStream_t s)
{
	((struct dnn_handle *)h)->stream = s;
	return CUDNN_STATUS_SUCCESS;
}

const char *cudnnGetErrorString(cudnnStatus_t) { return "refused by the stand-in"; }

size_t
cudnnGetVersion(void)
{
	return (size_t)card_number("STANDIN_CUDNN", CUDNN_VERSION);
}

cudnnStatus_t
cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *to)
{
	struct dnn_descriptor *d = (struct dnn_descriptor *)calloc(1, sizeof(*d));

	d->type = type;
	*to = (cudnnBackendDescriptor_t)d;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d)
{
	free(d);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendFinalize(cudnnBackendDescriptor_t of)
{
	static int plans;
	struct dnn_descriptor *d = (struct dnn_descriptor *)of;

	if (d->type == CUDNN_BACKEND_ENGINE_DESCRIPTOR && getenv("STANDIN_ENGINES") && d->engine >= card_count("STANDIN_ENGINES"))
		return CUDNN_STATUS_NOT_SUPPORTED;
	if (d->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
		d->plan = plans++;
		card_needs(("cuDNN's plan " + std::to_string(d->plan)).c_str(),
		    d->gate ? (int64_t)card_number("STANDIN_COMPILED", 2 * MIB) : 2 * MIB);
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendSetAttribute(cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t,
    int64_t n, const void *value)
{
	struct dnn_descriptor *d = (struct dnn_descriptor *)of;

	if (name == CUDNN_ATTR_TENSOR_DATA_TYPE)
		dnn_last_type = *(const cudnnDataType_t *)value;
	if (name == CUDNN_ATTR_ENGINE_GLOBAL_INDEX)
		d->engine = *(const int64_t *)value;
	if (name == CUDNN_ATTR_ENGINECFG_ENGINE || name == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
		d->engine = (*(struct dnn_descriptor *const *)value)->engine;
	if (name == CUDNN_ATTR_ENGINECFG_ENGINE || name == CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG ||
	    name == CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH || name == CUDNN_ATTR_ENGINE_OPERATION_GRAPH ||
	    name == CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR) {
		d->sums = (*(struct dnn_descriptor *const *)value)->sums;
		d->gate = (*(struct dnn_descriptor *const *)value)->gate;
	}
	if (name == CUDNN_ATTR_POINTWISE_MODE)
		d->gate = *(const cudnnPointwiseMode_t *)value == CUDNN_POINTWISE_RELU_BWD;
	for (int64_t k = 0; name == CUDNN_ATTR_OPERATIONGRAPH_OPS && k < n; k++) {
		d->sums |= ((struct dnn_descriptor *const *)value)[k]->type == CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR;
		d->gate |= ((struct dnn_descriptor *const *)value)[k]->gate;
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendGetAttribute(cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t,
    int64_t most, int64_t *n, void *to)
{
	struct dnn_descriptor *d = (struct dnn_descriptor *)of;
	cudnnBackendNumericalNote_t *note = (cudnnBackendNumericalNote_t *)to;

	*n = 1;
	switch (name) {
	case CUDNN_ATTR_ENGINEHEUR_RESULTS:
		*n = d->gate && !getenv("STANDIN_GATES") ? 0 : std::min<int64_t>(most, card_count("STANDIN_ENGINES"));
		for (int64_t k = 0; k < *n; k++) {
			((struct dnn_descriptor **)to)[k]->engine = k;
			((struct dnn_descriptor **)to)[k]->gate = d->gate;
			((struct dnn_descriptor **)to)[k]->sums = d->sums;
		}
		break;
	case CUDNN_ATTR_ENGINECFG_ENGINE:
		(*(struct dnn_descriptor **)to)->engine = d->engine;
		(*(struct dnn_descriptor **)to)->sums = d->sums;
		(*(struct dnn_descriptor **)to)->gate = d->gate;
		break;
	case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
		*n = d->gate;
		*(cudnnBackendBehaviorNote_t *)to = CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
		break;
	case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
		*n = 0;
		if (dnn_last_type != CUDNN_DATA_FLOAT && dnn_last_type != CUDNN_DATA_DOUBLE)
			note[(*n)++] = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
		if (card_listed("STANDIN_CHANGING", d->engine, 0) > 0)
			note[(*n)++] = CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
		break;
	case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
		*(int64_t *)to = d->engine;
		break;
	case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
		*(int64_t *)to = (int64_t)card_listed("STANDIN_ROOM", d->engine, 0);
		break;
	default:
		*n = 0;
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendExecute(cudnnHandle_t h, cudnnBackendDescriptor_t of, cudnnBackendDescriptor_t)
{
	struct dnn_descriptor *d = (struct dnn_descriptor *)of;

	card_needs(("cuDNN's plan " + std::to_string(d->plan) + " as it runs").c_str(), 0);
	count(d->sums ? "summing engine" : d->gate ? "gated engine" : "engine", d->engine,
	    card_listed("STANDIN_ENGINES", d->engine, 1) + (d->sums ? card_number("STANDIN_SUMS", 0) : d->gate ?
	    card_number("STANDIN_GATES", 0) : 0));
	return card_call(((struct dnn_handle *)h)->stream) ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}

}
