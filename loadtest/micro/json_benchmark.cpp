// SPDX-License-Identifier: MIT

// http/json: writes and reads a struct of ten members, beside nlohmann::json.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "http/json/json.h"

namespace {

namespace http = volt::http;

struct Account {
  std::int64_t id;
  std::string name;
  std::string email;
  std::int32_t age;
  bool active;
  double balance;
  std::string country;
  std::uint64_t logins;
  std::string note;
  double rating;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Account, id, name, email, age, active, balance, country, logins, note, rating)

Account sample() {
  return {.id = 4711,
          .name = "Ada Lovelace",
          .email = "ada.lovelace@example.com",
          .age = 36,
          .active = true,
          .balance = 1234.56,
          .country = "United Kingdom",
          .logins = 18'000,
          .note = "She said: \"the engine weaves algebraic patterns\".",
          .rating = 4.75};
}

void json_write(benchmark::State& state) {
  const Account account = sample();
  std::string out;
  for (auto _ : state) {
    out.clear();
    http::append_json(account, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(json_write);

void json_write_nlohmann(benchmark::State& state) {
  const Account account = sample();
  std::string out;
  for (auto _ : state) {
    out = nlohmann::json(account).dump();
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(json_write_nlohmann);

void json_read(benchmark::State& state) {
  const std::string text = http::to_json(sample());
  for (auto _ : state) {
    auto account = http::from_json<Account>(text);
    if (!account) return state.SkipWithError("not read");
    benchmark::DoNotOptimize(account);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(json_read);

void json_read_nlohmann(benchmark::State& state) {
  const std::string text = http::to_json(sample());
  for (auto _ : state) {
    auto account = nlohmann::json::parse(text).get<Account>();
    benchmark::DoNotOptimize(account);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(json_read_nlohmann);

void json_read_thousand(benchmark::State& state) {
  const std::string text = http::to_json(std::vector<Account>(1000, sample()));
  for (auto _ : state) {
    auto accounts = http::from_json<std::vector<Account>>(text);
    if (!accounts) return state.SkipWithError("not read");
    benchmark::DoNotOptimize(accounts);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(json_read_thousand);

}  // namespace
