/* Takes a request's headers from MHD, and stands between MHD and a Content-Length that it would answer wrongly. */
#include "http/headers.h"

#include "base/alloc.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <sodium.h>

/* --- taking ------------------------------------------------------------------------------------------------------- */

/* The first pass counts, the second one copies. */
struct copying {
	struct kh_http_pair *to; /* NULL: counting */
	char *text;
	size_t count, size;
};

static struct kh_view copy_text(struct copying *copying, const char *p, size_t n)
{
	char *to = copying->text;

	if (n > 0)
		memcpy(to, p, n);
	copying->text += n + 1;
	return kh_view_of(to, n);
}

/* Wipes MHD's copy of a secret, which MHD does not need any more.  Its memory may be written, although the type is
 * const. */
static void wipe_behind(const char *p, size_t n)
{
	sodium_memzero((void *)(uintptr_t)p, n); /* NOLINT(performance-no-int-to-ptr) */
}

static enum MHD_Result copy_header(void *cls, enum MHD_ValueKind kind, const char *key, size_t key_size,
				   const char *value, size_t value_size)
{
	struct copying *copying = cls;

	(void)kind;
	if (copying->to != NULL) {
		struct kh_http_pair *pair = &copying->to[copying->count];
		pair->name = copy_text(copying, key, key_size);
		pair->value = copy_text(copying, value, value_size);
		if (kh_view_eq_nocase(pair->name, KH_LIT("authorization")) && value_size > 0)
			wipe_behind(value, value_size);
	}
	copying->count++;
	copying->size += key_size + value_size + 2;
	return MHD_YES;
}

static void take_address(struct kh_http_request *r)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(r->connection,
								       MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	if (info == NULL || info->client_addr == NULL)
		return;
	if (info->client_addr->sa_family == AF_INET)
		memcpy(&r->address, info->client_addr, sizeof(struct sockaddr_in));
	else if (info->client_addr->sa_family == AF_INET6)
		memcpy(&r->address, info->client_addr, sizeof(struct sockaddr_in6));
	else
		r->address.ss_family = info->client_addr->sa_family;
}

enum kh_err kh_http_headers_take(struct kh_http_request *r, struct kh_error *err)
{
	struct copying counting = {.to = NULL}, copying = {.to = NULL};

	take_address(r);
	MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, copy_header, &counting);
	if (counting.count > KH_HTTP_HEADERS_MOST)
		return kh_error_set(err, KH_ELIMIT, "too_many_headers", "a request has at most %d headers",
				    KH_HTTP_HEADERS_MOST);
	r->head_size = counting.count * sizeof(struct kh_http_pair) + counting.size + 1;
	r->head = kh_alloc_zero(r->frame->alloc, r->head_size);
	if (r->head == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a request");
	copying.to = r->head;
	copying.text = (char *)r->head + counting.count * sizeof(struct kh_http_pair);
	MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, copy_header, &copying);
	r->headers = copying.to;
	r->header_count = copying.count;
	return KH_OK;
}

/* --- MHD's own lookups -------------------------------------------------------------------------------------------- */

/* A lookup that is going on. */
struct lookup {
	struct kh_view key; /* p NULL: an entry without a name */
	const char *value;
	size_t size;
	bool found;
};

static enum MHD_Result look(void *cls, enum MHD_ValueKind kind, const char *key, size_t key_size, const char *value,
			    size_t value_size)
{
	struct lookup *lookup = cls;
	bool same = key == NULL || lookup->key.p == NULL ? key == lookup->key.p
							 : kh_view_eq_nocase(kh_view_of(key, key_size), lookup->key);

	(void)kind;
	if (!same)
		return MHD_YES;
	lookup->value = value;
	lookup->size = value_size;
	lookup->found = true;
	return MHD_NO; /* the first one counts */
}

/* Replaces MHD's function of this name, for MHD itself too. */
enum MHD_Result MHD_lookup_connection_value_n(struct MHD_Connection *connection, enum MHD_ValueKind kind,
					      const char *key, size_t key_size, const char **value_ptr,
					      size_t *value_size_ptr)
{
	struct lookup lookup = {.key = kh_view_of(key, key_size)};
	uint64_t length;

	MHD_get_connection_values_n(connection, kind, look, &lookup);
	if (!lookup.found)
		return MHD_NO;
	if (kind == MHD_HEADER_KIND && kh_view_eq_nocase(lookup.key, KH_LIT("content-length"))) {
		struct kh_view value = kh_view_trim(kh_view_of(lookup.value, lookup.size)); /* MHD takes no blank */
		if (!kh_http_guard_length(value, &length))
			value = KH_LIT("0");
		lookup.value = value.p;
		lookup.size = value.n;
	}
	if (value_ptr != NULL)
		*value_ptr = lookup.value;
	if (value_size_ptr != NULL)
		*value_size_ptr = lookup.size;
	return MHD_YES;
}
