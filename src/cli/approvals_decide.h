/*
 * `keyhole approvals approve`, `reject` and `edit`.
 *
 * A decision names the digest of what was displayed (A6): that of --shown, or on a terminal the one that this command
 * has just displayed, page by page, before it asks.
 */
#ifndef KH_CLI_APPROVALS_DECIDE_H
#define KH_CLI_APPROVALS_DECIDE_H

int kh_approvals_decide_approve_main(int argc, char **argv);
int kh_approvals_decide_reject_main(int argc, char **argv);
int kh_approvals_decide_edit_main(int argc, char **argv);

#endif
