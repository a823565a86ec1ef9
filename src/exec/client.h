/*
 * The parent's side of an executor: start it, open requests, get exactly one END for each.
 *
 *     struct kh_client client;
 *     kh_client_start(&client, alloc, &err);            before there are threads
 *     kh_client_run(&client, &run, &exchange, &err);
 *     while (kh_exchange_next(&exchange, timeout, &event)) ...   the last event is KH_EVENT_END
 *     kh_client_stop(&client);
 */
#ifndef KH_EXEC_CLIENT_H
#define KH_EXEC_CLIENT_H

#include "exec/exchange.h"
#include "exec/request.h"

struct kh_client {
	int control;
	int pid; /* of the executor */
};

struct kh_client_settings {
	const char *program; /* the keyhole executable; NULL: this program itself */
	unsigned pool;       /* sandboxes of each kind to keep warm */
};

/* Starts `keyhole executor` and waits until it is ready. */
enum kh_err kh_client_start(struct kh_client *client, const struct kh_client_settings *settings, struct kh_error *err)
	__attribute__((warn_unused_result));

/* Closes the control channel, so that the executor ends everything and itself, and waits for it. */
void kh_client_stop(struct kh_client *client);

enum kh_err kh_client_run(const struct kh_client *client, const struct kh_run *run, struct kh_exchange *ret_exchange,
			  struct kh_error *err) __attribute__((warn_unused_result));
enum kh_err kh_client_fetch(const struct kh_client *client, const struct kh_fetch *fetch,
			    struct kh_exchange *ret_exchange, struct kh_error *err) __attribute__((warn_unused_result));

#endif
