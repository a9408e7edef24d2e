// SPDX-License-Identifier: MIT

#include "http/middleware/internal/decoded_source.h"

#include "http/web/problem.h"

namespace volt::http::middleware {
namespace {

constexpr std::size_t kPieceBytes = 16 * 1024;

[[noreturn]] void refuse(coding::DecodeError error) {
  throw Problem(coding::status_for(error), std::string(coding::to_sentence(error))).close();
}

}  // namespace

Task<std::optional<std::string_view>> DecodedSource::next() {
  while (!at_end_) {
    if (decode()) co_return piece_;
    if (!co_await read_input()) end();
  }
  co_return std::nullopt;
}

Task<std::string_view> DecodedSource::rest() {
  while (const std::optional<std::string_view> piece = co_await next()) whole_ += *piece;
  co_return whole_;
}

bool DecodedSource::decode() {
  piece_.clear();
  while (!input_.empty() || output_full_) {
    has_input_come_ = true;
    const auto step = chain_->update(input_, piece_, kPieceBytes);
    if (!step) refuse(step.error());
    input_.remove_prefix(step->consumed);
    output_full_ = step->output_full;
    if (piece_.empty()) continue;
    if (piece_.size() > bytes_left_) refuse(coding::DecodeError::too_large);
    bytes_left_ -= piece_.size();
    return true;
  }
  return false;
}

// Reads the next coded piece into input_. Returns false if the coded body has ended.
Task<bool> DecodedSource::read_input() {
  if (coded_ == nullptr || coded_->at_end()) co_return false;
  const std::optional<std::string_view> piece = co_await coded_->next();
  if (!piece) co_return false;
  input_ = *piece;
  co_return true;
}

// An empty body is accepted rather than refused as truncated: clients send Content-Encoding with such bodies too.
void DecodedSource::end() {
  if (has_input_come_) {
    if (const auto finished = chain_->finish(); !finished) refuse(finished.error());
  }
  at_end_ = true;
}

}  // namespace volt::http::middleware
