/* Prose from src/core/bcp/words-2048.txt.  The words are any; that they make no sense does not matter to a scanner. */
#include "prose.h"

#include <stdio.h>
#include <stdlib.h>

#define WORDS 2048

struct kh_view kh_prose_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t n = 0, cap = 1U << 16;
	char *p = NULL;

	if (file == NULL)
		return (struct kh_view){NULL, 0};
	do {
		cap *= 2;
		char *grown = realloc(p, cap);
		if (grown == NULL)
			kh_bench_must(KH_ENOMEM, path);
		p = grown;
		n += fread(p + n, 1, cap - n, file);
	} while (n == cap);
	fclose(file);
	return kh_view_of(p, n);
}

static size_t read_words(struct kh_view rest, struct kh_view words[WORDS])
{
	struct kh_view line;
	size_t n = 0;

	while (n < WORDS && kh_view_split(&rest, '\n', &line)) {
		line = kh_view_trim(line);
		if (line.n > 0 && kh_ascii_is_alpha(line.p[0]))
			words[n++] = line;
	}
	return n;
}

struct kh_view kh_prose_make(size_t n)
{
	static const char *const ends[] = {". ", ". ", ". ", "; ", ".\n", ".\n\n", "! "};
	struct kh_view words[WORDS], list = kh_prose_file(KH_SOURCE "/src/core/bcp/words-2048.txt");
	size_t count = read_words(list, words), at = 0, left = 0;
	uint64_t state = 1;
	char *text = kh_bench_alloc(n + 64);

	if (count == 0)
		kh_bench_must(KH_EINPUT, "words-2048.txt");
	while (at < n) {
		struct kh_view word = words[kh_bench_random(&state, (uint32_t)count)];
		bool first = left == 0;
		if (first)
			left = 5 + kh_bench_random(&state, 14);
		memcpy(text + at, word.p, word.n);
		if (first && text[at] >= 'a' && text[at] <= 'z')
			text[at] = (char)(text[at] - 'a' + 'A');
		at += word.n;
		const char *gap = --left == 0                  ? ends[kh_bench_random(&state, 7)]
				  : kh_bench_random(&state, 9) ? " "
							       : ", ";
		while (*gap != '\0')
			text[at++] = *gap++;
	}
	free((void *)(uintptr_t)list.p);
	return kh_view_of(text, n);
}

/* A sentence is a line of these, one piece of each row. */
static const char *const story[][8] = {
	{"The old baker", "A young sailor", "Her grandmother", "The painter from Lyon", "Our neighbour", "The mayor",
	 "A tired traveller", "My brother"},
	{" walked slowly along the harbour", " remembered the long winter", " sold apples and pears",
	 " repaired the roof", " played the violin", " counted the boats", " told stories about the war",
	 " planted roses and tulips"},
	{" in the early morning", " before the rain came", " for almost forty years", " near the wooden bridge",
	 " behind the railway station", " with great patience", " on a quiet Sunday", " after the long summer"},
	{", while the children laughed", ", although the wind was cold", ", and the town was proud of it",
	 ", as had been the custom for a century", "", "", "", ""},
	{". ", ". ", ". ", ". ", ".\n", ".\n\n", "; later it grew dark. ", "! "},
};

struct kh_view kh_prose_story(size_t n)
{
	char *text = kh_bench_alloc(n + 256);
	uint64_t state = 7;
	size_t at = 0;

	while (at < n) {
		for (size_t row = 0; row < sizeof(story) / sizeof(story[0]); row++) {
			const char *piece = story[row][kh_bench_random(&state, 8)];
			size_t length = strlen(piece);
			memcpy(text + at, piece, length);
			at += length;
		}
	}
	return kh_view_of(text, n);
}
