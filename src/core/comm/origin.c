/* Brings addresses and paths to one spelling; what else a parameter says is compared as it is. */
#include "core/comm/origin.h"

#include "base/buf.h"
#include "base/canonical.h"
#include "core/comm/operations.h"
#include "core/comm/url.h"

#define PATH_MAX_BYTES (64U << 10)

/* The URL as kh_url_write() spells it: no fragment, which no server sees. */
static struct kh_view spell_url(struct kh_arena *arena, struct kh_view text)
{
	char buffer[KH_URL_MAX + 1];
	struct kh_view spelled;
	struct kh_url url;

	if (kh_url_read_web(text, true, &url, NULL) != KH_OK ||
	    kh_url_write(&url, buffer, sizeof(buffer), &spelled) != KH_OK)
		return text;
	return kh_arena_dup(arena, spelled);
}

/* The path without empty segments and without ".". */
static struct kh_view spell_path(struct kh_arena *arena, struct kh_view text)
{
	struct kh_view rest = text, segment, spelled = text;
	struct kh_buf buf;

	kh_buf_init(&buf, arena, PATH_MAX_BYTES);
	while (kh_view_split(&rest, '/', &segment)) {
		if (segment.n == 0 || kh_view_eq(segment, KH_LIT(".")))
			continue;
		if (buf.n > 0 || kh_view_starts(text, KH_LIT("/")))
			kh_buf_byte(&buf, '/');
		kh_buf_add(&buf, segment);
	}
	if (kh_buf_end(&buf, &spelled) != KH_OK)
		arena->failed = true;
	return spelled;
}

static struct kh_view spell(struct kh_arena *arena, const struct kh_parameter_spec *spec, struct kh_view text)
{
	if (spec->kind == KH_PARAMETER_URL)
		return spell_url(arena, text);
	return spec->kind == KH_PARAMETER_PATH ? spell_path(arena, text) : text;
}

enum kh_err kh_origin_text(struct kh_arena *arena, struct kh_view operation, yyjson_val *parameters,
			   struct kh_view *ret_text, struct kh_error *err)
{
	const struct kh_operation *row = kh_operation_named(&kh_operations_own, operation);
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *made = yyjson_mut_obj(doc);
	struct kh_view canonical;
	yyjson_val *key, *value, *whole = NULL;
	size_t i, max;

	yyjson_obj_foreach (parameters, i, max, key, value) {
		const struct kh_parameter_spec *spec = row != NULL ? kh_operation_parameter(row, kh_json_str(key))
								   : NULL;
		struct kh_view text = kh_json_str(value);
		yyjson_mut_val *copy = yyjson_val_mut_copy(doc, value);
		if (spec != NULL && text.p != NULL) {
			text = spell(arena, spec, text);
			copy = yyjson_mut_strn(doc, text.p, text.n);
		}
		yyjson_mut_obj_add(made, yyjson_val_mut_copy(doc, key), copy);
	}
	enum kh_err e = kh_json_freeze(arena, made, &whole, err);
	if (e == KH_OK)
		e = kh_canonical_json(arena, whole, &canonical, err);
	if (e != KH_OK)
		return e;
	struct kh_digest digest = kh_canonical_digest(canonical);
	*ret_text = kh_arena_printf(arena, "%.*s %.*s", KH_FMT(operation), KH_FMT(kh_canonical_hex(arena, &digest)));
	return kh_arena_check(arena);
}
