// SPDX-License-Identifier: MIT

// The operations that a running body performs through the explorer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/model/explorer/site.h"

namespace volt::model {

[[nodiscard]] std::uint32_t create_atomic(std::uint64_t value) noexcept;
void destroy_atomic(std::uint32_t atomic) noexcept;
[[nodiscard]] std::uint64_t load_atomic(std::uint32_t atomic, std::memory_order order, const Site& site) noexcept;
void store_atomic(std::uint32_t atomic, std::uint64_t value, std::memory_order order, const Site& site) noexcept;
// These two functions are the halves of a read-modify-write; no other operation comes between them.
[[nodiscard]] std::uint64_t begin_exchange(std::uint32_t atomic) noexcept;
void end_exchange(std::uint32_t atomic, std::uint64_t value, std::memory_order order, const Site& site) noexcept;
[[nodiscard]] bool compare_exchange(std::uint32_t atomic, std::uint64_t& expected, std::uint64_t desired,
                                    std::memory_order order, std::memory_order order_of_failure,
                                    const Site& site) noexcept;
void full_fence(const Site& site) noexcept;
// Waits until the atomic that the thread read last has another value than the one it saw.
void wait_for_change() noexcept;
[[nodiscard]] unsigned calling_thread() noexcept;
// Reports an access to plain memory (plain_memory.h).
void plain_access(const void* address, std::size_t bytes, bool write) noexcept;

}  // namespace volt::model
