/*
 * An upstream server over Streamable HTTP: each request is a POST, and its response comes as JSON or in a stream.
 *
 * Any number of threads may ask at once.  In the older generation a session begins with `initialize`: the server may
 * give it an id, which goes with every request from then on.  A session is what a life is for a server over stdio.
 */
#ifndef KH_UPSTREAM_WEB_H
#define KH_UPSTREAM_WEB_H

#include "outside/caller.h"
#include "upstream/request.h"

struct kh_web;

struct kh_web_settings {
	const struct kh_alloc *alloc;
	const struct kh_client *client;     /* must live longer */
	const struct kh_upstream *upstream; /* copied */
	void *context;
	/* The server sent the notification METHOD beside a response.  Called from the thread that waits for that. */
	void (*heard)(void *context, struct kh_view method);
};

enum kh_err kh_web_new(const struct kh_web_settings *settings, struct kh_web **ret_web,
		       struct kh_error *err) KH_CHECKED;

/* Ends the session, if there is one.  Nobody may be asking. */
void kh_web_free(struct kh_web *web);

/*
 * Sends REQUEST and waits for its response; if the time is over first, the stream is closed, which cancels it.  A request
 * that begins a session (life 0) gets the session's number in *RET_LIFE; the number is good once the response came.
 * Fails only for lack of memory.
 */
enum kh_err kh_web_ask(struct kh_web *web, const struct kh_upstream_request *request, struct kh_arena *arena,
		       struct kh_upstream_response *ret_response, uint64_t *ret_life) KH_CHECKED;

/*
 * Sends a notification or an answer, MESSAGE, in the session LIFE, which takes no longer than to UNTIL_MS; false if that
 * is over, or it did not get there.
 */
bool kh_web_tell(struct kh_web *web, struct kh_view message, uint64_t life, enum kh_rpc_version version,
		 int64_t until_ms);

/* True if LIFE is the session that there is. */
bool kh_web_is_current(struct kh_web *web, uint64_t life);

/* Ends what is under way, which is lost. */
void kh_web_stop(struct kh_web *web);

/* The number of the session that there is; 0: there is none. */
uint64_t kh_web_life(struct kh_web *web);

#endif
