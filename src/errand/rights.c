/*
 * The rights of a role, by one statement of our own over the server's catalogue, carried out like any other: read-only,
 * in the worker.  The server may answer anything: a row is used only if it is a word of the table below and a name.
 */
#include "errand/rights.h"

#include "errand/statement.h"

#define WALL_MS 30000
#define ROWS    1000
#define BYTES   65536

#define NOT_SYSTEM "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
#define MAY_WRITE                                                                            \
	"(has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE') OR"   \
	" has_table_privilege(c.oid, 'DELETE') OR has_table_privilege(c.oid, 'TRUNCATE') OR" \
	" has_any_column_privilege(c.oid, 'INSERT') OR has_any_column_privilege(c.oid, 'UPDATE'))"
#define LEAST "LIMIT 10)"

/* Every part returns (word, name).  A superuser may do everything, so that is reported once. */
static const char rights_sql[] =
	"WITH me AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = current_user)"
	" SELECT 'superuser' AS word, '' AS name FROM me WHERE rolsuper"
	" UNION ALL SELECT 'replication', '' FROM me WHERE rolreplication AND NOT rolsuper"
	" UNION ALL SELECT 'createrole', '' FROM me WHERE rolcreaterole AND NOT rolsuper"
	" UNION ALL SELECT 'createdb', '' FROM me WHERE rolcreatedb AND NOT rolsuper"
	" UNION ALL SELECT 'member', r.rolname FROM pg_catalog.pg_roles r, me WHERE NOT me.rolsuper AND r.oid <> me.oid"
	" AND pg_has_role(r.oid, 'MEMBER') AND (r.rolsuper OR r.rolname IN ('pg_read_server_files',"
	" 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend', 'pg_write_all_data',"
	" 'pg_create_subscription', 'pg_maintain', 'pg_checkpoint', 'pg_database_owner'))"
	" UNION ALL SELECT 'database', d.datname FROM pg_catalog.pg_database d, me WHERE NOT me.rolsuper"
	" AND d.datname = current_database() AND has_database_privilege(d.oid, 'CREATE')"
	" UNION ALL (SELECT 'schema', n.nspname FROM pg_catalog.pg_namespace n, me WHERE NOT me.rolsuper "
	"AND " NOT_SYSTEM " AND has_schema_privilege(n.oid, 'CREATE') " LEAST
	" UNION ALL (SELECT 'table', n.nspname || '.' || c.relname FROM pg_catalog.pg_class c"
	" JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, me WHERE NOT me.rolsuper"
	" AND c.relkind IN ('r', 'p', 'v', 'f') AND " NOT_SYSTEM " AND has_schema_privilege(n.oid, 'USAGE')"
	" AND " MAY_WRITE " " LEAST
	" UNION ALL (SELECT 'sequence', n.nspname || '.' || c.relname FROM pg_catalog.pg_class c"
	" JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, me WHERE NOT me.rolsuper AND c.relkind = 'S'"
	" AND " NOT_SYSTEM
	" AND (has_sequence_privilege(c.oid, 'USAGE') OR has_sequence_privilege(c.oid, 'UPDATE')) " LEAST
	" UNION ALL (SELECT DISTINCT 'function', p.proname::text FROM pg_catalog.pg_proc p, me WHERE NOT me.rolsuper"
	" AND p.proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', "
	"'lo_export',"
	" 'pg_file_write', 'dblink', 'dblink_exec', 'dblink_connect', 'pg_reload_conf') AND "
	"has_function_privilege(p.oid, 'EXECUTE') " LEAST
	" UNION ALL (SELECT 'definer', n.nspname || '.' || p.proname FROM pg_catalog.pg_proc p"
	" JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace, me WHERE NOT me.rolsuper AND p.prosecdef"
	" AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') AND " NOT_SYSTEM
	" " LEAST " UNION ALL (SELECT 'untrusted', n.nspname || '.' || p.proname FROM pg_catalog.pg_proc p"
	" JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace"
	" JOIN pg_catalog.pg_language l ON l.oid = p.prolang, me WHERE NOT me.rolsuper AND NOT l.lanpltrusted"
	" AND l.lanname NOT IN ('internal', 'c', 'sql') AND has_schema_privilege(n.oid, 'USAGE')"
	" AND has_function_privilege(p.oid, 'EXECUTE') AND " NOT_SYSTEM " " LEAST;

/* The meaning of each word, around the name. */
static const struct {
	const char *word, *before, *after, *to_do;
	bool is_grave;
} meanings[] = {
	{"superuser", "the role is a superuser: it may read and write the server's files and run programs there", "",
	 "use a role of its own for Keyhole, made by CREATE ROLE name LOGIN, and GRANT SELECT on what it needs", true},
	{"replication", "the role may replicate: it can read everything that the server has", "",
	 "ALTER ROLE name NOREPLICATION", true},
	{"createrole", "the role may make and change other roles", "", "ALTER ROLE name NOCREATEROLE", false},
	{"createdb", "the role may make databases", "", "ALTER ROLE name NOCREATEDB", false},
	{"member", "the role is a member of ", ", and has its rights", "REVOKE that role FROM this one", true},
	{"database", "the role may make schemas in the database ", "",
	 "REVOKE CREATE ON DATABASE ... FROM the role and PUBLIC", false},
	{"schema", "the role may make tables and functions in the schema ", "",
	 "REVOKE CREATE ON SCHEMA ... FROM the role and PUBLIC", false},
	{"table", "the role may write to ", ": what keeps it from that is the read-only transaction alone",
	 "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ... FROM the role and PUBLIC", false},
	{"sequence", "the role may advance the sequence ", "",
	 "REVOKE USAGE, UPDATE ON SEQUENCE ... FROM the role and PUBLIC", false},
	{"function", "the role may call ", ", which reaches past the data: files, other servers or settings",
	 "REVOKE EXECUTE ON FUNCTION ... FROM the role and PUBLIC", true},
	{"definer", "the role may call ", ", which runs with the rights of its owner",
	 "see that it only reads, or REVOKE EXECUTE ON FUNCTION ... FROM the role and PUBLIC", false},
	{"untrusted", "the role may call ", ", of a language that can do anything as the server",
	 "REVOKE EXECUTE ON FUNCTION ... FROM the role and PUBLIC", true},
};

static void add(struct kh_arena *arena, struct kh_view word, struct kh_view name, struct kh_rights *rights)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (!kh_view_eq(word, kh_view_str(meanings[i].word)) || rights->n == KH_RIGHTS_MOST)
			continue;
		struct kh_view quoted = name.n > 0 ? kh_arena_quote(arena, name) : name;
		rights->finding[rights->n++] = (struct kh_rights_finding){
			.means = kh_arena_printf(arena, "%s%.*s%s", meanings[i].before, KH_FMT(quoted),
						 meanings[i].after),
			.to_do = meanings[i].to_do,
			.is_grave = meanings[i].is_grave,
		};
	}
}

static void take(struct kh_arena *arena, const struct kh_statement_result *got, bool is_file, struct kh_rights *rights)
{
	yyjson_val *row;
	size_t i, n;

	rights->looked = got->done;
	rights->why = got->why;
	if (!got->done || is_file)
		return;
	yyjson_arr_foreach (got->rows, i, n, row)
		add(arena, kh_json_str(yyjson_arr_get(row, 0)), kh_json_str(yyjson_arr_get(row, 1)), rights);
}

enum kh_err kh_rights_look(const struct kh_errand_tools *tools, const struct kh_config_database *database,
			   struct kh_arena *arena, struct kh_rights *ret_rights)
{
	struct kh_config_database own = *database; /* with caps for this statement */
	bool is_file = database->file.n > 0;
	struct kh_statement statement = {
		.database = &own,
		.password = kh_statement_password(tools, database),
		.sql = is_file ? KH_LIT("SELECT count(*) FROM sqlite_master") : kh_view_str(rights_sql),
		.wall_ms = WALL_MS,
	};
	struct kh_statement_result got;

	own.rows = ROWS;
	own.bytes = BYTES;
	enum kh_err e = kh_statement_run(tools, &statement, arena, &got);
	if (e != KH_OK)
		return e;
	*ret_rights = (struct kh_rights){.looked = false};
	take(arena, &got, is_file, ret_rights);
	return kh_arena_check(arena);
}
