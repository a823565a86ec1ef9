/*
 * The worker behind the output of one upstream MCP server (U3): it frames, bounds, reads and writes anew, and lives as
 * long as the server.
 *
 *     3    what the server writes: lines
 *     out  the same messages, as kh_rewrite_line() writes them
 *     end  status 0 if the server's output has ended between two messages; else 1 and the reason, for a human
 *
 * The job: {"message_bytes": the longest line, "a_second": messages that are read in a second}.  A server that sends
 * more is read more slowly, and so it waits itself.  A line that is too long, or is no message, ends it: what came
 * before has been written.  Lines before the first message that are not JSON are dropped, up to KH_MCP_GREETING bytes,
 * because real servers greet there; if the output ends after these alone, the reason has the first of them.
 */
#ifndef KH_WORKER_MCP_MCP_H
#define KH_WORKER_MCP_MCP_H

#include "worker/job.h"

#define KH_MCP_BYTES_MOST  (64U << 20)
#define KH_MCP_SECOND_MOST 100000
#define KH_MCP_GREETING    (64U << 10)

kh_worker_job_fn kh_worker_mcp_run;

#endif
