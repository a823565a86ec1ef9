#include "core/comm/operations.h"
#include "harness.h"

static enum kh_err find(struct kh_test *t, const char *name, struct kh_operation_name *ret)
{
	return kh_operation_find(&t->arena, &kh_operations_own, kh_view_str(name), ret, &t->err);
}

/* E2: the allow-list, with the parameters of each; those in capitals are required. */
static void test_table(struct kh_test *t)
{
	static const char *const all[][4] = {
		{"comm.search", "QUERY", "scope", "limit"},
		{"comm.fetch", "URL"},
		{"comm.query", "DATABASE", "STATEMENT", "params"},
		{"comm.read", "PATH"},
		{"comm.exec", "COMMAND", "args"},
		{"comm.resource", "SERVER", "URI"},
	};
	struct kh_operation_name name;

	assert_int_equal(kh_operations_own.n, 7);
	for (size_t i = 0; i < 6; i++) {
		size_t n = 0;
		must(t, find(t, all[i][0], &name));
		assert_view(name.full, all[i][0]);
		for (; n < 3 && all[i][n + 1] != NULL; n++) {
			const struct kh_parameter_spec *spec = &name.operation->parameters[n];
			assert_true(kh_view_eq_nocase(kh_view_str(spec->name), kh_view_str(all[i][n + 1])));
			assert_int_equal(spec->required, all[i][n + 1][0] < 'a');
			assert_ptr_equal(kh_operation_parameter(name.operation, kh_view_str(spec->name)), spec);
		}
		assert_int_equal(name.operation->parameter_count, n);
		assert_null(kh_operation_parameter(name.operation, KH_LIT("method")));
	}
	assert_view(kh_operation_short(KH_LIT("comm.mcp.a.b")), "mcp.a.b");
}

/* U3, U5: the server that a call goes to, by its name or by a parameter. */
static void test_server(struct kh_test *t)
{
	yyjson_val *parameters;

	must(t, kh_json_read(&t->arena, KH_LIT("{\"server\":\"post\",\"uri\":\"a:b\"}"), &parameters, &t->err));
	assert_view(kh_operation_server(&kh_operations_own, KH_LIT("comm.resource"), parameters), "post");
	assert_view(kh_operation_server(&kh_operations_own, KH_LIT("comm.mcp.mail.send"), parameters), "mail");
	assert_int_equal(kh_operation_server(&kh_operations_own, KH_LIT("comm.resource"), NULL).n, 0);
	assert_int_equal(kh_operation_server(&kh_operations_own, KH_LIT("comm.fetch"), parameters).n, 0);
	assert_int_equal(kh_operation_server(&kh_operations_own, KH_LIT("comm.unknown"), parameters).n, 0);
}

/* E2, E5, E6: what every row has to say, so that everything can follow from it. */
static void test_rows(struct kh_test *t)
{
	(void)t;
	for (size_t i = 0; i < kh_operations_own.n; i++) {
		const struct kh_operation *row = &kh_operations_own.at[i];
		bool list = false;
		assert_true(row->permit != 0 && row->risk != KH_RISK_LOW);
		assert_true(row->parameter_count <= KH_OPERATION_PARAMETERS_MAX);
		assert_true(row->is_upstream || (row->title && row->about && row->says && row->example));
		for (size_t n = 0; n < row->parameter_count; n++) {
			const struct kh_parameter_spec *spec = &row->parameters[n];
			/* On a command line: words first, and a list takes the rest of them. */
			assert_true(spec->about != NULL && !(spec->required && list));
			list = list || kh_operation_is_list(spec);
			assert_ptr_equal(kh_operation_of_kind(row, spec->kind), spec);
			assert_true(!spec->host || spec->kind == KH_PARAMETER_URL);
		}
		assert_int_equal(kh_operation_of_kind(row, KH_PARAMETER_SCOPE) != NULL,
				 row->outbound == KH_OUTBOUND_BY_SCOPE);
		assert_true(row->outbound != KH_OUTBOUND_BY_DATABASE || kh_operation_of_kind(row, KH_PARAMETER_NAME));
	}
}

/* E2: a name is looked up where it is said to be looked up, and nowhere else. */
static void test_source(struct kh_test *t)
{
	static const struct kh_operation rows[] = {{.name = "comm.feed"}};
	static const struct kh_operations other = {rows, 1}, none = {NULL, 0};
	struct kh_operation_name name = {.operation = NULL};

	must(t, kh_operation_find(&t->arena, &other, KH_LIT("comm.feed"), &name, &t->err));
	assert_ptr_equal(name.operation, &rows[0]);
	must_fail(t, KH_EREFUSED, kh_operation_find(&t->arena, &other, KH_LIT("comm.Feed"), &name, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_operation_find(&t->arena, &other, KH_LIT("comm.fetch"), &name, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_operation_find(&t->arena, &other, KH_LIT("comm.mcp.a.b"), &name, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_operation_find(&t->arena, &none, KH_LIT("comm.feed"), &name, &t->err));
	must_fail(t, KH_EUNKNOWN, find(t, "comm.feed", &name));
	assert_null(kh_operation_named(&kh_operations_own, KH_LIT("comm.mcp")));
	assert_true(kh_operation_upstream(&kh_operations_own)->is_upstream);
	assert_null(kh_operation_upstream(&other));
}

/* E6: the host that a human is asked about, and that a grant can be for. */
static void test_host(struct kh_test *t)
{
	static const char *const all[][3] = {
		{"comm.fetch", "{\"url\":\"https://example.com/a\"}", "example.com"},
		{"comm.fetch", "{\"url\":\"https://example.com:8443/a\"}", "example.com:8443"},
		/* A2: one spelling, and no two hosts that are written alike. */
		{"comm.fetch", "{\"url\":\"https://EXAMPLE.com.:443/a\"}", "example.com"},
		{"comm.fetch", "{\"url\":\"https://[2001:db8::1]:8443/a\"}", "[2001:db8::1]:8443"},
		{"comm.fetch", "{\"url\":\"https://[2001:db8::1:8443]/a\"}", "[2001:db8::1:8443]"},
		{"comm.fetch", "{\"url\":\"http://example.com/a\"}", ""},
		{"comm.fetch", "{}", ""},
		{"comm.read", "{\"path\":\"https://example.com/a\",\"url\":\"https://example.com/a\"}", ""},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct kh_operation *row = kh_operation_named(&kh_operations_own, kh_view_str(all[i][0]));
		yyjson_val *parameters;
		must(t, kh_json_read(&t->arena, kh_view_str(all[i][1]), &parameters, &t->err));
		struct kh_view host = kh_operation_host(&t->arena, row, parameters);
		must(t, kh_arena_check(&t->arena));
		assert_view(host, all[i][2]);
	}
}

/* E2, I2: tools of upstream servers. */
static void test_upstream(struct kh_test *t)
{
	static const char *const bad[] = {
		"comm.mcp.",
		"comm.mcp.files",
		"comm.mcp.files.",
		"comm.mcp..tool",
		"comm.mcp.Files.tool",
		"comm.mcp.a__b.tool",
		"comm.mcp.-a.tool",
		"comm.mcp.a.b.c",
		"comm.mcp.a.to ol",
		"comm.mcp.a.t\xc3\xb6ol",
		"comm.mcp.a b.tool",
		"Comm.mcp.a.tool",
		"comm.mcp.012345678901234567890123456789012.tool",
		"comm.mcp.a.01234567890123456789012345678901234567890123456789012345678901234",
	};
	struct kh_operation_name name;

	must(t, find(t, "comm.mcp.files-2.read_File-1", &name));
	assert_true(name.operation->is_upstream);
	assert_view(name.server, "files-2");
	assert_view(name.tool, "read_File-1");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_EREFUSED, find(t, bad[i], &name));
		assert_string_equal(t->err.code, "operation_malformed");
	}
}

/* E2: what is not registered is refused as unknown; what only looks registered, as malformed. */
static void test_refused(struct kh_test *t)
{
	static const char *const unknown[] = {
		"",           "comm",  "comm.",        "comm.mcp",   "comm.write", "comm.fetch.x",
		"comm_fetch", "fetch", "comm.fetcher", "file_write", "comm-fetch", "requests.get"};
	static const char *const malformed[] = {
		"COMM.FETCH",
		"comm.Fetch",
		" comm.fetch",
		"comm.fetch\t",
		"comm. fetch",
		"comm.fetch\n",
		"comm.\xc2\xa0\x66\x65tch",
		"c\xd0\xbemm.fetch",                                      /* Cyrillic o */
		"comm.f\xd0\xb5tch",                                      /* Cyrillic e */
		"\xef\xbd\x83\xef\xbd\x8f\xef\xbd\x8d\xef\xbd\x8d.fetch", /* full-width */
		"comm\xef\xbc\x8e\x66\x65tch",                            /* full-width dot */
		"comm.fe\xe2\x80\x8btch",                                 /* zero-width space */
		"comm.fe\xc2\xadtch",                                     /* soft hyphen */
		"comm.fetch\xf3\xa0\x80\xa1",                             /* tag */
		"comm.f\xc3\xa9tch",                                      /* accent */
		"comm.\xff\x66\x65tch",
	};
	struct kh_operation_name name = {.operation = NULL};
	char long_name[2000];

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		must_fail(t, KH_EUNKNOWN, find(t, unknown[i], &name));
		assert_string_equal(t->err.code, "operation_unknown");
	}
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		must_fail(t, KH_EREFUSED, find(t, malformed[i], &name));
		assert_string_equal(t->err.code, "operation_malformed");
	}
	memset(long_name, 'c', sizeof(long_name));
	must_fail(t, KH_EUNKNOWN,
		  kh_operation_find(&t->arena, &kh_operations_own, kh_view_of(long_name, sizeof(long_name)), &name,
				    &t->err));
	must_fail(t, KH_EREFUSED,
		  kh_operation_find(&t->arena, &kh_operations_own, KH_LIT("comm.fetch\0"), &name, &t->err));
	assert_null(name.operation);
}

static const struct kh_test_case cases[] = {KH_TEST(test_table),  KH_TEST(test_rows), KH_TEST(test_server),
					    KH_TEST(test_source), KH_TEST(test_host), KH_TEST(test_upstream),
					    KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
