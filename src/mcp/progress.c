/* The progress clock of a call.  It is shared by its work and its exchange: the one that ends last frees it. */
#include "mcp/progress.h"

#include <stdio.h>

struct kh_mcp_progress {
	struct kh_work work; /* the first member */
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;             /* guards the members that follow */
	struct kh_mcp_exchange *exchange; /* NULL: the exchange has ended */
	bool over;                        /* the work has ended */
	uint64_t ticks;
	int64_t began;
};

static void give_back(struct kh_mcp_progress *p)
{
	pthread_mutex_destroy(&p->lock);
	kh_alloc_free(p->alloc, p, sizeof(*p));
}

static void say(struct kh_mcp_exchange *x, uint64_t ticks)
{
	char text[KH_RPC_ID + 160];
	int n = snprintf(
		text, sizeof(text),
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%.*s,"
		"\"progress\":%llu}}",
		(int)x->progress_n, x->progress_token, (unsigned long long)ticks);

	kh_mcp_exchange_send(x, kh_view_of(text, (size_t)n));
}

static enum kh_work_next tick(struct kh_work *work)
{
	struct kh_mcp_progress *p = (struct kh_mcp_progress *)work;
	int64_t now = kh_works_now();

	pthread_mutex_lock(&p->lock);
	uint64_t ticks = (uint64_t)((now - p->began) / KH_MCP_PROGRESS_EVERY);
	if (p->exchange != NULL && ticks > p->ticks) {
		p->ticks = ticks;
		say(p->exchange, ticks);
	}
	bool ended = p->exchange == NULL;
	p->over = ended || kh_works_is_stopping(work->works);
	work->wake_at = p->began + (int64_t)(p->ticks + 1) * KH_MCP_PROGRESS_EVERY;
	enum kh_work_next next = p->over ? KH_WORK_DONE : KH_WORK_WAIT;
	pthread_mutex_unlock(&p->lock);
	if (ended)
		give_back(p);
	return next;
}

void kh_mcp_progress_begin(struct kh_mcp_exchange *x)
{
	const struct kh_alloc *alloc = x->peer->mcp->alloc;
	struct kh_mcp_progress *p = kh_alloc_zero(alloc, sizeof(*p));

	if (p == NULL)
		return;
	p->work.step = tick;
	p->alloc = alloc;
	p->exchange = x;
	p->began = x->began;
	pthread_mutex_init(&p->lock, NULL);
	if (kh_works_add(kh_gateway_works(x->peer->mcp->gateway), &p->work))
		x->progress = p;
	else
		give_back(p);
}

void kh_mcp_progress_end(struct kh_mcp_exchange *x)
{
	struct kh_mcp_progress *p = x->progress;

	pthread_mutex_lock(&p->lock);
	bool over = p->over;
	p->exchange = NULL;
	if (!over)
		kh_works_wake(&p->work); /* the work frees it */
	pthread_mutex_unlock(&p->lock);
	if (over)
		give_back(p);
	x->progress = NULL;
}
