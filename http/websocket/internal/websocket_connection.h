// SPDX-License-Identifier: MIT

// WebSocketConnection: a WebSocket session (http/websocket/protocol/session.h) on a connection. It decides which task
// reads, writes and waits.
//
// A frame is always sent whole, even if its sender is cancelled: the bytes of a message stay in `out_` until they are
// written, and the next writer continues at the byte where the last writer stopped. Senders queue for the mutex
// `writing_`. The reader also has output, such as pongs, but does not wait for the senders. Each writer checks for more
// output before it finishes, so the reader's output does not stay unsent.
//
// The task that calls receive() also reads from the stream. For select(), a child task of the handler's scope reads
// instead, one message for each that message() requests.
//
// While no task receives, because the handler is busy, another child task (attend()) reads ahead, so that pings are
// answered. It keeps the messages for the next receive(), up to kAheadBytesMax. It does not process the peer's close
// and the end of the stream but leaves them to that receive(), because the handler may still respond to earlier
// messages. This child exists only while the handler is busy, so a waiting WebSocket has no second task. The child
// begins to read after kBusyTime, so a handler that responds quickly reads by itself, without a task switch.
//
// The two ends of a WebSocket differ in their role, in which the client masks what it sends, and at the end: the server
// closes the connection, and the client waits for that (RFC 6455 section 7.1.1).
//
// Threads: as for WebSocket (http/websocket/websocket.h). Lifetime: the object is in the frame of the coroutine that
// runs the handler in a scope.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/web/upgrade.h"
#include "http/websocket/protocol/agreement.h"
#include "http/websocket/protocol/prepared_message.h"
#include "http/websocket/protocol/session.h"
#include "http/websocket/websocket.h"
#include "runtime/borrowed.h"
#include "runtime/channel.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/scope.h"

namespace volt::http::websocket {

class WebSocketConnection final : public WebSocket {
 public:
  // `role` is that of this end. The stream and the options must outlive this object.
  WebSocketConnection(UpgradedStream& stream, const WebSocketOptions& options, Role role, const Agreement& agreed);

  // Sets the scope that the handler runs in; must be called before the handler runs. The scope must end before finish()
  // is called and before this object is destroyed.
  void set_scope(Scope& scope);
  // Must be called when the handler has returned, before the scope is cancelled. After it, no child task is spawned.
  void leave_scope() noexcept;

  [[nodiscard]] Task<std::optional<Message>> receive() override;
  [[nodiscard]] Task<> send_text(std::string_view text) override;
  [[nodiscard]] Task<> send_binary(std::string_view bytes) override;
  [[nodiscard]] Task<> send(const PreparedMessage& message) override;
  [[nodiscard]] Task<> send(std::span<const PreparedMessage> messages) override;
  [[nodiscard]] Task<> close(CloseCode code, std::string_view reason) override;
  [[nodiscard]] std::string_view subprotocol() const noexcept override { return subprotocol_; }
  [[nodiscard]] CloseCode close_code() const override;
  [[nodiscard]] std::string close_reason() const override;

  // The messages that were received and sent until now, and the close code.
  [[nodiscard]] MessageCounts counts() const;

  // Completes the close handshake, which takes at most close_timeout. A client also waits so long for the server to
  // close the connection. From this call on, no task may receive or send.
  [[nodiscard]] Task<> finish(CloseCode code);

 private:
  class Receiving;

  // Messages that a child of the scope reads and that message() returns.
  struct Arrivals {
    explicit Arrivals(Receiver<Message> messages) noexcept : receiver(std::move(messages)) {}
    Receiver<Message> receiver;  // A channel of capacity one, which is empty when a message is requested.
    Notify asked;
    std::uint64_t wanted = 0;     // Number of requested messages, under mutex_.
    std::uint64_t delivered = 0;  // Number of messages put into the channel, under mutex_.
  };

  [[nodiscard]] Receiver<Message>& expect_message() override;
  [[nodiscard]] static Task<> read_on_demand(Borrowed<WebSocketConnection> socket, Borrowed<Arrivals> arrivals,
                                             Sender<Message> to);
  [[nodiscard]] bool wanted(const Arrivals& arrivals) const;
  [[nodiscard]] Task<std::optional<Message>> read_message();
  [[nodiscard]] Task<std::optional<Message>> await_message();
  void start_reading_for_others();

  enum class Attendance : std::uint8_t { ends, waits, reads };
  void attend_if_busy_locked();
  [[nodiscard]] static Task<> attend(Borrowed<WebSocketConnection> socket);
  [[nodiscard]] Attendance next_attendance(std::uint64_t& receives_seen);
  [[nodiscard]] Task<> read_ahead();
  [[nodiscard]] bool gather_ahead();
  [[nodiscard]] std::optional<Message> take_ahead_locked();
  [[nodiscard]] bool reading_ahead() const;
  [[nodiscard]] bool busy() const;

  [[nodiscard]] bool has_output_locked() const noexcept;
  [[nodiscard]] bool open() const;
  [[nodiscard]] bool has_output() const;
  [[nodiscard]] bool finished() const;
  [[nodiscard]] bool peer_gone() const;
  void begin_close(CloseCode code, std::string_view reason = {});
  void lose_peer();
  void note_end_locked(CloseCode code, std::string_view reason);

  [[nodiscard]] std::optional<Message> take_message();
  [[nodiscard]] Task<> wait_for_more();
  bool read_what_came();
  [[nodiscard]] bool leave_end_to_receiver();
  void end_silence();
  [[nodiscard]] Task<> await_close();

  [[nodiscard]] bool count_sent_locked(bool accepted) noexcept;
  [[nodiscard]] Task<> send_accepted(bool accepted);
  [[nodiscard]] Task<> flush_and_end_receive();
  [[nodiscard]] Task<> flush();
  [[nodiscard]] Task<> flush_unless_others_do();
  [[nodiscard]] bool write_at_once();
  [[nodiscard]] Task<> write_output();
  [[nodiscard]] bool take_output();

  UpgradedStream& stream_;
  const WebSocketOptions& options_;
  const Role role_;
  const std::string subprotocol_;
  Scope* scope_ = nullptr;

  mutable std::mutex mutex_;  // Guards the members below; never held across a wait.
  websocket::Session session_;
  std::uint64_t messages_received_ = 0;
  std::uint64_t messages_sent_ = 0;
  CloseCode close_code_ = CloseCode::abnormal;
  std::string close_reason_;
  bool end_noted_ = false;
  bool peer_gone_ = false;
  bool taken_ = false;  // unwritten_ contains bytes that have not been written.
  // A message that precedes the output of the session, so that its bytes are written without a copy.
  std::optional<PreparedMessage> prepared_;
  bool receiving_ = false;
  std::uint64_t receives_ = 0;  // Number of receive calls that have ended.
  bool attended_ = false;       // attend() runs.
  bool reading_ahead_ = false;  // attend() reads, so a task that receives waits for arrived_.
  bool end_seen_ = false;       // read_ahead() has found the end of the stream.
  std::vector<Message> ahead_;  // Messages that were read ahead.
  std::size_t ahead_bytes_ = 0;

  std::unique_ptr<Arrivals> arrivals_;  // Belongs to the task that receives; null until message() is called.

  Notify arrived_;  // Notified when attend() has stopped reading.

  // Members of the reader.
  std::unique_ptr<char[]> received_;  // The bytes that were fed to the session.
  std::chrono::nanoseconds silence_ends_;
  bool pinged_ = false;  // A ping was sent and nothing was received since.

  // Members of the task that holds `writing_`.
  Mutex writing_;
  std::string out_;
  std::optional<PreparedMessage> writing_prepared_;
  std::span<const std::byte> unwritten_;  // Part of out_, or of writing_prepared_ if that is set.
};

}  // namespace volt::http::websocket
