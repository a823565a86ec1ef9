/*
 * Checks a value.  What can be wrong with a value is looked at in a fixed order.  If it is of the wrong type nothing
 * else is said about it.  Every step is counted and every step inward too, so neither schema nor value can keep it busy.
 */
#include "core/schema/check.h"

#include "base/nearest.h"
#include "base/utf8.h"
#include "core/schema/alternatives.h"
#include "core/schema/contents.h"
#include "core/schema/format.h"
#include "core/schema/schema.h"

#define KH_NO_MARKS ((struct kh_marks){0, 0})

static bool check_type(struct kh_checking *c, const struct kh_check_pair *p)
{
	if (p->node->types == 0 || (p->node->types & p->types) != 0)
		return true;
	if (!kh_report_is_wanted(c))
		return false;
	struct kh_view wanted = kh_node_types_text(c->arena, p->node->types), found = kh_report_value(c->arena, p->val);
	return kh_report(c, p->at, "wrong_type", "expected %.*s, not %.*s", KH_FMT(wanted), KH_FMT(found));
}

static bool report_enum(struct kh_checking *c, const struct kh_check_pair *p)
{
	struct kh_view found = kh_report_value(c->arena, p->val), list = kh_report_values(c->arena, p->node->listed);
	struct kh_nearest near;
	yyjson_val *item;
	size_t i, n;

	kh_nearest_begin(&near, kh_json_str(p->val));
	yyjson_arr_foreach (p->node->listed, i, n, item) {
		if (yyjson_is_str(item) && kh_utf8_is_visible(kh_json_str(item)))
			kh_nearest_try(&near, kh_json_str(item));
	}
	if (near.name.n == 0)
		return kh_report(c, p->at, "bad_value", "expected one of: %.*s; not %.*s", KH_FMT(list), KH_FMT(found));
	struct kh_view meant = kh_arena_quote(c->arena, near.name);
	return kh_report(c, p->at, "bad_value", "expected one of: %.*s; not %.*s; did you mean %.*s?", KH_FMT(list),
			 KH_FMT(found), KH_FMT(meant));
}

static bool check_enum(struct kh_checking *c, const struct kh_check_pair *p)
{
	yyjson_val *item;
	size_t i, n;

	if (p->node->listed == NULL)
		return true;
	yyjson_arr_foreach (p->node->listed, i, n, item) {
		if (kh_equal_values(item, p->val, &c->steps))
			return true;
	}
	return kh_report_spend(c, 0) && kh_report_is_wanted(c) && report_enum(c, p);
}

static bool check_const(struct kh_checking *c, const struct kh_check_pair *p)
{
	if (p->node->constant == NULL || kh_equal_values(p->node->constant, p->val, &c->steps))
		return true;
	if (!kh_report_spend(c, 0) || !kh_report_is_wanted(c))
		return false;
	struct kh_view wanted = kh_report_value(c->arena, p->node->constant), found = kh_report_value(c->arena, p->val);
	return kh_report(c, p->at, "bad_value", "expected %.*s, not %.*s", KH_FMT(wanted), KH_FMT(found));
}

/* Reports a number that is not RELATION to LIMIT. */
static bool report_number(struct kh_checking *c, const struct kh_check_pair *p, const char *code, const char *relation,
			  const struct kh_decimal *limit)
{
	char wanted[KH_DECIMAL_TEXT], found[KH_DECIMAL_TEXT];

	kh_decimal_text(*limit, wanted);
	kh_decimal_text(kh_decimal_of(p->val), found);
	return kh_report(c, p->at, code, "expected %s %s, not %s", relation, wanted, found);
}

static bool check_number(struct kh_checking *c, const struct kh_check_pair *p)
{
	const struct kh_node *node = p->node;
	bool has_limits = node->least != NULL || node->most != NULL || node->above != NULL || node->below != NULL ||
			  node->step != NULL;

	if ((p->types & KH_NODE_NUMBER) == 0 || !has_limits)
		return true;
	struct kh_decimal value = kh_decimal_of(p->val);
	if (node->least != NULL && kh_decimal_cmp(value, *node->least) < 0)
		return report_number(c, p, "out_of_range", "at least", node->least);
	if (node->most != NULL && kh_decimal_cmp(value, *node->most) > 0)
		return report_number(c, p, "out_of_range", "at most", node->most);
	if (node->above != NULL && kh_decimal_cmp(value, *node->above) <= 0)
		return report_number(c, p, "out_of_range", "more than", node->above);
	if (node->below != NULL && kh_decimal_cmp(value, *node->below) >= 0)
		return report_number(c, p, "out_of_range", "less than", node->below);
	if (node->step != NULL && !kh_decimal_is_multiple(value, *node->step))
		return report_number(c, p, "not_multiple", "a multiple of", node->step);
	return true;
}

static bool check_pattern(struct kh_checking *c, const struct kh_check_pair *p)
{
	bool is_found = false;
	enum kh_err e;

	if (p->node->regex == NULL)
		return true;
	e = kh_regex_search(p->node->regex, &c->regex_room, kh_json_str(p->val), &c->steps, &is_found);
	if (e != KH_OK)
		c->e = e;
	if (is_found || !kh_report_is_wanted(c))
		return is_found;
	struct kh_view pattern = kh_arena_quote_most(c->arena, p->node->pattern, 128),
		       found = kh_report_value(c->arena, p->val);
	return kh_report(c, p->at, "pattern_mismatch", "expected text that matches %.*s, not %.*s", KH_FMT(pattern),
			 KH_FMT(found));
}

static bool check_length(struct kh_checking *c, const struct kh_check_pair *p)
{
	const struct kh_node *node = p->node;

	if (node->min_length == 0 && node->max_length == UINT64_MAX)
		return true;
	if (!kh_report_spend(c, yyjson_get_len(p->val) / 64))
		return false;
	uint64_t length = kh_utf8_length(kh_json_str(p->val));
	if (length < node->min_length)
		return kh_report(c, p->at, length == 0 ? "empty" : "too_short",
				 "expected %llu characters or more, not %llu", (unsigned long long)node->min_length,
				 (unsigned long long)length);
	if (length > node->max_length)
		return kh_report(c, p->at, "too_long", "expected at most %llu characters, not %llu",
				 (unsigned long long)node->max_length, (unsigned long long)length);
	return true;
}

static bool check_string(struct kh_checking *c, const struct kh_check_pair *p)
{
	if ((p->types & KH_NODE_STRING) == 0)
		return true;
	bool is_good = check_length(c, p);
	if (!is_good && c->is_quiet)
		return false;
	return check_pattern(c, p) && is_good;
}

static bool check_format(struct kh_checking *c, const struct kh_check_pair *p)
{
	const struct kh_format_row *format = p->node->format;

	if (format == NULL || (format->types & p->types) == 0)
		return true;
	if (!kh_report_spend(c, yyjson_is_str(p->val) ? yyjson_get_len(p->val) / 8 : 1))
		return false;
	if (kh_schema_format_fits(format, p->val))
		return true;
	if (!kh_report_is_wanted(c))
		return false;
	struct kh_view found = kh_report_value(c->arena, p->val);
	return kh_report(c, p->at, "format_mismatch", "expected %s, not %.*s", format->expected, KH_FMT(found));
}

static bool check_all(struct kh_checking *c, const struct kh_check_pair *p)
{
	static bool (*const checks[])(struct kh_checking *, const struct kh_check_pair *) = {
		check_enum,        check_const,           check_number,
		check_string,      check_format,          kh_contents_members,
		kh_contents_items, kh_alternatives_check, kh_contents_unevaluated,
	};
	bool is_good = true;

	if (!check_type(c, p))
		return false;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		is_good = checks[i](c, p) && is_good;
		if (c->e != KH_OK || (!is_good && c->is_quiet))
			return false;
	}
	return is_good;
}

bool kh_schema_check_node(struct kh_checking *c, const struct kh_node *node, yyjson_val *val,
			  const struct kh_pointer *at, struct kh_marks marks)
{
	struct kh_check_pair pair = {node, val, 0, at, KH_NO_MARKS};

	if (c->depth == KH_SCHEMA_DEPTH && c->e == KH_OK)
		c->e = KH_ELIMIT;
	if (!kh_report_spend(c, 1))
		return false;
	if (node->is_bool)
		return node->is_true || kh_report(c, at, "not_allowed", "nothing is allowed here");
	pair.types = kh_node_types_of(val);
	bool has_marks = c->schema->tracks && (pair.types & (KH_NODE_OBJECT | KH_NODE_ARRAY)) != 0;
	if (has_marks)
		pair.marks = kh_marks_push(c, yyjson_get_len(val));
	c->depth++;
	bool is_good = check_all(c, &pair);
	c->depth--;
	if (has_marks && is_good)
		kh_marks_merge(c, marks, pair.marks);
	if (has_marks)
		kh_marks_pop(c, pair.marks);
	return is_good;
}

static enum kh_err begin(struct kh_checking *c)
{
	size_t most = c->schema->regex_most;

	return most > 0 ? kh_regex_room_init(&c->regex_room, c->arena, most) : KH_OK;
}

enum kh_err kh_schema_check(const struct kh_schema *schema, struct kh_arena *arena, yyjson_val *value,
			    struct kh_reasons *errors)
{
	struct kh_checking c = {
		.schema = schema, .arena = arena, .errors = errors, .before = errors->n, .steps = KH_SCHEMA_STEPS};
	bool is_good = false;

	c.e = begin(&c);
	if (c.e == KH_OK)
		is_good = kh_schema_check_node(&c, schema->root, value, NULL, KH_NO_MARKS);
	if (c.e == KH_ELIMIT) {
		errors->n = c.before;
		kh_reasons_add(errors, "too_costly", KH_LIT(""),
			       "checking this against its schema would take too many steps");
	}
	enum kh_err memory = kh_arena_check(arena);
	if (c.e != KH_OK || memory != KH_OK)
		return memory != KH_OK ? memory : c.e;
	return is_good ? KH_OK : KH_EREFUSED;
}
