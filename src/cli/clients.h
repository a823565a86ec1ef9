/* What to paste into an agent's client so that it finds this gateway.  Paths and addresses are those of this
 * machine; a token is never written, only the path of its file. */
#ifndef KH_CLI_CLIENTS_H
#define KH_CLI_CLIENTS_H

#include "base/buf.h"
#include "home/home.h"

struct kh_clients {
	struct kh_view program;    /* the absolute path of keyhole */
	struct kh_view home;       /* the home folder, absolute; empty: relays know the socket and the token's file */
	struct kh_view socket;     /* of relays; empty: found by the home */
	struct kh_view token_file; /* of the Controller's token */
	struct kh_view url;        /* "http://127.0.0.1:7433"; empty: no HTTP */
};

/* Returns what clients need to know of this program and of HOME.  NULL: only the program is known, and the user has to
 * fill in where the token is. */
struct kh_clients kh_clients_of(struct kh_arena *arena, const struct kh_home *home);

/* Returns PATH as an absolute path, NUL-terminated; unchanged if that cannot be found. */
struct kh_view kh_clients_absolute(struct kh_arena *arena, struct kh_view path);

/* Writes all of it, for a human. */
void kh_clients_print(struct kh_buf *buf, const struct kh_clients *clients);

/* Writes the command that shows a human what waits, as a line of a shell. */
void kh_clients_approvals(struct kh_buf *buf, const struct kh_clients *clients);

/* Returns a text that says what a gateway that runs as the agent's own user does not protect (I9). */
const char *kh_clients_unprotected(void);

/* The line that a gateway says if its configuration has upstreams: what is offered of them, and how; else empty. */
struct kh_view kh_clients_upstreams(struct kh_arena *arena, const struct kh_config *config);

#endif
