// SPDX-License-Identifier: MIT

#include "tests/simulation/exchanges.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace volt::simulation {

Task<http::Response> Exchanges::observe(http::Request& request, http::Next next) {
  const auto exchange = std::make_shared<Exchange>(Exchange{.called = kernel_.now(), .returned = {}});
  ++begun_;
  request.after_response([this, exchange](const http::ExchangeEnd& report) noexcept { end(*exchange, report); });
  http::Response response = co_await next(request);
  exchange->returned = kernel_.now();
  co_return response;
}

void Exchanges::end(Exchange& exchange, const http::ExchangeEnd& end) {
  const InsideKernel inside;
  ++ended_;
  if (std::exchange(exchange.ended, true)) kernel_.violation("an exchange has ended twice");
  if (std::min({end.queued, end.receiving, end.handling, end.sending}) < Nanoseconds(0)) {
    kernel_.violation("a phase of an exchange is negative");
  }
  if (kernel_.now() - end.duration() < began_) kernel_.violation("the phases of an exchange are too long");
  const Nanoseconds handler = exchange.returned.value_or(exchange.called) - exchange.called;
  if (end.handling + end.receiving < handler) kernel_.violation("the phases of an exchange do not cover its handler");
}

void Exchanges::judge() {
  if (begun_ != ended_) {
    kernel_.violation(std::to_string(begun_) + " exchanges have begun, " + std::to_string(ended_) + " have ended");
  }
}

}  // namespace volt::simulation
