// SPDX-License-Identifier: MIT

#include "tls/internal/host_names.h"

#include <algorithm>

namespace volt::tls::internal {

void HostNames::add(std::string_view name, std::size_t certificate) {
  const bool wildcard = name.starts_with("*.");
  const std::string_view rest = wildcard ? name.substr(2) : name;
  if (rest.empty() || rest.front() == '.' || rest.find('*') != std::string_view::npos) return;
  certificates_.try_emplace(lower_case(name), certificate);
}

std::optional<std::size_t> HostNames::find(std::string_view host) const {
  if (const auto exact = certificates_.find(host); exact != certificates_.end()) return exact->second;
  const std::size_t dot = host.find('.');
  if (dot == 0 || dot == std::string_view::npos) return std::nullopt;
  const auto wildcard = certificates_.find("*" + std::string(host.substr(dot)));
  if (wildcard == certificates_.end()) return std::nullopt;
  return wildcard->second;
}

std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace volt::tls::internal
