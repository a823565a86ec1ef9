/*
 * libkeyhole: the rules of Keyhole, an information-flow gateway for AI agents, without any I/O.
 *
 * An agent that acts (the Controller) asks typed questions about untrusted text; a quarantined Reader answers; this
 * library validates, normalises and counts every bit of the answer, labels and tracks pieces of context, screens text,
 * checks declarations of external I/O, fences what came from outside, and explains policies.  It reads no files, opens
 * no connections, has no clock, no random numbers and no globals: what it needs of these comes in as arguments.
 *
 * This header is the specification of the library.
 *
 * Threads     A struct kh, and everything made with it, is used by one thread at a time.  Different struct kh share
 *             nothing.  Functions that take no struct kh can be called from anywhere.
 * Ownership   What a function named `_new` or a `ret_` parameter of type struct kh_text ** hands out is the caller's,
 *             to be freed with the `_free` of its type.  A `_free` takes NULL.  Views that are passed in are borrowed
 *             for the call; views that come out are valid until what they came from is freed.
 * Errors      Functions that can fail return enum kh_err, write their `ret_` outputs only on KH_OK, and fill *err
 *             (which may be NULL) otherwise.  Nothing in a struct kh_error is text of the input as it was: quotations
 *             are short, and what could do harm on a terminal or in a log is escaped.
 * Stability   Functions, enumerators and the JSON forms are kept; members and enumerators are added at the end.
 */
#ifndef KEYHOLE_KEYHOLE_H
#define KEYHOLE_KEYHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KH_API     __attribute__((visibility("default")))
#define KH_CHECKED __attribute__((warn_unused_result))
#else
#define KH_API
#define KH_CHECKED
#endif

/* Bytes with a length.  Borrowed: valid as long as what it points into.  Not NUL-terminated. */
struct kh_view {
	const char *p;
	size_t n;
};

/* What a call can come to. */
enum kh_err {
	KH_OK = 0,
	KH_ENOMEM,   /* the allocator said no; nothing was changed */
	KH_EINPUT,   /* the input is not well-formed: not JSON, not UTF-8, wrong shape */
	KH_ELIMIT,   /* a size or depth limit was passed */
	KH_EREFUSED, /* well-formed, but against a rule; the error says which */
	KH_ECHANGED, /* something that carries a digest does not match it */
	KH_EUNKNOWN, /* a name or id that nothing is known of */
	KH_ESTORE,   /* what is to be remembered could not be read or written; the library alone never says this */
};

/* Why a call failed, for a human or a client. */
struct kh_error {
	enum kh_err err;
	size_t offset;    /* byte of the input, SIZE_MAX where there is none */
	const char *code; /* a word of a fixed list (docs/reference/CODES.md), static; NULL where there is none */
	char member[128]; /* path of the member at fault, "" where there is none */
	char detail[256]; /* a sentence */
};

/*
 * Memory.  `resize` is realloc with the old size: (NULL, 0, n) allocates, (p, old, 0) frees and returns NULL.
 * Returning NULL for n > 0 makes the call fail with KH_ENOMEM.  The pattern engine allocates by itself, with malloc.
 */
struct kh_alloc {
	void *(*resize)(void *ctx, void *p, size_t old, size_t n);
	void *ctx;
};

/* The version of the library, "0.1.0". */
KH_API const char *kh_version(void);

/* A word for an error: "out_of_memory", "bad_input", ... */
KH_API const char *kh_err_name(enum kh_err e);

/* --- the library -------------------------------------------------------------------------------------------------- */

struct kh;

/*
 * Opens the library.  ALLOC may be NULL (malloc); what it points to must outlive the handle.  Cheap: the screening
 * rules are compiled (some tens of milliseconds) by the first call that needs them.
 */
KH_API enum kh_err kh_new(const struct kh_alloc *alloc, struct kh **ret_kh) KH_CHECKED;

/* Closes it.  Everything made with it must have been freed. */
KH_API void kh_free(struct kh *kh);

/* A text that a call gave out. */
struct kh_text;

KH_API struct kh_view kh_text_view(const struct kh_text *text);
KH_API void kh_text_free(struct kh_text *text);

/* --- the offline contract ----------------------------------------------------------------------------------------- */

/*
 * The commands.  Each reads one JSON object and writes one, compact, on one line; docs/reference/CONTRACT.md gives
 * every member.
 *
 * KH_BCP_CHECK        a query; whether it is well-formed, its bits, advice
 * KH_BCP_VALIDATE     {query, response}: deliver, hold or reject; the normalised response; reasons; bits
 * KH_BLOCK_RENDER     {blocks}: XML
 * KH_BLOCK_PARSE      {xml}: blocks
 * KH_BLOCK_TAINT      {blocks, of}: everything that influenced a block, and whether some of it is untrusted
 * KH_SCREEN           {text}: findings
 * KH_FENCE_WRAP       {content, source, operation, session_id}: fenced content; needs a moment
 * KH_FENCE_UNWRAP     what wrap wrote: the content, or an error where anything was changed
 * KH_COMM_CHECK       a declaration: its operation, or what is wrong with it
 * KH_POLICY_EXPLAIN   {policy, request}: the decision and why; here `policy` is the policy's YAML text itself
 * KH_SCREEN_RULES     {}: the screening rules
 */
enum kh_command {
	KH_BCP_CHECK = 1,
	KH_BCP_VALIDATE,
	KH_BLOCK_RENDER,
	KH_BLOCK_PARSE,
	KH_BLOCK_TAINT,
	KH_SCREEN,
	KH_FENCE_WRAP,
	KH_FENCE_UNWRAP,
	KH_COMM_CHECK,
	KH_POLICY_EXPLAIN,
	KH_SCREEN_RULES,
};

/* What the library cannot know by itself: the time, and 16 bytes that nobody can guess, fresh for every call. */
struct kh_moment {
	int64_t now; /* microseconds since 1970, UTC */
	unsigned char nonce[16];
};

/*
 * Runs a command.  KH_OK: it is done, whatever the verdict, and *RET_OUT is its JSON.  Anything else: the input was not
 * usable (not JSON, not an object, a member missing), and *ERR says why and where.  MOMENT may be NULL but for
 * KH_FENCE_WRAP, which is refused without one (KH_EREFUSED, `no_moment`).
 */
KH_API enum kh_err kh_call(struct kh *kh, enum kh_command command, struct kh_view in, const struct kh_moment *moment,
			   struct kh_text **ret_out, struct kh_error *err) KH_CHECKED;

/* --- queries that are judged often -------------------------------------------------------------------------------- */

enum kh_verdict { KH_VERDICT_DELIVER, KH_VERDICT_HOLD, KH_VERDICT_REJECT };

/* A query, read once. */
struct kh_prepared;

/*
 * Reads a query.  KH_EREFUSED where it is not a good one: *ERR has its first error; KH_BCP_CHECK gives them all.
 */
KH_API enum kh_err kh_prepared_new(struct kh *kh, struct kh_view query, struct kh_prepared **ret_prepared,
				   struct kh_error *err) KH_CHECKED;
KH_API void kh_prepared_free(struct kh_prepared *prepared);

/* 1, 2 or 3. */
KH_API unsigned kh_prepared_category(const struct kh_prepared *prepared);

/* The bound, in microbits: the most that an answer can carry.  It is what to reserve of a budget, and what to charge. */
KH_API uint64_t kh_prepared_microbits(const struct kh_prepared *prepared);

/*
 * Judges a Reader's response, any bytes.  *RET_CHARGED is what it costs in microbits: always the bound; a text that
 * carries more is rejected.  *RET_RESPONSE (RET_RESPONSE may be NULL) is the normalised response as JSON, NULL if it was
 * rejected.  A held response is for a human's eyes, never for the Controller's.
 */
KH_API enum kh_err kh_prepared_judge(struct kh_prepared *prepared, struct kh_view response,
				     enum kh_verdict *ret_verdict, uint64_t *ret_charged, struct kh_text **ret_response,
				     struct kh_error *err) KH_CHECKED;

/* --- canonical bytes ---------------------------------------------------------------------------------------------- */

/* The canonical form (RFC 8785) of a JSON text: the bytes that grants, attributions and audit events are bound to. */
KH_API enum kh_err kh_canonical(struct kh *kh, struct kh_view json, struct kh_text **ret_canonical,
				struct kh_error *err) KH_CHECKED;

/* BLAKE2b-256 of BYTES. */
KH_API void kh_digest_of(struct kh_view bytes, unsigned char ret_digest[32]);

#ifdef __cplusplus
}
#endif

#endif
