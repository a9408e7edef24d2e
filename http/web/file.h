// SPDX-License-Identifier: MIT

// File: a file as the result of a handler.
//
//   app.get("/report", [] { return http::File("report.pdf"); });
//   return http::File("exports/7.csv").download_as("Übersicht.csv").max_age(1h);
//
// The path is chosen by the program, not by a client: it is relative to the current directory, and symbolic links are
// followed. For paths that clients name use Group::files(), which confines them to a directory. If there is no such
// file, or it is not a regular file, the response is 404. Conditions and ranges (RFC 9110 sections 13 and 14) are
// evaluated for GET and HEAD requests.
//
// Threads: a value. The file is opened when the File is converted to the response. This happens on the handler's
// worker, which is blocked until the file system responds. On slow storage, call open() first, which opens the file on
// a thread that may block:
//
//   http::File report = co_await http::File::open(path);
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

  // Opens the file on a thread that may block. An error, such as a missing file, is reported when the File becomes the
  // response.
  [[nodiscard]] static Task<File> open(std::string path);

  // Sets Content-Disposition: attachment with this file name in UTF-8 (RFC 6266). If the name is a path, only its last
  // part is used.
  File& download_as(std::string_view name) &;
  File&& download_as(std::string_view name) && { return std::move(download_as(name)); }
  // Sets the content type, which by default follows from the path's extension.
  File& content_type(std::string type) &;
  File&& content_type(std::string type) && { return std::move(content_type(std::move(type))); }
  // Sets how long caches may use the file without revalidation; by default they must always revalidate.
  File& max_age(std::chrono::seconds age) & noexcept;
  File&& max_age(std::chrono::seconds age) && noexcept { return std::move(max_age(age)); }

  // Makes the response. Throws std::invalid_argument if the content type is not a valid field value.
  Response into_response(const Request& request) &&;

 private:
  struct Opened;

  std::string path_;
  std::string disposition_;   // Empty: no Content-Disposition field.
  std::string content_type_;  // Empty: determined by the path's extension.
  std::chrono::seconds max_age_{0};
  std::unique_ptr<Opened> opened_;
};

}  // namespace volt::http
