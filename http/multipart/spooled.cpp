// SPDX-License-Identifier: MIT

#include "http/multipart/spooled.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "http/multipart/internal/file_writer.h"
#include "http/multipart/internal/new_file.h"
#include "runtime/blocking.h"

namespace volt::http {

Spooled::Spooled(std::string content) noexcept : memory_(std::move(content)), size_(memory_.size()) {}
Spooled::Spooled(std::unique_ptr<multipart::NewFile> file, std::uint64_t size) noexcept
    : file_(std::move(file)), size_(size) {}
Spooled::Spooled(Spooled&&) noexcept = default;
Spooled& Spooled::operator=(Spooled&&) noexcept = default;
Spooled::~Spooled() = default;

int Spooled::fd() const noexcept { return file_ ? file_->fd() : -1; }

Task<std::size_t> Spooled::read(std::uint64_t offset, std::span<char> into) const {
  if (offset >= size_) co_return 0;
  if (in_memory()) co_return memory_.copy(into.data(), into.size(), static_cast<std::size_t>(offset));
  const Result<std::size_t> count = co_await blocking([this, offset, into] { return file_->read(offset, into); });
  if (!count) throw std::system_error(count.error(), "reading a temporary file");
  co_return *count;
}

Task<> Spooled::save_to(std::string path) const {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  multipart::NewFile copy;
  multipart::FileWriter writer(copy);
  co_await writer.create(std::move(path));
  std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(size_, kPieceBytes)), '\0');
  for (std::uint64_t offset = 0; offset != size_;) {
    const std::size_t count = co_await read(offset, piece);
    if (count == 0) throw std::system_error(std::make_error_code(std::errc::io_error), "reading a temporary file");
    co_await writer.write(std::string_view(piece).substr(0, count));
    offset += count;
  }
  co_await writer.keep();
}

}  // namespace volt::http
