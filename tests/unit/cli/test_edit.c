/* U8: entries put into keyhole.yaml and taken out, the rest byte for byte. */
#include "cli/upstream/edit.h"

#include "cli/upstream/proposal.h"
#include "core/policy/config.h"
#include "harness.h"

#define NEW "- name: n\n  url: https://a.example/\n"

static void test_add(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"", "upstreams:\n  - name: n\n    url: https://a.example/\n"},
		{"policy: {}", "policy: {}\n\nupstreams:\n  - name: n\n    url: https://a.example/\n"},
		{"upstreams:  # x\n# y\n- {name: o, command: [/a]}\n",
		 "upstreams:  # x\n- name: n\n  url: https://a.example/\n# y\n- {name: o, command: [/a]}\n"},
		{"upstreams: [] # x\npolicy: {}\n",
		 "upstreams:  # x\n  - name: n\n    url: https://a.example/\npolicy: {}\n"},
	};
	struct kh_view text;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must(t, kh_edit_add(&t->arena, kh_view_str(all[i][0]), KH_LIT(NEW), &text, &t->err));
		assert_view(text, all[i][1]);
	}
	must_fail(t, KH_EREFUSED,
		  kh_edit_add(&t->arena, KH_LIT("upstreams: [{name: o}]\n"), KH_LIT(NEW), &text, &t->err));
	assert_string_equal(t->err.code, "upstream_flow");
	must_fail(t, KH_EREFUSED, kh_edit_add(&t->arena, KH_LIT("upstreams: x\n"), KH_LIT(NEW), &text, &t->err));
	must_fail(t, KH_EINPUT, kh_edit_add(&t->arena, KH_LIT("a: [\n"), KH_LIT(NEW), &text, &t->err));
}

static void test_remove(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"a: b\nupstreams:\n  - name: n\n    x: |\n      y\n\n      z\n\nc: d\n", "a: b\n\nc: d\n"},
		{"upstreams:\n- name: o\n# of n\n- name: n\n  # in n\n  y: z\n# of p\n- name: p\n",
		 "upstreams:\n- name: o\n# of n\n# of p\n- name: p\n"},
		{"upstreams:\n  -\n    name: n\n  - {name: p,\n     x: y}\n",
		 "upstreams:\n  - {name: p,\n     x: y}\n"},
	};
	struct kh_view text;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must(t, kh_edit_remove(&t->arena, kh_view_str(all[i][0]), KH_LIT("n"), &text, &t->err));
		assert_view(text, all[i][1]);
	}
	must_fail(t, KH_EUNKNOWN, kh_edit_remove(&t->arena, KH_LIT("a: b\n"), KH_LIT("n"), &text, &t->err));
	must_fail(t, KH_EREFUSED,
		  kh_edit_remove(&t->arena, KH_LIT("upstreams: [{name: n}]\n"), KH_LIT("n"), &text, &t->err));
}

/* U1: names as Keyhole can have them. */
static void test_names(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"GitHub", "github"},
		{"my server_2", "my-server-2"},
		{"--a--b--", "a-b"},
		{"9lives", "lives"},
		{"host", ""},
		{"\xc3\xa4", ""},
		{"abcdefghijklmnopqrstuvwxyz1234567890", "abcdefghijklmnopqrstuvwxyz123456"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view name = kh_proposal_name(&t->arena, kh_view_str(all[i][0]));
		must(t, kh_arena_check(&t->arena));
		assert_view(name, all[i][1]);
	}
}

/* U1, I8: an entry is a valid configuration without its secrets, whatever its values have in them. */
static void test_entry(struct kh_test *t)
{
	struct kh_pair values[] = {{.name = KH_LIT("LOG"), .text = KH_LIT("debug")},
				   {.name = KH_LIT("ROOT"), .text = KH_LIT("/a\"b\\#c:{}")},
				   {.name = KH_LIT("API_KEY"), .text = KH_LIT("quite-secret")}};
	struct kh_view argv[] = {KH_LIT("/bin/sh"), KH_LIT("a: \"b\"\\ #")};
	struct kh_clientfile_server server = {.name = KH_LIT("A \"\n# x"),
					      .argv = {argv, 2},
					      .values = {values, 3},
					      .is_off = true,
					      .timeout_seconds = 5};
	struct kh_proposal_options options = {.places = {.home = KH_LIT("/nonexistent")}};
	struct kh_proposal_entry entry;
	const struct kh_config *config;
	struct kh_view text, whole;

	must(t, kh_proposal_make(&t->arena, &options, &server, &entry));
	assert_int_equal(entry.problem.n, 0);
	must(t, kh_proposal_text(&t->arena, &entry, KH_LIT("\"x.json\""), &text));
	assert_true(kh_view_find(text, KH_LIT("quite-secret"), 0) == SIZE_MAX);
	must(t, kh_edit_add(&t->arena, KH_LIT(""), text, &whole, &t->err));
	must(t, kh_config_read(&t->arena, whole, KH_LIT("k.yaml"), &config, &t->err));
	const struct kh_config_upstream *up = config->upstreams.at;
	assert_view(up->name, "a-x");
	assert_view(up->command.at[1], "a: \"b\"\\ #");
	assert_view(up->env.at[1].text, "/a\"b\\#c:{}");
	assert_view(up->secrets.at[0].text, "secrets/a-x.API_KEY");
	assert_int_equal(up->enabled, KH_CONFIG_FALSE);
	assert_int_equal(up->timeout_seconds, 5);
}

static const struct kh_test_case cases[] = {KH_TEST(test_add), KH_TEST(test_remove), KH_TEST(test_names),
					    KH_TEST(test_entry)};
KH_TEST_MAIN(cases)
