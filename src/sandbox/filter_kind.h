/*
 * The kinds of filter, and what a filter answers to a call: shared by the table (calls.h) and the filters (filter.h).
 */
#ifndef KH_SANDBOX_FILTER_KIND_H
#define KH_SANDBOX_FILTER_KIND_H

#include <stdbool.h>

/* The kinds of process that have a filter. */
enum kh_filter_kind {
	KH_FILTER_RUN = 0, /* any program */
	KH_FILTER_WORKER,  /* our workers while they start: during execve and while they load their libraries */
	KH_FILTER_RESOLVE, /* the resolver after that: what the exchange needs, no file, no new executable memory */
	KH_FILTER_HTTP,    /* the same for HTTP */
	KH_FILTER_READ,    /* our workers that take a job: open a file below a folder and read it */
	KH_FILTER_TEXT,    /* reads bytes, writes bytes */
	KH_FILTER_QUERY,   /* reads files of SQLite, or uses one connected socket */
	KH_FILTER_SEARCH,  /* reads files, and writes an index of SQLite */
	KH_FILTER_INIT,    /* a sandbox's first process while the program runs: wait, write, exit */
	KH_FILTER_GATEWAY, /* a gateway that has locked itself down (lockdown.h) */
	KH_FILTER_NETWORK, /* any program that has network by name (network.h), and servers */
	KH_FILTER_FORWARD, /* a forwarder: moves bytes between sockets that it is given */
	KH_FILTERS
};

/* One call of a filter, and what it answers. */
struct kh_filter_entry {
	const char *name;
	int error;        /* 0: allowed; else the errno of the call or, if conditional, of other arguments */
	bool conditional; /* only with certain arguments; if error is 0, others kill */
	const char *only; /* which arguments, in words; NULL if not conditional */
};

#endif
