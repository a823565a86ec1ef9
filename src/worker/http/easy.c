/* Options and header lines of every exchange.  See easy.h. */
#include "worker/http/easy.h"

#include "worker/http/headers.h"

#define SET(option, value) KH_EASY_SET(curl, easy, failed, option, value)

bool kh_easy_harden(const struct kh_curl *curl, CURL *easy)
{
	bool failed = false;

	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_HTTP09_ALLOWED, 0L);
	SET(CURLOPT_PROXY, ""); /* not from the environment either */
	SET(CURLOPT_NOPROXY, "*");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_PATH_AS_IS, 1L); /* the URL that was checked is sent unchanged */
	SET(CURLOPT_USERAGENT, "keyhole/" KH_VERSION);
	SET(CURLOPT_HTTP_CONTENT_DECODING, 0L); /* coding.h */
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	SET(CURLOPT_SSL_SESSIONID_CACHE, 0L);
	SET(CURLOPT_CAINFO, NULL); /* no file and no folder: trust.h */
	SET(CURLOPT_CAPATH, NULL);
	SET(CURLOPT_VERBOSE, 1L); /* for the debug function, which counts */
	return !failed;
}

bool kh_easy_line(const struct kh_curl *curl, struct kh_arena *arena, struct kh_view text, struct curl_slist **list)
{
	struct kh_view copy = kh_arena_printf(arena, "%.*s", KH_FMT(text));
	struct curl_slist *longer = copy.p ? curl->slist_append(*list, copy.p) : NULL;

	if (longer != NULL)
		*list = longer;
	return longer != NULL;
}

enum kh_easy_line kh_easy_take(struct kh_easy_head *head, struct kh_view line)
{
	head->bytes += line.n;
	if (head->bytes > sizeof(head->lines))
		return KH_EASY_TOO_MUCH;
	if (head->is_over)
		return KH_EASY_MORE;
	memcpy(head->lines + head->n, line.p, line.n); /* no more than the cap of all header bytes */
	head->n += line.n;
	return kh_view_trim(line).n == 0 ? KH_EASY_BLOCK : KH_EASY_MORE;
}

const char *kh_easy_wrong(const struct kh_easy_head *head)
{
	struct kh_view block = kh_view_of(head->lines, head->n);

	return kh_view_starts(block, KH_LIT("HTTP/1.")) ? kh_headers_wrong(block) : "a response of another version";
}

void kh_easy_forget(struct kh_easy_head *head, bool final)
{
	head->is_over |= final;
	head->n = 0;
}
