/* A short table under a lock: few labels are in use, and a count takes no time beside a commit. */
#include "engine/state/tally.h"

#include <pthread.h>
#include <stdio.h>

struct kh_tally {
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	struct kh_tally_row rows[KH_TALLY_ROWS];
	size_t n;
};

struct kh_tally *kh_tally_new(const struct kh_alloc *alloc)
{
	struct kh_tally *tally = kh_alloc_zero(alloc, sizeof(*tally));

	if (tally == NULL)
		return NULL;
	tally->alloc = alloc;
	pthread_mutex_init(&tally->lock, NULL);
	return tally;
}

void kh_tally_free(struct kh_tally *tally)
{
	if (tally == NULL)
		return;
	pthread_mutex_destroy(&tally->lock);
	kh_alloc_free(tally->alloc, tally, sizeof(*tally));
}

static bool is_row(const struct kh_tally_row *row, enum kh_tally_kind kind, struct kh_view label, struct kh_view other)
{
	return row->kind == kind && kh_view_eq(kh_view_str(row->label), label) &&
	       kh_view_eq(kh_view_str(row->other), other);
}

/* The row of these labels; if there is no room for it, one of the last KH_TALLY_KINDS, which stand for all others. */
static struct kh_tally_row *find(struct kh_tally *tally, enum kh_tally_kind kind, struct kh_view label,
				 struct kh_view other)
{
	for (size_t i = 0; i < tally->n; i++) {
		if (is_row(&tally->rows[i], kind, label, other))
			return &tally->rows[i];
	}
	if (tally->n + KH_TALLY_KINDS >= KH_TALLY_ROWS && !kh_view_eq(label, KH_LIT("other")))
		return find(tally, kind, KH_LIT("other"), KH_LIT(""));
	struct kh_tally_row *row = &tally->rows[tally->n++];
	row->kind = kind;
	snprintf(row->label, sizeof(row->label), "%.*s", KH_FMT(label));
	snprintf(row->other, sizeof(row->other), "%.*s", KH_FMT(other));
	return row;
}

void kh_tally_add(struct kh_tally *tally, enum kh_tally_kind kind, struct kh_view label, struct kh_view other,
		  uint64_t amount)
{
	struct kh_view first = kh_view_sub(label, 0, label.n < KH_TALLY_WORD ? label.n : KH_TALLY_WORD - 1);
	struct kh_view second = kh_view_sub(other, 0, other.n < KH_TALLY_WORD ? other.n : KH_TALLY_WORD - 1);

	pthread_mutex_lock(&tally->lock);
	find(tally, kind, first, second)->count += amount;
	pthread_mutex_unlock(&tally->lock);
}

size_t kh_tally_copy(struct kh_tally *tally, struct kh_tally_row ret_rows[KH_TALLY_ROWS])
{
	pthread_mutex_lock(&tally->lock);
	size_t n = tally->n;
	memcpy(ret_rows, tally->rows, n * sizeof(*ret_rows));
	pthread_mutex_unlock(&tally->lock);
	return n;
}
