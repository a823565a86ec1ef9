/* One value against one node. */
#ifndef KH_CORE_SCHEMA_CHECK_H
#define KH_CORE_SCHEMA_CHECK_H

#include "core/schema/marks.h"

/* What is compared: a value, of these types, with a node, and the marks that the node sets. */
struct kh_check_pair {
	const struct kh_node *node;
	yyjson_val *val;
	unsigned types;
	const struct kh_pointer *at;
	struct kh_marks marks;
};

/* Whether VAL fits NODE.  If it does, what NODE has looked at is set in MARKS, the marks of the schema around it. */
bool kh_schema_check_node(struct kh_checking *c, const struct kh_node *node, yyjson_val *val,
			  const struct kh_pointer *at, struct kh_marks marks);

#endif
