/*
 * D1: nothing on the store's thread normalises, judges, screens or proves text that may be hostile, hashes content, or
 * reads a query.  The linker puts the functions below in place of those that do (--wrap), and each ends the program if
 * it is called inside of an operation.  So every test that is linked with this checks it for all that it does.
 */
#include "beforehand.h"

#include "core/bcp/answer.h"
#include "core/bcp/justification.h"
#include "core/bcp/message.h"
#include "core/block/prints.h"
#include "core/block/verify.h"
#include "core/comm/attribution.h"
#include "core/comm/declaration.h"
#include "core/comm/fence.h"
#include "core/comm/guard.h"
#include "core/comm/suspect.h"
#include "core/screen/normalise.h"
#include "core/screen/screen.h"
#include "store/backend.h"
#include "store/txn.h"

#include <stdio.h>
#include <stdlib.h>

#define CONTENT ((size_t)128 << 10) /* bytes that are hashed on the store's thread, at most: an event, an approval */

static _Thread_local bool inside;

enum kh_err __real_kh_txn_operate(struct kh_txn *txn, kh_store_fn *fn, void *arg);
enum kh_err __wrap_kh_txn_operate(struct kh_txn *txn, kh_store_fn *fn, void *arg);

enum kh_err __wrap_kh_txn_operate(struct kh_txn *txn, kh_store_fn *fn, void *arg)
{
	inside = !txn->reading;
	enum kh_err e = __real_kh_txn_operate(txn, fn, arg);
	inside = false;
	return e;
}

void (*kh_beforehand_hook)(const char *name);

static void check(const char *name)
{
	if (!inside && kh_beforehand_hook != NULL)
		kh_beforehand_hook(name);
	if (!inside)
		return;
	fprintf(stderr, "D1: %s() was called on the store's thread\n", name);
	abort();
}

#define WATCH(ret, name, params, args)     \
	ret __real_##name params;          \
	ret __wrap_##name params;          \
	ret __wrap_##name params           \
	{                                  \
		check(#name);              \
		return __real_##name args; \
	}

WATCH(enum kh_err, kh_normalise_text, (struct kh_arena * a, struct kh_view t, struct kh_normalised *r), (a, t, r))
WATCH(enum kh_err, kh_normalise_lower, (struct kh_arena * a, struct kh_view t, struct kh_view *r), (a, t, r))
WATCH(enum kh_err, kh_normalise_key, (struct kh_arena * a, struct kh_view t, struct kh_view *r), (a, t, r))
WATCH(enum kh_err, kh_normalise_skeleton, (struct kh_arena * a, struct kh_view t, struct kh_view *r), (a, t, r))
WATCH(enum kh_err, kh_normalise_form,
      (struct kh_arena * a, struct kh_view t, unsigned f, struct kh_view *r, uint32_t **o), (a, t, f, r, o))
WATCH(enum kh_err, kh_screen_text,
      (struct kh_screen * s, struct kh_arena *a, struct kh_view t, enum kh_screen_as as, struct kh_findings *r),
      (s, a, t, as, r))
WATCH(enum kh_err, kh_query_read,
      (struct kh_arena * a, yyjson_val *in, enum kh_query_purpose p, struct kh_query *r, struct kh_reasons *errors),
      (a, in, p, r, errors))
WATCH(enum kh_err, kh_answer_judge,
      (struct kh_screen * s, struct kh_arena *a, const struct kh_query *q, struct kh_tainted t, struct kh_recent n,
       struct kh_answer *r),
      (s, a, q, t, n, r))
WATCH(enum kh_err, kh_message_judge,
      (struct kh_screen * s, struct kh_arena *a, const struct kh_query *q, struct kh_view id, struct kh_tainted t,
       struct kh_recent n, struct kh_answer *r),
      (s, a, q, id, t, n, r))
WATCH(enum kh_err, kh_justification_repeats,
      (struct kh_arena * a, struct kh_view j, const struct kh_view *d, size_t n, struct kh_view *r), (a, j, d, n, r))
WATCH(enum kh_err, kh_declaration_check,
      (struct kh_arena * a, struct kh_screen *s, yyjson_val *in, struct kh_view id, struct kh_declarations *r,
       struct kh_reasons *errors, struct kh_reasons *review),
      (a, s, in, id, r, errors, review))
WATCH(enum kh_err, kh_suspect_value,
      (struct kh_screen * s, struct kh_view path, yyjson_val *v, struct kh_view uri, struct kh_reasons *review),
      (s, path, v, uri, review))
WATCH(enum kh_err, kh_attribution_prove,
      (struct kh_arena * a, yyjson_val *m, struct kh_view c, struct kh_attribution *r, struct kh_error *err),
      (a, m, c, r, err))
WATCH(enum kh_err, kh_attribution_check,
      (struct kh_arena * a, yyjson_val *m, struct kh_view c, struct kh_view id, struct kh_attribution *r,
       struct kh_error *err),
      (a, m, c, id, r, err))
WATCH(enum kh_err, kh_attribution_make,
      (struct kh_arena * a, struct kh_attribution *t, struct kh_view c, struct kh_error *err), (a, t, c, err))
WATCH(enum kh_err, kh_fence_wrap,
      (struct kh_arena * a, const unsigned char *nonce, const struct kh_attribution *t, struct kh_view c,
       struct kh_fence *r, struct kh_error *err),
      (a, nonce, t, c, r, err))
WATCH(enum kh_err, kh_guard_output,
      (struct kh_arena * a, struct kh_view o, const struct kh_guard_given *g, struct kh_reasons *flags, size_t *places,
       bool *copies),
      (a, o, g, flags, places, copies))
WATCH(enum kh_err, kh_verify_call,
      (struct kh_screen * s, struct kh_arena *a, const struct kh_verify_request *q, struct kh_verification *r),
      (s, a, q, r))

/* Not watched, but counted. */
_Atomic(size_t) kh_beforehand_loaded;

enum kh_err __real_kh_txn_load_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row);
enum kh_err __wrap_kh_txn_load_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row);

enum kh_err __wrap_kh_txn_load_row(struct kh_txn *txn, enum kh_table table, int64_t id, void **ret_row)
{
	enum kh_err e = __real_kh_txn_load_row(txn, table, id, ret_row);

	if (e == KH_OK && table == KH_TABLE_BLOCKS)
		kh_beforehand_loaded += ((const struct kh_block_row *)*ret_row)->content.n;
	return e;
}

struct kh_digest __real_kh_canonical_digest(struct kh_view bytes);
struct kh_digest __wrap_kh_canonical_digest(struct kh_view bytes);

struct kh_digest __wrap_kh_canonical_digest(struct kh_view bytes)
{
	if (bytes.n > CONTENT)
		check("kh_canonical_digest, of content,");
	return __real_kh_canonical_digest(bytes);
}
