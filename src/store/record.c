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
	[KH_APPROVE_UPSTREAM] = "upstream");
const struct kh_words kh_rows_declaration_words = KH_WORDS(
	[KH_DECLARATION_DECLARED] = "declared", [KH_DECLARATION_ASKED] = "asked", [KH_DECLARATION_RUNNING] = "running",
	[KH_DECLARATION_READY] = "ready", [KH_DECLARATION_DONE] = "done");
const struct kh_words kh_rows_ended_words = KH_WORDS(
	[KH_ENDED_NOT] = "none", [KH_ENDED_OK] = "ok", [KH_ENDED_FAILED] = "failed", [KH_ENDED_UNKNOWN] = "unknown",
	[KH_ENDED_DENIED] = "denied", [KH_ENDED_REJECTED] = "rejected", [KH_ENDED_EXPIRED] = "expired");
const struct kh_words kh_rows_triage_words = KH_WORDS([KH_TRIAGE_NOT] = "none", [KH_TRIAGE_ALLOW] = "allow",
						      [KH_TRIAGE_DENY] = "deny", [KH_TRIAGE_PASS] = "pass");

_Static_assert(sizeof(enum kh_taint) == sizeof(unsigned), "a WORD column is an enum, stored as an unsigned");
_Static_assert(sizeof(struct kh_tainted) == sizeof(struct kh_view), "a SEALED column is either");
_Static_assert(sizeof(uint64_t) == sizeof(int64_t), "an INT column is either");

#define AT(S, member) offsetof(struct S, member)
#define KEY(name)     KH_LIT_INIT("\"" name "\":")
#define INT(S, member)                                                                               \
	{                                                                                            \
		.name = #member, .key = KEY(#member), .kind = KH_COLUMN_INT, .offset = AT(S, member) \
	}
#define WORD(S, member, table)                                                                         \
	{                                                                                              \
		.name = #member, .key = KEY(#member), .kind = KH_COLUMN_WORD, .offset = AT(S, member), \
		.words = &(table)                                                                      \
	}
#define TEXT(S, member)                                                                               \
	{                                                                                             \
		.name = #member, .key = KEY(#member), .kind = KH_COLUMN_TEXT, .offset = AT(S, member) \
	}
#define SEALED(S, member)                                                                               \
	{                                                                                               \
		.name = #member, .key = KEY(#member), .kind = KH_COLUMN_SEALED, .offset = AT(S, member) \
	}
#define DIGEST(S, member)                                                                               \
	{                                                                                               \
		.name = #member, .key = KEY(#member), .kind = KH_COLUMN_DIGEST, .offset = AT(S, member) \
	}
#define INNER(S, column, member)                                                                     \
	{                                                                                            \
		.name = (column), .key = KEY(column), .kind = KH_COLUMN_INT, .offset = AT(S, member) \
	}
#define CHAIN_INT(S, column, member)                                                                                \
	{                                                                                                           \
		.name = (column), .key = KEY(column), .kind = KH_COLUMN_INT, .offset = AT(S, member), .chain = true \
	}
#define CHAIN_HEAD(S, column, member)                                                                                  \
	{                                                                                                              \
		.name = (column), .key = KEY(column), .kind = KH_COLUMN_DIGEST, .offset = AT(S, member), .chain = true \
	}

static const struct kh_column system_columns[] = {
	CHAIN_HEAD(kh_system_row, "audit_head", chain.head),
	DIGEST(kh_system_row, audit_key),
	CHAIN_INT(kh_system_row, "audit_last", chain.last),
	CHAIN_INT(kh_system_row, "audit_n", chain.n),
	INT(kh_system_row, created_at),
	SEALED(kh_system_row, id_key),
	DIGEST(kh_system_row, policy),
};

static const struct kh_column tokens_columns[] = {
	INT(kh_token_row, context),
	INT(kh_token_row, created_at),
	INT(kh_token_row, expires_at),
	TEXT(kh_token_row, name),
	INT(kh_token_row, parent),
	INT(kh_token_row, revoked_at),
	WORD(kh_token_row, role, kh_policy_role_words),
	DIGEST(kh_token_row, secret),
};

static const struct kh_column contexts_columns[] = {
	INT(kh_context_row, blocks),
	INNER(kh_context_row, "budget", budget.budget),
	INNER(kh_context_row, "charged", budget.charged),
	INT(kh_context_row, created_at),
	INT(kh_context_row, deliveries),
	INT(kh_context_row, exposed),
	INT(kh_context_row, last_block),
	INT(kh_context_row, last_declaration),
	INT(kh_context_row, last_text),
	INNER(kh_context_row, "remaining", budget.remaining),
	INNER(kh_context_row, "reserved", budget.reserved),
	INT(kh_context_row, reset_at),
	INT(kh_context_row, reset_block),
	INT(kh_context_row, resets),
	WORD(kh_context_row, taint, kh_label_taint_words),
	INT(kh_context_row, token),
	INT(kh_context_row, total_1),
	INT(kh_context_row, total_2),
	INT(kh_context_row, total_3),
};

static const struct kh_column tasks_columns[] = {
	CHAIN_HEAD(kh_task_row, "audit_head", chain.head),
	CHAIN_INT(kh_task_row, "audit_last", chain.last),
	CHAIN_INT(kh_task_row, "audit_n", chain.n),
	INT(kh_task_row, blocks),
	INNER(kh_task_row, "budget", budget.budget),
	INNER(kh_task_row, "charged", budget.charged),
	INT(kh_task_row, context),
	INT(kh_task_row, egress),
	INT(kh_task_row, ended_at),
	INT(kh_task_row, escalation_limit),
	INT(kh_task_row, escalations),
	INT(kh_task_row, first_block),
	INT(kh_task_row, opened_at),
	INT(kh_task_row, pending),
	WORD(kh_task_row, phase, kh_phase_words),
	TEXT(kh_task_row, plan),
	DIGEST(kh_task_row, policy),
	INT(kh_task_row, queries),
	TEXT(kh_task_row, reason),
	INNER(kh_task_row, "remaining", budget.remaining),
	INNER(kh_task_row, "reserved", budget.reserved),
	WORD(kh_task_row, state, kh_rows_task_words),
	TEXT(kh_task_row, title),
	INT(kh_task_row, total_1),
	INT(kh_task_row, total_2),
	INT(kh_task_row, total_3),
};

static const struct kh_column blocks_columns[] = {
	TEXT(kh_block_row, attribution),
	SEALED(kh_block_row, content),
	DIGEST(kh_block_row, content_hash),
	INT(kh_block_row, context),
	INT(kh_block_row, created_at),
	INT(kh_block_row, expires_at),
	INT(kh_block_row, given),
	WORD(kh_block_row, kind, kh_rows_block_words),
	INT(kh_block_row, prev),
	INT(kh_block_row, prev_text),
	INT(kh_block_row, purged_at),
	INT(kh_block_row, put_by),
	INT(kh_block_row, query),
	TEXT(kh_block_row, source),
	WORD(kh_block_row, taint, kh_label_taint_words),
	TEXT(kh_block_row, tainted_by),
	INT(kh_block_row, task),
	WORD(kh_block_row, trust, kh_label_trust_words),
	WORD(kh_block_row, type, kh_label_type_words),
};

static const struct kh_column queries_columns[] = {
	INT(kh_query_row, admitted_at),
	INT(kh_query_row, approval),
	TEXT(kh_query_row, blocks),
	TEXT(kh_query_row, body),
	INT(kh_query_row, category),
	INT(kh_query_row, charged),
	INT(kh_query_row, content),
	INT(kh_query_row, context),
	INT(kh_query_row, deadline_at),
	INT(kh_query_row, delivery),
	INT(kh_query_row, effect),
	INT(kh_query_row, ended_at),
	INT(kh_query_row, escalation),
	INT(kh_query_row, event),
	SEALED(kh_query_row, held),
	INT(kh_query_row, length),
	INT(kh_query_row, n),
	TEXT(kh_query_row, need),
	WORD(kh_query_row, outcome, kh_rows_outcome_words),
	INT(kh_query_row, pending_at),
	TEXT(kh_query_row, reader),
	WORD(kh_query_row, reader_taint, kh_label_taint_words),
	INT(kh_query_row, ready_at),
	TEXT(kh_query_row, reason),
	INT(kh_query_row, release_at),
	INT(kh_query_row, reserved),
	INT(kh_query_row, round),
	WORD(kh_query_row, state, kh_rows_query_words),
	INT(kh_query_row, task),
	INT(kh_query_row, tries),
	INT(kh_query_row, waits),
};

static const struct kh_column effects_columns[] = {
	INT(kh_effect_row, begun_at), INT(kh_effect_row, created_at),
	INT(kh_effect_row, ended_at), INT(kh_effect_row, expires_at),
	INT(kh_effect_row, holder),   WORD(kh_effect_row, kind, kh_rows_effect_kind_words),
	INT(kh_effect_row, prev),     INT(kh_effect_row, purged_at),
	INT(kh_effect_row, query),    SEALED(kh_effect_row, raw),
	TEXT(kh_effect_row, reader),  SEALED(kh_effect_row, reasons),
	INT(kh_effect_row, round),    WORD(kh_effect_row, state, kh_rows_effect_words),
	INT(kh_effect_row, task),     INT(kh_effect_row, try),
	TEXT(kh_effect_row, verdict),
};

static const struct kh_column approvals_columns[] = {
	DIGEST(kh_approval_row, arguments),
	DIGEST(kh_approval_row, content),
	INT(kh_approval_row, context),
	INT(kh_approval_row, decided_at),
	INT(kh_approval_row, decided_by),
	TEXT(kh_approval_row, decided_from),
	DIGEST(kh_approval_row, definition),
	DIGEST(kh_approval_row, digest),
	SEALED(kh_approval_row, edited),
	INT(kh_approval_row, expires_at),
	TEXT(kh_approval_row, host),
	WORD(kh_approval_row, kind, kh_rows_approval_kind_words),
	TEXT(kh_approval_row, note),
	TEXT(kh_approval_row, operation),
	INT(kh_approval_row, pages),
	DIGEST(kh_approval_row, policy),
	INT(kh_approval_row, query),
	INT(kh_approval_row, requested_at),
	WORD(kh_approval_row, state, kh_grant_approval_words),
	SEALED(kh_approval_row, subject),
	INT(kh_approval_row, task),
	INT(kh_approval_row, used),
	INT(kh_approval_row, uses),
};

static const struct kh_column showings_columns[] = {
	INT(kh_showing_row, approval),
	INT(kh_showing_row, page),
	INT(kh_showing_row, shown_at),
	INT(kh_showing_row, token),
};

static const struct kh_column readers_columns[] = {
	TEXT(kh_reader_row, name),     INT(kh_reader_row, queries_1), INT(kh_reader_row, queries_2),
	INT(kh_reader_row, queries_3), TEXT(kh_reader_row, quota_1),  TEXT(kh_reader_row, quota_2),
	TEXT(kh_reader_row, quota_3),  INT(kh_reader_row, total_1),   INT(kh_reader_row, total_2),
	INT(kh_reader_row, total_3),
};

static const struct kh_column needs_columns[] = {
	INT(kh_need_row, lowest),
	TEXT(kh_need_row, name),
	INT(kh_need_row, task),
};

static const struct kh_column declarations_columns[] = {
	INT(kh_declaration_row, approval),
	DIGEST(kh_declaration_row, arguments),
	INT(kh_declaration_row, asks),
	INT(kh_declaration_row, begun_at),
	INT(kh_declaration_row, block),
	INT(kh_declaration_row, charged),
	DIGEST(kh_declaration_row, content),
	INT(kh_declaration_row, context),
	INT(kh_declaration_row, declared_at),
	INT(kh_declaration_row, egress),
	WORD(kh_declaration_row, ended, kh_rows_ended_words),
	INT(kh_declaration_row, ended_at),
	INT(kh_declaration_row, fenced),
	INT(kh_declaration_row, holder),
	TEXT(kh_declaration_row, host),
	TEXT(kh_declaration_row, justification),
	INT(kh_declaration_row, modified),
	TEXT(kh_declaration_row, operation),
	TEXT(kh_declaration_row, parameters),
	INT(kh_declaration_row, prev),
	TEXT(kh_declaration_row, reason),
	INT(kh_declaration_row, release_at),
	INT(kh_declaration_row, replaced),
	INT(kh_declaration_row, reserved),
	INT(kh_declaration_row, screened),
	WORD(kh_declaration_row, state, kh_rows_declaration_words),
	WORD(kh_declaration_row, supervised, kh_rows_triage_words),
	INT(kh_declaration_row, task),
	WORD(kh_declaration_row, triage, kh_rows_triage_words),
	INT(kh_declaration_row, verified),
	INT(kh_declaration_row, wall_ms),
	INT(kh_declaration_row, working),
};

static const struct kh_column results_columns[] = {
	INT(kh_result_row, created_at), INT(kh_result_row, declaration), SEALED(kh_result_row, details),
	INT(kh_result_row, expires_at), SEALED(kh_result_row, original), DIGEST(kh_result_row, original_hash),
	INT(kh_result_row, purged_at),  INT(kh_result_row, task),
};

static const struct kh_column rates_columns[] = {
	INT(kh_rate_row, context),
	TEXT(kh_rate_row, operation),
	TEXT(kh_rate_row, quota),
};

static const struct kh_record records[KH_TABLE_COUNT] = {
	[KH_TABLE_SYSTEM] = {"system", sizeof(struct kh_system_row), system_columns, COUNT(system_columns)},
	[KH_TABLE_TOKENS] = {"tokens", sizeof(struct kh_token_row), tokens_columns, COUNT(tokens_columns)},
	[KH_TABLE_CONTEXTS] = {"contexts", sizeof(struct kh_context_row), contexts_columns, COUNT(contexts_columns)},
	[KH_TABLE_TASKS] = {"tasks", sizeof(struct kh_task_row), tasks_columns, COUNT(tasks_columns)},
	[KH_TABLE_BLOCKS] = {"blocks", sizeof(struct kh_block_row), blocks_columns, COUNT(blocks_columns)},
	[KH_TABLE_QUERIES] = {"queries", sizeof(struct kh_query_row), queries_columns, COUNT(queries_columns)},
	[KH_TABLE_EFFECTS] = {"effects", sizeof(struct kh_effect_row), effects_columns, COUNT(effects_columns)},
	[KH_TABLE_APPROVALS] = {"approvals", sizeof(struct kh_approval_row), approvals_columns,
				COUNT(approvals_columns)},
	[KH_TABLE_SHOWINGS] = {"showings", sizeof(struct kh_showing_row), showings_columns, COUNT(showings_columns)},
	[KH_TABLE_READERS] = {"readers", sizeof(struct kh_reader_row), readers_columns, COUNT(readers_columns)},
	[KH_TABLE_NEEDS] = {"needs", sizeof(struct kh_need_row), needs_columns, COUNT(needs_columns)},
	[KH_TABLE_DECLARATIONS] = {"declarations", sizeof(struct kh_declaration_row), declarations_columns,
				   COUNT(declarations_columns)},
	[KH_TABLE_RESULTS] = {"results", sizeof(struct kh_result_row), results_columns, COUNT(results_columns)},
	[KH_TABLE_RATES] = {"rates", sizeof(struct kh_rate_row), rates_columns, COUNT(rates_columns)},
};

static const enum kh_table index_tables[KH_INDEX_COUNT] = {
	[KH_INDEX_TOKENS] = KH_TABLE_TOKENS,
	[KH_INDEX_TOKENS_NAMED] = KH_TABLE_TOKENS,
	[KH_INDEX_CONTEXTS] = KH_TABLE_CONTEXTS,
	[KH_INDEX_TASKS] = KH_TABLE_TASKS,
	[KH_INDEX_TASKS_OF_CONTEXT] = KH_TABLE_TASKS,
	[KH_INDEX_TASKS_OPEN] = KH_TABLE_TASKS,
	[KH_INDEX_TASKS_ALL_OPEN] = KH_TABLE_TASKS,
	[KH_INDEX_BLOCKS_OF_TASK] = KH_TABLE_BLOCKS,
	[KH_INDEX_QUERIES_OPEN] = KH_TABLE_QUERIES,
	[KH_INDEX_QUERIES_ALL_OPEN] = KH_TABLE_QUERIES,
	[KH_INDEX_EFFECTS_OPEN] = KH_TABLE_EFFECTS,
	[KH_INDEX_EFFECTS_READER] = KH_TABLE_EFFECTS,
	[KH_INDEX_EFFECTS_BEGUN] = KH_TABLE_EFFECTS,
	[KH_INDEX_APPROVALS] = KH_TABLE_APPROVALS,
	[KH_INDEX_APPROVALS_PENDING] = KH_TABLE_APPROVALS,
	[KH_INDEX_APPROVALS_OF_TASK] = KH_TABLE_APPROVALS,
	[KH_INDEX_SHOWINGS] = KH_TABLE_SHOWINGS,
	[KH_INDEX_READERS_NAMED] = KH_TABLE_READERS,
	[KH_INDEX_NEEDS] = KH_TABLE_NEEDS,
	[KH_INDEX_BLOCKS_EXPIRED] = KH_TABLE_BLOCKS,
	[KH_INDEX_EFFECTS_EXPIRED] = KH_TABLE_EFFECTS,
	[KH_INDEX_DECLARATIONS_OF_TASK] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_DECLARATIONS_OPEN] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_DECLARATIONS_ALL_OPEN] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_DECLARATIONS_RUNNING] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_DECLARATIONS_OF_APPROVAL] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_DECLARATIONS_ASKING] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_DECLARATIONS_WORKING] = KH_TABLE_DECLARATIONS,
	[KH_INDEX_RESULTS_OF_DECLARATION] = KH_TABLE_RESULTS,
	[KH_INDEX_RESULTS_EXPIRED] = KH_TABLE_RESULTS,
	[KH_INDEX_RATES] = KH_TABLE_RATES,
};

const struct kh_record *kh_record_of(enum kh_table table)
{
	return &records[table];
}

enum kh_table kh_record_index_table(enum kh_index index)
{
	return index_tables[index];
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
