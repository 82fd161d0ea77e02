/*
 * ranks_env.c - which rank this is, of how many, and where the first of them runs: variables that
 * torchrun sets, or Open MPI's mpirun, or MPICH's and Intel's, or srun. Without any, it is alone.
 * Those started within one of Slurm's steps have its variables, too, which say which task started
 * them: so they count last.
 */
static const struct rank_starter {
	const char *rank, *size, *local;
	const char *here;	/* how many there are on this machine */
} rank_starters[] = {
	{ "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE" },
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS" },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL },
};

/* A whole number of the environment; -1: it is not there. */
static int
rank_variable(const char *name, int most)
{
	const char *value = name ? getenv(name) : NULL;
	char *end;
	long x;

	if (!value)
		return -1;
	errno = 0;
	x = strtol(value, &end, 10);
	if (end == value || *end || errno || x < 0 || x > most)
		fail("%s: expected a whole number from 0 to %d, found \"%.40s\"", name, most, value);
	return (int)x;
}

/* The first of a list as Slurm writes it, "node[07-09,12],other": node07. False: there is none. */
static bool
rank_first_host(const char *list, char *to, size_t size)
{
	size_t head = list ? strcspn(list, ",[") : 0, digits = 0;

	if (!head)
		return false;
	if (list[head] == '[')
		digits = strcspn(list + head + 1, "-,]");
	return (size_t)snprintf(to, size, "%.*s%.*s", (int)head, list, (int)digits, digits ? list + head + 1 : "") < size;
}

/* Are Slurm's tasks the ranks? srun has started them even where it speaks to them as MPICH's mpirun
 * does. */
static bool
rank_is_task(void)
{
	return rank_variable("SLURM_PROCID", INT_MAX) == ranks.rank && rank_variable("SLURM_STEP_NUM_TASKS", INT_MAX) == ranks.size;
}

/* The first rank's host. */
static const char *
rank_master(const struct rank_starter *by)
{
	static char host[256];
	const char *given = getenv("MASTER_ADDR");

	if (given && *given)
		return given;
	if (rank_variable(by->here, INT_MAX) == ranks.size)
		return "127.0.0.1";
	if (rank_is_task() && rank_first_host(getenv("SLURM_STEP_NODELIST"), host, sizeof(host)))
		return host;
	fail("%s says that this is one of %d ranks, and nothing says where the first one runs: set MASTER_ADDR to its host",
	    by->rank, ranks.size);
}

/* Where torchrun keeps its own counsel at MASTER_PORT, the ranks meet at the one behind. */
static void
rank_port(char *to, size_t size)
{
	const char *agent = getenv("TORCHELASTIC_USE_AGENT_STORE");
	int port = rank_variable("MASTER_PORT", 65534);

	port = (port > 0 ? port : 29500) + (agent && !strcmp(agent, "True"));
	snprintf(to, size, "%d", port);
}

/* Fills in who this is; returns where the first rank runs, and its port. */
static const char *
ranks_from_environment(char *port, size_t size)
{
	size_t k = 0, n = sizeof(rank_starters) / sizeof(rank_starters[0]);

	while (k < n && !(getenv(rank_starters[k].rank) && getenv(rank_starters[k].size)))
		k++;
	if (k == n)
		return NULL;
	ranks.size = rank_variable(rank_starters[k].size, 1 << 20);
	ranks.rank = rank_variable(rank_starters[k].rank, 1 << 20);
	ranks.local = rank_variable(rank_starters[k].local, 1 << 20);
	if (ranks.rank >= ranks.size)
		fail("%s is %d, and %s is %d: ranks are counted from 0", rank_starters[k].rank, ranks.rank,
		    rank_starters[k].size, ranks.size);
	if (ranks.size == 1)
		return NULL;
	rank_port(port, size);
	return rank_master(&rank_starters[k]);
}
