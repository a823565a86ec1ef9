/*
 * Filters: libseccomp compiles the table of calls.c into a program for the kernel, which is kept and installed.
 *
 * Filters trust the table and the library.  The tests trust neither: they make every call under every filter.
 */
#include "sandbox/filter.h"

#include "sandbox/calls.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number_of(const struct kh_syscall *call)
{
	int number = seccomp_syscall_resolve_name(call->entry.name);

	return number >= 0 ? number : call->number;
}

/* Calls that this architecture does not have are left out. */
static int add_calls(struct kh_condition_programs *programs, enum kh_filter_kind kind)
{
	const struct kh_syscall *call;
	int r = 0;

	for (size_t i = 0; r == 0 && (call = kh_calls_at(i)) != NULL; i++) {
		int number = (call->kinds & 1U << kind) != 0 ? number_of(call) : -1;

		if (number >= 0)
			r = kh_condition_add(programs, call->condition, number, call->entry.error);
	}
	return r;
}

/* For both programs: only this machine's own architecture, and a tree instead of a chain of comparisons. */
static int start(scmp_filter_ctx *ret_ctx, uint32_t action)
{
	scmp_filter_ctx ctx = seccomp_init(action);
	int r;

	if (ctx == NULL)
		return -ENOSYS; /* the library asks the kernel first, which has no seccomp */
	*ret_ctx = ctx;
	r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	return r != 0 ? r : seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
}

struct kh_filter {
	const struct kh_alloc *alloc;
	struct sock_fprog program; /* its code follows this struct */
	size_t size;
	struct sock_filter code[];
};

/* Makes libseccomp write both programs into a file in memory, because it exports them no other way: first the
 * exceptions, then the list. */
static int write_programs(struct kh_condition_programs *programs, int fd, off_t *ret_first, off_t *ret_all)
{
	int r = seccomp_export_bpf(programs->exceptions, fd);

	*ret_first = lseek(fd, 0, SEEK_CUR);
	if (r == 0)
		r = seccomp_export_bpf(programs->list, fd);
	*ret_all = lseek(fd, 0, SEEK_CUR);
	return r != 0 ? r : *ret_first <= 0 || *ret_all <= *ret_first ? -EIO : 0;
}

/*
 * Joins both programs: what the exceptions (the first COUNT instructions) allow continues in the list.  Installing one
 * program costs half of installing two, and every sandbox does it.
 */
static void join(struct sock_filter *code, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (code[i].code == (BPF_RET | BPF_K) && code[i].k == SECCOMP_RET_ALLOW)
			code[i] = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)(count - i - 1));
	}
}

static int load_programs(int fd, size_t first, size_t all, const struct kh_alloc *alloc, struct kh_filter **ret_filter)
{
	size_t size = sizeof(struct kh_filter) + all;
	struct kh_filter *filter = kh_alloc_zero(alloc, size);

	if (filter == NULL)
		return -ENOMEM;
	filter->alloc = alloc;
	filter->size = size;
	if (pread(fd, filter->code, all, 0) != (ssize_t)all) {
		kh_alloc_free(alloc, filter, size);
		return -EIO;
	}
	join(filter->code, first / sizeof(struct sock_filter));
	filter->program = (struct sock_fprog){.len = (unsigned short)(all / sizeof(struct sock_filter)),
					      .filter = filter->code};
	*ret_filter = filter;
	return 0;
}

static int make(struct kh_condition_programs *programs, enum kh_filter_kind kind, const struct kh_alloc *alloc,
		struct kh_filter **ret_filter)
{
	off_t first = 0, all = 0;
	int fd, r = start(&programs->list, SCMP_ACT_KILL_PROCESS);

	if (r == 0)
		r = start(&programs->exceptions, SCMP_ACT_ALLOW);
	if (r == 0)
		r = add_calls(programs, kind);
	if (r != 0)
		return r;
	fd = memfd_create("keyhole-filter", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write_programs(programs, fd, &first, &all);
	if (r == 0)
		r = load_programs(fd, (size_t)first, (size_t)all, alloc, ret_filter);
	close(fd);
	return r;
}

enum kh_err kh_filter_new(enum kh_filter_kind kind, const struct kh_alloc *alloc, struct kh_filter **ret_filter,
			  struct kh_error *err)
{
	struct kh_condition_programs programs = {NULL, NULL};
	int r = make(&programs, kind, alloc, ret_filter);

	if (programs.list != NULL)
		seccomp_release(programs.list);
	if (programs.exceptions != NULL)
		seccomp_release(programs.exceptions);
	if (r == -ENOMEM)
		return kh_error_set(err, KH_ENOMEM, NULL, "no memory for a system-call filter");
	if (r != 0)
		return kh_error_set(err, KH_EREFUSED, "seccomp", "seccomp: the filter %s cannot be made: %s",
				    kh_filter_name(kind), strerrordesc_np(-r));
	return KH_OK;
}

void kh_filter_free(struct kh_filter *filter)
{
	if (filter != NULL)
		kh_alloc_free(filter->alloc, filter, filter->size);
}

/*
 * True if a filter of ours answers.  Every kind answers this call in this way, and the kernel itself makes the socket.
 * PR_GET_SECCOMP would not do: it says that there is a filter, and a container has one of its own.
 */
static bool is_in_force(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
	int why = errno;

	if (fd > STDERR_FILENO)
		close(fd);
	return fd < 0 && why == EAFNOSUPPORT;
}

int kh_filter_install(const struct kh_filter *filter)
{
	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter->program);

	if (r != 0)
		return r > 0 ? EBUSY : errno; /* above 0: the id of a thread that could not be synchronized */
	return is_in_force() ? 0 : EPROTO;
}

const char *kh_filter_name(enum kh_filter_kind kind)
{
	static const char *const names[KH_FILTERS] = {
		[KH_FILTER_RUN] = "run",         [KH_FILTER_WORKER] = "worker",   [KH_FILTER_RESOLVE] = "resolve",
		[KH_FILTER_HTTP] = "http",       [KH_FILTER_READ] = "read",       [KH_FILTER_TEXT] = "text",
		[KH_FILTER_QUERY] = "query",     [KH_FILTER_SEARCH] = "search",   [KH_FILTER_INIT] = "init",
		[KH_FILTER_GATEWAY] = "gateway", [KH_FILTER_NETWORK] = "network", [KH_FILTER_FORWARD] = "forward",
	};

	return kind < KH_FILTERS ? names[kind] : "unknown";
}

const struct kh_filter_entry *kh_filter_entry_at(enum kh_filter_kind kind, size_t index)
{
	const struct kh_syscall *call;

	for (size_t i = 0; (call = kh_calls_at(i)) != NULL; i++)
		if ((call->kinds & 1U << kind) != 0 && index-- == 0)
			return &call->entry;
	return NULL;
}

int kh_filter_number(const struct kh_filter_entry *entry)
{
	const struct kh_syscall *call;

	for (size_t i = 0; (call = kh_calls_at(i)) != NULL; i++)
		if (&call->entry == entry)
			return number_of(call);
	return -1;
}
