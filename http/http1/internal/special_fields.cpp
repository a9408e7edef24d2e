// SPDX-License-Identifier: MIT

#include "http/http1/internal/special_fields.h"

#include "http/message/ascii.h"

namespace volt::http::http1 {
namespace {

using message::equal_ignoring_case;

void note_connection(std::string_view list, SpecialFields& special) noexcept {
  while (!list.empty()) {
    const std::string_view option = message::take_list_element(list);
    if (equal_ignoring_case(option, "close")) special.close = true;
    if (equal_ignoring_case(option, "keep-alive")) special.keep_alive = true;
  }
}

void note_expect(std::string_view list, SpecialFields& special) noexcept {
  while (!list.empty()) {
    const std::string_view expectation = message::take_list_element(list);
    if (expectation.empty()) continue;
    if (equal_ignoring_case(expectation, "100-continue")) {
      special.expect_continue = true;
    } else {
      special.unknown_expectation = true;
    }
  }
}

// Sets `framing.disguised` if a field named `name`, which is none of the special fields, could be mistaken for
// Content-Length or Transfer-Encoding (disguises_framing()). Most names are too short for this or begin with another
// letter, so two cheap checks dismiss them.
void note_other(std::string_view name, SpecialFields& special) noexcept {
  constexpr std::size_t kShortest = std::string_view("ContentLength").size();
  if (name.size() < kShortest) return;
  const char first = message::to_lower(name.front());
  if (first != 'c' && first != 't' && first != '-' && first != '_') return;
  if (disguises_framing(name)) special.framing.disguised = true;
}

void note_content_type(std::string_view value, SpecialFields& special) noexcept {
  if (special.content_type && *special.content_type != value) special.content_types_differ = true;
  special.content_type = value;
}

void note_host(std::string_view value, SpecialFields& special) noexcept {
  special.host_repeated = special.host.has_value();
  if (!special.host) special.host = value;
}

void note_authorization(SpecialFields& special) noexcept {
  special.authorization_repeated = special.has_authorization;
  special.has_authorization = true;
}

}  // namespace

SpecialFields special_fields(const Fields& fields) noexcept {
  SpecialFields special;
  for (const Field& field : fields) {
    switch (field.name.size()) {  // cheaper than comparing every name with seven others
      case 4:
        if (equal_ignoring_case(field.name, "host")) note_host(field.value, special);
        break;
      case 6:
        if (equal_ignoring_case(field.name, "expect")) note_expect(field.value, special);
        break;
      case 10:
        if (equal_ignoring_case(field.name, "connection")) note_connection(field.value, special);
        break;
      case 12:
        if (equal_ignoring_case(field.name, "content-type")) note_content_type(field.value, special);
        break;
      case 13:
        if (equal_ignoring_case(field.name, "authorization")) {
          note_authorization(special);
        } else {
          note_other(field.name, special);
        }
        break;
      case 14:
        if (equal_ignoring_case(field.name, "content-length")) {
          special.framing.add_length(field.value);
        } else {
          note_other(field.name, special);
        }
        break;
      case 17:
        if (equal_ignoring_case(field.name, "transfer-encoding")) {
          special.framing.add_coding(field.value);
        } else {
          note_other(field.name, special);
        }
        break;
      default:
        note_other(field.name, special);
    }
  }
  return special;
}

bool host_acceptable(const SpecialFields& fields, Version version, HostCheck& check) noexcept {
  if (fields.host_repeated) return false;
  if (!fields.host) return version == Version::http_1_0;
  return check.valid(*fields.host);
}

}  // namespace volt::http::http1
