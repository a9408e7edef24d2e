// Decodes a connection's bytes as a client would, cut into pieces at will, and tells what came of it. Every call gets
// its bytes in a block of their own, so that a stale view or a read past the end is an error under ASan.
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

struct DecodedAnswer {
  std::uint16_t status = 0;
  std::string reason, body;
  Version version = Version::http_1_1;
  std::vector<std::pair<std::string, std::string>> fields, trailers;
  std::vector<std::uint16_t> interim;
  ResponseFraming framing;
  bool keep_alive = false;
  bool operator==(const DecodedAnswer&) const = default;
};

struct DecodedAnswers {
  std::vector<DecodedAnswer> answers;  // whole ones
  std::optional<ResponseError> error;
  std::size_t left_bytes = 0;  // behind the last answer, if there was no error

  bool operator==(const DecodedAnswers&) const = default;
};

// Decodes the pieces of `input` that end at `ends`, and then the connection's end, if it was reached.
class AnswersDecoder {
 public:
  AnswersDecoder(std::string_view input, std::vector<Method> methods, const ResponseLimits& limits)
      : input_(input), methods_(std::move(methods)), decoder_(limits) {
    decoder_.begin(method());
  }

  void receive(std::size_t end) {
    while (open_ && !out_.error && (in_body_ ? step_body(end) : step_head(end))) {
    }
  }

  DecodedAnswers finish() && {
    const bool between_answers = !in_body_ && !decoder_.started();
    if (open_ && !out_.error && !between_answers) {
      if (const auto ended = decoder_.end(); !ended) {
        out_.error = ended.error();
      } else {
        complete_answer();
      }
    }
    if (!out_.error) out_.left_bytes = input_.size() - at_;
    return std::move(out_);
  }

 private:
  Method method() const { return methods_[std::min(out_.answers.size(), methods_.size() - 1)]; }

  // Each is true as long as there may be more to decode.
  bool step_head(std::size_t end) {
    const Block received(input_.substr(at_, end - at_));
    const auto state = decoder_.decode_head(received.view());
    if (!state) return out_.error = state.error(), false;
    if (*state == HeadState::need_more) return false;
    const Block moved(received.view());
    const ResponseHead head = decoder_.head(moved.view());
    at_ += decoder_.head_bytes();
    if (decoder_.interim()) {
      answer_.interim.push_back(code(head.status));
      decoder_.next_head();
      return true;
    }
    answer_.status = code(head.status);
    answer_.reason = head.reason;
    answer_.version = head.version;
    answer_.fields = owned(head.fields);
    answer_.framing = decoder_.framing();
    answer_.keep_alive = decoder_.keep_alive();
    return in_body_ = true;
  }

  bool step_body(std::size_t end) {
    const Block received(input_.substr(at_, end - at_));
    const auto step = decoder_.decode_body(received.view());
    if (!step) return out_.error = step.error(), false;
    answer_.body += step->data;
    at_ += step->consumed;
    if (step->done) complete_answer();
    return step->consumed > 0 || step->done;
  }

  void complete_answer() {
    answer_.trailers = owned(decoder_.trailers());
    open_ = answer_.keep_alive;
    out_.answers.push_back(std::exchange(answer_, {}));
    in_body_ = false;
    if (open_) decoder_.begin(method());
  }

  std::string_view input_;
  std::vector<Method> methods_;
  ResponseDecoder decoder_;
  DecodedAnswers out_;
  DecodedAnswer answer_;
  std::size_t at_ = 0;
  bool in_body_ = false;
  bool open_ = true;
};

// `methods`: what was asked, the last for all that follow.
inline DecodedAnswers decode_answers(std::string_view input, std::vector<Method> methods = {Method::get},
                                     const std::vector<std::size_t>& ends = {}, const ResponseLimits& limits = {}) {
  AnswersDecoder decoder(input, std::move(methods), limits);
  for (const std::size_t end : ends) decoder.receive(end);
  decoder.receive(input.size());
  return std::move(decoder).finish();
}

inline DecodedAnswers decode_answers_byte_by_byte(std::string_view input, std::vector<Method> methods = {Method::get},
                                                  const ResponseLimits& limits = {}) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 1; end < input.size(); ++end) ends.push_back(end);
  return decode_answers(input, std::move(methods), ends, limits);
}

}  // namespace volt::http::http1
