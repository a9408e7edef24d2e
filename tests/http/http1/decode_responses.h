// SPDX-License-Identifier: MIT

// Decodes a connection's bytes as a client would, split into arbitrary pieces, and collects the results. Every call
// receives its bytes in a block of their own, so that ASan reports a stale view or a read past the end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/http1/response_decoder.h"
#include "tests/http/http1/decode_stream.h"

namespace volt::http::http1 {

struct DecodedResponse {
  std::uint16_t status = 0;
  std::string reason, body;
  Version version = Version::http_1_1;
  std::vector<std::pair<std::string, std::string>> fields, trailers;
  std::vector<std::uint16_t> interim;
  ResponseFraming framing;
  bool keep_alive = false;
  bool operator==(const DecodedResponse&) const = default;
};

struct DecodedResponses {
  std::vector<DecodedResponse> responses;  // complete responses
  std::optional<ResponseError> error;
  std::size_t left_bytes = 0;  // bytes after the last response, if there was no error

  bool operator==(const DecodedResponses&) const = default;
};

// Decodes the pieces of `input` that end at `ends`, and then the connection's end, if it was reached.
class ResponsesDecoder {
 public:
  ResponsesDecoder(std::string_view input, std::vector<Method> methods, const ResponseLimits& limits)
      : input_(input), methods_(std::move(methods)), decoder_(limits) {
    decoder_.begin(method());
  }

  void receive(std::size_t end) {
    while (open_ && !out_.error && (in_body_ ? step_body(end) : step_head(end))) {
    }
  }

  DecodedResponses finish() && {
    const bool between_responses = !in_body_ && !decoder_.started();
    if (open_ && !out_.error && !between_responses) {
      if (const auto ended = decoder_.end(); !ended) {
        out_.error = ended.error();
      } else {
        complete_response();
      }
    }
    if (!out_.error) out_.left_bytes = input_.size() - at_;
    return std::move(out_);
  }

 private:
  Method method() const { return methods_[std::min(out_.responses.size(), methods_.size() - 1)]; }

  // Each step returns true as long as there may be more to decode.
  bool step_head(std::size_t end) {
    const Block received(input_.substr(at_, end - at_));
    const auto state = decoder_.decode_head(received.view());
    if (!state) return out_.error = state.error(), false;
    if (*state == HeadState::need_more) return false;
    const Block moved(received.view());
    const ResponseHead head = decoder_.head(moved.view());
    at_ += decoder_.head_bytes();
    if (decoder_.interim()) {
      response_.interim.push_back(code(head.status));
      decoder_.next_head();
      return true;
    }
    response_.status = code(head.status);
    response_.reason = head.reason;
    response_.version = head.version;
    response_.fields = owned(head.fields);
    response_.framing = decoder_.framing();
    response_.keep_alive = decoder_.keep_alive();
    return in_body_ = true;
  }

  bool step_body(std::size_t end) {
    const Block received(input_.substr(at_, end - at_));
    const auto step = decoder_.decode_body(received.view());
    if (!step) return out_.error = step.error(), false;
    response_.body += step->data;
    at_ += step->consumed;
    if (step->done) complete_response();
    return step->consumed > 0 || step->done;
  }

  void complete_response() {
    response_.trailers = owned(decoder_.trailers());
    open_ = response_.keep_alive;
    out_.responses.push_back(std::exchange(response_, {}));
    in_body_ = false;
    if (open_) decoder_.begin(method());
  }

  std::string_view input_;
  std::vector<Method> methods_;
  ResponseDecoder decoder_;
  DecodedResponses out_;
  DecodedResponse response_;
  std::size_t at_ = 0;
  bool in_body_ = false;
  bool open_ = true;
};

// `methods` are the requests' methods; the last one applies to all further requests.
inline DecodedResponses decode_responses(std::string_view input, std::vector<Method> methods = {Method::get},
                                         const std::vector<std::size_t>& ends = {}, const ResponseLimits& limits = {}) {
  ResponsesDecoder decoder(input, std::move(methods), limits);
  for (const std::size_t end : ends) decoder.receive(end);
  decoder.receive(input.size());
  return std::move(decoder).finish();
}

inline DecodedResponses decode_responses_byte_by_byte(std::string_view input,
                                                      std::vector<Method> methods = {Method::get},
                                                      const ResponseLimits& limits = {}) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 1; end < input.size(); ++end) ends.push_back(end);
  return decode_responses(input, std::move(methods), ends, limits);
}

}  // namespace volt::http::http1
