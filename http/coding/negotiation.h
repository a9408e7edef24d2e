// SPDX-License-Identifier: MIT

// Chooses the coding of a response by the request's Accept-Encoding (RFC 9110 section 12.5.3), and determines the
// codings of a request's content by its Content-Encoding (section 8.4).
//
// Threads: pure functions and values.
// Errors: malformed elements of Accept-Encoding are ignored; the well-formed elements count.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "http/coding/content_coding.h"
#include "http/message/headers.h"

namespace volt::http::coding {

// Returns the coding with the highest quality among `offered` and identity. Of codings with equal quality, the first
// one in `offered` is chosen, and identity only if there is no other. Identity need not be in `offered`: it is always
// available. It is acceptable unless `identity;q=0` or `*;q=0` excludes it.
//   no Accept-Encoding       identity, since a client that sends none is mostly a tool without decoders
//   empty Accept-Encoding    identity (section 12.5.3)
//   no acceptable coding     nullopt: respond with 406, or send identity anyway (section 12.5.3 allows both)
std::optional<ContentCoding> choose_coding(const Fields& request_fields,
                                           std::span<const ContentCoding> offered = kPreferredCodings) noexcept;

// The codings of a request's content in the order in which they were applied: the last one must be decoded first.
class AppliedCodings {
 public:
  static constexpr std::size_t kMax = 2;  // more codings occur only in nested bombs

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const ContentCoding* begin() const noexcept { return codings_.data(); }
  const ContentCoding* end() const noexcept { return codings_.data() + size_; }

  // Appends a coding. Returns false if there are kMax already.
  bool append(ContentCoding coding) noexcept;

 private:
  std::array<ContentCoding, kMax> codings_{};
  std::size_t size_ = 0;
};

// Returns the codings of all Content-Encoding lines as one list. `identity` is skipped, although it should not occur
// there. Returns nullopt if a coding is unknown or if there are more than AppliedCodings::kMax. In this case, respond
// with 415 and Accept-Encoding (RFC 9110 section 15.5.16).
std::optional<AppliedCodings> applied_codings(const Fields& request_fields) noexcept;

}  // namespace volt::http::coding
