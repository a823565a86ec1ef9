/* Calls of the engine for tests that drive it as its callers do. */
#include "world.h"

#include "core/policy/config.h"
#include "engine/context/add.h"
#include "engine/context/put.h"
#include "engine/context/token.h"
#include "engine/due.h"
#include "engine/query/settle.h"
#include "engine/query/tries.h"
#include "engine/recover.h"
#include "engine/task/reset.h"
#include "engine/task/revoke.h"
#include "engine/task/show.h"
#include "engine/task/task.h"
#include "errand/errand.h"
#include "store/checkpoint.h"
#include "store/sqlite/sqlite.h"
#include "store/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void world_give_up(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n0 passed, 1 failed\n");
	exit(1);
}

static int64_t clock_now(void *ctx)
{
	const struct world *w = ctx;

	return w->now;
}

/* splitmix64: every run of a seed is the same. */
static void random_bytes(void *ctx, unsigned char *bytes, size_t n)
{
	struct world *w = ctx;

	for (size_t i = 0; i < n; i++) {
		uint64_t z = (w->random += UINT64_C(0x9e3779b97f4a7c15));

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		bytes[i] = (unsigned char)(z >> 56);
	}
}

struct text world_copy(struct kh_view v)
{
	struct text text;

	if (v.n >= sizeof(text.at))
		world_give_up("an id or token of %zu bytes", v.n);
	if (v.n > 0)
		memcpy(text.at, v.p, v.n);
	text.at[v.n] = '\0';
	return text;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void read_policy(struct world *w, const char *policy)
{
	struct kh_view yaml = kh_arena_printf(&w->life, policy[0] != '\0' ? "policy:\n%s" : "%s", policy);

	if (kh_config_policy(&w->life, yaml, KH_LIT("keyhole.yaml"), &w->policy, &w->err) != KH_OK)
		world_give_up("policy: %s", w->err.detail);
}

/* Asked by the tests themselves (world_begin, world_tell), never by the engine. */
static enum kh_err never(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			 struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	(void)reader, (void)arena, (void)ask, (void)ret_response, (void)ret_fault, (void)ret_detail;
	world_give_up("the program was asked");
}

static const struct kh_reader_driver program_driver = {.name = "test", .ask = never};
static struct kh_reader program = {.name = KH_LIT_INIT(WORLD_PROGRAM), .driver = &program_driver};

void world_verifies(bool yes)
{
	program.triages = yes;
}

static void start(struct world *w)
{
	const struct kh_engine_settings settings = {.alloc = &kh_alloc_system,
						    .store = w->store,
						    .policy = w->policy,
						    .readers = &program,
						    .reader_count = 1,
						    .errands = &kh_errand_table,
						    .clock = clock_now,
						    .random = random_bytes,
						    .ctx = w,
						    .version = KH_LIT("test")};

	if (kh_engine_new(&settings, &w->engine, &w->err) != KH_OK)
		world_give_up("engine: %s: %s", w->err.code, w->err.detail);
}

static void open_store(struct world *w, enum kh_store_mode mode)
{
	if (kh_store_open(&kh_sqlite_backend, w->path, mode, &w->store, &w->err) != KH_OK)
		world_give_up("store %s: %s: %s", w->path, w->err.code, w->err.detail);
}

static void begin(struct world *w, uint64_t random)
{
	*w = (struct world){.now = WORLD_START, .random = random};
	kh_arena_init(&w->life, &kh_alloc_system, (size_t)64 << 20);
	kh_arena_init(&w->call, &kh_alloc_system, (size_t)64 << 20);
}

void world_make(struct world *w, const char *policy, uint64_t random)
{
	static unsigned made;
	struct kh_checkpoint_key key;
	struct kh_view admin;
	unsigned char seed[64];

	begin(w, random);
	snprintf(w->path, sizeof(w->path), "/dev/shm/keyhole-test-%d-%u.db", (int)getpid(), made++);
	read_policy(w, policy);
	open_store(w, KH_STORE_CREATE);
	random_bytes(w, seed, sizeof(seed));
	kh_checkpoint_key(seed, &key);
	random_bytes(w, seed, sizeof(seed));
	if (kh_engine_create(w->store, &w->life, &key.public, seed, w->now, &admin, &w->err) != KH_OK)
		world_give_up("engine: %s: %s", w->err.code, w->err.detail);
	w->admin = world_copy(admin);
	start(w);
}

void world_join(struct world *w, const struct world *other, const char *policy)
{
	begin(w, other->random + 1);
	memcpy(w->path, other->path, sizeof(w->path));
	w->admin = other->admin;
	w->now = other->now;
	read_policy(w, policy);
	open_store(w, KH_STORE_EXISTING);
	start(w);
}

void world_restart(struct world *w, const char *policy)
{
	kh_engine_free(w->engine);
	kh_store_close(w->store);
	read_policy(w, policy);
	open_store(w, KH_STORE_EXISTING);
	start(w);
}

void world_reload(struct world *w, const char *policy)
{
	read_policy(w, policy);
	if (kh_engine_reload(w->engine, w->policy, &program, 1, NULL, &w->err) != KH_OK)
		world_give_up("reload: %s: %s", w->err.code, w->err.detail);
}

void world_close(struct world *w)
{
	kh_engine_free(w->engine);
	kh_store_close(w->store);
	kh_arena_done(&w->life);
	kh_arena_done(&w->call);
	free(w->heard.at);
}

void world_remove(struct world *w)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", "-holders"};
	char path[128];

	world_close(w);
	if (getenv("KH_KEEP") != NULL)
		return;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", w->path, suffixes[i]);
		(void)unlink(path);
	}
}

const char *world_verify(struct world *w)
{
	struct kh_verify verify = {.state = true, .arena = &w->call};

	kh_arena_clear(&w->call);
	if (kh_verify_store(w->store, &verify, &w->err) != KH_OK)
		world_give_up("verify: %s: %s", w->err.code, w->err.detail);
	if (verify.good)
		return NULL;
	return kh_arena_printf(&w->call, "%s: event %lld of chain %lld: %.*s%c", verify.code, (long long)verify.event,
			       (long long)verify.chain, KH_FMT(verify.detail), 0)
		.p;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

void world_hear(struct world *w, const char *what, struct kh_view v)
{
	size_t label = strlen(what), need = w->heard.n + label + v.n + 2;

	if (!w->listening)
		return;
	if (need > w->heard.cap) {
		w->heard.cap = need * 2;
		w->heard.at = realloc(w->heard.at, w->heard.cap);
		if (w->heard.at == NULL)
			world_give_up("out of memory");
	}
	memcpy(w->heard.at + w->heard.n, what, label);
	w->heard.n += label;
	w->heard.at[w->heard.n++] = '=';
	if (v.n > 0)
		memcpy(w->heard.at + w->heard.n, v.p, v.n);
	w->heard.n += v.n;
	w->heard.at[w->heard.n++] = '\n';
}

const char *world_run(struct world *w, const char *caller, kh_engine_fn *fn, void *call)
{
	enum kh_err e;

	w->err = (struct kh_error){.err = KH_OK};
	e = caller != NULL ? kh_engine_call(w->engine, kh_token_read(w->engine, kh_view_str(caller)), fn, call,
					    &w->call, &w->err)
			   : kh_engine_own(w->engine, fn, call, &w->call, &w->err);
	if (e == KH_ESTORE || e == KH_ENOMEM)
		world_give_up("the store: %s: %s", w->err.code, w->err.detail);
	if (e == KH_OK)
		return NULL;
	return w->err.code != NULL ? w->err.code : "no code";
}

void world_hear_code(struct world *w, const char *what, const char *code)
{
	world_hear(w, what, kh_view_str(code != NULL ? code : "fine"));
	if (code != NULL) {
		world_hear(w, " member", kh_view_str(w->err.member));
		world_hear(w, " detail", kh_view_str(w->err.detail));
	}
}

/* The same for what a Controller can call. */
static const char *run_heard(struct world *w, const char *what, const char *caller, kh_engine_fn *fn, void *call)
{
	const char *code = world_run(w, caller, fn, call);

	world_hear_code(w, what, code);
	return code;
}

const char *world_token(struct world *w, const char *by, const char *name, enum kh_role role, int64_t expires,
			uint64_t bits, struct world_token *ret)
{
	struct kh_token_create call = {.name = kh_view_str(name), .role = role, .expires_at = expires, .bits = bits};
	const char *code;

	kh_arena_clear(&w->call);
	random_bytes(w, call.secret, sizeof(call.secret));
	code = world_run(w, by, kh_token_create_run, &call);
	if (code != NULL)
		return code;
	*ret = (struct world_token){
		.token = world_copy(call.text), .id = world_copy(call.id), .context = world_copy(call.context)};
	ret->row = world_row(w, KH_ID_TOKEN, ret->id.at);
	ret->context_row = role == KH_ROLE_CONTROLLER ? world_row(w, KH_ID_CONTEXT, ret->context.at) : 0;
	return NULL;
}

const char *world_revoke(struct world *w, const char *by, const char *id)
{
	struct kh_revoke call = {.id = kh_view_str(id)};

	kh_arena_clear(&w->call);
	return world_run(w, by, kh_revoke_run, &call);
}

const char *world_open(struct world *w, const char *by, uint64_t bits, struct text *ret_task)
{
	struct kh_task_open call = {.bits = bits};
	const char *code;

	kh_arena_clear(&w->call);
	code = run_heard(w, "open", by, kh_task_open_run, &call);
	if (code != NULL)
		return code;
	world_hear(w, " id", call.id);
	*ret_task = world_copy(call.id);
	return NULL;
}

const char *world_close_task(struct world *w, const char *by, const char *task)
{
	struct kh_task_close call = {.task = kh_view_str(task)};

	kh_arena_clear(&w->call);
	return run_heard(w, "close", by, kh_task_close_run, &call);
}

const char *world_task_json(struct world *w, const char *by, const char *task, struct kh_view *ret_json)
{
	struct kh_task_show call = {.task = kh_view_str(task)};
	const char *code;

	kh_arena_clear(&w->call);
	code = run_heard(w, "show", by, kh_task_show_run, &call);
	if (code != NULL)
		return code;
	world_hear(w, " json", call.json);
	*ret_json = call.json;
	return NULL;
}

const char *world_tasks_json(struct world *w, const char *by, struct kh_view *ret_json)
{
	struct kh_page call = {.all = true};
	const char *code;

	kh_arena_clear(&w->call);
	code = run_heard(w, "list", by, kh_task_list_run, &call);
	if (code != NULL)
		return code;
	world_hear(w, " json", call.json);
	*ret_json = call.json;
	return NULL;
}

const char *world_put(struct world *w, const char *by, const char *task, const char *content, struct text *ret_block)
{
	struct kh_put call = {
		.task = kh_view_str(task), .source = KH_LIT("mail"), .content = kh_tainted_wrap(kh_view_str(content))};
	const char *code;

	kh_arena_clear(&w->call);
	code = run_heard(w, "put", by, kh_put_run, &call);
	if (code != NULL)
		return code;
	world_hear(w, " id", call.id);
	*ret_block = world_copy(call.id);
	return NULL;
}

const char *world_admit(struct world *w, const char *by, const char *json, struct world_query *ret)
{
	struct kh_admit call = {.query = NULL};
	const char *code;

	kh_arena_clear(&w->call);
	if (kh_json_read(&w->call, kh_view_str(json), &call.query, &w->err) != KH_OK)
		world_give_up("not JSON: %s", json);
	code = run_heard(w, "query", by, kh_admit_run, &call);
	if (code != NULL)
		return code;
	world_hear(w, " id", call.id);
	world_hear(w, " approval", call.approval);
	world_hear(w, " advice", call.advice);
	world_hear(w, " refused", kh_view_str(kh_words_name(&kh_rows_outcome_words, call.refused)));
	*ret = (struct world_query){
		.refused = call.refused, .id = world_copy(call.id), .approval = world_copy(call.approval)};
	if (call.id.n > 0)
		ret->row = world_row(w, KH_ID_QUERY, ret->id.at);
	return NULL;
}

const char *world_next(struct world *w, const char *by, struct world_ask *ret)
{
	struct kh_ask *call;
	const char *code;

	kh_arena_clear(&w->call);
	call = KH_NEW(&w->call, struct kh_ask);
	call->mark = true;
	code = world_run(w, by, kh_ask_next_run, call);
	if (code != NULL)
		return code;
	*ret = (struct world_ask){.found = call->found};
	if (call->found) {
		ret->id = world_copy(call->ask.id);
		ret->row = world_row(w, KH_ID_ASK, ret->id.at);
		ret->ask = &call->ask;
	}
	return NULL;
}

const char *world_respond(struct world *w, const char *by, const char *ask, struct kh_view response,
			  const char **ret_word)
{
	struct kh_respond call = {.ask = kh_view_str(ask), .response = kh_tainted_wrap(response)};
	const char *code;

	kh_arena_clear(&w->call);
	code = world_run(w, by, kh_respond_run, &call);
	if (code == NULL)
		*ret_word = call.code;
	return code;
}

const char *world_begin(struct world *w, int64_t effect, bool *ret_found)
{
	struct kh_ask *call;
	const char *code;

	kh_arena_clear(&w->call);
	call = KH_NEW(&w->call, struct kh_ask);
	call->effect = effect;
	call->mark = true;
	code = world_run(w, NULL, kh_ask_begin_run, call);
	if (code == NULL)
		*ret_found = call->found;
	return code;
}

const char *world_tell(struct world *w, int64_t effect, struct kh_view response, enum kh_reader_fault fault,
		       const char **ret_word)
{
	struct kh_respond call = {.effect = effect, .response = kh_tainted_wrap(response), .fault = fault};
	const char *code;

	kh_arena_clear(&w->call);
	code = world_run(w, NULL, kh_respond_run, &call);
	if (code == NULL)
		*ret_word = call.code;
	return code;
}

void world_recover(struct world *w)
{
	struct kh_recover call = {.count = 0};
	const char *code;

	kh_arena_clear(&w->call);
	code = world_run(w, NULL, kh_recover_run, &call);
	if (code != NULL)
		world_give_up("recover: %s: %s", code, w->err.detail);
}

const char *world_look(struct world *w, const char *by, const char *query, struct world_look *ret)
{
	struct kh_look call = {.query = kh_view_str(query)};
	const char *code;

	kh_arena_clear(&w->call);
	code = run_heard(w, "look", by, kh_look_run, &call);
	if (code != NULL)
		return code;
	world_hear(w, " outcome", kh_view_str(kh_words_name(&kh_rows_outcome_words, call.outcome)));
	world_hear(w, " waits", call.waits);
	world_hear(w, " delivery", call.delivery);
	world_hear(w, " block", call.block);
	*ret = (struct world_look){.outcome = call.outcome,
				   .approval = world_copy(call.waits),
				   .block = world_copy(call.block),
				   .delivery = call.delivery};
	return NULL;
}

const char *world_tries(struct world *w, const char *by, const char *query)
{
	struct kh_tries call = {.query = kh_view_str(query)};

	kh_arena_clear(&w->call);
	return run_heard(w, "tries", by, kh_tries_run, &call);
}

const char *world_show(struct world *w, const char *by, const char *approval, int64_t page, struct text *ret_digest,
		       int64_t *ret_pages)
{
	struct kh_approval_show call = {.approval = kh_view_str(approval), .page = page};
	const char *code;

	kh_arena_clear(&w->call);
	code = world_run(w, by, kh_approval_show_run, &call);
	if (code != NULL)
		return code;
	*ret_digest = world_copy(kh_canonical_hex(&w->call, &call.row->digest));
	*ret_pages = call.pages;
	return NULL;
}

const char *world_decide(struct world *w, const char *by, const char *approval, enum kh_choice choice,
			 const char *digest, const char *edited)
{
	struct kh_approval_decide call = {.approval = kh_view_str(approval),
					  .choice = choice,
					  .shown = kh_view_str(digest),
					  .edited = kh_tainted_wrap(kh_view_str(edited)),
					  .from = KH_LIT("test")};

	kh_arena_clear(&w->call);
	return world_run(w, by, kh_approval_decide_run, &call);
}

const char *world_reset(struct world *w, const char *by, const char *context)
{
	struct kh_reset call = {.context = kh_view_str(context), .reason = KH_LIT("a new conversation began")};

	kh_arena_clear(&w->call);
	return world_run(w, by, kh_reset_run, &call);
}

const char *world_message(struct world *w, const char *by, const char *context, const char *content,
			  struct text *ret_block)
{
	struct kh_context_add call = {
		.context = kh_view_str(context), .event = KH_EVENT_USER_MESSAGE, .content = kh_view_str(content)};
	const char *code;

	kh_arena_clear(&w->call);
	code = world_run(w, by, kh_context_add_run, &call);
	if (code == NULL)
		*ret_block = world_copy(call.id);
	return code;
}

void world_due(struct world *w)
{
	struct kh_due call = {.next = 0};
	const char *code;

	kh_arena_clear(&w->call);
	code = world_run(w, NULL, kh_due_run, &call);
	if (code != NULL)
		world_give_up("due: %s: %s", code, w->err.detail);
}

/* --- looking inside ----------------------------------------------------------------------------------------------- */

int64_t world_row(const struct world *w, enum kh_publicid kind, const char *id)
{
	int64_t row;

	if (!kh_publicid_parse(kh_engine_id_key(w->engine), kind, kh_view_str(id), &row))
		world_give_up("not an id of this kind: %s", id);
	return row;
}

struct text world_id(struct world *w, enum kh_publicid kind, int64_t row)
{
	return world_copy(kh_publicid_text(&w->call, kh_engine_id_key(w->engine), kind, row));
}

struct inside {
	struct world *w;
	kh_store_fn *fn;
	void *arg;
};

static enum kh_err inside(struct kh_txn *txn, void *arg)
{
	struct inside *in = arg;

	kh_txn_use_arena(txn, &in->w->call);
	return in->fn(txn, in->arg);
}

void world_inside(struct world *w, kh_store_fn *fn, void *arg)
{
	struct inside in = {w, fn, arg};

	if (kh_store_run(w->store, inside, &in, &w->err) != KH_OK)
		world_give_up("the store: %s: %s", w->err.code, w->err.detail);
}

struct wanted {
	enum kh_table table;
	int64_t row;
	void *found;
};

static enum kh_err load(struct kh_txn *txn, void *arg)
{
	struct wanted *wanted = arg;

	return kh_txn_load_row(txn, wanted->table, wanted->row, &wanted->found);
}

void world_load(struct world *w, enum kh_table table, int64_t row, void *ret_row, size_t size)
{
	struct wanted wanted = {table, row, NULL};

	kh_arena_clear(&w->call);
	world_inside(w, load, &wanted);
	memcpy(ret_row, wanted.found, size);
}
