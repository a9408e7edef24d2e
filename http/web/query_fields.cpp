// SPDX-License-Identifier: MIT

#include "http/web/query_fields.h"

#include <algorithm>

#include "http/message/percent.h"

namespace volt::http::web {
namespace {

QueryField parse_pair(std::string_view pair) {
  const std::size_t equals = std::min(pair.find('='), pair.size());
  const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
  return {message::form_decode(pair.substr(0, equals)), message::form_decode(value)};
}

}  // namespace

std::expected<std::vector<QueryField>, QueryError> parse_query_fields(std::string_view text, std::size_t fields_max) {
  std::vector<QueryField> fields;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    if (fields.size() == fields_max) return std::unexpected(QueryError::too_many_fields);
    fields.push_back(parse_pair(pair));
  }
  return fields;
}

}  // namespace volt::http::web
