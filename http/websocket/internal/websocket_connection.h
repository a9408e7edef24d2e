// WebSocketConnection: a WebSocket session (http/websocket/protocol/session.h) on a connection: who reads, who writes, who waits.
//
// A frame goes out whole whoever is cancelled: what a message became is in `out_` until it is written, and the next one
// to write goes on where the last one was stopped. Senders queue for `writing_`; the reader, who has pongs and the like
// to write, does not wait for them, but whoever writes looks again when it is done, so nothing stays behind.
//
// For select() a child of the handler's scope reads: one message when one was asked for, and no further. If it read ahead,
// it would meet the peer's close while messages before it are still to be answered.
//
// Threads: as WebSocket says. Lifetime: in the frame of whoever runs the handler, in a scope.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/web/upgrade.h"
#include "http/websocket/protocol/handshake.h"
#include "http/websocket/protocol/session.h"
#include "http/websocket/websocket.h"
#include "runtime/channel.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/scope.h"

namespace volt::http::websocket {

class WebSocketConnection final : public WebSocket {
 public:
  // The stream and the options outlive it.
  WebSocketConnection(UpgradedStream& stream, const WebSocketOptions& options, const websocket::Acceptance& agreed);

  // The scope that the handler runs in, before it does. It ends before this does, and before finish().
  void set_scope(Scope& scope) noexcept { scope_ = &scope; }

  [[nodiscard]] Task<std::optional<Message>> receive() override;
  [[nodiscard]] Task<> send_text(std::string_view text) override;
  [[nodiscard]] Task<> send_binary(std::string_view bytes) override;
  [[nodiscard]] Task<> close(CloseCode code, std::string_view reason) override;
  [[nodiscard]] std::string_view subprotocol() const noexcept override { return subprotocol_; }
  [[nodiscard]] CloseCode close_code() const override;
  [[nodiscard]] std::string close_reason() const override;

  // Nobody receives or sends any more: what is left of the close handshake, for at most close_timeout.
  [[nodiscard]] Task<> finish(CloseCode code);

 private:
  class Receiving;

  // What a child of the scope reads, and is given to message().
  struct Arrivals {
    explicit Arrivals(Receiver<Message> messages) noexcept : receiver(std::move(messages)) {}
    Receiver<Message> receiver;  // of a channel for one, which is empty when one is asked for
    Notify asked;
    std::uint64_t wanted = 0;     // messages that were asked for, under mutex_
    std::uint64_t delivered = 0;  // that were put into the channel, under mutex_
  };

  [[nodiscard]] Receiver<Message>& expect_message() override;
  [[nodiscard]] static Task<> read_on_demand(std::reference_wrapper<WebSocketConnection> socket,
                                             std::reference_wrapper<Arrivals> arrivals, Sender<Message> to);
  [[nodiscard]] bool wanted(const Arrivals& arrivals) const;
  [[nodiscard]] Task<std::optional<Message>> read_message();
  [[nodiscard]] Task<std::optional<Message>> await_message();
  void start_reading_for_others();

  [[nodiscard]] bool open() const;
  [[nodiscard]] bool has_output() const;
  [[nodiscard]] bool ended() const;
  [[nodiscard]] bool peer_gone() const;
  void begin_close(CloseCode code, std::string_view reason = {});
  void lose_peer();
  void note_end_locked(CloseCode code, std::string_view reason);

  [[nodiscard]] std::optional<Message> take_message();
  [[nodiscard]] Task<> wait_for_more();
  bool read_what_came();
  void end_silence();
  [[nodiscard]] Task<> await_close();

  [[nodiscard]] Task<> send_accepted(bool accepted);
  [[nodiscard]] Task<> flush_and_end_receive();
  [[nodiscard]] Task<> flush();
  [[nodiscard]] Task<> flush_unless_others_do();
  [[nodiscard]] Task<> write_output();
  [[nodiscard]] bool take_output();

  UpgradedStream& stream_;
  const WebSocketOptions& options_;
  const std::string subprotocol_;
  Scope* scope_ = nullptr;

  mutable std::mutex mutex_;  // of these; never held across a wait
  websocket::Session session_;
  CloseCode close_code_ = CloseCode::abnormal;
  std::string close_reason_;
  bool end_noted_ = false;
  bool peer_gone_ = false;
  bool taken_ = false;  // out_ holds what is not written yet
  bool receiving_ = false;

  std::unique_ptr<Arrivals> arrivals_;  // belongs to who receives; null until message() is called

  // The reader's.
  std::unique_ptr<char[]> received_;  // what the session is being fed
  std::chrono::nanoseconds silence_ends_;
  bool pinged_ = false;  // nothing was heard since

  // Of whoever holds `writing_`.
  Mutex writing_;
  std::string out_;
  std::span<const std::byte> unwritten_;  // of out_
};

}  // namespace volt::http::websocket
