// SPDX-License-Identifier: MIT

// The items of the JSON profiles, read once from a file of 50 items.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arena {

struct Rating {
  double score;
  std::int64_t count;
};

struct Item {
  std::int64_t id;
  std::string name;
  std::string category;
  double price;
  std::int64_t quantity;
  bool active;
  std::vector<std::string> tags;
  Rating rating;
};

// An item with a total price; its views refer to the item.
struct PricedItem {
  std::int64_t id;
  std::string_view name;
  std::string_view category;
  double price;
  std::int64_t quantity;
  bool active;
  std::span<const std::string> tags;
  Rating rating;
  double total;
};

struct PricedItems {
  std::vector<PricedItem> items;
  std::size_t count;
};

// Throws std::runtime_error if the file cannot be read or is not a JSON list of items.
[[nodiscard]] std::vector<Item> read_dataset(const std::string& path);

// Returns the first `count` items, or all if there are fewer; total is price * quantity * multiplier.
[[nodiscard]] PricedItems priced(std::span<const Item> items, std::size_t count, double multiplier);

}  // namespace arena
