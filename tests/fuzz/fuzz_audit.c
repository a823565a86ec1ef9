/*
 * Events of the audit (L3): lines, taken one after the other by the fold.  Whatever they are, the fold says of each
 * that it is one of Keyhole's, or what is wrong; and what it takes is its own canonical form.  Each line is read as a
 * checkpoint and as a witness's line, too.
 */
#include "fuzz.h"

#include "store/checkpoint.h"
#include "store/fold.h"
#include "store/witness.h"

static struct kh_audit_entry entry_of(struct kh_arena *arena, struct kh_view body, int64_t id)
{
	struct kh_audit_entry entry = {.id = id, .body = body};
	yyjson_val *root = NULL;

	if (kh_json_read(arena, body, &root, NULL) == KH_OK) {
		entry.kind = kh_json_str(kh_json_get(root, "kind"));
		kh_json_int(kh_json_get(root, "chain"), &entry.chain);
	}
	return entry;
}

static void check_taken(struct kh_arena *arena, struct kh_view body)
{
	struct kh_view again = {NULL, 0};
	yyjson_val *root = NULL;

	HOLDS(kh_json_read(arena, body, &root, NULL) == KH_OK);
	HOLDS(kh_canonical_json(arena, root, &again, NULL) == KH_OK);
	HOLDS(kh_view_eq(body, again));
}

static void check_checkpoint(struct kh_arena *arena, struct kh_view line)
{
	struct kh_checkpoint_line read;
	struct kh_checkpoint c;
	struct kh_error err = {.code = NULL};

	if (kh_checkpoint_parse(arena, line, &c, &err) == KH_OK) {
		check_taken(arena, line);
		for (size_t i = 1; i < c.count; i++)
			HOLDS(c.heads[i - 1].number < c.heads[i].number);
	} else {
		kh_fuzz_error(&err);
	}
	bool is_line = kh_checkpoint_read_line(arena, line, &read);
	HOLDS(is_line == (kh_witness_number(arena, line) > 0));
	HOLDS(!is_line || kh_witness_compare(arena, line, line, &err) == KH_OK);
	HOLDS(!is_line || kh_witness_compare(arena, line, KH_LIT(""), &err) == KH_ECHANGED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view rest = kh_fuzz_view(data, size), line;
	struct kh_fold *fold = NULL;
	struct kh_arena arena, own;
	int64_t id = 0;

	kh_fuzz_begin(&arena);
	kh_fuzz_begin(&own);
	struct kh_verify verify = {.arena = &arena};
	HOLDS(kh_fold_new(own.alloc, &fold, NULL) == KH_OK);
	while (verify.code == NULL && kh_view_split(&rest, '\n', &line)) {
		check_checkpoint(&own, line);
		struct kh_audit_entry entry = entry_of(&own, line, ++id);
		enum kh_err e = kh_fold_take(fold, &entry, &verify, NULL);
		HOLDS(e == KH_OK);
		if (verify.code == NULL)
			check_taken(&own, line);
		else
			kh_fuzz_showable(verify.detail);
		kh_arena_clear(&own);
	}
	HOLDS(verify.code == NULL || verify.event == id);
	kh_fold_free(fold);
	kh_arena_done(&own);
	kh_arena_done(&arena);
	return 0;
}
