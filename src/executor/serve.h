/*
 * A request that runs a server (U1): a program that lives long, and speaks in messages over its standard streams.
 *
 *     parent ── INPUT ──> executor ── pipe ──> server ── pipe ──> worker mcp ── pipe ──> executor ── OUTPUT ──> parent
 *                                                └── standard error ──> the newest bytes are kept
 *
 * The server and the worker are in sandboxes of their own.  The executor reads no byte for its meaning, and holds one
 * packet for each way: a server that does not read is not written to, and a parent that does not read stops the server.
 * The worker writes anew what the server puts out; when it ends with a reason, the request ends with it.
 */
#ifndef KH_EXECUTOR_SERVE_H
#define KH_EXECUTOR_SERVE_H

#include "executor/job.h"

extern const struct kh_job_kind kh_serve_kind;

/* Adds to END what a server has besides: why its worker ended it, and what is kept of its standard error. */
void kh_serve_report(const struct kh_job *job, struct kh_message_out *out);

#endif
