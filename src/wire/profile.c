/* The kinds of worker as tables: their names, their limits, and the host paths in their root. */
#include "wire/profile.h"

#define KIB   1024ULL
#define MIB   (1024 * KIB)
#define GIB   (1024 * MIB)
#define TIB   (1024 * GIB)
#define DAY_S (24ULL * 3600)
#define DAY   (1000 * DAY_S)

/* What programs need to run, and nothing about the host or its users. */
static const char *const programs[] = {"/usr",
				       "/bin",
				       "/sbin",
				       "/lib",
				       "/lib32",
				       "/lib64",
				       "/libx32",
				       "/etc/alternatives",
				       "/etc/ld.so.cache",
				       "/etc/localtime",
				       "/etc/ssl/openssl.cnf",
				       "/etc/ssl/certs",
				       "/etc/ssl/cert.pem",
				       "/etc/pki/tls/certs",
				       NULL};

#define LIBRARIES "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"
#define AUTHORITIES                                                                        \
	"/etc/ssl/openssl.cnf", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", \
		"/etc/pki/tls/certs/ca-bundle.crt"

static const char *const libraries[] = {LIBRARIES, NULL};
static const char *const with_hosts[] = {LIBRARIES, "/etc/hosts", NULL};
static const char *const with_authorities[] = {LIBRARIES, AUTHORITIES, NULL};
static const char *const nothing[] = {NULL}; /* the program is loaded already and needs no more files */

/* clang-format off */
static const struct {
	const char *name;
	enum kh_profile_start start;
	bool has_proc, takes_job;
	const char *const *paths;
} profiles[KH_PROFILES] = {
	[KH_PROFILE_RUN]     = {"run",     KH_PROFILE_EXECUTED, true,  false, programs},
	[KH_PROFILE_RESOLVE] = {"resolve", KH_PROFILE_AHEAD,    false, false, with_hosts},
	[KH_PROFILE_HTTP]    = {"http",    KH_PROFILE_AHEAD,    false, false, with_authorities},
	[KH_PROFILE_READ]    = {"read",    KH_PROFILE_IN_PLACE, false, true,  nothing},
	[KH_PROFILE_TEXT]    = {"text",    KH_PROFILE_AHEAD,    false, true,  libraries},
	[KH_PROFILE_QUERY]   = {"query",   KH_PROFILE_IN_PLACE, false, true,  with_authorities},
	[KH_PROFILE_SEARCH]  = {"search",  KH_PROFILE_IN_PLACE, false, true,  libraries},
	[KH_PROFILE_MCP]     = {"mcp",     KH_PROFILE_IN_PLACE, false, true,  nothing},
	[KH_PROFILE_SNI]     = {"sni",     KH_PROFILE_AHEAD,    false, false, libraries},
	[KH_PROFILE_SERVER]  = {"server",  KH_PROFILE_EXECUTED, true,  false, programs},
	[KH_PROFILE_UPSTREAM] = {"upstream", KH_PROFILE_AHEAD,  false, false, with_authorities},
};

/* A text worker has much memory because a parser's tree is some twenty times as large as its input. */
static const struct kh_limits limits[KH_PROFILES] = {
	/*                      wall_ms  cpu_s    memory processes files     disk    output */
	[KH_PROFILE_RUN]     = { 300000,   300,       GIB,    64,   256, 64 * MIB, 64 * MIB},
	[KH_PROFILE_RESOLVE] = {  15000,     5,  64 * MIB,     1,    16, 64 * KIB, 64 * KIB},
	[KH_PROFILE_HTTP]    = {  30000,    30, 128 * MIB,     1,    16, 64 * KIB,  8 * MIB},
	[KH_PROFILE_READ]    = {  10000,     5,  64 * MIB,     1,    16, 64 * KIB, 16 * MIB},
	[KH_PROFILE_TEXT]    = {  10000,    10, 512 * MIB,     1,    16, 64 * KIB, 16 * MIB},
	[KH_PROFILE_QUERY]   = {  30000,    30, 256 * MIB,     1,    32, 16 * MIB, 16 * MIB},
	[KH_PROFILE_SEARCH]  = {  30000,    30, 512 * MIB,     1,   128, 16 * MIB, 16 * MIB},
	[KH_PROFILE_MCP]     = {    DAY, DAY_S, 512 * MIB,     1,    16, 64 * KIB,      TIB}, /* as long as its server */
	[KH_PROFILE_SNI]     = {   5000,     2,  64 * MIB,     1,    16, 64 * KIB, 64 * KIB},
	[KH_PROFILE_SERVER]  = {7 * DAY,     0,       GIB,    64,   256, 64 * MIB,        0},
	[KH_PROFILE_UPSTREAM] = {   DAY,     0, 512 * MIB,     1,   192, 64 * KIB,        0}, /* as long as it is called */
};
/* clang-format on */

const struct kh_limits kh_profile_most = {
	.wall_ms = DAY,
	.cpu_s = DAY_S,
	.memory = 64 * GIB,
	.processes = 4096,
	.files = 4096,
	.disk = 64 * GIB,
	.output = TIB,
};

const struct kh_rates kh_profile_rates = {
	.idle_ms = 3600 * 1000,
	.output = 4 * MIB,
	.processor = 1000,
	.longest = 16 * MIB,
	.messages = 1000,
};

/* LONGEST and MESSAGES are what the worker of a server takes (worker/mcp/mcp.h). */
const struct kh_rates kh_profile_rates_most = {
	.idle_ms = KH_PROFILE_SERVER_WALL,
	.output = GIB,
	.processor = 1000 * KIB,
	.longest = 64 * MIB,
	.messages = 100000,
};

const char *kh_profile_name(enum kh_profile profile)
{
	return profile < KH_PROFILES ? profiles[profile].name : "unknown";
}

bool kh_profile_read(struct kh_view name, enum kh_profile *ret_profile)
{
	for (enum kh_profile i = 0; i < KH_PROFILES; i++) {
		if (kh_view_eq(name, kh_view_str(profiles[i].name))) {
			*ret_profile = i;
			return true;
		}
	}
	return false;
}

const struct kh_limits *kh_profile_limits(enum kh_profile profile)
{
	return &limits[profile];
}

const char *const *kh_profile_paths(enum kh_profile profile)
{
	return profiles[profile].paths;
}

bool kh_profile_has_proc(enum kh_profile profile)
{
	return profiles[profile].has_proc;
}

enum kh_profile_start kh_profile_start(enum kh_profile profile)
{
	return profiles[profile].start;
}

bool kh_profile_is_program(enum kh_profile profile)
{
	return profile == KH_PROFILE_RUN || profile == KH_PROFILE_SERVER;
}

bool kh_profile_takes_job(enum kh_profile profile)
{
	return profile < KH_PROFILES && profiles[profile].takes_job;
}
