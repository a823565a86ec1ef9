/*
 * A complete, self-contained request to the executor, as a struct and as a message.  The executor knows nothing else:
 * no token, no store, no task.
 */
#ifndef KH_WIRE_REQUEST_H
#define KH_WIRE_REQUEST_H

#include "base/arena.h"
#include "base/error.h"
#include "wire/message.h"
#include "wire/profile.h"

#define KH_REQUEST_ARGUMENTS 128
#define KH_REQUEST_PATHS     32
#define KH_REQUEST_HEADERS   32
#define KH_REQUEST_HOSTS     32
#define KH_REQUEST_NETWORK   KH_MESSAGE_NETWORK
#define KH_REQUEST_VARIABLES 64    /* of a server's environment */
#define KH_REQUEST_SECRETS   16    /* files of secrets */
#define KH_REQUEST_SECRET    65536 /* bytes of one secret */
#define KH_REQUEST_NAME      128   /* bytes of a variable's name */
#define KH_REQUEST_REDIRECTS 20    /* the most redirects that a request can ask to be followed; 5 if it does not say */
#define KH_REQUEST_HEAD      KH_MESSAGE_LINES /* bytes of response headers */
#define KH_REQUEST_BODY      (16U << 20)      /* the longest body of a POST; the worker buffers it to send its length */

enum kh_method {
	KH_METHOD_GET = 0,
	KH_METHOD_POST,   /* the body comes as input */
	KH_METHOD_DELETE, /* only for an upstream */
	KH_METHODS
};

/* Text is borrowed: from the caller before writing, from the packet after reading. */
struct kh_run {
	enum kh_profile profile;
	struct kh_view argv[KH_REQUEST_ARGUMENTS];
	size_t argc;
	struct kh_view work, cache; /* host folders for /work and /cache; empty: a private /work, no /cache */
	struct kh_view read[KH_REQUEST_PATHS], write[KH_REQUEST_PATHS];
	size_t reads, writes;
	struct kh_limits limits; /* 0: the profile's own */
	/*
	 * Only for workers of a job.  The executor connects to this first; the worker has the socket as descriptor 3.
	 */
	struct kh_view connect;                /* "host:port", the absolute path of a Unix socket, or empty */
	struct kh_view host[KH_REQUEST_HOSTS]; /* as for a fetch: addresses in any range, by configuration */
	size_t hosts;
	/* Only for programs (U2): "host:port", names alone.  The program reaches these and nothing else. */
	struct kh_view network[KH_REQUEST_NETWORK];
	size_t networks;
	uint64_t bytes_out; /* what it may send to all of them together; 0: KH_REQUEST_BYTES_OUT */
	/*
	 * Only for servers (U1).  A secret is the name of a variable and the absolute path of a file: the executor alone
	 * reads it, and puts it into the environment of the program.  The file belongs to the executor's user or to
	 * root, and nobody else may use it.
	 */
	struct kh_view
		environment[KH_REQUEST_VARIABLES]; /* "NAME=value": in addition to, or in place of, what all have */
	size_t variables;
	struct kh_view secret[KH_REQUEST_SECRETS]; /* "NAME=/absolute/path" */
	size_t secrets;
	bool links; /* links on the way to the files of secrets are followed: whoever asks named them, and no program did */
	struct kh_rates rates; /* 0: the profile's own */
};

#define KH_REQUEST_BYTES_OUT (1ULL << 30)

struct kh_fetch {
	struct kh_view url;
	enum kh_method method;
	struct kh_view header[KH_REQUEST_HEADERS]; /* "Name: value", no control characters */
	size_t headers;
	struct kh_view host[KH_REQUEST_HOSTS]; /* "host" or "host:port": addresses in any range, by configuration */
	size_t hosts;
	bool plain;               /* http is granted */
	struct kh_view authority; /* path of a PEM file, or empty */
	unsigned redirects;       /* followed within the host; 0: none */
	struct kh_limits limits;  /* wall_ms and output; 0: the profile's own */
};

/* Writes the message RUN or FETCH.  KH_ELIMIT if it does not fit. */
enum kh_err kh_request_write_run(const struct kh_run *run, char *buffer, struct kh_view *ret_packet,
				 struct kh_error *err) KH_CHECKED;
enum kh_err kh_request_write_fetch(const struct kh_fetch *fetch, char *buffer, struct kh_view *ret_packet,
				   struct kh_error *err) KH_CHECKED;

/*
 * Takes MESSAGE (RUN, FETCH) apart, fills in the profile's limits and checks them against the maximum.  KH_EINPUT, code
 * `bad_request` and a detail, if the message is well-formed but not a valid request: no argv, or one for a worker of
 * ours that takes a job; folders or limits for a worker that begins before its job comes; a path that is not absolute
 * or has ".." in it; a NUL byte; an unknown profile or method; profile upstream, which has a message of its own; a
 * header with control characters or with a name that only the executor sets (Host, Content-Length, Transfer-Encoding,
 * Connection, Accept-Encoding and others that frame a message); a limit above the maximum; a variable, a secret or a
 * rate that is not for a server, or has no valid or no unique name; a limit of processor time or output for a server,
 * which has rates.
 */
enum kh_err kh_request_read_run(const struct kh_message *message, struct kh_run *ret_run,
				struct kh_error *err) KH_CHECKED;
enum kh_err kh_request_read_fetch(const struct kh_message *message, struct kh_fetch *ret_fetch,
				  struct kh_error *err) KH_CHECKED;

/* Takes "host:port" apart; false if HOST is no name in its one spelling (core/comm/url.h has the rules; an address is
 * none), or PORT is none. */
bool kh_request_target(struct kh_view text, struct kh_view *ret_name, int *ret_port);

/* For whoever writes a request: add ITEMS one by one; VALUE, if it is not 0. */
void kh_request_add_list(struct kh_message_out *out, enum kh_message_field field, const struct kh_view *items,
			 size_t count);
void kh_request_add_number(struct kh_message_out *out, enum kh_message_field field, uint64_t value);

/* Takes "NAME=value" apart; false if NAME is none that a variable can have: letters, digits and underscores. */
bool kh_request_variable(struct kh_view text, struct kh_view *ret_name, struct kh_view *ret_value);
/* What requests of every kind are read and written with: ends OUT, with an error of its own if it does not fit; */
enum kh_err kh_request_end(struct kh_message_out *out, struct kh_view *ret_packet, struct kh_error *err) KH_CHECKED;
/* the items of a list, at most MOST; */
enum kh_err kh_request_list(const struct kh_message *message, enum kh_message_field field, struct kh_view *ret_items,
			    size_t most, size_t *ret_count, struct kh_error *err) KH_CHECKED;
/* true for an absolute path without "..", which is not the root itself; */
bool kh_request_is_path(struct kh_view path);
/* the hosts whose addresses may be in any range; */
enum kh_err kh_request_check_hosts(const struct kh_view *hosts, size_t count, struct kh_error *err) KH_CHECKED;
/* NULL if HEADER is "Name: value", or NAME the name of a header, and may be sent; else what is wrong with it. */
const char *kh_request_header_wrong(struct kh_view header);
const char *kh_request_header_name(struct kh_view name);

/* HOST and PORT in the form of a request's hosts; an IPv6 address gets brackets. */
struct kh_view kh_request_host(struct kh_arena *arena, struct kh_view host, int port);

#endif
