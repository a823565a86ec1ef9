/*
 * Landlock by system call.
 *
 * The ruleset handles every right that the kernel's ABI knows, so each is refused unless a rule gives it back.  No rule
 * gives back TCP and, from ABI 6 on, abstract sockets and signals to processes outside.  A folder's rule leaves out
 * devices, because what a device gives access to is not limited to the folder it was made in.
 *
 * Runs between fork and exec: allocates no memory and calls only async-signal-safe functions.
 */
#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants newer than ABI 2, because the headers of the oldest system that we build on end there. */
enum {
	FS_TRUNCATE = 1 << 14,  /* ABI 3 */
	FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
	NET_BIND_TCP = 1 << 0,  /* ABI 4 */
	NET_CONNECT_TCP = 1 << 1,
	RULE_NET_PORT = 2,
	SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, /* ABI 6 */
	SCOPE_SIGNAL = 1 << 1,
};

struct net_port {
	uint64_t allowed_access, port;
};

struct ruleset {
	uint64_t fs, net, scoped;
};

#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_CHANGE                                                                                         \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |       \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER |          \
	 (uint64_t)FS_TRUNCATE)

/* The rights that a rule for a file that is not a folder may have; the kernel refuses any other. */
#define FS_OF_FILE                                                                                   \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | \
	 (uint64_t)FS_TRUNCATE)

/* Bits 0 to 12 are ABI 1. */
#define FS_FIRST ((UINT64_C(1) << 13) - 1)

int kh_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

/* Everything that ABI can refuse. */
static struct ruleset everything(int abi)
{
	struct ruleset set = {.fs = FS_FIRST};

	if (abi >= 2)
		set.fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		set.fs |= FS_TRUNCATE;
	if (abi >= 4)
		set.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (abi >= 5)
		set.fs |= FS_IOCTL_DEV;
	if (abi >= 6)
		set.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
	return set;
}

/* The size of the structure in ABI; an older kernel may refuse a longer one. */
static size_t ruleset_size(int abi)
{
	return abi >= 6 ? sizeof(struct ruleset) : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

static uint64_t rights(enum kh_landlock_right right)
{
	switch (right) {
	case KH_LANDLOCK_READ:
		return FS_READ;
	case KH_LANDLOCK_RUN:
		return FS_READ | LANDLOCK_ACCESS_FS_EXECUTE;
	case KH_LANDLOCK_KEEP:
		return LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
	case KH_LANDLOCK_WRITE:
		return FS_READ | FS_CHANGE;
	case KH_LANDLOCK_ALL:
		return FS_READ | FS_CHANGE | LANDLOCK_ACCESS_FS_EXECUTE;
	}
	return 0;
}

static int add_rule(int set, const struct kh_landlock_rule *rule, uint64_t handled)
{
	struct landlock_path_beneath_attr beneath = {.allowed_access = rights(rule->right) & handled};
	struct stat st;
	int fd = rule->path ? open(rule->path, O_PATH | O_CLOEXEC) : rule->fd, error = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	if (fstat(fd, &st) < 0) {
		error = errno;
	} else {
		if (!S_ISDIR(st.st_mode))
			beneath.allowed_access &= FS_OF_FILE;
		beneath.parent_fd = fd;
		if (syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) < 0)
			error = errno;
	}
	if (rule->path)
		close(fd);
	return error;
}

/* A kernel without rules for ports does not refuse TCP either. */
static int add_port(int set, uint16_t port, uint64_t handled)
{
	struct net_port rule = {.allowed_access = NET_CONNECT_TCP, .port = port};

	if ((handled & NET_CONNECT_TCP) == 0)
		return 0;
	return syscall(SYS_landlock_add_rule, set, RULE_NET_PORT, &rule, 0) < 0 ? errno : 0;
}

/* TCP is refused, except for PORTS, if ALL handles it. */
static int restrict_to(struct ruleset all, const struct kh_landlock_rule *rules, size_t count, const uint16_t *ports,
		       size_t port_count)
{
	int abi = kh_landlock_abi(), set, error = 0;

	if (abi == 0)
		return ENOSYS;
	set = (int)syscall(SYS_landlock_create_ruleset, &all, ruleset_size(abi), 0);
	if (set < 0)
		return errno;
	for (size_t i = 0; i < count && error == 0; i++)
		error = add_rule(set, &rules[i], all.fs);
	for (size_t i = 0; i < port_count && error == 0; i++)
		error = add_port(set, ports[i], all.net);
	if (error == 0 && syscall(SYS_landlock_restrict_self, set, 0) < 0)
		error = errno;
	close(set);
	return error;
}

int kh_landlock_restrict_except(const struct kh_landlock_rule *rules, size_t count, const uint16_t *ports,
				size_t port_count)
{
	return restrict_to(everything(kh_landlock_abi()), rules, count, ports, port_count);
}

int kh_landlock_restrict(const struct kh_landlock_rule *rules, size_t count)
{
	return kh_landlock_restrict_except(rules, count, NULL, 0);
}

int kh_landlock_restrict_files(const struct kh_landlock_rule *rules, size_t count)
{
	struct ruleset files = everything(kh_landlock_abi());

	files.net = 0;
	return restrict_to(files, rules, count, NULL, 0);
}
