/*
 * MCP with one upstream server, as its client (U3): which generation it speaks, its session, and requests in it.
 *
 *     kh_talk_new(&settings, &talk, &err);
 *     kh_talk_open(talk, until, &arena, &session, &response);
 *     kh_talk_ask(talk, &session, &asked, &arena, &response);     from any thread
 *     kh_talk_free(talk);
 *
 * A session is a life of a server over stdio, or a session over HTTP.  When it is over (the server died, was idle, or
 * forgot it), requests in it end as KH_RESPONSE_OVER, and nothing was sent: the caller opens the next one, and looks
 * again at what the server offers before it asks there.
 */
#ifndef KH_UPSTREAM_TALK_H
#define KH_UPSTREAM_TALK_H

#include "upstream/manner.h"
#include "upstream/pipe.h"
#include "upstream/web.h"

#define KH_TALK_PROBE_MS 5000 /* a server that does not answer the newer generation by then is asked in the older one */

struct kh_talk;

/* Whoever wants to know how lives of a server over stdio end, and what it writes to its standard error.  The functions are
 * called from the thread of all servers, and must not wait. */
struct kh_talk_watch {
	void *context;
	void (*ended)(void *context, uint64_t life, const struct kh_server_end *end);
	void (*kept)(void *context, uint64_t life, const struct kh_server_end *kept);
};

struct kh_talk_settings {
	const struct kh_alloc *alloc;
	const struct kh_client *client;     /* must live longer, like the next */
	struct kh_server_all *servers;      /* if it is over stdio */
	const struct kh_run *run;           /* over stdio: borrowed for as long as this exists; NULL: over HTTP, and: */
	const struct kh_upstream *upstream; /* copied */
	bool elicits;                       /* the server is told that a human may answer what it asks */
	unsigned starts;                    /* over stdio: lives that may fail within an hour; 0: the default */
	const struct kh_talk_watch *watch;  /* borrowed for as long as this exists; NULL: nobody */
};

struct kh_talk_session {
	uint64_t life;
	struct kh_manner manner; /* in the arena of kh_talk_open() */
};

/* One request. */
struct kh_talk_asked {
	const char *method;
	struct kh_view name;        /* of the tool or resource; empty: none */
	yyjson_mut_doc *doc;        /* in the arena of kh_talk_ask() */
	yyjson_mut_val *params;     /* an object */
	int64_t until_ms;           /* of kh_clock_ms() */
	struct kh_inquiry *inquiry; /* asks a human what the server wants to know meanwhile; NULL: it is declined */
};

enum kh_err kh_talk_new(const struct kh_talk_settings *settings, struct kh_talk **ret_talk,
			struct kh_error *err) KH_CHECKED;

/* Ends the session.  Nobody may be asking. */
void kh_talk_free(struct kh_talk *talk);

/*
 * The session that there is, or a new one.  KH_RESPONSE_CAME: *RET_SESSION is filled in.  Otherwise *RET_RESPONSE says why
 * there is none.  Fails only for lack of memory.
 */
enum kh_err kh_talk_open(struct kh_talk *talk, int64_t until_ms, struct kh_arena *arena,
			 struct kh_talk_session *ret_session, struct kh_upstream_response *ret_response) KH_CHECKED;

enum kh_err kh_talk_ask(struct kh_talk *talk, const struct kh_talk_session *session, const struct kh_talk_asked *asked,
			struct kh_arena *arena, struct kh_upstream_response *ret_response) KH_CHECKED;

/* How often the server has said that its tools have changed. */
uint64_t kh_talk_changes(struct kh_talk *talk);

/* The server's state; one over HTTP is up while there is a session. */
struct kh_server_state kh_talk_state(struct kh_talk *talk);

/* Asks for what is kept of its standard error (watch.kept); false if it does not run. */
bool kh_talk_recall(struct kh_talk *talk);

/* Ends the session at once; what is under way is lost. */
void kh_talk_stop(struct kh_talk *talk);

/* Responses over stdio that nobody waited for (pipe.h); 0 over HTTP, where each response has its own request. */
uint64_t kh_talk_strays(struct kh_talk *talk);

#endif
