/* The upstream server that a worker is for.  Trusts the executor for what SERVE says. */
#include "worker/http/site.h"

#include "wire/header.h"

#include <time.h>

#define OVERHEAD 65536 /* for what is held beside a message */
#define GROWTH   24    /* what a byte of a message can take, as value and written */

#define KEPT (1U << 20) /* bytes of memory that are kept from one message to the next */

#define CONNECTIONS 8L /* that are kept open while nobody uses them */

enum kh_err kh_http_site_init(struct kh_http_site *site, struct kh_worker *worker, struct kh_error *err)
{
	*site = (struct kh_http_site){.worker = worker};
	kh_arena_init(&site->arena, &kh_alloc_system, 4 * KH_MESSAGE_MAX);
	enum kh_err e = kh_curl_load(&site->curl, err);
	if (e != KH_OK)
		return e;
	tzset(); /* otherwise the first check of a certificate's dates would open a file */
	if (site->curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK)
		site->multi = site->curl.multi_init();
	if (site->multi == NULL || site->curl.multi_setopt(site->multi, CURLMOPT_MAXCONNECTS, CONNECTIONS) != CURLM_OK)
		return kh_error_set(err, KH_EREFUSED, "libcurl", "this libcurl lacks something that is needed");
	e = kh_http_trust_new(&kh_alloc_system, &site->curl, &site->trust, err);
	return e == KH_OK ? kh_http_trust_use(site->trust, kh_http_trust_system(), err) : e;
}

void kh_http_site_done(struct kh_http_site *site)
{
	if (site->multi != NULL)
		site->curl.multi_cleanup(site->multi);
	kh_http_trust_free(site->trust);
	kh_arena_done(&site->work);
	kh_arena_done(&site->arena);
}

/* The items of a list, copied. */
static size_t copy_list(struct kh_http_site *site, const struct kh_message *message, enum kh_message_field field,
			struct kh_view *ret_items, size_t most)
{
	size_t count = 0, cursor = 0;
	struct kh_view item;

	while (count < most && kh_message_item(message, field, &cursor, &item))
		ret_items[count++] = kh_arena_dup(&site->arena, item);
	return count;
}

static bool mask_secrets(struct kh_http_site *site)
{
	for (size_t i = 0; i < site->secrets; i++) {
		struct kh_view line = site->secret[i];
		size_t colon = kh_view_find(line, KH_LIT(":"), 0);
		if (colon == SIZE_MAX ||
		    !kh_mask_add(&site->mask, &site->arena, kh_view_trim(kh_view_from(line, colon + 1))))
			return false;
	}
	return true;
}

const char *kh_http_site_serve(struct kh_http_site *site, const struct kh_message *message, int authority)
{
	uint64_t most = message->number[KH_FIELD_LONGEST], a_second = message->number[KH_FIELD_MESSAGES];
	uint64_t idle = message->number[KH_FIELD_IDLE];
	struct kh_view pem;

	if (most < 1 || most > KH_UPSTREAM_MESSAGE_MOST || a_second < 1 || a_second > KH_UPSTREAM_SECOND_MOST ||
	    idle < 1 || idle > KH_UPSTREAM_IDLE_MOST)
		return "not a request that is taken";
	site->message = (size_t)most;
	site->idle_ms = (int64_t)idle;
	kh_worker_rate_init(&site->messages, (int64_t)a_second);
	kh_worker_rate_init(&site->bytes, KH_HTTP_SITE_BYTES_A_SECOND / KH_HTTP_SITE_BLOCK);
	kh_arena_init(&site->work, &kh_alloc_system, GROWTH * site->message + OVERHEAD);
	site->url = kh_arena_dup(&site->arena, message->text[KH_FIELD_URL]);
	site->headers = copy_list(site, message, KH_FIELD_HEADER, site->header, KH_REQUEST_HEADERS);
	site->secrets = copy_list(site, message, KH_FIELD_SECRET, site->secret, KH_UPSTREAM_SECRETS);
	if (kh_arena_check(&site->arena) != KH_OK || !mask_secrets(site))
		return "no memory is left";
	if (authority >= 0 && (!kh_worker_read(authority, KH_HTTP_TRUST_FILE, &pem) ||
			       kh_http_trust_use(site->trust, pem, NULL) != KH_OK))
		return "the file of authorities cannot be read";
	return NULL;
}

void kh_http_site_forget(struct kh_http_site *site)
{
	size_t limit = site->work.limit;

	kh_arena_clear(&site->work);
	if (site->work.size <= KEPT)
		return;
	kh_arena_done(&site->work);
	kh_arena_init(&site->work, &kh_alloc_system, limit);
}

bool kh_http_site_dial(struct kh_http_site *site, uint64_t ticket)
{
	kh_worker_begin(site->worker, KH_MESSAGE_DIAL);
	kh_message_number(&site->worker->out, KH_FIELD_TICKET, ticket);
	kh_message_number(&site->worker->out, KH_FIELD_INDEX, 0);
	return kh_worker_send(site->worker, -1) == KH_IO_DONE;
}

bool kh_http_site_is_secret(const struct kh_http_site *site, struct kh_view line)
{
	struct kh_view name = kh_view_sub(line, 0, kh_view_find(line, KH_LIT(":"), 0)), value;

	for (size_t i = 0; i < site->secrets; i++)
		if (kh_header_is(site->secret[i], name, &value))
			return true;
	return false;
}
