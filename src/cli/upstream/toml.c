/* A reader of TOML by descent.  Keys and values are copied into the document; no message repeats a value. */
#include "cli/upstream/toml.h"

#include "base/buf.h"
#include "base/utf8.h"

struct reader {
	struct kh_arena *arena;
	yyjson_mut_doc *doc;
	struct kh_view text;
	size_t at;
	unsigned line;
	size_t values;                          /* so far */
	yyjson_mut_val *headed[KH_TOML_VALUES]; /* tables that have had their header, or were written inline */
	size_t heads;
	struct kh_error *err;
};

static enum kh_err refuse(struct reader *r, const char *what)
{
	return kh_error_set(r->err, KH_EINPUT, "import_invalid", "line %u: %s", r->line, what);
}

static char peek(const struct reader *r, size_t ahead)
{
	return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : '\0';
}

static bool take(struct reader *r, const char *word)
{
	struct kh_view rest = kh_view_from(r->text, r->at);

	if (!kh_view_starts(rest, kh_view_str(word)))
		return false;
	r->at += strlen(word);
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (peek(r, 0) == ' ' || peek(r, 0) == '\t')
		r->at++;
}

/* Skips blanks and a comment, up to the end of the line. */
static void skip_rest(struct reader *r)
{
	skip_blanks(r);
	if (peek(r, 0) != '#')
		return;
	while (r->at < r->text.n && peek(r, 0) != '\n')
		r->at++;
}

/* Takes the end of a line; false if something else is there. */
static bool take_end(struct reader *r)
{
	skip_rest(r);
	if (take(r, "\n") || take(r, "\r\n")) {
		r->line++;
		return true;
	}
	return r->at == r->text.n;
}

/* Skips blanks, comments and ends of lines. */
static void skip_lines(struct reader *r)
{
	while (r->at < r->text.n && take_end(r)) {
	}
}

/* Counts a value, so that no file makes more of them than it should. */
static enum kh_err count(struct reader *r)
{
	return ++r->values > KH_TOML_VALUES ? refuse(r, "more values than a configuration has") : KH_OK;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

static enum kh_err read_code(struct reader *r, size_t digits, struct kh_buf *buf)
{
	uint32_t c = 0;

	for (size_t i = 0; i < digits; i++, r->at++) {
		char d = kh_ascii_lower(peek(r, 0));
		if (!kh_ascii_is_digit(d) && (d < 'a' || d > 'f'))
			return refuse(r, "an escape without its digits");
		c = c * 16 + (uint32_t)(kh_ascii_is_digit(d) ? d - '0' : d - 'a' + 10);
	}
	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return refuse(r, "an escape of no character");
	kh_buf_char(buf, c);
	return KH_OK;
}

static enum kh_err read_escape(struct reader *r, bool is_long, struct kh_buf *buf)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	char c = peek(r, 0);
	const char *known = c != '\0' ? strchr(from, c) : NULL;

	if (is_long && (c == '\n' || c == '\r' || c == ' ' || c == '\t')) {
		/* A backslash at the end of a line joins it with the next that has something on it. */
		if (!take_end(r) || r->text.p[r->at - 1] != '\n')
			return refuse(r, "a backslash before a blank");
		for (; kh_ascii_is_blank(peek(r, 0)); r->at++)
			r->line += peek(r, 0) == '\n';
		return KH_OK;
	}
	r->at++;
	if (known != NULL) {
		kh_buf_byte(buf, to[known - from]);
		return KH_OK;
	}
	if (c == 'u' || c == 'U')
		return read_code(r, c == 'u' ? 4 : 8, buf);
	return refuse(r, "an unknown escape in a string");
}

/* Takes one character of a string of which QUOTE is the mark. */
static enum kh_err read_character(struct reader *r, char quote, bool is_long, struct kh_buf *buf)
{
	char c = peek(r, 0);

	if (c == '\\' && quote == '"') {
		r->at++;
		return read_escape(r, is_long, buf);
	}
	bool is_end = c == '\n' || (c == '\r' && peek(r, 1) == '\n');
	if (is_end && !is_long)
		return refuse(r, "a string without its end");
	if (((unsigned char)c < 0x20 && c != '\t' && !is_end) || c == 0x7f)
		return refuse(r, "a control character in a string");
	r->line += c == '\n';
	kh_buf_byte(buf, c);
	r->at++;
	return KH_OK;
}

/* True at the end of a string, which is taken.  Two more quotes before the end of a long one belong to it. */
static bool take_quotes(struct reader *r, char quote, bool is_long, struct kh_buf *buf)
{
	size_t n = 0;

	while (n < (is_long ? 5U : 1U) && peek(r, n) == quote)
		n++;
	if (n < (is_long ? 3U : 1U))
		return false;
	for (size_t i = 3; i < n; i++)
		kh_buf_byte(buf, quote);
	r->at += n;
	return true;
}

static enum kh_err read_string(struct reader *r, bool may_be_long, struct kh_view *ret_text)
{
	char quote = peek(r, 0);
	bool is_long = may_be_long && peek(r, 1) == quote && peek(r, 2) == quote;
	struct kh_buf buf;
	enum kh_err e = KH_OK;

	kh_buf_init(&buf, r->arena, KH_TOML_SIZE);
	r->at += is_long ? 3 : 1;
	if (is_long && (take(r, "\n") || take(r, "\r\n")))
		r->line++;
	while (e == KH_OK && !take_quotes(r, quote, is_long, &buf)) {
		if (r->at == r->text.n)
			return refuse(r, "a string without its end");
		e = read_character(r, quote, is_long, &buf);
	}
	return e == KH_OK ? kh_buf_end(&buf, ret_text) : e;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static enum kh_err read_value(struct reader *r, unsigned depth, yyjson_mut_val **ret_value);
static enum kh_err read_pair(struct reader *r, yyjson_mut_val *table, unsigned depth);

static enum kh_err read_array(struct reader *r, unsigned depth, yyjson_mut_val **ret_value)
{
	yyjson_mut_val *array = yyjson_mut_arr(r->doc), *item = NULL;
	enum kh_err e = KH_OK;

	r->at++;
	for (skip_lines(r); e == KH_OK && !take(r, "]"); skip_lines(r)) {
		e = read_value(r, depth + 1, &item);
		if (e != KH_OK)
			return e;
		yyjson_mut_arr_append(array, item);
		skip_lines(r);
		if (!take(r, ",") && peek(r, 0) != ']')
			e = refuse(r, "an array without its end: expected , or ]");
	}
	*ret_value = array;
	return e;
}

static enum kh_err read_inline(struct reader *r, unsigned depth, yyjson_mut_val **ret_value)
{
	yyjson_mut_val *table = yyjson_mut_obj(r->doc);
	enum kh_err e = KH_OK;

	r->at++;
	skip_blanks(r);
	bool is_done = take(r, "}");
	while (e == KH_OK && !is_done) {
		skip_blanks(r);
		e = read_pair(r, table, depth + 1);
		skip_blanks(r);
		is_done = take(r, "}");
		if (e == KH_OK && !is_done && !take(r, ","))
			e = refuse(r, "an inline table without its end: expected , or } on the same line");
	}
	if (e == KH_OK && r->heads < KH_TOML_VALUES)
		r->headed[r->heads++] = table; /* nothing may be added to it */
	*ret_value = table;
	return e;
}

/* Digits with single underscores between them, and a sign before. */
static bool read_integer(struct kh_view word, int64_t *ret_value)
{
	char digits[24];
	size_t n = 0;

	for (size_t i = 0; i < word.n; i++) {
		bool is_between = i > 0 && i + 1 < word.n && kh_ascii_is_digit(word.p[i - 1]) &&
				  kh_ascii_is_digit(word.p[i + 1]);
		if (word.p[i] == '_' && is_between)
			continue;
		if (n + 1 >= sizeof(digits) || word.p[i] == '_')
			return false;
		if (i > 0 || word.p[i] != '+')
			digits[n++] = word.p[i];
	}
	return kh_view_int(kh_view_of(digits, n), ret_value);
}

/* A truth value, an integer, or what is kept as a text: a fraction, a date, another base. */
static enum kh_err read_word(struct reader *r, yyjson_mut_val **ret_value)
{
	struct kh_view rest = kh_view_from(r->text, r->at), word;
	size_t n = 0;
	int64_t number;

	while (n < rest.n && (kh_ascii_is_alpha(rest.p[n]) || kh_ascii_is_digit(rest.p[n]) ||
			      (rest.p[n] != '\0' && strchr("+-._:", rest.p[n]) != NULL)))
		n++;
	word = kh_view_sub(rest, 0, n);
	r->at += n;
	bool is_true = kh_view_eq(word, KH_LIT("true"));
	if (is_true || kh_view_eq(word, KH_LIT("false")))
		*ret_value = yyjson_mut_bool(r->doc, is_true);
	else if (read_integer(word, &number))
		*ret_value = yyjson_mut_sint(r->doc, number);
	else if (n > 0 && (kh_ascii_is_digit(word.p[0]) || word.p[0] == '+' || word.p[0] == '-'))
		*ret_value = yyjson_mut_strn(r->doc, word.p, word.n);
	else
		return refuse(r, "not a value: expected a string in quotes, a number, true, false, [ or {");
	return KH_OK;
}

static enum kh_err read_value(struct reader *r, unsigned depth, yyjson_mut_val **ret_value)
{
	struct kh_view text;
	enum kh_err e = depth > KH_TOML_DEPTH ? refuse(r, "nested too deep") : count(r);

	if (e != KH_OK)
		return e;
	switch (peek(r, 0)) {
	case '"':
	case '\'':
		e = read_string(r, true, &text);
		if (e == KH_OK)
			*ret_value = yyjson_mut_strn(r->doc, text.p != NULL ? text.p : "", text.n);
		return e;
	case '[':
		return read_array(r, depth, ret_value);
	case '{':
		return read_inline(r, depth, ret_value);
	default:
		e = kh_arena_check(r->arena);
		return e == KH_OK ? read_word(r, ret_value) : e;
	}
}

/* --- keys and tables ---------------------------------------------------------------------------------------------- */

static bool is_bare(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '_' || c == '-';
}

static enum kh_err read_key(struct reader *r, struct kh_view *ret_key)
{
	size_t from = r->at;

	if (peek(r, 0) == '"' || peek(r, 0) == '\'')
		return read_string(r, false, ret_key);
	while (is_bare(peek(r, 0)))
		r->at++;
	*ret_key = kh_view_sub(r->text, from, r->at);
	return ret_key->n > 0 ? KH_OK : refuse(r, "not a key: expected letters, digits, _ and -, or a string");
}

static yyjson_mut_val *get(yyjson_mut_val *table, struct kh_view key)
{
	return yyjson_mut_obj_getn(table, key.p != NULL ? key.p : "", key.n);
}

static void put(struct reader *r, yyjson_mut_val *table, struct kh_view key, yyjson_mut_val *value)
{
	yyjson_mut_obj_add(table, yyjson_mut_strn(r->doc, key.p != NULL ? key.p : "", key.n), value);
}

static bool is_headed(const struct reader *r, const yyjson_mut_val *table)
{
	size_t i = 0;

	while (i < r->heads && r->headed[i] != table)
		i++;
	return i < r->heads;
}

/* The table KEY of *TABLE, made if it is missing; of an array of tables its last. */
static enum kh_err descend(struct reader *r, struct kh_view key, yyjson_mut_val **table)
{
	yyjson_mut_val *next = get(*table, key);

	if (next == NULL) {
		enum kh_err e = count(r);
		if (e != KH_OK)
			return e;
		next = yyjson_mut_obj(r->doc);
		put(r, *table, key, next);
	}
	if (yyjson_mut_is_arr(next))
		next = yyjson_mut_arr_get_last(next);
	if (next != NULL && !yyjson_mut_is_obj(next))
		return refuse(r, "the key has a value already, which is not a table");
	if (next == NULL)
		return kh_arena_check(r->arena) == KH_OK ? refuse(r, "an array that has no table") : KH_ENOMEM;
	*table = next;
	return KH_OK;
}

/* Reads "a.b.c" from *TABLE on: all but the last are tables.  *RET_KEY is the last. */
static enum kh_err read_path(struct reader *r, yyjson_mut_val **table, struct kh_view *ret_key)
{
	unsigned depth = 0;
	enum kh_err e;

	for (;;) {
		skip_blanks(r);
		e = read_key(r, ret_key);
		skip_blanks(r);
		if (e != KH_OK || !take(r, "."))
			return e;
		if (++depth > KH_TOML_DEPTH)
			return refuse(r, "nested too deep");
		e = descend(r, *ret_key, table);
		if (e != KH_OK)
			return e;
	}
}

static enum kh_err read_pair(struct reader *r, yyjson_mut_val *table, unsigned depth)
{
	yyjson_mut_val *start = table, *value = NULL;
	struct kh_view key;
	enum kh_err e = read_path(r, &table, &key);

	if (e == KH_OK && get(table, key) != NULL)
		e = refuse(r, "the key stands twice");
	if (e == KH_OK && table != start && is_headed(r, table))
		e = refuse(r, "the key adds to a table that was written elsewhere");
	if (e == KH_OK && !take(r, "="))
		e = refuse(r, "not understood: expected KEY = VALUE or [TABLE]");
	skip_blanks(r);
	if (e == KH_OK)
		e = read_value(r, depth, &value);
	if (e == KH_OK)
		put(r, table, key, value);
	return e;
}

/* An item more for the array of tables KEY. */
static enum kh_err add_item(struct reader *r, yyjson_mut_val *table, struct kh_view key, yyjson_mut_val *item)
{
	yyjson_mut_val *array = get(table, key);

	if (array == NULL) {
		array = yyjson_mut_arr(r->doc);
		put(r, table, key, array);
	}
	if (array != NULL && !yyjson_mut_is_arr(array))
		return refuse(r, "the key has a value already, which is not an array");
	yyjson_mut_arr_append(array, item);
	return KH_OK;
}

/* "[a.b]" or "[[a.b]]": what follows belongs to that table. */
static enum kh_err read_header(struct reader *r, yyjson_mut_val *root, yyjson_mut_val **ret_table)
{
	bool is_item = take(r, "[[");
	yyjson_mut_val *table = root, *found;
	struct kh_view key;
	enum kh_err e = is_item || take(r, "[") ? read_path(r, &table, &key) : KH_OK;

	if (e == KH_OK && !take(r, is_item ? "]]" : "]"))
		e = refuse(r, "a header without its end");
	if (e == KH_OK)
		e = count(r);
	if (e != KH_OK)
		return e;
	found = is_item ? yyjson_mut_obj(r->doc) : get(table, key);
	if (is_item) {
		e = add_item(r, table, key, found);
	} else if (found == NULL) {
		found = yyjson_mut_obj(r->doc);
		put(r, table, key, found);
	} else if (!yyjson_mut_is_obj(found) || is_headed(r, found)) {
		e = refuse(r, "the table stands twice, or has a value already");
	}
	if (e == KH_OK && r->heads < KH_TOML_VALUES)
		r->headed[r->heads++] = found;
	*ret_table = found;
	return e;
}

static enum kh_err read_document(struct reader *r, yyjson_mut_val *root)
{
	yyjson_mut_val *table = root;
	enum kh_err e = KH_OK;

	for (skip_lines(r); e == KH_OK && r->at < r->text.n; skip_lines(r)) {
		e = peek(r, 0) == '[' ? read_header(r, root, &table) : read_pair(r, table, 1);
		if (e == KH_OK && !take_end(r))
			e = refuse(r, "not understood: expected the end of the line");
		if (e == KH_OK)
			e = kh_arena_check(r->arena);
	}
	return e;
}

enum kh_err kh_toml_read(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root, struct kh_error *err)
{
	struct reader *r = KH_NEW(arena, struct reader);
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = doc != NULL ? yyjson_mut_obj(doc) : NULL;

	if (text.n > KH_TOML_SIZE)
		return kh_error_set(err, KH_EINPUT, "import_invalid", "more than %u bytes", KH_TOML_SIZE);
	if (kh_utf8_invalid(text) != SIZE_MAX)
		return kh_error_set(err, KH_EINPUT, "import_invalid", "it is not UTF-8");
	if (r == NULL || root == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for TOML");
	*r = (struct reader){.arena = arena, .doc = doc, .text = text, .line = 1, .err = err};
	enum kh_err e = read_document(r, root);
	if (e == KH_ENOMEM || kh_arena_check(arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for TOML");
	return e == KH_OK ? kh_json_freeze(arena, root, ret_root, err) : e;
}
