#include "core/policy/config.h"
#include "core/policy/sources.h"
#include "harness.h"

static enum kh_err config(struct kh_test *t, const char *text, const struct kh_config **ret)
{
	return kh_config_read(&t->arena, kh_view_str(text), KH_LIT("k.yaml"), ret, &t->err);
}

/* E9, I8: databases of both kinds, with what is not said filled in. */
static void test_databases(struct kh_test *t)
{
	const struct kh_config *c;

	must(t, config(t,
		       "databases:\n"
		       "  - {name: shop, file: /srv/shop.db}\n"
		       "  - {name: crm, host: db.example.com, dbname: crm, user: reader, password_file: crm.pw,\n"
		       "     authority: /etc/ca.pem}\n"
		       "  - {name: near, host: '[::1]', port: 5433, dbname: x, user: y, password_environment: PW,\n"
		       "     local: true, plain: true, seconds: 300, rows: 1, bytes: 8388608}\n"
		       "  - {name: sock, host: /run/postgresql, dbname: x, user: y}\n",
		       &c));
	assert_int_equal(c->databases.n, 4);
	const struct kh_config_database *shop = kh_settings_database(c, KH_LIT("shop"));
	assert_view(shop->file, "/srv/shop.db");
	assert_int_equal(shop->port, 0);
	assert_int_equal(shop->seconds, 10);
	assert_int_equal(shop->rows, 1000);
	assert_int_equal(shop->bytes, 1048576);
	assert_int_equal(shop->line, 2);
	const struct kh_config_database *crm = kh_settings_database(c, KH_LIT("crm"));
	assert_view(crm->host, "db.example.com");
	assert_int_equal(crm->port, 5432);
	assert_view(crm->dbname, "crm");
	assert_view(crm->user, "reader");
	assert_view(crm->password_file, "crm.pw");
	assert_int_equal(crm->local, KH_CONFIG_FALSE);
	assert_int_equal(crm->plain, KH_CONFIG_FALSE);
	const struct kh_config_database *near = kh_settings_database(c, KH_LIT("near"));
	assert_view(near->host, "[::1]");
	assert_int_equal(near->port, 5433);
	assert_view(near->password_environment, "PW");
	assert_int_equal(near->plain, KH_CONFIG_TRUE);
	assert_int_equal(near->rows, 1);
	assert_view(kh_settings_database(c, KH_LIT("sock"))->host, "/run/postgresql");
	assert_null(kh_settings_database(c, KH_LIT("Shop")));
}

/* E9, K7: what is searched, what is reached, and who verifies. */
static void test_sections(struct kh_test *t)
{
	const struct kh_config *c;

	must(t, config(t,
		       "readers:\n  - {name: m, driver: openai, url: 'https://a.example/', model: m}\n"
		       "  - {name: p, driver: command, argv: [/bin/p]}\n"
		       "databases:\n  - {name: shop, file: /srv/shop.db}\n"
		       "search:\n  folders: [/srv/docs, /srv/docs2]\n  refresh_seconds: 5\n"
		       "  url: http://127.0.0.1:8888/search\n  local: true\n  key_environment: KEY\n"
		       "  tables:\n    - {database: shop, table: main.products, columns: [name, text]}\n"
		       "    - {database: shop, table: orders, columns: [note]}\n"
		       "network:\n  private_hosts: [intranet, '127.0.0.1:8443', '[::1]:1']\n  authority: /etc/ca.pem\n"
		       "verification: {triage: m, supervisor: p}\n"
		       "policy:\n  operations:\n    - name: comm.query\n      statements:\n"
		       "        - {name: a, database: shop, sql: SELECT 1}\n",
		       &c));
	assert_int_equal(c->search.folders.n, 2);
	assert_int_equal(c->search.refresh_seconds, 5);
	assert_view(c->search.url, "http://127.0.0.1:8888/search");
	assert_int_equal(c->search.local, KH_CONFIG_TRUE);
	assert_int_equal(c->search.tables.n, 2);
	const struct kh_config_table *table = c->search.tables.at;
	assert_view(table->database, "shop");
	assert_view(table->table, "main.products");
	assert_int_equal(table->columns.n, 2);
	assert_int_equal(table->line, 13);
	assert_int_equal(c->network.private_hosts.n, 3);
	assert_view(c->network.authority, "/etc/ca.pem");
	assert_view(c->verification.triage, "m");
	assert_view(c->verification.supervisor, "p");
}

static void refused(struct kh_test *t, const char *text, const char *detail)
{
	const struct kh_config *c = NULL;

	must_fail(t, KH_EINPUT, config(t, text, &c));
	assert_null(c);
	assert_string_equal(t->err.code, "policy_invalid");
	if (strncmp(t->err.detail, detail, strlen(detail)) != 0)
		print_error("got  %s\nwant %s\n", t->err.detail, detail);
	assert_int_equal(strncmp(t->err.detail, detail, strlen(detail)), 0);
	assert_non_null(strstr(t->err.detail, ": expected "));
}

/* I8: file, line and what was expected, of databases. */
static void test_refused_databases(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"databases:\n  - {name: a}\n",
		 "k.yaml:2: databases[0]: expected the key file (SQLite) or host (PostgreSQL) in it"},
		{"databases:\n  - {file: /a}\n", "k.yaml:2: databases[0]: a map: expected the key name in it"},
		{"databases:\n  - {name: a, file: /a, host: b}\n",
		 "k.yaml:2: databases[0]: file and host: expected one of them: file for SQLite, host for PostgreSQL"},
		{"databases:\n  - {name: a, file: a.db}\n",
		 "k.yaml:2: databases[0].file: \"a.db\": expected an absolute path"},
		{"databases:\n  - {name: a, file: /srv/../a.db}\n", "k.yaml:2: databases[0].file: "},
		{"databases:\n  - {name: a, file: /a}\n  - {name: a, file: /b}\n",
		 "k.yaml:3: databases[1].name: a stands twice: expected each name once"},
		{"databases:\n  - {name: a, file: /a, port: 1}\n",
		 "k.yaml:2: databases[0]: port beside file: expected it only beside host"},
		{"databases:\n  - {name: a, file: /a, user: x}\n", "k.yaml:2: databases[0]: user beside file: "},
		{"databases:\n  - {name: a, file: /a, plain: false}\n", "k.yaml:2: databases[0]: plain beside file: "},
		{"databases:\n  - {name: a, file: /a, password_file: x}\n",
		 "k.yaml:2: databases[0]: password_file beside file: "},
		{"databases:\n  - {name: a, host: b, user: x}\n",
		 "k.yaml:2: databases[0]: expected the key dbname in it"},
		{"databases:\n  - {name: a, host: b, dbname: x}\n",
		 "k.yaml:2: databases[0]: expected the key user in it"},
		{"databases:\n  - {name: a, host: 'b:1', dbname: x, user: y}\n",
		 "k.yaml:2: databases[0].host: \"b:1\": expected a host such as "},
		{"databases:\n  - {name: a, host: '::1', dbname: x, user: y}\n", "k.yaml:2: databases[0].host: "},
		{"databases:\n  - {name: a, host: '[::1]:5432', dbname: x, user: y}\n",
		 "k.yaml:2: databases[0].host: "},
		{"databases:\n  - {name: a, host: '*.b', dbname: x, user: y}\n", "k.yaml:2: databases[0].host: "},
		{"databases:\n  - {name: a, host: b, dbname: x, user: y, password: z}\n",
		 "k.yaml:2: databases[0]: unknown key \"password\": "},
		{"databases:\n  - {name: a, host: b, dbname: x, user: y, password_file: z, password_environment: Z}\n",
		 "k.yaml:2: databases[0]: password_file and password_environment: expected one of them"},
		{"databases:\n  - {name: a, host: b, dbname: x, user: y, password_environment: 'p w'}\n",
		 "k.yaml:2: databases[0].password_environment: \"p w\": expected the name of a variable"},
		{"databases:\n  - {name: a, host: b, dbname: x, user: y, plain: true}\n",
		 "k.yaml:2: databases[0]: plain: true: expected TLS, or local: true "},
		{"databases:\n  - {name: a, host: b, dbname: x, user: y, plain: true, local: true, authority: /a}\n",
		 "k.yaml:2: databases[0]: authority beside plain: true: expected one of the two"},
		{"databases:\n  - {name: a, host: /run, dbname: x, user: y, local: true}\n",
		 "k.yaml:2: databases[0]: local for a Unix socket: expected it only where host is a name or "},
		{"databases:\n  - {name: a, file: /a, rows: 0}\n", "k.yaml:2: databases[0].rows: \"0\": expected "},
		{"databases:\n  - {name: a, file: /a, bytes: 8388609}\n", "k.yaml:2: databases[0].bytes: "},
		{"databases:\n  - {name: a, file: /a, seconds: 301}\n", "k.yaml:2: databases[0].seconds: "},
		{"policy:\n  operations:\n    - name: comm.query\n      statements:\n"
		 "        - {name: a, database: shop, sql: SELECT 1}\n",
		 "k.yaml:5: policy.operations[0].statements[0].database: shop: expected the name of an entry of "
		 "databases"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, all[i][0], all[i][1]);
}

#define SHOP "databases: [{name: shop, file: /a}]\n"

/* The same of search, network and verification. */
static void test_refused_sections(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"search:\n  folders: [docs]\n", "k.yaml:2: search.folders[0]: \"docs\": expected an absolute path"},
		{"search:\n  folders: [/a, /b, /a]\n",
		 "k.yaml:1: search.folders[2]: /a is or is in folders[0], or the other way round: expected folders "
		 "apart"},
		{"search:\n  folders: [/a, /a/b]\n", "k.yaml:1: search.folders[1]: /a/b is or is in folders[0], "},
		{"search:\n  folders: [/a/b, /a]\n", "k.yaml:1: search.folders[1]: /a is or is in folders[0], "},
		{"search:\n  refresh_seconds: 0\n", "k.yaml:2: search.refresh_seconds: "},
		{"search:\n  url: search.example\n",
		 "k.yaml:2: search.url: \"search.example\": expected a URL such as "},
		{"search:\n  url: http://search.example/\n", "k.yaml:1: search.url: plain http: expected https, or "},
		{"search:\n  key_file: a\n", "k.yaml:1: search: key_file without url: expected it only beside url"},
		{"search:\n  local: false\n", "k.yaml:1: search: local without url: expected it only beside url"},
		{"search: {url: 'https://a.example/', key_file: a, key_environment: A}\n",
		 "k.yaml:1: search: key_file and key_environment: expected one of them"},
		{"search:\n  tables:\n    - {database: shop, table: a, columns: [b]}\n",
		 "k.yaml:3: search.tables[0].database: shop: expected the name of an entry of databases"},
		{SHOP "search:\n  tables:\n    - {database: shop, table: a, columns: []}\n",
		 "k.yaml:4: search.tables[0].columns: a list: expected a list of 1 to 64"},
		{SHOP "search:\n  tables:\n    - {database: shop, table: a}\n",
		 "k.yaml:4: search.tables[0]: a map: expected the key columns in it"},
		{SHOP "search:\n  tables:\n    - {database: shop, table: 'a b', columns: [b]}\n",
		 "k.yaml:4: search.tables[0].table: \"a b\": expected a table such as "},
		{SHOP "search:\n  tables:\n    - {database: shop, table: a.b.c, columns: [b]}\n",
		 "k.yaml:4: search.tables[0].table: "},
		{SHOP "search:\n  tables:\n    - {database: shop, table: a, columns: ['b\"']}\n",
		 "k.yaml:4: search.tables[0].columns[0]: "},
		{SHOP "search:\n  tables:\n    - {database: shop, table: a, columns: [b, c, b]}\n",
		 "k.yaml:4: search.tables[0].columns[2]: b stands twice: expected each column once"},
		{SHOP "search:\n  tables:\n    - {database: shop, table: a, columns: [b]}\n"
		      "    - {database: shop, table: a, columns: [c]}\n",
		 "k.yaml:5: search.tables[1]: a of shop stands twice: expected each table once"},
		{"network:\n  private_hosts: ['10.0.0.0/8']\n", "k.yaml:2: network.private_hosts[0]: "},
		{"network:\n  private_hosts: ['*']\n", "k.yaml:2: network.private_hosts[0]: "},
		{"network:\n  authority: ca.pem\n",
		 "k.yaml:2: network.authority: \"ca.pem\": expected an absolute path"},
		{"verification: {triage: m}\n", "k.yaml:1: verification.triage: m: expected the name of an entry of "
						"readers whose driver is not extract"},
		{"verification: {supervisor: extract}\n", "k.yaml:1: verification.supervisor: extract: expected "},
		{"readers: [{name: q, driver: extract}]\nverification: {supervisor: q}\n",
		 "k.yaml:2: verification.supervisor: q: expected the name of an entry of readers whose driver is not "},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, all[i][0], all[i][1]);
}

static const struct kh_test_case cases[] = {KH_TEST(test_databases), KH_TEST(test_sections),
					    KH_TEST(test_refused_databases), KH_TEST(test_refused_sections)};
KH_TEST_MAIN(cases)
