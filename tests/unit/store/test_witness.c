/* Witnesses: lines that are kept, and the comparison with them (L3). */
#include "harness.h"
#include "store/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX64   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER64 "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LINE(n, hash)                                                                                                  \
	"{\"checkpoint\":" #n ",\"hash\":\"" hash "\",\"last\":9,\"signature\":\"" HEX64 HEX64 "\",\"store\":\"" HEX64 \
	"\"}"

static void read_back(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	size_t n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
}

/* Lines are appended to a file that only its owner reads; one that a crash cut off does not spoil the next. */
static void test_file(struct kh_test *t)
{
	char folder[] = "/tmp/keyhole-witness-XXXXXX", path[64], text[256];
	struct stat st;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/lines", folder);
	must(t, kh_witness_file(path, KH_LIT("one"), &t->err));
	must(t, kh_witness_file(path, KH_LIT("two"), &t->err));
	read_back(path, text, sizeof(text));
	assert_string_equal(text, "one\ntwo\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(truncate(path, 6), 0);
	must(t, kh_witness_file(path, KH_LIT("three"), &t->err));
	read_back(path, text, sizeof(text));
	assert_string_equal(text, "one\ntw\nthree\n");
	must_fail(t, KH_ESTORE, kh_witness_file(folder, KH_LIT("four"), &t->err));
	assert_string_equal(t->err.code, "witness_failed");
	unlink(path);
	rmdir(folder);
	must_fail(t, KH_ESTORE, kh_witness_file(path, KH_LIT("five"), &t->err));
	/* A disk that is full. */
	must_fail(t, KH_ESTORE, kh_witness_file("/dev/full", KH_LIT("six"), &t->err));
	assert_string_equal(t->err.code, "witness_failed");
}

static void test_number(struct kh_test *t)
{
	int64_t number = kh_witness_number(&t->arena, KH_LIT(LINE(7, HEX64)));

	must(t, kh_arena_check(&t->arena));
	assert_int_equal(number, 7);
	assert_int_equal(kh_witness_number(&t->arena, KH_LIT(LINE(0, HEX64))), 0);
	assert_int_equal(kh_witness_number(&t->arena, KH_LIT(LINE(-3, HEX64))), 0);
	assert_int_equal(kh_witness_number(&t->arena, KH_LIT("")), 0);
	assert_int_equal(kh_witness_number(&t->arena, KH_LIT("{\"checkpoint\":7}")), 0);
}

static void test_compare(struct kh_test *t)
{
	struct kh_view seen = KH_LIT(LINE(7, HEX64));

	must(t, kh_witness_compare(&t->arena, seen, seen, &t->err));
	must(t, kh_witness_compare(&t->arena, KH_LIT("Nov 15 host: " LINE(7, HEX64) "\n"), seen, &t->err));
	must_fail(t, KH_ECHANGED, kh_witness_compare(&t->arena, seen, KH_LIT(""), &t->err));
	assert_string_equal(t->err.code, "store_older");
	must_fail(t, KH_ECHANGED, kh_witness_compare(&t->arena, seen, KH_LIT(LINE(7, OTHER64)), &t->err));
	assert_string_equal(t->err.code, "store_forked");
	must_fail(t, KH_ECHANGED, kh_witness_compare(&t->arena, seen, KH_LIT(LINE(8, HEX64)), &t->err));
	assert_string_equal(t->err.code, "store_forked");
	must_fail(t, KH_EINPUT, kh_witness_compare(&t->arena, KH_LIT("something"), seen, &t->err));
	assert_string_equal(t->err.code, "bad_checkpoint");
}

/* L3: which lines are missing; a line that was cut off is. */
static void test_missing(struct kh_test *t)
{
	static const char lines[] = LINE(3, HEX64) "\nNov 15 host: " LINE(4, HEX64) "\nother text\n" LINE(
		6, HEX64) "\n" LINE(5, HEX64) "\n" LINE(7, HEX64) "\n{\"checkpoint\":8,\"ha";
	int64_t missing = -1, first = 0;

	must(t, kh_witness_missing(kh_view_str(lines), 3, 7, &t->arena, &missing));
	assert_int_equal(missing, 0);
	must(t, kh_witness_missing(kh_view_str(lines), 2, 7, &t->arena, &missing));
	assert_int_equal(missing, 2);
	must(t, kh_witness_missing(kh_view_str(lines), 3, 9, &t->arena, &missing));
	assert_int_equal(missing, 8);
	must(t, kh_witness_missing(KH_LIT(""), 1, 1, &t->arena, &missing));
	assert_int_equal(missing, 1);
	struct kh_view last = kh_witness_last_line(kh_view_str(lines), &t->arena, &first);
	must(t, kh_arena_check(&t->arena));
	assert_int_equal(kh_witness_number(&t->arena, last), 7);
	last = kh_witness_last_line(KH_LIT(LINE(1, HEX64) "\n" LINE(4, HEX64) "\n" LINE(5, HEX64)), &t->arena, &first);
	must(t, kh_arena_check(&t->arena));
	assert_int_equal(first, 4);
	assert_int_equal(kh_witness_last_line(KH_LIT("text\n"), &t->arena, &first).n, 0);
	assert_int_equal(first, 0);
}

/* What logrotate has renamed is read before what is there now; a file that is not there has no lines. */
static void test_read(struct kh_test *t)
{
	char folder[] = "/tmp/keyhole-witness-XXXXXX", path[64], old[64];
	struct kh_view lines;
	int64_t number = -1;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/lines", folder);
	snprintf(old, sizeof(old), "%s/lines.1", folder);
	must(t, kh_witness_read(path, &t->arena, &lines, &t->err));
	assert_int_equal(lines.n, 0);
	must(t, kh_witness_last(path, &t->arena, &number, &t->err));
	assert_int_equal(number, 0);
	must(t, kh_witness_file(path, KH_LIT(LINE(2, HEX64)), &t->err));
	must(t, kh_witness_last(path, &t->arena, &number, &t->err));
	assert_int_equal(number, 2);
	assert_int_equal(rename(path, old), 0);
	must(t, kh_witness_file(path, KH_LIT(LINE(3, HEX64) "\n" LINE(4, HEX64)), &t->err));
	must(t, kh_witness_last(path, &t->arena, &number, &t->err));
	assert_int_equal(number, 4);
	must(t, kh_witness_read(path, &t->arena, &lines, &t->err));
	must(t, kh_witness_missing(lines, 2, 4, &t->arena, &number));
	assert_int_equal(number, 0);
	must_fail(t, KH_ESTORE, kh_witness_read(folder, &t->arena, &lines, &t->err));
	assert_string_equal(t->err.code, "witness_failed");
	unlink(path);
	unlink(old);
	rmdir(folder);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_file), KH_TEST(test_number), KH_TEST(test_compare),
					    KH_TEST(test_missing), KH_TEST_ONCE(test_read)};
KH_TEST_MAIN(cases)
