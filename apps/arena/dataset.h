// The items that the JSON profiles are about: a file of 50, read once.
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

// An item, and what so many of it cost: views into the item.
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

// Throws std::runtime_error for a file that cannot be read, or is no such list.
[[nodiscard]] std::vector<Item> read_dataset(const std::string& path);

// The first of them, at most so many.
[[nodiscard]] PricedItems priced(std::span<const Item> items, std::size_t count, double multiplier);

}  // namespace arena
