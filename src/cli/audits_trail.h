/* keyhole audit tail, show and export: the events themselves (L4). */
#ifndef KH_CLI_AUDITS_TRAIL_H
#define KH_CLI_AUDITS_TRAIL_H

int kh_audits_trail_tail_main(int argc, char **argv);
int kh_audits_trail_show_main(int argc, char **argv);
int kh_audits_trail_export_main(int argc, char **argv);

#endif
