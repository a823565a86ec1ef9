/* Health.  The probe is an operation that does nothing.  It is submitted and not waited for, on a separate thread,
 * so that a store that hangs does not hang the client that asks about it. */
#include "http/health.h"

#include "base/alloc.h"
#include "http/reply.h"

#include <pthread.h>

#define FRESH  INT64_C(1000000) /* microseconds for which a probe's result is used */
#define WITHIN INT64_C(2000000) /* microseconds in which the store has to answer */
#define AGAIN  INT64_C(20000)

struct kh_http_health {
	struct kh_http_health_settings settings;
	const struct kh_alloc *alloc;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct kh_store_job job;
	bool under_way, good;
	int64_t at; /* when the last probe ended; 0: none yet */
};

static enum kh_work_next run_healthz(struct kh_http_request *r)
{
	kh_http_reply(r, 200, "text/plain; charset=utf-8", KH_LIT("ok\n"), NULL, 0);
	return KH_WORK_DONE;
}

static enum kh_work_next run_home(struct kh_http_request *r)
{
	kh_http_reply(r, 200, "text/plain; charset=utf-8",
		      KH_LIT("Keyhole.  The console is not in this version: approvals are decided with `keyhole "
			     "approvals`, or "
			     "over /api/v1.\n"),
		      NULL, 0);
	return KH_WORK_DONE;
}

/* --- the probe ---------------------------------------------------------------------------------------------------- */

static enum kh_err do_nothing(struct kh_txn *txn, void *arg)
{
	(void)txn;
	(void)arg;
	return KH_OK;
}

static void probed(struct kh_store_job *job)
{
	struct kh_http_health *health = job->arg;

	pthread_mutex_lock(&health->lock);
	health->under_way = false;
	health->good = job->result == KH_OK;
	health->at = kh_works_now();
	pthread_cond_broadcast(&health->ended);
	pthread_mutex_unlock(&health->lock);
}

/* Returns true if a probe's result is there; else starts one if none is under way. */
static bool probe(struct kh_http_health *health, bool *ret_good)
{
	bool fresh, begin;

	pthread_mutex_lock(&health->lock);
	fresh = health->at != 0 && kh_works_now() - health->at < FRESH;
	*ret_good = health->good;
	begin = !fresh && !health->under_way;
	if (begin) {
		health->under_way = true;
		health->job = (struct kh_store_job){.fn = do_nothing, .arg = health, .done = probed};
	}
	pthread_mutex_unlock(&health->lock);
	if (begin)
		kh_store_submit(kh_engine_store(kh_gateway_engine(health->settings.gateway)), &health->job);
	return fresh;
}

/* What is missing, as a line of text; NULL: nothing. */
static const char *find_missing(const struct kh_gateway_machine *machine, bool stopping, bool store)
{
	if (stopping)
		return "not ready: the gateway is stopping\n";
	if (!store)
		return "not ready: the store does not answer\n";
	if (!machine->executor)
		return machine->returns ? "not ready: no executor; another one is being started\n"
					: "not ready: no executor\n";
	if (machine->store_low)
		return "not ready: the disk of the store is full\n";
	return machine->workspace_low ? "not ready: the disk of the workspaces is full\n" : NULL;
}

struct asked {
	int64_t until;
};

static enum kh_work_next run_readyz(struct kh_http_request *r)
{
	struct kh_http_health *health = r->ctx;
	struct asked *asked = kh_http_request_kept(r, sizeof(*asked));
	bool good = false;
	bool stopping = kh_works_is_stopping(kh_gateway_works(r->frame->gateway)) ||
			kh_works_is_stopping(r->work.works);

	if (asked == NULL)
		return KH_WORK_DONE;
	if (asked->until == 0)
		asked->until = kh_works_now() + WITHIN;
	if (!stopping && !probe(health, &good) && kh_works_now() < asked->until) {
		r->work.wake_at = kh_works_now() + AGAIN;
		return KH_WORK_WAIT;
	}
	struct kh_gateway_machine machine = kh_gateway_machine(health->settings.gateway);
	const char *missing = find_missing(&machine, stopping, good);
	const char *ready = machine.replaced && !machine.spawner
				    ? "ready; no spawner: an executor that dies is not replaced\n"
				    : "ready\n";

	kh_http_reply(r, missing == NULL ? 200 : 503, "text/plain; charset=utf-8",
		      kh_view_str(missing != NULL ? missing : ready), NULL, 0);
	return KH_WORK_DONE;
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static const struct kh_http_route routes[] = {
	{KH_HTTP_GET, "/healthz", KH_HTTP_OPEN, 0, run_healthz, false, true},
	{KH_HTTP_GET, "/readyz", KH_HTTP_OPEN, 0, run_readyz, false, true},
	{KH_HTTP_GET, "/", KH_HTTP_OPEN, 0, run_home, false, true},
};

enum kh_err kh_http_health_new(const struct kh_http_health_settings *settings, struct kh_http_health **ret_health,
			       struct kh_error *err)
{
	const struct kh_alloc *alloc = kh_engine_alloc(kh_gateway_engine(settings->gateway));
	struct kh_http_health *health = kh_alloc_zero(alloc, sizeof(*health));

	if (health == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the server");
	health->settings = *settings;
	health->alloc = alloc;
	pthread_mutex_init(&health->lock, NULL);
	pthread_cond_init(&health->ended, NULL);
	*ret_health = health;
	return KH_OK;
}

enum kh_err kh_http_health_add(struct kh_http_health *health, struct kh_http *http, struct kh_error *err)
{
	return kh_http_add(http, routes, sizeof(routes) / sizeof(routes[0]), health, err);
}

void kh_http_health_free(struct kh_http_health *health)
{
	if (health == NULL)
		return;
	pthread_mutex_lock(&health->lock);
	while (health->under_way)
		pthread_cond_wait(&health->ended, &health->lock);
	pthread_mutex_unlock(&health->lock);
	pthread_cond_destroy(&health->ended);
	pthread_mutex_destroy(&health->lock);
	kh_alloc_free(health->alloc, health, sizeof(*health));
}
