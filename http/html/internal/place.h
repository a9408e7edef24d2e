// SPDX-License-Identifier: MIT

// Place: where in an HTML document a position of a template is, by the tokenizer of HTML (WHATWG HTML, section 13.2.5),
// and what a value there would mean. Only literal text moves a place: a value is written so that it cannot.
//
// Threads: constants.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "http/html/internal/template_error.h"
#include "http/message/ascii.h"

namespace volt::http::html {

enum class Region : std::uint8_t {
  text,       // between tags
  in_tag,     // in a tag, where an attribute may begin
  glued,      // in a tag, directly after a name or a value: an attribute may begin after a space
  equals,     // after the = of an attribute
  value,      // in the value of an attribute
  text_only,  // in <title> or <textarea>: text with escapes, without tags
  json,       // in <script type="application/json">
  raw,        // in another script, or an element whose text has no escapes
};

// Elements that change what their text or their attributes mean.
enum class Element : std::uint8_t {
  other,
  title,
  textarea,
  script,
  style,
  iframe,
  noembed,
  noframes,
  xmp,
  plaintext,  // never ends
  meta,
  resource,   // its addresses decide what the page runs or embeds
  animation,  // <set> and <animate> of SVG change attributes
};

enum class Attribute : std::uint8_t {
  plain,
  url,
  resource_url,
  url_list,  // srcset: addresses with words between them
  event_handler,
  style,
  document,
  fixed,  // its value must be literal
};

// How far the address in an attribute is known.
enum class Url : std::uint8_t {
  none,         // the attribute holds something else
  start,        // nothing is written
  undecided,    // a literal that may still become a scheme
  after_value,  // a value and no / ? # yet
  settled,      // a value cannot change the scheme
  unsafe,       // a literal scheme after which a value could be a script
};

struct Place {
  Region region = Region::text;
  Element element = Element::other;  // whose tag or text this is; other in text
  Attribute attribute = Attribute::plain;
  Url url = Url::none;
  char quote = 0;  // the one that ends the value; 0: none, a space ends it
  bool end_tag = false;
  bool json_type = false;  // a script whose type is that of JSON
  bool has_type = false;   // a script whose type is known
  bool has_equiv = false;  // a meta with http-equiv
  bool has_value = false;  // a tag with {{ }} in an attribute
  bool in_string = false;  // in a string of JSON

  bool operator==(const Place&) const = default;
};

constexpr bool is_html_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

template <std::size_t size>
constexpr bool is_one_of(const std::array<std::string_view, size>& names, std::string_view name) noexcept {
  return std::ranges::any_of(names, [name](std::string_view one) { return message::equal_ignoring_case(one, name); });
}

// Elements with a meaning of their own. Tags in the text of the first eight have no effect: it ends with their own end
// tag.
struct NamedElement {
  std::string_view name;
  Element element;
};
inline constexpr std::array kNamedElements = {
    NamedElement{"title", Element::title},       NamedElement{"textarea", Element::textarea},
    NamedElement{"script", Element::script},     NamedElement{"style", Element::style},
    NamedElement{"iframe", Element::iframe},     NamedElement{"noembed", Element::noembed},
    NamedElement{"noframes", Element::noframes}, NamedElement{"xmp", Element::xmp},
    NamedElement{"meta", Element::meta},         NamedElement{"plaintext", Element::plaintext},
};

constexpr std::string_view name_of(Element element) noexcept {
  for (const NamedElement& named : kNamedElements) {
    if (named.element == element) return named.name;
  }
  return {};
}

constexpr Element element_of(std::string_view name) noexcept {
  constexpr auto resource = std::to_array<std::string_view>(
      {"link", "frame", "embed", "object", "base", "applet", "use", "portal", "fencedframe"});
  constexpr auto animation =
      std::to_array<std::string_view>({"set", "animate", "animatemotion", "animatetransform", "discard", "handler"});
  for (const NamedElement& named : kNamedElements) {
    if (message::equal_ignoring_case(named.name, name)) return named.element;
  }
  if (is_one_of(resource, name)) return Element::resource;
  if (is_one_of(animation, name)) return Element::animation;
  return Element::other;
}

constexpr Attribute attribute_of(Element element, std::string_view name) noexcept {
  using message::equal_ignoring_case;
  constexpr auto urls = std::to_array<std::string_view>(
      {"href", "src", "action", "formaction", "cite", "poster", "data", "background", "longdesc", "manifest",
       "xlink:href", "ping", "icon", "profile", "codebase", "classid", "archive", "dynsrc", "lowsrc"});
  constexpr auto lists = std::to_array<std::string_view>({"srcset", "imagesrcset", "xml:base"});
  constexpr auto fixed =
      std::to_array<std::string_view>({"type", "rel", "http-equiv", "sandbox", "attributename", "is", "as"});
  const bool embeds = element == Element::script || element == Element::resource || element == Element::iframe;
  if (name.size() >= 2 && equal_ignoring_case(name.substr(0, 2), "on")) return Attribute::event_handler;
  if (equal_ignoring_case(name, "style")) return Attribute::style;
  if (equal_ignoring_case(name, "srcdoc")) return Attribute::document;
  if (is_one_of(urls, name)) return embeds ? Attribute::resource_url : Attribute::url;
  if (is_one_of(lists, name)) return Attribute::url_list;
  if (is_one_of(fixed, name)) {  // the type of an <input> and the rel of an <a> decide nothing
    const bool harmless = (element == Element::other || element == Element::textarea) &&
                          (equal_ignoring_case(name, "type") || equal_ignoring_case(name, "rel"));
    return harmless ? Attribute::plain : Attribute::fixed;
  }
  return Attribute::plain;
}

constexpr bool is_safe_scheme(std::string_view scheme) noexcept {
  constexpr auto safe = std::to_array<std::string_view>({"http", "https", "mailto", "tel"});
  return is_one_of(safe, scheme);
}

// The types of <script> elements that browsers read as JSON or do not run: application/json, application/ld+json.
constexpr bool is_json_type(std::string_view type) noexcept {
  return type.size() >= 4 && message::equal_ignoring_case(type.substr(type.size() - 4), "json");
}

// The mistake of a value at a place; none if it may stand there.
constexpr TemplateError refusal_of(const Place& place) noexcept {
  using enum TemplateError;
  switch (place.region) {
    case Region::text:
    case Region::text_only:
      return none;
    case Region::json:
      return place.in_string ? in_json_string : none;
    case Region::raw:
      if (place.element == Element::script) return in_script;
      return place.element == Element::style ? in_style : in_raw_element;
    case Region::in_tag:
    case Region::glued:
      return in_markup;
    case Region::equals:
      return unquoted;
    case Region::value:
      break;
  }
  if (place.end_tag) return in_markup;
  if (place.quote == 0) return unquoted;
  if (place.element == Element::animation) return in_animation;
  switch (place.attribute) {
    case Attribute::event_handler:
      return in_event_handler;
    case Attribute::style:
      return in_style_attribute;
    case Attribute::document:
      return in_document;
    case Attribute::fixed:
      return in_fixed_attribute;
    case Attribute::plain:
    case Attribute::url_list:
      return none;
    case Attribute::url:
    case Attribute::resource_url:
      return place.url == Url::unsafe ? scheme : none;
  }
  return none;
}

// Whether {{if}} and {{for}} may stand at a place.
constexpr TemplateError block_refusal_of(const Place& place) noexcept {
  if (place.region == Region::in_tag || place.region == Region::glued) {
    return place.end_tag ? TemplateError::in_markup : TemplateError::none;
  }
  return refusal_of(place);
}

}  // namespace volt::http::html
