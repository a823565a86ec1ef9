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

/* Finds the folder of the witness file; NULL if there is none.  The rule is for the folder, not for the file, because
 * logrotate renames the file, and then a new one has to be made. */
static enum kh_err find_witness(struct kh_home *home, const char **ret_folder, struct kh_error *err)
{
	struct kh_view path = home->config->audit.witness_file;
	size_t slash = path.n;

	*ret_folder = NULL;
	if (path.n == 0)
		return KH_OK;
	while (slash > 1 && path.p[slash - 1] != '/')
		slash--;
	struct kh_view folder = kh_arena_printf(&home->arena, "%.*s", (int)slash, path.p);
	if (folder.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (access(folder.p, F_OK) != 0)
		return kh_error_set(err, KH_ESTORE, "witness_failed", "the folder of the witness file: %s",
				    strerror(errno));
	*ret_folder = folder.p;
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
		e = find_witness(home, &witness, err);
	if (e != KH_OK)
		return e;
	if (config[0] != '\0')
		others[n++] = (struct kh_lockdown_path){.path = config};
	if (witness != NULL)
		others[n++] = (struct kh_lockdown_path){.path = witness, .keeps = true};
	tzset();
	if (home->config->audit.witness_syslog == KH_CONFIG_TRUE)
		openlog("keyhole", LOG_NDELAY, LOG_AUTHPRIV);
	return kh_lockdown_beside(home->folder.path.p, others, n, err);
}

enum kh_err kh_confine_all(struct kh_error *err)
{
	return kh_lockdown(NULL, err);
}
