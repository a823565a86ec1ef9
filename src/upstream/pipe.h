/*
 * An upstream server over stdio: requests go in as lines, and each waits for the line with its id.
 *
 * Any number of threads may ask at once; each waits for its own response.  What else the server says is heard by the
 * thread of all servers, which only looks at the opening of a line: a request of the server is answered there (U3), or an
 * elicitation is given to the call whose rule lets a human answer it (inquiry.h); a
 * notification is passed to the user by its name alone, and a response that nobody waits for is dropped.
 */
#ifndef KH_UPSTREAM_PIPE_H
#define KH_UPSTREAM_PIPE_H

#include "outside/server.h"
#include "upstream/request.h"

struct kh_pipe;

struct kh_pipe_settings {
	const struct kh_alloc *alloc;
	struct kh_server_all *servers; /* must live longer */
	const struct kh_run *run;      /* borrowed for as long as the pipe exists */
	unsigned starts;               /* lives that may fail within an hour; 0: the default */
	uint64_t longest;              /* bytes of a message; 0: KH_PIPE_LONGEST */
	void *context;
	/* The server sent the notification METHOD.  Called from the thread of all servers; must not wait. */
	void (*heard)(void *context, struct kh_view method);
	/* As those of struct kh_server_settings, with the context of this; NULL: nobody wants to know. */
	void (*ended)(void *context, uint64_t life, const struct kh_server_end *end);
	void (*kept)(void *context, uint64_t life, const struct kh_server_end *kept);
};

#define KH_PIPE_LONGEST (16ULL << 20)

enum kh_err kh_pipe_new(const struct kh_pipe_settings *settings, struct kh_pipe **ret_pipe,
			struct kh_error *err) KH_CHECKED;

/* Ends the server.  Nobody may be asking. */
void kh_pipe_free(struct kh_pipe *pipe);

/*
 * Sends REQUEST and waits for its response.  If the time is over first, the server is told so.  *RET_LIFE is the life
 * that got it, if any did.  Fails only for lack of memory.
 */
enum kh_err kh_pipe_ask(struct kh_pipe *pipe, const struct kh_upstream_request *request, struct kh_arena *arena,
			struct kh_upstream_response *ret_response, uint64_t *ret_life) KH_CHECKED;

/* Sends a notification, MESSAGE, to LIFE; false if that is over. */
bool kh_pipe_tell(struct kh_pipe *pipe, struct kh_view message, uint64_t life);

/* True if LIFE is the one that it has. */
bool kh_pipe_is_current(struct kh_pipe *pipe, uint64_t life);

/* The server's state, kh_server_recall() and kh_server_stop(): what is under way then is lost. */
struct kh_server_state kh_pipe_state(struct kh_pipe *pipe);
bool kh_pipe_recall(struct kh_pipe *pipe);
void kh_pipe_stop(struct kh_pipe *pipe);

/* Responses that nobody waited for: late ones, second ones, ones with the id of no request. */
uint64_t kh_pipe_strays(struct kh_pipe *pipe);

#endif
