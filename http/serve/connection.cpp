#include "http/serve/connection.h"

#include "http/serve/conversation.h"
#include "http/serve/wire.h"

namespace volt::http::serve {
namespace {

// The connection is listed as long as it is served.
class Listed {
 public:
  Listed(Site& site, Wire& wire, std::uint32_t placed_on) : site_(site), wire_(wire), placed_on_(placed_on) {
    site_.add_connection(wire_);
  }
  ~Listed() {
    site_.remove_connection(wire_);
    site_.placement.leave(placed_on_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Site& site_;
  Wire& wire_;
  std::uint32_t placed_on_;
};

}  // namespace

Task<> serve_connection(TcpStream accepted, std::shared_ptr<Site> site, std::shared_ptr<const Entrance> entrance,
                        std::uint32_t placed_on) {
  Wire wire(std::move(accepted), *entrance);
  const Listed listed(*site, wire, placed_on);
  if (!wire.opens_at_once(*entrance)) {
    auto opening = wire.open(*entrance, site->options.head_timeout);
    const bool open = co_await std::move(opening);
    if (!open) co_return;
  }
  Conversation conversation(*site, wire);
  Step step = Step::read_head;
  while (step != Step::close) {
    switch (step) {
      case Step::read_head:
      case Step::read_body:
      case Step::drop_body:
      case Step::linger: {
        const Result<void> ready = co_await wire.readable();
        step = conversation.read(step, ready);
        break;
      }
      case Step::send_rest: {
        const Result<void> ready = co_await wire.writable();
        step = conversation.send_rest(ready);
        break;
      }
      case Step::await_handler: {
        // A client that is gone cancels its handler, and this task with it: there is nobody left to talk to.
        const auto watch = wire.cancel_on_hangup();
        auto answering = conversation.run_handler();
        Response response = co_await std::move(answering);
        step = conversation.answer(std::move(response));
        break;
      }
      case Step::send_body: {
        auto sending = conversation.send_body();
        step = co_await std::move(sending);
        break;
      }
      case Step::switch_protocol: {
        auto speaking = conversation.speak();
        step = co_await std::move(speaking);
        break;
      }
      case Step::finish:
        step = conversation.finish();
        break;
      case Step::proceed:
        step = conversation.proceed();
        break;
      case Step::close:
        break;
    }
  }
}

}  // namespace volt::http::serve
