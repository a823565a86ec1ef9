/* Reads and writes blocks as JSON. The input is hostile; blocks are made only through kh_blocks_add(). */
#include "core/block/blockjson.h"

#include "base/timestamp.h"

#include <sodium.h>

/* The members of a block: their types, and which are required. */
enum member { ID, TRUST, TYPE, CONTENT, SOURCE, TAINT, CREATED_AT, CONTENT_HASH, TAINTED_BY, KNOWN };

/* The last three are members that the running system writes and Keyhole does not need. */
static const struct kh_words names = KH_WORDS(
	[ID] = "id", [TRUST] = "trust", [TYPE] = "type", [CONTENT] = "content", [SOURCE] = "source", [TAINT] = "taint",
	[CONTENT_HASH] = "content_hash", [TAINTED_BY] = "tainted_by", [CREATED_AT] = "created_at", [KNOWN] = "mutable",
	"agent_context", "created_at_seq");

static enum kh_err wrong_type(struct kh_error *err, const char *member, yyjson_val *got, const char *want)
{
	return kh_error_member(
		err, kh_view_str(member),
		kh_error_set(err, KH_EINPUT, "wrong_type", "%s is %s, expected %s", member, kh_json_type(got), want));
}

static enum kh_err bad_word(struct kh_arena *arena, struct kh_error *err, const char *member, struct kh_view got,
			    const char *want)
{
	struct kh_view quoted = kh_arena_quote(arena, got);

	return kh_error_member(
		err, kh_view_str(member),
		kh_error_set(err, KH_EINPUT, "bad_value", "%s is %.*s, expected %s", member, KH_FMT(quoted), want));
}

/* Sorts OBJ's members into VALUES. */
static enum kh_err take_members(struct kh_arena *arena, yyjson_val *obj, yyjson_val *values[KNOWN],
				struct kh_error *err)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	yyjson_val *key;

	if (!yyjson_is_obj(obj))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "a block is an object, not %s", kh_json_type(obj));
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		unsigned i;
		if (!kh_words_parse(&names, kh_json_str(key), &i))
			return kh_error_set(err, KH_EINPUT, "unknown_member", "a block has no member %.*s",
					    KH_FMT(kh_arena_quote(arena, kh_json_str(key))));
		if (i < KNOWN)
			values[i] = yyjson_obj_iter_get_val(key);
	}
	for (size_t i = 0; i < KNOWN; i++) {
		const char *name = names.at[i];
		if (i <= CONTENT && values[i] == NULL)
			return kh_error_member(err, kh_view_str(name),
					       kh_error_set(err, KH_EINPUT, "missing", "the block has no %s", name));
		if (i != TAINTED_BY && values[i] != NULL && !yyjson_is_str(values[i]))
			return wrong_type(err, name, values[i], "a string");
	}
	return KH_OK;
}

static enum kh_err read_labels(struct kh_arena *arena, yyjson_val *const values[KNOWN], struct kh_block_spec *spec,
			       struct kh_error *err)
{
	if (!kh_words_parse(&kh_label_trust_words, kh_json_str(values[TRUST]), &spec->trust))
		return bad_word(arena, err, "trust", kh_json_str(values[TRUST]), "trusted, vetted or untrusted");
	if (!kh_words_parse(&kh_label_type_words, kh_json_str(values[TYPE]), &spec->type))
		return bad_word(arena, err, "type", kh_json_str(values[TYPE]), "instruction or data");
	if (values[TAINT] != NULL && !kh_words_parse(&kh_label_taint_words, kh_json_str(values[TAINT]), &spec->taint))
		return bad_word(arena, err, "taint", kh_json_str(values[TAINT]), "low, medium or high");
	struct kh_view created_at = kh_json_str(values[CREATED_AT]);
	if (values[CREATED_AT] != NULL && !kh_timestamp_parse(created_at, &spec->created_at))
		return bad_word(arena, err, "created_at", created_at, "a time like 2026-01-31T10:30:00Z");
	return KH_OK;
}

static enum kh_err read_references(struct kh_arena *arena, yyjson_val *arr, struct kh_block_spec *spec,
				   struct kh_error *err)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(arr);
	yyjson_val *item;

	if (arr == NULL)
		return KH_OK;
	if (!yyjson_is_arr(arr))
		return wrong_type(err, "tainted_by", arr, "an array of ids");
	struct kh_view *ids = KH_NEW_N(arena, struct kh_view, yyjson_arr_size(arr));
	if (ids == NULL)
		return KH_ENOMEM;
	spec->tainted_by = ids;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (!yyjson_is_str(item))
			return wrong_type(err, "tainted_by", item, "an array of ids");
		ids[spec->tainted_by_count++] = kh_json_str(item);
	}
	return KH_OK;
}

/* Compares HASH with our hash of CONTENT, and with the running system's. */
static enum kh_err check_hash(struct kh_arena *arena, struct kh_view hash, struct kh_view content, struct kh_error *err)
{
	struct kh_digest ours = kh_canonical_digest(content), theirs;

	crypto_hash_sha256(theirs.bytes, (const unsigned char *)content.p, content.n);
	struct kh_view a = kh_canonical_hex(arena, &ours), b = kh_canonical_hex(arena, &theirs);
	if (a.p == NULL || b.p == NULL)
		return KH_ENOMEM;
	if (kh_view_eq(hash, a) || kh_view_eq(hash, b))
		return KH_OK;
	return kh_error_member(
		err, KH_LIT("content_hash"),
		kh_error_set(err, KH_ECHANGED, "hash_mismatch", "content_hash is not that of the content"));
}

enum kh_err kh_blockjson_read(struct kh_blocks *set, yyjson_val *obj, struct kh_error *err)
{
	yyjson_val *values[KNOWN] = {NULL};
	struct kh_block_spec spec = {0};
	enum kh_err e = take_members(set->arena, obj, values, err);

	if (e == KH_OK)
		e = read_labels(set->arena, values, &spec, err);
	if (e == KH_OK)
		e = read_references(set->arena, values[TAINTED_BY], &spec, err);
	if (e == KH_OK && values[CONTENT_HASH] != NULL)
		e = check_hash(set->arena, kh_json_str(values[CONTENT_HASH]), kh_json_str(values[CONTENT]), err);
	if (e != KH_OK)
		return e;
	spec.id = kh_json_str(values[ID]);
	spec.source = kh_json_str(values[SOURCE]);
	spec.content = kh_json_str(values[CONTENT]);
	return kh_blocks_add(set, &spec, err);
}

enum kh_err kh_blockjson_read_all(struct kh_blocks *set, yyjson_val *arr, const char *path, struct kh_error *err)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(arr);
	yyjson_val *item;

	if (!yyjson_is_arr(arr))
		return arr == NULL ? kh_error_member(err, kh_view_str(path),
						     kh_error_set(err, KH_EINPUT, "missing", "there is no %s", path))
				   : wrong_type(err, path, arr, "an array of blocks");
	for (size_t i = 0; (item = yyjson_arr_iter_next(&iter)) != NULL; i++) {
		enum kh_err e = kh_blockjson_read(set, item, err);
		if (e == KH_OK)
			continue;
		struct kh_view inner = err ? kh_view_str(err->member) : KH_LIT("");
		struct kh_view member = kh_arena_printf(set->arena, "%s[%zu]%s%.*s", path, i, inner.n ? "." : "",
							KH_FMT(inner));
		return kh_error_member(err, member, e);
	}
	return KH_OK;
}

static yyjson_mut_val *write_block(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_block *block)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *ids = yyjson_mut_arr(doc);

	kh_json_add(doc, obj, "id", block->id);
	yyjson_mut_obj_add_str(doc, obj, "trust", kh_words_name(&kh_label_trust_words, block->trust));
	yyjson_mut_obj_add_str(doc, obj, "type", kh_words_name(&kh_label_type_words, block->type));
	if (block->source.n > 0)
		kh_json_add(doc, obj, "source", block->source);
	kh_json_add(doc, obj, "content", block->content);
	for (size_t i = 0; i < block->tainted_by_count; i++)
		yyjson_mut_arr_add_strn(doc, ids, block->tainted_by[i].p, block->tainted_by[i].n);
	yyjson_mut_obj_add_val(doc, obj, "tainted_by", ids);
	yyjson_mut_obj_add_str(doc, obj, "taint", kh_words_name(&kh_label_taint_words, block->taint));
	kh_json_add(doc, obj, "content_hash", kh_canonical_hex(arena, &block->content_hash));
	if (block->created_at > 0)
		kh_json_add(doc, obj, "created_at", kh_timestamp_text(arena, block->created_at));
	return obj;
}

yyjson_mut_val *kh_blockjson_write_all(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_blocks *set)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);

	for (size_t i = 0; i < set->n; i++)
		yyjson_mut_arr_add_val(arr, write_block(doc, arena, set->at[i]));
	return arr;
}
