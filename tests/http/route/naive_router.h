// SPDX-License-Identifier: MIT

// A reference implementation of RouteTree in the simplest way: every route is compared with the path, segment by
// segment, and the best match is chosen. It is slow, and shares only the decoding of escapes with the tree.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/percent.h"
#include "http/route/route_tree.h"

namespace volt::http::route {

class NaiveRouter {
 public:
  explicit NaiveRouter(TrailingSlash slash) : slash_(slash) {}

  struct RouteResult {
    std::optional<std::size_t> route;
    MethodSet allow;
    bool redirect = false;
    std::vector<std::string> values;  // still escaped
    bool operator==(const RouteResult&) const = default;
  };

  // The pattern must be valid and must not conflict with another one.
  void add(std::optional<Method> method, std::string host, const std::string& pattern) {
    routes_.push_back({method, std::move(host), parts_of(pattern)});
  }

  [[nodiscard]] bool conflicts(std::optional<Method> method, const std::string& host,
                               const std::string& pattern) const {
    const std::vector<Part> parts = parts_of(pattern);
    return std::ranges::any_of(routes_, [&](const Route& route) {
      return route.method == method && route.host == host && route.parts == parts;
    });
  }

  [[nodiscard]] RouteResult find(Method method, const std::string& host, const std::string& path) const {
    const RouteResult result = find_exactly(method, host, path);
    if (result.route || !result.allow.empty() || slash_ == TrailingSlash::strict) return result;
    if (path.size() < 2 || path.starts_with("//")) return result;
    const RouteResult toggled = find_exactly(method, host, with_slash_toggled(path));
    if (slash_ == TrailingSlash::ignore) return toggled;
    return {.route = std::nullopt, .allow = {}, .redirect = toggled.route.has_value(), .values = {}};
  }

 private:
  struct Part {
    int rank;          // 0 literal, 1 parameter, 2 wildcard
    std::string text;  // decoded text of a literal
    bool operator==(const Part&) const = default;
  };
  struct Route {
    std::optional<Method> method;
    std::string host;
    std::vector<Part> parts;
  };
  struct Match {
    int host_rank;
    std::vector<int> ranks;
    std::size_t route;
    std::vector<std::string> values;
    [[nodiscard]] bool same_paths_as(const Match& other) const {
      return host_rank == other.host_rank && ranks == other.ranks;
    }
  };

  static std::vector<std::string> segments_of(const std::string& path) {
    std::vector<std::string> segments;
    for (const char c : path) {
      if (c == '/')
        segments.emplace_back();
      else
        segments.back() += c;
    }
    return segments;
  }

  static std::vector<Part> parts_of(const std::string& pattern) {
    std::vector<Part> parts;
    for (const std::string& segment : segments_of(pattern)) {
      if (!segment.starts_with('{'))
        parts.push_back({0, message::percent_decode(segment)});
      else
        parts.push_back({segment.ends_with("...}") ? 2 : 1, ""});
    }
    return parts;
  }

  // Less is more specific; nullopt if the host is not served.
  static std::optional<int> rank_of_host(const std::string& served, std::string requested) {
    if (served.empty()) return 1000;
    requested = requested.substr(0, requested.find(':'));
    std::ranges::transform(requested, requested.begin(), message::to_lower);
    if (served == requested) return 0;
    if (!served.starts_with("*.")) return std::nullopt;
    const std::string below = served.substr(1);
    if (requested.size() <= below.size() || !requested.ends_with(below)) return std::nullopt;
    return 999 - static_cast<int>(below.size());
  }

  static std::optional<std::vector<std::string>> values_of(const std::vector<Part>& parts, const std::string& path) {
    const std::vector<std::string> segments = segments_of(path);
    std::vector<std::string> values;
    std::size_t at = 0;
    for (const Part& part : parts) {
      if (at == segments.size()) return std::nullopt;
      if (part.rank == 2) {
        std::string rest = segments[at++];
        while (at < segments.size()) rest += '/' + segments[at++];
        values.push_back(rest);
      } else if (part.rank == 1) {
        if (segments[at].empty()) return std::nullopt;
        values.push_back(segments[at++]);
      } else if (message::percent_decode(segments[at++]) != part.text) {
        return std::nullopt;
      }
    }
    return at == segments.size() ? std::optional(values) : std::nullopt;
  }

  static bool hopeless(const std::string& path) {
    if (!path.starts_with('/')) return true;
    if (message::percent_decode(path).find('\0') != std::string::npos) return true;
    return std::ranges::any_of(segments_of(path), [](const std::string& segment) {
      const std::string decoded = message::percent_decode(segment);
      return decoded == "." || decoded == "..";
    });
  }

  [[nodiscard]] std::vector<Match> matches_of(const std::string& host, const std::string& path) const {
    std::vector<Match> matches;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      const auto host_rank = rank_of_host(routes_[i].host, host);
      const auto values = values_of(routes_[i].parts, path);
      if (!host_rank || !values) continue;
      std::vector<int> ranks;
      for (const Part& part : routes_[i].parts) ranks.push_back(part.rank);
      matches.push_back({*host_rank, ranks, i, *values});
    }
    std::ranges::sort(matches, [](const Match& a, const Match& b) {
      return a.host_rank != b.host_rank ? a.host_rank < b.host_rank : a.ranks < b.ranks;
    });
    return matches;
  }

  // Returns how specifically the route's method serves the request: 0 its own method, 1 GET for HEAD, 2 any; nullopt:
  // not.
  [[nodiscard]] std::optional<int> rank_of_method(std::size_t route, Method method) const {
    const auto own = routes_[route].method;
    if (own == method) return 0;
    if (own == Method::get && method == Method::head) return 1;
    if (!own && method != Method::trace && method != Method::connect) return 2;
    return std::nullopt;
  }

  [[nodiscard]] RouteResult find_exactly(Method method, const std::string& host, const std::string& path) const {
    if (hopeless(path)) return {};
    const std::vector<Match> matches = matches_of(host, path);
    const Match* best = nullptr;
    for (const Match& match : matches) {
      const auto rank = rank_of_method(match.route, method);
      if (!rank || (best != nullptr && !match.same_paths_as(*best))) continue;
      if (best == nullptr || *rank < *rank_of_method(best->route, method)) best = &match;
    }
    if (best != nullptr) return {.route = best->route, .allow = {}, .redirect = false, .values = best->values};
    RouteResult result;
    for (const Match& match : matches) {
      for (std::size_t i = 0; i < kMethodNames.size(); ++i) {
        const auto served = static_cast<Method>(i);
        if (served == Method::options || rank_of_method(match.route, served)) result.allow.insert(served);
      }
    }
    return result;
  }

  TrailingSlash slash_;
  std::vector<Route> routes_;
};

}  // namespace volt::http::route
