// SPDX-License-Identifier: MIT

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "http/web/into_response.h"

namespace volt::http::web {
namespace {

struct LoadedSegment {
  std::uintptr_t begin;
  std::uintptr_t end;  // exclusive
};
using LoadedSegments = std::vector<LoadedSegment>;

// Called by dl_iterate_phdr() for the program, and then for each of its libraries.
int add_segments(dl_phdr_info* object, std::size_t, void* segments) {
  for (const ElfW(Phdr) & header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    static_cast<LoadedSegments*>(segments)->push_back({begin, begin + header.p_memsz});
  }
  return 0;
}

LoadedSegments read_only_segments() {
  LoadedSegments segments;
  dl_iterate_phdr(add_segments, &segments);
  return segments;
}

bool contains(const LoadedSegments& segments, const char* text) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(text);
  return std::ranges::any_of(
      segments, [address](const LoadedSegment& segment) { return segment.begin <= address && address < segment.end; });
}

}  // namespace

std::string_view static_text(const char* text) {
  static const LoadedSegments at_first_use = read_only_segments();
  // If these segments do not contain the text, it is not a literal, or it is in a library that was loaded later.
  if (!contains(at_first_use, text) && !contains(read_only_segments(), text)) {
    throw std::logic_error(
        "a handler returned a const char* that is not a literal: the text may be freed before it is sent; return "
        "std::string");
  }
  return text;
}

}  // namespace volt::http::web
