// SPDX-License-Identifier: MIT

#include "pg/error.h"

#include <new>
#include <utility>

namespace volt::pg {

std::exception_ptr error_for(ServerMessage message) {
  const std::string_view state = message.sqlstate;
  if (state == "57P01" || state == "57P02" || state == "57P03" || state.starts_with("08")) {
    return std::make_exception_ptr(ConnectionLost(message.text));
  }
  if (state == "23505") return std::make_exception_ptr(UniqueViolation(std::move(message)));
  if (state == "23503") return std::make_exception_ptr(ForeignKeyViolation(std::move(message)));
  if (state == "23502") return std::make_exception_ptr(NotNullViolation(std::move(message)));
  if (state == "23514") return std::make_exception_ptr(CheckViolation(std::move(message)));
  if (state == "40001" || state == "40P01") return std::make_exception_ptr(SerializationFailure(std::move(message)));
  if (state == "57014") return std::make_exception_ptr(QueryCanceled(std::move(message)));
  return std::make_exception_ptr(ServerError(std::move(message)));
}

std::exception_ptr connection_lost(std::string_view why) noexcept {
  try {
    return std::make_exception_ptr(ConnectionLost(std::string(why)));
  } catch (const std::bad_alloc&) {  // decided: the query fails with it, which loses nothing but the reason
    return std::current_exception();
  }
}

}  // namespace volt::pg
