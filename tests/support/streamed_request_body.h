// SPDX-License-Identifier: MIT

// StreamedRequestBody: a request's body that is produced as it is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/client/client.h"
#include "runtime/task.h"

namespace volt::test {

// So many bytes in pieces, at known or unknown size.
class StreamedRequestBody final : public http::ClientBody {
 public:
  StreamedRequestBody(std::string text, std::size_t piece_bytes, std::optional<std::uint64_t> size,
                      http::FieldList trailers = {})
      : text_(std::move(text)), piece_bytes_(piece_bytes), size_(size), trailers_(std::move(trailers)) {}
  [[nodiscard]] Task<std::optional<std::string_view>> next() override {
    if (at_ == text_.size()) co_return std::nullopt;
    const std::string_view piece = std::string_view(text_).substr(at_, piece_bytes_);
    at_ += piece.size();
    co_return piece;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return size_; }
  [[nodiscard]] http::FieldList trailers() const override { return trailers_; }

 private:
  const std::string text_;
  const std::size_t piece_bytes_;
  const std::optional<std::uint64_t> size_;
  const http::FieldList trailers_;
  std::size_t at_ = 0;
};

}  // namespace volt::test
