/* Schemas for the same value: $ref, allOf, anyOf, oneOf, not, if. */
#ifndef KH_CORE_SCHEMA_ALTERNATIVES_H
#define KH_CORE_SCHEMA_ALTERNATIVES_H

#include "core/schema/check.h"

bool kh_alternatives_check(struct kh_checking *c, const struct kh_check_pair *p);

#endif
