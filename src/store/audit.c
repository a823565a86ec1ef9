/*
 * Audit events: their kinds, how they are read, and the beginning that all of them have.
 *
 * The head of an event is written here alone, for the transaction that appends and for verification: what one writes
 * is byte for byte what the other expects.
 */
#include "store/audit.h"

#include "store/backend.h"

#include <assert.h>

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
	[KH_AUDIT_CONTENT_PURGED] = "content.purged",
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
	[KH_AUDIT_APPROVAL_EXPIRED] = "approval.expired",
	[KH_AUDIT_APPROVAL_USED] = "approval.used",
	[KH_AUDIT_APPROVAL_VOID] = "approval.void",
	[KH_AUDIT_PHASE_CHANGED] = "phase.changed",
	[KH_AUDIT_ALERT] = "alert",
};
_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == KH_AUDIT_KIND_COUNT, "every kind has its word");

const struct kh_words kh_audit_kind_words = KH_WORDS(kinds);

enum kh_err kh_audit_read(struct kh_txn *txn, int64_t after, kh_audit_fn *fn, void *arg)
{
	return txn->backend->read(txn, after, fn, arg);
}

enum kh_err kh_audit_get(struct kh_txn *txn, struct kh_arena *arena, int64_t id, struct kh_audit_entry *ret_entry)
{
	return txn->backend->entry(txn, arena, id, ret_entry);
}

/* The head is put together in a small array and added at once: it is written and compared for every event. */
struct head {
	char at[320];
	size_t n;
};
#define KIND_MOST 64 /* bytes of a kind; a longer one is not Keyhole's and goes the slow way */
#define HEAD_REST (6 * sizeof(",\"event\":") + 5 * 20 + 2 * KH_DIGEST_SIZE + 4)
_Static_assert(HEAD_REST + KIND_MOST < sizeof(((struct head *)0)->at), "a head fits");

static void put(struct head *head, struct kh_view text)
{
	assert(text.n <= sizeof(head->at) - head->n);
	memcpy(head->at + head->n, text.p, text.n);
	head->n += text.n;
}

static void put_int(struct head *head, int64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		digits[--at] = (char)('0' + left % 10);
		left /= 10;
	} while (left > 0);
	if (value < 0)
		digits[--at] = '-';
	put(head, kh_view_of(digits + at, sizeof(digits) - at));
}

static void put_hex(struct head *head, const struct kh_digest *digest)
{
	static const char hex[] = "0123456789abcdef";
	char text[KH_DIGEST_SIZE * 2];

	for (size_t i = 0; i < KH_DIGEST_SIZE; i++) {
		text[2 * i] = hex[digest->bytes[i] >> 4];
		text[2 * i + 1] = hex[digest->bytes[i] & 15];
	}
	put(head, kh_view_of(text, sizeof(text)));
}

void kh_audit_head(struct kh_buf *buf, const struct kh_audit_entry *entry, const struct kh_digest *prev)
{
	struct head head = {.n = 0};

	put(&head, KH_LIT("{\"at\":"));
	put_int(&head, entry->at);
	put(&head, KH_LIT(",\"by\":"));
	put_int(&head, entry->by);
	put(&head, KH_LIT(",\"chain\":"));
	put_int(&head, entry->chain);
	put(&head, KH_LIT(",\"event\":"));
	put_int(&head, entry->id);
	put(&head, KH_LIT(",\"kind\":\""));
	if (entry->kind.n > KIND_MOST) {
		kh_buf_add(buf, kh_view_of(head.at, head.n));
		kh_buf_add(buf, entry->kind);
		head.n = 0;
	} else {
		put(&head, entry->kind);
	}
	put(&head, KH_LIT("\",\"n\":"));
	put_int(&head, entry->n);
	put(&head, KH_LIT(",\"prev\":\""));
	put_hex(&head, prev);
	put(&head, KH_LIT("\""));
	kh_buf_add(buf, kh_view_of(head.at, head.n));
}
