/*
 * The parent's side of an executor: start it, open requests, get exactly one END for each.
 *
 *     kh_client_start(&client, &settings, &err);         before there are threads
 *     kh_client_replace(&client, tell, context, &err);   if it lives long: when there may be threads
 *     kh_client_run(&client, &run, &exchange, &err);
 *     do
 *             kh_exchange_next(&exchange, timeout, &event);
 *     while (event.kind != KH_EVENT_END);
 *     kh_exchange_close(&exchange);
 *     kh_client_stop(&client);
 */
#ifndef KH_OUTSIDE_CLIENT_H
#define KH_OUTSIDE_CLIENT_H

#include "outside/exchange.h"
#include "wire/request.h"
#include "wire/upstream.h"

struct kh_replacing;

/* Any number of threads may open requests with it at once; starting and stopping is for one thread. */
struct kh_client {
	int control;                    /* -1: there is no executor, or it is one that is replaced */
	int pid;                        /* the executor's, if it is a child of this process */
	struct kh_replacing *replacing; /* NULL: an executor that dies is not replaced */
};

struct kh_client_settings {
	const char *program; /* the keyhole executable; NULL: this program itself */
	unsigned pool;       /* sandboxes of each kind to keep warm */
	bool replaced;       /* an executor that dies is replaced: there is a spawner, which starts every one */
};

/*
 * Starts `keyhole executor` and waits until it is ready.  It gets its channel as descriptor 3, this process's standard
 * error, and nothing else: no environment, no terminal, no other descriptor, no signal that is blocked or ignored.
 * KH_EREFUSED with code `executor_start` and a sentence if that failed.  SETTINGS may be NULL.
 */
enum kh_err kh_client_start(struct kh_client *client, const struct kh_client_settings *settings,
			    struct kh_error *err) KH_CHECKED;

/*
 * Has the executor replaced when it dies, from now on; TELL gets a sentence about each end and each start, from a thread
 * of its own.  Does nothing for a client that was not started with REPLACED.
 */
enum kh_err kh_client_replace(const struct kh_client *client, void (*tell)(void *context, const char *sentence),
			      void *context, struct kh_error *err) KH_CHECKED;

/* From any thread. */
struct kh_client_state {
	bool executor;         /* it is alive */
	bool replaced;         /* it is one that is replaced */
	bool spawner;          /* the spawner is alive, so that an executor that dies is replaced */
	uint64_t starts, ends; /* executors that got ready; executors that have ended, except by kh_client_stop() */
};
struct kh_client_state kh_client_state(const struct kh_client *client);

/* Closes the control channel, so that the executor ends everything and itself, and waits for it.  An executor that does
 * not end within ten seconds is killed, if this process still has the right to.  May be called more than once. */
void kh_client_stop(struct kh_client *client);

/*
 * Opens a new request.  KH_ELIMIT or KH_EINPUT if it cannot be written (request.h), KH_EREFUSED with code `channel` if
 * this process is out of descriptors.  If the executor did not take the request, because it is gone or takes nothing for
 * ten seconds, that is not an error here: the exchange then has one event, END with KH_FAULT_ABSENT, and nothing was
 * begun.  If it took the request and died, that event is END with KH_FAULT_LOST.
 */
enum kh_err kh_client_run(const struct kh_client *client, const struct kh_run *run, struct kh_exchange *ret_exchange,
			  struct kh_error *err) KH_CHECKED;
enum kh_err kh_client_fetch(const struct kh_client *client, const struct kh_fetch *fetch,
			    struct kh_exchange *ret_exchange, struct kh_error *err) KH_CHECKED;
/* Calls of it go over channels of their own: caller.h, which is the one to use. */
enum kh_err kh_client_upstream(const struct kh_client *client, const struct kh_upstream *upstream,
			       struct kh_exchange *ret_exchange, struct kh_error *err) KH_CHECKED;

#endif
