/*
 * comm.query {database, statement, params}: rows of a database (E9).
 *
 * `statement` is the name of one that the policy has for this database, else SQL if the policy allows free SQL.
 * `params` is bound: an array by place, an object by name (:name).
 *
 * The content is JSON Lines, which every kind of Reader can split by line: first a header, then one object for each
 * row, with the columns as names (a repeated name has its place appended).
 *
 *     {"columns":["name","due"],"rows":2,"truncated":false}
 *     {"name":"Ada","due":"2026-12-01"}
 *     {"name":"Grace","due":null}
 *
 * Values are as in wire/sqlrows.h.  `truncated`: there was more than the caps of the database allow.
 *
 * The policy has decided that the statement may run.  The text of the statement is looked up here, and no parameter
 * gets into it.
 */
#include "errand/errand.h"

#include "base/buf.h"
#include "core/policy/allot.h"
#include "errand/details.h"
#include "errand/statement.h"
#include "wire/sqlrows.h"

struct lines {
	struct kh_arena *arena;
	struct kh_view name[KH_SQLROWS_COLUMNS];
	size_t columns;
	struct kh_buf buf; /* for the rows */
	size_t rows;       /* how many are in it */
};

/* The text that NAME stands for; {NULL, 0} if the rule has neither it nor free SQL. */
static struct kh_view text_of(const struct kh_policy_rule *rule, struct kh_view database, struct kh_view name)
{
	const struct kh_policy_statement *statements = rule->statements.at;

	for (size_t i = 0; i < rule->statements.n; i++)
		if (kh_view_eq(statements[i].name, name) && kh_view_eq(statements[i].database, database))
			return statements[i].sql;
	return rule->free_sql == KH_PERMISSION_ALLOW ? name : (struct kh_view){NULL, 0};
}

static bool is_used(const struct lines *lines, struct kh_view name)
{
	for (size_t i = 0; i < lines->columns; i++)
		if (kh_view_eq(lines->name[i], name))
			return true;
	return false;
}

/* Makes the names of the columns unique. */
static bool name_columns(struct lines *lines, yyjson_val *columns)
{
	yyjson_val *item;
	size_t i, n;

	if (yyjson_arr_size(columns) > KH_SQLROWS_COLUMNS)
		return false;
	yyjson_arr_foreach (columns, i, n, item) {
		struct kh_view name = kh_json_str(item);

		while (is_used(lines, name) && kh_arena_check(lines->arena) == KH_OK)
			name = kh_arena_printf(lines->arena, "%.*s_%zu", KH_FMT(name), i + 1);
		lines->name[lines->columns++] = name;
	}
	return true;
}

static enum kh_err add_row(struct lines *lines, yyjson_val *row, bool *ret_fits)
{
	yyjson_mut_doc *doc = kh_json_new(lines->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text;
	yyjson_val *value;
	size_t i, n;

	yyjson_arr_foreach (row, i, n, value)
		yyjson_mut_obj_add(root, yyjson_mut_strn(doc, lines->name[i].p, lines->name[i].n),
				   yyjson_val_mut_copy(doc, value));
	enum kh_err e = kh_json_write(lines->arena, root, &text);
	*ret_fits = e == KH_OK && lines->buf.n + text.n + 1 <= lines->buf.limit;
	if (!*ret_fits)
		return e;
	kh_buf_add(&lines->buf, text);
	kh_buf_byte(&lines->buf, '\n');
	lines->rows++;
	return lines->buf.err;
}

static yyjson_mut_val *head_of(const struct lines *lines, yyjson_mut_doc *doc, bool truncated, bool names)
{
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	if (names) {
		yyjson_mut_val *columns = yyjson_mut_obj_add_arr(doc, root, "columns");
		for (size_t i = 0; i < lines->columns; i++)
			yyjson_mut_arr_add_strn(doc, columns, lines->name[i].p, lines->name[i].n);
	}
	yyjson_mut_obj_add_uint(doc, root, "rows", lines->rows);
	yyjson_mut_obj_add_bool(doc, root, "truncated", truncated);
	return root;
}

/* Joins the first line and all others. */
static enum kh_err put_together(struct lines *lines, bool truncated, struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(lines->arena);
	yyjson_mut_val *head = head_of(lines, doc, truncated, true),
		       *short_head = head_of(lines, doc, truncated, false);
	struct kh_view text, rows, content;
	struct kh_buf all;

	enum kh_err e = kh_json_write(lines->arena, head, &text);
	if (e == KH_OK)
		e = kh_details_end(lines->arena, short_head, result);
	if (e == KH_OK)
		e = kh_buf_end(&lines->buf, &rows);
	if (e != KH_OK)
		return e;
	kh_buf_init(&all, lines->arena, text.n + 1 + rows.n);
	kh_buf_add(&all, text);
	kh_buf_byte(&all, '\n');
	kh_buf_add(&all, rows);
	e = kh_buf_end(&all, &content);
	if (e != KH_OK)
		return e;
	result->end = KH_ERRAND_OK;
	result->content = kh_tainted_wrap(content);
	return KH_OK;
}

/* At most MOST bytes; an eighth of them is for the first line. */
static enum kh_err write_lines(struct kh_arena *arena, const struct kh_statement_result *got, size_t most,
			       struct kh_errand_result *result)
{
	struct lines *lines = KH_NEW(arena, struct lines);
	bool fits = true;
	yyjson_val *row;
	size_t i, n;

	if (lines == NULL)
		return KH_ENOMEM;
	lines->arena = arena;
	if (!name_columns(lines, got->columns)) {
		result->why = KH_LIT("the result has more columns than are taken");
		return KH_OK;
	}
	kh_buf_init(&lines->buf, arena, most - (most >> 3));
	yyjson_arr_foreach (got->rows, i, n, row) {
		enum kh_err e = add_row(lines, row, &fits);
		if (e != KH_OK)
			return e;
		if (!fits)
			break;
	}
	return put_together(lines, got->truncated || !fits, result);
}

/* What the database or the worker reported, for humans. */
static enum kh_err explain(struct kh_arena *arena, const struct kh_statement_result *got,
			   struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	if (kh_tainted_size(got->code) > 0)
		kh_json_add(doc, root, "code", kh_tainted_open(got->code));
	kh_json_add(doc, root, "said", got->why);
	result->why = got->why;
	return kh_details_end(arena, root, result);
}

enum kh_err kh_query_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			 struct kh_errand_result *result)
{
	struct kh_view name = kh_json_str(kh_json_get(errand->parameters, "database"));
	struct kh_view statement = kh_json_str(kh_json_get(errand->parameters, "statement"));
	const struct kh_config_database *database = kh_settings_database(tools->config, name);
	struct kh_view sql = text_of(errand->rule, name, statement);
	struct kh_statement_result got;

	result->source = KH_LIT("database");
	if (database == NULL || sql.p == NULL) {
		result->why = database == NULL ? KH_LIT("the configuration has no database of this name")
					       : KH_LIT("the policy has no statement of this name, and no free SQL");
		return KH_OK;
	}
	result->source = kh_statement_source(arena, database);
	struct kh_statement asked = {
		.database = database,
		.password = kh_statement_password(tools, database),
		.sql = sql,
		.params = kh_json_get(errand->parameters, "params"),
		.wall_ms = errand->wall_ms,
		.limits = errand->limits,
	};
	enum kh_err e = kh_statement_run(tools, &asked, arena, &got);
	if (e != KH_OK)
		return e;
	return got.done ? write_lines(arena, &got, kh_allot_output(&errand->limits, KH_ERRAND_CONTENT), result)
			: explain(arena, &got, result);
}
