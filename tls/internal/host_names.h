// Which certificate is for the host that a client names: exact names, and wildcards as RFC 9525 section 6.3 has them,
// where "*" is the whole of the leftmost label and stands for one label.
//
// Threads: immutable once filled.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace volt::tls::internal {

class HostNames {
 public:
  // A name of a certificate: the first that claims a name has it. What is no name or wildcard as above is passed over.
  void add(std::string_view name, std::size_t certificate);

  // `host` in lower case.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view host) const;

 private:
  std::map<std::string, std::size_t, std::less<>> certificates_;  // by name in lower case, wildcards with their "*."
};

[[nodiscard]] std::string lower_case(std::string_view name);

}  // namespace volt::tls::internal
