#include "http/server/internal/connection.h"

#include "http/server/internal/conversation.h"
#include "http/server/internal/wire.h"

namespace volt::http::server {
namespace {

// The connection is listed as long as it is served.
class Listed {
 public:
  Listed(Site& site, ConnectionRecord& record) : site_(site), record_(record) { site_.add_connection(record_); }
  ~Listed() { site_.remove_connection(record_); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Site& site_;
  ConnectionRecord& record_;
};

}  // namespace

Task<> serve_connection(TcpStream accepted, Admission admission) {
  Site& site = admission.site();
  Wire wire(std::move(accepted), admission.entrance());
  ConnectionRecord record(wire, site.traffic());
  const Listed listed(site, record);
  if (admission.entrance().behind_proxy()) {
    auto introducing = wire.read_introduction(admission.entrance(), site.options.head_timeout);
    const bool introduced = co_await std::move(introducing);
    if (!introduced) co_return;
  }
  if (!admission.admit(wire)) {
    site.overload.note(Strain::client_connections, coarse_now());
    wire.abort_on_close();
    co_return;
  }
  if (wire.transport() != nullptr) {
    auto opening = wire.open_transport();
    const bool open = co_await std::move(opening);
    if (!open) co_return;
  }
  record.set_open();
  Conversation conversation(site, wire, record);
  const net::Hangup gone = site.options.half_close_cancels ? net::Hangup::half : net::Hangup::full;
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
      case Step::await_memory: {
        auto waiting = conversation.await_memory();
        step = co_await std::move(waiting);
        break;
      }
      case Step::send_rest: {
        const Result<void> ready = co_await wire.writable();
        step = conversation.send_rest(ready);
        break;
      }
      case Step::await_handler: {
        // A client that is gone cancels its handler, and this task with it: there is nobody left to talk to.
        const auto watch = wire.cancel_on_hangup(gone);
        auto answering = conversation.run_handler();
        Response response = co_await std::move(answering);
        step = conversation.answer(std::move(response));
        break;
      }
      case Step::send_body: {
        const auto watch = wire.cancel_on_hangup(gone);
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

}  // namespace volt::http::server
