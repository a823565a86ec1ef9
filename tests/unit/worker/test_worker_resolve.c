#include "answer.h"
#include "serving.h"

#include "worker/resolve/resolve.h"

#define OK 0x8180

/* What came of a lookup. */
struct result {
	enum kh_message_type type;
	struct kh_address address[KH_MESSAGE_ANSWERS];
	size_t count;
	bool truncated;
	enum kh_fault fault;
};

/* One question as the server sees it. */
struct asked {
	unsigned id, type;
	const char *name;
};

/* The machine's own names must not matter here. */
static int resolve(int channel)
{
	struct kh_worker worker = {.channel = channel, .state = KH_STATE_WORKER_RESOLVE};

	if (!kh_worker_confine(KH_FILTER_RESOLVE))
		return 1;
	return kh_worker_resolve_serve(&worker, KH_LIT("192.0.2.1 known.test\n2001:db8::1 Known.TEST\n"));
}

static void lookup(int (*worker)(int), const char *name, int type, server_fn *server, const char *script,
		   struct result *ret_result)
{
	struct result result = {.type = KH_MESSAGE_NONE};
	struct kh_message_out out;
	struct kh_message message;
	struct served served;
	struct kh_view item;
	size_t cursor = 0;
	int socket;

	serving_start(&served, worker, KH_STATE_RESOLVING, type, server, kh_view_str(script), &socket);
	kh_message_begin(&out, served.buffer, sizeof(served.buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_str(name));
	serving_send(&served, &out, &socket, 1);
	close(socket);
	serving_receive(&served, &message);
	result.type = message.type;
	result.truncated = message.number[KH_FIELD_TRUNCATED] == 1;
	result.fault = (enum kh_fault)message.number[KH_FIELD_FAULT];
	while (kh_message_item(&message, KH_FIELD_ADDRESS, &cursor, &item))
		assert_true(kh_address_from_bytes(item, &result.address[result.count++]));
	serving_end(&served);
	*ret_result = result;
}

static bool next_question(int socket, bool is_stream, struct asked *ret_asked)
{
	unsigned char bytes[600];
	ssize_t n = recv(socket, bytes, is_stream ? 2 : sizeof(bytes), 0);

	if (is_stream && n == 2)
		n = recv(socket, bytes, (size_t)bytes[0] << 8 | bytes[1], MSG_WAITALL);
	if (n < 12 + 1 + 4)
		return false;
	size_t at = 12;
	while (at < (size_t)n && bytes[at] != 0)
		at += 1 + (size_t)bytes[at];
	*ret_asked = (struct asked){(unsigned)bytes[0] << 8 | bytes[1], (unsigned)bytes[at + 1] << 8 | bytes[at + 2],
				    "www.example.test"};
	return true;
}

static void reply(int socket, bool is_stream, const struct answer *a)
{
	unsigned char length[2] = {(unsigned char)(a->n >> 8), (unsigned char)a->n};

	if (is_stream)
		send_all(socket, (const char *)length, 2);
	send_all(socket, (const char *)a->bytes, a->n);
}

static void good_answer(struct answer *a, const struct asked *asked)
{
	put_head(a, asked->id, OK, asked->name, asked->type, 1);
	if (asked->type == KH_DNS_A)
		put_record(a, "@12", KH_DNS_A, "\x01\x02\x03\x04", 4);
	else
		put_record(a, "@12", KH_DNS_AAAA, "0123456789abcdef", 16);
}

static bool is(struct kh_view script, const char *word)
{
	return kh_view_eq(script, kh_view_str(word));
}

/* A name server that does what its script says, question by question. */
static void name_server(int socket, struct kh_view script)
{
	static struct answer a;
	struct asked asked;
	socklen_t size = sizeof(int);
	int type = 0;

	getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size);
	bool is_stream = type == SOCK_STREAM;
	for (unsigned i = 0; next_question(socket, is_stream, &asked); i++) {
		good_answer(&a, &asked);
		if (is(script, "mute") || (is(script, "deaf") && i < 2) ||
		    (is(script, "four") && asked.type != KH_DNS_A))
			continue;
		if (is(script, "none"))
			put_head(&a, asked.id, OK | 3, asked.name, asked.type, 0);
		if (is(script, "failed") || (is(script, "half") && asked.type != KH_DNS_A))
			put_head(&a, asked.id, OK | 2, asked.name, asked.type, 0);
		if (is(script, "cut") && asked.type == KH_DNS_AAAA)
			put_head(&a, asked.id, OK | 0x200, asked.name, asked.type, 0);
		if (is(script, "broken"))
			a.n -= 3;
		if (is(script, "many")) {
			put_head(&a, asked.id, OK, asked.name, asked.type, 2000);
			for (unsigned k = 0; k < 2000; k++)
				put_record(&a, "@12", asked.type, "0123456789abcdef", asked.type == KH_DNS_A ? 4 : 16);
		}
		if (is(script, "noise")) {
			/* Answers to somebody else's questions, and what is not an answer at all, come first. */
			a.bytes[0] ^= 1;
			reply(socket, is_stream, &a);
			put_head(&a, asked.id, OK, "www.example.evil", asked.type, 1);
			put_record(&a, "@12", KH_DNS_A, "\x7f\x00\x00\x01", 4);
			reply(socket, is_stream, &a);
			a.n = 0;
			reply(socket, is_stream, &a);
			memset(a.bytes, 0xff, sizeof(a.bytes));
			a.n = 1000;
			reply(socket, is_stream, &a);
			good_answer(&a, &asked);
		}
		if (is(script, "length")) {
			send_all(socket, "\xff\xff", 2); /* and no such bytes */
			send_all(socket, (const char *)a.bytes, a.n);
			return;
		}
		if (is(script, "close"))
			return;
		reply(socket, is_stream, &a);
	}
}

static void assert_both(const struct result *r)
{
	assert_int_equal(r->type, KH_MESSAGE_ADDRESSES);
	assert_false(r->truncated);
	assert_int_equal(r->count, 2);
	assert_true(!r->address[0].is_v6 && r->address[1].is_v6);
	assert_memory_equal(r->address[0].bytes, "\x01\x02\x03\x04", 4);
	assert_memory_equal(r->address[1].bytes, "0123456789abcdef", 16);
}

/* E8: addresses of both kinds, over datagrams and streams, under the worker's own filter. */
static void test_good(struct kh_test *t)
{
	struct result r;
	(void)t;

	lookup(kh_worker_resolve, "www.example.test", SOCK_DGRAM, name_server, "good", &r);
	assert_both(&r);
	lookup(kh_worker_resolve, "WWW.example.test", SOCK_STREAM, name_server, "good", &r);
	assert_both(&r);
}

static void test_none(struct kh_test *t)
{
	struct result r;
	(void)t;

	lookup(resolve, "www.example.test", SOCK_DGRAM, name_server, "none", &r);
	assert_int_equal(r.type, KH_MESSAGE_ADDRESSES);
	assert_int_equal(r.count, 0);
	assert_false(r.truncated);
}

/* One kind's addresses are enough. */
static void test_half(struct kh_test *t)
{
	struct result r;
	(void)t;

	lookup(resolve, "www.example.test", SOCK_DGRAM, name_server, "half", &r);
	assert_int_equal(r.type, KH_MESSAGE_ADDRESSES);
	assert_int_equal(r.count, 1);
	lookup(resolve, "www.example.test", SOCK_DGRAM, name_server, "four", &r);
	assert_int_equal(r.type, KH_MESSAGE_ADDRESSES);
	assert_int_equal(r.count, 1);
}

static void test_truncated(struct kh_test *t)
{
	struct result r;
	(void)t;

	lookup(resolve, "www.example.test", SOCK_DGRAM, name_server, "cut", &r);
	assert_int_equal(r.type, KH_MESSAGE_ADDRESSES);
	assert_true(r.truncated);
	assert_int_equal(r.count, 0);
	/* A stream is not asked again. */
	lookup(resolve, "www.example.test", SOCK_STREAM, name_server, "cut", &r);
	assert_false(r.truncated);
	assert_int_equal(r.count, 1);
}

static void test_hostile(struct kh_test *t)
{
	static const int types[] = {SOCK_DGRAM, SOCK_STREAM};
	struct result r;
	(void)t;

	for (size_t i = 0; i < 2; i++) {
		lookup(resolve, "www.example.test", types[i], name_server, "noise", &r);
		assert_both(&r);
		lookup(resolve, "www.example.test", types[i], name_server, "failed", &r);
		assert_int_equal(r.type, KH_MESSAGE_DONE);
		assert_int_equal(r.fault, KH_FAULT_NAME);
		lookup(resolve, "www.example.test", types[i], name_server, "broken", &r);
		assert_int_equal(r.type, KH_MESSAGE_DONE);
		assert_int_equal(r.fault, KH_FAULT_NAME);
		lookup(resolve, "www.example.test", types[i], name_server, "many", &r);
		assert_int_equal(r.type, KH_MESSAGE_ADDRESSES);
		assert_int_equal(r.count, 2 * KH_DNS_ADDRESSES);
	}
	lookup(resolve, "www.example.test", SOCK_STREAM, name_server, "length", &r);
	assert_int_equal(r.fault, KH_FAULT_NAME);
	lookup(resolve, "www.example.test", SOCK_STREAM, name_server, "close", &r);
	assert_int_equal(r.fault, KH_FAULT_NAME);
}

/* A question that was lost is asked again, once; a server that says nothing is given up. */
static void test_patience(struct kh_test *t)
{
	struct result r;
	(void)t;

	lookup(resolve, "www.example.test", SOCK_DGRAM, name_server, "deaf", &r);
	assert_both(&r);
	lookup(resolve, "www.example.test", SOCK_DGRAM, name_server, "mute", &r);
	assert_int_equal(r.type, KH_MESSAGE_DONE);
	assert_int_equal(r.fault, KH_FAULT_NAME);
}

/* What the machine knows by itself is not asked for; what cannot be asked for is not sent. */
static void test_hosts(struct kh_test *t)
{
	struct result r;
	(void)t;

	lookup(resolve, "KNOWN.test", SOCK_DGRAM, name_server, "mute", &r);
	assert_int_equal(r.type, KH_MESSAGE_ADDRESSES);
	assert_int_equal(r.count, 2);
	assert_memory_equal(r.address[0].bytes, "\xc0\x00\x02\x01", 4);
	assert_true(r.address[1].is_v6);
	lookup(resolve, "a..b", SOCK_DGRAM, name_server, "good", &r);
	assert_int_equal(r.type, KH_MESSAGE_DONE);
	assert_int_equal(r.fault, KH_FAULT_NAME);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_good),    KH_TEST_ONCE(test_none),     KH_TEST_ONCE(test_half),  KH_TEST_ONCE(test_truncated),
	KH_TEST_ONCE(test_hostile), KH_TEST_ONCE(test_patience), KH_TEST_ONCE(test_hosts),
};
KH_TEST_MAIN(cases)
