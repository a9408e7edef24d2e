// SPDX-License-Identifier: MIT

#include "config/read/internal/own_kinds.h"

#include <stdexcept>

namespace volt::config {

std::expected<Secret, std::string> OwnSecret::read(const RawValue& found) {
  auto text = FilePath::read(found);
  if (!text) return std::unexpected("expected text without NUL; the value is a secret and not shown");
  return Secret(*std::move(text));
}

std::expected<Secret, std::string> OwnSecretFile::read(const RawValue& found) {
  const auto path = FilePath::read(found);
  if (!path || path->empty()) return std::unexpected("found " + found.to_string() + ", expected " + expected());
  try {
    return Secret(secret_from_file(*path), *path);
  } catch (const std::invalid_argument& error) {
    return std::unexpected(error.what());
  }
}

std::vector<RawValue> items_of(const RawValue& found) {
  using enum RawValue::Notation;
  std::vector<RawValue> all;
  for (const std::string& item : found.items) {
    RawValue::Notation notation = found.notation == strings ? string : untyped;
    if (found.notation == numbers) notation = item.find_first_of(".en") == std::string::npos ? integer : fraction;
    all.push_back({notation, {item}});
  }
  return all;
}

}  // namespace volt::config
