/* I4, I9: what is listened on, and for whom. */
#include "harness.h"
#include "home/sockets.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char path[64], elsewhere[96];
	struct kh_folder folder;
};

static void enter(struct kh_test *t, struct place *p)
{
	p->folder.fd = -1;
	snprintf(p->path, sizeof(p->path), "/tmp/keyhole-test-XXXXXX");
	assert_non_null(mkdtemp(p->path));
	snprintf(p->elsewhere, sizeof(p->elsewhere), "%s-other", p->path);
	enum kh_err e = kh_folder_open(&t->arena, kh_view_str(p->path), &p->folder, &t->err);
	if (e != KH_OK)
		rmdir(p->path);
	must(t, e);
}

static void leave(struct place *p)
{
	char path[128];

	kh_folder_close(&p->folder);
	snprintf(path, sizeof(path), "%s/mcp.sock", p->path);
	unlink(path);
	unlink(p->elsewhere);
	assert_int_equal(rmdir(p->path), 0);
}

/* As the configuration has it where nothing is said, but a port that the kernel picks. */
static struct kh_config_gateway defaults(struct kh_view *listen)
{
	*listen = KH_LIT("127.0.0.1:0");
	return (struct kh_config_gateway){.listen = {listen, 1}, .socket = KH_LIT(KH_CONFIG_SOCKET)};
}

static enum kh_err open_them(struct kh_test *t, const struct place *p, const struct kh_config_gateway *gateway,
			     const char *listen, const char *socket, struct kh_sockets *ret)
{
	const struct kh_sockets_wish wish = {.gateway = gateway,
					     .folder = &p->folder,
					     .listen = &listen,
					     .listens = listen != NULL ? 1 : 0,
					     .socket = socket};

	return kh_sockets_open(&wish, &t->arena, ret, &t->err);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (unsigned)st.st_mode & 0777 : 07777;
}

static void test_opens(struct kh_test *t)
{
	struct place p;
	struct kh_view listen;
	struct kh_config_gateway gateway = defaults(&listen);
	struct kh_sockets s = {.relay = -1};

	enter(t, &p);
	must(t, open_them(t, &p, &gateway, NULL, NULL, &s));
	assert_int_equal(s.https, 1);
	assert_int_equal(strncmp(s.names[0], "127.0.0.1:", 10), 0);
	assert_true(strcmp(s.names[0], "127.0.0.1:0") != 0);
	assert_int_equal(mode_of(s.path), 0600);
	int fd = kh_sockets_connect(s.path);
	assert_true(fd >= 0);
	close(fd);
	/* What the executor or a sandbox should inherit is nothing. */
	assert_true((fcntl(s.http[0], F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(s.relay, F_GETFD) & FD_CLOEXEC) != 0);
	char path[KH_SOCKETS_PATH];
	memcpy(path, s.path, sizeof(path));
	kh_sockets_close(&s);
	assert_int_equal(mode_of(path), 07777);
	/* Elsewhere it is for others: the token decides. */
	must(t, open_them(t, &p, &gateway, NULL, p.elsewhere, &s));
	assert_int_equal(mode_of(p.elsewhere), 0666);
	kh_sockets_close(&s);
	leave(&p);
}

static void test_refuses(struct kh_test *t)
{
	struct place p;
	struct kh_view listen, host = KH_LIT("a.example");
	struct kh_config_gateway gateway = defaults(&listen);
	struct kh_sockets one, other;

	enter(t, &p);
	must(t, open_them(t, &p, &gateway, NULL, NULL, &one));
	/* Somebody listens on the socket, or on the port. */
	must_fail(t, KH_EREFUSED, open_them(t, &p, &gateway, NULL, NULL, &other));
	assert_string_equal(t->err.code, "address_in_use");
	must_fail(t, KH_EREFUSED, open_them(t, &p, &gateway, one.names[0], p.elsewhere, &other));
	assert_string_equal(t->err.code, "address_in_use");
	assert_true(mode_of(one.path) == 0600);
	/* Others could reach it. */
	must_fail(t, KH_EREFUSED, open_them(t, &p, &gateway, "0.0.0.0:0", p.elsewhere, &other));
	assert_string_equal(t->err.code, "address_exposed");
	gateway.plain = KH_CONFIG_TRUE;
	must_fail(t, KH_EREFUSED, open_them(t, &p, &gateway, "0.0.0.0:0", p.elsewhere, &other));
	assert_string_equal(t->err.code, "address_exposed");
	gateway.hosts = (struct kh_texts){&host, 1};
	must(t, open_them(t, &p, &gateway, "0.0.0.0:0", p.elsewhere, &other));
	kh_sockets_close(&other);
	must_fail(t, KH_EINPUT, open_them(t, &p, &gateway, "example.com:1", p.elsewhere, &other));
	assert_string_equal(t->err.code, "address_unusable");
	kh_sockets_close(&one);
	leave(&p);
}

/* A file that is left over goes; one that is no socket stays. */
static void test_stale(struct kh_test *t)
{
	struct place p;
	struct kh_view listen;
	struct kh_config_gateway gateway = defaults(&listen);
	struct kh_sockets s;
	char path[128];

	enter(t, &p);
	must(t, open_them(t, &p, &gateway, NULL, NULL, &s));
	close(s.relay); /* as a crash leaves it */
	s.relay = -1;
	close(s.http[0]);
	must(t, open_them(t, &p, &gateway, NULL, NULL, &s));
	int there = kh_sockets_connect(s.path);
	assert_true(there >= 0);
	close(there);
	kh_sockets_close(&s);
	snprintf(path, sizeof(path), "%s/mcp.sock", p.path);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
	assert_true(fd >= 0);
	close(fd);
	must_fail(t, KH_EREFUSED, open_them(t, &p, &gateway, NULL, NULL, &s));
	assert_string_equal(t->err.code, "address_in_use");
	assert_int_equal(mode_of(path), 0640);
	leave(&p);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_opens), KH_TEST_ONCE(test_refuses),
					    KH_TEST_ONCE(test_stale)};
KH_TEST_MAIN(cases)
