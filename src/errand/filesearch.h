/*
 * comm.search with the scope `internal`: the index of the configured folders (E9).
 *
 * The content is {"results":[{"path","title","snippet","rank"}]}, the best first, and `not_indexed` if files have no text
 * in the index (they are no text, or too long, or in an encoding that is not recognized): how many, up to 1,000.  The
 * details say how old the index is, whether files with all of the words were found or only some with any of them, and
 * whether there are more.
 */
#ifndef KH_ERRAND_FILESEARCH_H
#define KH_ERRAND_FILESEARCH_H

#include "errand/errand.h"

kh_search_fn kh_filesearch_run;

#endif
