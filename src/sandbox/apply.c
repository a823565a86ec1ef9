/*
 * The inside of a sandbox.  The first process trusts the executor, which it was forked from.  The second one trusts
 * itself until its execve, and after it nothing that it gave up can be regained.  The second one makes the root; the
 * first one meanwhile makes the network namespace, which takes the kernel as long, and hands it to the second.
 *
 * Each step that fails ends the sandbox with a BROKEN message that names the part.  No step is optional, and none is
 * believed: what a step should have done is looked at before the next one (EPROTO: it claims success and did nothing).
 */
#include "sandbox/apply.h"

#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/network.h"
#include "sandbox/privileges.h"
#include "sandbox/procfs.h"
#include "sandbox/root.h"
#include "sandbox/setting.h"
#include "wire/channel.h"
#include "wire/request.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSIDE_UID 1000 /* "keyhole" of the sandbox's /etc/passwd */
#define UMASK      022  /* not the one of the executor's parent */
#define NETWORK    'n'  /* what the first process says with the network namespace */
#define LOCKED     'l'  /* and when it has locked itself down */

/* A command gets only the variables that external-info.md allows. */
static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin",
					  "HOME=/tmp",
					  "USER=keyhole",
					  "TEMP=/tmp",
					  "TMPDIR=/tmp",
					  "LANG=C.UTF-8",
					  "LC_ALL=C.UTF-8",
					  NULL};
#define VARIABLES (sizeof(environment) / sizeof(environment[0]) + KH_REQUEST_VARIABLES + KH_REQUEST_SECRETS)
static const char *const search[] = {"/usr/local/bin", "/usr/bin", "/bin"};

struct inside {
	const struct kh_sandbox_kit *kit;
	enum kh_profile profile;
	bool locked;                /* locked down before the job comes; the job names no folders */
	int channel, program, proc; /* kept; all other descriptors of the executor are closed */
	int gate;                   /* between the first process and the second */
	struct kh_root root;
	struct kh_grants grants;
	struct kh_message job;
	int fds[KH_MESSAGE_FDS]; /* of the job */
	size_t fd_count;
	struct kh_view variables; /* of a server: texts that end with a NUL */
	char packet[KH_MESSAGE_MAX];
};

static _Noreturn void broken(const struct inside *in, enum kh_part part, int error)
{
	char buffer[KH_MESSAGE_DETAIL + 128];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN);
	kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(in->grants.why));
	kh_message_number(&out, KH_FIELD_PART, part);
	kh_message_number(&out, KH_FIELD_ERRNO, (uint64_t)error);
	(void)!kh_channel_say(in->channel, &out, NULL, 0);
	_exit(1);
}

/* Ends the sandbox if ERROR, the result of setting PART up, is one. */
static void must(const struct inside *in, enum kh_part part, int error)
{
	if (error)
		broken(in, part, error);
}

/* Maps the one user and group of this sandbox. */
static int map_ids(int proc, unsigned uid, unsigned gid)
{
	return kh_ids_map(proc, (const unsigned[]){INSIDE_UID, INSIDE_UID}, (const unsigned[]){uid, gid});
}

/*
 * If the executor is root: first become another user outside, and only then make a user namespace.  A cgroup namespace
 * is made once more with it, now that the process is in its group, because everything above the group is the host's.
 */
static int leave_root(const struct inside *in)
{
	const struct kh_ids *ids = &in->root.ids;
	int e = kh_privileges_become(ids->user, ids->group);

	if (e)
		return e;
	if (unshare(CLONE_NEWUSER | CLONE_NEWCGROUP) < 0)
		return errno;
	/* The mount namespace was copied since it was looked at; nothing has touched the others. */
	if (kh_namespaces_shared(in->proc, &in->kit->namespaces, CLONE_NEWUSER | CLONE_NEWCGROUP | CLONE_NEWNS) !=
	    KH_PART_NONE)
		return EPROTO;
	return map_ids(in->proc, ids->user, ids->group);
}

static int start_time(const struct inside *in)
{
	prctl(PR_SET_DUMPABLE, 1);
	int e = kh_namespaces_start_time(in->proc);
	prctl(PR_SET_DUMPABLE, 0);
	return e == 0 && prctl(PR_GET_DUMPABLE) != 0 ? EPROTO : e;
}

static int name_host(void)
{
	struct utsname name = {0};

	if (sethostname("keyhole", strlen("keyhole")) < 0 || uname(&name) < 0)
		return errno;
	return strcmp(name.nodename, "keyhole") == 0 ? 0 : EPROTO;
}

/* Keeps nothing of the executor but what the set-up needs. */
static int close_executor(struct inside *in)
{
	int keep[] = {in->channel, in->program, in->kit->self, -1};

	in->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (in->proc <= STDERR_FILENO)
		return in->proc < 0 ? errno : EPROTO;
	keep[3] = in->proc;
	int e = kh_privileges_close_others(keep, sizeof(keep) / sizeof(keep[0]));
	return e ? e : kh_privileges_take_null();
}

/* What comes before the second process. */
static void set_up(struct inside *in)
{
	must(in, KH_PART_PRIVILEGES, kh_sandbox_kit_forget(in->kit));
	prctl(PR_SET_NAME, "keyhole-sandbox");
	umask(UMASK);
	must(in, KH_PART_PRIVILEGES, umask(UMASK) == UMASK ? kh_privileges_bind() : EPROTO);
	must(in, KH_PART_DESCRIPTORS, close_executor(in));
	enum kh_part part = kh_namespaces_shared(in->proc, &in->kit->namespaces,
						 kh_namespaces_flags() | (in->kit->is_root ? 0 : CLONE_NEWUSER));
	must(in, part, part != KH_PART_NONE ? EPROTO : 0);
	if (in->kit->is_root) {
		unsigned own = kh_ids_own(in->proc, in->kit->first_id);
		in->root.ids = (struct kh_ids){.proc = in->proc, .user = own, .group = own};
		must(in, KH_PART_USER, own == 0 ? EPROTO : 0);
	} else {
		must(in, KH_PART_USER, map_ids(in->proc, in->kit->uid, in->kit->gid));
	}
	must(in, KH_PART_UTS, name_host());
	must(in, KH_PART_TIME, start_time(in));
}

static bool has_network(const struct inside *in)
{
	return kh_namespaces_shared(in->proc, &in->kit->namespaces, CLONE_NEWNET) == KH_PART_NONE;
}

/* The first process makes the network namespace of both. */
static int make_network(const struct inside *in)
{
	const char word = NETWORK;

	if (unshare(CLONE_NEWNET) < 0)
		return errno;
	if (!has_network(in))
		return EPROTO;
	int fd = openat(in->proc, "self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd <= STDERR_FILENO)
		return fd < 0 ? errno : EPROTO;
	enum kh_io io = kh_channel_send(in->gate, kh_view_of(&word, 1), &fd, 1);
	close(fd);
	if (io == KH_IO_CLOSED)
		_exit(1); /* the second process has ended, and said why */
	return io == KH_IO_DONE ? 0 : EPROTO;
}

/* The second process enters the network namespace that the first has made. */
static int join_network(struct inside *in)
{
	struct kh_view word = {NULL, 0};

	if (kh_channel_receive_wait(in->gate, in->packet, &word, in->fds, &in->fd_count, -1) == KH_IO_CLOSED)
		(void)poll(NULL, 0, 1000); /* the first process has said why: the kernel is about to end this one */
	if (word.n != 1 || word.p[0] != NETWORK || in->fd_count != 1)
		return EPIPE;
	if (setns(in->fds[0], CLONE_NEWNET) < 0)
		return errno;
	in->fd_count = 0;
	int e = kh_privileges_close(in->fds[0]);
	return e == 0 && !has_network(in) ? EPROTO : e;
}

static void send_plain(const struct inside *in, enum kh_message_type type, enum kh_message_field field, uint64_t value)
{
	char buffer[64];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	if (field != KH_FIELD_NONE)
		kh_message_number(&out, field, value);
	if (kh_channel_say(in->channel, &out, NULL, 0) != KH_IO_DONE)
		_exit(1); /* the executor is gone */
}

static void take_job(struct inside *in)
{
	enum kh_message_state state = KH_STATE_SANDBOX;
	struct kh_view packet;

	if (kh_channel_receive_wait(in->channel, in->packet, &packet, in->fds, &in->fd_count, -1) != KH_IO_DONE)
		_exit(1); /* this sandbox is not needed any more */
	if (kh_message_read(packet, in->fd_count, &state, &in->job, NULL) != KH_OK)
		broken(in, KH_PART_DESCRIPTORS, EPROTO);
}

/* Takes the file with a server's variables, which come as the last of the job's descriptors.  The program does not get
 * it: they are in no file that it could leave open for others. */
static int take_variables(struct inside *in)
{
	struct stat st = {0};

	if (in->profile != KH_PROFILE_SERVER || in->fd_count <= 3)
		return 0;
	int fd = in->fds[--in->fd_count];
	if (fstat(fd, &st) < 0)
		return errno;
	size_t n = (size_t)st.st_size;
	char *p = n > 0 ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (p == MAP_FAILED || p == NULL || p[n - 1] != '\0')
		return EPROTO;
	in->variables = kh_view_of(p, n);
	return kh_privileges_close(fd);
}

/* True if one of the job's variables has the name of VARIABLE, "NAME=value". */
static bool is_replaced(const struct inside *in, const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;

	for (size_t at = 0; at < in->variables.n; at += strlen(in->variables.p + at) + 1)
		if (strncmp(in->variables.p + at, variable, name) == 0)
			return true;
	return false;
}

/* What every program has, and the job's own. */
static void list_variables(const struct inside *in, const char *list[VARIABLES + 1])
{
	size_t n = 0;

	for (const char *const *e = environment; *e != NULL; e++)
		if (!is_replaced(in, *e))
			list[n++] = *e;
	for (size_t at = 0; at < in->variables.n && n < VARIABLES; at += strlen(in->variables.p + at) + 1)
		list[n++] = in->variables.p + at;
	list[n] = NULL;
}

/* Executes the job's argv; returns errno. */
static int execute(const struct inside *in)
{
	static char text[KH_MESSAGE_MAX];
	const char *variables[VARIABLES + 1];
	char *argv[KH_MESSAGE_ITEMS + 1], **envp = NULL, path[PATH_MAX];
	size_t argc = 0, cursor = 0, used = 0;
	struct kh_view item;
	int e = ENOENT;

	list_variables(in, variables);
	memcpy(&envp, &(const char *const *){variables}, sizeof(envp)); /* execve(2) does not write to it */
	while (kh_message_item(&in->job, KH_FIELD_ARGUMENT, &cursor, &item) && argc < KH_MESSAGE_ITEMS) {
		argv[argc++] = memcpy(text + used, item.p, item.n);
		text[used + item.n] = '\0';
		used += item.n + 1;
	}
	argv[argc] = NULL;
	if (argc == 0)
		return EINVAL;
	if (strchr(argv[0], '/') != NULL)
		return execve(argv[0], argv, envp) < 0 ? errno : EPROTO;
	if (!kh_profile_is_program(in->profile))
		return syscall(SYS_execveat, in->program, "", argv, envp, AT_EMPTY_PATH) < 0 ? errno : EPROTO;
	for (size_t i = 0; i < sizeof(search) / sizeof(search[0]); i++) {
		int n = snprintf(path, sizeof(path), "%s/%s", search[i], argv[0]);
		if (n < 0 || (size_t)n >= sizeof(path))
			return ENAMETOOLONG;
		if (execve(path, argv, envp) >= 0)
			return EPROTO;
		if (errno != ENOENT)
			e = errno;
	}
	return e;
}

static int enter_work(void)
{
	struct stat here = {0}, work = {0};

	if (chdir("/work") < 0 || stat(".", &here) < 0 || stat("/work", &work) < 0)
		return errno;
	return here.st_ino != 0 && here.st_dev == work.st_dev && here.st_ino == work.st_ino ? 0 : EPROTO;
}

static int restrict_files(const struct inside *in)
{
	struct kh_landlock_rule rules[KH_GRANTS_RULES];
	uint16_t ports[KH_MESSAGE_NETWORK];
	size_t count = kh_grants_rules(&in->grants, in->program, rules);
	/* A server speaks over TCP with itself: nobody else is in its network namespace, except the forwarder. */
	int e = in->profile == KH_PROFILE_SERVER
			? kh_landlock_restrict_files(rules, count)
			: kh_landlock_restrict_except(rules, count, ports, kh_network_ports(&in->job, ports));

	return e == 0 && !kh_root_is_fenced() ? EPROTO : e;
}

/* The program must not start before the first process has given up everything except waiting, and not if the executor
 * is gone. */
static void wait_for_first(const struct inside *in)
{
	struct pollfd executor = {.fd = in->kit->self, .events = POLLIN};
	char byte = 0;

	ssize_t n = read(in->gate, &byte, 1);
	if (n == 0)
		(void)poll(NULL, 0, 1000); /* the first process has ended: the kernel is about to end this one */
	if (n != 1 || byte != LOCKED)
		broken(in, KH_PART_PRIVILEGES, EPIPE);
	/* From now on the first process dies with the executor.  If the executor died before this point, it would not,
	   so check.  The channel alone does not tell, because a sandbox that the executor has just started may still
	   hold a copy of the other end. */
	if (kh_channel_closed(in->channel) || poll(&executor, 1, 0) != 0)
		_exit(1);
}

/* The filter of the program.  The one for TCP is made here, because few jobs need it. */
static const struct kh_filter *filter_of(const struct inside *in)
{
	struct kh_filter *filter = NULL;

	if (!in->job.has[KH_FIELD_NETWORK] && in->profile != KH_PROFILE_SERVER)
		return in->kit->filter[in->profile == KH_PROFILE_RUN ? KH_FILTER_RUN : KH_FILTER_WORKER];
	if (kh_filter_new(KH_FILTER_NETWORK, &kh_alloc_system, &filter, NULL) != KH_OK)
		broken(in, KH_PART_SECCOMP, ENOMEM);
	return filter;
}

/* Gives up everything that the program will not have, in the order in which it can still be given up. */
static void lock(struct inside *in)
{
	const struct kh_filter *filter = filter_of(in);
	bool in_place = kh_profile_start(in->profile) == KH_PROFILE_IN_PLACE;
	enum kh_part part = KH_PART_NONE;
	int top = -1, e = kh_root_finish(&in->root, &in->job, &in->grants, &part);

	must(in, part, e);
	if (kh_profile_has_proc(in->profile))
		must(in, KH_PART_MOUNT, kh_procfs_copy_mounts(in->proc, &top));
	/* Changing ids is the last step that needs root. */
	if (in->kit->is_root)
		must(in, KH_PART_USER, leave_root(in));
	/* It is the host's /proc, and no link in a folder may lead to it. */
	must(in, KH_PART_DESCRIPTORS, kh_privileges_close(in->proc));
	if (top >= 0)
		must(in, KH_PART_MOUNT, kh_procfs_hide_mounts(top));
	wait_for_first(in);
	must(in, KH_PART_PRIVILEGES, kh_privileges_detach());
	must(in, KH_PART_FOLDER, enter_work());
	must(in, KH_PART_PRIVILEGES, kh_privileges_drop_capabilities());
	must(in, KH_PART_LIMITS, kh_limits_set_core());
	must(in, KH_PART_LANDLOCK, restrict_files(in));
	/* A worker that continues in this process installs its own, smaller filter before it reads anything. */
	if (!in_place)
		must(in, KH_PART_SECCOMP, kh_filter_install(filter));
}

/* Continues as the worker of the profile, with the job's descriptors and nothing else of the executor's. */
static _Noreturn void become_worker(const struct inside *in)
{
	if (in->kit->worker == NULL)
		broken(in, KH_PART_PROGRAM, ENOENT);
	else if (close_range((unsigned)in->fd_count, UINT_MAX, 0) == 0)
		_exit(in->kit->worker(in->profile, in->kit->filter));
	_exit(1);
}

/* Waits for the job and becomes the program.  The lockdown comes before the job if IN is locked, else after it. */
static _Noreturn void second_process(struct inside *in)
{
	enum kh_part part = KH_PART_ROOT;

	if (getpid() <= 1) /* there is no second process */
		broken(in, KH_PART_PID, EPROTO);
	must(in, KH_PART_TIME, kh_namespaces_has_time(in->proc, &in->kit->namespaces) ? 0 : EPROTO);
	int e = kh_root_prepare(&in->root, in->profile, &part);
	must(in, part, e);
	must(in, KH_PART_NET, join_network(in));
	if (in->locked) {
		in->job.number[KH_FIELD_DISK] = kh_profile_limits(in->profile)->disk;
		in->job.number[KH_FIELD_MEMORY] = kh_profile_limits(in->profile)->memory;
		lock(in);
	}
	send_plain(in, KH_MESSAGE_WARM, KH_FIELD_NONE, 0);
	take_job(in);
	if (in->job.has[KH_FIELD_NETWORK])
		must(in, KH_PART_NET, kh_network_open(&in->job, in->profile == KH_PROFILE_SERVER, in->channel));
	else if (in->profile == KH_PROFILE_SERVER)
		must(in, KH_PART_NET, kh_network_own());
	must(in, KH_PART_DESCRIPTORS, take_variables(in));
	if (!in->locked)
		lock(in);
	/* 0, 1, 2 and, for our own workers, 3 come with the job. */
	must(in, KH_PART_DESCRIPTORS, kh_privileges_take_descriptors(in->fds, in->fd_count));
	must(in, KH_PART_LIMITS,
	     kh_limits_set(&in->job, in->kit->cgroup.has_memory || kh_profile_is_program(in->profile),
			   in->kit->is_root));
	if (kh_profile_start(in->profile) == KH_PROFILE_IN_PLACE)
		become_worker(in);
	broken(in, KH_PART_PROGRAM, execute(in));
}

/* Gives up everything, then waits until the program has ended and reaps the processes that it leaves behind.  It uses
 * no path, because the second process is making the root meanwhile. */
static _Noreturn void first_process(struct inside *in, int second)
{
	int keep[] = {in->channel, in->gate}, status;
	const char locked = LOCKED;

	must(in, KH_PART_NET, make_network(in));
	must(in, KH_PART_DESCRIPTORS, kh_privileges_close_others(keep, 2));
	if (in->kit->is_root)
		must(in, KH_PART_PRIVILEGES, kh_privileges_become(in->root.ids.user, in->root.ids.group));
	else
		must(in, KH_PART_PRIVILEGES, kh_privileges_drop_capabilities());
	/* The kernel clears the parent-death signal if the ids change, so set it again. */
	must(in, KH_PART_PRIVILEGES, kh_privileges_die_with_parent());
	must(in, KH_PART_SECCOMP, kh_filter_install(in->kit->filter[KH_FILTER_INIT]));
	if (write(in->gate, &locked, 1) != 1)
		_exit(1); /* the second process has ended, and said why */
	close(in->gate);
	for (;;) {
		int pid = wait4(-1, &status, 0, NULL);
		if (pid == second)
			break;
		if (pid < 0 && errno != EINTR)
			_exit(1);
	}
	send_plain(in, KH_MESSAGE_EXITED, KH_FIELD_STATUS, (uint64_t)(unsigned)status);
	_exit(0);
}

_Noreturn void kh_apply(const struct kh_apply *with)
{
	static struct inside in; /* not shared: this process is a copy of the executor */
	int gate[2] = {-1, -1};

	in.kit = with->kit;
	in.profile = with->profile;
	in.locked = with->locked;
	in.channel = with->channel;
	in.program = with->kit->program;
	in.root.host = -1;
	in.root.machine = &with->kit->machine;
	if (!kh_cgroup_enter(with->cgroup))
		broken(&in, KH_PART_CGROUP, errno);
	set_up(&in);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate) < 0 || gate[0] < 0)
		broken(&in, KH_PART_DESCRIPTORS, errno);
	int second = _Fork();
	if (second < 0)
		broken(&in, KH_PART_LIMITS, errno);
	in.gate = gate[second == 0 ? 0 : 1];
	close(gate[second == 0 ? 1 : 0]);
	if (second == 0)
		second_process(&in);
	first_process(&in, second);
}
