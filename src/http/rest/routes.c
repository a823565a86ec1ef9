/*
 * Every route of the REST API: one row each, in the order of the document.  A row names the function that answers, which
 * is in the file of its subject, and the operation of the engine whose roles may call it.
 *
 * The texts are read by people who have the document alone.
 */
#include "http/rest/routes.h"

#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/show.h"
#include "engine/audit/audittrail.h"
#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/hostcall.h"
#include "engine/comm/list.h"
#include "engine/comm/look.h"
#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/context/output.h"
#include "engine/context/put.h"
#include "engine/context/taskgraph.h"
#include "engine/context/token.h"
#include "engine/query/ask.h"
#include "engine/query/respond.h"
#include "engine/query/tries.h"
#include "engine/task/reset.h"
#include "engine/task/revoke.h"
#include "engine/task/show.h"
#include "engine/task/task.h"
#include "engine/task/transition.h"
#include "engine/upstream/approve.h"
#include "engine/upstream/list.h"
#include "engine/upstream/tools.h"
#include "http/rest/approvals.h"
#include "http/rest/audit.h"
#include "http/rest/blocks.h"
#include "http/rest/comm.h"
#include "http/rest/contexts.h"
#include "http/rest/hostcalls.h"
#include "http/rest/openapi.h"
#include "http/rest/queries.h"
#include "http/rest/tasks.h"
#include "http/rest/tokens.h"
#include "http/rest/upstreams.h"

/* 16 MiB of content, in JSON with as many bytes of escapes; content with more has to be sent as text/plain. */
#define CONTENT ((32U << 20) + KH_REST_SMALL)
#define ANSWER  (1U << 20)
#define LONGEST 3600 /* the most seconds that may be asked for; the gateway's own limit also applies */
#define BUDGET  INT64_C(1000000000)

/* --- words -------------------------------------------------------------------------------------------------------- */

static const struct kh_words outcome_words = KH_WORDS("ok", "failed");
static const struct kh_words audit_words = KH_WORDS("json", "jsonl");
static const struct kh_words context_words = KH_WORDS("json", "xml");
static const struct kh_words graph_words = KH_WORDS("json", "dot", "svg"); /* by enum kh_graph_format */

#define WAIT(what)                                                                           \
	{                                                                                    \
		"wait", KH_REST_NUMBER, .about = "Seconds to wait for " what, .max = LONGEST \
	}

/* --- routes ------------------------------------------------------------------------------------------------------- */

static const struct kh_rest_route routes[] = {
	{KH_HTTP_GET, "/openapi.json", "getDocument", "about", NULL, kh_rest_openapi_show, "Document", "This document",
	 .about = "The description of this API, made from the table that its routes are made from."},
	{KH_HTTP_GET, "/tasks", "listTasks", "tasks", kh_task_list_run, kh_rest_call_page, "TaskList", "List tasks",
	 .about = "A controller gets its own, a host those of its contexts, humans all; the oldest first, at most "
		  "1000 at a time.",
	 .query = {{"all", KH_REST_FLAG, .about = "Also tasks that have ended."},
		   {"after", KH_REST_ID, .about = "Those opened after this one: `next` of the page before.",
		    .letter = 't'}}},
	{KH_HTTP_POST, "/tasks", "openTask", "tasks", kh_task_open_run, kh_rest_tasks_open, "TaskOpened", "Open a task",
	 .about = "What budgets hang on, and what content is put into.  It begins in the phase `planning`.",
	 .body = {{"title", KH_REST_TEXT, .about = "For people; up to 200 bytes of visible text."},
		  {"bits", KH_REST_NUMBER,
		   .about = "The budget in bits; the policy's is the most, and is taken if this is missing.", .min = 1,
		   .max = BUDGET}},
	 .status = 201, .flags = KH_REST_CONFLICTS | KH_REST_RATED},
	{KH_HTTP_GET, "/tasks/{task}", "showTask", "tasks", kh_task_show_run, kh_rest_tasks_show, "Task", "Show a task",
	 .about = "Its state, phase, budget, and the first of its blocks.  How a budget is split, what waits for a "
		  "human, and the labels of blocks are for reviewers and admins alone."},
	{KH_HTTP_POST, "/tasks/{task}/close", "closeTask", "tasks", kh_task_close_run, kh_rest_tasks_close,
	 "TaskClosed", "Close a task",
	 .about = "Open queries fail, and what they reserved is charged; pending approvals are void.  It takes "
		  "nothing any more and stays to be seen.",
	 .flags = KH_REST_CONFLICTS},
	{KH_HTTP_POST, "/tasks/{task}/execution", "beginExecution", "tasks", kh_transition_run, kh_rest_tasks_execute,
	 "TaskPhase", "Go from planning to execution",
	 .about = "With the plan.  202: a human reads the plan first; the same call again, after the approval, uses "
		  "it.",
	 .body_schema = "Plan", .later = 202, .flags = KH_REST_CONFLICTS | KH_REST_RATED},
	{KH_HTTP_POST, "/tasks/{task}/blocks", "putBlock", "blocks", kh_put_run, kh_rest_blocks_put, "BlockPut",
	 "Put content into a task, sealed",
	 .about = "Untrusted data with taint high and an attribution.  Nobody gets it back through this API: a "
		  "controller asks a Reader about it.",
	 .query = {{"source", KH_REST_TEXT,
		    .about = "With a text/plain body: where the content came from, in your words."},
		   {"operation", KH_REST_TEXT,
		    .about = "With a text/plain body: what you say brought it; for the record."}},
	 .body = {{"source", KH_REST_TEXT,
		   .about =
			   "Where the content came from, in your words, for people: a URL, a path.  Nothing is decided "
			   "by it.  Visible characters only.",
		   .required = true},
		  {"operation", KH_REST_TEXT, .about = "What you say brought it; for the record."},
		  {"content", KH_REST_TEXT, .about = "The content itself, up to 16 MiB.", .required = true}},
	 .text_body = "The content itself, up to 16 MiB of UTF-8; `source` is in the URL then.", .limit = CONTENT,
	 .status = 201, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_GET, "/tasks/{task}/blocks", "listBlocks", "blocks", kh_task_show_run, kh_rest_blocks_list,
	 "BlockList", "List the blocks of a task",
	 .about = "Ids and kinds, at most 100 at a time.  `source` is there for whoever gave it, and for humans; "
		  "labels and hashes are for humans alone.",
	 .query = {{"after", KH_REST_ID, .about = "Those after this one: `next` of the page before.", .letter = 'b'}}},
	{KH_HTTP_POST, "/tasks/{task}/queries", "askQuery", "queries", kh_admit_run, kh_rest_queries_ask,
	 "QueryOutcome", "Ask a Reader about sealed content",
	 .about = "200: the query has ended, and this is its outcome.  202: `waiting`, the outcome is not out yet, "
		  "or `pending`, a human decides; getQuery and getOutcome take it up again.",
	 .query = {WAIT("the outcome, at most the gateway's bound, which is also the default.")},
	 .body_schema = "Query", .later = 202, .flags = KH_REST_CONFLICTS | KH_REST_RATED | KH_REST_WAITS},
	{KH_HTTP_GET, "/queries/{query}", "getQuery", "queries", kh_look_run, kh_rest_queries_show, "QueryOutcome",
	 "The outcome of a query", .about = "As of askQuery.",
	 .query = {WAIT("the outcome, for a human's decision too, at most the gateway's bound; 0 if it is missing.")},
	 .later = 202, .flags = KH_REST_WAITS},
	{KH_HTTP_GET, "/queries/{query}/tries", "listTries", "queries", kh_tries_run, kh_rest_queries_tries, "Tries",
	 "What the Reader sent, try by try",
	 .about = "Also what was rejected, and the answers of a redundant extraction that disagreed.  Each `text` is "
		  "untrusted: display it as text and nothing else.  Without `try`, the first page of each.",
	 .query = {{"try", KH_REST_NUMBER, .about = "This one alone, from 1.", .min = 1, .max = KH_TRIES_MAX},
		   {"page", KH_REST_NUMBER, .about = "Of that try; 1 if it is missing.", .min = 1, .max = 1000000}}},
	{KH_HTTP_GET, "/approvals/{approval}/outcome", "getOutcome", "queries", kh_look_run, kh_rest_queries_show,
	 "AnyOutcome", "The outcome of the query or operation that waits for an approval",
	 .about = "For whoever was told `pending` with this approval.  Of an external operation it says what is "
		  "known now, at once: callOperation takes it up again.",
	 .query = {WAIT("the outcome, for a human's decision too, at most the gateway's bound; 0 if it is missing.")},
	 .later = 202, .flags = KH_REST_CONFLICTS | KH_REST_WAITS},
	{KH_HTTP_POST, "/asks/next", "nextAsk", "readers", kh_ask_next_run, kh_rest_queries_next, "Ask",
	 "Take what this Reader is to answer",
	 .about = "The oldest query that waits for the Reader whose token this is, with the sealed content in "
		  "fences.  204: there is none.",
	 .query = {WAIT("something to read, at most the gateway's bound; 0 if it is missing.")}, .later = 204,
	 .flags = KH_REST_WAITS},
	{KH_HTTP_POST, "/asks/{ask}/response", "respond", "readers", kh_respond_run, kh_rest_queries_respond,
	 "ResponseResult", "Answer what was asked",
	 .about = "In the form that the query asks for: `fields`, `answers` or `summary`, with `query_id` or "
		  "without.",
	 .body_schema = "Response", .limit = ANSWER},
	{KH_HTTP_GET, "/tasks/{task}/declarations", "listDeclarations", "operations", kh_comm_list_run,
	 kh_rest_call_page, "DeclarationList", "List the external operations of a task",
	 .about = "In the order in which they were declared.  A controller gets of each what it may know.",
	 .query = {{"after", KH_REST_ID, .about = "Those after this one: `next` of the page before.", .letter = 'd'},
		   {"limit", KH_REST_NUMBER, .about = "At most so many; 100 if it is missing.", .min = 1,
		    .max = 1000}}},
	{KH_HTTP_POST, "/tasks/{task}/declarations", "declare", "operations", kh_declare_run, kh_rest_comm_declare,
	 "Declared", "Say what will be needed from outside, and why",
	 .about = "Runs nothing, in both phases.  Each is decided now as a call in the execution phase would be: "
		  "`deny` has no id; `ask` is asked for at once, and similar ones share an approval.",
	 .body_schema = "Declaration", .flags = KH_REST_CONFLICTS | KH_REST_RATED},
	{KH_HTTP_POST, "/tasks/{task}/operations", "callOperation", "operations", kh_comm_call_run,
	 kh_rest_comm_operate, "OperationOutcome", "Have an external operation carried out",
	 .about = "One that is declared here, or was declared before.  All gates are passed again at this moment; "
		  "one that denies is 403 with its code.  200: it has ended, and this is how.  202: `pending`, a "
		  "human decides, or `running`; the same call with `declaration` takes it up again, and nothing is "
		  "done twice.",
	 .query = {WAIT(
		 "the outcome, for a human's decision too, at most the gateway's bound, which is also the default.")},
	 .body_schema = "OperationCall", .later = 202, .flags = KH_REST_CONFLICTS | KH_REST_RATED | KH_REST_WAITS},
	{KH_HTTP_GET, "/declarations/{declaration}", "showDeclaration", "operations", kh_comm_look_run,
	 kh_rest_comm_show, "DeclarationShown", "What is known of an external operation",
	 .about = "A controller gets its outcome (200 if it has ended, else 202).  A host, reviewer or admin "
		  "gets what was declared and why, by which approvals it went, and what the world said, which is "
		  "untrusted: display it as text and nothing else.  What the gates said is in the audit, what "
		  "matched in the approval.  Nothing is carried out.",
	 .later = 202},
	{KH_HTTP_GET, "/approvals", "listApprovals", "approvals", kh_approval_list_run, kh_rest_call_page,
	 "ApprovalList", "List what waits for a decision",
	 .about = "No content; the oldest first, at most 200 at a time.  A supervisor gets tool calls alone.",
	 .query = {{"all", KH_REST_FLAG, .about = "Also those that no longer wait."},
		   {"after", KH_REST_ID, .about = "Those after this one: `next` of the page before.", .letter = 'a'}}},
	{KH_HTTP_GET, "/approvals/{approval}", "showApproval", "approvals", kh_approval_show_run,
	 kh_rest_approvals_show, "Approval", "Show a page of what is to be decided",
	 .about = "That it was shown to this principal is recorded first; all pages must have been, before a "
		  "decision.  `text` under a `label` is untrusted: display it as text and nothing else.",
	 .query = {{"page", KH_REST_NUMBER, .about = "Which page of the text; 1 if it is missing.", .min = 1,
		    .max = 1000000}}},
	{KH_HTTP_POST, "/approvals/{approval}/decision", "decideApproval", "approvals", kh_approval_decide_run,
	 kh_rest_approvals_decide, "Decision", "Decide",
	 .about = "The first decision counts; the second is told who decided what (409).  A supervisor decides tool "
		  "calls alone.",
	 .body = {{"decision", KH_REST_WORD,
		   .about = "`edit` puts another answer, or an operation's other parameters, in the place of what is "
			    "shown.",
		   .required = true, .words = &kh_approval_decide_words},
		  {"digest", KH_REST_TEXT,
		   .about = "The `digest` of the approval as it was shown: 64 hexadecimal digits.", .required = true},
		  {"edited", KH_REST_ANSWER,
		   .about = "With `edit` of an answer: it in the form of the one that is shown, or a summary's text "
			    "alone, "
			    "checked and charged like an answer of the Reader.  With `edit` of a declaration or tool "
			    "call: an "
			    "object, its other parameters; that is a new declaration, governed again, with an approval "
			    "of "
			    "its own.  With `edit` of an upstream's elicitation: an object with the fields of its "
			    "`form`, "
			    "which is sent to the server."},
		  {"note", KH_REST_TEXT, .about = "The decider's own words, for the record."},
		  {"host", KH_REST_TEXT,
		   .about = "A wider grant: any arguments towards the host that was shown, which is named here."},
		  {"uses", KH_REST_NUMBER, .about = "A wider grant: so many uses.", .min = 1,
		   .max = KH_APPROVAL_DECIDE_USES},
		  {"until", KH_REST_TIME, .about = "A grant until then."}},
	 .limit = ANSWER, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_GET, "/contexts/{context}", "showContext", "contexts", kh_context_show_run, kh_rest_contexts_show,
	 "Context", "Show a context",
	 .about = "Its taint, what it was exposed to, its budget over all tasks, its open tasks."},
	{KH_HTTP_POST, "/contexts/{context}/blocks", "addToContext", "contexts", kh_context_add_run,
	 kh_rest_contexts_add, "BlockPut", "Put what the agent is told into its context",
	 .about = "By the host that made the context's token, or a hook that was made for the context.  What the "
		  "agent was given by tools of its own is untrusted data, and calls are compared with it from then "
		  "on.  A hook adds only that, and messages that it says are the user's, which count as claimed.  "
		  "Content that the agent is not to see comes by putBlock.",
	 .body = {{"event", KH_REST_WORD, .about = "What happened: it decides the block's trust and type.",
		   .required = true, .words = &kh_event_words},
		  {"content", KH_REST_TEXT, .about = "Up to 16 MiB.", .required = true},
		  {"source", KH_REST_TEXT, .about = "Where it came from, for people."},
		  {"tool", KH_REST_TEXT,
		   .about = "The agent's tool that gave it.  The policy's rule for host__<tool> says whether it is the "
			    "user's own; without one it is the world's."},
		  {"arguments", KH_REST_OBJECT, .about = "What that tool was called with, for the rule."}},
	 .limit = CONTENT, .status = 201, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_GET, "/contexts/{context}/blocks", "assembleContext", "contexts", kh_context_assemble_run,
	 kh_rest_contexts_assemble, "Blocks", "The context as its agent gets it",
	 .about = "The security policy first, then what the host put in, outputs and deliveries since the last "
		  "reset; never sealed content.",
	 .query = {{"format", KH_REST_WORD, .about = "json if it is missing.", .words = &context_words}},
	 .other_types = {"application/xml"}},
	{KH_HTTP_POST, "/contexts/{context}/outputs", "addOutput", "contexts", kh_context_output_run,
	 kh_rest_contexts_output, "OutputPut", "Put in what the agent wrote",
	 .about = "It is tainted by all that the context was given.  `flagged`: something untrusted is in its "
		  "closure.  `unattributed`: the external content that it repeats without naming the source (E10).",
	 .body = {{"content", KH_REST_TEXT, .about = "What the agent wrote, up to 16 MiB.", .required = true},
		  {"tainted_by", KH_REST_IDS,
		   .about = "Blocks of this context that it also comes from; this can only add to what Keyhole knows.",
		   .letter = 'b'}},
	 .limit = CONTENT, .status = 201, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_POST, "/contexts/{context}/calls", "askCall", "contexts", kh_hostcall_run, kh_rest_hostcalls_ask,
	 "Verdict", "Ask before the agent calls a tool of its own",
	 .about = "By its host or a hook.  The gates are those of external operations, but for declaration and phase; "
		  "the policy's rule is that for host__<tool>.  200: `allow`, told once, or `deny` with the gate's "
		  "code.  202: `verify`, somebody decides; the same with `call` takes it up again.  Keyhole runs "
		  "nothing: tell what came of it by tellResult.",
	 .query = {WAIT("a decision, at most the gateway's bound, which is also the default.")},
	 .body = {{"tool", KH_REST_TEXT, .about = "The tool's name, [A-Za-z0-9_-]{1,64}."},
		  {"arguments", KH_REST_OBJECT, .about = "What it will be called with, up to 48 KiB; beside `tool`."},
		  {"reason", KH_REST_TEXT, .about = "Why, for whoever decides."},
		  {"call", KH_REST_ID, .about = "In place of these: a call that was asked about before.",
		   .letter = 'd'}},
	 .later = 202, .flags = KH_REST_CONFLICTS | KH_REST_RATED | KH_REST_WAITS},
	{KH_HTTP_POST, "/contexts/{context}/calls/{declaration}/result", "tellResult", "contexts",
	 kh_hostcall_result_run, kh_rest_hostcalls_result, "BlockPut", "Tell what came of such a call",
	 .about = "Once, after `allow` and within its time; after that the call has ended as unknown.  It becomes a "
		  "block, as addToContext makes one of a `tool_result`.",
	 .body = {{"content", KH_REST_TEXT, .about = "What the agent is given, up to 16 MiB.", .required = true},
		  {"outcome", KH_REST_WORD, .about = "What the tool says; ok if it is missing.",
		   .words = &outcome_words}},
	 .limit = CONTENT, .status = 201, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_POST, "/contexts/{context}/reset", "resetContext", "contexts", kh_reset_run, kh_rest_contexts_reset,
	 "ContextReset", "Say that the agent's memory was cleared",
	 .about = "Taint low, a fresh budget; its tasks are closed.  Only a human can say so.",
	 .body = {{"reason", KH_REST_TEXT, .about = "10 characters or more, on the record.", .required = true}}},
	{KH_HTTP_GET, "/tokens", "listTokens", "tokens", kh_token_list_run, kh_rest_call_page, "TokenList",
	 "List tokens", .about = "Without their secrets.  A host sees those that it made; at most 1000 at a time.",
	 .query = {{"all", KH_REST_FLAG, .about = "Also those that were revoked or have expired."},
		   {"after", KH_REST_ID, .about = "Those made after this one: `next` of the page before.",
		    .letter = 'k'}}},
	{KH_HTTP_POST, "/tokens", "createToken", "tokens", kh_token_create_run, kh_rest_tokens_create, "TokenCreated",
	 "Make a token", .about = "One principal, and for a controller a fresh context.  `token` is shown this once.",
	 .body = {{"name", KH_REST_TEXT,
		   .about = "[A-Za-z_][A-Za-z0-9_.-]{0,63}; a Reader's is what queries name as their target.",
		   .required = true},
		  {"role", KH_REST_WORD, .about = "A host makes controllers, and hooks for their contexts.",
		   .required = true, .words = &kh_policy_role_words},
		  {"context", KH_REST_ID, .about = "Of a hook, and needed for one: the context that it is for.",
		   .letter = 'c'},
		  {"bits", KH_REST_NUMBER, .about = "A smaller budget for a controller's context.", .min = 1,
		   .max = BUDGET},
		  {"expires_at", KH_REST_TIME, .about = "Valid until then; until it is revoked if this is missing."}},
	 .status = 201, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_DELETE, "/tokens/{token}", "revokeToken", "tokens", kh_revoke_run, kh_rest_tokens_revoke, NULL,
	 "Revoke a token",
	 .about = "For good and at once.  A controller's open tasks are closed; what a Reader was asked fails.",
	 .status = 204, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_GET, "/upstreams", "listUpstreams", "upstreams", kh_upstream_list_run, kh_rest_call_page,
	 "UpstreamList", "List upstream servers",
	 .about = "Those that were seen, and how many of their tools are approved, held, or wait for a first review."},
	{KH_HTTP_GET, "/upstreams/{upstream}", "reviewUpstream", "upstreams", kh_upstream_review_run,
	 kh_rest_upstreams_review, "UpstreamReview", "Everything that an upstream server offers",
	 .about = "As it was seen last, with what differs from what was approved.  All of it is the server's own text, "
		  "untrusted: display it as text and nothing else.  `keyhole upstream review` asks the server anew."},
	{KH_HTTP_POST, "/upstreams/{upstream}/approve", "approveUpstream", "upstreams", kh_upstream_approve_run,
	 kh_rest_upstreams_approve, "UpstreamApproved", "Approve what a review showed",
	 .about = "From then on these tools are offered to controllers and can be called, exactly as they were shown; "
		  "whatever differs later is held.  409: it is not what the server offers now.",
	 .body_schema = "UpstreamApproval", .limit = ANSWER, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_GET, "/tools", "listTools", "upstreams", kh_upstream_tools_run, kh_rest_upstreams_tools, "ToolList",
	 "List the tools of upstream servers that were approved",
	 .about = "As they were approved.  A controller calls one with callOperation: `operation`, and what the tool "
		  "takes as `parameters`."},
	{KH_HTTP_GET, "/me", "getMe", "about", kh_who_run, kh_rest_tokens_me, "Me",
	 "Who the token says that the caller is", .about = "Its name, role, and a controller's context.",
	 .flags = KH_REST_FRESH},
	{KH_HTTP_GET, "/policy", "getPolicy", "about", kh_who_run, kh_rest_tokens_policy, "PolicyInForce",
	 "The policy in force",
	 .about = "All of it, defaults included, and its digest: the version that grants are bound to.",
	 .flags = KH_REST_FRESH, .roles = KH_ROLE_BIT(KH_ROLE_HOOK) - 1 /* all others */},
	{KH_HTTP_GET, "/audit", "listEvents", "audit", kh_audittrail_run, kh_rest_audit_list, "EventList",
	 "Read the record",
	 .about = "The oldest first.  A page may have fewer events than the limit, even none, and still a `next`: a "
		  "filter is looked through a bounded number of events at a time.  As JSON Lines, the next page is "
		  "in the header Link.  `keyhole audit verify` proves the record.",
	 .query = {{"after", KH_REST_ID, .about = "Events after this one: `next` of the page before.", .letter = 'e'},
		   {"last", KH_REST_NUMBER,
		    .about = "Without `after`: begin with the last so many events of the record.", .min = 1,
		    .max = KH_AUDITTRAIL_LAST},
		   {"limit", KH_REST_NUMBER, .about = "At most so many; 100 by default.", .min = 1,
		    .max = KH_AUDITTRAIL_LIMIT},
		   {"task", KH_REST_TEXT, .about = "Events of this task; `system`: those of no task."},
		   {"principal", KH_REST_TEXT,
		    .about = "Events by this token, by its id or its name; `keyhole`: by Keyhole."},
		   {"kind", KH_REST_TEXT, .about = "Events of this kind, or group of kinds: query.delivered, query."},
		   {"since", KH_REST_TEXT, .about = "Events from then on: 2026-11-15, 2026-11-15T08:30:00Z."},
		   {"until", KH_REST_TEXT, .about = "Events before then."},
		   {"format", KH_REST_WORD, .about = "json if it is missing; jsonl: an event a line.",
		    .words = &audit_words}},
	 .other_types = {"application/jsonl"}},
	{KH_HTTP_GET, "/audit/{event}", "showEvent", "audit", kh_audittrail_run, kh_rest_audit_show, "Event",
	 "One event",
	 .about =
		 "`event` is byte for byte what `hash` is the BLAKE2b-256 of.  `follows` is the event before it in its "
		 "chain.  `because` says why Readers were asked again or failed: untrusted text."},
	{KH_HTTP_GET, "/tasks/{task}/graph", "getTaskGraph", "tasks", kh_taskgraph_run, kh_rest_tasks_graph,
	 "TaskGraph", "The taint graph of a task",
	 .about = "Its blocks, the outputs that they have influenced, and everything that influenced one of these, "
		  "with labels and sources and without content.  A host gets the sources that it gave itself.  409: "
		  "it has too many blocks, more than 4,096.",
	 .query = {{"format", KH_REST_WORD, .about = "json if it is missing.", .words = &graph_words}},
	 .other_types = {"text/vnd.graphviz", "image/svg+xml"}, .flags = KH_REST_CONFLICTS},
	{KH_HTTP_GET, "/events", "watchEvents", "audit", NULL, NULL, NULL, "What happens, as it happens",
	 .about = "Server-sent events: the id, kind, time and task of each event of the record, and no content.  "
		  "A host gets those of its own contexts' tasks.  Nobody's agent: the moment at which others act "
		  "is not for a controller to know.",
	 .query = {{"after", KH_REST_TEXT,
		    .about = "The id of an event: those after it; `start`: all; those from now on if it is missing.  "
			     "The header Last-Event-ID goes before it."}},
	 .other_types = {"text/event-stream"},
	 .roles = KH_ROLE_BIT(KH_ROLE_HOST) | KH_ROLE_BIT(KH_ROLE_REVIEWER) | KH_ROLE_BIT(KH_ROLE_ADMIN)},
};

const struct kh_rest_route *kh_rest_routes_all(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
