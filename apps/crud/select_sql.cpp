// SPDX-License-Identifier: MIT

#include "apps/crud/select_sql.h"

#include <utility>

namespace crud {
namespace {

std::string_view column_of(Sort sort) {
  switch (sort) {
    case Sort::id:
      return "id";
    case Sort::name:
      return "name";
    case Sort::price:
      return "price";
  }
  std::unreachable();
}

}  // namespace

std::string select_sql(const Selection& wanted, const SelectParts& parts) {
  const std::string column(column_of(wanted.sort));
  const bool rising = wanted.order == Order::asc;
  const std::string direction = rising ? " asc" : " desc";
  std::string sql = "select id, name, price, version from items where ";
  sql += parts.condition;
  if (wanted.after) sql.append(" and (" + column + ", id) ").append(rising ? "> (" : "< (").append(parts.after) += ')';
  sql += " order by " + column + direction + ", id" + direction + " limit ";
  return sql.append(parts.limit);
}

}  // namespace crud
