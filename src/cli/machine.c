/* Settings, from /proc and /etc.  They are the administrator's own; only numbers, addresses and the names of files
 * that this source names are shown. */
#include "cli/machine.h"

#include "wire/address.h"
#include "wire/profile.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the number in a file of one line; -1 if there is none. */
static int64_t read_setting(const char *path)
{
	char text[32];
	int64_t value = -1;
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return -1;
	size_t n = fread(text, 1, sizeof(text), file);
	fclose(file);
	return kh_view_int(kh_view_trim(kh_view_of(text, n)), &value) ? value : -1;
}

static void look_limit(struct kh_diagnosis *p)
{
	int64_t most = read_setting("/proc/sys/user/max_user_namespaces");

	*p = (struct kh_diagnosis){.name = "user namespaces",
				   .is_required = true,
				   .has = most != 0,
				   .without = "the kernel makes no user namespace for anybody",
				   .remedy = "sysctl -w user.max_user_namespaces=15000"};
	if (most >= 0)
		snprintf(p->detail, sizeof(p->detail), "at most %lld", (long long)most);
	else
		snprintf(p->detail, sizeof(p->detail), "no limit is set");
}

static void look_unprivileged(struct kh_diagnosis *p)
{
	bool is_off = read_setting("/proc/sys/kernel/unprivileged_userns_clone") == 0;

	*p = (struct kh_diagnosis){
		.name = "for ordinary users",
		.is_required = true,
		.has = !is_off, /* for root too: programs become an ordinary user first */
		.without = "ordinary users cannot make user namespaces, and in a sandbox everybody is one",
		.remedy = "sysctl -w kernel.unprivileged_userns_clone=1"};
	snprintf(p->detail, sizeof(p->detail), "%s", is_off ? "only for root" : "allowed");
}

static void look_apparmor(struct kh_diagnosis *p)
{
	bool is_on = read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1;

	*p = (struct kh_diagnosis){
		.name = "AppArmor",
		.has = !is_on,
		.without = "AppArmor takes the rights out of user namespaces of programs that it does not know",
		.remedy = "give keyhole a profile that has the rule `userns,`, or set "
			  "kernel.apparmor_restrict_unprivileged_userns=0"};
	snprintf(p->detail, sizeof(p->detail), "%s", is_on ? "restricts ordinary users" : "does not restrict them");
}

static void look_overflow(struct kh_diagnosis *p)
{
	int64_t uid = read_setting("/proc/sys/kernel/overflowuid");
	int64_t gid = read_setting("/proc/sys/kernel/overflowgid");

	*p = (struct kh_diagnosis){
		.name = "overflow ids",
		.has = uid == 65534 && gid == 65534,
		.without = "files of users that a sandbox does not know belong to somebody else in it",
		.remedy = "sysctl -w kernel.overflowuid=65534 kernel.overflowgid=65534"};
	snprintf(p->detail, sizeof(p->detail), "%lld, %lld", (long long)uid, (long long)gid);
}

void kh_machine_settings(struct kh_diagnosis ret[KH_MACHINE_SETTINGS])
{
	look_limit(&ret[0]);
	look_unprivileged(&ret[1]);
	look_apparmor(&ret[2]);
	look_overflow(&ret[3]);
}

/* Adds the address of a line "nameserver ADDRESS" to TEXT. */
static bool take_server(struct kh_view line, char *text, size_t size)
{
	struct kh_address address;
	char printed[46];
	size_t n = strlen(text);

	line = kh_view_trim(line);
	if (!kh_view_starts(line, KH_LIT("nameserver")) || line.n < 11 || !kh_ascii_is_blank(line.p[10]) ||
	    !kh_address_read(kh_view_trim(kh_view_from(line, 10)), &address))
		return false;
	kh_address_print(&address, printed, sizeof(printed));
	snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "", printed);
	return true;
}

static void look_servers(struct kh_diagnosis *p)
{
	char text[4096];
	struct kh_view rest, line;
	FILE *file = fopen("/etc/resolv.conf", "re");

	*p = (struct kh_diagnosis){
		.name = "name servers",
		.without = "names cannot be resolved: only URLs with an address in them can be fetched",
		.remedy = "name one in /etc/resolv.conf (nameserver ADDRESS)"};
	if (file == NULL) {
		snprintf(p->detail, sizeof(p->detail), "no /etc/resolv.conf");
		return;
	}
	rest = kh_view_of(text, fread(text, 1, sizeof(text), file));
	fclose(file);
	while (kh_view_split(&rest, '\n', &line))
		if (take_server(line, p->detail, sizeof(p->detail)))
			p->has = true;
	if (!p->has)
		snprintf(p->detail, sizeof(p->detail), "none in /etc/resolv.conf");
}

static void look_certificates(struct kh_diagnosis *p)
{
	struct stat st;

	*p = (struct kh_diagnosis){.name = "certificates",
				   .without = "no server can prove who it is: https needs --ca",
				   .remedy = "install the package ca-certificates"};
	for (const char *const *path = kh_profile_paths(KH_PROFILE_HTTP); *path != NULL && !p->has; path++) {
		struct kh_view name = kh_view_str(*path);
		bool is_store = kh_view_ends(name, KH_LIT(".crt")) || kh_view_ends(name, KH_LIT(".pem"));
		p->has = is_store && stat(*path, &st) == 0 && st.st_size > 0 && access(*path, R_OK) == 0;
		if (p->has)
			snprintf(p->detail, sizeof(p->detail), "%s", *path);
	}
	if (!p->has)
		snprintf(p->detail, sizeof(p->detail), "no store of them found");
}

void kh_machine_network(struct kh_diagnosis ret[KH_MACHINE_NETWORK])
{
	look_servers(&ret[0]);
	look_certificates(&ret[1]);
}
