/* What filters are made for, and what one says of a call: the words that the table (calls.h) and the filters (filter.h)
 * share. */
#ifndef KH_SANDBOX_FILTER_KIND_H
#define KH_SANDBOX_FILTER_KIND_H

#include <stdbool.h>

/* The kinds of process that have a filter. */
enum kh_filter_kind {
	KH_FILTER_RUN = 0, /* any program */
	KH_FILTER_WORKER,  /* our workers while they start: as they are executed and load their libraries */
	KH_FILTER_RESOLVE, /* after that: what the exchange itself needs, no file, no new memory that can be executed */
	KH_FILTER_HTTP,    /* the same for HTTP */
	KH_FILTER_READ,    /* our workers that take a job: to open a file below a folder, and to read it */
	KH_FILTER_TEXT,    /* bytes in, bytes out */
	KH_FILTER_QUERY,   /* files of SQLite to read, or one connected socket */
	KH_FILTER_SEARCH,  /* files to read, and an index of SQLite to write */
	KH_FILTER_INIT,    /* a sandbox's first process while the program runs: wait, write, exit */
	KH_FILTER_GATEWAY, /* a gateway that has locked itself down (lockdown.h) */
	KH_FILTERS
};

/* One call of a filter, and what it answers. */
struct kh_filter_entry {
	const char *name;
	int error;        /* 0: allowed; else the errno that it answers, or where conditional: to other arguments */
	bool conditional; /* only with certain arguments; where error is 0, others kill */
	const char *only; /* which arguments, in words; NULL if not conditional */
};

#endif
