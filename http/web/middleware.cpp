// SPDX-License-Identifier: MIT

#include "http/web/middleware.h"

#include <exception>

#include "http/web/error_responses.h"

namespace volt::http {
namespace {

Task<Response> respond_after_body(Handler::Plain& handler, Request& request) {
  co_await request.read_body();
  co_return handler(request);
}

}  // namespace

NextResponse::NextResponse(const Chain& chain, std::size_t place, Request& request) noexcept
    : chain_(chain), request_(request) {
  try {
    if (place < chain.around.size()) {
      task_.emplace((*chain.around[place])(request, Next(chain, place + 1)));
    } else if (Handler::Coroutine* coroutine = chain.handler->coroutine()) {
      task_.emplace((*coroutine)(request));
    } else if (chain.handler->body() == BodyUse::whole && !request.has_whole_body()) {
      task_.emplace(respond_after_body(*chain.handler->plain(), request));
    } else {
      ready_.emplace((*chain.handler->plain())(request));
    }
  } catch (...) {  // Decided: an exception of the rest of the chain becomes a response here.
    ready_.emplace(respond_to_exception());
  }
}

Response NextResponse::respond_to_exception() noexcept {
  return chain_.errors->respond(std::current_exception(), request_);
}

}  // namespace volt::http
