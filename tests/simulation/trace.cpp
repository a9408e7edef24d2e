// SPDX-License-Identifier: MIT

#include "tests/simulation/trace.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstring>

namespace volt::simulation {

void Trace::add(const Call& call) noexcept {
  const std::array<std::int64_t, 6> numbers = {call.time_ns, call.fd,    call.argument,
                                               call.result,  call.error, std::bit_cast<std::int64_t>(call.data_hash)};
  hash_ = hash_of(call.name, hash_);
  hash_ = hash_of({reinterpret_cast<const char*>(numbers.data()), sizeof numbers}, hash_);
  tail_[size_ % kTail] = call;
  ++size_;
  if (file_ != nullptr) print(call, file_);
}

void Trace::print_tail(std::FILE* file) const noexcept {
  for (std::uint64_t i = size_ - std::min<std::uint64_t>(size_, kTail); i != size_; ++i) print(tail_[i % kTail], file);
}

void Trace::print(const Call& call, std::FILE* file) noexcept {
  std::fprintf(file, "%14.6f ms  %-14s %3d  %6" PRId64 " -> %" PRId64, static_cast<double>(call.time_ns) / 1e6,
               call.name, call.fd, call.argument, call.result);
  if (call.error != 0) std::fprintf(file, " %s", ::strerrorname_np(call.error));
  std::fputc('\n', file);
}

}  // namespace volt::simulation
