/* token.who: every role.  Who the caller is, by its token (SPEC 1: never by a name that it sends). */
#ifndef KH_ENGINE_CONTEXT_WHO_H
#define KH_ENGINE_CONTEXT_WHO_H

#include "engine/state/op.h"

#define KH_WHO_NAME 65
#define KH_WHO_ID   24

struct kh_who {
	int64_t token; /* row */
	enum kh_role role;
	char name[KH_WHO_NAME];
	char id[KH_WHO_ID];      /* the token's public id */
	char context[KH_WHO_ID]; /* a controller's; otherwise empty */
	int64_t expires_at;
};
enum kh_err kh_who_run(struct kh_op *op, void *call);

#endif
