// SPDX-License-Identifier: MIT

#include "http/files/stored_file.h"

#include <sys/uio.h>

#include <cerrno>
#include <utility>

namespace volt::http::files {
namespace {

constexpr int kReadAttemptsMax = 3;  // attempts to read a small file that is being truncated

}  // namespace

std::expected<void, FileError> read_exactly(int fd, std::uint64_t offset, std::span<char> into, Waiting waiting) {
  const int flags = waiting == Waiting::refused ? RWF_NOWAIT : 0;
  while (!into.empty()) {
    const iovec part{.iov_base = into.data(), .iov_len = into.size()};
    const ssize_t count = ::preadv2(fd, &part, 1, static_cast<off_t>(offset), flags);
    if (count < 0 && errno == EINTR) continue;
    // EAGAIN: reading would have to wait. EOPNOTSUPP: the file system does not support RWF_NOWAIT.
    if (count < 0 && flags != 0 && (errno == EAGAIN || errno == EOPNOTSUPP)) {
      return std::unexpected(FileError::would_block);
    }
    if (count < 0) return std::unexpected(FileError::failed);
    if (count == 0) return std::unexpected(FileError::overloaded);
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

std::expected<SharedFile, FileError> store_file(OpenFile file, const FilePolicy& policy, std::chrono::sys_seconds now,
                                                Waiting waiting) {
  auto stored = std::make_shared<StoredFile>();
  stored->metadata = std::move(file.metadata);
  stored->whole = plan_file(Method::get, Fields(), stored->metadata, policy, now);
  if (stored->metadata.size_bytes > kSmallFileBytesMax) {
    stored->descriptor = std::move(file.descriptor);
    return stored;
  }
  stored->content.resize(static_cast<std::size_t>(stored->metadata.size_bytes));
  const auto read = read_exactly(file.descriptor.get(), 0, stored->content, waiting);
  if (!read) return std::unexpected(read.error());
  return stored;
}

std::expected<SharedFile, FileError> load_file(const Directory& directory, const FilePolicy& policy,
                                               std::string_view escaped, std::span<const std::string_view> codings,
                                               std::chrono::sys_seconds now, Waiting waiting) {
  for (int attempt = 1;; ++attempt) {
    auto file = directory.open_file(escaped, codings, waiting);
    if (!file) return std::unexpected(file.error());
    auto stored = store_file(std::move(*file), policy, now, waiting);
    const bool cut = !stored && stored.error() == FileError::overloaded;
    if (!cut || attempt == kReadAttemptsMax) return stored;
  }
}

}  // namespace volt::http::files
