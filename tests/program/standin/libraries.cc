/*
 * libraries.cc - stands for cuBLASLt and cuDNN beside card.cc: what they are asked for is counted as a call of the
 * stream that they were given, and each distinct question as something that is loaded once. cuDNN finds one engine
 * for every graph; for 16 bits and tf32 it is one of tensor cores. STANDIN_CUDNN is its version.
 */
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

extern "C" {

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
	if (what != CUBLASLT_MATMUL_DESC_BIAS_POINTER && what != CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER)
		note(of, (int)what, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t of)
{
	said.erase(of);
	free(of);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *to, cudaDataType, uint64_t rows, uint64_t columns, int64_t)
{
	*to = (cublasLtMatrixLayout_t)calloc(1, 8);
	said[*to] = std::to_string(rows) + "x" + std::to_string(columns) + ";";
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
	memset(to, 0, sizeof(*to) * (size_t)(most > 0));
	*n = most > 0;
	card_needs(question(product, a, b).c_str(), MIB);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void *, const void *, cublasLtMatrixLayout_t, const void *,
    cublasLtMatrixLayout_t, const void *, const void *, cublasLtMatrixLayout_t, void *, cublasLtMatrixLayout_t,
    const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t s)
{
	return card_call(s) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

/* ---- cuDNN ---- */

struct dnn_handle {
	cudaStream_t stream;
};

struct dnn_descriptor {
	cudnnBackendDescriptorType_t type;
	cudnnHandle_t handle;
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
	const char *s = getenv("STANDIN_CUDNN");

	return s ? (size_t)atoll(s) : CUDNN_VERSION;
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

	if (((struct dnn_descriptor *)of)->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
		card_needs(("cuDNN's plan " + std::to_string(plans++)).c_str(), 2 * MIB);
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendSetAttribute(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t,
    int64_t, const void *value)
{
	if (name == CUDNN_ATTR_TENSOR_DATA_TYPE)
		dnn_last_type = *(const cudnnDataType_t *)value;
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendGetAttribute(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t,
    int64_t, int64_t *n, void *to)
{
	*n = 1;
	switch (name) {
	case CUDNN_ATTR_ENGINEHEUR_RESULTS:
	case CUDNN_ATTR_ENGINECFG_ENGINE:
		break;
	case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
		*n = dnn_last_type != CUDNN_DATA_FLOAT && dnn_last_type != CUDNN_DATA_DOUBLE;
		*(cudnnBackendNumericalNote_t *)to = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
		break;
	case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
	case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
		*(int64_t *)to = 0;
		break;
	default:
		*n = 0;
	}
	return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendExecute(cudnnHandle_t h, cudnnBackendDescriptor_t, cudnnBackendDescriptor_t)
{
	return card_call(((struct dnn_handle *)h)->stream) ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}

}
