/*
 * The MCP servers in the configuration of a client: `mcpServers` (Claude, Cursor, Gemini, Windsurf), `servers` (VS Code),
 * `context_servers` (Zed) in JSON, `mcp_servers` (Codex) in TOML.
 *
 * The file is the user's, but it is not trusted to be well-formed, and it holds secrets: no message has a value of it.
 */
#ifndef KH_CLI_UPSTREAM_CLIENTFILE_H
#define KH_CLI_UPSTREAM_CLIENTFILE_H

#include "base/json.h"
#include "core/policy/schema.h"

#define KH_CLIENTFILE_SIZE    (1U << 20) /* bytes of a file */
#define KH_CLIENTFILE_SERVERS 64

/* A variable or a header that the file does not have the value of: who imports it has to put it into a file. */
struct kh_clientfile_open {
	struct kh_view name;   /* of the variable or header */
	struct kh_view scheme; /* "Bearer": what stands before it in the header; or empty */
	struct kh_view from;   /* what it comes from: "the variable GITHUB_TOKEN" */
};

struct kh_clientfile_server {
	struct kh_view name;  /* as the file has it */
	struct kh_texts argv; /* command and args; none: it has a URL */
	struct kh_view url;
	struct kh_pairs values;  /* variables of a program, or headers of a URL */
	struct kh_list open;     /* of struct kh_clientfile_open */
	struct kh_texts strange; /* members that nothing is made of */
	bool is_off;
	uint64_t timeout_seconds; /* 0: the file has none */
	struct kh_view problem;   /* why it cannot be taken; empty: it can */
};

/*
 * Reads TEXT: JSON, with comments, if its first character is {, else TOML.  The list is of struct
 * kh_clientfile_server, in the file's order.  KH_EINPUT, code `import_invalid`, if it has no servers or is neither; what
 * is wrong with one server is in its `problem`.
 */
enum kh_err kh_clientfile_read(struct kh_arena *arena, struct kh_view text, struct kh_list *ret_servers,
			       struct kh_error *err) KH_CHECKED;

#endif
