/*
 * The offline contract (C1-C7) through the library's front door.  An input that begins like a JSON object is given to
 * every command; in any other the first byte picks one and the rest is its input.  Whatever comes: one JSON object on
 * one line, or an error that is fit to be shown; the same call gives the same bytes (I-21); and a call that runs out of
 * memory says so and leaks nothing (I-22).
 */
#include "fuzz.h"

#include <stdlib.h>

/* malloc that counts, and fails from the FAIL_AT-th call on. */
struct limited {
	size_t calls, fail_at, held;
};

static void *resize(void *ctx, void *p, size_t old, size_t n)
{
	struct limited *limited = ctx;

	(void)old;
	if (n == 0) {
		limited->held -= p != NULL;
		free(p);
		return NULL;
	}
	if (limited->fail_at != 0 && ++limited->calls >= limited->fail_at)
		return NULL;
	limited->held += p == NULL;
	return realloc(p, n);
}

static void check_output(struct kh_view out)
{
	struct kh_arena arena;
	yyjson_val *root = NULL;

	kh_fuzz_begin(&arena);
	HOLDS(memchr(out.p, '\n', out.n) == NULL);
	HOLDS(kh_json_read(&arena, out, &root, NULL) == KH_OK);
	HOLDS(yyjson_is_obj(root));
	kh_arena_done(&arena);
}

static void check_command(struct kh *kh, struct limited *limited, enum kh_command command, struct kh_view in)
{
	static const struct kh_moment moment = {.now = 1700000000000000, .nonce = {1, 2, 3, 4, 5, 6, 7, 8}};
	struct kh_text *out = NULL, *again = NULL;
	struct kh_error err;

	limited->fail_at = 0;
	if (kh_call(kh, command, in, &moment, &out, &err) != KH_OK) {
		HOLDS(out == NULL && err.err != KH_OK && err.err != KH_ENOMEM);
		HOLDS(err.offset == SIZE_MAX || err.offset <= in.n);
		kh_fuzz_error(&err);
	} else {
		check_output(kh_text_view(out));
	}
	/* Once more, with an allocation of the input's choice failing, and everything after it. */
	size_t held = limited->held;
	limited->calls = 0;
	limited->fail_at = 1 + in.n % 7;
	enum kh_err e = kh_call(kh, command, in, &moment, &again, &err);
	limited->fail_at = 0;
	HOLDS((e == KH_OK) == (again != NULL));
	if (again != NULL)
		HOLDS(out != NULL && kh_view_eq(kh_text_view(out), kh_text_view(again)));
	kh_text_free(again);
	/* The handle keeps one chunk of memory for the next call, at most. */
	HOLDS(limited->held <= held + 1);
	kh_text_free(out);
}

static struct limited limited;
static const struct kh_alloc alloc = {resize, &limited};

/* The library, with its rules compiled. */
static struct kh *opened(void)
{
	static struct kh *kh;

	if (kh == NULL) {
		HOLDS(kh_new(&alloc, &kh) == KH_OK);
		check_command(kh, &limited, KH_SCREEN, KH_LIT("{\"text\":\"\"}"));
	}
	return kh;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	opened();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view in = kh_fuzz_view(data, size);
	struct kh *kh = opened();

	if (size == 0)
		return 0;
	if (data[0] != '{') {
		check_command(kh, &limited, (enum kh_command)(KH_BCP_CHECK + data[0] % KH_SCREEN_RULES),
			      kh_view_from(in, 1));
		return 0;
	}
	for (unsigned command = KH_BCP_CHECK; command <= KH_SCREEN_RULES; command++)
		check_command(kh, &limited, (enum kh_command)command, in);
	return 0;
}
