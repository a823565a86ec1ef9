/* U1: a secret is unreadable in what a server writes, wherever it stands and however it comes in pieces. */
#include "harness.h"

#include "executor/veil.h"

#include <stdio.h>

static struct kh_veil veil;

static void set(const char *secret)
{
	veil = (struct kh_veil){.n = 0};
	kh_veil_add(&veil, kh_view_str(secret));
}

static void expect(const char *secret, const char *in, const char *out)
{
	char text[1024];
	size_t n = strlen(in);

	set(secret);
	memcpy(text, in, n + 1);
	kh_veil_bytes(&veil, text, n);
	assert_string_equal(text, out);
}

static void test_found(struct kh_test *t)
{
	(void)t;
	expect("sk-12345", "", "");
	expect("sk-12345", "nothing", "nothing");
	expect("sk-12345", "sk-12345", "********");
	expect("sk-12345", "a sk-12345sk-12345 b", "a **************** b");
	expect("sk-12345", "{\"error\":\"bad key sk-12345\"}\n", "{\"error\":\"bad key ********\"}\n");
	expect("sk-12345", "sk-1234", "sk-1234");
	/* As JSON writes it. */
	expect("a\"b\\c\nde", "x a\\\"b\\\\c\\nde y", "x *********** y");
	expect("a\"b\\c\nde", "x a\"b\\c\nde y", "x ******** y");
	expect("tab\there\x01!", "tab\\there\\u0001!", "****************");
	/* One that is so short is everywhere. */
	expect("1234567", "1234567", "1234567");
	expect("aaaaaaaa", "aaaaaaaaaaaaaaaaa", "*****************");
}

static void test_long(struct kh_test *t)
{
	static char secret[5000], text[6000];

	(void)t;
	for (size_t i = 0; i < sizeof(secret) - 1; i++)
		secret[i] = (char)('a' + (i * i + i / 7) % 26);
	set(secret);
	assert_true(veil.n <= sizeof(veil.text));
	memset(text, ' ', sizeof(text));
	memcpy(text + 100, secret, sizeof(secret) - 1);
	memcpy(text + 100 + sizeof(secret) - 1, "\" and more", 10);
	kh_veil_bytes(&veil, text, sizeof(text));
	for (size_t i = 0; i < sizeof(secret) - 1; i++)
		assert_int_equal(text[100 + i], '*');
	assert_memory_equal(text + 100 + sizeof(secret) - 1, "\" and more", 10);
	/* As many as there may be fit, whatever they are. */
	veil = (struct kh_veil){.n = 0};
	memset(secret, '"', sizeof(secret) - 1);
	for (char i = 0; i < 16; i++) {
		secret[0] = (char)('a' + i);
		kh_veil_add(&veil, kh_view_str(secret));
	}
	assert_true(veil.n <= sizeof(veil.text));
	for (char i = 0; i < 16; i++) {
		secret[0] = (char)('a' + i);
		memcpy(text, secret, 600);
		kh_veil_bytes(&veil, text, 600);
		assert_int_equal(text[0], '*');
	}
}

static void test_edges(struct kh_test *t)
{
	char text[64] = "-12345678 and sk-12345";

	(void)t;
	set("sk-12345678");
	assert_int_equal(kh_veil_tail(&veil, "", 0), 0);
	assert_int_equal(kh_veil_tail(&veil, "abc", 3), 0);
	assert_int_equal(kh_veil_tail(&veil, "abc s", 5), 1);
	assert_int_equal(kh_veil_tail(&veil, "sk-1", 4), 4);
	assert_int_equal(kh_veil_tail(&veil, "sk-sk-1234567", 13), 10);
	assert_int_equal(kh_veil_tail(&veil, "sk-12345678", 11), 0); /* a whole one is not a beginning */
	kh_veil_edges(&veil, text, strlen(text));
	assert_string_equal(text, "********* and ********");
	memcpy(text, "78 and sk", 10); /* too little to be one */
	kh_veil_edges(&veil, text, strlen(text));
	assert_string_equal(text, "78 and sk");
}

/* Two secrets of which one begins as, or ends in, the other. */
static void test_overlapping(struct kh_test *t)
{
	char text[64] = "a KEYKEYKEY-AND-MORE b KEYKEYKEY c";

	(void)t;
	set("KEYKEYKEY");
	kh_veil_add(&veil, KH_LIT("KEYKEYKEY-AND-MORE"));
	kh_veil_bytes(&veil, text, strlen(text));
	assert_string_equal(text, "a ****************** b ********* c");
	set("AAAABBBBCCCC");
	kh_veil_add(&veil, KH_LIT("BBBBCCCCDDDD"));
	memcpy(text, "x AAAABBBBCCCCDDDD y", 21);
	kh_veil_bytes(&veil, text, strlen(text));
	assert_string_equal(text, "x **************** y");
}

/* Passes IN on in pieces of SIZE bytes; what comes out is OUT. */
static void pass(const char *in, size_t size, const char *out)
{
	struct kh_cover_state state = {0};
	char piece[2048], seen[2048];
	size_t n = 0, seen_n = 0, left = strlen(in);

	do {
		size_t take = left < size ? left : size;
		memcpy(piece + n, in, take);
		in += take;
		left -= take;
		n += take;
		size_t k = kh_veil_lines(&veil, &state, left == 0, piece, n);
		memcpy(seen + seen_n, piece, k);
		seen_n += k;
		memmove(piece, piece + k, n - k);
		n -= k;
	} while (left > 0);
	assert_int_equal(n, 0);
	seen[seen_n] = '\0';
	assert_string_equal(seen, out);
}

/* However a stream is cut; and what is JSON stays JSON. */
static void test_lines(struct kh_test *t)
{
	char secret[501], in[1100], out[1100];
	size_t n = (size_t)snprintf(in, sizeof(in), "{\"a\":\"");

	(void)t;
	for (size_t i = 0; i < sizeof(secret) - 1; i++) {
		secret[i] = i % 9 == 8 ? '"' : 'q';
		n += (size_t)snprintf(in + n, sizeof(in) - n, "%s", i % 9 == 8 ? "\\\"" : "q");
	}
	secret[sizeof(secret) - 1] = '\0';
	snprintf(in + n, sizeof(in) - n, "\",\"b\":1}\n");
	memcpy(out, in, sizeof(out));
	memset(out + 6, '*', n - 6);
	for (size_t size = 1; size < 40; size++) {
		set("AAAABBBBCCCC");
		kh_veil_add(&veil, KH_LIT("BBBBCCCCDDDD"));
		kh_veil_add(&veil, KH_LIT("AAAABBBBCCCCEEEE"));
		pass("x AAAABBBBCCCCDDDD AAAABBBBCCCCEEEE AAAABBBBCCCC BBBBCCCC", size,
		     "x **************** **************** ************ BBBBCCCC");
		set("1234567890");
		pass("{\"id\":1234567890,\"b\":[-91234567890.5,\"1234567890\"]}", size,
		     "{\"id\":1111111111,\"b\":[-91111111111.5,\"1111111111\"]}");
		set(secret);
		pass(in, size, out);
	}
}

/* A reason quotes what it is about, in JSON that is quoted again, and cuts it. */
static void test_reason(struct kh_test *t)
{
	char room[128], text[128] = "{\"detail\":\"member \\\"Bearer \\\\\\\"tok-1\\\\\\\"\\\" stands twice: Bearer "
				    "\\\\\\\"to\\\"...\"}";

	(void)t;
	set("Bearer \"tok-1\"");
	kh_veil_reason(&veil, text, strlen(text), room);
	assert_null(strstr(text, "tok"));
	assert_null(strstr(text, "\"to"));
	assert_non_null(strstr(text, " stands twice: "));
}

static void expect_text(const char *secret, const char *in, const char *out)
{
	char text[1024], room[1024];
	size_t n = strlen(in);

	set(secret);
	memcpy(text, in, n + 1);
	kh_veil_text(&veil, text, n, room);
	assert_string_equal(text, out);
	if (strchr(in, '\\') != NULL)
		for (size_t i = 0; i < 8; i++)
			assert_int_equal(room[i], 0); /* no copy is left */
}

/* Standard error is any text: what JSON writes in ASCII, and what a URL has, is found however it is spelled. */
static void test_spelled(struct kh_test *t)
{
	static const char secret[] = "p\xc3\xa4ss/w\"rd\xf0\x9f\x94\x91";

	(void)t;
	expect_text(secret, secret, "**************");
	expect_text(secret, "{\"k\":\"p\\u00e4ss/w\\\"rd\\ud83d\\udd11\"}", "{\"k\":\"***************************\"}");
	expect_text(secret, "{\"k\":\"p\\u00E4ss\\/w\\u0022rd\xf0\x9f\x94\x91\"}",
		    "{\"k\":\"************************\"}");
	expect_text(secret, "GET /?k=p%C3%a4ss%2Fw%22rd%F0%9F%94%91&x=%20",
		    "GET /?k=******************************&x=%20");
	expect_text("sk-12345", "\\u0073\\u006b-12345 \\q \\u12 \\ud800 \\", "****************** \\q \\u12 \\ud800 \\");
	expect_text("sk-12345", "%73k-1234 %7 %", "%73k-1234 %7 %");
	/* Half of one at an edge. */
	expect_text("sk-12345678", "-1234567\\u0038 and %73k-12345", "************** and **********");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_spelled), KH_TEST_ONCE(test_overlapping), KH_TEST_ONCE(test_lines), KH_TEST_ONCE(test_reason),
	KH_TEST_ONCE(test_found),   KH_TEST_ONCE(test_long),        KH_TEST_ONCE(test_edges),
};

KH_TEST_MAIN(cases)
