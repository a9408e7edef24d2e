// SPDX-License-Identifier: MIT

#include "http/testing/internal/response_reader.h"

#include "http/message/ascii.h"
#include "http/testing/internal/html_input.h"

namespace volt::http {
namespace {

std::vector<TestField> owned(const Fields& fields) {
  std::vector<TestField> copies;
  for (const Field& field : fields) copies.push_back({std::string(field.name), std::string(field.value)});
  return copies;
}

[[noreturn]] void fail(http1::ResponseError error) {
  throw TestFailure("the server sent an invalid response: " + std::string(describe(error)));
}

}  // namespace

std::optional<std::string_view> find_field(const std::vector<TestField>& fields, std::string_view name) noexcept {
  for (const TestField& field : fields) {
    if (message::equal_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

void TestResponse::throw_no_json(const JsonError& error) const {
  constexpr std::size_t kShownBytes = 200;
  throw TestFailure("the body is not the JSON that was expected: " + error.detail + " at \"" + error.path +
                    "\" in: " + body_.substr(0, kShownBytes));
}

std::optional<std::string> TestResponse::input(std::string_view name) const {
  return testing::input_value(body_, name);
}

namespace testing {

ResponseReader::ResponseReader(Method method) noexcept : decoder_({.body_bytes_max = std::uint64_t{1} << 30}) {
  decoder_.begin(method);
}

void ResponseReader::feed(std::string_view bytes) {
  unread_ += bytes;
  std::size_t at = 0;
  while (!done_) {
    const std::string_view rest = std::string_view(unread_).substr(at);
    const std::size_t consumed = has_head_ ? decode_body(rest) : decode_head(rest);
    if (consumed == 0) break;
    at += consumed;
  }
  unread_.erase(0, at);
}

std::size_t ResponseReader::decode_head(std::string_view bytes) {
  const auto state = decoder_.decode_head(bytes);
  if (!state) fail(state.error());
  if (*state == http1::HeadState::need_more) return 0;
  const http1::ResponseHead head = decoder_.head(bytes);
  const std::size_t consumed = decoder_.head_bytes();
  if (decoder_.interim()) {
    response_.interim_.emplace_back(head.status);
    continue_received_ = continue_received_ || head.status == Status::continue_;
    decoder_.next_head();
    return consumed;
  }
  response_.status_ = head.status;
  response_.reason_ = head.reason;
  response_.version_ = head.version;
  response_.headers_ = owned(head.fields);
  response_.closes_ = !decoder_.keep_alive();
  has_head_ = true;
  if (decoder_.framing() == http1::ResponseFraming{}) done_ = true;
  return consumed;
}

std::size_t ResponseReader::decode_body(std::string_view bytes) {
  const auto step = decoder_.decode_body(bytes);
  if (!step) fail(step.error());
  response_.body_ += step->data;
  done_ = step->done;
  if (done_) response_.trailers_ = owned(decoder_.trailers());
  return step->consumed;
}

void ResponseReader::end() noexcept {
  if (done_ || cut_off_) return;
  done_ = decoder_.end().has_value();
  cut_off_ = !done_;
}

}  // namespace testing
}  // namespace volt::http
