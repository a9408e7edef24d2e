// SPDX-License-Identifier: MIT

// http/coding: encodes 16 KiB of JSON with each coding, by a new and by a reused encoder, and decodes it.
//
// Counters: ratio (content bytes per coded byte); memory_KiB (heap memory of the coder after that content); large_KiB
// (heap memory of the coder after 4 MiB in pieces of 16 KiB).
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/coding/internal/decoder.h"
#include "http/coding/internal/encoder.h"

namespace {

using namespace volt::http::coding;

constexpr std::size_t kContentBytes = 16 * 1024;
constexpr std::size_t kLargeBytes = 4 * 1024 * 1024;
constexpr std::size_t kOutputBytes = 16 * 1024;

std::string json(std::size_t bytes) {
  std::string text = "[";
  for (std::uint32_t i = 1; text.size() < bytes; ++i) {
    const std::uint32_t hash = i * 2654435761U;
    text += "{\"id\":" + std::to_string(i) + ",\"name\":\"item " + std::to_string(hash % 997) +
            "\",\"price\":" + std::to_string(hash % 10000) + ",\"tags\":[\"" + (hash & 64 ? "new" : "sale") + "\",\"" +
            (hash & 128 ? "garden" : "kitchen") + "\"],\"seller\":{\"id\":" + std::to_string(hash >> 16) +
            ",\"rating\":4." + std::to_string(hash % 10) + "}},";
  }
  text.resize(bytes);
  return text;
}

double heap_KiB() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1024;
}

double encoder_KiB(ContentCoding coding, int level, std::string_view content) {
  std::string out;
  out.reserve(2 * kOutputBytes);
  const double before = heap_KiB();
  const auto encoder = make_encoder(coding, level);
  for (; content.size() > kContentBytes; content.remove_prefix(kContentBytes)) {
    out.clear();
    encoder->update(content.substr(0, kContentBytes), out);
  }
  out.clear();
  encoder->finish(content, out);
  return heap_KiB() - before;
}

double decoder_KiB(ContentCoding coding, std::string_view coded) {
  std::string out;
  out.reserve(2 * kOutputBytes);
  const double before = heap_KiB();
  const auto decoder = make_decoder(coding, {});
  for (bool more = true; more;) {
    out.clear();
    const auto step = decoder->update(coded, out, kOutputBytes);
    if (!step) return -1;
    coded.remove_prefix(step->consumed);
    more = step->output_full;
  }
  return heap_KiB() - before;
}

void finish_counters(benchmark::State& state, std::size_t coded_bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kContentBytes));
  state.counters["ratio"] = static_cast<double>(kContentBytes) / static_cast<double>(coded_bytes);
}

void encode_new(benchmark::State& state, ContentCoding coding) {
  const std::string content = json(kContentBytes);
  std::string out;
  for (auto _ : state) {
    out.clear();
    make_encoder(coding)->finish(content, out);
    benchmark::DoNotOptimize(out.data());
  }
  finish_counters(state, out.size());
}

void encode_reused(benchmark::State& state, ContentCoding coding) {
  const std::string content = json(kContentBytes);
  const auto level = static_cast<int>(state.range(0));
  const auto encoder = make_encoder(coding, level);
  std::string out;
  for (auto _ : state) {
    out.clear();
    encoder->reset();
    encoder->finish(content, out);
    benchmark::DoNotOptimize(out.data());
  }
  finish_counters(state, out.size());
  state.counters["memory_KiB"] = encoder_KiB(coding, level, content);
  state.counters["large_KiB"] = encoder_KiB(coding, level, json(kLargeBytes));
}

void decode(benchmark::State& state, ContentCoding coding) {
  const std::string coded = encode_whole(coding, json(kContentBytes));
  for (auto _ : state) benchmark::DoNotOptimize(decode_whole(coding, coded, {}));
  finish_counters(state, coded.size());
  state.counters["memory_KiB"] = decoder_KiB(coding, coded);
  state.counters["large_KiB"] = decoder_KiB(coding, encode_whole(coding, json(kLargeBytes)));
}

BENCHMARK_CAPTURE(encode_new, gzip, ContentCoding::gzip);
BENCHMARK_CAPTURE(encode_new, br, ContentCoding::br);
BENCHMARK_CAPTURE(encode_new, zstd, ContentCoding::zstd);
BENCHMARK_CAPTURE(encode_reused, gzip, ContentCoding::gzip)->Arg(1)->Arg(5)->Arg(6);
BENCHMARK_CAPTURE(encode_reused, br, ContentCoding::br)->Arg(1)->Arg(3)->Arg(4)->Arg(5);
BENCHMARK_CAPTURE(encode_reused, zstd, ContentCoding::zstd)->Arg(1)->Arg(3)->Arg(6);
BENCHMARK_CAPTURE(decode, gzip, ContentCoding::gzip);
BENCHMARK_CAPTURE(decode, br, ContentCoding::br);
BENCHMARK_CAPTURE(decode, zstd, ContentCoding::zstd);

}  // namespace
