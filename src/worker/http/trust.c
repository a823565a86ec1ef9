/* Certificates that are read when they are needed.  See trust.h. */
#include "worker/http/trust.h"

#include "worker/library.h"
#include "worker/worker.h"

#include <sodium.h>

#define BEGIN "-----BEGIN CERTIFICATE-----"
#define END   "-----END CERTIFICATE-----"

/* Of OpenSSL's headers since 1.1.1: libcurl sets these two flags in stores of its own. */
#define TRUSTED_FIRST 0x8000
#define PARTIAL_CHAIN 0x80000

#define STORE_MAX    (4U << 20)
#define ARENA_MAX    (8U << 20)
#define LONGEST_NAME 4096 /* bytes of a name; a longer one is not found */

/* All that is used of OpenSSL; its types are known only there. */
struct openssl {
	void *(*store_new)(void);
	void (*store_free)(void *store);
	int (*store_add)(void *store, void *certificate);
	int (*store_flags)(void *store, unsigned long flags);
	void *(*read)(void **certificate, const unsigned char **der, long n);
	void (*free)(void *certificate);
	const void *(*issuer)(const void *certificate);
	const void *(*subject)(const void *certificate);
	int (*write_name)(const void *name, unsigned char **der);
	const void *(*chain)(const void *verifying);
	int (*chain_count)(const void *chain);
	const void *(*chain_at)(const void *chain, int i);
	int (*verify)(void *verifying);
	void (*use_store)(void *context, void *store);
	void (*use_verify)(void *context, int (*verify)(void *verifying, void *trust), void *trust);
};

struct certificate {
	struct kh_view der, subject;
	bool is_read; /* it is in the store */
};

struct kh_http_trust {
	const struct kh_alloc *alloc;
	const struct kh_curl *curl;
	bool has_openssl;
	struct openssl ssl;
	void *store;
	struct kh_view pem;
	struct kh_arena arena; /* for what is below */
	struct certificate *certificates;
	size_t count, cap;
};

struct kh_view kh_http_trust_system(void)
{
	static const char *const stores[] = {
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/cert.pem",
	};
	struct kh_view store = KH_LIT("");

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]) && store.n == 0; i++)
		store = kh_worker_load(stores[i], STORE_MAX);
	return store;
}

static enum kh_err load(struct openssl *ret_openssl)
{
#define AT(member) offsetof(struct openssl, member)
	static const struct kh_library_symbol of_crypto[] = {
		{"X509_STORE_new", AT(store_new)},
		{"X509_STORE_free", AT(store_free)},
		{"X509_STORE_add_cert", AT(store_add)},
		{"X509_STORE_set_flags", AT(store_flags)},
		{"d2i_X509", AT(read)},
		{"X509_free", AT(free)},
		{"X509_get_issuer_name", AT(issuer)},
		{"X509_get_subject_name", AT(subject)},
		{"i2d_X509_NAME", AT(write_name)},
		{"X509_STORE_CTX_get0_untrusted", AT(chain)},
		{"OPENSSL_sk_num", AT(chain_count)},
		{"OPENSSL_sk_value", AT(chain_at)},
		{"X509_verify_cert", AT(verify)},
	};
	static const struct kh_library_symbol of_ssl[] = {{"SSL_CTX_set1_cert_store", AT(use_store)},
							  {"SSL_CTX_set_cert_verify_callback", AT(use_verify)}};
#undef AT
	enum kh_err e = KH_LIBRARY_LOAD("libcrypto.so.3", "openssl", "", of_crypto, ret_openssl, NULL);

	return e == KH_OK ? KH_LIBRARY_LOAD("libssl.so.3", "openssl", "", of_ssl, ret_openssl, NULL) : e;
}

/* A value of DER: takes it off *REST.  Lengths of more than 3 bytes are not those of a certificate. */
static bool next_value(struct kh_view *rest, unsigned char *ret_tag, struct kh_view *ret_whole, struct kh_view *ret_in)
{
	const unsigned char *p = (const unsigned char *)rest->p;
	size_t head = 2, n;

	if (rest->n < 2)
		return false;
	n = p[1];
	if (n >= 0x80) {
		size_t more = n & 0x7f;
		if (more == 0 || more > 3 || rest->n < 2 + more)
			return false;
		n = 0;
		for (size_t i = 0; i < more; i++)
			n = n << 8 | p[2 + i];
		head += more;
	}
	if (n > rest->n - head)
		return false;
	*ret_tag = p[0];
	*ret_whole = kh_view_sub(*rest, 0, head + n);
	*ret_in = kh_view_sub(*rest, head, head + n);
	*rest = kh_view_from(*rest, head + n);
	return true;
}

struct kh_view kh_http_trust_subject(struct kh_view der)
{
	/* What comes before the subject, behind the version: number, algorithm, issuer, validity. */
	static const unsigned char before[] = {0x02, 0x30, 0x30, 0x30};
	struct kh_view none = {NULL, 0}, whole, in, rest = der;
	unsigned char tag;

	if (!next_value(&rest, &tag, &whole, &in) || tag != 0x30 || rest.n > 0)
		return none;
	rest = in;
	if (!next_value(&rest, &tag, &whole, &in) || tag != 0x30)
		return none;
	rest = in;
	if (rest.n > 0 && (unsigned char)rest.p[0] == 0xa0 && !next_value(&rest, &tag, &whole, &in))
		return none;
	for (size_t i = 0; i < sizeof(before); i++)
		if (!next_value(&rest, &tag, &whole, &in) || tag != before[i])
			return none;
	return next_value(&rest, &tag, &whole, &in) && tag == 0x30 ? whole : none;
}

/* The bytes of TEXT, which is in base 64; {NULL, 0} if it is not. */
static struct kh_view decode(struct kh_arena *arena, struct kh_view text)
{
	size_t most = text.n / 4 * 3 + 3, n = 0;
	unsigned char *bytes = kh_arena_alloc(arena, most);

	if (bytes == NULL ||
	    sodium_base642bin(bytes, most, text.p, text.n, " \t\r\n", &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
		return (struct kh_view){NULL, 0};
	return kh_view_of((const char *)bytes, n);
}

static enum kh_err add_certificate(struct kh_http_trust *trust, struct kh_view text)
{
	struct kh_view der = decode(&trust->arena, text), subject = kh_http_trust_subject(der);
	struct certificate *more;

	if (subject.n == 0)
		return kh_arena_check(&trust->arena);
	more = kh_arena_more(&trust->arena, trust->certificates, trust->count, &trust->cap, sizeof(*more));
	if (more == NULL)
		return KH_ENOMEM;
	trust->certificates = more;
	more[trust->count++] = (struct certificate){der, subject, false};
	return KH_OK;
}

/* Cuts the file into its certificates. */
static enum kh_err cut(struct kh_http_trust *trust)
{
	size_t from = 0, to;

	while ((from = kh_view_find(trust->pem, KH_LIT(BEGIN), from)) != SIZE_MAX) {
		from += sizeof(BEGIN) - 1;
		to = kh_view_find(trust->pem, KH_LIT(END), from);
		enum kh_err e = to == SIZE_MAX ? KH_OK : add_certificate(trust, kh_view_sub(trust->pem, from, to));
		if (e != KH_OK || to == SIZE_MAX)
			return e;
		from = to;
	}
	return KH_OK;
}

/* Reads CERTIFICATE into the store, once.  One that OpenSSL does not take is not trusted. */
static void read_certificate(const struct kh_http_trust *trust, struct certificate *certificate)
{
	const struct openssl *ssl = &trust->ssl;
	const unsigned char *der = (const unsigned char *)certificate->der.p;

	if (certificate->is_read)
		return;
	certificate->is_read = true;
	void *read = ssl->read(NULL, &der, (long)certificate->der.n);
	if (read != NULL)
		(void)ssl->store_add(trust->store, read); /* with a reference of its own */
	ssl->free(read);
}

/* Reads all certificates of NAME: an authority may have several.  False if there is none. */
static bool read_named(const struct kh_http_trust *trust, const void *name)
{
	unsigned char der[LONGEST_NAME], *end = der;
	int n = trust->ssl.write_name(name, NULL);
	bool found = false;

	if (n <= 0 || n > LONGEST_NAME || trust->ssl.write_name(name, &end) != n)
		return false;
	struct kh_view wanted = kh_view_of((const char *)der, (size_t)n);
	for (size_t i = 0; i < trust->count; i++) {
		if (kh_view_eq(trust->certificates[i].subject, wanted)) {
			read_certificate(trust, &trust->certificates[i]);
			found = true;
		}
	}
	return found;
}

/* In place of OpenSSL's own verification: what it may need of the store is read before. */
static int verify(void *verifying, void *ctx)
{
	const struct kh_http_trust *trust = ctx;
	const void *chain = trust->ssl.chain(verifying);
	bool found = false;

	for (int i = 0; chain != NULL && i < trust->ssl.chain_count(chain); i++) {
		const void *certificate = trust->ssl.chain_at(chain, i);
		found |= read_named(trust, trust->ssl.issuer(certificate));
		found |= read_named(trust, trust->ssl.subject(certificate));
	}
	/* OpenSSL takes some names for equal that are encoded differently: it decides, over all of them. */
	for (size_t i = 0; !found && i < trust->count; i++)
		read_certificate(trust, &trust->certificates[i]);
	return trust->ssl.verify(verifying);
}

static CURLcode on_context(CURL *easy, void *context, void *ctx)
{
	struct kh_http_trust *trust = ctx;

	(void)easy;
	trust->ssl.use_store(context, trust->store);
	trust->ssl.use_verify(context, verify, trust);
	return CURLE_OK;
}

/* Mixing two versions of OpenSSL in one process would not end well. */
static bool uses_openssl(const struct kh_curl *curl)
{
	const curl_version_info_data *about = curl->version_info(CURLVERSION_NOW);

	return about->ssl_version != NULL && kh_view_starts(kh_view_str(about->ssl_version), KH_LIT("OpenSSL/3."));
}

enum kh_err kh_http_trust_new(const struct kh_alloc *alloc, const struct kh_curl *curl,
			      struct kh_http_trust **ret_trust, struct kh_error *err)
{
	struct kh_http_trust *trust = kh_alloc_zero(alloc, sizeof(*trust));

	if (trust == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "no memory");
	trust->alloc = alloc;
	trust->curl = curl;
	trust->has_openssl = uses_openssl(curl) && load(&trust->ssl) == KH_OK;
	kh_arena_init(&trust->arena, alloc, ARENA_MAX);
	*ret_trust = trust;
	return KH_OK;
}

static void forget(struct kh_http_trust *trust)
{
	if (trust->store != NULL)
		trust->ssl.store_free(trust->store);
	trust->store = NULL;
	kh_arena_done(&trust->arena);
	kh_arena_init(&trust->arena, trust->alloc, ARENA_MAX);
	trust->certificates = NULL;
	trust->count = trust->cap = 0;
}

void kh_http_trust_free(struct kh_http_trust *trust)
{
	if (trust == NULL)
		return;
	forget(trust);
	kh_alloc_free(trust->alloc, trust, sizeof(*trust));
}

enum kh_err kh_http_trust_use(struct kh_http_trust *trust, struct kh_view pem, struct kh_error *err)
{
	forget(trust);
	trust->pem = pem;
	enum kh_err e = trust->has_openssl ? cut(trust) : KH_OK;
	if (e == KH_OK && trust->count > 0) {
		trust->store = trust->ssl.store_new();
		if (trust->store == NULL || trust->ssl.store_flags(trust->store, TRUSTED_FIRST | PARTIAL_CHAIN) != 1)
			e = KH_ENOMEM;
	}
	return e == KH_OK ? KH_OK : kh_error_set(err, e, NULL, "no memory for certificates");
}

bool kh_http_trust_set(struct kh_http_trust *trust, CURL *easy)
{
	const struct kh_curl *curl = trust->curl;
	/* libcurl does not write to it: NOCOPY only borrows it. */
	union {
		const char *in;
		void *out;
	} pem = {.in = trust->pem.p};
	struct curl_blob blob = {pem.out, trust->pem.n, CURL_BLOB_NOCOPY};

	/* Without a certificate libcurl says so itself. */
	if (trust->count == 0)
		return curl->easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob) == CURLE_OK;
	return curl->easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_context) == CURLE_OK &&
	       curl->easy_setopt(easy, CURLOPT_SSL_CTX_DATA, trust) == CURLE_OK;
}

size_t kh_http_trust_count(const struct kh_http_trust *trust)
{
	return trust->count;
}
