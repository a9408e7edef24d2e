// SPDX-License-Identifier: MIT

// The mistakes of a template, which are errors of the compiler (http/html/internal/compiled.h).
//
// Threads: constants.
#pragma once

#include <cstdint>

namespace volt::http::html {

enum class TemplateError : std::uint8_t {
  none,
  too_large,
  too_long,
  unclosed_tag,
  unknown_tag,
  bad_path,
  bad_condition,
  bad_loop,
  stray_else,
  stray_end,
  missing_end,
  different_ends,
  unfinished,
  bare_less_than,
  split_markup,
  in_comment,
  in_script,
  in_style,
  in_raw_element,
  in_markup,
  unquoted,
  in_event_handler,
  in_style_attribute,
  in_document,
  in_refresh,
  in_fixed_attribute,
  in_animation,
  in_json_string,
  script_comment,
  scheme,
  no_member,
  no_struct,
  no_text,
  no_json,
  markup_misplaced,
  needs_trusted_url,
  url_misplaced,
  no_condition,
  no_comparison,
  no_enumerator,
  no_range,
  no_pairs,
};

}  // namespace volt::http::html
