/*
 * Every command that a user may type: one row with its words, its help, its options, and what of a home it needs.  The
 * frame does the rest (frame.h).  An option says which member of the command's arguments it fills (takes.h).
 */
#include "cli/commands.h"

#include "cli/approvals.h"
#include "cli/audits.h"
#include "cli/audits_trail.h"
#include "cli/comms.h"
#include "cli/comms_show.h"
#include "cli/contexts.h"
#include "cli/doctor.h"
#include "cli/halts.h"
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
#include "cli/upstream/logs.h"
#include "cli/upstream/review.h"
#include "cli/upstream/servers.h"
#include "cli/upstream/trial.h"

#include "cli/takes.h" /* after those of the commands */

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
	 "a Reader that obeys the page, approvals, a budget that runs out, an MCP server that changes its tool when\n"
	 "it is trusted, and a forged record.  Everything is in a temporary home folder and on loopback, and takes\n"
	 "a few seconds.\n",
	 "0 every step came out as it must; 1 one did not; 2 not usable; 128 + N signal N ended it.", NO_HOME,
	 TAKES(kh_tour_args, demo), .run = kh_tour_run},
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
	 "than that, with --host, --uses and --until.  What an upstream server asks during a call is approved with\n"
	 "values for its fields, with --value: they leave, to that server.\n",
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

	{"stop", "end all that goes outside", AT_HOME, "[OPTION...] --all",
	 "End every upstream server, and refuse every external operation, whatever was approved, until a human\n"
	 "says `keyhole go`.\n",
	 CALL(REVIEWER), TAKES(kh_halts_args, stop), .run = kh_halts_stop},
	{"go", "let external operations begin again", AT_HOME, "[OPTION...]",
	 "Let external operations begin again, after `keyhole stop --all`.\n", CALL(REVIEWER), .run = kh_halts_go},

	{"token create", "make a token", AT_HOME, "[OPTION...] NAME",
	 "Make a token: one caller, and for a controller a fresh context.  It is written once and stored nowhere.\n"
	 "An admin makes every kind of token, a host those of controllers and of hooks for their contexts.\n",
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
	 "Put a block into a context that this host keeps.  EVENT says what it is and decides how far it is trusted:\n"
	 "system_prompt, user_message, goal, commitment, supervisor_message; or, untrusted, what the agent was given:\n"
	 "tool_result, mcp_response, file_read, web_fetch.  FILE is the text; - is standard input.\n",
	 WORDS(3, 3), CALL(HOST), TAKES(kh_contexts_args, context_add), .run = kh_contexts_add},
	{"context call", "ask before an agent calls a tool of its own", AT_HOME, "[OPTION...] CONTEXT [TOOL ARGUMENTS]",
	 "Ask whether an agent may call a tool that its host runs itself.  ARGUMENTS is a JSON object.  The policy's\n"
	 "rule is that for host__TOOL.  `allow` is written once, and is exit status 0; `verify` means that somebody\n"
	 "decides: ask again with --call.  Keyhole runs nothing: tell the result with `keyhole context result`.\n",
	 WORDS(1, 3), CALL(HOST), TAKES(kh_contexts_call_args, context_call), .run = kh_contexts_call},
	{"context result", "tell what came of such a call", AT_HOME, "[OPTION...] CONTEXT CALL FILE",
	 "Tell what came of a call that was allowed.  FILE is what the agent is given; - is standard input.\n",
	 WORDS(3, 3), CALL(HOST), TAKES(kh_contexts_call_args, context_result), .run = kh_contexts_result},
	{"context assemble", "write a context as an agent gets it", AT_HOME, "[OPTION...] CONTEXT",
	 "Write a context's blocks as an agent is to get them, the security policy first: as JSON, or as XML.\n",
	 WORDS(1, 1), CALL(HOST), TAKES(kh_contexts_args, context_assemble), .run = kh_contexts_assemble},
	{"upstream import", "take the MCP servers of a client's configuration", AT_HOME, "[OPTION...] FILE",
	 "Take the MCP servers of a client's configuration: mcpServers of Claude, Cursor, Gemini or Windsurf, servers\n"
	 "of VS Code, context_servers of Zed, mcp_servers of Codex; - is standard input.  Without --write, the "
	 "section\n"
	 "`upstreams` is printed and nothing is changed.  With --write, it goes into keyhole.yaml, and what may be a\n"
	 "secret into files of its own; no secret is printed.\n",
	 WORDS(1, 1), .use = KH_HOME_LOOK, NO_TOKEN, TAKES(kh_servers_args, upstream_import), .run = kh_servers_import},
	{"upstream add", "put an MCP server into keyhole.yaml", AT_HOME,
	 "[OPTION...] NAME URL   (or: keyhole upstream add NAME -- COMMAND [ARGUMENT...])",
	 "Put an MCP server into keyhole.yaml: one over Streamable HTTP, or a program.  The program of `npx -y "
	 "PACKAGE`\n"
	 "or `uvx PACKAGE` is the installed copy; if there is none, the command that installs it is written.\n",
	 "0 done; 1 added, and with --rules it does not work; 2 not usable, refused or failed.", WORDS(2, 129),
	 .use = KH_HOME_LOOK, NO_TOKEN, TAKES(kh_servers_args, upstream_add), .run = kh_servers_add},
	{"upstream list", "list the MCP servers of keyhole.yaml", AT_HOME, "[OPTION...]",
	 "List the MCP servers of keyhole.yaml, what each was granted, and how it is: whether the gateway runs it, "
	 "why\n"
	 "not, and how much it has sent to the network today.\n",
	 .use = KH_HOME_LOOK, NO_TOKEN, .run = kh_servers_list},
	{"upstream logs", "show what an MCP server wrote, and how it ended", AT_HOME, "[OPTION...] NAME",
	 "Show what the upstream server NAME wrote to its standard error, when the gateway started it, how it ended,\n"
	 "which of its connections were refused, and which calls failed.  All of it is shown escaped.\n",
	 WORDS(1, 1), .use = KH_HOME_LOOK, NO_TOKEN, TAKES(kh_logs_args, upstream_logs), .run = kh_logs_run},
	{"upstream remove", "take an MCP server out of keyhole.yaml", AT_HOME, "[OPTION...] NAME",
	 "Take an MCP server out of keyhole.yaml.  The files of its secrets stay.\n", WORDS(1, 1), .use = KH_HOME_LOOK,
	 NO_TOKEN, .run = kh_servers_remove},
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

	{"upstream review", "see what an upstream server offers, and approve it", AT_HOME, "[OPTION...] NAME",
	 "Start the upstream server NAME of keyhole.yaml, note what it offers, and show all of it, with what differs\n"
	 "from what was approved.  Everything that the server says stands behind a bar: it is untrusted.  Nothing of\n"
	 "it is offered to agents before an admin has approved it: at a terminal he is asked, elsewhere he names the\n"
	 "digest that the review shows.  Whatever differs later is held, and has to be approved again, even if it\n"
	 "changes back.\n",
	 "0 nothing waits, or it was approved; 1 something waits, or the server does not work; 2 not usable.",
	 WORDS(1, 1), ASK(ADMIN), TAKES(kh_review_args, upstream_review), .run = kh_cli_upstream_review_run},
	{"upstream test", "start an upstream server, and say what it offers", AT_HOME, "[OPTION...] NAME",
	 "Start the upstream server NAME of keyhole.yaml as the gateway would, in its sandbox, and ask which tools\n"
	 "it offers.  Nothing is kept, and no agent is given its tools.  If it does not work, say why, what it\n"
	 "wrote last, and what to do.\n",
	 "0 it works; 1 it does not; 2 not usable.", WORDS(1, 1), .use = KH_HOME_LOOK, .without_token = true,
	 TAKES(kh_trial_args, upstream_test), .run = kh_trial_run},

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
