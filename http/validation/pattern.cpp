// SPDX-License-Identifier: MIT

#include "http/validation/pattern.h"

#include <array>
#include <bitset>

namespace volt::http::validation {
namespace {

using Steps = std::span<const PatternStep>;

// The steps that wait for the next character. The order does not matter, because only the end of the text decides.
class Waiting {
 public:
  explicit Waiting(Steps steps) noexcept : steps_(steps) {}

  // Adds a step, and all that follow it without a character. Each step is visited once.
  void add(std::size_t first) noexcept {
    std::array<std::uint16_t, kPatternStepsMax> pending;
    std::size_t count = 0;
    const auto visit = [&](std::size_t step) {
      if (seen_[step]) return;
      seen_.set(step);
      pending[count++] = static_cast<std::uint16_t>(step);
    };
    visit(first);
    while (count != 0) {
      const PatternStep& step = steps_[pending[--count]];
      if (step.kind == PatternStep::Kind::split || step.kind == PatternStep::Kind::jump) visit(step.targets[0]);
      if (step.kind == PatternStep::Kind::split) visit(step.targets[1]);
    }
  }
  [[nodiscard]] bool contains(std::size_t step) const noexcept { return seen_[step]; }
  [[nodiscard]] bool is_empty() const noexcept { return seen_.none(); }

 private:
  Steps steps_;
  std::bitset<kPatternStepsMax> seen_;
};

// Returns the number of bytes of the character at the front of `text`, which is not empty.
std::size_t character_bytes(std::string_view text) noexcept {
  std::size_t bytes = 1;
  if (static_cast<unsigned char>(text.front()) < 0x80) return bytes;
  while (bytes != text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

}  // namespace

bool matches(Steps steps, std::string_view text) noexcept {
  Waiting waiting(steps);
  waiting.add(0);
  while (!text.empty() && !waiting.is_empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    Waiting after(steps);
    for (std::size_t i = 0; i != steps.size(); ++i) {
      if (!waiting.contains(i) || steps[i].kind != PatternStep::Kind::set || !steps[i].set.contains(first)) continue;
      after.add(i + 1);
    }
    waiting = after;
    text.remove_prefix(character_bytes(text));
  }
  return text.empty() && waiting.contains(steps.size() - 1);
}

std::string pattern_schema(std::string_view pattern) {
  std::string schema = "\"pattern\":\"^(?:";
  for (const char c : pattern) {  // printable ASCII
    if (c == '"' || c == '\\') schema += '\\';
    schema += c;
  }
  return schema += ")$\"";
}

}  // namespace volt::http::validation
