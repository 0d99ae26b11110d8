#ifndef MUSTER_CLI_OUTPUT_H_
#define MUSTER_CLI_OUTPUT_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/time/time.h"
#include "common/support/config.h"
#include "common/support/text_table.h"
#include "google/protobuf/duration.pb.h"
#include "muster/v1/admin.pb.h"

namespace muster::cli {

struct OutputFlags {
  std::string format = "table";
  bool no_headers = false;

  Headers headers() const { return no_headers ? Headers::kHide : Headers::kShow; }
  bool for_machines() const { return format == "json" || format == "yaml"; }
};

// Declares -o/--output and --no-headers.
void AddOutputFlags(Config& config, OutputFlags& flags);

// `message` in the protobuf JSON mapping, or as YAML of the same fields: `format` is json or yaml.
std::string FormatMessage(const google::protobuf::Message& message, const std::string& format);

// Prints that on stdout.
void PrintMessage(const google::protobuf::Message& message, const std::string& format);

absl::Duration ToAbsl(const google::protobuf::Duration& duration);

// The condition of a type; an empty one if there is none.
template <typename Thing>
v1::Condition FindCondition(const Thing& thing, v1::ConditionType type) {
  for (const v1::Condition& condition : thing.conditions()) {
    if (condition.type() == type) return condition;
  }
  return v1::Condition();
}

template <typename Thing>
bool Holds(const Thing& thing, v1::ConditionType type) {
  return FindCondition(thing, type).value() == v1::CONDITION_VALUE_TRUE;
}

}  // namespace muster::cli

#endif  // MUSTER_CLI_OUTPUT_H_
