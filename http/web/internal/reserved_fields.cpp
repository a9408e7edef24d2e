// SPDX-License-Identifier: MIT

#include "http/web/internal/reserved_fields.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "http/message/ascii.h"

namespace volt::http {

void require_not_reserved(std::string_view name) {
  constexpr std::string_view kReserved[] = {"content-length", "transfer-encoding", "connection", "date",
                                            "keep-alive",     "upgrade",           "te",         "trailer"};
  const bool reserved =
      std::ranges::any_of(kReserved, [&](std::string_view known) { return message::equal_ignoring_case(name, known); });
  if (reserved)
    throw std::invalid_argument("the server writes the field " + std::string(name) + " itself: do not set it");
}

}  // namespace volt::http
