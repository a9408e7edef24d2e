// SPDX-License-Identifier: MIT

#include "pg/internal/server_message.h"

#include <string>

namespace volt::pg::internal {
namespace {

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text == nullptr ? "" : text;
}

}  // namespace

ServerMessage message_of(const PGresult* result) {
  return {.sqlstate = field(result, PG_DIAG_SQLSTATE),
          .text = field(result, PG_DIAG_MESSAGE_PRIMARY),
          .detail = field(result, PG_DIAG_MESSAGE_DETAIL),
          .hint = field(result, PG_DIAG_MESSAGE_HINT),
          .table = field(result, PG_DIAG_TABLE_NAME),
          .column = field(result, PG_DIAG_COLUMN_NAME),
          .constraint = field(result, PG_DIAG_CONSTRAINT_NAME)};
}

}  // namespace volt::pg::internal
