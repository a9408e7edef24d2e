// SPDX-License-Identifier: MIT

#include "runtime/internal/heap_dump.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "runtime/heap_profile.h"

namespace volt {
namespace {

// Two functions that a stack may name. They differ, so that the linker does not make them one.
[[gnu::noinline]] int render_page(int value) { return value * 3; }
[[gnu::noinline]] int read_stock(int value) { return value * 5; }

using Code = int (*)(int);

std::string hex(std::uintptr_t address) {
  std::array<char, 16> digits;
  return "0x" + std::string(digits.data(), std::to_chars(digits.begin(), digits.end(), address, 16).ptr);
}

// An address in the function to which a call returns.
std::string in(Code function, std::uintptr_t place = 1) { return hex(std::bit_cast<std::uintptr_t>(function) + place); }

std::string name(std::string_view function) { return "volt::(anonymous namespace)::" + std::string(function); }

}  // namespace

TEST_SUITE_BEGIN("runtime/internal/heap_dump");

TEST_CASE("each stack of a dump is a line with its bytes, the largest first and the outermost function first") {
  const std::string stock = in(read_stock), page = in(render_page);
  const std::string dump = "heap_v2/524288\n  t*: 4: 7340032 [0: 0]\n  t0: 4: 7340032 [0: 0]\n@ " + stock +
                           "\n  t*: 1: 1 [0: 0]\n  t0: 1: 1 [0: 0]\n@ " + stock + " " + page +
                           "\n  t*: 1: 5242880 [0: 0]\n  t0: 1: 5242880 [0: 0]\n@ " + page +
                           "\n  t*: 0: 0 [9: 90]\n@\n  t*: 1: 8 [0: 0]\n\nMAPPED_LIBRARIES:\n@ nonsense\n";
  // A sampled allocation of 5 MiB stands for itself, nearly; one of a byte for those of 512 KiB.
  const std::string folded =
      name("render_page") + ";" + name("read_stock") + " 5243118\n" + name("read_stock") + " 524289\n";
  CHECK(folded_heap(dump, nullptr) == folded);
}

TEST_CASE("stacks that differ only in their places in a function are one line") {
  const std::string dump =
      "heap_v2/1\n@ " + in(read_stock) + "\n  t*: 1: 100 [0: 0]\n@ " + in(read_stock, 2) + "\n  t*: 2: 400 [0: 0]\n";
  CHECK(folded_heap(dump, nullptr) == name("read_stock") + " 500\n");
}

TEST_CASE("the functions of the allocator are left out, if it is a library of its own") {
  const auto libc = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "getpagesize"));
  const std::string dump = "heap_v2/1\n@ " + hex(libc + 1) + " " + in(render_page) + "\n  t*: 1: 100 [0: 0]\n";
  CHECK(folded_heap(dump, reinterpret_cast<const void*>(libc)) == name("render_page") + " 100\n");
  CHECK(folded_heap(dump, reinterpret_cast<const void*>(&read_stock))->starts_with(name("render_page") + ";"));
}

TEST_CASE("a text that is no dump is refused") {
  for (const char* dump :
       {"", "heap_v1/1\n", "heap_v2/\n", "heap_v2/0\n", "heap_v2/1", "heap_v2/1\n@ 0x\n", "heap_v2/1\n@ 0x0\n",
        "heap_v2/1\n@ 0x4010 4020\n", "heap_v2/1\n@ 0x4010\n  t*: \n", "heap_v2/1\n@ 0x4010\n  t*: 1\n",
        "heap_v2/1\n@ 0x4010\n  t*: 1: \n", "heap_v2/1\n@ 0x4010\n  t*: 1: 99999999999999999999 [0: 0]\n"}) {
    CAPTURE(dump);
    CHECK(!folded_heap(dump, nullptr));
  }
  CHECK(folded_heap("heap_v2/524288\n  t*: 0: 0 [0: 0]\n", nullptr) == "");
}

TEST_CASE("a program without jemalloc has no profile of its memory") {
  CHECK(heap_profile().error() == std::errc::not_supported);
}

TEST_SUITE_END();

}  // namespace volt
