// SPDX-License-Identifier: MIT

// Query: a statement's text and its parameters. Each database has its own type of parameters: pg/query.h,
// sqlite/query.h.
//
// Threads: a value. Lifetime: `text` is a view, which must stay valid until the query was awaited. The parameters are
// copies.
#pragma once

#include <string_view>

namespace volt::database {

template <class Parameters>
struct Query {
  template <class... Args>
  explicit Query(std::string_view text, const Args&... args) : text(text) {
    parameters.reserve(sizeof...(args));
    (parameters.add(args), ...);
  }

  std::string_view text;
  Parameters parameters;
};

}  // namespace volt::database
