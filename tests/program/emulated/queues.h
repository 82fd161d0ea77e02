/*
 * Streams as queues, of which cuda_runtime.h says what is done when: calls, what each waits for and
 * records, and graphs, which are what was queued while a step was captured.
 */
#ifndef EMULATED_QUEUES_H
#define EMULATED_QUEUES_H

struct emulated_event;

struct emulated_call {
	std::function<void()> run;	/* all of it, or what each thread of a kernel does */
	emulated_event *waits, *records;
	long want;		/* WAITS is to have been reached so often */
	std::function<bool()> ready;	/* empty: it is when WAITS was reached */
	bool kernel = false;
	unsigned blocks = 0;	/* of a kernel, */
	size_t given = 0;	/* and its shared memory */
};

struct emulated_stream {
	std::deque<emulated_call> calls;
	bool captured;
	bool busy;		/* one of its calls is being done */
};

struct emulated_event {
	long recorded, reached;
	double at;		/* what emulated_clock was */
	emulated_stream *by;
	bool captured;
};

struct emulated_graph {
	std::vector<std::pair<emulated_stream *, emulated_call>> calls;
};

typedef emulated_stream *cudaStream_t;
typedef emulated_event *cudaEvent_t;
typedef emulated_graph *cudaGraph_t, *cudaGraphExec_t;

static std::vector<emulated_stream *> emulated_streams;
static emulated_stream *emulated_origin;	/* the stream that is captured; NULL: none is */
static emulated_graph *emulated_captured;
static double emulated_clock;	/* milliseconds that libraries have taken; kernels take none */

__attribute__((noreturn)) static void
emulated_refuse(const char *what)
{
	fprintf(stderr, "emulated: %s\n", what);
	abort();
}

static void	emulated_go_on(emulated_stream *s);

static pthread_mutex_t emulated_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;	/* of queues, events and the card's memory */
static volatile long emulated_asked;	/* how often the host has */

struct emulated_turn {
	emulated_turn()
	{
		pthread_mutex_lock(&emulated_lock);
		emulated_asked++;
	}
	~emulated_turn()
	{
		pthread_mutex_unlock(&emulated_lock);
	}
};

static bool
emulated_reached(const emulated_call &c)
{
	return !c.waits || c.waits->reached >= c.want;
}

static bool
emulated_may(const emulated_call &c)
{
	return emulated_reached(c) && (!c.ready || c.ready());
}

static void
emulated_do_first(emulated_stream *s)
{
	emulated_call c = s->calls.front();

	s->calls.pop_front();
	s->busy = true;
	if (c.kernel)
		emulate_given(c.blocks, c.given, c.run);
	else if (c.run)
		c.run();
	s->busy = false;
	if (c.records)
		c.records->reached++, c.records->at = emulated_clock;
}

/* One call of any stream, of which some may go on. */
static bool
emulated_do_any(void)
{
	for (emulated_stream *s : emulated_streams)
		if (!s->busy && !s->calls.empty() && emulated_may(s->calls.front())) {
			emulated_do_first(s);
			return true;
		}
	return false;
}

/* What is being done waits for other processes. */
static void
card_waits(void)
{
	emulated_do_any();
}

/* The first call of a stream waits for another process, which may wait for what another stream of
 * this one does: as late as that. */
static void
emulated_wait_for_others(const emulated_call &c)
{
	for (int k = 0; k < 20; k++) {
		if (emulated_may(c))
			return;
		usleep(200);
	}
	emulated_do_any();
}

/* The first call of a stream, and before it what it waits for. */
static void
emulated_go_on(emulated_stream *s)
{
	static const bool early = getenv("EMULATED_EARLY") != NULL;

	for (emulated_stream *other : emulated_streams)
		while (early && other != s && !other->calls.empty() && emulated_may(other->calls.front()))
			emulated_do_first(other);
	while (!s->calls.empty() && !emulated_may(s->calls.front())) {
		if (emulated_reached(s->calls.front())) {
			emulated_wait_for_others(s->calls.front());
			continue;
		}
		if (s->calls.front().waits->by->calls.empty())
			emulated_refuse("a wait for what never comes");
		emulated_go_on(s->calls.front().waits->by);
	}
	if (!s->calls.empty())
		emulated_do_first(s);
}

/* Where the host does not ask for a while, what may be done is. */
static void *
emulated_progress(void *)
{
	for (long seen = -1;; seen = emulated_asked) {
		usleep(5000);
		if (seen != emulated_asked)
			continue;
		pthread_mutex_lock(&emulated_lock);
		while (emulated_do_any())
			;
		pthread_mutex_unlock(&emulated_lock);
	}
}

/* Other processes wait for what this one does, whatever its host is at. */
static void
emulated_begin_progress(void)
{
	static bool begun;
	pthread_t thread;

	if (begun)
		return;
	begun = true;
	atexit([] { pthread_mutex_lock(&emulated_lock); });
	if (pthread_create(&thread, NULL, emulated_progress, NULL))
		emulated_refuse("no thread");
}

static void
emulated_queue(emulated_stream *s, emulated_call c)
{
	emulated_turn turn;

	if (emulated_origin && s->captured) {
		emulated_captured->calls.push_back({ s, c });
		return;
	}
	if (emulated_origin)
		emulated_refuse("a call on a stream that is not captured, while another is");
	if (c.records) {
		c.records->recorded++;
		c.records->by = s;
	}
	if (c.waits)
		c.want = c.waits->recorded;
	s->calls.push_back(c);
}

/* What libraries do: FUNCTION, in its turn. */
static void
card_do(emulated_stream *s, std::function<void()> function)
{
	emulated_queue(s, { function, NULL, NULL, 0, NULL });
}

/* The same, when another process lets it. */
static void
card_do_when(emulated_stream *s, std::function<bool()> ready, std::function<void()> function)
{
	emulated_begin_progress();
	emulated_queue(s, { function, NULL, NULL, 0, ready });
}

template <class... P> struct emulated_launcher {
	unsigned blocks;
	size_t given;		/* shared memory */
	emulated_stream *on;
	void (*kernel)(P...);

	void
	operator()(P... p) const
	{
		void (*k)(P...) = kernel;

		emulated_queue(on, { [=] { k(p...); }, NULL, NULL, 0, NULL, true, blocks, given });
	}
};

template <class... P> static emulated_launcher<P...>
emulated_launch(unsigned blocks, size_t given, emulated_stream *on, void (*kernel)(P...))
{
	return { blocks, given, on, kernel };
}

#endif
