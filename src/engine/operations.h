/* The table of operations: name, function, and the roles whose tokens may call it.  kh_engine_call() looks here. */
#ifndef KH_ENGINE_OPERATIONS_H
#define KH_ENGINE_OPERATIONS_H

#include "engine/engine.h"

#define KH_ROLE_BIT(role) (1U << (role))

struct kh_operations_entry {
	const char *name; /* "task.open" */
	kh_engine_fn *fn;
	unsigned roles; /* bits; 0: Keyhole's own, no token can call it */
	/* What needs no transaction and no rights: done in the caller's thread, before the store has it.  Or NULL. */
	void (*prepare)(struct kh_arena *arena, void *call);
};

const struct kh_operations_entry *kh_operations_all(size_t *ret_count);
const struct kh_operations_entry *kh_operations_find(kh_engine_fn *fn);

#endif
