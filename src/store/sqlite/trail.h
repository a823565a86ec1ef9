/* The audit's tables, task_audits and system_logs, and the checkpoints: implements functions of backend.h. */
#ifndef KH_STORE_SQLITE_TRAIL_H
#define KH_STORE_SQLITE_TRAIL_H

#include "store/audit.h"
#include "store/sqlite/savepoint.h"

enum kh_err kh_trail_last(struct kh_txn *txn, int64_t *ret_id) KH_CHECKED;
enum kh_err kh_trail_append(struct kh_txn *txn, const struct kh_audit_entry *entry) KH_CHECKED;
enum kh_err kh_trail_read(struct kh_txn *txn, int64_t after, bool system_only, kh_audit_fn *fn, void *arg) KH_CHECKED;
enum kh_err kh_trail_entry(struct kh_txn *txn, struct kh_arena *arena, int64_t id,
			   struct kh_audit_entry *ret_entry) KH_CHECKED;
enum kh_err kh_trail_add_checkpoint(struct kh_txn *txn, const struct kh_backend_checkpoint *checkpoint) KH_CHECKED;
enum kh_err kh_trail_checkpoint(struct kh_txn *txn, struct kh_arena *arena, int64_t id,
				struct kh_backend_checkpoint *ret_checkpoint) KH_CHECKED;

#endif
