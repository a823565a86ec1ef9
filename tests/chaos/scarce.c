/*
 * An executor that runs out of something: descriptors, processes, memory, cgroups, disk.  It refuses to start and says
 * why, or it serves what it can; a request that it cannot serve gets one END with a fault that tells, others go on, and
 * when the scarcity is over all is well again (E7).
 */
#include "talk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 30

static struct kh_exchange exchanges[AT_ONCE];

/* The first line of FD, a memory file that an executor had as its standard error. */
static void first_line(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* What may come of a request for which there is not enough: never that the executor is gone, nor that it hangs. */
static bool is_fitting(const struct kh_end *end)
{
	return end->fault == KH_FAULT_NONE || end->fault == KH_FAULT_BUSY || end->fault == KH_FAULT_SANDBOX ||
	       (end->fault == KH_FAULT_WORKER && end->detail[0] != '\0');
}

/* Requests of both kinds at once; each has its END, and no END tells of a success where there was none. */
static void crowd(const struct world *world, const struct kh_client *client, const char *name, uint64_t seed)
{
	size_t opened = 0, ran = 0;

	for (size_t i = 0; i < AT_ONCE; i++) {
		bool ok = i % 3 == 2 ? talk_fetch(client, world->port, "/good", KH_METHOD_GET, &exchanges[i])
				     : talk_run(client, (const char *const[]){"sleep", "0.2", NULL}, &exchanges[i]);
		opened += world_check(ok, seed, name, "request %zu was not opened", i);
		if (!ok)
			exchanges[i].fd = -1;
	}
	for (size_t i = 0; i < AT_ONCE && opened > 0; i++) {
		struct kh_end end = {0};
		uint64_t output = 0;
		bool ended = talk_end(&exchanges[i], &end, &output);
		world_check(ended && is_fitting(&end), seed, name, "request %zu: %s, fault %s, status %d: %s", i,
			    ended ? "it ended" : "no END", kh_fault_name(end.fault), end.status, end.detail);
		world_check(end.fault == KH_FAULT_NONE || strstr(end.detail, "Success") == NULL, seed, name,
			    "a fault for no reason: %s", end.detail);
		ran += end.fault == KH_FAULT_NONE && (i % 3 != 2 || output == 100000);
		kh_exchange_close(&exchanges[i]);
	}
	if (world->only)
		printf("%s %llu: %zu of %d ran\n", name, (unsigned long long)seed, ran, AT_ONCE);
}

/* One executor with LIMIT; SINGLE: whether one request at a time must work, where it starts at all. */
static void try_limit(const struct world *world, const char *name, const struct talk_limit *limit, bool single)
{
	struct world_look before;
	struct kh_client client;
	char text[1024] = "";
	int errors = memfd_create("errors", MFD_CLOEXEC);

	world_look(world, &before);
	talk_start(world, limit, errors, &client);
	bool ready = talk_hello(&client, 1, NULL);
	if (ready) {
		crowd(world, &client, name, limit->value);
		if (single)
			world_check(talk_is_well(&client, text, sizeof(text)), limit->value, name, "afterwards: %s",
				    text);
	}
	int status = talk_stop(&client);
	if (ready) {
		world_check(status == 0, limit->value, name, "the executor ended with status %d", status);
	} else {
		/* 127: the dynamic loader's own word, before there is any of ours. */
		first_line(errors, text, sizeof(text));
		world_check(status > 0 && WIFEXITED(status) && text[0] != '\0', limit->value, name,
			    "it did not start: status %d, and says \"%s\"", status, text);
	}
	if (world->only)
		printf("%s %llu: %s\n", name, (unsigned long long)limit->value, ready ? "started" : text);
	world_check(world_settles(world, &before, text, sizeof(text)), limit->value, name, "%s", text);
	close(errors);
}

/* How many processes of this user there are, in all of what is seen here. */
static size_t own_processes(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		int pid = (int)strtol(entry->d_name, NULL, 10);
		n += pid > 0 && world_status(pid, "Uid") == (long)getuid();
	}
	if (dir)
		closedir(dir);
	return n;
}

/* The limits of processes are no limits for root. */
static void try_processes(const struct world *world)
{
	size_t own = own_processes();

	for (rlim_t more = 0; more < 16; more += 3) {
		const struct talk_limit limit = {RLIMIT_NPROC, own + more};
		try_limit(world, "processes", &limit, false); /* others of this user count too */
	}
}

/* A full disk is the program's to notice: requests run, and only what they would write is not there. */
static void try_disk(const struct world *world)
{
	static char filling[1 << 16];
	struct kh_run run = {.argc = 3, .argv = {KH_LIT("sh"), KH_LIT("-c"), KH_LIT("head -c 100000 /dev/zero >file")}};
	struct kh_client client;
	struct kh_end end = {0};
	char text[1024];

	/* Nobody's, where we are root: before Linux 6.3 a tmpfs has no idmapped mounts. */
	if (mkdir("/tmp/room", 0777) < 0 || (geteuid() == 0 && chown("/tmp/room", 65534, 65534) < 0 && errno != EINVAL))
		abort();
	int fd = open("/tmp/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (write(fd, filling, sizeof(filling)) > 0)
		;
	close(fd);
	run.work = KH_LIT("/tmp/room");
	talk_ready(world, 1, &client);
	world_check(talk_is_well(&client, text, sizeof(text)), 0, "disk", "%s", text);
	for (int is_full = 1; is_full >= 0; is_full--) {
		world_check(kh_client_run(&client, &run, &exchanges[0], NULL) == KH_OK, 0, "disk", "not opened");
		bool ended = talk_end(&exchanges[0], &end, NULL);
		world_check(ended && end.fault == KH_FAULT_NONE && (end.status != 0) == is_full, 0, "disk",
			    "%s disk: fault %s, status %d: %s", is_full ? "full" : "empty", kh_fault_name(end.fault),
			    end.status, end.detail);
		kh_exchange_close(&exchanges[0]);
		unlink("/tmp/full");
	}
	world_check(talk_stop(&client) == 0, 0, "disk", "a bad end");
	unlink("/tmp/room/file");
	rmdir("/tmp/room");
}

/* READY tells what there is of cgroups; without any the executor works all the same. */
static void try_cgroups(const struct world *world)
{
	struct kh_client client;
	char detail[KH_MESSAGE_DETAIL] = "", text[1024];

	talk_start(world, NULL, -1, &client);
	bool ready = talk_hello(&client, 0, detail);
	world_check(ready && talk_is_well(&client, text, sizeof(text)), 0, "cgroups", "with \"%s\": %s", detail, text);
	world_check(geteuid() == 0 || strcmp(detail, "none") == 0 || world->cgroups > 0, 0, "cgroups",
		    "an ordinary user has \"%s\"", detail);
	world_check(talk_stop(&client) == 0, 0, "cgroups", "a bad end");
}

int main(int argc, char **argv)
{
	static const rlim_t files[] = {4, 8, 12, 16, 20, 32, 46, 47, 50, 64, 100, 200};
	static const rlim_t memory[] = {8 << 20, 24 << 20, 64 << 20};
	struct world world;

	world_init(&world, argc, argv);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		try_limit(&world, "descriptors", &(const struct talk_limit){RLIMIT_NOFILE, files[i]}, true);
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		try_limit(&world, "memory", &(const struct talk_limit){RLIMIT_AS, memory[i]}, false);
	if (geteuid() != 0)
		try_processes(&world);
	try_cgroups(&world);
	if (world.is_own) /* with a disk of our own to fill */
		try_disk(&world);
	return world_finish();
}
