/*
 * Large content, which is stored apart from the row that it belongs to, in parts.
 *
 * All callers share the store's thread, and everything that a transaction writes is written while they wait.  If
 * content went in with its row, the others would wait for as long as it is large, and so would every later change of
 * the row, which is written as a whole.  So large content is staged first: each part in a transaction
 * of its own, with the operations of others in between.  No more than KH_CONTENT_AHEAD parts are ever submitted.  Then the operation
 * runs, and its row only names the content.
 *
 * Content is staged (its process is its holder), named (by one row, from the operation's transaction on), or dropped
 * (the row let it go, or no row ever named it).  Only what is staged by this very process can be named.  What is dropped,
 * or staged by a process that died, is removed a few parts at a time by kh_content_sweep().
 *
 * The events cite the digest of the content, and verification puts the parts together before it compares.  So how
 * content is stored is not part of the record.
 */
#ifndef KH_STORE_CONTENT_H
#define KH_STORE_CONTENT_H

#include "base/error.h"
#include "base/view.h"

struct kh_store;

#define KH_CONTENT_LARGE (64U << 10)  /* bytes; content with no more stays in its row */
#define KH_CONTENT_PART  (128U << 10) /* bytes of a part */
#define KH_CONTENT_AHEAD 2            /* parts that wait for the store's thread, of all that is staged */
#define KH_CONTENT_STEP  2            /* parts that one transaction removes */

struct kh_content {
	struct kh_view bytes; /* known by their address; the caller owns them */
	int64_t id;           /* 0: nothing of it is in the store */
	int64_t holder;       /* this process */
	bool named;           /* the row that an operation writes names it */
	struct kh_content *next;
	struct kh_content *next_staged; /* used by the store */
};

/* What this process is staging, or has staged and not named yet.  An open store has one.  NULL: out of memory. */
struct kh_content_list;
struct kh_content_list *kh_content_list_new(void);
void kh_content_list_free(struct kh_content_list *list);

static inline bool kh_content_is_large(struct kh_view bytes)
{
	return bytes.n > KH_CONTENT_LARGE;
}

/*
 * Stages BYTES as *CONTENT.  Not from the store's thread.  If it fails, nothing is left of it.  If it succeeds,
 * kh_content_end() has to follow.
 */
enum kh_err kh_content_stage(struct kh_store *store, struct kh_view bytes, struct kh_content *content,
			     struct kh_error *err) KH_CHECKED;

/* The operation has ended.  Removes the content unless a row names it.  KEPT: the operation was committed. */
void kh_content_end(struct kh_store *store, struct kh_content *content, bool kept);

/* Removes content that is dropped, and what was staged by processes that died. */
enum kh_err kh_content_sweep(struct kh_store *store, struct kh_error *err) KH_CHECKED;

/* The one of the list CONTENTS whose bytes these are; NULL: none. */
struct kh_content *kh_content_of(struct kh_content *contents, struct kh_view bytes);

#endif
