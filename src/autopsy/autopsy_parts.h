/* What the files that look for causes share: autopsy_causes.c calls them in its order. */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_PARTS_H
#define STOWAGE_AUTOPSY_AUTOPSY_PARTS_H

#include "autopsy/autopsy.h"
#include "autopsy/autopsy_says.h"
#include "oom/oom_world.h"

#define TORCH_SEGMENT	((int64_t)2 << 20)	/* PyTorch's allocator: one has tensors up to half of it, and larger requests are rounded to it */

/* Where the place shows that no batch matters. */
#define TRACE_NO_BATCH	(TRACE_LOADING | TRACE_CHECKPOINT | TRACE_GATHERS | TRACE_MASTER | TRACE_BUCKETS | TRACE_TWICE | \
    TRACE_SAVES)
#define MASTER_COPIES	"it makes copies of the weights in float32, and what the optimizer keeps, which for Adam are "	\
    "12 bytes a weight in all, split among devices from ZeRO's first stage on. The batch plays no part; "		\
    TRY BY_ANYTHING "more devices" TRY BY_OFFLOADING "offloading" TRY BY_ADAPTER "fewer weights that are trained" TRY_END " take less."
#define IMPOSSIBLE	((int64_t)1 << 46)	/* bytes that no machine has */
#define NO_DEVICE	((int64_t)1 << 40)	/* and that no single device has */
#define LARGE_SAMPLE	((int64_t)1 << 30)	/* bytes from which samples, fewer or smaller, are worth a word */
#define TINY		((int64_t)1 << 20)	/* a request that any device with room can serve */
#define LITTLE		((int64_t)256 << 20)	/* bytes of a whole program that any device with room can run */

/* What others have of the device, where that is more than libraries take; or 0. */
#define AUTOPSY_LARGE_CONTEXT	((int64_t)3 << 29)	/* more than CUDA's context and its libraries take */
int64_t	autopsy_of_others(const struct autopsy *);
bool	autopsy_is_part_of_processor(const struct autopsy *);

/* Is the request larger than any block that drivers of such devices give? */
bool	autopsy_is_large_block(const struct autopsy *);

/* What holds of TEXT in the world of this run, which marks tell (oom_world.h); "" where nothing
 * does. autopsy_world.c. */
const char	*autopsy_worded(const struct autopsy *, const char *text);
/* What lists who has the device: the maker's tool, or the system's. */
const char	*autopsy_lister(const struct autopsy *);
/* Does the report show that the measure of a sign (BY_) is in use, or was tried without help? And
 * TEXT without those that are: autopsy_measures.c. */
bool	autopsy_is_tried(const struct autopsy *, const char *by);
const char	*autopsy_untried(const struct autopsy *, const char *text);
/* What the report has decided, beside what failed: that less of it runs, or more, that it needs
 * more than the device has, that it fails with one sample, or late, that each round is given the
 * same: autopsy_decided.c. */
bool	autopsy_less_runs(const struct autopsy *);
bool	autopsy_more_runs(const struct autopsy *);
bool	autopsy_needs_more(const struct autopsy *);
bool	autopsy_fails_with_one(const struct autopsy *);
bool	autopsy_is_given_same(const struct autopsy *);
bool	autopsy_is_of_other_run(const struct autopsy *, int line);
bool	autopsy_fails_late(const struct autopsy *);
bool	autopsy_tests_late(const struct autopsy *);
bool	autopsy_workers_exited(const struct autopsy *);
bool	autopsy_unpickles(const struct autopsy *);
bool	autopsy_grows_in_machine(const struct autopsy *);
bool	autopsy_grows_there_alone(const struct autopsy *);
bool	autopsy_has_pool(const struct autopsy *);
bool	autopsy_fails_at_end(const struct autopsy *);
/* Do people say when it failed, or at what? */
bool	autopsy_tells_when(const struct oom_paste *);
/* "It trains; when I load a checkpoint, it fails": is what is loaded a file that training goes on
 * from, and no model's first weights? */
bool	autopsy_goes_on(const struct autopsy *);
bool	autopsy_version_mended(const struct autopsy *);
bool	autopsy_starts_program(const struct autopsy *);
bool	autopsy_keeps_numbers(const struct autopsy *);
bool	autopsy_is_guarded(const struct autopsy *);
/* Was PyTorch seen, by the message or by what was read beside it? Is the message CUDA's alone,
 * which any program's may be? Did it train, by what was read? Does it only serve, or infer? */
bool	autopsy_in_torch(const struct autopsy *);
bool	autopsy_is_of_anyone(const struct oom_message *);
bool	autopsy_in_jax(const struct autopsy *);
bool	autopsy_in_keras(const struct autopsy *);
bool	autopsy_in_theano(const struct autopsy *);
bool	autopsy_in_exla(const struct autopsy *);
/* Or may it be, as no other framework was seen? */
bool	autopsy_may_be_keras(const struct autopsy *);
bool	autopsy_may_be_jax(const struct autopsy *);
bool	autopsy_trains(const struct autopsy *);
bool	autopsy_is_of_program(const struct autopsy *);
bool	autopsy_is_of_server(const struct oom_message *);
bool	autopsy_serves(const struct autopsy *);
/* Does a title or a sentence name Python's MemoryError, and nothing else tells what raised it? */
bool	autopsy_is_named_alone(const struct oom_message *);
/* Could the program be PyTorch's? */
bool	autopsy_is_torch(const struct oom_message *);
/* Is it what the driver of a device refused, as TensorFlow and JAX tell it? */
bool	autopsy_is_driver(const struct oom_message *);

/* "line 3 says "it grows"": people's words, which no sentence takes for facts. */
const char	*autopsy_said(const struct autopsy *, const struct said *);
/* Do people tell of a program, and nothing that was read is of a network? */
bool	autopsy_tells_no_network(const struct oom_paste *);
/* Do people say that memory grows, and not that it is another than the one that ended? */
bool		autopsy_grows_there(const struct autopsy *);
/* Do all signs tell of trees that are learned (XGBoost), and none of a network? */
bool	autopsy_is_of_trees(const struct oom_paste *);
bool	autopsy_is_of_machine(const struct autopsy *);
bool	autopsy_is_near_ram(const struct autopsy *);
/* Does a message, the main one or one beside it, name the machine's memory? */
bool	autopsy_names_host(const struct autopsy *);
/* Does a program's message tell whose memory it was? */
bool	autopsy_is_placed(const struct autopsy *);
/* One more sentence of a kind of the inventory: of y->causes, or of y->reported, by what the kind
 * rests on. */
void	autopsy_cause(struct autopsy *y, enum autopsy_says, const char *text);
/* Does the message say nothing by itself, or no more than that a device was full? */
bool	autopsy_says_little(const struct oom_message *);
/* One more, that is a hint: what it may be by people's words is told beside it. */
void	autopsy_hint(struct autopsy *y, enum autopsy_says, const char *text);

/* By the place where memory ended: autopsy_place.c. */
void	autopsy_place_causes(struct autopsy *);
/* Did it fail in tests by its place, of which nothing tells whether gradients are off? And what
 * that means beside other causes. */
bool	autopsy_in_tests(const struct autopsy *);
void	autopsy_tests(struct autopsy *);
/* By the message's figures alone: autopsy_alone.c. */
void	autopsy_alone_causes(struct autopsy *);
/* By what TensorFlow found at its start, how far its graph has grown, and slices that it makes:
 * autopsy_tensorflow.c. */
void	autopsy_tensorflow_start(struct autopsy *);
bool	autopsy_asks_for_pool(const struct autopsy *);
void	autopsy_tensorflow_graph(struct autopsy *);
void	autopsy_tensorflow_slices(struct autopsy *);
/* Of an operation that gives a weight its first values. */
void	autopsy_first_values(struct autopsy *);
/* By what was pasted beside the log: autopsy_paste.c. */
void	autopsy_paste_causes(struct autopsy *);
/* By code and settings that are known to fill memory: autopsy_habits.c. */
void	autopsy_habits(struct autopsy *);
/* Did it fail while words were counted, ahead of vectors of theirs? */
bool	autopsy_counts_words(const struct autopsy *);
/* Is a batch of tests larger than that of training, and may it be tests that failed? */
bool	autopsy_tests_more(const struct autopsy *);
/* By a model's name that has the number of its weights: autopsy_weights.c. */
void	autopsy_weights(struct autopsy *);
/* By names of settings that bound what is given at once: autopsy_knobs.c. */
void	autopsy_knobs(struct autopsy *);
/* By names of libraries that keep memory in a store of their own: autopsy_library.c. */
void	autopsy_libraries(struct autopsy *);
/* By how many of what people say are worked on at once; and by an extent of the message's shape
 * that is as large as a number of things that they tell of: false, where none is.
 * autopsy_count.c. */
void	autopsy_counts(struct autopsy *);
bool	autopsy_extent_told(struct autopsy *, const struct oom_shape *);
/* By switches that make a run take less, and are off: autopsy_switches.c. */
void	autopsy_switches(struct autopsy *);
/* By names that tell what a network is for, where nothing tells more; where memory GROWS only by
 * those in which it does so by itself: autopsy_domain.c. */
void	autopsy_domain(struct autopsy *, bool grows);
/* Is a framework named that is not PyTorch? */
bool	autopsy_is_of_another(const struct autopsy *);
/* What else switches gradients off, where code that was pasted has it and the message may be of a
 * PyTorch that old; or "". */
const char	*autopsy_or_volatile(const struct autopsy *);
/* Could it be PyTorch's program, by the message or by code beside words? */
bool	autopsy_may_be_torch(const struct autopsy *);
/* By what people say of it, or of the time when it failed; EXPLAINED: causes were found.
 * autopsy_said.c. */
void	autopsy_words(struct autopsy *, bool explained);
const char	*autopsy_unfilled(const struct autopsy *);	/* "What had filled it was not found in what was read" */
/* By what is said of pictures, where nothing else was found. */
void	autopsy_pictures_said(struct autopsy *);
/* Are a model's weights, by its name, more than the device has? Then no batch matters. */
bool	autopsy_weights_fill(const struct autopsy *);
/* Could what training keeps of all weights be much of a device? Not where a name has few of
 * them. */
bool	autopsy_trains_many(const struct autopsy *);
/* Is nothing known of it but by figures, or that it was a step: what samples there were decides?
 * Does it grow with them, whatever else decides? And is it one tensor, large by itself? */
bool	autopsy_is_of_samples(const struct autopsy *);
bool	autopsy_grows_with_samples(const struct autopsy *);
bool	autopsy_is_one_tensor(const struct autopsy *);
/* Was nearly nothing in use of what the allocator has, by the map that it drew, and yet no room in
 * it? */
bool	autopsy_is_pool_small(const struct autopsy *);
/* By what XLA counts: autopsy_xla.c. */
void	autopsy_xla_causes(struct autopsy *);
/* By how far the run had come: autopsy_progress.c. */
void	autopsy_progress_causes(struct autopsy *);
/* Was it a constant that TensorFlow makes of an array? */
bool	autopsy_is_constant(const struct oom_message *);
/* Did it fail in the optimizer's step itself, by its traceback? */
bool	autopsy_in_update(const struct oom_message *);
/* Did it fail in the first round of a loop of many? */
bool	autopsy_in_first_round(const struct autopsy *);
/* By lines of its own ahead of the message, had steps fitted before, unless it was resumed? */
bool	autopsy_had_rounds(const struct autopsy *);
/* May it have failed at its first steps, and later? And do lines of its own, or people, tell that
 * steps had fitted? */
bool	autopsy_may_start(const struct autopsy *);
bool	autopsy_may_go_on(const struct autopsy *);
bool	autopsy_had_steps(const struct autopsy *);
/* By what other lines tell of the network and of devices: autopsy_lines.c. Ahead of the figures;
 * after them; and at the end, where nothing else was found. */
void	autopsy_lines_first(struct autopsy *);
void	autopsy_lines_causes(struct autopsy *);
void	autopsy_lines_last(struct autopsy *);
/* By its shape, or by the size of an array in the machine's memory: autopsy_shape.c. */
void	autopsy_shape_causes(struct autopsy *);
/* By extents that are alike, as of all pairs or triples, or of a filter as cuDNN has it, and by a
 * first extent that people say is the number of all: autopsy_alike.c. */
bool	autopsy_all_alike(struct autopsy *, const struct oom_shape *);
bool	autopsy_turned_filter(struct autopsy *, const struct oom_shape *);
void	autopsy_set_told(struct autopsy *, const struct oom_shape *);

#endif
