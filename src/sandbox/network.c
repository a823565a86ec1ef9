/* Loopback addresses for names.  Runs with the capabilities of the namespace, while nothing hostile runs in it. */
#include "sandbox/network.h"

#include "wire/channel.h"
#include "wire/request.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_ADDRESS (127U << 24 | 107U << 16) /* 127.107.0.0 */
#define WAITING       128                       /* connections that wait to be accepted */
#define LINE          300                       /* a name and its address */

struct target {
	struct kh_view name;
	int port;
	unsigned address; /* the same for the same name */
};

static size_t read_targets(const struct kh_message *job, struct target targets[KH_MESSAGE_NETWORK])
{
	size_t count = 0, cursor = 0;
	struct kh_view item;

	while (count < KH_MESSAGE_NETWORK && kh_message_item(job, KH_FIELD_NETWORK, &cursor, &item)) {
		struct target *one = &targets[count];
		if (!kh_request_target(item, &one->name, &one->port))
			return 0;
		size_t same = 0;
		while (same < count && !kh_view_eq(targets[same].name, one->name))
			same++;
		one->address = same < count ? targets[same].address : FIRST_ADDRESS + (unsigned)count + 1;
		count++;
	}
	return count;
}

static int raise_loopback(void)
{
	struct ifreq request = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), e = 0;

	if (fd < 0)
		return errno;
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		e = errno;
	request.ifr_flags |= IFF_UP;
	if (e == 0 && ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		e = errno;
	request.ifr_flags = 0;
	if (e == 0 && ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		e = errno;
	if (e == 0 && (request.ifr_flags & IFF_UP) == 0)
		e = EPROTO;
	close(fd);
	return e;
}

/* True if FD listens at AT. */
static bool is_listening(int fd, const struct sockaddr_in *at)
{
	struct sockaddr_in own = {0};
	socklen_t size = sizeof(own), flag_size = sizeof(int);
	int listens = 0;

	return getsockname(fd, (struct sockaddr *)&own, &size) == 0 && own.sin_port == at->sin_port &&
	       own.sin_addr.s_addr == at->sin_addr.s_addr &&
	       getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &flag_size) == 0 && listens != 0;
}

/* Makes the listening socket of TARGET and hands it out. */
static int listen_at(const struct target *target, int channel)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)target->port), .sin_addr = {htonl(target->address)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), e = 0;
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;

	if (fd < 0)
		return errno;
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, WAITING) < 0) {
		e = errno;
	} else if (!is_listening(fd, &at)) {
		e = EPROTO; /* it claims to */
	} else {
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LISTENING);
		if (kh_channel_say(channel, &out, &fd, 1) != KH_IO_DONE)
			e = EPIPE;
	}
	close(fd);
	return e;
}

/* Adds the sandbox's own names to TEXT, except those that stand for a host outside; returns how many bytes. */
static size_t put_own(const struct target *targets, size_t count, char *text)
{
	static const char *const names[] = {"localhost", "keyhole"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t k = 0;
		while (k < count && !kh_view_eq(targets[k].name, kh_view_str(names[i])))
			k++;
		if (k == count)
			n += (size_t)snprintf(text + n, LINE, "127.0.0.1 %s\n", names[i]);
	}
	return n;
}

/* One name a line, because some libraries read only the beginning of a long one. */
static int write_hosts(const struct target *targets, size_t count, bool has_own)
{
	char text[(KH_MESSAGE_NETWORK + 3) * LINE];
	int fd = open("/etc/hosts", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0444);

	if (fd < 0)
		return errno;
	size_t n = has_own ? put_own(targets, count, text) : 0;
	for (size_t i = 0; i < count; i++) {
		unsigned a = targets[i].address;
		bool is_new = true;
		for (size_t k = 0; k < i; k++)
			is_new &= targets[k].address != a;
		if (is_new)
			n += (size_t)snprintf(text + n, LINE, "%u.%u.%u.%u %.*s\n", a >> 24, a >> 16 & 255,
					      a >> 8 & 255, a & 255, KH_FMT(targets[i].name));
	}
	ssize_t written = write(fd, text, n);
	close(fd);
	return written == (ssize_t)n ? 0 : EIO;
}

int kh_network_own(void)
{
	int e = raise_loopback();

	return e != 0 ? e : write_hosts(NULL, 0, true);
}

int kh_network_open(const struct kh_message *job, bool has_own, int channel)
{
	struct target targets[KH_MESSAGE_NETWORK];
	size_t count = read_targets(job, targets);
	int e = count == 0 ? EPROTO : raise_loopback();

	for (size_t i = 0; i < count && e == 0; i++)
		e = listen_at(&targets[i], channel);
	return e != 0 ? e : write_hosts(targets, count, has_own);
}

size_t kh_network_ports(const struct kh_message *job, uint16_t ret_ports[KH_MESSAGE_NETWORK])
{
	struct target targets[KH_MESSAGE_NETWORK];
	size_t count = read_targets(job, targets);

	for (size_t i = 0; i < count; i++)
		ret_ports[i] = (uint16_t)targets[i].port;
	return count;
}
