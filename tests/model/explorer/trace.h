// Trace: an execution as text, one line an operation, with the line of the source that asked for it.
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
  // `older`: by how many stores what was read is behind the newest.
  void operation(unsigned thread, const Ordering& ordering, std::uint64_t value, unsigned older);
  void remark(unsigned thread, const std::string& text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  const std::string& source_line(const Site& site);

  std::map<std::string, std::vector<std::string>> files_;
  std::string text_;
};

// Of the file, from the root of the repository.
[[nodiscard]] const char* path_of(const Site& site) noexcept;
[[nodiscard]] const char* name_of(Operation operation) noexcept;
[[nodiscard]] const char* name_of(std::memory_order order) noexcept;

}  // namespace volt::model
