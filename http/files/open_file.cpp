// SPDX-License-Identifier: MIT

#include "http/files/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "http/files/internal/media_type.h"

namespace volt::http::files {
namespace {

// Clamps the time to the range of nanoseconds in 64 bits, the years 1684 to 2255.
FileTime file_time(const timespec& time) noexcept {
  constexpr std::int64_t kSecondsMax = 9'000'000'000;
  const auto seconds = std::clamp<std::int64_t>(time.tv_sec, -kSecondsMax, kSecondsMax);
  return FileTime(std::chrono::seconds(seconds) + std::chrono::nanoseconds(time.tv_nsec));
}

FileMetadata metadata_of(const struct stat& status, std::string_view coding) {
  FileMetadata metadata{.size_bytes = static_cast<std::uint64_t>(status.st_size),
                        .modified = file_time(status.st_mtim)};
  metadata.etag = make_etag(metadata.size_bytes, metadata.modified, status.st_ino, coding);
  metadata.coding = coding;
  return metadata;
}

}  // namespace

FileError file_error(const std::error_code& code) noexcept {
  switch (code.value()) {
    case EACCES:
    case EPERM:
      return FileError::forbidden;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case EINTR:
      return FileError::overloaded;
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:  // a refused link, or a cycle of links
    case EXDEV:  // the path led out of the directory
    case ENXIO:  // a socket
    case ENODEV:
      return FileError::not_found;
    default:
      return FileError::failed;
  }
}

std::expected<OpenFile, FileError> take_regular(FileDescriptor descriptor, std::string_view coding) {
  struct stat status;
  if (::fstat(descriptor.get(), &status) != 0) return std::unexpected(FileError::failed);
  if (S_ISDIR(status.st_mode)) return std::unexpected(FileError::lacks_slash);
  if (!S_ISREG(status.st_mode)) return std::unexpected(FileError::not_found);
  // Removes O_NONBLOCK, which was needed for opening only. With it, io_uring would fail with EAGAIN when it reads a
  // page that is not cached.
  if (::fcntl(descriptor.get(), F_SETFL, 0) != 0) return std::unexpected(FileError::failed);
  return OpenFile{std::move(descriptor), metadata_of(status, coding)};
}

std::expected<OpenFile, FileError> open_path(const std::string& path) {
  if (path.contains('\0')) return std::unexpected(FileError::not_found);
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return std::unexpected(file_error({errno, std::system_category()}));
  auto file = take_regular(FileDescriptor(fd), {});
  if (!file && file.error() == FileError::lacks_slash) return std::unexpected(FileError::not_found);
  if (file) file->metadata.media_type = media_type(path);
  return file;
}

}  // namespace volt::http::files
