/* From JSON to nodes.  What is wrong with a schema is collected; a schema with faults is never used. */
#ifndef KH_CORE_SCHEMA_COMPILE_H
#define KH_CORE_SCHEMA_COMPILE_H

#include "core/schema/limits.h"
#include "core/schema/node.h"

/* Drafts, as bits. */
enum kh_compile_draft {
	KH_COMPILE_07 = 1,
	KH_COMPILE_2019 = 2,
	KH_COMPILE_2020 = 4,
	KH_COMPILE_LATER = KH_COMPILE_2019 | KH_COMPILE_2020,
	KH_COMPILE_ALL = KH_COMPILE_07 | KH_COMPILE_LATER,
};

struct kh_schema {
	struct kh_alloc alloc;
	struct kh_arena arena; /* of everything below */
	yyjson_val *val;
	const struct kh_node *root;
	bool tracks;       /* unevaluatedProperties or unevaluatedItems is used */
	size_t regex_most; /* states of its largest pattern */
	struct kh_reasons notes;
};

struct kh_compile_anchor {
	struct kh_view name;
	const struct kh_node *node;
};

struct kh_compiling {
	struct kh_schema *schema;
	struct kh_arena *arena; /* the schema's */
	struct kh_reasons *errors;
	size_t before;   /* errors that were there already */
	unsigned drafts; /* whose keywords may be used */
	struct kh_node **nodes;
	size_t n_nodes, nodes_cap;
	struct kh_compile_anchor *anchors;
	size_t n_anchors, anchors_cap;
	size_t keywords, states;
	bool is_refused;
};

/* Reports what is wrong at a place of the schema.  Nothing is reported after the first KH_SCHEMA_ERRORS. */
#define kh_compile_fault(c, where, code, ...)                                                             \
	do {                                                                                              \
		(c)->is_refused = true;                                                                   \
		if ((c)->errors->n < (c)->before + KH_SCHEMA_ERRORS)                                      \
			kh_reasons_add((c)->errors, (code), kh_pointer_text((c)->errors->arena, (where)), \
				       __VA_ARGS__);                                                      \
	} while (0)

/* What VAL is, for a message, and what was expected. */
void kh_compile_expected(struct kh_compiling *c, const struct kh_pointer *at, const char *expected,
			 const yyjson_val *val);

/* The place NAME or INDEX below UP, in the arena. */
const struct kh_pointer *kh_compile_step(struct kh_compiling *c, const struct kh_pointer *up, struct kh_view name,
					 size_t index);

/* The node for VAL, a schema at AT.  NULL only if there is no memory or a limit was passed. */
const struct kh_node *kh_compile_node(struct kh_compiling *c, yyjson_val *val, const struct kh_pointer *at);

/* Compiles SCHEMA->val; its references lead nowhere yet (refer.h).  What is wrong goes to ERRORS. */
void kh_compile_begin(struct kh_compiling *c, struct kh_schema *schema, struct kh_reasons *errors);

#endif
