/* Rules of single rows. */
#include "store/rule.h"

#include "store/rows.h"

static bool same_text(struct kh_view a, struct kh_view b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool same_digest(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static const char *check_need(const struct kh_need_row *row, const struct kh_need_row *was)
{
	if (was != NULL && (row->task != was->task || !same_text(row->name, was->name) || row->lowest > was->lowest))
		return "is another need than before (B19)";
	return NULL;
}

static const char *check_result(enum kh_audit_kind kind, const struct kh_result_row *row,
				const struct kh_result_row *was)
{
	if (was == NULL)
		return kind != KH_AUDIT_OPERATION_ENDED ? "came without an event of its operation's end" : NULL;
	if (row->declaration != was->declaration || row->task != was->task ||
	    !same_digest(&row->original_hash, &was->original_hash))
		return "is another result than before (E10)";
	if ((!same_text(row->original, was->original) || !same_text(row->details, was->details)) &&
	    (row->purged_at == 0 || kind != KH_AUDIT_CONTENT_PURGED))
		return "has other content than before (L5)";
	return NULL;
}

static const char *check_rate(const struct kh_rate_row *row, const struct kh_rate_row *was)
{
	if (was != NULL && (row->context != was->context || !same_text(row->operation, was->operation)))
		return "is the rate of another operation than before (E5)";
	return NULL;
}

static const char *check_sent(enum kh_audit_kind kind, const struct kh_sent_row *row, const struct kh_sent_row *was)
{
	if (kind != KH_AUDIT_OPERATION_BEGUN && kind != KH_AUDIT_QUERY_ADMITTED && kind != KH_AUDIT_QUERY_ASKED)
		return "has something sent without a call or query that left (K7)";
	if (was != NULL && (row->token != was->token || !same_text(row->name, was->name)))
		return "is of another token or parameter than before (K7)";
	if (was != NULL && (row->calls <= was->calls || row->fallen < was->fallen))
		return "has fewer calls than before, or less that fell out (K7)";
	return NULL;
}

/* --- upstream servers: only a human's approval pins; what differs from that is held until the next ---------------- */

/* Whether the state may become STATE, from WAS (NULL: the row is new), in an event of this kind. */
static bool may_become(enum kh_audit_kind kind, const enum kh_pin *was, enum kh_pin state)
{
	if (was == NULL)
		return state == KH_PIN_SEEN;
	return kind == KH_AUDIT_UPSTREAM_APPROVED || state == *was || (state == KH_PIN_HELD && *was == KH_PIN_APPROVED);
}

static const char *check_upstream(enum kh_audit_kind kind, const struct kh_upstream_row *row,
				  const struct kh_upstream_row *was)
{
	if (kind != KH_AUDIT_UPSTREAM_SEEN && kind != KH_AUDIT_UPSTREAM_APPROVED)
		return "changed without having been seen or approved (U4)";
	if (was != NULL && !same_text(row->name, was->name))
		return "has another name than before (U4)";
	if (!may_become(kind, was != NULL ? &was->state : NULL, row->state) ||
	    (was != NULL && kind == KH_AUDIT_UPSTREAM_SEEN && !same_digest(&row->program, &was->program)))
		return "is approved without a human's word (U4)";
	if (row->state == KH_PIN_APPROVED && !same_digest(&row->program, &row->seen_program))
		return "is approved, and runs another program (U4)";
	return NULL;
}

static const char *check_tool(enum kh_audit_kind kind, const struct kh_tool_row *row, const struct kh_tool_row *was)
{
	if (kind != KH_AUDIT_UPSTREAM_SEEN && kind != KH_AUDIT_UPSTREAM_APPROVED)
		return "changed without having been seen or approved (U4)";
	if (was != NULL &&
	    (row->upstream != was->upstream || (was->approved_at != 0 && !same_text(row->alias, was->alias))))
		return "is of another server, or has another name than before (U4)";
	if (!may_become(kind, was != NULL ? &was->state : NULL, row->state) ||
	    (was != NULL && kind == KH_AUDIT_UPSTREAM_SEEN && !same_digest(&row->pinned_hash, &was->pinned_hash)))
		return "is approved without a human's word (U4)";
	if (row->state == KH_PIN_APPROVED && !same_digest(&row->pinned_hash, &row->seen_hash))
		return "is approved, and is not what was seen (U4)";
	return NULL;
}

/* --- what contexts have sent to upstream servers: only a human's reset takes it back ------------------------------ */

static const char *check_dealing(enum kh_audit_kind kind, const struct kh_dealing_row *row,
				 const struct kh_dealing_row *was)
{
	if (was != NULL && (row->context != was->context || !same_text(row->server, was->server)))
		return "is of another context or server than before (U6)";
	if (kind != KH_AUDIT_OPERATION_BEGUN && (was == NULL || kind != KH_AUDIT_CONTEXT_RESET))
		return "has something sent to a server without a call that began (U6)";
	if (kind == KH_AUDIT_OPERATION_BEGUN && was != NULL &&
	    (row->tainted < was->tainted || row->carried < was->carried))
		return "takes back what was sent to a server without a reset (U6)";
	return NULL;
}

/* --- leases: each is taken, perhaps wanted, and given back; who holds one changes only so -------------------------- */

static const char *check_lease(enum kh_audit_kind kind, const struct kh_lease_row *row, const struct kh_lease_row *was)
{
	bool good = false;

	if (was != NULL && (row->context != was->context || !same_text(row->server, was->server)))
		return "is of another context or server than before (U1)";
	if (kind == KH_AUDIT_UPSTREAM_LEASED)
		good = row->holder > 0 && row->wanted == 0 && (was == NULL || row->holder != was->holder);
	else if (kind == KH_AUDIT_UPSTREAM_WANTED)
		good = was != NULL && was->holder > 0 && row->holder == was->holder && row->wanted == 1;
	else if (kind == KH_AUDIT_UPSTREAM_RELEASED)
		good = was != NULL && was->holder > 0 && row->holder == 0 && row->wanted == 0;
	return good ? NULL : "has another holder without having been taken or given back (U1)";
}

const char *kh_rule_broken(enum kh_table table, enum kh_audit_kind kind, const void *row, const void *was)
{
	switch (table) {
	case KH_TABLE_NEEDS:
		return check_need(row, was);
	case KH_TABLE_SHOWINGS:
		return was != NULL ? "was changed (A6)" : NULL;
	case KH_TABLE_RESULTS:
		return check_result(kind, row, was);
	case KH_TABLE_RATES:
		return check_rate(row, was);
	case KH_TABLE_SENT:
		return check_sent(kind, row, was);
	case KH_TABLE_UPSTREAMS:
		return check_upstream(kind, row, was);
	case KH_TABLE_TOOLS:
		return check_tool(kind, row, was);
	case KH_TABLE_DEALINGS:
		return check_dealing(kind, row, was);
	case KH_TABLE_LEASES:
		return check_lease(kind, row, was);
	case KH_TABLE_SYSTEM:
	case KH_TABLE_TOKENS:
	case KH_TABLE_CONTEXTS:
	case KH_TABLE_TASKS:
	case KH_TABLE_BLOCKS:
	case KH_TABLE_QUERIES:
	case KH_TABLE_EFFECTS:
	case KH_TABLE_APPROVALS:
	case KH_TABLE_READERS:
	case KH_TABLE_DECLARATIONS:
	case KH_TABLE_COUNT:
		break;
	}
	return "is of a table without rules";
}
