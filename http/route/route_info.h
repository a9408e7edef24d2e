// SPDX-License-Identifier: MIT

// RouteInfo: the data with which a route was registered. Params: the values of a route's parameters in one request.
//
// Threads: values. Lifetime: the values of Params are views into the path that was looked up.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/method.h"
#include "http/message/percent.h"
#include "http/route/pattern.h"

namespace volt::http::route {

struct RouteInfo {
  std::optional<Method> method;  // nullopt: any method
  std::string host;              // empty: any host
  std::string pattern;
  std::string origin;              // the place of registration, for messages: "main.cpp:12"
  std::vector<std::string> names;  // parameter names, in the order of the values in Params
};

// The values are in the order of their names in the pattern.
class Params {
 public:
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  void clear() noexcept { count_ = 0; }
  // Adds a value. Fewer than kParametersMax values must be present.
  void add(std::string_view escaped) noexcept { values_[count_++] = {escaped.data(), escaped.size()}; }

  // Returns a value as received, with its escapes. `index` must be below count().
  [[nodiscard]] std::string_view raw(std::size_t index) const noexcept {
    return {values_[index].data, values_[index].size};
  }
  // Returns a value, decoded. In the value of a wildcard, escaped slashes become slashes like those that separate
  // segments. To distinguish them, split raw() at its slashes first and decode the parts.
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
