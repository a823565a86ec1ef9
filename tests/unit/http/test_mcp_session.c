/* Sessions of /mcp: transport only, bound to their token, bounded (I1). */
#include "harness.h"
#include "http/mcp/session.h"

#define ALICE 7
#define BOB   8

static unsigned ended, freed;
static unsigned char next_random = 1;

static void make_random(void *ctx, unsigned char *bytes, size_t n)
{
	(void)ctx;
	memset(bytes, 0, n);
	bytes[0] = next_random++;
	bytes[n - 1] = (unsigned char)(freed >> 8 ^ ended);
}

static void at_end(struct kh_http_mcp_session *s)
{
	(void)s;
	ended++;
}

static void at_free(struct kh_http_mcp_session *s)
{
	(void)s;
	freed++;
}

static void begin(struct kh_test *t, struct kh_http_mcp_sessions *table)
{
	ended = freed = 0;
	*table = (struct kh_http_mcp_sessions){
		.alloc = &t->alloc, .random = make_random, .ended = at_end, .freed = at_free};
	kh_http_mcp_session_init(table);
}

/* A session that nobody is connected to, by its id. */
static struct kh_view make(struct kh_test *t, struct kh_http_mcp_sessions *table, int64_t token, int64_t now)
{
	struct kh_http_mcp_session *s;
	enum kh_err e = kh_http_mcp_session_new(table, KH_LIT(""), token, NULL, now, &s, &t->err);

	if (e != KH_OK)
		kh_http_mcp_session_done(table);
	must(t, e);
	kh_http_mcp_session_drop(s);
	return kh_view_str(s->id); /* the table holds it */
}

static bool is_there(struct kh_http_mcp_sessions *table, struct kh_view id, int64_t token, int64_t now)
{
	struct kh_http_mcp_session *s = kh_http_mcp_session_find(table, id, token, now);

	if (s)
		kh_http_mcp_session_drop(s);
	return s != NULL;
}

/* I1: an id is 128 bits, and with another token it is as unknown as one that never was. */
static void test_bound_to_token(struct kh_test *t)
{
	struct kh_http_mcp_sessions table;
	struct kh_view id;

	begin(t, &table);
	id = make(t, &table, ALICE, 1);
	assert_int_equal(id.n, 32);
	assert_true(is_there(&table, id, ALICE, 2));
	assert_false(is_there(&table, id, BOB, 2));
	assert_false(is_there(&table, KH_LIT("00000000000000000000000000000000"), ALICE, 2));
	assert_false(is_there(&table, kh_view_sub(id, 0, 31), ALICE, 2));
	assert_false(is_there(&table, KH_LIT(""), ALICE, 2));
	kh_http_mcp_session_done(&table);
	assert_int_equal(ended, 1);
	assert_int_equal(freed, 1);
}

/* DELETE: nobody finds it any more; whoever is still connected holds it, and it ends once. */
static void test_end(struct kh_test *t)
{
	struct kh_http_mcp_sessions table;
	struct kh_http_mcp_session *s;
	struct kh_view id;

	begin(t, &table);
	id = make(t, &table, ALICE, 1);
	s = kh_http_mcp_session_find(&table, id, ALICE, 2);
	assert_non_null(s);
	kh_http_mcp_session_end(s);
	kh_http_mcp_session_end(s);
	assert_int_equal(ended, 1);
	assert_int_equal(freed, 0);
	assert_int_equal(kh_http_mcp_session_count(&table), 0);
	assert_false(is_there(&table, id, ALICE, 2));
	kh_http_mcp_session_drop(s);
	assert_int_equal(freed, 1);
	kh_http_mcp_session_done(&table);
}

/* A token's sessions are bounded: the one that rested longest makes room; another token's never does. */
static void test_bounded_by_token(struct kh_test *t)
{
	struct kh_http_mcp_sessions table;
	struct kh_view other, first, second;

	begin(t, &table);
	other = make(t, &table, BOB, 0);
	first = make(t, &table, ALICE, 1);
	second = make(t, &table, ALICE, 2);
	for (int i = 2; i < KH_HTTP_MCP_SESSION_TOKEN; i++)
		make(t, &table, ALICE, i + 1);
	assert_int_equal(kh_http_mcp_session_count(&table), KH_HTTP_MCP_SESSION_TOKEN + 1);
	assert_int_equal(ended, 0);
	assert_true(is_there(&table, first, ALICE, 100)); /* so the second has rested longest */
	char second_id[KH_HTTP_MCP_SESSION_ID];
	memcpy(second_id, second.p, sizeof(second_id));
	make(t, &table, ALICE, 101);
	assert_int_equal(ended, 1);
	assert_int_equal(kh_http_mcp_session_count(&table), KH_HTTP_MCP_SESSION_TOKEN + 1);
	assert_true(is_there(&table, first, ALICE, 102));
	assert_false(is_there(&table, kh_view_str(second_id), ALICE, 102));
	assert_true(is_there(&table, other, BOB, 102));
	kh_http_mcp_session_done(&table);
}

/* One that somebody is connected to does not make room: then there is none. */
static void test_busy_stay(struct kh_test *t)
{
	struct kh_http_mcp_sessions table;
	struct kh_http_mcp_session *held[KH_HTTP_MCP_SESSION_TOKEN], *s;
	enum kh_err e = KH_OK;
	size_t n = 0;

	begin(t, &table);
	while (n < KH_HTTP_MCP_SESSION_TOKEN && e == KH_OK) {
		e = kh_http_mcp_session_new(&table, KH_LIT(""), ALICE, NULL, 1, &held[n], &t->err);
		n += e == KH_OK;
	}
	if (e == KH_OK)
		e = kh_http_mcp_session_new(&table, KH_LIT(""), ALICE, NULL, 2, &s, &t->err);
	for (size_t i = 0; i < n; i++)
		kh_http_mcp_session_drop(held[i]);
	kh_http_mcp_session_done(&table);
	must_fail(t, KH_ELIMIT, e);
	assert_string_equal(t->err.code, "too_many_sessions");
	assert_int_equal(freed, KH_HTTP_MCP_SESSION_TOKEN);
}

static unsigned visited;

static void visit(struct kh_http_mcp_session *s, int64_t now)
{
	(void)s;
	(void)now;
	visited++;
}

/* Sessions without a request for too long are gone, but not while somebody is connected. */
static void test_idle(struct kh_test *t)
{
	struct kh_http_mcp_sessions table;
	struct kh_http_mcp_session *held;
	struct kh_view old, used, busy;
	char old_id[KH_HTTP_MCP_SESSION_ID];

	begin(t, &table);
	busy = make(t, &table, ALICE, 0);
	old = make(t, &table, ALICE, 1);
	used = make(t, &table, ALICE, 2);
	memcpy(old_id, old.p, sizeof(old_id));
	held = kh_http_mcp_session_find(&table, busy, ALICE, 1);
	assert_true(is_there(&table, used, ALICE, 500));
	visited = 0;
	kh_http_mcp_session_sweep(&table, 100 + KH_HTTP_MCP_SESSION_IDLE, visit);
	assert_int_equal(ended, 1);
	assert_int_equal(visited, 2);
	assert_false(is_there(&table, kh_view_str(old_id), ALICE, 600));
	assert_true(is_there(&table, used, ALICE, 600));
	assert_true(is_there(&table, busy, ALICE, 600));
	kh_http_mcp_session_drop(held);
	kh_http_mcp_session_sweep(&table, 601 + KH_HTTP_MCP_SESSION_IDLE, NULL);
	assert_int_equal(kh_http_mcp_session_count(&table), 0);
	assert_int_equal(freed, 3);
	kh_http_mcp_session_done(&table);
}

static const struct kh_test_case cases[] = {KH_TEST(test_bound_to_token), KH_TEST(test_end),
					    KH_TEST(test_bounded_by_token), KH_TEST(test_busy_stay),
					    KH_TEST(test_idle)};
KH_TEST_MAIN(cases)
