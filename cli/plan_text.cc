#include "cli/plan_text.h"

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/rank_ranges.h"

namespace muster::cli {
namespace {

using Ranks = google::protobuf::RepeatedField<int32_t>;

constexpr int kRunShownMax = 4;  // Neighbours that are written one by one.

// The ranks in their order: "0,4,2,3"; of many neighbours the first and the last: "0-7,9".
std::string RanksText(const Ranks& ranks) {
  std::vector<std::string> parts;
  for (int at = 0; at < ranks.size();) {
    int end = at + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - at > kRunShownMax) {
      parts.push_back(absl::StrCat(ranks[at], "-", ranks[end - 1]));
    } else {
      for (int single = at; single < end; ++single) parts.push_back(absl::StrCat(ranks[single]));
    }
    at = end;
  }
  return absl::StrJoin(parts, ",");
}

// The number of a group in its name: "wan/dit.sp#1" has 1.
std::string NumberOf(const std::string& name) { return name.substr(name.rfind('#') + 1); }

// "wan/dit.sp#1" is of kind "dit.sp".
std::string KindOf(const std::string& name) {
  const size_t start = name.find('/') + 1;
  return name.substr(start, name.rfind('#') - start);
}

std::string GroupsTable(const v1::PlanView& view, Headers headers) {
  TextTable table({{"group"}, {"size", Align::kRight}, {"communicator"}, {"ranks"}});
  for (const v1::PlanGroup& group : view.groups()) {
    table.AddRow({group.name(), absl::StrCat(group.ranks_size()), group.built() ? "yes" : "no",
                  RanksText(group.ranks())});
  }
  return table.Render(headers);
}

std::string RanksTable(const v1::PlanView& view, Headers headers) {
  std::vector<TableColumn> columns = {{"rank", Align::kRight}};
  std::map<std::string, size_t> column_of;
  for (const v1::PlanGroup& group : view.groups()) {
    if (column_of.emplace(group.kind(), columns.size()).second) columns.push_back({group.kind()});
  }
  TextTable table(columns);
  for (const v1::PlanRank& rank : view.ranks()) {
    std::vector<std::string> row(columns.size(), "-");
    row[0] = absl::StrCat(rank.rank());
    for (const v1::PlanPlace& place : rank.places()) {
      row[column_of.at(KindOf(place.group()))] =
          absl::StrCat("#", NumberOf(place.group()), "[", place.group_rank(), "]");
    }
    table.AddRow(std::move(row));
  }
  return table.Render(headers);
}

// How an action is called and drawn.
struct ActionStyle {
  const char* word;
  const char* color;
};

ActionStyle StyleOf(v1::PlanAction action) {
  switch (action) {
    case v1::PLAN_ACTION_KEEP:
      return {"keep", "gray"};
    case v1::PLAN_ACTION_SPLIT:
      return {"split", "blue"};
    case v1::PLAN_ACTION_BUILD:
      return {"build", "green"};
    default:
      return {"retire", "red"};
  }
}

const char* WeightsText(v1::PlanWeights weights) {
  switch (weights) {
    case v1::PLAN_WEIGHTS_STATELESS:
      return "stateless";
    case v1::PLAN_WEIGHTS_MOVES:
      return "moves weights";
    default:
      return "-";
  }
}

// What all changes come to, in three lines.
std::string Totals(const v1::PlanChangeView& view) {
  std::map<v1::PlanAction, int> counts;
  for (const v1::PlanChange& change : view.changes()) ++counts[change.action()];
  std::vector<std::string> parts;
  for (const v1::PlanAction action : {v1::PLAN_ACTION_KEEP, v1::PLAN_ACTION_SPLIT,
                                      v1::PLAN_ACTION_BUILD, v1::PLAN_ACTION_RETIRE}) {
    parts.push_back(absl::StrCat(StyleOf(action).word, " ", counts[action]));
  }
  const Ranks& touched = view.touched_ranks();
  return absl::StrCat(
      absl::StrJoin(parts, ", "),
      "\nranks touched: ", FormatRanges(std::vector<int64_t>(touched.begin(), touched.end())), " (",
      touched.size(), " of ", std::max(view.from_world_size(), view.to_world_size()), ")",
      "\nweights move over: ",
      view.moved_kinds().empty() ? "none" : absl::StrJoin(view.moved_kinds(), ", "), "\n");
}

std::string DotHead(const std::string& job) {
  return absl::StrCat("graph \"", job, "\" {\n  graph [rankdir=LR];\n  node [shape=circle];\n");
}

void AppendRankNodes(int32_t count, std::string& dot) {
  for (int32_t rank = 0; rank < count; ++rank) absl::StrAppend(&dot, "  ", rank, ";\n");
  absl::StrAppend(&dot, "  node [shape=box];\n");
}

void AppendGroup(const std::string& name, const std::string& style, const Ranks& ranks,
                 std::string& dot) {
  absl::StrAppend(&dot, "  \"", name, "\"", style, ";\n");
  for (int place = 0; place < ranks.size(); ++place) {
    absl::StrAppend(&dot, "  \"", name, "\" -- ", ranks[place], " [label=", place, "];\n");
  }
}

}  // namespace

std::string PlanTables(const v1::PlanView& view, Headers headers) {
  return absl::StrCat(GroupsTable(view, headers), "\n", RanksTable(view, headers));
}

std::string PlanTables(const v1::PlanChangeView& view, Headers headers) {
  TextTable table({{"action"}, {"group"}, {"from"}, {"weights"}, {"ranks"}});
  for (const v1::PlanChange& change : view.changes()) {
    table.AddRow({StyleOf(change.action()).word, change.group(),
                  change.from().empty() ? "-" : change.from(), WeightsText(change.weights()),
                  RanksText(change.ranks())});
  }
  return absl::StrCat(table.Render(headers), "\n", Totals(view));
}

std::string PlanDot(const v1::PlanView& view) {
  std::string dot = DotHead(view.job());
  AppendRankNodes(view.world_size(), dot);
  for (const v1::PlanGroup& group : view.groups()) {
    if (group.ranks_size() < 2) continue;
    AppendGroup(group.name(), group.built() ? "" : " [style=dashed]", group.ranks(), dot);
  }
  return absl::StrCat(dot, "}\n");
}

std::string PlanDot(const v1::PlanChangeView& view) {
  std::string dot = DotHead(view.job());
  AppendRankNodes(std::max(view.from_world_size(), view.to_world_size()), dot);
  for (const v1::PlanChange& change : view.changes()) {
    const ActionStyle style = StyleOf(change.action());
    // A retired group may be called like a new one.
    AppendGroup(absl::StrCat(style.word, " ", change.group()),
                absl::StrCat(" [color=", style.color, "]"), change.ranks(), dot);
  }
  return absl::StrCat(dot, "}\n");
}

}  // namespace muster::cli
