/* What messages mean that look like want of memory, and are of a limit of another kind, or of a
 * fault. */
#ifndef STOWAGE_OOM_OOM_SAYS_APART_H
#define STOWAGE_OOM_OOM_SAYS_APART_H

#define OUT_OF_TIME	"Not for want of memory, as far as was read: the job was ended because it reached its limit of time. A process that ends by signal 9 right there was ended "	\
    "by that. A longer limit, or checkpoints from which the next job goes on, help."
#define NO_INSTRUCTION	"Not for want of memory, as far as was read: the processor came to an instruction that it does not have (signal 4, SIGILL), and the system ended the process. As a rule a library was built for newer processors (AVX2, AVX-512): "	\
    "one that is built for this (another version or channel, or from its source), or another machine, runs."
#define LINKER_LIMIT	"Not for want of memory: a linker of WebAssembly found that what a program has from the start needs more than the memory that it is told to begin with. A larger one (-sINITIAL_MEMORY in Emscripten, --initial-memory of wasm-ld), or one that "	\
    "grows (-sALLOW_MEMORY_GROWTH), holds it; the machine plays no part, and weights only where they are built into the program."
#define STATIC_TLS	"Not for want of memory: the system's loader sets little room aside for what libraries keep for each thread, and others had it all when this one "	\
    "was loaded. Loaded ahead of the others (by LD_PRELOAD, or imported first), it finds room as a rule."
#define NO_THREAD	"Not for want of memory, as far as was read: a thread, or a process, could not be begun, as a rule because a limit on their number was reached (ulimit -u, a container's or a job's). "	\
    "Fewer of them at a time (jobs, shards, threads: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS), or a higher limit, help. Where no such limit was near, the machine had no room for its stack."
#define NOT_AT_ONCE	"Not for want of memory, as far as was read: a call could not be served at once. Where it began a process (fork), a limit on their number was reached as a rule (ulimit -u, a container's or a job's); else a file that another "	\
    "has locked, or a pipe or socket that has no room or nothing to read."
#define NO_CONSTANT	"Not for want of memory, as far as was read: what TensorFlow is given as an array for a constant (an initializer's or a data set's, too) is written into its graph, and no graph, and no tensor in it, is "	\
    "larger than 2 GB in that form. Given as the graph runs (a placeholder with feed_dict, a variable that is assigned through one), or read from files or a generator, it is no part of it."
#define ONE_FILE	"Not for want of memory, as far as was read: ONNX' files have one message with all weights, which is no larger than 2 GB in that form. Written beside it, in files of their own (external data), they are no part of it."
#define ONE_MESSAGE	"Not for want of memory, as far as was read: one message of protobuf's, which the words name, is no larger than 2 GB in that form, however much memory there is. What it holds has to lie beside it (variables in files of "	\
    "their own; in ONNX external data), or in several."
#define EXPORTED	"Not for want of memory, as far as was read: R's future hands what an expression uses to each of its processes, and has a limit for that (options(future.globals.maxSize = ...), in bytes, 500 MiB unless it is "	\
    "set). Each process gets a copy of it then: fewer processes, or none (plan(\"sequential\")), take less."
#define NO_KERNEL	"Not the device's memory, by the code's number: the program has nothing that was compiled for this device (8: invalid device "	\
    "function). Built for its architecture (Caffe: CUDA_ARCH in Makefile.config), it runs."
#define NOT_MAPPED_FOR(who, but) "Not for want of memory, as far as was read: the system refused " who " a map of a file, which takes none by itself" but ": pages are read as they are used. As a rule a limit was reached: on the number of a process' maps (vm.max_map_count, "	\
    "65530 unless it is set), of which each file has one, or on its addresses (ulimit -v, a job's). Fewer files at once (put together into larger ones), or a higher limit, let it go on."
#define ARROW_NOT_MAPPED	NOT_MAPPED_FOR("Arrow", "")
#define PYTHON_NOT_MAPPED	NOT_MAPPED_FOR("Python", ", unless what is written there is its own (mode=\"c\" of numpy.memmap, mmap.ACCESS_COPY)")
#define FILE_GONE	"Not for want of memory, as far as was read: PyTorch passes a tensor from one process to another by a file in shared memory (/dev/shm), and by the message no file of that name was there as it was to be opened. By its name it is looked "	\
    "for where the sharing strategy is file_system: as a rule the process that made it had ended by then, or the file was removed too early. Under the strategy file_descriptor, where the system has it, open files are passed, of which "	\
    "a process may have only so many (ulimit -n)."

#endif
