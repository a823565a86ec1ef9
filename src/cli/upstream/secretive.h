/*
 * Which values of a client's configuration are secrets, so that they go into files.  In doubt a value is one: a secret in
 * a file costs a line, a secret in keyhole.yaml is lost.
 */
#ifndef KH_CLI_UPSTREAM_SECRETIVE_H
#define KH_CLI_UPSTREAM_SECRETIVE_H

#include "base/view.h"

/* A variable or a header: true unless neither its name nor its value looks like a secret. */
bool kh_secretive_value(struct kh_view name, struct kh_view value);

/* An argument, or a URL: true if it has the form of a secret.  BEFORE is the argument before it, or empty. */
bool kh_secretive_argument(struct kh_view before, struct kh_view argument);

#endif
