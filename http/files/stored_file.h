// StoredFile: a file as answers are made of it: what is known of it, and its content or the descriptor that has it.
//
// Threads: immutable once it is made, so shared by all. Loading waits for the file system, unless told not to.
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

// Files up to here are read into memory and sent with their head; above, the copy costs more than the system calls that
// it saves.
inline constexpr std::size_t kSmallFileBytesMax = 16 * 1024;

struct StoredFile {
  FileMetadata metadata;
  FileDescriptor descriptor;  // none: `content` is all of the file
  std::string content = {};
  FilePlan whole = {};  // to who asks by GET and without conditions

  bool in_memory() const noexcept { return descriptor.get() < 0; }
};

using SharedFile = std::shared_ptr<const StoredFile>;

// Reads `into` full from `offset` on. Errors: would_block (with Waiting::refused), failed, overloaded where the file
// ends before.
std::expected<void, FileError> read_exactly(int fd, std::uint64_t offset, std::span<char> into, Waiting waiting);

// Reads it if it is small. Errors: as read_exactly().
std::expected<SharedFile, FileError> store_file(OpenFile file, const FilePolicy& policy, std::chrono::sys_seconds now,
                                                Waiting waiting);

// Opens and stores it. Errors: as Directory::open_file(). `escaped` and `codings` as there.
std::expected<SharedFile, FileError> load_file(const Directory& directory, const FilePolicy& policy,
                                               std::string_view escaped, std::span<const std::string_view> codings,
                                               std::chrono::sys_seconds now, Waiting waiting);

}  // namespace volt::http::files
