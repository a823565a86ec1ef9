/*
 * A search of tables.  The query is the Controller's: it goes to the database as bound values, with the wildcards of
 * LIKE escaped.  The rows are untrusted: they are copied into the content without being interpreted.
 */
#include "errand/tablesearch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/timestamp.h"
#include "core/policy/allot.h"
#include "errand/details.h"
#include "errand/statement.h"
#include "wire/search_match.h"

struct tables {
	const struct kh_errand_tools *tools;
	struct kh_arena *arena;
	uint64_t limit;
	int64_t deadline;
	yyjson_mut_doc *doc;
	yyjson_mut_val *results, *about; /* for the details: the outcome of each table */
	size_t failed, bytes;
	size_t most; /* bytes of rows; further rows are left out */
	struct kh_errand_limits limits;
	struct kh_view why;  /* of the first table that failed */
	struct kh_view time; /* of the search, for every result */
};

struct kh_view kh_tablesearch_pattern(struct kh_arena *arena, struct kh_view word)
{
	struct kh_view pattern = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, 2 * word.n + 2);
	kh_buf_byte(&buf, '%');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '%' || word.p[i] == '_' || word.p[i] == '\\')
			kh_buf_byte(&buf, '\\');
		kh_buf_byte(&buf, word.p[i]);
	}
	kh_buf_byte(&buf, '%');
	return kh_buf_end(&buf, &pattern) == KH_OK ? pattern : (struct kh_view){NULL, 0};
}

/* A name in quotes, for each part of "schema.table" separately.  The configuration allows no quotes in names. */
static void add_name(struct kh_buf *buf, struct kh_view name)
{
	struct kh_view part;

	for (bool first = true; kh_view_split(&name, '.', &part); first = false) {
		if (!first)
			kh_buf_byte(buf, '.');
		kh_buf_byte(buf, '"');
		kh_buf_add(buf, part);
		kh_buf_byte(buf, '"');
	}
}

enum kh_err kh_tablesearch_statement(struct kh_arena *arena, const struct kh_config_table *table, bool is_postgres,
				     size_t words, uint64_t limit, struct kh_view *ret_sql)
{
	struct kh_buf buf;

	kh_buf_init(&buf, arena, SIZE_MAX);
	for (size_t i = 0; i < table->columns.n; i++) {
		kh_buf_add(&buf, i == 0 ? KH_LIT("SELECT ") : KH_LIT(", "));
		add_name(&buf, table->columns.at[i]);
	}
	kh_buf_lit(&buf, " FROM ");
	add_name(&buf, table->table);
	for (size_t w = 0; w < words; w++) {
		kh_buf_add(&buf, w == 0 ? KH_LIT(" WHERE (") : KH_LIT(") AND ("));
		for (size_t i = 0; i < table->columns.n; i++) {
			if (i > 0)
				kh_buf_lit(&buf, " OR ");
			kh_buf_lit(&buf, "CAST(");
			add_name(&buf, table->columns.at[i]);
			kh_buf_add(&buf, is_postgres ? KH_LIT(" AS text) ILIKE $") : KH_LIT(" AS text) LIKE ?"));
			kh_buf_printf(&buf, "%zu ESCAPE '\\'", w + 1);
		}
	}
	kh_buf_printf(&buf, "%s LIMIT %llu", words > 0 ? ")" : "", (unsigned long long)limit);
	return kh_buf_end(&buf, ret_sql);
}

/* The patterns as an array that can be bound.  KH_ENOMEM. */
static enum kh_err make_params(struct kh_arena *arena, const struct kh_search_match *match, size_t words,
			       yyjson_val **ret_params)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < words; i++) {
		struct kh_view pattern = kh_tablesearch_pattern(arena, match->term[i]);
		yyjson_mut_arr_add_strn(doc, list, pattern.p, pattern.n);
	}
	return kh_json_freeze(arena, list, ret_params, NULL);
}

static void add_rows(struct tables *t, const struct kh_config_table *table, const struct kh_statement_result *got)
{
	yyjson_val *row, *value;
	size_t r, rows, c, columns;

	yyjson_arr_foreach (got->rows, r, rows, row) {
		if (yyjson_mut_arr_size(t->results) >= t->limit || t->bytes > t->most)
			break;
		yyjson_mut_val *result = yyjson_mut_arr_add_obj(t->doc, t->results);
		kh_json_add(t->doc, result, "database", table->database);
		kh_json_add(t->doc, result, "table", table->table);
		yyjson_mut_val *shown = yyjson_mut_obj_add_obj(t->doc, result, "row");
		yyjson_arr_foreach (row, c, columns, value) {
			/* The columns are named as they were asked for, whatever the database calls them. */
			if (c >= table->columns.n)
				break;
			struct kh_view name = table->columns.at[c];
			yyjson_mut_obj_add(shown, yyjson_mut_strn(t->doc, name.p, name.n),
					   yyjson_val_mut_copy(t->doc, value));
			t->bytes += kh_json_str(value).n;
		}
		yyjson_mut_obj_add_uint(t->doc, result, "rank", yyjson_mut_arr_size(t->results));
		kh_json_add(t->doc, result, "time", t->time);
	}
}

static enum kh_err look_through(struct tables *t, const struct kh_config_table *table,
				const struct kh_search_match *match, size_t words)
{
	const struct kh_config_database *database = kh_settings_database(t->tools->config, table->database);
	int64_t left = t->deadline - kh_clock_ms();
	struct kh_statement statement = {
		.database = database, .wall_ms = left > 0 ? (uint64_t)left : 1, .limits = t->limits};
	struct kh_statement_result got = {.done = false};
	enum kh_err e = kh_tablesearch_statement(t->arena, table, database->file.n == 0, words, t->limit,
						 &statement.sql);

	statement.password = kh_statement_password(t->tools, database);
	if (e == KH_OK)
		e = make_params(t->arena, match, words, &statement.params);
	if (e == KH_OK)
		e = kh_statement_run(t->tools, &statement, t->arena, &got);
	if (e != KH_OK)
		return e;
	yyjson_mut_val *about = yyjson_mut_arr_add_obj(t->doc, t->about);
	kh_json_add(t->doc, about, "database", table->database);
	kh_json_add(t->doc, about, "table", table->table);
	if (got.done) {
		yyjson_mut_obj_add_uint(t->doc, about, "rows", yyjson_arr_size(got.rows));
		add_rows(t, table, &got);
	} else {
		kh_json_add(t->doc, about, "failed", got.why);
		t->why = t->failed++ == 0 ? got.why : t->why;
	}
	return KH_OK;
}

/* Joins the content, and the outcome of each table. */
static enum kh_err put_together(struct tables *t, size_t left_out, struct kh_errand_result *result)
{
	yyjson_mut_val *content = yyjson_mut_obj(t->doc), *details = yyjson_mut_obj(t->doc);
	struct kh_view text;

	yyjson_mut_obj_add_val(t->doc, content, "results", t->results);
	kh_json_add(t->doc, details, "scope", KH_LIT("database"));
	yyjson_mut_obj_add_val(t->doc, details, "tables", t->about);
	yyjson_mut_obj_add_uint(t->doc, details, "left_out", left_out);
	enum kh_err e = kh_details_end(t->arena, details, result);
	if (e != KH_OK)
		return e;
	if (t->failed == t->tools->config->search.tables.n) {
		result->why = t->why;
		return KH_OK;
	}
	e = kh_json_write(t->arena, content, &text);
	if (e == KH_OK) {
		result->end = KH_ERRAND_OK;
		result->content = kh_tainted_wrap(text);
	}
	return e;
}

enum kh_err kh_tablesearch_run(const struct kh_errand_tools *tools, const struct kh_errand *errand,
			       struct kh_view query, uint64_t limit, struct kh_arena *arena,
			       struct kh_errand_result *result)
{
	const struct kh_config_table *tables = tools->config->search.tables.at;
	struct tables t = {.tools = tools,
			   .arena = arena,
			   .limit = limit,
			   .deadline = kh_clock_ms() + (int64_t)errand->wall_ms,
			   .most = kh_allot_output(&errand->limits, KH_ERRAND_CONTENT) / 2,
			   .limits = errand->limits,
			   .doc = kh_json_new(arena),
			   .time = kh_timestamp_text(arena, kh_clock_wall_us())};
	struct kh_search_match match;
	enum kh_err e = kh_search_match_read(arena, query, &match);

	t.results = yyjson_mut_arr(t.doc);
	t.about = yyjson_mut_arr(t.doc);
	if (e == KH_OK && match.count == 0) {
		result->why = KH_LIT("the query has no word that could be looked for");
		return KH_OK;
	}
	size_t words = match.count < KH_TABLESEARCH_WORDS ? match.count : KH_TABLESEARCH_WORDS;
	for (size_t i = 0; i < tools->config->search.tables.n && e == KH_OK; i++)
		e = look_through(&t, &tables[i], &match, words);
	return e == KH_OK ? put_together(&t, match.count - words + match.left_out, result) : e;
}
