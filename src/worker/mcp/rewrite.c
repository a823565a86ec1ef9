/*
 * Messages written anew.  The line is hostile; what is written of it went through the strict reader, and is made of its
 * values, not of its bytes.
 */
#include "worker/mcp/rewrite.h"

#include "rpc/rpc.h"

static void copy(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key, yyjson_val *val)
{
	if (val != NULL)
		(void)yyjson_mut_obj_add_val(doc, root, key, yyjson_val_mut_copy(doc, val));
}

static enum kh_err rewrite_one(struct kh_arena *arena, yyjson_val *message, struct kh_buf *out, struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text;
	struct kh_rpc rpc;

	enum kh_err e = kh_rpc_read(message, &rpc, err);
	if (e != KH_OK)
		return e;
	(void)yyjson_mut_obj_add_str(doc, root, "jsonrpc", "2.0");
	copy(doc, root, "id", rpc.id);
	if (rpc.method.p != NULL)
		kh_json_add(doc, root, "method", rpc.method);
	copy(doc, root, "params", rpc.params);
	copy(doc, root, "result", rpc.result);
	copy(doc, root, "error", rpc.error);
	e = kh_json_write(arena, root, &text);
	if (e != KH_OK)
		return e;
	kh_buf_add(out, text);
	kh_buf_byte(out, '\n');
	return KH_OK;
}

static enum kh_err rewrite_batch(struct kh_arena *arena, yyjson_val *batch, struct kh_buf *out, struct kh_error *err)
{
	enum kh_err e = KH_OK;
	yyjson_arr_iter all;
	yyjson_val *message;

	if (yyjson_arr_size(batch) == 0)
		return kh_error_set(err, KH_EINPUT, "bad_message", "a batch has a message");
	if (yyjson_arr_size(batch) > KH_REWRITE_BATCH)
		return kh_error_set(err, KH_ELIMIT, "too_many", "a batch of more than %d messages", KH_REWRITE_BATCH);
	yyjson_arr_iter_init(batch, &all);
	while (e == KH_OK && (message = yyjson_arr_iter_next(&all)) != NULL)
		e = rewrite_one(arena, message, out, err);
	return e;
}

static bool is_blank(struct kh_view line)
{
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	}
	return true;
}

/* All values that ROOT has in it; the reader puts them one after the other. */
static size_t count_values(yyjson_val *root)
{
	return yyjson_is_ctn(root) ? (size_t)(unsafe_yyjson_get_next(root) - root) : 1;
}

enum kh_err kh_rewrite_line(struct kh_arena *arena, struct kh_view line, struct kh_buf *out, size_t *ret_count,
			    struct kh_error *err)
{
	yyjson_val *root;

	*ret_count = 0;
	if (is_blank(line))
		return KH_OK;
	enum kh_err e = kh_json_read(arena, line, &root, err);
	if (e != KH_OK)
		return e;
	if (count_values(root) > KH_REWRITE_VALUES)
		return kh_error_set(err, KH_ELIMIT, "too_many", "a message with more than %u values",
				    KH_REWRITE_VALUES);
	*ret_count = yyjson_is_arr(root) ? yyjson_arr_size(root) : 1;
	return yyjson_is_arr(root) ? rewrite_batch(arena, root, out, err) : rewrite_one(arena, root, out, err);
}
