/* Fields of a category-1 query: booleans, choices, integers in a range. */
#ifndef KH_CORE_BCP_FIELD_H
#define KH_CORE_BCP_FIELD_H

#include "base/json.h"

#define KH_FIELD_COUNT       64
#define KH_FIELD_VALUES      256
#define KH_FIELD_VALUE_BYTES 64
#define KH_FIELD_BOUND       (INT64_C(1) << 53)
#define KH_NAME_BYTES        64

enum kh_field_type { KH_FIELD_BOOLEAN, KH_FIELD_ENUM, KH_FIELD_INTEGER };

struct kh_field {
	struct kh_view name;
	enum kh_field_type type;
	struct kh_view *values; /* enum: as the Controller wrote them */
	struct kh_view *keys;   /* and their normal forms, to compare by */
	size_t value_count;
	int64_t min, max;   /* integer */
	unsigned repeat;    /* how often it is asked (B14): 1 to 3 */
	uint64_t microbits; /* B5 */
};

/* Reads the array FIELDS into *RET_FIELDS; errors with paths below `fields`. */
enum kh_err kh_field_read_all(struct kh_arena *arena, yyjson_val *fields, struct kh_field **ret_fields,
			      size_t *ret_count, struct kh_reasons *errors) KH_CHECKED;

/* True if V is a name by B3: [A-Za-z_][A-Za-z0-9_.-]{0,63}. */
bool kh_field_is_name(struct kh_view v);

yyjson_mut_val *kh_field_write(const struct kh_field *field, yyjson_mut_doc *doc);

#endif
