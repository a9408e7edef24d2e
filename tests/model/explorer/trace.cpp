// SPDX-License-Identifier: MIT

#include "tests/model/explorer/trace.h"

#include <cstdio>
#include <cstring>
#include <fstream>

namespace volt::model {

const char* path_of(const Site& site) noexcept {
  const char* path = site.file;
  while (std::strncmp(path, "../", 3) == 0) path += 3;  // compiler caches write paths in this form
  return path;
}

const char* name_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::load:
      return "load";
    case Operation::store:
      return "store";
    case Operation::exchange:
      return "exchange";
    case Operation::failed_exchange:
      return "failed exchange";
    case Operation::fence:
      return "fence";
  }
  return "";
}

const char* name_of(std::memory_order order) noexcept {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "";
}

void Trace::turn(unsigned thread, bool preempts) {
  text_ += "-- thread " + std::to_string(thread) + (preempts ? " preempts\n" : "\n");
}

void Trace::operation(unsigned thread, const Ordering& ordering, std::uint64_t value, unsigned older) {
  char value_text[32];
  std::snprintf(value_text, sizeof value_text, value < 1000 ? "%llu" : "0x%llx",
                static_cast<unsigned long long>(value));
  char line[512];
  std::snprintf(line, sizeof line, "   %u %s:%u %s: %s %s %s%s | %s\n", thread, path_of(ordering.site),
                ordering.site.line, ordering.site.function, name_of(ordering.operation), name_of(ordering.order),
                ordering.operation == Operation::fence ? "" : value_text,
                older == 0 ? "" : (" (" + std::to_string(older) + " older than the newest)").c_str(),
                source_line(ordering.site).c_str());
  text_ += line;
}

void Trace::remark(unsigned thread, const std::string& text) {
  text_ += "   " + std::to_string(thread) + " " + text + "\n";
}

const std::string& Trace::source_line(const Site& site) {
  static const std::string kUnknown;
  auto [file, fresh] = files_.try_emplace(path_of(site));
  if (fresh) {
    std::ifstream input(VOLT_SOURCE_DIR "/" + std::string(path_of(site)));
    for (std::string line; std::getline(input, line);) {
      const std::size_t first = line.find_first_not_of(' ');
      file->second.push_back(first == std::string::npos ? "" : line.substr(first));
    }
  }
  return site.line >= 1 && site.line <= file->second.size() ? file->second[site.line - 1] : kUnknown;
}

}  // namespace volt::model
