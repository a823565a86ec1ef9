/*
 * The executor's loop: one thread, no blocking, no allocation for a request.  Trusts that its parent is the process
 * that started it, and checks every message all the same.  When the parent is gone, for whatever reason, everything
 * that was started here is killed and the executor ends.  When the executor is killed, its sandboxes die by their
 * parent-death signal.
 */
#include "executor/executor.h"

#include "base/clock.h"
#include "executor/parking.h"
#include "executor/step.h"
#include "executor/workers.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define QUIET_US 3000                /* after a request began, before sandboxes are made in advance */
#define RESERVED 32                  /* descriptors that are not for requests */
#define A_WARM   (4 * KH_POOL_KINDS) /* descriptors of one more warm sandbox of each kind */
#define JOBS     (KH_EXECUTOR_JOBS + KH_EXECUTOR_SERVERS)
#define WATCHES  (2 + JOBS * KH_JOB_WATCHES + 2 * KH_POOL_SLOTS)

struct executor {
	struct kh_sandbox_kit kit;
	struct kh_pool pool;
	struct kh_job_house house; /* its jobs are in memory that is not copied on fork */
	unsigned char busy[JOBS];
	enum kh_message_state state;
	char buffer[KH_MESSAGE_MAX];
	size_t warm;     /* how many warm sandboxes there are descriptors for */
	int64_t busy_us; /* when a request last began */
	struct kh_parking parking;
	struct pollfd watch[WATCHES];
	size_t job_watch[JOBS + 1], slot_watch[KH_POOL_SLOTS + 1]; /* index of each one's first entry */
};

static void harden(void)
{
	struct rlimit none = {1, 1}, files;
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	setsid(); /* a terminal's signals are for the parent */
	prctl(PR_SET_NAME, "keyhole-exec");
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	sigaction(SIGPIPE, &ignore, NULL);
}

/* A request too many gets an error; running out of descriptors would end all requests. */
static bool find_room(struct executor *x)
{
	struct rlimit files = {0};

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur <= RESERVED)
		return false;
	size_t n = (files.rlim_cur < 65536 ? files.rlim_cur : 65536) - RESERVED;
	x->house = (struct kh_job_house){.count = JOBS,
					 .busy = x->busy,
					 .step = kh_step,
					 .most_requests = KH_EXECUTOR_JOBS,
					 .most_servers = KH_EXECUTOR_SERVERS,
					 .most_descriptors = n * 3 / 4};
	x->warm = (n - x->house.most_descriptors) / A_WARM;
	return kh_job_has_room(&x->house);
}

/*
 * Requests hold data that no sandbox may see: other requests, keys.  Their memory is zero in every forked process.  Its
 * last byte, which belongs to no request, is not zero here, so that a sandbox can see whether that is so.
 */
static char *make_jobs(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || p == NULL || madvise(p, size, MADV_WIPEONFORK) != 0 ||
	    madvise(p, size, MADV_DONTDUMP) != 0)
		return NULL;
	p[size - 1] = 1;
	return p;
}

static bool send_ready(const struct executor *x)
{
	char buffer[256];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_READY);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(kh_cgroup_base_has(&x->kit.cgroup)));
	return kh_channel_say(KH_CHANNEL_INHERITED, &out, NULL, 0) == KH_IO_DONE;
}

/* Reports on CHANNEL that there is no room for its request. */
static void refuse(int channel)
{
	char buffer[128];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_END);
	kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_BUSY);
	kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("more requests at once than there is room for"));
	(void)!kh_channel_say(channel, &out, NULL, 0);
	close(channel);
}

/* A request too many is refused when it is known what it is, because there is other room for servers; or at once, if it
 * has not come with its channel. */
static void open_request(struct executor *x, int channel)
{
	struct kh_job *job = kh_job_find(&x->house);
	bool has_room = kh_job_has_room(&x->house);

	if (job == NULL) {
		refuse(channel);
		return;
	}
	fcntl(channel, F_SETFL, O_NONBLOCK);
	x->busy_us = kh_clock_us();
	kh_job_begin(job, &x->house, &x->pool, channel);
	kh_step(job);
	if (!has_room && job->phase == KH_JOB_NEW && !kh_job_admit(job, false))
		kh_step(job);
}

/* Takes one message of the parent; false if there is none now.  Sets *RET_STOP if the executor must end. */
static bool take_control(struct executor *x, bool *ret_stop)
{
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	struct kh_view packet;
	struct kh_message message;
	enum kh_io io = kh_channel_receive(KH_CHANNEL_INHERITED, x->buffer, &packet, fds, &count);

	if (io == KH_IO_AGAIN)
		return false;
	*ret_stop = true;
	if (io != KH_IO_DONE || kh_message_read(packet, count, &x->state, &message, NULL) != KH_OK)
		return false;
	if (message.type == KH_MESSAGE_HELLO) {
		*ret_stop = message.number[KH_FIELD_PROTOCOL] != KH_MESSAGE_VERSION;
		size_t wanted = message.number[KH_FIELD_POOL];
		kh_pool_init(&x->pool, &x->kit, (unsigned)(wanted < x->warm ? wanted : x->warm));
		*ret_stop |= !send_ready(x);
		return true;
	}
	*ret_stop = false;
	open_request(x, fds[0]);
	return true;
}

/* Everything to wait for, computed from the current state of all jobs and sandboxes. */
static size_t watch_all(struct executor *x, int64_t *wake_us)
{
	size_t n = 0;

	x->watch[n++] = (struct pollfd){.fd = KH_CHANNEL_INHERITED, .events = POLLIN};
	x->watch[n++] = (struct pollfd){.fd = x->parking.epoll, .events = POLLIN};
	kh_parking_wake(&x->parking, wake_us);
	for (size_t i = 0; i < JOBS; i++) {
		x->job_watch[i] = n;
		if (x->busy[i] && !kh_parking_has(&x->parking, i))
			n += kh_step_watch(&x->house.jobs[i], x->watch + n, wake_us);
	}
	x->job_watch[JOBS] = n;
	for (size_t i = 0; i < KH_POOL_SLOTS; i++) {
		const struct kh_slot *slot = &x->pool.slots[i];
		x->slot_watch[i] = n;
		if (x->pool.uses[i] != KH_SLOT_WARM && x->pool.uses[i] != KH_SLOT_DYING)
			continue;
		x->watch[n++] = (struct pollfd){.fd = slot->sandbox.pidfd, .events = POLLIN};
		if (slot->use == KH_SLOT_WARM && slot->state != KH_STATE_ENDED)
			x->watch[n++] = (struct pollfd){.fd = slot->sandbox.channel, .events = POLLIN};
	}
	x->slot_watch[KH_POOL_SLOTS] = n;
	return n;
}

static bool is_ready(const struct executor *x, size_t from, size_t to)
{
	while (from < to && x->watch[from].revents == 0)
		from++;
	return from < to;
}

static void step_parked(struct executor *x)
{
	size_t ready[JOBS], count = kh_parking_ready(&x->parking, x->watch[1].revents != 0, ready);

	for (size_t i = 0; i < count; i++) {
		struct kh_job *job = &x->house.jobs[ready[i]];
		kh_step(job);
		kh_parking_renew(&x->parking, ready[i], job);
	}
}

/* Steps everything that has something to do; after a timeout (LATE), every job checks its deadline. */
static void step_all(struct executor *x, bool late)
{
	for (size_t i = 0; i < KH_POOL_SLOTS; i++) {
		if (is_ready(x, x->slot_watch[i], x->slot_watch[i + 1]) && x->pool.slots[i].use != KH_SLOT_TAKEN)
			kh_pool_look(&x->pool, &x->pool.slots[i]);
	}
	step_parked(x);
	for (size_t i = 0; i < JOBS; i++) {
		bool ready = is_ready(x, x->job_watch[i], x->job_watch[i + 1]);
		if (!x->busy[i] || kh_parking_has(&x->parking, i) || (!late && !ready))
			continue;
		struct kh_job *owner = x->house.jobs[i].owner;
		kh_step(&x->house.jobs[i]);
		kh_parking_renew(&x->parking, i, &x->house.jobs[i]);
		/* A question that cannot be answered ends whose forwarder asked it. */
		if (owner != NULL)
			kh_parking_renew(&x->parking, (size_t)(owner - x->house.jobs), owner);
	}
}

static int timeout_ms(int64_t wake_us)
{
	int64_t now = kh_clock_us();

	if (wake_us == INT64_MAX)
		return -1;
	if (wake_us <= now)
		return 0;
	int64_t ms = (wake_us - now) / 1000 + 1;
	return ms > 60000 ? 60000 : (int)ms;
}

/*
 * Makes sandboxes in advance while no request begins, because making one takes locks that a program which is just
 * starting needs too.  Lowers *WAKE_US to the time of the next one.
 */
static void refill(struct executor *x, int64_t *wake_us)
{
	bool quiet = kh_clock_us() >= x->busy_us + QUIET_US;

	if (x->pool.kit == NULL || !kh_pool_refill(&x->pool, quiet))
		return;
	*wake_us = quiet ? 0 : x->busy_us + QUIET_US;
}

static void serve(struct executor *x)
{
	bool stop = false;

	while (!stop) {
		int64_t wake_us = INT64_MAX;
		refill(x, &wake_us);
		size_t n = watch_all(x, &wake_us);
		if (poll(x->watch, n, timeout_ms(wake_us)) < 0 && errno != EINTR)
			return;
		bool late = kh_clock_us() >= wake_us;
		/* Existing jobs first, because a new request would shift the entries that poll filled in. */
		step_all(x, late);
		while (!stop && take_control(x, &stop))
			;
	}
}

int kh_executor_main(void)
{
	static struct executor x;
	struct kh_error err = {0};

	if (fcntl(KH_CHANNEL_INHERITED, F_SETFL, O_NONBLOCK) < 0) {
		fprintf(stderr, "keyhole: executor: descriptor %d: %s (it is started by keyhole itself)\n",
			KH_CHANNEL_INHERITED, strerror(errno));
		return 2;
	}
	fcntl(KH_CHANNEL_INHERITED, F_SETFD, FD_CLOEXEC);
	harden();
	if (!find_room(&x)) {
		fprintf(stderr, "keyhole: executor: there are too few descriptors (RLIMIT_NOFILE)\n");
		return 1;
	}
	x.state = KH_STATE_CONTROL_NEW;
	const size_t size = sizeof(struct kh_job) * JOBS + 1;
	char *requests = make_jobs(size);
	x.house.jobs = (struct kh_job *)(void *)requests;
	if (requests == NULL || !kh_parking_init(&x.parking)) {
		fprintf(stderr, "keyhole: executor: no memory that a fork does not get, or no descriptor: %s\n",
			strerror(errno));
		return 1;
	}
	if (kh_sandbox_kit_init(&x.kit, kh_workers_serve, &kh_alloc_system, &err) != KH_OK) {
		fprintf(stderr, "keyhole: executor: %s: %s\n", err.code ? err.code : kh_err_name(err.err), err.detail);
		return 1;
	}
	x.kit.requests = requests;
	x.kit.requests_size = size;
	serve(&x);
	kh_pool_done(&x.pool);
	kh_sandbox_kit_done(&x.kit);
	return 0;
}
