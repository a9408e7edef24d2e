// SPDX-License-Identifier: MIT

#include "http/metrics/internal/family.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <new>
#include <utility>

#include "runtime/log.h"
#include "runtime/worker_identity.h"

namespace volt::http::metrics {
namespace {

constexpr std::size_t kValueBytesMax = 256;

std::size_t hash_of(std::span<const std::string_view> values) noexcept {
  std::size_t hash = 0;
  for (const std::string_view value : values) hash = hash * 31 + std::hash<std::string_view>()(value);
  return hash ^ (hash >> 32);
}

double to_real(std::uint64_t word) noexcept { return std::bit_cast<double>(word); }
std::uint64_t to_word(double real) noexcept { return std::bit_cast<std::uint64_t>(real); }

}  // namespace

Family::Storage::Storage(const void* writer, std::size_t series, std::size_t words)
    : owner(writer), words_(words), blocks_((series + kBlockSeries - 1) / kBlockSeries) {}

Family::Storage::~Storage() {
  for (base::Atomic<Word*>& block : blocks_) delete[] block.load(base::acquire);  // M2
}

Family::Word* Family::Storage::words_of(std::uint32_t series) noexcept {
  base::Atomic<Word*>& block = blocks_[series / kBlockSeries];
  Word* words = block.load(base::acquire);  // M2
  if (words == nullptr) {
    Word* const made = new (std::nothrow) Word[kBlockSeries * words_]();
    if (made == nullptr) return nullptr;
    if (block.compare_exchange_strong(words, made, base::acq_rel, base::acquire)) {  // M2
      words = made;
    } else {
      delete[] made;  // another thread was first
    }
  }
  return words + (series % kBlockSeries) * words_;
}

const Family::Word* Family::Storage::find_words(std::uint32_t series) const noexcept {
  const Word* const words = blocks_[series / kBlockSeries].load(base::acquire);  // M2
  return words == nullptr ? nullptr : words + (series % kBlockSeries) * words_;
}

Family::Family(Definition definition)
    : definition_(std::move(definition)),
      words_(definition_.type == "histogram" ? definition_.bounds.size() + 2 : 1),
      shared_(nullptr, series_slots(), words_),
      table_(std::bit_ceil(2 * (series_slots()))) {
  const std::vector<std::string_view> other(definition_.labels.size(), kOtherValue);
  add_series(other, hash_of(other));
}

Family::~Family() = default;

// --- series ----------------------------------------------------------------------------------------------------------

const Family::Series& Family::find_or_add(std::span<const std::string_view> values) noexcept {
  const auto too_long = [](std::string_view value) { return value.size() > kValueBytesMax; };
  if (std::ranges::any_of(values, too_long)) return series_.front();
  const std::size_t hash = hash_of(values);
  if (const Series* const found = find(values, hash)) return *found;
  try {
    const std::scoped_lock lock(mutex_);
    if (const Series* const found = find(values, hash)) return *found;
    if (series_.size() < series_slots()) return add_series(values, hash);
    if (!std::exchange(has_overflowed_, true)) {
      log(LogLevel::warning, "a metric has too many combinations of label values, further ones are counted as _other",
          {{"metric", definition_.name}, {"series_max", definition_.series_max}});
    }
  } catch (const std::exception&) {  // decided: without memory the value counts as _other
  }
  return series_.front();  // never changes
}

const Family::Series& Family::add_series(std::span<const std::string_view> values, std::size_t hash) {
  const auto index = static_cast<std::uint32_t>(series_.size());
  std::vector<std::string> own(values.begin(), values.end());
  Series& added = series_.emplace_back();
  added.hash = hash;
  added.values = std::move(own);
  if (definition_.type == "counter") {
    added.metric.emplace<Counter>(*this, index);
  } else if (definition_.type == "gauge") {
    added.metric.emplace<Gauge>(*this, index);
  } else {
    added.metric.emplace<Histogram>(*this, index);
  }
  for (std::size_t at = hash;; ++at) {
    base::Atomic<const Series*>& slot = table_[at & (table_.size() - 1)];
    if (slot.load(base::relaxed) != nullptr) continue;  // relaxed: the lock is held
    slot.store(&added, base::release);                  // M1
    return added;
  }
}

const Family::Series* Family::find(std::span<const std::string_view> values, std::size_t hash) const noexcept {
  for (std::size_t at = hash;; ++at) {
    const Series* const series = table_[at & (table_.size() - 1)].load(base::acquire);  // M1
    if (series == nullptr) return nullptr;
    if (series->hash == hash && std::ranges::equal(series->values, values)) return series;
  }
}

// --- numbers ---------------------------------------------------------------------------------------------------------

Family::Place Family::place(std::uint32_t series) noexcept {
  const WorkerIdentity worker = worker_identity();
  if (worker.runtime != nullptr) {
    try {
      Storage& own = by_worker_.local(worker.runtime, series_slots(), words_);
      if (own.owner == worker.runtime) return {own.words_of(series), true};
    } catch (const std::bad_alloc&) {  // decided: the shared storage serves as well
    }
  }
  return {shared_.words_of(series), false};
}

void Family::increase(Word& word, std::uint64_t by, bool alone) noexcept {
  if (alone) {
    word.store(word.load(base::relaxed) + by, base::relaxed);  // relaxed: one writer, and readers only report
  } else {
    word.fetch_add(by, base::relaxed);  // relaxed: readers only report
  }
}

void Family::increase_real(Word& word, double by, bool alone) noexcept {
  std::uint64_t before = word.load(base::relaxed);  // relaxed: one writer, or the exchange decides
  if (alone) {
    word.store(to_word(to_real(before) + by), base::relaxed);  // relaxed: one writer, and readers only report
    return;
  }
  while (!word.compare_exchange_weak(before, to_word(to_real(before) + by), base::relaxed)) {  // relaxed: a report
  }
}

void Family::add(std::uint32_t series, std::uint64_t by) noexcept {
  const Place at = place(series);
  if (at.words != nullptr) increase(*at.words, by, at.alone);
}

void Family::set(std::uint32_t series, double value) noexcept {
  if (Word* const word = shared_.words_of(series)) word->store(to_word(value), base::relaxed);  // relaxed: a report
}

void Family::add_to_gauge(std::uint32_t series, double by) noexcept {
  if (Word* const word = shared_.words_of(series)) increase_real(*word, by, false);
}

void Family::record(std::uint32_t series, double value) noexcept {
  const Place at = place(series);
  if (at.words == nullptr || std::isnan(value)) return;
  const auto bucket = std::ranges::lower_bound(definition_.bounds, value) - definition_.bounds.begin();
  increase(at.words[bucket], 1, at.alone);
  increase_real(at.words[words_ - 1], value, at.alone);
}

// --- reports ---------------------------------------------------------------------------------------------------------

// Adds up the words of all storages. The last word of a histogram and the word of a gauge are real numbers.
std::vector<std::uint64_t> Family::words_in_all(std::uint32_t series) const {
  std::vector<std::uint64_t> sums(words_);
  const bool last_is_real = definition_.type != "counter";
  const auto add_up = [&](const Storage& storage) {
    const Word* const words = storage.find_words(series);
    if (words == nullptr) return;
    for (std::size_t i = 0; i != words_; ++i) {
      const std::uint64_t word = words[i].load(base::relaxed);  // relaxed: a report
      const bool real = last_is_real && i + 1 == words_;
      sums[i] = real ? to_word(to_real(sums[i]) + to_real(word)) : sums[i] + word;
    }
  };
  by_worker_.for_each(add_up);
  add_up(shared_);
  return sums;
}

void Family::report(MetricSink& sink) const {
  std::vector<const Series*> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const Series& series : series_) all.push_back(&series);
  }
  for (std::uint32_t index = 0; index != all.size(); ++index) report_series(sink, index, *all[index]);
}

void Family::report_series(MetricSink& sink, std::uint32_t index, const Series& series) const {
  const std::vector<std::uint64_t> words = words_in_all(index);
  const bool labeled = !definition_.labels.empty();
  if (index == kOther && labeled && std::ranges::count(words, 0U) == std::ssize(words)) return;
  std::vector<MetricLabel> labels;
  for (std::size_t i = 0; i != definition_.labels.size(); ++i) {
    labels.push_back({definition_.labels[i], series.values[i]});
  }
  const MetricSink::Family family{.name = definition_.name, .help = definition_.help, .type = definition_.type};
  if (definition_.type == "counter") return sink.take(family, labels, static_cast<double>(words.front()));
  if (definition_.type == "gauge") return sink.take(family, labels, to_real(words.front()));
  sink.take(
      family, labels,
      HistogramValue{
          .bounds = definition_.bounds, .counts = std::span(words).first(words_ - 1), .sum = to_real(words.back())});
}

}  // namespace volt::http::metrics
