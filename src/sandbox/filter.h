/*
 * System-call filters (seccomp): an allow-list for each kind of process; all other calls kill.
 *
 * The lists are a table in calls.c.  A few calls that ordinary programs try and can do without fail with an error
 * instead of killing (clone3: ENOSYS, so that libc uses clone, whose flags a filter can read; sockets of other
 * families: EAFNOSUPPORT; io_uring: ENOSYS; ...).  libseccomp compiles the programs once; installing one is one system
 * call.
 */
#ifndef KH_SANDBOX_FILTER_H
#define KH_SANDBOX_FILTER_H

#include "base/error.h"
#include "sandbox/filter_kind.h"

struct kh_filter;

/* Compiles the filter of KIND.  KH_EREFUSED with code `seccomp` if the kernel or the library does not support it. */
enum kh_err kh_filter_new(enum kh_filter_kind kind, const struct kh_alloc *alloc, struct kh_filter **ret_filter,
			  struct kh_error *err) KH_CHECKED;
void kh_filter_free(struct kh_filter *filter);

/*
 * Installs FILTER in this process (all its threads), permanently, and tries whether it is in force (EPROTO if not).
 * Needs no_new_privs.  Async-signal-safe.  0 or errno.
 */
int kh_filter_install(const struct kh_filter *filter) KH_CHECKED;

/* "run", "worker", "resolve", "http", "read", ...; never NULL. */
const char *kh_filter_name(enum kh_filter_kind kind);

/* For documentation and tests: the INDEX-th call of KIND's list and what it answers; NULL past the end. */
const struct kh_filter_entry *kh_filter_entry_at(enum kh_filter_kind kind, size_t index);

/* The number of ENTRY's call here, or -1 if this architecture does not have it. */
int kh_filter_number(const struct kh_filter_entry *entry);

#endif
