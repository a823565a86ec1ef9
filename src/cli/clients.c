/* What to paste into a client's settings.  A path may have any character, so it is quoted for the place where it
 * stands. */
#include "cli/clients.h"

#include "base/emit.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct kh_view kh_clients_absolute(struct kh_arena *arena, struct kh_view path)
{
	char full[PATH_MAX];
	struct kh_view copy = kh_arena_printf(arena, "%.*s", KH_FMT(path));

	return copy.p != NULL && realpath(copy.p, full) != NULL ? kh_arena_printf(arena, "%s", full) : copy;
}

/* Returns the path of this program, NUL-terminated; "keyhole" if it cannot be found. */
static struct kh_view find_program(struct kh_arena *arena)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 ? kh_arena_printf(arena, "%.*s", (int)n, path) : KH_LIT("keyhole");
}

struct kh_clients kh_clients_of(struct kh_arena *arena, const struct kh_home *home)
{
	struct kh_clients c = {.program = find_program(arena), .token_file = KH_LIT("/PATH/OF/YOUR/TOKEN")};

	if (home != NULL) {
		c.home = kh_clients_absolute(arena, home->folder.path);
		c.token_file = kh_arena_printf(arena, "%.*s/%s", KH_FMT(c.home),
					       kh_home_token_name(KH_ROLE_CONTROLLER));
	}
	return c;
}

/* Passes each argument of `keyhole mcp` after its name to PUT. */
static void each_argument(struct kh_buf *buf, const struct kh_clients *c,
			  void (*put)(struct kh_buf *buf, struct kh_view argument))
{
	put(buf, KH_LIT("mcp"));
	if (c->home.n > 0) {
		put(buf, KH_LIT("--home"));
		put(buf, c->home);
	}
	if (c->socket.n > 0) {
		put(buf, KH_LIT("--socket"));
		put(buf, c->socket);
	}
	if (c->home.n == 0 && c->token_file.n > 0) {
		put(buf, KH_LIT("--token-file"));
		put(buf, c->token_file);
	}
}

/* Writes a word, quoted for a shell. */
static void put_word(struct kh_buf *buf, struct kh_view word)
{
	if (word.n > 0 && kh_view_is_word(word, "/._-+:=@%")) {
		kh_buf_add(buf, word);
		return;
	}
	kh_buf_byte(buf, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			kh_buf_lit(buf, "'\\''");
		else
			kh_buf_byte(buf, word.p[i]);
	}
	kh_buf_byte(buf, '\'');
}

static void put_shell(struct kh_buf *buf, struct kh_view argument)
{
	kh_buf_byte(buf, ' ');
	put_word(buf, argument);
}

/* Writes an element of a JSON list; TOML's basic strings are read the same way. */
static void put_element(struct kh_buf *buf, struct kh_view argument)
{
	if (buf->n > 0 && buf->p[buf->n - 1] != '[')
		kh_buf_lit(buf, ", ");
	kh_emit_string(buf, argument);
}

/* Clients that start the server: the text before the program, before the list of its arguments, and after that. */
static const struct {
	const char *before, *between, *after;
} starters[] = {
	{"Codex, in ~/.codex/config.toml:\n\n"
	 "  [mcp_servers.keyhole]\n"
	 "  command = ",
	 "\n  args = ", "\n  tool_timeout_sec = 120\n\n"},
	{"Gemini CLI, in ~/.gemini/settings.json:\n\n"
	 "  {\"mcpServers\": {\"keyhole\": {\"command\": ",
	 ",\n    \"args\": ", ", \"timeout\": 120000}}}\n\n"},
	{"Any other client that starts MCP servers:\n\n"
	 "  {\"mcpServers\": {\"keyhole\": {\"command\": ",
	 ",\n    \"args\": ", "}}}\n\n"},
};

static void print_starter(struct kh_buf *buf, const struct kh_clients *c, size_t i)
{
	kh_buf_add(buf, kh_view_str(starters[i].before));
	kh_emit_string(buf, c->program);
	kh_buf_add(buf, kh_view_str(starters[i].between));
	kh_buf_byte(buf, '[');
	each_argument(buf, c, put_element);
	kh_buf_byte(buf, ']');
	kh_buf_add(buf, kh_view_str(starters[i].after));
}

static void print_claude(struct kh_buf *buf, const struct kh_clients *c)
{
	kh_buf_lit(buf, "Claude Code, in a shell:\n\n  claude mcp add keyhole --");
	put_shell(buf, c->program);
	each_argument(buf, c, put_shell);
	kh_buf_lit(buf, "\n\n");
}

static void print_http(struct kh_buf *buf, const struct kh_clients *c)
{
	if (c->url.n == 0)
		return;
	kh_buf_lit(buf, "Over HTTP, with the token of a file as a header:\n\n"
			"  export KEYHOLE_TOKEN=\"$(cat ");
	put_word(buf, c->token_file);
	kh_buf_printf(buf,
		      ")\"\n"
		      "  url      %.*s/mcp\n"
		      "  header   Authorization: Bearer $KEYHOLE_TOKEN\n"
		      "  Codex    url = \"%.*s/mcp\" and bearer_token_env_var = \"KEYHOLE_TOKEN\"\n"
		      "  Claude   claude mcp add --transport http keyhole %.*s/mcp \\\n"
		      "             --header \"Authorization: Bearer $KEYHOLE_TOKEN\"\n\n",
		      KH_FMT(c->url), KH_FMT(c->url), KH_FMT(c->url));
}

void kh_clients_print(struct kh_buf *buf, const struct kh_clients *clients)
{
	print_starter(buf, clients, 0);
	print_claude(buf, clients);
	for (size_t i = 1; i < sizeof(starters) / sizeof(starters[0]); i++)
		print_starter(buf, clients, i);
	print_http(buf, clients);
}

/* Names keyhole by its path, because a program that is not installed is not on PATH. */
void kh_clients_approvals(struct kh_buf *buf, const struct kh_clients *clients)
{
	put_word(buf, clients->program);
	kh_buf_lit(buf, " approvals watch");
	if (clients->home.n > 0) {
		kh_buf_lit(buf, " --home");
		put_shell(buf, clients->home);
	}
	kh_buf_byte(buf, '\n');
}

const char *kh_clients_unprotected(void)
{
	return "not protected: the gateway runs as your own user. An agent that can run programs as you can read and\n"
	       "change the store, the tokens and the sealed content, and end the gateway. To keep them apart, run the\n"
	       "gateway as a user of its own: keyhole init --system (keyhole-serve(1)).\n";
}

struct kh_view kh_clients_upstreams(struct kh_arena *arena, const struct kh_config *config)
{
	size_t n = config->upstreams.n;

	if (n == 0)
		return kh_view_of(NULL, 0);
	return kh_arena_printf(arena,
			       "keyhole: " KH_FOLDER_CONFIG
			       " has %zu upstream server%s: agents are offered the tools that an admin has approved "
			       "(keyhole upstream review)\n",
			       n, n == 1 ? "" : "s");
}
