// SPDX-License-Identifier: MIT

// Place: where in an HTML document a position of a template is, by the tokenizer of HTML (WHATWG HTML, section 13.2.5),
// and what a value there would mean. Only literal text moves a place: a value is written so that it cannot.
//
// Threads: constants.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/html/internal/find_char.h"
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

// The elements whose text has no tags, and <plaintext>: names that end tags are compared with.
constexpr std::string_view name_of(Element element) noexcept {
  switch (element) {
    case Element::title:
      return "title";
    case Element::textarea:
      return "textarea";
    case Element::script:
      return "script";
    case Element::style:
      return "style";
    case Element::iframe:
      return "iframe";
    case Element::noembed:
      return "noembed";
    case Element::noframes:
      return "noframes";
    case Element::xmp:
      return "xmp";
    default:
      return {};
  }
}

constexpr Element element_of(std::string_view name) noexcept {
  switch (name_hash(name)) {
    case name_hash("title"):
      return Element::title;
    case name_hash("textarea"):
      return Element::textarea;
    case name_hash("script"):
      return Element::script;
    case name_hash("style"):
      return Element::style;
    case name_hash("iframe"):
      return Element::iframe;
    case name_hash("noembed"):
      return Element::noembed;
    case name_hash("noframes"):
      return Element::noframes;
    case name_hash("xmp"):
      return Element::xmp;
    case name_hash("plaintext"):
      return Element::plaintext;
    case name_hash("meta"):
      return Element::meta;
    case name_hash("link"):
    case name_hash("frame"):
    case name_hash("embed"):
    case name_hash("object"):
    case name_hash("base"):
    case name_hash("applet"):
    case name_hash("use"):
    case name_hash("portal"):
    case name_hash("fencedframe"):
      return Element::resource;
    case name_hash("set"):
    case name_hash("animate"):
    case name_hash("animatemotion"):
    case name_hash("animatetransform"):
    case name_hash("discard"):
    case name_hash("handler"):
      return Element::animation;
    default:
      return Element::other;
  }
}

constexpr Attribute attribute_of(Element element, std::string_view name) noexcept {
  const bool embeds = element == Element::script || element == Element::resource || element == Element::iframe;
  const bool decides = element != Element::other && element != Element::textarea;
  const char* const at = name.data();
  if (name.size() >= 2 && message::to_lower(at[0]) == 'o' && message::to_lower(at[1]) == 'n') {
    return Attribute::event_handler;
  }
  switch (name_hash(name)) {
    case name_hash("style"):
      return Attribute::style;
    case name_hash("srcdoc"):
      return Attribute::document;
    case name_hash("href"):
    case name_hash("src"):
    case name_hash("action"):
    case name_hash("formaction"):
    case name_hash("cite"):
    case name_hash("poster"):
    case name_hash("data"):
    case name_hash("background"):
    case name_hash("longdesc"):
    case name_hash("manifest"):
    case name_hash("xlink:href"):
    case name_hash("ping"):
    case name_hash("icon"):
    case name_hash("profile"):
    case name_hash("codebase"):
    case name_hash("classid"):
    case name_hash("archive"):
    case name_hash("dynsrc"):
    case name_hash("lowsrc"):
      return embeds ? Attribute::resource_url : Attribute::url;
    case name_hash("srcset"):
    case name_hash("imagesrcset"):
    case name_hash("xml:base"):
      return Attribute::url_list;
    case name_hash("type"):
    case name_hash("rel"):
      return decides ? Attribute::fixed : Attribute::plain;  // of an <input> or an <a> it decides nothing
    case name_hash("http-equiv"):
    case name_hash("sandbox"):
    case name_hash("attributename"):
    case name_hash("is"):
    case name_hash("as"):
      return Attribute::fixed;
    default:
      return Attribute::plain;
  }
}

constexpr bool is_safe_scheme(std::string_view scheme) noexcept {
  using message::equal_ignoring_case;
  return equal_ignoring_case(scheme, "http") || equal_ignoring_case(scheme, "https") ||
         equal_ignoring_case(scheme, "mailto") || equal_ignoring_case(scheme, "tel");
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
