/*
 * Audit events (L1-L3).
 *
 * An event is canonical JSON (RFC 8785).  Format 2, which is written now:
 *
 *     {"at":1763193600000000,"by":3,"chain":12,"format":2,"kind":"query.admitted","n":17,"prev":"<64 hex>",
 *      "seen":[9,"<64 hex>"],"set":[["queries",7,{"revision":1,"state":"asking",...}],
 *      ["tasks",12,{"remaining":...,"revision":8}]],"what":{...}}
 *
 * `chain` is the task's id, 0 for the system's chain; `n` counts the events of the chain; `prev` is the hash of the
 * chain's event before it, zeros for the first; `by` is the token, 0 Keyhole itself; `set` is every column that changed,
 * so that the state is the fold of the events; `what` is what is in no row: decisions and their reasons.  `revision`
 * counts the changes of a row, so the events are folded without an order over all chains, and a chain that was removed
 * leaves gaps in the rows that it changed.  `seen` is in a task's event: the length and the hash of the newest event of
 * the system's chain; it is left out if the chain's events before it have named it.  task.unlisted, the closing of a
 * task's chain in the system's, has the length and the hash of that chain.  So neither a chain nor the end of one can be
 * removed without a trace.
 *
 * Format 1 has no `format`, `seen` and `revision`, but `event`, a number that counts the events of all chains:
 *
 *     {"at":1763193600000000,"by":3,"chain":12,"event":345,"kind":"query.admitted","n":17,"prev":"<64 hex>",
 *      "set":[...],"what":{...}}
 *
 * A store that was begun with format 1 has `store.upgraded` in its system's chain: this event and all after it have
 * format 2, and all before it stay as they are.
 *
 * The event's hash is BLAKE2b-256 of these bytes.  Tables: task_audits, system_logs.
 */
#ifndef KH_STORE_AUDIT_H
#define KH_STORE_AUDIT_H

#include "base/emit.h"
#include "base/words.h"

enum kh_audit_kind {
	/* the system's chain */
	KH_AUDIT_STORE_CREATED,
	KH_AUDIT_STARTED,
	KH_AUDIT_STOPPED,
	KH_AUDIT_TOKEN_CREATED,
	KH_AUDIT_TOKEN_REVOKED,
	KH_AUDIT_CONTEXT_RESET,
	KH_AUDIT_CONTEXT_BLOCK, /* a host put a block into a context (K11) */
	KH_AUDIT_TASK_LISTED,   /* a task was opened; its chain begins */
	KH_AUDIT_TASK_UNLISTED, /* closed or failed; with the head of its chain */
	KH_AUDIT_REFUSED,       /* a call without the right to do what it asked for */
	KH_AUDIT_REFUSALS,      /* how often calls were refused that had been recorded once (engine/state/refusals.h) */
	KH_AUDIT_CONTENT_PURGED,
	KH_AUDIT_RELOADED,          /* another policy came into force */
	KH_AUDIT_UPGRADED,          /* the first event of format 2 in a store that began with format 1 */
	KH_AUDIT_UPSTREAM_SEEN,     /* what an upstream server offers is new, has changed, or is gone (U4) */
	KH_AUDIT_UPSTREAM_APPROVED, /* a human has approved what was seen, or a part of it */
	KH_AUDIT_UPSTREAM_LEASED,   /* this process may run a server for a context (U1), until */
	KH_AUDIT_UPSTREAM_WANTED,   /* a call in another process waits for that, and */
	KH_AUDIT_UPSTREAM_RELEASED, /* it has ended the server */
	KH_AUDIT_HALTED,            /* no external operation begins (U8), until */
	KH_AUDIT_RESUMED,
	/* a task's */
	KH_AUDIT_TASK_OPENED,
	KH_AUDIT_TASK_CLOSED,
	KH_AUDIT_TASK_FAILED,
	KH_AUDIT_BLOCK_SEALED,
	KH_AUDIT_QUERY_ADMITTED,
	KH_AUDIT_QUERY_REFUSED,
	KH_AUDIT_QUERY_ASKED, /* an escalation was approved: it is left for its Reader */
	KH_AUDIT_ASK_TAKEN,   /* the process that had it died; another one takes it over */
	KH_AUDIT_ASK_BEGUN,
	KH_AUDIT_RESPONSE_JUDGED,
	KH_AUDIT_ASK_FAILED,
	KH_AUDIT_QUERY_HELD,  /* the answer waits for a reviewer */
	KH_AUDIT_QUERY_READY, /* an outcome is known and waits for its slot */
	KH_AUDIT_QUERY_DELIVERED,
	KH_AUDIT_QUERY_ENDED, /* any other outcome */
	KH_AUDIT_APPROVAL_REQUESTED,
	KH_AUDIT_APPROVAL_SHOWN,
	KH_AUDIT_APPROVAL_DECIDED,
	KH_AUDIT_APPROVAL_TOLD, /* a decision takes effect: its slot has come */
	KH_AUDIT_APPROVAL_EXPIRED,
	KH_AUDIT_APPROVAL_USED,
	KH_AUDIT_APPROVAL_VOID,
	KH_AUDIT_PHASE_CHANGED,
	KH_AUDIT_ALERT,
	KH_AUDIT_DECLARED,            /* an external operation was declared, and what the gates said */
	KH_AUDIT_DECLARATION_DENIED,  /* a gate said no: nothing was begun */
	KH_AUDIT_DECLARATION_ASKED,   /* a gate asks for a verification or an approval */
	KH_AUDIT_DECLARATION_ALLOWED, /* a reviewer or verifier said yes: it may be called */
	KH_AUDIT_TRIAGED,             /* a model gave its opinion of a call */
	KH_AUDIT_OPERATION_BEGUN,     /* all gates passed; it runs as soon as this event is durable */
	KH_AUDIT_OPERATION_ENDED,     /* its result, sealed; the outcome waits for its slot */
	KH_AUDIT_OPERATION_TOLD,      /* its slot has come, or it ended without having begun */
	KH_AUDIT_KIND_COUNT
};
extern const struct kh_words kh_audit_kind_words; /* "store.created", "task.opened", "query.admitted", ... */

#define KH_AUDIT_FORMAT 2

struct kh_chain;
struct kh_task_row;

struct kh_audit {
	enum kh_audit_kind kind;
	struct kh_task_row *task; /* whose chain, loaded in the same transaction; NULL: the system's */
	int64_t by;
	int64_t at;
	struct kh_view what; /* canonical JSON of an object; empty: {} */
	int64_t id;          /* filled in */
};

/* An event as it is stored.  Views are valid until the next one is read. */
struct kh_audit_entry {
	int64_t id, chain, n, prev, at, by; /* PREV: the id of the previous event of the chain; 0: this is the first */
	struct kh_view kind;
	struct kh_view body;
	struct kh_digest hash;
	/* for kh_audit_head(): not stored beside the body */
	unsigned format;             /* 0 and 1: format 1 */
	const struct kh_chain *seen; /* the head of the system's chain, if the event names it; else NULL */
};

struct kh_txn;

/*
 * Reads the events of both tables in ascending order of id, starting after event AFTER.  FN returns false to stop.
 * Works in a reading or a writing transaction.
 */
typedef bool kh_audit_fn(const struct kh_audit_entry *entry, void *arg);
enum kh_err kh_audit_read(struct kh_txn *txn, int64_t after, kh_audit_fn *fn, void *arg) KH_CHECKED;

/* The same for the events that belong to no task, which are few. */
enum kh_err kh_audit_read_system(struct kh_txn *txn, int64_t after, kh_audit_fn *fn, void *arg) KH_CHECKED;

/* One event.  KH_EUNKNOWN if there is none. */
enum kh_err kh_audit_get(struct kh_txn *txn, struct kh_arena *arena, int64_t id,
			 struct kh_audit_entry *ret_entry) KH_CHECKED;

/*
 * The bytes of an event from its start to what comes before `set`.  They follow from the columns of the entry, so
 * verification finds a changed column without parsing the event.
 */
void kh_audit_head(struct kh_buf *buf, const struct kh_audit_entry *entry, const struct kh_digest *prev);

/* The format that a body has by its beginning; the rest of it may be anything. */
unsigned kh_audit_format(struct kh_view body);

#endif
