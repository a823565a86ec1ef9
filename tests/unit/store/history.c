/* The store of history.h.  What is set up here must succeed, and comes from memory that is never made to fail. */
#include "history.h"

#include "store/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define START INT64_C(1763193600000000)

static void ok(enum kh_err e, const struct kh_error *err)
{
	if (e != KH_OK) {
		print_error("%s: %s %s\n", kh_err_name(e), err->code ? err->code : "", err->detail);
		fail();
	}
}

static void run(struct kh_history *h, kh_store_fn *fn)
{
	struct kh_error err = {.code = NULL};

	h->now += 1000000;
	ok(kh_store_run(h->store, fn, h, &err), &err);
}

static enum kh_err event(struct kh_txn *txn, struct kh_history *h, enum kh_audit_kind kind, struct kh_task_row *task,
			 int64_t by, const char *what)
{
	struct kh_audit audit = {.kind = kind, .task = task, .by = by, .at = h->now, .what = kh_view_str(what)};

	return kh_txn_event(txn, &audit);
}

/* Every load and new row here must succeed. */
static void *load(struct kh_txn *txn, enum kh_table table, int64_t id)
{
	void *row = NULL;

	ok(kh_txn_load_row(txn, table, id, &row), txn->err);
	return row;
}

static void *make(struct kh_txn *txn, enum kh_table table)
{
	void *row = NULL;

	ok(kh_txn_new_row(txn, table, &row), txn->err);
	return row;
}

static enum kh_err create(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_system_row *system = make(txn, KH_TABLE_SYSTEM);
	struct kh_token_row *admin = make(txn, KH_TABLE_TOKENS);
	system->created_at = h->now;
	system->id_key = KH_LIT("0123456789abcdef");
	system->audit_key = h->key.public;
	system->policy = kh_canonical_digest(KH_LIT("policy"));
	admin->name = KH_LIT("admin");
	admin->role = KH_ROLE_ADMIN;
	admin->secret = kh_canonical_digest(KH_LIT("admin's"));
	admin->created_at = h->now;
	return event(txn, h, KH_AUDIT_STORE_CREATED, NULL, 0, "");
}

static enum kh_err make_tokens(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_token_row *reviewer = make(txn, KH_TABLE_TOKENS);
	reviewer->name = KH_LIT("vera");
	reviewer->role = KH_ROLE_REVIEWER;
	reviewer->parent = 1;
	reviewer->secret = kh_canonical_digest(KH_LIT("vera's"));
	reviewer->created_at = h->now;
	ok(event(txn, h, KH_AUDIT_TOKEN_CREATED, NULL, 1, ""), txn->err);
	struct kh_token_row *controller = make(txn, KH_TABLE_TOKENS);
	struct kh_context_row *context = make(txn, KH_TABLE_CONTEXTS);
	controller->name = KH_LIT("agent");
	controller->role = KH_ROLE_CONTROLLER;
	controller->parent = 1;
	controller->context = context->id;
	controller->secret = kh_canonical_digest(KH_LIT("agent's"));
	controller->created_at = h->now;
	controller->expires_at = h->now + 86400000000;
	context->token = controller->id;
	context->budget = kh_budget_new(5000000000);
	context->created_at = h->now;
	return event(txn, h, KH_AUDIT_TOKEN_CREATED, NULL, 1, "");
}

static enum kh_err open_task(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;
	char what[64];

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = make(txn, KH_TABLE_TASKS);
	task->context = 1;
	task->title = KH_LIT("a meeting");
	task->budget = kh_budget_new(1000000000);
	task->escalation_limit = 2;
	task->policy = kh_canonical_digest(KH_LIT("policy"));
	task->opened_at = h->now;
	snprintf(what, sizeof(what), "{\"task\":%lld}", (long long)task->id);
	ok(event(txn, h, KH_AUDIT_TASK_LISTED, NULL, 3, what), txn->err);
	return event(txn, h, KH_AUDIT_TASK_OPENED, task, 3, "");
}

static enum kh_err seal(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 1);
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	struct kh_block_row *block = make(txn, KH_TABLE_BLOCKS);
	block->context = 1;
	block->task = 1;
	block->kind = KH_BLOCK_SEALED;
	block->trust = KH_UNTRUSTED;
	block->type = KH_DATA;
	block->taint = KH_TAINT_HIGH;
	block->source = KH_LIT("mail");
	block->content = KH_LIT("The meeting is on March 15.");
	block->content_hash = kh_canonical_digest(block->content);
	block->tainted_by = KH_LIT("[]");
	block->attribution = KH_LIT("{}");
	block->put_by = 3;
	block->prev = context->last_block;
	block->created_at = h->now;
	block->expires_at = h->now + 1000;
	context->last_block = block->id;
	context->blocks++;
	task->blocks++;
	if (task->first_block == 0)
		task->first_block = block->id;
	return event(txn, h, KH_AUDIT_BLOCK_SEALED, task, 3, "{\"size\":27}");
}

static struct kh_reader_row *reader_of(struct kh_txn *txn)
{
	int64_t *ids = NULL;
	size_t n = 0;

	ok(kh_txn_find(txn, KH_INDEX_READERS_NAMED, 0, KH_LIT("extract"), 0, 1, &ids, &n), txn->err);
	if (n == 1)
		return load(txn, KH_TABLE_READERS, ids[0]);
	struct kh_reader_row *reader = make(txn, KH_TABLE_READERS);
	reader->name = KH_LIT("extract");
	reader->quota_1 = KH_LIT("0 0");
	return reader;
}

/* G4, B19: what a context takes is in the account of its token, and its escalations are in its own; both accounts are
 * younger than format 1. */
static void take(struct kh_txn *txn, struct kh_history *h, struct kh_window_sums more)
{
	const struct kh_system_row *system = load(txn, KH_TABLE_SYSTEM, 1);
	struct kh_token_row *token = load(txn, KH_TABLE_TOKENS, 3);
	char text[KH_WINDOW_TEXT];
	struct kh_window day;

	if (system->format != KH_AUDIT_FORMAT)
		return;
	if (!kh_window_read(token->day_marks, token->day, &day))
		abort();
	kh_window_add(&day, h->now, more);
	token->day = day.sums;
	token->day_marks = kh_arena_dup(&h->arena, kh_view_of(text, kh_window_write(&day, text)));
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	context->escalations += more.escalations;
}

/* A query of 7 bits, with its reservation, its Reader's totals, its need and its ask. */
static struct kh_query_row *admit(struct kh_txn *txn, struct kh_history *h, struct kh_task_row *task, int64_t category)
{
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	struct kh_budget *budgets[] = {&task->budget, &context->budget};
	struct kh_reader_row *reader = reader_of(txn);
	struct kh_query_row *query = make(txn, KH_TABLE_QUERIES);
	struct kh_need_row *need = make(txn, KH_TABLE_NEEDS);
	uint64_t *totals[3][3] = {{&task->total_1, &context->total_1, &reader->total_1},
				  {&task->total_2, &context->total_2, &reader->total_2},
				  {&task->total_3, &context->total_3, &reader->total_3}};
	uint64_t *counts[3] = {&reader->queries_1, &reader->queries_2, &reader->queries_3};

	ok(kh_budget_reserve(budgets, 2, 7000000), txn->err);
	take(txn, h, (struct kh_window_sums){.bits = 7000000, .escalations = category == 3});
	for (size_t i = 0; i < 3; i++)
		*totals[category - 1][i] += 7000000;
	++*counts[category - 1];
	query->task = task->id;
	query->context = 1;
	query->n = ++task->queries;
	query->category = category;
	query->state = category == 3 ? KH_QUERY_APPROVAL : KH_QUERY_ASKING;
	query->reader = KH_LIT("extract");
	query->need = category == 3 ? KH_LIT("need:summary") : KH_LIT("need:date");
	query->body = KH_LIT("{\"category\":1}");
	query->blocks = KH_LIT("[1]");
	query->reader_taint = KH_TAINT_HIGH;
	query->content = 4000000;
	query->reserved = 7000000;
	query->escalation = category == 3;
	task->escalations += category == 3;
	query->admitted_at = h->now;
	query->deadline_at = h->now + 60000000;
	need->task = task->id;
	need->name = query->need;
	need->lowest = category;
	return query;
}

static enum kh_err ask(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 1);
	struct kh_query_row *query = admit(txn, h, task, 1);
	struct kh_effect_row *effect = make(txn, KH_TABLE_EFFECTS);
	effect->task = 1;
	effect->query = query->id;
	effect->reader = query->reader;
	effect->created_at = h->now;
	query->effect = effect->id;
	ok(event(txn, h, KH_AUDIT_QUERY_ADMITTED, task, 3, "{\"account\":[]}"), txn->err);
	effect->state = KH_EFFECT_BEGUN;
	effect->holder = 1;
	effect->begun_at = h->now;
	ok(event(txn, h, KH_AUDIT_ASK_BEGUN, task, 0, ""), txn->err);
	effect->state = KH_EFFECT_DONE;
	effect->ended_at = h->now;
	effect->raw = kh_tainted_wrap(KH_LIT("{\"fields\":{\"q\":true}}"));
	effect->verdict = KH_LIT("deliver");
	effect->reasons = KH_LIT("[]");
	effect->expires_at = h->now + 500;
	return event(txn, h, KH_AUDIT_RESPONSE_JUDGED, task, 0, "");
}

static enum kh_err deliver(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 1);
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	struct kh_query_row *query = load(txn, KH_TABLE_QUERIES, 1);
	struct kh_budget *budgets[] = {&task->budget, &context->budget};
	struct kh_block_row *block = make(txn, KH_TABLE_BLOCKS);

	ok(kh_budget_charge(budgets, 2, 7000000), txn->err);
	query->charged = 7000000;
	query->state = KH_QUERY_DONE;
	query->outcome = KH_OUTCOME_DELIVERED;
	query->held = KH_LIT("{\"fields\":{\"q\":true}}");
	query->ready_at = query->release_at = query->ended_at = h->now;
	query->delivery = block->id;
	ok(kh_txn_next_event(txn, &query->event), txn->err);
	block->context = 1;
	block->task = 1;
	block->kind = KH_BLOCK_DELIVERY;
	block->trust = KH_UNTRUSTED;
	block->type = KH_DATA;
	block->taint = KH_TAINT_MEDIUM;
	block->source = KH_LIT("bcp:extract");
	block->content = query->held;
	block->content_hash = kh_canonical_digest(block->content);
	block->tainted_by = KH_LIT("[1]");
	block->given = 1;
	block->prev = context->last_block;
	block->query = query->id;
	block->created_at = h->now;
	context->last_block = block->id;
	context->blocks++;
	context->deliveries++;
	context->exposed += query->charged;
	context->taint = KH_TAINT_MEDIUM;
	return event(txn, h, KH_AUDIT_QUERY_DELIVERED, task, 0, "");
}

static enum kh_err escalate(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 1);
	struct kh_query_row *query = admit(txn, h, task, 3);
	ok(event(txn, h, KH_AUDIT_QUERY_ADMITTED, task, 3, ""), txn->err);
	struct kh_approval_row *approval = make(txn, KH_TABLE_APPROVALS);
	approval->kind = KH_APPROVE_ESCALATION;
	approval->context = approval->task = 1;
	approval->query = query->id;
	approval->subject = KH_LIT("{\"directive\":\"Say what it is about\"}");
	approval->digest = kh_canonical_digest(approval->subject);
	approval->pages = 1;
	approval->arguments = kh_canonical_digest(query->body);
	approval->policy = kh_canonical_digest(KH_LIT("policy"));
	approval->operation = KH_LIT("bcp.query");
	approval->uses = 1;
	approval->requested_at = h->now;
	approval->expires_at = h->now + 600000000;
	query->approval = approval->id;
	query->pending_at = h->now;
	task->pending++;
	return event(txn, h, KH_AUDIT_APPROVAL_REQUESTED, task, 3, "");
}

static enum kh_err decide(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 1);
	struct kh_approval_row *approval = load(txn, KH_TABLE_APPROVALS, 1);
	struct kh_showing_row *showing = make(txn, KH_TABLE_SHOWINGS);
	showing->approval = 1;
	showing->token = 2;
	showing->page = 1;
	showing->shown_at = h->now;
	ok(event(txn, h, KH_AUDIT_APPROVAL_SHOWN, task, 2, ""), txn->err);
	approval->state = KH_APPROVAL_APPROVED;
	approval->decided_at = h->now;
	approval->decided_by = 2;
	approval->decided_from = KH_LIT("cli");
	approval->note = KH_LIT("fine");
	task->pending--;
	ok(event(txn, h, KH_AUDIT_APPROVAL_DECIDED, task, 2, "{\"choice\":\"approve\"}"), txn->err);
	approval->used = 1;
	approval->state = KH_APPROVAL_USED;
	return event(txn, h, KH_AUDIT_APPROVAL_USED, task, 0, "");
}

/* An external operation, from its declaration to what was told of it. */
static enum kh_err operate(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 2);
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	struct kh_budget *budgets[] = {&task->budget, &context->budget};
	struct kh_declaration_row *row = make(txn, KH_TABLE_DECLARATIONS);
	struct kh_rate_row *rate = make(txn, KH_TABLE_RATES);
	row->task = 2;
	row->context = 1;
	row->operation = rate->operation = KH_LIT("comm.fetch");
	row->parameters = KH_LIT("{\"url\":\"https://example.com/\"}");
	row->justification = KH_LIT("{\"reason\":\"to know the date\"}");
	row->arguments = kh_canonical_digest(row->parameters);
	row->host = KH_LIT("example.com");
	row->declared_at = h->now;
	context->last_declaration = row->id;
	rate->context = 1;
	rate->quota = KH_LIT("60000000 1 1");
	ok(event(txn, h, KH_AUDIT_DECLARED, task, 3, ""), txn->err);
	ok(kh_budget_reserve(budgets, 2, 3000000), txn->err);
	take(txn, h, (struct kh_window_sums){.bits = 3000000});
	row->state = KH_DECLARATION_RUNNING;
	row->holder = row->working = 1;
	row->begun_at = h->now;
	row->wall_ms = 30000;
	row->reserved = 3000000;
	row->egress = task->egress = 12;
	row->reader_egress = task->reader_egress = 34;
	struct kh_sent_row *sent = make(txn, KH_TABLE_SENT);
	sent->token = 3;
	sent->name = KH_LIT("comm.fetch .url");
	sent->last = KH_LIT("https://example.com/");
	sent->lines = KH_LIT("https://example.com/\n");
	sent->calls = 1;
	sent->changed_at = h->now;
	struct kh_dealing_row *dealing = make(txn, KH_TABLE_DEALINGS);
	dealing->context = dealing->tainted = 1;
	dealing->server = KH_LIT("mail");
	ok(event(txn, h, KH_AUDIT_OPERATION_BEGUN, task, 3, ""), txn->err);
	struct kh_result_row *result = make(txn, KH_TABLE_RESULTS);
	result->declaration = row->id;
	result->task = 2;
	result->original = KH_LIT("\xff\xfe");
	result->original_hash = kh_canonical_digest(result->original);
	result->details = KH_LIT("{\"status\":500}");
	result->created_at = h->now;
	result->expires_at = h->now + 1000;
	row->working = 0;
	row->state = KH_DECLARATION_READY;
	row->ended = KH_ENDED_FAILED;
	row->reason = KH_LIT("status");
	row->ended_at = row->release_at = h->now;
	ok(event(txn, h, KH_AUDIT_OPERATION_ENDED, task, 0, ""), txn->err);
	ok(kh_budget_charge(budgets, 2, 3000000), txn->err);
	row->state = KH_DECLARATION_DONE;
	row->charged = row->reserved;
	return event(txn, h, KH_AUDIT_OPERATION_TOLD, task, 0, "");
}

static void end_query(struct kh_txn *txn, struct kh_history *h, struct kh_task_row *task, int64_t id)
{
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	struct kh_query_row *query = load(txn, KH_TABLE_QUERIES, id);
	struct kh_budget *budgets[] = {&task->budget, &context->budget};

	ok(kh_budget_charge(budgets, 2, query->reserved), txn->err);
	query->state = KH_QUERY_DONE;
	query->outcome = KH_OUTCOME_FAILED;
	query->reason = KH_LIT("task_closed");
	query->charged = query->reserved;
	query->ended_at = h->now;
	ok(event(txn, h, KH_AUDIT_QUERY_ENDED, task, 3, ""), txn->err);
}

static enum kh_err end_task(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;
	char what[160];

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 1);
	end_query(txn, h, task, 2);
	task->state = KH_TASK_CLOSED;
	task->ended_at = h->now;
	ok(event(txn, h, KH_AUDIT_TASK_CLOSED, task, 3, ""), txn->err);
	snprintf(what, sizeof(what), "{\"head\":\"%s\",\"n\":%lld,\"task\":1}",
		 kh_canonical_hex(&h->arena, &task->chain.head).p, (long long)task->chain.n);
	return event(txn, h, KH_AUDIT_TASK_UNLISTED, NULL, 3, what);
}

static enum kh_err reset(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_context_row *context = load(txn, KH_TABLE_CONTEXTS, 1);
	context->taint = KH_TAINT_LOW;
	context->exposed = 0;
	context->deliveries = 0;
	context->escalations = 0;
	context->reset_block = context->last_block;
	context->budget = kh_budget_new(context->budget.budget);
	context->resets++;
	context->reset_at = h->now;
	return event(txn, h, KH_AUDIT_CONTEXT_RESET, NULL, 1, "{\"reason\":\"a new conversation\"}");
}

/* U4: a server is seen and approved; then a tool of it is seen to differ. */
static enum kh_err pin(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_upstream_row *upstream = make(txn, KH_TABLE_UPSTREAMS);
	struct kh_tool_row *tool = make(txn, KH_TABLE_TOOLS);
	upstream->name = KH_LIT("mail");
	upstream->seen_about = KH_LIT("{}");
	upstream->seen_at = tool->seen_at = h->now;
	tool->upstream = upstream->id;
	tool->name = KH_LIT("send");
	tool->seen = KH_LIT("{\"name\":\"send\"}");
	tool->seen_hash = kh_canonical_digest(tool->seen);
	ok(event(txn, h, KH_AUDIT_UPSTREAM_SEEN, NULL, 0, "{\"upstream\":\"mail\"}"), txn->err);
	upstream->state = tool->state = KH_PIN_APPROVED;
	upstream->about = upstream->seen_about;
	tool->alias = KH_LIT("send");
	tool->pinned = tool->seen;
	tool->pinned_hash = tool->seen_hash;
	tool->approved_by = upstream->approved_by = 1;
	tool->approved_at = upstream->approved_at = h->now;
	ok(event(txn, h, KH_AUDIT_UPSTREAM_APPROVED, NULL, 1, "{\"tools\":1,\"upstream\":\"mail\"}"), txn->err);
	tool->seen = KH_LIT("{\"name\":\"send\",\"title\":\"Send\"}");
	tool->seen_hash = kh_canonical_digest(tool->seen);
	tool->state = KH_PIN_HELD;
	return event(txn, h, KH_AUDIT_UPSTREAM_SEEN, NULL, 0, "{\"upstream\":\"mail\"}");
}

static enum kh_err purge(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_block_row *block = load(txn, KH_TABLE_BLOCKS, 1);
	struct kh_effect_row *effect = load(txn, KH_TABLE_EFFECTS, 1);
	block->content = KH_LIT("");
	block->purged_at = h->now;
	effect->raw = kh_tainted_wrap(KH_LIT(""));
	effect->reasons = KH_LIT("");
	effect->purged_at = h->now;
	return event(txn, h, KH_AUDIT_CONTENT_PURGED, NULL, 0, "{\"blocks\":1,\"effects\":1}");
}

static enum kh_err alert(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;
	struct kh_task_row *task;

	kh_txn_use_arena(txn, &h->arena);
	task = load(txn, KH_TABLE_TASKS, 2);
	for (size_t i = 0; i < 64; i++)
		ok(event(txn, h, KH_AUDIT_ALERT, task, 3, "{\"code\":\"budget\",\"percent\":80}"), txn->err);
	return KH_OK;
}

static enum kh_err sign(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;
	struct kh_view line = {"", 0};
	size_t used = strlen(h->lines);
	enum kh_err e = kh_history_make(txn, &h->key, h->now, NULL, &h->arena, &line);

	if (e == KH_OK && line.n > 0 && used + line.n + 2 < sizeof(h->lines))
		snprintf(h->lines + used, sizeof(h->lines) - used, "%.*s\n", KH_FMT(line));
	return e;
}

void kh_history_open(struct kh_history *h)
{
	struct kh_error err = {.code = NULL};

	ok(kh_store_open(&kh_sqlite_backend, h->path, KH_STORE_EXISTING, &h->store, &err), &err);
}

void kh_history_close(struct kh_history *h)
{
	kh_store_close(h->store);
	kh_store_close(h->seen);
	h->store = h->seen = NULL;
}

void kh_history_begin(struct kh_history *h)
{
	struct kh_error err = {.code = NULL};
	const char *tmp = getenv("TMPDIR");
	static const unsigned char seed[32] = "a seed that is nobody's at all";

	*h = (struct kh_history){.now = START};
	kh_arena_init(&h->arena, &kh_alloc_system, 256U << 20);
	kh_checkpoint_key(seed, &h->key);
	snprintf(h->folder, sizeof(h->folder), "%s/keyhole-history-XXXXXX",
		 tmp != NULL && strlen(tmp) < 32 ? tmp : "/tmp");
	assert_non_null(mkdtemp(h->folder));
	snprintf(h->path, sizeof(h->path), "%s/keyhole.db", h->folder);
	ok(kh_store_open(&kh_sqlite_backend, h->path, KH_STORE_CREATE, &h->store, &err), &err);
	run(h, create);
}

void kh_history_checkpoint(struct kh_history *h)
{
	run(h, sign);
}

static void make_all(struct kh_history *h)
{
	kh_history_begin(h);
	run(h, make_tokens);
	run(h, open_task);
	run(h, seal);
	run(h, ask);
	kh_history_checkpoint(h);
	run(h, deliver);
	run(h, escalate);
	run(h, decide);
	run(h, open_task);
	run(h, end_task);
	kh_history_checkpoint(h);
	run(h, reset);
	run(h, purge);
	kh_history_close(h);
}

void kh_history_operate(struct kh_history *h)
{
	kh_history_open(h);
	run(h, operate);
	run(h, pin);
	kh_history_close(h);
}

/* An escalation of task 2, which ends. */
static enum kh_err escalate_again(struct kh_txn *txn, void *arg)
{
	struct kh_history *h = arg;

	kh_txn_use_arena(txn, &h->arena);
	struct kh_task_row *task = load(txn, KH_TABLE_TASKS, 2);
	const struct kh_query_row *query = admit(txn, h, task, 3);
	ok(event(txn, h, KH_AUDIT_QUERY_ADMITTED, task, 3, ""), txn->err);
	end_query(txn, h, task, query->id);
	return KH_OK;
}

void kh_history_escalate(struct kh_history *h)
{
	kh_history_open(h);
	run(h, escalate_again);
	run(h, reset);
	kh_history_close(h);
}

void kh_history_grow(struct kh_history *h, size_t count)
{
	for (size_t i = 0; i < count; i += 64) {
		run(h, alert);
		kh_arena_clear(&h->arena);
	}
}

void kh_history_remove(struct kh_history *h)
{
	kh_history_close(h);
	kh_history_unlink(h->path);
	assert_int_equal(rmdir(h->folder), 0);
	kh_arena_done(&h->arena);
}

static struct kh_history original, copy;

static void remove_all(void)
{
	kh_history_close(&copy);
	kh_history_unlink(copy.path);
	kh_history_unlink(original.path);
	rmdir(original.folder);
	kh_arena_done(&original.arena);
	kh_arena_done(&copy.arena);
}

struct kh_history *kh_history_fresh(void)
{
	if (original.folder[0] == '\0') {
		make_all(&original);
		atexit(remove_all);
	} else {
		kh_history_close(&copy);
		kh_history_unlink(copy.path);
		kh_arena_done(&copy.arena);
	}
	copy = original;
	kh_arena_init(&copy.arena, &kh_alloc_system, 256U << 20);
	snprintf(copy.path, sizeof(copy.path), "%s/copy.db", original.folder);
	kh_history_copy(original.path, copy.path);
	return &copy;
}
