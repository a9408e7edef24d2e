// SPDX-License-Identifier: MIT

#include "http/coding/negotiation.h"

#include <string_view>

#include "http/message/quality_list.h"

namespace volt::http::coding {
namespace {

using message::QualityList;

// Returns the quality that the list states for a coding by name. If the coding is listed twice, also as gzip and
// x-gzip, the first element counts.
std::optional<int> listed_quality(const QualityList& accepted, ContentCoding coding) noexcept {
  for (const message::Weighted& element : accepted) {
    if (content_coding_from_token(element.value) == coding) return element.q;
  }
  return std::nullopt;
}

std::optional<int> wildcard_quality(const QualityList& accepted) noexcept {
  for (const message::Weighted& element : accepted) {
    if (element.value == "*") return element.q;
  }
  return std::nullopt;
}

// Returns the quality of a coding; `*` matches every coding that is not listed.
std::optional<int> quality(const QualityList& accepted, ContentCoding coding) noexcept {
  const auto listed = listed_quality(accepted, coding);
  return listed ? listed : wildcard_quality(accepted);
}

}  // namespace

std::optional<ContentCoding> choose_coding(const Fields& request_fields,
                                           std::span<const ContentCoding> offered) noexcept {
  const QualityList accepted(request_fields.all("accept-encoding"));
  if (accepted.empty()) return ContentCoding::identity;
  int best_q = 0;
  std::optional<ContentCoding> best;
  for (const ContentCoding coding : offered) {
    const int q = quality(accepted, coding).value_or(0);
    if (q <= best_q) continue;
    best_q = q;
    best = coding;
  }
  const auto identity_q = quality(accepted, ContentCoding::identity);
  if (identity_q > best_q || (!identity_q && !best)) return ContentCoding::identity;
  return best;
}

bool AppliedCodings::append(ContentCoding coding) noexcept {
  if (size_ == kMax) return false;
  codings_[size_++] = coding;
  return true;
}

std::optional<AppliedCodings> applied_codings(const Fields& request_fields) noexcept {
  AppliedCodings applied;
  for (std::string_view list : request_fields.all("content-encoding")) {
    while (!list.empty()) {
      const std::string_view token = message::take_list_element(list);
      if (token.empty()) continue;
      const auto coding = content_coding_from_token(token);
      if (!coding) return std::nullopt;
      if (*coding != ContentCoding::identity && !applied.append(*coding)) return std::nullopt;
    }
  }
  return applied;
}

}  // namespace volt::http::coding
