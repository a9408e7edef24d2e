// SPDX-License-Identifier: MIT

// Two elements of an array are filled in and published one after another, while two threads read what is published, as
// sockets, reports and rescuers read the spare workers.
#pragma once

#include <memory>

#include "runtime/base/published_array.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class PublicationFault : std::uint8_t {
  none,
  published_first,  // publishes an element before it is filled in
};

template <PublicationFault kFault = PublicationFault::none>
class PublishedArrayBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 0) {
      publish();
    } else {
      read();
    }
  }

 private:
  static constexpr std::uint32_t kElements = 2;

  void publish() {
    for (std::uint32_t i = 0; i != kElements; ++i) {
      if (kFault == PublicationFault::published_first) array_.publish(i + 1);
      array_[i] = std::make_unique<int>(static_cast<int>(i));
      if (kFault != PublicationFault::published_first) array_.publish(i + 1);
    }
  }

  void read() {
    for (std::uint32_t i = 0; i != array_.published(); ++i) {
      require(array_[i] != nullptr && *array_[i] == static_cast<int>(i), "a published element is filled in");
    }
  }

  base::PublishedArray<std::unique_ptr<int>> array_{kElements};
};

}  // namespace volt::model
