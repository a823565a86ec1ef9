/*
 * What the worker `text` makes of hostile bytes (E9): whatever they are, UTF-8 without control characters but newline
 * and tab, within its limit, and the same again.  The first byte says whether it is a page, and the first line what was
 * said of it.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "worker/text/text.h"

#define MOST 4096

static void check(struct kh_view text)
{
	uint32_t c;

	HOLDS(text.n <= MOST && kh_utf8_invalid(text) == SIZE_MAX);
	for (size_t at = 0, n; (n = kh_utf8_decode(text, at, &c)) > 0; at += n)
		HOLDS(c == '\n' || c == '\t' || (c >= ' ' && (c < 0x7f || c >= 0xa0)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kh_parser parser;
	static struct kh_recode recode;
	static bool loaded;
	struct kh_view bytes = kh_fuzz_view(data, size), type, text, again;
	struct kh_arena arena;

	if (!loaded) {
		HOLDS(kh_parser_load(&parser, NULL) == KH_OK);
		kh_recode_init(&recode);
		loaded = true;
	}
	bool html = bytes.n > 0 && bytes.p[0] == 'h';
	bytes = kh_view_from(bytes, 1);
	const char *newline = bytes.n > 0 ? memchr(bytes.p, '\n', bytes.n) : NULL;
	type = kh_view_sub(bytes, 0, newline != NULL ? (size_t)(newline - bytes.p) : 0);
	bytes = kh_view_from(bytes, newline != NULL ? type.n + 1 : 0);
	kh_fuzz_begin(&arena);
	enum kh_err e = kh_worker_text_of(html ? &parser : NULL, &recode, &arena, type, bytes, MOST, &text);
	HOLDS(e == KH_OK || e == KH_ELIMIT || e == KH_ENOMEM);
	if (e == KH_OK) {
		check(text);
		HOLDS(kh_worker_text_of(html ? &parser : NULL, &recode, &arena, type, bytes, MOST, &again) != KH_OK ||
		      kh_view_eq(text, again));
	}
	kh_arena_done(&arena);
	return 0;
}
