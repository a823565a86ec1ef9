/*
 * Tables of cases for schemas.  In every text ' stands for ", so that it can be read.  A row says of one schema which
 * values fit it and which do not, each as a JSON array.
 */
#ifndef KH_TESTS_SCHEMA_ROWS_H
#define KH_TESTS_SCHEMA_ROWS_H

#include "harness.h"

#include "core/schema/schema.h"

struct kh_row {
	const char *schema, *good, *bad;
};

/* TEXT with " for '. */
struct kh_view kh_rows_text(struct kh_test *t, const char *text);

/* The schema; the test ends if there is no memory, and fails if it is held. */
struct kh_schema *kh_rows_new(struct kh_test *t, const char *text);

/* Every row: its values fit and do not fit as it says. */
void kh_rows_run(struct kh_test *t, const struct kh_row *rows, size_t count);

/* What was reported: "code pointer", with ";" between. */
struct kh_view kh_rows_reported(struct kh_test *t, const struct kh_reasons *errors);

#define KH_ROWS_RUN(t, rows) kh_rows_run((t), (rows), sizeof(rows) / sizeof((rows)[0]))

#endif
