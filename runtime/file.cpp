// SPDX-License-Identifier: MIT

#include "runtime/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "runtime/internal/on_pool.h"

namespace volt {
namespace {

using io::FileOperation;

// Rejects a path with a NUL, which the kernel would cut at the NUL.
bool is_path(std::string_view text) noexcept { return !text.contains('\0'); }

int refuse_path() noexcept {
  errno = EINVAL;
  return -1;
}

int open_flags(const OpenOptions& options) noexcept {
  const int access = options.read ? (options.write ? O_RDWR : O_RDONLY) : O_WRONLY;
  return access | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (options.create ? O_CREAT : 0) |
         (options.exclusive ? O_EXCL : 0) | (options.truncate ? O_TRUNC : 0);
}

FileKind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::directory;
  return S_ISLNK(mode) ? FileKind::link : FileKind::other;
}

FileKind kind_of(const dirent& entry, int directory) noexcept {
  if (entry.d_type != DT_UNKNOWN) return kind_of(DTTOIF(entry.d_type));
  struct stat status{};
  if (::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return FileKind::other;
  return kind_of(status.st_mode);
}

FileStatus to_status(const struct stat& status) noexcept {
  const auto since_epoch =
      std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return FileStatus{.kind = kind_of(status.st_mode),
                    .size_bytes = static_cast<std::uint64_t>(status.st_size),
                    .modified = std::chrono::sys_time<std::chrono::nanoseconds>(since_epoch),
                    .permissions = status.st_mode & 07777,
                    .inode = status.st_ino};
}

// Returns whether the file system supports RWF_NOWAIT, that is, whether a read that would block fails with EAGAIN. Some
// file systems do not support it.
bool answers_from_cache(int fd) noexcept {
  char byte = 0;
  const iovec buffer{&byte, 1};
  return ::preadv2(fd, &buffer, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN;
}

Result<std::vector<DirectoryEntry>> read_directory(const std::string& path, std::size_t entries_max) {
  if (!is_path(path)) return error(std::errc::invalid_argument);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return system_error(errno);
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    if (entries.size() == entries_max) return error(std::errc::value_too_large);
    entries.emplace_back(std::string(name), kind_of(*entry, ::dirfd(directory.get())));
  }
  if (errno != 0) return system_error(errno);
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

// The cast removes const, because FileOperation has one buffer pointer for both reads and writes.
void* read_only(std::span<const std::byte> bytes) noexcept { return const_cast<std::byte*>(bytes.data()); }

Task<Result<void>> write_everything(FileOperation operation) {
  while (operation.size_bytes != 0) {
    const Result<std::size_t> count = co_await fs::FileTransfer(operation, false);
    if (!count && count.error() == std::errc::interrupted) continue;
    if (!count) co_return std::unexpected(count.error());
    operation.buffer = static_cast<std::byte*>(operation.buffer) + *count;
    operation.size_bytes -= *count;
    operation.offset += *count;
  }
  co_return Result<void>{};
}

Task<Result<void>> sync_file(FileOperation operation) {
  const Result<std::size_t> done = co_await fs::FileTransfer(operation, false);
  if (!done) co_return std::unexpected(done.error());
  co_return Result<void>{};
}

}  // namespace

Result<File> File::open_now(const std::string& path, const OpenOptions& options) {
  if (!is_path(path)) return error(std::errc::invalid_argument);
  FileDescriptor fd(::open(path.c_str(), open_flags(options), options.permissions));
  if (!fd) return system_error(errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return system_error(errno);
  if (!S_ISREG(status.st_mode)) return File(std::move(fd), false);
  // Clears O_NONBLOCK, which only files that are not regular need. With O_NONBLOCK, io_uring returns EAGAIN for a page
  // that is not cached.
  if (::fcntl(fd.get(), F_SETFL, 0) != 0) return system_error(errno);
  const bool cached = options.read && answers_from_cache(fd.get());
  return File(std::move(fd), cached);
}

Task<Result<File>> File::open(std::string path, OpenOptions options) {
  co_return co_await fs::on_pool([&] { return open_now(path, options); });
}

fs::FileTransfer File::read_at(std::uint64_t offset, std::span<std::byte> into) const noexcept {
  return {{.kind = FileOperation::Kind::read,
           .fd = fd(),
           .buffer = into.data(),
           .size_bytes = into.size(),
           .offset = offset},
          answers_from_cache_};
}

Task<Result<std::size_t>> File::read_all_at(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done != into.size()) {
    const Result<std::size_t> count = co_await read_at(offset + done, into.subspan(done));
    if (!count && count.error() == std::errc::interrupted) continue;
    if (!count) co_return count;
    if (*count == 0) break;
    done += *count;
  }
  co_return done;
}

Task<Result<void>> File::write_at(std::uint64_t offset, std::span<const std::byte> from) {
  return write_everything({.kind = FileOperation::Kind::write,
                           .fd = fd(),
                           .buffer = read_only(from),
                           .size_bytes = from.size(),
                           .offset = offset});
}

Task<Result<void>> File::append(std::span<const std::byte> from) {
  return write_everything(
      {.kind = FileOperation::Kind::append, .fd = fd(), .buffer = read_only(from), .size_bytes = from.size()});
}

Task<Result<void>> File::sync() { return sync_file({.kind = FileOperation::Kind::sync, .fd = fd()}); }

Task<Result<void>> File::sync_data() { return sync_file({.kind = FileOperation::Kind::sync_data, .fd = fd()}); }

Task<Result<FileStatus>> File::status() const {
  return fs::on_pool([fd = fd()]() -> Result<FileStatus> {
    struct stat status{};
    if (::fstat(fd, &status) != 0) return system_error(errno);
    return to_status(status);
  });
}

Task<Result<void>> File::resize(std::uint64_t size_bytes) {
  return fs::call_on_pool([fd = fd(), size_bytes] { return ::ftruncate(fd, static_cast<off_t>(size_bytes)); });
}

Task<Result<FileStatus>> file_status(std::string path) {
  return fs::on_pool([path = std::move(path)]() -> Result<FileStatus> {
    struct stat status{};
    if ((is_path(path) ? ::stat(path.c_str(), &status) : refuse_path()) != 0) return system_error(errno);
    return to_status(status);
  });
}

Task<Result<std::vector<DirectoryEntry>>> list_directory(std::string path, std::size_t entries_max) {
  return fs::on_pool([path = std::move(path), entries_max] { return read_directory(path, entries_max); });
}

Task<Result<void>> rename_file(std::string from, std::string to) {
  return fs::call_on_pool([from = std::move(from), to = std::move(to)] {
    return is_path(from) && is_path(to) ? ::rename(from.c_str(), to.c_str()) : refuse_path();
  });
}

Task<Result<void>> remove_file(std::string path) {
  return fs::call_on_pool([path = std::move(path)] { return is_path(path) ? ::unlink(path.c_str()) : refuse_path(); });
}

Task<Result<void>> make_directory(std::string path, mode_t permissions) {
  return fs::call_on_pool([path = std::move(path), permissions] {
    return is_path(path) ? ::mkdir(path.c_str(), permissions) : refuse_path();
  });
}

Task<Result<void>> remove_directory(std::string path) {
  return fs::call_on_pool([path = std::move(path)] { return is_path(path) ? ::rmdir(path.c_str()) : refuse_path(); });
}

}  // namespace volt
