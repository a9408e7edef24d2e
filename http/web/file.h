// File: a file as a handler's result.
//
//   app.get("/report", [] { return http::File("report.pdf"); });
//   return http::File("exports/7.csv").download_as("Übersicht.csv").max_age(1h);
//
// The path is the program's own: relative to the current directory, and followed wherever its links lead. What a client
// names is for Group::files(), which keeps it in its directory. Where there is no such file, or no regular one: 404.
// Conditions and ranges are answered (RFC 9110 sections 13 and 14) where the request is GET or HEAD.
//
// Threads: a value. It is opened when it becomes the answer, by the handler's worker, which waits for the file system:
// on slow storage, open it first where waiting is allowed:
//
//   auto opening = http::File::open(path);
//   http::File report = co_await std::move(opening);
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http {

class File {
 public:
  explicit File(std::string path);
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  // Opened by a thread that may block. A file that is missing is told when it becomes the answer.
  [[nodiscard]] static Task<File> open(std::string path);

  // Content-Disposition: attachment, under that name (RFC 6266); UTF-8. Of a path, the last part.
  File& download_as(std::string_view name) &;
  File&& download_as(std::string_view name) && { return std::move(download_as(name)); }
  // Instead of what the path's extension says.
  File& content_type(std::string type) &;
  File&& content_type(std::string type) && { return std::move(content_type(std::move(type))); }
  // How long caches may use it without asking; they always ask without it.
  File& max_age(std::chrono::seconds age) & noexcept;
  File&& max_age(std::chrono::seconds age) && noexcept { return std::move(max_age(age)); }

  // Throws std::invalid_argument for a content type that is no field's value.
  Response into_response(const Request& request) &&;

 private:
  struct Opened;

  std::string path_;
  std::string disposition_;   // empty: none
  std::string content_type_;  // empty: by the extension
  std::chrono::seconds max_age_{0};
  std::unique_ptr<Opened> opened_;
};

}  // namespace volt::http
