/* Batches: answers are gathered under a lock and sent by the thread that brings the last one.  They stand in the
 * order of the requests, so that nobody can see which one was answered first (B17). */
#include "mcp/batch.h"

struct kh_mcp_batch {
	struct kh_mcp_exchange *whole;
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	size_t left; /* parts that are to come, and one for kh_mcp_batch_begun() */
	struct kh_arena arena;
	size_t parts;
	struct kh_view answers[KH_MCP_BATCH_MESSAGES]; /* by part; empty: it has none, or not yet */
	bool broken;                                   /* some of its messages could not be taken */
};

static void batch_free(struct kh_mcp_batch *batch)
{
	pthread_mutex_destroy(&batch->lock);
	kh_arena_done(&batch->arena);
	kh_alloc_free(batch->alloc, batch, sizeof(*batch));
}

bool kh_mcp_batch_begin(struct kh_mcp_exchange *whole)
{
	const struct kh_alloc *alloc = whole->peer->mcp->alloc;
	struct kh_mcp_batch *batch = kh_alloc_zero(alloc, sizeof(*batch));

	if (batch == NULL)
		return false;
	batch->whole = whole;
	batch->alloc = alloc;
	batch->left = 1;
	pthread_mutex_init(&batch->lock, NULL);
	kh_arena_init(&batch->arena, alloc, 4 * KH_MCP_BATCH_BYTES);
	whole->batch = batch;
	whole->batch_free = batch_free;
	return true;
}

/* Writes all answers as an array; empty if there are none. */
static enum kh_err write_answers(struct kh_mcp_batch *batch, struct kh_view *ret_text)
{
	struct kh_buf buf;
	bool any = false;

	kh_buf_init(&buf, &batch->arena, KH_MCP_BATCH_BYTES);
	for (size_t i = 0; i < batch->parts; i++) {
		if (batch->answers[i].n == 0)
			continue;
		kh_buf_byte(&buf, any ? ',' : '[');
		kh_buf_add(&buf, batch->answers[i]);
		any = true;
	}
	if (any)
		kh_buf_byte(&buf, ']');
	enum kh_err e = kh_buf_end(&buf, ret_text);
	return e == KH_OK ? kh_arena_check(&batch->arena) : e;
}

/* Counts one part as answered.  The last one answers the whole; the transport then owns the batch and frees it. */
static void count_down(struct kh_mcp_batch *batch)
{
	struct kh_mcp_exchange *whole = batch->whole;
	struct kh_view text = KH_LIT("");

	pthread_mutex_lock(&batch->lock);
	bool last = --batch->left == 0;
	pthread_mutex_unlock(&batch->lock);
	if (!last)
		return;
	if (write_answers(batch, &text) != KH_OK || batch->broken)
		text = KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
			      "\"message\":\"there is no memory for all of this batch\"}}");
	whole->status = text.n > 0 ? 200 : 202;
	whole->transport->send(whole, text, true);
}

void kh_mcp_batch_begun(struct kh_mcp_batch *batch, bool complete)
{
	batch->broken = !complete;
	count_down(batch);
}

/* The transport of parts: other messages are sent in the whole, answers wait for the other parts. */
static void send_part(struct kh_mcp_exchange *part, struct kh_view message, bool last)
{
	struct kh_mcp_batch *batch = part->batch;

	pthread_mutex_lock(&batch->lock);
	if (!last)
		batch->whole->transport->send(batch->whole, message, false);
	else if (message.n > 0)
		batch->answers[part->place] = kh_arena_dup(&batch->arena, message);
	pthread_mutex_unlock(&batch->lock);
	if (!last)
		return;
	kh_mcp_exchange_free(part);
	count_down(batch);
}

static const struct kh_mcp_transport transport = {.send = send_part};

struct kh_mcp_exchange *kh_mcp_batch_add(struct kh_mcp_batch *batch)
{
	struct kh_mcp_exchange *part = kh_mcp_exchange_new(batch->whole->peer, batch->whole->ctx);

	if (part == NULL)
		return NULL;
	part->batch = batch;
	part->transport = &transport;
	pthread_mutex_lock(&batch->lock);
	part->place = batch->parts++;
	batch->left++;
	pthread_mutex_unlock(&batch->lock);
	return part;
}
