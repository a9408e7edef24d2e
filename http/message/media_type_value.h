// SPDX-License-Identifier: MIT

// A media type as in Content-Type and in the elements of Accept: `text/html; charset="utf-8"` (RFC 9110 section 8.3.1).
//
// Threads: a value. Lifetime: a view into the text it was parsed from.
// Errors: nullopt for text that is malformed, that names a parameter twice (RFC 6838 section 4.3: choosing one of them
// would be a guess), or that has more than kParametersMax parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {

class MediaTypeValue {
 public:
  static constexpr std::size_t kParametersMax = 16;  // real media types have one or two

  static std::optional<MediaTypeValue> parse(std::string_view text) noexcept;

  // Return type and subtype as received; compare them ignoring case. `*` is treated like any other type here.
  std::string_view type() const noexcept { return essence_.substr(0, slash_); }
  std::string_view subtype() const noexcept { return essence_.substr(slash_ + 1); }
  // Returns type and subtype together: `text/html`.
  std::string_view essence() const noexcept { return essence_; }

  // Compares type and subtype, case-insensitive and without parameters: `is("application/json")`.
  bool is(std::string_view essence) const noexcept;
  // Returns whether the subtype has this structured syntax suffix (RFC 6838 section 4.2.8): `has_suffix("json")` for
  // application/problem+json.
  bool has_suffix(std::string_view suffix) const noexcept;

  // Returns the parameter called `name` (case-insensitive), without quotes and escapes.
  std::optional<std::string> parameter(std::string_view name) const;
  std::optional<std::string> charset() const { return parameter("charset"); }

 private:
  MediaTypeValue(std::string_view essence, std::size_t slash, std::string_view parameters) noexcept
      : essence_(essence), slash_(slash), parameters_(parameters) {}

  std::string_view essence_;
  std::size_t slash_;
  std::string_view parameters_;  // known to be well-formed
};

}  // namespace volt::http::message
