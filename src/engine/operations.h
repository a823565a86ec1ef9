/* The table of operations: name, function, and the roles whose tokens may call it.  kh_engine_call() looks here. */
#ifndef KH_ENGINE_OPERATIONS_H
#define KH_ENGINE_OPERATIONS_H

#include "engine/state/beforehand.h"

#define KH_ROLE_BIT(role) (1U << (role))

struct kh_operations_entry {
	const char *name; /* "task.open" */
	kh_engine_fn *fn;
	unsigned roles; /* bits; 0: only Keyhole itself calls it, no token can */
	/*
	 * Work that needs no transaction and no rights: done in the caller's thread, before the transaction
	 * (beforehand.h).  May be NULL.
	 */
	enum kh_err (*prepare)(struct kh_prepare *at, void *call);
	/* Work on the outcome, done in the caller's thread when the transaction is durable.  May be NULL. */
	enum kh_err (*finish)(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);
};

const struct kh_operations_entry *kh_operations_all(size_t *ret_count);
const struct kh_operations_entry *kh_operations_find(kh_engine_fn *fn);

/* True if FN begins something or puts something in, which is refused while the disk has too little room. */
bool kh_operations_begins(kh_engine_fn *fn);

/* True if FN seldom does more than to read, so that it is tried on the caller's thread first. */
bool kh_operations_reads(kh_engine_fn *fn);

/* What operations need from parts above them. */
extern const struct kh_above kh_operations_above;

#endif
