/*
 * What MHD does not look at: clients that go away while they wait (a suspended connection is not polled), and clients
 * that take their time (MHD's own limit is for silence; a byte now and then gets round it).
 *
 * One thread.  Every connection is in a table, by its descriptor, with what it does now and until when it may; past
 * that it is shut down, and MHD finds it closed.  Where connections become scarce those that do nothing give way first,
 * so that there is always a way in for whoever has to decide an approval.
 */
#ifndef KH_HTTP_WATCH_H
#define KH_HTTP_WATCH_H

#include "base/error.h"

struct kh_http_watch;

struct kh_http_watch_settings {
	const struct kh_alloc *alloc;
	unsigned connections; /* at once, of all daemons */
	/* Times in microseconds; 0: the usual ones. */
	int64_t headers; /* 15 s: from the connection's beginning to the end of the first request's headers */
	int64_t idle;    /* 90 s: from one request's end to the end of the next one's headers */
	int64_t body;    /* 30 s, and a second for every 64 KiB that were announced or may come */
	int64_t answer;  /* 60 s, and a second for every 64 KiB: until an answer was taken */
	/* The client of this connection is gone while it waits.  OWNER was held for the call. */
	void (*gone)(void *owner);
	void (*hold)(void *owner);
	void (*drop)(void *owner);
};

/* What a connection does. */
enum kh_http_doing {
	KH_HTTP_OPENED,  /* no request yet */
	KH_HTTP_IDLE,    /* between requests */
	KH_HTTP_READS,   /* a body comes in */
	KH_HTTP_WORKS,   /* its request is worked on, or its stream is open: no bound */
	KH_HTTP_ANSWERS, /* an answer goes out */
};

enum kh_err kh_http_watch_new(const struct kh_http_watch_settings *settings, struct kh_http_watch **ret_watch,
			      struct kh_error *err) KH_CHECKED;
void kh_http_watch_free(struct kh_http_watch *watch); /* NULL is fine */

/* A connection has come, has gone. False: no memory, and it must not stay. */
bool kh_http_watch_enter(struct kh_http_watch *watch, int fd) KH_CHECKED;
void kh_http_watch_leave(struct kh_http_watch *watch, int fd);

/* It does something else from now on.  BYTES: how many are to come or to go. */
void kh_http_watch_does(struct kh_http_watch *watch, int fd, enum kh_http_doing doing, uint64_t bytes);

/* The request on it; NULL: none any more, and when this returns nobody will be called with the old one. */
void kh_http_watch_own(struct kh_http_watch *watch, int fd, void *owner);

/* It is suspended, and its client's going away is to be told; and no longer. */
void kh_http_watch_arm(struct kh_http_watch *watch, int fd);
void kh_http_watch_disarm(struct kh_http_watch *watch, int fd);

/* Calls FN with every owner there is; each is held during the call. */
void kh_http_watch_each(struct kh_http_watch *watch, void (*fn)(void *owner));

unsigned kh_http_watch_count(struct kh_http_watch *watch); /* connections */
unsigned kh_http_watch_busy(struct kh_http_watch *watch);  /* those with an owner */

#endif
