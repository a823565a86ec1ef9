/*
 * Secrets go from their file (keyfile.h) to the file for the sandbox.  The copy in between is wiped; neither is in a
 * message, a log or an error.
 */
#include "executor/variables.h"

#include "executor/keyfile.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, struct kh_view bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);
		if (n < 0 && errno != EINTR)
			return false;
		bytes = kh_view_from(bytes, n > 0 ? (size_t)n : 0);
	}
	return true;
}

/* Appends NAME and the secret that is in its file to FILE, and adds the secret to VEIL. */
static enum kh_err add_secret(struct kh_view secret, bool links, int file, struct kh_veil *veil, struct kh_error *err)
{
	char room[KH_REQUEST_SECRET];
	struct kh_view name, path, value;

	if (!kh_request_variable(secret, &name, &path))
		return kh_error_set(err, KH_EINPUT, "bad_request", "a secret without a name");
	enum kh_err e = kh_keyfile_read(name, path, links, room, sizeof(room), &value, err);
	if (e == KH_OK && (!write_all(file, name) || !write_all(file, KH_LIT("=")) || !write_all(file, value) ||
			   !write_all(file, kh_view_of("", 1))))
		e = kh_error_set(err, KH_ENOMEM, NULL, "no room for the environment");
	if (e == KH_OK)
		kh_veil_add(veil, value);
	explicit_bzero(room, sizeof(room));
	return e;
}

enum kh_err kh_variables_write(const struct kh_run *run, struct kh_veil *veil, int *ret_fd, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	*ret_fd = -1;
	if (run->variables + run->secrets == 0)
		return KH_OK;
	int file = memfd_create("environment", MFD_CLOEXEC);
	if (file < 0)
		return kh_error_set(err, KH_ENOMEM, NULL, "no file for the environment: %m");
	for (size_t i = 0; i < run->variables && e == KH_OK; i++)
		if (!write_all(file, run->environment[i]) || !write_all(file, kh_view_of("", 1)))
			e = kh_error_set(err, KH_ENOMEM, NULL, "no room for the environment");
	for (size_t i = 0; i < run->secrets && e == KH_OK; i++)
		e = add_secret(run->secret[i], run->links, file, veil, err);
	if (e != KH_OK) {
		close(file);
		return e;
	}
	*ret_fd = file;
	return KH_OK;
}
