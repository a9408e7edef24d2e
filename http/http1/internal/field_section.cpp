// SPDX-License-Identifier: MIT

#include "http/http1/internal/field_section.h"

#include <llhttp.h>

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "http/http1/internal/framing.h"
#include "http/message/ascii.h"
#include "runtime/base/check.h"

static_assert(LLHTTP_VERSION_MAJOR > 9 || (LLHTTP_VERSION_MAJOR == 9 && LLHTTP_VERSION_MINOR >= 2),
              "older versions let requests be smuggled");

namespace volt::http::http1 {

// llhttp reports a name or a value in pieces if its input was split. The pieces are adjacent in the buffer, so a field
// begins at its first piece, and its length is the sum of the pieces.
struct FieldSection::Callbacks {
  static FieldSection& section(llhttp_t* parser) noexcept { return *static_cast<FieldSection*>(parser->data); }

  static int on_name(llhttp_t* parser, const char* at, std::size_t bytes) noexcept {
    FieldSection& self = section(parser);
    if (self.field_.name_bytes == 0) self.field_.name_begin = static_cast<std::uint32_t>(at - self.base_);
    self.field_.name_bytes += static_cast<std::uint32_t>(bytes);
    parser->header_state = 0;  // ignore any special meaning of this field: its value is read like any other
    return HPE_OK;
  }

  static int on_value(llhttp_t* parser, const char* at, std::size_t bytes) noexcept {
    FieldSection& self = section(parser);
    if (self.field_.value_bytes == 0) self.field_.value_begin = static_cast<std::uint32_t>(at - self.base_);
    self.field_.value_bytes += static_cast<std::uint32_t>(bytes);
    const bool whole = at + bytes != self.limit_ && at[bytes] == '\r';
    if (!whole || self.length_acceptable()) return HPE_OK;
    self.refusal_ = Verdict::bad_length;
    return HPE_USER;
  }

  static int on_field_complete(llhttp_t* parser) noexcept {
    FieldSection& self = section(parser);
    if (self.finish_field()) return HPE_OK;
    self.refusal_ = Verdict::too_many;
    return HPE_USER;
  }

  // Pauses llhttp at the end of the section. Without the pause, llhttp would act on its own conclusions about the body
  // or an upgrade.
  static int on_section_complete(llhttp_t*) noexcept { return HPE_PAUSED; }

  static const llhttp_settings_t& settings() noexcept {
    static const llhttp_settings_t settings = [] {
      llhttp_settings_t callbacks;
      llhttp_settings_init(&callbacks);
      callbacks.on_header_field = on_name;
      callbacks.on_header_value = on_value;
      callbacks.on_header_value_complete = on_field_complete;
      callbacks.on_headers_complete = on_section_complete;
      return callbacks;
    }();
    return settings;
  }

  // Returns a parser that has already read a request line. Each section starts with a copy of it: parsing the line
  // again would cost more than parsing the fields of a small request.
  static const llhttp_t& primed() noexcept {
    static const llhttp_t primed = [] {
      constexpr std::string_view kLine = "GET / HTTP/1.1\r\n";
      llhttp_t parser;
      llhttp_init(&parser, HTTP_REQUEST, &settings());
      VOLT_CHECK(llhttp_execute(&parser, kLine.data(), kLine.size()) == HPE_OK);
      return parser;
    }();
    return primed;
  }

  static llhttp_t& parser(FieldSection& self) noexcept {
    static_assert(sizeof(llhttp_t) <= kParserBytes && alignof(llhttp_t) <= 8);
    static_assert(std::is_trivially_copyable_v<llhttp_t>);
    return *std::launder(reinterpret_cast<llhttp_t*>(self.parser_));
  }
};

void FieldSection::reset(std::span<message::FieldSpan> spans, std::size_t begin) noexcept {
  ::new (static_cast<void*>(parser_)) llhttp_t(Callbacks::primed());
  spans_ = spans;
  size_ = 0;
  position_ = begin;
  field_ = {};
  has_length_ = false;
}

FieldSection::Verdict FieldSection::read(std::string_view buffer) noexcept {
  if (buffer.size() == position_) return Verdict::need_more;
  llhttp_t& parser = Callbacks::parser(*this);
  parser.data = this;
  base_ = buffer.data();
  limit_ = buffer.data() + buffer.size();
  switch (llhttp_execute(&parser, buffer.data() + position_, buffer.size() - position_)) {
    case HPE_OK:
      position_ = buffer.size();
      return Verdict::need_more;
    case HPE_PAUSED:
      position_ = static_cast<std::size_t>(llhttp_get_error_pos(&parser) - buffer.data());
      return Verdict::complete;
    case HPE_CB_HEADER_VALUE_COMPLETE:
    case HPE_USER:
      return refusal_;
    default:
      return Verdict::malformed;  // all other codes are llhttp's various reasons for a malformed line
  }
}

// RFC 9112 section 5.1: the white space around a value is not part of it. llhttp leaves trailing white space to the
// caller.
void FieldSection::trim_value() noexcept {
  while (field_.value_bytes > 0 && message::is_ows(base_[field_.value_begin + field_.value_bytes - 1])) {
    --field_.value_bytes;
  }
}

bool FieldSection::finish_field() noexcept {
  if (size_ == spans_.size()) return false;
  trim_value();
  spans_[size_++] = field_;
  field_ = {};
  return true;
}

// Returns false if the field is an invalid or repeated Content-Length. Called at the end of the field's line, not at
// the end of the head: a client that sent a wrong length may wait for a response before it finishes the head.
bool FieldSection::length_acceptable() noexcept {
  const std::string_view name(base_ + field_.name_begin, field_.name_bytes);
  if (!message::equal_ignoring_case(name, "content-length")) return true;
  trim_value();
  const bool repeated = std::exchange(has_length_, true);
  return !repeated && valid_length({base_ + field_.value_begin, field_.value_bytes});
}

}  // namespace volt::http::http1
