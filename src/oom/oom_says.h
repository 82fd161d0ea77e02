/* What messages mean that say more, or less, than their kind: the sentences of oom_phrase.c's and
 * oom_phrase_machine.c's rows. */
#ifndef STOWAGE_OOM_OOM_SAYS_H
#define STOWAGE_OOM_OOM_SAYS_H

#include "oom/oom_says_apart.h"
#include "oom/oom_world.h"

/* Whose memory it was. A board may have one memory for both, and no card. */
#define NOT_A_CARDS	"not a card's own"
#define MACHINES	"machine's memory, " NOT_A_CARDS

#define NO_ALGORITHM	"cuDNN found no algorithm for a convolution. Most often that means that "	\
    "no algorithm's workspace fitted into what was free; a cuDNN that does not fit the driver or the device, and a type or a shape that it does not serve, end so, too."
#define NO_ENGINE	"cuDNN found nothing that carries out a convolution. That may be because no workspace fitted into what was free; a cuDNN that does not "	\
    "fit the driver or the device, and a type or a shape that it does not serve, end so, too."
#define GROWTH		MAYBE_KERAS("TensorFlow takes nearly all of a device at the start, unless "			\
    "tf.config.experimental.set_memory_growth (TensorFlow 1: gpu_options.allow_growth) or TF_FORCE_GPU_ALLOW_GROWTH=true is on, or a limit is set (set_logical_device_configuration, per_process_gpu_memory_fraction)")	\
    MAYBE_KERAS(MAYBE_JAX("; ")) MAYBE_JAX("JAX takes most of it, unless XLA_PYTHON_CLIENT_PREALLOCATE=false (or another allocator)")	\
    IN_THEANO("Theano takes the share of the device that gpuarray.preallocate or lib.cnmem says as it starts, and what cuDNN and other libraries take has to fit beside it: where that is set, a smaller share leaves them room")	\
    IN_EXLA("EXLA takes most of a device as it starts, unless its client has preallocate: false, or a smaller memory_fraction") "."
#define NOT_COPIED	"TensorFlow could not copy a tensor to the device. Nearly always that "	\
    "means that the device had no memory left for it: the network's own, or another process's, took "	\
    "it. Where no other process is there, the run may need more than there is" UNTRIED(BY_BATCH, ", and a smaller batch makes its "	\
    "results smaller") ". " GROWTH
#define NO_HANDLE	"A library of CUDA could not be set up on the device: no memory was left for it, "	\
    "which the run itself or another process may have taken, or it does not fit the driver, the device or another library that was loaded, or the device had failed "	\
    "before, as by an index out of range."
#define NO_HANDLE_GROWTH	NO_HANDLE " " GROWTH
#define NO_WORKSPACE	"A library of CUDA got no memory on the device, as a rule because the framework itself or "	\
    "another process had taken it. " GROWTH
#define NO_CONTEXT	"CUDA's driver had no room, on the device as a rule, for what it makes for a process before anything else is put there (its context), so that "	\
    "neither the batch nor the network plays a part: as a rule another process has the device, as each process of TensorFlow takes nearly all of every "		\
    "device that it sees. One process at a time, a device for each (CUDA_VISIBLE_DEVICES), or only what it needs taken by each "	\
    "(tf.config.experimental.set_memory_growth; TensorFlow 1: gpu_options.allow_growth) leaves room; nvidia-smi tells who has it."
#define NO_CONTEXT_ANY	"There was no room for what CUDA's driver and libraries make for a process on the device before anything else is put there (its context), so that what the program computes plays no "	\
    "part: as a rule another process has the device. " LISTER " tells who has it; without that, or on another device (CUDA_VISIBLE_DEVICES), it begins then. Where the device is free, the driver was refused memory or addresses of the machine (ulimit -v)."
#define NO_ADDRESSES	"CUDA's driver refused a range of addresses (cuMemAddressReserve), which takes no memory of the device: how much of that is free, "	\
    "or what a run keeps there, plays no part. A smaller reservation, or a build of the program without such a pool (GGML_CUDA_NO_VMM in ggml), avoids it."
#define NO_CODE		"CUDA's driver had no room on the device for the code of kernels, which is small as a rule, and lies outside what a framework takes for tensors: "	\
    "as a rule another process, or this one's own framework, has nearly all of the device. " GROWTH
#define QUOTA		"Heroku gives a process a share of the " MACHINES ", by the kind of its dyno, and it had more: what is beyond goes on in swap, which is slow, and by "	\
    "itself that is no failure. A larger dyno, fewer processes in it (workers), a smaller model, or weights in fewer bits fit."
#define QUOTA_ENDED	"Heroku gives a process a share of the " MACHINES ", by the kind of its dyno, and ended it, as it had far more. A larger dyno, fewer processes in it (workers), "	\
    "a smaller model, or weights in fewer bits fit."
#define COMPILER_KILLED	"The system ended a compiler by signal 9, as a rule because the " MACHINES ", ran out, or the limit of a container was reached: what it compiles was not run yet. As many files are compiled at once as the build is "	\
    "told (-j of make and ninja, --jobs of Bazel, MAX_JOBS where PyTorch's extensions are built): fewer at once, or a package that is built already, need less."
#define COMPILER_ENDED	"The system ended a compiler by a signal, whose name is lost here: as a rule by signal 9, because the " MACHINES ", ran out, or the limit of a container was reached: what it compiles was not run yet. Fewer files that are "	\
    "compiled at once (-j of make and ninja), or a package that is built already, need less."
#define MATLAB_BATCH	"MATLAB had no memory left on the device for what a network makes of the samples that it is given at once, which grows with their number and their size: " TRY BY_BATCH "a smaller MiniBatchSize"	\
    TRY BY_SAMPLES "smaller samples" TRY_END ", take less."
#define HASHCAT		"hashcat reckoned before it began that the attack needs more on the device than the driver gives, for which the largest single buffer that it gives counts, too: less work at a time (-n, -w) "	\
    "needs less."
#define ITK_IMAGE	"The " MACHINES ", had no room for an image. ITK, on which ANTs, elastix, SimpleITK and 3D Slicer stand, keeps images whole, each voxel in its type (4 bytes for float), and most filters make another one: cropped or coarser "	\
    "images, types of fewer bytes, fewer threads that keep one each, or a filter that works part by part take less."
#define NVENC		"NVIDIA's encoder of films could not begin another session. Either the device had no memory left for it, or as many run as its driver allows at once, which on GeForce are few: with fewer at once, or with the processor's "	\
    "encoder, it goes on."
#define DUCKDB		"DuckDB's own limit (memory_limit, by itself four fifths of what the machine has) was reached, which is of the " MACHINES ". What does not fit it is written to a folder where it may (temp_directory), but for "	\
    "some operations: fewer threads, fewer rows or columns at once, preserve_insertion_order=false, or a higher limit, as far as there is memory, help."
#define RELION_POOL	"RELION's own pool of the device's memory, which each of its ranks there has from the start, had no free piece as large as what was asked for, "	\
    "whatever is free on the device: the message has that, the largest free piece and all that is free in the pool. Fewer ranks on one device leave each a larger pool; "	\
    "smaller images (boxes) take less of it."
#define RELION_FORESEES	"RELION reckons, by what is free on the devices as it begins, how large pictures its last iteration may have there, which takes all of their resolution, and warns that the box is larger. By itself that is no failure: where the run "	\
    "ended behind it, its own error stands there. Fewer ranks on one device, a smaller box, or that iteration without devices take less there."
#define REMATERIALIZED	"XLA's compiler found that a program takes more of the device than it was given, and that to compute again in place of keeping does not make it fit; its line says how much is left. By itself that is no failure: "	\
    "where the run ended behind it, its own error stands there. It grows with what one compiled call works on at once."
#define AMREX_ARENA	"AMReX had no memory left on the device for its arena, of which it takes three quarters of the device as it begins (shared among its ranks there, amrex.the_arena_init_size says another number of bytes), and more as it is "	\
    "used up. Where it failed as it began, less than that was free there, as where other processes have a part; where it failed later, fewer cells on each device (a coarser mesh, more devices) take less."
#define FDS_ARRAY	"FDS was refused the " MACHINES ", for the array that it names. Most of its arrays have a number for each cell of a mesh, and there are many of them: cells twice as long on each side are an eighth as many, and meshes "	\
    "that are shared among more machines (MPI) take less of each."
#define KILLED		"The " MACHINES ", ran out, or a limit of the "	\
    "container or job was reached, and the process was ended."
#define NOT_ADMITTED	"Kubernetes did not let the pod begin on that node, as the node had little of the " MACHINES ", left: nothing of it ran there. Another node, or a request for memory (resources.requests.memory), with which it is not of the kind "	\
    "that is refused first, lets it begin."
#define EVICTED		"The node had less of the " MACHINES ", left than it is told to keep, and Kubernetes ended the pod (evicted it). Pods that take more than they request go first: a request for what it takes (resources.requests.memory), less at "	\
    "once, or a node with more keeps it from that."
#define NEARLY_USED	"systemd-oomd ended the processes of a group, as the " MACHINES ", and its swap were nearly used up (by the limit SwapUsedLimit=, nine tenths unless it is set), before they were. Less that runs at once, more memory or more swap keeps "	\
    "it away."
#define PRESSED		"systemd-oomd ended the processes of a group, since for some time too large a part of it had passed with all of them waiting for memory (memory pressure), as happens where "	\
    "pages are read back or written out again and again. That comes before the " MACHINES ", has run out. Less that runs at once, or more memory, makes them wait less; ManagedOOMMemoryPressureLimit= of the "	\
    "group, or ManagedOOMMemoryPressure=auto, sets when it ends them."
#define EARLYOOM	"earlyoom looks for a process to end (as a rule the one with the most memory, by the kernel's score for such a case), and its next lines say which, since less was left of the " MACHINES ", and of its swap than it is told to keep "	\
    "(-m and -s, in percent), before the kernel would have done so. Less at once, more memory or more swap keeps it away; a lower limit only lets it come later."
#define SWAP_FULL	"macOS keeps what does not fit the machine's memory compressed, and then in files on its disk. No room was left for that, as where the disk is nearly full, and it ended the process that had the most of it."
#define NO_PAGE		"Linux had no page of the kind that was asked for of the " MACHINES ", left for a request that could not wait, as a driver's often cannot. That ends no process by itself, but what asked for it goes without."
#define NO_PAGES	"Linux was asked, as a rule by a driver, for pages of the " MACHINES ", that lie in a row (as many as 2 to the power of the order that is said there), and found none in a row: there may be as many apart. That ends no process by itself, "	\
    "but what asked for them goes without, and a library of a device may tell that as its own want of memory."
#define SPACE_LIMIT	"The program took more of the " MACHINES ", than it may have there, by the kind of machine that it was given or the limit that was set, and was ended for it. A higher limit, a smaller model, weights in fewer bits, or less at once, lets it go on."
#define ADDRESS_LIMIT	"Grid Engine ended the job, since it had more addresses (virtual memory) than h_vmem allows. How much of the machine's memory it used is another number, and CUDA by itself takes many addresses: a higher h_vmem, as far as the "	\
    "queue allows it, lets it go on; less at once does, where what it used was much."
#define KERNEL_SILENT	"Databricks says so where the process that runs a notebook does not answer any more. As a rule it was ended because the driver's memory, which is a " MACHINES ", ran out; one that is busy for long, or ends by a fault of its own, is told of in the same words."
#define RUNNER_LOST	"The machine that ran this step of GitHub's workflow answered no more. GitHub names want of the " MACHINES ", as one of what leads to that; a program that takes all of the processor's time, and a network that is cut off, do so, too."
#define DASK_GONE	"Each worker that was given this task ended, as a rule because it took more of the " MACHINES ", than a worker may have: its own log then says so (memory budget). A task with less in it (smaller parts, chunks), or fewer workers with more memory each, fits. "	\
    "What is missing on a worker, or a fault of the task, ends it, too."
#define DASK_INPUTS	"By this line what one task takes as its input is, together, more than a worker may have (memory_limit) of the " MACHINES "; both sizes stand in it. Fewer or smaller inputs to one task (smaller parts, a "	\
    "reduction in steps), or fewer workers with a higher limit each, fit."
#define APP_ENDED	"The system ended an app that took more memory than one may have there, which is a part of the device's: the processor and the GPU share it. A smaller model, weights in fewer bits, or smaller inputs, take less."
#define NO_MEMORY_STATUS	"The program ended with Windows' own number for want of memory (STATUS_NO_MEMORY): as a rule what programs have asked for did not fit the machine's memory and the paging file. It is the machine's, " NOT_A_CARDS "."
#define RM_REFUSED	"NVIDIA's driver, its part within the kernel, had no memory for something that it makes for itself or for a program. The line does not say whose: most of that is the device's, and tables and what is locked for copies are the machine's."
#define RM_SYSTEM	"NVIDIA's driver, its part within the kernel, asked for a piece of the " MACHINES ", (sysmem), for itself or for a program, and got none."
#define NVMAP_FULL	"Jetson's driver was refused memory (error 12; the number beside it is that of its call, and no size), which comes with memory free, too, where none of it lies in a row. On such a board the processor and the GPU share one memory, so that what any program has there counts, and a desktop's, too."
#define SIGNAL_9	"The process was ended from outside, by signal 9. Where nobody did that, nor what runs it (a limit of "	\
    "time), it was as a rule the system, because the " MACHINES ", ran out, or the limit of a "	\
    "container or job was reached" UNLOOKED("; its log (on Linux dmesg) then says so") "." ON_A_MAC(" A Mac also ends a program so whose signature does not hold.")
#define TASK_LIMIT	"A container took more of the " MACHINES ", than its own limit allows (its hard one, or that of its task), and was ended for that, with signal 9. A higher limit, as far as the task has as much, or less at once in it, lets it go on."
#define LOADER_KILLED	SIGNAL_9 " Each loader process may hold a copy of the data set, and batches that wait: " TRY BY_WORKERS "fewer of them (num_workers)" TRY_END " take less."
#define STOPPED		"The program was interrupted (^C). Where nobody did that, it was Colab as a rule, which ends a program so when the "	\
    "machine's memory is full, " NOT_A_CARDS "."
#define NVML		"PyTorch had no memory left on the device. When it wrote its message, it asked "	\
    "NVIDIA's library who has the memory, and that call failed."
#define NO_BATCH	"Accelerate made the batch smaller each time that memory ran out (the device's as a rule; an error of cuDNN's counts, too), and had nothing left to try. "	\
    "The messages of those tries stand above it, if the log has them."
#define STORE		"vineyard's store of objects, a part of the machine's memory that is set aside when it is started, was full, "	\
    "however much the machine has: a larger one (its size is a setting of the server), or fewer objects that are kept, make room."
#define MODEL_NEEDS	"Ollama compared what the model needs, weights and the cache of keys and values, with what was free of the "	\
    "machine's memory, and did not begin. A smaller model, fewer bits, or a shorter context (num_ctx) need less. In a container that has a limit, or in a virtual "	\
    "machine (Docker Desktop's on a Mac or Windows), what is free is of the share that it was given, whatever there is on the machine."
#define APP_LIMIT	"Xcode says so where iOS or iPadOS ended the app for want of memory: as a rule it had come to as much as the system gives one app, which is less than the device has, of one memory for its processor and its GPU."
#define SCRIPT_HEAP	"JavaScript's heap had no room for what was asked of it, and its limit is --max-old-space-size (a table or an array of invalid size has a bound of its own): that is the " MACHINES "."
#define LUA_HEAP	"LuaJIT's own heap was full, which holds Lua's tables and strings, and what is written or read as text: it has 1 to 2 GiB at most in most builds, however much "	\
    "the machine has. " NAMING_TORCH("Torch's tensors lie outside of it. Tensors in place of tables, parts") NOT_NAMING_TORCH("Parts") " that are written or read one by one, what is let go of ahead of it " \
    "(nil, collectgarbage()), or " NAMING_TORCH("Torch built with ") "Lua in place of LuaJIT leave room."
#define LUA_PANIC	"Lua was refused memory by what it runs in. LuaJIT's own heap, which Torch runs in as a rule, has 1 to 2 GiB at most in most builds, however much the machine has; Lua itself has what the program gives it, as a rule of the "	\
    "machine's memory. What is let go of ahead of it (nil, collectgarbage()), or parts that are read one by one, leave room."
#define YARN		"YARN ended a container, because its processes took more of the " MACHINES ", than it is allowed. In "	\
    "Spark that is the executor's memory (or the driver's) and what lies outside of Java's heap (spark.executor.memoryOverhead), which libraries in C++ take: "	\
    "a larger allowance, or less data for each executor, keeps it from that."
#define YARN_ADDRESSES	"YARN ended a container, since its processes had more addresses (virtual memory) than it is allowed, which is 2.1 times its memory unless yarn.nodemanager.vmem-pmem-ratio says otherwise. How much of the machine's memory they "	\
    "used is another number, and CUDA and TensorFlow take many addresses by themselves: a larger ratio, yarn.nodemanager.vmem-check-enabled=false, or a larger container keeps it from being ended."
#define DASK		"Dask ended a process of its own, because the memory that it is allowed (memory_limit) was nearly full: the "	\
    "machine's, " NOT_A_CARDS ". Smaller chunks or partitions, fewer processes with more for each, or a higher limit help."
#define JAVA_HEAP	"Java's heap was full, or had no room for what was asked of it, and its limit is -Xmx: that is the " MACHINES "."
#define JAVA_RESERVED	"Java could not reserve room for its heap as it began, and nothing had run yet: its size (-Xmx) is more than the machine, a limit of the job or the process "	\
    "(ulimit -v, a container's), or a program of 32 bits leaves. A smaller one, or more that is allowed, begins. It is the " MACHINES "."
#define JAVA_HANDED	"JavaCPP, by which programs of Java use native libraries, would have handed out more of the machine's memory, outside of Java's heap, than a limit of its own, org.bytedeco.javacpp.maxbytes, allows. Unless it is set, "	\
    "it follows from the heap's, -Xmx: a higher one, or less at once, goes on. It is " NOT_A_CARDS " memory."
#define JAVA_LIMITS	"org.bytedeco.javacpp.maxbytes for what it hands out, org.bytedeco.javacpp.maxphysicalbytes for the process. Unless they are set, they follow from the heap's, -Xmx."
#define JAVA_NATIVE	"JavaCPP, by which programs of Java use native libraries, lets the whole process, Java's heap with it, have no more of the machine's memory than a limit of its own, org.bytedeco.javacpp.maxphysicalbytes, and that was "	\
    "reached. Unless it is set, it follows from the heap's, -Xmx: a higher one (0 is none), or less at once, goes on. It is " NOT_A_CARDS " memory."
/* It puts these words around its limits' errors, and around a request that the system refused
 * (FloatPointer.java). */
#define JAVA_WRAPPED	"JavaCPP, by which programs of Java use native libraries, got no memory outside of Java's heap. It says the same where a limit of its own was reached as where the machine refused; the error behind \"Caused by\" "	\
    "tells which. Its limits are " JAVA_LIMITS " It is " NOT_A_CARDS " memory."
#define JAVA_REFUSED	"JavaCPP, by which programs of Java use native libraries, asked for memory outside of Java's heap, and the machine refused: no limit of JavaCPP's was reached. Java's heap, which -Xmx lets grow, and the rest of the "	\
    "process have the machine's memory between them: less at once, or a smaller heap, leaves room. It is " NOT_A_CARDS " memory."
#define JAVA_DIRECT	"What Java may take for buffers outside of its heap was taken: -XX:MaxDirectMemorySize is that limit, and as large "	\
    "as the heap's, -Xmx, unless it is set. It is the " MACHINES "."
#define JAVA_THREADS	"Java could not begin another thread: a limit on their number (ulimit -u, a container's) was reached, or the machine "	\
    "had no memory for its stack. That is neither Java's heap nor the device's memory."
#define JAVA_CLASSES	"Java had no room left for classes that are loaded, whose limit, where it is set, is -XX:MaxMetaspaceSize: that is the " MACHINES ", and not the heap."
#define JAVA_ARRAY	"An array of Java was to have more elements than Java allows, about 2 to the power of 31, however much memory there is. "	\
    "It is " NOT_A_CARDS " memory."
#define JAVA_MEMORY	"A program of Java got no memory from the machine: that is " NOT_A_CARDS ". As read here, the message does not say "	\
    "which: the heap has a limit of its own (-Xmx), and what lies outside of it has others."
#define FAISS_OWN	"Each StandardGpuResources has one of its own, so that one of them for all indexes takes it once."
#define FAISS_SMALLER	"setTempMemory() makes that block smaller, and noTempMemory() does without it. " FAISS_OWN
/* faiss/gpu/StandardGpuResources.cpp */
#define FAISS_SCRATCH	"faiss sets aside what its operations work with on a device (temporary memory) in one block, ahead of any index, by itself 512 MiB to 1.5 GiB by the device's size, "	\
    "and it was that block for which there was no room. " FAISS_SMALLER " What else lies on the device, as a model's weights in the same process, leaves it less."
#define FAISS_OVERFLOW	"faiss needed more for what an operation works with than is left of the block that it sets aside for that, and the device had no room for it: it grows with the vectors that are added, "	\
    "or searched for, at once. Fewer at a time take less."
#define FAISS_VECTORS	"faiss had no room on the device for an index' vectors, which a flat index has as they are, 4 bytes for each number, in one piece, and while they are added in a new one beside it. Shorter vectors, 2 bytes for each "	\
    "number (useFloat16), an index of codes (IVFPQ), or parts of it on several devices take less."
#define FAISS_LISTS	"faiss had no room on the device for the lists of an index (IVF), which have its vectors, or codes of them, and grow as these are added. Codes (IVFPQ) or shorter ones, numbers of vectors that stay in the machine's "	\
    "memory (indicesOptions), or parts of it on several devices take less."
#define FAISS_STACK	"faiss could not set aside what its operations work with on a device (temporary memory), and does not say why: as a rule the device had no room for it. " FAISS_SMALLER
#define THRUST		"Thrust, a library of CUDA, got no memory, as a rule of the device, for a vector or for what it works with; memory of "	\
    "the machine that it locks for copies is refused in the same words. What is given to the device at once (rows, columns, samples) "	\
    "decides most of that, unless another process has it, which nvidia-smi tells."
#define PYKEEN		"PyKEEN tried ever smaller parts of a batch, as far as it can cut one, and memory ended each time: the batch plays no part "	\
    "then. What does not depend on it are the tables of entities and relations, with their gradients and the optimizer's numbers, and "	\
    "where a model passes messages (R-GCN), results for all of the graph. On a GPU that is the device's memory, else the machine's. A "	\
    "smaller embedding_dim, fewer entities, or another model take less."
#define RMM_POOL	"RMM's pool of the device's memory was to grow beyond the largest size that it is given (maximum_pool_size), or that it "	\
    "chose when it was made: that need not be all of the device."
#define RMM_POOL_UNTOLD	RMM_POOL " How much was asked for is not said."
#define RMM_REFUSED	"RMM asked the driver for memory of the device, and did not get it: this request had no room beside what the device held then, which "	\
    "does not say that all was taken. The message does not say how much was asked for. Where RMM keeps a pool (pool_allocator=True), the pool grows in pieces that may be larger than what "	\
    "a program asks of it."
#define RMM_LIMIT	"RMM itself refused memory of the device, before the driver was asked for it: the most that a pool of it is given, or another limit that it keeps, left no room. "	\
    "As read here, the message does not say which, nor how much was asked for."
#define RMM_UNTOLD	"RMM got no memory of the device, from the driver or from a pool of its own: as read here, the message does not say which, nor how much was asked for."
#define RMM_ERROR_CUT	"RMM asked CUDA for memory of the device, and CUDA answered with an error: as a rule that there was no room. As read here, the message does not say which, nor how much was asked for."
#define RMM_WORDS	"C++'s word for memory that was asked for and refused, and RMM's, too. Where RMM asked, as for a frame of cuDF, it was "	\
    "the device's, or a pool of it; elsewhere it was the machine's."
#define TREES		"XGBoost got no memory on the device. There it keeps the data of all rows, in bins, and for each row its gradients and "	\
    "the node it is in; what is made on the way to that, from a DMatrix or an array, takes as much again or more. Fewer rows or columns, "	\
    "a QuantileDMatrix in place of a DMatrix, fewer bins (max_bin), external memory, or more devices take less. Matrices and models of "	\
    "earlier rounds, as in a search, and what other libraries hold there, lie beside it."
#define LEAVES		"LightGBM got no memory from the machine. It keeps the data of all rows there, in bins, and with each leaf of a tree sums for every bin of every "	\
    "feature, as far as histogram_pool_size has no bound for them: fewer leaves (num_leaves), bins (max_bin), features or rows take less."
#define ND4J_DEVICE	"ND4J had no room on the device for an array, and went on with it in the machine's memory, which is slower: by itself "	\
    "this is no failure. " TRY BY_BATCH "A smaller batch" TRY_END " takes less on the device."
#define ND4J_HOST	"ND4J got no memory of the machine, which it locks (pins) where it runs on a device. Either there is no more of it, or limits "	\
    "leave none (-Xmx, org.bytedeco.javacpp.maxbytes, of what may be locked); or, on a device, CUDA had failed before, as with an "	\
    "illegal address (code=77), and refuses all that is asked of it after that: look for the first error."
#define THEANO_CODE	"Not for want of memory, by the words in parentheses: CUDA refused what Theano asked of the device for another reason. As a "	\
    "rule the device could not be set up, as in a process that was forked after CUDA had begun, or with a driver that does not fit the library, "	\
    "or it had failed before: look for the first error."
#define MATLAB_FULL	"MATLAB had no room left for an array in the " MACHINES ". A smaller array, fewer bytes an element (single), parts of it one "	\
    "after the other, or variables that are let go of (clear) take less."
#define MATLAB_ARRAY	"MATLAB was to make an array larger than its limit for one, which is the machine's memory unless it is set to other than that "		\
    "(Preferences, Workspace). That is " NOT_A_CARDS ". Where the data are by far not as large, the size itself is wrong; else a smaller array, fewer bytes an element (single), or parts of it one after "	\
    "the other take less."
#define MATLAB_LARGEST	"MATLAB was to make an array larger than it makes any, however much memory there is. That is " NOT_A_CARDS ". Where the data are by far not as large, the size itself is wrong, as where a number is "	\
    "read or reckoned wrongly; else parts of it one after the other, or a sparse array, stay below that."
#define MATLAB_DEVICE	"MATLAB was to make an array on the device of more elements than it allows for one there, however much of the device is free. Parts of it, one after the other, stay below that."
#define OTHER_CODE	"Not for want of memory, by the name of the code: CUDA's driver refused what TensorFlow asked of it for another reason. As a "	\
    "rule it had failed before, or was never set up, and then refuses all: look for the first error. Another process that has the "	\
    "device, or a driver that does not fit the library, end so, too."
#define CONTEXT_POOL	"Not that the machine or a device had no memory left: ggml makes a pool of a size that is reckoned ahead, from the model, "	\
    "the context and the batch, and more was asked of it than that. Most often a version does not know the model, or a fault in it "	\
    "reckoned too little: another version, or a smaller context or batch, is what to try."
#define METAL_PIECE	"Not that memory was full: Metal makes no buffer larger than a bound of the device's, however much is free, and this version of ggml puts all of a file's weights into one. "	\
    "A newer one, which puts them into several, or a file with fewer bits is what to try."
#define NO_BUFFER	"wgpu could not make a buffer on the device: its memory was full, or the buffer was larger than the driver gives in one "	\
    "piece, which can be a quarter of it or less. Smaller pieces, or less at once, serve both."
#define OMLX_LOADS	"oMLX did not load a model: by its own count what its process has by then (current) and the model, with a margin, are more than the limit that it sets itself. "	\
    "Where another model lies there, or the same, letting go of it (or beginning oMLX anew) leaves room; a smaller model, fewer bits, or a higher limit, where the machine has that much, help."
#define OMLX_MODEL	"oMLX did not load a model that takes more than it is allowed by its setting (max-model-memory): a smaller model, fewer bits, or a higher setting, where the machine has that much, help."
#define OMLX_PREFILL	"oMLX stopped as a prompt was read (prefill), since its process came to the limit that it sets itself: what attention works with there grows with the length of the prompt, and keys and values with it, beside the weights. "	\
    "A shorter prompt or context, a smaller model, or a higher limit, where the machine has that much, help."
#define OMLX_REQUEST	"oMLX ended a request, as its process came to the limit that it sets itself: a shorter context, fewer requests at once, a smaller model, or a higher limit, where the machine has that much, "	\
    "help."
#define ONE_BUFFER	"Metal gives no single buffer as large as that, however much memory is free."
#define LOADER_GONE	"A process that loads data ended before its time. Often that is for want of the "	\
    "machine's memory or of shared memory (/dev/shm): fewer workers need less of both. An error in "	\
    "the data's own code ends so, too: num_workers=0 shows it."
#define PAGING_FILE	"Windows had no memory left to promise: what programs have asked for does not "	\
    "fit the machine's memory and the paging file. It is the machine's, " NOT_A_CARDS "." WITH_DEVICE(" Each "	\
    "process that loads CUDA's libraries is promised gigabytes.") " There may be room with "	\
    TRY BY_WORKERS "fewer processes at once" OVER_DATA(" (a loader's, too)") TRY BY_SWAP "a larger paging file" TRY_END "."
#define SUBDIVISIONS	"The device had no memory left; for what is not said. Where it is Darknet that says so, it "	\
    "computes a batch in parts, as many as `subdivisions` in the .cfg file says: more of them, up to as many "	\
    "as the batch has pictures, take less memory. What else takes less: " TRY BY_ANYTHING "a smaller width and height" TRY BY_FIXED "random=0" TRY_END "."	\
    UNLESS_LAYERED(" Where it fails at the first layer, another process may have the device: nvidia-smi tells.")
#define KV_CACHE	"vLLM keeps the keys and values of requests in what gpu_memory_utilization of "	\
    "the device leaves after the weights and a trial run, and that was not enough. It is memory for "	\
    "serving a network, not for training it. A larger share, where nothing else has the device, a shorter "	\
    "max_model_len, a smaller trial run (max_num_seqs, max_num_batched_tokens), " UNTRIED(BY_BITS, "fewer bits, ") "or more devices leave more for it" UNTRIED(BY_EAGER, "; so may enforce_eager=True, which makes no CUDA graphs") "."
#define KV_ON_PROCESSOR	"vLLM, on the processor, sets aside for the keys and values of requests as many GiB of the " MACHINES ", as VLLM_CPU_KVCACHE_SPACE says, and that was not enough. A larger one, as far as there is memory, or a shorter "	\
    "max_model_len, fits."
#define KV_TOO_LONG	"vLLM keeps the keys and values of requests in what gpu_memory_utilization of "	\
    "the device leaves after the weights and a trial run, and that has no room for a request as long as the model allows. It is memory for "	\
    "serving a network, not for training it. A max_model_len of no more tokens than the message says can be stored fits there. A larger share, where nothing else has the device, "	\
    "a smaller trial run (max_num_seqs, max_num_batched_tokens), " UNTRIED(BY_BITS, "fewer bits, ") "or more devices leave room for longer ones" UNTRIED(BY_EAGER, "; so may enforce_eager=True, which makes no CUDA graphs") "."
#define STATIC_SHARE	"SGLang keeps the keys and values of requests in what mem_fraction_static of the device leaves after the "	\
    "weights, and that is nothing. A larger share, weights in fewer bits or on more devices leave more for them; too large a "	\
    "share leaves too little for what runs beside them."
#define CACHE_PAGES	"The server makes its cache of keys and values of what the weights leave of the device, or of a share of it (--memory-ratio in mini-sglang), and by its count "	\
    "that was not enough, whatever it says of a number of pages. Weights in fewer bits or on more devices, a larger share, or a device that nothing else has, leave more for it."
#define ENGINE_BLOCKS	"LMDeploy's engine counts, before it serves, what the weights leave of the device: for a prompt (max_prefill_token_num), and of the rest a share for a cache of keys and values "	\
    "(cache_max_entry_count). By that count nothing was left: weights in fewer bits or on more devices (tp), or a device that nothing else has, leave some."
#define SPLIT_FULL	"ExLlamaV2 puts layers on devices up to the amount that each is told to take (gpu_split), and the last was full before all had their place. Larger amounts, where that much is free, more devices, "	\
    "weights in fewer bits, or a shorter context (max_seq_len) make them fit."
#define AUTOSPLIT_FULL	"ExLlamaV2 put a model's layers on one device after the other, each with its part of the cache of keys and values and with room for a step, and the last was full before all had their place: it fails before any "	\
    "text is read. Beside weights it is the cache that counts, whose length (max_seq_len) is the model's own unless it is told: a shorter one, or one in fewer bits, more devices, weights in fewer bits, or less that it is told to leave "	\
    "free (reserve_vram), make them fit."
#define SPLIT_OF_BOTH	"ExLlamaV3 put a model's layers on one device after the other, each with its part of the cache of keys and values, up to what each is told to take (gpu_split) or has free, and the last was full before all had their place: "	\
    "it fails before any text is read. Larger amounts, where that much is free, a shorter cache, or one in fewer bits, weights in fewer bits, or more devices make them fit."
#define MLC_ROOM	"MLC-LLM reckons, before it serves, whether weights, the buffers of a step and some keys and values fit into its share (gpu_memory_utilization) of all that the device has, and by that count they do not. Buffers grow with "	\
    "the tokens that a step takes in (--prefill-chunk-size), weights are less on each of several devices (--tensor-parallel-shards) or in fewer bits."
#define TVM_REGION	"Not for want of memory: a compiled model has a region for its tensors whose size was planned ahead, and one of them reaches beyond it. That is a fault of the plan, as where it was compiled for a smaller batch, length or chunk than "	\
    "it is run with, or by a version that counts wrongly: compiled anew for these, or by another version, it runs; more memory does not help."
#define GGML_POOL	"ggml had no memory left on the device for its pool: what operations need while they run, beside the weights and the results. In llama.cpp, and in what is built on it, the cache of keys and values is in "	\
    "place by then, too: fewer layers on the device (-ngl; num_gpu in Ollama), a shorter context (-c; num_ctx) or smaller batches (-b, -ub; num_batch) leave room for it."
#define REQUEST_SLOTS	"Not the device's memory: SGLang has a slot for each request that it may run at once (--max-running-requests, or fewer where it lowered that), and more requests "	\
    "were to run than slots were free. Where fewer ran than that, slots were counted wrong or not given back, which is the program's fault, and another version may mend it; a smaller "	\
    "model, or a larger share of the device, does not."
#define TOKEN_POOL	"SGLang keeps the keys and values of all requests in a pool that it set aside at its start, and that has no room for the next tokens: the pool is full, not the device. A larger "	\
    "share for it (--mem-fraction-static), fewer requests at once (--max-running-requests), shorter ones, or keys and values in fewer bits (--kv-cache-dtype) help."
#define TURBOMIND	"LMDeploy's TurboMind had no memory left on the device: weights lie there, what prompts take (by session_len), and a cache of keys and values, as large as "	\
    "cache_max_entry_count lets it be: of what the weights leave free, or in older versions of the whole device. Where weights fit, a smaller one leaves more for the rest; where they do not, fewer bits or more devices (tp) do."
#define CACHE_ENTRIES	"LMDeploy's TurboMind had no entry of its cache of keys and values left for a sequence. Where cache_max_entry_count is above 1, it is how many sequences the cache holds, each as long as session_len: " \
    "no fewer than run at once (max_batch_size), and as many as the device has room for. More entries, shorter ones, or fewer sequences at once, let it go on."
#define TOKENS		"The server tried at its start whether the tokens that it is to hold at once fit beside the "	\
    "weights, and they did not: " TRY BY_SAMPLES "smaller limits (--max-batch-total-tokens, --max-batch-prefill-tokens, "		\
    "--max-input-length)" TRY BY_BITS "weights in fewer bits" TRY BY_DEVICES "more devices (--num-shard)" TRY_END " leave more room."
#define TRANSLATES	"CTranslate2 had no memory left on the device: weights lie there (compute_type int8 or "	\
    "float16 takes less), and what a batch takes, by batch_size, beam_size and the inputs' length."
#define UNROLLED_OF(where)	"Theano makes a convolution as a product of matrices, one of which has the patches of pictures side by side, as "	\
    "many as the result has pixels, and " where " had no room for it. It grows with the pixels and with the filter's size: smaller pictures, "		\
    "tiles one after the other, or fewer channels take less."
#define UNROLLED		UNROLLED_OF("the device")
#define UNROLLED_HERE	UNROLLED_OF("the " MACHINES ",")
#define CNMEM		"Theano takes the share of the device that lib.cnmem says at the start, and "	\
    "could not get it: less is free than that, as where another process or a display has a part of the device."
#define BUFFER_SIZE	"By the code (-61) OpenCL's driver refused a buffer for its size: more than it gives in one piece (CL_DEVICE_MAX_MEM_ALLOC_SIZE), "	\
    "which may be a quarter of the device's memory, however much of it is free, or no bytes at all. One that is too large has to be smaller, or in several pieces."
#define CL_BUFFER	"OpenCL's driver did not get memory for a buffer on the device. Nothing may have been left there, or the buffer is larger than the driver "	\
    "gives in one piece (CL_DEVICE_MAX_MEM_ALLOC_SIZE), which may be a quarter of the device's memory, however much of it is free."
#define OF_NCNN		IN_ENLARGING("Where that is one of ncnn's programs that enlarge pictures (realesrgan-ncnn-vulkan, waifu2x-ncnn-vulkan, Upscayl), smaller tiles (-t), fewer pictures at once (-j) and a smaller "	\
    "picture take less; where not even a small one runs, " TRY BY_DRIVER "a newer driver" TRY BY_ANYTHING "another device (-g)" TRY_END ", is what to try.")
#define VULKAN_UNTOLD	"Vulkan's driver did not give memory that was asked for; the code behind it (-2: none left on the device, -1: none of the machine's, -10: too many pieces) says why. " OF_NCNN
#define VULKAN_DEVICE	"By the code (-2) Vulkan's driver had no memory left on the device, or gives no piece as large as was asked for; for graphics of a processor that memory is a part of the machine's. "	\
    OF_NCNN
#define VULKAN_HOST	"By the code (-1) Vulkan's driver found no room in the machine's memory; graphics of a processor have no other. " OF_NCNN
#define VULKAN_OBJECTS	"Not for want of memory, by the code (-10): Vulkan's driver gives only so many pieces of memory at a time, however large they are, and had given all of them. Less at once "	\
    "(smaller tiles or pictures, one after the other) asks for fewer."
#define GUESSES_VIDEO	"Wan2GP guesses, of an error while a video was made, that the device had too little memory; its console has the error itself. Where it is that, what layers make grows "	\
    "with the pixels and the frames that are made at once: lower resolution or fewer frames take less, and so do weights in fewer bits, or more of them in the machine's memory."
#define SLEEPER		"vLLM's allocator for its sleep mode had no memory left on the device for weights or keys and values, as it begins or wakes. Where a trainer shares the device, what that holds by "	\
    "then is not there: a smaller share (gpu_memory_utilization), or what the trainer holds in the machine's memory meanwhile, leaves room."
#define ENGINE_RUNS	"TensorRT-LLM had no memory left on the device for a buffer. There lie the engine's weights, what its layers and its decoder need at the largest batch and length that it was built for, and a cache of "	\
    "keys and values, which takes a share of what is free then (free_gpu_memory_fraction, nearly all of it unless it is told): an engine of less (max_batch_size, max_num_tokens, max_input_len), weights in fewer bits or "	\
    "on more devices, or a smaller share take less."
#define EXECUTOR	"TensorRT-LLM had no memory left on the device for a part of its executor, which it names. Its list tells how much was free ahead of each part and behind it. Fewer tokens and requests at once (max_num_tokens, "	\
    "max_batch_size), a shorter max_seq_len, weights in fewer bits or on more devices (tp_size, pp_size) make the parts smaller."
#define EXECUTOR_CACHE	"TensorRT-LLM had no memory left on the device for its cache of keys and values. It gives it a share of what it finds free beside the weights (free_gpu_memory_fraction), and what it reckons for the rest need not be "	\
    "all: a smaller share, or a bound on the cache's tokens (max_tokens), is what to try first where its list shows much free ahead of it, fewer bits or more devices where it shows little."
#define NO_BLOCKS	"TensorRT-LLM's cache of keys and values, which it keeps on the device in blocks of tokens, had no block left for a sequence that ran: that cache was full, whatever else of the device is free. It gets a share of what is free beside the engine as it begins "	\
    "(free_gpu_memory_fraction), or as many tokens as it is told (max_tokens). A larger cache, fewer or shorter sequences at once, or an engine that takes less beside it, as one built for a smaller batch, leave a block for each."
#define SHARED_HOST	"Blender's Cycles had no room for its scene on the device, nor in the part of the machine's memory that it may use in its place. "	\
    "Smaller textures or less geometry take less; so does another program that lets go of the device."
#define RENDERS		"Blender's Cycles had no room for its scene on the device. Smaller textures or less geometry take less; so does another "	\
    "program that lets go of the device."
#define PAGE_GONE	"A bus error: the program touched a page of memory that the system could not put there. That may be of a file that is mapped and "	\
    "had no room, as in shared memory (/dev/shm), of which Docker gives a container 64 MiB unless --shm-size (or --ipc=host) says otherwise, or on a disk "	\
    "that is full: df -h tells. A file that was cut meanwhile, a fault of the program, and one of the machine end so, too."
#define DAG_GROWS	"A miner had no room on the device for what it makes as it begins. By far most of that is as a rule its set of data (the DAG), of several GiB, which grows with time and has to lie there: what is "	\
    "free by then (less than the device has, as a display and the system take a part) must be as much."
#define DAG_IN_ONE	"A miner failed on the device, and guesses that its memory is in pieces: its set of data (the DAG) is of several GiB, grows with time, and "	\
    "has to lie there in one piece, or in few. Another error of the device ends so, too."
#define JULIA_FREES	"CUDA.jl got no memory of the device, and tries again once it has freed what Julia's collector finds without use; by itself this is no failure. What it says there to have freed had lain there with no use for it: freed sooner "	\
    "(CUDA.unsafe_free!(), GC.gc(false) from time to time), it leaves room. What is held by a variable or a function that still runs, no collector frees."
#define GUPPY_CHUNKS	"Guppy, which reads bases from a nanopore's signals, had no room on the device, or within its own limit there, for the pieces that it works on at once: fewer of them (--chunks_per_runner), fewer runners on a device "	\
    "(--gpu_runners_per_device), or a model with fewer weights (fast, hac), take less."
#define TOO_BIG		"NumPy was to make an array of more bytes than a program can address, so that it does not matter how much memory there is. A Python of 32 "	\
    "bits has 2 to 4 GiB in all; in one of 64 bits the size itself is wrong, or the product of extents that need not be multiplied."
#define COUNTED_SHORT	"Not for want of memory: ggml counts ahead how large the buffer of a graph's results has to be, and came to less than the graph "	\
    "then took. That is an error of the program (its version, or of a graph that it was not made for), not of the machine: more memory does not help."
#define REGION		"Kaldi takes the device in regions of half of what it finds free, or of a request that is larger (--cuda-memory-proportion), and did not "	\
    "get one. Its own words are a guess, that other processes share the device. Where a script runs several jobs at once on one device, each takes such a half: fewer of "	\
    "them (num-jobs-initial, num-jobs-final), or a device that one process has for itself (nvidia-smi -c 3, --use-gpu=wait), leave it free."
#define REGION_AGAIN	"Kaldi's allocator got no region as large as it asked for, freed what it had unused, and asked again: by itself this is no failure. Where the run ended behind it, its own error stands there; the device is nearly full by then, and a "	\
    "smaller minibatch, or a device that no other job has, leaves more."
#define KEYED_TABLE	"A table of embeddings on the device, with a row for each key, had no room in one of its operations; as read here, the message does not say in which. It grows with the keys and with a row's length, and with the samples of a batch only as these bring new keys. Fewer keys, shorter rows, or a table in the machine's memory take less there."
#define JITTOR_MANAGED	"The device gave Jittor no more, and it went on in CUDA's managed (unified) memory, of which a part lies in the machine's: far slower where that is used on the device, and no failure by itself. One that stops the run has a message of its own. " TRY BY_BATCH "A smaller batch" TRY BY_SAMPLES "smaller samples" TRY_END ", take less, and jt.gc() gives back what its allocators keep unused."
#define JITTOR		"Jittor stopped since what its allocators took of the device, with blocks that they keep for use again (jt.gc() gives these back), was all, or nearly all, that it has. " TRY BY_BATCH "A smaller batch" TRY BY_SAMPLES "smaller samples" TRY_END ", take less. It computes "	\
    "only when a result is asked for: where lived_vars and lived_ops, which its table of memory has, grow from step to step, the graphs of earlier ones wait to be computed, as where gradients or losses are summed over several steps, and "	\
    "jt.sync_all() in each computes them."
#define MARIAN		"Marian had no room on the device for what it sets aside there in one piece: as a rule its workspace (--workspace or -w, in MB, for each device), and beside it the model's weights, in training with gradients and what the "	\
    "optimizer keeps. A smaller workspace is what to try first, which with --mini-batch-fit makes batches smaller, too; other processes on that device, which nvidia-smi lists, leave less."
#define FIGURES_OPEN	"matplotlib warns that many figures are open, each of which keeps what was drawn, in the machine's memory, until it is closed by plt.close(fig): by itself that is no failure, but a loop that makes a figure in each round, as for a log, and closes none "	\
    "takes more with every round. One that is used again (fig.clf()), or a figure without pyplot (matplotlib.figure.Figure), is let go of as other objects are."
#define DASK_UNMANAGED	"Dask warns that a worker has nearly as much of the machine's memory as it may (memory_limit), and that it is nothing that Dask keeps itself and could write to a disk: what tasks work with, what libraries hold, or what was freed and not given "	\
    "back. By itself that is no failure; where it goes on, the worker is ended and its work lost. Fewer threads in a worker, smaller parts (chunks, partitions), or a higher limit, where the machine has that much, leave room."
#define GUNICORN	"gunicorn ended the process itself, by signal 9, as it had not answered within its time (--timeout), which its WORKER TIMEOUT says. Whether memory ran out it only asks, and nothing here tells so: a longer "	\
    "--timeout, work outside of the request, or threads in a worker give it time; where the machine swaps by then, it is slow for that."
#define REGION_SMALLER	"Kaldi did not get a region of the device's memory for what it needs next, in a device that it has for itself: a smaller minibatch takes less."
#define GPU_PART	"CatBoost takes a part of the device at its start (gpu_ram_part), and had no room there for what it needs next. What it keeps grows with rows and columns, "	\
    "with their borders (border_count), with classes, where there are several, and its sums double with each level of a tree (depth): fewer of these take less. "	\
    "Where there are columns of categories, it grows with their combinations, too (max_ctr_complexity), and gpu_cat_features_storage=CpuPinnedMemory keeps their data in the machine's memory."
#define NNABLA		"NNabla's cache of memory, a device's or the machine's, was refused more. It gives back what it keeps unused then, and asks once more: where that fails too, the "	\
    "run ends. " TRY BY_BATCH "A smaller batch" TRY BY_SAMPLES "smaller samples" TRY_END ", make results smaller."
#define ARENA		"TensorFlow Lite Micro keeps all of a model's tensors in an array that the program gives it (the tensor arena), and that is too small: "	\
    "a larger one, as far as the chip's memory goes, or a smaller model, makes it fit. What is missing is told of this request alone: others come after it."
#define MAY_LACK	"A process of Ollama that runs the model ended, and Ollama takes want of memory for a likely reason: of the machine's, or of a device's. Its "	\
    "server's log says more. A smaller model, fewer bits, or a shorter context (num_ctx) need less."
#define ANDROID_SHARED	"Android's library of networks (NNAPI) could not map memory that it shares with the program, as inputs, results and weights are: that is the " MACHINES ". Where it comes after many runs, "	\
    "what is made for each of them and not closed (an interpreter, a delegate, its buffers) may have taken the addresses or the open files that a process may have: made once, it does not add up."
#define ANDROID_HEAP	"The heap that Android gives an app was full, whose limit is the device's own setting: -Xmx cannot be set there. Buffers outside of that heap "	\
    "(ByteBuffer.allocateDirect, a file that is mapped), parts in place of one array, or android:largeHeap=\"true\" leave room."
#define RAY_LISTS	"A process of Ray ended, and Ray does not know why: that the machine's memory ran out is one of several reasons that it lists. Its logs, and "	\
    "the kernel's (on Linux dmesg), say more."
#define OF_GPU_LIBRARY	"Python's word for memory that was refused. Libraries of a GPU (CuPy, RMM) raise it for the device's memory, too, and line %d is of "	\
    "one: where that asked, it was the device's."
#define OF_THEANO	"Python's word for memory that was refused. Theano raises it for a device's memory, too, and line %d names that: where it ran on a device, the "	\
    "last lines of the traceback tell which memory it was."
#define COMMAND		"The driver could not place what one command needs in the device's memory at "	\
    "once."
#define OPENVINO_BUFFER	"OpenVINO could not make a buffer on the GPU. OpenCL's codes for want of memory, the device's or the machine's, which a GPU that is built in shares, and for "	\
    "a buffer that is larger than the driver gives in one piece, all come as these words. " TRY BY_BATCH "Fewer inputs at once" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller inputs" TRY BY_ANYTHING "a smaller model" TRY_END ", take less."
#define DIRECTML_CODE	"The code is Windows' own for want of memory, by way of DirectML. Whose it was it does not tell: a device's, which a GPU that is built in has from the machine's, or the machine's "	\
    "itself. The Task Manager, while it runs, shows both. " TRY BY_BATCH "Fewer inputs at once" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller inputs" TRY BY_ANYTHING "fewer models at a time" TRY BY_ALONE "other programs that are closed" TRY_END " leave more."
#define INVOKE_LOADS	"InvokeAI was to put a model's weights on the device, where it had no room for them, and gave up: the pixels of what is made play no part yet. Other programs that "	\
    "use the device closed, weights in fewer bits, or a smaller model leave room."
#define RESOURCES	"The driver had no resources left for a command. That may be the device's "	\
    "memory; a kernel that needs too many registers or too much local memory, or reads beyond a "	\
    "buffer, ends so, too."
#define SYCL_HOST	"The driver below SYCL says that it got no memory from the machine. Drivers answer so as well where they cannot serve the device."
#define CL_HOST		"The driver of OpenCL says that it got no memory from the machine. Drivers "	\
    "answer so as well where they cannot serve the device, or where contexts, queues or events were "	\
    "made over and over and never released."
#define ROCM_RESOURCES	"AMD's runtime could not get what it needs. Most often that is the device's "	\
    "memory; queues, events and threads can be short, too."
#define SHM_OF_DOCKER	UNTRIED(BY_ROOM, ": Docker gives a container 64 MiB of it, unless --shm-size (or --ipc=host) says otherwise") ". "
#define BUS_ERROR	"Worker processes pass batches through shared memory (/dev/shm)" UNTRIED(BY_ROOM, ", which was most likely full") SHM_OF_DOCKER	\
    WITH_ROOM("Where that had room, a bus error also comes of a file that a worker maps and that was cut short meanwhile, or lies on a disk or volume that failed or was full. ")	\
    TRY BY_WORKERS "Fewer workers" TRY BY_BATCH "smaller batches" TRY_END ", need less" WITH_ROOM(" of shared memory") ". It is a part of the " MACHINES "."
#define SHARED_TENSORS	"PyTorch puts tensors that processes share into files in shared memory (/dev/shm), which was most likely full" SHM_OF_DOCKER	\
    "Fewer or smaller tensors that are shared at a time need less. It is a part of the " MACHINES "."
#define SHARED_NCCL	"NCCL could not make a piece of shared memory (/dev/shm), in which the processes of one machine pass each other what they send, and which was most likely full" SHM_OF_DOCKER	\
    WITH_ROOM("Where that had room, rights or a name that was left by another run refused it. ") "It is a part of the " MACHINES ": the batch plays no part. Fewer processes there need less; NCCL_SHM_DISABLE=1 needs less of it, and is slower: a part lies there even so."
#define NOT_MAPPED	"PyTorch could not map a piece of shared memory, in which processes pass tensors to each other: the system had no memory for it, "	\
    "or a process has as many such pieces as it may (vm.max_map_count), as where many small tensors are kept, or a limit on its addresses (ulimit -v). "	\
    "It is the " MACHINES "."
#define FILE_NOT_MAPPED	"PyTorch could not map a file, as one of weights, whose bytes the system has to promise memory for: there is not as much left, or a limit on the process's "	\
    "addresses (ulimit -v) is smaller. It is the " MACHINES ". More of it, or of swap, or a smaller file (fewer bits, or parts) leaves room."
#define OPENMM_ARRAY	"OpenMM had no memory left on the device for an array, which the message names. " UNLESS_OTHER_ARRAY("Where that name begins with pme, it is of the grid of PME, which grows with the volume of the "	\
    "box, however few atoms are in it, and is finer with a shorter cutoff and a smaller ewaldErrorTolerance; what most others have grows with the atoms.") OTHER_ARRAY("By its name it is none of PME's grid; what most others have grows with the atoms.")	\
    FROM_CHECKPOINT(" It was loading a checkpoint, which holds for the version of OpenMM and the machine that wrote it: where another one did, what is read as a size need be none. A state (saveState(), XML) is read by others, too.")
#define PCL_INDICES	"PCL was to make a list of one index (4 bytes) for each point of a cloud, and the " MACHINES ", had no room for it. Where the message has a number by far larger than the points that were read, "	\
    "that number itself is wrong, and more memory does not help."
#define GEMM		"cuBLAS could not start a product of matrices in TensorFlow. Often it had "	\
    "got no memory on the device for itself, because the network or another process, such as a "	\
    "notebook that is still open, had taken it. " GROWTH " A CUDA that does not know the device, as one that is older than it, ends "	\
    "so, too."
#define DATA_BATCH	"TensorFlow's tf.data had no room in the machine's memory to put samples together to a batch; where a GPU is used, that may be a part of it that the driver has locked. What lies there "	\
    "are, as a rule, batches that wait (prefetch(), those that are made at once), samples that are shuffled or kept (shuffle(), cache()), and what else the process has: " TRY BY_ANYTHING "fewer of these" TRY BY_BATCH "fewer samples in a batch" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples" TRY_END ", take less."
#define ASKS_COLABFOLD	"ColabFold asks that of every error that ends a prediction, which stands behind it. Where it was for want of memory, what a prediction takes "	\
    "grows with the square of the number of residues, of all chains together, or more: shorter ones, fewer chains at once, or fewer sequences beside them (--max-msa) take less."
#define TACTIC		"TensorRT left out a way to run a layer, since its workspace was not there; it "	\
    "tries others, so by itself this is a warning. A smaller limit of workspaces keeps it from trying "	\
    "such ways."
#define TACTIC_LIMIT	"TensorRT left out ways to run a layer that want a larger workspace than it is allowed, or than it got; " UNLESS_NO_TACTIC("it tries others, so by itself this is a warning.") NO_TACTIC_LEFT("it tries others, and another of its lines says that it found none for a layer, which ends the build.") " A larger limit of workspaces, where the device has as much free, lets "	\
    "it try them."
#define TACTIC_BUFFER	"TensorRT was trying ways to run a layer, and the device had no room for a buffer that one of them needs: it left that way out; " UNLESS_NO_TACTIC("it tries others, so by itself this is a warning.")	\
    NO_TACTIC_LEFT("it tries others, and another of its lines says that it found none for a layer, which ends the build.") " Such buffers grow with the shapes and the batch that the profile allows: smaller ones, fewer bits (fp16), or others that "	\
    "have less of the device, leave room."
#define NO_TACTIC	"TensorRT found no way to run a layer in the workspace and the memory it was "	\
    "allowed."
#define WARM_UP		"vLLM tries its sampler with as many requests as max_num_seqs allows, before it "	\
    "serves any, and the device had no memory left for that: fewer of them, or a lower "	\
    "gpu_memory_utilization, leave some."
#define ENGINE		"TensorRT did not get memory on the device for what it builds or runs: weights, results "	\
    "of layers at the largest shapes and batch that its profile allows, and workspaces up to the limit that it is "	\
    "given. A limit of workspaces as large as the device leaves nothing for the rest; on a Jetson that is the "	\
    "machine's memory."
#define COUNTED		"These lines are XLA's count of what a program needs of a device, without the message that they are of: where it " \
    "failed, that is more than the device has, which by themselves they do not say."
#define UNLIKELY	"XLA gave up before it compiled the program: it counts the bytes that it needs, "	\
    "and they are more than the device has."
#define NODE_LACKED	"ComfyUI adds this to an error of a node that it takes for want of the device's memory. The error itself stands ahead of it in ComfyUI's log, "	\
    "and says how much was asked for, where PyTorch told."
#define BARE		"PyTorch could not get memory on the device. This message (of cudaMallocAsync, or "	\
    "cut short) does not say how much was asked for, nor who has it."
#define NCCL_BUFFERS	"NCCL, which moves data among devices, got no memory, on one of them as a rule. It takes "	\
    "its buffers from the device itself, not from the framework's allocator, which may have all the rest: "	\
    "PyTorch keeps freed blocks in its cache, JAX takes most of a device when it begins "	\
    "(XLA_PYTHON_CLIENT_MEM_FRACTION). " TRY BY_BATCH "A smaller batch" TRY BY_GROWTH "a smaller share for that allocator" TRY_END ", leave room; "	\
    "so does ending other processes there."
#define NEGATIVE	"A size below 0 was asked for: memory is not what failed. It was computed from something that was never set, ran over "	\
    "its type, or was read from a file that is damaged. The traceback tells where."
#define EXABYTE		"No machine has as much: the size itself is wrong, as when it is computed from "	\
    "something that was never set, ran over its type, or was received in part. Look for the error that came before it."
#define LARGE_BLOCK	"The driver of this device gives no single block of 4 GiB or more, however much is "	\
    "free: what was asked for must be made in parts or smaller, such as by fewer samples or pixels at once."
#define ON_CHIP		"Not the device's memory: a kernel needs more of the memory on a multiprocessor "	\
    "(\"shared memory\") than that device has, of which there are tens or hundreds of KiB. "		\
    "Smaller blocks (BLOCK sizes, fewer num_stages or num_warps), or a version of the library that knows "	\
    "the device, make it fit; a smaller batch does not."
#define ON_TENSOR_CORES	"Not the device's memory: a kernel needs more of the memory on a multiprocessor in which its matrix units work (\"tensor memory\") than there is. Smaller blocks (BLOCK sizes), or a version of the library that knows the device, "	\
    "make it fit; a smaller batch does not."
#define ON_TPU_CORE	"Not the device's memory (HBM): a step of the program that XLA compiled needs more of the memory on a TPU's core than it may have there, which is far "	\
    "less, and may be less than there is (of vmem --xla_tpu_scoped_vmem_limit_kib in LIBTPU_INIT_ARGS, vmem_limit_bytes of a Pallas kernel). A higher limit as far as the core has it, smaller blocks, other shapes, or another "	\
    "version make it fit."
#define PINNED_AFTER	"PhysX asked CUDA for memory of the machine that is locked (pinned), and was refused. By itself that may be for want of it; but CUDA refuses all that "	\
    "comes after a kernel failed, such as one that read where nothing of its is (its code 700): where errors of PhysX stand ahead of it, the first of them tells more."
#define FACESWAP	"faceswap had no memory left on the device for a step. It advises itself: other programs that use the device closed, a smaller batch, or a lighter "	\
    "model or settings."
#define LAUNCH		"Not the device's memory: a kernel was to run with more threads in a block than the "	\
    "registers or the on-chip memory of a multiprocessor suffice for. Smaller blocks, or a library that was "	\
    "compiled for that device, make it fit."
#define ILLEGAL		"Not for want of memory, as far as was read: a kernel read or wrote where "	\
    "nothing of its is. Most often that is an index out of range, or a library's fault; "			\
    "CUDA_LAUNCH_BLOCKING=1 and compute-sanitizer show which kernel."
#define FULL_FILES	"Not the GPU's memory: the device that is full is one of files. That is a disk, or "	\
    "/dev/shm, which is the machine's memory, and where processes keep semaphores and batches that they "	\
    "share: Docker gives a container 64 MiB of it, unless --shm-size (or --ipc=host) says otherwise. df -h "	\
    "tells which is full; where it shows room, a number is used up: of files (df -i), or of what the kernel counts (inotify's watches, semaphores)."
#define NOT_SPREAD	"transformers spread a quantized model over the devices, by what each had free or as it was told (device_map), part of it came to "	\
    "lie elsewhere, and it did not go on. A smaller model, fewer bits, devices with more free (of other processes, and of models "	\
    "made before), or that part in 32 bits in the machine's memory, as the message says, helps; the batch plays no part."
#define GPU_FAULT	"Not for want of memory, as far as was read: a kernel read or wrote where nothing of its is. Most often that is "	\
    "an index out of range, a program that is not built for this chip, or the driver's or a library's fault; AMD_SERIALIZE_KERNEL=3 with AMD_LOG_LEVEL=3 shows which kernel."
#define OPEN_FILES	"As a rule a limit, and not that of a card's memory: PyTorch passes a tensor from one process to another by a file. Where the message ends in \"Too many open files\", "	\
    "or /dev/shm (df -h) has room, a process may have only so many files open, and a tensor that is kept as it came from the loader keeps its own open: "	\
    "torch.multiprocessing.set_sharing_strategy('file_system') keeps none open, a higher ulimit -n allows more; fewer "	\
    "workers, and copies of what is kept, need fewer. Where /dev/shm is full, which is the machine's memory, " TRY BY_ANYTHING "more of it (in Docker --shm-size, --ipc=host)" TRY BY_BATCH "fewer or smaller batches that wait there" TRY_END ", help."
#define WORKER_GONE	"A process that prepares data ended before its time. If no error of its own stands "	\
    "ahead of this, the system ended it as a rule, because the machine's memory ran out, " NOT_A_CARDS ": fewer such "	\
    "processes need less of it. A fault of a library ends one so, too."
#define EXPORT_GONE	"A process of nnU-Net that makes a prediction ready and writes it ended before its time. If no error of its own stands ahead of this, the system ended it as a rule, because the " MACHINES ", ran out: each of them brings a number for each "	\
    "voxel and class to the size of the original. Fewer such processes (-nps of nnUNetv2_predict; in the validation after training nnUNet_def_n_proc), or no probabilities that are kept (--npz, --save_probabilities), need less. "	\
    "A fault of a library ends one so, too."
#define NOTEBOOK_GONE	"The process in which a notebook's cells run ended before its cell was done. Where no error of its own stands ahead of this, the system ended it as a rule, because the " MACHINES ", ran "	\
    "out, or a limit of its container; a fault of a library ends one so, too, and the system's log (on Linux dmesg) tells them apart. Less that is read or kept at once needs less."
#define PROCESS_GONE	"A process that this one had begun ended before its time. Where no error of its own stands beside this, the system ended it as a rule, because the " MACHINES ", ran "	\
    "out, or a limit of its container; a fault of a library ends one so, too, and the system's log (on Linux dmesg) tells them apart. Fewer such processes, or less for each at "	\
    "once, need less."
#define MESA_BUFFER	"AMD's driver of Mesa's, by which OpenCL and Vulkan reach a card, could not make a buffer. Its line of domains says in which memory: 4 is the card's own, 2 the machine's that a card "	\
    "reaches, 6 either of them."
#define JOBLIB_STOPPED	"A process of joblib's pool stopped while there was work, and joblib goes on with others: by itself that is a warning. It stops one that had nothing to do for a while, and one whose part of the " MACHINES ", had grown and did not shrink as garbage was collected. Where it comes "	\
    "again and again, fewer processes at once (n_jobs), and less that the function keeps from call to call, take less."
#define JOBLIB_GONE	"A process of joblib's pool ended before its time. joblib names two reasons: a fault of the code that it ran, or the system, which ends one because the " MACHINES ", ran "	\
    "out, or a limit of its container. " EXITED("By the exit codes beside it its workers ended themselves, and no signal did: then the system ended none of them, and it is their own error that counts, which one process alone (n_jobs=1) shows where it fails there, too.") \
    UNLESS_EXITED("Where exit codes stand beside this, SIGKILL(-9) is the system's as a rule, and SIGSEGV(-11) a fault; else the system's log (on Linux dmesg) tells them apart. Each process works with what it is given: there is more room with " UNTRIED(BY_WORKERS, "fewer of them (n_jobs), or with ") "less for each at once.")
#define COPIED_ARRAY	"TensorFlow was to put an array of the machine's memory on the device as one "	\
    "tensor, such as one that fit() or predict() is given whole, or weights, and had no room for it. "		\
    "A tf.data.Dataset made from a generator, or a keras.utils.Sequence, hands it over batch by batch. "	\
    GROWTH
#define HOST_ALLOCATOR	"Memory of the machine was to be locked (pinned), so that copies to a device are fast, and the driver refused. Either no more of "	\
    "the machine's may be locked; or, where the device is full or was not used yet, there was no room there for what the driver needs of its own."	\
    IN_TORCH(" Loaders that pin (in PyTorch pin_memory=True) ask for it, for each batch that is read ahead.")
#define NOT_PINNED	"ggml was to lock (pin) memory of the machine, so that copies to the device are fast, "	\
    "and the driver refused. It goes on with memory that is not locked, which is slower: by itself this is no failure."
#define ELSEWHERE	"Detectron2 had no memory left on the device for one operation, and went on with that "	\
    "on the processor, which is slower: by itself this is no failure. For pairwise_iou, which compares boxes with "	\
    "all others, an image has very many."
#define SHARE_TAKEN	"vLLM takes a share of the device (gpu_memory_utilization) when it starts, and less than "	\
    "that was free: other processes have the rest, be it a desktop or an earlier run that has not ended, or what this "	\
    "one made before, as in a notebook. A smaller share, or ending those, is what it asks for; the network plays no part yet."
#define ASSIGNS		"Ultralytics found no room on the device for assigning boxes to the network's places, which takes a number for each pair of them, computed that on the processor and went on. By itself "	\
    "that is a warning; it comes of pictures with many objects. " TRY BY_BATCH "Fewer of these at once (a smaller batch)" TRY BY_TILES "tiles of pictures" TRY BY_SAMPLES "fewer places (a smaller imgsz)" TRY_END ", take less."
#define ASSIGNS_LABELS	"YOLOX, and detectors with its code, say so where assigning objects to the network's places (a number for each pair of them) raised an error, and do that batch on the processor: "	\
    "newer versions where CUDA was out of memory, older ones of any RuntimeError there, as of losses that are no numbers any more. Where an error follows, that tells which. Where it was memory, it grows with the objects and the "	\
    "pictures at once, and with their pixels."
#define SPARSE		"Error 2 is CUDA's number for a device without memory left, as spconv (sparse convolutions) gives it. " TRY BY_ANYTHING "Fewer points or voxels at once (a shorter range, larger voxels)" TRY BY_BATCH "fewer samples" TRY_END ", take less, and "	\
    "fewer other processes leave more. Where even a few points fail so on a device that is free, a build that is not for that card or CUDA, as of spconv 1, says it, too."
#define TILES		"ComfyUI had no room on the device for its autoencoder (VAE) of a whole picture, and went on with tiles of it, one after the other, which takes less, and longer. By itself that is a "	\
    "warning: where something failed, its own error stands elsewhere."
#define SKIPPED		"fairseq had no room on the device for a batch, left it out and went on. Batches differ by the "	\
    "lengths of what is in them, and --max-tokens bounds them: a few that are left out do little harm, and many "	\
    "ask for a smaller one."
#define SKIPPED_BATCH	"The program had no room on the device for a batch, left it out, so that its result is missing, and went on. What layers make of a batch grows with what is in it, and batches "	\
    "may differ by that."
#define NOT_TRAINED	"AutoGluon reckons what a model will take ahead of its training, and leaves it out where that is more than a share of the machine's memory that is free, " NOT_A_CARDS ": nothing ran out, and the "	\
    "model is missing from the result. More that is free, or fewer rows and columns, lets it be trained; so does a larger share (max_memory_usage_ratio in ag_args_fit), which may end the process then."
#define RAY		"Ray ended a process of its own, because the machine's memory, or its container's limit of it, was nearly full, "	\
    NOT_A_CARDS ": what its tasks and actors hold together is too much. Fewer of them at once (more CPUs for each, fewer "	\
    "workers), and objects that are let go of, need less; a container may be given more."
#define RAY_STORE	"Ray keeps objects in shared memory (/dev/shm), which is the machine's memory and has less room than its store was to have: more of it (in Docker --shm-size), or a smaller "	\
    "store (--object-store-memory, object_store_memory of ray.init()), lets it start."
#define NO_PROCESS	"The system refused what Python asked it for, as a process that it starts (fork, which workers and "	\
    "use_multiprocessing do) or a file that it maps: that is as a rule the " MACHINES ". Fewer processes, or what is large (a data set that is read whole) made after they are started, ask for less."
#define NOT_GIVEN	"The system refused what a program, or a library, in Rust asked it for (its error 12, ENOMEM), as a buffer, a file that it maps, a process or a thread: that is as a rule the " MACHINES ", or a limit on the "	\
    "process' addresses (ulimit -v), its maps or its container's memory. Less at once asks for less."
#define RAY_RAISED	"Ray raises this in place of a task's work where the " MACHINES ", or its container's limit of it, is nearly full: what the processes on it hold together, "	\
    "which its message lists, is too much. Fewer tasks, actors and workers at once, and objects that are let go of, need less."
#define RAY_TASK	"Ray puts in parentheses the name of the error that a task ended with: by that name it is PyTorch's as a rule, for want of a device's memory. Where the task had waited for another, it may be Ray's own "	\
    "(ray.exceptions.OutOfMemoryError), for want of the machine's. The task's traceback, which follows, says which, and how much was asked for."
#define RAY_GONE	"A process of Ray ended before its time, and Ray takes the limit of its container's memory "	\
    "for a likely reason: that would be the " MACHINES ". Fewer tasks and actors at once need "	\
    "less of it."
#define ALL_WINDOWS	"nnU-Net could not predict on the device, most likely for want of memory: the results of all "	\
    "windows lie there, a number for each voxel and class. It goes on with them in the machine's memory, so that by "	\
    "itself this is no failure."
#define FEWER_LAYERS	"Fewer layers on the device (in llama.cpp -ngl, in Ollama num_gpu), another split among devices (in llama.cpp "	\
    "--tensor-split), or a model of fewer bits take less there."
#define NO_LAYERS	"ggml found no room for weights that one of its buffers is to hold; as read here, it does not say where: on a "	\
    "device as a rule, or in the machine's memory. " FEWER_LAYERS
#define NO_LAYERS_THERE	"ggml found no room on the device that it names for weights that one of its buffers is to hold. " FEWER_LAYERS
#define NO_LAYERS_HERE	"ggml found no room in the " MACHINES ", for weights that one of its buffers is to hold. A model of fewer bits, "	\
    "or, where a device has room, more layers there (in llama.cpp -ngl, in Ollama num_gpu) take less of it."
#define FIXED_WORKSPACE	"FlashInfer's workspace, a buffer of a fixed size that a program gives it, has no room for what it puts there: it is that buffer that is full, and not the device. A larger one "	\
    "(in SGLang SGLANG_FLASHINFER_WORKSPACE_SIZE, before that FLASHINFER_WORKSPACE_SIZE), where the device has as much left, holds it."
#define MUMPS_WORKSPACE	"MUMPS, which solves sparse equations, works in a part of the machine's memory that it sets aside by what it reckoned ahead: that was too small for what came, however much the machine has. A larger share on top of it "	\
    "(ICNTL(14), in percent; in PETSc -mat_mumps_icntl_14), where the machine has as much left, holds it."
#define MUMPS_REFUSED	"MUMPS, which solves sparse equations, asked for the " MACHINES ", and was refused; its INFO(2) says of how many entries, in millions where that is below 0. What it makes of a matrix (its factors) grows faster than the number of "	\
    "unknowns: fewer of these (a coarser mesh, a lower order), or more nodes for its processes, need less of each."
#define POOL		"MXNet's pool of device memory could not be extended; it does not say by how "	\
    "much."
#define LARGE_ALLOC	"tcmalloc tells that one piece of the " MACHINES ", was asked for that is larger than a "	\
    "gigabyte. By itself that is no failure. Where the program ended right after and said no more, as Colab's sessions do, that memory was full"	\
    OVER_DATA(": data read or made as one array are as large as that, and a part of them, or a generator, takes less") "."
#define TABLE		"pandas had no memory left in the machine while it read a table of text: " NOT_A_CARDS ". Read in "	\
    "parts (chunksize), fewer columns (usecols), and types that are told (dtype) in place of guessed ones, which are text or "	\
    "have 8 bytes, need less."
#define PATCHES		"MatConvNet's convolution makes a matrix of all patches of an image (a workspace), and the device had "	\
    "no memory left for it: as many numbers as pixels of the result, times the filter's height, width and channels. "	\
    "Smaller images, or parts of them, make it smaller; cuDNN, where MatConvNet is built with it, needs less."
#define SPLITS		"An image program cuts attention into pieces where its scores do not fit, a number for each "	\
    "pair of an image's positions, and gave up: even a piece does not. " TRY BY_SAMPLES "Fewer pixels" TRY BY_KERNEL "attention that does not store "	\
    "them (xFormers, torch's scaled_dot_product_attention)" TRY BY_OFFLOADING "a program that has only a part of the "	\
    "model on the device (--lowvram)" TRY_END ", need less. Where what it counts as free is next to nothing, the weights or other "	\
    "processes have the device."

#endif
