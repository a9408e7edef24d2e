// SPDX-License-Identifier: MIT

#include "http/files/directory.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "http/files/file_path.h"
#include "http/files/internal/media_type.h"

namespace volt::http::files {
namespace {

struct Sibling {
  std::string_view coding;  // as in Content-Encoding
  std::string_view suffix;
};
constexpr Sibling kSiblings[] = {{"br", ".br"}, {"zstd", ".zst"}, {"gzip", ".gz"}};

}  // namespace

Result<Directory> Directory::open(const std::string& path, FileOptions options) {
  const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error(errno);
  return Directory(FileDescriptor(fd), std::move(options));
}

std::expected<OpenFile, FileError> Directory::open_file(std::string_view escaped,
                                                        std::span<const std::string_view> codings,
                                                        Waiting waiting) const {
  auto path = parse_file_path(escaped, options_.hidden_files ? Hidden::allowed : Hidden::refused);
  if (!path) return std::unexpected(FileError::not_found);
  if (path->names_directory) {
    if (options_.index.empty()) return std::unexpected(FileError::not_found);
    if (!path->relative.empty()) path->relative += '/';
    path->relative += options_.index;
  }
  auto original = open_regular(path->relative, {}, waiting);
  if (!original) {
    if (original.error() != FileError::lacks_slash) return original;
    if (path->names_directory || options_.index.empty()) return std::unexpected(FileError::not_found);
    const auto index = open_regular(path->relative + '/' + options_.index, {}, waiting);
    if (index) return original;
    const bool unknown = index.error() == FileError::would_block;
    return std::unexpected(unknown ? FileError::would_block : FileError::not_found);
  }
  original->metadata.media_type = media_type(path->relative);
  if (!options_.precompressed) return original;
  return best_coding(path->relative, std::move(*original), codings, waiting);
}

// Opens a regular file. Fails with lacks_slash for a directory, whether it has an index or not.
std::expected<OpenFile, FileError> Directory::open_regular(const std::string& relative, std::string_view coding,
                                                           Waiting waiting) const {
  const Symlinks symlinks = options_.follow_symlinks ? Symlinks::followed : Symlinks::refused;
  auto descriptor = open_beneath(descriptor_.get(), relative, symlinks, waiting);
  if (!descriptor) {
    const bool refused = waiting == Waiting::refused && would_block(descriptor);
    return std::unexpected(refused ? FileError::would_block : file_error(descriptor.error()));
  }
  return take_regular(std::move(*descriptor), coding);
}

std::expected<OpenFile, FileError> Directory::best_coding(const std::string& relative, OpenFile original,
                                                          std::span<const std::string_view> codings,
                                                          Waiting waiting) const {
  for (const std::string_view coding : codings) {
    if (coding == "identity") break;
    const auto* sibling = std::ranges::find(kSiblings, coding, &Sibling::coding);
    if (sibling == std::ranges::end(kSiblings)) continue;
    auto coded = open_regular(relative + std::string(sibling->suffix), sibling->coding, waiting);
    if (!coded && coded.error() == FileError::would_block) return coded;
    if (!coded || coded->metadata.modified < original.metadata.modified) continue;
    coded->metadata.media_type = original.metadata.media_type;
    return coded;
  }
  return original;
}

}  // namespace volt::http::files
