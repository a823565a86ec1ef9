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

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_file), KH_TEST(test_number), KH_TEST(test_compare)};
KH_TEST_MAIN(cases)
