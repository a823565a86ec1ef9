/*
 * Grants: where each path of a job is seen inside, and the mounts for it.  The paths come from the executor, which
 * checked that they are absolute and have no "..".  What is at them on the host may change at any time, by a program
 * that may write there; so no link is followed, and everything is opened before anything is put in its place.
 */
#include "sandbox/grants.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIRROR "/granted"

static int refuse(struct kh_grants *g, int error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int refuse(struct kh_grants *g, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(g->why, sizeof(g->why), fmt, args);
	va_end(args);
	return error;
}

/* What follows FOLDER in PATH, if PATH is in it ("/..."), or is it (""); else NULL. */
static const char *below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/') ? path + n : NULL;
}

static bool is_strictly_below(const char *path, const char *folder)
{
	const char *rest = below(path, folder);

	return rest != NULL && *rest != '\0';
}

/* Keeps A and B as one text; NULL if there is no more room. */
static const char *keep(struct kh_grants *g, struct kh_view a, struct kh_view b)
{
	char *text = g->text + g->used;

	if (a.n + b.n + 1 > sizeof(g->text) - g->used)
		return NULL;
	if (a.n > 0)
		memcpy(text, a.p, a.n);
	if (b.n > 0)
		memcpy(text + a.n, b.p, b.n);
	text[a.n + b.n] = '\0';
	g->used += a.n + b.n + 1;
	return text;
}

/* The one spelling of PATH: no "//", no "/.", no "/" at the end; empty for the root. */
static const char *normal(struct kh_grants *g, struct kh_view path)
{
	char *text = g->text + g->used;
	struct kh_view step;
	size_t n = 0;

	if (path.n + 1 > sizeof(g->text) - g->used)
		return NULL;
	while (kh_view_split(&path, '/', &step)) {
		if (step.n == 0 || kh_view_eq(step, KH_LIT(".")))
			continue;
		text[n] = '/';
		memcpy(text + n + 1, step.p, step.n);
		n += step.n + 1;
	}
	text[n] = '\0';
	g->used += n + 1;
	return text;
}

/* Where HOST is seen if it is named as a path of its own.  /dev/shm is a link to /tmp inside. */
static const char *own_place(struct kh_grants *g, const char *host)
{
	const char *rest = below(host, "/dev/shm");

	return rest == NULL ? host : keep(g, KH_LIT("/tmp"), kh_view_str(rest));
}

static struct kh_grants_path *find(struct kh_grants *g, const char *place)
{
	for (size_t i = 0; i < g->count; i++)
		if (strcmp(g->at[i].place, place) == 0)
			return &g->at[i];
	return NULL;
}

bool kh_grants_has(const struct kh_grants *grants, const char *place)
{
	for (size_t i = 0; i < grants->count; i++)
		if (strcmp(grants->at[i].place, place) == 0)
			return true;
	return false;
}

static int add(struct kh_grants *g, const char *host, const char *place, bool writable)
{
	if (host == NULL || place == NULL || g->count == KH_GRANTS)
		return E2BIG;
	const struct kh_grants_path *same = find(g, place);
	if (same != NULL && strcmp(same->host, host) != 0)
		return refuse(g, EINVAL, "%s and %s would both be at %s", same->host, host, place);
	if (same != NULL && same->writable == writable)
		return 0;
	g->at[g->count++] = (struct kh_grants_path){.host = host, .place = place, .writable = writable, .tree = -1};
	return 0;
}

/* Adds PATH as it was named.  PLACE is NULL for its own place. */
static int name(struct kh_grants *g, struct kh_view path, const char *place, bool writable)
{
	const char *host = normal(g, path);

	if (host != NULL && *host == '\0')
		return refuse(g, EINVAL, "/ cannot be granted as a whole");
	for (size_t i = 0; host != NULL && i < g->count; i++)
		if (strcmp(g->at[i].host, host) == 0 && g->at[i].writable != writable)
			return refuse(g, EINVAL, "%s is named both for reading and for writing", host);
	return add(g, host, host == NULL || place != NULL ? place : own_place(g, host), writable);
}

static int name_list(struct kh_grants *g, const struct kh_message *job, enum kh_message_field field, bool writable)
{
	struct kh_view path;
	size_t cursor = 0;
	int e = 0;

	while (e == 0 && kh_message_item(job, field, &cursor, &path))
		e = name(g, path, NULL, writable);
	return e;
}

/* What lies in a writable folder is seen there too, and has its own access there. */
static int add_second_places(struct kh_grants *g)
{
	size_t named = g->count;
	int e = 0;

	for (size_t i = 0; i < named && e == 0; i++) {
		for (size_t k = 0; k < named && e == 0 && g->at[i].writable; k++) {
			if (!is_strictly_below(g->at[k].host, g->at[i].host))
				continue;
			const char *rest = below(g->at[k].host, g->at[i].host);
			e = add(g, g->at[k].host, keep(g, kh_view_str(g->at[i].place), kh_view_str(rest)),
				g->at[k].writable);
		}
	}
	return e;
}

/* The grant whose place PLACE lies in: the narrowest one; NULL if there is none. */
static const struct kh_grants_path *cover(const struct kh_grants *g, const char *place)
{
	const struct kh_grants_path *best = NULL;

	for (size_t i = 0; i < g->count; i++)
		if (is_strictly_below(place, g->at[i].place) &&
		    (best == NULL || strlen(g->at[i].place) > strlen(best->place)))
			best = &g->at[i];
	return best;
}

static bool is_elsewhere(const struct kh_grants *g, const struct kh_grants_path *grant)
{
	for (size_t i = 0; i < g->count; i++)
		if (&g->at[i] != grant && strcmp(g->at[i].host, grant->host) == 0)
			return true;
	return false;
}

/*
 * A place in another grant's place must show what that one has there.  Otherwise it would have to be made there, in a
 * folder of the host.  So a path of the host below /work is not seen at its own place if WORK is there.
 */
static int check_places(struct kh_grants *g)
{
	for (size_t i = 0; i < g->count;) {
		struct kh_grants_path *in = &g->at[i];
		const struct kh_grants_path *outer = cover(g, in->place);
		const char *rest = outer != NULL ? below(in->host, outer->host) : NULL;

		if (outer == NULL || (rest != NULL && strcmp(rest, below(in->place, outer->place)) == 0)) {
			i++;
			continue;
		}
		if (!is_elsewhere(g, in))
			return refuse(g, EINVAL, "%s would be at %s, where %s is", in->host, in->place, outer->host);
		*in = g->at[--g->count];
	}
	return 0;
}

/* The first folder below the private TOP that PLACE is in, in g->link, and everything in it, goes below the mirror. */
static int mirror(struct kh_grants *g, const char *place, const char *top)
{
	const char *rest = below(place, top) + 1;
	const char *link = keep(g, kh_view_of(place, (size_t)(rest - place) + strcspn(rest, "/")), KH_LIT(""));

	if (link == NULL || g->links == KH_GRANTS_NAMED)
		return E2BIG;
	g->link[g->links++] = link;
	for (size_t i = 0; i < g->count; i++) {
		if (below(g->at[i].place, link) == NULL)
			continue;
		g->at[i].place = keep(g, KH_LIT(MIRROR), kh_view_str(g->at[i].place));
		if (g->at[i].place == NULL)
			return E2BIG;
	}
	return 0;
}

/* Workers of ours may write neither to /tmp nor to /work, and follow no links. */
static int move_from_private(struct kh_grants *g)
{
	static const char *const tops[] = {"/tmp", "/work"};
	int e = 0;

	for (size_t k = 0; k < 2 && kh_profile_is_program(g->profile); k++)
		for (size_t i = 0; i < g->count && e == 0; i++)
			if (!g->at[i].writable && is_strictly_below(g->at[i].place, tops[k]) &&
			    cover(g, g->at[i].place) == NULL)
				e = mirror(g, g->at[i].place, tops[k]);
	return e;
}

/* What another lies in has a shorter place, and so comes first. */
static void sort(struct kh_grants *g)
{
	for (size_t i = 1; i < g->count; i++) {
		for (size_t k = i; k > 0 && strlen(g->at[k].place) < strlen(g->at[k - 1].place); k--) {
			struct kh_grants_path other = g->at[k];
			g->at[k] = g->at[k - 1];
			g->at[k - 1] = other;
		}
	}
}

int kh_grants_read(struct kh_grants *grants, enum kh_profile profile, const struct kh_message *job)
{
	int e = 0;

	grants->profile = profile;
	if (job->has[KH_FIELD_WORK])
		e = name(grants, job->text[KH_FIELD_WORK], "/work", true);
	if (e == 0 && job->has[KH_FIELD_CACHE])
		e = name(grants, job->text[KH_FIELD_CACHE], "/cache", false);
	if (e == 0)
		e = name_list(grants, job, KH_FIELD_READ, false);
	if (e == 0)
		e = name_list(grants, job, KH_FIELD_WRITE, true);
	if (e == 0)
		e = add_second_places(grants);
	if (e == 0)
		e = check_places(grants);
	return e ? e : move_from_private(grants);
}

/* True if GRANT is to stay read-only in a folder that may be written to. */
static bool is_carved(const struct kh_grants *g, const struct kh_grants_path *grant)
{
	const struct kh_grants_path *outer = cover(g, grant->place);

	return !grant->writable && outer != NULL && outer->writable;
}

static int open_one(struct kh_grants *g, struct kh_grants_path *grant, int host)
{
	struct stat st = {0};

	/* No links at all, because another program may be writing to a folder on the path right now. */
	grant->tree = kh_tree_host(host, grant->host, RESOLVE_NO_SYMLINKS);
	if (grant->tree < 0 || fstat(grant->tree, &st) < 0)
		return errno;
	grant->uid = st.st_uid;
	grant->gid = st.st_gid;
	grant->is_dir = S_ISDIR(st.st_mode);
	grant->is_open = S_ISREG(st.st_mode) && (st.st_mode & 05) == (st.st_mode >> 6 & 05);
	if (!grant->is_dir && !S_ISREG(st.st_mode))
		return ENOTDIR;
	if (!grant->is_dir && is_carved(g, grant))
		return refuse(g, EINVAL, "%s is a file below %s, which may be written to: it cannot be kept read-only",
			      grant->host, cover(g, grant->place)->host);
	return 0;
}

static int open_all(struct kh_grants *g, int host)
{
	for (size_t i = 0; i < g->count;) {
		struct kh_grants_path *grant = &g->at[i];
		int e = open_one(g, grant, host);

		/* Our own worker reports a missing file itself, and files of a database come and go. */
		if (e == ENOENT && !grant->writable && kh_profile_takes_job(g->profile)) {
			*grant = g->at[--g->count];
			continue;
		}
		if (e)
			return e;
		i++;
	}
	return 0;
}

/* True if the files of GRANT's owner are the sandbox's. */
static bool is_given(const struct kh_grants *g, const struct kh_grants_path *grant)
{
	bool given = grant->writable || (grant->uid == 0 && !grant->is_open);

	for (size_t i = 0; i < g->count && !given; i++)
		given = g->at[i].writable && g->at[i].uid == grant->uid;
	return given;
}

/* The map of ids for GRANT in *RET_MAP; -1 if it needs none.  0 or errno. */
static int find_map(const struct kh_grants *g, const struct kh_grants_path *grant, struct kh_ids *ids, int *ret_map)
{
	const bool given = is_given(g, grant), carved = is_carved(g, grant);

	*ret_map = -1;
	if (ids->user == 0 || (!carved && (!given || grant->uid == ids->user)))
		return 0;
	*ret_map = kh_ids_shift(ids, given ? grant->uid : KH_IDS_NONE, carved ? KH_IDS_NONE : grant->gid);
	return *ret_map >= 0 ? 0 : errno;
}

/* What GRANT was opened as becomes a detached mount. */
static int take_tree(const struct kh_grants *g, struct kh_grants_path *grant, struct kh_ids *ids)
{
	uint64_t attr = grant->writable ? KH_TREE_WRITABLE : KH_TREE_READ_ONLY;
	int map, fd = grant->tree, e = find_map(g, grant, ids, &map);

	if (e)
		return e;
	grant->tree = kh_tree_clone(fd, attr, map);
	if (grant->tree < 0 && map >= 0 && !grant->writable && errno != EPROTO)
		grant->tree = kh_tree_clone(fd, attr, map = -1);
	e = grant->tree < 0 ? errno : 0;
	close(fd);
	/* A file system without id-mapped mounts answers EINVAL, which is too vague. */
	return map >= 0 && e == EINVAL ? EOPNOTSUPP : e;
}

/* If a folder that may be written to is on a file system without id-mapped mounts, the sandbox is its owner outside;
 * but not root. */
static int find_user(const struct kh_grants *g, struct kh_ids *ids)
{
	for (size_t i = 0; i < g->count && ids->user != 0; i++) {
		const struct kh_grants_path *grant = &g->at[i];
		if (!grant->writable || grant->uid == 0 || grant->uid == ids->user)
			continue;
		int map = kh_ids_shift(ids, grant->uid, grant->gid);
		int tree = map < 0 ? -1 : kh_tree_clone(grant->tree, KH_TREE_WRITABLE, map);
		if (tree < 0 && (map < 0 || errno != EINVAL))
			return errno;
		if (tree >= 0) {
			close(tree);
			continue;
		}
		kh_ids_forget(ids);
		ids->user = grant->uid;
		ids->group = KH_IDS_NOBODY; /* what it makes has this group: not one that a later sandbox has */
		break;
	}
	return 0;
}

int kh_grants_open(struct kh_grants *grants, int host, struct kh_ids *ids)
{
	int e = open_all(grants, host);

	if (e == 0)
		e = find_user(grants, ids);
	for (size_t i = 0; i < grants->count && e == 0; i++)
		e = take_tree(grants, &grants->at[i], ids);
	kh_ids_forget(ids);
	return e;
}

static int place_one(struct kh_grants *g, const struct kh_tree_own *own, struct kh_grants_path *grant)
{
	const struct kh_grants_path *outer = cover(g, grant->place);
	int tree = grant->tree;

	grant->tree = -1;
	int e = kh_tree_place(own, tree, grant->place, grant->is_dir,
			      outer != NULL && outer->writable ? outer->place : NULL);
	if (e == ENOENT && outer != NULL)
		return refuse(g, e, "%s is not found in %s", grant->host, outer->host);
	return e;
}

int kh_grants_place(struct kh_grants *grants, const struct kh_tree_own *own)
{
	char target[PATH_MAX];
	int e = 0;

	sort(grants);
	for (size_t i = 0; i < grants->count && e == 0; i++)
		e = place_one(grants, own, &grants->at[i]);
	for (size_t i = 0; i < grants->links && e == 0; i++) {
		int n = snprintf(target, sizeof(target), MIRROR "%s", grants->link[i]);
		e = n < 0 || (size_t)n >= sizeof(target) ? ENAMETOOLONG : kh_tree_link(own, target, grants->link[i]);
	}
	return e;
}

/* Everything visible may be read.  Only what a profile or the job names may be executed or written to. */
size_t kh_grants_rules(const struct kh_grants *grants, int program, struct kh_landlock_rule rules[KH_GRANTS_RULES])
{
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
	const bool run = kh_profile_is_program(grants->profile);
	const bool executes = kh_profile_start(grants->profile) != KH_PROFILE_IN_PLACE;
	size_t n = 0;

	rules[n++] = (struct kh_landlock_rule){"/", run ? KH_LANDLOCK_RUN : KH_LANDLOCK_READ, -1};
	for (const char *const *p = kh_profile_paths(grants->profile); !run && *p; p++)
		rules[n++] = (struct kh_landlock_rule){*p, KH_LANDLOCK_RUN, -1};
	for (size_t i = 0; run && i < sizeof(devices) / sizeof(devices[0]); i++)
		rules[n++] = (struct kh_landlock_rule){devices[i], KH_LANDLOCK_WRITE, -1};
	if (run && !kh_grants_has(grants, "/tmp"))
		rules[n++] = (struct kh_landlock_rule){"/tmp", KH_LANDLOCK_ALL, -1};
	if (run) /* the private one, or the job's, which may be written to */
		rules[n++] = (struct kh_landlock_rule){"/work", KH_LANDLOCK_ALL, -1};
	else if (executes)
		rules[n++] = (struct kh_landlock_rule){NULL, KH_LANDLOCK_RUN, program};
	for (size_t i = 0; i < grants->count && n < KH_GRANTS_RULES; i++) {
		const struct kh_grants_path *grant = &grants->at[i];
		enum kh_landlock_right right = grant->writable ? KH_LANDLOCK_WRITE : KH_LANDLOCK_READ;

		if (executes)
			right = grant->writable ? KH_LANDLOCK_ALL : KH_LANDLOCK_RUN;
		rules[n++] = (struct kh_landlock_rule){grant->place, right, -1};
	}
	return n;
}
