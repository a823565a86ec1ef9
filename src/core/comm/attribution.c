/*
 * Attributions.  Metadata may come from anywhere.  It is accepted only if writing it again gives the same bytes, so
 * that no member can contradict the others.
 */
#include "core/comm/attribution.h"

#include "base/buf.h"
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

static enum kh_err check_id(struct kh_view id, const char *member, const char *code, struct kh_error *err)
{
	if (kh_session_is_id(id))
		return KH_OK;
	return kh_error_member(err, kh_view_str(member),
			       kh_error_set(err, KH_EREFUSED, code,
					    "%s is not of the form [A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}", member));
}

/* What brought the content: an operation, or somebody of a role. */
static enum kh_err check_operation(struct kh_arena *arena, const struct kh_attribution *attribution,
				   struct kh_error *err)
{
	struct kh_operation_name name;

	if (attribution->put_by.n == 0)
		return kh_error_member(
			err, KH_LIT("operation"),
			kh_operation_find(arena, &kh_operations_own, attribution->operation, &name, err));
	if (!kh_view_eq(attribution->operation, KH_LIT(KH_ATTRIBUTION_PUT)))
		return kh_error_member(err, KH_LIT("operation"),
				       kh_error_set(err, KH_EREFUSED, "attribution_malformed",
						    "content that was put in has no operation"));
	return check_id(attribution->put_by, "put_by", "bad_name", err);
}

/* Checks everything but the digests. */
static enum kh_err check_parts(struct kh_arena *arena, const struct kh_attribution *attribution, struct kh_error *err)
{
	enum kh_err e = check_operation(arena, attribution, err);

	if (e == KH_OK)
		e = check_id(attribution->session_id, "session_id", "session_malformed", err);
	if (e == KH_OK)
		e = kh_error_member(err, KH_LIT("source"), check_source(attribution->source, err));
	if (e == KH_OK && attribution->audit_id.n > 0)
		e = check_id(attribution->audit_id, "audit_id", "bad_name", err);
	if (e == KH_OK && (attribution->timestamp < 0 || attribution->timestamp >= KH_TIMESTAMP_END))
		e = kh_error_set(err, KH_EINPUT, "out_of_range", "the time is not between 1970 and 9999");
	return e;
}

/* Not with kh_arena_printf(), which takes ten times as long: every query writes some of these. */
struct kh_view kh_attribution_text(struct kh_arena *arena, const struct kh_attribution *attribution)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, arena->limit);
	kh_buf_lit(&buf, "CommunicationOS (");
	if (attribution->put_by.n > 0) {
		kh_buf_lit(&buf, "put by ");
		kh_buf_add(&buf, attribution->put_by);
	} else {
		kh_buf_add(&buf, kh_operation_short(attribution->operation));
	}
	kh_buf_lit(&buf, ") in session ");
	kh_buf_add(&buf, attribution->session_id);
	if (kh_buf_end(&buf, &text) != KH_OK)
		arena->failed = true;
	return text;
}

/* The members in the order in which they are shown. */
enum { TEXT, SOURCE, TIMESTAMP, TRUST_LEVEL, OPERATION, PUT_BY, SESSION_ID, CONTENT_HASH, AUDIT_ID, DIGEST, MEMBERS };
static const char *const names[MEMBERS] = {"attribution", "source",     "timestamp",    "trust_level", "operation",
					   "put_by",      "session_id", "content_hash", "audit_id",    "digest"};

static bool is_optional(size_t member)
{
	return member == AUDIT_ID || member == PUT_BY;
}

/* The members' texts, in this order; an optional one is empty if there is none.  Out of memory marks the arena. */
static void list_members(struct kh_arena *arena, const struct kh_attribution *attribution,
			 struct kh_view ret_texts[MEMBERS])
{
	ret_texts[TEXT] = kh_attribution_text(arena, attribution);
	ret_texts[SOURCE] = attribution->source;
	ret_texts[TIMESTAMP] = kh_timestamp_text(arena, attribution->timestamp);
	ret_texts[TRUST_LEVEL] = KH_LIT(KH_ATTRIBUTION_MARKER);
	ret_texts[OPERATION] = attribution->operation;
	ret_texts[PUT_BY] = attribution->put_by;
	ret_texts[SESSION_ID] = attribution->session_id;
	ret_texts[CONTENT_HASH] = kh_canonical_hex(arena, &attribution->content_hash);
	ret_texts[AUDIT_ID] = attribution->audit_id;
	ret_texts[DIGEST] = kh_canonical_hex(arena, &attribution->digest);
}

yyjson_mut_val *kh_attribution_json(struct kh_arena *arena, yyjson_mut_doc *doc,
				    const struct kh_attribution *attribution)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view texts[MEMBERS];

	list_members(arena, attribution, texts);
	for (size_t i = 0; i < MEMBERS; i++) {
		if (!is_optional(i) || texts[i].n > 0)
			kh_json_add(doc, obj, names[i], texts[i]);
	}
	return obj;
}

static void emit(struct kh_emit *emit, const struct kh_attribution *attribution, bool with_digest)
{
	static const unsigned char by_name[] = {TEXT,   AUDIT_ID,   CONTENT_HASH, DIGEST,    OPERATION,
						PUT_BY, SESSION_ID, SOURCE,       TIMESTAMP, TRUST_LEVEL};
	struct kh_view texts[MEMBERS];

	list_members(emit->buf->arena, attribution, texts);
	kh_emit_object(emit);
	for (size_t i = 0; i < MEMBERS; i++) {
		size_t at = by_name[i];
		if ((!is_optional(at) || texts[at].n > 0) && (at != DIGEST || with_digest))
			kh_emit_add(emit, names[at], texts[at]);
	}
	kh_emit_end(emit);
}

void kh_attribution_emit(struct kh_emit *out, const struct kh_attribution *attribution)
{
	emit(out, attribution, true);
}

static enum kh_err write(struct kh_arena *arena, const struct kh_attribution *attribution, bool with_digest,
			 struct kh_view *ret_json)
{
	struct kh_emit out;

	kh_emit_begin(&out, arena, arena->limit);
	emit(&out, attribution, with_digest);
	return kh_emit_finish(&out, ret_json);
}

enum kh_err kh_attribution_canonical(struct kh_arena *arena, const struct kh_attribution *attribution,
				     struct kh_view *ret_json)
{
	return write(arena, attribution, true, ret_json);
}

/* The canonical JSON of {"content":...,"metadata":...} up to the end of the content. */
static enum kh_err begin(struct kh_arena *arena, struct kh_view content, struct kh_canonical_state *ret_state)
{
	struct kh_view text;
	struct kh_buf buf;

	kh_buf_init(&buf, arena, arena->limit);
	kh_buf_lit(&buf, "{\"content\":");
	kh_emit_string(&buf, content);
	enum kh_err e = kh_buf_end(&buf, &text);
	if (e != KH_OK)
		return e;
	kh_canonical_begin(ret_state);
	kh_canonical_more(ret_state, text);
	return KH_OK;
}

static struct kh_digest bind(const struct kh_canonical_state *begun, struct kh_view metadata)
{
	struct kh_canonical_state state = *begun;

	kh_canonical_more(&state, KH_LIT(",\"metadata\":"));
	kh_canonical_more(&state, metadata);
	kh_canonical_more(&state, KH_LIT("}"));
	return kh_canonical_end(&state);
}

enum kh_err kh_attribution_bind(struct kh_arena *arena, struct kh_view content, struct kh_view metadata,
				struct kh_digest *ret_digest)
{
	struct kh_canonical_state begun;
	enum kh_err e = begin(arena, content, &begun);

	if (e == KH_OK)
		*ret_digest = bind(&begun, metadata);
	return e;
}

enum kh_err kh_attribution_content(struct kh_arena *arena, struct kh_view content, struct kh_attribution_content *ret,
				   struct kh_error *err)
{
	size_t at = kh_utf8_invalid(content);

	if (at != SIZE_MAX)
		return kh_error_at(err, KH_EINPUT, "bad_utf8", at, "the content is not valid UTF-8");
	ret->hash = kh_canonical_digest(content);
	return begin(arena, content, &ret->begun);
}

/* Fills in the digests of an attribution whose other parts are checked. */
static enum kh_err fill_digests(struct kh_arena *arena, struct kh_attribution *attribution,
				const struct kh_attribution_content *content)
{
	struct kh_attribution made = *attribution;
	struct kh_view metadata;

	made.content_hash = content->hash;
	enum kh_err e = write(arena, &made, false, &metadata);
	if (e != KH_OK)
		return e;
	made.digest = bind(&content->begun, metadata);
	*attribution = made;
	return KH_OK;
}

enum kh_err kh_attribution_of(struct kh_arena *arena, struct kh_attribution *attribution,
			      const struct kh_attribution_content *content, struct kh_error *err)
{
	enum kh_err e = check_parts(arena, attribution, err);

	return e == KH_OK ? fill_digests(arena, attribution, content) : e;
}

enum kh_err kh_attribution_make(struct kh_arena *arena, struct kh_attribution *attribution, struct kh_view content,
				struct kh_error *err)
{
	struct kh_attribution_content read;
	enum kh_err e = check_parts(arena, attribution, err);

	if (e == KH_OK)
		e = kh_attribution_content(arena, content, &read, err);
	return e == KH_OK ? fill_digests(arena, attribution, &read) : e;
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
	return kh_error_member(
		err, kh_view_str(member),
		kh_error_set(err, KH_EREFUSED, "attribution_malformed", "%s is not what it must be", member));
}

/* Checks that METADATA has exactly the members of ATTRIBUTION, which was read from it, with the same values. */
static enum kh_err check_same(struct kh_arena *arena, yyjson_val *metadata, const struct kh_attribution *attribution,
			      struct kh_error *err)
{
	struct kh_view texts[MEMBERS];
	size_t count = 0;

	list_members(arena, attribution, texts);
	if (arena->failed)
		return KH_ENOMEM;
	for (size_t i = 0; i < MEMBERS; i++) {
		yyjson_val *theirs = kh_json_get(metadata, names[i]);
		if (is_optional(i) && texts[i].n == 0)
			continue;
		count++;
		if (!yyjson_is_str(theirs) || !kh_view_eq(kh_json_str(theirs), texts[i]))
			return malformed(err, names[i]);
	}
	if (yyjson_obj_size(metadata) != count)
		return kh_error_set(err, KH_EREFUSED, "attribution_malformed", "it has members that are not known");
	return KH_OK;
}

enum kh_err kh_attribution_read(struct kh_arena *arena, yyjson_val *metadata, struct kh_attribution *ret_attribution,
				struct kh_error *err)
{
	struct kh_attribution read = {.operation = kh_json_str(kh_json_get(metadata, "operation")),
				      .put_by = kh_json_str(kh_json_get(metadata, "put_by")),
				      .session_id = kh_json_str(kh_json_get(metadata, "session_id")),
				      .source = kh_json_str(kh_json_get(metadata, "source")),
				      .audit_id = kh_json_str(kh_json_get(metadata, "audit_id"))};

	if (!yyjson_is_obj(metadata))
		return kh_error_set(err, KH_EREFUSED, "attribution_missing", "there is no attribution");
	for (size_t i = 0; i < MEMBERS; i++) {
		if (!is_optional(i) && kh_json_get(metadata, names[i]) == NULL)
			return kh_error_member(
				err, kh_view_str(names[i]),
				kh_error_set(err, KH_EREFUSED, "attribution_missing", "%s is missing", names[i]));
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
	struct kh_attribution_content found;
	struct kh_attribution read, made;
	enum kh_err e = kh_attribution_read(arena, metadata, &read, err);

	if (e == KH_OK)
		e = kh_attribution_content(arena, content, &found, err);
	if (e != KH_OK)
		return e;
	made = read;
	e = fill_digests(arena, &made, &found);
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
