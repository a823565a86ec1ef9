/*
 * The table of system calls: which kind of process may make which call, under which condition, and what the call
 * answers otherwise.
 */
#ifndef KH_SANDBOX_CALLS_H
#define KH_SANDBOX_CALLS_H

#include "sandbox/condition.h"
#include "sandbox/filter_kind.h"

struct kh_syscall {
	struct kh_filter_entry entry;
	unsigned kinds; /* bits 1 << enum kh_filter_kind: the kinds that this entry is for */
	enum kh_condition condition;
	int number; /* for calls newer than libseccomp, which have the same number on all architectures; else -1 */
};

/* The INDEX-th call, of any kind; NULL past the end. */
const struct kh_syscall *kh_calls_at(size_t index);

#endif
