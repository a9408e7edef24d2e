// SPDX-License-Identifier: MIT

// Family: the series of one metric, and the numbers of each of them, by worker.
//
// A series is a combination of label values. It has an index, which is also its place in the storage of each worker.
// The table from label values to series has a fixed size, and series are only ever added to it, so a reader needs no
// lock. Series 0 is that of all combinations beyond the maximum, and the only one of a metric without labels.
//
// A series has one word for a counter or a gauge, and for a histogram one for each bucket and one for the sum. A worker
// allocates the words of 16 series together when it first uses one of them. Only that worker writes to them, with plain
// stores. Threads that are no workers, and workers of a second runtime that uses the metric, share one more storage, in
// which each change is an atomic read-modify-write.
//
// Rejected: one storage with read-modify-writes for all. The workers would share its cache lines, and a handler that
// counts would wait for them. Rejected: a table of series for each worker, as in http/server/internal/traffic.h. A copy
// of a series, which handlers keep, would have to be looked up again on each worker.
//
// Threads: any.
//
// Edges
//   M1  a series is complete before it is linked into the table  ->  a look-up that finds it
//   M2  a block of words is zero before it is linked in  ->  its worker, or a reader
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/metrics/metrics.h"
#include "runtime/base/atomic.h"
#include "runtime/per_worker.h"

namespace volt::http::metrics {

inline constexpr std::string_view kOtherValue = "_other";

struct Definition {
  std::string name;
  std::string help;
  std::string type;  // "counter", "gauge" or "histogram"
  std::vector<std::string> labels;
  std::vector<double> bounds;  // of a histogram; else empty
  std::size_t series_max = 1;
  std::string origin;  // where it was registered: "main.cpp:12"
};

class Family : public std::enable_shared_from_this<Family> {
 public:
  explicit Family(Definition definition);
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family();

  [[nodiscard]] const Definition& definition() const noexcept { return definition_; }

  // Returns the series of these label values.
  template <class Metric>
  [[nodiscard]] const Metric& metric(std::span<const std::string_view> values) noexcept {
    return std::get<Metric>(find_or_add(values).metric);
  }

  void add(std::uint32_t series, std::uint64_t by) noexcept;
  void set(std::uint32_t series, double value) noexcept;
  void add_to_gauge(std::uint32_t series, double by) noexcept;
  void record(std::uint32_t series, double value) noexcept;

  void report(MetricSink& sink) const;

 private:
  static constexpr std::uint32_t kOther = 0;
  static constexpr std::size_t kBlockSeries = 16;

  using Word = base::Atomic<std::uint64_t>;

  struct Series {
    std::size_t hash = 0;
    std::vector<std::string> values = {};
    std::variant<std::monostate, Counter, Gauge, Histogram> metric = {};
  };

  // The words of all series, for one worker or for all other threads.
  class Storage {
   public:
    Storage(const void* owner, std::size_t series, std::size_t words);
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    ~Storage();

    // Returns the first word of the series; null without memory.
    [[nodiscard]] Word* words_of(std::uint32_t series) noexcept;
    // Returns the first word of the series; null if it has none here.
    [[nodiscard]] const Word* find_words(std::uint32_t series) const noexcept;

    const void* const owner;  // the runtime whose worker writes here; null: all other threads do

   private:
    const std::size_t words_;
    std::vector<base::Atomic<Word*>> blocks_;
  };

  // The words of a series for the calling thread, and whether it is the only writer.
  struct Place {
    Word* words;
    bool alone;
  };
  [[nodiscard]] std::size_t series_slots() const noexcept { return definition_.series_max + 1; }
  [[nodiscard]] Place place(std::uint32_t series) noexcept;
  static void increase(Word& word, std::uint64_t by, bool alone) noexcept;
  static void increase_real(Word& word, double by, bool alone) noexcept;

  [[nodiscard]] const Series& find_or_add(std::span<const std::string_view> values) noexcept;
  const Series& add_series(std::span<const std::string_view> values, std::size_t hash);
  [[nodiscard]] const Series* find(std::span<const std::string_view> values, std::size_t hash) const noexcept;
  [[nodiscard]] std::vector<std::uint64_t> words_in_all(std::uint32_t series) const;
  void report_series(MetricSink& sink, std::uint32_t index, const Series& series) const;

  const Definition definition_;
  const std::size_t words_;  // of a series
  PerWorker<Storage> by_worker_;
  Storage shared_;
  std::vector<base::Atomic<const Series*>> table_;  // open addressing, at most half full
  mutable std::mutex mutex_;
  std::deque<Series> series_;    // under mutex_; elements never change and never move
  bool has_overflowed_ = false;  // under mutex_
};

}  // namespace volt::http::metrics
