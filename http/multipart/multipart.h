// Multipart: a form with files (multipart/form-data, RFC 7578), part by part as it comes.
//
//   Task<Saved> upload(Multipart form) {
//     while (auto part = co_await form.next()) {
//       if (part->file_name()) co_await part->save_to("uploads/" + random_name(), 100_MiB);
//       else title = co_await part->text(200);
//     }
//   }
//
// What of a part has not been read is skipped by next().
//
// Threads: used by the request's task. Lifetime: until the handler has returned; parts until the next call of next().
// Errors: Problems: 415 for another type of body, 400 for a malformed one, 413 for what is beyond a limit; and what
// BodySource throws. Files: std::system_error, as of open(2) and write(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/multipart/internal/multipart_limits.h"
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
  // As the client says: not to be trusted, and no path. Empty where the file input was left so; none if it is no file.
  [[nodiscard]] const std::optional<std::string>& file_name() const noexcept;
  // The same, fit to be a file's name in a folder of ours (http/multipart/internal/file_name.h); "file" if nothing is left of it.
  // It may be the name of a file that is there already.
  [[nodiscard]] std::string safe_file_name() const;
  // As the client says; "text/plain" if it does not.
  [[nodiscard]] std::string_view content_type() const noexcept;
  // All fields of the part's head.
  [[nodiscard]] Fields headers() const noexcept;

  // The next piece of the content, empty at its end. Valid until the next call.
  [[nodiscard]] Task<std::optional<std::string_view>> read();
  // What is still to be read, if it is no more than that.
  [[nodiscard]] Task<std::string> text(std::size_t bytes_max = 64 * 1024);
  // Writes what is still to be read into a new file, of mode 0600, on the pool for what blocks; returns its size. Never
  // replaces a file nor follows a link (file_exists), and leaves nothing behind where it fails. Not synced to the disk.
  [[nodiscard]] Task<std::uint64_t> save_to(std::string path, std::uint64_t bytes_max);
  // Keeps what is still to be read: small content in memory, larger in a file without a name.
  [[nodiscard]] Task<Spooled> spool(SpoolOptions options = {});

 private:
  multipart::MultipartReader* reader_;
};

class Multipart {
 public:
  // Throws a Problem: 415 if the body is no form of that kind, 400 if its boundary is malformed.
  explicit Multipart(Request& request);
  Multipart(Multipart&&) noexcept;
  Multipart& operator=(Multipart&&) noexcept;
  ~Multipart();

  // Before the first part: other limits, in place of the server's for a body's size too.
  Multipart& limits(const MultipartLimits& limits);

  // The next part; none behind the last.
  [[nodiscard]] Task<std::optional<Part>> next();

 private:
  std::unique_ptr<multipart::MultipartReader> reader_;
};

template <>
struct Extract<Multipart> {
  static constexpr BodyUse kBody = BodyUse::streamed;
  static Multipart from(Request& request) { return Multipart(request); }
  static void describe(openapi::Operation& operation) {
    operation.body("multipart/form-data", openapi::plain_schema("object"));
    operation.refusals({Status::bad_request, Status::unsupported_media_type});
  }
};

}  // namespace volt::http
