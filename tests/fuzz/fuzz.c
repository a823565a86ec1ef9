/* What all fuzz targets share.  See fuzz.h. */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/screen/screen.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARENA_LIMIT (256U << 20)

void kh_fuzz_broken(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

void kh_fuzz_begin(struct kh_arena *arena)
{
	kh_arena_init(arena, NULL, ARENA_LIMIT);
}

struct kh_view kh_fuzz_view(const uint8_t *data, size_t size)
{
	return size > 0 ? kh_view_of((const char *)data, size) : KH_LIT("");
}

struct kh_view kh_fuzz_join(struct kh_arena *arena, const struct kh_view *parts, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += parts[i].n;
	char *text = kh_arena_alloc(arena, n + 1);
	HOLDS(text != NULL);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].n > 0)
			memcpy(text + n, parts[i].p, parts[i].n);
		n += parts[i].n;
	}
	text[n] = '\0';
	return kh_view_of(text, n);
}

struct kh_screen *kh_fuzz_screen(void)
{
	static struct kh_screen *screen;
	static struct kh_rules *rules;
	struct kh_error err;

	if (screen == NULL) {
		HOLDS(kh_rules_new(&kh_alloc_system, NULL, 0, &rules, &err) == KH_OK);
		HOLDS(kh_screen_new(&kh_alloc_system, rules, &screen) == KH_OK);
	}
	return screen;
}

void kh_fuzz_showable(struct kh_view text)
{
	for (size_t at = 0, n; at < text.n; at += n) {
		uint32_t c = 0;
		n = kh_utf8_decode(text, at, &c);
		HOLDS(n > 0);
		HOLDS(!kh_utf8_is_invisible(c));
	}
}

void kh_fuzz_reasons(const struct kh_reasons *list)
{
	for (size_t i = 0; i < list->n; i++) {
		HOLDS(list->at[i].code != NULL);
		kh_fuzz_showable(list->at[i].member);
		kh_fuzz_showable(list->at[i].detail);
	}
}

void kh_fuzz_error(const struct kh_error *err)
{
	HOLDS(memchr(err->member, '\0', sizeof(err->member)) != NULL);
	HOLDS(memchr(err->detail, '\0', sizeof(err->detail)) != NULL);
	kh_fuzz_showable(kh_view_str(err->member));
	kh_fuzz_showable(kh_view_str(err->detail));
}

void kh_fuzz_delivered(struct kh_view text)
{
	HOLDS(text.n > 0 && text.p[0] != ' ' && text.p[text.n - 1] != ' ');
	for (size_t at = 0, n; at < text.n; at += n) {
		uint32_t c = 0;
		n = kh_utf8_decode(text, at, &c);
		HOLDS(n > 0);
		HOLDS(!kh_utf8_is_invisible(c));
		HOLDS(c == ' ' || !kh_utf8_is_space(c));
		HOLDS(c != ' ' || text.p[at + 1] != ' ');
	}
}

static char folder[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	return at->level > 0 ? remove(path) : 0;
}

void kh_fuzz_empty(void)
{
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
	kh_fuzz_empty();
	rmdir(folder);
}

const char *kh_fuzz_folder(void)
{
	static const char *const places[] = {"/dev/shm/keyhole-fuzz-XXXXXX", "/tmp/keyhole-fuzz-XXXXXX"};

	for (size_t i = 0; folder[0] == '\0' && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(folder, sizeof(folder), "%s", places[i]);
		if (mkdtemp(folder) == NULL)
			folder[0] = '\0';
		else
			atexit(remove_folder);
	}
	HOLDS(folder[0] != '\0');
	return folder;
}
