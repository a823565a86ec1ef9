/*
 * Attributions.  Metadata may come from anywhere.  It is accepted only if writing it again gives the same bytes, so
 * that no member can contradict the others.
 */
#include "core/comm/attribution.h"

#include "base/timestamp.h"
#include "base/utf8.h"
#include "core/comm/operations.h"
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

/* Checks everything but the digests. */
static enum kh_err check_parts(struct kh_arena *arena, const struct kh_attribution *attribution, struct kh_error *err)
{
	struct kh_operation_name name;
	enum kh_err e = kh_operation_find(arena, &kh_operations_own, attribution->operation, &name, err);

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
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, arena->limit);
	kh_buf_lit(&buf, "CommunicationOS (");
	kh_buf_add(&buf, kh_operation_short(attribution->operation));
	kh_buf_lit(&buf, ") in session ");
	kh_buf_add(&buf, attribution->session_id);
	if (kh_buf_end(&buf, &text) != KH_OK)
		arena->failed = true;
	return text;
}

#define MEMBERS 9

struct member {
	const char *name;
	struct kh_view text;
};

/* The members in the order in which they are shown.  Out of memory marks the arena. */
static size_t list_members(struct kh_arena *arena, const struct kh_attribution *attribution,
			   struct member ret_members[MEMBERS])
{
	size_t n = 0;

	ret_members[n++] = (struct member){"attribution", kh_attribution_text(arena, attribution)};
	ret_members[n++] = (struct member){"source", attribution->source};
	ret_members[n++] = (struct member){"timestamp", kh_timestamp_text(arena, attribution->timestamp)};
	ret_members[n++] = (struct member){"trust_level", KH_LIT(KH_ATTRIBUTION_MARKER)};
	ret_members[n++] = (struct member){"operation", attribution->operation};
	ret_members[n++] = (struct member){"session_id", attribution->session_id};
	ret_members[n++] = (struct member){"content_hash", kh_canonical_hex(arena, &attribution->content_hash)};
	if (attribution->audit_id.n > 0)
		ret_members[n++] = (struct member){"audit_id", attribution->audit_id};
	ret_members[n++] = (struct member){"digest", kh_canonical_hex(arena, &attribution->digest)};
	return n;
}

yyjson_mut_val *kh_attribution_json(struct kh_arena *arena, yyjson_mut_doc *doc,
				    const struct kh_attribution *attribution)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct member members[MEMBERS];
	size_t n = list_members(arena, attribution, members);

	for (size_t i = 0; i < n; i++)
		kh_json_add(doc, obj, members[i].name, members[i].text);
	return obj;
}

/* Writes the members in canonical order, by name. */
static void emit(struct kh_emit *emit, const struct kh_attribution *attribution, bool with_digest)
{
	struct kh_arena *arena = emit->buf->arena;

	kh_emit_object(emit);
	kh_emit_key(emit, "attribution");
	kh_emit_text(emit, kh_attribution_text(arena, attribution));
	if (attribution->audit_id.n > 0) {
		kh_emit_key(emit, "audit_id");
		kh_emit_text(emit, attribution->audit_id);
	}
	kh_emit_key(emit, "content_hash");
	kh_emit_digest(emit, &attribution->content_hash);
	if (with_digest) {
		kh_emit_key(emit, "digest");
		kh_emit_digest(emit, &attribution->digest);
	}
	kh_emit_key(emit, "operation");
	kh_emit_text(emit, attribution->operation);
	kh_emit_key(emit, "session_id");
	kh_emit_text(emit, attribution->session_id);
	kh_emit_key(emit, "source");
	kh_emit_text(emit, attribution->source);
	kh_emit_key(emit, "timestamp");
	kh_emit_text(emit, kh_timestamp_text(arena, attribution->timestamp));
	kh_emit_key(emit, "trust_level");
	kh_emit_text(emit, KH_LIT(KH_ATTRIBUTION_MARKER));
	kh_emit_end(emit);
}

void kh_attribution_emit(struct kh_emit *out, const struct kh_attribution *attribution)
{
	emit(out, attribution, true);
}

enum kh_err kh_attribution_canonical(struct kh_arena *arena, const struct kh_attribution *attribution,
				     struct kh_view *ret_json)
{
	struct kh_emit out;
	struct kh_buf buf;

	kh_buf_init(&buf, arena, arena->limit);
	kh_emit_init(&out, &buf);
	emit(&out, attribution, true);
	enum kh_err e = kh_arena_check(arena);
	return e == KH_OK ? kh_buf_end(&buf, ret_json) : e;
}

/* The digest of CONTENT and the parts, which have been checked and are all valid UTF-8. */
static enum kh_err compute_digest(struct kh_arena *arena, const struct kh_attribution *attribution,
				  struct kh_view content, struct kh_digest *ret_digest)
{
	struct kh_view text;
	struct kh_emit out;
	struct kh_buf buf;

	kh_buf_init(&buf, arena, arena->limit);
	kh_emit_init(&out, &buf);
	kh_emit_object(&out);
	kh_emit_key(&out, "content");
	kh_emit_text(&out, content);
	kh_emit_key(&out, "metadata");
	emit(&out, attribution, false);
	kh_emit_end(&out);
	enum kh_err e = kh_arena_check(arena);
	if (e == KH_OK)
		e = kh_buf_end(&buf, &text);
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
	e = compute_digest(arena, &made, content, &made.digest);
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

/* Checks that METADATA has exactly the members of ATTRIBUTION, which was read from it, with the same values. */
static enum kh_err check_same(struct kh_arena *arena, yyjson_val *metadata, const struct kh_attribution *attribution,
			      struct kh_error *err)
{
	struct member members[MEMBERS];
	size_t n = list_members(arena, attribution, members);

	if (arena->failed)
		return KH_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		yyjson_val *theirs = kh_json_get(metadata, members[i].name);
		if (!yyjson_is_str(theirs) || !kh_view_eq(kh_json_str(theirs), members[i].text))
			return malformed(err, members[i].name);
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
