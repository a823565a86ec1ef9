/* What the compiler and the check both ask of nodes and types. */
#include "core/schema/node.h"

#include "base/buf.h"

#include <math.h>

static const struct {
	const char *word;
	unsigned type;
} types[] = {
	{"null", KH_NODE_NULL},       {"boolean", KH_NODE_BOOLEAN}, {"object", KH_NODE_OBJECT},
	{"array", KH_NODE_ARRAY},     {"number", KH_NODE_NUMBER},   {"string", KH_NODE_STRING},
	{"integer", KH_NODE_INTEGER},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

unsigned kh_node_types_of(const yyjson_val *val)
{
	yyjson_val *v = (yyjson_val *)(uintptr_t)val; /* yyjson's accessors do not write */

	switch (yyjson_get_type(v)) {
	case YYJSON_TYPE_NULL:
		return KH_NODE_NULL;
	case YYJSON_TYPE_BOOL:
		return KH_NODE_BOOLEAN;
	case YYJSON_TYPE_STR:
		return KH_NODE_STRING;
	case YYJSON_TYPE_ARR:
		return KH_NODE_ARRAY;
	case YYJSON_TYPE_OBJ:
		return KH_NODE_OBJECT;
	case YYJSON_TYPE_NUM: {
		double real = yyjson_get_num(v);
		bool is_integer = !yyjson_is_real(v) || floor(real) >= real;
		return KH_NODE_NUMBER | (is_integer ? KH_NODE_INTEGER : 0);
	}
	default:
		return 0;
	}
}

unsigned kh_node_type(struct kh_view word)
{
	for (size_t i = 0; i < TYPES; i++) {
		if (kh_view_eq(word, kh_view_str(types[i].word)))
			return types[i].type;
	}
	return 0;
}

struct kh_view kh_node_types_text(struct kh_arena *arena, unsigned wanted)
{
	struct kh_view text = {"", 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, 128);
	for (size_t i = 0; i < TYPES; i++) {
		if ((wanted & types[i].type) == 0)
			continue;
		if (buf.n > 0)
			kh_buf_lit(&buf, " or ");
		kh_buf_add(&buf, kh_view_str(types[i].word));
	}
	(void)!kh_buf_end(&buf, &text);
	return text;
}

const struct kh_node_name *kh_node_find(const struct kh_node *node, struct kh_view name)
{
	size_t low = 0, high = node->n_names;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = kh_view_cmp(name, node->names[middle].name);
		if (c == 0)
			return &node->names[middle];
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
