// OpenFile: a regular file that is open for reading, or why there is none.
//
// Threads: functions of their arguments. They wait as long as the file system does.
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

// What it was when it was opened. It may shrink after that: who sends it owes as many bytes as the metadata say, and ends
// the connection if they do not come.
struct OpenFile {
  FileDescriptor descriptor;
  FileMetadata metadata;
};

enum class FileError : std::uint8_t {
  not_found,    // nothing there, or nothing that is served: hidden, no regular file, led out of the directory
  lacks_slash,  // a directory with an index, asked for without its slash: see location_with_slash()
  forbidden,    // the file system's permissions
  overloaded,   // no descriptor or memory left, or renames without end
  failed,       // the file system
  would_block,  // only with Waiting::refused: ask again where waiting is allowed
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

// Of open(2) and openat2(2).
FileError file_error(const std::error_code& code) noexcept;

// A descriptor that was opened with O_NONBLOCK. Errors: lacks_slash for any directory, not_found for what is no regular
// file, failed.
std::expected<OpenFile, FileError> take_regular(FileDescriptor descriptor, std::string_view coding);

// A path of the program's own choosing: relative to the current directory, wherever its links lead; with its media
// type. Errors: not_found, also for directories; forbidden, overloaded, failed.
std::expected<OpenFile, FileError> open_path(const std::string& path);

}  // namespace volt::http::files
