/*
 * Tier 1.  Arguments are hostile (an injection may have asked for them), and so are blocks.  Nothing here can make a
 * call pass: the worst that a clever argument achieves is that tier 1 finds nothing suspicious.
 */
#include "core/block/verify.h"

#include "base/buf.h"
#include "core/block/block.h"
#include "core/block/columns.h"
#include "core/block/pieces.h"
#include "core/block/stream.h"

#define LONG_NUMBER 100000 /* six digits */
#define QUOTED      3      /* most matches of a kind that a reason names */

/* One text out of the arguments. */
struct part {
	struct kh_view path;
	struct kh_view text;
	bool apart; /* a name: not joined with the values */
	size_t at;  /* its offset in the screened text */
};

struct parts {
	struct kh_arena *arena;
	yyjson_mut_doc *doc;
	struct part *at;
	size_t n, cap;
};

/* ---- taking arguments apart ---- */

static void add_part(struct parts *parts, struct kh_view path, struct kh_view text, bool apart)
{
	struct part *at = kh_arena_more(parts->arena, parts->at, parts->n, &parts->cap, sizeof(*at));

	if (at == NULL)
		return; /* the arena is marked */
	parts->at = at;
	parts->at[parts->n++] = (struct part){path, text, apart, 0};
}

/* Adds the digits of a number that is long enough to be compared. */
static void add_number(struct parts *parts, struct kh_view path, yyjson_val *val)
{
	double size = yyjson_get_num(val);
	struct kh_view text;

	if (yyjson_is_int(val) && size < LONG_NUMBER && size > -LONG_NUMBER)
		return;
	if (kh_json_write(parts->arena, yyjson_val_mut_copy(parts->doc, val), &text) == KH_OK)
		add_part(parts, path, text, false);
}

static void take_apart(struct parts *parts, struct kh_view path, yyjson_val *val);

/* Collects the members of OBJ, and their names too, if NAMES. */
static void take_members(struct parts *parts, struct kh_view path, yyjson_val *obj, bool names)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	yyjson_val *item;

	while ((item = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_view name = kh_json_str(item);
		if (!kh_block_id_valid(name)) /* else it is safe in a message as it is */
			name = kh_arena_quote(parts->arena, name);
		struct kh_view inner = kh_arena_printf(parts->arena, "%.*s.%.*s", KH_FMT(path), KH_FMT(name));
		if (names)
			add_part(parts, inner, kh_json_str(item), true);
		take_apart(parts, inner, yyjson_obj_iter_get_val(item));
	}
}

/* Collects every string, name and long number in VAL. The JSON parser has bounded the depth. */
static void take_apart(struct parts *parts, struct kh_view path, yyjson_val *val)
{
	yyjson_val *item;

	if (yyjson_is_str(val)) {
		add_part(parts, path, kh_json_str(val), false);
	} else if (yyjson_is_num(val)) {
		add_number(parts, path, val);
	} else if (yyjson_is_arr(val)) {
		yyjson_arr_iter iter = yyjson_arr_iter_with(val);
		for (size_t i = 0; (item = yyjson_arr_iter_next(&iter)) != NULL; i++)
			take_apart(parts, kh_arena_printf(parts->arena, "%.*s[%zu]", KH_FMT(path), i), item);
	} else if (yyjson_is_obj(val)) {
		take_members(parts, path, val, true);
	}
}

/* All parts as one text, one a line. */
static enum kh_err join(struct parts *parts, struct kh_view *ret_text)
{
	struct kh_buf out;

	kh_buf_init(&out, parts->arena, parts->arena->limit);
	for (size_t i = 0; i < parts->n; i++) {
		parts->at[i].at = out.n;
		kh_buf_add(&out, parts->at[i].text);
		kh_buf_byte(&out, '\n');
	}
	return kh_buf_end(&out, ret_text);
}

/* The path of the part that byte AT of the joined text belongs to. */
static struct kh_view path_at(const struct parts *parts, size_t at)
{
	return parts->n == 0 ? KH_LIT("")
			     : parts->at[kh_stream_last(&parts->at->at, sizeof(*parts->at), parts->n, at)].path;
}

/* ---- reasons ---- */

/* Whether FINDING is about the scheme of the part that is URI. */
static bool is_scheme(const struct parts *parts, struct kh_view uri, const struct kh_finding *finding)
{
	for (size_t i = 0; i < parts->n; i++) {
		if (!parts->at[i].apart && kh_view_eq(parts->at[i].text, uri) &&
		    kh_findings_is_scheme(finding, uri, parts->at[i].at))
			return true;
	}
	return false;
}

static void screen_reasons(const struct parts *parts, struct kh_view uri, struct kh_verification *v)
{
	for (size_t i = 0; i < v->findings.n; i++) {
		const struct kh_finding *finding = &v->findings.at[i];
		bool secret = strcmp(finding->code, "secret") == 0;
		if (finding->severity < KH_SEVERITY_MEDIUM && !(secret && v->flagged))
			continue;
		if (uri.n > 0 && is_scheme(parts, uri, finding))
			continue;
		kh_reasons_add(&v->reasons, secret ? "sensitive" : "screened", path_at(parts, finding->start),
			       "%s: %s, %s", finding->code, finding->rule,
			       kh_words_name(&kh_severity_words, finding->severity));
	}
}

static void match_reasons(struct kh_verification *v, const struct kh_verify_source *sources)
{
	static const struct {
		const char *code;
	} kinds[KH_MATCH_COUNT] = {
		[KH_MATCH_RUN] = {.code = "shared_run"},       [KH_MATCH_URL] = {.code = "shared_url"},
		[KH_MATCH_HOST] = {.code = "shared_host"},     [KH_MATCH_ADDRESS] = {.code = "shared_address"},
		[KH_MATCH_NUMBER] = {.code = "shared_number"},
	};
	size_t named[KH_MATCH_COUNT] = {0};

	for (size_t i = 0; i < v->matches.n; i++) {
		const struct kh_match *match = &v->matches.at[i];
		if (++named[match->kind] > QUOTED)
			continue;
		struct kh_view quoted = kh_arena_quote(v->reasons.arena, match->shared);
		kh_reasons_add(&v->reasons, kinds[match->kind].code, v->members[match->text],
			       "%.*s stands in block \"%.*s\" too", KH_FMT(quoted), KH_FMT(sources[match->source].id));
	}
}

/* ---- the call ---- */

/*
 * Lists the parts as texts: the values in their order, which are also compared joined, then the names and the tool,
 * each apart.
 */
static enum kh_err list_texts(const struct parts *parts, struct kh_compare *what, struct kh_verification *v)
{
	struct kh_view *texts = KH_NEW_N(parts->arena, struct kh_view, parts->n);
	struct kh_view *members = KH_NEW_N(parts->arena, struct kh_view, parts->n);
	size_t n = 0;

	if (texts == NULL || members == NULL)
		return KH_ENOMEM;
	for (int apart = 0; apart < 2; apart++) {
		for (size_t i = 0; i < parts->n; i++) {
			if (parts->at[i].apart != (apart != 0))
				continue;
			texts[n] = parts->at[i].text;
			members[n++] = parts->at[i].path;
			what->apart += apart != 0;
		}
	}
	what->texts = texts;
	what->text_count = n;
	v->members = members;
	v->member_count = n;
	return KH_OK;
}

/* ---- what was sent before ---- */

/* Which of the texts is the first of the parameter at PATH. */
static size_t text_at(const struct kh_verification *v, struct kh_view path)
{
	for (size_t i = 0; i < v->member_count && path.n > 0; i++) {
		struct kh_view member = kh_view_from(v->members[i], sizeof("arguments") - 1);
		if (kh_view_starts(member, path))
			return i;
	}
	return 0;
}

static struct kh_sent find_sent(const struct kh_sent *sent, size_t count, struct kh_view name)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq(sent[i].name, name))
			return sent[i];
	}
	return (struct kh_sent){.name = name};
}

/* Puts the call's values together with what was sent before them, parameter by parameter and over all parameters. */
static enum kh_err join_sent(struct kh_arena *arena, const struct kh_verify_request *call,
			     const struct kh_verification *v, struct kh_pieces *pieces)
{
	struct kh_sent_value *values = NULL;
	struct kh_view line = {NULL, 0}, lines;
	size_t count = 0;
	enum kh_err e = kh_sent_split(arena, call->tool, call->arguments, &values, &count);
	struct kh_sent *before = e == KH_OK ? KH_NEW_N(arena, struct kh_sent, count) : NULL;

	if (before == NULL)
		return e == KH_OK ? KH_ENOMEM : e;
	for (size_t i = 0; i < count && e == KH_OK; i++) {
		before[i] = find_sent(call->sent, call->sent_count, values[i].name);
		e = kh_sent_lines(arena, &before[i], values[i].value, &lines);
		if (e == KH_OK)
			e = kh_pieces_join(arena, lines, kh_sent_piece(&before[i], values[i].value),
					   text_at(v, values[i].path), pieces);
	}
	if (e == KH_OK)
		e = kh_sent_all(arena, before, values, count, &line);
	if (e == KH_OK)
		e = kh_pieces_join(arena, find_sent(call->sent, call->sent_count, KH_LIT("")).lines, line, 0, pieces);
	return e;
}

/* Puts together what stands in lists of this call: one letter an item is content too. */
static enum kh_err join_lists(struct kh_arena *arena, const struct kh_verify_request *call,
			      const struct kh_verification *v, struct kh_pieces *pieces)
{
	size_t windows = KH_COLUMNS_WINDOWS;
	struct kh_columns columns = {.at = NULL};
	enum kh_err e = kh_columns_find(arena, call->arguments, &columns);

	for (size_t i = 0; i < columns.n && e == KH_OK; i++)
		e = kh_columns_join(arena, &columns.at[i], text_at(v, columns.at[i].path), &windows, pieces);
	return e;
}

/* Sorts the sources into those that are compared, by PLACES among all of them, and what may be repeated. */
static enum kh_err sort_sources(struct kh_arena *arena, const struct kh_verify_request *call, struct kh_compare *what,
				struct kh_view *contents, size_t *places, size_t *ret_count)
{
	struct kh_view *own = KH_NEW_N(arena, struct kh_view, call->source_count);
	struct kh_view *answers = KH_NEW_N(arena, struct kh_view, call->source_count);
	struct kh_view *prints = KH_NEW_N(arena, struct kh_view, call->source_count);

	if (own == NULL || answers == NULL || prints == NULL)
		return KH_ENOMEM;
	*ret_count = 0;
	for (size_t i = 0; i < call->source_count; i++) {
		const struct kh_verify_source *source = &call->sources[i];
		if (source->from == KH_VERIFY_OWN) {
			own[what->own_count++] = source->content;
			continue;
		}
		if (source->from == KH_VERIFY_DELIVERY)
			answers[what->answer_count++] = source->content;
		places[*ret_count] = i;
		prints[*ret_count] = source->prints;
		contents[(*ret_count)++] = source->content;
	}
	what->own = own;
	what->answers = answers;
	what->prints = call->key != NULL ? prints : NULL;
	return KH_OK;
}

/* Compares the parts with the sources from outside; matches then refer to them by their index among all sources. */
static enum kh_err compare(const struct parts *parts, const struct kh_verify_request *call, struct kh_verification *v)
{
	struct kh_view *contents = KH_NEW_N(parts->arena, struct kh_view, call->source_count);
	size_t *places = KH_NEW_N(parts->arena, size_t, call->source_count), count = 0;
	struct kh_compare what = {.key = call->key};
	struct kh_pieces pieces = {0};
	enum kh_err e = contents != NULL && places != NULL ? KH_OK : KH_ENOMEM;

	if (e == KH_OK)
		e = sort_sources(parts->arena, call, &what, contents, places, &count);
	v->flagged = count > 0;
	if (e == KH_OK)
		e = list_texts(parts, &what, v);
	if (e == KH_OK && count > 0)
		e = join_sent(parts->arena, call, v, &pieces);
	if (e == KH_OK && count > 0)
		e = join_lists(parts->arena, call, v, &pieces);
	what.joined = pieces.at;
	what.joined_count = pieces.n;
	if (e == KH_OK)
		e = kh_compare_texts(parts->arena, &what, contents, count, &v->matches);
	for (size_t i = 0; e == KH_OK && i < v->matches.n; i++)
		v->matches.at[i].source = places[v->matches.at[i].source];
	return e;
}

enum kh_err kh_verify_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_verify_request *call,
			   struct kh_verification *ret_verification)
{
	struct kh_verification v = {.taint = call->taint};
	struct parts parts = {.arena = arena, .doc = kh_json_new(arena)};

	if (parts.doc == NULL)
		return KH_ENOMEM;
	kh_reasons_init(&v.reasons, arena);
	if (call->is_own) {
		take_members(&parts, KH_LIT("arguments"), call->arguments, false);
	} else {
		add_part(&parts, KH_LIT("tool"), call->tool, true);
		take_apart(&parts, KH_LIT("arguments"), call->arguments);
	}
	enum kh_err e = kh_arena_check(arena);
	if (e == KH_OK)
		e = join(&parts, &v.text);
	if (e == KH_OK)
		e = kh_screen_text(screen, arena, v.text, KH_SCREEN_DOCUMENT, &v.findings);
	if (e == KH_OK)
		e = compare(&parts, call, &v);
	if (e != KH_OK)
		return e;
	screen_reasons(&parts, call->uri, &v);
	match_reasons(&v, call->sources);
	v.suspicious = v.reasons.n > 0;
	e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_verification = v;
	return e;
}
