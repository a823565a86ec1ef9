/*
 * Errors that a human or a client is told about.
 *
 * struct kh_error (public) is one failure of one call.  struct kh_reasons is a list: everything that is wrong with a
 * query, or every reason for a verdict.  A reason's code is a word of a fixed list in docs/reference/CODES.md.
 */
#ifndef KH_BASE_ERROR_H
#define KH_BASE_ERROR_H

#include "base/arena.h"

/*
 * Fills *ERR (which may be NULL) and returns E, so that a failing function ends in `return kh_error_set(...)`.
 * kh_error_at() adds the byte offset in the input.
 */
enum kh_err kh_error_at(struct kh_error *err, enum kh_err e, const char *code, size_t offset, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#define kh_error_set(err, e, code, ...) kh_error_at((err), (e), (code), SIZE_MAX, __VA_ARGS__)

/* The static analyser reads one file at a time: this macro tells it that E is returned. */
#ifdef __clang_analyzer__
#define kh_error_at(err, e, ...) ((void)(kh_error_at)((err), (e), __VA_ARGS__), (e))
#endif

/* Records the path of the faulty member in *ERR (which may be NULL) if E is a failure, and returns E. */
enum kh_err kh_error_member(struct kh_error *err, struct kh_view member, enum kh_err e);

/* Bad input: fills *ERR (which may be NULL) with DETAIL and the path of the faulty member, and returns KH_EINPUT. */
enum kh_err kh_error_input(struct kh_error *err, struct kh_view member, const char *code, const char *detail);

/* A word for E: "out_of_memory", "bad_input", ... */
const char *kh_err_name(enum kh_err e);

struct kh_reason {
	const char *code;      /* static */
	struct kh_view member; /* path: "fields[2].max"; empty for the whole */
	struct kh_view detail; /* safe to show: input in it has gone through kh_arena_quote() */
};

struct kh_reasons {
	struct kh_arena *arena;
	struct kh_reason *at;
	size_t n, cap;
};

void kh_reasons_init(struct kh_reasons *list, struct kh_arena *arena);

/* Adds a reason; MEMBER is borrowed and must live as long as the arena.  Out of memory marks the arena. */
void kh_reasons_add(struct kh_reasons *list, const char *code, struct kh_view member, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Fills *ERR (which may be NULL) with the first reason of LIST, which has one, and returns E. */
enum kh_err kh_error_reason(struct kh_error *err, enum kh_err e, const struct kh_reasons *list);

#endif
