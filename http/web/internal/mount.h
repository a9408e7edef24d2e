// SPDX-License-Identifier: MIT

// Mount: a directory that Group::files() serves below a prefix.
//
// Threads: used by any thread, many at a time. Lifetime: must outlive the requests that it serves.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "http/files/directory.h"
#include "http/files/file_cache.h"
#include "http/files/file_options.h"
#include "http/files/file_plan.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http::web {

class Mount {
 public:
  // Throws std::system_error if the directory cannot be opened, and std::invalid_argument for contradictory options.
  Mount(const std::string& directory, FileOptions options);

  // Serves a GET or HEAD request on a route whose last parameter is the path below the mount. Files in the page cache
  // or in this mount's cache are served at once; other files are opened on a thread that may block.
  [[nodiscard]] Task<Response> serve(Request& request);

  using Found = std::expected<files::SharedFile, files::FileError>;

  // The two halves of serve(), for a file that is not named by the request's path. `escaped` must outlive the task.
  [[nodiscard]] Task<Found> find(const Request& request, std::string_view escaped);
  [[nodiscard]] Response respond(const Request& request, const Found& found) const;

 private:
  struct Wanted {
    std::string_view escaped;
    std::vector<std::string_view> codings;
    std::string key;  // Key in the cache.
  };

  [[nodiscard]] Wanted wanted_by(const Request& request, std::string_view escaped) const;
  [[nodiscard]] Found load(const Wanted& wanted, files::Waiting waiting) const;
  [[nodiscard]] Task<Found> load_later(const Wanted& wanted) const;
  // Loads the file, on a thread that may block if need be, and stores it in the cache.
  [[nodiscard]] Task<Found> load_anew(const Wanted& wanted);
  void remember(const Wanted& wanted, const Found& found);

  const files::Directory directory_;
  const files::FilePolicy policy_;
  files::FileCache cache_;
};

// Returns the redirect (301) for a request whose path is that of the mount without the final slash. It leads to the
// path with the slash.
[[nodiscard]] Response redirect_to_mount(const Request& request);

}  // namespace volt::http::web
