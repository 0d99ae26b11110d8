#ifndef MUSTER_CLI_TABLES_H_
#define MUSTER_CLI_TABLES_H_

#include "common/support/text_table.h"
#include "muster/v1/admin.pb.h"

// Lists as people read them: the word that matters last.
namespace muster::cli {

TextTable JobTable(const v1::ListJobsReply& reply, bool wide);
TextTable WorkerTable(const v1::ListWorkersReply& reply, bool wide);
TextTable GroupTable(const v1::ListGroupsReply& reply, bool wide);
TextTable EventTable(const v1::ListEventsReply& reply, bool wide);
TextTable AbsenteeTable(const v1::WhyReply& reply);

}  // namespace muster::cli

#endif  // MUSTER_CLI_TABLES_H_
