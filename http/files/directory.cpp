#include "http/files/directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "http/files/beneath.h"
#include "http/files/file_path.h"
#include "http/files/media_type.h"

namespace volt::http::files {
namespace {

struct Sibling {
  std::string_view coding;  // as in Content-Encoding
  std::string_view suffix;
};
constexpr Sibling kSiblings[] = {{"br", ".br"}, {"zstd", ".zst"}, {"gzip", ".gz"}};

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
    case ELOOP:  // a link that is refused, or one in a circle
    case EXDEV:  // it led out of the directory
    case ENXIO:  // a socket
    case ENODEV:
      return FileError::not_found;
    default:
      return FileError::failed;
  }
}

// Clamped to what nanoseconds in 64 bits can say, the years 1684 to 2255.
FileTime file_time(const timespec& time) noexcept {
  constexpr std::int64_t kSecondsMax = 9'000'000'000;
  const auto seconds = std::clamp<std::int64_t>(time.tv_sec, -kSecondsMax, kSecondsMax);
  return FileTime(std::chrono::seconds(seconds) + std::chrono::nanoseconds(time.tv_nsec));
}

FileFacts facts_of(const struct stat& status, std::string_view coding) {
  FileFacts facts{.size_bytes = static_cast<std::uint64_t>(status.st_size), .modified = file_time(status.st_mtim)};
  facts.etag = make_etag(facts.size_bytes, facts.modified, status.st_ino, coding);
  facts.coding = coding;
  return facts;
}

}  // namespace

Result<Directory> Directory::open(const std::string& path, FileOptions options) {
  const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error(errno);
  return Directory(FileDescriptor(fd), std::move(options));
}

std::expected<OpenFile, FileError> Directory::open_file(std::string_view escaped,
                                                        std::span<const std::string_view> codings) const {
  auto path = parse_file_path(escaped, options_.hidden_files ? Hidden::allowed : Hidden::refused);
  if (!path) return std::unexpected(FileError::not_found);
  if (path->names_directory) {
    if (options_.index.empty()) return std::unexpected(FileError::not_found);
    if (!path->relative.empty()) path->relative += '/';
    path->relative += options_.index;
  }
  auto original = open_regular(path->relative, {});
  if (!original) {
    const bool directory = original.error() == FileError::lacks_slash;
    if (directory && (path->names_directory || !open_regular(path->relative + '/' + options_.index, {}))) {
      return std::unexpected(FileError::not_found);
    }
    return original;
  }
  original->facts.media_type = media_type(path->relative);
  if (!options_.precompressed) return original;
  return best_coding(path->relative, std::move(*original), codings);
}

// lacks_slash for any directory.
std::expected<OpenFile, FileError> Directory::open_regular(const std::string& relative, std::string_view coding) const {
  const Symlinks symlinks = options_.follow_symlinks ? Symlinks::followed : Symlinks::refused;
  auto descriptor = open_beneath(descriptor_.get(), relative, symlinks);
  if (!descriptor) return std::unexpected(file_error(descriptor.error()));
  struct stat status;
  if (::fstat(descriptor->get(), &status) != 0) return std::unexpected(FileError::failed);
  if (S_ISDIR(status.st_mode)) return std::unexpected(FileError::lacks_slash);
  if (!S_ISREG(status.st_mode)) return std::unexpected(FileError::not_found);
  // O_NONBLOCK has done its duty; io_uring would take it as a wish for EAGAIN where a page is not cached.
  if (::fcntl(descriptor->get(), F_SETFL, 0) != 0) return std::unexpected(FileError::failed);
  return OpenFile{std::move(*descriptor), facts_of(status, coding)};
}

OpenFile Directory::best_coding(const std::string& relative, OpenFile original,
                                std::span<const std::string_view> codings) const {
  for (const std::string_view coding : codings) {
    if (coding == "identity") break;
    const auto* sibling = std::ranges::find(kSiblings, coding, &Sibling::coding);
    if (sibling == std::ranges::end(kSiblings)) continue;
    auto coded = open_regular(relative + std::string(sibling->suffix), sibling->coding);
    if (!coded || coded->facts.modified < original.facts.modified) continue;
    coded->facts.media_type = original.facts.media_type;
    return std::move(*coded);
  }
  return original;
}

}  // namespace volt::http::files
