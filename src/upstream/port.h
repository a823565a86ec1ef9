/*
 * What is known of one upstream server by its name, whatever runs of it: its log (U8), what it has sent to the network
 * today (U2), what was reported of it (U4), and for other processes how it is.
 *
 * All of it is for humans: HOME/logs has NAME.log (and NAME.log.1, the one before), NAME.sent and NAME.state, of mode
 * 0600.  Nothing here waits for a disk but kh_port_write(); what was not written by then is bounded, and of more the
 * newest is kept.
 */
#ifndef KH_UPSTREAM_PORT_H
#define KH_UPSTREAM_PORT_H

#include "base/canonical.h"
#include "outside/server.h"

#define KH_PORT_FOLDER "logs"
#define KH_PORT_LOG    (128U << 10) /* bytes of a log, and of the one before */

struct kh_port;

struct kh_port_settings {
	const struct kh_alloc *alloc;
	struct kh_view folder; /* the home folder's path; borrowed */
	struct kh_view name;   /* of the server; copied */
	bool tells;            /* its state is written for other processes */
};

/* How far one life was heard, by whoever watches it. */
struct kh_port_life {
	uint64_t life, written, sent;
	char note[KH_MESSAGE_DETAIL + 1]; /* what was said last of its connections */
};

/* How a server is, as other processes are told. */
struct kh_port_state {
	const char *state; /* "up", "down", "paused" or "held" */
	size_t processes;  /* that run */
	char why[KH_MESSAGE_DETAIL + 64];
};

enum kh_err kh_port_new(const struct kh_port_settings *settings, struct kh_port **ret_port,
			struct kh_error *err) KH_CHECKED;
void kh_port_free(struct kh_port *port);

struct kh_view kh_port_name(const struct kh_port *port);

/* Calls TELL unless this process has told the same, of this DIGEST, last; one at a time. */
enum kh_err kh_port_report(struct kh_port *port, const struct kh_digest *digest, enum kh_err (*tell)(void *context),
			   void *context) KH_CHECKED;

/* A sentence of ours for the log; what others said in it is quoted. */
void kh_port_say(struct kh_port *port, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a server said, or its worker of it, line by line behind a bar. */
void kh_port_quote(struct kh_port *port, struct kh_tainted words);

/* Takes what a life has written and sent since it was last heard, HEARD. */
void kh_port_hear(struct kh_port *port, struct kh_port_life *heard, uint64_t life, const struct kh_server_end *kept);

/* How much it may still send today (UTC), of MOST a day; nothing if it wanted to send more than it might. */
uint64_t kh_port_left(struct kh_port *port, uint64_t most);

void kh_port_set(struct kh_port *port, const struct kh_port_state *state);

/* From another process: how the server NAME of the home FOLDER is, and how much it has sent today. */
uint64_t kh_port_look(struct kh_view folder, struct kh_view name, struct kh_port_state *ret_state);

/* Writes what is new. */
void kh_port_write(struct kh_port *port);

#endif
