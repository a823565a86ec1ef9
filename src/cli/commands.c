/*
 * Every command that a user may type: one row with its words, its help, its options, and what of a home it needs.  The
 * frame does the rest (frame.h).  An option says which member of the command's arguments it fills.
 */
#include "cli/commands.h"

#include "cli/approvals.h"
#include "cli/audits.h"
#include "cli/audits_trail.h"
#include "cli/comms.h"
#include "cli/comms_show.h"
#include "cli/contexts.h"
#include "cli/doctor.h"
#include "cli/init/init.h"
#include "cli/mcp.h"
#include "cli/policies.h"
#include "cli/prompts.h"
#include "cli/queries.h"
#include "cli/sandbox_fetch.h"
#include "cli/sandbox_run.h"
#include "cli/serve.h"
#include "cli/tasks.h"
#include "cli/tokens.h"
#include "cli/tour/tour.h"

/* --- options ------------------------------------------------------------------------------------------------------ */

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
	{"--role", "ROLE", "controller (default), reader, supervisor, host, reviewer or admin",
	 FILLS(kh_tokens_args, role)},
	{"--expires", "SECONDS", "valid so long (default: until it is revoked)", FILLS(kh_tokens_args, expires_ms),
	 .unit = KH_OPTION_SECONDS},
	{"--bits", "N", "a smaller budget for a controller's context", FILLS(kh_tokens_args, bits)},
	{"--out", "FILE", "write the token into a new file (0600), not to standard output", FILLS(kh_tokens_args, out)},
};

static const struct kh_option context_add[] = {
	{"--source", "TEXT", "where it came from, for people", FILLS(kh_contexts_args, source)},
};

static const struct kh_option context_assemble[] = {
	{"--xml", NULL, "XML", FILLS(kh_contexts_args, xml)},
};

static const struct kh_option policy_test[] = {
	{"--policy", "FILE", "the policy, in place of the one that FILE names", FILLS(kh_policies_args, policy)},
};

static const struct kh_option sandbox_run[] = {
	{"--profile", "NAME", "what the program may do: run (default), http, resolve",
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
	{"--time", "SECONDS", "wall-clock limit", FILLS(kh_sandbox_run_args, limits.wall_ms),
	 .unit = KH_OPTION_SECONDS},
	{"--memory", "BYTES", "memory limit", FILLS(kh_sandbox_run_args, limits.memory), .unit = KH_OPTION_BYTES},
	{"--processes", "N", "processes and threads at once", FILLS(kh_sandbox_run_args, limits.processes)},
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

/* --- commands ----------------------------------------------------------------------------------------------------- */

/* What a command needs of the home, and whose token it calls with. */
#define CALL(caller) .use = KH_HOME_CALL, .role = KH_ROLE_##caller
#define ASK(caller)  .use = KH_HOME_ASK, .role = KH_ROLE_##caller
#define NO_HOME      .without_home = true
#define NO_TOKEN     .without_token = true

/* Whether it runs over a gateway too. */
#define OVER .is_over = true
#define THERE(command)                                                                                          \
	.only_there = "nothing was done: it needs the store, its key and its witness, and a gateway that lies " \
		      "about its record would lie here too. Where the gateway runs, as root or its user: "      \
		      "keyhole " command " --home /var/lib/keyhole"

#define WORDS(few, many) .least = (few), .most = (many)
#define TAKES(arguments, table) \
	.size = sizeof(struct arguments), .options = (table), .option_count = sizeof(table) / sizeof((table)[0])

#define OPENING                  KH_FRAME_BEGIN
#define AT_HOME                  KH_FRAME_HOME
#define TOOL                     KH_FRAME_TOOLS
#define OFFLINE(contract, input) KH_FRAME_OFFLINE, .offline = (contract), .reads = (input)

#define OF_QUERY "0 delivered; 1 not delivered, and the outcome is written; 2 not usable, refused or\nfailed."
#define OF_DECISION                                                                              \
	"0 decided; 1 not decided: somebody else was first, it has expired, or the answer was\n" \
	"no; 2 not usable, refused or failed."

const struct kh_frame_command kh_commands[] = {
	{"init", "make a home folder: store, configuration, tokens", OPENING, "[--home DIR | --system] [--reader URL]",
	 "Make a home folder: a store, a configuration, a key for the record, and tokens.\n"
	 "\n"
	 "On a terminal, it asks for a model that reads for agents; --reader names one, or none, without a question.\n"
	 "\n"
	 "With --system, as root: make a gateway with a user of its own, so that no agent can read what it keeps.\n",
	 NO_HOME, TAKES(kh_init_args, init), .run = kh_init_run},
	{"serve", "run the gateway: MCP and REST over HTTP", OPENING, "[OPTION...]",
	 "Run the gateway until SIGTERM or SIGINT: MCP and REST over HTTP, and the socket of `keyhole mcp`.\n"
	 "SIGHUP makes it read keyhole.yaml again.\n",
	 "0 stopped; 1 stopped while something still ran; 2 not usable, refused or failed.", NO_HOME,
	 TAKES(kh_serve_args, serve), .run = kh_serve_run},
	{"mcp", "MCP on standard streams, for an agent's client", OPENING, "[OPTION...]",
	 "Speak MCP on standard input and output, for clients that start their MCP servers.\n"
	 "\n"
	 "If a gateway runs (keyhole serve), this is a relay to it: it sends the Controller's token and copies lines.\n"
	 "If none runs, it serves from the home folder itself.\n",
	 "0 the client has ended; 1 the gateway has; 2 not usable, refused or failed.", NO_HOME,
	 TAKES(kh_mcp_args, mcp), .run = kh_mcp_run},
	{"demo", "a guided tour, in a few seconds", OPENING, "[--keep]",
	 "A guided tour with a poisoned web page.  The agent asks for the page, a human approves, and a sandbox\n"
	 "fetches it.  The agent asks about the page, then does what the page wants and is stopped.  It also shows\n"
	 "a Reader that obeys the page, approvals, a budget that runs out, and a forged record.  Everything is in a\n"
	 "temporary home folder and on loopback, and takes a few seconds.\n",
	 "0 every step came out as it must; 1 one did not; 2 not usable.", NO_HOME, TAKES(kh_tour_args, demo),
	 .run = kh_tour_run},
	{"doctor", "check that sandboxes work here, and say what is missing", OPENING, "[--home DIR] [--json]",
	 "Try on this machine each part that a sandbox needs.  Say what is there, what is missing, what that means\n"
	 "and what to do.  If there is a home folder, look for what its configuration names on this machine, and\n"
	 "ask each of its databases once whether it answers, and what its role may do besides reading.  Nothing\n"
	 "is changed and nothing is fetched.\n",
	 "0 a sandbox works; 1 none does; 2 the command line is not usable.", NO_HOME, .is_tool = true,
	 TAKES(kh_doctor_args, doctor), .run = kh_doctor_run},

	{"task open", "open a task", AT_HOME, "[OPTION...] [TITLE]",
	 "Open a task and write its id.  Content is put into a task, and budgets are counted for each task.\n",
	 WORDS(0, 1), CALL(CONTROLLER), TAKES(kh_tasks_args, task_open), .run = kh_tasks_open},
	{"task add", "put content into a task, sealed", AT_HOME, "[OPTION...] TASK FILE",
	 "Put content into a task as a sealed block, and write the block's id.  The content is untrusted: the\n"
	 "Controller gets answers about it, and never the content.  FILE is UTF-8 text of up to 16 MiB; - is\n"
	 "standard input.\n",
	 WORDS(2, 2), CALL(CONTROLLER), TAKES(kh_tasks_args, task_add), .run = kh_tasks_add},
	{"task show", "show a task, its budget, what waits", AT_HOME, "[OPTION...] TASK",
	 "Show a task: its budget in bits and in words, taint, phase, blocks, and what waits for a human.\n"
	 "A controller's token sees less of it than a reviewer's, which is the default.\n",
	 WORDS(1, 1), CALL(REVIEWER), .run = kh_tasks_show},
	{"task graph", "write the taint graph of a task", AT_HOME, "[OPTION...] TASK",
	 "Write the taint graph of a task: its blocks, the outputs that they have influenced, and everything\n"
	 "that influenced one of these; labels and sources, no content.\n",
	 WORDS(1, 1), CALL(REVIEWER), TAKES(kh_tasks_args, task_graph), .run = kh_tasks_graph},
	{"task list", "list tasks", AT_HOME, "[OPTION...]",
	 "List open tasks.  A reviewer's token (the default) sees all of them, a controller's only its own.\n",
	 CALL(REVIEWER), TAKES(kh_tasks_args, task_list), .run = kh_tasks_list},
	{"task execute", "begin a task's execution with its plan", AT_HOME, "[OPTION...] TASK PLAN",
	 "Begin a task's execution with its plan, a JSON file: {\"plan\":\"...\",\"required_operations\":[...]}.\n"
	 "A human must approve the plan first if the screen has marked it, or if the taint of the context is high.\n",
	 "0 done; 1 a human must approve it first; 2 not usable, refused or failed.", WORDS(2, 2), CALL(CONTROLLER),
	 .run = kh_tasks_execute},
	{"task close", "close a task", AT_HOME, "[OPTION...] TASK",
	 "Close a task.  Its open queries fail, what they reserved stays charged, and nobody is asked any more\n"
	 "about what waits for a human.\n",
	 WORDS(1, 1), CALL(CONTROLLER), .run = kh_tasks_close},

	{"query", "ask a Reader about sealed content, and wait", AT_HOME,
	 "[OPTION...] FILE   (or: keyhole query wait ID)",
	 "Ask a Reader about sealed content, and wait for the outcome.  FILE is a query as JSON; - is standard\n"
	 "input.  Members: `category`, `target` (the Reader), `fields`, `questions` or `directive`, `task`, and a\n"
	 "`justification` for categories 2 and 3.  If a human decides, `query wait` takes the query up again.\n",
	 OF_QUERY, WORDS(1, 1), ASK(CONTROLLER), TAKES(kh_queries_args, query), .run = kh_queries_ask},
	{"query wait", NULL, AT_HOME, "[OPTION...] ID",
	 "Wait for the outcome of a query that was left open, also if a human decides it.  ID is the id of the\n"
	 "query, or of the approval that was named with `pending`.\n",
	 OF_QUERY, WORDS(1, 1), ASK(CONTROLLER), TAKES(kh_queries_args, query_wait), .run = kh_queries_wait},

	{"comm declare", "say what a task needs from outside, and why", AT_HOME, "[OPTION...] TASK [FILE]",
	 "Say what a task will need from outside, and why.  FILE is a declaration as JSON; without FILE, or with\n"
	 "-, it is read from standard input.  Nothing is run.  If a human has to approve it, the approval is asked\n"
	 "for now.  What the policy does not allow is denied now.\n",
	 "0 declared; 1 something was denied, and that is written; 2 not usable, refused or\nfailed.", WORDS(1, 2),
	 CALL(CONTROLLER), .run = kh_comms_show_declare},
	{"comm " KH_COMMANDS_EACH, "", AT_HOME, "", "",
	 "0 ok; 1 not ok, or not yet, and the outcome is written; 2 not usable, refused or\nfailed.", ASK(CONTROLLER),
	 TAKES(kh_comms_args, comm_each), .run = kh_comms_run},
	{"comm list", "list the external operations of a task", AT_HOME, "[OPTION...] TASK",
	 "List the external operations that a task has declared, and the state of each.\n", WORDS(1, 1), CALL(REVIEWER),
	 .run = kh_comms_show_list},
	{"comm show", "show all of an external operation, safely", AT_HOME, "[OPTION...] DECLARATION",
	 "Show all that is known of an external operation: the declaration, the decision of each gate, what\n"
	 "matched untrusted content, and what came back.  Text from outside stands behind a bar at the left;\n"
	 "invisible and control characters in it are shown as escapes.\n",
	 WORDS(1, 1), CALL(REVIEWER), .run = kh_comms_show_one},

	{"approvals list", "list what waits for a human", AT_HOME, "[OPTION...]",
	 "List the approvals that wait for a decision.\n", CALL(REVIEWER), TAKES(kh_approvals_args, approvals_list),
	 OVER, .run = kh_approvals_list},
	{"approvals watch", "follow what waits for a human", AT_HOME, "[OPTION...]",
	 "Write a line for each approval that waits, and one for each new approval as it comes, until interrupted.\n",
	 "0 interrupted, or as many as asked for were written; 2 not usable, refused or failed.", .waits = true,
	 CALL(REVIEWER), TAKES(kh_approvals_args, approvals_watch), OVER, .run = kh_approvals_watch},
	{"approvals show", "show what is to be approved, safely", AT_HOME, "[OPTION...] ID",
	 "Show what is to be approved, with all that is known about it, and record that it was shown.  Text of\n"
	 "others stands behind a bar at the left; invisible and control characters in it are shown as escapes.\n"
	 "On a terminal it is shown page by page; with --json, one page is written.\n",
	 WORDS(1, 1), CALL(REVIEWER), TAKES(kh_approvals_args, approvals_show), OVER, .run = kh_approvals_show},
	{"approvals tries", "show what Readers sent for a query, safely", AT_HOME, "[OPTION...] QUERY",
	 "Show what was sent for a query, try by try: also answers that were rejected, with the codes why, and "
	 "answers\n"
	 "of a redundant extraction that disagreed.  Text of others stands behind a bar at the left; invisible and\n"
	 "control characters in it are shown as escapes.  Of each try the first page is shown.\n",
	 WORDS(1, 1), CALL(REVIEWER), TAKES(kh_approvals_args, approvals_tries), OVER, .run = kh_approvals_tries},
	{"approvals approve", "approve what was shown", AT_HOME, "[OPTION...] ID",
	 "Approve what an approval shows, for exactly that, once.  An external operation can be approved for more\n"
	 "than that, with --host, --uses and --until.\n",
	 OF_DECISION, WORDS(1, 1), ASK(REVIEWER), TAKES(kh_approvals_args, approvals_approve), OVER,
	 .run = kh_approvals_approve},
	{"approvals reject", "reject what was shown", AT_HOME, "[OPTION...] ID",
	 "Reject what an approval shows.  The query ends, and the Controller learns only that it was rejected.\n",
	 OF_DECISION, WORDS(1, 1), CALL(REVIEWER), TAKES(kh_approvals_args, approvals_reject), OVER,
	 .run = kh_approvals_reject},
	{"approvals edit", "deliver another answer in its place", AT_HOME, "[OPTION...] ID",
	 "Replace what an approval shows.  For an answer, give another answer: the text of a summary, or else JSON\n"
	 "in the form of the answer.  It is checked and counted like a Reader's.  For an external operation, give\n"
	 "other parameters: they become a new declaration with an approval of its own.  Without --text,\n"
	 "--parameters and --file, the replacement is read from standard input.\n",
	 OF_DECISION, WORDS(1, 1), CALL(REVIEWER), TAKES(kh_approvals_args, approvals_edit), OVER,
	 .run = kh_approvals_edit},

	{"audit verify", "verify the record, and with --state every row", AT_HOME, "[OPTION...]",
	 "Verify the record: every event's bytes and place, every signed checkpoint, and what a witness saw.\n"
	 "With --state also that every row is what the events say, and that budgets, taints, approvals and\n"
	 "deliveries follow the rules.  Names the first event that is at fault.\n",
	 "0 good; 1 not good; 2 not usable.", NO_HOME, TAKES(kh_audits_args, audit_verify), THERE("audit verify"),
	 .run = kh_audits_verify},
	{"audit tail", "show the newest events, and those to come", AT_HOME, "[OPTION...]",
	 "Show the newest events, a line each: number, time, kind, task, who caused it, and its details.\n",
	 .use = KH_HOME_READ, NO_TOKEN, TAKES(kh_audits_trail_args, audit_tail), OVER, .run = kh_audits_trail_tail},
	{"audit show", "show an event", AT_HOME, "[OPTION...] EVENT",
	 "Show an event, by its id as `audit tail` has it: time, who caused it, chain, details, and every column that "
	 "it wrote.\n",
	 WORDS(1, 1), .use = KH_HOME_READ, NO_TOKEN, .size = sizeof(struct kh_audits_trail_args), OVER,
	 .run = kh_audits_trail_show},
	{"audit export", "write events as JSON Lines or CEF", AT_HOME, "[OPTION...]",
	 "Write all events that pass the filter, one a line, as JSON Lines or CEF.  In JSON Lines, `event` is the\n"
	 "event byte for byte and `hash` is its BLAKE2b-256.\n",
	 .use = KH_HOME_READ, NO_TOKEN, TAKES(kh_audits_trail_args, audit_export), OVER, .run = kh_audits_trail_export},
	{"audit checkpoint", "sign a checkpoint now", AT_HOME, "[OPTION...]",
	 "Sign the heads of all chains now, and send the checkpoint to the witnesses of the configuration.  The\n"
	 "checkpoint is also written as one line, which you can keep as a witness of your own.\n",
	 .use = KH_HOME_CALL, NO_TOKEN, THERE("audit checkpoint"), .run = kh_audits_checkpoint},

	{"token create", "make a token", AT_HOME, "[OPTION...] NAME",
	 "Make a token.  A token is one caller; a controller's token also begins a fresh context.  The token is\n"
	 "written once and stored nowhere.  An admin makes every kind of token, a host makes controllers' tokens.\n",
	 WORDS(1, 1), CALL(ADMIN), TAKES(kh_tokens_args, token_create), .run = kh_tokens_create},
	{"token list", "list tokens, without their secrets", AT_HOME, "[OPTION...]",
	 "List tokens, without their secrets.  An admin sees all of them, a host those that it made.\n", CALL(ADMIN),
	 .run = kh_tokens_list},
	{"token revoke", "revoke a token", AT_HOME, "[OPTION...] ID",
	 "Revoke a token, at once and for good.  ID is the one that `token list` shows.\n", WORDS(1, 1), CALL(ADMIN),
	 .run = kh_tokens_revoke},

	{"context show", "show what an agent's context has seen", AT_HOME, "[OPTION...] CONTEXT",
	 "Show the taint of a context and its budget over all tasks.  `keyhole token list` has the ids.\n", WORDS(1, 1),
	 CALL(REVIEWER), .run = kh_contexts_show},
	{"context reset", "record that an agent's memory was cleared", AT_HOME, "[OPTION...] CONTEXT REASON",
	 "Record that an agent's memory was cleared.  Its taint is low again, its budget is full again, and its\n"
	 "tasks are closed.  Only a reviewer's or an admin's token may do this, and REASON is on the record.\n",
	 WORDS(2, 2), CALL(REVIEWER), .run = kh_contexts_reset},
	{"context add", "put a host's block into a context", AT_HOME, "[OPTION...] CONTEXT EVENT FILE",
	 "Put a block into a context that this host keeps.  EVENT says what the block is, and decides how far it is\n"
	 "trusted: system_prompt, user_message, goal, commitment or supervisor_message.  FILE is its text; - is\n"
	 "standard input.  Content from outside goes into a task instead: `keyhole task add`.\n",
	 WORDS(3, 3), CALL(HOST), TAKES(kh_contexts_args, context_add), .run = kh_contexts_add},
	{"context assemble", "write a context as an agent gets it", AT_HOME, "[OPTION...] CONTEXT",
	 "Write a context's blocks as an agent is to get them, the security policy first: as JSON, or as XML.\n",
	 WORDS(1, 1), CALL(HOST), TAKES(kh_contexts_args, context_assemble), .run = kh_contexts_assemble},
	{"prompt", "print the prompt for a Controller or a Reader", AT_HOME, "[OPTION...] [NAME]",
	 "Print the prompt for a Controller or a Reader.  Without NAME, list the prompts.\n", WORDS(0, 1), NO_HOME,
	 .run = kh_prompts_run},

	{"bcp check", "check a query and count its bits", OFFLINE(KH_BCP_CHECK, "a query")},
	{"bcp validate", "judge a Reader's response: deliver, hold or reject",
	 OFFLINE(KH_BCP_VALIDATE, "{\"query\":{...},\"response\":{...}}")},
	{"block render", "write blocks as XML", OFFLINE(KH_BLOCK_RENDER, "{\"blocks\":[...]}")},
	{"block parse", "read blocks from XML", OFFLINE(KH_BLOCK_PARSE, "{\"xml\":\"...\"}")},
	{"block taint", "find all that influenced a block",
	 OFFLINE(KH_BLOCK_TAINT, "{\"blocks\":[...],\"of\":\"b004\"}")},
	{"screen", "find instructions, hidden text and encodings", OFFLINE(KH_SCREEN, "{\"text\":\"...\"}")},
	{"fence wrap", "fence external content and attribute it",
	 OFFLINE(KH_FENCE_WRAP, "{\"content\":...,\"source\":...,\"operation\":...,\"session_id\":...}")},
	{"fence unwrap", "give the content back, or say that it was changed",
	 OFFLINE(KH_FENCE_UNWRAP, "what wrap wrote")},
	{"comm check", "check a declaration of external I/O", OFFLINE(KH_COMM_CHECK, "a declaration")},
	{"policy explain", "say what a policy decides, by which rule, and why",
	 OFFLINE(KH_POLICY_EXPLAIN, "{\"policy\":\"path\",\"request\":{...}}")},

	{"policy test", "check a policy against expected decisions", TOOL, "[OPTION...] FILE",
	 "Check a policy against the decisions that FILE expects.  FILE has requests as `keyhole policy explain`\n"
	 "reads them, in YAML or JSON Lines.  Each decision that differs is shown with the rule that made it.\n",
	 "0 all are as expected; 1 some differ; 2 a file or a request is not usable.", WORDS(1, 1), NO_HOME,
	 TAKES(kh_policies_args, policy_test), .run = kh_policies_test},
	{"sandbox run", "run a program in the sandbox", TOOL, "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	 "Run a program with no network, no view of other processes, and of the files only /usr, a\n"
	 "private /tmp and what you name.  Standard input, output and error are passed through.\n",
	 "the program's; 128 + N if signal N ended it;\n125 if the sandbox refused or failed.  See keyhole-sandbox(1).",
	 .units = "BYTES may end in K, M or G.  ", .unusable = KH_SANDBOX_RUN_FAILED, NO_HOME, .is_tool = true,
	 TAKES(kh_sandbox_run_args, sandbox_run), .run = kh_sandbox_run},
	{"sandbox fetch", "fetch a URL through the sandbox", TOOL, "[OPTION...] URL",
	 "Fetch a URL: https, from a public address.  The name is resolved and the response read by\n"
	 "processes that have one socket and nothing else.  The body goes to standard output.\n",
	 "0 a good response (2xx, 304) came whole; 1 it did not, or it leads elsewhere; 2 the\n"
	 "command line is not usable.  See keyhole-sandbox(1).",
	 NO_HOME, .is_tool = true, TAKES(kh_sandbox_fetch_args, sandbox_fetch), .run = kh_sandbox_fetch},
};

const size_t kh_commands_count = sizeof(kh_commands) / sizeof(kh_commands[0]);

/* Returns how many words of ARGV, from 1 on, are those of C; 0: they are others. */
static int match(const struct kh_frame_command *c, int argc, char **argv)
{
	struct kh_view rest = kh_view_str(c->name), word;
	int n = 1;

	for (; rest.n > 0 && kh_view_split(&rest, ' ', &word); n++) {
		bool is_each = kh_view_eq(word, KH_LIT(KH_COMMANDS_EACH));
		if (n >= argc || !(is_each ? kh_comms_find(argv[n]) != NULL : kh_view_eq(word, kh_view_str(argv[n]))))
			return 0;
	}
	return n - 1;
}

/* `query wait` is more than `query`: the row with the most words is meant. */
const struct kh_frame_command *kh_commands_find(int argc, char **argv, int *ret_words)
{
	const struct kh_frame_command *found = NULL;

	*ret_words = 0;
	for (size_t i = 0; i < kh_commands_count; i++) {
		int words = match(&kh_commands[i], argc, argv);
		if (words > *ret_words) {
			found = &kh_commands[i];
			*ret_words = words;
		}
	}
	return found;
}
