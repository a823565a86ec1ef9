/* I9: what is pasted into a client names this machine's paths, each quoted as its place wants it, and no token. */
#include "cli/clients.h"
#include "harness.h"

static struct kh_view printed(struct kh_test *t, const struct kh_clients *clients)
{
	struct kh_buf buf;
	struct kh_view text = {NULL, 0};

	kh_buf_init(&buf, &t->arena, 65536);
	kh_clients_print(&buf, clients);
	must(t, kh_buf_end(&buf, &text));
	return text;
}

static bool has(struct kh_view text, const char *what)
{
	if (kh_view_find(text, kh_view_str(what), 0) == SIZE_MAX)
		print_error("%s\nis not in\n%.*s\n", what, KH_FMT(text));
	return kh_view_find(text, kh_view_str(what), 0) != SIZE_MAX;
}

static void test_plain(struct kh_test *t)
{
	const struct kh_clients clients = {.program = KH_LIT_INIT("/usr/bin/keyhole"),
					   .home = KH_LIT_INIT("/srv/keyhole"),
					   .token_file = KH_LIT_INIT("/srv/keyhole/controller.token"),
					   .url = KH_LIT_INIT("http://127.0.0.1:7433")};
	struct kh_view text = printed(t, &clients);

	assert_true(has(text, "[mcp_servers.keyhole]\n  command = \"/usr/bin/keyhole\"\n"
			      "  args = [\"mcp\", \"--home\", \"/srv/keyhole\"]\n"));
	assert_true(has(text, "  claude mcp add keyhole -- /usr/bin/keyhole mcp --home /srv/keyhole\n"));
	assert_true(has(text, "\"args\": [\"mcp\", \"--home\", \"/srv/keyhole\"], \"timeout\": 120000}}}\n"));
	assert_true(has(text, "\"$(cat /srv/keyhole/controller.token)\""));
	assert_true(has(text, "http://127.0.0.1:7433/mcp"));
}

/* A path is a path, whatever is in it. */
static void test_quoting(struct kh_test *t)
{
	const struct kh_clients clients = {.program = KH_LIT_INIT("/opt/my keyhole"),
					   .home = KH_LIT_INIT("/it's \"here\"\\$(x)"),
					   .token_file = KH_LIT_INIT("/it's/token")};
	struct kh_view text = printed(t, &clients);

	assert_true(has(text, "  command = \"/opt/my keyhole\"\n"));
	assert_true(has(text, "\"/it's \\\"here\\\"\\\\$(x)\""));
	assert_true(has(text, " -- '/opt/my keyhole' mcp --home '/it'\\''s \"here\"\\$(x)'\n"));
	/* Without HTTP there is nothing to be said of it. */
	assert_true(kh_view_find(text, KH_LIT("Over HTTP"), 0) == SIZE_MAX);
}

/* For another user's gateway: its socket, and the file of one's own token. */
static void test_system(struct kh_test *t)
{
	const struct kh_clients clients = {.program = KH_LIT_INIT("keyhole"),
					   .socket = KH_LIT_INIT("/run/keyhole/mcp.sock"),
					   .token_file = KH_LIT_INIT("/srv/a.token")};
	struct kh_view text = printed(t, &clients);

	assert_true(has(
		text, "args = [\"mcp\", \"--socket\", \"/run/keyhole/mcp.sock\", \"--token-file\", \"/srv/a.token\"]"));
	assert_true(has(text, "keyhole mcp --socket /run/keyhole/mcp.sock --token-file /srv/a.token\n"));
}

/* I9: the human's own command can be pasted too: by the program's path, with its home, both quoted. */
static void test_approvals(struct kh_test *t)
{
	const struct kh_clients own = {.program = KH_LIT_INIT("/opt/my keyhole"), .home = KH_LIT_INIT("/a home")};
	const struct kh_clients system = {.program = KH_LIT_INIT("/usr/bin/keyhole"),
					  .socket = KH_LIT_INIT("/run/keyhole/mcp.sock")};
	struct kh_buf buf;
	struct kh_view text = {NULL, 0};

	kh_buf_init(&buf, &t->arena, 4096);
	kh_clients_approvals(&buf, &own);
	kh_clients_approvals(&buf, &system);
	must(t, kh_buf_end(&buf, &text));
	assert_true(kh_view_eq(text, KH_LIT("'/opt/my keyhole' approvals watch --home '/a home'\n"
					    "/usr/bin/keyhole approvals watch\n")));
}

static const struct kh_test_case cases[] = {KH_TEST(test_plain), KH_TEST(test_quoting), KH_TEST(test_system),
					    KH_TEST(test_approvals)};
KH_TEST_MAIN(cases)
