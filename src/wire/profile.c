/* The kinds of worker as tables: their names, limits, and what of the host their root has. */
#include "wire/profile.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static const struct {
	const char *name;
	bool has_proc;
	struct kh_limits limits;
	const char *const *paths;
	enum kh_profile_start start;
	bool takes_job;
} profiles[KH_PROFILES] = {
	[KH_PROFILE_RUN] =
		{
			"run",
			true,
			{.wall_ms = 300000,
			 .cpu_s = 300,
			 .memory = GIB,
			 .processes = 64,
			 .files = 256,
			 .disk = 64 * MIB,
			 .output = 64 * MIB},
			/* What programs are made of, and nothing about the host or its users. */
			(const char *const[]){"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
					      "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", NULL},
			KH_PROFILE_EXECUTED,
			false,
		},
	[KH_PROFILE_RESOLVE] =
		{
			"resolve",
			false,
			{.wall_ms = 15000,
			 .cpu_s = 5,
			 .memory = 64 * MIB,
			 .processes = 1,
			 .files = 16,
			 .disk = 64 * KIB,
			 .output = 64 * KIB},
			(const char *const[]){"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache",
					      "/etc/hosts", NULL},
			KH_PROFILE_AHEAD,
			false,
		},
	[KH_PROFILE_HTTP] =
		{
			"http",
			false,
			{.wall_ms = 30000,
			 .cpu_s = 30,
			 .memory = 128 * MIB,
			 .processes = 1,
			 .files = 16,
			 .disk = 64 * KIB,
			 .output = 8 * MIB},
			(const char *const[]){"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache",
					      "/etc/ssl/openssl.cnf", "/etc/ssl/certs/ca-certificates.crt",
					      "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt", NULL},
			KH_PROFILE_AHEAD,
			false,
		},
	[KH_PROFILE_READ] =
		{
			"read",
			false,
			{.wall_ms = 10000,
			 .cpu_s = 5,
			 .memory = 64 * MIB,
			 .processes = 1,
			 .files = 16,
			 .disk = 64 * KIB,
			 .output = 16 * MIB},
			/* The program is there already, and it loads nothing more. */
			(const char *const[]){NULL},
			KH_PROFILE_IN_PLACE,
			true,
		},
	[KH_PROFILE_TEXT] =
		{
			"text",
			false,
			{.wall_ms = 10000,
			 .cpu_s = 10,
			 .memory = 512 * MIB, /* a parser's tree is some twenty times as large as what it is made of */
			 .processes = 1,
			 .files = 16,
			 .disk = 64 * KIB,
			 .output = 16 * MIB},
			(const char *const[]){"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", NULL},
			KH_PROFILE_AHEAD,
			true,
		},
	[KH_PROFILE_QUERY] =
		{
			"query",
			false,
			{.wall_ms = 30000,
			 .cpu_s = 30,
			 .memory = 256 * MIB,
			 .processes = 1,
			 .files = 32,
			 .disk = 16 * MIB,
			 .output = 16 * MIB},
			(const char *const[]){"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache",
					      "/etc/ssl/openssl.cnf", "/etc/ssl/certs/ca-certificates.crt",
					      "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt", NULL},
			KH_PROFILE_IN_PLACE,
			true,
		},
	[KH_PROFILE_SEARCH] =
		{
			"search",
			false,
			{.wall_ms = 30000,
			 .cpu_s = 30,
			 .memory = 512 * MIB,
			 .processes = 1,
			 .files = 128,
			 .disk = 16 * MIB,
			 .output = 16 * MIB},
			(const char *const[]){"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", NULL},
			KH_PROFILE_IN_PLACE,
			true,
		},
};

const struct kh_limits kh_profile_most = {
	.wall_ms = 24ULL * 3600 * 1000, /* an upstream server lives long */
	.cpu_s = 24ULL * 3600,
	.memory = 64 * GIB,
	.processes = 4096,
	.files = 4096,
	.disk = 64 * GIB,
	.output = 1024 * GIB,
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
	return &profiles[profile].limits;
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

bool kh_profile_takes_job(enum kh_profile profile)
{
	return profile < KH_PROFILES && profiles[profile].takes_job;
}
