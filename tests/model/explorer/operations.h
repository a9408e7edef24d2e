// What a running body has carried out by the explorer, one operation at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/model/explorer/site.h"

namespace volt::model {

[[nodiscard]] std::uint32_t create_atomic(std::uint64_t value) noexcept;
void destroy_atomic(std::uint32_t atomic) noexcept;
[[nodiscard]] std::uint64_t load_atomic(std::uint32_t atomic, std::memory_order order, const Site& site) noexcept;
void store_atomic(std::uint32_t atomic, std::uint64_t value, std::memory_order order, const Site& site) noexcept;
// A read-modify-write in two halves, between which nothing comes.
[[nodiscard]] std::uint64_t begin_exchange(std::uint32_t atomic) noexcept;
void end_exchange(std::uint32_t atomic, std::uint64_t value, std::memory_order order, const Site& site) noexcept;
[[nodiscard]] bool compare_exchange(std::uint32_t atomic, std::uint64_t& expected, std::uint64_t desired,
                                    std::memory_order order, std::memory_order order_of_failure,
                                    const Site& site) noexcept;
void full_fence(const Site& site) noexcept;
// Goes on when the atomic that the thread looked at last has another value than it saw.
void wait_for_change() noexcept;
[[nodiscard]] unsigned calling_thread() noexcept;
// Of memory that is not atomic (plain_memory.h).
void plain_access(const void* address, std::size_t bytes, bool write) noexcept;

}  // namespace volt::model
