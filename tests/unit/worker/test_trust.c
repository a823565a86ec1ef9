/* E8: certificates of authorities are cut out of their file, and found by the name of their holder. */
#include "worker/http/trust.h"
#include "worker/worker.h"

#include "harness.h"

#include <stdio.h>

/* A certificate as far as it is looked at; the name of its holder is "subject" in a sequence. */
static size_t make(char *der, bool has_version)
{
	static const char version[] = "\xa0\x03\x02\x01\x02";
	static const char rest[] = "\x02\x01\x05"     /* number */
				   "\x30\x02\x06\x00" /* algorithm */
				   "\x30\x06issuer"   /* who gave it */
				   "\x30\x02\x17\x00" /* validity */
				   "\x30\x07subject"  /* who holds it */
				   "\x30\x03key";
	size_t in = (has_version ? 5 : 0) + sizeof(rest) - 1, n = 0;

	der[n++] = 0x30;
	der[n++] = (char)0x81;
	der[n++] = (char)(in + 2 + 3);
	der[n++] = 0x30;
	der[n++] = (char)in;
	if (has_version) {
		memcpy(der + n, version, 5);
		n += 5;
	}
	memcpy(der + n, rest, sizeof(rest) - 1);
	n += sizeof(rest) - 1;
	memcpy(der + n, "\x03\x01\x00", 3);
	return n + 3;
}

static void test_subject(struct kh_test *t)
{
	char der[256];

	(void)t;
	for (int version = 0; version < 2; version++) {
		size_t n = make(der, version == 1);
		assert_view(kh_http_trust_subject(kh_view_of(der, n)), "\x30\x07subject");
		/* What is cut, or has something behind it, is none. */
		for (size_t cut = 0; cut < n; cut++)
			assert_int_equal(kh_http_trust_subject(kh_view_of(der, cut)).n, 0);
		der[n] = 0;
		assert_int_equal(kh_http_trust_subject(kh_view_of(der, n + 1)).n, 0);
		/* Whatever the bytes are, what comes out lies within them. */
		for (size_t i = 0; i < n; i++) {
			for (int bit = 0; bit < 8; bit++) {
				der[i] = (char)(der[i] ^ 1 << bit);
				struct kh_view got = kh_http_trust_subject(kh_view_of(der, n));
				assert_true(got.n == 0 || (got.p >= der && got.p + got.n <= der + n));
				der[i] = (char)(der[i] ^ 1 << bit);
			}
		}
	}
}

static void test_store(struct kh_test *t)
{
	struct kh_http_trust *trust = NULL;
	struct kh_curl curl;

	must(t, kh_curl_load(&curl, &t->err));
	assert_int_equal(curl.global_init(CURL_GLOBAL_ALL), CURLE_OK);
	must(t, kh_http_trust_new(&kh_alloc_system, &curl, &trust, &t->err));
	must(t, kh_http_trust_use(trust, KH_LIT(""), &t->err));
	assert_int_equal(kh_http_trust_count(trust), 0);
	must(t, kh_http_trust_use(trust, KH_LIT("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
				  &t->err));
	assert_int_equal(kh_http_trust_count(trust), 0);
	must(t, kh_http_trust_use(trust, KH_LIT("-----BEGIN CERTIFICATE-----\n"), &t->err));
	/* As many as the system's file has; it is the same file twice. */
	struct kh_view system = kh_http_trust_system();
	size_t begins = 0, at = 0;
	for (; (at = kh_view_find(system, KH_LIT("BEGIN CERT"), at)) != SIZE_MAX; at++)
		begins++;
	const curl_version_info_data *about = curl.version_info(CURLVERSION_NOW);
	if (strncmp(about->ssl_version, "OpenSSL/3.", 10) != 0)
		begins = 0;
	for (int i = 0; i < 2; i++) {
		must(t, kh_http_trust_use(trust, system, &t->err));
		assert_int_equal(kh_http_trust_count(trust), begins);
	}
	CURL *easy = curl.easy_init();
	assert_true(kh_http_trust_set(trust, easy));
	curl.easy_cleanup(easy);
	kh_http_trust_free(trust);
	kh_worker_unread(system);
	curl.global_cleanup();
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_subject), KH_TEST_ONCE(test_store)};
KH_TEST_MAIN(cases)
