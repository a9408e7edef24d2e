// SPDX-License-Identifier: MIT

#include "tracing/internal/id_source.h"

#include <algorithm>
#include <bit>
#include <span>

#include "crypto/random.h"

namespace volt::tracing::internal {
namespace {

template <class Id>
bool is_zero(const Id& id) noexcept {
  return std::ranges::all_of(id, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

IdSource::IdSource() noexcept {
  do {
    crypto::fill_random(std::as_writable_bytes(std::span(state_)));
  } while (std::ranges::all_of(state_, [](std::uint64_t word) { return word == 0; }));  // it would stay zero
}

std::uint64_t IdSource::next() noexcept {
  const std::uint64_t drawn = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return drawn;
}

TraceId IdSource::next_trace_id() noexcept {
  TraceId id;
  do {
    id = std::bit_cast<TraceId>(std::array{next(), next()});
  } while (is_zero(id));
  return id;
}

SpanId IdSource::next_span_id() noexcept {
  SpanId id;
  do {
    id = std::bit_cast<SpanId>(next());
  } while (is_zero(id));
  return id;
}

}  // namespace volt::tracing::internal
