/*
 * What MHD does not watch: clients that go away while they wait (a suspended connection is not polled), and slow
 * clients (MHD's own limit is for silence; a byte now and then gets round it).
 *
 * One thread.  Every connection is in a table, by its descriptor, with its state and how long it may last; past that it
 * is shut down, and MHD finds it closed.  If connections become scarce, idle ones are closed first, so that somebody
 * who has to decide an approval can always connect.
 */
#ifndef KH_HTTP_WATCH_H
#define KH_HTTP_WATCH_H

#include "base/error.h"

struct kh_http_request; /* which the watch does not look into */
struct kh_http_watch;

struct kh_http_watch_settings {
	const struct kh_alloc *alloc;
	unsigned connections; /* at once, of all daemons */
	/* Times in microseconds; 0: the defaults. */
	int64_t headers; /* 15 s: from the connection's beginning to the end of the first request's headers */
	int64_t idle;    /* 90 s: from one request's end to the end of the next one's headers */
	int64_t body;    /* 30 s, and a second for every 64 KiB that were announced or may come */
	int64_t answer;  /* 60 s, and a second for every 64 KiB: until an answer was taken */
	/* Called if the client of this connection goes away while it waits.  OWNER is held during the call. */
	void (*gone)(struct kh_http_request *owner);
	void (*hold)(struct kh_http_request *owner);
	void (*drop)(struct kh_http_request *owner);
};

/* The state of a connection. */
enum kh_http_doing {
	KH_HTTP_OPENED,  /* no request yet */
	KH_HTTP_IDLE,    /* between requests */
	KH_HTTP_READS,   /* a body comes in */
	KH_HTTP_WORKS,   /* its request is handled, or its stream is open: no limit */
	KH_HTTP_ANSWERS, /* an answer goes out */
};

enum kh_err kh_http_watch_new(const struct kh_http_watch_settings *settings, struct kh_http_watch **ret_watch,
			      struct kh_error *err) KH_CHECKED;
void kh_http_watch_free(struct kh_http_watch *watch); /* NULL is fine */

/* Call these when a connection has come, and when it has gone.  False: no memory, and it must be closed. */
bool kh_http_watch_enter(struct kh_http_watch *watch, int fd) KH_CHECKED;
void kh_http_watch_leave(struct kh_http_watch *watch, int fd);

/* Sets the connection's state.  BYTES: how many are to come or to go. */
void kh_http_watch_does(struct kh_http_watch *watch, int fd, enum kh_http_doing doing, uint64_t bytes);

/* Sets the request on it; NULL: none any more, and after the return no callback runs with the old one. */
void kh_http_watch_own(struct kh_http_watch *watch, int fd, struct kh_http_request *owner);

/* Arm: the connection is suspended, and `gone` is called if its client goes away.  Disarm: no longer. */
void kh_http_watch_arm(struct kh_http_watch *watch, int fd);
void kh_http_watch_disarm(struct kh_http_watch *watch, int fd);

/* Calls FN with every owner; each is held during the call. */
void kh_http_watch_each(struct kh_http_watch *watch, void (*fn)(struct kh_http_request *owner));

unsigned kh_http_watch_count(struct kh_http_watch *watch); /* connections */
unsigned kh_http_watch_busy(struct kh_http_watch *watch);  /* connections with an owner */

#endif
