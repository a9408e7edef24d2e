// A field section: the lines `name: value CRLF` up to and with the empty line, of a head or of trailers (RFC 9112
// section 5). The one user of llhttp.
//
// llhttp reads field lines only. It is started on a copy of a parser that has read a harmless request line, made to
// forget which names mean something to it, and stopped where the section ends. So what it thinks of versions, methods,
// upgrades, bodies and whether a connection goes on never counts: these are decided by our own code, a `Connection:
// close` or an `Upgrade` cannot stop it, and neither does the tab behind a Content-Length that RFC 9110 section 5.5
// allows and it does not.
// Rejected: letting it read whole messages. It lets through what we must refuse, refuses HTTP/1.2, has no limits, gives
// trailers out as headers, and takes what follows `Connection: close` for an error.
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

  // Before each section. Fields are written to `spans`, which must outlive the parsing; more than those are too many.
  // The section begins at byte `begin` of the buffer.
  void reset(std::span<message::FieldSpan> spans, std::size_t begin) noexcept;

  // `buffer` is all that the buffer holds, at whatever address it is now; bytes that were read are not read again.
  Verdict read(std::string_view buffer) noexcept;

  // Bytes of the buffer that were read; once complete, the first byte behind the section.
  std::size_t end() const noexcept { return position_; }

  // How many fields are in `spans`.
  std::size_t size() const noexcept { return size_; }

 private:
  struct Callbacks;  // what llhttp calls

  void trim_value() noexcept;
  bool finish_field() noexcept;
  bool length_acceptable() noexcept;

  static constexpr std::size_t kParserBytes = 128;
  alignas(8) std::byte parser_[kParserBytes];  // an llhttp_t, whose header stays out of ours
  std::span<message::FieldSpan> spans_;
  const char* base_ = nullptr;  // of the buffer, while it is read
  const char* limit_ = nullptr;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
  message::FieldSpan field_;  // the one being read
  bool has_length_ = false;
  Verdict refusal_ = Verdict::malformed;  // why a callback stopped llhttp
};

}  // namespace volt::http::http1
