// SPDX-License-Identifier: MIT

#include "apps/crud/cursor.h"

#include <crypto/base64.h>
#include <http/json/json.h>

#include <span>
#include <utility>

namespace crud {

std::string to_text(const Cursor& cursor) {
  const std::string json = volt::http::to_json(cursor.last);
  return volt::crypto::base64url_encode(std::as_bytes(std::span(json)));
}

std::expected<Cursor, std::string> from_text(std::string_view text, std::type_identity<Cursor>) {
  const auto bytes = volt::crypto::base64url_decode(text);
  if (bytes) {
    const std::string_view json(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    auto item = volt::http::from_json<Item>(json);
    if (item && !item->name.contains('\0')) return Cursor{*std::move(item)};
  }
  return std::unexpected("must be taken from the link to the next page");
}

}  // namespace crud
