// Where in the production code an atomic operation stands, and what it is. The atomics that stand in take it as a
// default argument, so that traces name lines of the source that ships and faults are seeded there.
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

// An ordering as the code asks for it.
struct Ordering {
  Site site;
  Operation operation;
  std::memory_order order;

  friend bool operator==(const Ordering&, const Ordering&) = default;
};

// A seeded fault: `ordering` is carried out as `weaker` wherever it is met. A relaxed fence is none.
struct Weakening {
  Ordering ordering;
  std::memory_order weaker;
};

}  // namespace volt::model
