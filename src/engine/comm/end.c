/*
 * How operations end.  Content from outside is opened here once, to be checked, hashed and bound to its attribution.
 * It goes into the store and nowhere else.
 */
#include "engine/comm/end.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "core/bcp/bits.h"
#include "core/comm/attribution.h"
#include "core/comm/operations.h"
#include "core/comm/origin.h"
#include "core/policy/hosttool.h"
#include "engine/approval/approval.h"
#include "engine/comm/giving.h"
#include "engine/comm/standby.h"
#include "engine/context/seal.h"
#include "engine/state/each.h"
#include "engine/state/find.h"
#include "engine/state/staged.h"
#include "engine/state/tally.h"
#include "engine/upstream/elicit.h"

#define DETAILS (256U << 10)
#define SPOKEN  4096 /* bytes of our own explanation that are kept */

/* The rows that change when an operation ends. */
struct ending {
	struct kh_op *op;
	struct kh_declaration_row *row;
	struct kh_task_row *task;
	struct kh_context_row *context;
};

static enum kh_err load(struct kh_op *op, struct kh_declaration_row *row, struct ending *ret_ending)
{
	*ret_ending = (struct ending){.op = op, .row = row};
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, row->task, &ret_ending->task);
	return e == KH_OK ? kh_txn_load(op->txn, KH_TABLE_CONTEXTS, row->context, &ret_ending->context) : e;
}

/* --- the outcome is released -------------------------------------------------------------------------------------- */

/*
 * The block may be known from now on.  E12: if it was asked for in a fence, the context is given the content, and its
 * taint is high from now on.  U6: so it is if a rule vets the content, whose taint is the context's.
 */
static enum kh_err tell_block(struct ending *s)
{
	int64_t id = kh_comm_end_block(s->row);
	struct kh_block_row *block;

	if (id == 0)
		return KH_OK;
	enum kh_err e = kh_txn_load_closed(s->op->txn, KH_TABLE_BLOCKS, id, &block);
	if (e != KH_OK)
		return e;
	if (block->told < 0)
		kh_seal_tell(s->context, s->task, block);
	if ((!s->row->fenced && block->trust != KH_VETTED) || s->task->state != KH_TASK_OPEN)
		return KH_OK;
	block->given = 1;
	s->context->taint = kh_label_max_taint(s->context->taint, block->taint);
	return KH_OK;
}

/* Charges what was reserved, whatever the outcome is (B6). */
static enum kh_err tell(struct ending *s)
{
	struct kh_budget *budgets[] = {&s->task->budget, &s->context->budget};
	struct kh_declaration_row *row = s->row;
	enum kh_err e = row->reserved > 0 ? kh_budget_charge(budgets, 2, row->reserved) : KH_OK;

	if (e == KH_EREFUSED)
		return kh_error_set(s->op->err, KH_ESTORE, "store_corrupt", "an operation was never reserved for");
	if (e == KH_OK)
		e = tell_block(s);
	if (e != KH_OK)
		return e;
	row->charged = row->reserved;
	kh_tally_add(kh_engine_tally(s->op->engine), KH_TALLY_CHARGED, KH_LIT(""), KH_LIT(""), row->reserved);
	row->state = KH_DECLARATION_DONE;
	return kh_op_event(s->op, KH_AUDIT_OPERATION_TOLD, s->task, KH_LIT(""));
}

int64_t kh_comm_end_block(const struct kh_declaration_row *row)
{
	return row->block != 0 ? row->block : row->fault;
}

int64_t kh_comm_end_slot(const struct kh_op *op, int64_t from, uint64_t wall_ms)
{
	int64_t after = op->now - from;

	if (op->policy->release == KH_RELEASE_IMMEDIATE)
		return op->now;
	return from + (int64_t)kh_bits_slot((uint64_t)(after + 999) / 1000, wall_ms) * 1000;
}

/* The slot at which an outcome that is known now may be told. */
static int64_t slot(const struct kh_op *op, const struct kh_declaration_row *row)
{
	if (kh_hosttool_is(row->operation))
		return op->now; /* K11: the host runs it, and knows */
	return kh_comm_end_slot(op, row->begun_at, (uint64_t)row->wall_ms);
}

int64_t kh_comm_end_last(const struct kh_declaration_row *row)
{
	return row->begun_at + row->wall_ms * 1000;
}

/* Whether ROW still runs, and its last slot has passed: whenever it ends now, that moment would show. */
static bool is_late(const struct kh_op *op, const struct kh_declaration_row *row)
{
	bool has_last = op->policy->release == KH_RELEASE_SLOTS || kh_hosttool_is(row->operation);

	return row->state == KH_DECLARATION_RUNNING && has_last && kh_comm_end_last(row) < op->now;
}

static enum kh_err record_end(struct ending *s, enum kh_ended ended, const char *reason, struct kh_view what)
{
	struct kh_declaration_row *row = s->row;

	if (kh_hosttool_is(row->operation))
		row->working = 0; /* nobody here will report its end */
	row->ended = ended;
	row->reason = kh_view_str(reason);
	row->ended_at = s->op->now;
	row->release_at = slot(s->op, row);
	row->state = KH_DECLARATION_READY;
	kh_tally_add(kh_engine_tally(s->op->engine), KH_TALLY_ENDED, row->operation,
		     kh_view_str(kh_words_name(&kh_rows_ended_words, ended)), 1);
	enum kh_err e = kh_op_event(s->op, KH_AUDIT_OPERATION_ENDED, s->task, what);
	return e == KH_OK && row->release_at <= s->op->now ? tell(s) : e;
}

/* --- the result --------------------------------------------------------------------------------------------------- */

/* {"said": text from outside, "why": our explanation}: only for humans. */
static enum kh_err write_details(struct kh_arena *arena, const struct kh_errand_result *result,
				 struct kh_view *ret_json)
{
	struct kh_view said = kh_tainted_open(result->details), why = result->why;
	struct kh_emit emit;

	if (said.n > KH_ERRAND_DETAILS || kh_utf8_invalid(said) != SIZE_MAX)
		said = KH_LIT("");
	if (why.n > SPOKEN || kh_utf8_invalid(why) != SIZE_MAX)
		why = KH_LIT("what went wrong cannot be said in few words");
	kh_emit_begin(&emit, arena, DETAILS);
	kh_emit_object(&emit);
	kh_emit_add(&emit, "said", said);
	kh_emit_add(&emit, "why", why);
	kh_emit_end(&emit);
	return kh_emit_finish(&emit, ret_json);
}

/* Whether the content can be sealed; *RET_WHY says why not, for humans. */
static bool is_sealable(const struct kh_errand_result *result, const char **ret_why)
{
	struct kh_view content = kh_tainted_open(result->content);

	if (content.n > KH_ERRAND_CONTENT)
		*ret_why = "too_large";
	else if (kh_utf8_invalid(content) != SIZE_MAX)
		*ret_why = "not_text";
	else
		return true;
	return false;
}

enum kh_err kh_comm_end_prepare(struct kh_prepare *at, void *call)
{
	struct kh_comm_end *done = call;
	struct kh_comm_end_read *read = &done->read;

	*read = (struct kh_comm_end_read){.reason = ""};
	read->sealable = done->result.end != KH_ERRAND_UNKNOWN && is_sealable(&done->result, &read->reason);
	read->original = kh_canonical_digest(kh_tainted_open(done->result.original));
	enum kh_err e = write_details(at->arena, &done->result, &read->details);
	return e == KH_OK && read->sealable ? kh_seal_prepare(at, done->result.content, false) : e;
}

static enum kh_err keep(struct ending *s, const struct kh_comm_end *done)
{
	struct kh_view original = kh_tainted_open(done->result.original);
	struct kh_result_row *kept;
	enum kh_err e = kh_txn_new(s->op->txn, KH_TABLE_RESULTS, &kept);

	if (e != KH_OK)
		return e;
	kept->declaration = s->row->id;
	kept->task = s->row->task;
	if (original.n > 0) {
		kept->original = original;
		kept->original_hash = done->read.original;
		e = kh_txn_know(s->op->txn, original, &done->read.original);
		if (e == KH_OK)
			e = kh_staged_find(s->op, original);
	}
	kept->created_at = s->op->now;
	kept->expires_at = kh_engine_keep_until(s->op->engine, s->op->now);
	kept->details = done->read.details;
	return e;
}

/* How it ended; of a tool also how much of it the context is given (U6), and why not more. */
static struct kh_view describe(struct kh_op *op, const struct kh_seal *seal, enum kh_ended ended,
			       const struct kh_given_way *way)
{
	static const char *const ways[] = {[KH_GIVING_FENCED] = "fenced", [KH_GIVING_VETTED] = "vetted"};
	struct kh_emit what;

	kh_op_describe(op, &what);
	kh_emit_add(&what, "digest", seal->row != NULL ? kh_canonical_hex(op->arena, &seal->digest) : KH_LIT(""));
	if (way->way != KH_GIVING_SEALED)
		kh_emit_add_word(&what, "given", ways[way->way]);
	if (way->kept_back != NULL)
		kh_emit_add_word(&what, "kept_back", way->kept_back);
	kh_emit_add_word(&what, "result", kh_words_name(&kh_rows_ended_words, ended));
	kh_emit_add_int(&what, "size", seal->row != NULL ? (int64_t)seal->row->content.n : 0);
	return kh_op_described(op, &what);
}

/* What was asked for (B19), and the upstream server that was asked; empty: none was. */
static enum kh_err find_origin(struct ending *s, struct kh_view *ret_origin, struct kh_view *ret_server)
{
	yyjson_val *parameters = NULL;
	enum kh_err e = kh_json_read(s->op->arena, s->row->parameters, &parameters, s->op->err);

	if (e != KH_OK)
		return e;
	*ret_server = kh_operation_server(&kh_operations_own, s->row->operation, parameters);
	return kh_origin_text(s->op->arena, s->row->operation, parameters, ret_origin, s->op->err);
}

/*
 * U6: how much the context is given of what SERVER sent.  Of vetted content the links are left out: they lead
 * elsewhere, and what is there is anybody's.  If nothing else came, there is nothing to vet.  A failure is sealed.
 */
static enum kh_err find_way(struct ending *s, const struct kh_errand_result *result, enum kh_ended ended,
			    struct kh_view server, struct kh_given_way *way, struct kh_seal *seal)
{
	enum kh_err e = KH_OK;

	if (server.n == 0)
		return KH_OK;
	if (ended == KH_ENDED_OK)
		e = kh_giving_find(s->op, s->row, server, way);
	if (e == KH_OK && way->way == KH_GIVING_VETTED && result->vettable == 0 && kh_tainted_size(result->content) > 0)
		*way = (struct kh_given_way){KH_GIVING_SEALED, "only_links"};
	seal->vetted = way->way == KH_GIVING_VETTED;
	if (seal->vetted)
		seal->content = kh_tainted_first(result->content, result->vettable);
	s->row->fenced = way->way == KH_GIVING_FENCED;
	return e;
}

/*
 * Seals what came back.  An upstream server that failed has said why: that is sealed too, or nothing is, so that a
 * failure looks like any other (B8).
 */
static enum kh_err seal_result(struct ending *s, const struct kh_comm_end *done, enum kh_ended ended,
			       struct kh_given_way *way, struct kh_seal *seal)
{
	struct kh_view server = KH_LIT("");
	enum kh_err e = find_origin(s, &seal->origin, &server);

	if (e != KH_OK || (ended != KH_ENDED_OK && (ended != KH_ENDED_FAILED || server.n == 0)))
		return e;
	if (!done->read.sealable)
		seal->content = kh_tainted_wrap(KH_LIT(""));
	e = find_way(s, &done->result, ended, server, way, seal);
	return e == KH_OK ? kh_seal_block(s->op, seal) : e;
}

static enum kh_err end(struct ending *s, const struct kh_comm_end *done)
{
	const struct kh_errand_result *result = &done->result;
	enum kh_ended ended = result->end == KH_ERRAND_OK        ? KH_ENDED_OK
			      : result->end == KH_ERRAND_UNKNOWN ? KH_ENDED_UNKNOWN
								 : KH_ENDED_FAILED;
	const char *reason = done->read.reason;
	struct kh_given_way way = {.way = KH_GIVING_SEALED};
	struct kh_seal seal = {
		.task = s->task,
		.context = s->context,
		.operation = s->row->operation,
		.source = result->source.n > 0 ? result->source : s->row->operation,
		.content = result->content,
		.declaration = s->row->id,
		.put_by = s->context->token,
		.slot = slot(s->op, s->row),
	};
	enum kh_err e;

	if (result->end == KH_ERRAND_HELD)
		reason = "held";
	if (ended == KH_ENDED_OK && !done->read.sealable)
		ended = KH_ENDED_FAILED;
	e = seal_result(s, done, ended, &way, &seal);
	if (e == KH_EREFUSED || e == KH_EINPUT || e == KH_ELIMIT ||
	    e == KH_EUNKNOWN) { /* what came back cannot be a block */
		ended = KH_ENDED_FAILED;
		reason = "not_sealed";
		e = KH_OK;
	}
	if (e == KH_OK)
		e = keep(s, done);
	if (e != KH_OK)
		return e;
	s->row->block = ended == KH_ENDED_OK ? seal.row->id : 0;
	s->row->fault = ended == KH_ENDED_FAILED && seal.row != NULL ? seal.row->id : 0;
	return record_end(s, ended, reason, describe(s->op, &seal, ended, &way));
}

enum kh_err kh_comm_end_run(struct kh_op *op, void *call)
{
	const struct kh_comm_end *done = call;
	struct kh_declaration_row *row;
	struct ending s;
	bool waits = false;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, done->declaration, &row);

	/* Another process took this one for dead and has ended the operation: nobody waits for it here. */
	if (e != KH_OK || !row->working || row->holder != kh_store_holder(kh_engine_store(op->engine)))
		return e;
	row->working = 0;
	e = load(op, row, &s);
	if (e == KH_OK && row->state != KH_DECLARATION_RUNNING) /* nor here: its task was closed meanwhile */
		return kh_op_event(op, KH_AUDIT_OPERATION_ENDED, s.task, KH_LIT("{\"result\":\"late\"}"));
	if (e == KH_OK && is_late(op, row))
		return record_end(&s, KH_ENDED_UNKNOWN, "late", KH_LIT("{\"result\":\"unknown\"}"));
	if (e == KH_OK && done->result.end == KH_ERRAND_HELD)
		e = kh_standby_return(op, s.task, row, &waits);
	return e == KH_OK && !waits ? end(&s, done) : e;
}

enum kh_err kh_comm_end_hosts(struct kh_op *op, struct kh_declaration_row *row, enum kh_ended ended, int64_t block,
			      size_t size)
{
	struct ending s;
	enum kh_err e = load(op, row, &s);

	if (e != KH_OK)
		return e;
	row->block = ended == KH_ENDED_OK ? block : 0;
	return record_end(&s, ended, "",
			  kh_arena_printf(op->arena, "{\"result\":\"%s\",\"size\":%zu}",
					  kh_words_name(&kh_rows_ended_words, ended), size));
}

/* --- other ends --------------------------------------------------------------------------------------------------- */

enum kh_err kh_comm_end_lost(struct kh_op *op, struct kh_declaration_row *row)
{
	struct ending s;
	enum kh_err e = load(op, row, &s);

	if (e == KH_OK)
		e = kh_elicit_end(op, row);
	row->working = 0;
	if (e == KH_OK && row->state == KH_DECLARATION_RUNNING)
		return record_end(&s, KH_ENDED_UNKNOWN, "process_died", KH_LIT("{\"result\":\"unknown\"}"));
	return e == KH_OK ? kh_op_event(op, KH_AUDIT_OPERATION_ENDED, s.task, KH_LIT("{\"result\":\"lost\"}")) : e;
}

static enum kh_err end_unknown(struct kh_op *op, struct kh_declaration_row *row, const char *reason)
{
	struct ending s;
	enum kh_err e = load(op, row, &s);

	return e == KH_OK ? record_end(&s, KH_ENDED_UNKNOWN, reason, KH_LIT("{\"result\":\"unknown\"}")) : e;
}

enum kh_err kh_comm_end_unbegun(struct kh_op *op, struct kh_declaration_row *row, enum kh_ended ended,
				const char *reason)
{
	struct ending s;
	enum kh_err e = load(op, row, &s);

	if (e != KH_OK)
		return e;
	row->ended = ended;
	row->reason = kh_view_str(reason);
	row->ended_at = op->now;
	return tell(&s);
}

/*
 * A decision on ROW whose slot has come takes effect.  If the approval that ROW waits for has expired, everything that
 * shares the approval ends as expired.  An approval that was void from the start, because too many waited, is waited
 * for like the others.
 */
static enum kh_err due_approval(struct kh_op *op, struct kh_declaration_row *row)
{
	struct kh_approval_row *approval;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, row->asks, &approval);

	if (e == KH_OK)
		e = kh_approval_due(op, approval);
	if (e == KH_OK && row->state == KH_DECLARATION_ASKED && approval->state != KH_APPROVAL_PENDING &&
	    approval->told_at == 0 && approval->expires_at <= op->now)
		e = kh_comm_end_unbegun(op, row, KH_ENDED_EXPIRED, "approval_expired");
	return e;
}

enum kh_err kh_comm_end_due(struct kh_op *op, struct kh_declaration_row *row)
{
	struct ending s;

	if (row->state == KH_DECLARATION_ASKED && row->asks != 0)
		return due_approval(op, row);
	if (is_late(op, row))
		return end_unknown(op, row, "late");
	if (row->state != KH_DECLARATION_READY || row->release_at > op->now)
		return KH_OK;
	enum kh_err e = load(op, row, &s);
	return e == KH_OK ? tell(&s) : e;
}

int64_t kh_comm_end_when(const struct kh_declaration_row *row)
{
	return row->state == KH_DECLARATION_READY ? row->release_at : 0;
}

/*
 * Its task ends before its slot.  Whether it had ended too is not told: it is cut off like one that still runs, and its
 * block never becomes known.  The record has what came of it.
 */
static void cut_off(struct kh_declaration_row *row, const char *reason)
{
	row->ended = KH_ENDED_UNKNOWN;
	row->block = row->fault = 0;
	row->reason = kh_view_str(reason);
}

static enum kh_err end_one(struct kh_op *op, struct kh_declaration_row *row, const char *reason)
{
	struct ending s;
	enum kh_err e = KH_OK;

	if (row->state == KH_DECLARATION_DECLARED || row->state == KH_DECLARATION_ASKED)
		return kh_comm_end_unbegun(op, row, KH_ENDED_EXPIRED, reason);
	if (row->state == KH_DECLARATION_RUNNING)
		e = end_unknown(op, row, reason);
	if (e != KH_OK || row->state != KH_DECLARATION_READY)
		return e;
	if (row->release_at > op->now)
		cut_off(row, reason);
	e = load(op, row, &s);
	return e == KH_OK ? tell(&s) : e;
}

enum kh_err kh_comm_end_task(struct kh_op *op, const struct kh_task_row *task, const char *reason)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_DECLARATIONS_OPEN, .number = task->id};
	struct kh_declaration_row *row;

	while (kh_each_load(&each, KH_TABLE_DECLARATIONS, &row))
		each.e = end_one(op, row, reason);
	return each.e;
}
