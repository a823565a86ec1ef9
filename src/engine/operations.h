/* The table of operations: name, function, and the roles whose tokens may call it.  kh_engine_call() looks here. */
#ifndef KH_ENGINE_OPERATIONS_H
#define KH_ENGINE_OPERATIONS_H

#include "engine/state/op.h"

#define KH_ROLE_BIT(role) (1U << (role))

struct kh_operations_entry {
	const char *name; /* "task.open" */
	kh_engine_fn *fn;
	unsigned roles; /* bits; 0: Keyhole's own, no token can call it */
	/* What needs no transaction and no rights: done in the caller's thread, before the store has it.  Or NULL. */
	void (*prepare)(struct kh_arena *arena, void *call);
	/* What is done with the outcome, in the caller's thread, when it is durable.  Or NULL. */
	enum kh_err (*finish)(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);
};

const struct kh_operations_entry *kh_operations_all(size_t *ret_count);
const struct kh_operations_entry *kh_operations_find(kh_engine_fn *fn);

/* What operations ask of parts that stand above them. */
extern const struct kh_above kh_operations_above;

#endif
