// Which coding an answer gets, by the request's Accept-Encoding (RFC 9110 section 12.5.3), and which codings a
// request's content has, by its Content-Encoding (section 8.4).
//
// Threads: pure functions and values.
// Errors: an Accept-Encoding that is malformed says as much as its good elements do.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "http/coding/content_coding.h"
#include "http/message/headers.h"

namespace volt::http::coding {

// The coding of highest quality among `offered` and identity; among equals the first offered, and identity last.
// Identity need not be offered: it is always at hand, and acceptable unless excluded by `identity;q=0` or `*;q=0`.
//   no Accept-Encoding at all  identity, since what says nothing is mostly a tool that decodes nothing
//   an empty one               identity (section 12.5.3)
//   nothing is acceptable      empty: answer 406, or send identity all the same (section 12.5.3 allows both)
std::optional<ContentCoding> choose_coding(const Fields& request_fields,
                                           std::span<const ContentCoding> offered = kPreferredCodings) noexcept;

// The codings of a request's content in the order in which they were applied: decode the last first.
class AppliedCodings {
 public:
  static constexpr std::size_t kMax = 2;  // more is no content but a bomb in a bomb

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const ContentCoding* begin() const noexcept { return codings_.data(); }
  const ContentCoding* end() const noexcept { return codings_.data() + size_; }

  // False if there are kMax.
  bool append(ContentCoding coding) noexcept;

 private:
  std::array<ContentCoding, kMax> codings_{};
  std::size_t size_ = 0;
};

// All Content-Encoding lines as one list. Identity, which does not belong there, is passed over. Empty if a coding is
// unknown, or if there are more than AppliedCodings::kMax: 415, with Accept-Encoding (RFC 9110 section 15.5.16).
std::optional<AppliedCodings> applied_codings(const Fields& request_fields) noexcept;

}  // namespace volt::http::coding
