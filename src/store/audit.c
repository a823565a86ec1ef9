/*
 * Audit events: their kinds, how they are read, and the head that they all begin with.
 *
 * The head of an event is written by one function, which the appending transaction and verification share.  So the
 * bytes that are written are the bytes that verification expects.
 */
#include "store/audit.h"

#include "store/backend.h"
#include "store/rows.h"

static const char *const kinds[] = {
	[KH_AUDIT_STORE_CREATED] = "store.created",
	[KH_AUDIT_STARTED] = "store.started",
	[KH_AUDIT_STOPPED] = "store.stopped",
	[KH_AUDIT_TOKEN_CREATED] = "token.created",
	[KH_AUDIT_TOKEN_REVOKED] = "token.revoked",
	[KH_AUDIT_CONTEXT_RESET] = "context.reset",
	[KH_AUDIT_CONTEXT_BLOCK] = "context.block",
	[KH_AUDIT_TASK_LISTED] = "task.listed",
	[KH_AUDIT_TASK_UNLISTED] = "task.unlisted",
	[KH_AUDIT_REFUSED] = "call.refused",
	[KH_AUDIT_REFUSALS] = "calls.refused",
	[KH_AUDIT_CONTENT_PURGED] = "content.purged",
	[KH_AUDIT_RELOADED] = "store.reloaded",
	[KH_AUDIT_UPGRADED] = "store.upgraded",
	[KH_AUDIT_UPSTREAM_SEEN] = "upstream.seen",
	[KH_AUDIT_UPSTREAM_APPROVED] = "upstream.approved",
	[KH_AUDIT_UPSTREAM_LEASED] = "upstream.leased",
	[KH_AUDIT_UPSTREAM_WANTED] = "upstream.wanted",
	[KH_AUDIT_UPSTREAM_RELEASED] = "upstream.released",
	[KH_AUDIT_HALTED] = "system.halted",
	[KH_AUDIT_RESUMED] = "system.resumed",
	[KH_AUDIT_TASK_OPENED] = "task.opened",
	[KH_AUDIT_TASK_CLOSED] = "task.closed",
	[KH_AUDIT_TASK_FAILED] = "task.failed",
	[KH_AUDIT_BLOCK_SEALED] = "block.sealed",
	[KH_AUDIT_QUERY_ADMITTED] = "query.admitted",
	[KH_AUDIT_QUERY_REFUSED] = "query.refused",
	[KH_AUDIT_QUERY_ASKED] = "query.asked",
	[KH_AUDIT_ASK_TAKEN] = "ask.taken",
	[KH_AUDIT_ASK_BEGUN] = "ask.begun",
	[KH_AUDIT_RESPONSE_JUDGED] = "response.judged",
	[KH_AUDIT_ASK_FAILED] = "ask.failed",
	[KH_AUDIT_QUERY_HELD] = "query.held",
	[KH_AUDIT_QUERY_READY] = "query.ready",
	[KH_AUDIT_QUERY_DELIVERED] = "query.delivered",
	[KH_AUDIT_QUERY_ENDED] = "query.ended",
	[KH_AUDIT_APPROVAL_REQUESTED] = "approval.requested",
	[KH_AUDIT_APPROVAL_SHOWN] = "approval.shown",
	[KH_AUDIT_APPROVAL_DECIDED] = "approval.decided",
	[KH_AUDIT_APPROVAL_TOLD] = "approval.told",
	[KH_AUDIT_APPROVAL_EXPIRED] = "approval.expired",
	[KH_AUDIT_APPROVAL_USED] = "approval.used",
	[KH_AUDIT_APPROVAL_VOID] = "approval.void",
	[KH_AUDIT_PHASE_CHANGED] = "phase.changed",
	[KH_AUDIT_ALERT] = "alert",
	[KH_AUDIT_DECLARED] = "declaration.made",
	[KH_AUDIT_DECLARATION_DENIED] = "declaration.denied",
	[KH_AUDIT_DECLARATION_ASKED] = "declaration.asked",
	[KH_AUDIT_DECLARATION_ALLOWED] = "declaration.allowed",
	[KH_AUDIT_TRIAGED] = "declaration.triaged",
	[KH_AUDIT_OPERATION_BEGUN] = "operation.begun",
	[KH_AUDIT_OPERATION_ENDED] = "operation.ended",
	[KH_AUDIT_OPERATION_TOLD] = "operation.told",
};
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == KH_AUDIT_KIND_COUNT, "every kind has its word");

const struct kh_words kh_audit_kind_words = {kinds, KH_AUDIT_KIND_COUNT};

enum kh_err kh_audit_read(struct kh_txn *txn, int64_t after, kh_audit_fn *fn, void *arg)
{
	return txn->backend->read(txn, after, false, fn, arg);
}

enum kh_err kh_audit_read_system(struct kh_txn *txn, int64_t after, kh_audit_fn *fn, void *arg)
{
	return txn->backend->read(txn, after, true, fn, arg);
}

enum kh_err kh_audit_get(struct kh_txn *txn, struct kh_arena *arena, int64_t id, struct kh_audit_entry *ret_entry)
{
	return txn->backend->entry(txn, arena, id, ret_entry);
}

/*
 * The head is put together in a small array and added in one piece.  It is written for every event that is appended and
 * again for every event that is verified, so it must cost little compared with the hash.
 */
#define KIND_MOST 64 /* bytes of a kind; a longer kind is not one of ours and takes the slow path */
#define HEAD_MOST 512

#define PUT(p, literal) ((char *)memcpy((p), (literal), sizeof(literal) - 1) + sizeof(literal) - 1)

/* The fixed text of a head: all of it but the numbers, the kind and the hashes. */
#define TEXTS "{\"at\":,\"by\":,\"chain\":,\"format\":2,\"kind\":\"\",\"n\":,\"prev\":\"\",\"seen\":[,\"\"]"
_Static_assert(sizeof(TEXTS) + 5 * 20 + KIND_MOST + 4 * KH_DIGEST_SIZE < HEAD_MOST, "a head fits");

#define FORMAT_TEXT ",\"format\":2,\"kind\":\""

unsigned kh_audit_format(struct kh_view body)
{
	size_t at = kh_view_find(kh_view_sub(body, 0, 4 * 32), KH_LIT(FORMAT_TEXT), 0);

	return at != SIZE_MAX ? 2 : 1;
}

static char *put_seen(char *p, const struct kh_chain *seen)
{
	p = PUT(p, ",\"seen\":[");
	p = kh_emit_put_integer(p, seen->n);
	p = PUT(p, ",\"");
	p = kh_emit_put_digest(p, &seen->head);
	return PUT(p, "\"]");
}

void kh_audit_head(struct kh_buf *buf, const struct kh_audit_entry *entry, const struct kh_digest *prev)
{
	char head[HEAD_MOST] __attribute__((uninitialized)), *p = head;

	p = PUT(p, "{\"at\":");
	p = kh_emit_put_integer(p, entry->at);
	p = PUT(p, ",\"by\":");
	p = kh_emit_put_integer(p, entry->by);
	p = PUT(p, ",\"chain\":");
	p = kh_emit_put_integer(p, entry->chain);
	if (entry->format == KH_AUDIT_FORMAT) {
		p = PUT(p, FORMAT_TEXT);
	} else {
		p = PUT(p, ",\"event\":");
		p = kh_emit_put_integer(p, entry->id);
		p = PUT(p, ",\"kind\":\"");
	}
	if (entry->kind.n > KIND_MOST) {
		kh_buf_add(buf, kh_view_of(head, (size_t)(p - head)));
		kh_buf_add(buf, entry->kind);
		p = head;
	} else if (entry->kind.n > 0) {
		p = (char *)memcpy(p, entry->kind.p, entry->kind.n) + entry->kind.n;
	}
	p = PUT(p, "\",\"n\":");
	p = kh_emit_put_integer(p, entry->n);
	p = PUT(p, ",\"prev\":\"");
	p = kh_emit_put_digest(p, prev);
	*p++ = '"';
	if (entry->seen != NULL)
		p = put_seen(p, entry->seen);
	kh_buf_add(buf, kh_view_of(head, (size_t)(p - head)));
}
