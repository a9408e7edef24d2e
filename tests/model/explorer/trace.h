// SPDX-License-Identifier: MIT

// Trace: an execution as text, one line per operation, with the source line that requested it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/model/explorer/site.h"

namespace volt::model {

class Trace {
 public:
  void turn(unsigned thread, bool preempts);
  // Adds an operation. `older` is the number of stores that are newer than the value read.
  void operation(unsigned thread, const Ordering& ordering, std::uint64_t value, unsigned older);
  void remark(unsigned thread, const std::string& text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  const std::string& source_line(const Site& site);

  std::map<std::string, std::vector<std::string>> files_;
  std::string text_;
};

// Returns the path of the site's file relative to the root of the repository.
[[nodiscard]] const char* path_of(const Site& site) noexcept;
[[nodiscard]] const char* name_of(Operation operation) noexcept;
[[nodiscard]] const char* name_of(std::memory_order order) noexcept;

}  // namespace volt::model
