// SPDX-License-Identifier: MIT

// Decodes a connection's bytes as a server would, split into arbitrary pieces, and collects the results. Every call
// receives its bytes in a block of their own, so that ASan reports a stale view or a read past the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/http1/request_decoder.h"
#include "http/web/request.h"

namespace volt::http::http1 {

struct DecodedMessage {
  std::string method, target, path, query, host, body;
  Version version = Version::http_1_1;
  std::vector<std::pair<std::string, std::string>> fields, trailers;
  bool keep_alive = false, expect_continue = false;
  bool operator==(const DecodedMessage&) const = default;
};

struct DecodedStream {
  std::vector<DecodedMessage> messages;  // complete messages
  std::optional<ParseError> error;
  bool head_pending = false;   // the input ended inside a head, or before one
  std::size_t left_bytes = 0;  // bytes after the last message, not decoded

  bool operator==(const DecodedStream&) const = default;
  // Returns 200 if a message was decoded, else the status of the first refusal, else 0: more bytes are needed.
  int status() const {
    if (!messages.empty()) return 200;
    return error ? code(status_for(*error)) : 0;
  }
};

// A copy of bytes at an address of its own.
class Block {
 public:
  explicit Block(std::string_view bytes) : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

inline std::vector<std::pair<std::string, std::string>> owned(const Fields& fields) {
  std::vector<std::pair<std::string, std::string>> copies;
  for (const Field& field : fields) copies.emplace_back(field.name, field.value);
  return copies;
}

inline DecodedMessage describe(const RequestDecoder& decoder, std::string_view head_bytes) {
  const Request request(decoder.head(head_bytes));
  DecodedMessage message;
  message.method = to_string(request.method());
  message.target = request.target();
  message.path = request.path();
  message.query = request.query();
  message.host = request.host();
  message.version = request.version();
  message.fields = owned(request.headers());
  message.keep_alive = decoder.keep_alive();
  message.expect_continue = decoder.expect_continue();
  return message;
}

// Decodes `input` in pieces that end at `ends` (ascending; the input's end is added).
inline DecodedStream decode_stream(std::string_view input, std::vector<std::size_t> ends = {},
                                   const Limits& limits = {}) {
  DecodedStream out;
  RequestDecoder decoder(limits);
  ends.push_back(input.size());
  std::size_t begin = 0;  // begin of the message
  std::size_t body = 0;   // position of its next body bytes
  bool in_body = false;
  bool open = true;
  DecodedMessage message;
  for (const std::size_t end : ends) {
    for (bool progress = open; progress;) {
      if (!in_body) {
        const Block received(input.substr(begin, end - begin));
        const auto state = decoder.decode_head(received.view());
        if (!state) return out.error = state.error(), out;
        if (*state == HeadState::need_more) break;
        const Block moved(received.view());
        message = describe(decoder, moved.view());
        body = begin + decoder.head_bytes();
        in_body = true;
      }
      const Block received(input.substr(body, end - body));
      const auto step = decoder.decode_body(received.view());
      if (!step) return out.error = step.error(), out;
      message.body += step->data;
      body += step->consumed;
      progress = step->consumed > 0;
      if (step->done) {
        message.trailers = owned(decoder.trailers());
        open = message.keep_alive;
        out.messages.push_back(std::exchange(message, {}));
        decoder.reset();
        begin = body;
        in_body = false;
        progress = open;
      }
    }
  }
  out.head_pending = open && !in_body;
  out.left_bytes = input.size() - (in_body ? body : begin);
  return out;
}

inline DecodedStream decode_byte_by_byte(std::string_view input, const Limits& limits = {}) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 1; end < input.size(); ++end) ends.push_back(end);
  return decode_stream(input, std::move(ends), limits);
}

}  // namespace volt::http::http1
