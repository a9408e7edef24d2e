// FixedRoutes: paths without parameters, each with a route a method. The table behind App until the router grows
// parameters; its answers are already those of RFC 9110: HEAD is served by GET (9.3.2), OPTIONS says what is allowed
// (9.3.7), a known path asked with another method is 405 with Allow (15.5.6).
//
// It knows routes by number only, so that it stays apart from handlers and the tasks that they are.
//
// Threads: filled by one, then only read, by any.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/method.h"

namespace volt::http::route {

class FixedRoutes {
 public:
  struct Found {
    std::optional<std::size_t> route;  // none for this path and method
    std::string_view allow;            // the path's methods, as the Allow field lists them; empty: no such path
  };

  // The number of the new route: how many were added before. Throws std::invalid_argument if the path does not begin
  // with '/', or has a route for that method already.
  std::size_t add(Method method, std::string path);

  // Views are valid as long as the table.
  [[nodiscard]] Found find(Method method, std::string_view path) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  struct Path {
    std::map<Method, std::size_t> routes;
    std::string allow;
  };

  // The keys are ours, so nobody outside can make them collide.
  std::unordered_map<std::string, Path, Hash, std::equal_to<>> paths_;
  std::size_t count_ = 0;
};

}  // namespace volt::http::route
