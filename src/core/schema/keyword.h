/* The keywords that are known, each with how it is read into a node. */
#ifndef KH_CORE_SCHEMA_KEYWORD_H
#define KH_CORE_SCHEMA_KEYWORD_H

#include "core/schema/compile.h"

struct kh_keyword {
	const char *name;
	unsigned drafts; /* that have it */
	/* NULL: an annotation, or a part of another keyword. */
	void (*read)(struct kh_compiling *c, struct kh_node *node, const struct kh_keyword *self, yyjson_val *val,
		     const struct kh_pointer *at);
	size_t offset; /* of the node's member */
	bool is_assertion;
};

/* NULL if WORD is not one. */
const struct kh_keyword *kh_keyword_find(struct kh_view word);

/* The keyword of DRAFTS that WORD was probably meant to be; empty if none is near. */
struct kh_view kh_keyword_nearest(struct kh_view word, unsigned drafts);

#endif
