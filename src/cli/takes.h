/* The options of every command, each in a table.  Only commands.c includes this, after the headers of the
 * commands. */
#ifndef KH_CLI_TAKES_H
#define KH_CLI_TAKES_H

#define FILLS(arguments, member) KH_OPTION(struct arguments, member)

static const struct kh_option init[] = {
	{"--system", NULL, "for the whole machine: /etc/keyhole, /var/lib/keyhole, user keyhole",
	 FILLS(kh_init_args, system.is_wanted)},
	{"--user", "NAME", "with --system: another user (default: keyhole)", FILLS(kh_init_args, system.user)},
	{"--root", "DIR", "with --system: below DIR in place of /", FILLS(kh_init_args, system.root)},
	{"--reader", "URL", "a model that reads: its endpoint; none: no model, and no question about one",
	 FILLS(kh_init_args, reader.url)},
	{"--model", "NAME", "the model's name there", FILLS(kh_init_args, reader.model)},
	{"--key-file", "FILE", "its key is in FILE: an absolute path, or a name in the home folder",
	 FILLS(kh_init_args, reader.key_file)},
	{"--key-environment", "NAME", "its key is in this variable of the gateway's environment",
	 FILLS(kh_init_args, reader.key_environment)},
	{"--driver", "NAME", "openai or anthropic (default: by the URL's path)", FILLS(kh_init_args, reader.driver)},
	{"--internal", "YES|NO", "whether whoever runs it may read what agents write (default: no)",
	 FILLS(kh_init_args, reader.internal)},
};

static const struct kh_option serve[] = {
	{"--listen", "ADDRESS", "serve HTTP on ADDRESS:PORT, in place of the configuration's; repeatable",
	 FILLS(kh_serve_args, listen)},
	{"--socket", "PATH", "the socket of relays, in place of the configuration's", FILLS(kh_serve_args, socket)},
	{"--print-clients", NULL, "write what to paste into clients, also without a terminal",
	 FILLS(kh_serve_args, print_clients)},
};

static const struct kh_option mcp[] = {
	{"--socket", "PATH", "the gateway's socket (default: $KEYHOLE_SOCKET, or the home folder's)",
	 FILLS(kh_mcp_args, socket)},
	{"--relay", NULL, "relay, or fail: never serve from the home folder", FILLS(kh_mcp_args, relay_only)},
	{"--print", NULL, "write what to paste into a client, and end", FILLS(kh_mcp_args, print)},
};

static const struct kh_option demo[] = {
	{"--keep", NULL, "leave the temporary folder, to look around", FILLS(kh_tour_args, keep)},
};

static const struct kh_option doctor[] = {
	{"--home", "DIR", "the home folder whose configuration is looked at (default: as for all commands)",
	 FILLS(kh_doctor_args, home)},
	{"--json", NULL, "write one JSON object", FILLS(kh_doctor_args, json)},
};

static const struct kh_option upstream_import[] = {
	{"--write", NULL, "put them into keyhole.yaml, and their secrets into files", FILLS(kh_servers_args, write)},
	{"--name", "NAME", "take only the server of this name in FILE; repeatable", FILLS(kh_servers_args, names)},
	{"--replace", NULL, "replace entries and files of secrets that are there", FILLS(kh_servers_args, replace)},
	{"--keep-arguments", NULL, "take arguments and URLs that look like secrets too",
	 FILLS(kh_servers_args, keep_arguments)},
};

static const struct kh_option upstream_add[] = {
	{"--replace", NULL, "replace entries and files of secrets that are there", FILLS(kh_servers_args, replace)},
	{"--keep-arguments", NULL, "take arguments and URLs that look like secrets too",
	 FILLS(kh_servers_args, keep_arguments)},
	{"--rules", NULL, "then try it, and write rules for its tools, as a proposal", FILLS(kh_servers_args, rules)},
};

static const struct kh_option task_open[] = {
	{"--bits", "N", "a smaller budget than the policy's", FILLS(kh_tasks_args, bits)},
};

static const struct kh_option task_add[] = {
	{"--source", "TEXT", "where it came from, for people (default: the file's name)", FILLS(kh_tasks_args, source)},
};

static const struct kh_option task_graph[] = {
	{"--dot", NULL, "for Graphviz (the default)", FILLS(kh_tasks_args, dot)},
	{"--svg", NULL, "a picture", FILLS(kh_tasks_args, svg)},
};

static const struct kh_option task_list[] = {
	{"--all", NULL, "also those that have ended", FILLS(kh_tasks_args, all)},
};

#define WAIT_FOR_QUERY                                                                                  \
	{                                                                                               \
		"--wait", "SECONDS", "how long to wait (default: 60)", FILLS(kh_queries_args, wait_ms), \
			.unit = KH_OPTION_SECONDS                                                       \
	}

static const struct kh_option query[] = {
	WAIT_FOR_QUERY,
	{"--task", "TASK", "the task, if the query names none", FILLS(kh_queries_args, task)},
};

static const struct kh_option query_wait[] = {WAIT_FOR_QUERY};

static const struct kh_option comm_each[] = {
	{"--task", "TASK", "the task, if more than one is open", FILLS(kh_comms_args, task)},
	{"--reason", "TEXT", "why it is needed: specific, for the record", FILLS(kh_comms_args, reason)},
	{"--declaration", "ID", "call one that was declared before", FILLS(kh_comms_args, declaration)},
	{"--fenced", NULL, "also write the content, in its fence, if the policy allows it",
	 FILLS(kh_comms_args, fenced)},
	{"--wait", "SECONDS", "how long to wait for a human (default: 60)", FILLS(kh_comms_args, wait_ms),
	 .unit = KH_OPTION_WAIT, .preset = 60000},
};

static const struct kh_option stop[] = {
	{"--all", NULL, "everything: there is no part of it", FILLS(kh_halts_args, all)},
};

static const struct kh_option approvals_list[] = {
	{"--all", NULL, "also those that no longer wait", FILLS(kh_approvals_args, all)},
};

static const struct kh_option approvals_watch[] = {
	{"--count", "N", "end after so many", FILLS(kh_approvals_args, count)},
};

static const struct kh_option approvals_show[] = {
	{"--page", "N", "this page alone", FILLS(kh_approvals_args, page)},
};

static const struct kh_option approvals_tries[] = {
	{"--try", "N", "this try alone", FILLS(kh_approvals_args, number)},
	{"--page", "N", "this page of it", FILLS(kh_approvals_args, page)},
};

/* The options of all three decisions; then those of one of them. */
#define DECISION                                                                                   \
	{"--shown", "DIGEST", "of what was displayed; without it, it is displayed now",            \
	 FILLS(kh_approvals_args, shown)},                                                         \
	{                                                                                          \
		"--note", "TEXT", "your own words, for the record", FILLS(kh_approvals_args, note) \
	}

static const struct kh_option approvals_approve[] = {
	DECISION,
	{"--host", "HOST", "of an operation: with any arguments towards this host, the one that was shown, in its task",
	 FILLS(kh_approvals_args, host)},
	{"--uses", "N", "of an operation: so often (default: 1)", FILLS(kh_approvals_args, uses)},
	{"--until", "TIME", "of an operation: until then, such as 2026-03-19T14:30:00Z",
	 FILLS(kh_approvals_args, until)},
	{"--value", "NAME=VALUE", "of what an upstream server asks: a field's value, which is sent to it; repeatable",
	 FILLS(kh_approvals_args, values)},
};

static const struct kh_option approvals_reject[] = {DECISION};

static const struct kh_option approvals_edit[] = {
	DECISION,
	{"--text", "TEXT", "the answer", FILLS(kh_approvals_args, text)},
	{"--parameters", "JSON", "an operation's parameters, as an object", FILLS(kh_approvals_args, parameters)},
	{"--file", "FILE", "a file that holds either", FILLS(kh_approvals_args, file)},
};

static const struct kh_option audit_verify[] = {
	{"--state", NULL, "verify the rows too", FILLS(kh_audits_args, state)},
	{"--witness", "FILE", "compare with the checkpoints in FILE (default: the configuration's witness)",
	 FILLS(kh_audits_args, witness)},
	{"--key", "HEX", "the public key that is expected (default: of the home's audit.key)",
	 FILLS(kh_audits_args, key)},
	{"--progress", NULL, "show progress, also if standard error is no terminal", FILLS(kh_audits_args, progress)},
};

/* The options that filter events. */
#define EVENTS                                                                                            \
	{"--task", "ID", "only events of this task; `system`: those of no task",                          \
	 FILLS(kh_audits_trail_args, wanted.task)},                                                       \
		{"--principal", "WHO", "only events by this token: its id, its name, or `keyhole`",       \
		 FILLS(kh_audits_trail_args, wanted.principal)},                                          \
		{"--kind", "KIND", "only events of this kind, or group of kinds: query.delivered, query", \
		 FILLS(kh_audits_trail_args, wanted.kind)},                                               \
		{"--since", "TIME", "only events from then on: 2026-11-15, 2026-11-15T08:30:00Z",         \
		 FILLS(kh_audits_trail_args, wanted.since)},                                              \
	{                                                                                                 \
		"--until", "TIME", "only events before then", FILLS(kh_audits_trail_args, wanted.until)   \
	}

static const struct kh_option audit_tail[] = {
	{"-n", "N", "so many events (default: 10)", FILLS(kh_audits_trail_args, last), .preset = 10},
	{"--lines", "N", "the same", FILLS(kh_audits_trail_args, last)},
	{"-f", NULL, "go on, and show events as they come", FILLS(kh_audits_trail_args, follow)},
	{"--follow", NULL, "the same", FILLS(kh_audits_trail_args, follow)},
	EVENTS,
};

static const struct kh_option audit_export[] = {
	{"--format", "FORMAT", "jsonl (default) or cef", FILLS(kh_audits_trail_args, format)},
	EVENTS,
};

static const struct kh_option token_create[] = {
	{"--role", "ROLE", "controller (default), reader, supervisor, host, reviewer, admin or hook",
	 FILLS(kh_tokens_args, role)},
	{"--context", "CONTEXT", "the context that a hook is for", FILLS(kh_tokens_args, context)},
	{"--expires", "SECONDS", "valid so long (default: until it is revoked)", FILLS(kh_tokens_args, expires_ms),
	 .unit = KH_OPTION_SECONDS},
	{"--bits", "N", "a smaller budget for a controller's context", FILLS(kh_tokens_args, bits)},
	{"--out", "FILE", "write the token into a new file (0600), not to standard output", FILLS(kh_tokens_args, out)},
};

static const struct kh_option context_add[] = {
	{"--source", "TEXT", "where it came from, for people", FILLS(kh_contexts_args, source)},
	{"--tool", "NAME", "the agent's own tool that gave it", FILLS(kh_contexts_args, tool)},
};

static const struct kh_option context_call[] = {
	{"--reason", "TEXT", "why, for whoever decides", FILLS(kh_contexts_call_args, reason)},
	{"--call", "ID", "a call that was asked about before", FILLS(kh_contexts_call_args, call)},
	{"--wait", "SECONDS", "how long to wait for a decision (default: 60)", FILLS(kh_contexts_call_args, wait_ms),
	 .unit = KH_OPTION_WAIT, .preset = 60000},
};

static const struct kh_option context_result[] = {
	{"--failed", NULL, "the tool says that it failed", FILLS(kh_contexts_call_args, failed)},
};

static const struct kh_option context_assemble[] = {
	{"--xml", NULL, "XML", FILLS(kh_contexts_args, xml)},
};

static const struct kh_option policy_test[] = {
	{"--policy", "FILE", "the policy, in place of the one that FILE names", FILLS(kh_policies_args, policy)},
};

static const struct kh_option upstream_logs[] = {
	{"--lines", "N", "so many of the newest lines (default: 100)", FILLS(kh_logs_args, lines)},
};

static const struct kh_option upstream_review[] = {
	{"--approve", "DIGEST", "approve what the review with this digest showed", FILLS(kh_review_args, approve)},
	{"--tool", "NAME", "approve this tool only; repeatable", FILLS(kh_review_args, tools)},
	{"--describe", "NAME=TEXT", "your own description of a tool, in place of the server's; repeatable",
	 FILLS(kh_review_args, words)},
	{"--timeout", "SECONDS", "how long the server may take (default: 60)", FILLS(kh_review_args, seconds)},
};

static const struct kh_option upstream_test[] = {
	{"--timeout", "SECONDS", "how long it may take (default: 60)", FILLS(kh_trial_args, seconds)},
	{"--rules", NULL, "write rules for its tools, as a proposal", FILLS(kh_trial_args, rules)},
};

static const struct kh_option sandbox_run[] = {
	{"--profile", "NAME", "what the program may do: run (default), server, http, resolve",
	 FILLS(kh_sandbox_run_args, profile)},
	{"--read", "PATH", "a file or folder that it sees, read-only", FILLS(kh_sandbox_run_args, read)},
	{"--write", "PATH", "a file or folder that it may change", FILLS(kh_sandbox_run_args, write)},
	{"--work", "DIR", "the folder that is its /work, writable (default: an empty one)",
	 FILLS(kh_sandbox_run_args, work)},
	{"--cache", "DIR", "the folder that is its /cache, read-only", FILLS(kh_sandbox_run_args, cache)},
	{"--network", "HOST:PORT", "a host that it may connect to, by its name; nothing else answers",
	 FILLS(kh_sandbox_run_args, network)},
	{"--allow", "HOST[:PORT]", "a host of --network that may have a private or local address",
	 FILLS(kh_sandbox_run_args, allow)},
	{"--bytes-out", "BYTES", "how much it may send to the network", FILLS(kh_sandbox_run_args, bytes_out),
	 .unit = KH_OPTION_BYTES},
	{"--env", "NAME=VALUE", "a variable of a server's environment", FILLS(kh_sandbox_run_args, env)},
	{"--secret", "NAME=FILE", "a variable of a server's environment that only the executor reads",
	 FILLS(kh_sandbox_run_args, secret)},
	{"--idle", "SECONDS", "how long nothing may go to a server or come from it",
	 FILLS(kh_sandbox_run_args, rates.idle_ms), .unit = KH_OPTION_SECONDS},
	{"--rate", "BYTES", "how much a server may write in a second; it waits for the rest",
	 FILLS(kh_sandbox_run_args, rates.output), .unit = KH_OPTION_BYTES},
	{"--time", "SECONDS", "wall-clock limit", FILLS(kh_sandbox_run_args, limits.wall_ms),
	 .unit = KH_OPTION_SECONDS},
	{"--memory", "BYTES", "memory limit", FILLS(kh_sandbox_run_args, limits.memory), .unit = KH_OPTION_BYTES},
	{"--processes", "N", "processes and threads at once", FILLS(kh_sandbox_run_args, limits.processes)},
	{"--files", "N", "open files and sockets of one process", FILLS(kh_sandbox_run_args, limits.files)},
	{"--disk", "BYTES", "size of its private /tmp", FILLS(kh_sandbox_run_args, limits.disk),
	 .unit = KH_OPTION_BYTES},
	{"--output", "BYTES", "how much it may write", FILLS(kh_sandbox_run_args, limits.output),
	 .unit = KH_OPTION_BYTES},
	{"--raw", NULL, "show its output on a terminal as it is", FILLS(kh_sandbox_run_args, raw)},
	{"--json", NULL, "write one JSON object, with the output in it", FILLS(kh_sandbox_run_args, json)},
};

static const struct kh_option sandbox_fetch[] = {
	{"--allow", "HOST[:PORT]", "a host that may have a private or local address",
	 FILLS(kh_sandbox_fetch_args, allow)},
	{"--http", NULL, "plain http is fine, too", FILLS(kh_sandbox_fetch_args, http)},
	{"--ca", "FILE", "trust these certificates in place of the system's", FILLS(kh_sandbox_fetch_args, ca)},
	{"--header", "NAME: VALUE", "send this header", FILLS(kh_sandbox_fetch_args, header)},
	{"--post", "FILE", "POST this file; - is standard input", FILLS(kh_sandbox_fetch_args, post)},
	{"--max-bytes", "BYTES", "how long the body may be", FILLS(kh_sandbox_fetch_args, limits.output),
	 .unit = KH_OPTION_BYTES},
	{"--timeout", "SECONDS", "wall-clock limit", FILLS(kh_sandbox_fetch_args, limits.wall_ms),
	 .unit = KH_OPTION_SECONDS},
	{"--redirects", "N", "follow so many within the host (default: 5)", FILLS(kh_sandbox_fetch_args, redirects),
	 .unit = KH_OPTION_NUMBER, .preset = 5},
	{"--include", NULL, "write the response's headers before the body", FILLS(kh_sandbox_fetch_args, include)},
	{"--raw", NULL, "show the body on a terminal as it is", FILLS(kh_sandbox_fetch_args, raw)},
	{"--json", NULL, "write one JSON object about the response, and no body", FILLS(kh_sandbox_fetch_args, json)},
};

#endif
