// SPDX-License-Identifier: MIT

// Names of files with a hash of their content: css/app.3f2ac41be0a19c57.css.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::files {

// 64 bits: two versions of one file have one hash by chance in practice never.
inline constexpr std::size_t kContentHashChars = 16;

struct HashedName {
  std::string name;  // css/app.css
  std::string hash;
};

// Returns the first kContentHashChars hexadecimal digits of the content's SHA-256.
[[nodiscard]] std::string content_hash(std::string_view content);

// Returns `name` with the hash before its last extension.
[[nodiscard]] std::string with_hash(std::string_view name, std::string_view hash);
// Returns nullopt if `name` has no hash.
[[nodiscard]] std::optional<HashedName> without_hash(std::string_view name);

}  // namespace volt::http::files
