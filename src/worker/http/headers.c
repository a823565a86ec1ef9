/*
 * Looks into a block of header lines.
 *
 * Trusts nobody: a server sent the lines.  The target of a redirect is worked out here and judged by the executor,
 * which parses the URL again with its own rules.
 */
#include "worker/http/headers.h"

#include "wire/header.h"

#define LOCATION_MAX 8192 /* the target of a redirect that is longer is ignored */
#define LAYERS_MAX   2    /* each needs a window of its own in memory, up to 16 MiB */

/* What all lines together say about the framing of a body. */
struct framing {
	struct kh_view length;
	unsigned layers;
};

static const char *wrong_length(struct framing *framing, struct kh_view value)
{
	bool good = value.n > 0 && (framing->length.p == NULL || kh_view_eq(value, framing->length));

	for (size_t i = 0; i < value.n && good; i++)
		good = kh_ascii_is_digit(value.p[i]);
	framing->length = value;
	return good ? NULL : "a Content-Length that is none";
}

static const char *wrong_codings(struct framing *framing, struct kh_view value)
{
	static const struct {
		struct kh_view name;
		unsigned layers;
	} known[] = {
		{KH_LIT_INIT("gzip"), 1},    {KH_LIT_INIT("x-gzip"), 1},   {KH_LIT_INIT("deflate"), 1},
		{KH_LIT_INIT("br"), 1},      {KH_LIT_INIT("identity"), 0}, {KH_LIT_INIT("none"), 0},
		{KH_LIT_INIT("chunked"), 0}, {KH_LIT_INIT(""), 0},
	};
	struct kh_view word;

	while (kh_view_split(&value, ',', &word)) {
		size_t i = 0, count = sizeof(known) / sizeof(known[0]);
		while (i < count && !kh_view_eq_nocase(kh_view_trim(word), known[i].name))
			i++;
		if (i == count)
			return "a coding that was not asked for";
		framing->layers += known[i].layers;
	}
	return framing->layers > LAYERS_MAX ? "more codings around one another than are taken off" : NULL;
}

const char *kh_headers_wrong(struct kh_view block)
{
	struct framing framing = {.layers = 0};
	const char *wrong = NULL;
	struct kh_view line, value;
	bool frames = false;

	while (wrong == NULL && kh_view_split(&block, '\n', &line)) {
		/* Some implementations join a line that continues in the next one, and others do not. */
		if (frames && line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t'))
			return "a header of the body's framing over several lines";
		frames = true;
		if (kh_header_is(line, KH_LIT("Content-Length"), &value))
			wrong = wrong_length(&framing, value);
		else if (kh_header_is(line, KH_LIT("Content-Encoding"), &value) ||
			 kh_header_is(line, KH_LIT("Transfer-Encoding"), &value))
			wrong = wrong_codings(&framing, value);
		else
			frames = false;
	}
	return wrong;
}

bool kh_headers_until_close(struct kh_view block, long status)
{
	struct kh_view value;

	return status != 204 && status != 304 && !kh_header_find(block, KH_LIT("Content-Length"), &value) &&
	       !kh_header_find(block, KH_LIT("Transfer-Encoding"), &value);
}

char *kh_headers_location(const struct kh_curl *curl, struct kh_view block, const char *base)
{
	char text[LOCATION_MAX + 1], *url = NULL;
	struct kh_view value;

	if (!kh_header_find(block, KH_LIT("Location"), &value) || value.n == 0 || value.n > LOCATION_MAX)
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
