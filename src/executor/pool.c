/*
 * The sandboxes of an executor.  The table of messages checks what a sandbox's first process sends; one that sends
 * anything else is killed.
 */
#include "executor/pool.h"

#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

void kh_pool_init(struct kh_pool *pool, const struct kh_sandbox_kit *kit, unsigned warm)
{
	*pool = (struct kh_pool){.kit = kit, .warm = warm < KH_POOL_WARM ? warm : KH_POOL_WARM, .next = 1};
}

void kh_pool_done(struct kh_pool *pool)
{
	for (size_t i = 0; i < KH_POOL_SLOTS; i++) {
		if (pool->slots[i].use != KH_SLOT_EMPTY && !pool->slots[i].gone)
			kh_sandbox_kill(&pool->slots[i].sandbox);
	}
	for (size_t i = 0; i < KH_POOL_SLOTS; i++) {
		if (pool->slots[i].use != KH_SLOT_EMPTY && !pool->slots[i].gone)
			kh_sandbox_done(&pool->slots[i].sandbox);
	}
}

static void set_use(struct kh_pool *pool, struct kh_slot *slot, enum kh_slot_use use)
{
	if (slot->use == KH_SLOT_WARM)
		pool->count[slot->kind]--;
	if (use == KH_SLOT_WARM)
		pool->count[slot->kind]++;
	slot->use = use;
	pool->uses[slot - pool->slots] = (unsigned char)use;
}

static void close_all(int fds[3])
{
	for (int i = 0; i < 3; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

bool kh_pool_pipes(int ret_ours[3], int ret_theirs[3])
{
	bool ok = true;

	for (int i = 0; i < 3; i++)
		ret_ours[i] = ret_theirs[i] = -1;
	for (int i = 0; i < 3 && ok; i++) {
		int ends[2] = {-1, -1};
		ok = pipe2(ends, O_CLOEXEC) == 0 && ends[0] >= 0;
		if (!ok)
			break;
		ret_ours[i] = ends[i == 0 ? 1 : 0];
		ret_theirs[i] = ends[i == 0 ? 0 : 1];
		ok = fcntl(ret_ours[i], F_SETFL, O_NONBLOCK) == 0;
	}
	return ok;
}

/* The message JOB for RUN; a RUN without a program is for a worker of ours.  JOB has limits even if the request had
 * none, so the longest requests do not fit. */
static enum kh_err write_job(const struct kh_run *run, char *buffer, struct kh_view *ret_packet)
{
	struct kh_message_out out;

	kh_message_begin(&out, buffer, KH_MESSAGE_MAX, KH_MESSAGE_JOB);
	for (size_t i = 0; i < run->argc; i++)
		kh_message_text(&out, KH_FIELD_ARGUMENT, run->argv[i]);
	if (run->argc == 0) {
		kh_message_text(&out, KH_FIELD_ARGUMENT, KH_LIT("keyhole"));
		kh_message_text(&out, KH_FIELD_ARGUMENT, KH_LIT("worker"));
		kh_message_text(&out, KH_FIELD_ARGUMENT, kh_view_str(kh_profile_name(run->profile)));
	}
	if (run->work.n > 0)
		kh_message_text(&out, KH_FIELD_WORK, run->work);
	if (run->cache.n > 0)
		kh_message_text(&out, KH_FIELD_CACHE, run->cache);
	for (size_t i = 0; i < run->reads; i++)
		kh_message_text(&out, KH_FIELD_READ, run->read[i]);
	for (size_t i = 0; i < run->writes; i++)
		kh_message_text(&out, KH_FIELD_WRITE, run->write[i]);
	if (run->limits.cpu_s > 0)
		kh_message_number(&out, KH_FIELD_CPU, run->limits.cpu_s);
	kh_message_number(&out, KH_FIELD_MEMORY, run->limits.memory);
	kh_message_number(&out, KH_FIELD_PROCESSES, run->limits.processes);
	kh_message_number(&out, KH_FIELD_FILES, run->limits.files);
	kh_message_number(&out, KH_FIELD_DISK, run->limits.disk);
	for (size_t i = 0; i < run->networks; i++)
		kh_message_text(&out, KH_FIELD_NETWORK, run->network[i]);
	return kh_message_end(&out, ret_packet);
}

/* Sets the limits of the process group; limits that it has already are not written again. */
static bool set_group(struct kh_slot *slot, const struct kh_limits *limits, uint64_t processor)
{
	const struct kh_cgroup *group = &slot->sandbox.cgroup;
	bool is_set = slot->memory == limits->memory && slot->processes == limits->processes;

	if ((!is_set && !kh_cgroup_limit(group, limits->memory, limits->processes)) ||
	    (slot->processor != processor && !kh_cgroup_bound(group, processor))) {
		slot->broken = KH_PART_CGROUP;
		slot->error = errno;
		return false;
	}
	slot->memory = limits->memory;
	slot->processes = limits->processes;
	slot->processor = processor;
	return true;
}

bool kh_pool_start(struct kh_slot *slot, const struct kh_run *run, const int *fds, size_t count, char *buffer)
{
	struct kh_view packet;

	if (!set_group(slot, &run->limits, run->rates.processor))
		return false;
	if (write_job(run, buffer, &packet) != KH_OK) {
		slot->broken = KH_PART_PROGRAM;
		slot->error = E2BIG;
		return false;
	}
	enum kh_io io = kh_channel_send(slot->sandbox.channel, packet, fds, count);
	if (io == KH_IO_AGAIN || io == KH_IO_BROKEN) {
		slot->broken = KH_PART_DESCRIPTORS;
		slot->error = errno;
	}
	/* A sandbox that is gone already has sent its reason, or is found to be gone. */
	return io == KH_IO_DONE;
}

/* Tells the first process of SLOT to run its worker with FDS.  If it is gone already, that is noticed, with what it
 * said, when the slot is used. */
static bool begin_worker(struct kh_slot *slot, const int *fds, size_t count, char *buffer)
{
	enum kh_profile profile = slot->sandbox.profile;
	struct kh_run run = {.profile = profile, .limits = *kh_profile_limits(profile)};

	return kh_pool_start(slot, &run, fds, count, buffer) || slot->broken == KH_PART_NONE;
}

/* Starts our own worker in SLOT with a channel, so that it is ready before a request comes. */
static bool start_worker(struct kh_slot *slot, char *buffer)
{
	int ends[2] = {-1, -1}, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok = null >= 0 && kh_channel_pair(ends, NULL) == KH_OK;

	if (!ok)
		slot->error = errno;
	if (ok) {
		ok = begin_worker(slot, (const int[]){null, null, null, ends[1]}, 4, buffer);
		close(ends[1]);
		slot->worker = ends[0];
	}
	if (null >= 0)
		close(null);
	return ok;
}

/* The same with pipes. */
static bool start_job_worker(struct kh_slot *slot, char *buffer)
{
	int theirs[3];
	bool ok = kh_pool_pipes(slot->stream, theirs);

	if (!ok)
		slot->error = errno;
	else
		ok = begin_worker(slot, theirs, 3, buffer);
	close_all(theirs);
	return ok;
}

static const struct {
	enum kh_profile profile;
	bool (*start)(struct kh_slot *slot, char *buffer); /* NULL: started when the job comes */
	bool is_rare;                                      /* never made in advance: it lives long, so few are begun */
} kinds[KH_POOL_KINDS] = {
	[KH_POOL_PLAIN] = {KH_PROFILE_RUN, NULL, false},
	[KH_POOL_LOCKED] = {KH_PROFILE_RUN, NULL, false},
	[KH_POOL_RESOLVE] = {KH_PROFILE_RESOLVE, start_worker, false},
	[KH_POOL_HTTP] = {KH_PROFILE_HTTP, start_worker, false},
	[KH_POOL_SNI] = {KH_PROFILE_SNI, start_worker, false},
	[KH_POOL_UPSTREAM] = {KH_PROFILE_UPSTREAM, start_worker, true},
	[KH_POOL_READ] = {KH_PROFILE_READ, NULL, false},
	[KH_POOL_TEXT] = {KH_PROFILE_TEXT, start_job_worker, false},
	[KH_POOL_QUERY] = {KH_PROFILE_QUERY, NULL, false},
	[KH_POOL_SEARCH] = {KH_PROFILE_SEARCH, NULL, false},
	[KH_POOL_MCP] = {KH_PROFILE_MCP, NULL, true},
	[KH_POOL_SERVER] = {KH_PROFILE_SERVER, NULL, true},
};

enum kh_pool_kind kh_pool_kind(const struct kh_run *run)
{
	for (enum kh_pool_kind kind = KH_POOL_READ; kind < KH_POOL_KINDS; kind++)
		if (kinds[kind].profile == run->profile)
			return kind;
	bool plain = run->networks > 0 || run->work.n > 0 || run->cache.n > 0 || run->reads > 0 || run->writes > 0 ||
		     run->limits.disk != kh_profile_limits(run->profile)->disk ||
		     run->limits.memory != kh_profile_limits(run->profile)->memory;

	return plain ? KH_POOL_PLAIN : KH_POOL_LOCKED;
}

static struct kh_slot *make(struct kh_pool *pool, enum kh_profile profile, enum kh_pool_kind kind,
			    enum kh_part *ret_part, int *ret_errno)
{
	struct kh_slot *slot = pool->slots, *end = slot + KH_POOL_SLOTS;

	while (slot < end && pool->uses[slot - pool->slots] != KH_SLOT_EMPTY)
		slot++;
	*ret_part = KH_PART_NONE;
	if (slot == end)
		return NULL;
	*slot = (struct kh_slot){
		.kind = kind, .state = KH_STATE_SANDBOX_COLD, .worker = -1, .stream = {-1, -1, -1}, .status = -1};
	if (!kh_sandbox_prepare(pool->kit, profile, kind == KH_POOL_LOCKED, pool->next++, &slot->sandbox, ret_part,
				ret_errno))
		return NULL;
	set_use(pool, slot, KH_SLOT_WARM);
	if (!set_group(slot, kh_profile_limits(profile), 0) ||
	    (kinds[kind].start != NULL && !kinds[kind].start(slot, pool->buffer))) {
		*ret_part = slot->broken ? slot->broken : KH_PART_DESCRIPTORS;
		*ret_errno = slot->error;
		kh_pool_drop(pool, slot);
		return NULL;
	}
	return slot;
}

bool kh_pool_refill(struct kh_pool *pool, bool make_one)
{
	enum kh_part part;
	int error;

	for (enum kh_pool_kind kind = 0; kind < KH_POOL_KINDS; kind++) {
		if (pool->used[kind] && pool->count[kind] < pool->warm && !pool->failed[kind] && !kinds[kind].is_rare) {
			if (make_one)
				pool->failed[kind] = make(pool, kinds[kind].profile, kind, &part, &error) == NULL;
			return true;
		}
	}
	return false;
}

/* How well SLOT fits: 0 not at all; a higher number is preferred. */
static int fitness(const struct kh_slot *slot, enum kh_profile profile, enum kh_pool_kind kind)
{
	bool fits = slot->kind == kind || (slot->kind == KH_POOL_PLAIN && kind == KH_POOL_LOCKED);

	if (slot->use != KH_SLOT_WARM || slot->sandbox.profile != profile || !fits)
		return 0;
	return 1 + 2 * (slot->state == KH_STATE_SANDBOX_WARM) + (slot->kind == kind);
}

struct kh_slot *kh_pool_take(struct kh_pool *pool, enum kh_profile profile, enum kh_pool_kind kind,
			     enum kh_part *ret_part, int *ret_errno)
{
	struct kh_slot *best = NULL;

	pool->used[kind] = true;
	for (size_t i = 0; i < KH_POOL_SLOTS; i++) {
		struct kh_slot *slot = &pool->slots[i];
		if (pool->uses[i] == KH_SLOT_WARM &&
		    fitness(slot, profile, kind) > (best ? fitness(best, profile, kind) : 0))
			best = slot;
	}
	if (best == NULL)
		best = make(pool, profile, kind, ret_part, ret_errno);
	if (best != NULL)
		set_use(pool, best, KH_SLOT_TAKEN);
	return best;
}

/* Receives one message of the sandbox.  A socket that comes with it is kept, if it is one that was asked for. */
static enum kh_io hear(struct kh_pool *pool, struct kh_slot *slot, struct kh_message *ret_message)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	enum kh_io io = kh_channel_receive(slot->sandbox.channel, pool->buffer, &packet, fds, &count);

	if (io == KH_IO_DONE && kh_message_read(packet, count, &slot->state, ret_message, NULL) != KH_OK)
		io = KH_IO_BROKEN;
	if (io == KH_IO_DONE && ret_message->type == KH_MESSAGE_LISTENING && slot->use == KH_SLOT_TAKEN &&
	    slot->listens < KH_REQUEST_NETWORK)
		slot->listening[slot->listens++] = fds[--count];
	while (count > 0)
		close(fds[--count]);
	return io;
}

/* Reads one message from the sandbox's channel; false if there is none. */
static bool read_message(struct kh_pool *pool, struct kh_slot *slot)
{
	struct kh_message message __attribute__((uninitialized));
	enum kh_io io = hear(pool, slot, &message);

	if (io == KH_IO_CLOSED)
		slot->state = KH_STATE_ENDED;
	if (io == KH_IO_BROKEN)
		kh_sandbox_kill(&slot->sandbox);
	if (io != KH_IO_DONE)
		return false;
	if (message.type == KH_MESSAGE_WARM)
		pool->failed[slot->kind] = false;
	if (message.type == KH_MESSAGE_BROKEN) {
		slot->broken = (enum kh_part)message.number[KH_FIELD_PART];
		slot->error = (int)message.number[KH_FIELD_ERRNO];
		struct kh_view why = message.text[KH_FIELD_DETAIL];
		snprintf(slot->why, sizeof(slot->why), "%.*s", KH_FMT(why));
	}
	if (message.type == KH_MESSAGE_EXITED)
		slot->status = (int)message.number[KH_FIELD_STATUS];
	return true;
}

void kh_pool_look(struct kh_pool *pool, struct kh_slot *slot)
{
	struct pollfd ended = {.fd = slot->sandbox.pidfd, .events = POLLIN};

	if (slot->use == KH_SLOT_EMPTY || slot->gone)
		return;
	/* First check whether it has ended, then read what it sent, so that no message is missed. */
	bool gone = poll(&ended, 1, 0) == 1;
	while (read_message(pool, slot))
		;
	if (!gone)
		return;
	slot->gone = true;
	slot->spent = slot->status < 0 && kh_cgroup_is_spent(&slot->sandbox.cgroup);
	kh_sandbox_done(&slot->sandbox);
	if (slot->use == KH_SLOT_WARM)
		pool->failed[slot->kind] = true;
	if (slot->use != KH_SLOT_TAKEN)
		kh_pool_drop(pool, slot);
}

void kh_pool_unlisten(struct kh_slot *slot)
{
	while (slot->listens > 0)
		close(slot->listening[--slot->listens]);
}

void kh_pool_drop(struct kh_pool *pool, struct kh_slot *slot)
{
	if (slot->worker >= 0)
		close(slot->worker);
	slot->worker = -1;
	close_all(slot->stream);
	kh_pool_unlisten(slot);
	if (slot->gone) {
		set_use(pool, slot, KH_SLOT_EMPTY);
		return;
	}
	set_use(pool, slot, KH_SLOT_DYING);
	kh_sandbox_kill(&slot->sandbox);
}
