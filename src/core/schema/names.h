/* The names of an object's members that a schema has, in one sorted table: properties, required and dependencies. */
#ifndef KH_CORE_SCHEMA_NAMES_H
#define KH_CORE_SCHEMA_NAMES_H

#include "core/schema/compile.h"

/* Reads the keywords properties, required, dependentRequired, dependentSchemas and dependencies of NODE->val. */
void kh_names_read(struct kh_compiling *c, struct kh_node *node);

#endif
