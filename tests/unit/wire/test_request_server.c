/* U1: what a request for a server can have, and nobody else: variables, secrets, rates. */
#include "harness.h"

#include "wire/request.h"

#include <stdio.h>

static char buffer[KH_MESSAGE_MAX];

static struct kh_run a_server(void)
{
	return (struct kh_run){.profile = KH_PROFILE_SERVER, .argv = {KH_LIT_INIT("/bin/cat")}, .argc = 1};
}

/* Writes RUN and reads it again. */
static enum kh_err pass(struct kh_test *t, const struct kh_run *run, struct kh_run *ret_run)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;
	struct kh_view packet;

	enum kh_err e = kh_request_write_run(run, buffer, &packet, &t->err);
	if (e != KH_OK)
		return e;
	must(t, kh_message_read(packet, 0, &state, &message, &t->err));
	return kh_request_read_run(&message, ret_run, &t->err);
}

static void refuse(struct kh_test *t, const struct kh_run *run, const char *words)
{
	struct kh_run got = {.argc = 99};

	must_fail(t, KH_EINPUT, pass(t, run, &got));
	assert_string_equal(t->err.code, "bad_request");
	if (strstr(t->err.detail, words) == NULL)
		print_error("\"%s\" lacks \"%s\"\n", t->err.detail, words);
	assert_non_null(strstr(t->err.detail, words));
	assert_int_equal(got.argc, 99);
}

static void test_whole(struct kh_test *t)
{
	struct kh_run got, run = a_server();

	run.environment[0] = KH_LIT("A=");
	run.environment[1] = KH_LIT("_b2=x=y z");
	run.variables = 2;
	run.secret[0] = KH_LIT("API_KEY=/run/keys/a=b");
	run.secrets = 1;
	run.links = true;
	run.rates = (struct kh_rates){1, 2, 3, 4, 5};
	run.network[0] = KH_LIT("api.example:443");
	run.networks = 1;
	run.limits.wall_ms = KH_PROFILE_SERVER_WALL;
	must(t, pass(t, &run, &got));
	assert_int_equal(got.variables, 2);
	assert_view(got.environment[0], "A=");
	assert_view(got.environment[1], "_b2=x=y z");
	assert_int_equal(got.secrets, 1);
	assert_true(got.links);
	assert_view(got.secret[0], "API_KEY=/run/keys/a=b");
	assert_memory_equal(&got.rates, &run.rates, sizeof(run.rates));
	assert_int_equal(got.networks, 1);
	assert_int_equal(got.limits.wall_ms, KH_PROFILE_SERVER_WALL);
}

static void test_defaults(struct kh_test *t)
{
	struct kh_run got, run = a_server();

	must(t, pass(t, &run, &got));
	assert_int_equal(got.variables + got.secrets, 0);
	assert_memory_equal(&got.rates, &kh_profile_rates, sizeof(got.rates));
	/* Its life has no limit of processor time or output. */
	assert_int_equal(got.limits.cpu_s, 0);
	assert_int_equal(got.limits.output, 0);
}

static void test_variables(struct kh_test *t)
{
	static const char *const bad[] = {"", "=", "=x", "A", "1A=x", "A-B=x", "A B=x", "\xc3\xa9=x", " A=x"};
	struct kh_run got, run = a_server();
	struct kh_view name, value;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(kh_request_variable(kh_view_str(bad[i]), &name, &value));
		run = a_server();
		run.environment[0] = KH_LIT("FINE=1");
		run.environment[1] = kh_view_str(bad[i]);
		run.variables = 2;
		refuse(t, &run, "variable 2");
		run = a_server();
		run.secret[0] = kh_view_str(bad[i]);
		run.secrets = 1;
		refuse(t, &run, "secret 1");
	}
	char longest[KH_REQUEST_NAME + 3];
	memset(longest, 'A', sizeof(longest));
	longest[KH_REQUEST_NAME] = '=';
	assert_true(kh_request_variable(kh_view_of(longest, KH_REQUEST_NAME + 1), &name, &value));
	assert_int_equal(name.n, KH_REQUEST_NAME);
	assert_int_equal(value.n, 0);
	longest[KH_REQUEST_NAME] = 'A';
	longest[KH_REQUEST_NAME + 1] = '=';
	assert_false(kh_request_variable(kh_view_of(longest, KH_REQUEST_NAME + 2), &name, &value));
	/* As many as there may be, and one more. */
	static char names[KH_REQUEST_VARIABLES + 1][16];
	run = a_server();
	for (run.variables = 0; run.variables < KH_REQUEST_VARIABLES; run.variables++) {
		snprintf(names[run.variables], sizeof(names[0]), "V%zu=x", run.variables);
		run.environment[run.variables] = kh_view_str(names[run.variables]);
	}
	must(t, pass(t, &run, &got));
	assert_int_equal(got.variables, KH_REQUEST_VARIABLES);
	run.variables++;
	must_fail(t, KH_ELIMIT, pass(t, &run, &got));
}

/* A name that is there twice would leave open which value counts. */
static void test_unique(struct kh_test *t)
{
	struct kh_run run = a_server();

	run.environment[0] = KH_LIT("A=1");
	run.environment[1] = KH_LIT("A=2");
	run.variables = 2;
	refuse(t, &run, "variable 2");
	run.variables = 1;
	run.secret[0] = KH_LIT("A=/a");
	run.secrets = 1;
	refuse(t, &run, "secret 1");
	run.secret[0] = KH_LIT("B=/a");
	run.secret[1] = KH_LIT("B=/b");
	run.secrets = 2;
	refuse(t, &run, "secret 2");
}

static void test_secret_paths(struct kh_test *t)
{
	static const char *const bad[] = {"A=", "A=key", "A=./key", "A=/a/../b", "A=/", "A=~/key"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_run run = a_server();
		run.secret[0] = kh_view_str(bad[i]);
		run.secrets = 1;
		refuse(t, &run, "secret 1 is not an absolute path");
	}
}

static void test_rates(struct kh_test *t)
{
	const struct kh_rates most = kh_profile_rates_most;
	uint64_t values[5];

	for (size_t i = 0; i < 5; i++) {
		struct kh_run got, run = a_server();
		memcpy(values, &most, sizeof(values));
		run.rates = most;
		must(t, pass(t, &run, &got));
		assert_memory_equal(&got.rates, &most, sizeof(most));
		values[i]++;
		memcpy(&run.rates, values, sizeof(values));
		refuse(t, &run, "past the most");
	}
	struct kh_run run = a_server();
	run.limits.wall_ms = KH_PROFILE_SERVER_WALL + 1;
	refuse(t, &run, "wall clock");
	run = a_server();
	run.limits.cpu_s = 1;
	refuse(t, &run, "processor time");
	run = a_server();
	run.limits.output = 1;
	refuse(t, &run, "output");
}

/* No other profile has any of it. */
static void test_others(struct kh_test *t)
{
	for (enum kh_profile profile = 0; profile < KH_PROFILES; profile++) {
		struct kh_run run = a_server(), plain = {.profile = profile};
		if (profile == KH_PROFILE_SERVER || profile == KH_PROFILE_UPSTREAM) /* which is refused as such */
			continue;
		if (!kh_profile_takes_job(profile)) {
			plain.argv[0] = run.argv[0];
			plain.argc = 1;
		}
		run = plain;
		run.environment[0] = KH_LIT("A=1");
		run.variables = 1;
		refuse(t, &run, "has no variables");
		run = plain;
		run.secret[0] = KH_LIT("A=/a");
		run.secrets = 1;
		refuse(t, &run, "has no variables");
		for (size_t i = 0; i < 5; i++) {
			uint64_t values[5] = {0};
			values[i] = 1;
			run = plain;
			memcpy(&run.rates, values, sizeof(values));
			refuse(t, &run, "has no variables");
		}
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_whole),  KH_TEST_ONCE(test_defaults),     KH_TEST_ONCE(test_variables),
	KH_TEST_ONCE(test_unique), KH_TEST_ONCE(test_secret_paths), KH_TEST_ONCE(test_rates),
	KH_TEST_ONCE(test_others),
};

KH_TEST_MAIN(cases)
