/* Typed members of values, by name: kh_schema_typed() and kh_schema_typed_each() of schema.h. */
#ifndef KH_CORE_SCHEMA_TYPED_H
#define KH_CORE_SCHEMA_TYPED_H

#include "core/schema/schema.h"

#endif
