/*
 * One upstream server as it runs for one context, or for all of them if it is shared (U1): its session, and what it was
 * found to offer in that (U4).
 *
 * Before the first call of a session, and again when the server says that its tools have changed or the last look is a
 * minute old, the server is asked what it offers, and that is reported.  A call is sent only if program and tool are the
 * approved ones.  Any number of threads may call at once; one looks, the others wait for it, up to their own time.
 */
#ifndef KH_UPSTREAM_RUNNING_H
#define KH_UPSTREAM_RUNNING_H

#include "core/comm/errand.h"
#include "core/policy/settings.h"
#include "upstream/inquiry.h"
#include "upstream/inventory.h"

#define KH_RUNNING_LOOK_MS 60000 /* how old a look may be */

struct kh_running;

/* What a server was found to be and to offer. */
struct kh_running_found {
	struct kh_view server;           /* its name in the configuration */
	struct kh_digest program;        /* of what it is run from */
	const struct kh_manner *manner;  /* what it says of itself */
	const struct kh_inventory *list; /* its tools */
	uint64_t life;                   /* the session, if it is a new one; else 0 */
};

struct kh_running_settings {
	const struct kh_alloc *alloc;
	const struct kh_client *client; /* must live longer, like the next two */
	struct kh_server_all *servers;  /* if it is a program */
	const struct kh_config_upstream *up;
	struct kh_view folder;                /* the home folder's path */
	bool elicits;                         /* a rule lets a human answer what the server asks (U3) */
	const struct kh_inquiry_human *human; /* who is asked then (without functions: nobody); must live longer */
	void *context;
	/* Records what was found; nothing is called if that fails. */
	enum kh_err (*found)(void *context, const struct kh_running_found *found, struct kh_arena *arena,
			     struct kh_error *err);
	struct kh_talk_watch watch; /* of a program */
};

/* One call.  What the server asks a human meanwhile is passed on if the errand's rule lets it. */
struct kh_running_call {
	const struct kh_errand *errand; /* with its tool or resource */
	int64_t until_ms;               /* of kh_clock_ms(): kh_running_until() */
	/* out */
	struct kh_upstream_response response;
	bool is_fresh; /* the program was looked at during this call */
};

/* KH_EINPUT `policy_invalid` if it cannot be started as the configuration says. */
enum kh_err kh_running_new(const struct kh_running_settings *settings, struct kh_running **ret_running,
			   struct kh_error *err) KH_CHECKED;

/* Ends the server.  Nobody may be calling. */
void kh_running_free(struct kh_running *running);

/* When the time of a call that begins now is over, as the errand and the configuration have it. */
int64_t kh_running_until(const struct kh_running *running, const struct kh_errand *errand);

/*
 * Calls the tool of the errand, or reads its resource.  KH_RESPONSE_CAME: the response is there, a result or an error.
 * KH_RESPONSE_LOST: it was sent, and nothing came back.  KH_RESPONSE_REFUSED: nothing was sent; the code is
 * `program_changed`, `tool_changed` or `tool_gone` if it is not what was approved, and `no_resources` if the server has
 * none.  Fails only for lack of memory.
 */
enum kh_err kh_running_ask(struct kh_running *running, struct kh_running_call *call, struct kh_arena *arena) KH_CHECKED;

/* Ends the server at once, also in the middle of calls, which are lost; later ones are refused. */
void kh_running_stop(struct kh_running *running);

/* How much the next life may send to the network.  From the thread of all servers (watch), or before the first call. */
void kh_running_allow(struct kh_running *running, uint64_t bytes);

struct kh_server_state kh_running_state(struct kh_running *running);

/* Asks for what is kept of its standard error (watch.kept); false if it does not run. */
bool kh_running_recall(struct kh_running *running);

#endif
