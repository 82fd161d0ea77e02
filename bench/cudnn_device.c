/*
 * Prints, as JSON, how cuDNN describes the GPU of this machine: what src/emit/engines.c says of cards
 * that are not there is to be compared with it. Built and run by gpu.py.
 *
 *	cc cudnn_device.c -lcudnn
 */
#include <cudnn.h>
#include <stdio.h>
#include <stdlib.h>

static void
check(cudnnStatus_t status, const char *what)
{
	if (status == CUDNN_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cudnn_device: %s: %s\n", what, cudnnGetErrorString(status));
	exit(1);
}

#define CHECK(call)	check((call), #call)

int
main(void)
{
	cudnnHandle_t handle;
	cudnnBackendDescriptor_t device;
	int64_t bytes = 0;
	char *text;

	CHECK(cudnnCreate(&handle));
	CHECK(cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &device));
	CHECK(cudnnBackendSetAttribute(device, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, 1,
	    &handle));
	CHECK(cudnnBackendFinalize(device));
	CHECK(cudnnBackendGetAttribute(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
	    CUDNN_TYPE_CHAR, 0, &bytes, NULL));
	text = calloc(1, (size_t)bytes + 1);
	if (!text)
		return 1;
	CHECK(cudnnBackendGetAttribute(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
	    CUDNN_TYPE_CHAR, bytes, &bytes, text));
	printf("{\"cudnn\": %zu, \"device\": %s}\n", cudnnGetVersion(), text);
	free(text);
	cudnnBackendDestroyDescriptor(device);
	cudnnDestroy(handle);
	return 0;
}
