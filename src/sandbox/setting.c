/* Uses one write, because the kernel treats each write as a separate command. */
#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int kh_setting_write(int at, const char *path, const char *text)
{
	int fd = openat(at, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	ssize_t n = write(fd, text, strlen(text));
	int e = n == (ssize_t)strlen(text) ? 0 : n < 0 ? errno : EIO;
	close(fd);
	return e;
}

struct kh_view kh_setting_read(int at, const char *path, char *text, size_t size)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size);

	if (fd >= 0)
		close(fd);
	return (struct kh_view){text, n > 0 ? (size_t)n : 0};
}
