/* G9, E1, I8: what somebody typed becomes one Reader of keyhole.yaml, and nothing else, or is refused. */
#include "cli/init/init.h"
#include "core/policy/config.h"
#include "harness.h"

#define OPENAI "https://api.openai.com/v1/chat/completions"

static enum kh_err write_it(struct kh_test *t, struct kh_init_reader reader, struct kh_init_reader_made *ret_made)
{
	t->err = (struct kh_error){.offset = SIZE_MAX};
	return kh_init_reader_write(&t->arena, &reader, ret_made, &t->err);
}

/* What somebody typed for an option; empty: the option was not given. */
static struct kh_view given(const char *text)
{
	return text[0] != '\0' ? kh_view_str(text) : (struct kh_view){NULL, 0};
}

/* The one Reader of the whole file that init would write. */
static const struct kh_config_reader *read_it(struct kh_test *t, const struct kh_init_reader_made *made)
{
	const struct kh_config *config = NULL;
	struct kh_view text = kh_init_config(&t->arena, made->yaml, NULL);

	must(t, text.p != NULL ? KH_OK : KH_ENOMEM);
	must(t, kh_config_read(&t->arena, text, KH_LIT("keyhole.yaml"), &config, &t->err));
	assert_int_equal(config->readers.n, 2); /* and extract */
	return config->readers.at;
}

/* What the URL says: name, driver, local, and whether words to it leave. */
static void test_derived(struct kh_test *t)
{
	static const struct {
		const char *url, *internal, *name;
		enum kh_config_driver driver;
		bool is_local, is_here, is_outside;
	} all[] = {
		{OPENAI, "", "openai", KH_CONFIG_DRIVER_OPENAI, false, false, true},
		{OPENAI, "no", "openai", KH_CONFIG_DRIVER_OPENAI, false, false, true},
		{OPENAI, "yes", "openai", KH_CONFIG_DRIVER_OPENAI, false, false, false},
		{"https://api.anthropic.com/v1/messages", "", "anthropic", KH_CONFIG_DRIVER_ANTHROPIC, false, false,
		 true},
		{"https://api.anthropic.com/v1/messages?beta=1", "", "anthropic", KH_CONFIG_DRIVER_ANTHROPIC, false,
		 false, true},
		{"http://127.0.0.1:8080/v1/chat/completions", "", "model", KH_CONFIG_DRIVER_OPENAI, true, true, false},
		{"http://[::1]:8080/v1/messages", "", "model", KH_CONFIG_DRIVER_ANTHROPIC, true, true, false},
		{"http://localhost:8080/v1/chat/completions", "", "localhost", KH_CONFIG_DRIVER_OPENAI, true, true,
		 false},
		{"http://192.168.0.9/v1/chat/completions", "", "model", KH_CONFIG_DRIVER_OPENAI, true, false, true},
		{"https://10.0.0.1/v1/chat/completions", "yes", "model", KH_CONFIG_DRIVER_OPENAI, true, false, false},
		{"https://8.8.8.8/v1/chat/completions", "", "model", KH_CONFIG_DRIVER_OPENAI, false, false, true},
		{"https://extract.example/x", "", "model", KH_CONFIG_DRIVER_OPENAI, false, false,
		 true},                                                                                /* it is taken */
		{"https://4ever.example/x", "", "model", KH_CONFIG_DRIVER_OPENAI, false, false, true}, /* no name */
		{"https://gpu/v1", "", "gpu", KH_CONFIG_DRIVER_OPENAI, false, false, true},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_init_reader_made made;
		must(t, write_it(t,
				 (struct kh_init_reader){.url = kh_view_str(all[i].url),
							 .model = KH_LIT("m"),
							 .internal = given(all[i].internal)},
				 &made));
		const struct kh_config_reader *read = read_it(t, &made);
		assert_view(read->name, all[i].name);
		assert_view(made.name, all[i].name);
		assert_view(read->url, all[i].url);
		assert_int_equal(read->driver, all[i].driver);
		assert_int_equal(read->local == KH_CONFIG_TRUE, all[i].is_local);
		assert_int_equal(read->internal == KH_CONFIG_TRUE, strcmp(all[i].internal, "yes") == 0);
		assert_int_equal(made.is_here, all[i].is_here);
		assert_int_equal(made.is_outside, all[i].is_outside);
		assert_int_equal(kh_config_is_outside(&t->arena, read), all[i].is_outside);
	}
}

/* Every value that is there comes out as it was typed; a driver may be named. */
static void test_all_values(struct kh_test *t)
{
	struct kh_init_reader_made made;

	must(t, write_it(t,
			 (struct kh_init_reader){.url = KH_LIT("https://gateway.example/v1/chat#x"),
						 .model = KH_LIT("a:b#c\"d'e\\f"),
						 .key_file = KH_LIT("/home/j\xc3\xbcrgen/it's a \"key\" # no.key"),
						 .driver = KH_LIT("anthropic")},
			 &made));
	const struct kh_config_reader *read = read_it(t, &made);
	assert_view(read->model, "a:b#c\"d'e\\f");
	assert_view(read->key_file, "/home/j\xc3\xbcrgen/it's a \"key\" # no.key");
	assert_int_equal(read->key_environment.n, 0);
	assert_int_equal(read->driver, KH_CONFIG_DRIVER_ANTHROPIC);
	must(t,
	     write_it(t,
		      (struct kh_init_reader){
			      .url = KH_LIT(OPENAI), .model = KH_LIT("m"), .key_environment = KH_LIT("OPENAI_API_KEY")},
		      &made));
	assert_view(read_it(t, &made)->key_environment, "OPENAI_API_KEY");
}

/* Nothing that the configuration would refuse, and nothing that tries to become another key. */
static void test_refused(struct kh_test *t)
{
	static const struct kh_init_reader all[] = {
		{.url = KH_LIT_INIT("ftp://example.com/"), .model = KH_LIT_INIT("m")},
		{.url = KH_LIT_INIT("api.openai.com"), .model = KH_LIT_INIT("m")},
		{.url = KH_LIT_INIT("http://api.openai.com/v1"), .model = KH_LIT_INIT("m")}, /* plain, and not near */
		{.url = KH_LIT_INIT("https://user:secret@example.com/"), .model = KH_LIT_INIT("m")},
		{.url = KH_LIT_INIT("https://example.com/\n    internal: true"), .model = KH_LIT_INIT("m")},
		{.url = KH_LIT_INIT("https://example.com/\"\n    internal: true\n    x: \""),
		 .model = KH_LIT_INIT("m")},
		{.url = KH_LIT_INIT("https://example.com/ # x"), .model = KH_LIT_INIT("m")},
		{.url = KH_LIT_INIT(OPENAI)},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m\n    internal: true")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m\"\n    internal: true #")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m\xc2\x85internal: true")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m\xe2\x80\xa8x")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("\xff")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m\0x")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .key_file = KH_LIT_INIT("../x.key")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .key_file = KH_LIT_INIT("/x/../y.key")},
		{.url = KH_LIT_INIT(OPENAI),
		 .model = KH_LIT_INIT("m"),
		 .key_file = KH_LIT_INIT("/x\n    internal: true")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .key_environment = KH_LIT_INIT("A B")},
		{.url = KH_LIT_INIT(OPENAI),
		 .model = KH_LIT_INIT("m"),
		 .key_file = KH_LIT_INIT("x.key"),
		 .key_environment = KH_LIT_INIT("A")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .driver = KH_LIT_INIT("extract")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .driver = KH_LIT_INIT("command")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .driver = KH_LIT_INIT("ollama")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .internal = KH_LIT_INIT("")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .internal = KH_LIT_INIT("true")},
		{.url = KH_LIT_INIT(OPENAI), .model = KH_LIT_INIT("m"), .internal = KH_LIT_INIT("YES")},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_init_reader_made made;
		enum kh_err e = write_it(t, all[i], &made);
		if (e == KH_OK)
			print_error("%zu was taken\n", i);
		must_fail(t, KH_EINPUT, e);
		assert_non_null(t->err.code);
		assert_null(strstr(t->err.detail, "line "));
	}
}

/* A value comes back from YAML as it is, whatever it has; what a configuration cannot hold at all is refused. */
static void test_quote(struct kh_test *t)
{
	static const char *const all[] = {
		"plain",
		"#",
		"a # b",
		"- a",
		"a: b",
		"{a: b}",
		"[a]",
		"&a",
		"*a",
		"!a",
		"|",
		">",
		"%a",
		"@a",
		"`a`",
		"'",
		"\"",
		"\\",
		"\\n",
		"\"\n  release: immediate\n#",
		"a\nb",
		"a\n\n  b",
		"\t",
		" a ",
		"a\xc2\x85z",
		"a\xe2\x80\xa8z",
		"a\xe2\x80\xa9z",
		"\xef\xbb\xbfz",
		"a\xe2\x80\xaez",
		"\xf0\x9f\x98\x80",
		"e\xcc\x81",
		"null",
		"~",
		"true",
		"1",
		"...",
		"---",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct kh_policy *policy = NULL;
		struct kh_buf buf;
		struct kh_view yaml;
		kh_buf_init(&buf, &t->arena, 4096);
		kh_buf_lit(&buf, "policy:\n  version: ");
		kh_init_reader_quote(&buf, kh_view_str(all[i]));
		kh_buf_lit(&buf, "\n");
		must(t, kh_buf_end(&buf, &yaml));
		size_t breaks = 0;
		for (size_t k = 0; k < yaml.n; k++)
			breaks += yaml.p[k] == '\n';
		assert_int_equal(breaks, 2);
		must(t, kh_config_policy(&t->arena, yaml, KH_LIT("x.yaml"), &policy, &t->err));
		assert_view(policy->version, all[i]);
	}
	static const char *const never[] = {"\x1b[2J", "\r", "\x7f", "\x01"};
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		const struct kh_policy *policy = NULL;
		struct kh_buf buf;
		struct kh_view yaml;
		kh_buf_init(&buf, &t->arena, 4096);
		kh_buf_lit(&buf, "policy:\n  version: ");
		kh_init_reader_quote(&buf, kh_view_str(never[i]));
		must(t, kh_buf_end(&buf, &yaml));
		must_fail(t, KH_EINPUT, kh_config_policy(&t->arena, yaml, KH_LIT("x.yaml"), &policy, &t->err));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_derived), KH_TEST(test_all_values), KH_TEST(test_refused),
					    KH_TEST(test_quote)};
KH_TEST_MAIN(cases)
