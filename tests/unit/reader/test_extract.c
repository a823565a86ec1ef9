#include "reader/extract.h"

#include "asking.h"

#include <string.h>

#define FIELDS "{\"category\":1,\"fields\":[{\"name\":\"is_urgent\",\"type\":\"boolean\"}]}"

static struct kh_view asked(struct kh_test *t, const struct kh_reader_ask *ask, enum kh_reader_fault *ret_fault)
{
	struct kh_reader reader = {.name = KH_LIT("extract"), .driver = &kh_reader_extract};
	struct kh_tainted response;
	struct kh_view detail;

	must(t, reader.driver->ask(&reader, &t->arena, ask, &response, ret_fault, &detail));
	assert_int_equal(detail.n > 0, *ret_fault != KH_READER_OK);
	return kh_tainted_open(response);
}

/* I3: built in, and an answer is a function of the ask. */
static void test_driver(struct kh_test *t)
{
	struct kh_reader_block block = seal(t, "b1", TASK, KH_LIT("This is urgent."));
	struct kh_reader_ask ask = ask_about(t, FIELDS, &block, 1);
	enum kh_reader_fault fault;

	assert_string_equal(kh_reader_extract.name, "extract");
	assert_true(kh_reader_extract.pure);
	assert_view(asked(t, &ask, &fault), "{\"fields\":{\"is_urgent\":true}}");
	assert_int_equal(fault, KH_READER_OK);
	ask.now = 5;
	ask.nonce[0] ^= 1;
	assert_view(asked(t, &ask, &fault), "{\"fields\":{\"is_urgent\":true}}");
}

/* All blocks are read, and an ask without any is answered. */
static void test_blocks(struct kh_test *t)
{
	struct kh_reader_block blocks[] = {seal(t, "b1", TASK, KH_LIT("Nothing.")),
					   seal(t, "b2", TASK, KH_LIT("This is urgent."))};
	struct kh_reader_ask ask = ask_about(t, FIELDS, blocks, 2);
	enum kh_reader_fault fault;

	assert_view(asked(t, &ask, &fault), "{\"fields\":{\"is_urgent\":true}}");
	ask.block_count = 1;
	assert_view(asked(t, &ask, &fault), "{\"fields\":{\"is_urgent\":false}}");
	ask.block_count = 0;
	assert_view(asked(t, &ask, &fault), "{\"fields\":{\"is_urgent\":false}}");
}

/* E10: content that is not what was sealed, or of another task, is not read. */
static void test_changed(struct kh_test *t)
{
	struct kh_reader_block blocks[] = {seal(t, "b1", TASK, KH_LIT("This is urgent.")),
					   seal(t, "b2", "t1111111111111111", KH_LIT("This is urgent."))};
	enum kh_reader_fault fault;

	blocks[0].content = kh_tainted_wrap(KH_LIT("This is urgent!"));
	for (size_t i = 0; i < 2; i++) {
		struct kh_reader_ask ask = ask_about(t, FIELDS, &blocks[i], 1);
		assert_view(asked(t, &ask, &fault), "");
		assert_int_equal(fault, KH_READER_CHANGED);
	}
}

/* What is not UTF-8 cannot be part of an answer. */
static void test_broken_text(struct kh_test *t)
{
	const struct kh_query *query = query_of(t,
						"{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"Where is "
						"the key?\",\"expected_format\":\"short_text\"}]}");
	struct kh_view response;

	must(t, kh_extract_respond(&t->arena, query, KH_LIT("The key is \xff in here."), &response));
	assert_view(response, "{\"answers\":[]}");
	must(t, kh_extract_respond(&t->arena, query, KH_LIT("The key is in here."), &response));
	assert_view(response, "{\"answers\":[{\"id\":\"q\",\"answer\":\"The key is in here.\"}]}");
}

/* Several questions: each is answered for itself, and one that has no answer is left out. */
static void test_several(struct kh_test *t)
{
	const struct kh_query *query = query_of(
		t, "{\"category\":2,\"questions\":["
		   "{\"id\":\"a\",\"question\":\"When is the fair?\",\"expected_format\":\"date\"},"
		   "{\"id\":\"b\",\"question\":\"What does it cost?\",\"expected_format\":\"amount\"},"
		   "{\"id\":\"c\",\"question\":\"Is the fair open?\",\"expected_format\":\"yes_no\"}]}");
	struct kh_view response;

	must(t, kh_extract_respond(&t->arena, query, KH_LIT("The fair opens on 3 May 2026."), &response));
	assert_view(response,
		    "{\"answers\":[{\"id\":\"a\",\"answer\":\"2026-05-03\"},{\"id\":\"c\",\"answer\":\"yes\"}]}");
}

static const struct kh_test_case cases[] = {KH_TEST(test_driver), KH_TEST(test_blocks), KH_TEST(test_changed),
					    KH_TEST(test_broken_text), KH_TEST(test_several)};
KH_TEST_MAIN(cases)
