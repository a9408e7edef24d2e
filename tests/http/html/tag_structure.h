// SPDX-License-Identifier: MIT

// A tokenizer of HTML as lenient as that of a browser (WHATWG HTML, section 13.2.5), to judge what was written. It
// shares no code with http/html, and is not used for anything else.
//
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::http {

struct SeenTag {
  std::string name;  // "/p" for an end tag; "!" for a comment or a declaration
  std::vector<std::pair<std::string, std::string>> attributes;
};

class TagReader {
 public:
  explicit TagReader(std::string_view html) : html_(html) {
    while (at_ < html_.size()) step();
  }
  const std::vector<SeenTag>& tags() const { return tags_; }

 private:
  static bool is_space(char c) { return std::string_view(" \t\n\f\r").contains(c); }
  static bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
  static char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < html_.size() ? html_[at_ + ahead] : '\0'; }

  bool follows(std::string_view word) const {
    return std::ranges::equal(html_.substr(at_, word.size()), word, {}, lower);
  }

  void step() {
    if (peek() != '<') {
      ++at_;
    } else if (!until_.empty()) {
      const std::string end = "</" + until_;
      const char after = peek(end.size());
      if (!follows(end) || !(is_space(after) || after == '/' || after == '>')) {
        ++at_;
        return;
      }
      until_.clear();
      tag();
    } else if (is_letter(peek(1)) || (peek(1) == '/' && is_letter(peek(2)))) {
      tag();
    } else if (peek(1) == '!' || peek(1) == '?' || peek(1) == '/') {
      comment();
    } else {
      ++at_;
    }
  }

  void comment() {
    tags_.push_back({"!", {}});
    if (!follows("<!--")) {
      at_ = std::min(html_.find('>', at_), html_.size());
      return;
    }
    at_ += 4;
    if (peek() == '>' || follows("->")) return;
    while (at_ < html_.size() && !follows("-->") && !follows("--!>")) ++at_;
    at_ = std::min(html_.find('>', at_), html_.size());
  }

  void tag() {
    SeenTag tag;
    ++at_;
    if (peek() == '/') tag.name += html_[at_++];
    while (at_ < html_.size() && !is_space(peek()) && peek() != '/' && peek() != '>') tag.name += lower(html_[at_++]);
    while (at_ < html_.size() && peek() != '>') attribute(tag);
    ++at_;
    constexpr auto special = std::to_array<std::string_view>(
        {"title", "textarea", "script", "style", "iframe", "noembed", "noframes", "xmp"});
    if (std::ranges::find(special, tag.name) != special.end()) until_ = tag.name;
    tags_.push_back(std::move(tag));
  }

  void attribute(SeenTag& tag) {
    if (is_space(peek()) || peek() == '/') {
      ++at_;
      return;
    }
    std::string name(1, lower(html_[at_++]));
    while (at_ < html_.size() && !is_space(peek()) && peek() != '/' && peek() != '>' && peek() != '=') {
      name += lower(html_[at_++]);
    }
    std::size_t equals = at_;
    while (equals < html_.size() && is_space(html_[equals])) ++equals;
    std::string value;
    if (equals < html_.size() && html_[equals] == '=') {
      at_ = equals + 1;
      value = attribute_value();
    }
    tag.attributes.emplace_back(std::move(name), std::move(value));
  }

  std::string attribute_value() {
    while (is_space(peek())) ++at_;
    std::string value;
    const char quote = peek();
    if (quote == '"' || quote == '\'') {
      for (++at_; at_ < html_.size() && peek() != quote;) value += html_[at_++];
      ++at_;
    } else {
      while (at_ < html_.size() && !is_space(peek()) && peek() != '>') value += html_[at_++];
    }
    return value;
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::string until_;  // the element whose end tag alone is markup
  std::vector<SeenTag> tags_;
};

// The tags of a page with the names of their attributes: "<p class title></p>".
inline std::string tag_structure(std::string_view html) {
  std::string structure;
  const TagReader reader(html);
  for (const SeenTag& tag : reader.tags()) {
    structure.append("<").append(tag.name);
    for (const auto& [name, value] : tag.attributes) structure.append(" ").append(name);
    structure += '>';
  }
  return structure;
}

// Whether a browser would run an address of the page as a script, or show it as a document of this site.
inline bool has_script_address(std::string_view html) {
  const TagReader reader(html);
  for (const SeenTag& tag : reader.tags()) {
    for (const auto& [name, value] : tag.attributes) {
      if (name != "href" && name != "src" && name != "action") continue;
      std::string address;  // without what browsers skip; entities are not decoded, for none stands for these letters
      for (const char c : value) {
        if (static_cast<unsigned char>(c) > ' ')
          address += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
      if (address.starts_with("javascript:") || address.starts_with("data:") || address.starts_with("vbscript:"))
        return true;
    }
  }
  return false;
}

}  // namespace volt::http
