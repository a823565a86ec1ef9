/*
 * The rules of invariant.h that need nothing but a row, what it was before, and the kind of the event: of needs, pages
 * that were shown, results, rates, what was sent, and upstream servers.
 */
#ifndef KH_STORE_RULE_H
#define KH_STORE_RULE_H

#include "store/audit.h"
#include "store/record.h"

/*
 * NULL, or what is broken, as a sentence without its subject.  ROW and WAS (NULL: the row is new) are the fold's, so the
 * views in them are fingerprints.
 */
const char *kh_rule_broken(enum kh_table table, enum kh_audit_kind kind, const void *row, const void *was);

#endif
