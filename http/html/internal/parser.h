// SPDX-License-Identifier: MIT

// Parser: takes a template apart into nodes, at compile time.
//
// The nodes are in the order of the text. A block ({{if}}, {{for}}) knows where its parts end: its body is the nodes
// from the next one up to `otherwise`, its {{else}} those up to `end`.
//
// A line that has nothing but a block or a comment leaves no empty line behind: its spaces and its end are not written.
//
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/html/internal/find_char.h"
#include "http/html/internal/place.h"
#include "http/html/internal/scanner.h"
#include "http/html/internal/template_error.h"
#include "reflect/text.h"

namespace volt::http::html {

// A part of a template's text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;

  constexpr std::string_view of(std::string_view text) const noexcept { return text.substr(begin, size); }
  constexpr bool empty() const noexcept { return size == 0; }
  bool operator==(const Span&) const = default;
};

enum class NodeKind : std::uint8_t { literal, value, condition, loop };
enum class Operator : std::uint8_t { is_true, equal, not_equal };

struct Node {
  NodeKind kind = NodeKind::literal;
  Operator comparison = Operator::is_true;
  bool negated = false;         // {{if not ...}}
  Place place = {};             // of a value
  Span text = {};               // the literal, or the path: "pen.color"
  Span right = {};              // the other side of a comparison: a path, a number, or a text in quotes
  Span first = {};              // the variable of a loop, or that of the key
  Span second = {};             // the variable of the value, in a loop over pairs
  std::uint16_t otherwise = 0;  // the end of the body
  std::uint16_t end = 0;        // the end of the block
};

inline constexpr std::size_t kNodesMax = 512;
// clang evaluates 2^20 steps for a constant. A text of 30 KiB that has nothing but tags needs as many.
inline constexpr std::size_t kTemplateBytesMax = std::size_t{16} * 1024;

class Parser {
 public:
  constexpr explicit Parser(std::string_view text) : text_(text) {
    if (text_.size() > kTemplateBytesMax) {
      fail(TemplateError::too_large, {});
      return;
    }
    if (text_.starts_with('\n')) at_ = 1;  // a raw string begins better on a line of its own
    Stop stop = block();
    if (stop == Stop::otherwise || stop == Stop::otherwise_if) fail(TemplateError::stray_else, tag_);
    if (stop == Stop::end) fail(TemplateError::stray_end, tag_);
    if (place_ != Place()) fail(TemplateError::unfinished, {static_cast<std::uint32_t>(text_.size()), 0});
  }

  constexpr TemplateError error() const { return error_; }
  constexpr Span where() const { return where_; }
  constexpr std::size_t size() const { return size_; }
  constexpr const Node& operator[](std::size_t i) const { return nodes_[i]; }

 private:
  enum class Stop : std::uint8_t { text_end, otherwise, otherwise_if, end };

  constexpr void fail(TemplateError error, Span where) {
    if (error_ == TemplateError::none) {
      error_ = error;
      where_ = where;
    }
    at_ = text_.size();
  }

  constexpr std::size_t append(const Node& node) {
    if (size_ == kNodesMax) {
      fail(TemplateError::too_long, node.text);
      return kNodesMax - 1;
    }
    nodes_[size_] = node;
    return size_++;
  }

  static constexpr Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  }

  // Parses up to the tag that ends the block, whose inner text is then in tag_.
  constexpr Stop block() {
    while (at_ < text_.size()) {
      const std::size_t open = find_pair(text_, '{', at_);
      const std::size_t literal_begin = at_;
      if (open == text_.size()) {
        at_ = text_.size();
        literal(literal_begin, at_);
        break;
      }
      const std::size_t close = find_pair(text_, '}', open);
      const std::size_t line_end = find_char(text_, '\n', open);
      if (close == text_.size() || (line_end < close && text_[open + 2] != '!')) {
        fail(TemplateError::unclosed_tag, span(open, line_end));
        break;
      }
      tag_ = trimmed(open + 2, close);
      at_ = close + 2;
      const bool is_block = is_comment() || is_block_word(first_word());
      literal(literal_begin, is_block ? line_of_its_own(literal_begin, open) : open);
      if (error_ != TemplateError::none) break;
      if (is_comment()) continue;
      if (first_word() == "end" && rest().empty()) return Stop::end;
      if (first_word() == "else") {
        if (rest().empty()) return Stop::otherwise;
        if (starts_with_word(rest(), "if")) return Stop::otherwise_if;
      }
      node();
    }
    return Stop::text_end;
  }

  constexpr bool is_comment() const { return tag_.of(text_).starts_with('!'); }

  static constexpr bool is_block_word(std::string_view word) {
    return word == "if" || word == "for" || word == "else" || word == "end";
  }

  // If the tag from `open` to at_ is alone in its line, returns the begin of the line, and moves at_ behind its end.
  constexpr std::size_t line_of_its_own(std::size_t literal_begin, std::size_t open) {
    std::size_t begin = open;
    while (begin > literal_begin && is_blank(text_[begin - 1])) --begin;
    if (begin > 0 && text_[begin - 1] != '\n') return open;
    std::size_t end = at_;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    if (end < text_.size() && text_[end] != '\n') return open;
    at_ = end < text_.size() ? end + 1 : end;
    return begin;
  }

  static constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  constexpr void literal(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const Scanner scanned(place_, text_.substr(begin, end - begin));
    if (scanned.error() != TemplateError::none) {
      const std::size_t from = begin + scanned.at();
      return fail(scanned.error(), span(from, from + (end - from < 24 ? end - from : 24)));
    }
    place_ = scanned.place();
    append({.kind = NodeKind::literal, .text = span(begin, end)});
  }

  constexpr void node() {
    const std::string_view word = first_word();
    if (word == "if") return condition(rest_begin());
    if (word == "for") return loop();
    if (word == "else" || word == "end" || word.empty()) return fail(TemplateError::unknown_tag, tag_);
    value();
  }

  constexpr void value() {
    if (!is_path(tag_)) {
      const bool names = message::is_alpha(tag_.of(text_).front()) || tag_.of(text_).front() == '_';
      return fail(names ? TemplateError::bad_path : TemplateError::unknown_tag, tag_);
    }
    if (place_.element == Element::meta) place_.has_value = true;
    const TemplateError refusal = refusal_of(place_);
    if (refusal != TemplateError::none) return fail(refusal, tag_);
    append({.kind = NodeKind::value, .place = place_, .text = tag_});
    if (place_.url == Url::start || place_.url == Url::undecided) place_.url = Url::after_value;
  }

  constexpr bool may_begin_block() {
    const TemplateError refusal = block_refusal_of(place_);
    if (refusal != TemplateError::none) fail(refusal, tag_);
    return refusal == TemplateError::none;
  }

  // Parses {{if ...}} up to its {{end}}; the condition begins at `begin`. An {{else if}} is an {{if}} in an {{else}}.
  constexpr void condition(std::size_t begin) {
    const Span tag = tag_;
    Node test{.kind = NodeKind::condition};
    if (!parse_condition(begin, test)) return fail(TemplateError::bad_condition, tag);
    if (!may_begin_block()) return;
    const std::size_t index = append(test);
    const Place before = place_;
    const Stop stop = block();
    nodes_[index].otherwise = static_cast<std::uint16_t>(size_);
    const Place after = place_;
    if (stop != Stop::end) place_ = before;
    if (stop == Stop::otherwise_if) {
      condition(span_after(rest_begin(), "if"));
    } else if (stop == Stop::otherwise) {
      if (!end_of_block(block())) return;
    } else if (!end_of_block(stop)) {
      return;
    } else {
      place_ = before;
    }
    join(after, tag);
    nodes_[index].end = static_cast<std::uint16_t>(size_);
  }

  constexpr void loop() {
    const Span tag = tag_;
    Node node{.kind = NodeKind::loop};
    if (!parse_loop(node)) return fail(TemplateError::bad_loop, tag);
    if (!may_begin_block()) return;
    const std::size_t index = append(node);
    const Place before = place_;
    const Stop stop = block();
    nodes_[index].otherwise = static_cast<std::uint16_t>(size_);
    join(before, tag);
    if (place_ != before && error_ == TemplateError::none) fail(TemplateError::different_ends, tag);
    place_ = before;
    if (stop == Stop::otherwise) {
      if (!end_of_block(block())) return;
      join(before, tag);
    } else if (!end_of_block(stop)) {
      return;
    }
    nodes_[index].end = static_cast<std::uint16_t>(size_);
  }

  constexpr bool end_of_block(Stop stop) {
    if (stop == Stop::end) return error_ == TemplateError::none;
    const bool text_end = stop == Stop::text_end;
    fail(text_end ? TemplateError::missing_end : TemplateError::stray_else,
         text_end ? Span{static_cast<std::uint32_t>(text_.size()), 0} : tag_);
    return false;
  }

  // Two ways through a block must end at one place. Between attributes, the stricter of two places counts: a name may
  // have to be followed by a space.
  constexpr void join(const Place& other, Span tag) {
    Place a = place_;
    Place b = other;
    if (a.region == Region::glued) a.region = Region::in_tag;
    if (b.region == Region::glued) b.region = Region::in_tag;
    a.has_value = b.has_value = a.has_value || b.has_value;
    if (a != b && error_ == TemplateError::none) fail(TemplateError::different_ends, tag);
    if (place_.region == Region::in_tag) place_.region = other.region;
    place_.has_value = a.has_value;
  }

  constexpr Span trimmed(std::size_t begin, std::size_t end) const {
    while (begin < end && is_html_space(text_[begin])) ++begin;
    while (end > begin && is_html_space(text_[end - 1])) --end;
    return span(begin, end);
  }
  // The word at `begin` in the tag: up to a space.
  constexpr Span word_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < tag_.begin + tag_.size && !is_html_space(text_[end])) ++end;
    return span(begin, end);
  }
  constexpr std::string_view first_word() const { return word_at(tag_.begin).of(text_); }
  constexpr std::size_t skip_spaces(std::size_t at) const {
    while (at < tag_.begin + tag_.size && is_html_space(text_[at])) ++at;
    return at;
  }
  constexpr std::size_t rest_begin() const { return skip_spaces(tag_.begin + first_word().size()); }
  constexpr std::string_view rest() const { return text_.substr(rest_begin(), tag_.begin + tag_.size - rest_begin()); }
  constexpr std::size_t span_after(std::size_t at, std::string_view word) const {
    return skip_spaces(at + word.size());
  }
  static constexpr bool starts_with_word(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || is_html_space(text[word.size()]));
  }

  constexpr bool is_name(Span name) const {
    const std::string_view text = name.of(text_);
    if (text.empty() || message::is_digit(text[0])) return false;
    for (const char c : text) {
      if (!reflect::is_identifier_char(c)) return false;
    }
    return true;
  }
  constexpr bool is_path(Span path) const {
    std::size_t begin = path.begin;
    const std::size_t end = path.begin + path.size;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i != end && text_[i] != '.') continue;
      if (!is_name(span(begin, i))) return false;
      begin = i + 1;
    }
    return true;
  }
  constexpr bool is_operand(Span operand) const {
    const std::string_view text = operand.of(text_);
    if (text.size() >= 2 && text.front() == '\'') return text.find('\'', 1) == text.size() - 1;
    std::size_t digits = text.starts_with('-') ? 1 : 0;
    const bool number = digits < text.size();
    while (digits < text.size() && message::is_digit(text[digits])) ++digits;
    return (number && digits == text.size()) || is_path(operand);
  }

  // Parses `[not] path`, or `path == operand`.
  constexpr bool parse_condition(std::size_t begin, Node& node) const {
    const std::size_t end = tag_.begin + tag_.size;
    Span left = word_at(begin);
    std::size_t next = skip_spaces(left.begin + left.size);
    if (left.of(text_) == "not" && next != end) {
      node.negated = true;
      left = word_at(next);
      next = skip_spaces(left.begin + left.size);
    }
    node.text = left;
    if (!is_path(left)) return false;
    if (next == end) return true;
    const std::string_view sign = word_at(next).of(text_);
    if (node.negated || (sign != "==" && sign != "!=")) return false;
    node.comparison = sign == "==" ? Operator::equal : Operator::not_equal;
    const std::size_t operand = skip_spaces(next + 2);
    node.right = span(operand, end);
    return is_operand(node.right);
  }

  // Parses `for name in path`, or `for key, value in path`.
  constexpr bool parse_loop(Node& node) const {
    std::size_t at = rest_begin();
    std::size_t end = at;
    while (end < tag_.begin + tag_.size && reflect::is_identifier_char(text_[end])) ++end;
    node.first = span(at, end);
    at = skip_spaces(end);
    if (at < tag_.begin + tag_.size && text_[at] == ',') {
      at = skip_spaces(at + 1);
      node.second = word_at(at);
      if (!is_name(node.second)) return false;
      at = skip_spaces(at + node.second.size);
    }
    if (!is_name(node.first) || word_at(at).of(text_) != "in") return false;
    at = skip_spaces(at + 2);
    node.text = span(at, tag_.begin + tag_.size);
    return is_path(node.text);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Place place_;
  Span tag_;  // the inner text of the last {{ }}
  TemplateError error_ = TemplateError::none;
  Span where_;
  std::size_t size_ = 0;
  std::array<Node, kNodesMax> nodes_{};
};

}  // namespace volt::http::html
