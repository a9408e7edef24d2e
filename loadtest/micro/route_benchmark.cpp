// SPDX-License-Identifier: MIT

// http/route: lookups among 1, 50 and 500 routes.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <string_view>

#include "http/route/route_tree.h"

namespace {

using namespace volt::http;
using route::Params;
using route::RouteTree;

constexpr std::array<std::string_view, 10> kResources = {"users",    "items",  "orders",   "invoices", "articles",
                                                         "comments", "groups", "sessions", "reports",  "uploads"};

// Returns a tree with `routes` routes: five for each resource, in as many versions as needed.
RouteTree tree_of(std::size_t routes) {
  RouteTree tree;
  std::size_t left = routes - 1;
  tree.add(Method::get, "", "/", "");
  for (std::size_t version = 1;; ++version) {
    for (const std::string_view resource : kResources) {
      const std::string base = "/api/v" + std::to_string(version) + "/" + std::string(resource);
      for (const std::string_view rest : {"", "/{id}", "/{id}/history", "/{id}/tags/{tag}", "/search"}) {
        if (left-- == 0) return tree;
        tree.add(Method::get, "", base + std::string(rest), "");
      }
    }
  }
}

void look_up(benchmark::State& state, std::string_view path, bool found) {
  const RouteTree tree = tree_of(static_cast<std::size_t>(state.range(0)));
  Params params;
  for (auto _ : state) {
    const route::Found answer = tree.find(Method::get, "www.example.com", path, params);
    if (answer.route.has_value() != found) return state.SkipWithError("wrong route");
    benchmark::DoNotOptimize(params);
  }
}
BENCHMARK_CAPTURE(look_up, root, "/", true)->Arg(1)->Arg(50)->Arg(500);
BENCHMARK_CAPTURE(look_up, fixed, "/api/v1/articles/search", true)->Arg(50)->Arg(500);
BENCHMARK_CAPTURE(look_up, parameter, "/api/v1/articles/4711", true)->Arg(50)->Arg(500);
BENCHMARK_CAPTURE(look_up, two_parameters, "/api/v1/articles/4711/tags/new", true)->Arg(50)->Arg(500);
BENCHMARK_CAPTURE(look_up, escaped, "/api/v1/articles/47%2011", true)->Arg(50)->Arg(500);
BENCHMARK_CAPTURE(look_up, none, "/api/v1/articles/4711/nothing", false)->Arg(50)->Arg(500);

// The worst case: each of the ways through 256 patterns of 60 segments fails at the last segment.
void look_up_hostile(benchmark::State& state) {
  RouteTree tree;
  for (unsigned ways = 0; ways < 256; ++ways) {
    std::string pattern;
    for (unsigned level = 0; level < 60; ++level) {
      const bool parameter = level < 8 && (ways >> level & 1U) != 0;
      pattern += parameter ? "/{p" + std::to_string(level) + "}" : "/a";
    }
    tree.add(Method::get, "", pattern, "");
  }
  std::string path;
  for (int level = 0; level < 59; ++level) path += "/a";
  path += "/b";
  Params params;
  for (auto _ : state) benchmark::DoNotOptimize(tree.find(Method::get, "", path, params));
}
BENCHMARK(look_up_hostile);

}  // namespace
