/* E7: a server that waits is in one set with all others, and whatever wakes it is noticed. */
#include "sandbox/boxed.h"

#include "base/clock.h"
#include "executor/parking.h"
#include "executor/serve.h"

static struct kh_parking parking;
static struct kh_job job;
static struct kh_slot slot, reader;

/* A job that looks like a steady server, with pipes in place of everything. */
static void make_server(int channel[2], int out[2])
{
	job = (struct kh_job){.phase = KH_JOB_RUN, .kind = &kh_serve_kind, .state = KH_STATE_SERVING};
	slot = reader = (struct kh_slot){.gone = true};
	assert_int_equal(kh_channel_pair(channel, NULL), KH_OK);
	assert_int_equal(pipe2(out, O_NONBLOCK | O_CLOEXEC), 0);
	job.channel = channel[0];
	job.slot = &slot;
	job.serve.reader = &reader;
	job.in = job.errs = job.connection = job.serve.reason = job.forward.channel = job.forward.pidfd = -1;
	job.out = out[0];
	job.run.rates = kh_profile_rates;
	job.serve.is_steady = true;
	job.serve.moved_us = job.serve.output.at_us = job.serve.errors.at_us = kh_clock_us();
	job.deadline_us = job.look_us = INT64_MAX;
}

static size_t ready(size_t list[KH_PARKING_JOBS])
{
	return kh_parking_ready(&parking, true, list);
}

static void test_parking(struct kh_test *t)
{
	size_t list[KH_PARKING_JOBS], before = open_descriptors();
	int channel[2], out[2];
	int64_t wake = INT64_MAX;

	(void)t;
	assert_true(kh_parking_init(&parking));
	make_server(channel, out);
	kh_parking_renew(&parking, 7, &job);
	assert_true(kh_parking_has(&parking, 7));
	assert_int_equal(parking.count, 1);
	assert_int_equal(ready(list), 0);
	/* Its next deadline is that of the idle time. */
	kh_parking_wake(&parking, &wake);
	assert_true(wake == job.serve.moved_us + (int64_t)job.run.rates.idle_ms * 1000);
	/* Output, then a message of the parent. */
	assert_int_equal(write(out[1], "x", 1), 1);
	assert_int_equal(ready(list), 1);
	assert_int_equal(list[0], 7);
	/* While a packet waits for the parent, output does not wake it. */
	job.to_parent_n = 1;
	kh_parking_renew(&parking, 7, &job);
	assert_int_equal(ready(list), 1); /* the channel can be written to */
	job.to_parent_n = 0;
	job.run.rates.output = 1;
	job.serve.output.level = 10; /* its rate is spent: only the time wakes it */
	kh_parking_renew(&parking, 7, &job);
	assert_int_equal(ready(list), 0);
	assert_true(parking.wake_us[7] > kh_clock_us() && parking.wake_us[7] < kh_clock_us() + 20000000);
	parking.wake_us[7] = 1;
	assert_int_equal(kh_parking_ready(&parking, false, list), 1);
	/* The parent hangs up. */
	kh_parking_renew(&parking, 7, &job);
	close(channel[1]);
	assert_int_equal(ready(list), 1);
	/* It stops, and is taken out; what was in the set is not any more. */
	job.phase = KH_JOB_STOPPING;
	kh_parking_renew(&parking, 7, &job);
	assert_false(kh_parking_has(&parking, 7));
	assert_int_equal(parking.count, 0);
	assert_int_equal(ready(list), 0);
	close(channel[0]);
	close(out[0]);
	close(out[1]);
	close(parking.epoll);
	parking = (struct kh_parking){.epoll = -1};
	assert_int_equal(open_descriptors(), before);
}

/* A number that is used again is another file: the set has the new one, and the old job does not lose the other's. */
static void test_numbers(struct kh_test *t)
{
	size_t list[KH_PARKING_JOBS];
	int channel[2], out[2], other_channel[2], other_out[2];

	(void)t;
	assert_true(kh_parking_init(&parking));
	make_server(channel, out);
	kh_parking_renew(&parking, 1, &job);
	close(job.out); /* the server's output has ended */
	int number = job.out;
	job.out = -1;
	kh_parking_renew(&parking, 1, &job);
	struct kh_job first = job;
	make_server(other_channel, other_out);
	assert_int_equal(other_channel[0], number);
	kh_parking_renew(&parking, 2, &job);
	kh_parking_renew(&parking, 1, &first);
	assert_int_equal(kh_channel_send(other_channel[1], KH_LIT("x"), NULL, 0), KH_IO_DONE);
	assert_int_equal(ready(list), 1);
	assert_int_equal(list[0], 2);
	close(channel[0]);
	close(channel[1]);
	close(out[1]);
	close(other_channel[0]);
	close(other_channel[1]);
	close(other_out[0]);
	close(other_out[1]);
	close(parking.epoll);
	parking = (struct kh_parking){.epoll = -1};
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_parking),
	KH_TEST_ONCE(test_numbers),
};

KH_TEST_MAIN(cases)
