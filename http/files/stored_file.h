// SPDX-License-Identifier: MIT

// StoredFile: a file prepared for responses: its metadata, and its content or an open descriptor.
//
// Threads: immutable once made, so it is shared by all threads. Loading waits for the file system unless
// Waiting::refused.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "http/files/directory.h"
#include "http/files/file_plan.h"
#include "http/files/internal/file_metadata.h"
#include "http/files/open_file.h"

namespace volt::http::files {

// Files of at most this size in bytes are read into memory and sent together with their head. For larger files, the
// copy would cost more than the system calls that it saves.
inline constexpr std::size_t kSmallFileBytesMax = 16 * 1024;

struct StoredFile {
  FileMetadata metadata;
  FileDescriptor descriptor;  // none if `content` holds the whole file
  std::string content = {};
  FilePlan whole = {};  // the response to a GET without conditions

  bool in_memory() const noexcept { return descriptor.get() < 0; }
};

using SharedFile = std::shared_ptr<const StoredFile>;

// Fills `into` with the file's bytes from `offset` on. Errors: would_block (with Waiting::refused); failed; overloaded
// if the file ends before `into` is full, because it was truncated after it was opened.
std::expected<void, FileError> read_exactly(int fd, std::uint64_t offset, std::span<char> into, Waiting waiting);

// Stores an open file, and reads its content if it is small. Errors: those of read_exactly().
std::expected<SharedFile, FileError> store_file(OpenFile file, const FilePolicy& policy, std::chrono::sys_seconds now,
                                                Waiting waiting);

// Opens and stores a file. `escaped`, `codings` and errors are those of Directory::open_file().
std::expected<SharedFile, FileError> load_file(const Directory& directory, const FilePolicy& policy,
                                               std::string_view escaped, std::span<const std::string_view> codings,
                                               std::chrono::sys_seconds now, Waiting waiting);

}  // namespace volt::http::files
