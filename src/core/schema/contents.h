/* What is in objects and arrays. */
#ifndef KH_CORE_SCHEMA_CONTENTS_H
#define KH_CORE_SCHEMA_CONTENTS_H

#include "core/schema/check.h"

/* The members of an object; true for other values. */
bool kh_contents_members(struct kh_checking *c, const struct kh_check_pair *p);

/* The items of an array; true for other values. */
bool kh_contents_items(struct kh_checking *c, const struct kh_check_pair *p);

/* The members or items that nothing else in the schema has looked at. */
bool kh_contents_unevaluated(struct kh_checking *c, const struct kh_check_pair *p);

#endif
