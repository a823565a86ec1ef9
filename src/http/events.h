/*
 * GET /api/v1/events: what is recorded, as it is recorded, as server-sent events:
 *
 *     id: 345
 *     event: query.held
 *     data: {"at":"2025-11-15T08:00:00Z","id":345,"kind":"query.held","task":"t0123456789abcdef"}
 *
 * Only kinds, times and public ids, never content.  For reviewers, admins and hosts; a host sees the tasks of its own
 * contexts.  Never for an agent, because the time at which something happens is a channel (B8).  A client that comes
 * back names the last event that it has seen (Last-Event-ID, or ?after=) and misses none.
 */
#ifndef KH_HTTP_EVENTS_H
#define KH_HTTP_EVENTS_H

#include "http/server.h"

enum kh_err kh_http_events_add(struct kh_http *http, struct kh_error *err) KH_CHECKED;

#endif
