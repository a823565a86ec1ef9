/* keyhole audit: verify the record, follow it, show an event, export it, sign a checkpoint (L3, L4). */
#ifndef KH_CLI_AUDITS_H
#define KH_CLI_AUDITS_H

/* Each reads its arguments and returns the exit status; audit verify returns 1 for a record that is not good. */
int kh_audits_verify_main(int argc, char **argv);
int kh_audits_checkpoint_main(int argc, char **argv);

#endif
