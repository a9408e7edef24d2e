// SPDX-License-Identifier: MIT

// OpenFile: a regular file that is open for reading, or the error of opening it.
//
// Threads: any; the functions depend on their arguments only. They block as long as the file system does.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <system_error>

#include "http/files/internal/file_metadata.h"
#include "http/message/status.h"
#include "runtime/file_descriptor.h"

namespace volt::http::files {

// A file with its metadata at the time of opening. The file may shrink later. The sender must send as many bytes as the
// metadata state; if they cannot be read, it must close the connection.
struct OpenFile {
  FileDescriptor descriptor;
  FileMetadata metadata;
};

enum class FileError : std::uint8_t {
  not_found,    // no such file, or not served: hidden, not a regular file, outside the directory
  lacks_slash,  // a directory with an index, requested without its slash: see location_with_slash()
  forbidden,    // denied by the file system's permissions
  overloaded,   // out of descriptors or memory, or disturbed by too many renames
  failed,       // other error of the file system
  would_block,  // only with Waiting::refused: repeat the call where waiting is allowed
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
    case FileError::would_block:
      return Status::service_unavailable;
    case FileError::failed:
      return Status::internal_server_error;
  }
  return Status::internal_server_error;
}

// Returns the FileError for an error of open(2) or openat2(2).
FileError file_error(const std::error_code& code) noexcept;

// Makes an OpenFile of a descriptor that was opened with O_NONBLOCK. Errors: lacks_slash for any directory, not_found
// for other files that are not regular, failed.
std::expected<OpenFile, FileError> take_regular(FileDescriptor descriptor, std::string_view coding);

// Opens a path that the program chose, not a client. The path is relative to the current directory, and links are
// followed anywhere. The media type is set from the name. Errors: not_found (also for directories), forbidden,
// overloaded, failed.
std::expected<OpenFile, FileError> open_path(const std::string& path);

}  // namespace volt::http::files
