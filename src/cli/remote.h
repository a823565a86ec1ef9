/*
 * A gateway that a human reaches over HTTP, for the commands that need no home of their own (A4).
 *
 *     kh_remote_open(&remote, &options, arena, &err);          before there are threads
 *     kh_remote_get(&remote, arena, path, &answer, &err);
 *     kh_remote_close(&remote);
 *
 * Requests go through an executor of this process: a worker in a sandbox speaks TLS and HTTP, and certificates are
 * verified.  Plain http is for loopback alone, because the token is sent.  What the gateway answers holds text of others
 * as strings of JSON: whoever displays it has to escape it.
 */
#ifndef KH_CLI_REMOTE_H
#define KH_CLI_REMOTE_H

#include "base/buf.h"
#include "base/json.h"
#include "outside/client.h"

#define KH_REMOTE_ANSWER ((size_t)32 << 20) /* bytes of one answer */
#define KH_REMOTE_CODE   64                 /* bytes of an error's code */

struct kh_remote_options {
	const char *url; /* --url; NULL: $KEYHOLE_URL */
	const char *ca;  /* --ca; NULL: $KEYHOLE_CA, or the system's certificates */
};

struct kh_remote {
	struct kh_view base;      /* the URL, without a slash at its end */
	struct kh_view host;      /* the one that is reached, whatever range its address is of */
	struct kh_view authority; /* a PEM file; empty: the system's */
	struct kh_view header;    /* with the token */
	struct kh_client client;
	char code[KH_REMOTE_CODE + 1]; /* of the last error that the gateway told */
};

struct kh_remote_answer {
	struct kh_view body;
	struct kh_view next; /* the cursor in the header Link; empty: there is none */
};

/* The URL of the gateway that OPTIONS or the environment names; NULL: none. */
const char *kh_remote_url(const struct kh_remote_options *options);

/*
 * Reads the URL, and starts the executor.  TOKEN is copied; the caller wipes its own.  KH_EINPUT `bad_option` if the URL
 * is not usable: no https or http, http to another host than loopback, a query or a fragment in it.
 */
enum kh_err kh_remote_open(struct kh_remote *remote, const struct kh_remote_options *options, struct kh_view token,
			   struct kh_arena *arena, struct kh_error *err) KH_CHECKED;
void kh_remote_close(struct kh_remote *remote);

/*
 * Sends a request to PATH below /api/v1, which begins with a slash and is encoded already.  If the gateway refuses, *ERR
 * has its code and detail, and the result is of the kind that fits its status.  KH_EREFUSED `gateway_unreachable` if there
 * is no answer, `gateway_strange` if it is none of a gateway.
 */
enum kh_err kh_remote_get(struct kh_remote *remote, struct kh_arena *arena, struct kh_view path,
			  struct kh_remote_answer *ret_answer, struct kh_error *err) KH_CHECKED;
enum kh_err kh_remote_post(struct kh_remote *remote, struct kh_arena *arena, struct kh_view path, struct kh_view body,
			   struct kh_remote_answer *ret_answer, struct kh_error *err) KH_CHECKED;

/* KH_EREFUSED `gateway_strange`: an answer that no gateway gives.  E stays if it is lack of memory. */
enum kh_err kh_remote_strange(const struct kh_remote *remote, enum kh_err e, const char *what, struct kh_error *err);

/* Adds TEXT to a path or a query, percent-encoded but for letters, digits, "-", "." and "_". */
void kh_remote_encode(struct kh_buf *buf, struct kh_view text);

/* What to do about an error of a gateway; NULL: nothing to say. */
const char *kh_remote_hint(const char *code);

#endif
