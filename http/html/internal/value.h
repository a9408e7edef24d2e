// SPDX-License-Identifier: MIT

// Writes a value of a template by the place where it stands.
//
// Threads: pure functions.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "http/html/internal/compiled.h"
#include "http/html/internal/escape.h"
#include "http/html/internal/path.h"
#include "http/json/json.h"
#include "http/message/percent.h"
#include "http/validation/checked.h"
#include "http/web/trusted.h"
#include "reflect/enumerator.h"

namespace volt::http::html {

template <HasTemplate View>
void render(const View& view, std::string& out);

// A type of your own that has a text form: std::string to_text(const T&) in the namespace of T.
template <class T>
concept HasToText = requires(const T& value) {
  { to_text(value) } -> std::convertible_to<std::string_view>;
};

template <class T>
concept HasText = HasToText<T> || json::Text<T> || std::same_as<T, char> || reflect::NamedEnum<T> ||
                  (std::is_arithmetic_v<T> && !json::Character<T>);

// Calls f with the text of a value.
template <HasText T, class F>
void with_text(const T& value, F&& f) {
  if constexpr (HasToText<T>) {
    f(std::string_view(to_text(value)));
  } else if constexpr (std::same_as<T, bool>) {
    f(value ? std::string_view("true") : std::string_view("false"));
  } else if constexpr (std::same_as<T, char>) {
    f(std::string_view(&value, 1));
  } else if constexpr (std::is_arithmetic_v<T>) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    f(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  } else if constexpr (reflect::NamedEnum<T>) {
    const std::string_view name = reflect::enumerator_name(value);
    if (!name.empty()) return f(name);
    with_text(static_cast<std::underlying_type_t<T>>(value), f);
  } else {
    if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) return;
    }
    f(std::string_view(value));
  }
}

// Writes text into an attribute or between tags.
template <Place place>
void append_at(std::string_view text, std::string& out) {
  if constexpr (place.url == Url::start) {
    append_address(text, out);
  } else if constexpr (place.url != Url::none) {
    message::append_percent_encoded(text, out);
  } else {
    append_text(text, out);
  }
}

template <class View, std::size_t I, class T>
void append_json_value(const T& value, std::string& out) {
  if constexpr (json::kUsable<T, json::Direction::write>) {
    append_script_json(to_json(value), out);
  } else {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_json, View, kNode<View, I>.text, T>));
  }
}

template <class View, std::size_t I>
void append_url(const TrustedUrl& url, std::string& out) {
  constexpr const Place& place = kNode<View, I>.place;
  if constexpr (place.url == Url::none || place.url == Url::start) {
    append_text(url.view(), out);
  } else {
    static_cast<void>(sizeof(MistakeAt<TemplateError::url_misplaced, View, kNode<View, I>.text>));
  }
}

// Writes the value of node I.
template <class View, std::size_t I, class T>
void append_value(const T& value, std::string& out) {
  constexpr const Place& place = kNode<View, I>.place;
  constexpr bool trusted_only = place.attribute == Attribute::resource_url || place.attribute == Attribute::url_list;
  if constexpr (place.region == Region::json) {
    append_json_value<View, I>(value, out);
  } else if constexpr (validation::IsChecked<T> || Reference<T>) {
    unwrapped(value, [&out](const auto& inner) { append_value<View, I>(inner, out); });
  } else if constexpr (HasTemplate<T> || std::same_as<T, TrustedHtml>) {
    if constexpr (place.region != Region::text) {
      static_cast<void>(sizeof(MistakeAt<TemplateError::markup_misplaced, View, kNode<View, I>.text, T>));
    } else if constexpr (HasTemplate<T>) {
      render(value, out);
    } else {
      out += value.view();
    }
  } else if constexpr (std::same_as<T, TrustedUrl>) {
    append_url<View, I>(value, out);
  } else if constexpr (!HasText<T>) {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_text, View, kNode<View, I>.text, T>));
  } else if constexpr (trusted_only) {
    static_cast<void>(sizeof(MistakeAt<TemplateError::needs_trusted_url, View, kNode<View, I>.text, T>));
  } else {
    with_text(value, [&out](std::string_view text) { append_at<place>(text, out); });
  }
}

}  // namespace volt::http::html
