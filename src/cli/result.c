/* Results as JSON.  Untrusted output becomes a JSON string, which it cannot end, because the writer escapes it;
 * terminal.c escapes the rest if it goes to a terminal. */
#include "cli/result.h"

#include "base/utf8.h"

#include <sodium.h>

#define REASON 180 /* bytes of a quoted reason: a sentence has room for no more */

void kh_result_init(struct kh_result *result, struct kh_arena *arena)
{
	result->arena = arena;
	kh_buf_init(&result->out, arena, KH_RESULT_LIMIT);
	kh_buf_init(&result->errors, arena, KH_RESULT_LIMIT);
}

void kh_result_collect(struct kh_result *result, enum kh_exchange_kind kind, struct kh_tainted bytes)
{
	if (kind == KH_EVENT_OUTPUT)
		kh_buf_add(&result->out, kh_tainted_open(bytes));
	else if (kind == KH_EVENT_ERRORS)
		kh_buf_add(&result->errors, kh_tainted_open(bytes));
}

static bool add_stream(struct kh_result *r, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_buf *buf,
		       const char *key, const char *key_base64)
{
	const int variant = sodium_base64_VARIANT_ORIGINAL;
	struct kh_view v;

	if (kh_buf_end(buf, &v) != KH_OK)
		return false;
	if (kh_utf8_invalid(v) == SIZE_MAX) {
		kh_json_add(doc, obj, key, v);
		return true;
	}
	size_t size = sodium_base64_encoded_len(v.n, variant);
	char *text = kh_arena_alloc(r->arena, size);
	if (text == NULL)
		return false;
	sodium_bin2base64(text, size, (const unsigned char *)v.p, v.n, variant);
	kh_json_add(doc, obj, key_base64, kh_view_of(text, size - 1));
	return true;
}

bool kh_result_add(struct kh_result *result, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	return add_stream(result, doc, obj, &result->out, "stdout", "stdout_base64") &&
	       add_stream(result, doc, obj, &result->errors, "stderr", "stderr_base64");
}

/* Returns V, or its bytes read as ISO 8859-1 if they are not UTF-8. */
static struct kh_view as_text(struct kh_arena *arena, struct kh_view v)
{
	struct kh_buf buf;
	struct kh_view text = {NULL, 0};

	if (kh_utf8_invalid(v) == SIZE_MAX)
		return v;
	kh_buf_init(&buf, arena, KH_RESULT_LIMIT);
	for (size_t i = 0; i < v.n; i++)
		kh_buf_char(&buf, (unsigned char)v.p[i]);
	return kh_buf_end(&buf, &text) == KH_OK ? text : kh_view_of(NULL, 0);
}

void kh_result_text(struct kh_result *result, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
		    struct kh_tainted v)
{
	kh_json_add(doc, obj, key, as_text(result->arena, kh_tainted_open(v)));
}

void kh_result_lines(struct kh_result *result, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
		     struct kh_tainted v)
{
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	struct kh_view rest = kh_tainted_open(v), line;

	while (rest.n > 0 && kh_view_split(&rest, '\n', &line)) {
		line = kh_view_trim(line);
		if (line.n == 0)
			continue;
		struct kh_view text = as_text(result->arena, line);
		yyjson_mut_arr_add_strn(doc, list, text.p, text.n);
	}
	yyjson_mut_obj_add_val(doc, obj, key, list);
}

struct kh_tainted kh_result_keep(struct kh_result *result, struct kh_tainted v)
{
	return kh_tainted_wrap(kh_arena_dup(result->arena, kh_tainted_open(v)));
}

struct kh_view kh_result_quote(struct kh_result *result, struct kh_tainted v)
{
	return kh_arena_quote(result->arena, kh_tainted_open(v));
}

struct kh_view kh_result_reason(struct kh_result *result, struct kh_tainted v)
{
	struct kh_view text = kh_tainted_open(v), detail = {NULL, 0};
	struct kh_error err = {0};
	yyjson_val *root = NULL;

	if (kh_json_read(result->arena, text, &root, &err) == KH_OK)
		detail = kh_json_str(kh_json_get(root, "detail"));
	return kh_arena_quote_most(result->arena, detail.n > 0 ? detail : text, REASON);
}

bool kh_result_write(struct kh_result *result, struct kh_terminal *out, yyjson_mut_val *obj)
{
	struct kh_view text;

	return kh_json_write(result->arena, obj, &text) == KH_OK && kh_terminal_say(out, text) &&
	       kh_terminal_say(out, KH_LIT("\n"));
}
