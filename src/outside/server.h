/*
 * Servers that live long, as their user has them (U1): started when they are needed, started again when they have died,
 * not too often, and ended when nobody needs them.  One thread looks after all of them.
 *
 *     kh_server_all_new(client, &servers, &err);              after the lockdown, if there is one
 *     kh_server_new(servers, &settings, &server, &err);
 *     kh_server_send(server, message, &life, &err);        from any thread; starts it if it does not run
 *     kh_server_free(server);
 *     kh_server_all_free(servers);
 *
 * Each start is a life with a number, and each life has exactly one end, whatever happens to the server, to its worker
 * or to the executor: settings.ended.  After a life that failed there is a pause before the next, of a second, which
 * doubles up to a minute; a life of a minute makes it a second again.  If so many lives failed within an hour, the server
 * is held down, with the reason, until kh_server_release().  A life that ended because nothing came for it (the idle
 * time of its request), or because it was stopped, has not failed.  Nor is it the server's fault if the executor is gone
 * or has no room: that counts for the pause, but not for the hour.
 */
#ifndef KH_OUTSIDE_SERVER_H
#define KH_OUTSIDE_SERVER_H

#include "outside/client.h"

#define KH_SERVER_QUEUE  (16U << 20) /* bytes that wait for a server */
#define KH_SERVER_STARTS 64          /* the most starts an hour that can be asked for */

struct kh_server_all;
struct kh_server;

/* How a life ended, or goes on. */
struct kh_server_end {
	struct kh_end end;
	struct kh_tainted errors; /* the newest of its standard error */
	uint64_t written;         /* bytes of standard error in all */
};

/*
 * The functions are called from the thread of all servers, one at a time, and must not wait.  They may call
 * kh_server_send() and kh_server_stop(), but not kh_server_free().
 */
struct kh_server_settings {
	const struct kh_run *run; /* profile server; borrowed for as long as the server exists */
	void *context;
	/* A piece of output.  False: not now; it is given again after kh_server_resume(), and the server waits. */
	bool (*take)(void *context, uint64_t life, struct kh_tainted bytes);
	void (*ended)(void *context, uint64_t life, const struct kh_server_end *end);
	/* The answer to kh_server_recall(), of a life that goes on; may be NULL.  Of `end` it has what was sent so far, and
	 * as its detail the first connection that was refused. */
	void (*kept)(void *context, uint64_t life, const struct kh_server_end *kept);
	unsigned starts;              /* lives that may fail within an hour, at most KH_SERVER_STARTS; 0: 10 */
	int64_t pause_ms, longest_ms; /* between two lives; 0: 1 s and 60 s */
};

enum kh_server_phase {
	KH_SERVER_DOWN = 0, /* it is started when it is needed */
	KH_SERVER_UP,       /* it runs, or is being started */
	KH_SERVER_PAUSED,   /* it has died, and is not started yet */
	KH_SERVER_HELD,     /* it has died too often */
};

struct kh_server_state {
	enum kh_server_phase phase;
	uint64_t life;                    /* the last one; 0: there was none */
	int64_t wait_ms;                  /* how long it is paused */
	char why[KH_MESSAGE_DETAIL + 64]; /* how the last life ended, if it has; a sentence of ours */
};

/* CLIENT is borrowed. */
enum kh_err kh_server_all_new(const struct kh_client *client, struct kh_server_all **ret_servers,
			      struct kh_error *err) KH_CHECKED;

/* All servers must have been freed. */
void kh_server_all_free(struct kh_server_all *servers);

enum kh_err kh_server_new(struct kh_server_all *servers, const struct kh_server_settings *settings,
			  struct kh_server **ret_server, struct kh_error *err) KH_CHECKED;

/* Ends it, with the end of its life, and frees it.  No function of its settings is called after this. */
void kh_server_free(struct kh_server *server);

/*
 * Sends all of BYTES to the server, now or when it reads; the life that gets them is in *RET_LIFE.  KH_EREFUSED, code
 * `server_paused` or `server_held`, with the reason, if it is down and may not be started now; KH_ELIMIT, code
 * `server_busy`, if too much waits for it already.
 */
enum kh_err kh_server_send(struct kh_server *server, struct kh_view bytes, uint64_t *ret_life,
			   struct kh_error *err) KH_CHECKED;

/* The same for LIFE alone: KH_EREFUSED, code `server_over`, if that has ended or is ending. */
enum kh_err kh_server_add(struct kh_server *server, uint64_t life, struct kh_view bytes,
			  struct kh_error *err) KH_CHECKED;

/* Asks for what is kept of standard error; false if it does not run. */
bool kh_server_recall(struct kh_server *server);

/* More output can be taken. */
void kh_server_resume(struct kh_server *server);

/* Ends the life that it has, if it has one; the next send starts another. */
void kh_server_stop(struct kh_server *server);

/* Forgets what has failed: it can be started at once. */
void kh_server_release(struct kh_server *server);

struct kh_server_state kh_server_state(struct kh_server *server);

#endif
