/*
 * Verification of the audit against hashing alone (P4): the same events, once by `audit verify`, once only hashed, from
 * memory.  By the wall clock: verification hashes in a thread of its own while it reads.
 */
#include "bench.h"
#include "store/sqlite/sqlite.h"
#include "store/txn.h"
#include "store/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 200000
#define TASKS  500
#define BATCH  500 /* events of one operation */

struct audit {
	struct kh_store *store;
	struct kh_arena arena;
	struct kh_error err;
	uint64_t random;
	bool state;
	clockid_t clock;
	/* every body, one after the other */
	char *bytes;
	size_t n, cap;
	size_t *ends;
	size_t count;
};

static double now(const struct audit *a)
{
	struct timespec t;

	clock_gettime(a->clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(const struct audit *a, enum kh_err e, const char *what)
{
	if (e != KH_OK)
		fprintf(stderr, "%s: %s\n", a->err.code != NULL ? a->err.code : "", a->err.detail);
	kh_bench_must(e, what);
}

static enum kh_err event(struct kh_txn *txn, enum kh_audit_kind kind, struct kh_task_row *task, const char *what)
{
	return kh_txn_event(
		txn, &(struct kh_audit){
			     .kind = kind, .task = task, .by = 1, .at = 1763193600000000, .what = kh_view_str(what)});
}

static enum kh_err create(struct kh_txn *txn, void *arg)
{
	struct audit *a = arg;
	struct kh_system_row *system;
	struct kh_token_row *token;
	struct kh_context_row *context;

	kh_txn_use_arena(txn, &a->arena);
	enum kh_err e = kh_txn_new(txn, KH_TABLE_SYSTEM, &system);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_TOKENS, &token);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_CONTEXTS, &context);
	if (e != KH_OK)
		return e;
	system->id_key = KH_LIT("0123456789abcdef");
	system->format = KH_AUDIT_FORMAT;
	token->context = context->id;
	token->name = KH_LIT("agent");
	context->token = token->id;
	context->budget = kh_budget_new(1000000000);
	e = event(txn, KH_AUDIT_STORE_CREATED, NULL, "");
	for (int i = 0; i < TASKS && e == KH_OK; i++) {
		struct kh_task_row *task;
		char what[64];
		e = kh_txn_new(txn, KH_TABLE_TASKS, &task);
		if (e != KH_OK)
			break;
		task->context = context->id;
		task->budget = kh_budget_new(1000000);
		snprintf(what, sizeof(what), "{\"task\":%lld}", (long long)task->id);
		e = event(txn, KH_AUDIT_TASK_LISTED, NULL, what);
		if (e == KH_OK)
			e = event(txn, KH_AUDIT_TASK_OPENED, task, "");
	}
	return e;
}

/* Events of the size of those of a query on its way, for tasks that take turns. */
static enum kh_err append(struct kh_txn *txn, void *arg)
{
	static const char what[] =
		"{\"account\":[{\"item\":\"fields\",\"microbits\":6906892},{\"item\":\"outcome\",\"microbits\":3000000}"
		","
		"{\"item\":\"time\",\"microbits\":3459432}],\"advice\":[],\"checks\":[],\"justification\":\"The date "
		"is "
		"needed to answer the invitation in time\",\"marks\":[],\"rate\":\"100/hour\",\"target\":\"extract\"}";
	struct audit *a = arg;
	enum kh_err e = KH_OK;

	kh_txn_use_arena(txn, &a->arena);
	for (int i = 0; i < BATCH && e == KH_OK; i++) {
		struct kh_task_row *task;
		e = kh_txn_load(txn, KH_TABLE_TASKS,
				1 + kh_bench_random(&a->random, 20) + (int64_t)a->count % TASKS / 20 * 20, &task);
		if (e != KH_OK)
			break;
		task->ended_at++;
		e = event(txn, KH_AUDIT_ALERT, task, what);
	}
	a->count++;
	return e;
}

static bool keep(const struct kh_audit_entry *entry, void *arg)
{
	struct audit *a = arg;

	if (a->n + entry->body.n > a->cap) {
		a->cap = (a->n + entry->body.n) * 2;
		a->bytes = realloc(a->bytes, a->cap);
	}
	if (a->bytes == NULL)
		abort();
	memcpy(a->bytes + a->n, entry->body.p, entry->body.n);
	a->n += entry->body.n;
	a->ends[a->count++] = a->n;
	return true;
}

static enum kh_err keep_all(struct kh_txn *txn, void *arg)
{
	return kh_audit_read(txn, 0, keep, arg);
}

static double verify(void *ctx)
{
	struct audit *a = ctx;
	struct kh_verify v = {.state = a->state, .arena = &a->arena};
	double begin = now(a);

	must(a, kh_verify_store(a->store, &v, &a->err), "verify");
	double took = now(a) - begin;
	if (!v.good || v.events != a->count)
		fprintf(stderr, "%s %.*s\n", v.code != NULL ? v.code : "", KH_FMT(v.detail));
	kh_bench_must(v.good && v.events == a->count ? KH_OK : KH_ECHANGED, "a store that verifies");
	kh_arena_clear(&a->arena);
	return took;
}

static double hash(void *ctx)
{
	struct audit *a = ctx;
	double begin = now(a);
	unsigned sum = 0;
	size_t at = 0;

	for (size_t i = 0; i < a->count; i++) {
		struct kh_digest d = kh_canonical_digest(kh_view_of(a->bytes + at, a->ends[i] - at));
		sum += d.bytes[0];
		at = a->ends[i];
	}
	double took = now(a) - begin;
	if (sum == 1)
		fputs("", stderr); /* so that it is not left out */
	return took;
}

static void fill(struct audit *a, const char *path)
{
	must(a, kh_store_open(&kh_sqlite_backend, path, KH_STORE_CREATE, &a->store, &a->err), "a store");
	must(a, kh_store_run(a->store, create, a, &a->err), "its beginning");
	for (int i = 0; i < EVENTS / BATCH; i++) {
		kh_arena_clear(&a->arena);
		must(a, kh_store_run(a->store, append, a, &a->err), "events");
	}
	a->count = 0;
	a->ends = (size_t *)(void *)kh_bench_alloc((EVENTS + 3 * TASKS + 10) * sizeof(*a->ends));
	must(a, kh_store_read(a->store, keep_all, a, &a->err), "reading");
}

int main(void)
{
	static struct audit a = {.random = 20261115, .clock = CLOCK_MONOTONIC};
	char folder[] = "/tmp/keyhole-bench-XXXXXX", path[64];

	if (mkdtemp(folder) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/keyhole.db", folder);
	kh_arena_init(&a.arena, &kh_alloc_system, (size_t)1 << 30);
	fill(&a, path);
	struct kh_bench_case cases[] = {{.run = verify, .ctx = &a}, {.run = hash, .ctx = &a}};
	kh_bench_time(cases, 2);
	kh_bench_section("Audit: verification of 200,000 events");
	double events = (double)a.count, bytes = (double)a.n;
	kh_bench_ratio("verify, an event", cases[0].ns / events, "hashing alone", cases[1].ns / events, 2);
	kh_bench_speed("verify", bytes, cases[0].ns, "hashing alone", cases[1].ns, 0);
	a.clock = CLOCK_PROCESS_CPUTIME_ID; /* what it costs, where there are no two processors */
	kh_bench_time(cases, 2);
	kh_bench_ratio("verify, an event, processor time", cases[0].ns / events, "hashing alone", cases[1].ns / events,
		       0);
	a.state = true;
	kh_bench_ratio("verify --state, an event", kh_bench_once(verify, &a) / events, "verify", cases[0].ns / events,
		       0);
	kh_store_close(a.store);
	static const char *const ends[] = {"", "-wal", "-shm", "-holders"};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(path, sizeof(path), "%s/keyhole.db%s", folder, ends[i]);
		unlink(path);
	}
	rmdir(folder);
	free(a.bytes);
	free(a.ends);
	return 0;
}
