// SPDX-License-Identifier: MIT

// message_of: the fields of an error message of the server.
#pragma once

#include "pg/error.h"
#include "pg/internal/libpq.h"

namespace volt::pg::internal {

// A message without a sqlstate is an error of libpq itself.
[[nodiscard]] ServerMessage message_of(const PGresult* result);

}  // namespace volt::pg::internal
