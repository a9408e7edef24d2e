// SPDX-License-Identifier: MIT

#include "pg/copy.h"

#include <span>
#include <utility>

#include "pg/error.h"
#include "pg/internal/copy_stream.h"

namespace volt::pg {
namespace {

void need_stream(const std::unique_ptr<internal::CopyStream>& stream) {
  if (stream == nullptr) throw Error("the COPY has already ended");
}

}  // namespace

CopyIn::CopyIn(std::unique_ptr<internal::CopyStream> stream) noexcept : stream_(std::move(stream)) {}
CopyIn::CopyIn(CopyIn&&) noexcept = default;
CopyIn& CopyIn::operator=(CopyIn&&) noexcept = default;
CopyIn::~CopyIn() = default;

Task<> CopyIn::write(std::string_view bytes) {
  need_stream(stream_);
  if (!collected_.empty()) co_await send_collected();
  co_await stream_->put(bytes);
}

Task<> CopyIn::send_if_full() {
  need_stream(stream_);
  if (collected_.size() >= internal::CopyExchange::kPieceBytes) co_await send_collected();
}

Task<> CopyIn::send_collected() {
  co_await stream_->put(collected_);
  collected_.clear();
}

Task<std::uint64_t> CopyIn::finish() {
  need_stream(stream_);
  if (!collected_.empty()) co_await send_collected();
  const std::uint64_t rows = co_await stream_->end();
  stream_.reset();
  co_return rows;
}

CopyOut::CopyOut(std::unique_ptr<internal::CopyStream> stream) noexcept : stream_(std::move(stream)) {}
CopyOut::CopyOut(CopyOut&&) noexcept = default;
CopyOut& CopyOut::operator=(CopyOut&&) noexcept = default;
CopyOut::~CopyOut() = default;

Task<std::optional<std::string_view>> CopyOut::read() {
  received_.clear();
  taken_ = 0;
  if (stream_ == nullptr) co_return std::nullopt;
  const bool more = co_await stream_->get(received_);
  if (!more) stream_.reset();
  co_return more ? std::optional<std::string_view>(received_) : std::nullopt;
}

Task<bool> CopyOut::next_line() {
  if (taken_ == received_.size()) {
    const std::optional<std::string_view> more = co_await read();
    if (!more) co_return false;
  }
  const std::size_t end = received_.find('\n', taken_);  // a newline in a value is escaped
  if (end == std::string::npos) throw Error("next() needs a COPY in the text format");
  row_.parse(std::span(received_).subspan(taken_, end - taken_));
  taken_ = end + 1;
  co_return true;
}

}  // namespace volt::pg
