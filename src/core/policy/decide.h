/*
 * Governance (SPEC E4): every external operation and every upstream tool call passes these gates in this order, and the
 * first that fails stops it.
 *
 *     declaration, registration, phase, permission, trust_tier, quota, rate, taint, risk, approval
 *
 * Pure: usage so far is passed in as state, time as `now`; nothing is counted here.  The engine calls this in the
 * transaction that then counts (kh_quota_take), and calls it again with the result of a verification or an approval, so
 * that the policy and taint at the moment of use decide.
 */
#ifndef KH_CORE_POLICY_DECIDE_H
#define KH_CORE_POLICY_DECIDE_H

#include "core/comm/errand.h"
#include "core/policy/permit.h"

enum kh_gate {
	KH_GATE_DECLARATION,
	KH_GATE_REGISTRATION,
	KH_GATE_PHASE,
	KH_GATE_PERMISSION,
	KH_GATE_TRUST_TIER,
	KH_GATE_QUOTA,
	KH_GATE_RATE,
	KH_GATE_TAINT,
	KH_GATE_RISK,
	KH_GATE_APPROVAL,
	KH_GATE_COUNT
};
extern const struct kh_words kh_decide_gate_words;

/* The result of checking the declaration (E3; src/core/comm/declaration.h). */
enum kh_declared {
	KH_DECLARED_NOT, /* there is none: refused */
	KH_DECLARED_BAD, /* it was refused */
	KH_DECLARED_OK,
	KH_DECLARED_SCREENED, /* it has findings: a human decides */
	KH_DECLARED_ASSUMED,  /* a simulation: only the other gates are of interest */
};

/* The result of verification (K7). */
enum kh_verified { KH_VERIFIED_NOT, KH_VERIFIED_PASSED, KH_VERIFIED_FAILED };

struct kh_decide_request {
	struct kh_view operation;               /* "comm.fetch", "comm.mcp.mail.send" or "mail__send" */
	yyjson_val *parameters;                 /* an object, or NULL */
	const struct kh_permit_origin *origins; /* of the sealed blocks that the parameters refer to */
	size_t origin_count;
	struct kh_view phase; /* the word as it was given */
	bool planned;         /* the task's plan names it (E1) */
	enum kh_role role;
	struct kh_view agent; /* the name of the caller's token */
	enum kh_declared declared;
	struct kh_view declared_why; /* why the declaration was refused */
	enum kh_tier reached;        /* the upstream's tier, used if the policy says `auto` */
	enum kh_taint taint;         /* the highest taint delivered to the context */
	bool suspicious;             /* the first tier of verification found something */
	enum kh_verified verified;
	bool granted; /* a grant covers exactly this call (grant.h) */
	bool admin;   /* and an admin gave it */
};

/* Usage so far, from the store. */
struct kh_decide_state {
	uint64_t egress_bytes; /* of the task */
	uint64_t running;      /* calls of this operation that the context has not been told the end of */
	struct kh_quota quota; /* of this operation */
	uint64_t pending;      /* approvals of the task */
};

/* One gate's answer: KH_ALLOW passes, KH_VERIFY and KH_ASK need something first, KH_DENY stops. */
struct kh_decide_answer {
	enum kh_gate gate;
	enum kh_ruling ruling;
	const char *code;    /* of the list in docs/use/POLICY.md; "pass" if the gate has nothing to say */
	struct kh_view rule; /* "policy.operations[2]", "policy.taint_risk.high.low", "default", "built in" */
	unsigned line;       /* of the policy's file; 0 if it says nothing about this */
	struct kh_view why;  /* a sentence */
};

struct kh_decision {
	enum kh_ruling ruling;
	const struct kh_decide_answer *deciding; /* one of those below */
	struct kh_decide_answer answers[KH_GATE_COUNT];
	size_t count; /* gates that were reached */
	/* For the code that runs the call. */
	uint64_t egress_bytes; /* how many this call adds */
	struct kh_rate rate;   /* to count it against */
	int64_t retry_after;   /* microseconds, if the rate stopped it */
	bool needs_admin;      /* only an admin can approve it */
	bool warn;             /* a quota or rate is at 80 % with this call */
	/* What it may use; all 0 if the gate of its tier was not reached. */
	struct kh_errand_limits limits;
};

/* The full name of an operation: `server__tool` as `comm.mcp.server.tool`, everything else as it is. */
struct kh_view kh_decide_name(struct kh_arena *arena, struct kh_view name);

/* Decides.  Fails only for lack of memory.  The decision lives in the arena. */
enum kh_err kh_decide_run(struct kh_arena *arena, const struct kh_policy *policy,
			  const struct kh_decide_request *request, const struct kh_decide_state *state, int64_t now,
			  struct kh_decision *ret_decision) KH_CHECKED;

#endif
