// SPDX-License-Identifier: MIT

// Options for serving a directory of files: `app.files("/assets", "public", {.precompressed = true, .max_age = 1h})`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace volt::http {

struct FileOptions {
  // Send `x.js.br`, `x.js.zst` or `x.js.gz` instead of `x.js` to clients that accept the coding.
  bool precompressed = false;
  // How long caches may use a file without revalidation; 0: they revalidate each time.
  std::chrono::seconds max_age = std::chrono::seconds(0);
  // Promises that content never changes within max_age. Browsers then do not revalidate it even on reload.
  bool immutable = false;
  // Name of the file that is served for a directory. Empty: a request for a directory gets 404.
  std::string index = "index.html";
  // Serve names that begin with a dot. `.well-known` at the top is always served.
  bool hidden_files = false;
  // Follow links that stay within the directory. Other links are never followed.
  bool follow_symlinks = true;
  // Maximum size of the file cache in bytes; 0: no cache. The cache holds the contents of small files, and open
  // descriptors of larger ones.
  std::size_t cache_bytes_max = 16 * 1024 * 1024;
  // How long a file may still be served in its old state after it has changed; 0: no cache.
  std::chrono::milliseconds reload_after = std::chrono::seconds(1);
  // Headers added to each response that carries a file.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

}  // namespace volt::http
