/*
 * Events.  A stream is a work that waits for any event.  Each step reads on from where the last one ended, a bounded
 * number at a time; while the client takes nothing, nothing more is read for it.  The token is checked in the same
 * snapshot of the store as the events are read from, so nothing is sent that happened after it was revoked.
 */
#include "http/events.h"

#include "base/buf.h"
#include "base/emit.h"
#include "base/timestamp.h"
#include "engine/state/publicid.h"
#include "http/reply.h"
#include "store/txn.h"

#include <stdio.h>

#define BATCH   256
#define COMMENT INT64_C(15000000) /* microseconds between comments, which detect a dead client */
#define RETRY   2000              /* milliseconds that a client waits before it comes back */
#define LINE    512

struct watching {
	struct kh_http_stream *stream;
	int64_t after;
	int64_t comment_at;
	int64_t host; /* row of the token if it is a host's; else 0 */
};

/* --- reading the record ------------------------------------------------------------------------------------------- */

struct found {
	int64_t id, chain, at;
	int64_t approval; /* that it is about; 0: none */
	char kind[32];
};

struct reading {
	struct kh_txn *txn;
	struct kh_arena *arena;
	struct kh_token_claim token;
	int64_t now;
	int64_t after, host;
	struct found *found;
	size_t count;
	size_t passed; /* including events that the client may not see */
};

static bool is_kind(struct kh_view text, enum kh_audit_kind kind)
{
	return kh_view_eq(text, kh_view_str(kh_words_name(&kh_audit_kind_words, kind)));
}

/* What is recorded before its slot has come (B17).  A host is not told, because it talks to its agent. */
static bool is_early(struct kh_view kind)
{
	static const enum kh_audit_kind early[] = {
		KH_AUDIT_ASK_TAKEN,       KH_AUDIT_ASK_BEGUN,  KH_AUDIT_ASK_FAILED,
		KH_AUDIT_RESPONSE_JUDGED, KH_AUDIT_QUERY_HELD, KH_AUDIT_QUERY_READY,
		KH_AUDIT_QUERY_ASKED,     KH_AUDIT_TRIAGED,    KH_AUDIT_OPERATION_ENDED};
	bool found = false;

	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]) && !found; i++)
		found = is_kind(kind, early[i]);
	return found;
}

static bool is_of_approval(struct kh_view kind)
{
	return kh_view_starts(kind, KH_LIT("approval."));
}

/* The approval that an event is about, and whether it was decided for a later slot.  False: it does not say. */
static bool read_approval(yyjson_val *event, int64_t *ret_approval, bool *ret_later)
{
	yyjson_val *change;
	size_t i, max;

	yyjson_arr_foreach (kh_json_get(event, "set"), i, max, change) {
		struct kh_view table = kh_json_str(yyjson_arr_get(change, 0));
		yyjson_val *columns = yyjson_arr_get(change, 2), *id = NULL;
		if (kh_view_eq(table, KH_LIT("approvals")))
			id = yyjson_arr_get(change, 1);
		else if (kh_view_eq(table, KH_LIT("showings")))
			id = kh_json_get(columns, "approval");
		if (id == NULL)
			continue;
		*ret_approval = yyjson_get_sint(id);
		*ret_later = yyjson_get_sint(kh_json_get(columns, "told_at")) != 0;
		return true;
	}
	return false;
}

/*
 * Whether a host may see an event of an approval, as far as the event itself says.  A decision that has a slot comes as
 * approval.told, at the slot.  One that is void from the start shows how many wait, which is no business of an agent.
 */
static bool may_see_approval(struct reading *reading, const struct kh_audit_entry *entry, int64_t *ret_approval)
{
	yyjson_val *event = NULL;
	bool later = false;

	if (kh_json_read(reading->arena, entry->body, &event, NULL) != KH_OK ||
	    !read_approval(event, ret_approval, &later))
		return false;
	return !later &&
	       !kh_view_eq(kh_json_str(kh_json_get(kh_json_get(event, "what"), "why")), KH_LIT("too_many_pending"));
}

/* Whether a host may see an event; that it is of the host's own contexts is checked later. */
static bool may_see(struct reading *reading, const struct kh_audit_entry *entry, int64_t *ret_approval)
{
	if (entry->chain == 0 || is_early(entry->kind))
		return false;
	return !is_of_approval(entry->kind) || may_see_approval(reading, entry, ret_approval);
}

static bool take(const struct kh_audit_entry *entry, void *arg)
{
	struct reading *reading = arg;
	struct found *found = &reading->found[reading->count];

	reading->after = entry->id;
	reading->passed++;
	int64_t approval = 0;
	if (reading->host == 0 || may_see(reading, entry, &approval)) {
		*found = (struct found){.id = entry->id, .chain = entry->chain, .at = entry->at, .approval = approval};
		snprintf(found->kind, sizeof(found->kind), "%.*s", KH_FMT(entry->kind));
		reading->count++;
	}
	return reading->count < BATCH && reading->passed < (size_t)16 * BATCH;
}

/* Finds out whether the task is of a context whose token this host has made. */
static enum kh_err is_hosts(struct reading *reading, int64_t task, bool *ret_yes)
{
	struct kh_task_row row;
	struct kh_context_row context;
	struct kh_token_row token;
	enum kh_err e = kh_txn_peek(reading->txn, KH_TABLE_TASKS, task, &row);

	if (e == KH_OK)
		e = kh_txn_peek(reading->txn, KH_TABLE_CONTEXTS, row.context, &context);
	if (e == KH_OK)
		e = kh_txn_peek(reading->txn, KH_TABLE_TOKENS, context.token, &token);
	*ret_yes = e == KH_OK && token.parent == reading->host;
	return e == KH_EUNKNOWN ? KH_OK : e;
}

/*
 * Whether an event is of an approval about an answer, or about a query that is asked later (B17): when these are asked
 * for and decided, the query's slot has not come.  Nor has that of a call whose server asks a human something (U3).  That
 * a query waits for a human from the beginning is no secret.
 */
static enum kh_err is_of_query(struct reading *reading, const struct found *found, bool *ret_yes)
{
	struct kh_approval_row row;
	bool asked = is_kind(kh_view_str(found->kind), KH_AUDIT_APPROVAL_REQUESTED);

	*ret_yes = false;
	if (found->approval == 0)
		return KH_OK;
	enum kh_err e = kh_txn_peek(reading->txn, KH_TABLE_APPROVALS, found->approval, &row);
	if (e == KH_OK)
		*ret_yes = row.kind == KH_APPROVE_ELICITATION ||
			   (row.query != 0 && !(asked && row.kind == KH_APPROVE_ESCALATION));
	return e;
}

/* Keeps only the events that a host may see: those of its own contexts. */
static enum kh_err keep_hosts(struct reading *reading)
{
	size_t kept = 0;

	for (size_t i = 0; i < reading->count; i++) {
		bool own, early;
		enum kh_err e = is_hosts(reading, reading->found[i].chain, &own);
		if (e == KH_OK)
			e = is_of_query(reading, &reading->found[i], &early);
		if (e != KH_OK)
			return e;
		if (own && !early)
			reading->found[kept++] = reading->found[i];
	}
	reading->count = kept;
	return KH_OK;
}

static enum kh_err read_on(struct kh_txn *txn, void *arg)
{
	struct reading *reading = arg;
	struct kh_token_row *token;
	enum kh_err e;

	kh_txn_use_arena(txn, reading->arena);
	reading->txn = txn;
	e = kh_token_check(txn, &reading->token, reading->now, &token);
	if (e == KH_OK)
		e = kh_audit_read(txn, reading->after, take, reading);
	return e == KH_OK && reading->host != 0 ? keep_hosts(reading) : e;
}

static enum kh_err read_last(struct kh_txn *txn, void *arg)
{
	int64_t *after = arg, next = 0;
	enum kh_err e = kh_txn_next_event(txn, &next);

	if (e == KH_OK)
		*after = next - 1;
	return e;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static bool send_one(struct kh_http_request *r, struct kh_http_stream *stream, const struct found *found)
{
	struct kh_arena *arena = &r->arena;
	struct kh_engine *engine = kh_gateway_engine(r->frame->gateway);
	struct kh_view data, id = kh_publicid_text(arena, kh_engine_id_key(engine), KH_ID_EVENT, found->id);
	struct kh_emit emit;

	kh_emit_begin(&emit, arena, LINE);
	kh_emit_object(&emit);
	kh_emit_add(&emit, "at", kh_timestamp_text(arena, found->at));
	kh_emit_add(&emit, "id", id);
	kh_emit_add_word(&emit, "kind", found->kind);
	if (found->chain != 0) {
		kh_emit_add(&emit, "task", kh_publicid_text(arena, kh_engine_id_key(engine), KH_ID_TASK, found->chain));
	}
	kh_emit_end(&emit);
	if (kh_emit_finish(&emit, &data) != KH_OK || kh_arena_check(arena) != KH_OK)
		return false;
	return kh_http_stream_event(stream, id, kh_view_str(found->kind), data);
}

/* Sends what is new.  False: the stream is over. */
static bool send_new(struct kh_http_request *r, struct watching *watching, bool *ret_more)
{
	struct kh_arena *arena = &r->arena;
	struct kh_engine *engine = kh_gateway_engine(r->frame->gateway);
	struct reading reading = {.arena = arena,
				  .token = r->token,
				  .now = kh_engine_now(engine),
				  .after = watching->after,
				  .host = watching->host};
	struct kh_error err;

	reading.found = KH_NEW_N(arena, struct found, BATCH);
	if (reading.found == NULL || kh_store_read(kh_engine_store(engine), read_on, &reading, &err) != KH_OK)
		return false;
	for (size_t i = 0; i < reading.count; i++) {
		if (!send_one(r, watching->stream, &reading.found[i]))
			return false;
	}
	*ret_more = reading.after != watching->after;
	watching->after = reading.after;
	return true;
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

static enum kh_err who_watches(struct kh_http_request *r, struct watching *watching, struct kh_error *err)
{
	struct kh_who who;
	enum kh_err e = kh_gateway_who(r->frame->gateway, r->token, true, &who, err);

	if (e != KH_OK)
		return e;
	if (who.role != KH_ROLE_REVIEWER && who.role != KH_ROLE_ADMIN && who.role != KH_ROLE_HOST)
		return kh_error_set(err, KH_EREFUSED, "forbidden",
				    "a reviewer's, an admin's or a host's token is needed");
	watching->host = who.role == KH_ROLE_HOST ? who.token : 0;
	return KH_OK;
}

/* Finds the event to begin after: the last one that the client has seen; else the newest one. */
static enum kh_err find_place(struct kh_http_request *r, struct watching *watching, struct kh_error *err)
{
	struct kh_view after = kh_http_request_header(r, "last-event-id");

	if (after.p == NULL || after.n == 0)
		after = kh_http_request_query(r, "after");
	struct kh_engine *engine = kh_gateway_engine(r->frame->gateway);
	int64_t last = 0;
	enum kh_err e = kh_store_read(kh_engine_store(engine), read_last, &last, err);
	watching->after = last;
	if (e != KH_OK || after.p == NULL)
		return e;
	if (kh_view_eq(after, KH_LIT("start")))
		watching->after = 0;
	else if (!kh_publicid_parse(kh_engine_id_key(engine), KH_ID_EVENT, after, &watching->after) ||
		 watching->after < 1 || watching->after > last)
		return kh_error_set(err, KH_EINPUT, "bad_value", "the last event's id is not the id of an event");
	return KH_OK;
}

static enum kh_work_next begin(struct kh_http_request *r, struct watching *watching)
{
	static const struct kh_http_header headers[] = {{"X-Accel-Buffering", KH_LIT_INIT("no")}};
	struct kh_error err = {.err = KH_OK};
	enum kh_err e = who_watches(r, watching, &err);

	if (e == KH_OK)
		e = find_place(r, watching, &err);
	if (e != KH_OK) {
		kh_http_reply_error(r, e, &err);
		return KH_WORK_DONE;
	}
	watching->stream = kh_http_reply_stream(r, headers, 1);
	if (watching->stream == NULL)
		return KH_WORK_DONE;
	watching->comment_at = kh_works_now() + COMMENT;
	(void)kh_http_stream_retry(watching->stream, RETRY);
	return KH_WORK_WAIT;
}

/* Returns false if the stream has to end. */
static bool keep_open(struct kh_http_request *r, struct watching *watching)
{
	if (atomic_load(&r->gone) || kh_works_is_stopping(kh_gateway_works(r->frame->gateway)))
		return false;
	if (kh_works_now() < watching->comment_at)
		return true;
	watching->comment_at = kh_works_now() + COMMENT;
	return kh_http_stream_comment(watching->stream);
}

static enum kh_work_next run(struct kh_http_request *r)
{
	struct watching *watching = kh_http_request_kept(r, sizeof(*watching));
	struct kh_work *work = &r->work;
	bool more = false;

	if (watching == NULL)
		return KH_WORK_DONE;
	if (watching->stream == NULL && begin(r, watching) == KH_WORK_DONE)
		return KH_WORK_DONE;
	if (!keep_open(r, watching) || !send_new(r, watching, &more)) {
		kh_http_stream_close(watching->stream);
		kh_http_stream_drop(watching->stream);
		return KH_WORK_DONE;
	}
	r->shed = true;
	work->wake_at = more ? kh_works_now() + 1000 : watching->comment_at;
	work->wake_chain = KH_WORK_ANY;
	return KH_WORK_WAIT;
}

static const struct kh_http_route routes[] = {{KH_HTTP_GET, "/api/v1/events", KH_HTTP_TOKEN, 0, run, true, false}};

enum kh_err kh_http_events_add(struct kh_http *http, struct kh_error *err)
{
	return kh_http_add(http, routes, 1, NULL, err);
}
