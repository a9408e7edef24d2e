// The page of fortunes.
#pragma once

#include <string>
#include <vector>

namespace techempower {

struct Fortune {
  int id;
  std::string message;
};

// Sorted by message, and escaped. One row is added to them.
std::string fortunes_page(std::vector<Fortune> fortunes);

}  // namespace techempower
