// SPDX-License-Identifier: MIT

// Item: a stored item. NewItem: an item as clients send it.
#pragma once

#include <cstdint>
#include <string>

namespace crud {

struct Item {
  std::int64_t id;
  std::string name;      // unique
  int price;             // in cents
  std::int64_t version;  // 1 at first; incremented by each change
};

struct NewItem {
  std::string name;
  int price;
};

// Checks an item that a client has sent. Throws a Problem (422) that names each invalid member.
void check(const NewItem& item);

}  // namespace crud
