// Params: the values of a route's parameters, in the order of their names in the pattern.
//
// Lifetime: the values are views into the path that was looked up. Threads: a value.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/message/percent.h"
#include "http/route/pattern.h"

namespace volt::http::route {

class Params {
 public:
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  void clear() noexcept { count_ = 0; }
  // Adds a value. Fewer than kParametersMax values must be present.
  void add(std::string_view escaped) noexcept { values_[count_++] = {escaped.data(), escaped.size()}; }

  // Returns a value, still escaped. `index` must be below count().
  [[nodiscard]] std::string_view raw(std::size_t index) const noexcept {
    return {values_[index].data, values_[index].size};
  }
  // Returns a value, decoded. Escaped slashes of a wildcard become slashes; to distinguish them from separators, split
  // raw() first.
  [[nodiscard]] std::string decoded(std::size_t index) const { return message::percent_decode(raw(index)); }

 private:
  struct View {
    const char* data;
    std::size_t size;
  };

  std::size_t count_ = 0;
  std::array<View, kParametersMax> values_;  // only the first count_ elements are set: most requests have few
};

}  // namespace volt::http::route
