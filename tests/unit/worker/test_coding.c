/* E8: codings are taken off whatever the pieces that they come in; one that is cut, or followed by more, is not whole. */
#include "worker/http/coding.h"

#include "harness.h"

#define TEXT "hello hello hello hello"

static const struct body {
	enum kh_coding coding[KH_CODING_LAYERS];
	size_t layers;
	struct kh_view bytes;
} bodies[] = {
	{{KH_CODING_GZIP},
	 1,
	 KH_LIT_INIT(
		 "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\xe3\x51\x3d\x8d\x17"
		 "\x00\x00\x00")},
	{{KH_CODING_DEFLATE}, 1, KH_LIT_INIT("\x78\xda\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\x68\x03\x08\xb1")},
	{{KH_CODING_DEFLATE}, 1, KH_LIT_INIT("\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01")},
	{{KH_CODING_BROTLI},
	 1,
	 KH_LIT_INIT("\x1f\x16\x00\xf8\x8d\x94\x6e\xde\x44\x55\x86\x96\x6c\x20\x6f\x21\x4f\x1c\xe0\x38")},
	{{KH_CODING_GZIP, KH_CODING_GZIP},
	 2,
	 KH_LIT_INIT("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x93\xef\xe6\x60\x00\x01\x26\xe6\xd3\x1e\x67\x4f\x9e\x0c"
		     "\x3f\xe1\xa0\xce\xf8\x38\xd0\xb6\x57\x1c\x28\x06\x00\x44\x63\x66\x0c\x1c\x00\x00\x00")},
	{{KH_CODING_GZIP}, 0, KH_LIT_INIT(TEXT)},
};

struct taken {
	char bytes[1000];
	size_t n, most;
};

static bool take(void *ctx, struct kh_view bytes)
{
	struct taken *taken = ctx;

	if (bytes.n > taken->most - taken->n)
		return false;
	memcpy(taken->bytes + taken->n, bytes.p, bytes.n);
	taken->n += bytes.n;
	return true;
}

/* Decodes BYTES in pieces of SIZE; *RET_WHOLE is what it came to at the end. */
static enum kh_coding_result decode(const struct body *body, struct kh_view bytes, size_t size, struct taken *taken,
				    bool *ret_whole)
{
	struct kh_coding_libraries libraries;
	enum kh_coding_result result = KH_CODING_TAKEN;
	struct kh_coding_stack it;

	assert_int_equal(kh_coding_load(&libraries, NULL), KH_OK);
	taken->n = 0;
	kh_coding_init(&it, &libraries, body->coding, body->layers, take, taken);
	for (; bytes.n > 0 && result == KH_CODING_TAKEN; bytes = kh_view_from(bytes, size))
		result = kh_coding_push(&it, kh_view_sub(bytes, 0, size));
	*ret_whole = kh_coding_is_whole(&it);
	kh_coding_done(&it);
	return result;
}

static void test_pieces(struct kh_test *t)
{
	struct taken taken = {.most = sizeof(taken.bytes)};
	bool whole;

	(void)t;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		for (size_t size = 1; size <= bodies[i].bytes.n; size++) {
			assert_int_equal(decode(&bodies[i], bodies[i].bytes, size, &taken, &whole), KH_CODING_TAKEN);
			assert_true(whole);
			assert_view(kh_view_of(taken.bytes, taken.n), TEXT);
		}
	}
}

static void test_cut(struct kh_test *t)
{
	struct taken taken = {.most = sizeof(taken.bytes)};
	bool whole;

	(void)t;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		for (size_t n = 1; n < bodies[i].bytes.n && bodies[i].layers > 0; n++) {
			assert_int_equal(decode(&bodies[i], kh_view_sub(bodies[i].bytes, 0, n), 7, &taken, &whole),
					 KH_CODING_TAKEN);
			assert_false(whole);
		}
		/* No body at all is not one that was cut. */
		assert_int_equal(decode(&bodies[i], KH_LIT(""), 1, &taken, &whole), KH_CODING_TAKEN);
		assert_true(whole);
	}
}

static void test_followed(struct kh_test *t)
{
	struct taken taken = {.most = sizeof(taken.bytes)};
	char more[200];
	bool whole;

	(void)t;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		size_t n = bodies[i].bytes.n;
		memcpy(more, bodies[i].bytes.p, n);
		more[n] = more[n + 1] = 'x';
		for (size_t size = 1; size <= n + 2 && bodies[i].layers > 0; size++)
			assert_int_equal(decode(&bodies[i], kh_view_of(more, n + 2), size, &taken, &whole),
					 KH_CODING_BROKEN);
	}
	/* A gzip body may have several members. */
	size_t n = bodies[0].bytes.n;
	memcpy(more, bodies[0].bytes.p, n);
	memcpy(more + n, bodies[0].bytes.p, n);
	for (size_t size = 1; size <= 2 * n; size++) {
		assert_int_equal(decode(&bodies[0], kh_view_of(more, 2 * n), size, &taken, &whole), KH_CODING_TAKEN);
		assert_true(whole);
		assert_view(kh_view_of(taken.bytes, taken.n), TEXT TEXT);
		assert_int_equal(decode(&bodies[0], kh_view_of(more, 2 * n - 1), size, &taken, &whole),
				 KH_CODING_TAKEN);
		assert_false(whole);
	}
}

/* A byte that is changed is found by the coding itself or changes the text; nothing else happens. */
static void test_changed(struct kh_test *t)
{
	struct taken taken = {.most = sizeof(taken.bytes)};
	char changed[100];
	bool whole;

	(void)t;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		for (size_t at = 0; at < bodies[i].bytes.n; at++) {
			memcpy(changed, bodies[i].bytes.p, bodies[i].bytes.n);
			changed[at] = (char)(changed[at] ^ 0x55);
			(void)!decode(&bodies[i], kh_view_of(changed, bodies[i].bytes.n), 5, &taken, &whole);
		}
	}
}

static void test_stopped(struct kh_test *t)
{
	struct taken taken = {.most = 5};
	bool whole;

	(void)t;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		assert_int_equal(decode(&bodies[i], bodies[i].bytes, 1000, &taken, &whole), KH_CODING_STOPPED);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_pieces),  KH_TEST_ONCE(test_cut),     KH_TEST_ONCE(test_followed),
	KH_TEST_ONCE(test_changed), KH_TEST_ONCE(test_stopped),
};

KH_TEST_MAIN(cases)
