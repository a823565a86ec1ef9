/* The column tables of every record, ascending by name, and the words of their enums. */
#include "store/record.h"

#include "store/rows.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct kh_words kh_rows_task_words =
	KH_WORDS([KH_TASK_OPEN] = "open", [KH_TASK_CLOSED] = "closed", [KH_TASK_FAILED] = "failed");
const struct kh_words kh_rows_block_words = KH_WORDS([KH_BLOCK_SEALED] = "sealed", [KH_BLOCK_DELIVERY] = "delivery",
						     [KH_BLOCK_HOST] = "host", [KH_BLOCK_OUTPUT] = "output");
const struct kh_words kh_rows_query_words =
	KH_WORDS([KH_QUERY_APPROVAL] = "approval", [KH_QUERY_ASKING] = "asking", [KH_QUERY_HELD] = "held",
		 [KH_QUERY_READY] = "ready", [KH_QUERY_DONE] = "done");
const struct kh_words kh_rows_outcome_words =
	KH_WORDS([KH_OUTCOME_NONE] = "none", [KH_OUTCOME_DELIVERED] = "delivered", [KH_OUTCOME_FAILED] = "failed",
		 [KH_OUTCOME_PENDING] = "pending", [KH_OUTCOME_REJECTED] = "rejected", [KH_OUTCOME_EXPIRED] = "expired",
		 [KH_OUTCOME_BUDGET] = "budget");
const struct kh_words kh_rows_effect_kind_words = KH_WORDS([KH_EFFECT_ASK] = "ask");
const struct kh_words kh_rows_effect_words =
	KH_WORDS([KH_EFFECT_WAITING] = "waiting", [KH_EFFECT_BEGUN] = "begun", [KH_EFFECT_DONE] = "done",
		 [KH_EFFECT_FAILED] = "failed", [KH_EFFECT_UNKNOWN] = "unknown");
const struct kh_words kh_rows_approval_kind_words = KH_WORDS(
	[KH_APPROVE_ESCALATION] = "escalation", [KH_APPROVE_SUMMARY] = "summary", [KH_APPROVE_ANSWER] = "answer",
	[KH_APPROVE_DECLARATION] = "declaration", [KH_APPROVE_TOOL_CALL] = "tool_call", [KH_APPROVE_PHASE] = "phase",
	[KH_APPROVE_UPSTREAM] = "upstream", [KH_APPROVE_ELICITATION] = "elicitation");
const struct kh_words kh_rows_declaration_words = KH_WORDS(
	[KH_DECLARATION_DECLARED] = "declared", [KH_DECLARATION_ASKED] = "asked", [KH_DECLARATION_RUNNING] = "running",
	[KH_DECLARATION_READY] = "ready", [KH_DECLARATION_DONE] = "done");
const struct kh_words kh_rows_ended_words = KH_WORDS(
	[KH_ENDED_NOT] = "none", [KH_ENDED_OK] = "ok", [KH_ENDED_FAILED] = "failed", [KH_ENDED_UNKNOWN] = "unknown",
	[KH_ENDED_DENIED] = "denied", [KH_ENDED_REJECTED] = "rejected", [KH_ENDED_EXPIRED] = "expired");
const struct kh_words kh_rows_triage_words = KH_WORDS([KH_TRIAGE_NOT] = "none", [KH_TRIAGE_ALLOW] = "allow",
						      [KH_TRIAGE_DENY] = "deny", [KH_TRIAGE_PASS] = "pass");

const struct kh_words kh_rows_pin_words =
	KH_WORDS([KH_PIN_SEEN] = "seen", [KH_PIN_APPROVED] = "approved", [KH_PIN_HELD] = "held");

_Static_assert(sizeof(enum kh_taint) == sizeof(unsigned), "a WORD column is an enum, stored as an unsigned");
_Static_assert(sizeof(struct kh_tainted) == sizeof(struct kh_view), "a SEALED column is either");
_Static_assert(sizeof(uint64_t) == sizeof(int64_t), "an INT column is either");

/*
 * The columns of the row that ROW names.  COLUMN is for a member of a member; CHAIN for one of the chain.
 */
#define COLUMN(column, type, member, ...)                                                          \
	{                                                                                          \
		.name = (column), .key = KH_LIT_INIT("\"" column "\":"), .kind = KH_COLUMN_##type, \
		.offset = offsetof(struct ROW, member), __VA_ARGS__                                \
	}
#define INT(member)         COLUMN(#member, INT, member, )
#define WORD(member, table) COLUMN(#member, WORD, member, .words = &(table))
#define TEXT(member)        COLUMN(#member, TEXT, member, )
#define SEALED(member)      COLUMN(#member, SEALED, member, )
#define APART(member)       COLUMN(#member, SEALED, member, .apart = #member "_at")
#define DIGEST(member)      COLUMN(#member, DIGEST, member, )
#define BUDGET(member)      COLUMN(#member, INT, budget.member, )
#define BUDGET_OWN          COLUMN("budget_own", INT, budget.own, )
#define CHAIN(type, member) COLUMN("audit_" #member, type, chain.member, .chain = true)

#define ROW kh_system_row
static const struct kh_column system_columns[] = {
	CHAIN(DIGEST, head), DIGEST(audit_key), CHAIN(INT, last), CHAIN(INT, n),  INT(created_at),
	INT(format),         INT(halted_at),    SEALED(id_key),   DIGEST(policy), INT(revision),
};
#undef ROW

#define ROW kh_token_row
static const struct kh_column tokens_columns[] = {
	INT(context),
	INT(created_at),
	COLUMN("day_bits", INT, day.bits, ),
	COLUMN("day_escalations", INT, day.escalations, ),
	TEXT(day_marks),
	COLUMN("day_put", INT, day.put, ),
	INT(expires_at),
	TEXT(name),
	INT(parent),
	INT(revision),
	INT(revoked_at),
	WORD(role, kh_policy_role_words),
	DIGEST(secret),
};
#undef ROW

#define ROW kh_context_row
static const struct kh_column contexts_columns[] = {
	INT(asked),       INT(blocks),
	BUDGET(budget),   BUDGET_OWN,
	BUDGET(charged),  INT(created_at),
	INT(deliveries),  INT(escalations),
	INT(exposed),     INT(goal),
	INT(last_block),  INT(last_declaration),
	INT(last_text),   INT(own),
	INT(put),         BUDGET(remaining),
	BUDGET(reserved), INT(reset_at),
	INT(reset_block), INT(resets),
	INT(revision),    WORD(taint, kh_label_taint_words),
	INT(token),       INT(total_1),
	INT(total_2),     INT(total_3),
};
#undef ROW

#define ROW kh_task_row
static const struct kh_column tasks_columns[] = {
	CHAIN(DIGEST, head),
	CHAIN(INT, last),
	CHAIN(INT, n),
	COLUMN("audit_seen", INT, audit_seen, .chain = true),
	INT(blocks),
	BUDGET(budget),
	BUDGET_OWN,
	BUDGET(charged),
	INT(context),
	INT(egress),
	INT(ended_at),
	INT(escalation_limit),
	INT(escalations),
	INT(first_block),
	INT(hosts),
	INT(opened_at),
	INT(pending),
	WORD(phase, kh_phase_words),
	TEXT(plan),
	DIGEST(policy),
	INT(put),
	INT(queries),
	INT(reader_egress),
	TEXT(reason),
	BUDGET(remaining),
	BUDGET(reserved),
	INT(revision),
	WORD(state, kh_rows_task_words),
	TEXT(title),
	INT(total_1),
	INT(total_2),
	INT(total_3),
};
#undef ROW

#define ROW kh_block_row
static const struct kh_column blocks_columns[] = {
	TEXT(attribution),
	APART(content),
	DIGEST(content_hash),
	INT(context),
	INT(created_at),
	INT(declaration),
	INT(expires_at),
	INT(given),
	WORD(kind, kh_rows_block_words),
	TEXT(origin),
	INT(prev),
	INT(prev_text),
	SEALED(prints),
	INT(purged_at),
	INT(put),
	INT(put_by),
	INT(query),
	INT(revision),
	TEXT(source),
	WORD(taint, kh_label_taint_words),
	TEXT(tainted_by),
	INT(task),
	INT(told),
	WORD(trust, kh_label_trust_words),
	WORD(type, kh_label_type_words),
};
#undef ROW

#define ROW kh_query_row
static const struct kh_column queries_columns[] = {
	INT(admitted_at),
	INT(approval),
	TEXT(blocks),
	TEXT(body),
	INT(category),
	INT(charged),
	INT(content),
	INT(context),
	INT(deadline_at),
	INT(delivery),
	INT(effect),
	INT(egress),
	INT(ended_at),
	INT(escalation),
	INT(event),
	SEALED(held),
	INT(length),
	INT(n),
	TEXT(need),
	WORD(outcome, kh_rows_outcome_words),
	INT(pending_at),
	TEXT(reader),
	WORD(reader_taint, kh_label_taint_words),
	INT(ready_at),
	TEXT(reason),
	INT(release_at),
	INT(reserved),
	INT(revision),
	INT(round),
	WORD(state, kh_rows_query_words),
	INT(task),
	INT(tries),
	INT(waits),
};
#undef ROW

#define ROW kh_effect_row
static const struct kh_column effects_columns[] = {
	TEXT(again),
	INT(before),
	INT(begun_at),
	INT(created_at),
	INT(ended_at),
	INT(expires_at),
	INT(holder),
	WORD(kind, kh_rows_effect_kind_words),
	INT(prev),
	INT(purged_at),
	INT(query),
	SEALED(raw),
	TEXT(reader),
	SEALED(reasons),
	INT(revision),
	INT(round),
	WORD(state, kh_rows_effect_words),
	INT(task),
	INT(try),
	TEXT(verdict),
};
#undef ROW

#define ROW kh_approval_row
static const struct kh_column approvals_columns[] = {
	INT(admin),
	DIGEST(arguments),
	INT(charged),
	DIGEST(content),
	INT(context),
	INT(decided_at),
	INT(decided_by),
	TEXT(decided_from),
	DIGEST(definition),
	DIGEST(digest),
	SEALED(edited),
	INT(expires_at),
	INT(fenced),
	TEXT(host),
	WORD(kind, kh_rows_approval_kind_words),
	TEXT(note),
	TEXT(operation),
	INT(pages),
	DIGEST(policy),
	INT(query),
	INT(requested_at),
	INT(revision),
	WORD(state, kh_grant_approval_words),
	SEALED(subject),
	INT(task),
	INT(told_at),
	INT(used),
	INT(uses),
};
#undef ROW

#define ROW kh_showing_row
static const struct kh_column showings_columns[] = {
	INT(approval), INT(page), INT(revision), INT(shown_at), INT(token),
};
#undef ROW

#define ROW kh_reader_row
static const struct kh_column readers_columns[] = {
	TEXT(name),    INT(queries_1), INT(queries_2), INT(queries_3), TEXT(quota_1), TEXT(quota_2),
	TEXT(quota_3), INT(revision),  INT(total_1),   INT(total_2),   INT(total_3),
};
#undef ROW

#define ROW kh_need_row
static const struct kh_column needs_columns[] = {
	INT(lowest),
	TEXT(name),
	INT(revision),
	INT(task),
};
#undef ROW

#define ROW kh_declaration_row
static const struct kh_column declarations_columns[] = {
	INT(approval),
	DIGEST(arguments),
	INT(asks),
	INT(begun_at),
	INT(block),
	INT(charged),
	DIGEST(content),
	INT(context),
	INT(declared_at),
	INT(egress),
	WORD(ended, kh_rows_ended_words),
	INT(ended_at),
	INT(fault),
	INT(fenced),
	INT(holder),
	TEXT(host),
	TEXT(justification),
	INT(modified),
	TEXT(operation),
	TEXT(parameters),
	INT(prev),
	INT(reader_egress),
	TEXT(reason),
	INT(release_at),
	INT(replaced),
	INT(reserved),
	INT(revision),
	INT(screened),
	WORD(state, kh_rows_declaration_words),
	WORD(supervised, kh_rows_triage_words),
	INT(taken_at),
	INT(task),
	WORD(triage, kh_rows_triage_words),
	INT(verdict_at),
	INT(verified),
	INT(verify_at),
	INT(wall_ms),
	INT(working),
};
#undef ROW

#define ROW kh_result_row
static const struct kh_column results_columns[] = {
	INT(created_at),       INT(declaration), SEALED(details), INT(expires_at), APART(original),
	DIGEST(original_hash), INT(purged_at),   INT(revision),   INT(task),
};
#undef ROW

#define ROW kh_rate_row
static const struct kh_column rates_columns[] = {
	INT(context),
	TEXT(operation),
	TEXT(quota),
	INT(revision),
};
#undef ROW

#define ROW kh_sent_row
static const struct kh_column sent_columns[] = {
	INT(calls),  INT(changed_at), INT(fallen),   SEALED(last),    SEALED(lines), INT(moving), TEXT(name),
	INT(prefix), INT(revision),   INT(same_end), INT(same_start), INT(suffix),   INT(token),
};
#undef ROW

#define ROW kh_upstream_row
static const struct kh_column upstreams_columns[] = {
	SEALED(about), INT(approved_at),   INT(approved_by), TEXT(name),           DIGEST(program),
	INT(revision), SEALED(seen_about), INT(seen_at),     DIGEST(seen_program), WORD(state, kh_rows_pin_words),
};
#undef ROW

#define ROW kh_tool_row
static const struct kh_column tools_columns[] = {
	TEXT(alias),
	INT(approved_at),
	INT(approved_by),
	SEALED(name),
	SEALED(pinned),
	DIGEST(pinned_hash),
	INT(revision),
	SEALED(seen),
	INT(seen_at),
	DIGEST(seen_hash),
	WORD(state, kh_rows_pin_words),
	INT(upstream),
	SEALED(words),
};
#undef ROW

#define ROW kh_dealing_row
static const struct kh_column dealings_columns[] = {
	INT(carried), INT(context), INT(revision), TEXT(server), INT(tainted),
};
#undef ROW

#define ROW kh_lease_row
static const struct kh_column leases_columns[] = {
	INT(context), INT(holder), INT(revision), TEXT(server), INT(wanted),
};
#undef ROW

#define HAS_REVISION(row) \
	_Static_assert(offsetof(struct row, revision) == sizeof(int64_t), "as KH_RECORD_REVISION says")
HAS_REVISION(kh_system_row);
HAS_REVISION(kh_task_row);
HAS_REVISION(kh_rate_row);

#define RECORD(table, row)                                                          \
	{                                                                           \
#table, sizeof(struct row), table##_columns, COUNT(table##_columns) \
	}
static const struct kh_record records[KH_TABLE_COUNT] = {
	[KH_TABLE_SYSTEM] = RECORD(system, kh_system_row),
	[KH_TABLE_TOKENS] = RECORD(tokens, kh_token_row),
	[KH_TABLE_CONTEXTS] = RECORD(contexts, kh_context_row),
	[KH_TABLE_TASKS] = RECORD(tasks, kh_task_row),
	[KH_TABLE_BLOCKS] = RECORD(blocks, kh_block_row),
	[KH_TABLE_QUERIES] = RECORD(queries, kh_query_row),
	[KH_TABLE_EFFECTS] = RECORD(effects, kh_effect_row),
	[KH_TABLE_APPROVALS] = RECORD(approvals, kh_approval_row),
	[KH_TABLE_SHOWINGS] = RECORD(showings, kh_showing_row),
	[KH_TABLE_READERS] = RECORD(readers, kh_reader_row),
	[KH_TABLE_NEEDS] = RECORD(needs, kh_need_row),
	[KH_TABLE_DECLARATIONS] = RECORD(declarations, kh_declaration_row),
	[KH_TABLE_RESULTS] = RECORD(results, kh_result_row),
	[KH_TABLE_RATES] = RECORD(rates, kh_rate_row),
	[KH_TABLE_SENT] = RECORD(sent, kh_sent_row),
	[KH_TABLE_UPSTREAMS] = RECORD(upstreams, kh_upstream_row),
	[KH_TABLE_TOOLS] = RECORD(tools, kh_tool_row),
	[KH_TABLE_DEALINGS] = RECORD(dealings, kh_dealing_row),
	[KH_TABLE_LEASES] = RECORD(leases, kh_lease_row),
};

const struct kh_record *kh_record_of(enum kh_table table)
{
	return &records[table];
}

size_t kh_record_column_size(const struct kh_column *c)
{
	static const size_t sizes[] = {
		[KH_COLUMN_INT] = sizeof(int64_t),         [KH_COLUMN_WORD] = sizeof(unsigned),
		[KH_COLUMN_TEXT] = sizeof(struct kh_view), [KH_COLUMN_SEALED] = sizeof(struct kh_view),
		[KH_COLUMN_DIGEST] = KH_DIGEST_SIZE,
	};

	return sizes[c->kind];
}

bool kh_record_same(const struct kh_column *c, const void *a, const void *b)
{
	const char *x = (const char *)a + c->offset, *y = (const char *)b + c->offset;

	if (memcmp(x, y, kh_record_column_size(c)) == 0)
		return true;
	if (c->kind != KH_COLUMN_TEXT && c->kind != KH_COLUMN_SEALED)
		return false;
	struct kh_view v, w;
	memcpy(&v, x, sizeof(v));
	memcpy(&w, y, sizeof(w));
	return kh_view_eq(v, w);
}
