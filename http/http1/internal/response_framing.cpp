// SPDX-License-Identifier: MIT

#include "http/http1/internal/response_framing.h"

namespace volt::http::http1 {
namespace {

// Returns whether the response cannot have a body, whatever its fields state (rules 1 and 2).
bool never_has_body(Method method, Status status) noexcept {
  const std::uint16_t number = code(status);
  if (method == Method::head || number < 200) return true;
  if (method == Method::connect && number < 300) return true;  // a tunnel begins
  return status == Status::no_content || status == Status::not_modified;
}

ResponseError framing_error_for(ParseError error) noexcept {
  switch (error) {
    case ParseError::bad_length:
      return ResponseError::bad_length;
    case ParseError::bad_transfer_coding:
      return ResponseError::bad_transfer_coding;
    case ParseError::unsupported_transfer_coding:
      return ResponseError::unsupported_transfer_coding;
    default:  // the other errors of request_framing()
      return ResponseError::conflicting_framing;
  }
}

}  // namespace

std::expected<ResponseFraming, ResponseError> response_framing(Method method, Status status,
                                                               const FramingFields& fields, Version version) noexcept {
  if (never_has_body(method, status)) return ResponseFraming{};
  const auto framing = request_framing(fields, version);
  if (!framing) return std::unexpected(framing_error_for(framing.error()));
  switch (framing->kind) {
    case Framing::Kind::none:
      return ResponseFraming{ResponseFraming::Kind::until_close};  // rule 8
    case Framing::Kind::sized:
      return ResponseFraming{ResponseFraming::Kind::sized, framing->size_bytes};
    case Framing::Kind::chunked:
      return ResponseFraming{ResponseFraming::Kind::chunked};
  }
  std::unreachable();
}

}  // namespace volt::http::http1
