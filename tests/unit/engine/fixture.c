/* The engine's tests: store, engine, tokens, scripted Readers.  One at a time; kept from test to test. */
#include "fixture.h"

#include "base/clock.h"
#include "core/policy/config.h"
#include "engine/context/put.h"
#include "engine/context/token.h"
#include "engine/outbox.h"
#include "engine/query/admit.h"
#include "engine/state/inforce.h"
#include "engine/state/refusals.h"
#include "engine/task/task.h"
#include "engine/waiting.h"
#include "errand/errand.h"
#include "store/sqlite/sqlite.h"
#include "store/verify.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARENA_LIMIT (256U << 20)

const char kh_fixture_policy[] = "policy:\n"
				 "  release: immediate\n"
				 "  rates:\n"
				 "    category_1: 1000000/second\n"
				 "    category_2: 1000000/second\n"
				 "    category_3: 1000000/second\n";

static struct kh_fixture fixture; /* outlives a test that ends by longjmp */

/* --- clock, dice, Readers ----------------------------------------------------------------------------------------- */

static int64_t clock_of(void *ctx)
{
	struct kh_fixture *f = ctx;

	return atomic_load(&f->now);
}

static void draw(void *ctx, unsigned char *bytes, size_t n)
{
	struct kh_fixture *f = ctx;

	for (size_t i = 0; i < n; i += KH_DIGEST_SIZE) {
		uint64_t count = atomic_fetch_add(&f->dice, 1);
		struct kh_digest digest = kh_canonical_digest(kh_view_of((const char *)&count, sizeof(count)));
		memcpy(bytes + i, digest.bytes, n - i < sizeof(digest.bytes) ? n - i : sizeof(digest.bytes));
	}
}

static enum kh_err ask_script(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			      struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			      struct kh_view *ret_detail)
{
	struct kh_fixture *f = &fixture;
	size_t i = atomic_fetch_add(&f->answered, 1);
	struct kh_fixture_answer answer = {NULL, KH_READER_DEAD};

	(void)reader;
	(void)arena;
	atomic_fetch_add(&f->asked, 1);
	if (i < sizeof(f->told) / sizeof(f->told[0]))
		snprintf(f->told[i], sizeof(f->told[i]), "%.*s", KH_FMT(ask->again));
	if (i < f->answer_count)
		answer = f->answers[i];
	/* Without memory of its own: a Reader that runs out of it is a failed try, and the next answer is another's. */
	if (answer.response != NULL)
		*ret_response = kh_tainted_wrap(kh_view_str(answer.response));
	*ret_fault = answer.fault;
	*ret_detail = answer.fault == KH_READER_OK ? KH_LIT("") : KH_LIT("as the test says");
	return KH_OK;
}

static const struct kh_reader_driver scripted = {.name = "scripted", .pure = true, .ask = ask_script};
static const struct kh_reader_driver program = {.name = "program", .pure = false, .ask = ask_script};
static const struct kh_reader_driver quick = {.name = "quick", .pure = true, .quick = true, .ask = ask_script};
static const struct kh_reader readers[] = {
	{.name = KH_LIT_INIT("scripted"), .driver = &scripted},
	{.name = KH_LIT_INIT("quick"), .driver = &quick},
	{.name = KH_LIT_INIT("program"), .driver = &program},
	{.name = KH_LIT_INIT("abroad"), .driver = &program, .outside = true},
};

static void push(struct kh_fixture *f, struct kh_fixture_answer answer)
{
	assert_true(f->answer_count < KH_FIXTURE_ANSWERS);
	f->answers[f->answer_count++] = answer;
}

void kh_fixture_answer(struct kh_fixture *f, const char *response)
{
	push(f, (struct kh_fixture_answer){response, KH_READER_OK});
}

void kh_fixture_fault(struct kh_fixture *f, enum kh_reader_fault fault)
{
	push(f, (struct kh_fixture_answer){NULL, fault});
}

void kh_fixture_pass(struct kh_fixture *f, int64_t microseconds)
{
	atomic_fetch_add(&f->now, microseconds);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void check(enum kh_err e, const struct kh_error *err)
{
	if (e != KH_OK)
		fail_msg("the set-up: %s %s: %s", kh_err_name(e), err->code != NULL ? err->code : "", err->detail);
}

static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[512];

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path); /* "." and ".." are none */
	}
	if (dir != NULL)
		closedir(dir);
	rmdir(folder);
}

void kh_fixture_verify(struct kh_fixture *f)
{
	struct kh_verify verify = {.state = true, .arena = &f->arena};
	struct kh_error err = {0};
	enum kh_err e = kh_verify_store(f->store, &verify, &err);

	if (e == KH_OK && verify.good)
		return;
	/* Not by cmocka: this is also how a program ends. */
	fprintf(stderr, "the store does not verify: %s %s, event %lld, chain %lld: %.*s\n", kh_err_name(e),
		e == KH_OK ? verify.code : err.code, (long long)verify.event, (long long)verify.chain,
		KH_FMT(verify.detail));
	abort();
}

static void close_all(void)
{
	struct kh_fixture *f = &fixture;

	if (f->engine != NULL && !f->unverified)
		kh_fixture_verify(f);
	f->unverified = false;
	kh_engine_free(f->engine);
	kh_store_close(f->store);
	f->engine = NULL;
	f->store = NULL;
	if (f->folder[0] != '\0')
		remove_folder(f->folder);
	f->folder[0] = '\0';
	if (f->arena.alloc != NULL)
		kh_arena_done(&f->arena);
	if (f->lasting.alloc != NULL)
		kh_arena_done(&f->lasting);
	f->arena.alloc = f->lasting.alloc = NULL;
}

static void open_engine(struct kh_fixture *f)
{
	struct kh_engine_settings settings = {
		.alloc = &kh_alloc_system, /* a test may end by longjmp; this is not its to give back */
		.store = f->store,
		.policy = f->policy,
		.readers = readers,
		.reader_count = sizeof(readers) / sizeof(readers[0]),
		.errands = &kh_errand_table,
		.clock = clock_of,
		.random = draw,
		.ctx = f,
		.retention = KH_FIXTURE_KEEPS,
		.version = KH_LIT("test"),
	};
	struct kh_error err = {0};

	check(kh_engine_new(&settings, &f->engine, &err), &err);
}

static void make_folder(struct kh_fixture *f)
{
	static const char *const places[] = {"/dev/shm/keyhole-XXXXXX", "/tmp/keyhole-XXXXXX"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(f->folder, sizeof(f->folder), "%s", places[i]);
		if (mkdtemp(f->folder) != NULL) {
			snprintf(f->file, sizeof(f->file), "%s/keyhole.db", f->folder);
			return;
		}
	}
	fail_msg("no folder for the store");
}

static void open_store(struct kh_fixture *f, const char *yaml)
{
	static bool registered;
	struct kh_digest key = {{1}};
	unsigned char random[64];
	struct kh_error err = {0};

	if (!registered)
		registered = atexit(close_all) == 0;
	close_all();
	kh_arena_init(&f->arena, &kh_alloc_system, ARENA_LIMIT);
	kh_arena_init(&f->lasting, &kh_alloc_system, ARENA_LIMIT);
	f->yaml = yaml;
	atomic_store(&f->now, KH_FIXTURE_EPOCH);
	make_folder(f);
	check(kh_config_policy(&f->lasting, kh_view_str(yaml), KH_LIT("keyhole.yaml"), &f->policy, &err), &err);
	check(kh_store_open(&kh_sqlite_backend, f->file, KH_STORE_CREATE, &f->store, &err), &err);
	draw(f, random, sizeof(random));
	check(kh_engine_create(f->store, &f->lasting, &key, random, KH_FIXTURE_EPOCH, &f->admin, &err), &err);
	open_engine(f);
}

void kh_fixture_restart(struct kh_fixture *f)
{
	struct kh_error err = {0};

	kh_engine_free(f->engine);
	kh_store_close(f->store);
	f->engine = NULL;
	f->store = NULL;
	check(kh_store_open(&kh_sqlite_backend, f->file, KH_STORE_EXISTING, &f->store, &err), &err);
	open_engine(f);
}

/* --- tokens, tasks, blocks ---------------------------------------------------------------------------------------- */

/* For the set-up: it must succeed, and what comes out lives as long as the test. */
static void set_up(struct kh_fixture *f, struct kh_view token, kh_engine_fn *fn, void *call)
{
	struct kh_error err = {0};

	check(kh_engine_call(f->engine, kh_token_read(f->engine, token), fn, call, &f->arena, &err), &err);
}

void kh_fixture_elsewhere(struct kh_fixture *f, struct kh_view token, kh_engine_fn *fn, void *call)
{
	struct kh_store *store = f->store;
	struct kh_engine *engine = f->engine;
	struct kh_error err = {0};

	check(kh_store_open(&kh_sqlite_backend, f->file, KH_STORE_EXISTING, &f->store, &err), &err);
	open_engine(f);
	set_up(f, token, fn, call);
	kh_engine_free(f->engine);
	kh_store_close(f->store);
	f->store = store;
	f->engine = engine;
}

static struct kh_view make_token(struct kh_fixture *f, struct kh_view by, enum kh_role role, const char *prefix,
				 struct kh_token_create *create)
{
	*create = (struct kh_token_create){
		.name = kh_arena_printf(&f->arena, "%s%u", prefix, f->names++),
		.role = role,
	};
	draw(f, create->secret, sizeof(create->secret));
	set_up(f, by, kh_token_create_run, create);
	return create->text;
}

struct kh_view kh_fixture_token(struct kh_fixture *f, enum kh_role role, const char *prefix,
				struct kh_view *ret_context)
{
	struct kh_token_create create;
	struct kh_view text = make_token(f, f->admin, role, prefix, &create);

	if (ret_context != NULL)
		*ret_context = create.context;
	return text;
}

struct kh_view kh_fixture_hook(struct kh_fixture *f)
{
	struct kh_token_create create = {
		.name = kh_arena_printf(&f->arena, "hook%u", f->names++),
		.role = KH_ROLE_HOOK,
		.of = f->hosted_context,
	};

	draw(f, create.secret, sizeof(create.secret));
	set_up(f, f->host, kh_token_create_run, &create);
	return create.text;
}

struct kh_view kh_fixture_token_id(struct kh_view text)
{
	return kh_view_sub(text, 3, 20);
}

struct kh_view kh_fixture_task(struct kh_fixture *f, struct kh_view token)
{
	struct kh_task_open open = {.title = KH_LIT("a task")};

	set_up(f, token, kh_task_open_run, &open);
	return open.id;
}

struct kh_view kh_fixture_block(struct kh_fixture *f, struct kh_view token, struct kh_view task, const char *content)
{
	struct kh_put put = {
		.task = task,
		.source = KH_LIT("mail.txt"),
		.content = kh_tainted_wrap(kh_view_str(content)),
	};

	set_up(f, token, kh_put_run, &put);
	return put.id;
}

static struct kh_fixture *begin(struct kh_test *t, const char *yaml, bool fresh)
{
	struct kh_fixture *f = &fixture;
	struct kh_token_create create;

	if (yaml == NULL)
		yaml = kh_fixture_policy;
	if (fresh || f->engine == NULL || strcmp(yaml, f->yaml) != 0)
		open_store(f, yaml);
	kh_arena_clear(&f->arena);
	f->t = t;
	f->answer_count = 0;
	atomic_store(&f->answered, 0);
	atomic_store(&f->asked, 0);
	kh_fixture_pass(f, KH_FIXTURE_SECOND);
	f->reviewer = kh_fixture_token(f, KH_ROLE_REVIEWER, "reviewer", NULL);
	f->host = kh_fixture_token(f, KH_ROLE_HOST, "host", NULL);
	f->supervisor = kh_fixture_token(f, KH_ROLE_SUPERVISOR, "supervisor", NULL);
	f->reader = make_token(f, f->admin, KH_ROLE_READER, "reader", &create);
	f->reader_name = create.name;
	f->controller = kh_fixture_token(f, KH_ROLE_CONTROLLER, "controller", &f->context);
	f->hosted = make_token(f, f->host, KH_ROLE_CONTROLLER, "hosted", &create);
	f->hosted_context = create.context;
	return f;
}

struct kh_fixture *kh_fixture_open(struct kh_test *t, const char *yaml)
{
	return begin(t, yaml, false);
}

struct kh_fixture *kh_fixture_fresh(struct kh_test *t, const char *yaml)
{
	return begin(t, yaml, true);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

enum kh_err kh_fixture_call(struct kh_fixture *f, struct kh_view token, kh_engine_fn *fn, void *call)
{
	f->t->err = (struct kh_error){.offset = SIZE_MAX};
	return kh_engine_call(f->engine, kh_token_read(f->engine, token), fn, call, &f->t->arena, &f->t->err);
}

enum kh_err kh_fixture_own(struct kh_fixture *f, kh_engine_fn *fn, void *call)
{
	f->t->err = (struct kh_error){.offset = SIZE_MAX};
	return kh_engine_own(f->engine, fn, call, &f->t->arena, &f->t->err);
}

enum kh_err kh_fixture_carry_ask(struct kh_engine *engine, const struct kh_ask *ask, struct kh_arena *arena,
				 struct kh_error *err)
{
	struct kh_entry entry = kh_outbox_of_ask(ask);

	return kh_outbox_run(engine, &entry, arena, err);
}

enum kh_err kh_fixture_carry_effect(struct kh_engine *engine, int64_t effect, struct kh_error *err)
{
	struct kh_entry entry = kh_outbox_of_effect(effect, KH_LIT(""));
	struct kh_arena arena;

	kh_arena_init(&arena, kh_engine_alloc(engine), 64U << 20);
	enum kh_err e = kh_outbox_run(engine, &entry, &arena, err);
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_fixture_wait(struct kh_engine *engine, struct kh_view token, struct kh_look *look, int64_t wait_ms,
			    struct kh_arena *arena, struct kh_error *err)
{
	struct kh_waiting waiting = {.until = kh_clock_us() + wait_ms * 1000};

	return kh_waiting_run(engine, kh_token_read(engine, token), look, &waiting, arena, err);
}

enum kh_err kh_fixture_query(struct kh_fixture *f, struct kh_view token, struct kh_view task, const char *members,
			     struct kh_look *ret_look)
{
	struct kh_view text = kh_arena_printf(&f->arena, "{\"task\":\"%.*s\"%s%s}", KH_FMT(task), *members ? "," : "",
					      members);
	struct kh_admit admit = {.query = kh_fixture_json(f, text)};
	enum kh_err e = kh_fixture_call(f, token, kh_admit_run, &admit);

	if (e != KH_OK)
		return e;
	struct kh_look look = {.query = admit.id, .outcome = admit.refused};
	if (admit.refused == KH_OUTCOME_NONE && admit.ask.found)
		e = kh_fixture_carry_ask(f->engine, &admit.ask, &f->t->arena, &f->t->err);
	/* The clock stands still: what is not there now will not come by waiting. */
	if (e == KH_OK && admit.refused == KH_OUTCOME_NONE)
		e = kh_fixture_wait(f->engine, token, &look, 0, &f->t->arena, &f->t->err);
	if (e == KH_OK)
		*ret_look = look;
	return e;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

yyjson_val *kh_fixture_json(struct kh_fixture *f, struct kh_view text)
{
	struct kh_error err = {0};
	yyjson_val *root = NULL;

	check(kh_json_read(&f->arena, text, &root, &err), &err);
	return root;
}

int64_t kh_fixture_number(struct kh_fixture *f, enum kh_publicid kind, struct kh_view id)
{
	int64_t number = 0;

	if (!kh_publicid_parse(kh_engine_id_key(f->engine), kind, id, &number))
		fail_msg("%.*s is no public id", KH_FMT(id));
	return number;
}

struct look_at {
	struct kh_fixture *f;
	enum kh_table table;
	int64_t id;
	void *row;
	const char *kind;
	struct kh_view body;
	int64_t events;
};

static enum kh_err load(struct kh_txn *txn, void *arg)
{
	struct look_at *at = arg;

	kh_txn_use_arena(txn, &at->f->arena);
	return kh_txn_load_row(txn, at->table, at->id, &at->row);
}

void *kh_fixture_row(struct kh_fixture *f, enum kh_table table, int64_t id)
{
	struct look_at at = {.f = f, .table = table, .id = id};
	struct kh_error err = {0};

	check(kh_store_run(f->store, load, &at, &err), &err);
	return at.row;
}

struct kh_task_row *kh_fixture_task_row(struct kh_fixture *f, struct kh_view task)
{
	return kh_fixture_row(f, KH_TABLE_TASKS, kh_fixture_number(f, KH_ID_TASK, task));
}

struct kh_context_row *kh_fixture_context_row(struct kh_fixture *f, struct kh_view context)
{
	return kh_fixture_row(f, KH_TABLE_CONTEXTS, kh_fixture_number(f, KH_ID_CONTEXT, context));
}

static bool keep_event(const struct kh_audit_entry *entry, void *arg)
{
	struct look_at *at = arg;

	at->events = entry->id;
	if (at->kind != NULL && kh_view_eq(entry->kind, kh_view_str(at->kind)))
		at->body = kh_arena_dup(&at->f->arena, entry->body);
	return true;
}

static enum kh_err read_events(struct kh_txn *txn, void *arg)
{
	struct look_at *at = arg;

	kh_txn_use_arena(txn, &at->f->arena);
	return kh_audit_read(txn, 0, keep_event, at);
}

struct kh_view kh_fixture_event(struct kh_fixture *f, enum kh_audit_kind kind)
{
	struct look_at at = {.f = f, .kind = kh_words_name(&kh_audit_kind_words, kind)};
	struct kh_error err = {0};

	check(kh_store_run(f->store, read_events, &at, &err), &err);
	return at.body;
}

int64_t kh_fixture_events(struct kh_fixture *f)
{
	struct look_at at = {.f = f};
	struct kh_error err = {0};

	check(kh_store_run(f->store, read_events, &at, &err), &err);
	return at.events;
}

int64_t kh_fixture_noted(struct kh_fixture *f)
{
	return kh_fixture_events(f) + (int64_t)f->engine->refusals->counted;
}
