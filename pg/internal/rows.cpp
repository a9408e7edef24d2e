// SPDX-License-Identifier: MIT

#include "pg/rows.h"

#include <charconv>

#include "pg/internal/libpq.h"

namespace volt::pg {

void Rows::Clear::operator()(pg_result* result) const noexcept { PQclear(result); }

std::size_t Rows::size() const noexcept { return static_cast<std::size_t>(PQntuples(result_.get())); }

std::size_t Rows::columns() const noexcept { return static_cast<std::size_t>(PQnfields(result_.get())); }

std::uint64_t Rows::affected() const noexcept {
  if (result_ == nullptr) return 0;
  const std::string_view text = PQcmdTuples(result_.get());
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::string_view Rows::command() const noexcept {
  return result_ == nullptr ? std::string_view() : PQcmdStatus(result_.get());
}

Cell Rows::at(std::size_t row, std::size_t column) const noexcept {
  const PGresult* result = result_.get();
  const int r = static_cast<int>(row);
  const int c = static_cast<int>(column);
  return {.bytes = {PQgetvalue(result, r, c), static_cast<std::size_t>(PQgetlength(result, r, c))},
          .column = PQfname(result, c),
          .type = static_cast<Type>(PQftype(result, c)),
          .null = PQgetisnull(result, r, c) == 1,
          .binary = PQfformat(result, c) == 1};
}

}  // namespace volt::pg
