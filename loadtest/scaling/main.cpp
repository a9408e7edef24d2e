// SPDX-License-Identifier: MIT

// scaling: runs a scheduler on the cores of a model, and prints what it did as one line of JSON for each run.
//
//   scaling [--model volt|tokio|go|cores] [--workers N] [--domains N] [--machine groups|sockets|virtual]
//           [--load SHARE] [--service NS] [--services constant|exponential|mixed] [--arrivals poisson|bursty]
//           [--skewed] [--stalls SHARE] [--connections N] [--requests N] [--seed N] [--no-rescue] [--functions]
//   scaling --check        runs small loads on each model, and checks what must hold
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "loadtest/scaling/model.h"
#include "runtime/base/check.h"

namespace volt::scaling {
namespace {

struct RunOptions {
  LoadOptions load;
  std::string model = "volt";
  std::string machine = "groups";
  std::uint32_t domains = 8;
  bool rescue = true;
  bool functions = false;  // print the functions for which most lines moved
};

[[nodiscard]] Costs costs_of(const RunOptions& options) {
  if (options.machine == "sockets") return two_sockets();
  if (options.machine == "virtual") return virtual_machine();
  return {};
}

[[nodiscard]] std::unique_ptr<Model> make_model(const RunOptions& options, Load& load) {
  if (options.model == "tokio") return make_tokio(load);
  if (options.model == "go") return make_go(load);
  return make_volt(load, options.model == "volt", options.rescue);
}

void print_functions(std::string& out, const Machine& cores, double requests) {
  std::vector<std::pair<std::uint64_t, std::string>> functions;
  for (const auto& [function, moved] : cores.moved()) functions.emplace_back(moved.lines, function);
  std::ranges::sort(functions, std::greater<>());
  out += ", \"functions\": {";
  for (std::size_t i = 0; i != std::min<std::size_t>(functions.size(), 12); ++i) {
    char text[128];
    std::snprintf(text, sizeof text, "%s\"%s\": %.3f", i == 0 ? "" : ", ", functions[i].second.c_str(),
                  static_cast<double>(functions[i].first) / requests);
    out += text;
  }
  out += "}";
}

// Returns the results as JSON. `lost` is set to the number of requests that were never served.
[[nodiscard]] std::string run(const RunOptions& options, std::uint64_t& lost) {
  Machine cores(costs_of(options), options.load.workers, options.domains);
  LoadOptions load_options = options.load;
  load_options.placed = options.model != "cores";
  Load load(load_options);
  const std::unique_ptr<Model> model = make_model(options, load);
  cores.run([&load] { return load.next_ns(); },
            [&load, &model] {
              if (Connection* connection = load.arrive()) model->arrived(*connection);
            });
  model->collect_counts();
  lost = load.lost();

  const Counts& counts = model->counts();
  const auto all = static_cast<double>(options.load.requests);
  const auto measured = static_cast<double>(std::max<std::uint64_t>(load.measured(), 1));
  Machine::Moved lines;
  for (const auto& [function, moved] : cores.moved()) {
    lines.lines += moved.lines;
    lines.between_domains += moved.between_domains;
  }
  const auto per = [](auto count, double requests) { return static_cast<double>(count) / requests; };
  char text[1024];
  std::snprintf(text, sizeof text,
                "{\"model\": \"%s\", \"workers\": %u, \"domains\": %u, \"load\": %.2f, \"offered\": %.0f, "
                "\"throughput\": %.0f, \"p50_us\": %.2f, \"p99_us\": %.2f, \"p999_us\": %.2f, \"core_us\": %.3f, "
                "\"parks\": %.4f, \"wakes\": %.4f, \"wasted\": %.4f, \"searched\": %.3f, \"stolen\": %.4f, "
                "\"thefts\": %.4f, \"thefts_far\": %.4f, \"lines\": %.2f, \"lines_far\": %.2f, \"task_lines\": %.2f, "
                "\"task_lines_far\": %.2f, \"rescues\": %llu, \"lost\": %llu",
                options.model.c_str(), options.load.workers, options.domains, options.load.load, load.offered(),
                load.throughput(), load.latency_us(0.5), load.latency_us(0.99), load.latency_us(0.999),
                static_cast<double>(cores.awake_ns(options.load.workers)) / 1e3 / measured, per(counts.parks, all),
                per(counts.wakes, all), per(counts.wasted, all), per(counts.searched, all), per(counts.stolen, all),
                per(counts.thefts, all), per(counts.thefts_far, all), per(lines.lines, measured),
                per(lines.between_domains, measured), per(cores.task_lines().lines, measured),
                per(cores.task_lines().between_domains, measured), static_cast<unsigned long long>(counts.rescues),
                static_cast<unsigned long long>(lost));
  std::string out = text;
  if (options.functions) print_functions(out, cores, measured);
  return out + "}";
}

// Checks what must hold for each model: all work is done, so no wake-up is lost, and a seed determines everything.
[[nodiscard]] int check() {
  int failures = 0;
  const auto expect = [&failures](bool fact, const RunOptions& options, const char* what) {
    if (fact) return;
    ++failures;
    std::fprintf(stderr, "%s, load %.2f, %s, %u workers: %s\n", options.model.c_str(), options.load.load,
                 options.load.arrivals.c_str(), options.load.workers, what);
  };
  for (const char* model : {"volt", "cores", "tokio", "go"}) {
    for (const double load : {0.02, 0.6, 1.2}) {
      for (const char* arrivals : {"poisson", "bursty"}) {
        for (const std::uint32_t workers : {3U, 40U}) {
          RunOptions options{.model = model};
          options.load.workers = workers;
          options.load.load = load;
          options.load.arrivals = arrivals;
          options.load.services = "mixed";
          options.load.skewed = workers == 3;
          options.load.requests = 1'500;
          std::uint64_t lost = 0;
          const std::string first = run(options, lost);
          expect(lost == 0, options, "requests were never served: a wake-up was lost");
          const bool wakes_others = first.find("\"wakes\": 0.0000") == std::string::npos;
          expect(options.model != "cores" || !wakes_others, options, "a worker has woken one that cannot steal");
          expect(run(options, lost) == first, options, "two runs with one seed differ");
          options.load.seed = 2;
          expect(run(options, lost) != first, options, "the seed has no effect");
          expect(lost == 0, options, "requests were never served: a wake-up was lost");
        }
      }
    }
  }
  return failures == 0 ? 0 : 1;
}

[[noreturn]] void fail(std::string_view option) {
  std::fprintf(stderr, "scaling: wrong option or value: %.*s (see loadtest/scaling/README.md)\n",
               static_cast<int>(option.size()), option.data());
  std::exit(2);
}

template <class Number>
[[nodiscard]] Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < Number{}) fail(text);
  return value;
}

[[nodiscard]] std::string one_of(std::string_view text, std::initializer_list<std::string_view> values) {
  if (std::ranges::find(values, text) == values.end()) fail(text);
  return std::string(text);
}

void set(RunOptions& options, std::string_view option, std::string_view value) {
  LoadOptions& load = options.load;
  if (option == "--model")
    options.model = one_of(value, {"volt", "tokio", "go", "cores"});
  else if (option == "--machine")
    options.machine = one_of(value, {"groups", "sockets", "virtual"});
  else if (option == "--workers")
    load.workers = number<std::uint32_t>(value);
  else if (option == "--domains")
    options.domains = number<std::uint32_t>(value);
  else if (option == "--load")
    load.load = number<double>(value);
  else if (option == "--service")
    load.service_ns = number<std::int64_t>(value);
  else if (option == "--services")
    load.services = one_of(value, {"constant", "exponential", "mixed"});
  else if (option == "--arrivals")
    load.arrivals = one_of(value, {"poisson", "bursty"});
  else if (option == "--stalls")
    load.stalls = number<double>(value);
  else if (option == "--connections")
    load.connections = number<std::uint32_t>(value);
  else if (option == "--requests")
    load.requests = number<std::uint32_t>(value);
  else if (option == "--seed")
    load.seed = number<std::uint64_t>(value);
  else
    fail(option);
}

void require_possible(const RunOptions& options) {
  const LoadOptions& load = options.load;
  if (load.workers == 0 || load.workers > 256) fail("--workers");
  if (options.domains == 0 || options.domains > load.workers) fail("--domains");
  if (load.load <= 0 || load.stalls > 1) fail("--load, --stalls");
  if (load.requests < 10 || load.service_ns == 0) fail("--requests, --service");
}

}  // namespace
}  // namespace volt::scaling

int main(int count, char** arguments) {
  using namespace volt::scaling;
  RunOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = arguments[i];
    if (option == "--check") return check();
    if (option == "--skewed")
      options.load.skewed = true;
    else if (option == "--no-rescue")
      options.rescue = false;
    else if (option == "--functions")
      options.functions = true;
    else if (i + 1 < count)
      set(options, option, arguments[++i]);
    else
      fail(option);
  }
  require_possible(options);
  std::uint64_t lost = 0;
  std::puts(run(options, lost).c_str());
  return lost == 0 ? 0 : 1;
}
