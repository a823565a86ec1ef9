/*
 * The gates of SPEC E4, K6 and A2 once more, by hand: what has to be true at the moment at which an external operation
 * begins.  Written from the specification, over facts that the test keeps itself; shares nothing with the code that it
 * judges.
 */
#ifndef KH_TESTS_GATES_H
#define KH_TESTS_GATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define G_SECOND INT64_C(1000000)
#define G_MINUTE (60 * G_SECOND)

enum g_op { G_SEARCH, G_FETCH, G_QUERY, G_READ, G_EXEC, G_OPS };
enum g_risk { G_LOW, G_MODERATE, G_HIGH };
enum g_cell { G_ALLOW, G_VERIFY, G_DENY };
enum g_mode { G_BY_RISK, G_AUTO, G_ASK };

struct g_rule {
	bool denied;
	enum g_risk risk;
	enum g_mode mode;
	int per_minute; /* the strictest of rule, tier and the network's 10 */
	int at_once;
	bool admin;     /* an admin has to approve */
	bool not_first; /* the rule is for agents of which the first Controller is none */
};

/* A policy, as YAML and as what it means. */
struct g_policy {
	const char *yaml;
	struct g_rule rules[G_OPS];
	enum g_cell table[3][3]; /* taint, risk */
	bool network_off;
	int64_t egress;
	int64_t expiry;
	int pending;
};
#define G_POLICIES 4
extern const struct g_policy g_policies[G_POLICIES];

/* A call that the Controllers make: its arguments, and what the gates have to know of them. */
struct g_call {
	enum g_op op;
	const char *parameters;
	const char *host; /* that it goes to, or "" */
	int64_t egress;   /* bytes of the agent's choice that leave the machine */
	bool network;     /* it leaves the machine */
	bool bad;         /* its parameters are no parameters: never to be declared */
	bool refused;     /* no policy here permits the arguments: host, path, statement, command */
	bool screened;    /* reads like an attack: a human decides */
	bool from_page;   /* repeats what the poisoned page says */
};
#define G_CALLS 22
extern const struct g_call g_calls[G_CALLS];

extern const char *const g_names[G_OPS]; /* "comm.search", ... */

#define G_RUNS 64

/* What is known of a context, a task, a declaration and a grant. */
struct g_context {
	int number; /* 0: the first Controller */
	int taint;  /* 0 low, 1 medium, 2 high */
	bool poisoned;
	struct {
		int64_t at[G_RUNS]; /* when its latest calls began, a ring */
		int n;
	} runs[G_OPS];
};

struct g_task {
	int context;
	bool open, execution;
	unsigned plan;      /* bits of the operations that it names */
	unsigned plan_call; /* bits of the calls that it names with their parameters */
	int64_t egress;
};

enum g_state { G_PENDING, G_APPROVED, G_OVER };

struct g_grant {
	int context, task;
	enum g_op op;
	unsigned calls; /* bits of those that it lists: one, or each of a batch */
	int policy;     /* in force when it was asked for */
	enum g_state state;
	bool by_admin, by_human;
	bool verifies;    /* what tier 1 found was shown with it */
	const char *host; /* widened to it; NULL: not */
	int64_t expires;
	int uses, used;
};

struct g_declaration {
	int context, task, call;
	bool valid; /* as it was declared */
	bool began, ended;
};

/* At this moment: who calls what, under which policy. */
struct g_moment {
	const struct g_policy *policy;
	int policy_number;
	const struct g_context *context;
	const struct g_task *task;
	const struct g_declaration *declaration;
	const struct g_grant *grant; /* that the engine says it used; NULL: none */
	bool verified;               /* a human, or whoever may, has allowed this very call */
	int running;                 /* of this operation */
	int64_t now;
};

/* NULL where every gate passes; else the first that does not, and why. */
const char *g_refuses(const struct g_moment *m);

/* Whether a human has to have approved it. */
bool g_asks(const struct g_moment *m);

/* Whether it has to have been verified. */
bool g_verifies(const struct g_moment *m);

/* It begins: counted. */
void g_begins(struct g_context *context, struct g_task *task, const struct g_call *call, int64_t now);

#endif
