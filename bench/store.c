/*
 * The store (P4): durable audit events a second in group commit, beside a plain SQLite loop with the same sizes.
 *
 * Disks differ and other programs share them, so the two take turns, and each one's best turn counts.  Time is the wall
 * clock's: most of it is the disk's.  A digit as argument measures that figure alone.
 */
#include "bench.h"

#include "store/backend.h"
#include "store/sqlite/sqlite.h"
#include "store/txn.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TURNS      4
#define TURN_NS    1.2e9 /* of one case */
#define MOST       4096  /* callers */
#define LOOP_BATCH 256

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(bool good, const char *what)
{
	kh_bench_must(good ? KH_OK : KH_ESTORE, what);
}

/* What a decision on a query leaves in the audit, in size and kind. */
static const char what[] = "{\"advice\":[],\"category\":1,\"microbits\":6906892,\"reader\":\"extract\",\"reserved\":"
			   "{\"content\":6906892,\"outcome\":3000000,\"time\":3000000},\"taint\":\"high\"}";

static struct kh_store *store;
static char folder[64], path[96], loop_path[96];
static size_t body_size;

/* One caller: a task of its own, one event at a time. */
struct caller {
	struct kh_store_job job;
	struct kh_arena arena;
	int64_t task;
	struct caller *next;
	pthread_t thread;
	uint64_t events;
};
static struct caller callers[MOST];

static enum kh_err add_event(struct kh_txn *txn, void *arg)
{
	struct caller *c = arg;
	struct kh_task_row *task = NULL;

	kh_arena_clear(&c->arena);
	kh_txn_use_arena(txn, &c->arena);
	enum kh_err e = kh_txn_load(txn, KH_TABLE_TASKS, c->task, &task);
	if (e != KH_OK)
		return e;
	task->queries++;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_QUERY_ADMITTED,
						    .task = task,
						    .by = 3,
						    .at = INT64_C(1763193600000000) + task->queries,
						    .what = kh_view_of(what, sizeof(what) - 1)});
}

/* The appending alone: no row is loaded, none changed, nothing hashed. */
struct appending {
	int64_t id;
	struct kh_view body;
};

static enum kh_err append_only(struct kh_txn *txn, void *arg)
{
	static const char text[] =
		"{\"at\":1763193600000001,\"by\":3,\"chain\":12,\"event\":345,\"kind\":"
		"\"query.admitted\",\"n\":17,\"prev\":\"0000000000000000000000000000000000000000000"
		"000000000000000000000\",\"set\":[[\"tasks\",12,{\"queries\":17}]],\"what\":"
		"{\"advice\":[],\"category\":1,\"microbits\":6906892,\"reader\":\"extract\",\"reserved"
		"\":{\"content\":6906892,\"outcome\":3000000,\"time\":3000000},\"taint\":\"high\"}}";
	int64_t id = 0;

	(void)arg;
	enum kh_err e = kh_txn_next_event(txn, &id);
	if (e != KH_OK)
		return e;
	struct kh_audit_entry entry = {.id = id,
				       .chain = 12,
				       .n = id,
				       .prev = id - 1,
				       .at = 1,
				       .by = 3,
				       .kind = KH_LIT("query.admitted"),
				       .body = kh_view_of(text, sizeof(text) - 1)};
	e = txn->backend->append(txn, &entry);
	if (e == KH_OK) {
		txn->event = id;
		txn->events++;
	}
	return e;
}

/* --- callers that do not wait: a gateway's connections --------------------------------------------------------------
 */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static struct caller *ready;
static bool waiting;

static void finished(struct kh_store_job *job)
{
	struct caller *c = (struct caller *)job;
	bool wake;

	kh_bench_must(job->result, job->err.detail);
	pthread_mutex_lock(&mutex);
	c->next = ready;
	ready = c;
	wake = waiting;
	waiting = false;
	pthread_mutex_unlock(&mutex);
	if (wake)
		pthread_cond_signal(&some);
}

static struct caller *take_ready(void)
{
	pthread_mutex_lock(&mutex);
	while (ready == NULL) {
		waiting = true;
		pthread_cond_wait(&some, &mutex);
	}
	struct caller *c = ready;
	ready = NULL;
	pthread_mutex_unlock(&mutex);
	return c;
}

/* COUNT callers, each with one operation under way at any time; events a second. */
static double run_submitted(size_t count, kh_store_fn *fn)
{
	double start = now(), end;
	uint64_t done = 0;
	size_t out = count;

	for (size_t i = 0; i < count; i++) {
		callers[i].job = (struct kh_store_job){.fn = fn, .arg = &callers[i], .done = finished};
		kh_store_submit(store, &callers[i].job);
	}
	while (out > 0) {
		struct caller *c = take_ready();
		bool go_on = now() - start < TURN_NS;
		while (c != NULL) {
			struct caller *next = c->next;
			done++;
			if (go_on)
				kh_store_submit(store, &c->job);
			else
				out--;
			c = next;
		}
	}
	end = now();
	return (double)done * 1e9 / (end - start);
}

/* --- callers that wait: a thread each -------------------------------------------------------------------------------
 */

static double stop_at;

static void *call(void *arg)
{
	struct caller *c = arg;
	struct kh_error err;

	for (c->events = 0; now() < stop_at; c->events++)
		kh_bench_must(kh_store_run(store, add_event, c, &err), "kh_store_run");
	return NULL;
}

static double run_waiting(size_t count)
{
	double start = now();
	uint64_t done = 0;

	stop_at = start + TURN_NS;
	for (size_t i = 0; i < count; i++)
		must(pthread_create(&callers[i].thread, NULL, call, &callers[i]) == 0, "pthread_create");
	for (size_t i = 0; i < count; i++) {
		pthread_join(callers[i].thread, NULL);
		done += callers[i].events;
	}
	return (double)done * 1e9 / (now() - start);
}

/* --- the peer -------------------------------------------------------------------------------------------------------
 */

static sqlite3 *loop_db;
static sqlite3_stmt *loop_insert;
static int64_t loop_id;

static void exec(const char *sql)
{
	must(sqlite3_exec(loop_db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static void open_loop(void)
{
	must(sqlite3_open(loop_path, &loop_db) == SQLITE_OK, "sqlite3_open");
	exec("PRAGMA journal_mode = WAL");
	exec("PRAGMA synchronous = FULL");
	exec("CREATE TABLE log (id INTEGER PRIMARY KEY, chain INTEGER, n INTEGER, prev INTEGER, at INTEGER, "
	     "\"by\" INTEGER, kind TEXT, body TEXT, hash BLOB)");
	must(sqlite3_prepare_v2(loop_db,
				"INSERT INTO log VALUES (?, 12, 17, ?, 1763193600000000, 3, "
				"'query.admitted', ?, ?)",
				-1, &loop_insert, NULL) == SQLITE_OK,
	     "prepare");
}

static double run_loop(void)
{
	static char body[4096], hash[32];
	double start = now();
	uint64_t done = 0;

	memset(body, 'x', sizeof(body));
	while (now() - start < TURN_NS) {
		exec("BEGIN");
		for (int i = 0; i < LOOP_BATCH; i++, done++) {
			sqlite3_bind_int64(loop_insert, 1, ++loop_id);
			sqlite3_bind_int64(loop_insert, 2, loop_id - 1);
			sqlite3_bind_text(loop_insert, 3, body, (int)body_size, SQLITE_STATIC);
			sqlite3_bind_blob(loop_insert, 4, hash, sizeof(hash), SQLITE_STATIC);
			must(sqlite3_step(loop_insert) == SQLITE_DONE, "insert");
			sqlite3_reset(loop_insert);
		}
		exec("COMMIT");
	}
	return (double)done * 1e9 / (now() - start);
}

/* --- all of it ------------------------------------------------------------------------------------------------------
 */

/* The rows that the callers' events belong to. */
static enum kh_err make_rows(struct kh_txn *txn, void *arg)
{
	struct kh_arena *arena = arg;
	struct kh_context_row context = {.id = 1};
	struct kh_task_row task = {.context = 1, .budget = {.budget = 100, .remaining = 100}};
	struct kh_system_row system = {.id = 1, .format = KH_AUDIT_FORMAT};
	enum kh_err e = txn->backend->insert(txn, KH_TABLE_SYSTEM, &system);

	if (e == KH_OK)
		e = txn->backend->insert(txn, KH_TABLE_CONTEXTS, &context);
	kh_txn_use_arena(txn, arena);
	for (size_t i = 0; i < MOST && e == KH_OK; i++) {
		callers[i].task = task.id = (int64_t)i + 1;
		task.title = KH_LIT("a task of an agent");
		e = txn->backend->insert(txn, KH_TABLE_TASKS, &task);
	}
	return e;
}

static bool take_size(const struct kh_audit_entry *entry, void *arg)
{
	*(size_t *)arg = entry->body.n;
	return true;
}

static enum kh_err find_size(struct kh_txn *txn, void *arg)
{
	return kh_audit_read(txn, 0, take_size, arg);
}

struct figure {
	const char *name;
	double (*run)(size_t count);
	size_t count;
	double best, per_commit, cpu;
};

static double submitted(size_t count)
{
	return run_submitted(count, add_event);
}

static double appended(size_t count)
{
	return run_submitted(count, append_only);
}

static struct figure figures[] = {
	{"events with the row that they change, 64 callers", submitted, 64, 0, 0, 0},
	{"events with the row that they change, 256 callers", submitted, 256, 0, 0, 0},
	{"events with the row that they change, 1024 callers", submitted, 1024, 0, 0, 0},
	{"events with the row that they change, 4096 callers", submitted, 4096, 0, 0, 0},
	{"appends, 1024 callers", appended, 1024, 0, 0, 0},
	{"the same, 64 waiting threads", run_waiting, 64, 0, 0, 0},
	{"the same, 256 waiting threads", run_waiting, 256, 0, 0, 0},
};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

/* The processor time of all threads: what a figure would come to where the disk is no bound. */
static double processor(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void take_turn(struct figure *f)
{
	struct kh_store_figures before = kh_store_figures(store), after;
	double start = processor(), rate = f->run(f->count), used = processor() - start;

	after = kh_store_figures(store);
	used /= (double)(after.operations - before.operations);
	if (f->cpu == 0 || used < f->cpu)
		f->cpu = used;
	if (rate > f->best) {
		f->best = rate;
		f->per_commit = (double)(after.operations - before.operations) /
				(double)(after.commits - before.commits);
	}
}

static void clean_up(void)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-holders"};
	char name[128];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
		snprintf(name, sizeof(name), "%s%s", loop_path, suffixes[i]);
		unlink(name);
	}
	rmdir(folder);
}

static void set_up(void)
{
	struct kh_error err;
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/kh-bench-XXXXXX", tmp != NULL ? tmp : "/var/tmp");
	must(mkdtemp(folder) != NULL, folder);
	atexit(clean_up);
	snprintf(path, sizeof(path), "%s/store", folder);
	snprintf(loop_path, sizeof(loop_path), "%s/loop", folder);
	for (size_t i = 0; i < MOST; i++)
		kh_arena_init(&callers[i].arena, NULL, 1U << 20);
	kh_bench_must(kh_store_open(&kh_sqlite_backend, path, KH_STORE_CREATE, &store, &err), "kh_store_open");
	kh_bench_must(kh_store_run(store, make_rows, &callers[0].arena, &err), err.detail);
	kh_bench_must(kh_store_run(store, add_event, &callers[0], &err), err.detail);
	kh_bench_must(kh_store_read(store, find_size, &body_size, &err), "the size of an event");
	open_loop();
}

int main(int argc, char **argv)
{
	double loop = 0, loop_cpu = 0;
	size_t only = argc > 1 ? (size_t)(argv[1][0] - '0') : FIGURES;

	set_up();
	for (int turn = 0; turn < TURNS; turn++) {
		double start = processor();
		int64_t first = loop_id;
		double rate = run_loop();
		loop_cpu = (processor() - start) / (double)(loop_id - first);
		loop = rate > loop ? rate : loop;
		for (size_t i = 0; i < FIGURES; i++) {
			if (only == FIGURES || only == i)
				take_turn(&figures[i]);
		}
	}
	kh_bench_section(
		kh_bench_printf(
			"The store: durable events a second, %zu bytes each (operations a commit; processor time)",
			body_size)
			.s);
	for (size_t i = 0; i < FIGURES; i++) {
		const struct figure *f = &figures[i];
		bool marked = f->run == appended;
		kh_bench_row(f->name,
			     kh_bench_printf("%.0f/s (%.0f; %s)", f->best, f->per_commit, kh_bench_ns(f->cpu).s).s,
			     kh_bench_printf("plain loop, %d a commit %.0f/s (%s)", LOOP_BATCH, loop,
					     kh_bench_ns(loop_cpu).s)
				     .s,
			     f->best / loop, marked ? ">= 150000/s" : "",
			     !marked             ? ""
			     : f->best >= 150000 ? "met"
						 : "missed");
	}
	kh_store_close(store);
	sqlite3_finalize(loop_insert);
	sqlite3_close(loop_db);
	return 0;
}
