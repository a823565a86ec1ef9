/* E7: what the parent does not take waits, within a bound, and nothing is lost or out of order. */
#include "worker/http/outlet.h"

#include "harness.h"

#include <unistd.h>

static char room[KH_MESSAGE_MAX];

static void test_outlet(struct kh_test *t)
{
	enum kh_message_state state = KH_STATE_PARENT_BEGUN;
	struct kh_outlet outlet;
	struct kh_message_out out;
	struct kh_message message;
	int ends[2];
	size_t got = 0;
	static char bulk[3 * KH_MESSAGE_BULK + 5];

	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	kh_outlet_init(&outlet, ends[0], &kh_alloc_system, 10 * KH_MESSAGE_MAX);
	assert_true(kh_outlet_is_empty(&outlet));
	kh_message_begin(&out, room, sizeof(room), KH_MESSAGE_HEAD);
	kh_message_number(&out, KH_FIELD_STATUS, 200);
	must(t, kh_outlet_put(&outlet, &out));
	for (size_t i = 0; i < sizeof(bulk); i++)
		bulk[i] = (char)(i % 251);
	must(t, kh_outlet_bulk(&outlet, KH_MESSAGE_OUTPUT, kh_view_of(bulk, sizeof(bulk)), room));
	must(t, kh_outlet_bulk(&outlet, KH_MESSAGE_OUTPUT, kh_view_of(bulk, sizeof(bulk)), room));
	assert_int_equal(kh_outlet_flush(&outlet), KH_IO_AGAIN); /* more than the channel holds */
	assert_int_equal(kh_channel_hear(ends[1], room, &state, 0, &message, NULL), KH_IO_DONE);
	assert_int_equal(message.type, KH_MESSAGE_HEAD);
	while (got < 2 * sizeof(bulk)) {
		enum kh_io io = kh_outlet_flush(&outlet);
		assert_true(io == KH_IO_DONE || io == KH_IO_AGAIN);
		assert_int_equal(kh_channel_hear(ends[1], room, &state, 0, &message, NULL), KH_IO_DONE);
		for (size_t i = 0; i < message.bulk.n; i++)
			assert_int_equal(message.bulk.p[i], bulk[(got + i) % sizeof(bulk)]);
		got += message.bulk.n;
	}
	assert_int_equal(kh_outlet_flush(&outlet), KH_IO_DONE);
	assert_true(kh_outlet_is_empty(&outlet));
	close(ends[1]);
	kh_message_begin(&out, room, sizeof(room), KH_MESSAGE_BEGUN);
	must(t, kh_outlet_put(&outlet, &out));
	assert_int_equal(kh_outlet_flush(&outlet), KH_IO_CLOSED);
	kh_outlet_done(&outlet);
	close(ends[0]);
}

static void test_bound(struct kh_test *t)
{
	struct kh_outlet outlet;
	struct kh_message_out out;
	size_t n = 0;
	enum kh_err e;

	kh_outlet_init(&outlet, -1, &t->alloc, 100);
	do {
		kh_message_begin(&out, room, sizeof(room), KH_MESSAGE_BEGUN);
		e = kh_outlet_put(&outlet, &out);
		n += e == KH_OK;
	} while (e == KH_OK);
	size_t held = outlet.held.n;
	kh_outlet_done(&outlet);
	must_fail(t, KH_ELIMIT, e);
	assert_int_equal(n, 100 / (sizeof(size_t) + KH_MESSAGE_HEADER));
	assert_int_equal(held, n * (sizeof(size_t) + KH_MESSAGE_HEADER)); /* nothing half put */
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_outlet), KH_TEST(test_bound)};
KH_TEST_MAIN(cases)
