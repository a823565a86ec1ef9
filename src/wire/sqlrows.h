/*
 * The result of a statement as JSON: {"columns":[...],"rows":[[...]],"truncated":bool}, bounded while it streams.
 * Always valid UTF-8, whatever the database holds.
 *
 *     NULL                        null
 *     integer                     a number within +-2^53, else its digits as a string
 *     floating point              a number; "NaN", "Infinity", "-Infinity"
 *     boolean                     true, false (PostgreSQL)
 *     blob, bytea                 a string: "\x" and hexadecimal digits, as PostgreSQL writes it
 *     text and all other types    a string, as the database writes it; U+FFFD for what is not UTF-8
 */
#ifndef KH_WIRE_SQLROWS_H
#define KH_WIRE_SQLROWS_H

#include "base/buf.h"

#define KH_SQLROWS_COLUMNS 512

struct kh_sqlrows {
	struct kh_buf buf;
	size_t most;    /* rows that are kept at most */
	size_t rows;    /* complete rows */
	size_t start;   /* offset of the row that is being written */
	bool any;       /* the row has a value already */
	bool in_rows;   /* the columns are complete */
	bool truncated; /* there were more rows */
	bool no_room;   /* the columns, or the first row, did not fit */
};

/* At most ROWS rows, and BYTES bytes of JSON. */
void kh_sqlrows_init(struct kh_sqlrows *rows, struct kh_arena *arena, size_t most_rows, size_t bytes);

/* Once for each column, before the first row. */
void kh_sqlrows_column(struct kh_sqlrows *rows, struct kh_view name);

/* A row: begin, its values, end.  False: there is no room for it, so the caller can stop reading. */
bool kh_sqlrows_begin(struct kh_sqlrows *rows);
void kh_sqlrows_null(struct kh_sqlrows *rows);
void kh_sqlrows_bool(struct kh_sqlrows *rows, bool value);
void kh_sqlrows_int(struct kh_sqlrows *rows, int64_t value);
void kh_sqlrows_real(struct kh_sqlrows *rows, double value);
void kh_sqlrows_text(struct kh_sqlrows *rows, struct kh_view bytes);
void kh_sqlrows_blob(struct kh_sqlrows *rows, struct kh_view bytes);
void kh_sqlrows_digits(struct kh_sqlrows *rows, struct kh_view number); /* a JSON number; else written as a string */
bool kh_sqlrows_end(struct kh_sqlrows *rows);

/* The JSON.  KH_ELIMIT, code `result_too_large`, if there was no room for the first row. */
enum kh_err kh_sqlrows_json(struct kh_sqlrows *rows, struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

#endif
