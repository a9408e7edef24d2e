// SPDX-License-Identifier: MIT

// Cursor: the position after the last item of a page, as text that the client sends back for the next page.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <type_traits>

#include "apps/crud/item.h"

namespace crud {

struct Cursor {
  Item last;
};

std::string to_text(const Cursor& cursor);

// Lets a query have a member of this type (http/web/internal/text_value.h).
std::expected<Cursor, std::string> from_text(std::string_view text, std::type_identity<Cursor>);

}  // namespace crud
