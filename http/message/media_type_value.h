// A media type as Content-Type and the elements of Accept carry it: `text/html; charset="utf-8"` (RFC 9110 section
// 8.3.1).
//
// Threads: a value. Lifetime: a view into the text it was parsed from.
// Errors: empty for text that is malformed, that names a parameter twice (RFC 6838 section 4.3: which one counts would
// be a guess), or that has more than kParametersMax of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {

class MediaTypeValue {
 public:
  static constexpr std::size_t kParametersMax = 16;  // real ones have one or two

  static std::optional<MediaTypeValue> parse(std::string_view text) noexcept;

  // As they came; compare with ignored case. `*` is a type like any other here.
  std::string_view type() const noexcept { return essence_.substr(0, slash_); }
  std::string_view subtype() const noexcept { return essence_.substr(slash_ + 1); }
  // Both, `text/html`.
  std::string_view essence() const noexcept { return essence_; }

  // Case-blind, parameters left out: `is("application/json")`.
  bool is(std::string_view essence) const noexcept;
  // A structured syntax suffix, RFC 6838 section 4.2.8: `has_suffix("json")` for application/problem+json.
  bool has_suffix(std::string_view suffix) const noexcept;

  // The parameter of that name, case-blind, without quotes and escapes.
  std::optional<std::string> parameter(std::string_view name) const;
  std::optional<std::string> charset() const { return parameter("charset"); }

 private:
  MediaTypeValue(std::string_view essence, std::size_t slash, std::string_view parameters) noexcept
      : essence_(essence), slash_(slash), parameters_(parameters) {}

  std::string_view essence_;
  std::size_t slash_;
  std::string_view parameters_;  // well-formed
};

}  // namespace volt::http::message
