/*
 * How a request to the executor can end: one list, one text table.  The parent of an executor gets exactly one of these
 * for each request, whatever happened to the worker or to the executor itself.
 */
#ifndef KH_WIRE_FAULT_H
#define KH_WIRE_FAULT_H

#include "base/view.h"

enum kh_fault {
	KH_FAULT_NONE = 0,   /* it ran to its end, with whatever result */
	KH_FAULT_REQUEST,    /* the request was not well-formed, or broke the protocol */
	KH_FAULT_BUSY,       /* too many requests at once */
	KH_FAULT_INCOMPLETE, /* the kernel or the machine lacks a part of the sandbox; the detail says which */
	KH_FAULT_SANDBOX,    /* a part exists, but setting it up failed */
	KH_FAULT_PROGRAM,    /* the program could not be started in the sandbox */
	KH_FAULT_URL,        /* not an acceptable URL */
	KH_FAULT_SCHEME,     /* plain http, which was not granted */
	KH_FAULT_ADDRESS,    /* the address is in a refused range, of this machine, or on-link to it */
	KH_FAULT_NAME,       /* the name has no address, or no name server answered */
	KH_FAULT_CONNECT,    /* no connection to any of the addresses */
	KH_FAULT_TLS,        /* the certificate is not valid, or the handshake failed */
	KH_FAULT_HTTP,       /* the server does not speak HTTP, or stopped in the middle */
	KH_FAULT_HEADERS,    /* more header bytes than the cap */
	KH_FAULT_OUTPUT,     /* more output, or more decompressed bytes, than the cap */
	KH_FAULT_REDIRECTS,  /* more redirects than are followed */
	KH_FAULT_TIME,       /* the wall clock ran out */
	KH_FAULT_WORKER,     /* the worker died, was killed by the kernel, or broke the protocol */
	KH_FAULT_CANCELLED,  /* the parent closed the request's channel */
	KH_FAULT_LOST,       /* the executor itself is gone */
	KH_FAULT_ABSENT,     /* there was no executor to take the request; nothing was begun */
	KH_FAULT_DISK,       /* more room on the disk was used than it may, or than there is */
	KH_FAULT_MESSAGE,    /* a server put out what is no message, or too large; the reason is of its worker */
	KH_FAULT_IDLE,       /* no byte went to a server or came from it for as long as that may be */
	KH_FAULT_SECRET,     /* the file of a secret cannot be used; the detail names it */
	KH_FAULTS
};

/* "none", "bad_request", "busy", ...; never NULL. */
const char *kh_fault_name(enum kh_fault fault);

/* A sentence for a human. */
const char *kh_fault_about(enum kh_fault fault);

#endif
