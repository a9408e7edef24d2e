// SPDX-License-Identifier: MIT

// Multipart: reads a form with files (multipart/form-data, RFC 7578), part by part as it arrives.
//
//   Task<Saved> upload(Multipart form) {
//     while (auto part = co_await form.next()) {
//       if (part->file_name()) co_await part->save_to("uploads/" + random_name(), 100_MiB);
//       else title = co_await part->text(200);
//     }
//   }
//
// next() skips the content of a part that has not been read.
//
// Threads: used by the request's task. Lifetime: valid until the handler has returned; a part until the following call
// of next().
// Errors: Problems: 415 for another type of body, 400 for a malformed body, 413 beyond a limit; and the exceptions of
// BodySource. File operations throw std::system_error with the errors of open(2) and write(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/multipart/multipart_limits.h"
#include "http/multipart/spooled.h"
#include "http/web/argument.h"
#include "http/web/request.h"
#include "runtime/task.h"

namespace volt::http {

using multipart::MultipartLimits;

namespace multipart {
class MultipartReader;
}

class Part {
 public:
  explicit Part(multipart::MultipartReader& reader) noexcept : reader_(&reader) {}

  [[nodiscard]] const std::string& name() const noexcept;
  // The file name that the client sent: untrusted, and not to be used as a path. Empty text if a file input was left
  // empty; nullopt if the part is not a file.
  [[nodiscard]] const std::optional<std::string>& file_name() const noexcept;
  // Returns the client's file name, changed so that a file of this name can safely be created in a directory
  // (http/multipart/internal/file_name.h). Returns "file" if no part of the client's name is usable. A file of the
  // returned name may exist already.
  [[nodiscard]] std::string safe_file_name() const;
  // The content type that the client sent; "text/plain" if it sent none.
  [[nodiscard]] std::string_view content_type() const noexcept;
  // All header fields of the part.
  [[nodiscard]] Fields headers() const noexcept;

  // Reads the next piece of the content; empty at its end. Valid until the next call.
  [[nodiscard]] Task<std::optional<std::string_view>> read();
  // Reads the rest of the content. Throws a Problem (413) if it is larger than `bytes_max`.
  [[nodiscard]] Task<std::string> text(std::size_t bytes_max = 64 * 1024);
  // Writes the rest of the content to a new file with mode 0600, on the blocking pool, and returns its size in bytes.
  // If the file exists already, or if it is a link, throws std::system_error (file_exists). If writing fails, removes
  // the file. Does not sync the file to disk. Throws a Problem (413) if the content is larger than `bytes_max`.
  [[nodiscard]] Task<std::uint64_t> save_to(std::string path, std::uint64_t bytes_max);
  // Stores the rest of the content: small content in memory, larger content in an unnamed file.
  [[nodiscard]] Task<Spooled> spool(SpoolOptions options = {});

 private:
  multipart::MultipartReader* reader_;
};

class Multipart {
 public:
  // Throws a Problem: 415 if the body is not multipart/form-data, 400 if its boundary is malformed.
  explicit Multipart(Request& request);
  Multipart(Multipart&&) noexcept;
  Multipart& operator=(Multipart&&) noexcept;
  ~Multipart();

  // Sets limits. `body_bytes_max`, if set, also replaces the server's limit for the size of the body. Must be called
  // before next().
  Multipart& limits(const MultipartLimits& limits);

  // The next part; nullopt after the last part.
  [[nodiscard]] Task<std::optional<Part>> next();

 private:
  std::unique_ptr<multipart::MultipartReader> reader_;
};

template <>
struct Extract<Multipart> {
  static constexpr bool kIsBody = true;
  static constexpr BodyUse kBody = BodyUse::streamed;
  static Multipart from(Request& request) { return Multipart(request); }
  static void describe(openapi::Operation& operation) {
    operation.body("multipart/form-data", openapi::plain_schema("object"));
    operation.refusals({Status::bad_request, Status::unsupported_media_type});
  }
};

}  // namespace volt::http
