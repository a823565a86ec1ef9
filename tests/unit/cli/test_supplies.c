/* E7, E9, I8: what operations need is there, and nobody else's. */
#include "harness.h"
#include "home/supplies.h"
#include "outside/client.h"
#include "upstream/fleet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[] = {"workspace", "cache", "index", "logs"};

struct place {
	char path[64];
	struct kh_folder folder;
	struct kh_home home;
};

static void enter(struct place *p)
{
	*p = (struct place){.path = "/tmp/keyhole-test-XXXXXX"};
	assert_non_null(mkdtemp(p->path));
	p->folder = (struct kh_folder){.path = kh_view_str(p->path), .fd = open(p->path, O_RDONLY | O_DIRECTORY)};
	assert_true(p->folder.fd >= 0);
}

static void leave(struct place *p)
{
	unlinkat(p->folder.fd, "crm.pw", 0);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		unlinkat(p->folder.fd, folders[i], 0);
		unlinkat(p->folder.fd, folders[i], AT_REMOVEDIR);
	}
	close(p->folder.fd);
	assert_int_equal(rmdir(p->path), 0);
}

/* E7: made where missing, 0700, and as often as one likes. */
static void test_folders(struct kh_test *t)
{
	struct place p;
	struct stat st;

	enter(&p);
	for (int round = 0; round < 2; round++)
		assert_int_equal(kh_supplies_folders(&p.folder, &t->err), KH_OK);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		assert_int_equal(fstatat(p.folder.fd, folders[i], &st, AT_SYMLINK_NOFOLLOW), 0);
		assert_true(S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0700);
	}
	assert_int_equal(fchmodat(p.folder.fd, "index", 0755, 0), 0);
	assert_int_equal(kh_supplies_folders(&p.folder, &t->err), KH_EREFUSED);
	assert_string_equal(t->err.code, "home_unsafe");
	assert_non_null(strstr(t->err.detail, "index in the home folder"));
	/* A link to somewhere else is no folder of the home. */
	assert_int_equal(unlinkat(p.folder.fd, "index", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat(p.path, p.folder.fd, "index"), 0);
	assert_int_equal(kh_supplies_folders(&p.folder, &t->err), KH_EREFUSED);
	leave(&p);
}

static const char text[] =
	"databases:\n"
	"  - {name: shop, file: /srv/shop.db}\n"
	"  - {name: crm, host: db.example, dbname: a, user: b, password_file: crm.pw}\n"
	"  - {name: far, host: db.example, dbname: a, user: b, password_environment: KEYHOLE_TEST_PW}\n"
	"search: {url: 'https://s.example/', key_environment: KEYHOLE_TEST_KEY}\n";

/* Passwords stand in the databases' order, and are gone when they are wiped. */
static void test_secrets(struct kh_test *t)
{
	struct kh_client client = {.control = -1};
	struct place p;

	enter(&p);
	p.home = (struct kh_home){.folder = p.folder, .arena = t->arena, .client = &client};
	enum kh_err e = kh_config_read(&p.home.arena, kh_view_str(text), KH_LIT("keyhole.yaml"), &p.home.config,
				       &t->err);
	if (e != KH_OK) {
		assert_true(e == KH_ENOMEM && t->fired);
		t->arena = p.home.arena;
		leave(&p);
		return;
	}
	int fd = openat(p.folder.fd, "crm.pw", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0 && write(fd, "hush\n", 5) == 5);
	close(fd);
	setenv("KEYHOLE_TEST_PW", "still", 1);
	setenv("KEYHOLE_TEST_KEY", "sk-1", 1);
	e = kh_supplies_open(&p.home, &t->err);
	struct kh_supplies *supplies = p.home.supplies;
	if (e == KH_OK) {
		assert_ptr_equal(supplies->tools.client, &client);
		assert_ptr_equal(supplies->tools.config, p.home.config);
		assert_view(supplies->tools.home, p.path);
		assert_int_equal(supplies->tools.passwords[0].n, 0);
		assert_view(supplies->tools.passwords[1], "hush");
		assert_view(supplies->tools.passwords[2], "still");
		assert_view(supplies->tools.search_key, "sk-1");
		kh_supplies_wipe(supplies);
		assert_memory_equal(supplies->tools.passwords[1].p, "\0\0\0\0", 4);
		assert_memory_equal(supplies->tools.search_key.p, "\0\0\0\0", 4);
	}
	assert_true(e == KH_OK || (e == KH_ENOMEM && t->fired));
	/* One that is missing is an error that says whose. */
	unsetenv("KEYHOLE_TEST_KEY");
	p.home.client = NULL;
	e = kh_supplies_open(&p.home, &t->err);
	assert_true(e == KH_EUNKNOWN || (e == KH_ENOMEM && t->fired));
	if (e == KH_EUNKNOWN) {
		assert_string_equal(t->err.code, "key_missing");
		assert_string_equal(t->err.detail, "keyhole.yaml:5: search has no key: the environment's "
						   "KEYHOLE_TEST_KEY is not there, or empty");
	}
	kh_supplies_wipe(NULL);
	kh_fleet_free(p.home.fleet);
	t->arena = p.home.arena;
	leave(&p);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_folders), KH_TEST(test_secrets)};
KH_TEST_MAIN(cases)
