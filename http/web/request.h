// What a handler is given.
//
// Lifetime: every view (target, header values, body) is valid until the request has been answered, and not longer: they
// look into the connection's buffer. What outlives the request is copied by the handler.
// Threads: one request is used by one task at a time; const members may be called from several threads.
#pragma once

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
#include "http/route/route_tree.h"
#include "http/web/body_source.h"
#include "runtime/address.h"
#include "runtime/task.h"

namespace volt::http {

class Transport;

// What a connection knows of itself.
class HandshakeInfo {
 public:
  // Empty: it has no address, as on a unix socket, or is gone.
  [[nodiscard]] virtual std::optional<Address> peer() const noexcept = 0;
  // Null: HTTP as it is.
  [[nodiscard]] virtual const Transport* transport() const noexcept { return nullptr; }

 protected:
  ~HandshakeInfo() = default;
};

class Request {
 public:
  // The bytes behind `head` and `body`, and the source of what is not in `body`, must outlive the request.
  explicit Request(const message::RequestHead& head, std::string_view body = {}, BodySource* source = nullptr) noexcept
      : head_(head), body_(body), source_(source) {}
  ~Request() { run_after_response(); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const noexcept { return head_.method; }
  Version version() const noexcept { return head_.version; }

  // As the client wrote it, percent escapes and all: `/a%20b?c=d`, `http://host/a`, `*`.
  std::string_view target() const noexcept { return head_.target; }
  // The path in the target, still escaped; begins with '/', or is `*` (only with OPTIONS).
  std::string_view path() const noexcept { return head_.path; }
  // What follows the first '?', still escaped; empty if there is none.
  std::string_view query() const noexcept { return head_.query; }
  // Whom the client meant to reach, `name` or `name:port`: the Host field, or the authority of an absolute target,
  // which wins (RFC 9112 section 3.2.2). Empty only for an HTTP/1.0 client that named no host.
  std::string_view host() const noexcept { return head_.host; }

  // The first field of that name, case-blind.
  std::optional<std::string_view> header(std::string_view name) const noexcept { return head_.fields.find(name); }
  const Fields& headers() const noexcept { return head_.fields; }
  // The token of `Authorization: Bearer` (RFC 6750 section 2.1).
  std::optional<std::string_view> bearer() const noexcept;
  // The value of the first cookie of that name, as it came.
  std::optional<std::string_view> cookie(std::string_view name) const noexcept;
  // The client asks to go on with that protocol, and may: HTTP/1.1, `Connection: upgrade` (RFC 9110 section 7.8).
  bool requests_upgrade(std::string_view protocol) const noexcept;

  // The route's pattern, `/items/{id}`; empty where no route serves the request.
  std::string_view pattern() const noexcept { return route_ ? std::string_view(route_->pattern) : std::string_view(); }
  // What stands at {name} in the path, percent-decoded. Empty optional: the pattern has no such parameter.
  std::optional<std::string> param(std::string_view name) const;
  // The same, by place.
  std::string param(std::size_t index) const;
  std::string_view param_name(std::size_t index) const noexcept { return route_->names[index]; }
  std::size_t param_count() const noexcept { return params_.count(); }

  // What of the body has been read: all of it in a handler that takes its body whole, which is every one that does not
  // ask for a stream. In middleware, read_body() first.
  std::string_view body() const noexcept { return body_; }
  bool has_whole_body() const noexcept { return source_ == nullptr || whole_ || source_->at_end(); }
  // Waits for all of the body. Throws as BodySource does. A client that expects `100 Continue` gets it now.
  [[nodiscard]] Task<std::string_view> read_body();
  // The next piece, empty at the end; for bodies that nobody has read whole. Valid until the next call.
  [[nodiscard]] Task<std::optional<std::string_view>> read_body_piece();
  // For a body that has not been read: instead of ServerOptions::limits.body_bytes_max.
  void limit_body(std::uint64_t bytes_max) noexcept;
  // Fields behind the body, once it was read.
  Fields trailers() const noexcept { return source_ ? source_->trailers() : Fields(); }

  // What middleware found out, for those further in: one value a type.
  template <class T>
  T& put(T value) {
    return extensions_.put(std::move(value));
  }
  template <class T>
  T* find() const noexcept {
    return extensions_.find<T>();
  }
  // Throws std::logic_error if nobody has put one.
  template <class T>
  T& get() const {
    T* value = find<T>();
    if (value == nullptr) throw_missing(message::type_name<T>());
    return *value;
  }

  // The app's state of that type. Throws std::logic_error if it has none.
  template <class T>
  T& state() const {
    T* value = state_ ? state_->find<T>() : nullptr;
    if (value == nullptr) throw_missing(message::type_name<T>());
    return *value;
  }

  // Names this request in logs and errors; empty until request_id() or another middleware gives it one.
  const std::string& id() const noexcept { return id_; }
  void set_id(std::string id) { id_ = std::move(id); }

  // The other end of the connection, or whom a balancer has named that speaks the PROXY protocol (ListenerOptions). A
  // proxy, if there is one that speaks HTTP: see ClientAddress.
  std::optional<Address> peer() const noexcept { return connection_ ? connection_->peer() : std::nullopt; }

  // The connection is encrypted: it came by TLS to this server.
  bool secure() const noexcept;
  // What the connection's transport knows of the peer, such as its certificate; null if it knows no T.
  template <class T>
  const T* connection_fact() const noexcept {
    const message::TypedStore* facts = connection_facts();
    return facts ? facts->find<T>() : nullptr;
  }

  // Runs once the answer has been handed to the kernel, or the connection has failed; on the connection's task, so it
  // must not block. Last added runs first.
  void after_response(std::move_only_function<void() noexcept> function) {
    after_response_.push_back(std::move(function));
  }

  // The server's part.
  [[nodiscard]] bool has_after_response() const noexcept { return !after_response_.empty(); }
  // The request ends here, as answered; what was put into it lives on.
  [[nodiscard]] message::TypedStore release_extensions() noexcept {
    run_after_response();
    return std::move(extensions_);
  }
  void set_route(const route::RouteInfo& route) noexcept { route_ = &route; }
  [[nodiscard]] route::Params& params() noexcept { return params_; }
  void set_state(const message::TypedStore& state) noexcept { state_ = &state; }
  void set_connection(const HandshakeInfo& connection) noexcept { connection_ = &connection; }
  // What has been read of the body is forgotten: `source` gives it, from its beginning, in another form.
  void replace_body_source(BodySource& source) noexcept {
    source_ = &source;
    body_ = {};
    whole_ = false;
  }
  [[nodiscard]] BodySource* body_source() const noexcept { return source_; }

 private:
  const message::TypedStore* connection_facts() const noexcept;
  [[noreturn]] static void throw_missing(std::string_view type_name);
  void run_after_response() noexcept;

  message::RequestHead head_;
  std::string_view body_;
  BodySource* source_;
  bool whole_ = false;  // read_body() has returned
  const route::RouteInfo* route_ = nullptr;
  const message::TypedStore* state_ = nullptr;
  route::Params params_;
  message::TypedStore extensions_;
  std::string id_;
  const HandshakeInfo* connection_ = nullptr;
  std::vector<std::move_only_function<void() noexcept>> after_response_;
};

}  // namespace volt::http
