// SPDX-License-Identifier: MIT

// Scanner: follows the literal text of a template through the tokenizer of HTML (WHATWG HTML, section 13.2.5), at
// compile time. It is stricter than a browser: markup that a browser repairs is refused, because repairs are where a
// scanner and a browser could come to different results.
//
// Threads: constants.
#pragma once

#include <cstddef>
#include <string_view>

#include "http/html/internal/find_char.h"
#include "http/html/internal/place.h"
#include "http/html/internal/template_error.h"
#include "http/message/ascii.h"

namespace volt::http::html {

class Scanner {
 public:
  // Begins at `place`, where `text` continues the document.
  constexpr Scanner(Place place, std::string_view text) : place_(place), text_(text.data()), size_(text.size()) {
    while (at_ < size_ && error_ == TemplateError::none) step();
    finish();
  }

  constexpr const Place& place() const { return place_; }
  constexpr TemplateError error() const { return error_; }
  // Where the mistake is in the text.
  constexpr std::size_t at() const { return at_; }

 private:
  static constexpr std::size_t kNowhere = std::string_view::npos;

  constexpr void fail(TemplateError error) {
    if (error_ == TemplateError::none) error_ = error;
  }
  constexpr std::string_view all() const { return {text_, size_}; }
  constexpr bool follows(std::string_view word) const {
    return size_ - at_ >= word.size() && message::equal_ignoring_case({text_ + at_, word.size()}, word);
  }

  constexpr void step() {
    switch (place_.region) {
      case Region::text:
        return text();
      case Region::in_tag:
      case Region::glued:
        return in_tag();
      case Region::equals:
        return equals();
      case Region::value:
        return value();
      case Region::text_only:
      case Region::json:
      case Region::raw:
        return until_end_tag();
    }
  }

  // A literal may end within a tag between attributes; a name that it ends with could be continued by what follows.
  constexpr void finish() {
    if (place_.region == Region::equals) fail(TemplateError::unquoted);
    if (place_.region == Region::value && place_.quote == 0) fail(TemplateError::unquoted);
  }

  constexpr void text() {
    at_ = find_char(all(), '<', at_);
    if (at_ == size_) return;
    const bool end_tag = at_ + 1 < size_ && text_[at_ + 1] == '/';
    const std::size_t name = at_ + (end_tag ? 2 : 1);
    if (name < size_ && text_[name] == '!') return declaration();
    if (name < size_ && message::is_alpha(text_[name])) {
      at_ = name;
      tag_name(end_tag);
    } else {
      fail(TemplateError::bare_less_than);
    }
  }

  // Takes a comment or a doctype.
  constexpr void declaration() {
    if (follows("<!--")) return comment();
    if (!follows("<!doctype")) return fail(TemplateError::bare_less_than);
    at_ = find_char(all(), '>', at_);
    if (at_ == size_) return fail(TemplateError::split_markup);
    ++at_;
  }

  constexpr void comment() {
    const std::size_t begin = at_ + 4;
    const std::size_t close = find_pair(all(), '-', begin);
    if (close == size_) return fail(TemplateError::in_comment);
    const bool ends = close + 2 < size_ && text_[close + 2] == '>';
    const bool begins_with_end = begin < size_ && (text_[begin] == '>' || text_[begin] == '-');
    if (!ends || begins_with_end) return fail(TemplateError::in_comment);
    at_ = close + 3;
  }

  constexpr void tag_name(bool end_tag) {
    const std::size_t begin = at_;
    while (at_ < size_ && !is_html_space(text_[at_]) && text_[at_] != '/' && text_[at_] != '>') ++at_;
    place_ = {.region = Region::glued,
              .element = element_of(std::string_view(text_ + begin, at_ - begin)),
              .end_tag = end_tag};
    if (place_.element == Element::plaintext) fail(TemplateError::in_raw_element);
  }

  constexpr void in_tag() {
    const char c = text_[at_];
    if (c == '>') {
      ++at_;
      end_of_tag();
    } else if (is_html_space(c) || c == '/') {
      ++at_;
      place_.region = Region::in_tag;
    } else if (place_.region == Region::glued) {
      fail(TemplateError::split_markup);
    } else {
      attribute_name();
    }
  }

  constexpr void end_of_tag() {
    if (place_.has_equiv && place_.has_value) return fail(TemplateError::in_refresh);
    const Place tag = place_;
    place_ = {};
    if (tag.end_tag) return;
    switch (tag.element) {
      case Element::title:
      case Element::textarea:
        place_.region = Region::text_only;
        break;
      case Element::script:
        place_.region = tag.json_type ? Region::json : Region::raw;
        break;
      case Element::style:
      case Element::iframe:
      case Element::noembed:
      case Element::noframes:
      case Element::xmp:
        place_.region = Region::raw;
        break;
      default:
        return;
    }
    place_.element = tag.element;
  }

  constexpr void attribute_name() {
    const std::size_t begin = at_;
    for (; at_ < size_; ++at_) {
      const char c = text_[at_];
      if (is_html_space(c) || c == '/' || c == '>' || c == '=') break;
      if (c == '"' || c == '\'' || c == '<' || c == '`') return fail(TemplateError::unquoted);
    }
    const std::string_view name = std::string_view(text_ + begin, at_ - begin);
    if (name.empty()) return fail(TemplateError::unquoted);
    place_.region = Region::glued;
    place_.attribute = attribute_of(place_.element, name);
    place_.has_equiv =
        place_.has_equiv || (place_.element == Element::meta && message::equal_ignoring_case(name, "http-equiv"));
    is_type_ = message::equal_ignoring_case(name, "type");
    std::size_t next = at_;
    while (next < size_ && is_html_space(text_[next])) ++next;
    if (next == size_ || text_[next] != '=') return forget_attribute();
    at_ = next + 1;
    place_.region = Region::equals;
  }

  constexpr void forget_attribute() {
    place_.attribute = Attribute::plain;
    place_.url = Url::none;
    place_.quote = 0;
    is_type_ = false;
  }

  constexpr void equals() {
    const char c = text_[at_];
    if (is_html_space(c)) {
      ++at_;
      return;
    }
    if (c == '>') return fail(TemplateError::unquoted);
    const bool quoted = c == '"' || c == '\'';
    if (quoted) ++at_;
    place_.quote = quoted ? c : '\0';
    place_.region = Region::value;
    const bool is_url = place_.attribute == Attribute::url || place_.attribute == Attribute::resource_url;
    place_.url = is_url ? Url::start : Url::none;
    value_begin_ = at_;
  }

  constexpr bool ends_value(char c) const {
    return place_.quote != 0 ? c == place_.quote : is_html_space(c) || c == '>';
  }

  constexpr void value() {
    const bool literal_only = place_.url == Url::none || place_.url == Url::settled || place_.url == Url::unsafe;
    if (literal_only && place_.quote != 0) at_ = find_char(all(), place_.quote, at_);
    for (; at_ < size_; ++at_) {
      const char c = text_[at_];
      if (ends_value(c)) break;
      if (place_.quote == 0 && (c == '"' || c == '\'' || c == '<' || c == '=' || c == '`')) {
        return fail(TemplateError::unquoted);
      }
      if (place_.url != Url::none && place_.url != Url::settled) address(c);
      if (error_ != TemplateError::none) return;
    }
    if (at_ == size_) return;
    if (is_type_ && !place_.has_type) {
      place_.json_type =
          value_begin_ != kNowhere && is_json_type(std::string_view(text_ + value_begin_, at_ - value_begin_));
      place_.has_type = true;
    }
    if (place_.quote != 0) ++at_;
    forget_attribute();
    place_.region = Region::glued;
    value_begin_ = kNowhere;
  }

  // Takes one character of an address whose scheme is not yet known.
  constexpr void address(char c) {
    if (place_.url == Url::unsafe) return;
    if (c == '/' || c == '?' || c == '#') {
      place_.url = Url::settled;
    } else if (c == ':') {
      if (place_.url == Url::after_value) return fail(TemplateError::scheme);
      const bool whole = value_begin_ != kNowhere;
      const bool safe = whole && is_safe_scheme(std::string_view(text_ + value_begin_, at_ - value_begin_));
      place_.url = safe ? Url::settled : Url::unsafe;
    } else if (c == '&' || c == '\\' || static_cast<unsigned char>(c) <= ' ') {
      place_.url = Url::unsafe;  // a browser may read the scheme otherwise than this scanner
    } else if (place_.url == Url::start) {
      place_.url = Url::undecided;
    }
  }

  constexpr void until_end_tag() {
    if (place_.region != Region::json) {
      at_ = find_char(all(), '<', at_);
      if (at_ < size_) maybe_end_tag();
      return;
    }
    for (; at_ < size_; ++at_) {
      const char c = text_[at_];
      if (place_.in_string && c == '\\' && ++at_ == size_) {
        return fail(TemplateError::in_json_string);
      }
      if (c == '"') place_.in_string = !place_.in_string;
      if (c == '<') return maybe_end_tag();
    }
  }

  // Takes a < in the text of an element that ends with its own end tag only.
  constexpr void maybe_end_tag() {
    const std::string_view name = name_of(place_.element);
    const std::size_t end = at_ + 2 + name.size();
    if (follows("</") && end < size_ && message::equal_ignoring_case({text_ + at_ + 2, name.size()}, name) &&
        (is_html_space(text_[end]) || text_[end] == '/' || text_[end] == '>')) {
      at_ = end;
      place_ = {.region = Region::glued, .end_tag = true};
      return;
    }
    if (place_.region == Region::text_only || place_.region == Region::json) return fail(TemplateError::bare_less_than);
    if (follows("<!--")) return fail(TemplateError::script_comment);
    if (end >= size_) return fail(TemplateError::split_markup);  // no {{ }} may stand in this element
    ++at_;
  }

  Place place_;
  const char* text_;  // no std::string_view, whose operator[] would take more steps of constant evaluation
  std::size_t size_;
  std::size_t at_ = 0;
  TemplateError error_ = TemplateError::none;
  std::size_t value_begin_ = kNowhere;  // of an attribute whose value begins in this text
  bool is_type_ = false;
};

}  // namespace volt::http::html
