/*
 * A scanner for SQL in both dialects, and the checks of its tokens.  Trusts nobody, because the text may be an agent's.
 * Guarantees: linear time, and no memory except for the text that is bound.
 */
#include "worker/sql/sqltext.h"

#include "base/buf.h"
#include "base/utf8.h"

enum kind {
	END,
	BLANK, /* white space and comments */
	WORD,
	QUOTED, /* a name in quotes */
	STRING,
	ESCAPED, /* a string with backslash escapes: E'...' */
	NAMED,   /* :name */
	SEMICOLON,
	OPEN,
	OTHER,
	BROKEN,
};

struct token {
	enum kind kind;
	struct kh_view text;
	const char *why; /* for BROKEN */
};

struct scan {
	struct kh_view sql;
	size_t at;
	bool postgres;
};

static char look(const struct scan *scan, size_t at)
{
	return at < scan->sql.n ? scan->sql.p[at] : '\0';
}

static bool begins_word(char c)
{
	return kh_ascii_is_alpha(c) || c == '_' || (unsigned char)c >= 128;
}

static bool in_word(char c)
{
	return begins_word(c) || kh_ascii_is_digit(c) || c == '$';
}

static bool is_space(char c)
{
	return kh_ascii_is_blank(c) || c == '\f';
}

static struct token broken(const char *why)
{
	return (struct token){.kind = BROKEN, .why = why};
}

/* The token from the scan's position up to END, which is the new position. */
static struct token take(struct scan *scan, enum kind kind, size_t end)
{
	struct token token = {.kind = kind, .text = kh_view_sub(scan->sql, scan->at, end)};

	scan->at = end;
	return token;
}

static struct token take_line(struct scan *scan)
{
	size_t i = scan->at;

	while (i < scan->sql.n && look(scan, i) != '\n' && !(scan->postgres && look(scan, i) == '\r'))
		i++;
	return take(scan, BLANK, i);
}

/* PostgreSQL's comments nest, SQLite's do not. */
static struct token take_comment(struct scan *scan)
{
	size_t depth = 1, i = scan->at + 2;

	while (i < scan->sql.n && depth > 0) {
		char c = look(scan, i), next = look(scan, i + 1);

		if (c == '*' && next == '/') {
			depth--;
			i += 2;
		} else if (scan->postgres && c == '/' && next == '*') {
			depth++;
			i += 2;
		} else {
			i++;
		}
	}
	return depth > 0 ? broken("a comment that does not end") : take(scan, BLANK, i);
}

/* Text in quotes; a doubled quote stands for itself.  START: the opening quote. */
static struct token take_quoted(struct scan *scan, size_t start, enum kind kind)
{
	char quote = look(scan, start) == '[' ? ']' : look(scan, start);

	for (size_t i = start + 1; i < scan->sql.n; i++) {
		char c = look(scan, i);

		if (kind == ESCAPED && c == '\\') {
			/* This is valid, but a reader who does not know of it would see another end of the string. */
			if (look(scan, i + 1) == quote)
				return broken("a quote after a backslash: write it twice instead");
			i++;
		} else if (c == quote && quote != ']' && look(scan, i + 1) == quote) {
			i++;
		} else if (c == quote) {
			return take(scan, kind, i + 1);
		}
	}
	return broken("a string or name whose quotes do not end");
}

/* $tag$ ... $tag$, $1, or a lone dollar. */
static struct token take_dollar(struct scan *scan)
{
	size_t i = scan->at + 1, end;

	if (kh_ascii_is_digit(look(scan, i))) {
		while (kh_ascii_is_digit(look(scan, i)))
			i++;
		return take(scan, OTHER, i);
	}
	while (begins_word(look(scan, i)) || (i > scan->at + 1 && kh_ascii_is_digit(look(scan, i))))
		i++;
	if (look(scan, i) != '$')
		return take(scan, OTHER, scan->at + 1);
	struct kh_view tag = kh_view_sub(scan->sql, scan->at, i + 1);
	end = kh_view_find(scan->sql, tag, i + 1);
	return end == SIZE_MAX ? broken("a string whose dollars do not end") : take(scan, STRING, end + tag.n);
}

static struct token take_word(struct scan *scan)
{
	size_t i = scan->at + 1;
	char first = kh_ascii_lower(look(scan, scan->at)), next = look(scan, i);

	if (scan->postgres && first == 'e' && next == '\'')
		return take_quoted(scan, i, ESCAPED);
	if (scan->postgres && first == 'u' && next == '&' && (look(scan, i + 1) == '"' || look(scan, i + 1) == '\''))
		return broken("a string or name with Unicode escapes (U&)");
	while (in_word(look(scan, i)))
		i++;
	return take(scan, WORD, i);
}

static struct token take_number(struct scan *scan)
{
	size_t i = scan->at + 1;

	while (kh_ascii_is_digit(look(scan, i)) || kh_ascii_is_alpha(look(scan, i)) || look(scan, i) == '_' ||
	       look(scan, i) == '.')
		i++;
	return take(scan, OTHER, i);
}

static struct token take_colon(struct scan *scan)
{
	size_t i = scan->at + 1;

	if (look(scan, i) == ':')
		return take(scan, OTHER, i + 1);
	if (!begins_word(look(scan, i)))
		return take(scan, OTHER, i);
	while (begins_word(look(scan, i)) || kh_ascii_is_digit(look(scan, i)))
		i++;
	return take(scan, NAMED, i);
}

static struct token next_token(struct scan *scan)
{
	char c = look(scan, scan->at), next = look(scan, scan->at + 1);
	size_t i = scan->at;

	if (scan->at >= scan->sql.n)
		return (struct token){.kind = END};
	while (is_space(look(scan, i)))
		i++;
	if (i > scan->at)
		return take(scan, BLANK, i);
	if (c == '-' && next == '-')
		return take_line(scan);
	if (c == '/' && next == '*')
		return take_comment(scan);
	if (c == '\'')
		return take_quoted(scan, scan->at, STRING);
	if (c == '"' || (!scan->postgres && (c == '`' || c == '[')))
		return take_quoted(scan, scan->at, QUOTED);
	if (c == '$' && scan->postgres)
		return take_dollar(scan);
	if (c == ':')
		return take_colon(scan);
	if (begins_word(c))
		return take_word(scan);
	if (kh_ascii_is_digit(c))
		return take_number(scan);
	return take(scan, c == ';' ? SEMICOLON : c == '(' ? OPEN : OTHER, scan->at + 1);
}

/* The next token that is not blank. */
static struct token next_telling(struct scan *scan)
{
	struct token token;

	do
		token = next_token(scan);
	while (token.kind == BLANK);
	return token;
}

static enum kh_err refuse(struct kh_error *err, const char *why)
{
	return kh_error_set(err, KH_EREFUSED, "statement_refused", "%s", why);
}

/*
 * Functions of PostgreSQL and its usual extensions that do more than compute from the data: by name, or by prefix if
 * the entry ends in '*'.  If the role may not call them, it cannot by any other name either; `doctor` checks that.
 */
static const char *const reaching[] = {
	"pg_read_*",        "pg_ls_*",          "pg_stat_file",
	"pg_file_*",        "pg_logdir_ls",     "lo_*",
	"loread",           "lowrite",          "dblink*",
	"postgres_fdw_*",   "pg_sleep*",        "set_config",
	"pg_terminate_*",   "pg_cancel_*",      "pg_advisory_*",
	"pg_try_advisory*", "pg_notify",        "pg_reload_conf",
	"pg_rotate_*",      "pg_switch_wal",    "pg_create_*",
	"pg_drop_*",        "pg_logical_*",     "pg_replication_*",
	"pg_promote",       "pg_wal_*",         "pg_backup_*",
	"pg_start_backup",  "pg_stop_backup",   "pg_export_snapshot",
	"pg_stat_reset*",   "nextval",          "setval",
	"query_to_xml*",    "cursor_to_xml*",   "table_to_xml*",
	"schema_to_xml*",   "database_to_*",    "ts_stat",
	"ts_rewrite",       "crosstab*",        "connectby",
	"xpath_table",      "xslt_process",     "pg_import_*",
	"brin_*",           "gin_clean_*",      "pg_log_*",
	"pg_copy_*",        "pg_extension*",    "pg_sync_*",
	"pg_nextoid",       "pg_stop_making_*", "currtid*",
};

/* Compares NAME as PostgreSQL reads it: without its quotes, and in lower case if it had none. */
static bool is_named(struct kh_view name, const char *pattern, bool quoted)
{
	struct kh_view want = kh_view_str(pattern);
	bool begins = kh_view_ends(want, KH_LIT("*"));

	want.n -= begins;
	if (name.n < want.n || (!begins && name.n != want.n))
		return false;
	struct kh_view head = kh_view_sub(name, 0, want.n);
	return quoted ? kh_view_eq(head, want) : kh_view_eq_nocase(head, want);
}

static bool reaches(const struct token *token)
{
	bool quoted = token->kind == QUOTED;
	struct kh_view name = quoted ? kh_view_sub(token->text, 1, token->text.n - 1) : token->text;

	for (size_t i = 0; i < sizeof(reaching) / sizeof(reaching[0]); i++)
		if (is_named(name, reaching[i], quoted))
			return true;
	return false;
}

static enum kh_err check_start(const struct scan *start, struct kh_error *err)
{
	static const char *const words[] = {"select", "with", "values", "table"};
	struct scan scan = *start;
	struct token token;

	do
		token = next_telling(&scan);
	while (token.kind == OPEN);
	for (size_t i = 0; i < (scan.postgres ? 4 : 3); i++)
		if (token.kind == WORD && kh_view_eq_nocase(token.text, kh_view_str(words[i])))
			return KH_OK;
	if (token.kind == BROKEN)
		return refuse(err, token.why);
	if (token.kind == END)
		return refuse(err, "there is no statement in it");
	return refuse(err, scan.postgres ? "a statement that reads begins with SELECT, WITH, VALUES or TABLE"
					 : "a statement that reads begins with SELECT, WITH or VALUES");
}

static enum kh_err check_tokens(struct kh_arena *arena, struct scan *scan, struct kh_error *err)
{
	struct token last = {.kind = END}, token;
	bool over = false;

	while ((token = next_telling(scan)).kind != END) {
		if (token.kind == BROKEN)
			return refuse(err, token.why);
		if (over)
			return refuse(err, "something follows the semicolon: one statement is all that is taken");
		over = token.kind == SEMICOLON;
		if (last.kind == ESCAPED && token.kind == STRING)
			return refuse(err, "a string in pieces, the first with backslashes");
		if (token.kind == OPEN && scan->postgres && (last.kind == WORD || last.kind == QUOTED) &&
		    reaches(&last)) {
			struct kh_view name = kh_arena_quote(arena, last.text);

			return kh_error_set(err, KH_EREFUSED, "statement_refused",
					    "the function %.*s reaches past the data", KH_FMT(name));
		}
		last = token;
	}
	return KH_OK;
}

enum kh_err kh_sqltext_check(struct kh_arena *arena, struct kh_view sql, enum kh_sqltext_dialect dialect,
			     struct kh_error *err)
{
	struct scan scan = {.sql = sql, .postgres = dialect == KH_SQLTEXT_POSTGRES};

	if (sql.n > KH_SQLTEXT_MAX)
		return refuse(err, "a statement of more than 65,536 bytes");
	if (kh_utf8_invalid(sql) != SIZE_MAX)
		return refuse(err, "a statement that is not UTF-8");
	if (sql.n > 0 && memchr(sql.p, '\0', sql.n) != NULL)
		return refuse(err, "a statement with a NUL character");
	enum kh_err e = check_start(&scan, err);
	if (e == KH_OK)
		e = check_tokens(arena, &scan, err);
	return e != KH_OK ? e : kh_arena_check(arena);
}

static enum kh_err wrong(struct kh_error *err, const char *why)
{
	return kh_error_set(err, KH_EREFUSED, "parameters_wrong", "%s", why);
}

static enum kh_err bind_array(yyjson_val *params, struct kh_sqltext_bound *bound, struct kh_error *err)
{
	yyjson_val *value;
	size_t i, n;

	if (yyjson_arr_size(params) > KH_SQLTEXT_VALUES)
		return wrong(err, "more than 64 values to bind");
	yyjson_arr_foreach (params, i, n, value)
		bound->value[bound->count++] = value;
	return KH_OK;
}

/* The place of VALUE among those that are bound already, or a new one; counted from 1. */
static size_t place_of(struct kh_sqltext_bound *bound, yyjson_val *value)
{
	for (size_t i = 0; i < bound->count; i++)
		if (bound->value[i] == value)
			return i + 1;
	bound->value[bound->count++] = value;
	return bound->count;
}

static enum kh_err bind_object(struct kh_arena *arena, yyjson_val *params, struct kh_sqltext_bound *bound,
			       struct kh_error *err)
{
	struct scan scan = {.sql = bound->sql, .postgres = true};
	struct token token;
	struct kh_buf out;

	if (yyjson_obj_size(params) > KH_SQLTEXT_VALUES)
		return wrong(err, "more than 64 values to bind");
	kh_buf_init(&out, arena, 8 * (size_t)KH_SQLTEXT_MAX);
	while ((token = next_token(&scan)).kind != END && token.kind != BROKEN) {
		struct kh_view name = kh_view_from(token.text, 1);
		yyjson_val *value = token.kind == NAMED ? yyjson_obj_getn(params, name.p, name.n) : NULL;

		if (value != NULL)
			kh_buf_printf(&out, "$%zu", place_of(bound, value));
		else
			kh_buf_add(&out, token.text);
	}
	if (bound->count < yyjson_obj_size(params))
		return wrong(err, "a value is given for a name that the statement does not have");
	return kh_buf_end(&out, &bound->sql);
}

enum kh_err kh_sqltext_bind(struct kh_arena *arena, struct kh_view sql, yyjson_val *params,
			    struct kh_sqltext_bound *ret_bound, struct kh_error *err)
{
	struct kh_sqltext_bound bound = {.sql = sql};
	enum kh_err e = KH_OK;

	if (yyjson_is_arr(params))
		e = bind_array(params, &bound, err);
	else if (yyjson_is_obj(params))
		e = bind_object(arena, params, &bound, err);
	if (e == KH_OK)
		*ret_bound = bound;
	return e;
}
