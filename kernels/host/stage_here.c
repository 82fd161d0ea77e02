/*
 * stage_here.c - which stage of a pipeline this process is, for the main() that all stages are
 * linked with: in the first one's program.
 */
int
stowage_stage(void)
{
#ifdef __CUDACC__
	char port[16];

	/* streams that wait for other ranks must not hold back others because they share a queue of
	 * the card */
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
	ranks_from_environment(port, sizeof(port));
	return ranks.rank;
#else
	int has, rank;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &has);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
#endif
}
