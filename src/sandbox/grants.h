/*
 * The folders and files of the host that a job names, and how they are put together so that each keeps the access that
 * it was named with, whichever lies in which.
 *
 *   The narrowest decides   A path of the host has the access of the longest path that was named and that it is in.
 *                           This holds at every place where it is seen: with WORK and, below it, a path that is
 *                           read-only, that path is read-only at its own place and below /work.
 *   It stays so             What is read-only below something writable is a mount, and so is each folder between the
 *                           two: a mount can be neither renamed nor removed, so nothing else gets to its place.
 *   Or it is refused        A file below a writable folder cannot be read-only: whoever replaces it on the host, as
 *                           editors do, takes the mount away with it.  Nor can a path be both.
 *
 * What holds what:
 *   Mounts    hold files, folders, links and their attributes against changes.
 *   Landlock  holds what mounts do not: pipes with a name (a mount lets them be written to, read-only or not).  Its
 *             rights add up from a file to the root, so it cannot take away below a folder what it gives for that
 *             folder.  This is why a read-only path is never put below the private /tmp or /work, where all may be
 *             written: it is put below /granted, and a link is at its place.  Below a folder of the host that the
 *             job may write to there is no other place.
 *   Ids       hold pipes there, if the executor is root: a file of a group that its mount does not know cannot be
 *             written to, whatever it is.  If an ordinary user runs it, such a pipe can be written to.
 */
#ifndef KH_SANDBOX_GRANTS_H
#define KH_SANDBOX_GRANTS_H

#include "sandbox/ids.h"
#include "sandbox/landlock.h"
#include "sandbox/tree.h"
#include "wire/message.h"
#include "wire/profile.h"

#define KH_GRANTS_NAMED 66                    /* work, cache, and the most read and write paths of a job */
#define KH_GRANTS       (2 * KH_GRANTS_NAMED) /* with those that are seen in a second place */
#define KH_GRANTS_RULES (KH_GRANTS + 32)      /* rules of Landlock */

struct kh_grants_path {
	const char *host, *place; /* paths outside and inside */
	bool writable, is_dir;
	bool is_open;      /* a file that everybody may read and execute if its owner may */
	unsigned uid, gid; /* of the owner */
	int tree;          /* the path itself, then a detached mount of it, until that is put in its place */
};

struct kh_grants {
	enum kh_profile profile;
	size_t count;
	char why[KH_MESSAGE_DETAIL]; /* the sentence for a refusal; empty if the errno says enough */
	struct kh_grants_path at[KH_GRANTS];
	size_t links;
	const char *link[KH_GRANTS_NAMED]; /* places in the private /tmp and /work that lead to /granted */
	size_t used;
	char text[4 * KH_MESSAGE_MAX];
};

/* All return 0 or an errno, with the sentence in WHY if there is one. */

/* Reads the paths of JOB and finds their places; looks at nothing. */
int kh_grants_read(struct kh_grants *grants, enum kh_profile profile, const struct kh_message *job) KH_CHECKED;

/*
 * Opens all of them below HOST, the host's root.  If the executor is root, they are the sandbox's: what may be written to
 * as a file of its owner, and what is only read if it is root's or of an owner of something that may be written to.  A
 * file system without mounts that can do this can still be read as its modes permit.  To write to a folder there that
 * is not root's, the sandbox is that user outside: IDS->user says so.
 */
int kh_grants_open(struct kh_grants *grants, int host, struct kh_ids *ids) KH_CHECKED;

/* Puts all of them in their places. */
int kh_grants_place(struct kh_grants *grants, const struct kh_tree_own *own) KH_CHECKED;

/* True if one of them is at PLACE. */
bool kh_grants_has(const struct kh_grants *grants, const char *place);

/* The rules of Landlock for the whole sandbox; PROGRAM is our own program, for workers that are executed.  Returns how
 * many there are. */
size_t kh_grants_rules(const struct kh_grants *grants, int program, struct kh_landlock_rule rules[KH_GRANTS_RULES]);

#endif
