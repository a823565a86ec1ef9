/* One table of limits; each is read back after it was set. */
#include "sandbox/limits.h"

#include <errno.h>
#include <sys/resource.h>

/* Lowers RESOURCE to VALUE; a limit that is lower already stays. */
static int lower(__rlimit_resource_t resource, uint64_t value)
{
	/* At the end of its processor time a process first gets SIGXCPU, which says what happened, then SIGKILL. */
	struct rlimit now = {1, 0}, limit = {value, value};

	if (resource == RLIMIT_CPU && value != RLIM_INFINITY)
		limit.rlim_max++;
	if (getrlimit(resource, &now) < 0)
		return errno;
	if (now.rlim_cur > now.rlim_max)
		return EPROTO; /* nothing was read */
	if (limit.rlim_max > now.rlim_max)
		limit.rlim_max = now.rlim_max;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	now = (struct rlimit){1, 0};
	if (setrlimit(resource, &limit) < 0 || getrlimit(resource, &now) < 0)
		return errno;
	return now.rlim_cur == limit.rlim_cur && now.rlim_max == limit.rlim_max ? 0 : EPROTO;
}

int kh_limits_set_core(void)
{
	return lower(RLIMIT_CORE, 1); /* with 0 the kernel would still start a handler that takes cores from a pipe */
}

int kh_limits_set(const struct kh_message *job, bool bounded, bool alone)
{
	const uint64_t *n = job->number;
	/* The private /tmp has a size of its own, and so a limit of one file is not needed there.  It would also hold
	   for the host's folders, whose files are not the sandbox's business. */
	const bool writes = job->has[KH_FIELD_WORK] || job->has[KH_FIELD_WRITE];
	const struct {
		__rlimit_resource_t resource;
		uint64_t value;
	} limits[] = {
		{RLIMIT_CPU, job->has[KH_FIELD_CPU] ? n[KH_FIELD_CPU] : RLIM_INFINITY},
		{RLIMIT_DATA, n[KH_FIELD_MEMORY]},
		/* Address space is not memory: for one WebAssembly, which node's fetch is, V8 reserves 10 GiB of it,
		   and a browser reserves terabytes. */
		{RLIMIT_AS, bounded ? RLIM_INFINITY : 4 * n[KH_FIELD_MEMORY]},
		{RLIMIT_NPROC, n[KH_FIELD_PROCESSES] + (alone ? 0 : 1)}, /* one more for the first process */
		{RLIMIT_NOFILE, n[KH_FIELD_FILES]},
		{RLIMIT_FSIZE, writes ? RLIM_INFINITY : n[KH_FIELD_DISK]},
		{RLIMIT_MEMLOCK, 65536},
		{RLIMIT_MSGQUEUE, 0},
		{RLIMIT_SIGPENDING, 1024},
		{RLIMIT_RTPRIO, 0},
		{RLIMIT_NICE, 0},
	};
	int e = 0;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]) && e == 0; i++)
		e = lower(limits[i].resource, limits[i].value);
	return e;
}
