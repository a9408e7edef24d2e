// SPDX-License-Identifier: MIT

// runtime/fs/file_transfer.h: 4 KiB reads of a cached file, in each of the three ways.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <span>

#include "runtime/fs/file_transfer.h"
#include "runtime/runtime.h"

namespace {

using volt::fs::FileTransfer;
using volt::io::FileOperation;

constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kFileBytes = 1 << 20;

// A temporary file, deleted with the benchmark.
class CachedFile {
 public:
  CachedFile() : file_(std::tmpfile()) {
    const std::array<char, kReadBytes> page{};
    for (std::size_t bytes = 0; bytes != kFileBytes; bytes += page.size()) {
      std::fwrite(page.data(), 1, page.size(), file_);
    }
    std::fflush(file_);
  }
  ~CachedFile() { std::fclose(file_); }
  CachedFile(const CachedFile&) = delete;
  CachedFile& operator=(const CachedFile&) = delete;
  [[nodiscard]] int fd() const { return ::fileno(file_); }

 private:
  std::FILE* file_;
};

volt::Task<> read_pages(benchmark::State& state, int fd, bool cached) {
  std::array<char, kReadBytes> buffer;
  std::uint64_t offset = 0;
  for (auto _ : state) {
    FileTransfer reading({.kind = FileOperation::Kind::read,
                          .fd = fd,
                          .buffer = buffer.data(),
                          .size_bytes = buffer.size(),
                          .offset = offset},
                         cached);
    const volt::Result<std::size_t> count = co_await reading;
    if (count.value_or(0) != kReadBytes) state.SkipWithError("a read failed");
    offset = (offset + kReadBytes) % kFileBytes;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kReadBytes));
}

void read_in_turn(benchmark::State& state, volt::IoEngine engine, bool cached) {
  const CachedFile file;
  volt::Runtime runtime({.workers = 1, .io = engine});
  runtime.block_on([&] { return read_pages(state, file.fd(), cached); });
}

void file_read_at_once(benchmark::State& state) { read_in_turn(state, volt::IoEngine::automatic, true); }
void file_read_by_ring(benchmark::State& state) { read_in_turn(state, volt::IoEngine::uring, false); }
void file_read_by_pool(benchmark::State& state) { read_in_turn(state, volt::IoEngine::epoll, false); }

BENCHMARK(file_read_at_once)->UseRealTime();
BENCHMARK(file_read_by_ring)->UseRealTime();
BENCHMARK(file_read_by_pool)->UseRealTime();

}  // namespace
