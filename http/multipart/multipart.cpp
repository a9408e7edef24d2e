// SPDX-License-Identifier: MIT

#include "http/multipart/multipart.h"

#include <utility>

#include "http/multipart/internal/file_name.h"
#include "http/multipart/internal/file_writer.h"
#include "http/multipart/internal/multipart_reader.h"
#include "http/multipart/internal/new_file.h"
#include "http/web/problem.h"

namespace volt::http {
namespace {

void require_room(std::uint64_t size, std::uint64_t bytes_max, const std::string& name) {
  if (size <= bytes_max) return;
  const std::string sentence = "is larger than " + std::to_string(bytes_max) + " bytes";
  Problem problem(Status::content_too_large, "form " + name + " " + sentence);
  throw problem.invalid(name, sentence);
}

// Copies the rest of a part's content, after the `size` bytes that the writer has already received.
Task<std::uint64_t> copy_rest(multipart::MultipartReader& reader, multipart::FileWriter& writer, std::uint64_t size,
                              std::uint64_t bytes_max) {
  while (const auto piece = co_await reader.next_piece()) {
    size += piece->size();
    require_room(size, bytes_max, reader.part().name());
    co_await writer.write(*piece);
  }
  co_return size;
}

}  // namespace

const std::string& Part::name() const noexcept { return reader_->part().name(); }
const std::optional<std::string>& Part::file_name() const noexcept { return reader_->part().file_name(); }
std::string Part::safe_file_name() const { return multipart::safe_file_name(file_name().value_or("")); }
std::string_view Part::content_type() const noexcept { return reader_->part().content_type(); }
Fields Part::headers() const noexcept { return reader_->part().fields(); }

Task<std::optional<std::string_view>> Part::read() { return reader_->next_piece(); }

Task<std::string> Part::text(std::size_t bytes_max) {
  multipart::MultipartReader& reader = *reader_;
  std::string content;
  while (const auto piece = co_await reader.next_piece()) {
    require_room(content.size() + piece->size(), bytes_max, reader.part().name());
    content += *piece;
  }
  co_return content;
}

Task<std::uint64_t> Part::save_to(std::string path, std::uint64_t bytes_max) {
  multipart::MultipartReader& reader = *reader_;
  multipart::NewFile file;
  multipart::FileWriter writer(file);
  co_await writer.create(std::move(path));
  const std::uint64_t size = co_await copy_rest(reader, writer, 0, bytes_max);
  co_await writer.keep();
  co_return size;
}

Task<Spooled> Part::spool(SpoolOptions options) {
  multipart::MultipartReader& reader = *reader_;
  std::string memory;
  for (;;) {
    const auto piece = co_await reader.next_piece();
    if (!piece) co_return Spooled(std::move(memory));
    memory += *piece;
    if (memory.size() > options.memory_bytes_max) break;
  }
  require_room(memory.size(), options.disk_bytes_max, reader.part().name());
  auto file = std::make_unique<multipart::NewFile>();
  multipart::FileWriter writer(*file);
  co_await writer.create_nameless(options.directory);
  const std::uint64_t begun = memory.size();
  co_await writer.write(memory);
  const std::uint64_t size = co_await copy_rest(reader, writer, begun, options.disk_bytes_max);
  co_await writer.flush();
  co_return Spooled(std::move(file), size);
}

Multipart::Multipart(Request& request) : reader_(std::make_unique<multipart::MultipartReader>(request)) {}
Multipart::Multipart(Multipart&&) noexcept = default;
Multipart& Multipart::operator=(Multipart&&) noexcept = default;
Multipart::~Multipart() = default;

Multipart& Multipart::limits(const MultipartLimits& limits) {
  reader_->limit(limits);
  return *this;
}

Task<std::optional<Part>> Multipart::next() {
  multipart::MultipartReader& reader = *reader_;
  if (!co_await reader.next_part()) co_return std::nullopt;
  co_return Part(reader);
}

}  // namespace volt::http
