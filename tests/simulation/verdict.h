#ifndef MUSTER_TESTS_SIMULATION_VERDICT_H_
#define MUSTER_TESTS_SIMULATION_VERDICT_H_

#include <string>
#include <string_view>
#include <utility>

namespace muster::sim {

// Whether a run broke a promise. The first break is kept; what follows from it says nothing new.
class Verdict {
 public:
  bool broken() const { return !promise_.empty(); }

  // The promise as a few words, such as "one holder per seat".
  const std::string& promise() const { return promise_; }
  const std::string& text() const { return text_; }

  void Break(std::string_view promise, std::string text) {
    if (broken()) return;
    promise_ = promise;
    text_ = std::move(text);
  }

 private:
  std::string promise_;
  std::string text_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_VERDICT_H_
