// SPDX-License-Identifier: MIT

// Session: one end of a WebSocket after its handshake, RFC 6455, without I/O. Received bytes become events; sent
// messages become bytes. The session responds to pings, to the peer's close and to a peer that violates the protocol.
// The connection reads, writes and waits:
//
//   session.feed(received);
//   while (auto event = session.next()) handle(*event);
//   session.take_output(buffer);
//   write(buffer);
//
// The loop ends when session.closed(). Then, once the output has been written, the server closes the connection first
// (section 7.1.1). If the connection ends before session.closed(), the WebSocket has ended abnormally
// (CloseCode::abnormal).
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/coding/message_deflate.h"
#include "http/websocket/protocol/close_frame.h"
#include "http/websocket/protocol/event.h"
#include "http/websocket/protocol/message_decoder.h"

namespace volt::http {
class PreparedMessage;
}

namespace volt::http::websocket {

// Minimum size of a message that is compressed with an empty window. A shorter message becomes smaller only if it
// repeats text of earlier messages, which are in a window that is kept.
inline constexpr std::size_t kDeflatedAloneBytesMin = 64;

class Session {
 public:
  explicit Session(const MessageRules& rules);

  // Passes received bytes to the session. They must stay in place until next() returns nullopt, and are modified
  // (unmasked in place). feed() may be called again only after next() has returned nullopt.
  void feed(std::span<char> bytes) noexcept;
  // The next event; nullopt if all bytes have been consumed or the session is closed. The payload is valid until the
  // next call.
  std::optional<Event> next();
  // Returns the next event, for a caller that reads ahead of the application. Unlike next(), this function does not
  // process the end of the session, which is the peer's close or a violation. It keeps the end for next(), so that
  // messages can still be sent until then, and returns nullopt from the end on.
  std::optional<Event> next_before_end();
  bool has_kept_end() const noexcept { return kept_end_ != nullptr; }

  // Appends a message to the output. Returns false if the session is closing, because no frame may follow a close frame
  // (section 5.5.1). Throws std::invalid_argument for text that is not UTF-8.
  bool send_text(std::string_view text);
  bool send_binary(std::string_view bytes);
  // Appends the message. Returns false as send_text() does.
  bool send_prepared(const PreparedMessage& message);
  // The bytes that send_prepared() appends if they are those of all receivers, else an empty text. Valid as long as a
  // copy of the message.
  std::string_view shared_frame(const PreparedMessage& message) const;
  // Appends a ping. Throws std::invalid_argument for a payload of more than kControlBytesMax bytes.
  bool ping(std::string_view payload = {});
  // Appends a close frame. next() still returns events until the peer's close. Throws std::invalid_argument for a code
  // that may not be sent, and for a reason that is longer than kReasonBytesMax bytes or is not UTF-8.
  bool close(CloseCode code = CloseCode::normal, std::string_view reason = {});

  // Declares the connection closed: nothing is sent or received any more.
  void disconnected() noexcept;

  bool has_output() const noexcept { return !output_.empty() || pong_due_; }
  // Replaces the contents of `to` by the output, and keeps the memory of `to` for later output.
  void take_output(std::string& to);

  bool open() const noexcept { return state_ == State::open; }      // Messages can be sent.
  bool closed() const noexcept { return state_ == State::closed; }  // Nothing more is received.

 private:
  enum class State : std::uint8_t { open, close_sent, closed };

  // Maximum number of pongs that wait to be sent. It keeps pongs from accumulating if a peer sends many pings and does
  // not read. Of the pings beyond this number, only the last one is answered, which section 5.5.3 permits.
  static constexpr std::uint8_t kPongsMax = 16;

  struct KeptEnd {
    std::optional<Violation> violation;  // nullopt: the peer's close
    CloseCode code = CloseCode::no_status;
    std::string reason;
  };

  bool send_message(Opcode opcode, std::string_view payload);
  void append(Opcode opcode, std::string_view payload, bool compressed = false);
  void append_close(const CloseFrame& close);
  void append_due_pong();
  void note_ping(std::string_view payload);
  void take_close(const Event& close);
  Event take_kept_end();
  Event fail(Violation violation);

  Role role_;
  State state_ = State::open;
  MessageDecoder decoder_;
  std::optional<coding::MessageDeflater> deflater_;
  std::size_t deflated_bytes_min_ = 0;
  bool shares_deflated_ = false;  // PreparedMessage::deflated_frame() has the negotiated parameters

  std::span<char> unread_;
  std::string output_;
  std::string deflated_;

  std::unique_ptr<KeptEnd> kept_end_;

  std::uint8_t pongs_ = 0;  // number of pongs in output_
  bool pong_due_ = false;   // pong_ is to be sent after output_
  std::uint8_t pong_bytes_ = 0;
  std::array<char, kControlBytesMax> pong_{};
};

}  // namespace volt::http::websocket
