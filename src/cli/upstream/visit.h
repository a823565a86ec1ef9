/*
 * A visit to an upstream server: it is started as the gateway starts it, in its sandbox, and asked what it offers.
 *
 *     kh_visit_find(&visit, home, name, arena, &err);
 *     kh_visit_ask(&visit, client, seconds, &err);       visit.response says whether it answered
 *     kh_visit_end(&visit);
 */
#ifndef KH_CLI_UPSTREAM_VISIT_H
#define KH_CLI_UPSTREAM_VISIT_H

#include "cli/frame.h"
#include "upstream/inventory.h"

#define KH_VISIT_SECONDS 60 /* if nobody says otherwise */

struct kh_visit {
	struct kh_arena *arena;
	const struct kh_config_upstream *up;
	struct kh_run run;       /* of a program */
	struct kh_upstream http; /* of a server over HTTP */
	bool elicits;            /* as the policy has it: what a server offers may depend on it */
	struct kh_server_all *servers;
	struct kh_talk *talk;
	struct kh_talk_session session;
	struct kh_inventory inventory;
	struct kh_upstream_response response; /* KH_RESPONSE_CAME: session and inventory are filled in */
	int64_t took_ms;                      /* until it was ready */
};

/* KH_EINPUT `unknown_upstream` if the configuration has none of this name. */
enum kh_err kh_visit_find(struct kh_visit *visit, const struct kh_home *home, const char *name, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

/* Starts it and asks, for at most SECONDS; 0: KH_VISIT_SECONDS.  A server that does not answer is no error. */
enum kh_err kh_visit_ask(struct kh_visit *visit, const struct kh_client *client, uint64_t seconds,
			 struct kh_error *err) KH_CHECKED;

void kh_visit_end(struct kh_visit *visit);

bool kh_visit_is_program(const struct kh_visit *visit);

/* Text of the server's, quoted for a message. */
struct kh_view kh_visit_quote(const struct kh_visit *visit, struct kh_tainted text);

/* Why it did not answer, what it said last, and what to do: for people, and as members of OBJ. */
void kh_visit_say_bad(const struct kh_visit *visit, struct kh_buf *buf);
void kh_visit_add_bad(const struct kh_visit *visit, yyjson_mut_doc *doc, yyjson_mut_val *obj);

#endif
