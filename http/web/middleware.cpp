// SPDX-License-Identifier: MIT

#include "http/web/middleware.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "http/message/ascii.h"
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

Middleware& Middleware::provides_unknown() noexcept {
  provides_unknown_ = true;
  return *this;
}

Middleware& Middleware::requires_credentials(Credentials credentials, std::string name) {
  const bool named = credentials == Credentials::cookie || credentials == Credentials::header;
  if (named ? !message::is_token(name) : !name.empty()) {
    throw std::invalid_argument("credentials in a cookie or a header field have its name, others have none: " + name);
  }
  credentials_ = {credentials, std::move(name)};
  return *this;
}

Middleware& Middleware::requires_permission(std::string scope_or_role) {
  permissions_.push_back(std::move(scope_or_role));
  return refuses(Status::forbidden);
}

Middleware& Middleware::refuses(Status status) {
  refusals_.push_back(status);
  return *this;
}

Middleware& Middleware::hands_over(std::shared_ptr<HandedOverState> state) noexcept {
  state_ = std::move(state);
  return *this;
}

bool Middleware::may_provide(message::TypeId type) const noexcept {
  return provides_unknown_ || std::ranges::find(provides_, type) != provides_.end();
}

}  // namespace volt::http
