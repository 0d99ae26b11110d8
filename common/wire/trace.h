#ifndef MUSTER_COMMON_WIRE_TRACE_H_
#define MUSTER_COMMON_WIRE_TRACE_H_

#include "common/session/session.h"
#include "common/wire/reader.h"
#include "muster/v1/types.pb.h"
#include "muster/v1/worker.pb.h"

// What members of a group saw of its operations. Read with the reader of the whole message, its
// scope on the part.
namespace muster {

v1::OperationRecord ToProto(const OperationRecord& record);

v1::GroupTrace ToProto(const GroupTrace& trace);
GroupTrace ReadGroupTrace(WireReader& reader, const v1::GroupTrace& wire);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_TRACE_H_
