// SPDX-License-Identifier: MIT

#include "runtime/internal/short_function_name.h"

#include <cstddef>

namespace volt {

std::string short_function_name(std::string name) {
  constexpr std::size_t kBytesMax = 120;
  int depth = 0;
  for (std::size_t i = name.rfind(')') + 1; i-- > 1;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      name.erase(i);
      break;
    }
  }
  if (name.size() > kBytesMax) name.resize(kBytesMax);
  return name;
}

}  // namespace volt
