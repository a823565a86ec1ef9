/*
 * What is said to an upstream server in each generation of MCP, and how its first answers are read (U3).
 *
 * A server is asked `server/discover` first.  If it answers as the new generation does, every request stands alone and
 * says its version; with any other answer it is asked to `initialize`.
 *
 * We have no roots and no model for a server: what it asks for is refused here, in one place.  A user answers it only if
 * the rule of the tool that is called lets him (inquiry.h); only then is it told that there is one.
 */
#ifndef KH_UPSTREAM_MANNER_H
#define KH_UPSTREAM_MANNER_H

#include "base/canonical.h"
#include "base/tainted.h"
#include "rpc/rpc.h"

/* What a server says of itself.  Text is in the arena, and is the server's own: untrusted. */
struct kh_manner {
	enum kh_rpc_version version; /* that is spoken with it */
	const char *spoken;          /* the same by its name; for 2024-11-05, VERSION is the one after it */
	struct kh_tainted name, title, said_version;
	struct kh_tainted instructions;
	bool has_tools, has_resources;
};

/* What follows from the answer to the first question. */
enum kh_manner_next {
	KH_MANNER_READY,      /* *RET_MANNER is filled in */
	KH_MANNER_INITIALIZE, /* it is not of the new generation: ask it to initialize */
	KH_MANNER_UNKNOWN,    /* it speaks no version that we do, or what it says makes no sense: *RET_WHY */
};

/* Messages on one line, with its newline, in the arena. */
enum kh_err kh_manner_discover(struct kh_arena *arena, struct kh_view id, struct kh_view *ret_message) KH_CHECKED;
/* ELICITS: a human may answer what the server asks. */
enum kh_err kh_manner_initialize(struct kh_arena *arena, struct kh_view id, bool elicits,
				 struct kh_view *ret_message) KH_CHECKED;
enum kh_err kh_manner_initialized(struct kh_arena *arena, struct kh_view *ret_message) KH_CHECKED;
enum kh_err kh_manner_cancelled(struct kh_arena *arena, struct kh_view id, struct kh_view *ret_message) KH_CHECKED;

/* Any other request.  PARAMS, an object of DOC, gets what each request of VERSION has; ELICITS: as above. */
enum kh_err kh_manner_request(struct kh_arena *arena, yyjson_mut_doc *doc, enum kh_rpc_version version, bool elicits,
			      struct kh_view id, const char *method, yyjson_mut_val *params,
			      struct kh_view *ret_message) KH_CHECKED;

/* Reads the response to discover, or to initialize.  Fails only for lack of memory. */
enum kh_err kh_manner_read(struct kh_arena *arena, struct kh_tainted response, bool is_discover,
			   enum kh_manner_next *ret_next, struct kh_manner *ret_manner,
			   struct kh_view *ret_why) KH_CHECKED;

/* What a server says of itself, as JSON (canonical): name, title, version, instructions, and the protocol that is spoken. */
enum kh_err kh_manner_about(struct kh_arena *arena, const struct kh_manner *manner, struct kh_view *ret_json,
			    struct kh_error *err) KH_CHECKED;

/*
 * The answer to a request METHOD of the server with ID, as it came, in BUFFER, with its newline: a ping is answered, it
 * has no roots, an elicitation is declined, everything else is unknown here.  BUFFER holds KH_RPC_ID and 160 bytes more.
 */
struct kh_view kh_manner_reply(struct kh_view id, struct kh_view method, char *buffer, size_t size);

/* The answer to an elicitation with ID, as it came: RESULT, which is JSON.  Empty: no memory. */
struct kh_view kh_manner_answer(struct kh_arena *arena, struct kh_view id, struct kh_view result);

/* Whether METHOD, of a request of the server, is an elicitation. */
bool kh_manner_is_elicitation(struct kh_view method);

#endif
