// Cursor: the place in a list behind its last item, as text for the client to bring back.
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

// So that a query may have one (http/web/internal/text_value.h).
std::expected<Cursor, std::string> from_text(std::string_view text, std::type_identity<Cursor>);

}  // namespace crud
