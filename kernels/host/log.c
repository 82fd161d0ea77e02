/*
 * log.c - --log FILE: what came of each update and epoch, for programs. One JSON object a line;
 * where the file's name says "tfevents", as TensorBoard wants it to, what TensorBoard reads.
 *
 * That is a file of records, each a message of protocol buffers:
 *
 *     length, 8 bytes | crc of these, 4 | Event | crc of it, 4
 *
 *     Event { 1: double wall_time; 2: int64 step; 3: string file_version; 5: Summary }
 *     Summary { 1: Value { 1: string tag; 2: float simple_value } }
 *
 * A record holds one number, so that its bytes have a bound. Its tag is what the line would be and
 * the number's name in it, "epoch/validation_loss": TensorBoard puts what begins alike together.
 */
struct log {
	FILE *file;
	const char *name;
	int lost;		/* why the log is not whole: an errno; 0: it is */
	bool events;		/* for TensorBoard */
	const char *what;	/* of the line that was begun, */
	int64_t step;		/* and after which update */
	char buffer[1 << 16];	/* stdio's */
};

/* ---- TensorBoard's records ---- */

#define EVENT_NAME	400	/* bytes of a tag at most, */
#define EVENT_ROOM	(EVENT_NAME + 100)	/* and of a record */

/* CRC-32C, turned and moved as in files of records. */
static uint32_t
event_crc(const unsigned char *p, int n)
{
	uint32_t crc = ~0u;

	while (n-- > 0) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	crc = ~crc;
	return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static int
put_varint(unsigned char *to, uint64_t x)
{
	int n = 0;

	for (; x >= 0x80; x >>= 7)
		to[n++] = (unsigned char)(x | 0x80);
	to[n++] = (unsigned char)x;
	return n;
}

/* A field of bytes. */
static int
put_field(unsigned char *to, int field, const void *from, int bytes)
{
	int n = put_varint(to, (uint64_t)field << 3 | 2);

	n += put_varint(to + n, (uint64_t)bytes);
	memcpy(to + n, from, (size_t)bytes);
	return n + bytes;
}

/* Writes a record: the time, the step, and FIELD of so many bytes. */
static void
event_write(struct log *l, int field, const void *from, int bytes)
{
	unsigned char event[2 * EVENT_ROOM], head[12];
	struct timespec t;
	double seconds;
	uint32_t crc;
	int n = 0;

	clock_gettime(CLOCK_REALTIME, &t);
	seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	event[n++] = 1 << 3 | 1;
	memcpy(event + n, &seconds, 8);
	n += 8;
	event[n++] = 2 << 3;
	n += put_varint(event + n, (uint64_t)l->step);
	n += put_field(event + n, field, from, bytes);
	memset(head, 0, sizeof(head));
	head[0] = (unsigned char)n;
	head[1] = (unsigned char)(n >> 8);
	crc = event_crc(head, 8);
	memcpy(head + 8, &crc, 4);
	fwrite(head, 1, sizeof(head), l->file);
	fwrite(event, 1, (size_t)n, l->file);
	crc = event_crc(event, n);
	fwrite(&crc, 1, 4, l->file);
}

static void
event_number(struct log *l, const char *key, const char *name, double x)
{
	unsigned char value[EVENT_ROOM], summary[EVENT_ROOM];
	char tag[EVENT_NAME];
	float f = (float)x;
	int n;

	snprintf(tag, sizeof(tag), "%s/%s%s", l->what, key, name);
	n = put_field(value, 1, tag, (int)strlen(tag));
	value[n++] = 2 << 3 | 5;
	memcpy(value + n, &f, 4);
	n = put_field(summary, 1, value, n + 4);
	event_write(l, 5, summary, n);
}

/* ---- lines ---- */

static void
log_open(struct log *l, const char *path)
{
	memset(l, 0, sizeof *l);
	if (!path)
		return;
	l->name = path;
	l->events = strstr(strrchr(path, '/') ? strrchr(path, '/') : path, "tfevents") != NULL;
	l->file = fopen(path, "ae");
	if (!l->file)
		fail("%s: cannot be written: %s", path, strerror(errno));
	setvbuf(l->file, l->buffer, l->events ? _IOFBF : _IOLBF, sizeof(l->buffer));
	if (l->events && fseek(l->file, 0, SEEK_END) == 0 && ftell(l->file) <= 0)
		event_write(l, 3, "brain.Event:2", 13);
}

static void
log_begin(struct log *l, const char *what, int64_t step)
{
	l->what = what;
	l->step = step;
	if (!l->events)
		fprintf(l->file, "{\"event\":\"%s\"", what);
}

/* What a line is of; TensorBoard shows numbers only that change. */
static void
log_count(struct log *l, const char *key, int64_t n)
{
	if (!l->events)
		fprintf(l->file, ",\"%s\":%lld", key, (long long)n);
}

/* JSON has no infinities. */
static void
log_number(struct log *l, const char *key, const char *name, double x)
{
	if (l->events)
		event_number(l, key, name, x);
	else if (isfinite(x))
		fprintf(l->file, ",\"%s%s\":%.9g", key, name, x);
	else
		fprintf(l->file, ",\"%s%s\":null", key, name);
}

/* The line that was begun ends here. What cannot be written is told once; the training is worth
 * more. */
static void
log_line(struct log *l)
{
	errno = 0;
	if (!l->events)
		fputs("}\n", l->file);
	if (!fflush(l->file) && !ferror(l->file))
		return;
	l->lost = errno ? errno : EIO;
	if (bar_is_drawn)
		putchar('\n');
	bar_is_drawn = false;
	fflush(stdout);
	fprintf(stderr, "%s: ", PROGRAM);
	put_safe(stderr, l->name);
	fprintf(stderr, ": cannot be written: %s; the training goes on without it\n", strerror(l->lost));
	fclose(l->file);
	l->file = NULL;
}

/* What is left to say of it when all is done. */
static void
log_close(struct log *l)
{
	if (l->file && fclose(l->file))
		l->lost = errno;
	l->file = NULL;
	if (l->lost)
		fail("%s: the log is not whole: %s", l->name, strerror(l->lost));
}

static void
log_results(struct log *l, const char *prefix, const struct result *result, int n, const double *sum,
    int64_t samples)
{
	for (int k = 0; k < n; k++) {
		if (result[k].kind == RESULT_WEIGHT)
			continue;
		log_number(l, prefix, result[k].name, result_value(result, n, k, sum, samples));
		if (result[k].kind == RESULT_COUNTS && result[k].log && !l->events) {
			fprintf(l->file, ",\"%s%s_by_class\":", prefix, result[k].name);
			result[k].log(l->file, sum + result[k].at, result[k].numbers);
		}
#ifdef KEEPS
		if (result[k].kind == RESULT_KEPT && !l->events) {
			fprintf(l->file, ",\"%s%s_coco\":", prefix, result[k].name);
			result[k].log(l->file, keepings[k].value, keepings[k].n);
		}
#endif
	}
}

/* ---- what is told ---- */

static void
log_step(struct log *l, const struct progress *p, int64_t epoch, int64_t update, double lr, const double *sum,
    int64_t samples)
{
	if (!l->file)
		return;
	log_begin(l, "update", update);
	log_count(l, "epoch", epoch);
	log_count(l, "update", update);
	log_number(l, "", "lr", lr);
	log_results(l, "", p->result, p->results, sum, samples);
	log_line(l);
}

static void
log_epoch(struct log *l, const struct progress *p, int64_t epoch, int64_t update, const double *sum,
    int64_t samples, const struct result *valid_result, int valid_results, const double *valid,
    int64_t validated)
{
	if (!l->file)
		return;
	log_begin(l, "epoch", update);
	log_count(l, "epoch", epoch);
	log_count(l, "update", update);
	log_count(l, "samples", samples);
	if (samples)
		log_results(l, "", p->result, p->results, sum, samples);
	if (valid)
		log_results(l, "validation_", valid_result, valid_results, valid, validated);
	log_number(l, "", "seconds", now() - p->started);
	log_line(l);
}

static void
log_start(struct log *l, uint64_t seed, int64_t samples)
{
	if (!l->file)
		return;
	log_begin(l, "start", 0);
	if (!l->events)
		fprintf(l->file, ",\"network\":\"%s\",\"seed\":%llu", NETWORK, (unsigned long long)seed);
	log_count(l, "samples", samples);
	log_count(l, "planned_bytes", ARENA_BYTES);
	log_line(l);
}

static void
log_end(struct log *l, int64_t update, int64_t growth)
{
	if (!l->file)
		return;
	log_begin(l, "end", update);
	log_count(l, "updates", update);
	log_count(l, "planned_bytes", ARENA_BYTES);
	log_count(l, "measured_bytes", arena_taken);
	log_count(l, "growth_bytes", growth);
#ifdef __CUDACC__
	log_count(l, "code_bytes", code_taken);
	log_count(l, "samples_bytes", samples_taken);
	log_count(l, "before_bytes", others_taken);
	log_count(l, "pinned_bytes", pinned_taken);
#endif
	log_line(l);
}
