// SPDX-License-Identifier: MIT

// Request: one HTTP request, as handlers and middleware see it.
//
// Lifetime: every view (target, header values, body) is valid until the response has been sent and no longer, because
// the views point into the connection's buffer. A handler must copy data that it needs afterwards.
// Threads: only one task at a time may use a request; const members may be called from several threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/headers.h"
#include "http/message/method.h"
#include "http/message/request_head.h"
#include "http/message/typed_store.h"
#include "http/message/version.h"
#include "http/route/route_info.h"
#include "http/web/body_source.h"
#include "http/web/exchange.h"
#include "runtime/address.h"
#include "runtime/task.h"

namespace volt::http {

class Response;

// Facts about the connection on which a request was received.
class ConnectionAttributes {
 public:
  // Address of the peer, also after the peer has reset the connection; on a unix socket, one without an IP address.
  // Empty if it is not known.
  [[nodiscard]] virtual std::optional<Address> peer() const noexcept = 0;
  // Whether the connection's bytes are encrypted by its transport, such as TLS.
  [[nodiscard]] virtual bool secure() const noexcept { return false; }
  // The facts that the connection's transport knows about the peer; null if the connection has no transport.
  [[nodiscard]] virtual const message::TypedStore* facts() const noexcept { return nullptr; }
  // Notes the id that the request was given, for reports by other threads.
  virtual void note_request_id(std::string_view) noexcept {}

 protected:
  ~ConnectionAttributes() = default;
};

class Request {
 public:
  // The bytes that `head` and `body` refer to, and the source of the rest of the body, must outlive the request.
  explicit Request(const message::RequestHead& head, std::string_view body = {}, BodySource* source = nullptr) noexcept
      : head_(head), body_(body), source_(source) {}
  ~Request() { end_exchange({}); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const noexcept { return head_.method; }
  Version version() const noexcept { return head_.version; }

  // The request target as the client sent it, with its percent escapes: `/a%20b?c=d`, `http://host/a`, `*`.
  std::string_view target() const noexcept { return head_.target; }
  // The path of the target, not decoded. Begins with '/', or is `*` (only with OPTIONS).
  std::string_view path() const noexcept { return head_.path; }
  // The part of the target after the first '?', not decoded. Empty if there is none.
  std::string_view query() const noexcept { return head_.query; }
  // The host that the client addresses, as `name` or `name:port`: the authority of an absolute target, or else the Host
  // field (RFC 9112 section 3.2.2). Empty only for an HTTP/1.0 client that named no host.
  std::string_view host() const noexcept { return head_.host; }

  // Value of the first header field with this name; names are case-insensitive.
  std::optional<std::string_view> header(std::string_view name) const noexcept { return head_.fields.find(name); }
  const Fields& headers() const noexcept { return head_.fields; }
  // The token of `Authorization: Bearer` (RFC 6750 section 2.1).
  std::optional<std::string_view> bearer() const noexcept;
  // Value of the first cookie with this name, not decoded.
  std::optional<std::string_view> cookie(std::string_view name) const noexcept;
  // Whether the client requests an upgrade to `protocol` in a valid way, that is, by HTTP/1.1 and with `Connection:
  // upgrade` (RFC 9110 section 7.8).
  bool requests_upgrade(std::string_view protocol) const noexcept;

  // The pattern of the matched route, such as `/items/{id}`. Empty if no route matched.
  std::string_view pattern() const noexcept { return route_ ? std::string_view(route_->pattern) : std::string_view(); }
  // Value of the path parameter {name}, percent-decoded. Empty if the pattern has no such parameter.
  std::optional<std::string> param(std::string_view name) const;
  // Value of the path parameter at `index` in the pattern, percent-decoded. `index` must be less than param_count().
  std::string param(std::size_t index) const;
  std::string_view param_name(std::size_t index) const noexcept { return route_->names[index]; }
  std::size_t param_count() const noexcept { return params_.count(); }

  // The part of the body that has been read. A handler sees the whole body, unless it takes a BodyStream. Middleware
  // must await read_body() first to see the whole body.
  std::string_view body() const noexcept { return body_; }
  bool has_whole_body() const noexcept { return source_ == nullptr || whole_ || source_->at_end(); }
  // Reads the whole body. Throws like BodySource::rest(). A client that sent `Expect: 100-continue` receives
  // `100 Continue` now.
  [[nodiscard]] Task<std::string_view> read_body();
  // Reads the next piece of a body that has not been read whole; nullopt at the end. The piece is valid until the next
  // call.
  [[nodiscard]] Task<std::optional<std::string_view>> read_body_piece();
  // Sets the maximum size of the body, in bytes, in place of ServerOptions::limits.body_bytes_max. Has no effect on a
  // body that has already been read.
  void limit_body(std::uint64_t bytes_max) noexcept;
  // Sends the status and the header fields of `interim` before the response (RFC 9110 section 15.2):
  //   request.send_interim(Response(Status::early_hints).header("Link", "</style.css>; rel=preload"));
  // Does not wait: bytes that the kernel does not accept at once are sent together with the response. Returns false and
  // sends nothing if the client speaks HTTP/1.0, or if it is so slow that too many bytes of earlier interim responses
  // are unsent. Must be called by the request's task, before it returns the response. Throws std::invalid_argument for
  // a status outside 102..199; the server sends 100 and 101 itself.
  bool send_interim(const Response& interim);
  // Trailer fields; empty until the whole body has been read.
  Fields trailers() const noexcept { return source_ ? source_->trailers() : Fields(); }

  // Stores a value for the rest of the chain, which reads it by get() or by a From<T> parameter. Replaces an earlier
  // value of the same type.
  template <class T>
  T& put(T value) {
    return extensions_.put(std::move(value));
  }
  template <class T>
  T* find() const noexcept {
    return extensions_.find<T>();
  }
  // The stored value of type T. Throws std::logic_error if there is none.
  template <class T>
  T& get() const {
    T* value = find<T>();
    if (value == nullptr) throw_missing(message::type_name<T>());
    return *value;
  }

  // The application state of type T (App::state). Throws std::logic_error if there is none.
  template <class T>
  T& state() const {
    T* value = state_ ? state_->find<T>() : nullptr;
    if (value == nullptr) throw_missing(message::type_name<T>());
    return *value;
  }

  // Identifies this request in log lines and problem responses. Empty until middleware, such as request_id(), sets it,
  // which must precede the start of tasks that log lines.
  const std::string& id() const noexcept { return id_; }
  void set_id(std::string id);
  // The id of the request's trace in log lines; zero until middleware, such as trace_context(), sets it, as early as
  // the request's id.
  using TraceId = std::array<std::byte, 16>;
  const TraceId& trace_id() const noexcept { return trace_id_; }
  void set_trace_id(const TraceId& id) noexcept { trace_id_ = id; }

  // Address of the peer, or the client address that a load balancer sent in the PROXY protocol (ListenerOptions).
  // Behind a proxy that speaks HTTP, this is the proxy's address: see http/middleware/client_address.h.
  std::optional<Address> peer() const noexcept { return connection_ ? connection_->peer() : std::nullopt; }

  // Whether the connection is encrypted with TLS that this server terminates.
  bool secure() const noexcept { return connection_ != nullptr && connection_->secure(); }
  // A fact of type T that the connection's transport provides about the peer, such as its certificate. Null if the
  // transport provides none.
  template <class T>
  const T* connection_fact() const noexcept {
    const message::TypedStore* facts = connection_ ? connection_->facts() : nullptr;
    return facts ? facts->find<T>() : nullptr;
  }

  // Registers a function that runs once, when the exchange has ended: the response has been handed to the kernel, the
  // connection has failed, or the server stops. The request is still valid then. The function runs on the connection's
  // task, so it must not block. The function registered last runs first.
  //   request.after_response([&request](const ExchangeEnd& end) noexcept { count(request.path(), end.body_bytes); });
  void after_response(std::move_only_function<void(const ExchangeEnd&) noexcept> function) {
    after_response_.push_back(std::move(function));
  }

  // The functions from here to `private` are for the server only.
  [[nodiscard]] bool has_after_response() const noexcept { return !after_response_.empty(); }
  // Runs the functions registered with after_response(). Further calls do nothing.
  void end_exchange(const ExchangeEnd& end) noexcept;
  [[nodiscard]] std::string release_id() noexcept { return std::move(id_); }
  // Returns the stored values.
  [[nodiscard]] message::TypedStore release_extensions() noexcept { return std::move(extensions_); }
  void set_route(const route::RouteInfo& route) noexcept { route_ = &route; }
  [[nodiscard]] route::Params& params() noexcept { return params_; }
  void set_state(const message::TypedStore& state) noexcept { state_ = &state; }
  void set_connection(ConnectionAttributes& connection) noexcept { connection_ = &connection; }
  // Sets the whole body of a request that was constructed before its body had been received.
  void set_body(std::string_view body) noexcept { body_ = body; }
  // Replaces the source of the body and forgets the part that has been read. `source` must provide the body from its
  // beginning, for example in decoded form.
  void replace_body_source(BodySource& source) noexcept {
    source_ = &source;
    body_ = {};
    whole_ = false;
  }
  [[nodiscard]] BodySource* body_source() const noexcept { return source_; }

 private:
  [[noreturn]] static void throw_missing(std::string_view type_name);

  message::RequestHead head_;
  std::string_view body_;
  BodySource* source_;
  bool whole_ = false;  // read_body() has returned
  const route::RouteInfo* route_ = nullptr;
  const message::TypedStore* state_ = nullptr;
  route::Params params_;
  message::TypedStore extensions_;
  std::string id_;
  TraceId trace_id_{};
  ConnectionAttributes* connection_ = nullptr;
  std::vector<std::move_only_function<void(const ExchangeEnd&) noexcept>> after_response_;
};

}  // namespace volt::http
