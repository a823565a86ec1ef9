/*
 * A Reader's message (B4, B24): any bytes are a response to a query that they name, or refused.  A message of another
 * type is never taken for one, and nothing stands beside a body that would be passed over.
 */
#include "fuzz.h"

#include "core/bcp/message.h"

static void check_response(yyjson_val *root, struct kh_view id, yyjson_val *body)
{
	struct kh_view type = kh_json_str(kh_json_get(root, "type"));

	HOLDS(id.n > 0 && kh_view_eq(kh_json_str(kh_json_get(root, "query_id")), id));
	HOLDS(type.p == NULL || kh_view_eq(type, KH_LIT("bcp_response")));
	if (body == kh_json_get(root, "response"))
		HOLDS(yyjson_obj_size(root) == 3 && !yyjson_is_str(body));
	else
		HOLDS(yyjson_equals(body, root));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size), id = {NULL, 0};
	struct kh_error err = {.offset = SIZE_MAX};
	yyjson_val *body = NULL, *root = NULL;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	enum kh_err e = kh_message_read_response(&arena, kh_tainted_wrap(text), &id, &body, &err);
	if (e == KH_OK) {
		HOLDS(kh_json_read(&arena, text, &root, NULL) == KH_OK);
		/* Read twice: the body is one of the first tree, and is compared by what it says. */
		yyjson_val *inner = kh_json_get(root, "response");
		check_response(root, id, inner != NULL && yyjson_equals(body, inner) ? inner : body);
	} else {
		HOLDS(id.p == NULL && body == NULL && err.code != NULL);
		kh_fuzz_error(&err);
	}
	kh_arena_done(&arena);
	return 0;
}
