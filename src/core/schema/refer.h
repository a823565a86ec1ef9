/* References within a schema, and what one value may cost. */
#ifndef KH_CORE_SCHEMA_REFER_H
#define KH_CORE_SCHEMA_REFER_H

#include "core/schema/compile.h"

/*
 * Finds what each $ref refers to: "#", "#/...", or the name of an $anchor.  Then counts how many schemas a value is
 * compared with before a check goes into it: a circle of references that does not go into the value, and more than
 * KH_SCHEMA_COST, are faults.
 */
void kh_refer_all(struct kh_compiling *c);

#endif
