/* Words for messages.  The value comes from anybody, so nothing of it gets into a message but short and quoted. */
#include "core/schema/report.h"

#include "base/buf.h"

#define LISTED 384 /* bytes of a list of values */

bool kh_report_spend(struct kh_checking *c, uint64_t n)
{
	if (c->e == KH_OK && n >= c->steps)
		c->e = KH_ELIMIT;
	if (c->e != KH_OK)
		return false;
	c->steps -= n;
	return true;
}

struct kh_view kh_report_value(struct kh_arena *arena, yyjson_val *val)
{
	char number[KH_DECIMAL_TEXT];

	if (yyjson_is_str(val))
		return kh_arena_quote(arena, kh_json_str(val));
	if (yyjson_is_arr(val))
		return kh_arena_printf(arena, "an array of %zu", yyjson_arr_size(val));
	if (yyjson_is_obj(val))
		return KH_LIT("an object");
	if (yyjson_is_num(val)) {
		kh_decimal_text(kh_decimal_of(val), number);
		return kh_arena_printf(arena, "%s", number);
	}
	return yyjson_is_null(val) ? KH_LIT("null") : yyjson_is_true(val) ? KH_LIT("true") : KH_LIT("false");
}

struct kh_view kh_report_values(struct kh_arena *arena, yyjson_val *list)
{
	struct kh_view text = {"", 0}, shown;
	struct kh_buf buf;
	yyjson_val *item;
	size_t i, n;

	kh_buf_init(&buf, arena, 2 * LISTED);
	yyjson_arr_foreach (list, i, n, item) {
		shown = kh_report_value(arena, item);
		if (buf.n + shown.n > LISTED) {
			kh_buf_printf(&buf, " and %zu more", n - i);
			break;
		}
		if (i > 0)
			kh_buf_lit(&buf, ", ");
		kh_buf_add(&buf, shown);
	}
	(void)!kh_buf_end(&buf, &text);
	return text;
}
