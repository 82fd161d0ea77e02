/*
 * device_cuda.cu - the arena of a CUDA program: one cudaMalloc at start. The batch is read into
 * pinned memory and copied; the step's numbers live in a variable of the module, so that a kernel
 * can be launched again with new ones.
 *
 * The driver loads a kernel's code, and libraries theirs, when it is first launched, which takes
 * memory of the device. So the steps are rehearsed once on an arena of zeros before anything is
 * put there: what cannot be launched or loaded is found out at start, and the first true step
 * allocates no more than the last.
 */
/* start values and checkpoints pass through it */
static unsigned char chunk[1 << 20] __attribute__((aligned(64)));

static int64_t arena_taken;	/* bytes by which the device's free memory shrank for the arena */

static __device__ struct step step_on_device;
static struct step *step_there;
static unsigned char *staging;	/* pinned: the inputs of one batch, one after the other */
static int64_t staging_bytes, staging_used;

static int64_t
staging_for(const struct input *in, int n, int64_t batch)
{
	int64_t total = 0;

	for (int k = 0; k < n; k++)
		total += (in[k].elements * type_table[in[k].type].bytes * batch + 255) / 256 * 256;
	return total;
}

static const struct step	*device_step(const struct step *step);
static void	device_wait(void);

static void
device_settle(char **argv)
{
	(void)argv;	/* no host threads whose waiting matters */
}

static void
device_clear(int value)
{
	CUDA(cudaMemsetAsync(arena, value, ARENA_BYTES, stream));
	CUDA(cudaStreamSynchronize(stream));
}

#ifndef LIBRARY
static void
device_rehearse(void)
{
	struct step step;

	memset(&step, 0, sizeof(step));
	step.update = 1;
	step.share = 1;
#ifdef TRAINS
	train_step(TRAIN_BATCH, device_step(&step));
	device_wait();
#endif
#ifdef UPDATES
	update_step(UPDATE_BATCH, device_step(&step));
	device_wait();
#endif
#ifdef VALIDATES
	validate_step(VALIDATE_BATCH, device_step(&step));
	device_wait();
#endif
}
#endif

static void
device_open(void)
{
	size_t before, after, total;
	int64_t bytes = 256;

	CUDA(cudaFree(0));	/* makes the context, which is not the arena's to answer for */
	CUDA(cudaStreamCreate(&stream));
#ifdef USE_CUBLASLT
	CUBLAS(cublasLtCreate(&lt));
#endif
#ifdef USE_CUDNN
	CUDNN(cudnnCreate(&dnn_device.handle));
	CUDNN(cudnnSetStream(dnn_device.handle, stream));
	dnn_building = true;
#endif
#ifdef TRAINS
	bytes += staging_for(train_inputs, TRAIN_INPUTS, TRAIN_BATCH);
#endif
#ifdef VALIDATES
	if (staging_for(validate_inputs, VALIDATE_INPUTS, VALIDATE_BATCH) + 256 > bytes)
		bytes = staging_for(validate_inputs, VALIDATE_INPUTS, VALIDATE_BATCH) + 256;
#endif
	staging_bytes = bytes;
	CUDA(cudaMallocHost((void **)&staging, (size_t)staging_bytes));
	CUDA(cudaMallocHost((void **)&step_on_host, sizeof *step_on_host));
	CUDA(cudaGetSymbolAddress((void **)&step_there, step_on_device));

	CUDA(cudaMemGetInfo(&before, &total));
	if (cudaMalloc((void **)&arena, ARENA_BYTES) != cudaSuccess)
		fail("the device refuses an arena of %lld bytes; %lld of %lld are free",
		    (long long)ARENA_BYTES, (long long)before, (long long)total);
	CUDA(cudaMemGetInfo(&after, &total));
	arena_taken = (int64_t)before - (int64_t)after;
	device_clear(0);
#ifndef LIBRARY
	device_rehearse();
#ifdef USE_CUDNN
	dnn_building = false;
#endif
#endif
#ifdef CHECK
	device_clear(0xff);	/* nothing is alive yet */
#else
	device_clear(0);
#endif
}

static void
device_write(int64_t offset, const void *from, int64_t bytes)
{
	CUDA(cudaMemcpyAsync(arena + offset, from, (size_t)bytes, cudaMemcpyHostToDevice, stream));
	CUDA(cudaStreamSynchronize(stream));
}

static void
device_read(void *to, int64_t offset, int64_t bytes)
{
	CUDA(cudaMemcpyAsync(to, arena + offset, (size_t)bytes, cudaMemcpyDeviceToHost, stream));
	CUDA(cudaStreamSynchronize(stream));
}

/* Where the host writes the batch of an input, before device_inputs_ready(). */
static void *
device_input(const struct input *in, int64_t batch)
{
	void *at = staging + staging_used;

	staging_used += staging_for(in, 1, batch);
	return at;
}

static void
device_inputs_ready(const struct input *in, int n, int64_t batch)
{
	int64_t at = 0;

	for (int k = 0; k < n; k++) {
		LIVE(in[k].buffer);
		CUDA(cudaMemcpyAsync(arena + in[k].offset, staging + at,
		    (size_t)(in[k].elements * type_table[in[k].type].bytes * batch),
		    cudaMemcpyHostToDevice, stream));
		at += staging_for(&in[k], 1, batch);
	}
	staging_used = 0;
}

/* The step's numbers, as kernels see them. */
static const struct step *
device_step(const struct step *step)
{
	CUDA(cudaStreamSynchronize(stream));	/* the copy before this one has been read */
	*step_on_host = *step;
	CUDA(cudaMemcpyAsync(step_there, step_on_host, sizeof *step, cudaMemcpyHostToDevice, stream));
	return step_there;
}

static void
device_wait(void)
{
	CUDA(cudaGetLastError());
	CUDA(cudaStreamSynchronize(stream));
}

static void
device_threads(int asked)
{
	if (asked)
		fail("--threads: the work is done by the GPU");
}
