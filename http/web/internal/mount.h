// Mount: a directory at a place of the app, as Group::files() makes it.
//
// Threads: any, many at a time. Lifetime: outlives the requests that it answers.
#pragma once

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
  // Throws std::system_error where the directory cannot be opened, std::invalid_argument for options that contradict
  // themselves.
  Mount(const std::string& directory, FileOptions options);

  // To GET and HEAD on a route whose last parameter is the path below the mount. Files that are in the kernel's caches,
  // or in ours, are answered at once; for others a thread that may block opens them.
  [[nodiscard]] Task<Response> serve(Request& request);

 private:
  struct Wanted {
    std::string_view escaped;
    std::vector<std::string_view> codings;
    std::string key;  // of the cache
  };
  using Found = std::expected<files::SharedFile, files::FileError>;

  [[nodiscard]] Wanted wanted_by(Request& request) const;
  [[nodiscard]] Found load(const Wanted& wanted, files::Waiting waiting) const;
  [[nodiscard]] Task<Found> load_later(const Wanted& wanted) const;
  void remember(const Wanted& wanted, const Found& found);
  [[nodiscard]] Response respond(const Request& request, const Found& found) const;

  const files::Directory directory_;
  const files::FilePolicy policy_;
  files::FileCache cache_;
};

// What a mount without its slash is answered: 301 to the same with it.
[[nodiscard]] Response redirect_to_mount(const Request& request);

}  // namespace volt::http::web
