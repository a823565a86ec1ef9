/*
 * System-call filters (seccomp): an allow-list for each kind of process, with a kill default.
 *
 * The lists are a table in calls.c.  A few calls that ordinary programs try and can do without answer with an error
 * instead of the kill (clone3: ENOSYS, so that libc uses clone, whose flags can be looked at; sockets of other
 * families: EAFNOSUPPORT; io_uring: ENOSYS; ...).  libseccomp makes the programs, once; installing one is one system
 * call.
 */
#ifndef KH_SANDBOX_FILTER_H
#define KH_SANDBOX_FILTER_H

#include "base/error.h"

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

struct kh_filter;

/* Compiles the filter of KIND.  KH_EREFUSED with code `seccomp` where the kernel or the library cannot. */
enum kh_err kh_filter_new(enum kh_filter_kind kind, const struct kh_alloc *alloc, struct kh_filter **ret_filter,
			  struct kh_error *err) KH_CHECKED;
void kh_filter_free(struct kh_filter *filter);

/* Installs FILTER in this process (all its threads), for good.  Needs no_new_privs.  Async-signal-safe.  0 or errno. */
int kh_filter_install(const struct kh_filter *filter) KH_CHECKED;

/* "run", "worker", "resolve", "http", "read", ...; never NULL. */
const char *kh_filter_name(enum kh_filter_kind kind);

/* For documents and tests: the INDEX-th call of KIND's list and what it answers; NULL past the end. */
struct kh_filter_entry {
	const char *name;
	int error;        /* 0: allowed; else the errno that it answers, or where conditional: to other arguments */
	bool conditional; /* only with certain arguments; where error is 0, others kill */
	const char *only; /* which arguments, in words; NULL where not conditional */
};
const struct kh_filter_entry *kh_filter_entry_at(enum kh_filter_kind kind, size_t index);

/* The number of ENTRY's call here, or -1 where this architecture does not have it. */
int kh_filter_number(const struct kh_filter_entry *entry);

#endif
