// Directory: a directory whose files are served. It is opened once: renaming it, or putting another in its place, does
// not change what is served.
//
// Threads: const members may be called from several at once. They wait as long as the file system does.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "http/files/file_options.h"
#include "http/files/internal/beneath.h"
#include "http/files/open_file.h"
#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::http::files {

class Directory {
 public:
  // Errors: as of open(2): no_such_file_or_directory, not_a_directory, permission_denied.
  static Result<Directory> open(const std::string& path, FileOptions options = {});

  // `escaped`: what follows the prefix and its slash in the request's path, see parse_file_path(). `codings`: content
  // codings that the client takes, best first, each once; with FileOptions::precompressed the first whose sibling
  // exists and is not older than the file is sent instead of it. What follows "identity" is not looked at. Without a
  // match the file goes as it is, even to a client that refuses that (RFC 9110 section 12.5.3 allows it).
  // `Waiting::refused`: FileError::would_block where the answer is not in the kernel's caches.
  std::expected<OpenFile, FileError> open_file(std::string_view escaped, std::span<const std::string_view> codings = {},
                                               Waiting waiting = Waiting::allowed) const;

  const FileOptions& options() const noexcept { return options_; }

 private:
  Directory(FileDescriptor descriptor, FileOptions options) noexcept
      : descriptor_(std::move(descriptor)), options_(std::move(options)) {}

  std::expected<OpenFile, FileError> open_regular(const std::string& relative, std::string_view coding,
                                                  Waiting waiting) const;
  std::expected<OpenFile, FileError> best_coding(const std::string& relative, OpenFile original,
                                                 std::span<const std::string_view> codings, Waiting waiting) const;

  FileDescriptor descriptor_;
  FileOptions options_;
};

}  // namespace volt::http::files
