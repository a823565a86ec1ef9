/* What is done for query.admit on the caller's thread, before the transaction and after it (operations.h). */
#ifndef KH_ENGINE_QUERY_INTAKE_H
#define KH_ENGINE_QUERY_INTAKE_H

#include "engine/query/admit.h"

enum kh_err kh_intake_prepare(struct kh_prepare *at, void *call);
enum kh_err kh_intake_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err);

/* Fills in ADMIT's `read`. */
enum kh_err kh_intake_read(struct kh_arena *arena, struct kh_admit *admit) KH_CHECKED;

#endif
