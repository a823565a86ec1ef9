/*
 * Looks into a block of header lines.
 *
 * Trusts nobody: a server sent the lines.  The target of a redirect is worked out here and judged by the executor,
 * which parses the URL again with its own rules.
 */
#include "worker/http/headers.h"

#include "wire/header.h"

#define LOCATION_MAX 8192 /* the target of a redirect that is longer is ignored */

/* What all lines together say about the framing of a body. */
struct framing {
	struct kh_view length;
	enum kh_coding coding[KH_CODING_LAYERS];
	size_t layers;
};

static const char *wrong_length(struct framing *framing, struct kh_view value)
{
	bool good = value.n > 0 && (framing->length.p == NULL || kh_view_eq(value, framing->length));

	for (size_t i = 0; i < value.n && good; i++)
		good = kh_ascii_is_digit(value.p[i]);
	framing->length = value;
	return good ? NULL : "a Content-Length that is none";
}

/* The codings of the content: those that were asked for. */
static const char *add_codings(struct framing *framing, struct kh_view value)
{
	static const struct {
		struct kh_view name;
		int coding; /* -1: none */
	} known[] = {
		{KH_LIT_INIT("gzip"), KH_CODING_GZIP},
		{KH_LIT_INIT("x-gzip"), KH_CODING_GZIP},
		{KH_LIT_INIT("deflate"), KH_CODING_DEFLATE},
		{KH_LIT_INIT("br"), KH_CODING_BROTLI},
		{KH_LIT_INIT("identity"), -1},
		{KH_LIT_INIT("none"), -1},
		{KH_LIT_INIT(""), -1},
	};
	struct kh_view word;

	while (kh_view_split(&value, ',', &word)) {
		size_t i = 0, count = sizeof(known) / sizeof(known[0]);
		while (i < count && !kh_view_eq_nocase(kh_view_trim(word), known[i].name))
			i++;
		if (i == count)
			return "a coding that was not asked for";
		if (known[i].coding < 0)
			continue;
		if (framing->layers == KH_CODING_LAYERS)
			return "more codings around one another than are taken off";
		framing->coding[framing->layers++] = (enum kh_coding)known[i].coding;
	}
	return NULL;
}

/* The codings of the transfer.  No request asks for another one than chunked, so no server may use one. */
static const char *wrong_transfer(struct kh_view value)
{
	struct kh_view word;

	while (kh_view_split(&value, ',', &word)) {
		word = kh_view_trim(word);
		if (word.n > 0 && !kh_view_eq_nocase(word, KH_LIT("chunked")) &&
		    !kh_view_eq_nocase(word, KH_LIT("identity")))
			return "a coding that was not asked for";
	}
	return NULL;
}

static const char *read_framing(struct kh_view block, struct framing *framing)
{
	const char *wrong = NULL;
	struct kh_view line, value;
	bool frames = false;

	while (wrong == NULL && kh_view_split(&block, '\n', &line)) {
		/* Some implementations join a line that continues in the next one, and others do not. */
		if (frames && line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t'))
			return "a header of the body's framing over several lines";
		frames = true;
		if (kh_header_is(line, KH_LIT("Content-Length"), &value))
			wrong = wrong_length(framing, value);
		else if (kh_header_is(line, KH_LIT("Content-Encoding"), &value))
			wrong = add_codings(framing, value);
		else if (kh_header_is(line, KH_LIT("Transfer-Encoding"), &value))
			wrong = wrong_transfer(value);
		else
			frames = false;
	}
	return wrong;
}

const char *kh_headers_wrong(struct kh_view block)
{
	struct framing framing = {.layers = 0};

	return read_framing(block, &framing);
}

size_t kh_headers_codings(struct kh_view block, enum kh_coding ret_codings[KH_CODING_LAYERS])
{
	struct framing framing = {.layers = 0};

	(void)read_framing(block, &framing);
	memcpy(ret_codings, framing.coding, sizeof(framing.coding));
	return framing.layers;
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
