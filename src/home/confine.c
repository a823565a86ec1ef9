/* What the process may still reach after the lockdown.  Paths come from the operator's configuration. */
#include "home/confine.h"

#include "sandbox/lockdown.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* Finds the folder that keyhole.yaml is really in; empty if that is the home folder.  The rule is for the folder,
 * not for the file, because an editor replaces the file with a new one. */
static enum kh_err find_config(struct kh_home *home, char folder[PATH_MAX], struct kh_error *err)
{
	struct kh_view path = kh_folder_file(&home->folder, &home->arena, KH_FOLDER_CONFIG);
	struct stat st;

	folder[0] = '\0';
	if (path.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (lstat(path.p, &st) == 0 && !S_ISLNK(st.st_mode))
		return KH_OK;
	char *slash = realpath(path.p, folder) != NULL ? strrchr(folder, '/') : NULL;
	if (slash == NULL || slash == folder)
		return kh_error_set(err, KH_EREFUSED, "lockdown",
				    "the folder that " KH_FOLDER_CONFIG " is in cannot be found");
	*slash = '\0';
	return KH_OK;
}

/* Makes the witness file if it is missing, so that there can be a rule for this file alone. */
static enum kh_err make_witness(struct kh_home *home, const char **ret_path, struct kh_error *err)
{
	struct kh_view path = kh_arena_printf(&home->arena, "%.*s", KH_FMT(home->config->audit.witness_file));

	*ret_path = NULL;
	if (path.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (path.n == 0)
		return KH_OK;
	int fd = open(path.p, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (fd < 0)
		return kh_error_set(err, KH_ESTORE, "witness_failed", "the witness file cannot be opened: %s",
				    strerror(errno));
	close(fd);
	*ret_path = path.p;
	return KH_OK;
}

enum kh_err kh_confine_home(struct kh_home *home, struct kh_error *err)
{
	struct kh_lockdown_path others[2];
	char config[PATH_MAX];
	const char *witness;
	size_t n = 0;
	enum kh_err e = find_config(home, config, err);

	if (e == KH_OK)
		e = make_witness(home, &witness, err);
	if (e != KH_OK)
		return e;
	if (config[0] != '\0')
		others[n++] = (struct kh_lockdown_path){.path = config};
	if (witness != NULL)
		others[n++] = (struct kh_lockdown_path){.path = witness, .writes = true};
	tzset();
	if (home->config->audit.witness_syslog == KH_CONFIG_TRUE)
		openlog("keyhole", LOG_NDELAY, LOG_AUTHPRIV);
	return kh_lockdown_beside(home->folder.path.p, others, n, err);
}

enum kh_err kh_confine_all(struct kh_error *err)
{
	return kh_lockdown(NULL, err);
}
