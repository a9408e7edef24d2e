// SPDX-License-Identifier: MIT

// Directory: a directory whose files are served. It is opened once: renaming or replacing the directory later does not
// change the files that are served.
//
// Threads: const members may be called from several threads at once. They block as long as the file system does.
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
  // Errors: those of open(2): no_such_file_or_directory, not_a_directory, permission_denied.
  static Result<Directory> open(const std::string& path, FileOptions options = {});

  // Opens a file. `escaped` is the part of the request's path after the prefix and its slash; see parse_file_path().
  // `codings` are the content codings that the client accepts, best first, each once.
  //
  // With FileOptions::precompressed, a sibling such as `x.js.br` is opened instead of the file. The first coding is
  // used whose sibling exists and is not older than the file. Codings after "identity" are ignored. Without such a
  // sibling, the file itself is opened, even if the client does not accept unencoded content (RFC 9110 section 12.5.3
  // allows this).
  //
  // With `Waiting::refused`, fails with FileError::would_block if the result is not in the kernel's caches.
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
