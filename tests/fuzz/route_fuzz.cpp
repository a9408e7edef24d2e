// SPDX-License-Identifier: MIT

// libFuzzer: for any patterns, hosts and paths, the tree finds the route that a comparison with each route finds.
//
// The input consists of lines. The first byte selects the policy for slashes. The lines up to the first empty one are
// routes, "M host pattern", where M selects the method; the remaining lines are requests, "M host path".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/route/route_tree.h"
#include "runtime/base/check.h"
#include "tests/http/route/naive_router.h"

namespace volt::http::route {
namespace {

struct Line {
  std::uint8_t method = 0;
  std::string host, path;
};

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

Line parse_line(std::string_view line) {
  if (line.empty()) return {};
  Line parsed{.method = static_cast<std::uint8_t>(line.front()), .host = {}, .path = {}};
  line.remove_prefix(std::min<std::size_t>(line.size(), 2));
  parsed.host = take_until(line, ' ');
  parsed.path = line;
  return parsed;
}

// Reduces a host to a form that the naive router understands. HostTable's tests cover other host names.
std::string plain_host(std::string host, bool wildcards) {
  if (wildcards && host.starts_with("*.")) return "*." + plain_host(host.substr(2), false);
  std::erase_if(host, [](char c) { return c < 'a' || c > 'z'; });
  return host.empty() ? "h" : host.substr(0, 20) + ".h";
}

void add(RouteTree& tree, NaiveRouter& naive, const Line& line) {
  const auto method = line.method % 8 == 7 ? std::nullopt : std::optional(static_cast<Method>(line.method % 8));
  const std::string host = line.host.empty() ? "" : plain_host(line.host, true);
  const bool fits = parse_pattern(line.path).valid() && !naive.conflicts(method, host, line.path);
  try {
    tree.add(method, host, line.path, "fuzz");
    VOLT_CHECK(fits);
    naive.add(method, host, line.path);
  } catch (const std::invalid_argument&) {
    VOLT_CHECK(!fits);
  }
}

void ask(const RouteTree& tree, const NaiveRouter& naive, const Line& line) {
  const auto method = static_cast<Method>(line.method % 8);
  const std::string host = line.host.empty() ? "" : plain_host(line.host, false);
  Params params;
  const Found found = tree.find(method, host, line.path, params);
  NaiveRouter::RouteResult result{.route = found.route, .allow = found.allow, .redirect = found.redirect, .values = {}};
  for (std::size_t i = 0; i < params.count(); ++i) result.values.emplace_back(params.raw(i));
  VOLT_CHECK(result == naive.find(method, host, line.path));
  if (found.route) VOLT_CHECK(params.count() == tree.info(*found.route).names.size());
}

void ask_as_it_came(const RouteTree& tree, const Line& line) {
  Params params;
  const Found found = tree.find(static_cast<Method>(line.method % kMethodNames.size()), line.host, line.path, params);
  VOLT_CHECK(!found.redirect || !line.path.starts_with("//"));
}

}  // namespace
}  // namespace volt::http::route

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace volt::http::route;
  if (size < 1 || size > 4096) return 0;
  const auto slash = static_cast<TrailingSlash>(data[0] % 3);
  RouteTree tree(slash);
  NaiveRouter naive(slash);
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (auto line = take_until(text, '\n'); !line.empty(); line = take_until(text, '\n')) {
    add(tree, naive, parse_line(line));
  }
  while (!text.empty()) {
    const Line line = parse_line(take_until(text, '\n'));
    ask(tree, naive, line);
    ask_as_it_came(tree, line);
  }
  return 0;
}
