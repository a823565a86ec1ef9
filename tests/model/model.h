/*
 * A small model of Keyhole's rules, to hold the engine against.
 *
 * Written from the requirements (SPEC sections 1, 2 and 6) and the contracts in the headers, with no code of the
 * engine: plain arrays, whole numbers, one function for each operation.  An operation is told who calls and what it
 * names, by places in these arrays; it answers with what the caller is told, and changes the arrays as the store should
 * change.
 *
 * Times are microseconds, amounts microbits.  Things that are due (a slot, a deadline, an expiry) happen in
 * model_due().
 */
#ifndef KH_TESTS_MODEL_H
#define KH_TESTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_MAX      120 /* of anything but: */
#define MODEL_TOKENS   24
#define MODEL_NEEDS    2 /* names that a query gives to what it needs */
#define MODEL_CONTENTS 3
#define MODEL_SAID     64 /* answers, of which those that are delivered as the same text are one */
/* What a query of a task can be about: these. */
#define MODEL_THINGS (MODEL_NEEDS + MODEL_CONTENTS + MODEL_SAID)
#define MODEL_NONE   (-1)

enum m_role { M_CONTROLLER, M_READER, M_SUPERVISOR, M_HOST, M_REVIEWER, M_ADMIN };
enum m_taint { M_LOW, M_MEDIUM, M_HIGH };
enum m_task_state { M_OPEN, M_CLOSED, M_FAILED };
enum m_query_state { M_APPROVAL, M_ASKING, M_HELD, M_READY, M_DONE };
enum m_outcome { M_NOTHING, M_DELIVERED, M_FAIL, M_PENDING, M_REJECTED, M_EXPIRED, M_BUDGET };
enum m_ask_state { M_WAITING, M_BEGUN, M_ANSWERED, M_FAULTY, M_UNKNOWN };
enum m_approval_state { M_ASKED, M_APPROVED, M_REFUSED, M_EDITED, M_LAPSED, M_USED, M_VOID };
enum m_approval_kind { M_ESCALATION, M_SUMMARY, M_ANSWER };
enum m_verdict { M_REJECT, M_HOLD, M_DELIVER };
enum m_choice { M_APPROVE, M_REFUSE, M_EDIT };

/* What the policy says. */
struct m_policy {
	uint64_t task, context; /* budgets */
	uint64_t escalations, context_escalations;
	int retries, pending;
	int64_t expiry;       /* of an approval */
	bool slots;           /* else released at once */
	bool untrusted_users; /* user messages are untrusted */
	int rate[4];          /* a minute, by category */
	uint64_t token,
		token_escalations; /* of a token, and of a host with the tokens that it made, over 24 hours; 0: 4 x the context's */
};

/* A question and an answer, as numbers: script.h has their texts. */
struct m_question {
	int category;
	uint64_t content;  /* microbits of fields (B5), or the bound of text (B7) */
	int rounds;        /* how often the Reader is asked (B14) */
	const char *fault; /* the code of what is wrong with it; NULL: nothing */
};
struct m_answer {
	enum m_verdict first, again; /* as the answer of the first round, and of a later one */
	int value;                   /* what it says: answers that agree have the same */
	int question;                /* that it fits */
};

struct m_money {
	uint64_t budget, remaining, reserved, charged;
	uint64_t own; /* set for this one itself; 0: nothing */
};

struct m_token {
	enum m_role role;
	int context, parent;
	int64_t expires;
	bool revoked;
	bool program; /* a Reader that is none of the agents: nobody calls with it */
};

struct m_context {
	enum m_taint taint;
	struct m_money money;
	uint64_t total[4], exposed, escalations;
	int deliveries, resets;
	int host; /* the token that made it */
};

struct m_task {
	int context;
	enum m_task_state state;
	struct m_money money;
	uint64_t total[4], escalations, limit;
	int pending, blocks, first_block, queries;
	int lowest[MODEL_THINGS]; /* the lowest category asked about each; 0: none */
};

struct m_block {
	int context, task;
	bool sealed, delivered;
	int content;   /* 0 to 2, if it is sealed */
	unsigned from; /* the contents that it is, or was derived from: bits */
	uint64_t said; /* what was delivered on the way to it: bits */
	enum m_taint taint;
};

struct m_query {
	int task, question, reader;
	enum m_query_state state;
	enum m_outcome outcome;
	enum m_taint reader_taint;
	uint64_t reserved, charged;
	bool escalation, flagged;
	int resets;       /* of the context before it */
	int tries, round; /* TRIES: over all rounds */
	int64_t admitted, deadline, release;
	int answer;      /* that was held or will be delivered */
	int approval;    /* the latest */
	int asked_human; /* the first approval: the one that the Controller is told */
	int64_t pending; /* from then on */
	int block;       /* the delivery */
	unsigned from;   /* as of blocks: what it is about */
	uint64_t said;
};

struct m_ask {
	int query, reader, round;
	int64_t begun;
	enum m_ask_state state;
};

struct m_approval {
	enum m_approval_kind kind;
	enum m_approval_state state;
	int task, query;
	int64_t expires;
	bool shown[MODEL_TOKENS]; /* to which token */
	int policy;               /* number of the policy in force when it was asked for */
};

/* A query that was put to a Reader: what rates count. */
struct m_put {
	int reader, category;
	int64_t at;
};

struct model {
	int64_t now;
	struct m_policy policy;
	int policy_number;
	const struct m_question *questions;
	const struct m_answer *answers;
	const int *said; /* of each answer: the first that is delivered as the same text */
	struct m_token tokens[MODEL_TOKENS];
	struct m_context contexts[MODEL_MAX];
	struct m_task tasks[MODEL_MAX];
	struct m_block blocks[MODEL_MAX];
	struct m_query queries[MODEL_MAX];
	struct m_ask asks[MODEL_MAX];
	struct m_approval approvals[MODEL_MAX];
	struct m_put puts[MODEL_MAX];     /* as many as queries */
	int begun, deliveries, decisions; /* effects, each of which has its event (L2) */
	int token_count, context_count, task_count, block_count, query_count, ask_count, approval_count;
};

/* What a caller is told: CODE is NULL where the call went through. */
struct m_told {
	const char *code;
	enum m_outcome outcome;
	int made; /* token, task, block, query or ask */
	int approval;
	const char *word; /* of a response: "accepted", "invalid", "closed" */
	/* Pending, or nothing yet: a query that was compared with what Readers said waits for a human from its first
	   slot on, another from the beginning.  The model does not know what was compared. */
	bool early;
};

/* Whether N more of everything would still fit. */
bool model_has_room(const struct model *m, int n);

struct m_told model_token(struct model *m, int caller, enum m_role role, int64_t expires, uint64_t budget);
struct m_told model_revoke(struct model *m, int caller, int token);
struct m_told model_open(struct model *m, int caller, uint64_t budget);
/* B6: what is shown of a task's budget is what the policy of now leaves. */
struct m_money rule_shown(const struct model *m, int task);
struct m_told model_close(struct model *m, int caller, int task);
struct m_told model_see(struct model *m, int caller, int task);
struct m_told model_put(struct model *m, int caller, int task, int content);

struct m_query_call {
	int task, question, reader; /* MODEL_NONE: one that nobody has */
	int need;                   /* MODEL_NONE: none is named */
	int blocks[4], block_count; /* 0: none are named */
};
struct m_told model_admit(struct model *m, int caller, const struct m_query_call *call);
struct m_told model_next(struct model *m, int caller);
struct m_told model_respond(struct model *m, int caller, int ask, int answer);
/* Keyhole itself, for the program: ask.begin, and what the program answered (MODEL_NONE: it did not). */
struct m_told model_begin(struct model *m, int ask);
struct m_told model_tell(struct model *m, int ask, int answer);
/* The process died, and another one has begun: what the program was at is lost. */
void model_recover(struct model *m);
struct m_told model_look(struct model *m, int caller, int query);
struct m_told model_show(struct model *m, int caller, int approval);
/* ANSWER: of an edit.  NAMED: the right digest was named. */
struct m_told model_decide(struct model *m, int caller, int approval, enum m_choice choice, bool named, int answer);
struct m_told model_reset(struct model *m, int caller, int context);
/* A host adds a user's message to a context. */
struct m_told model_message(struct model *m, int caller, int context);

/* SEEN_TO: query.due has run; until then a late agent is still heard. */
void model_due(struct model *m, bool seen_to);

#endif
