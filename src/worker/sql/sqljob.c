/*
 * Parses jobs by a table.  sql.c carries one out, with query_sqlite.c or query_postgres.c.
 */
#include "worker/sql/sqljob.h"

#include "base/member.h"
#include "worker/sql/sqltext.h"

enum { DATABASE, SQL, PARAMS, ROWS, BYTES, SECONDS, MEMBERS };
enum { FILE_, HOST, PORT, DBNAME, USER, PASSWORD, AUTHORITY, PLAIN, DATABASE_MEMBERS };

#define DATABASE_PATH KH_LIT("database")

/* The first fault, with the code that all faults have. */
static enum kh_err bad(struct kh_arena *arena, const struct kh_reasons *reasons, struct kh_error *err)
{
	const struct kh_reason *first = &reasons->at[0];
	enum kh_err e = kh_arena_check(arena);

	return e != KH_OK ? e
			  : kh_error_set(err, KH_EINPUT, "job_refused", "%.*s: %.*s", KH_FMT(first->member),
					 KH_FMT(first->detail));
}

static void refuse(struct kh_reasons *reasons, struct kh_view member, const char *why)
{
	kh_reasons_add(reasons, "bad_value", member, "%s", why);
}

/* Checks texts that become C strings, and paths. */
static void check_text(struct kh_view text, bool is_path, struct kh_view member, struct kh_reasons *reasons)
{
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		refuse(reasons, member, "holds a NUL character");
	if (text.n > 4096)
		refuse(reasons, member, "has more than 4,096 bytes");
	if (is_path && text.n > 0 && text.p[0] != '/')
		refuse(reasons, member, "expected an absolute path");
}

static void read_server(struct kh_member *has, struct kh_sqljob *job, struct kh_reasons *reasons)
{
	struct {
		struct kh_view *to;
		unsigned member;
		bool is_path;
	} const texts[] = {{&job->host, HOST, false},
			   {&job->dbname, DBNAME, false},
			   {&job->user, USER, false},
			   {&job->password, PASSWORD, false},
			   {&job->authority, AUTHORITY, true}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct kh_member *member = &has[texts[i].member];

		*texts[i].to = kh_member_string(member, texts[i].member <= USER, DATABASE_PATH, reasons);
		check_text(*texts[i].to, texts[i].is_path, kh_view_str(member->name), reasons);
		if (texts[i].member <= USER && texts[i].to->p != NULL && texts[i].to->n == 0)
			refuse(reasons, kh_view_str(member->name), "must not be empty");
	}
	job->port = (uint64_t)kh_member_int(&has[PORT], false, 1, 65535, 5432, DATABASE_PATH, reasons);
	job->plain = yyjson_is_true(has[PLAIN].val);
	if (has[PLAIN].val != NULL && !yyjson_is_bool(has[PLAIN].val))
		refuse(reasons, KH_LIT("database.plain"), "expected true or false");
}

static void read_database(yyjson_val *database, struct kh_sqljob *job, struct kh_reasons *reasons)
{
	struct kh_member has[DATABASE_MEMBERS] = {
		[FILE_] = {.name = "file"},          [HOST] = {.name = "host"},   [PORT] = {.name = "port"},
		[DBNAME] = {.name = "dbname"},       [USER] = {.name = "user"},   [PASSWORD] = {.name = "password"},
		[AUTHORITY] = {.name = "authority"}, [PLAIN] = {.name = "plain"},
	};

	if (!yyjson_is_obj(database)) {
		refuse(reasons, DATABASE_PATH, "expected an object");
		return;
	}
	kh_member_take(database, has, DATABASE_MEMBERS, DATABASE_PATH, reasons);
	if (has[FILE_].val == NULL) {
		read_server(has, job, reasons);
		return;
	}
	job->file = kh_member_string(&has[FILE_], true, DATABASE_PATH, reasons);
	check_text(job->file, true, KH_LIT("database.file"), reasons);
	if (job->file.n == 0 || yyjson_obj_size(database) > 1)
		refuse(reasons, DATABASE_PATH, "expected a file alone, or a server");
}

static void check_params(yyjson_val *params, struct kh_reasons *reasons)
{
	yyjson_val *key, *value;
	size_t i, n;

	if (params == NULL || yyjson_is_null(params))
		return;
	if (!yyjson_is_ctn(params)) {
		refuse(reasons, KH_LIT("params"), "expected an array or an object");
	} else if (yyjson_is_arr(params)) {
		yyjson_arr_foreach (params, i, n, value)
			if (yyjson_is_ctn(value))
				refuse(reasons, KH_LIT("params"), "expected strings, numbers, booleans and nulls");
	} else {
		yyjson_obj_foreach (params, i, n, key, value)
			if (yyjson_is_ctn(value) || memchr(yyjson_get_str(key), 0, yyjson_get_len(key)) != NULL)
				refuse(reasons, KH_LIT("params"),
				       "expected names, and strings, numbers, booleans and nulls");
	}
	if (yyjson_get_len(params) > KH_SQLTEXT_VALUES)
		refuse(reasons, KH_LIT("params"), "more than 64 values");
}

enum kh_err kh_sqljob_read(struct kh_arena *arena, yyjson_val *root, struct kh_sqljob *ret_job, struct kh_error *err)
{
	struct kh_member has[MEMBERS] = {
		[DATABASE] = {.name = "database"}, [SQL] = {.name = "sql"},     [PARAMS] = {.name = "params"},
		[ROWS] = {.name = "rows"},         [BYTES] = {.name = "bytes"}, [SECONDS] = {.name = "seconds"},
	};
	struct kh_view top = KH_LIT("");
	struct kh_sqljob job = {.port = 0};
	struct kh_reasons reasons;

	kh_reasons_init(&reasons, arena);
	if (!yyjson_is_obj(root))
		return kh_error_set(err, KH_EINPUT, "job_refused", "a job is one JSON object");
	kh_member_take(root, has, MEMBERS, top, &reasons);
	read_database(has[DATABASE].val, &job, &reasons);
	job.sql = kh_member_string(&has[SQL], true, top, &reasons);
	check_params(has[PARAMS].val, &reasons);
	job.params = yyjson_is_ctn(has[PARAMS].val) ? has[PARAMS].val : NULL;
	job.rows = (size_t)kh_member_int(&has[ROWS], true, 1, KH_SQLJOB_ROWS, 1, top, &reasons);
	job.bytes = (size_t)kh_member_int(&has[BYTES], true, 1, KH_SQLJOB_BYTES, 1, top, &reasons);
	job.seconds = (uint64_t)kh_member_int(&has[SECONDS], true, 1, KH_SQLJOB_SECONDS, 1, top, &reasons);
	enum kh_err e = kh_arena_check(arena);
	if (e == KH_OK && reasons.n > 0)
		e = bad(arena, &reasons, err);
	if (e == KH_OK)
		*ret_job = job;
	return e;
}

const char *kh_sqljob_text(struct kh_arena *arena, struct kh_view v)
{
	char *text = kh_arena_alloc(arena, v.n + 1);

	if (text != NULL && v.n > 0)
		memcpy(text, v.p, v.n);
	return text;
}

struct kh_view kh_sqljob_value(struct kh_arena *arena, yyjson_val *value)
{
	struct kh_view text = {NULL, 0};

	if (yyjson_is_str(value))
		return kh_json_str(value);
	if (yyjson_is_bool(value))
		return yyjson_get_bool(value) ? KH_LIT("true") : KH_LIT("false");
	if (!yyjson_is_num(value))
		return text;
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *copy = doc != NULL ? yyjson_val_mut_copy(doc, value) : NULL;
	if (copy == NULL || kh_json_write(arena, copy, &text) != KH_OK)
		arena->failed = true;
	return text;
}
