// SPDX-License-Identifier: MIT

#include "http/multipart/internal/new_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace volt::http::multipart {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

Result<FileDescriptor> open_unlinked(const std::string& directory) {
  std::string path = directory + "/volt-XXXXXX";
  FileDescriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (file.get() < 0) return system_error(errno);
  if (::unlink(path.c_str()) != 0) return system_error(errno);
  return file;
}

}  // namespace

NewFile::~NewFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<void> NewFile::create(std::string path) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly));
  if (file.get() < 0) return system_error(errno);
  file_ = std::move(file);
  path_ = std::move(path);
  return {};
}

Result<void> NewFile::create_nameless(const std::string& directory) {
  // With O_EXCL, the file cannot be given a name later.
  FileDescriptor file(::open(directory.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (file.get() < 0) {
    // These errors mean that the file system or the kernel does not support O_TMPFILE (open(2)).
    if (errno != EOPNOTSUPP && errno != EISDIR) return system_error(errno);
    auto unlinked = open_unlinked(directory);
    if (!unlinked) return std::unexpected(unlinked.error());
    file = *std::move(unlinked);
  }
  file_ = std::move(file);
  return {};
}

Result<void> NewFile::append(std::string_view data) {
  while (!data.empty()) {
    const ssize_t count = ::write(file_.get(), data.data(), data.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno);
    data.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::size_t> NewFile::read(std::uint64_t offset, std::span<char> into) const {
  std::size_t size = 0;
  while (size < into.size()) {
    const ssize_t count =
        ::pread(file_.get(), into.data() + size, into.size() - size, static_cast<off_t>(offset + size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  return size;
}

// Checks the result of close(2), because it is the last call that can report a failed write. The descriptor is released
// even if close(2) fails.
Result<void> NewFile::keep() {
  if (::close(file_.release()) != 0 && errno != EINTR) return system_error(errno);
  path_.clear();
  return {};
}

}  // namespace volt::http::multipart
