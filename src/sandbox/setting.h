/* Kernel files in which a short text is a command: those of /proc and of cgroups. */
#ifndef KH_SANDBOX_SETTING_H
#define KH_SANDBOX_SETTING_H

#include <keyhole/keyhole.h>

/* Writes TEXT to PATH below the folder AT, in one write(2).  0, or the errno. */
int kh_setting_write(int at, const char *path, const char *text) KH_CHECKED;

/* The content of PATH below the folder AT, at most SIZE bytes of it, in TEXT; empty if it cannot be read. */
struct kh_view kh_setting_read(int at, const char *path, char *text, size_t size);

#endif
