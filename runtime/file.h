// File: a file's bytes, read and written without keeping a worker waiting.
//
//   Result<File> file = co_await File::open("data.bin");
//   const Result<std::size_t> count = co_await file->read_at(0, buffer);
//
// What the page cache has is read at once. Else io_uring does it where that is the engine, and a thread of the blocking
// pool where it is not; so do opening, and the functions below, on either engine.
//
// Threads: any number of tasks may read and write one file at once, each at offsets of its own.
// Lifetime: closes the file when it goes, which may block on a network's file system. Outlives what was begun on it.
// Cancellation: what is under way is awaited to its end, and its outcome given; the next await throws Cancelled.
// Memory: read_at() allocates nothing. Errors: everywhere also resource_unavailable_try_again, if the blocking pool is
// full, and invalid_argument for a path with a NUL in it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/file_descriptor.h"
#include "runtime/fs/file_transfer.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt {

enum class FileKind : std::uint8_t { regular, directory, link, other };

struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint64_t size_bytes = 0;
  std::chrono::sys_time<std::chrono::nanoseconds> modified;
  mode_t permissions = 0;  // the lowest 12 bits of st_mode
  std::uint64_t inode = 0;
};

struct OpenOptions {
  bool read = true;
  bool write = false;
  bool create = false;        // if there is none
  bool exclusive = false;     // with create: an error if there is one
  bool truncate = false;      // with write: to nothing
  mode_t permissions = 0644;  // of one that is created, less the umask
};

class File {
 public:
  // Never waits for the other end of a FIFO: what is no regular file is left non-blocking. Errors: as of open(2).
  [[nodiscard]] static Task<Result<File>> open(std::string path, OpenOptions options = {});

  // Bytes read, from `offset` on; fewer than asked for where the file ends, or where the cache has no more of it; 0:
  // the file ends before `offset`. Errors: as of pread(2).
  [[nodiscard]] fs::FileTransfer read_at(std::uint64_t offset, std::span<std::byte> into) const noexcept;
  // The same until `into` is full or the file ends.
  [[nodiscard]] Task<Result<std::size_t>> read_all_at(std::uint64_t offset, std::span<std::byte> into) const;
  // Write everything. Errors: as of pwrite(2), and then a part may be written.
  [[nodiscard]] Task<Result<void>> write_at(std::uint64_t offset, std::span<const std::byte> from);
  [[nodiscard]] Task<Result<void>> append(std::span<const std::byte> from);  // behind the end, wherever that is by then

  // What was written survives a crash of the machine: with the file's times, or only what is needed to read it back.
  // Errors: as of fsync(2). After one of them the cache may have forgotten what was not written: write it again.
  [[nodiscard]] Task<Result<void>> sync();
  [[nodiscard]] Task<Result<void>> sync_data();

  [[nodiscard]] Task<Result<FileStatus>> status() const;              // errors: as of fstat(2)
  [[nodiscard]] Task<Result<void>> resize(std::uint64_t size_bytes);  // errors: as of ftruncate(2)

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  File(FileDescriptor fd, bool answers_from_cache) noexcept
      : fd_(std::move(fd)), answers_from_cache_(answers_from_cache) {}
  static Result<File> open_now(const std::string& path, const OpenOptions& options);

  FileDescriptor fd_;
  bool answers_from_cache_;  // its file system knows RWF_NOWAIT
};

// Of what a link leads to. Errors: as of stat(2).
[[nodiscard]] Task<Result<FileStatus>> file_status(std::string path);

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::other;  // a link is one, wherever it leads
};

// But for "." and "..", sorted by name. Errors: as of opendir(3); value_too_large if there are more than `entries_max`.
[[nodiscard]] Task<Result<std::vector<DirectoryEntry>>> list_directory(std::string path,
                                                                       std::size_t entries_max = 100'000);

// Replaces what is at `to`. Errors: as of rename(2).
[[nodiscard]] Task<Result<void>> rename_file(std::string from, std::string to);
// Not of directories. Errors: as of unlink(2).
[[nodiscard]] Task<Result<void>> remove_file(std::string path);
// Errors: as of mkdir(2) and rmdir(2).
[[nodiscard]] Task<Result<void>> make_directory(std::string path, mode_t permissions = 0755);
[[nodiscard]] Task<Result<void>> remove_directory(std::string path);

}  // namespace volt
