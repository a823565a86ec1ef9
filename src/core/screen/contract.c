/* C4: findings and rules as JSON. Decoded text is untrusted; as a JSON string it can do no harm. */
#include "core/screen/contract.h"

#include "base/buf.h"
#include "base/member.h"
#include "base/utf8.h"
#include "core/screen/screen.h"

/* A decoder may give any bytes; those that are not UTF-8 become U+FFFD in the JSON string. */
static struct kh_view as_utf8(struct kh_arena *arena, struct kh_view v)
{
	struct kh_buf out;
	struct kh_view text = KH_LIT("");

	if (kh_utf8_invalid(v) == SIZE_MAX)
		return v;
	kh_buf_init(&out, arena, v.n * 3);
	for (size_t at = 0, n; at < v.n; at += n ? n : 1) {
		uint32_t c = 0xfffd;
		n = kh_utf8_decode(v, at, &c);
		kh_buf_char(&out, c);
	}
	return kh_buf_end(&out, &text) == KH_OK ? text : KH_LIT("");
}

static void write_finding(struct kh_arena *arena, yyjson_mut_doc *doc, yyjson_mut_val *arr, const struct kh_finding *f)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, arr);

	yyjson_mut_obj_add_str(doc, obj, "code", f->code);
	yyjson_mut_obj_add_str(doc, obj, "rule", f->rule);
	yyjson_mut_obj_add_str(doc, obj, "severity", kh_words_name(&kh_severity_words, f->severity));
	yyjson_mut_obj_add_uint(doc, obj, "start", f->start);
	yyjson_mut_obj_add_uint(doc, obj, "end", f->end);
	yyjson_mut_val *layers = yyjson_mut_obj_add_arr(doc, obj, "layers");
	for (size_t i = 0; i < f->layer_count; i++)
		yyjson_mut_arr_add_str(doc, layers, kh_words_name(&kh_layer_words, f->layers[i]));
	if (f->layer_count > 0)
		kh_json_add(doc, obj, "decoded", as_utf8(arena, f->decoded));
}

enum kh_err kh_screen_contract_screen(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				      struct kh_error *err)
{
	struct kh_member text = {.name = "text"};
	struct kh_findings findings;
	struct kh_reasons errors;

	kh_reasons_init(&errors, call->arena);
	kh_member_take(in, &text, 1, KH_LIT(""), &errors);
	struct kh_view v = kh_member_string(&text, true, KH_LIT(""), &errors);
	enum kh_err e = kh_arena_check(call->arena);
	if (e == KH_OK && errors.n > 0)
		return kh_error_reason(err, KH_EINPUT, &errors);
	if (e == KH_OK)
		e = kh_screen_text(call->screen, call->arena, v, KH_SCREEN_DOCUMENT, &findings);
	if (e != KH_OK)
		return e;
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_str(call->doc, out, "severity", kh_words_name(&kh_severity_words, findings.severity));
	yyjson_mut_val *arr = yyjson_mut_obj_add_arr(call->doc, out, "findings");
	for (size_t i = 0; i < findings.n; i++)
		write_finding(call->arena, call->doc, arr, &findings.at[i]);
	*ret_out = out;
	return KH_OK;
}

enum kh_err kh_screen_contract_rules(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				     struct kh_error *err)
{
	size_t count;
	const struct kh_rule *rules = kh_rules_builtin(&count);
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *out = yyjson_mut_obj(doc), *arr = yyjson_mut_obj_add_arr(doc, out, "rules");

	(void)in;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, arr);
		yyjson_mut_obj_add_str(doc, obj, "name", rules[i].name);
		yyjson_mut_obj_add_str(doc, obj, "code", rules[i].code);
		yyjson_mut_obj_add_str(doc, obj, "severity", kh_words_name(&kh_severity_words, rules[i].severity));
		yyjson_mut_obj_add_str(doc, obj, "pattern", rules[i].pattern);
		yyjson_mut_obj_add_str(doc, obj, "positive", rules[i].positive);
		yyjson_mut_obj_add_str(doc, obj, "negative", rules[i].negative);
	}
	*ret_out = out;
	return KH_OK;
}
