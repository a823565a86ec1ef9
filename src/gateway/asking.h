/*
 * A query from its admission to what the Controller is told (A5): it is admitted, given to its Reader, and waited for
 * up to a bound.  When the Controller is told something depends only on its own call, on the slots of B17 and on the
 * bound.
 *
 * The step of a work drives it by calling kh_asking_step() until that returns KH_WORK_DONE:
 *
 *     first step   asking->query is the Controller's JSON; or asking->of is the id (query's or approval's) of an
 *                  earlier one
 *     later steps  the same struct again; *QUERY and the first step's arena are no longer needed
 */
#ifndef KH_GATEWAY_ASKING_H
#define KH_GATEWAY_ASKING_H

#include "engine/query/admit.h"
#include "engine/query/render_query.h"
#include "engine/waiting.h"
#include "gateway/gateway.h"

#define KH_ASKING_ID 24 /* bytes of a public id, with its NUL */

/*
 * A refusal that came after content was looked at, because others of the same token were faster.  The moment would show
 * how long that took, so it is kept until its slot (I-45).
 */
struct kh_asking_kept {
	int64_t until; /* kh_works_now(); 0: nothing is kept */
	enum kh_err e;
	struct kh_error err;
};

struct kh_asking {
	struct kh_token_claim token; /* the Controller's */
	yyjson_val *query; /* first step only: the query, with the members of admission; or NULL, and `of` is set */
	char of[KH_ASKING_ID];
	/* `until`, 0: the gateway's bound, counted from the first step; `human`: goes on waiting (approval_wait). */
	struct kh_waiting waiting;
	/* out, with KH_WORK_DONE; views live in the arena of that step */
	enum kh_err result;
	char id[KH_ASKING_ID]; /* the query's; empty: refused before it had one, or looked up by its approval */
	struct kh_render_query told;
	enum kh_taint taint; /* of the delivery */
	/* After any step: whether the Controller may know by now that a human decides, and by which approval. */
	bool pending_seen;
	char waits[KH_ASKING_ID];
	/* internal */
	bool begun, advised; /* advised: the advice is made again for a caller that had to wait */
	int64_t came;        /* kh_works_now() of the first step */
	struct kh_asking_kept kept;
};

/* Keeps a public id from one step to the next. */
void kh_asking_keep(char to[KH_ASKING_ID], struct kh_view id);

/*
 * The look at OF, a query or an operation that is recorded, failed with E.  True if it is to be tried again at
 * work->wake_at, because the store may work by then.  Else *ERR, if the store is at fault, says what is true: it is not that
 * nothing was done.
 */
bool kh_asking_again(struct kh_gateway *gateway, const char of[KH_ASKING_ID], const struct kh_waiting *waiting,
		     enum kh_err e, struct kh_work *work, struct kh_error *err);

/* Keeps a refusal until its slot.  False: it can be told now. */
bool kh_asking_hold(struct kh_gateway *gateway, struct kh_asking_kept *kept, int64_t came, struct kh_work *work,
		    enum kh_err e, const struct kh_error *err);

/* Whether what was kept still has to wait. */
bool kh_asking_holds(struct kh_gateway *gateway, const struct kh_asking_kept *kept, struct kh_work *work);

/* One step.  *ERR is filled if asking->result is not KH_OK. */
enum kh_work_next kh_asking_step(struct kh_gateway *gateway, struct kh_asking *asking, struct kh_work *work,
				 struct kh_arena *arena, struct kh_error *err);

#endif
