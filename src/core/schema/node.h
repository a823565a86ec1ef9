/*
 * A schema as it is compiled: one node for each schema in it.  Nodes borrow names and values from the JSON that they
 * were made of; all of it is in the arena of the schema.  After compilation nothing changes.
 */
#ifndef KH_CORE_SCHEMA_NODE_H
#define KH_CORE_SCHEMA_NODE_H

#include "base/decimal.h"
#include "base/error.h"
#include "core/schema/pointer.h"

/* The types of a value, as bits; an integer has two. */
enum kh_node_type {
	KH_NODE_NULL = 1,
	KH_NODE_BOOLEAN = 2,
	KH_NODE_OBJECT = 4,
	KH_NODE_ARRAY = 8,
	KH_NODE_NUMBER = 16,
	KH_NODE_STRING = 32,
	KH_NODE_INTEGER = 64,
};

struct kh_node;
struct kh_regex;
struct kh_format_row;

struct kh_node_list {
	const struct kh_node **at;
	size_t n;
};

/* A name that a schema for objects has: of a property, a required member, or one that others depend on. */
struct kh_node_name {
	struct kh_view name;
	const struct kh_node *schema; /* properties; NULL: none */
	bool is_required;
	const size_t *needs; /* dependentRequired: indices of names */
	size_t n_needs;
	const struct kh_node *also; /* dependentSchemas; NULL: none */
};

struct kh_node_pattern {
	const struct kh_regex *regex;
	const struct kh_node *schema;
};

struct kh_node {
	yyjson_val *val; /* what it was made of */
	const struct kh_pointer *at;
	bool is_bool, is_true; /* a schema that is just true or false */
	unsigned types;        /* bits; 0: any */

	yyjson_val *listed;   /* enum */
	yyjson_val *constant; /* const */

	const struct kh_decimal *least, *most, *above, *below, *step; /* NULL: not there */
	uint64_t min_length, max_length;
	const struct kh_regex *regex;
	struct kh_view pattern;             /* its text */
	const struct kh_format_row *format; /* NULL: none that is checked */

	const struct kh_node_name *names; /* sorted */
	size_t n_names;
	const struct kh_node_pattern *patterns; /* patternProperties */
	size_t n_patterns;
	const struct kh_node *additional, *member_names, *unevaluated_members;
	uint64_t min_members, max_members;

	struct kh_node_list first; /* prefixItems, or the array form of items */
	const struct kh_node *items;
	const struct kh_node *contains, *unevaluated_items;
	uint64_t min_contains, max_contains, min_items, max_items;
	bool contains_counts; /* what `contains` finds is evaluated: not in 2019-09 */
	bool is_unique;

	struct kh_node_list all, any, one;
	const struct kh_node *no, *when, *then, *otherwise;
	const struct kh_node *ref;

	/* For compilation alone. */
	struct kh_view ref_text;
	uint64_t cost;   /* 0: not known yet; UINT64_MAX: being counted */
	unsigned height; /* of the schemas that a value is compared with, one within another */
};

/* The types of VAL, as bits. */
unsigned kh_node_types_of(const yyjson_val *val);

/* The bit of a word, or 0. */
unsigned kh_node_type(struct kh_view word);

/* "string or null", for messages. */
struct kh_view kh_node_types_text(struct kh_arena *arena, unsigned types);

/* The name in NODE, or NULL. */
const struct kh_node_name *kh_node_find(const struct kh_node *node, struct kh_view name);

#endif
