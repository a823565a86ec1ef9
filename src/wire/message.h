/*
 * The messages between parent, executor, sandbox and worker: typed, versioned, length-capped, from one table.
 *
 * A message is one packet of a SOCK_SEQPACKET socket: a header of 8 bytes (version, type, two zero bytes, length of the
 * payload as 32 bits, little-endian) and the payload.  A payload is either bulk bytes (input, output) or fields, each a
 * tag byte, three zero bytes, a 32-bit length and its bytes; numbers have 8 bytes; a list is a tag that repeats.
 *
 * Three tables define everything: the fields and their limits (below); which fields a type has; and in which state of
 * the receiver a type is permitted, and which state follows (both in message.c).  Reading trusts nobody.  A message is refused
 * unless each field is in the tables, has the right size and comes once, and no byte is left over; the receiver then
 * ends that peer.
 *
 * Pure: no I/O here.  channel.h moves the bytes.
 */
#ifndef KH_WIRE_MESSAGE_H
#define KH_WIRE_MESSAGE_H

#include "base/error.h"

#define KH_MESSAGE_VERSION 2
#define KH_MESSAGE_HEADER  8
#define KH_MESSAGE_MAX     65536 /* header and payload */
#define KH_MESSAGE_BULK    (KH_MESSAGE_MAX - KH_MESSAGE_HEADER)
#define KH_MESSAGE_FDS     4     /* descriptors that one message can carry */
#define KH_MESSAGE_ITEMS   320   /* items of all lists of one message together; no type of the table has more */
#define KH_MESSAGE_TEXT    4096  /* bytes of a text, unless the table has another number */
#define KH_MESSAGE_DETAIL  200   /* bytes of DETAIL */
#define KH_MESSAGE_LINES   32768 /* bytes of HEADERS */
#define KH_MESSAGE_ANSWERS 16    /* items of ADDRESS */
#define KH_MESSAGE_NETWORK 16    /* items of NETWORK */
#define KH_MESSAGE_FIRST   16389 /* bytes of FIRST: the longest record of TLS, with its header */
#define KH_MESSAGE_REASON  512   /* bytes of REASON */
#define KH_MESSAGE_TAIL    64000 /* bytes of KEPT */
#define KH_MESSAGE_PLACE   1024  /* bytes of MARK */

enum kh_message_type {
	KH_MESSAGE_NONE = 0,
	/* on the control channel */
	KH_MESSAGE_HELLO, /* parent: the version that it speaks, and settings */
	KH_MESSAGE_READY, /* executor: it is ready */
	KH_MESSAGE_OPEN,  /* parent: the channel of a new request (one descriptor) */
	/* on a request's channel */
	KH_MESSAGE_RUN,       /* parent: run a program */
	KH_MESSAGE_FETCH,     /* parent: an HTTP exchange */
	KH_MESSAGE_INPUT,     /* bulk: standard input, or the body of a POST; also executor to worker */
	KH_MESSAGE_INPUT_END, /* end of input */
	KH_MESSAGE_HEAD,      /* executor: status and headers of the response; also worker to executor */
	KH_MESSAGE_OUTPUT,    /* bulk: standard output, or the body; also worker to executor */
	KH_MESSAGE_ERRORS,    /* bulk: standard error */
	KH_MESSAGE_END,       /* executor: how the request ended; nothing follows */
	KH_MESSAGE_RECALL,    /* parent: send what is kept of a server's standard error */
	KH_MESSAGE_KEPT,      /* executor: the answer to RECALL */
	/* between executor and a sandbox's first process */
	KH_MESSAGE_JOB,       /* executor: what to run; descriptors 0, 1, 2 of the program and perhaps one more: its
				 descriptor 3, or for a server a file with its environment */
	KH_MESSAGE_WARM,      /* sandbox: prepared, waiting for its job */
	KH_MESSAGE_BROKEN,    /* sandbox: a part could not be set up */
	KH_MESSAGE_EXITED,    /* sandbox: how the program ended; also spawner to gateway: how the executor ended */
	KH_MESSAGE_LISTENING, /* sandbox: the listening socket of the next item of NETWORK (one descriptor) */
	/* between executor and one of its own workers */
	KH_MESSAGE_LOOKUP,    /* executor: resolve this name over the socket that comes along */
	KH_MESSAGE_ADDRESSES, /* worker: what the name server answered */
	KH_MESSAGE_TRANSFER,  /* executor: one HTTP exchange over the socket that comes along */
	KH_MESSAGE_DONE,      /* worker: how the exchange ended */
	KH_MESSAGE_GREETING,  /* executor: the first bytes of a connection, and the name that they must be for */
	KH_MESSAGE_VERDICT,   /* worker: what they are */
	/* between executor and a request's forwarder */
	KH_MESSAGE_DIAL,   /* forwarder: connect to an item of NETWORK */
	KH_MESSAGE_DIALED, /* executor: here is the connection (one descriptor), or why there is none */
	KH_MESSAGE_JUDGE,  /* forwarder: the first bytes of a connection */
	KH_MESSAGE_JUDGED, /* executor: what they are */
	KH_MESSAGE_TALLY,  /* forwarder: the bytes that it has passed on so far */
	/* between a gateway and its spawner; also READY and EXITED */
	KH_MESSAGE_SPAWN, /* gateway: start an executor with this control channel (one descriptor) */
	/* for an upstream over HTTP; also DIAL and DIALED between executor and worker */
	KH_MESSAGE_UPSTREAM, /* parent: keep a worker for the calls of one server */
	KH_MESSAGE_SERVE,    /* executor to worker: which server it is for */
	KH_MESSAGE_CALL,     /* parent, passed on to the worker: the channel of a new call (one descriptor) */
	/* on a call's channel, between parent and worker; also INPUT, INPUT_END, HEAD, OUTPUT and DONE */
	KH_MESSAGE_ASK,   /* parent: what to ask the server */
	KH_MESSAGE_BEGUN, /* worker: it took the call; from now on the server may have got it */
	KH_MESSAGE_MARK,  /* worker: the output until here is whole, and a stream can be continued behind it */
	KH_MESSAGE_TYPES
};

/* The state of a receiver.  One list for all kinds of channel: a state belongs to one receiver only. */
enum kh_message_state {
	KH_STATE_ENDED = 0, /* nothing is permitted any more */
	/* the executor on its control channel */
	KH_STATE_CONTROL_NEW, /* HELLO */
	KH_STATE_CONTROL,     /* OPEN */
	/* the parent on the control channel */
	KH_STATE_PARENT_CONTROL, /* READY, once */
	/* the executor on a request's channel */
	KH_STATE_REQUEST_NEW, /* RUN, FETCH or UPSTREAM */
	KH_STATE_REQUEST_FED, /* INPUT, INPUT_END */
	KH_STATE_REQUEST,     /* nothing; a request is cancelled by closing the channel */
	KH_STATE_SERVING,     /* INPUT, INPUT_END, RECALL: a RUN of a server */
	KH_STATE_SERVED,      /* RECALL: the same after INPUT_END */
	/* the parent on a request's channel */
	KH_STATE_PARENT_RUN,    /* OUTPUT, ERRORS, END */
	KH_STATE_PARENT_FETCH,  /* HEAD, END */
	KH_STATE_PARENT_BODY,   /* OUTPUT, END */
	KH_STATE_PARENT_SERVER, /* OUTPUT, KEPT, END */
	/* a sandbox's first process */
	KH_STATE_SANDBOX, /* JOB, once */
	/* the executor on a sandbox's channel */
	KH_STATE_SANDBOX_COLD, /* WARM, BROKEN */
	KH_STATE_SANDBOX_WARM, /* LISTENING, BROKEN, EXITED */
	KH_STATE_SANDBOX_SICK, /* EXITED: the sandbox that sent BROKEN has ended too */
	/* a worker */
	KH_STATE_WORKER_RESOLVE, /* LOOKUP, once */
	KH_STATE_WORKER_HTTP,    /* TRANSFER */
	KH_STATE_WORKER_BODY,    /* INPUT, INPUT_END */
	KH_STATE_WORKER_SNI,     /* GREETING, once */
	/* the executor on a worker's channel */
	KH_STATE_RESOLVING,     /* ADDRESSES, DONE */
	KH_STATE_TRANSFER_HEAD, /* HEAD, DONE */
	KH_STATE_TRANSFER_BODY, /* OUTPUT, DONE */
	KH_STATE_JUDGING,       /* VERDICT */
	/* a forwarder, and the executor on its channel */
	KH_STATE_FORWARDER,  /* DIALED, JUDGED */
	KH_STATE_FORWARDING, /* DIAL, JUDGE, TALLY */
	/* the spawner */
	KH_STATE_SPAWNER, /* SPAWN */
	/* the gateway on the spawner's channel, after READY */
	KH_STATE_PARENT_SPAWNER, /* EXITED */
	/* an upstream over HTTP: the executor, the parent, the worker on their channels; the executor on the worker's */
	KH_STATE_REQUEST_UPSTREAM, /* CALL */
	KH_STATE_PARENT_UPSTREAM,  /* END */
	KH_STATE_WORKER_NEW,       /* SERVE */
	KH_STATE_WORKER_UPSTREAM,  /* CALL, DIALED */
	KH_STATE_CALLED,           /* DIAL, DONE */
	/* a call: the worker (then WORKER_BODY), and the parent */
	KH_STATE_WORKER_CALL,  /* ASK */
	KH_STATE_PARENT_CALL,  /* BEGUN, DONE */
	KH_STATE_PARENT_BEGUN, /* HEAD, DONE */
	KH_STATE_PARENT_HEARS, /* OUTPUT, MARK, DONE */
	KH_STATES
};

/*
 * Fields, by tag: kind (message.c), the longest text or item in bytes or the largest number, and the most items of a
 * list.  The table of types says which message has which.
 */
#define KH_MESSAGE_FIELDS(X)                                                                                          \
	X(PROTOCOL, NUMBER, ANY, 1)                   /* KH_MESSAGE_VERSION */                                        \
	X(POOL, NUMBER, 256, 1)                       /* sandboxes of each kind to keep warm */                       \
	X(PROFILE, NUMBER, ANY, 1)                    /* enum kh_profile */                                           \
	X(ARGUMENT, LIST, KH_MESSAGE_TEXT, 128)       /* argv */                                                      \
	X(WORK, TEXT, KH_MESSAGE_TEXT, 1)             /* host folder that becomes /work, writable */                  \
	X(CACHE, TEXT, KH_MESSAGE_TEXT, 1)            /* host folder that becomes /cache, read-only */                \
	X(READ, LIST, KH_MESSAGE_TEXT, 32)            /* host paths that are visible read-only, at their own place */ \
	X(WRITE, LIST, KH_MESSAGE_TEXT, 32)           /* host paths that are visible writable, at their own place */  \
	X(WALL, NUMBER, ANY, 1)                       /* milliseconds */                                              \
	X(CPU, NUMBER, ANY, 1)                        /* seconds */                                                   \
	X(MEMORY, NUMBER, ANY, 1)                     /* bytes */                                                     \
	X(PROCESSES, NUMBER, ANY, 1)                  /* and threads, at once */                                      \
	X(FILES, NUMBER, ANY, 1)                      /* open descriptors */                                          \
	X(DISK, NUMBER, ANY, 1)                       /* bytes of private /tmp and of one file */                     \
	X(OUTPUT, NUMBER, ANY, 1)                     /* bytes of output, or of the decoded body */                   \
	X(URL, TEXT, KH_MESSAGE_TEXT, 1)              /* where to, or where a response came from */                   \
	X(METHOD, NUMBER, ANY, 1)                     /* enum kh_method */                                            \
	X(HEADER, LIST, KH_MESSAGE_TEXT, 32)          /* "Name: value" */                                             \
	X(HOST, LIST, KH_MESSAGE_TEXT, 32)            /* hosts whose addresses may be in any range */                 \
	X(PLAIN, NUMBER, 1, 1)                        /* 1: http is granted */                                        \
	X(AUTHORITY, TEXT, KH_MESSAGE_TEXT, 1)        /* file of CA certificates in place of the system's */          \
	X(REDIRECTS, NUMBER, ANY, 1)                  /* how many are followed */                                     \
	X(STATUS, NUMBER, 65535, 1)                   /* HTTP status, or as from waitpid(2) */                        \
	X(HEADERS, BYTES, KH_MESSAGE_LINES, 1)        /* the response's header lines, as they came */                 \
	X(LOCATION, TEXT, 8192, 1)                    /* target of a redirect that was not followed */                \
	X(FAULT, NUMBER, KH_FAULTS - 1, 1)            /* enum kh_fault */                                             \
	X(DETAIL, WORDS, KH_MESSAGE_DETAIL, 1)        /* our own sentence */                                          \
	X(PART, NUMBER, KH_PARTS - 1, 1)              /* enum kh_part */                                              \
	X(ERRNO, NUMBER, 4095, 1)                     /* why the part failed */                                       \
	X(TIME, NUMBER, ANY, 1)                       /* microseconds from request to end */                          \
	X(USED, NUMBER, ANY, 1)                       /* bytes of output */                                           \
	X(NAME, TEXT, KH_MESSAGE_TEXT, 1)             /* a host name */                                               \
	X(ADDRESS, ADDRESSES, 16, KH_MESSAGE_ANSWERS) /* 4 or 16 bytes each, network order */                         \
	X(TRUNCATED, NUMBER, 1, 1)                    /* 1: ask again over TCP */                                     \
	X(CONNECT, TEXT, KH_MESSAGE_TEXT, 1)          /* "host:port", or the absolute path of a Unix socket */        \
	X(NETWORK, LIST, 300, KH_MESSAGE_NETWORK)     /* "host:port": what a program can connect to */                \
	X(BYTES_OUT, NUMBER, ANY, 1)                  /* bytes that a program may send */                             \
	X(TICKET, NUMBER, ANY, 1)                     /* number of a forwarder's connection */                        \
	X(INDEX, NUMBER, 15, 1)                       /* item of NETWORK */                                           \
	X(FIRST, BYTES, KH_MESSAGE_FIRST, 1)          /* first bytes of a connection */                               \
	X(VERDICT, NUMBER, 3, 1)                      /* enum kh_greeting */                                          \
	X(SENT, NUMBER, ANY, 1)                       /* bytes that a program sent to the network */                  \
	X(RECEIVED, NUMBER, ANY, 1)                   /* bytes that it got from there */                              \
	X(SPENT, NUMBER, 1, 1)                        /* 1: it wanted to send more than it may */                     \
	X(ENVIRONMENT, LIST, KH_MESSAGE_TEXT, 64)     /* "NAME=value" */                                              \
	X(SECRET, LIST, KH_MESSAGE_TEXT, 16)          /* "NAME=/path": the executor reads the value from that file */ \
	X(IDLE, NUMBER, ANY, 1)                       /* milliseconds without a byte either way */                    \
	X(OUTPUT_RATE, NUMBER, ANY, 1)                /* bytes of output a second */                                  \
	X(PROCESSOR, NUMBER, ANY, 1)                  /* thousandths of one processor */                              \
	X(LONGEST, NUMBER, ANY, 1)                    /* bytes of a message of a server */                            \
	X(MESSAGES, NUMBER, ANY, 1)                   /* messages of a server a second */                             \
	X(REASON, BYTES, KH_MESSAGE_REASON, 1)        /* why a worker ended it, in words that are not ours */         \
	X(KEPT, BYTES, KH_MESSAGE_TAIL, 1)            /* the newest bytes of a server's standard error */             \
	X(WRITTEN, NUMBER, ANY, 1)                    /* bytes of its standard error in all */                        \
	X(PATH, TEXT, KH_MESSAGE_TEXT, 1)             /* behind the URL of an upstream */                             \
	X(MARK, TEXT, KH_MESSAGE_PLACE, 1)            /* id of an event */                                            \
	X(RETRY, NUMBER, ANY, 1)                      /* milliseconds before a stream is continued */                 \
	X(LINKS, NUMBER, 1, 1)                        /* 1: links on the way to the files of SECRET are followed */

enum kh_message_field {
	KH_FIELD_NONE = 0,
#define KH_MESSAGE_TAG(name, kind, most, items) KH_FIELD_##name,
	KH_MESSAGE_FIELDS(KH_MESSAGE_TAG) KH_FIELDS
#undef KH_MESSAGE_TAG
};

/* A message that was read.  Everything in it has been checked against the table and borrows from the packet. */
struct kh_message {
	enum kh_message_type type;
	struct kh_view bulk;            /* of INPUT, OUTPUT, ERRORS */
	uint64_t number[KH_FIELDS];     /* 0 if absent */
	struct kh_view text[KH_FIELDS]; /* {NULL, 0} if absent; for a list, its first item */
	bool has[KH_FIELDS];
	struct kh_view fields; /* for kh_message_item() */
};

/*
 * Reads PACKET, which came with FDS descriptors, in *STATE, and advances the state.  KH_EINPUT (nothing is changed) if
 * it is not a message that is permitted now: `message_size`, `message_version`, `message_type` (unknown, or not in this
 * state), `message_field`, `message_fds`.
 *
 * A message has one encoding: fields in ascending order of tag, a single field at most once, a number in 8 bytes.  An
 * empty text is left out, but an item of a list may be empty.  No text has a NUL byte, except for HEADERS; DETAIL is
 * UTF-8 without anything invisible.
 */
enum kh_err kh_message_read(struct kh_view packet, size_t fds, enum kh_message_state *state,
			    struct kh_message *ret_message, struct kh_error *err) KH_CHECKED;

/* The next item of list FIELD; *CURSOR begins as 0.  False at the end. */
bool kh_message_item(const struct kh_message *message, enum kh_message_field field, size_t *cursor,
		     struct kh_view *ret_item);

/* How many items list FIELD has. */
size_t kh_message_count(const struct kh_message *message, enum kh_message_field field);

/*
 * Writing.  Begin, add fields in ascending order of tag, end; the caller owns the buffer (KH_MESSAGE_MAX bytes).  If
 * something does not fit, the message is marked, and kh_message_end() then returns KH_ELIMIT.  kh_message_read()
 * accepts every message that is written: kh_message_end() checks the table too, and returns KH_ELIMIT if something is
 * too long or too much, KH_EINPUT for any other fault.
 */
struct kh_message_out {
	char *p;
	size_t n, cap;
	bool failed;
};

void kh_message_begin(struct kh_message_out *out, char *buffer, size_t cap, enum kh_message_type type);
void kh_message_number(struct kh_message_out *out, enum kh_message_field field, uint64_t value);
/* A text, or an item of a list.  An empty text (not: item) adds nothing.  DETAIL is cut to fit, and each character that
 * is not safe to show becomes a question mark. */
void kh_message_text(struct kh_message_out *out, enum kh_message_field field, struct kh_view value);
/* The whole payload.  Bytes that are already in their place, behind the header, are not moved. */
void kh_message_bulk(struct kh_message_out *out, struct kh_view bytes);
enum kh_err kh_message_end(struct kh_message_out *out, struct kh_view *ret_packet) KH_CHECKED;

/* "HELLO", "RUN", ...; never NULL. */
const char *kh_message_name(enum kh_message_type type);

/* True if a receiver in STATE takes a message of TYPE. */
bool kh_message_permitted(enum kh_message_state state, enum kh_message_type type);

#endif
