// How a directory of files is served: `app.files("/assets", "public", {.precompressed = true, .max_age = 1h})`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace volt::http {

struct FileOptions {
  bool precompressed = false;  // `x.js.br`, `x.js.zst`, `x.js.gz` beside `x.js` go to clients that take them
  std::chrono::seconds max_age = std::chrono::seconds(0);  // caches need not ask before; 0: they ask each time
  bool immutable = false;            // a name's content never changes within max_age: reloads do not ask either
  std::string index = "index.html";  // stands for its directory; empty: directories are not found
  bool hidden_files = false;         // names that begin with a dot; `.well-known` at the top is never hidden
  bool follow_symlinks = true;       // those that stay within the directory; others are never followed
  std::size_t cache_bytes_max = 16 * 1024 * 1024;  // of small files' contents, and open larger ones; 0: none is kept
  std::chrono::milliseconds reload_after = std::chrono::seconds(1);  // how long a change may go unnoticed
  std::vector<std::pair<std::string, std::string>> headers = {};     // added to each answer that carries a file
};

}  // namespace volt::http
