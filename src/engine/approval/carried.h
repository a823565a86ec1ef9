/*
 * Content that an approval carries: blocks whose content is put into a call, or goes to a Reader behind a network, once
 * a human approves it (I-42).  The subject names each block with the digest of its content.  The content itself is shown
 * after the text, on pages of its own.  It is read from the block and checked against that digest when it is shown:
 * a copy in the subject would outlive the content's retention (L5), and writing one would take a time that follows from
 * sealed content (I-45).  An agent that supervises is not shown content.
 */
#ifndef KH_ENGINE_APPROVAL_CARRIED_H
#define KH_ENGINE_APPROVAL_CARRIED_H

#include "engine/approval/approval.h"
#include "engine/state/beforehand.h"

/* The content of some approval: how many pages it has, and one of them. */
struct kh_carried {
	int64_t pages;
	/* of the page; block is empty if none was asked for, or there is none of that number */
	struct kh_view block;    /* public id */
	struct kh_view text;     /* at most KH_SUBJECT_PAGE bytes */
	size_t start, size;      /* where it begins in the block's content, and how many bytes that has */
	struct kh_view findings; /* JSON array, as in a subject */
	bool purged;             /* the content is gone: approving sends nothing */
};

/*
 * The digest that a grant for content binds: of the ids of BLOCKS and the digests of their content, in their order.  Zeros
 * if COUNT is 0.  Of their content alone would show that another block, which the grant then covers, has the same (I-35).
 */
enum kh_err kh_carried_digest(struct kh_op *op, const int64_t *blocks, size_t count,
			      struct kh_digest *ret_digest) KH_CHECKED;

/* The member `carries` of a subject: [{"block","hash","source","taint"},...], each block once; nothing if COUNT is 0. */
enum kh_err kh_carried_write(struct kh_op *op, const int64_t *blocks, size_t count, struct kh_emit *emit) KH_CHECKED;

/*
 * Page N (1, 2, ...) of the content that the subject of ROW carries; 0: only the number of pages.  All zeros if it
 * carries none, or if the caller is an agent.  Read outside of the transaction.  KH_ECHANGED `changed` if the content
 * is not what was asked about.
 */
enum kh_err kh_carried_find(struct kh_op *op, const struct kh_approval_row *row, yyjson_val *subject, int64_t n,
			    struct kh_carried *ret_carried) KH_CHECKED;

#endif
