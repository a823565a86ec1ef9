/*
 * For the programs of this folder: an executor that is spoken to directly, with what its parent's library would never
 * send, and short ways to ask whether it is well.
 */
#ifndef KH_TESTS_TALK_H
#define KH_TESTS_TALK_H

#include "outside/client.h"
#include "world.h"

#include <sys/resource.h>

#define TALK_MS 20000 /* nothing of the tests takes as long; what does has not come */

/* A limit that the executor is started with. */
struct talk_limit {
	__rlimit_resource_t resource;
	rlim_t value;
};

/* Starts `keyhole executor` with the other end of RET_CLIENT's control channel and says nothing to it.  LIMIT may be
 * NULL.  ERRORS: a descriptor for its standard error, or -1. */
void talk_start(const struct world *world, const struct talk_limit *limit, int errors, struct kh_client *ret_client);

/* HELLO, and waits for READY; false where it does not come.  DETAIL (200 bytes or NULL) gets what READY says. */
bool talk_hello(const struct kh_client *client, unsigned pool, char *detail);

/* Both; the tests that call it have no use for an executor that does not start. */
void talk_ready(const struct world *world, unsigned pool, struct kh_client *ret_client);

/* Closes the control channel and waits for the executor: its status, or -1 where it had to be killed. */
int talk_stop(struct kh_client *client);

/* Waits for it without closing. */
int talk_wait(struct kh_client *client);

/* Opens the request ARGV (ended by NULL). */
bool talk_run(const struct kh_client *client, const char *const *argv, struct kh_exchange *ret_exchange);

/* A GET (or POST) of PATH from the server on PORT of the loopback address, which is granted. */
bool talk_fetch(const struct kh_client *client, int port, const char *path, enum kh_method method,
		struct kh_exchange *ret_exchange);

/* Reads until END, at most TALK_MS; false where none comes.  *RET_OUTPUT, where not NULL, is the bytes before it. */
bool talk_end(struct kh_exchange *exchange, struct kh_end *ret_end, uint64_t *ret_output);

/* Runs `true`; false where that is not what comes of it, and why in TEXT. */
bool talk_is_well(const struct kh_client *client, char *text, size_t size);

/* Waits until the executor has as many children as COUNT, none of them a zombie; how many it has. */
size_t talk_children(const struct kh_client *client, size_t count);

/* True where it uses no processor time to speak of while nothing is asked of it. */
bool talk_is_idle(const struct kh_client *client);

#endif
