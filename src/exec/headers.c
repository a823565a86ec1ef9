/*
 * Looking into a block of header lines.
 *
 * Trusts nobody: the lines are what a server sent.  Where a redirect leads is worked out here and judged by the
 * executor, which reads the URL again with its own rules.
 */
#include "exec/headers.h"

#define LOCATION_MAX 8192 /* a redirect to what is longer leads nowhere */

/* The value of LINE where it is a header NAME. */
static bool is_header(struct kh_view line, struct kh_view name, struct kh_view *ret_value)
{
	if (line.n <= name.n || line.p[name.n] != ':' || !kh_view_eq_nocase(kh_view_sub(line, 0, name.n), name))
		return false;
	*ret_value = kh_view_trim(kh_view_from(line, name.n + 1));
	return true;
}

bool kh_headers_find(struct kh_view block, struct kh_view name, struct kh_view *ret_value)
{
	struct kh_view line;

	while (kh_view_split(&block, '\n', &line))
		if (is_header(line, name, ret_value))
			return true;
	return false;
}

bool kh_headers_length_good(struct kh_view block)
{
	struct kh_view line, value, first = {NULL, 0};

	while (kh_view_split(&block, '\n', &line)) {
		if (!is_header(line, KH_LIT("Content-Length"), &value))
			continue;
		for (size_t i = 0; i < value.n; i++)
			if (!kh_ascii_is_digit(value.p[i]))
				return false;
		if (value.n == 0 || (first.p != NULL && !kh_view_eq(value, first)))
			return false;
		first = value;
	}
	return true;
}

bool kh_headers_until_close(struct kh_view block, long status)
{
	struct kh_view value;

	return status != 204 && status != 304 && !kh_headers_find(block, KH_LIT("Content-Length"), &value) &&
	       !kh_headers_find(block, KH_LIT("Transfer-Encoding"), &value);
}

char *kh_headers_location(const struct kh_curl *curl, struct kh_view block, const char *base)
{
	char text[LOCATION_MAX + 1], *url = NULL;
	struct kh_view value;

	if (!kh_headers_find(block, KH_LIT("Location"), &value) || value.n == 0 || value.n > LOCATION_MAX)
		return NULL;
	memcpy(text, value.p, value.n);
	text[value.n] = '\0';
	CURLU *parts = curl->url();
	if (parts != NULL && curl->url_set(parts, CURLUPART_URL, base, 0) == CURLUE_OK &&
	    curl->url_set(parts, CURLUPART_URL, text, 0) == CURLUE_OK &&
	    curl->url_get(parts, CURLUPART_URL, &url, 0) == CURLUE_OK && strlen(url) > LOCATION_MAX) {
		curl->free(url);
		url = NULL;
	}
	curl->url_cleanup(parts);
	return url;
}
