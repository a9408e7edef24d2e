// SPDX-License-Identifier: MIT

// Runs a multipart body through the parser like an extractor, split at any offsets, and returns the outcome as text.
// Every piece is in a block of its own, so that a stale view or a read past the end is an error under ASan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/multipart/internal/multipart_parser.h"
#include "runtime/base/check.h"

namespace volt::http::multipart {

struct ParsedPart {
  std::string name, content_type, data;
  std::optional<std::string> file_name;
  std::size_t fields = 0;
  bool whole = false;
  bool operator==(const ParsedPart&) const = default;
};

struct ParsedForm {
  std::vector<ParsedPart> parts;
  std::optional<MultipartError> error;
  bool ended = false;
  bool operator==(const ParsedForm&) const = default;
};

inline void take(const MultipartStep& step, const MultipartParser& parser, ParsedForm& form) {
  VOLT_CHECK(!form.ended || step.event == MultipartEvent::need_more);
  VOLT_CHECK(step.data.empty() == (step.event != MultipartEvent::part_data));
  switch (step.event) {
    case MultipartEvent::need_more:
      return;
    case MultipartEvent::part_begin:
      VOLT_CHECK(form.parts.empty() || form.parts.back().whole);
      form.parts.push_back({.name = parser.part().name(),
                            .content_type = std::string(parser.part().content_type()),
                            .data = {},
                            .file_name = parser.part().file_name(),
                            .fields = parser.part().fields().size()});
      return;
    case MultipartEvent::part_data:
      VOLT_CHECK(!form.parts.back().whole);
      form.parts.back().data += step.data;
      return;
    case MultipartEvent::part_end:
      VOLT_CHECK(!form.parts.back().whole);
      form.parts.back().whole = true;
      return;
    case MultipartEvent::end:
      form.ended = true;
      return;
  }
}

inline bool feed_piece(MultipartParser& parser, std::string_view piece, ParsedForm& form) {
  const auto block = std::make_unique<char[]>(piece.size());
  std::copy(piece.begin(), piece.end(), block.get());
  std::string_view rest(block.get(), piece.size());
  for (;;) {
    const auto step = parser.feed(rest);
    if (!step) {
      form.error = step.error();
      VOLT_CHECK(parser.feed(rest) == step);  // The error persists.
      return false;
    }
    VOLT_CHECK(step->consumed <= rest.size());
    rest.remove_prefix(step->consumed);
    take(*step, parser, form);
    if (step->event != MultipartEvent::need_more) continue;
    VOLT_CHECK(rest.empty());
    return true;
  }
}

// `cuts` are offsets in increasing order.
inline ParsedForm parse_form(std::string_view boundary, std::string_view body, std::span<const std::size_t> cuts = {},
                             const MultipartLimits& limits = {}) {
  MultipartParser parser(boundary, limits);
  ParsedForm form;
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    if (!feed_piece(parser, body.substr(begin, cut - begin), form)) return form;
    begin = cut;
  }
  if (!feed_piece(parser, body.substr(begin), form)) return form;
  if (const auto finished = parser.finish(); !finished) form.error = finished.error();
  return form;
}

inline ParsedForm parse_form_by_bytes(std::string_view boundary, std::string_view body,
                                      const MultipartLimits& limits = {}) {
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 1; cut < body.size(); ++cut) cuts.push_back(cut);
  return parse_form(boundary, body, cuts, limits);
}

}  // namespace volt::http::multipart
