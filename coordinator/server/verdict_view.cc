#include "coordinator/server/verdict_view.h"

#include "absl/strings/str_cat.h"
#include "common/wire/text.h"
#include "common/wire/trace.h"

namespace muster::coordinator {
namespace {

constexpr size_t kTextBytesMax = 1024;

v1::VerdictKind KindOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kDiverged:
      return v1::VERDICT_KIND_DIVERGED;
    case VerdictKind::kNotCalled:
      return v1::VERDICT_KIND_NOT_CALLED;
    case VerdictKind::kUntold:
      return v1::VERDICT_KIND_UNTOLD;
    case VerdictKind::kInside:
      return v1::VERDICT_KIND_INSIDE;
  }
  return v1::VERDICT_KIND_UNSPECIFIED;
}

}  // namespace

v1::Verdict ViewVerdict(const Verdict& verdict) {
  v1::Verdict view;
  view.set_group(verdict.group);
  view.set_kind(KindOf(verdict.kind));
  view.set_sequence(static_cast<int64_t>(verdict.sequence));
  for (const GlobalRank rank : verdict.ranks) view.add_ranks(rank.value);
  view.set_text(FitText(verdict.text, kTextBytesMax));
  for (const Witness& witness : verdict.members) {
    if (!witness.records.has_value()) continue;
    v1::MemberTrace& member = *view.add_members();
    member.set_rank(witness.rank.value);
    for (const OperationRecord& record : *witness.records) *member.add_records() = ToProto(record);
  }
  return view;
}

std::string VerdictSentence(const Verdict& verdict) {
  return absl::StrCat("group ", verdict.group, ": ", verdict.text);
}

}  // namespace muster::coordinator
