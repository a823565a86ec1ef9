/*
 * The parent's side of an executor: start it, open requests, get exactly one END for each.
 *
 *     kh_client_start(&client, &settings, &err);         before there are threads
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

struct kh_client {
	int control;
	int pid; /* the executor's */
};

struct kh_client_settings {
	const char *program; /* the keyhole executable; NULL: this program itself */
	unsigned pool;       /* sandboxes of each kind to keep warm */
};

/*
 * Starts `keyhole executor` and waits until it is ready.  It gets its channel as descriptor 3, this process's standard
 * error, and nothing else: no environment, no terminal, no other descriptor, no signal that is blocked or ignored.
 * KH_EREFUSED with code `executor_start` and a sentence if that failed.  SETTINGS may be NULL.
 */
enum kh_err kh_client_start(struct kh_client *client, const struct kh_client_settings *settings,
			    struct kh_error *err) KH_CHECKED;

/* Closes the control channel, so that the executor ends everything and itself, and waits for it.  An executor that does
 * not end within ten seconds is killed, if this process still has the right to.  May be called more than once. */
void kh_client_stop(struct kh_client *client);

/*
 * Opens a new request.  KH_ELIMIT or KH_EINPUT if it cannot be written (request.h), KH_EREFUSED with code `channel` if
 * this process is out of descriptors.  An executor that is gone, or takes nothing for ten seconds, is not an error
 * here: the exchange then has one event, END with KH_FAULT_LOST.
 */
enum kh_err kh_client_run(const struct kh_client *client, const struct kh_run *run, struct kh_exchange *ret_exchange,
			  struct kh_error *err) KH_CHECKED;
enum kh_err kh_client_fetch(const struct kh_client *client, const struct kh_fetch *fetch,
			    struct kh_exchange *ret_exchange, struct kh_error *err) KH_CHECKED;

#endif
