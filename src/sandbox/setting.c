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
