// SPDX-License-Identifier: MIT

// libFuzzer: reading any bytes ends, within the text and the depth. A value that was read is written as JSON that reads
// back as an equal value. Text that is JSON for this reader is JSON for nlohmann::json too.
//
// The first input byte selects the options, the rest is the document.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "http/json/internal/syntax_error.h"
#include "http/json/json.h"
#include "runtime/base/check.h"

namespace volt::http {
namespace {

enum class Colour { red, green };

struct Point {
  int x;
  std::optional<int> y;
  bool operator==(const Point&) const = default;
};

struct Label {
  std::string x;
  bool operator==(const Label&) const = default;
};

struct Rich {
  bool b = false;
  std::int8_t i = 0;
  std::uint64_t u = 0;
  float f = 0;
  double d = 0;
  std::string s = "s";
  std::optional<Colour> c;
  std::optional<std::vector<Rich>> r;
  std::optional<std::map<std::string, double>> m;
  std::optional<std::unordered_map<std::string, std::string>> t;
  std::optional<std::vector<std::variant<std::monostate, bool, double, Colour, std::string, Point, Label>>> v;
  std::optional<std::array<bool, 2>> a;
  std::optional<std::pair<int, std::tuple<std::string, Point>>> p;
  bool operator==(const Rich&) const = default;
};

struct Owners {
  std::unique_ptr<Owners> u;
  std::shared_ptr<std::vector<Owners>> s;
};

void check_error(const JsonError& error, const JsonOptions& options) {
  VOLT_CHECK(!error.detail.empty());
  VOLT_CHECK(error.path.empty() || error.path.front() == '/');
  VOLT_CHECK(error.path.size() <= (options.depth_max + 1) * 260);
  VOLT_CHECK(error.detail.size() <= 400);
}

template <class T>
void check_round_trip(std::string_view text, const JsonOptions& options) {
  const auto value = from_json<T>(text, options);
  if (!value) return check_error(value.error(), options);
  const std::string written = to_json(*value);
  // Omitted optional members are written as null: this adds no depth and no unknown members.
  const auto back = from_json<T>(written, options);
  VOLT_CHECK(back.has_value());
  VOLT_CHECK(to_json(*back) == written);
  if constexpr (requires { *back == *value; }) VOLT_CHECK(*back == *value);
}

// Checks that both readers agree. Exceptions: nlohmann::json skips a byte order mark, takes NUL for the end of the
// text, has no depth limit, and reads whole numbers beyond 64 bits as doubles.
void check_grammar(std::string_view text, const JsonOptions& options) {
  if (text.starts_with("\xef\xbb\xbf") || text.contains('\0')) return;
  json::Reader reader(options);
  const bool ours = reader.parse(text);
  const bool theirs = nlohmann::json::accept(text);
  if (ours) {
    VOLT_CHECK(theirs);
  } else if (theirs) {
    const JsonError::Kind kind = reader.error().kind;
    VOLT_CHECK(kind == JsonError::Kind::too_deep || kind == JsonError::Kind::range);
  }
  if (!ours && reader.error().kind == JsonError::Kind::too_deep) return;  // found before other errors
  VOLT_CHECK(json::find_syntax_error(text).has_value() == (!ours && reader.error().kind == JsonError::Kind::syntax));
}

}  // namespace
}  // namespace volt::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http;
  if (size < 1 || size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const JsonOptions options{.depth_max = data[0] % 2 == 0 ? std::size_t{64} : std::size_t{4},
                            .unknown_fields = data[0] % 4 < 2 ? UnknownFields::ignore : UnknownFields::refuse};
  check_grammar(text, options);
  check_round_trip<Rich>(text, options);
  check_round_trip<Owners>(text, options);
  check_round_trip<std::vector<std::string>>(text, options);
  return 0;
}
