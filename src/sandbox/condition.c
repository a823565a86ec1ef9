/*
 * Conditions: one function for each that is more than one comparison.
 *
 * The kernel cuts some arguments to 32 bits.  They are compared under a mask if a match refuses, and as a whole if a
 * match allows; so setting a high bit does not get around either kind.
 */
#include "sandbox/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

static int allow(struct kh_condition_programs *programs, int number)
{
	return seccomp_rule_add_array(programs->list, SCMP_ACT_ALLOW, number, 0, NULL);
}

static int allow_if(struct kh_condition_programs *programs, int number, struct scmp_arg_cmp compare)
{
	return seccomp_rule_add_array(programs->list, SCMP_ACT_ALLOW, number, 1, &compare);
}

static int refuse_if(struct kh_condition_programs *programs, int number, int error, struct scmp_arg_cmp compare)
{
	return seccomp_rule_add_array(programs->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 1, &compare);
}

static struct scmp_arg_cmp argument(unsigned index, enum scmp_compare op, uint64_t a, uint64_t b)
{
	return (struct scmp_arg_cmp){.arg = index, .op = op, .datum_a = a, .datum_b = b};
}

/* Allows the call, except with an argument INDEX that is one of VALUES under MASK; a mask of 0: the value itself. */
static int add_refusals(struct kh_condition_programs *programs, int number, int error, unsigned index, uint64_t mask,
			const uint64_t *values, size_t count)
{
	int r = allow(programs, number);

	for (size_t i = 0; i < count && r == 0; i++)
		r = refuse_if(programs, number, error,
			      argument(index, SCMP_CMP_MASKED_EQ, mask != 0 ? mask : values[i], values[i]));
	return r;
}

#define COUNT(values) (sizeof(values) / sizeof((values)[0]))

static int add_socket(struct kh_condition_programs *programs, int number, int error)
{
	/* The low bits of the type.  AF_UNIX treats SOCK_RAW as datagrams. */
	static const uint64_t types[] = {SOCK_DGRAM, SOCK_RAW};
	int r = add_refusals(programs, number, error, 1, 0xf, types, COUNT(types));

	return r != 0 ? r : refuse_if(programs, number, error, argument(0, SCMP_CMP_NE, AF_UNIX, 0));
}

/* AF_INET and AF_INET6, SOCK_STREAM, protocol 0 or TCP.  A number with a high bit is larger than any of these. */
static int add_tcp_socket(struct kh_condition_programs *programs, int number, int error)
{
	int r = allow(programs, number);

	for (uint64_t family = 0; family < AF_INET6 && r == 0; family++)
		if (family != AF_INET)
			r = refuse_if(programs, number, error, argument(0, SCMP_CMP_EQ, family, 0));
	for (uint64_t type = 0; type <= 0xf && r == 0; type++)
		if (type != SOCK_STREAM)
			r = refuse_if(programs, number, error, argument(1, SCMP_CMP_MASKED_EQ, 0xf, type));
	for (uint64_t protocol = 1; protocol < IPPROTO_TCP && r == 0; protocol++)
		r = refuse_if(programs, number, error, argument(2, SCMP_CMP_EQ, protocol, 0));
	if (r == 0)
		r = refuse_if(programs, number, error, argument(0, SCMP_CMP_GT, AF_INET6, 0));
	return r != 0 ? r : refuse_if(programs, number, error, argument(2, SCMP_CMP_GT, IPPROTO_TCP, 0));
}

static int add_namespaces(struct kh_condition_programs *programs, int number, int error)
{
	/* Without CLONE_NEWTIME, because in clone() that bit is part of the exit signal. */
	static const uint64_t flags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
					 CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

	return add_refusals(programs, number, error, 0, 0, flags, COUNT(flags));
}

static int add_thread(struct kh_condition_programs *programs, int number)
{
	uint64_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	uint64_t never = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
			 CLONE_NEWNET | CLONE_PTRACE | CLONE_VFORK | CLONE_PARENT | 0xff;

	return allow_if(programs, number, argument(0, SCMP_CMP_MASKED_EQ, thread | never, thread));
}

static int add_ioctl(struct kh_condition_programs *programs, int number, int error)
{
	/* Typing into a terminal, the console's menu, redirecting console output, loading a line discipline. */
	static const uint64_t requests[] = {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD};

	return add_refusals(programs, number, error, 1, UINT32_MAX, requests, COUNT(requests));
}

static bool option_allowed(const unsigned char *options, unsigned option)
{
	for (; *options != 0; options++)
		if (*options == option)
			return true;
	return false;
}

/* OPTIONS (ended by 0) are allowed.  All others are refused: one by one below the highest, all at once above it. */
static int add_prctl(struct kh_condition_programs *programs, int number, int error, const unsigned char *options)
{
	unsigned highest = 0;
	int r = allow(programs, number);

	for (const unsigned char *o = options; *o != 0; o++)
		highest = *o > highest ? *o : highest;
	for (unsigned option = 0; option < highest && r == 0; option++)
		if (!option_allowed(options, option))
			r = refuse_if(programs, number, error, argument(0, SCMP_CMP_EQ, option, 0));
	return r != 0 ? r : refuse_if(programs, number, error, argument(0, SCMP_CMP_GT, highest, 0));
}

static const unsigned char options_of_program[] = {
	PR_SET_PDEATHSIG,
	PR_GET_PDEATHSIG,
	PR_GET_DUMPABLE,
	PR_SET_DUMPABLE,
	PR_GET_KEEPCAPS,
	PR_SET_NAME,
	PR_GET_NAME,
	PR_GET_SECCOMP,
	PR_CAPBSET_READ,
	PR_GET_TSC,
	PR_GET_SECUREBITS,
	PR_SET_TIMERSLACK,
	PR_GET_TIMERSLACK,
	PR_MCE_KILL_GET,
	PR_SET_CHILD_SUBREAPER,
	PR_GET_CHILD_SUBREAPER,
	PR_SET_NO_NEW_PRIVS,
	PR_GET_NO_NEW_PRIVS,
	PR_GET_TID_ADDRESS,
	PR_SET_THP_DISABLE,
	PR_GET_THP_DISABLE,
	PR_CAP_AMBIENT,
	PR_GET_SPECULATION_CTRL,
	0,
};

static const unsigned char options_of_worker[] = {
	PR_GET_DUMPABLE, PR_SET_DUMPABLE,     PR_SET_NAME,         PR_GET_NAME, PR_GET_SECCOMP,
	PR_CAPBSET_READ, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, 0,
};

static const unsigned char options_of_gateway[] = {PR_SET_NAME, PR_GET_NAME, 0};

/* Refuses modes with the setuid or setgid bit; the mode is argument INDEX. */
static int add_mode(struct kh_condition_programs *programs, int number, int error, unsigned index)
{
	static const uint64_t bits[] = {S_ISUID, S_ISGID};

	return add_refusals(programs, number, error, index, 0, bits, COUNT(bits));
}

static int add_mknod(struct kh_condition_programs *programs, int number, int error, unsigned index)
{
	int r = add_mode(programs, number, error, index);

	if (r == 0)
		r = refuse_if(programs, number, error, argument(index, SCMP_CMP_MASKED_EQ, S_IFMT, S_IFCHR));
	if (r == 0)
		r = refuse_if(programs, number, error, argument(index, SCMP_CMP_MASKED_EQ, S_IFMT, S_IFBLK));
	return r;
}

/* The same for opening a file: there is a mode only if the flags, argument INDEX, create one. */
static int add_open(struct kh_condition_programs *programs, int number, int error, unsigned index)
{
	static const uint64_t makes[] = {O_CREAT, O_TMPFILE & ~O_DIRECTORY}, bits[] = {S_ISUID, S_ISGID};
	int r = allow(programs, number);

	for (size_t i = 0; i < 4 && r == 0; i++) {
		struct scmp_arg_cmp both[] = {argument(index, SCMP_CMP_MASKED_EQ, makes[i / 2], makes[i / 2]),
					      argument(index + 1, SCMP_CMP_MASKED_EQ, bits[i % 2], bits[i % 2])};

		r = seccomp_rule_add_array(programs->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 2, both);
	}
	return r;
}

static int add_no_lease(struct kh_condition_programs *programs, int number, int error)
{
	static const uint64_t commands[] = {F_SETLEASE, F_NOTIFY};

	return add_refusals(programs, number, error, 1, UINT32_MAX, commands, COUNT(commands));
}

static int add_fcntl(struct kh_condition_programs *programs, int number)
{
	static const uint64_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
	int r = 0;

	for (size_t i = 0; i < COUNT(commands) && r == 0; i++)
		r = allow_if(programs, number, argument(1, SCMP_CMP_EQ, commands[i], 0));
	return r;
}

/* Refuses filters, and sizes of buffers: all, or only those past the system's. */
static int add_no_filter(struct kh_condition_programs *programs, int number, int error, bool has_sizes)
{
	static const uint64_t options[] = {SO_ATTACH_FILTER,
					   SO_ATTACH_BPF,
					   SO_ATTACH_REUSEPORT_CBPF,
					   SO_ATTACH_REUSEPORT_EBPF,
					   SO_SNDBUFFORCE,
					   SO_RCVBUFFORCE,
					   SO_SNDBUF,
					   SO_RCVBUF};
	int r = allow(programs, number);

	for (size_t i = 0; i < COUNT(options) - (has_sizes ? 2 : 0) && r == 0; i++) {
		struct scmp_arg_cmp both[] = {argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, SOL_SOCKET),
					      argument(2, SCMP_CMP_MASKED_EQ, UINT32_MAX, options[i])};

		r = seccomp_rule_add_array(programs->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 2, both);
	}
	return r;
}

/* Options that libcurl sets on a connection.  The level SOL_SOCKET has more, such as filters that run in the kernel. */
static int add_socket_option(struct kh_condition_programs *programs, int number, int error)
{
	struct scmp_arg_cmp other[] = {argument(1, SCMP_CMP_EQ, SOL_SOCKET, 0),
				       argument(2, SCMP_CMP_NE, SO_KEEPALIVE, 0)};
	int r = allow(programs, number);

	for (uint64_t level = 0; level < IPPROTO_TCP && r == 0; level++)
		if (level != SOL_SOCKET)
			r = refuse_if(programs, number, error, argument(1, SCMP_CMP_EQ, level, 0));
	if (r == 0)
		r = refuse_if(programs, number, error, argument(1, SCMP_CMP_GT, IPPROTO_TCP, 0));
	return r != 0 ? r
		      : seccomp_rule_add_array(programs->exceptions, SCMP_ACT_ERRNO((unsigned)error), number, 2, other);
}

/*
 * The limit of cores is 1 byte, which is none.  With 0 the kernel would start the host's handler of cores, if there is
 * one.  A program that sets it wants no cores either, so the answer is success.
 */
static int add_limit_of_self(struct kh_condition_programs *programs, int number, int error)
{
	struct scmp_arg_cmp core[] = {argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, RLIMIT_CORE),
				      argument(2, SCMP_CMP_NE, 0, 0)};
	int r = allow(programs, number);

	/* The first process of a sandbox has the same user. */
	if (r == 0)
		r = refuse_if(programs, number, error, argument(0, SCMP_CMP_NE, 0, 0));
	return r != 0 ? r : seccomp_rule_add_array(programs->exceptions, SCMP_ACT_ERRNO(0), number, 2, core);
}

/* Allows the call, except with arguments that match. */
static int add_except(struct kh_condition_programs *programs, int number, int error, struct scmp_arg_cmp compare)
{
	int r = allow(programs, number);

	return r != 0 ? r : refuse_if(programs, number, error, compare);
}

/* All flags up to RWF_ATOMIC, except RWF_NOWAIT, which answers at once if a page is not in memory.  Behind them is
 * RWF_DONTCACHE, which leaves no page behind, so that one could look again and again. */
static int add_no_peek(struct kh_condition_programs *programs, int number, int error)
{
	int r = add_except(programs, number, error, argument(5, SCMP_CMP_MASKED_EQ, RWF_NOWAIT, RWF_NOWAIT));

	return r != 0 ? r : refuse_if(programs, number, error, argument(5, SCMP_CMP_GT, 0x7f, 0));
}

/* The kernel need not follow an advice, so a program is told that it was taken: some count an error as theirs. */
static int add_advice(struct kh_condition_programs *programs, int number, int error)
{
	int r = add_except(programs, number, 0, argument(3, SCMP_CMP_MASKED_EQ, UINT32_MAX, POSIX_FADV_DONTNEED));

	return r != 0 ? r : refuse_if(programs, number, error, argument(3, SCMP_CMP_GT, POSIX_FADV_NOREUSE, 0));
}

static int add_no_pageout(struct kh_condition_programs *programs, int number, int error)
{
	static const uint64_t advice[] = {MADV_COLD, MADV_PAGEOUT};

	return add_refusals(programs, number, error, 2, UINT32_MAX, advice, COUNT(advice));
}

int kh_condition_add(struct kh_condition_programs *programs, enum kh_condition condition, int number, int error)
{
	switch (condition) {
	case KH_CONDITION_ALWAYS:
		return error == 0 ? allow(programs, number)
				  : seccomp_rule_add_array(programs->list, SCMP_ACT_ERRNO((unsigned)error), number, 0,
							   NULL);
	case KH_CONDITION_UNIX_SOCKET:
		return add_socket(programs, number, error);
	case KH_CONDITION_TCP_SOCKET:
		return add_tcp_socket(programs, number, error);
	case KH_CONDITION_NO_NAMESPACE:
		return add_namespaces(programs, number, error);
	case KH_CONDITION_THREAD:
		return add_thread(programs, number);
	case KH_CONDITION_NOT_EXECUTABLE:
		return allow_if(programs, number, argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	case KH_CONDITION_NOT_EXECUTABLE_OR_ERROR:
		return add_except(programs, number, error, argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	case KH_CONDITION_NO_INJECTION:
		return add_ioctl(programs, number, error);
	case KH_CONDITION_OPTION_OF_PROGRAM:
		return add_prctl(programs, number, error, options_of_program);
	case KH_CONDITION_OPTION_OF_WORKER:
		return add_prctl(programs, number, error, options_of_worker);
	case KH_CONDITION_OPTION_OF_GATEWAY:
		return add_prctl(programs, number, error, options_of_gateway);
	case KH_CONDITION_PERSONALITY:
		return add_except(programs, number, error, argument(0, SCMP_CMP_NE, UINT32_MAX, 0));
	case KH_CONDITION_NO_DEVICE:
		return add_mknod(programs, number, error, 1);
	case KH_CONDITION_NO_DEVICE_AT:
		return add_mknod(programs, number, error, 2);
	case KH_CONDITION_MODE:
		return add_mode(programs, number, error, 1);
	case KH_CONDITION_MODE_AT:
		return add_mode(programs, number, error, 2);
	case KH_CONDITION_OPEN:
		return add_open(programs, number, error, 1);
	case KH_CONDITION_OPEN_AT:
		return add_open(programs, number, error, 2);
	case KH_CONDITION_NO_LEASE:
		return add_no_lease(programs, number, error);
	case KH_CONDITION_DESCRIPTOR_FLAGS:
		return add_fcntl(programs, number);
	case KH_CONDITION_DESCRIPTOR_ONLY:
		return add_except(programs, number, error, argument(3, SCMP_CMP_NE, AT_EMPTY_PATH, 0));
	case KH_CONDITION_NO_ADDRESS:
		return allow_if(programs, number, argument(4, SCMP_CMP_EQ, 0, 0));
	case KH_CONDITION_NO_BUFFER:
		return add_no_filter(programs, number, error, false);
	case KH_CONDITION_NO_FILTER:
		return add_no_filter(programs, number, error, true);
	case KH_CONDITION_SOCKET_OPTION:
		return add_socket_option(programs, number, error);
	case KH_CONDITION_LIMIT_OF_SELF:
		return add_limit_of_self(programs, number, error);
	case KH_CONDITION_NO_CORE_LIMIT:
		return add_except(programs, number, error, argument(0, SCMP_CMP_MASKED_EQ, UINT32_MAX, RLIMIT_CORE));
	case KH_CONDITION_NO_PEEK:
		return add_no_peek(programs, number, error);
	case KH_CONDITION_ADVICE:
		return add_advice(programs, number, error);
	case KH_CONDITION_NO_PAGEOUT:
		return add_no_pageout(programs, number, error);
	case KH_CONDITION_NO_WHITEOUT:
		return add_except(programs, number, error,
				  argument(4, SCMP_CMP_MASKED_EQ, RENAME_WHITEOUT, RENAME_WHITEOUT));
	case KH_CONDITION_LIMIT_READ:
		return add_except(programs, number, error, argument(2, SCMP_CMP_NE, 0, 0));
	}
	return -EINVAL;
}
