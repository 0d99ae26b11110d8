#include "cli/output.h"

#include <google/protobuf/util/json_util.h>

#include <cstdio>

#include "common/support/yaml_text.h"

namespace muster::cli {

void AddOutputFlags(Config& config, OutputFlags& flags) {
  config.AddChoice({.name = "output", .help = "How to print.", .letter = 'o'}, &flags.format,
                   {"table", "wide", "json", "yaml", "name"});
  config.AddBool({.name = "no-headers", .help = "Leave the headers of tables out."},
                 &flags.no_headers);
}

std::string FormatMessage(const google::protobuf::Message& message, const std::string& format) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = format == "json";
  options.always_print_primitive_fields = true;
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(message, &json, options);
  return format == "json" ? json : JsonToYaml(json);
}

void PrintMessage(const google::protobuf::Message& message, const std::string& format) {
  std::fputs(FormatMessage(message, format).c_str(), stdout);
}

absl::Duration ToAbsl(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

}  // namespace muster::cli
