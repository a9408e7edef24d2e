// SPDX-License-Identifier: MIT

#include "apps/arena/dataset.h"

#include <http/json/json.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace arena {

std::vector<Item> read_dataset(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto items = volt::http::from_json<std::vector<Item>>(text);
  if (!items) throw std::runtime_error(path + " is not a JSON list of items");
  return std::move(*items);
}

PricedItems priced(std::span<const Item> items, std::size_t count, double multiplier) {
  PricedItems result{.count = std::min(count, items.size())};
  result.items.reserve(result.count);
  for (const Item& item : items.first(result.count)) {
    const double total = item.price * static_cast<double>(item.quantity) * multiplier;
    result.items.push_back(
        {item.id, item.name, item.category, item.price, item.quantity, item.active, item.tags, item.rating, total});
  }
  return result;
}

}  // namespace arena
