// PrometheusText: metrics as Prometheus reads them (text exposition format 0.0.4).
//
//   text.family("volt_worker_parks_total", "counter", "Times it went to sleep.");
//   text.sample({{"worker", "0"}}, 12);
//
// Threads: a value.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace volt::http::ops {

class PrometheusText {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Its samples follow. `help` is one line.
  void family(std::string_view name, std::string_view type, std::string_view help);
  // Labels without a value are left out, which means the same. `suffix`: "_bucket", "_sum", "_count" of a histogram.
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  void sample(Labels labels, Number value, std::string_view suffix = {}) {
    begin_sample(labels, suffix);
    end_sample(value);
  }
  // A family of one sample.
  template <class Number>
  void single(std::string_view name, std::string_view type, std::string_view help, Number value) {
    family(name, type, help);
    sample({}, value);
  }

  [[nodiscard]] std::string take() && noexcept { return std::move(text_); }

 private:
  void begin_sample(Labels labels, std::string_view suffix);
  void end_sample(std::uint64_t value);
  void end_sample(double value);
  template <std::integral Number>
  void end_sample(Number value) {
    end_sample(static_cast<std::uint64_t>(value));
  }

  std::string text_;
  std::string name_;
};

// As a label or a sample has it.
[[nodiscard]] std::string number_text(double number);

}  // namespace volt::http::ops
