/* L1-L3, D4: no change without its event, no event without its change, and nothing of an operation that failed. */
#include "opened.h"

#include "base/json.h"

/* One store a program: its system row, and rows as the tests make them. */
struct world {
	struct opened o;
	struct kh_test *t;
	kh_store_fn *fn;
	int64_t need, task;
	int64_t event; /* of the last operation */
	struct kh_view body;
	struct kh_digest head;
	int64_t n, last;
};

static struct world *world_of(struct kh_test *t)
{
	static struct world world; /* outlives a test that ends by longjmp */

	world.t = t;
	return &world;
}

static void clean_up(void)
{
	opened_remove(&world_of(NULL)->o);
}

static enum kh_err create(struct kh_txn *txn, void *arg)
{
	struct kh_arena *arena = arg;
	struct kh_system_row *system;
	struct kh_token_row *token;
	struct kh_context_row *context;

	kh_txn_use_arena(txn, arena);
	enum kh_err e = kh_txn_new(txn, KH_TABLE_SYSTEM, &system);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_TOKENS, &token);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_CONTEXTS, &context);
	if (e != KH_OK)
		return e;
	system->id_key = KH_LIT("0123456789abcdef");
	token->name = KH_LIT("somebody");
	token->context = context->id;
	context->token = token->id;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_STORE_CREATED, .at = 1});
}

static struct world *begin(struct kh_test *t)
{
	struct world *w = world_of(t);
	struct kh_arena arena;

	if (w->o.store != NULL)
		return w;
	opened_new(&w->o);
	atexit(clean_up);
	kh_arena_init(&arena, &kh_alloc_system, 1U << 20);
	must_store(&w->o, kh_store_run(w->o.store, create, &arena, &w->o.err));
	kh_arena_done(&arena);
	return w;
}

static enum kh_err run_fn(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;

	kh_txn_use_arena(txn, &w->t->arena);
	return w->fn(txn, w);
}

static enum kh_err run(struct world *w, kh_store_fn *fn)
{
	w->fn = fn;
	w->t->err = (struct kh_error){.offset = SIZE_MAX};
	return kh_store_run(w->o.store, run_fn, w, &w->t->err);
}

static enum kh_err run_reading(struct world *w, kh_store_fn *fn)
{
	w->fn = fn;
	w->t->err = (struct kh_error){.offset = SIZE_MAX};
	return kh_store_read(w->o.store, run_fn, w, &w->t->err);
}

#define assert_code(want) assert_string_equal(w->t->err.code != NULL ? w->t->err.code : "", (want))

/* --- steps -------------------------------------------------------------------------------------------------------- */

static enum kh_err make_task(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_task_row *task;
	enum kh_err e = kh_txn_new(txn, KH_TABLE_TASKS, &task);

	if (e != KH_OK)
		return e;
	task->context = 1;
	task->title = KH_LIT("a title");
	task->budget = kh_budget_new(100);
	w->task = task->id;
	struct kh_audit audit = {.kind = KH_AUDIT_TASK_OPENED, .task = task, .at = 5, .by = 1};
	e = kh_txn_event(txn, &audit);
	w->event = audit.id;
	return e;
}

static enum kh_err read_last(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_audit_entry entry;
	struct kh_task_row *task;
	struct kh_system_row *system;
	int64_t next = 0;
	enum kh_err e = kh_txn_next_event(txn, &next);

	if (e == KH_OK)
		e = kh_audit_get(txn, &w->t->arena, next - 1, &entry);
	if (e == KH_OK)
		e = kh_txn_load(txn, KH_TABLE_SYSTEM, 1, &system);
	if (e != KH_OK)
		return e;
	w->event = entry.id;
	w->body = entry.body;
	w->n = system->chain.n;
	w->last = system->chain.last;
	w->head = system->chain.head;
	if (w->task == 0)
		return KH_OK;
	e = kh_txn_load(txn, KH_TABLE_TASKS, w->task, &task);
	return e == KH_OK && task->id != w->task ? KH_ESTORE : e;
}

static struct kh_task_row *task_of(struct kh_txn *txn, struct world *w)
{
	struct kh_task_row *task = NULL;

	return kh_txn_load(txn, KH_TABLE_TASKS, w->task, &task) == KH_OK ? task : NULL;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static enum kh_err load_twice(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_task_row *first = NULL, *again = NULL, *fresh = NULL, *same = NULL, *none = NULL;
	enum kh_err e = kh_txn_load(txn, KH_TABLE_TASKS, w->task, &first);

	if (e == KH_OK)
		e = kh_txn_load(txn, KH_TABLE_TASKS, w->task, &again);
	if (e == KH_OK)
		e = kh_txn_new(txn, KH_TABLE_TASKS, &fresh);
	if (e == KH_OK)
		e = kh_txn_load(txn, KH_TABLE_TASKS, fresh->id, &same);
	if (e != KH_OK)
		return e;
	assert_ptr_equal(first, again);
	assert_ptr_equal(fresh, same);
	assert_int_not_equal(fresh->id, first->id);
	e = kh_txn_load(txn, KH_TABLE_TASKS, 1 << 30, &none);
	if (e == KH_ENOMEM)
		return e;
	assert_int_equal(e, KH_EUNKNOWN);
	assert_null(none);
	return KH_EREFUSED; /* nothing of it is kept */
}

/* A row is loaded once: what one part of an operation changed, another sees. */
static void test_txn_identity(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must_fail(t, KH_EREFUSED, run(w, load_twice));
}

static enum kh_err change_two(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_task_row *task = task_of(txn, w);
	struct kh_context_row *context;

	if (task == NULL)
		return KH_ENOMEM;
	enum kh_err e = kh_txn_load(txn, KH_TABLE_CONTEXTS, 1, &context); /* loaded, and as it was */
	if (e != KH_OK)
		return e;
	task->blocks = 7;
	task->title = KH_LIT("a title"); /* the same */
	task->phase = KH_PHASE_EXECUTION;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_PHASE_CHANGED, .task = task, .at = 6});
}

/* L3: `set` holds the differences and nothing else; an event that changes nothing holds none. */
static void test_txn_differences(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, change_two));
	must(t, run(w, read_last));
	struct kh_view want = kh_arena_printf(
		&t->arena, "\"set\":[[\"tasks\",%lld,{\"blocks\":7,\"phase\":\"execution\"}]],\"what\":{}}",
		(long long)w->task);
	must(t, kh_arena_check(&t->arena));
	assert_true(kh_view_find(w->body, want, 0) != SIZE_MAX);
	must(t, run(w, change_two)); /* the same values again */
	must(t, run(w, read_last));
	assert_true(kh_view_find(w->body, KH_LIT("\"set\":[],"), 0) != SIZE_MAX);
}

/* RFC 8785: an event is its own canonical form, whatever text is in it. */
static enum kh_err odd_title(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->title = KH_LIT("\"\\\x01\x1f\n</b> \xe2\x80\xa8 \xf0\x9f\x98\x80 \x7f");
	task->total_1 = UINT64_C(1) << 53;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_TASK_OPENED,
						    .task = task,
						    .at = 7,
						    .what = KH_LIT("{\"a\":1,\"b\":[]}")});
}

static void test_txn_body_is_canonical(struct kh_test *t)
{
	struct world *w = begin(t);
	struct kh_view again;
	yyjson_val *root;

	must(t, run(w, make_task));
	must(t, run(w, odd_title));
	must(t, run(w, read_last));
	must(t, kh_json_read(&t->arena, w->body, &root, &t->err));
	must(t, kh_canonical_json(&t->arena, root, &again, &t->err));
	assert_true(kh_view_eq(w->body, again));
}

static enum kh_err change_and_forget(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	enum kh_err e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task, .at = 8});
	task->blocks++;
	return e;
}

static enum kh_err new_and_forget(struct kh_txn *txn, void *arg)
{
	struct kh_need_row *need;

	(void)arg;
	return kh_txn_new(txn, KH_TABLE_NEEDS, &need);
}

static enum kh_err change_and_change_back(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->blocks++;
	task->blocks--;
	return KH_OK;
}

/* L1: a change that no event recorded fails the operation, and the event that it did write is gone with it. */
static void test_txn_unrecorded(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, read_last));
	int64_t event = w->event;
	must_fail(t, KH_ESTORE, run(w, change_and_forget));
	assert_code("unrecorded");
	must_fail(t, KH_ESTORE, run(w, new_and_forget));
	assert_code("unrecorded");
	must(t, run(w, change_and_change_back));
	must(t, run(w, read_last));
	assert_int_equal(w->event, event);
}

static enum kh_err make_and_refuse(struct kh_txn *txn, void *arg)
{
	enum kh_err e = make_task(txn, arg);

	return e == KH_OK ? KH_EREFUSED : e;
}

/* D4: an operation that failed leaves no row, no event, no number and no link in a chain. */
static void test_txn_rollback(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, read_last));
	int64_t event = w->event, task = w->task, n = w->n;
	struct kh_digest head = w->head;
	must_fail(t, KH_EREFUSED, run(w, make_and_refuse));
	w->task = task;
	must(t, run(w, read_last));
	assert_int_equal(w->event, event);
	assert_int_equal(w->n, n);
	assert_memory_equal(&w->head, &head, sizeof(head));
	must(t, run(w, make_task));
	assert_int_equal(w->event, event + 1); /* no gap */
	assert_true(w->task > task);
}

static enum kh_err two_chains(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_task_row *task = task_of(txn, w);
	struct kh_system_row *system;
	enum kh_err e = task != NULL ? kh_txn_load(txn, KH_TABLE_SYSTEM, 1, &system) : KH_ENOMEM;
	int64_t next = 0;

	if (e == KH_OK)
		e = kh_txn_next_event(txn, &next);
	if (e != KH_OK)
		return e;
	struct kh_chain task_was = task->chain, system_was = system->chain;
	struct kh_audit first = {.kind = KH_AUDIT_ALERT, .task = task, .at = 9};
	struct kh_audit second = {.kind = KH_AUDIT_REFUSED, .at = 9};
	e = kh_txn_event(txn, &first);
	if (e != KH_OK)
		return e;
	assert_int_equal(first.id, next);
	assert_int_equal(task->chain.n, task_was.n + 1);
	assert_int_equal(task->chain.last, next);
	assert_memory_not_equal(&task->chain.head, &task_was.head, sizeof(struct kh_digest));
	assert_memory_equal(&system->chain, &system_was, sizeof(system_was)); /* another chain is not touched */
	e = kh_txn_event(txn, &second);
	if (e != KH_OK)
		return e;
	assert_int_equal(second.id, next + 1);
	assert_int_equal(system->chain.n, system_was.n + 1);
	assert_int_equal(system->chain.last, next + 1);
	assert_int_equal(task->chain.last, next);
	return KH_OK;
}

/* L3: each chain has its own count, its own last event and its own head; numbers of events are the store's. */
static void test_txn_chains(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, two_chains));
	must(t, run(w, read_last));
	struct kh_digest hash = kh_canonical_digest(w->body);
	assert_int_equal(w->last, w->event);
	assert_memory_equal(&w->head, &hash, sizeof(hash));
	must(t, run(w, two_chains)); /* and goes on from there */
}

static enum kh_err three_new(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_need_row *need[3];
	int64_t *ids = NULL;
	size_t count = 9;
	enum kh_err e = KH_OK;

	for (int i = 0; i < 3 && e == KH_OK; i++) {
		e = kh_txn_new(txn, KH_TABLE_NEEDS, &need[i]);
		if (e != KH_OK)
			return e;
		need[i]->task = w->task;
		need[i]->lowest = 1;
		need[i]->name = i == 0 ? KH_LIT("need:a") : i == 1 ? KH_LIT("need:b") : KH_LIT("need:c");
	}
	assert_int_equal(need[1]->id, need[0]->id + 1);
	assert_int_equal(need[2]->id, need[1]->id + 1);
	/* What no event has recorded is not found yet. */
	e = kh_txn_find(txn, KH_INDEX_NEEDS, w->task, KH_LIT("need:a"), 0, 4, &ids, &count);
	if (e != KH_OK)
		return e;
	assert_int_equal(count, 0);
	e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_REFUSED, .at = 10});
	if (e == KH_OK)
		e = kh_txn_find(txn, KH_INDEX_NEEDS, w->task, KH_LIT("need:a"), 0, 4, &ids, &count);
	if (e != KH_OK)
		return e;
	assert_int_equal(count, 1);
	assert_int_equal(ids[0], need[0]->id);
	struct kh_need_row *later;
	e = kh_txn_new(txn, KH_TABLE_NEEDS, &later);
	if (e != KH_OK)
		return e;
	assert_int_equal(later->id, need[2]->id + 1);
	w->need = need[2]->id;
	return KH_EREFUSED;
}

static void test_txn_next_ids(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must_fail(t, KH_EREFUSED, run(w, three_new));
}

static enum kh_err too_large(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->total_1 = (UINT64_C(1) << 53) + 1;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task});
}

static enum kh_err negative(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->total_1 = UINT64_MAX / 2 + 5; /* a wrapped number */
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task});
}

static enum kh_err no_word(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	memset(&task->state, 0x7f, sizeof(task->state));
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task});
}

static enum kh_err no_utf8(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->title = KH_LIT("a \xff");
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task});
}

static enum kh_err surrogate(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->title = KH_LIT("\xed\xa0\x80");
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task});
}

static enum kh_err swallowed(struct kh_txn *txn, void *arg)
{
	enum kh_err e = no_utf8(txn, arg);

	return e == KH_ENOMEM ? e : KH_OK;
}

/* What cannot be written down exactly is not done; an operation that looks away is not kept either. */
static void test_txn_out_of_range(struct kh_test *t)
{
	static kh_store_fn *const bad[] = {too_large, negative, no_word, no_utf8, surrogate};
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, read_last));
	int64_t event = w->event;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_ESTORE, run(w, bad[i]));
		assert_code("out_of_range");
	}
	must_fail(t, KH_ESTORE, run(w, swallowed));
	must(t, run(w, read_last));
	assert_int_equal(w->event, event);
}

static enum kh_err bad_reference(struct kh_txn *txn, void *arg)
{
	struct kh_need_row *need;
	enum kh_err e = kh_txn_new(txn, KH_TABLE_NEEDS, &need);

	(void)arg;
	if (e != KH_OK)
		return e;
	need->task = 1 << 30;
	need->lowest = 1;
	need->name = KH_LIT("need:x");
	e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_REFUSED});
	return e == KH_ENOMEM ? e : KH_OK;
}

/* K1: the store itself refuses an untrusted instruction, and what leads nowhere. */
static enum kh_err bad_block(struct kh_txn *txn, void *arg)
{
	struct kh_block_row *block;
	enum kh_err e = kh_txn_new(txn, KH_TABLE_BLOCKS, &block);

	(void)arg;
	if (e != KH_OK)
		return e;
	block->context = 1;
	block->trust = KH_UNTRUSTED;
	block->type = KH_INSTRUCTION;
	e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_REFUSED});
	return e == KH_ENOMEM ? e : KH_OK;
}

static void test_txn_constraints(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, read_last));
	int64_t event = w->event;
	must_fail(t, KH_ESTORE, run(w, bad_reference));
	must_fail(t, KH_ESTORE, run(w, bad_block));
	must(t, run(w, read_last));
	assert_int_equal(w->event, event);
}

static enum kh_err write_in_reading(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->blocks++;
	return kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .task = task});
}

static enum kh_err change_in_reading(struct kh_txn *txn, void *arg)
{
	struct kh_task_row *task = task_of(txn, arg);

	if (task == NULL)
		return KH_ENOMEM;
	task->blocks++;
	return KH_OK;
}

/* A transaction that reads writes nothing, and a change in it is no less a mistake. */
static void test_txn_reading(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run_reading(w, read_last));
	int64_t event = w->event;
	must_fail(t, KH_ESTORE, run_reading(w, write_in_reading));
	assert_code("read_only");
	must_fail(t, KH_ESTORE, run_reading(w, change_in_reading));
	assert_code("unrecorded");
	must(t, run_reading(w, read_last));
	assert_int_equal(w->event, event);
}

static enum kh_err seal(struct kh_txn *txn, void *arg)
{
	struct world *w = arg;
	struct kh_block_row *block, copy;
	enum kh_err e = kh_txn_new(txn, KH_TABLE_BLOCKS, &block);

	if (e != KH_OK)
		return e;
	block->context = 1;
	block->task = w->task;
	block->trust = KH_UNTRUSTED;
	block->type = KH_DATA;
	block->taint = KH_TAINT_HIGH;
	block->content = KH_LIT("CANARY \xff");
	block->content_hash = kh_canonical_digest(block->content);
	e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_REFUSED, .at = 11});
	if (e == KH_OK)
		e = kh_txn_peek(txn, KH_TABLE_BLOCKS, block->id, &copy);
	if (e != KH_OK)
		return e;
	assert_int_equal(copy.content.n, 0); /* sealed columns are not read for a list */
	assert_int_equal(copy.taint, KH_TAINT_HIGH);
	return KH_OK;
}

/* L5: sealed content is in an event by its hash. */
static void test_txn_sealed(struct kh_test *t)
{
	struct world *w = begin(t);

	must(t, run(w, make_task));
	must(t, run(w, seal));
	must(t, run(w, read_last));
	struct kh_digest hash = kh_canonical_digest(KH_LIT("CANARY \xff"));
	struct kh_view hex = kh_canonical_hex(&t->arena, &hash);
	must(t, kh_arena_check(&t->arena));
	assert_true(kh_view_find(w->body, KH_LIT("CANARY"), 0) == SIZE_MAX);
	assert_true(kh_view_find(w->body, hex, 0) != SIZE_MAX);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_txn_identity),   KH_TEST(test_txn_differences),  KH_TEST(test_txn_body_is_canonical),
	KH_TEST(test_txn_unrecorded), KH_TEST(test_txn_rollback),     KH_TEST(test_txn_chains),
	KH_TEST(test_txn_next_ids),   KH_TEST(test_txn_out_of_range), KH_TEST(test_txn_constraints),
	KH_TEST(test_txn_reading),    KH_TEST(test_txn_sealed),
};
KH_TEST_MAIN(cases)
