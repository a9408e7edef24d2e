// Item: what the service keeps, and what it accepts as one.
#pragma once

#include <cstdint>
#include <string>

namespace crud {

struct Item {
  std::int64_t id;
  std::string name;      // no two items have the same
  int price;             // in cents
  std::int64_t version;  // one more with each change, from 1
};

struct NewItem {
  std::string name;
  int price;
};

// Throws a problem, 422, that names each member that is wrong.
void check(const NewItem& item);

}  // namespace crud
