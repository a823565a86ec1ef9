/*
 * Attributions.  Metadata that is read comes from anywhere; it is believed only where writing it again gives the same
 * bytes, so there is no member that could say something else than the rest.
 */
#include "core/comm/attribution.h"

#include "base/timestamp.h"
#include "base/utf8.h"
#include "core/comm/operation.h"
#include "core/comm/session.h"

static enum kh_err check_source(struct kh_view source, struct kh_error *err)
{
	if (source.n == 0)
		return kh_error_set(err, KH_EINPUT, "empty", "the source is empty");
	if (source.n > KH_ATTRIBUTION_SOURCE_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_long", "the source has more than %d bytes",
				    KH_ATTRIBUTION_SOURCE_MAX);
	if (!kh_utf8_is_visible(source))
		return kh_error_set(err, KH_EREFUSED, "bad_source",
				    "the source has control, invisible or broken characters");
	return KH_OK;
}

/* Everything but the digests. */
static enum kh_err check_parts(struct kh_arena *arena, const struct kh_attribution *attribution, struct kh_error *err)
{
	struct kh_operation_name name;
	enum kh_err e = kh_operation_find(arena, attribution->operation, &name, err);

	if (e != KH_OK) {
		kh_error_member(err, KH_LIT("operation"));
		return e;
	}
	if (!kh_session_is_id(attribution->session_id)) {
		e = kh_error_set(err, KH_EREFUSED, "session_malformed",
				 "session_id is not of the form [A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}");
		kh_error_member(err, KH_LIT("session_id"));
		return e;
	}
	e = check_source(attribution->source, err);
	if (e != KH_OK) {
		kh_error_member(err, KH_LIT("source"));
		return e;
	}
	if (attribution->audit_id.n > 0 && !kh_session_is_id(attribution->audit_id)) {
		e = kh_error_set(err, KH_EREFUSED, "bad_name",
				 "audit_id is not of the form [A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}");
		kh_error_member(err, KH_LIT("audit_id"));
		return e;
	}
	if (attribution->timestamp < 0 || attribution->timestamp >= KH_TIMESTAMP_END)
		return kh_error_set(err, KH_EINPUT, "out_of_range", "the time is not between 1970 and 9999");
	return KH_OK;
}

struct kh_view kh_attribution_text(struct kh_arena *arena, const struct kh_attribution *attribution)
{
	struct kh_view operation = kh_operation_short(attribution->operation);

	return kh_arena_printf(arena, "CommunicationOS (%.*s) in session %.*s", KH_FMT(operation),
			       KH_FMT(attribution->session_id));
}

/* The metadata without its digest. */
static yyjson_mut_val *write_parts(struct kh_arena *arena, yyjson_mut_doc *doc,
				   const struct kh_attribution *attribution)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "attribution", kh_attribution_text(arena, attribution));
	kh_json_add(doc, obj, "source", attribution->source);
	kh_json_add(doc, obj, "timestamp", kh_timestamp_text(arena, attribution->timestamp));
	kh_json_add(doc, obj, "trust_level", KH_LIT(KH_ATTRIBUTION_MARKER));
	kh_json_add(doc, obj, "operation", attribution->operation);
	kh_json_add(doc, obj, "session_id", attribution->session_id);
	kh_json_add(doc, obj, "content_hash", kh_canonical_hex(arena, &attribution->content_hash));
	if (attribution->audit_id.n > 0)
		kh_json_add(doc, obj, "audit_id", attribution->audit_id);
	return obj;
}

yyjson_mut_val *kh_attribution_json(struct kh_arena *arena, yyjson_mut_doc *doc,
				    const struct kh_attribution *attribution)
{
	yyjson_mut_val *obj = write_parts(arena, doc, attribution);

	kh_json_add(doc, obj, "digest", kh_canonical_hex(arena, &attribution->digest));
	return obj;
}

static enum kh_err compute_digest(struct kh_arena *arena, const struct kh_attribution *attribution,
				  struct kh_view content, struct kh_digest *ret_digest, struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text;

	kh_json_add(doc, root, "content", content);
	yyjson_mut_obj_add_val(doc, root, "metadata", write_parts(arena, doc, attribution));
	enum kh_err e = kh_arena_check(arena);
	if (e == KH_OK)
		e = kh_canonical_mut(arena, root, &text, err);
	if (e == KH_OK)
		*ret_digest = kh_canonical_digest(text);
	return e;
}

enum kh_err kh_attribution_make(struct kh_arena *arena, struct kh_attribution *attribution, struct kh_view content,
				struct kh_error *err)
{
	struct kh_attribution made = *attribution;
	enum kh_err e = check_parts(arena, &made, err);

	if (e != KH_OK)
		return e;
	if (kh_utf8_invalid(content) != SIZE_MAX)
		return kh_error_at(err, KH_EINPUT, "bad_utf8", kh_utf8_invalid(content),
				   "the content is not valid UTF-8");
	made.content_hash = kh_canonical_digest(content);
	e = compute_digest(arena, &made, content, &made.digest, err);
	if (e == KH_OK)
		*attribution = made;
	return e;
}

bool kh_attribution_parse_digest(struct kh_view hex, struct kh_digest *ret_digest)
{
	struct kh_digest digest;

	if (hex.n != sizeof(digest.bytes) * 2)
		return false;
	for (size_t i = 0; i < hex.n; i++) {
		char c = hex.p[i];
		int value = kh_ascii_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
		if (value < 0)
			return false;
		digest.bytes[i / 2] = (unsigned char)(i % 2 ? digest.bytes[i / 2] | value : value << 4);
	}
	*ret_digest = digest;
	return true;
}

static enum kh_err malformed(struct kh_error *err, const char *member)
{
	enum kh_err e = kh_error_set(err, KH_EREFUSED, "attribution_malformed", "%s is not what it must be", member);

	kh_error_member(err, kh_view_str(member));
	return e;
}

/* Whether what METADATA says is what ATTRIBUTION, read out of it, says: every member, and no other. */
static enum kh_err check_same(struct kh_arena *arena, yyjson_val *metadata, const struct kh_attribution *attribution,
			      struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *made = kh_attribution_json(arena, doc, attribution), *key, *ours;
	size_t i, n;

	if (arena->failed)
		return KH_ENOMEM;
	yyjson_mut_obj_foreach(made, i, n, key, ours)
	{
		const char *name = yyjson_mut_get_str(key);
		struct kh_view want = kh_view_of(yyjson_mut_get_str(ours), yyjson_mut_get_len(ours));
		yyjson_val *theirs = kh_json_get(metadata, name);
		if (!yyjson_is_str(theirs) || !kh_view_eq(kh_json_str(theirs), want))
			return malformed(err, name);
	}
	if (yyjson_obj_size(metadata) != n)
		return kh_error_set(err, KH_EREFUSED, "attribution_malformed", "it has members that are not known");
	return KH_OK;
}

enum kh_err kh_attribution_read(struct kh_arena *arena, yyjson_val *metadata, struct kh_attribution *ret_attribution,
				struct kh_error *err)
{
	static const char *const needed[] = {"attribution", "source",     "timestamp",    "trust_level",
					     "operation",   "session_id", "content_hash", "digest"};
	struct kh_attribution read = {.operation = kh_json_str(kh_json_get(metadata, "operation")),
				      .session_id = kh_json_str(kh_json_get(metadata, "session_id")),
				      .source = kh_json_str(kh_json_get(metadata, "source")),
				      .audit_id = kh_json_str(kh_json_get(metadata, "audit_id"))};

	if (!yyjson_is_obj(metadata))
		return kh_error_set(err, KH_EREFUSED, "attribution_missing", "there is no attribution");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (kh_json_get(metadata, needed[i]) == NULL) {
			enum kh_err e = kh_error_set(err, KH_EREFUSED, "attribution_missing", "%s is missing",
						     needed[i]);
			kh_error_member(err, kh_view_str(needed[i]));
			return e;
		}
	}
	if (!kh_timestamp_parse(kh_json_str(kh_json_get(metadata, "timestamp")), &read.timestamp))
		return malformed(err, "timestamp");
	if (!kh_attribution_parse_digest(kh_json_str(kh_json_get(metadata, "content_hash")), &read.content_hash))
		return malformed(err, "content_hash");
	if (!kh_attribution_parse_digest(kh_json_str(kh_json_get(metadata, "digest")), &read.digest))
		return malformed(err, "digest");
	enum kh_err e = check_parts(arena, &read, err);
	if (e == KH_OK)
		e = check_same(arena, metadata, &read, err);
	if (e == KH_OK)
		*ret_attribution = read;
	return e;
}

enum kh_err kh_attribution_prove(struct kh_arena *arena, yyjson_val *metadata, struct kh_view content,
				 struct kh_attribution *ret_attribution, struct kh_error *err)
{
	struct kh_attribution read, made;
	enum kh_err e = kh_attribution_read(arena, metadata, &read, err);

	if (e != KH_OK)
		return e;
	made = read;
	e = kh_attribution_make(arena, &made, content, err);
	if (e != KH_OK)
		return e;
	if (memcmp(made.content_hash.bytes, read.content_hash.bytes, sizeof(made.content_hash.bytes)) != 0)
		return kh_error_set(err, KH_ECHANGED, "changed", "the content is not the one that was attributed");
	if (memcmp(made.digest.bytes, read.digest.bytes, sizeof(made.digest.bytes)) != 0)
		return kh_error_set(err, KH_ECHANGED, "changed", "the attribution is not the one that was made");
	*ret_attribution = read;
	return KH_OK;
}

enum kh_err kh_attribution_check(struct kh_arena *arena, yyjson_val *metadata, struct kh_view content,
				 struct kh_view session_id, struct kh_attribution *ret_attribution,
				 struct kh_error *err)
{
	struct kh_attribution read;
	enum kh_err e = kh_attribution_prove(arena, metadata, content, &read, err);

	if (e != KH_OK)
		return e;
	if (session_id.n == 0 || !kh_view_eq(read.session_id, session_id))
		return kh_error_set(err, KH_EREFUSED, "session_mismatch", "the attribution is another session's");
	*ret_attribution = read;
	return KH_OK;
}
