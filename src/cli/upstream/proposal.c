/* Entries of `upstreams`.  A value that may be a secret goes into `secrets`, and from there into nothing but its file. */
#include "cli/upstream/proposal.h"

#include "base/buf.h"
#include "cli/upstream/secretive.h"
#include "core/comm/url.h"
#include "core/policy/match.h"
#include "core/policy/reach.h"
#include "core/policy/settings.h"
#include "core/policy/upstreams.h"

#include <sys/stat.h>

#define VARIABLE_SECRET 65536 /* bytes; what an executor reads */
#define HEADER_SECRET   4000
#define HARMLESS        3900 /* bytes of a value in keyhole.yaml */
#define GRANTS          16

struct making {
	struct kh_arena *arena;
	const struct kh_proposal_options *options;
	const struct kh_clientfile_server *from;
	struct kh_proposal_entry *to;
};

static void blame(struct making *m, struct kh_view problem)
{
	if (m->to->problem.n == 0)
		m->to->problem = problem;
}

struct kh_view kh_proposal_name(struct kh_arena *arena, struct kh_view name)
{
	struct kh_view out = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, KH_UPSTREAMS_NAME + 1);
	for (size_t i = 0; i < name.n && buf.n < KH_UPSTREAMS_NAME; i++) {
		char c = kh_ascii_lower(name.p[i]);
		bool is_plain = (c >= 'a' && c <= 'z') || kh_ascii_is_digit(c);
		if (is_plain && (buf.n > 0 || !kh_ascii_is_digit(c)))
			kh_buf_byte(&buf, c);
		else if (!is_plain && buf.n > 0 && buf.p[buf.n - 1] != '-')
			kh_buf_byte(&buf, '-');
	}
	if (buf.n > 0 && buf.p[buf.n - 1] == '-')
		buf.n--;
	return kh_buf_end(&buf, &out) == KH_OK && kh_upstreams_is_name(out) ? out : kh_view_of(NULL, 0);
}

/* --- secrets ------------------------------------------------------------------------------------------------------ */

static bool is_plain_name(struct kh_view name, bool is_header)
{
	if (name.n > 100)
		return false;
	return is_header ? name.n > 0 && kh_view_is_word(name, "-_") : kh_match_is_variable(name);
}

/* Blanks around a value are lost in a file, and what is in a header has to fit into a line. */
static bool can_be_kept(struct kh_view value, bool is_header)
{
	if (value.n > (is_header ? HEADER_SECRET : VARIABLE_SECRET) || kh_view_trim(value).n != value.n)
		return false;
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] == '\0' || (is_header && ((unsigned char)value.p[i] < ' ' || value.p[i] == 0x7f)))
			return false;
	}
	return true;
}

static void add_secret(struct making *m, struct kh_proposal_secret secret)
{
	struct kh_proposal_secret *all = m->to->secrets.at;
	bool is_header = m->to->url.n > 0;

	if (m->to->secrets.n == (is_header ? KH_CONFIG_HEADER_SECRETS : KH_CONFIG_UPSTREAM_SECRETS)) {
		blame(m, KH_LIT("it has more secrets than Keyhole takes (16; 8 of a url)"));
		return;
	}
	if (!can_be_kept(secret.value, is_header))
		blame(m, kh_arena_printf(
				 m->arena,
				 "the value of %.*s cannot be kept in a file: it is too long, has blanks at an end, "
				 "or characters that a %s cannot have",
				 KH_FMT(kh_arena_quote(m->arena, secret.name)), is_header ? "header" : "variable"));
	secret.file = kh_arena_printf(m->arena, "%.*s.%.*s", KH_FMT(m->to->name), KH_FMT(secret.name));
	all[m->to->secrets.n++] = secret;
}

/* "Bearer abc" is the scheme and the secret, so that a file can be shared with programs that want the secret alone. */
static void split_scheme(struct kh_proposal_secret *secret)
{
	size_t blank = kh_view_find(secret->value, KH_LIT(" "), 0);
	struct kh_view word = kh_view_sub(secret->value, 0, blank != SIZE_MAX ? blank : 0);

	if (word.n == 0 || word.n > 32 || !kh_view_is_word(word, "-"))
		return;
	secret->scheme = word;
	secret->value = kh_view_from(secret->value, blank + 1);
}

static void take_value(struct making *m, const struct kh_pair *pair)
{
	bool is_header = m->to->url.n > 0;

	if (!is_plain_name(pair->name, is_header)) {
		blame(m,
		      kh_arena_printf(m->arena, "%.*s is no name of a %s", KH_FMT(kh_arena_quote(m->arena, pair->name)),
				      is_header ? "header" : "variable"));
		return;
	}
	if (!kh_secretive_value(pair->name, pair->text) && pair->text.n <= HARMLESS &&
	    (pair->text.n > 0 || !is_header)) {
		m->to->values.at[m->to->values.n++] = *pair;
		return;
	}
	struct kh_proposal_secret secret = {.name = pair->name, .value = pair->text};
	if (is_header)
		split_scheme(&secret);
	if (secret.value.n == 0)
		blame(m, kh_arena_printf(m->arena, "the header %.*s has no value",
					 KH_FMT(kh_arena_quote(m->arena, pair->name))));
	else
		add_secret(m, secret);
}

static void take_values(struct making *m)
{
	const struct kh_clientfile_open *open = m->from->open.at;

	m->to->values.at = KH_NEW_N(m->arena, struct kh_pair, m->from->values.n);
	m->to->secrets.at = KH_NEW_N(m->arena, struct kh_proposal_secret, KH_CONFIG_UPSTREAM_SECRETS);
	if (m->to->values.at == NULL || m->to->secrets.at == NULL)
		return; /* the arena is marked */
	for (size_t i = 0; i < m->from->values.n; i++)
		take_value(m, &m->from->values.at[i]);
	for (size_t i = 0; i < m->from->open.n; i++) {
		if (is_plain_name(open[i].name, m->to->url.n > 0))
			add_secret(m, (struct kh_proposal_secret){
					      .name = open[i].name, .scheme = open[i].scheme, .from = open[i].from});
		else
			blame(m, KH_LIT("the name of a variable or header is none"));
	}
}

/* --- the command line --------------------------------------------------------------------------------------------- */

/* A path of the command line that is there; of "--root=/srv" what stands after the sign.  Empty if it is none. */
static struct kh_view path_in(struct making *m, struct kh_view argument)
{
	size_t sign = kh_view_find(argument, KH_LIT("=/"), 0);
	struct kh_view path = kh_view_from(argument, sign != SIZE_MAX ? sign + 1 : 0), text;
	struct stat st;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (!kh_match_is_path(path) || path.n < 2)
		return kh_view_of(NULL, 0);
	text = kh_arena_printf(m->arena, "%.*s", KH_FMT(path));
	return text.p != NULL && stat(text.p, &st) == 0 ? text : kh_view_of(NULL, 0);
}

/* Never proposed: the home folder of the user or of Keyhole, what is above these, and the system's own folders. */
static bool is_too_much(struct making *m, struct kh_view path)
{
	static const char *const folders[] = {"/etc", "/root", "/home", "/var", "/proc",
					      "/sys", "/dev",  "/run",  "/boot"};
	const char *user = m->options->places.user_home;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (kh_view_eq(path, kh_view_str(folders[i])))
			return true;
	}
	return (user != NULL && kh_match_path(path, kh_view_str(user))) ||
	       kh_match_path(path, m->options->places.home) || kh_match_path(m->options->places.home, path);
}

static void take_grants(struct making *m, size_t own)
{
	const struct kh_texts *argv = &m->to->command;
	struct kh_texts *grants = &m->to->grants;

	grants->at = KH_NEW_N(m->arena, struct kh_view, GRANTS);
	for (size_t i = own; grants->at != NULL && i < argv->n && grants->n < GRANTS; i++) {
		struct kh_view path = path_in(m, argv->at[i]);
		bool is_there = m->to->program.n > 0 && kh_match_path(m->to->program, path);
		for (size_t k = 0; k < grants->n; k++)
			is_there |= kh_view_eq(grants->at[k], path);
		if (path.n > 0 && !is_there && !is_too_much(m, path))
			grants->at[grants->n++] = path;
	}
}

static void check_arguments(struct making *m)
{
	const struct kh_texts *argv = &m->from->argv;

	for (size_t i = 1; i < argv->n && !m->options->keep_arguments; i++) {
		if (kh_secretive_argument(argv->at[i - 1], argv->at[i]))
			blame(m, kh_arena_printf(
					 m->arena,
					 "argument %zu looks like a secret, and arguments stand in keyhole.yaml: most "
					 "servers take it in a variable; if it is none, say --keep-arguments",
					 i));
	}
}

static enum kh_err take_command(struct making *m)
{
	struct kh_resolved resolved;
	enum kh_err e = kh_resolve_command(m->arena, &m->options->places, m->to->name, &m->from->argv, &resolved);

	if (e != KH_OK)
		return e;
	check_arguments(m);
	if (resolved.problem.n > 0)
		blame(m, resolved.problem);
	for (size_t i = 0; i < resolved.argv.n; i++) {
		for (size_t k = 0; k < resolved.argv.at[i].n; k++) {
			if ((unsigned char)resolved.argv.at[i].p[k] < ' ' || resolved.argv.at[i].p[k] == 0x7f)
				blame(m, KH_LIT("an argument has a control character"));
		}
		if (!kh_match_is_argument(resolved.argv.at[i]))
			blame(m, KH_LIT("an argument has more than 4096 bytes"));
	}
	m->to->command = resolved.argv;
	m->to->program = resolved.program;
	m->to->read = resolved.read;
	take_grants(m, resolved.own);
	return kh_arena_check(m->arena);
}

/* --- a URL -------------------------------------------------------------------------------------------------------- */

static void take_url(struct making *m)
{
	struct kh_url url;
	struct kh_reach reach;

	m->to->url = m->from->url;
	if (kh_url_read_web(m->from->url, true, &url, NULL) != KH_OK) {
		blame(m, KH_LIT("its url is none that Keyhole takes: expected https://HOST/PATH"));
		return;
	}
	if (!m->options->keep_arguments && kh_secretive_argument(kh_view_of(NULL, 0), m->from->url))
		blame(m, KH_LIT("its url looks as if a secret is in it, and it stands in keyhole.yaml: most servers "
				"take it in a "
				"header; if it is none, say --keep-arguments"));
	bool is_v6 = memchr(url.host.p, ':', url.host.n) != NULL;
	struct kh_view at = kh_arena_printf(m->arena, is_v6 ? "[%.*s]:1" : "%.*s:1", KH_FMT(url.host));
	m->to->is_local = kh_view_eq_nocase(url.host, KH_LIT("localhost")) ||
			  (at.p != NULL && kh_reach_read(at, &reach) && reach.is_loopback);
	if (url.plain && !m->to->is_local)
		blame(m, KH_LIT("its url is plain http to another machine: what it is sent, secrets too, could be read "
				"on the "
				"way; use https"));
}

enum kh_err kh_proposal_make(struct kh_arena *arena, const struct kh_proposal_options *options,
			     const struct kh_clientfile_server *server, struct kh_proposal_entry *ret_proposal)
{
	struct making m = {.arena = arena, .options = options, .from = server, .to = ret_proposal};
	enum kh_err e = KH_OK;

	*ret_proposal = (struct kh_proposal_entry){.name = kh_proposal_name(arena, server->name),
						   .given = server->name,
						   .strange = server->strange,
						   .is_off = server->is_off,
						   .timeout_seconds = server->timeout_seconds,
						   .problem = server->problem};
	if (ret_proposal->name.n == 0)
		blame(&m,
		      KH_LIT("its name leaves nothing that an upstream can be called: small letters, digits and -"));
	if (ret_proposal->problem.n > 0)
		return kh_arena_check(arena);
	if (server->argv.n > 0)
		e = take_command(&m);
	else
		take_url(&m);
	if (e == KH_OK)
		take_values(&m);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

/* A scalar of YAML in double quotes.  Control characters were refused before. */
static void put_quoted(struct kh_buf *buf, struct kh_view text)
{
	kh_buf_lit(buf, "\"");
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			kh_buf_byte(buf, '\\');
		kh_buf_byte(buf, text.p[i]);
	}
	kh_buf_lit(buf, "\"");
}

static void put_list(struct kh_buf *buf, const char *key, const struct kh_texts *texts)
{
	kh_buf_printf(buf, "  %s: [", key);
	for (size_t i = 0; i < texts->n; i++) {
		if (i > 0)
			kh_buf_lit(buf, ", ");
		put_quoted(buf, texts->at[i]);
	}
	kh_buf_lit(buf, "]");
}

/* Paths that the program needs, and below them as comments those that only a human can grant. */
static void put_paths(struct kh_arena *arena, struct kh_buf *buf, const struct kh_proposal_entry *p)
{
	struct kh_texts read = {KH_NEW_N(arena, struct kh_view, p->read.n + p->grants.n), 0};

	if (p->program.n > 0) {
		kh_buf_lit(buf, "  program: ");
		put_quoted(buf, p->program);
		kh_buf_lit(buf, "\n");
	}
	for (size_t i = 0; read.at != NULL && i < p->read.n + p->grants.n; i++)
		read.at[read.n++] = i < p->read.n ? p->read.at[i] : p->grants.at[i - p->read.n];
	if (read.n > 0)
		put_list(buf, "read", &read);
	if (p->grants.n > 0) {
		kh_buf_lit(buf, "   # check: paths of its command line; it may read them\n  #");
		put_list(buf, "write", &p->grants);
		kh_buf_lit(buf, "   # in place of read, for those that it may change");
	}
	if (read.n > 0)
		kh_buf_lit(buf, "\n");
	kh_buf_lit(buf, "  # network: [\"api.example.com:443\"]   # it reaches nothing, unless it is named here\n");
}

static void put_secrets(struct kh_buf *buf, const struct kh_proposal_entry *p)
{
	const struct kh_proposal_secret *secrets = p->secrets.at;

	if (p->secrets.n > 0)
		kh_buf_lit(buf, "  secrets:\n");
	for (size_t i = 0; i < p->secrets.n; i++) {
		kh_buf_printf(buf, "    %.*s: \"%.*s%s" KH_PROPOSAL_FOLDER "/%.*s\"\n", KH_FMT(secrets[i].name),
			      KH_FMT(secrets[i].scheme), secrets[i].scheme.n > 0 ? " " : "", KH_FMT(secrets[i].file));
	}
}

static void put_values(struct kh_buf *buf, const struct kh_proposal_entry *p)
{
	if (p->values.n > 0)
		kh_buf_printf(buf, "  %s:\n", p->url.n > 0 ? "headers" : "env");
	for (size_t i = 0; i < p->values.n; i++) {
		kh_buf_printf(buf, "    %.*s: ", KH_FMT(p->values.at[i].name));
		put_quoted(buf, p->values.at[i].text);
		kh_buf_lit(buf, "\n");
	}
}

static void put_strange(struct kh_buf *buf, const struct kh_proposal_entry *p)
{
	if (p->strange.n > 0)
		kh_buf_lit(buf, "  # not taken over:");
	for (size_t i = 0; i < p->strange.n; i++) {
		kh_buf_add(buf, i > 0 ? KH_LIT(", ") : KH_LIT(" "));
		kh_buf_add(buf, p->strange.at[i]);
	}
	if (p->strange.n > 0)
		kh_buf_lit(buf, "\n");
}

enum kh_err kh_proposal_text(struct kh_arena *arena, const struct kh_proposal_entry *p, struct kh_view source,
			     struct kh_view *ret_text)
{
	struct kh_buf buf;

	kh_buf_init(&buf, arena, 256U << 10);
	kh_buf_printf(&buf, "- name: %.*s", KH_FMT(p->name));
	if (source.n > 0)
		kh_buf_printf(&buf, "   # %.*s of %.*s", KH_FMT(kh_arena_quote(arena, p->given)), KH_FMT(source));
	kh_buf_lit(&buf, "\n");
	if (p->is_off)
		kh_buf_lit(&buf, "  enabled: false\n");
	if (p->url.n > 0) {
		kh_buf_lit(&buf, "  url: ");
		put_quoted(&buf, p->url);
		kh_buf_add(&buf, p->is_local ? KH_LIT("\n  local: true\n") : KH_LIT("\n"));
	} else {
		put_list(&buf, "command", &p->command);
		kh_buf_lit(&buf, "\n");
		put_paths(arena, &buf, p);
	}
	put_values(&buf, p);
	put_secrets(&buf, p);
	if (p->timeout_seconds > 0)
		kh_buf_printf(&buf, "  timeout_seconds: %llu\n", (unsigned long long)p->timeout_seconds);
	put_strange(&buf, p);
	return kh_buf_end(&buf, ret_text);
}
