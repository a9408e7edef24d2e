// What a conversation says when the server is strained (http/server/internal/overload.h), or ends.
#include <array>
#include <span>
#include <string_view>

#include "http/server/internal/conversation.h"
#include "http/web/problem.h"
#include "runtime/result.h"

namespace volt::http::server {

// Nobody has worked on it, nor will. Where memory is short the connection's is wanted too.
Step Conversation::refuse_strained(Strain strain) {
  site_.overload.note(strain, coarse_now());
  Problem problem = unavailable();
  if (strain == Strain::memory) problem.close();
  return answer(problem.to_response());
}

// What has come stays where it is meanwhile.
Task<Step> Conversation::await_memory() {
  patience_.pause();
  auto waiting = site_.overload.memory.relief();
  const bool relieved = co_await std::move(waiting);
  patience_.resume();
  co_return relieved ? read_body({}) : refuse_strained(Strain::memory);
}

// There is not even memory to read a request: nothing of it is kept.
Step Conversation::turn_away(const Result<void>& ready) noexcept {
  constexpr std::string_view kAnswer =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  std::array<std::byte, kIgnoredBytes> dropped;
  const Result<std::size_t> count = wire_.try_read(dropped);
  if (would_block(count)) return timed_out(ready) ? enter(Step::linger) : Step::read_head;
  if (!count || *count == 0) return Step::close;
  site_.overload.note(Strain::memory, coarse_now());
  site_.overload.memory.look(coarse_now());
  record_.answered(Status::service_unavailable);
  if (!wire_.try_write(std::as_bytes(std::span(kAnswer)))) return Step::close;
  return enter(Step::linger);
}

// Draining, or others wait for a place. A request that is on its way already is still answered, so the connection idles
// a little longer.
Step Conversation::say_goodbye() noexcept {
  const bool idle = !exchange_ || !exchange_->started();
  if (idle && !saying_goodbye_) {
    wire_.set_read_deadline_in(site_.draining() ? site_.options.drain_linger : site_.idle_timeout());
    saying_goodbye_ = true;
  }
  return Step::read_head;
}

}  // namespace volt::http::server
