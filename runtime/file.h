// SPDX-License-Identifier: MIT

// File: reads and writes a file without blocking a worker.
//
//   Result<File> file = co_await File::open("data.bin");
//   const Result<std::size_t> count = co_await file->read_at(0, buffer);
//
// A read that the page cache can serve completes at once. Other transfers run on io_uring if it is the engine, and
// otherwise on a thread of the blocking pool. Opening a file, and the functions below the class, use the blocking pool
// with either engine.
//
// Threads: any number of tasks may read and write one file at once, each at its own offsets.
// Lifetime: the destructor closes the file, which may block on a network file system. The File must outlive the
// operations that were started on it.
// Cancellation: an operation that has started is awaited to its end and its result is returned; the next await throws
// Cancelled.
// Memory: read_at() allocates nothing. Errors: every function may also fail with resource_unavailable_try_again if the
// blocking pool is full, and with invalid_argument for a path that contains a NUL.
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
  bool create = false;        // create the file if it does not exist
  bool exclusive = false;     // with create: fail if the file exists
  bool truncate = false;      // with write: truncate the file to zero bytes
  mode_t permissions = 0644;  // permissions of a created file, reduced by the umask
};

class File {
 public:
  // Opens a file. Never waits for the other end of a FIFO: a descriptor that is not a regular file stays non-blocking.
  // Errors: those of open(2).
  [[nodiscard]] static Task<Result<File>> open(std::string path, OpenOptions options = {});

  // Reads from `offset` and returns the number of bytes read. The number is smaller than into.size() at the end of the
  // file, or if the page cache holds only a part; it is 0 if the file ends at or before `offset`. Errors: those of
  // pread(2).
  [[nodiscard]] fs::FileTransfer read_at(std::uint64_t offset, std::span<std::byte> into) const noexcept;
  // Reads from `offset` until `into` is full or the file ends; returns the number of bytes read. Errors: those of
  // pread(2).
  [[nodiscard]] Task<Result<std::size_t>> read_all_at(std::uint64_t offset, std::span<std::byte> into) const;
  // Write all of `from`; append() writes at the end of the file, wherever the end is at the time of the write. Errors:
  // those of pwrite(2); after an error a part may have been written.
  [[nodiscard]] Task<Result<void>> write_at(std::uint64_t offset, std::span<const std::byte> from);
  [[nodiscard]] Task<Result<void>> append(std::span<const std::byte> from);

  // Wait until the written data survives a crash of the machine. sync() also writes the file's times; sync_data()
  // writes only the metadata that is needed to read the data back. Errors: those of fsync(2). After an error the page
  // cache may have dropped unwritten data: write the data again.
  [[nodiscard]] Task<Result<void>> sync();
  [[nodiscard]] Task<Result<void>> sync_data();

  [[nodiscard]] Task<Result<FileStatus>> status() const;              // errors: those of fstat(2)
  [[nodiscard]] Task<Result<void>> resize(std::uint64_t size_bytes);  // errors: those of ftruncate(2)

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  File(FileDescriptor fd, bool answers_from_cache) noexcept
      : fd_(std::move(fd)), answers_from_cache_(answers_from_cache) {}
  static Result<File> open_now(const std::string& path, const OpenOptions& options);

  FileDescriptor fd_;
  bool answers_from_cache_;  // the file system supports RWF_NOWAIT
};

// Returns the status of the file at `path`; follows symbolic links. Errors: those of stat(2).
[[nodiscard]] Task<Result<FileStatus>> file_status(std::string path);

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::other;  // symbolic links are not followed
};

// Lists the entries of a directory, sorted by name, without "." and "..". Errors: those of opendir(3); value_too_large
// if there are more than `entries_max` entries.
[[nodiscard]] Task<Result<std::vector<DirectoryEntry>>> list_directory(std::string path,
                                                                       std::size_t entries_max = 100'000);

// Renames `from` to `to`; replaces a file at `to`. Errors: those of rename(2).
[[nodiscard]] Task<Result<void>> rename_file(std::string from, std::string to);
// Removes a file; not for directories. Errors: those of unlink(2).
[[nodiscard]] Task<Result<void>> remove_file(std::string path);
// Create or remove one directory. Errors: those of mkdir(2) and rmdir(2).
[[nodiscard]] Task<Result<void>> make_directory(std::string path, mode_t permissions = 0755);
[[nodiscard]] Task<Result<void>> remove_directory(std::string path);

}  // namespace volt
