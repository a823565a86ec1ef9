/*
 * Writes the table of src/core/screen/fold.c while Keyhole is built: what each character of the first three planes is
 * folded to.  The rules are those of the skeleton (normalise.h): compatibility decomposition, case folded, accents off,
 * look-alikes as the ASCII that they look like.
 */
#include "base/utf8.h"
#include "core/screen/confusable.h"
#include "core/screen/fold.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#define PLANES  3
#define PAGE    256
#define PAGES   (PLANES * 65536 / PAGE)
#define LONGEST 4 /* bytes that one character may become: what decomposes to more is cut short */

struct expansion {
	unsigned char n, bytes[LONGEST];
};

static uint16_t pages[PAGES][PAGE];
static unsigned page_of[PAGES], page_count;
static struct expansion expansions[4096];
static unsigned expansion_count;

static bool is_in(uint32_t c, utf8proc_category_t first, utf8proc_category_t last)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);

	return category >= first && category <= last;
}

/* The digits of every script stand in tens, zero first. */
static unsigned digit_of(uint32_t c)
{
	uint32_t first = c;

	while (is_in(first - 1, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_ND))
		first--;
	return (c - first) % 10;
}

/* What one part of a decomposed character becomes. */
static uint16_t part_of(uint32_t c)
{
	uint32_t like = kh_confusable_fold(c);

	if (kh_utf8_is_space(c))
		return ' ';
	if (kh_utf8_is_invisible(c))
		return KH_FOLD_HIDDEN;
	if (kh_confusable_is_accent(c))
		return KH_FOLD_NOTHING;
	if (c >= 0x80 && is_in(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_ND)) /* whatever letter it looks like */
		return (uint16_t)('0' + digit_of(c));
	if (like < 0x80)
		return (uint16_t)like;
	if (is_in(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME))
		return KH_FOLD_MARK;
	if (is_in(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO) ||
	    is_in(c, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO))
		return KH_FOLD_ITSELF;
	return ' ';
}

static uint16_t expand(const struct expansion *e)
{
	for (unsigned i = 0; i < expansion_count; i++) {
		if (memcmp(&expansions[i], e, sizeof(*e)) == 0)
			return (uint16_t)(KH_FOLD_EXPANDED + i);
	}
	if (expansion_count == sizeof(expansions) / sizeof(expansions[0]))
		return ' ';
	expansions[expansion_count] = *e;
	return (uint16_t)(KH_FOLD_EXPANDED + expansion_count++);
}

static uint16_t fold(uint32_t c)
{
	int32_t parts[32];
	int boundclass = 0;
	struct expansion e = {0};
	uint32_t like = kh_confusable_fold(c);

	if (c < 0x80)
		return (uint16_t)(c >= ' ' && c != 0x7f ? c : kh_utf8_is_space(c) ? ' ' : KH_FOLD_HIDDEN);
	if (like < 0x80 && !is_in(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_ND))
		return (uint16_t)like;
	if (c == 0xfdfa || c == 0xfdfb || (c >= 0xd800 && c <= 0xdfff)) /* a phrase in one character; no character */
		return KH_FOLD_NOTHING;
	if (c >= 0xac00 && c <= 0xd7a3)
		return KH_FOLD_ITSELF;
	/* ASCII keeps its case: what is encoded has one. */
	utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, parts, 32,
						     UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &boundclass);
	bool ascii = true;
	for (utf8proc_ssize_t i = 0; i < n && i < 32; i++)
		ascii = ascii && parts[i] < 0x80;
	if (!ascii)
		n = utf8proc_decompose_char((utf8proc_int32_t)c, parts, 32,
					    UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD, &boundclass);
	uint16_t only = KH_FOLD_NOTHING;
	uint32_t kept = 0;
	for (utf8proc_ssize_t i = 0; i < n && i < 32 && e.n < LONGEST; i++) {
		uint16_t part = part_of((uint32_t)parts[i]);
		if (part == KH_FOLD_NOTHING || part == KH_FOLD_HIDDEN)
			continue;
		only = part;
		kept = (uint32_t)parts[i];
		e.bytes[e.n++] = part == KH_FOLD_ITSELF || part == KH_FOLD_MARK ? kh_fold_letter((uint32_t)parts[i])
										: (unsigned char)part;
	}
	if (e.n == 0)
		return kh_utf8_is_invisible(c) ? KH_FOLD_HIDDEN : KH_FOLD_NOTHING;
	if (e.n == 1 && (only != KH_FOLD_ITSELF && only != KH_FOLD_MARK))
		return only;
	if (e.n == 1 && kept == c)
		return only;
	return expand(&e);
}

static void make_pages(void)
{
	for (unsigned p = 0; p < PAGES; p++) {
		uint16_t *page = pages[page_count];
		unsigned same = 0;
		for (unsigned i = 0; i < PAGE; i++)
			page[i] = fold(p * PAGE + i);
		while (memcmp(pages[same], page, sizeof(pages[same])) != 0)
			same++;
		page_of[p] = same;
		page_count += same == page_count;
	}
}

int main(int argc, char **argv)
{
	FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;

	if (out == NULL)
		return 1;
	make_pages();
	fprintf(out, "static const unsigned char page_of[%u] = {", PAGES);
	for (unsigned i = 0; i < PAGES; i++)
		fprintf(out, "%u,%s", page_of[i], i % 32 == 31 ? "\n" : "");
	fprintf(out, "};\nstatic const uint16_t pages[%u][%u] = {\n", page_count, PAGE);
	for (unsigned p = 0; p < page_count; p++) {
		fputs("{", out);
		for (unsigned i = 0; i < PAGE; i++)
			fprintf(out, "%u,%s", pages[p][i], i % 32 == 31 ? "\n" : "");
		fputs("},\n", out);
	}
	fprintf(out, "};\nstatic const struct expansion expansions[%u] = {\n", expansion_count);
	for (unsigned i = 0; i < expansion_count; i++)
		fprintf(out, "{%u,{%u,%u,%u,%u}},\n", expansions[i].n, expansions[i].bytes[0], expansions[i].bytes[1],
			expansions[i].bytes[2], expansions[i].bytes[3]);
	fputs("};\n", out);
	return page_count > 256 || expansion_count > 4000 || fclose(out) != 0;
}
