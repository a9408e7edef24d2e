// SPDX-License-Identifier: MIT

// Site: the place of an atomic operation in the production code, and the operation's kind. The model's atomics take a
// Site as a default argument, so that traces name lines of the source that ships, and faults are seeded there.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

namespace volt::model {

struct Site {
  const char* file;
  const char* function;
  unsigned line;

  [[nodiscard]] static constexpr Site here(const char* file = __builtin_FILE(),
                                           const char* function = __builtin_FUNCTION(),
                                           unsigned line = __builtin_LINE()) noexcept {
    return {.file = file, .function = function, .line = line};
  }

  friend bool operator==(const Site& a, const Site& b) noexcept {
    return a.line == b.line && std::strcmp(a.file, b.file) == 0;
  }
};

enum class Operation : std::uint8_t { load, store, exchange, failed_exchange, fence };

// The ordering that the code requests at a site.
struct Ordering {
  Site site;
  Operation operation;
  std::memory_order order;

  friend bool operator==(const Ordering&, const Ordering&) = default;
};

// A seeded fault: wherever `ordering` occurs, `weaker` is used instead. A relaxed fence has no effect.
struct Weakening {
  Ordering ordering;
  std::memory_order weaker;
};

}  // namespace volt::model
