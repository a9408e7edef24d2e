// SPDX-License-Identifier: MIT

// Assets: scripts, styles and pictures of pages, under names that change with their content, so that browsers keep them
// for a year and still get each new version at once.
//
//   http::Assets assets("/assets", "public", {.precompressed = true});
//   app.get("/assets/{file...}", assets).hidden();
//   app.state(assets);
//   app.get("/", [](State<http::Assets> assets) { return Home{.style = assets->url("app.css")}; });
//                                             // {{style}} is /assets/app.3f2ac41be0a19c57.css
//
//   /assets/app.3f2ac41be0a19c57.css    Cache-Control: max-age=31536000, immutable
//   /assets/app.css                     Cache-Control: no-cache, with an ETag: for references from other files
//   /assets/app.0123456789abcdef.css    the hash of an older or newer version: as app.css, so that a page that was
//                                       loaded before a new version was installed still finds its files
//
// The hash is the begin of the file's SHA-256. It is computed when the Assets are made. If a file has changed since, it
// is no longer sent as immutable; with `development`, url() computes its hash again. Files that were added since are
// served under their own name, and with `development` have an address too.
//
// References within files are not changed. url(logo.svg) in a style, a source map and `import "./part.js"` in a module
// name the file without its hash, which browsers revalidate: a request that is answered by 304. Bundlers write hashes
// into such references; serve their output by App::files() with `immutable`.
//
// Files are found, opened, cached and sent as by App::files(): precompressed variants, conditions, ranges, nothing
// outside the directory, no name that begins with a dot. Directories have no index.
//
// Threads: any. A copy refers to the same files. url() is a search in memory; with `development` it blocks for the file
// system. Errors: the constructor throws std::system_error if the directory or a file cannot be read, and
// std::length_error for a file beyond `bytes_max` or more than 65,536 files; url() throws std::invalid_argument for a
// file that does not exist.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/web/request.h"
#include "http/web/response.h"
#include "http/web/trusted.h"
#include "runtime/task.h"

namespace volt::http {

struct AssetOptions {
  bool precompressed = false;                                     // as FileOptions::precompressed
  bool development = false;                                       // url() notices changes of files
  bool follow_symlinks = true;                                    // as FileOptions::follow_symlinks
  std::size_t cache_bytes_max = 16 * 1024 * 1024;                 // as FileOptions::cache_bytes_max
  std::size_t bytes_max = std::size_t{64} * 1024 * 1024;          // of one file; it is read into memory to be hashed
  std::vector<std::pair<std::string, std::string>> headers = {};  // as FileOptions::headers
};

namespace web {
class AssetFolder;
}  // namespace web

class Assets {
 public:
  // `prefix` is the path of the route, without the `/{file...}` at its end.
  Assets(std::string prefix, const std::string& directory, AssetOptions options = {});

  // Returns the address of a file, "css/app.css", with its hash.
  [[nodiscard]] TrustedUrl url(std::string_view name) const;

  // Serves a request; the handler of the route.
  Task<Response> operator()(Request& request) const;

 private:
  std::shared_ptr<web::AssetFolder> folder_;
};

}  // namespace volt::http
