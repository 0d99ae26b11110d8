#include "common/jobfile/layout_cases.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

absl::Status Refused(std::string_view where, std::string_view wanted) {
  return LayoutError(
      ErrorKind::kInvalidRequest,
      absl::StrCat("cases: ", ToAbsl(where), " is something else, want ", ToAbsl(wanted)),
      "Give a file of cases.");
}

// Whole numbers that a double holds exactly.
std::optional<int64_t> WholeNumber(const Value& value) {
  constexpr double kMax = 9007199254740992.0;
  if (!value.has_number_value()) return std::nullopt;
  const double number = value.number_value();
  if (std::floor(number) != number || std::abs(number) > kMax) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::string TextOf(const Value& value) {
  if (const std::optional<int64_t> number = WholeNumber(value)) return absl::StrCat(*number);
  switch (value.kind_case()) {
    case Value::kNumberValue:
      return absl::StrCat(value.number_value());
    case Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case Value::kStringValue:
      return value.string_value();
    case Value::kListValue: {
      const auto append = [](std::string* out, const Value& item) { out->append(TextOf(item)); };
      return absl::StrCat("[", absl::StrJoin(value.list_value().values(), ",", append), "]");
    }
    default:
      return "null";
  }
}

PresetParam ParamOf(const std::string& name, const Value& value) {
  PresetParam param = {.name = name, .value = TextOf(value)};
  if (const std::optional<int64_t> number = WholeNumber(value)) {
    param.value = *number;
  } else if (value.has_number_value()) {
    param.value = value.number_value();
  } else if (value.has_bool_value()) {
    param.value = value.bool_value();
  }
  return param;
}

const Value* Member(const Struct& map, const std::string& key) {
  const auto at = map.fields().find(key);
  return at == map.fields().end() ? nullptr : &at->second;
}

absl::StatusOr<std::string> ReadText(const Struct& map, const std::string& key,
                                     const std::string& where) {
  const Value* const value = Member(map, key);
  if (value == nullptr || !value->has_string_value() || value->string_value().empty()) {
    return Refused(absl::StrCat(where, ".", key), "a text");
  }
  return value->string_value();
}

absl::StatusOr<GroupLists> ReadGroups(const Value& value, const std::string& where) {
  if (!value.has_list_value()) return Refused(where, "a list of groups");
  GroupLists groups;
  for (const Value& group : value.list_value().values()) {
    if (!group.has_list_value()) return Refused(where, "lists of ranks");
    std::vector<GlobalRank>& ranks = groups.emplace_back();
    for (const Value& rank : group.list_value().values()) {
      const std::optional<int64_t> number = WholeNumber(rank);
      if (!number.has_value() || std::abs(*number) > std::numeric_limits<int32_t>::max()) {
        return Refused(where, "ranks");
      }
      ranks.emplace_back(static_cast<int32_t>(*number));
    }
  }
  return groups;
}

absl::StatusOr<LayoutCase> ReadCase(const Value& item, const std::string& where) {
  if (!item.has_struct_value()) return Refused(where, "a map");
  const Struct& map = item.struct_value();
  LayoutCase read;
  MUSTER_ASSIGN_OR_RETURN(read.id, ReadText(map, "id", where));
  MUSTER_ASSIGN_OR_RETURN(read.source, ReadText(map, "source", where));
  const Value* const params = Member(map, "params");
  if (params == nullptr || !params->has_struct_value()) {
    return Refused(absl::StrCat(where, ".params"), "a map");
  }
  MUSTER_ASSIGN_OR_RETURN(read.api, ReadText(params->struct_value(), "api", where));
  for (const auto& [name, value] : params->struct_value().fields()) {
    if (name != "api" && !value.has_null_value()) read.params.push_back(ParamOf(name, value));
  }
  std::sort(read.params.begin(), read.params.end(),
            [](const PresetParam& a, const PresetParam& b) { return a.name < b.name; });
  if (Member(map, "error") != nullptr) {
    MUSTER_ASSIGN_OR_RETURN(read.error, ReadText(map, "error", where));
    return read;
  }
  const Value* const groups = Member(map, "groups");
  if (groups == nullptr || !groups->has_struct_value()) {
    return Refused(absl::StrCat(where, ".groups"), "a map, or 'error' in its place");
  }
  for (const auto& [kind, lists] : groups->struct_value().fields()) {
    MUSTER_ASSIGN_OR_RETURN(read.groups[kind],
                            ReadGroups(lists, absl::StrCat(where, ".groups.", kind)));
  }
  return read;
}

}  // namespace

const PresetParam* LayoutCase::Find(std::string_view name) const {
  const auto at = std::find_if(params.begin(), params.end(),
                               [name](const PresetParam& param) { return param.name == name; });
  return at == params.end() ? nullptr : &*at;
}

int64_t LayoutCase::Int(std::string_view name, int64_t fallback) const {
  const PresetParam* const param = Find(name);
  const auto* number = param == nullptr ? nullptr : std::get_if<int64_t>(&param->value);
  return number == nullptr ? fallback : *number;
}

std::vector<std::string> LayoutCase::Items(std::string_view name) const {
  const PresetParam* const param = Find(name);
  const auto* text = param == nullptr ? nullptr : std::get_if<std::string>(&param->value);
  if (text == nullptr || text->size() < 2) return {};
  return absl::StrSplit(ToAbsl(std::string_view(*text).substr(1, text->size() - 2)), ',',
                        absl::SkipEmpty());
}

absl::StatusOr<std::vector<LayoutCase>> ParseLayoutCases(std::string_view json) {
  MUSTER_RETURN_IF_ERROR(CheckLimit("cases: the number of bytes is",
                                    static_cast<int64_t>(json.size()), kLayoutCasesBytesMax));
  ListValue list;
  const google::protobuf::util::Status parsed =
      google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &list);
  if (!parsed.ok()) {
    return LayoutError(ErrorKind::kInvalidRequest,
                       absl::StrCat("cases: this is no list in JSON: ",
                                    std::string(parsed.message()).substr(0, 200)),
                       "Give a file of cases.");
  }
  std::vector<LayoutCase> cases;
  for (const Value& item : list.values()) {
    MUSTER_ASSIGN_OR_RETURN(LayoutCase read, ReadCase(item, absl::StrCat("item ", cases.size())));
    cases.push_back(std::move(read));
  }
  return cases;
}

}  // namespace muster
