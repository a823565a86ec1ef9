/*
 * Reads the sections on databases, search, network and verification.  They are the operator's, but they are not trusted
 * to be well-formed.  A key without a meaning in its place is refused, because an operator could take it for
 * protection.
 */
#include "core/policy/sources.h"

#include "core/comm/url.h"
#include "core/policy/field.h"
#include "core/policy/match.h"
#include "core/policy/reach.h"

#define IS_SERVER \
	"a host such as db.example.com, an address (IPv6 in brackets), or the absolute path of a socket's folder"
#define IS_TABLE   "a table such as orders or shop.orders: letters, digits and _, and no digit first"
#define IS_COLUMN  "a column: letters, digits and _, and no digit first"
#define IS_LOGIN   "a name of 1 to 63 bytes without control characters"
#define IS_SEARCH  "a URL such as https://search.example.com/search"
#define IS_PRIVATE "a host such as intranet.example, or with its port; an IPv6 address in brackets"

#define PORT    5432
#define SECONDS 10
#define ROWS    1000
#define BYTES   (1U << 20)
#define REFRESH 30

/* A name or an address without a port, because the port has a key of its own. */
static bool is_server(struct kh_view text)
{
	if (kh_match_is_path(text))
		return true;
	bool bracketed = text.n > 0 && text.p[0] == '[';
	return kh_reach_is_host(text) && (bracketed ? text.p[text.n - 1] == ']' : memchr(text.p, ':', text.n) == NULL);
}

static bool is_login(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f)
			return false;
	}
	return text.n >= 1 && text.n <= 63;
}

/* A table's name that needs no quotes in SQL, with or without a schema before a dot. */
static bool is_table(struct kh_view text)
{
	size_t dot = kh_view_find(text, KH_LIT("."), 0);

	if (dot == SIZE_MAX)
		return kh_match_is_variable(text);
	return kh_match_is_variable(kh_view_sub(text, 0, dot)) && kh_match_is_variable(kh_view_from(text, dot + 1));
}

static const struct kh_schema_field database_fields[] = {
	TEXT(kh_config_database, name, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_config_database, file, false, 1, 1024, kh_match_is_path, IS_PATH),
	TEXT(kh_config_database, host, false, 1, 253, is_server, IS_SERVER),
	NUMBER(kh_config_database, port, 1, 65535),
	TEXT(kh_config_database, dbname, false, 1, 63, is_login, IS_LOGIN),
	TEXT(kh_config_database, user, false, 1, 63, is_login, IS_LOGIN),
	TEXT(kh_config_database, password_file, false, 1, 1024, kh_match_is_key_file, IS_KEY_FILE),
	TEXT(kh_config_database, password_environment, false, 1, 128, kh_match_is_variable, IS_VARIABLE),
	TEXT(kh_config_database, authority, false, 1, 1024, kh_match_is_path, IS_PATH),
	WORD(kh_config_database, local, kh_settings_switch_words),
	WORD(kh_config_database, plain, kh_settings_switch_words),
	NUMBER(kh_config_database, seconds, 1, 300),
	NUMBER(kh_config_database, rows, 1, 100000),
	NUMBER(kh_config_database, bytes, 1, 8U << 20),
};

/* Makes keys that are left out recognisable. */
static void start_database(const struct kh_outline *node, void *item)
{
	(void)node;
	*(struct kh_config_database *)item = (struct kh_config_database){.local = KH_CONFIG_UNSAID,
									 .plain = KH_CONFIG_UNSAID};
}

const struct kh_shape kh_sources_database = LINED(database_fields, kh_config_database, start_database);

static const struct kh_schema_field table_fields[] = {
	TEXT(kh_config_table, database, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_config_table, table, true, 1, 127, is_table, IS_TABLE),
	TEXTS_SOME(kh_config_table, columns, true, 64, kh_match_is_variable, IS_COLUMN),
};
static const struct kh_shape table_shape = LINED(table_fields, kh_config_table, NULL);

static const struct kh_schema_field search_fields[] = {
	TEXTS(kh_config_search, folders, false, 64, kh_match_is_path, IS_PATH),
	NUMBER(kh_config_search, refresh_seconds, 1, 86400),
	TEXT(kh_config_search, url, false, 1, 2048, kh_match_is_web, IS_SEARCH),
	TEXT(kh_config_search, key_file, false, 1, 1024, kh_match_is_key_file, IS_KEY_FILE),
	TEXT(kh_config_search, key_environment, false, 1, 128, kh_match_is_variable, IS_VARIABLE),
	TEXT(kh_config_search, authority, false, 1, 1024, kh_match_is_path, IS_PATH),
	WORD(kh_config_search, local, kh_settings_switch_words),
	LIST(kh_config_search, tables, 256, table_shape),
};
const struct kh_shape kh_sources_search = LINED(search_fields, kh_config_search, NULL);

static const struct kh_schema_field network_fields[] = {
	TEXTS(kh_config_network, private_hosts, false, 64, kh_reach_is_host, IS_PRIVATE),
	TEXT(kh_config_network, authority, false, 1, 1024, kh_match_is_path, IS_PATH),
};
const struct kh_shape kh_sources_network = LINED(network_fields, kh_config_network, NULL);

static const struct kh_schema_field verification_fields[] = {
	TEXT(kh_config_verification, triage, false, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_config_verification, supervisor, false, 1, 64, kh_match_is_name, IS_NAME),
};
const struct kh_shape kh_sources_verification = LINED(verification_fields, kh_config_verification, NULL);

void kh_sources_start(struct kh_config *config)
{
	config->search = (struct kh_config_search){.refresh_seconds = REFRESH, .local = KH_CONFIG_UNSAID};
}

struct walk {
	const struct kh_outline_source *source;
	struct kh_config *config;
	struct kh_error *err;
};

static enum kh_err refuse(struct walk *w, unsigned line, struct kh_view what, const char *expected)
{
	return kh_outline_error(w->source, line, SIZE_MAX, what, kh_view_str(expected), w->err);
}

/* One key of a section, and whether the file has it. */
struct said {
	const char *key;
	bool said;
};

/* Checks that the file has none of COUNT keys; else the error names the key and says why it has no meaning here. */
static enum kh_err check_unsaid(struct walk *w, unsigned line, struct kh_view path, const struct said *keys,
				size_t count, const char *where, const char *expected)
{
	size_t i = 0;

	while (i < count && !keys[i].said)
		i++;
	if (i == count)
		return KH_OK;
	return refuse(w, line, kh_arena_printf(w->source->arena, "%.*s: %s %s", KH_FMT(path), keys[i].key, where),
		      expected);
}

/* Checks a SQLite database: it has a file and no keys of a server. */
static enum kh_err check_file(struct walk *w, const struct kh_config_database *d, struct kh_view path)
{
	const struct said keys[] = {
		{"port", d->port != 0},
		{"dbname", d->dbname.n > 0},
		{"user", d->user.n > 0},
		{"password_file", d->password_file.n > 0},
		{"password_environment", d->password_environment.n > 0},
		{"authority", d->authority.n > 0},
		{"local", d->local != KH_CONFIG_UNSAID},
		{"plain", d->plain != KH_CONFIG_UNSAID},
	};

	return check_unsaid(w, d->line, path, keys, COUNT(keys), "beside file", "it only beside host");
}

/* Checks PostgreSQL on a Unix socket: it has no keys of the network. */
static enum kh_err check_socket(struct walk *w, const struct kh_config_database *d, struct kh_view path)
{
	const struct said keys[] = {
		{"authority", d->authority.n > 0},
		{"local", d->local != KH_CONFIG_UNSAID},
		{"plain", d->plain != KH_CONFIG_UNSAID},
	};

	return check_unsaid(w, d->line, path, keys, COUNT(keys), "for a Unix socket",
			    "it only where host is a name or an address");
}

/* Checks PostgreSQL: the user and the database, how the password is kept, and TLS or `plain` for none. */
static enum kh_err check_server(struct walk *w, const struct kh_config_database *d, struct kh_view path)
{
	struct kh_arena *arena = w->source->arena;

	if (d->dbname.n == 0)
		return refuse(w, d->line, path, "the key dbname in it, the database's name on the server");
	if (d->user.n == 0)
		return refuse(w, d->line, path, "the key user in it, the role that it is read as");
	if (d->password_file.n > 0 && d->password_environment.n > 0)
		return refuse(w, d->line,
			      kh_arena_printf(arena, "%.*s: password_file and password_environment", KH_FMT(path)),
			      "one of them");
	if (d->host.p[0] == '/')
		return check_socket(w, d, path);
	if (d->plain == KH_CONFIG_TRUE && d->local != KH_CONFIG_TRUE)
		return refuse(w, d->line, kh_arena_printf(arena, "%.*s: plain: true", KH_FMT(path)),
			      "TLS, or local: true for a server of this machine or network");
	if (d->plain == KH_CONFIG_TRUE && d->authority.n > 0)
		return refuse(w, d->line, kh_arena_printf(arena, "%.*s: authority beside plain: true", KH_FMT(path)),
			      "one of the two");
	return KH_OK;
}

static void fill_database(struct kh_config_database *d)
{
	if (d->local == KH_CONFIG_UNSAID)
		d->local = KH_CONFIG_FALSE;
	if (d->plain == KH_CONFIG_UNSAID)
		d->plain = KH_CONFIG_FALSE;
	if (d->port == 0 && d->host.n > 0)
		d->port = PORT;
	if (d->seconds == 0)
		d->seconds = SECONDS;
	if (d->rows == 0)
		d->rows = ROWS;
	if (d->bytes == 0)
		d->bytes = BYTES;
}

static enum kh_err check_database(struct walk *w, struct kh_config_database *all, size_t i)
{
	struct kh_config_database *d = &all[i];
	struct kh_view path = kh_arena_printf(w->source->arena, "databases[%zu]", i);
	enum kh_err e;

	for (size_t j = 0; j < i; j++) {
		if (kh_view_eq(d->name, all[j].name))
			return refuse(w, d->line,
				      kh_arena_printf(w->source->arena, "%.*s.name: %.*s stands twice", KH_FMT(path),
						      KH_FMT(d->name)),
				      "each name once");
	}
	if (d->file.n > 0 && d->host.n > 0)
		return refuse(w, d->line, kh_arena_printf(w->source->arena, "%.*s: file and host", KH_FMT(path)),
			      "one of them: file for SQLite, host for PostgreSQL");
	if (d->file.n == 0 && d->host.n == 0)
		return refuse(w, d->line, path, "the key file (SQLite) or host (PostgreSQL) in it");
	e = d->file.n > 0 ? check_file(w, d, path) : check_server(w, d, path);
	fill_database(d);
	return e;
}

static enum kh_err check_databases(struct walk *w)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < w->config->databases.n; i++)
		e = check_database(w, w->config->databases.at, i);
	return e;
}

/* Each folder may appear once and not inside another, so that no file is found twice. */
static enum kh_err check_folders(struct walk *w)
{
	const struct kh_texts *folders = &w->config->search.folders;

	for (size_t i = 1; i < folders->n; i++) {
		for (size_t j = 0; j < i; j++) {
			struct kh_view a = folders->at[i], b = folders->at[j];
			if (kh_match_path(a, b) || kh_match_path(b, a))
				return refuse(w, w->config->search.line,
					      kh_arena_printf(w->source->arena,
							      "search.folders[%zu]: %.*s is or is in folders[%zu], or "
							      "the other way round",
							      i, KH_FMT(a), j),
					      "folders apart from each other");
		}
	}
	return KH_OK;
}

static enum kh_err check_columns(struct walk *w, const struct kh_config_table *table, struct kh_view path)
{
	for (size_t i = 1; i < table->columns.n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (kh_view_eq(table->columns.at[i], table->columns.at[j]))
				return refuse(w, table->line,
					      kh_arena_printf(w->source->arena, "%.*s.columns[%zu]: %.*s stands twice",
							      KH_FMT(path), i, KH_FMT(table->columns.at[i])),
					      "each column once");
		}
	}
	return KH_OK;
}

static enum kh_err check_table(struct walk *w, const struct kh_config_table *tables, size_t i)
{
	const struct kh_config_table *table = &tables[i];
	struct kh_view path = kh_arena_printf(w->source->arena, "search.tables[%zu]", i);

	if (kh_settings_database(w->config, table->database) == NULL)
		return refuse(
			w, table->line,
			kh_arena_printf(w->source->arena, "%.*s.database: %.*s", KH_FMT(path), KH_FMT(table->database)),
			"the name of an entry of databases");
	for (size_t j = 0; j < i; j++) {
		if (kh_view_eq(table->database, tables[j].database) && kh_view_eq(table->table, tables[j].table))
			return refuse(w, table->line,
				      kh_arena_printf(w->source->arena, "%.*s: %.*s of %.*s stands twice", KH_FMT(path),
						      KH_FMT(table->table), KH_FMT(table->database)),
				      "each table once");
	}
	return check_columns(w, table, path);
}

/* Checks the web search's endpoint; without one, its keys have no meaning. */
static enum kh_err check_endpoint(struct walk *w)
{
	const struct kh_config_search *s = &w->config->search;
	const struct said keys[] = {
		{"key_file", s->key_file.n > 0},
		{"key_environment", s->key_environment.n > 0},
		{"authority", s->authority.n > 0},
		{"local", s->local != KH_CONFIG_UNSAID},
	};
	struct kh_url url;

	if (s->url.n == 0)
		return check_unsaid(w, s->line, KH_LIT("search"), keys, COUNT(keys), "without url",
				    "it only beside url");
	if (kh_url_read_web(s->url, s->local == KH_CONFIG_TRUE, &url, NULL) != KH_OK)
		return refuse(w, s->line, KH_LIT("search.url: plain http"),
			      "https, or local: true for an endpoint of this machine or network");
	if (s->key_file.n > 0 && s->key_environment.n > 0)
		return refuse(w, s->line, KH_LIT("search: key_file and key_environment"), "one of them");
	return KH_OK;
}

static enum kh_err check_search(struct walk *w)
{
	struct kh_config_search *search = &w->config->search;
	enum kh_err e = check_folders(w);

	if (e == KH_OK)
		e = check_endpoint(w);
	for (size_t i = 0; e == KH_OK && i < search->tables.n; i++)
		e = check_table(w, search->tables.at, i);
	if (search->local == KH_CONFIG_UNSAID)
		search->local = KH_CONFIG_FALSE;
	return e;
}

/*
 * A model that verifies is a Reader with a driver that can be asked about a call; `extract` works by fixed rules and
 * cannot be asked.
 */
static enum kh_err check_verifier(struct walk *w, const char *key, struct kh_view name)
{
	const struct kh_config_reader *reader = kh_settings_reader(w->config, name);

	if (name.n == 0 || (reader != NULL && reader->driver != KH_CONFIG_DRIVER_EXTRACT))
		return KH_OK;
	return refuse(w, w->config->verification.line,
		      kh_arena_printf(w->source->arena, "verification.%s: %.*s", key, KH_FMT(name)),
		      "the name of an entry of readers whose driver is not extract");
}

/* Checks that each statement's database exists; otherwise the mistake would show only when the statement is called. */
static enum kh_err check_statements(struct walk *w)
{
	const struct kh_policy_rule *rules = w->config->policy.operations.at;

	for (size_t i = 0; i < w->config->policy.operations.n; i++) {
		const struct kh_policy_statement *statements = rules[i].statements.at;
		for (size_t j = 0; j < rules[i].statements.n; j++) {
			if (kh_settings_database(w->config, statements[j].database) == NULL)
				return refuse(w, statements[j].line,
					      kh_arena_printf(w->source->arena,
							      "policy.operations[%zu].statements[%zu].database: %.*s",
							      i, j, KH_FMT(statements[j].database)),
					      "the name of an entry of databases");
		}
	}
	return KH_OK;
}

/*
 * True if the database is on this machine: a file, a Unix socket, or a loopback address.  A host name may mean any
 * machine, so it counts as remote.
 */
static bool is_here(struct kh_arena *arena, const struct kh_config_database *d)
{
	struct kh_reach reach;

	if (d->file.n > 0 || d->host.p[0] == '/')
		return true;
	struct kh_view address = kh_arena_printf(arena, "%.*s:1", KH_FMT(d->host));
	return address.p != NULL && kh_reach_read(address, &reach) && reach.is_loopback;
}

/* Tells the policy which databases are behind a network (E5). */
static void tell_policy(struct kh_arena *arena, struct kh_config *config)
{
	const struct kh_config_database *databases = config->databases.at;
	const struct kh_config_table *tables = config->search.tables.at;
	struct kh_policy *policy = &config->policy;

	policy->remote_databases.at = KH_NEW_N(arena, struct kh_view, config->databases.n);
	if (policy->remote_databases.at == NULL)
		return; /* the arena is marked */
	for (size_t i = 0; i < config->databases.n; i++) {
		if (!is_here(arena, &databases[i]))
			policy->remote_databases.at[policy->remote_databases.n++] = databases[i].name;
	}
	for (size_t i = 0; i < config->search.tables.n; i++)
		policy->is_search_remote = policy->is_search_remote ||
					   !is_here(arena, kh_settings_database(config, tables[i].database));
}

enum kh_err kh_sources_finish(const struct kh_outline_source *source, struct kh_config *config, bool policy_alone,
			      struct kh_error *err)
{
	struct walk w = {.source = source, .config = config, .err = err};
	enum kh_err e = check_databases(&w);

	if (e == KH_OK)
		e = check_search(&w);
	if (e == KH_OK)
		e = check_verifier(&w, "triage", config->verification.triage);
	if (e == KH_OK)
		e = check_verifier(&w, "supervisor", config->verification.supervisor);
	if (e == KH_OK && (!policy_alone || config->databases.at != NULL))
		e = check_statements(&w);
	if (e == KH_OK)
		tell_policy(source->arena, config);
	return e;
}
