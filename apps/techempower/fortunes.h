// SPDX-License-Identifier: MIT

// The page of fortunes.
#pragma once

#include <string>
#include <vector>

namespace techempower {

struct Fortune {
  int id;
  std::string message;
};

// Returns the page, with the fortunes sorted by message and escaped. Adds one fortune, as the rules require.
std::string fortunes_page(std::vector<Fortune> fortunes);

}  // namespace techempower
