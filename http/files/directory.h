// Directory: a directory whose files are served. It is opened once: renaming it, or putting another in its place, does
// not change what is served.
//
// Threads: const members may be called from several at once. They wait as long as the file system does.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "http/file_options.h"
#include "http/files/file_descriptor.h"
#include "http/files/file_facts.h"
#include "http/status.h"
#include "runtime/result.h"

namespace volt::http::files {

// A regular file, open for reading, and what it was when it was opened. It may shrink after that: who sends it owes as
// many bytes as the facts say, and ends the connection if they do not come.
struct OpenFile {
  FileDescriptor descriptor;
  FileFacts facts;
};

enum class FileError : std::uint8_t {
  not_found,    // nothing there, or nothing that is served: hidden, no regular file, led out of the directory
  lacks_slash,  // a directory with an index, asked for without its slash: see location_with_slash()
  forbidden,    // the file system's permissions
  overloaded,   // no descriptor or memory left, or renames without end
  failed,       // the file system
};

constexpr Status status_for(FileError error) noexcept {
  switch (error) {
    case FileError::not_found:
      return Status::not_found;
    case FileError::lacks_slash:
      return Status::moved_permanently;
    case FileError::forbidden:
      return Status::forbidden;
    case FileError::overloaded:
      return Status::service_unavailable;
    case FileError::failed:
      return Status::internal_server_error;
  }
  return Status::internal_server_error;
}

class Directory {
 public:
  // Errors: as of open(2): no_such_file_or_directory, not_a_directory, permission_denied.
  static Result<Directory> open(const std::string& path, FileOptions options = {});

  // `escaped`: what follows the prefix and its slash in the request's path, see parse_file_path(). `codings`: content
  // codings that the client takes, best first, each once; with FileOptions::precompressed the first whose sibling
  // exists and is not older than the file is sent instead of it. What follows "identity" is not looked at. Without a
  // match the file goes as it is, even to a client that refuses that (RFC 9110 section 12.5.3 allows it).
  std::expected<OpenFile, FileError> open_file(std::string_view escaped,
                                               std::span<const std::string_view> codings = {}) const;

  const FileOptions& options() const noexcept { return options_; }

 private:
  Directory(FileDescriptor descriptor, FileOptions options) noexcept
      : descriptor_(std::move(descriptor)), options_(std::move(options)) {}

  std::expected<OpenFile, FileError> open_regular(const std::string& relative, std::string_view coding) const;
  OpenFile best_coding(const std::string& relative, OpenFile original, std::span<const std::string_view> codings) const;

  FileDescriptor descriptor_;
  FileOptions options_;
};

}  // namespace volt::http::files
