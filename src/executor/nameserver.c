/* resolv.conf is the machine's own configuration, so it is trusted.  The servers' answers are not, and are not parsed
 * here. */
#include "executor/nameserver.h"

#include "executor/connect.h"

#include <stdio.h>

#define DNS_PORT 53

/* "nameserver 192.0.2.1" */
static bool read_line(struct kh_view line, struct kh_address *ret_address)
{
	struct kh_view key = KH_LIT("nameserver");

	line = kh_view_trim(line);
	if (!kh_view_starts(line, key) || line.n == key.n || !kh_ascii_is_blank(line.p[key.n]))
		return false;
	line = kh_view_trim(kh_view_from(line, key.n));
	size_t end = 0;
	while (end < line.n && !kh_ascii_is_blank(line.p[end]) && line.p[end] != '#' && line.p[end] != ';')
		end++;
	return kh_address_read(kh_view_sub(line, 0, end), ret_address);
}

void kh_nameserver_read(const char *path, struct kh_nameservers *ret_servers)
{
	struct kh_nameservers servers = {.n = 0};
	char line[512];
	FILE *file = fopen(path, "re");

	while (file && servers.n < KH_NAMESERVERS && fgets(line, sizeof(line), file))
		servers.n += read_line(kh_view_str(line), &servers.at[servers.n]);
	if (file)
		fclose(file);
	if (servers.n == 0)
		servers.n += kh_address_read(KH_LIT("127.0.0.1"), &servers.at[0]);
	*ret_servers = servers;
}

int kh_nameserver_connect(const struct kh_address *server, bool tcp)
{
	return kh_connect(server, DNS_PORT, tcp);
}
