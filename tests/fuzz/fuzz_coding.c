/*
 * Content codings (E8): the first byte chooses them, the second one the size of the pieces, and the rest is a body.
 * Whatever the pieces are, the same bytes come out, and the body is whole or broken or cut in all of them alike.
 */
#include "fuzz.h"

#include "worker/http/coding.h"

#define MOST 200000

struct taken {
	size_t n;
	uint64_t sum;
};

static bool take(void *ctx, struct kh_view bytes)
{
	struct taken *taken = ctx;

	for (size_t i = 0; i < bytes.n; i++)
		taken->sum = taken->sum * 31 + (unsigned char)bytes.p[i];
	taken->n += bytes.n;
	return taken->n <= MOST;
}

/* Decodes BODY in pieces of SIZE; true if it is whole. */
static enum kh_coding_result decode(const struct kh_coding_libraries *libraries, unsigned which, struct kh_view body,
				    size_t size, struct taken *ret_taken, bool *ret_whole)
{
	const enum kh_coding codings[] = {(enum kh_coding)(which % 3), (enum kh_coding)(which / 3 % 3)};
	enum kh_coding_result result = KH_CODING_TAKEN;
	struct kh_coding_stack stack;

	*ret_taken = (struct taken){.n = 0};
	kh_coding_init(&stack, libraries, codings, 1 + which / 9 % 2, take, ret_taken);
	for (; body.n > 0 && result == KH_CODING_TAKEN; body = kh_view_from(body, size))
		result = kh_coding_push(&stack, kh_view_sub(body, 0, size));
	*ret_whole = kh_coding_is_whole(&stack);
	kh_coding_done(&stack);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kh_coding_libraries libraries;
	struct taken at_once, in_pieces;
	bool whole, whole_too;

	if (size < 2 || (libraries.inflate == NULL && kh_coding_load(&libraries, NULL) != KH_OK))
		return 0;
	struct kh_view body = kh_view_of((const char *)data + 2, size - 2);
	enum kh_coding_result result = decode(&libraries, data[0], body, SIZE_MAX, &at_once, &whole);
	enum kh_coding_result again = decode(&libraries, data[0], body, 1 + data[1] % 64U, &in_pieces, &whole_too);

	HOLDS(result == again || result == KH_CODING_STOPPED || again == KH_CODING_STOPPED);
	if (result != KH_CODING_TAKEN || again != KH_CODING_TAKEN)
		return 0;
	HOLDS(whole == whole_too);
	HOLDS(at_once.n == in_pieces.n && at_once.sum == in_pieces.sum);
	return 0;
}
