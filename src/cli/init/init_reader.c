/* A section `readers` from what somebody typed.  The configuration's own code decides whether it is good. */
#include "cli/init/init_reader.h"

#include "base/utf8.h"
#include "cli/init/init_ask.h"
#include "core/comm/url.h"
#include "core/policy/config.h"
#include "core/policy/match.h"
#include "wire/address.h"

#define SECTION   65536U /* bytes of it, at most */
#define SOME_NAME "model"

/* --- YAML --------------------------------------------------------------------------------------------------------- */

/* Line separators and what is invisible is written as an escape, because YAML would fold the one and nobody sees the
 * other. */
void kh_init_reader_quote(struct kh_buf *buf, struct kh_view text)
{
	kh_buf_byte(buf, '"');
	for (size_t at = 0, len = 0; at < text.n; at += len) {
		uint32_t c = 0;
		len = kh_utf8_decode(text, at, &c);
		if (len == 0) { /* not UTF-8: what is read back is not what was typed */
			c = 0xfffd;
			len = 1;
		}
		if (c == '"' || c == '\\')
			kh_buf_printf(buf, "\\%c", (char)c);
		else if (kh_utf8_is_plain(c))
			kh_buf_char(buf, c);
		else
			kh_buf_printf(buf, "\\U%08x", (unsigned)c);
	}
	kh_buf_byte(buf, '"');
}

static void add_text(struct kh_buf *buf, const char *key, struct kh_view value)
{
	if (value.n == 0)
		return;
	kh_buf_printf(buf, "    %s: ", key);
	kh_init_reader_quote(buf, value);
	kh_buf_byte(buf, '\n');
}

/* --- what follows from the URL ------------------------------------------------------------------------------------ */

struct derived {
	struct kh_view name, driver, host;
	bool is_local; /* reached with `local: true` alone */
	bool is_here;  /* this machine's own */
};

/* The name that its owner is known by: `openai` of api.openai.com. */
static struct kh_view find_name(const struct kh_url *url)
{
	struct kh_view rest = url->host, label = {NULL, 0}, last = {NULL, 0}, before = {NULL, 0};

	while (!url->is_address && kh_view_split(&rest, '.', &label)) {
		before = last;
		last = label;
	}
	struct kh_view name = before.n > 0 ? before : last;
	return kh_match_is_name(name) && !kh_view_eq_nocase(name, KH_LIT(KH_CONFIG_EXTRACT)) ? name : KH_LIT(SOME_NAME);
}

static bool is_local(const struct kh_url *url)
{
	struct kh_address address;

	if (kh_view_eq_nocase(url->host, KH_LIT("localhost")))
		return true;
	if (!url->is_address || !kh_address_read(url->host, &address))
		return false;
	address = kh_address_meant(&address);
	return kh_address_refused(&address) != NULL;
}

static struct kh_view find_driver(const struct kh_url *url)
{
	size_t end = kh_view_find(url->rest, KH_LIT("?"), 0);
	struct kh_view path = kh_view_sub(url->rest, 0, end != SIZE_MAX ? end : url->rest.n);

	return kh_view_ends(path, KH_LIT("/messages")) ? KH_LIT("anthropic") : KH_LIT("openai");
}

/* A URL that cannot be read is left to the configuration's own check, which says what is wrong with it. */
static struct derived derive(struct kh_arena *arena, const struct kh_init_reader *reader)
{
	struct kh_config_reader at = {.url = reader->url, .internal = KH_CONFIG_FALSE};
	struct derived d = {.name = KH_LIT(SOME_NAME), .driver = KH_LIT("openai"), .host = reader->url};
	struct kh_url url;

	if (kh_url_read_web(reader->url, true, &url, NULL) == KH_OK)
		d = (struct derived){find_name(&url), find_driver(&url), url.host, is_local(&url),
				     !kh_config_is_outside(arena, &at)};
	if (reader->driver.n > 0)
		d.driver = reader->driver;
	return d;
}

/* --- the section -------------------------------------------------------------------------------------------------- */

static enum kh_err write_section(struct kh_arena *arena, const struct kh_init_reader *reader, const struct derived *d,
				 struct kh_view *ret_yaml)
{
	struct kh_buf buf;

	kh_buf_init(&buf, arena, SECTION);
	kh_buf_lit(&buf, "readers:\n  - name: ");
	kh_init_reader_quote(&buf, d->name);
	kh_buf_byte(&buf, '\n');
	add_text(&buf, "driver", d->driver);
	add_text(&buf, "url", reader->url);
	add_text(&buf, "model", reader->model);
	add_text(&buf, "key_file", reader->key_file);
	add_text(&buf, "key_environment", reader->key_environment);
	if (d->is_local)
		kh_buf_lit(&buf, "    local: true                     # loopback and private addresses, plain http\n");
	/* On this machine it is internal without a word, and would no longer be if the URL were changed to another. */
	if (reader->internal.n > 0 || !d->is_here)
		kh_buf_printf(
			&buf,
			"    internal: %-5s                 # may whoever runs it read the agent's words?  If not, "
			"it is asked in\n"
			"                                    # execution only, and its queries are counted "
			"(reader_egress)\n",
			kh_view_eq(reader->internal, KH_LIT("yes")) ? "true" : "false");
	return kh_buf_end(&buf, ret_yaml);
}

/* Reads it as a gateway would.  A message names no line, because whoever typed this has no file. */
static enum kh_err read_back(struct kh_arena *arena, struct kh_view yaml, const struct kh_config **ret_config,
			     struct kh_error *err)
{
	enum kh_err e = kh_config_read(arena, yaml, KH_LIT(""), ret_config, err);
	const char *what = e == KH_EINPUT ? strstr(err->detail, ": ") : NULL;

	if (what != NULL && strncmp(err->detail, "line ", 5) == 0)
		memmove(err->detail, what + 2, strlen(what + 2) + 1);
	return e;
}

/* Whether what is read is what was typed, no more and no less. */
static bool is_same(const struct kh_config *config, const struct kh_init_reader *reader, const struct derived *d)
{
	const struct kh_config_reader *read = config->readers.at;
	unsigned driver;

	return config->readers.n == 2 && kh_view_eq(read->name, d->name) && kh_view_eq(read->url, reader->url) &&
	       kh_view_eq(read->model, reader->model) && kh_view_eq(read->key_file, reader->key_file) &&
	       kh_view_eq(read->key_environment, reader->key_environment) && read->authority.n == 0 &&
	       kh_words_parse(&kh_settings_driver_words, d->driver, &driver) && driver == read->driver &&
	       (read->local == KH_CONFIG_TRUE) == d->is_local &&
	       (read->internal == KH_CONFIG_TRUE) == kh_view_eq(reader->internal, KH_LIT("yes"));
}

static enum kh_err check_words(struct kh_arena *arena, const struct kh_init_reader *reader, struct kh_error *err)
{
	const struct kh_view *all[] = {&reader->url,      &reader->model,           &reader->driver,
				       &reader->key_file, &reader->key_environment, &reader->internal};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (kh_utf8_invalid(*all[i]) != SIZE_MAX)
			return kh_error_set(err, KH_EINPUT, "bad_option", "a value that is not UTF-8");
	}
	if (reader->internal.p != NULL && !kh_view_eq(reader->internal, KH_LIT("yes")) &&
	    !kh_view_eq(reader->internal, KH_LIT("no")))
		return kh_error_set(err, KH_EINPUT, "bad_option", "--internal is yes or no, and not %.*s",
				    KH_FMT(kh_arena_quote(arena, reader->internal)));
	return KH_OK;
}

enum kh_err kh_init_reader_write(struct kh_arena *arena, const struct kh_init_reader *reader,
				 struct kh_init_reader_made *ret_made, struct kh_error *err)
{
	struct derived d = derive(arena, reader);
	const struct kh_config *config = NULL;
	struct kh_view yaml;
	enum kh_err e = check_words(arena, reader, err);

	if (e == KH_OK)
		e = write_section(arena, reader, &d, &yaml);
	if (e == KH_OK)
		e = read_back(arena, yaml, &config, err);
	if (e == KH_OK && !is_same(config, reader, &d))
		e = kh_error_set(err, KH_EINPUT, "bad_option", "a value that keyhole.yaml cannot hold");
	if (e != KH_OK)
		return e;
	const struct kh_config_reader *read = config->readers.at;
	*ret_made = (struct kh_init_reader_made){
		.yaml = yaml,
		.name = read->name,
		.host = d.host,
		.key_file = read->key_file,
		.is_here = d.is_here,
		.is_outside = kh_config_is_outside(arena, read),
	};
	return kh_arena_check(arena);
}

/* --- options, or questions ---------------------------------------------------------------------------------------- */

static bool has_more(const struct kh_init_reader *r)
{
	return r->model.n > 0 || r->key_file.n > 0 || r->key_environment.n > 0 || r->driver.n > 0 ||
	       r->internal.p != NULL;
}

enum kh_err kh_init_reader_find(struct kh_frame *f, const struct kh_init_reader *options, bool may_ask,
				struct kh_init_reader_made *ret_made)
{
	struct kh_init_reader reader = *options;
	bool is_named = reader.url.p != NULL;
	enum kh_err e = KH_OK;

	*ret_made = (struct kh_init_reader_made){.is_here = true};
	if ((!is_named || kh_view_eq(reader.url, KH_LIT("none"))) && has_more(options))
		return kh_error_set(&f->err, KH_EINPUT, "bad_option",
				    "--model, --key-file, --key-environment, --driver and --internal are of a model: "
				    "--reader has its URL");
	if (!is_named && may_ask && kh_init_ask_can(f))
		e = kh_init_ask(f, &reader);
	if (e != KH_OK || reader.url.p == NULL || kh_view_eq(reader.url, KH_LIT("none")))
		return e;
	return kh_init_reader_write(&f->arena, &reader, ret_made, &f->err);
}

struct kh_view kh_init_reader_word(const struct kh_init_reader_made *made)
{
	if (made->yaml.n == 0)
		return KH_LIT("");
	return made->is_outside ? KH_LIT("no") : KH_LIT("yes");
}

void kh_init_reader_tell(struct kh_buf *buf, const struct kh_init_reader_made *made, struct kh_view home)
{
	if (made->yaml.n == 0)
		return;
	kh_buf_printf(buf, "\nThe Reader %.*s is a model ", KH_FMT(made->name));
	if (made->is_here)
		kh_buf_lit(buf, "on this machine.\n");
	else
		kh_buf_printf(buf, "at %.*s.  %s\n", KH_FMT(made->host),
			      made->is_outside ? "It is not internal: it is asked in execution only, and\n"
						 "what agents write in questions to it counts against `reader_egress`."
					       : "It is internal: whoever runs it may read what agents\n"
						 "write in their questions.");
	if (made->key_file.n > 0 && made->key_file.p[0] != '/')
		kh_buf_printf(buf, "Its key goes into %.*s/%.*s, with mode 0600.\n", KH_FMT(home),
			      KH_FMT(made->key_file));
}
