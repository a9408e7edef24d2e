// SPDX-License-Identifier: MIT

#include "runtime/resolve_error.h"

#include <string>

namespace volt {
namespace {

class ResolveCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "resolve"; }
  [[nodiscard]] std::string message(int number) const override {
    switch (static_cast<ResolveError>(number)) {
      case ResolveError::not_found:
        return "the host name does not exist";
      case ResolveError::no_address:
        return "the host name has neither an IPv4 nor an IPv6 address";
      case ResolveError::timed_out:
        return "no name server answered in time";
      case ResolveError::server_failed:
        return "each name server failed or cannot be reached";
    }
    return "unknown";
  }
  [[nodiscard]] std::error_condition default_error_condition(int number) const noexcept override {
    if (number == static_cast<int>(ResolveError::timed_out)) return std::errc::timed_out;
    return {number, *this};
  }
};

}  // namespace

const std::error_category& resolve_category() noexcept {
  static const ResolveCategory category;
  return category;
}

}  // namespace volt
