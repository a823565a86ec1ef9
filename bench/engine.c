/*
 * Queries through the engine on a real store (P4, P6): admitted, answered by `extract`, delivered, with everything on
 * the record and synced first; many callers, one process.  And what a query costs when the audit is long.
 */
#include "bench.h"

#include "base/json.h"
#include "core/policy/config.h"
#include "engine/context/put.h"
#include "engine/context/token.h"
#include "engine/context/who.h"
#include "engine/engine.h"
#include "engine/query/admit.h"
#include "engine/state/find.h"
#include "engine/task/task.h"
#include "reader/reader.h"
#include "store/sqlite/sqlite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CALLERS 512
#define SECONDS 4
#define WANTED  20000.0

static const char policy_text[] = "policy:\n"
				  "  release: immediate\n"
				  "  budgets:\n"
				  "    task_bits: 1000000000\n"
				  "    context_bits: 1000000000\n"
				  "  rates:\n"
				  "    category_1: 1000000/second\n"
				  "    category_2: 1000000/second\n";

static const char mail[] =
	"From: Ada Brown <ada@example.org>\n"
	"To: team@example.org\n"
	"Subject: Budget meeting\n"
	"\n"
	"Hello all,\n"
	"the budget meeting is on 12 May 2026 at 14:30 in room 4. It is urgent that everybody has read the\n"
	"figures before: travel is at 1,250 EUR, licences at 3,400 EUR. Please bring your questions.\n"
	"Ada\n";

struct world {
	struct kh_arena arena;
	struct kh_store *store;
	struct kh_engine *engine;
	const struct kh_policy *policy;
	struct kh_reader reader;
	struct kh_view admin;
	char folder[64], file[96];
	volatile bool stop;
};

struct caller {
	struct world *world;
	struct kh_view token, task, query;
	pthread_t thread;
	uint64_t done;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void open_world(struct world *w)
{
	struct kh_digest key = {{1}};
	unsigned char random[64] = {7, 1, 9};
	struct kh_error err = {0};

	kh_arena_init(&w->arena, &kh_alloc_system, 256U << 20);
	snprintf(w->folder, sizeof(w->folder), "build/bench-engine-XXXXXX");
	if (mkdtemp(w->folder) == NULL)
		kh_bench_must(KH_ESTORE, "a folder for the store");
	snprintf(w->file, sizeof(w->file), "%s/keyhole.db", w->folder);
	kh_bench_must(kh_config_policy(&w->arena, kh_view_str(policy_text), KH_LIT("bench"), &w->policy, &err),
		      err.detail);
	kh_bench_must(kh_store_open(&kh_sqlite_backend, w->file, KH_STORE_CREATE, &w->store, &err), err.detail);
	kh_bench_must(kh_engine_create(w->store, &w->arena, &key, random, INT64_C(1780000000000000), &w->admin, &err),
		      err.detail);
	w->reader = (struct kh_reader){.name = KH_LIT("extract"), .driver = &kh_reader_extract};
	struct kh_engine_settings settings = {.store = w->store,
					      .policy = w->policy,
					      .readers = &w->reader,
					      .reader_count = 1,
					      .version = KH_LIT("bench")};
	kh_bench_must(kh_engine_new(&settings, &w->engine, &err), err.detail);
}

static void close_world(struct world *w)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-holders"};

	kh_engine_free(w->engine);
	kh_store_close(w->store);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char name[128];
		snprintf(name, sizeof(name), "%s%s", w->file, ends[i]);
		unlink(name);
	}
	rmdir(w->folder);
	kh_arena_done(&w->arena);
}

static void open_caller(struct world *w, struct caller *c, unsigned n)
{
	struct kh_error err = {0};
	struct kh_token_create create = {.name = kh_arena_printf(&w->arena, "agent-%u", n), .role = KH_ROLE_CONTROLLER};
	struct kh_task_open open = {.title = KH_LIT("bench")};

	kh_engine_random(w->engine, create.secret, sizeof(create.secret));
	kh_bench_must(kh_engine_call(w->engine, kh_token_read(w->engine, w->admin), kh_token_create_run, &create,
				     &w->arena, &err),
		      err.detail);
	*c = (struct caller){.world = w, .token = create.text};
	kh_bench_must(
		kh_engine_call(w->engine, kh_token_read(w->engine, c->token), kh_task_open_run, &open, &w->arena, &err),
		err.detail);
	c->task = open.id;
	/* A task is named by its id, as clients do. */
	c->query = kh_arena_printf(
		&w->arena,
		"{\"task\":\"%.*s\",\"category\":1,\"target\":\"extract\",\"fields\":["
		"{\"name\":\"is_urgent\",\"type\":\"boolean\"},{\"name\":\"topic\",\"type\":\"enum\","
		"\"values\":[\"budget\",\"travel\",\"other\"]}]}",
		KH_FMT(c->task));
	struct kh_put put = {.task = c->task,
			     .source = KH_LIT("mail"),
			     .content = kh_tainted_wrap(kh_view_of(mail, sizeof(mail) - 1))};
	kh_bench_must(kh_engine_call(w->engine, kh_token_read(w->engine, c->token), kh_put_run, &put, &w->arena, &err),
		      err.detail);
}

static void *call(void *arg)
{
	struct caller *c = arg;
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, 16U << 20);
	while (!c->world->stop) {
		struct kh_error err = {0};
		struct kh_admit admit = {.at_once = true}; /* as the gateway does */
		kh_arena_clear(&arena);
		kh_bench_must(kh_json_read(&arena, c->query, &admit.query, &err), "query");
		kh_bench_must(kh_engine_call(c->world->engine, kh_token_read(c->world->engine, c->token), kh_admit_run,
					     &admit, &arena, &err),
			      err.detail);
		kh_bench_must(admit.refused == KH_OUTCOME_NONE ? KH_OK : KH_EREFUSED, "the query was refused");
		kh_bench_must(admit.look.outcome == KH_OUTCOME_DELIVERED ? KH_OK : KH_EREFUSED,
			      "nothing was delivered");
		c->done++;
	}
	kh_arena_done(&arena);
	return NULL;
}

struct rate {
	double queries;    /* a second */
	double operations; /* a commit */
	double events;     /* a second */
};

/* COUNT callers for some seconds. */
static struct rate measure(struct world *w, struct caller *callers, unsigned count, double length)
{
	struct kh_store_figures before = kh_store_figures(w->store), after;
	double start = seconds();
	uint64_t done = 0;

	w->stop = false;
	for (unsigned i = 0; i < count; i++) {
		callers[i].done = 0;
		if (pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0)
			kh_bench_must(KH_ENOMEM, "a thread");
	}
	usleep((useconds_t)(length * 1e6));
	w->stop = true;
	for (unsigned i = 0; i < count; i++) {
		pthread_join(callers[i].thread, NULL);
		done += callers[i].done;
	}
	double time = seconds() - start;
	after = kh_store_figures(w->store);
	return (struct rate){
		.queries = (double)done / time,
		.operations = (double)(after.operations - before.operations) / (double)(after.commits - before.commits),
		.events = (double)(after.events - before.events) / time,
	};
}

static void show(const char *what, struct rate r, double wanted)
{
	struct kh_bench_text figure = kh_bench_printf("%.0f/s", r.queries), more,
			     want = kh_bench_printf("%.0f/s", wanted);

	more = kh_bench_printf("%.0f events/s, %.1f operations a commit", r.events, r.operations);
	kh_bench_row(what, figure.s, more.s, 0, wanted > 0 ? want.s : "",
		     wanted <= 0           ? ""
		     : r.queries >= wanted ? "met"
					   : "missed");
}

/* --- a long audit ------------------------------------------------------------------------------------------------- */

struct fill {
	struct kh_arena arena;
	int64_t count;
};

static enum kh_err fill_some(struct kh_op *op, void *arg)
{
	struct fill *fill = arg;
	enum kh_err e = KH_OK;

	for (int64_t i = 0; i < fill->count && e == KH_OK; i++)
		e = kh_op_event(
			op, KH_AUDIT_REFUSED, NULL,
			KH_LIT("{\"code\":\"forbidden\",\"operation\":\"a line of the length that most have\"}"));
	return e;
}

/* Events up to TOTAL in all. */
static void fill_up(struct world *w, int64_t total)
{
	struct kh_error err = {0};

	for (;;) {
		struct kh_store_figures f = kh_store_figures(w->store);
		struct fill fill = {.count = total - (int64_t)f.events};
		if (fill.count <= 0)
			return;
		if (fill.count > 5000)
			fill.count = 5000;
		kh_arena_init(&fill.arena, &kh_alloc_system, 64U << 20);
		kh_bench_must(kh_engine_own(w->engine, fill_some, &fill, &fill.arena, &err), err.detail);
		kh_arena_done(&fill.arena);
	}
}

/* --- who waits for whom (D1) -------------------------------------------------------------------------------------- */

#define MUCH ((size_t)15 << 20)

/* Another caller, who only asks who he is. */
struct bystander {
	struct caller *caller;
	double longest; /* seconds that one call took */
};

static void *stand_by(void *arg)
{
	struct bystander *b = arg;
	struct world *w = b->caller->world;
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, 16U << 20);
	while (!w->stop) {
		struct kh_error err = {0};
		struct kh_who who = {0};
		double start = seconds();
		kh_arena_clear(&arena);
		kh_bench_must(kh_engine_call(w->engine, kh_token_read(w->engine, b->caller->token), kh_who_run, &who,
					     &arena, &err),
			      err.detail);
		double took = seconds() - start;
		if (took > b->longest)
			b->longest = took;
	}
	kh_arena_done(&arena);
	return NULL;
}

/* How long one caller puts 15 MiB in, and how long another waits at worst meanwhile. */
static void measure_put(struct world *w, struct caller *callers)
{
	struct bystander b = {.caller = &callers[1]};
	char *content = kh_bench_alloc(MUCH);
	struct kh_error err = {0};
	struct kh_arena arena;
	pthread_t thread;

	memset(content, 'x', MUCH);
	kh_arena_init(&arena, &kh_alloc_system, 256U << 20);
	w->stop = false;
	if (pthread_create(&thread, NULL, stand_by, &b) != 0)
		kh_bench_must(KH_ENOMEM, "a thread");
	struct kh_put put = {.task = callers[0].task,
			     .source = KH_LIT("disk"),
			     .content = kh_tainted_wrap(kh_view_of(content, MUCH))};
	double start = seconds();
	kh_bench_must(
		kh_engine_call(w->engine, kh_token_read(w->engine, callers[0].token), kh_put_run, &put, &arena, &err),
		err.detail);
	double took = seconds() - start;
	w->stop = true;
	pthread_join(thread, NULL);
	kh_bench_ratio("15 MiB are put in: another caller waits at most", b.longest * 1e9, "who puts it in", took * 1e9,
		       0.5);
	kh_arena_done(&arena);
	free(content);
}

int main(void)
{
	static struct caller callers[CALLERS];
	static struct world w;
	static const int64_t lengths[] = {1000, 100000, 10000000};
	double first = 0;

	kh_bench_section("Engine: category-1 queries, answered by extract, everything durable");
	open_world(&w);
	for (unsigned i = 0; i < CALLERS; i++)
		open_caller(&w, &callers[i], i);
	show("one caller", measure(&w, callers, 1, 1), 0);
	show("16 callers", measure(&w, callers, 16, 2), 0);
	show("512 callers", measure(&w, callers, CALLERS, SECONDS), WANTED);
	kh_bench_section("Engine: what one caller does, and how long another waits meanwhile");
	measure_put(&w, callers);
	close_world(&w);

	kh_bench_section("Cost of a query by the length of the audit (512 callers)");
	open_world(&w);
	for (unsigned i = 0; i < CALLERS; i++)
		open_caller(&w, &callers[i], i);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fill_up(&w, lengths[i]);
		struct rate r = measure(&w, callers, CALLERS, 2);
		double ns = 1e9 / r.queries;
		struct kh_bench_text what = kh_bench_printf("%lld events before", (long long)lengths[i]);
		if (i == 0)
			first = ns;
		kh_bench_ratio(what.s, ns, "1000 events", first, i == 0 ? 0 : 1.5);
	}
	close_world(&w);
	return 0;
}
