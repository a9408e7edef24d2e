// SPDX-License-Identifier: MIT

#include "http/files/internal/file_metadata.h"

#include <charconv>

namespace volt::http::files {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014). Every bit of the sum affects every bit of the result.
constexpr std::uint64_t mixed(std::uint64_t state, std::uint64_t value) noexcept {
  std::uint64_t bits = state + value + 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

std::string make_etag(std::uint64_t size_bytes, FileTime modified, std::uint64_t inode, std::string_view coding) {
  const auto ticks = static_cast<std::uint64_t>(modified.time_since_epoch().count());
  const std::uint64_t hash = mixed(mixed(mixed(0, size_bytes), ticks), inode);
  char digits[16];
  char* const end = std::to_chars(digits, digits + sizeof digits, hash, 16).ptr;
  std::string text(digits, end);
  if (!coding.empty()) text.append("-").append(coding);
  return text;
}

Validators validators(const FileMetadata& metadata) noexcept {
  Validators current{.last_modified = std::chrono::floor<std::chrono::seconds>(metadata.modified)};
  if (!metadata.etag.empty()) current.etag = EntityTag{.opaque = metadata.etag};
  return current;
}

}  // namespace volt::http::files
