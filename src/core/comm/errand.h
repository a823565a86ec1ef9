/*
 * An errand, an external operation carried out (E7): what whoever decides hands over, and what comes back.  Those who
 * carry errands out are in src/errand; an engine knows them by the two functions of struct kh_errands alone.
 */
#ifndef KH_CORE_COMM_ERRAND_H
#define KH_CORE_COMM_ERRAND_H

#include "base/json.h"
#include "base/tainted.h"

struct kh_errand_tools; /* of whoever carries them out */
struct kh_policy_rule;

#define KH_ERRAND_CONTENT (8U << 20)  /* bytes of what becomes a block: more has failed */
#define KH_ERRAND_DETAILS (64U << 10) /* bytes of the details */

struct kh_errand {
	struct kh_view operation;          /* "comm.fetch" */
	yyjson_val *parameters;            /* an object that fits the operation; what was a reference is content now */
	const struct kh_policy_rule *rule; /* that permitted it: statements, commands, paths */
	struct kh_view task;               /* public id: names its workspace */
	uint64_t wall_ms;                  /* for everything */
};

enum kh_errand_end {
	KH_ERRAND_OK,
	KH_ERRAND_FAILED,
	KH_ERRAND_UNKNOWN, /* it may have had an effect, and it is not known which: a program that was cut off */
};

struct kh_errand_result {
	enum kh_errand_end end;
	struct kh_tainted content;  /* valid UTF-8, KH_ERRAND_CONTENT at most; of an end that is OK, and may be empty */
	struct kh_tainted original; /* as it came, any bytes, where content is the text that was made of it; or empty */
	struct kh_tainted
		details;       /* a JSON object: status, final URL, type, size, what the other side said of an error */
	struct kh_view source; /* for the attribution: a URL, a path, a database; set whatever the end is */
	struct kh_view why;    /* where it is not OK: our own sentence, for humans; nothing of the world but quoted */
};

struct kh_errands {
	/* How long OPERATION may take at most, whatever its tier says (E7); 0: it cannot be carried out. */
	uint64_t (*seconds)(struct kh_view operation);
	/* Carries ERRAND out, for as long as that takes.  Fails for lack of memory alone. */
	enum kh_err (*run)(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			   struct kh_errand_result *ret_result);
};

#endif
