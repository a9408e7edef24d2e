// SPDX-License-Identifier: MIT

// A field section: the lines `name: value CRLF` of a head or of trailers (RFC 9112 section 5), including the final
// empty line. Only this class uses llhttp.
//
// llhttp reads field lines only. Each section starts with a copy of a parser that has already read a harmless request
// line. llhttp is made to treat every field name as an ordinary one, and is stopped at the end of the section.
// Therefore llhttp's conclusions about versions, methods, upgrades, bodies and keep-alive have no effect; Volt's own
// code decides about them. A `Connection: close` or an `Upgrade` does not stop the parser. A tab after the value of
// Content-Length does not stop it either: RFC 9110 section 5.5 allows the tab, although llhttp alone would refuse it.
//
// Rejected: letting llhttp read whole messages. It accepts messages that must be refused, refuses HTTP/1.2, has no
// limits, reports trailers as headers, and treats bytes after `Connection: close` as an error.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "http/message/headers.h"

namespace volt::http::http1 {

class FieldSection {
 public:
  enum class Verdict : std::uint8_t { need_more, complete, malformed, bad_length, too_many };

  // Starts a section; call before each one. Fields are written to `spans`, which must outlive the parsing. A section
  // with more fields than `spans` can hold is refused with too_many. The section begins at byte `begin` of the buffer.
  void reset(std::span<message::FieldSpan> spans, std::size_t begin) noexcept;

  // Continues to read. `buffer` is the whole content of the buffer, which may have moved since the last call. Bytes
  // that an earlier call read are not read again.
  Verdict read(std::string_view buffer) noexcept;

  // Returns the number of buffer bytes read; once complete, the offset of the first byte after the section.
  std::size_t end() const noexcept { return position_; }

  // Returns the number of fields in `spans`.
  std::size_t size() const noexcept { return size_; }

 private:
  struct Callbacks;  // the functions that llhttp calls

  void trim_value() noexcept;
  bool finish_field() noexcept;
  bool length_acceptable() noexcept;

  static constexpr std::size_t kParserBytes = 128;
  alignas(8) std::byte parser_[kParserBytes];  // storage for an llhttp_t, so that llhttp's header is not included here
  std::span<message::FieldSpan> spans_;
  const char* base_ = nullptr;  // begin of the buffer, while it is being read
  const char* limit_ = nullptr;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
  message::FieldSpan field_;  // the field being read
  bool has_length_ = false;
  Verdict refusal_ = Verdict::malformed;  // the reason why a callback stopped llhttp
};

}  // namespace volt::http::http1
