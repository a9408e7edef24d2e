// SPDX-License-Identifier: MIT

// Reasons for rejecting a multipart body.
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace volt::http::multipart {

enum class MultipartError : std::uint8_t {
  not_form_data,         // Another media type: 415.
  bad_boundary,          // RFC 2046 section 5.1.1.
  bad_delimiter,         // RFC 2046 section 5.1.1.
  preamble_too_large,    // MultipartLimits.
  epilogue_too_large,    // MultipartLimits.
  too_many_parts,        // MultipartLimits.
  head_too_large,        // MultipartLimits.
  too_many_fields,       // MultipartLimits.
  bad_field,             // RFC 2046 section 5.1, RFC 9110 section 5.5.
  bad_disposition,       // RFC 7578 section 4.2.
  unsupported_encoding,  // RFC 7578 section 4.7.
  incomplete,            // RFC 2046 section 5.1.1: the last delimiter is missing.
};

// Returns a description of the error, for a problem's `detail`.
constexpr std::string_view to_sentence(MultipartError error) noexcept {
  switch (error) {  // No default: a new enumerator without a case fails the build by -Wswitch.
    case MultipartError::not_form_data:
      return "the content type is not multipart/form-data";
    case MultipartError::bad_boundary:
      return "the content type has no valid boundary";
    case MultipartError::bad_delimiter:
      return "a delimiter line does not end in CRLF";
    case MultipartError::preamble_too_large:
      return "too much text before the first part";
    case MultipartError::epilogue_too_large:
      return "too much text after the last part";
    case MultipartError::too_many_parts:
      return "too many parts";
    case MultipartError::head_too_large:
      return "the head of a part is too large";
    case MultipartError::too_many_fields:
      return "a part has too many header fields";
    case MultipartError::bad_field:
      return "a part has a malformed header field";
    case MultipartError::bad_disposition:
      return "a part has no valid Content-Disposition: form-data; name=\"...\"";
    case MultipartError::unsupported_encoding:
      return "a part has a Content-Transfer-Encoding other than 7bit, 8bit or binary";
    case MultipartError::incomplete:
      return "the body ended before the last delimiter";
  }
  std::unreachable();
}

}  // namespace volt::http::multipart
