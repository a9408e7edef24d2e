// SPDX-License-Identifier: MIT

// HostNames: maps the host names of certificates to their indices. There are exact names, and wildcards in the form of
// RFC 9525 section 6.3: "*" is the entire leftmost label, and matches exactly one label.
//
// Threads: immutable once filled, then safe for concurrent use.
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
  // Adds a name of a certificate. The first certificate with a name keeps it. Ignores a malformed name or wildcard.
  void add(std::string_view name, std::size_t certificate);

  // Returns the certificate for `host`, which must be in lower case; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view host) const;

 private:
  std::map<std::string, std::size_t, std::less<>>
      certificates_;  // keys are names in lower case; wildcards keep their "*."
};

[[nodiscard]] std::string lower_case(std::string_view name);

}  // namespace volt::tls::internal
