#include "common/base/error_detail.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/cord.h"
#include "common/base/check.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

constexpr char kPayloadUrl[] = "muster/error_detail";
constexpr char kFormat = 1;  // The first byte; another layout gets another number.
constexpr std::string_view kCutMark = "...";

// Shortens `text` to at most `max_bytes`, without leaving a part of a UTF-8 letter.
void Cut(std::string& text, size_t max_bytes) {
  if (text.size() <= max_bytes) return;
  size_t end = max_bytes - kCutMark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  text.append(kCutMark);
}

void CutNames(std::vector<std::string>& names) {
  if (names.size() > kErrorListMax) names.resize(kErrorListMax);
  for (std::string& name : names) Cut(name, kErrorNameMaxBytes);
}

void CutToLimits(ErrorDetail& detail) {
  Cut(detail.job, kErrorNameMaxBytes);
  Cut(detail.group, kErrorNameMaxBytes);
  if (detail.ranks.size() > kErrorListMax) detail.ranks.resize(kErrorListMax);
  CutNames(detail.workers);
  CutNames(detail.hosts);
  Cut(detail.remedy, kErrorMessageMaxBytes);
}

// Signed numbers near 0 become small unsigned ones, which take few bytes.
uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // Seven bits a byte, lowest first; the top bit says that more follow.
  void Number(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>((value & 0x7F) | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }

  void Text(std::string_view text) {
    Number(text.size());
    out_.append(text);
  }

  void Texts(const std::vector<std::string>& texts) {
    Number(texts.size());
    for (const std::string& text : texts) Text(text);
  }

  // Runs of consecutive ranks as (first, length), in the given order.
  void Ranks(const std::vector<GlobalRank>& ranks) {
    Number(ranks.size());
    for (size_t first = 0; first < ranks.size();) {
      size_t end = first + 1;
      while (end < ranks.size() && int64_t{ranks[end].value} - 1 == ranks[end - 1].value) ++end;
      Number(ZigZag(ranks[first].value));
      Number(end - first);
      first = end;
    }
  }

 private:
  std::string& out_;
};

// Every method gives false, and leaves its result open, when the bytes do not hold such a thing.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const { return rest_.empty(); }

  bool Byte(char& byte) {
    if (rest_.empty()) return false;
    byte = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }

  bool Number(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      char byte = 0;
      if (!Byte(byte)) return false;
      const uint64_t bits = static_cast<unsigned char>(byte) & 0x7F;
      if (shift == 63 && bits > 1) return false;
      value |= bits << shift;
      if ((static_cast<unsigned char>(byte) & 0x80) == 0) return true;
    }
    return false;
  }

  bool Text(std::string& text, size_t max_bytes) {
    uint64_t size = 0;
    if (!Number(size) || size > max_bytes || size > rest_.size()) return false;
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return true;
  }

  bool Texts(std::vector<std::string>& texts) {
    uint64_t count = 0;
    // Each text takes a byte or more, so the count cannot make us allocate more than was sent.
    if (!Number(count) || count > kErrorListMax || count > rest_.size()) return false;
    texts.resize(count);
    return std::all_of(texts.begin(), texts.end(),
                       [this](std::string& text) { return Text(text, kErrorNameMaxBytes); });
  }

  bool Ranks(std::vector<GlobalRank>& ranks) {
    uint64_t count = 0;
    if (!Number(count) || count > kErrorListMax) return false;
    while (ranks.size() < count) {
      uint64_t first_bits = 0;
      uint64_t length = 0;
      if (!Number(first_bits) || !Number(length)) return false;
      if (length < 1 || length > count - ranks.size()) return false;
      const int64_t first = UnZigZag(first_bits);
      if (first < std::numeric_limits<int32_t>::min()) return false;
      if (first > std::numeric_limits<int32_t>::max() - static_cast<int64_t>(length - 1)) {
        return false;
      }
      for (uint64_t i = 0; i < length; ++i) {
        ranks.push_back(GlobalRank(static_cast<int32_t>(first + static_cast<int64_t>(i))));
      }
    }
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

absl::Status MakeError(absl::StatusCode code, std::string_view message, ErrorDetail detail) {
  MUSTER_CHECK(code != absl::StatusCode::kOk, "an error needs an error code");
  std::string text(message);
  Cut(text, kErrorMessageMaxBytes);
  absl::Status status(code, text);
  CutToLimits(detail);
  status.SetPayload(kPayloadUrl, absl::Cord(EncodeDetail(detail)));
  return status;
}

std::optional<ErrorDetail> DetailOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  return DecodeDetail(std::string(*payload));
}

std::string EncodeDetail(const ErrorDetail& detail) {
  std::string bytes(1, kFormat);
  Writer out(bytes);
  out.Text(KindName(detail.kind));
  out.Text(detail.job);
  out.Text(detail.group);
  out.Number(ZigZag(detail.epoch.value));
  out.Ranks(detail.ranks);
  out.Texts(detail.workers);
  out.Texts(detail.hosts);
  out.Text(detail.remedy);
  return bytes;
}

std::optional<ErrorDetail> DecodeDetail(std::string_view bytes) {
  ErrorDetail detail;
  Reader in(bytes);
  char format = 0;
  std::string kind;
  uint64_t epoch = 0;
  const bool whole = in.Byte(format) && format == kFormat && in.Text(kind, kErrorNameMaxBytes) &&
                     in.Text(detail.job, kErrorNameMaxBytes) &&
                     in.Text(detail.group, kErrorNameMaxBytes) && in.Number(epoch) &&
                     in.Ranks(detail.ranks) && in.Texts(detail.workers) && in.Texts(detail.hosts) &&
                     in.Text(detail.remedy, kErrorMessageMaxBytes) && in.AtEnd();
  if (!whole) return std::nullopt;
  detail.kind = ParseKind(kind).value_or(ErrorKind::kUnknown);
  detail.epoch = Epoch(UnZigZag(epoch));
  return detail;
}

}  // namespace muster
