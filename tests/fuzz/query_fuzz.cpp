// SPDX-License-Identifier: MIT

// libFuzzer: parsing a query respects its limit, and the parsed fields parse to equal fields after they are encoded
// again.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/percent.h"
#include "http/web/internal/fields_to_aggregate.h"
#include "http/web/query_fields.h"
#include "runtime/base/check.h"

namespace volt::http::web {

enum class FuzzedOrder : std::uint8_t { up, down };

struct FuzzedPage {
  std::int8_t a = 1;
  std::uint64_t b = 0;
  std::optional<double> c;
  std::vector<bool> d;
  std::string e;
  FuzzedOrder f = FuzzedOrder::up;
  char g = 'x';
};

namespace {

std::string encode(const std::vector<QueryField>& fields) {
  std::string query;
  for (const auto& [name, value] : fields) {
    message::append_percent_encoded(name, query);
    query += '=';
    message::append_percent_encoded(value, query);
    query += '&';
  }
  return query;
}

void check_filling(const std::vector<QueryField>& fields) {
  const auto page = fields_to_aggregate<FuzzedPage>(fields);
  if (!page) {
    VOLT_CHECK(!page.error().empty() && page.error().size() <= reflect::member_count<FuzzedPage>);
    return;
  }
  VOLT_CHECK(page->d.size() == values_of(fields, "d").size());
  VOLT_CHECK(values_of(fields, "e").size() == 1 && values_of(fields, "e").front() == page->e);
  VOLT_CHECK(!page->c || (*page->c - *page->c) == 0);  // finite
}

}  // namespace
}  // namespace volt::http::web

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::web;
  if (size > 4096) return 0;
  const std::string_view query(reinterpret_cast<const char*>(data), size);
  const auto fields = parse_query_fields(query);
  if (!fields) return 0;
  VOLT_CHECK(fields->size() <= kQueryFieldsMax);
  VOLT_CHECK(parse_query_fields(encode(*fields)) == fields);
  check_filling(*fields);
  return 0;
}
