// SPDX-License-Identifier: MIT

#include "http/testing/internal/call.h"

#include "http/message/ascii.h"

namespace volt::http::testing {

Call::Call(Harness& harness, WireRequest request)
    : harness_(harness),
      name_(std::move(request.name)),
      socket_(harness.take()),
      out_(std::move(request.head)),
      reader_(request.method),
      cookies_(std::move(request.cookies)),
      cookie_target_(std::move(request.cookie_target)) {
  if (request.awaits_continue) {
    held_body_ = std::move(request.body);
  } else {
    out_ += request.body;
  }
  unsent_ = out_;
  try_send();
}

// Sends as much as the server accepts until all its tasks wait; the rest is sent while the response is read.
void Call::try_send() {
  bool moved = true;
  while (moved && !unsent_.empty()) {
    moved = send_some();
    if (moved || unsent_.empty()) continue;
    harness_.settle();
    moved = send_some();
  }
}

bool Call::send_some() noexcept {
  if (unsent_.empty()) return false;
  const TransferResult moved = socket_.try_send(unsent_);
  if (moved == TransferResult::ended) {  // the server may have responded before it closed
    unsent_ = {};
    refused_ = true;
  }
  return moved == TransferResult::some;
}

bool Call::receive_some() {
  std::string received;
  const TransferResult moved = socket_.try_receive(received);
  if (moved == TransferResult::nothing) return false;
  try {
    if (moved == TransferResult::ended) {
      reader_.end();
    } else {
      reader_.feed(received);
    }
  } catch (const TestFailure& failure) {
    fail(failure.what());
  }
  if (reader_.continue_received() && !held_body_.empty()) {
    out_ = std::exchange(held_body_, {});
    unsent_ = out_;
  }
  if (reader_.done()) finish();
  return true;
}

void Call::finish() {
  const TestResponse& response = reader_.response();
  if (cookies_) receive_cookies(response);
  if (response.status() == Status::switching_protocols) return;
  const std::string rest = reader_.take_rest();
  if (!rest.empty()) fail("the server sent more than one response: " + rest);
  const bool all_sent = unsent_.empty() && held_body_.empty() && !refused_;
  if (all_sent && !response.closes()) {
    harness_.put_back(std::move(socket_));
  } else {
    socket_.close();
  }
}

void Call::receive_cookies(const TestResponse& response) {
  try {
    for (const TestField& field : response.headers()) {
      if (!message::equal_ignoring_case(field.name, "set-cookie")) continue;
      cookies_->receive(field.value, cookie_target_, harness_.now());
    }
  } catch (const TestFailure& failure) {
    fail(failure.what());
  }
}

bool Call::step() {
  if (over()) return false;
  const bool sent = send_some();
  return receive_some() || sent;
}

void Call::wait() {
  try {
    socket_.wait(!unsent_.empty());
  } catch (const TestFailure& failure) {
    fail(failure.what());
  }
}

void Call::await_head() {
  while (!reader_.has_head() && !over()) {
    if (!step()) wait();
  }
  if (!reader_.has_head()) fail("the connection ended without a response");
}

void Call::await_more() {
  const std::size_t before = reader_.response().body().size();
  while (reader_.response().body().size() == before && !over()) {
    if (!step()) wait();
  }
}

void Call::await_all() {
  while (!over()) {
    if (!step()) wait();
  }
  if (reader_.cut_off()) fail("the connection ended before the response did");
}

void Call::close() noexcept {
  if (!over()) reader_.end();
  socket_.close();
}

void Call::fail(std::string_view what) const { throw TestFailure(std::string(name_).append(": ").append(what)); }

}  // namespace volt::http::testing
