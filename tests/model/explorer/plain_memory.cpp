// SPDX-License-Identifier: MIT

#include "tests/model/explorer/plain_memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/model/explorer/operations.h"

namespace volt::model {
namespace {

constexpr std::size_t kBytes = 256 * 1024;
constexpr std::size_t kAlignment = 128;           // kNoSharingBytes, the largest alignment of an object
constexpr std::size_t kAlignmentMax = 64 * 1024;  // that of a frame pool's chunks

// The state of one byte. A field is checked at its first byte, which all accesses to it share.
struct Cell {
  std::uint32_t execution = 0;  // the execution that the rest refers to
  bool deleted = false;
  std::uint8_t writer = 0;
  std::uint16_t written = 0;                         // the writer's clock
  std::array<std::uint16_t, kThreadsMax> read_by{};  // the readers' clocks
};

struct Header {  // precedes each block
  std::size_t bytes;
};

alignas(kAlignmentMax) std::array<std::byte, kBytes> block;
std::array<Cell, kBytes> cells;
std::size_t used = 0;
std::uint32_t execution = 1;
bool is_open = false;

Cell& cell_at(std::size_t offset) noexcept {
  Cell& cell = cells[offset];
  if (cell.execution != execution) cell = {.execution = execution};
  return cell;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void PlainMemory::forget() noexcept {
  used = 0;
  ++execution;
}

void PlainMemory::set_open(bool open) noexcept { is_open = open; }
bool PlainMemory::open() noexcept { return is_open; }

void* PlainMemory::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t start = round_up(used + sizeof(Header), std::max(alignment, kAlignment));
  const std::size_t end = start + bytes;
  if (end > kBytes) return nullptr;
  used = end;
  const Header header{.bytes = bytes};
  std::memcpy(block.data() + start - sizeof header, &header, sizeof header);
  return block.data() + start;
}

bool PlainMemory::owns(const void* address) noexcept {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - block.data()) < kBytes;
}

std::size_t PlainMemory::size(const void* allocated) noexcept {
  Header header{};
  std::memcpy(&header, static_cast<const std::byte*>(allocated) - sizeof header, sizeof header);
  return header.bytes;
}

void PlainMemory::deallocate(void* allocated) noexcept {
  const auto start = static_cast<std::size_t>(static_cast<std::byte*>(allocated) - block.data());
  const std::size_t end = start + size(allocated);
  for (std::size_t i = start; i != end; ++i) cell_at(i).deleted = true;
}

PlainMemory::Finding PlainMemory::access(const void* address, std::size_t bytes, bool write, unsigned thread,
                                         const Knowledge& known) noexcept {
  const auto start = static_cast<std::size_t>(static_cast<const std::byte*>(address) - block.data());
  for (std::size_t i = start; i != start + bytes; ++i) {
    Cell& cell = cell_at(i);
    if (cell.deleted) return Finding::deleted;
    if (cell.written > known.clock[cell.writer]) return Finding::race;
    if (!write) {
      cell.read_by[thread] = known.clock[thread];
      continue;
    }
    for (unsigned reader = 0; reader != kThreadsMax; ++reader) {
      if (cell.read_by[reader] > known.clock[reader]) return Finding::race;
    }
    cell.writer = static_cast<std::uint8_t>(thread);
    cell.written = known.clock[thread];
  }
  return Finding::fine;
}

namespace {

void on_access(const void* address, std::size_t bytes, bool write) noexcept {
  if (PlainMemory::open() && PlainMemory::owns(address)) plain_access(address, bytes, write);
}

void* allocate(std::size_t bytes, std::size_t alignment = 1) {
  void* memory = PlainMemory::open() ? PlainMemory::allocate(bytes, alignment) : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void deallocate(void* memory) noexcept {
  if (PlainMemory::owns(memory)) {
    // Deleting requires exclusive access.
    if (PlainMemory::open()) plain_access(memory, PlainMemory::size(memory), true);
    PlainMemory::deallocate(memory);
  } else {
    std::free(memory);
  }
}

}  // namespace
}  // namespace volt::model

void* operator new(std::size_t bytes) { return volt::model::allocate(bytes); }
void operator delete(void* memory) noexcept { volt::model::deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { volt::model::deallocate(memory); }

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  if (volt::model::PlainMemory::open()) return volt::model::allocate(bytes, align);
  void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { volt::model::deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { volt::model::deallocate(memory); }

// The functions that the compiler's thread-sanitizer pass calls.
extern "C" {
#define VOLT_ACCESS(bytes)                                                                        \
  void __tsan_read##bytes(void* address) { volt::model::on_access(address, 1, false); }           \
  void __tsan_write##bytes(void* address) { volt::model::on_access(address, 1, true); }           \
  void __tsan_unaligned_read##bytes(void* address) { volt::model::on_access(address, 1, false); } \
  void __tsan_unaligned_write##bytes(void* address) { volt::model::on_access(address, 1, true); } \
  void __tsan_read_write##bytes(void* address) { volt::model::on_access(address, 1, true); }      \
  void __tsan_unaligned_read_write##bytes(void* address) { volt::model::on_access(address, 1, true); }
VOLT_ACCESS(1)
VOLT_ACCESS(2)
VOLT_ACCESS(4)
VOLT_ACCESS(8)
VOLT_ACCESS(16)
#undef VOLT_ACCESS
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void** address) { volt::model::on_access(address, 1, false); }
void __tsan_vptr_update(void** address, void*) { volt::model::on_access(address, 1, true); }
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  volt::model::on_access(from, bytes, false);
  volt::model::on_access(to, bytes, true);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  volt::model::on_access(from, bytes, false);
  volt::model::on_access(to, bytes, true);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  volt::model::on_access(to, bytes, true);
  return std::memset(to, value, bytes);
}
}
