/*
 * library.c - the same program as a shared library (-DLIBRARY), for code that drives single steps
 * from outside and inspects the arena: tests, notebooks.
 */
#ifdef LIBRARY
#ifdef __cplusplus
extern "C" {
#endif

void	stowage_init(uint64_t seed);
void	stowage_train_step(int64_t b, double lr, int64_t update, uint64_t draw, double share,
	    double keep);
void	stowage_update_step(double lr, int64_t update);
void	stowage_validate_step(int64_t b);
void	*stowage_arena(void);
int64_t	stowage_arena_bytes(void);
void	stowage_read(void *to, int64_t offset, int64_t bytes);
void	stowage_write(int64_t offset, const void *from, int64_t bytes);

static struct step library_step;

/* Takes the arena, once, and gives every persistent tensor its starting value. */
void
stowage_init(uint64_t seed)
{
	if (!arena) {
		device_threads(0);
#ifdef TABLES
		tables_keep(NULL);
#endif
		device_open();
#ifdef TABLES
		tables_read(NULL);
#endif
	}
	library_step.seed = seed;
	start_values(seed);
}

void
stowage_train_step(int64_t b, double lr, int64_t update, uint64_t draw, double share, double keep)
{
#ifdef TRAINS
	library_step.lr = lr;
	library_step.update = update;
	library_step.draw = draw;
	library_step.share = (real)share;
	library_step.keep = (real)keep;
#ifdef LEAVES_OUT
	due = updates_due(update);
#endif
	device_run(STEP_TRAIN, b, &library_step);
	device_wait();
#else
	(void)b, (void)lr, (void)update, (void)draw, (void)share, (void)keep;
#endif
}

void
stowage_update_step(double lr, int64_t update)
{
	library_step.lr = lr;
	library_step.update = update;
#ifdef UPDATES
	device_run(STEP_UPDATE, TRAIN_BATCH, &library_step);
	device_wait();
#endif
}

void
stowage_validate_step(int64_t b)
{
	library_step.share = 1;
	library_step.keep = 0;
#ifdef VALIDATES
	device_run(STEP_VALIDATE, b, &library_step);
	device_wait();
#else
	(void)b;
#endif
}

void *
stowage_arena(void)
{
	return arena;
}

int64_t
stowage_arena_bytes(void)
{
	return ARENA_BYTES;
}

void
stowage_read(void *to, int64_t offset, int64_t bytes)
{
	device_read(to, offset, bytes);
}

void
stowage_write(int64_t offset, const void *from, int64_t bytes)
{
	device_write(offset, from, bytes);
}

#ifdef __cplusplus
}
#endif
#endif
