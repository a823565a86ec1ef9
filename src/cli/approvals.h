/*
 * `keyhole approvals list` and `watch`: what waits for a human.  approvals_show.h has `show`, approvals_decide.h
 * `approve`, `reject` and `edit`.
 */
#ifndef KH_CLI_APPROVALS_H
#define KH_CLI_APPROVALS_H

int kh_approvals_list_main(int argc, char **argv);
int kh_approvals_watch_main(int argc, char **argv);

#endif
