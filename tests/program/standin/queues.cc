/*
 * queues.cc - streams, events and graphs of card.cc's card: in which order a captured step's calls
 * wait for one another, whether they wait for all that they touch (touches.cc), and when each would
 * be over, by what kernels take. What a real runtime refuses of a capture is refused.
 */
#include <algorithm>
#include <string>
#include <vector>

#include "card.h"

struct event {			/* where a stream was when it was recorded */
	struct place at;
	bool captured;
	double when;		/* milliseconds; of one that a graph records, from its launch until that comes */
};

struct instance {
	int kernels, path;
	double takes;		/* milliseconds */
	std::vector<std::pair<struct event *, double>> records;	/* and when each is, from its launch */
};

static struct stream *capturing;	/* the stream that the capture began on */
static std::vector<int> depth;		/* of each call of the capture: the longest chain that ends with it */
static std::vector<bool> followed;	/* does another call, or the end, wait for it? */
static std::vector<double> over;	/* of each call of the capture: when it is, from the launch */
static std::vector<std::pair<struct event *, double>> records;
static int latest = -1;			/* the last call of a capture that does not go between ranks */
static bool between;			/* a call goes between ranks */
static double now;			/* milliseconds that all calls took */
static double cost;			/* of the next call that is captured, beyond its own */
static int64_t launches;

void
card_takes(double ms)
{
	(capturing ? cost : now) += ms;
}

bool
card_is_captured(void)
{
	return capturing != NULL;
}

void
queues_report()
{
	card_report("launches %lld\n", (long long)launches);
}

static struct stream *
stream_of(cudaStream_t s)
{
	static struct stream legacy;

	return s ? (struct stream *)s : &legacy;
}

/* When all that a stream of the capture has come to is over. */
static double
over_by(const struct stream *s)
{
	double latest = 0;

	for (int k : s->at.behind)
		latest = std::max(latest, over[k]);
	return latest;
}

/* A call enters the capture, behind all that the stream has come to. */
cudaError_t
card_call(cudaStream_t on)
{
	struct stream *s = stream_of(on);
	int deepest = 0;

	launches++;
	if (!capturing) {
		now += 0.001;
		return cudaSuccess;
	}
	if (!s->captured)
		return card_refuse("a call on a stream that is not captured, within a capture");
	for (int k : s->at.behind) {
		deepest = std::max(deepest, depth[k]);
		followed[k] = true;
	}
	touches_call(s->at.behind);
	over.push_back(over_by(s) + 0.001 + cost);
	cost = 0;
	s->at.behind = { (int)depth.size() };
	latest = between ? latest : (int)depth.size();
	depth.push_back(deepest + 1);
	followed.push_back(false);
	return cudaSuccess;
}

void
card_do(cudaStream_t on, std::function<void()> function)
{
	struct stream *s = stream_of(on);

	if (capturing && latest >= 0 && !s->at.behind.count(latest))
		card_refuse("what goes between ranks does not wait for what the step has made");
	between = true;
	card_call(on);
	between = false;
	function();
}

void
card_do_when(cudaStream_t on, std::function<bool()>, std::function<void()>)
{
	between = true;
	card_call(on);
	between = false;
}

cudaError_t
card_not_captured(const char *what)
{
	return capturing ? card_refuse((std::string(what) + " while a step is captured").c_str()) : cudaSuccess;
}

extern "C" {

/* ---- streams and events ---- */

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *to, unsigned)
{
	*to = (cudaStream_t)new struct stream;
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *to, unsigned, int priority)
{
	return priority > 0 || priority < -5 ? card_refuse("a priority that there is not") : cudaStreamCreateWithFlags(to, 0);
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *most)
{
	*least = 0;
	*most = -5;
	return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *to) { return cudaStreamCreateWithFlags(to, 0); }

cudaError_t
cudaStreamDestroy(cudaStream_t s)
{
	if (capturing && stream_of(s)->captured)
		return card_refuse("cudaStreamDestroy of a stream that is captured");
	delete (struct stream *)s;
	return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t s)
{
	return stream_of(s)->captured ? card_refuse("cudaStreamSynchronize of a stream that is captured") : cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *to, unsigned)
{
	*to = (cudaEvent_t)new struct event();
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *to) { return cudaEventCreateWithFlags(to, 0); }

cudaError_t
cudaEventDestroy(cudaEvent_t e)
{
	delete (struct event *)e;
	return cudaSuccess;
}

static cudaError_t
record(cudaEvent_t e, cudaStream_t s)
{
	struct event *to = (struct event *)e;

	to->captured = stream_of(s)->captured;
	to->at = stream_of(s)->at;
	to->when = now;
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return record(e, s); }

/* With cudaEventRecordExternal it is a graph that records it, when it runs. */
cudaError_t
cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags)
{
	struct event *to = (struct event *)e;

	if (!(flags & cudaEventRecordExternal))
		return record(e, s);
	if (!stream_of(s)->captured)
		return card_refuse("an external event that is not captured");
	to->captured = false;
	records.push_back({ to, over_by(stream_of(s)) });
	return cudaSuccess;
}

cudaError_t
cudaEventSynchronize(cudaEvent_t e)
{
	return ((struct event *)e)->captured && capturing ? card_refuse("cudaEventSynchronize of an event of a capture") :
	    cudaSuccess;
}

cudaError_t
cudaEventElapsedTime(float *to, cudaEvent_t from, cudaEvent_t until)
{
	if (((struct event *)from)->captured || ((struct event *)until)->captured)
		return card_refuse("cudaEventElapsedTime of an event of a capture");
	*to = (float)(((struct event *)until)->when - ((struct event *)from)->when);
	return card_not_captured("cudaEventElapsedTime");
}

/* A stream that waits for one that is captured is captured, too. */
cudaError_t
cudaStreamWaitEvent(cudaStream_t on, cudaEvent_t e, unsigned)
{
	struct stream *s = stream_of(on);
	struct event *of = (struct event *)e;

	if (!capturing)
		return cudaSuccess;
	if (!of->captured)
		return s->captured ? card_refuse("a captured stream waits for what is outside of the capture") :
		    cudaSuccess;
	s->captured = true;
	s->at.behind.insert(of->at.behind.begin(), of->at.behind.end());
	return cudaSuccess;
}

/* ---- graphs ---- */

cudaError_t
cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
{
	if (capturing || !s)
		return card_refuse("a capture within another, or of the default stream");
	capturing = stream_of(s);
	capturing->captured = true;
	capturing->at.behind.clear();
	depth.clear();
	followed.clear();
	over.clear();
	records.clear();
	touches_begin();
	latest = -1;
	return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *to)
{
	struct instance *g = new struct instance();

	if (stream_of(s) != capturing)
		return card_refuse("a capture ends on another stream than it began on");
	for (int k : capturing->at.behind)
		followed[k] = true;
	g->kernels = (int)depth.size();
	g->records = records;
	for (size_t k = 0; k < depth.size(); k++) {
		g->takes = std::max(g->takes, over[k]);
		g->path = std::max(g->path, depth[k]);
		if (!followed[k])
			card_refuse("a branch that is not joined at the end of its capture");
	}
	capturing->captured = false;
	capturing = NULL;
	*to = (cudaGraph_t)g;
	return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t g, unsigned long long)
{
	static int n;
	struct instance *copy = new struct instance(*(struct instance *)g);

	card_report("graph %d kernels %d path %d\n", n++, copy->kernels, copy->path);
	*to = (cudaGraphExec_t)copy;
	return cudaSuccess;
}

cudaError_t
cudaGraphDestroy(cudaGraph_t g)
{
	delete (struct instance *)g;
	return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t
cudaGraphLaunch(cudaGraphExec_t of, cudaStream_t s)
{
	struct instance *g = (struct instance *)of;

	for (auto &r : g->records)
		r.first->when = now + r.second;
	now += g->takes;
	card_begins();
	return card_call(s);
}

}
