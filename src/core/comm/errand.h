/*
 * An errand runs an external operation (E7).  This header has what the engine passes to it and what comes back.  The
 * code that runs errands is in src/errand; the engine knows it only by the two functions of struct kh_errands.
 */
#ifndef KH_CORE_COMM_ERRAND_H
#define KH_CORE_COMM_ERRAND_H

#include "base/canonical.h"
#include "base/json.h"
#include "base/tainted.h"

struct kh_errand_tools; /* private to src/errand */
struct kh_policy_rule;
struct kh_schema;

#define KH_ERRAND_CONTENT (16U << 20) /* bytes that may become a block; with more the errand fails */
#define KH_ERRAND_DETAILS (64U << 10) /* bytes of the details */

/* What one errand may use at most (E7): core/policy/allot.h finds it.  0: no limit besides those of its profile. */
struct kh_errand_limits {
	uint64_t seconds;                 /* for the whole errand */
	uint64_t output;                  /* bytes that come back: a response, a file, a program's output */
	uint64_t memory, processes, disk; /* of a program; our own workers have those of their profiles */
};

/* The tool of an upstream server that an errand calls, or the resource that it reads there (U3, U5): what a human
 * approved, and nothing else, may be called. */
struct kh_errand_tool {
	struct kh_view server;         /* its name in the configuration */
	struct kh_view name;           /* the server's own name for the tool; of a resource its URI */
	bool is_resource;              /* a human approved the server: `hash` and `input` have no meaning */
	struct kh_digest program;      /* of what the server is run from, as it was approved */
	struct kh_digest hash;         /* of all that the server says of the tool, as it was approved */
	const struct kh_schema *input; /* arguments that content was put into are checked against it once more */
	int64_t context;               /* a row: each context has a process of its own */
};

struct kh_errand {
	struct kh_view operation;          /* "comm.fetch" */
	yyjson_val *parameters;            /* an object that fits the operation, with references replaced by content */
	const struct kh_policy_rule *rule; /* the rule that permitted it: statements, commands, paths */
	struct kh_view task;               /* public id: names its workspace */
	const struct kh_errand_tool *tool; /* of comm.mcp and comm.resource; else NULL */
	int64_t declaration;               /* a row: the call that it carries out */
	struct kh_errand_limits limits;
	uint64_t wall_ms; /* what is left of limits.seconds: waiting for a place counts */
	int64_t until;    /* when its time is over, on the engine's clock */
};

enum kh_errand_end {
	KH_ERRAND_OK,
	KH_ERRAND_FAILED,
	KH_ERRAND_UNKNOWN, /* it may have had an unknown effect: a program that was stopped early */
	KH_ERRAND_HELD,    /* nothing was sent: the tool of an upstream server is not what a human approved (U4) */
};

struct kh_errand_result {
	enum kh_errand_end end;
	/* If the end is OK, or what an upstream server was asked failed: valid UTF-8, KH_ERRAND_CONTENT at most, may be empty. */
	struct kh_tainted content;
	size_t vettable;            /* its first bytes that a rule may call vetted (U6): links stand behind them */
	struct kh_tainted original; /* any bytes: the original, if content was converted from it; or empty */
	struct kh_tainted details;  /* a JSON object: status, final URL, type, size, the other side's error message */
	struct kh_view source;      /* for the attribution: a URL, a path, a database; set with every end */
	struct kh_view why;         /* if it is not OK: our own sentence, for humans; outside text only quoted */
};

struct kh_errands {
	/* True if OPERATION can be run. */
	bool (*can_run)(struct kh_view operation);
	/* Runs ERRAND and blocks until its end.  Fails only for lack of memory. */
	enum kh_err (*run)(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			   struct kh_errand_result *ret_result);
};

#endif
