/*
 * Statements: makes the job from the configuration, and checks the shape of the worker's answer.  What a worker read
 * may have taken it over, so nothing is assumed of its answer except that it is JSON of that shape.
 */
#include "errand/statement.h"

#include "core/policy/allot.h"
#include "errand/job.h"

#define SLACK   4096 /* bytes of a result that are not rows */
#define GRACE_S 5    /* for the sandbox, the connection and the way back */

static struct kh_view without_brackets(struct kh_view host)
{
	return kh_view_starts(host, KH_LIT("[")) && host.n > 2 ? kh_view_sub(host, 1, host.n - 1) : host;
}

static void add_server(yyjson_mut_doc *doc, yyjson_mut_val *database, const struct kh_statement *statement)
{
	const struct kh_config_database *to = statement->database;

	kh_json_add(doc, database, "host", without_brackets(to->host));
	yyjson_mut_obj_add_uint(doc, database, "port", to->port);
	kh_json_add(doc, database, "dbname", to->dbname);
	kh_json_add(doc, database, "user", to->user);
	if (statement->password.n > 0)
		kh_json_add(doc, database, "password", statement->password);
	if (to->authority.n > 0)
		kh_json_add(doc, database, "authority", to->authority);
	yyjson_mut_obj_add_bool(doc, database, "plain", to->plain == KH_CONFIG_TRUE);
}

/* The time limit in seconds of the statement itself, within that of the whole errand. */
static uint64_t seconds_of(const struct kh_statement *statement)
{
	uint64_t wall = statement->wall_ms / 1000, seconds = statement->database->seconds;

	return wall > 0 && wall < seconds ? wall : seconds > 0 ? seconds : 1;
}

static size_t bytes_of(const struct kh_statement *statement)
{
	return kh_allot_output(&statement->limits, statement->database->bytes);
}

static enum kh_err make_job(struct kh_arena *arena, const struct kh_statement *statement, struct kh_view *ret_job)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *database = yyjson_mut_obj_add_obj(doc, root, "database");

	if (statement->database->file.n > 0)
		kh_json_add(doc, database, "file", statement->database->file);
	else
		add_server(doc, database, statement);
	kh_json_add(doc, root, "sql", statement->sql);
	if (statement->params != NULL)
		yyjson_mut_obj_add_val(doc, root, "params", yyjson_val_mut_copy(doc, statement->params));
	yyjson_mut_obj_add_uint(doc, root, "rows", statement->database->rows);
	yyjson_mut_obj_add_uint(doc, root, "bytes", bytes_of(statement));
	yyjson_mut_obj_add_uint(doc, root, "seconds", seconds_of(statement));
	return kh_json_write(arena, root, ret_job);
}

/* Sets the files and the connection. */
static void describe(struct kh_arena *arena, const struct kh_config_database *to, struct kh_run *run)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	bool folder = to->host.n > 0 && to->host.p[0] == '/';

	if (to->file.n > 0) {
		for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			run->read[run->reads++] = kh_arena_printf(arena, "%.*s%s", KH_FMT(to->file), suffixes[i]);
		return;
	}
	if (to->authority.n > 0)
		run->read[run->reads++] = to->authority;
	run->connect = kh_arena_printf(arena, folder ? "%.*s/.s.PGSQL.%llu" : "%.*s:%llu", KH_FMT(to->host),
				       (unsigned long long)to->port);
	if (to->local == KH_CONFIG_TRUE)
		run->host[run->hosts++] = to->host;
}

static bool is_row(yyjson_val *row, size_t columns)
{
	yyjson_val *value;
	size_t i, n;

	if (!yyjson_is_arr(row) || yyjson_arr_size(row) != columns)
		return false;
	yyjson_arr_foreach (row, i, n, value)
		if (yyjson_is_ctn(value))
			return false;
	return true;
}

/* True if ROOT has the form of wire/sqlrows.h. */
static bool take_rows(yyjson_val *root, struct kh_statement_result *result)
{
	yyjson_val *columns = kh_json_get(root, "columns"), *rows = kh_json_get(root, "rows"), *item;
	yyjson_val *truncated = kh_json_get(root, "truncated");
	size_t i, n;

	if (!yyjson_is_arr(columns) || !yyjson_is_arr(rows) || !yyjson_is_bool(truncated))
		return false;
	yyjson_arr_foreach (columns, i, n, item)
		if (!yyjson_is_str(item))
			return false;
	yyjson_arr_foreach (rows, i, n, item)
		if (!is_row(item, yyjson_arr_size(columns)))
			return false;
	result->columns = columns;
	result->rows = rows;
	result->truncated = yyjson_get_bool(truncated);
	return true;
}

static enum kh_err take_result(struct kh_arena *arena, const struct kh_errand_job_result *job,
			       struct kh_statement_result *result)
{
	yyjson_val *root = NULL;

	if (job->end != KH_ERRAND_JOB_DONE) {
		result->code = job->word;
		result->why = job->why;
		return KH_OK;
	}
	enum kh_err e = kh_json_read(arena, kh_tainted_open(job->output), &root, NULL);
	if (e == KH_ENOMEM)
		return e;
	result->done = e == KH_OK && yyjson_is_obj(root) && take_rows(root, result);
	if (!result->done)
		result->why = KH_LIT("the worker gave something that is no result");
	return KH_OK;
}

enum kh_err kh_statement_run(const struct kh_errand_tools *tools, const struct kh_statement *statement,
			     struct kh_arena *arena, struct kh_statement_result *ret_result)
{
	struct kh_statement_result result = {.done = false};
	uint64_t wall_ms = (seconds_of(statement) + GRACE_S) * 1000;
	struct kh_errand_job job = {.run.profile = KH_PROFILE_QUERY, .most = bytes_of(statement) + SLACK};
	struct kh_errand_job_result done;

	if (statement->wall_ms > 0 && statement->wall_ms < wall_ms)
		wall_ms = statement->wall_ms;
	job.run.limits.wall_ms = wall_ms;
	if (wall_ms / 1000 > kh_profile_limits(KH_PROFILE_QUERY)->cpu_s)
		job.run.limits.cpu_s = wall_ms / 1000;
	describe(arena, statement->database, &job.run);
	enum kh_err e = make_job(arena, statement, &job.job);
	if (e == KH_OK)
		e = kh_errand_job_run(tools->client, &job, arena, &done);
	if (e == KH_OK)
		e = take_result(arena, &done, &result);
	if (e == KH_OK)
		*ret_result = result;
	return e;
}

struct kh_view kh_statement_source(struct kh_arena *arena, const struct kh_config_database *database)
{
	if (database->host.n == 0 || database->host.p[0] == '/')
		return kh_arena_printf(arena, "database %.*s", KH_FMT(database->name));
	return kh_arena_printf(arena, "postgresql://%.*s/%.*s", KH_FMT(database->host), KH_FMT(database->dbname));
}

struct kh_view kh_statement_password(const struct kh_errand_tools *tools, const struct kh_config_database *database)
{
	const struct kh_config_database *first = tools->config->databases.at;

	return tools->passwords != NULL ? tools->passwords[database - first] : (struct kh_view){NULL, 0};
}
