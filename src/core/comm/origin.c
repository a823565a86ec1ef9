/* Brings addresses, paths and texts to one spelling; what else a parameter says is compared as it is. */
#include "core/comm/origin.h"

#include "base/buf.h"
#include "core/comm/operations.h"
#include "core/comm/url.h"
#include "core/screen/fold.h"

#define PATH_MAX_BYTES (64U << 10)
#define PIECE          (16U << 10)

/* --- addresses and paths ------------------------------------------------------------------------------------------ */

static int hex(char c)
{
	char low = kh_ascii_lower(c);

	return kh_ascii_is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* The byte that is escaped at P, of N bytes; -1: nothing is. */
static int escaped(const char *p, size_t n)
{
	int high = n >= 3 && p[0] == '%' ? hex(p[1]) : -1, low = n >= 3 ? hex(p[2]) : -1;

	return high >= 0 && low >= 0 ? high << 4 | low : -1;
}

/* Undoes the escapes of characters that would mean nothing else without them; the others in capitals. */
static void unescape(struct kh_buf *buf, struct kh_view text)
{
	static const char delimiters[] = "/?#%&=+;";
	size_t i = 0;

	while (i < text.n) {
		int c = escaped(text.p + i, text.n - i);
		if (c < 0)
			kh_buf_byte(buf, text.p[i]);
		else if (c > ' ' && c < 0x7f && strchr(delimiters, c) == NULL)
			kh_buf_byte(buf, (char)c);
		else
			kh_buf_printf(buf, "%%%02X", (unsigned)c);
		i += c < 0 ? 1 : 3;
	}
}

/* Takes the last segment off what was written from START on. */
static void drop_segment(struct kh_buf *buf, size_t start)
{
	while (buf->n > start && buf->p[buf->n - 1] != '/')
		buf->n--;
	if (buf->n > start)
		buf->n--;
}

/* Writes PATH, which begins with "/", without "." and ".." (RFC 3986, 5.2.4). */
static void undot(struct kh_buf *buf, struct kh_view path)
{
	struct kh_view rest = kh_view_from(path, 1), segment = KH_LIT("");
	size_t start = buf->n;
	bool dots = false;

	while (kh_view_split(&rest, '/', &segment)) {
		bool up = kh_view_eq(segment, KH_LIT(".."));
		dots = up || kh_view_eq(segment, KH_LIT("."));
		if (up)
			drop_segment(buf, start);
		if (dots)
			continue;
		kh_buf_byte(buf, '/');
		kh_buf_add(buf, segment);
	}
	if (dots || buf->n == start)
		kh_buf_byte(buf, '/');
}

/* URL is as kh_url_write() spells it: "https://host/path?query". */
static struct kh_view normalise_url(struct kh_arena *arena, struct kh_view url)
{
	size_t slash = kh_view_find(url, KH_LIT("/"), sizeof("https://") - 1), mark = kh_view_find(url, KH_LIT("?"), 0);
	struct kh_view path = {NULL, 0}, spelled = {NULL, 0}, query = kh_view_from(url, mark);
	struct kh_buf plain, buf;

	kh_buf_init(&plain, arena, KH_URL_MAX);
	kh_buf_init(&buf, arena, KH_URL_MAX + 1);
	unescape(&plain, kh_view_sub(url, slash, mark));
	if (kh_buf_end(&plain, &path) != KH_OK)
		arena->failed = true;
	kh_buf_add(&buf, kh_view_sub(url, 0, slash));
	undot(&buf, path);
	if (query.n > 1)
		unescape(&buf, query);
	if (kh_buf_end(&buf, &spelled) != KH_OK)
		arena->failed = true;
	return spelled;
}

/* The URL as kh_url_write() spells it, normalised: no fragment, which no server sees. */
static struct kh_view spell_url(struct kh_arena *arena, struct kh_view text)
{
	char buffer[KH_URL_MAX + 1];
	struct kh_view spelled;
	struct kh_url url;

	if (kh_url_read_web(text, true, &url, NULL) != KH_OK ||
	    kh_url_write(&url, buffer, sizeof(buffer), &spelled) != KH_OK)
		return text;
	return normalise_url(arena, spelled);
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

/* Where the part of URI begins whose letters mean something else in the other case: after the scheme and the host. */
static size_t find_path(struct kh_view uri)
{
	size_t colon = kh_view_find(uri, KH_LIT(":"), 0), host = colon + sizeof("://") - 1;

	if (colon == SIZE_MAX || !kh_view_starts(kh_view_from(uri, colon), KH_LIT("://")))
		return colon != SIZE_MAX ? colon : 0;
	size_t slash = kh_view_find(uri, KH_LIT("/"), host);
	return slash != SIZE_MAX ? slash : uri.n;
}

/* The URI of a resource, whose scheme may be any: its server is not known to follow RFC 3986, but may. */
static struct kh_view spell_uri(struct kh_arena *arena, struct kh_view text)
{
	struct kh_view spelled = text;
	size_t path = find_path(text);
	struct kh_buf buf;

	kh_buf_init(&buf, arena, PATH_MAX_BYTES);
	for (size_t i = 0; i < path; i++)
		kh_buf_byte(&buf, kh_ascii_lower(text.p[i]));
	unescape(&buf, kh_view_from(text, path));
	if (kh_buf_end(&buf, &spelled) != KH_OK)
		arena->failed = true;
	return spell_path(arena, spelled);
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

/* The words of TEXT, folded (fold.h) and in lower case, a blank between them. */
static struct kh_view spell_words(struct kh_arena *arena, struct kh_view text)
{
	struct kh_folded folded = {.text = text};
	struct kh_view spelled = text;
	struct kh_buf buf;

	if (kh_fold_text(arena, text, false, &folded) != KH_OK)
		arena->failed = true;
	kh_buf_init(&buf, arena, folded.text.n + 1);
	for (size_t i = 0; i < folded.text.n; i++) {
		char c = folded.text.p[i];
		bool blank = kh_ascii_is_blank(c);
		if (!blank && i > 0 && kh_ascii_is_blank(folded.text.p[i - 1]) && buf.n > 0)
			kh_buf_byte(&buf, ' ');
		if (!blank)
			kh_buf_byte(&buf, kh_ascii_lower(c));
	}
	if (kh_buf_end(&buf, &spelled) != KH_OK)
		arena->failed = true;
	/* A byte above 127 stands for a letter here, and is no UTF-8. */
	struct kh_digest digest = kh_canonical_digest(spelled);
	return kh_canonical_hex(arena, &digest);
}

static struct kh_view spell(struct kh_arena *arena, const struct kh_parameter_spec *spec, struct kh_view text)
{
	if (spec->kind == KH_PARAMETER_URL)
		return spell_url(arena, text);
	if (spec->kind == KH_PARAMETER_URI)
		return spell_uri(arena, text);
	if (spec->kind == KH_PARAMETER_QUERY || spec->kind == KH_PARAMETER_STATEMENT)
		return spell_words(arena, text);
	return spec->kind == KH_PARAMETER_PATH ? spell_path(arena, text) : text;
}

/* Whether VALUE asks for nothing that a call without it does not. */
static bool says_nothing(const struct kh_parameter_spec *spec, yyjson_val *value)
{
	bool list = spec->kind == KH_PARAMETER_ARGS || spec->kind == KH_PARAMETER_VALUES;

	return spec->kind == KH_PARAMETER_LIMIT || (list && yyjson_get_len(value) == 0);
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
		if (spec != NULL && says_nothing(spec, value))
			continue;
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

/* --- texts -------------------------------------------------------------------------------------------------------- */

/*
 * Takes the next piece off REST: up to a blank if there is one, so that the pieces of a text make no difference to its
 * form.  Each piece is a little work in memory that the processor has at hand.
 */
static struct kh_view take_piece(struct kh_view *rest)
{
	size_t n = rest->n < PIECE ? rest->n : PIECE;

	for (size_t k = n; n < rest->n && k > n / 2; k--) {
		if (rest->p[k] == ' ' || rest->p[k] == '\n') {
			n = k;
			break;
		}
	}
	while (n < rest->n && ((unsigned char)rest->p[n] & 0xC0) == 0x80)
		n++;
	struct kh_view piece = kh_view_of(rest->p, n);
	*rest = kh_view_from(*rest, n);
	return piece;
}

enum kh_err kh_origin_normal(struct kh_arena *arena, struct kh_view text, struct kh_digest *ret_digest)
{
	struct kh_canonical_state state;
	struct kh_view rest = text;
	size_t all = 0;

	kh_canonical_begin(&state);
	while (rest.n > 0) {
		struct kh_folded folded;
		kh_arena_clear(arena);
		enum kh_err e = kh_fold_text(arena, take_piece(&rest), false, &folded);
		char *squeezed = e == KH_OK ? kh_arena_alloc(arena, kh_fold_room(folded.text.n)) : NULL;
		if (squeezed == NULL)
			return e != KH_OK ? e : KH_ENOMEM;
		size_t n = kh_fold_squeeze(kh_fold_plain, folded.text.p, folded.text.n, squeezed);
		kh_canonical_more(&state, kh_view_of(squeezed, n));
		all += n;
	}
	*ret_digest = all > 0 ? kh_canonical_end(&state) : kh_canonical_digest(text);
	return KH_OK;
}
