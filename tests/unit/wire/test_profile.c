/* E7: what each kind of worker is given. */
#include "harness.h"

#include "wire/profile.h"

static void test_names(struct kh_test *t)
{
	enum kh_profile profile = KH_PROFILES;

	(void)t;
	for (enum kh_profile i = 0; i < KH_PROFILES; i++) {
		assert_true(kh_profile_read(kh_view_str(kh_profile_name(i)), &profile));
		assert_int_equal(profile, i);
	}
	profile = KH_PROFILE_HTTP;
	assert_false(kh_profile_read(KH_LIT("RUN"), &profile));
	assert_false(kh_profile_read(KH_LIT("run "), &profile));
	assert_false(kh_profile_read(KH_LIT(""), &profile));
	assert_int_equal(profile, KH_PROFILE_HTTP); /* written only on success */
	assert_string_equal(kh_profile_name(KH_PROFILES), "unknown");
}

/* Every limit is there and within what can be asked for; our own workers get less than programs. */
static void test_limits(struct kh_test *t)
{
	const struct kh_limits *most = &kh_profile_most, *run = kh_profile_limits(KH_PROFILE_RUN);

	(void)t;
	for (enum kh_profile i = 0; i < KH_PROFILES; i++) {
		const struct kh_limits *l = kh_profile_limits(i);
		if (i == KH_PROFILE_SERVER)
			continue;
		bool has_rates = i == KH_PROFILE_UPSTREAM;
		assert_true(l->wall_ms > 0 && l->memory > 0 && l->processes > 0 && l->files > 0 && l->disk > 0);
		assert_true((l->cpu_s == 0) == has_rates && (l->output == 0) == has_rates);
		assert_true(l->wall_ms <= most->wall_ms && l->cpu_s <= most->cpu_s && l->memory <= most->memory);
		assert_true(l->processes <= most->processes && l->files <= most->files && l->disk <= most->disk);
		assert_true(l->output <= most->output);
		if (i == KH_PROFILE_RUN)
			continue;
		assert_true(l->memory < run->memory && l->files < run->files && l->disk < run->disk);
		assert_int_equal(l->processes, 1);
	}
	/* A server lives long: its processor time and its output have rates in place of limits. */
	const struct kh_limits *server = kh_profile_limits(KH_PROFILE_SERVER);
	assert_true(server->cpu_s == 0 && server->output == 0 && server->wall_ms <= KH_PROFILE_SERVER_WALL);
	assert_true(server->memory == run->memory && server->processes == run->processes);
	assert_true(server->files == run->files && server->disk == run->disk);
	const struct kh_rates *r = &kh_profile_rates, *fastest = &kh_profile_rates_most;
	assert_true(r->idle_ms > 0 && r->output > 0 && r->processor > 0 && r->longest > 0 && r->messages > 0);
	assert_true(r->idle_ms <= fastest->idle_ms && r->output <= fastest->output && r->longest <= fastest->longest);
	assert_true(r->processor <= fastest->processor && r->messages <= fastest->messages);
	/* Network 30 s, total 300 s. */
	assert_int_equal(kh_profile_limits(KH_PROFILE_HTTP)->wall_ms, 30000);
	assert_int_equal(run->wall_ms, 300000);
	/* File operations 10 s. */
	assert_int_equal(kh_profile_limits(KH_PROFILE_READ)->wall_ms, 10000);
}

/* Nothing of the host's users, secrets or state is in any root, and our own workers see no program. */
static void test_paths(struct kh_test *t)
{
	static const char *const never[] = {"/etc/shadow", "/etc/passwd", "/root", "/home", "/var", "/run", "/proc",
					    "/sys",        "/dev",        "/tmp",  "/boot", "/opt", "/srv", "/mnt"};
	static const char *const programs[] = {"/usr", "/bin", "/sbin", "/usr/bin", "/usr/sbin"};

	(void)t;
	for (enum kh_profile i = 0; i < KH_PROFILES; i++) {
		const char *const *paths = kh_profile_paths(i);
		/* What goes on in the executor's own image needs nothing of the host's. */
		assert_true(paths[0] != NULL || kh_profile_start(i) == KH_PROFILE_IN_PLACE);
		for (; *paths; paths++) {
			struct kh_view path = kh_view_str(*paths);
			assert_true(path.n > 1 && path.p[0] == '/' && path.p[path.n - 1] != '/');
			assert_int_equal(kh_view_find(path, KH_LIT(".."), 0), SIZE_MAX);
			assert_false(kh_view_eq(path, KH_LIT("/etc")) || kh_view_eq(path, KH_LIT("/etc/ssl")));
			for (size_t k = 0; k < sizeof(never) / sizeof(never[0]); k++)
				assert_false(kh_view_starts(path, kh_view_str(never[k])));
			for (size_t k = 0; k < sizeof(programs) / sizeof(programs[0]) && !kh_profile_is_program(i); k++)
				assert_false(kh_view_eq(path, kh_view_str(programs[k])));
		}
		assert_int_equal(kh_profile_has_proc(i), kh_profile_is_program(i));
		assert_int_equal(kh_profile_is_program(i), i == KH_PROFILE_RUN || i == KH_PROFILE_SERVER);
	}
}

/* Who takes a job names no program; who has folders in it cannot be there before it. */
static void test_starts(struct kh_test *t)
{
	(void)t;
	for (enum kh_profile i = 0; i < KH_PROFILES; i++) {
		assert_int_equal(kh_profile_takes_job(i), i >= KH_PROFILE_READ && i < KH_PROFILE_SNI);
		assert_true(kh_profile_start(i) != KH_PROFILE_IN_PLACE || kh_profile_takes_job(i));
	}
	assert_int_equal(kh_profile_start(KH_PROFILE_RUN), KH_PROFILE_EXECUTED);
	assert_int_equal(kh_profile_start(KH_PROFILE_HTTP), KH_PROFILE_AHEAD);
	assert_int_equal(kh_profile_start(KH_PROFILE_TEXT), KH_PROFILE_AHEAD);
	assert_int_equal(kh_profile_start(KH_PROFILE_READ), KH_PROFILE_IN_PLACE);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_names),
	KH_TEST_ONCE(test_limits),
	KH_TEST_ONCE(test_paths),
	KH_TEST_ONCE(test_starts),
};

KH_TEST_MAIN(cases)
