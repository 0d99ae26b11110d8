// plan: the layout that a spec leads to, without a coordinator.

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/spec_source.h"
#include "common/support/text_table.h"
#include "common/wire/job_spec.h"

namespace muster::cli {
namespace {

TextTable GroupsOfLayout(const Layout& layout, const std::string& job) {
  TextTable table({{"group"}, {"size", Align::kRight}, {"communicator"}, {"ranks"}});
  for (int32_t kind = 0; kind < std::ssize(layout.kinds()); ++kind) {
    const GroupKind& groups = layout.kinds()[static_cast<size_t>(kind)];
    for (int32_t index = 0; index < groups.group_count; ++index) {
      const GroupId id{kind, index};
      const std::vector<GlobalRank> members = layout.Members(id);
      const std::string ranks = absl::StrJoin(members, ",", [](std::string* out, GlobalRank rank) {
        absl::StrAppend(out, rank.value);
      });
      table.AddRow({layout.Name(id, job), absl::StrCat(members.size()),
                    layout.IsBuilt(id) ? "yes" : "no", ranks});
    }
  }
  return table;
}

TextTable RanksOfLayout(const Layout& layout) {
  TextTable table({{"rank", Align::kRight}, {"groups"}});
  for (int32_t rank = 0; rank < layout.world_size(); ++rank) {
    std::vector<std::string> names;
    for (const GroupMembership& group : layout.GroupsOf(GlobalRank(rank))) {
      names.push_back(absl::StrCat(layout.Name(group.id, ""), "[", group.rank.value, "]"));
    }
    table.AddRow({absl::StrCat(rank), absl::StrJoin(names, " ")});
  }
  return table;
}

}  // namespace

int Plan(const Args& args) {
  Config config("muster plan", "Shows every group and rank of a layout; starts nothing.");
  SpecFlags flags;
  AddSpecFlags(config, flags);
  config.AddInt({.name = "world-size",
                 .help = "With --mesh; 0: the product of its sizes.",
                 .placeholder = "N"},
                &flags.world_size, {.least = 0});
  if (absl::Status status = config.Parse(args); !status.ok()) return FailUsage(status);
  if (config.help_wanted()) return std::fputs(config.HelpText().c_str(), stdout), kOk;

  const absl::StatusOr<v1::JobSpec> spec = LoadSpec(flags);
  if (!spec.ok()) return Fail(spec.status());
  const absl::StatusOr<JobSpec> core = FromProto(*spec);
  if (!core.ok()) return Fail(core.status());
  const absl::StatusOr<Layout> layout = ValidateJobSpec(*core);
  if (!layout.ok()) return Fail(layout.status());
  std::printf("%s\n%s", GroupsOfLayout(*layout, core->name).Render().c_str(),
              RanksOfLayout(*layout).Render().c_str());
  return kOk;
}

}  // namespace muster::cli
