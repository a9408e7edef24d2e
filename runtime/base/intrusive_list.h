// SPDX-License-Identifier: MIT

// Intrusive containers: the links live in the elements, so nothing here allocates or throws.
//
// Threads: no type of this file synchronizes.
// Lifetime: an element must not move while it is linked.
#pragma once

#include <cstddef>

#include "runtime/base/check.h"

namespace volt::base {

// Base class of the elements of List<T>. unlink() is O(1); linked() returns whether the element is in a list.
struct ListNode {
  ListNode* previous = nullptr;  // null exactly when unlinked
  ListNode* next = nullptr;

  ListNode() = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;

  [[nodiscard]] bool linked() const noexcept { return previous != nullptr; }

  void unlink() noexcept {
    previous->next = next;
    next->previous = previous;
    previous = next = nullptr;
  }
};

// Circular doubly linked list of T, which derives from ListNode.
template <class T>
class List {
 public:
  List() noexcept { head_.previous = head_.next = &head_; }
  ~List() { VOLT_CHECK(empty()); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  [[nodiscard]] bool empty() const noexcept { return head_.next == &head_; }
  [[nodiscard]] T* front() noexcept { return empty() ? nullptr : static_cast<T*>(head_.next); }

  void push_back(T& element) noexcept {
    ListNode& node = element;
    node.previous = head_.previous;
    node.next = &head_;
    head_.previous->next = &node;
    head_.previous = &node;
  }

  void push_front(T& element) noexcept {
    ListNode& node = element;
    node.previous = &head_;
    node.next = head_.next;
    head_.next->previous = &node;
    head_.next = &node;
  }

  T* pop_front() noexcept {
    T* element = front();
    if (element != nullptr) static_cast<ListNode*>(element)->unlink();
    return element;
  }

  // Moves all elements of `other` to the end of this list, in order. O(1).
  void splice_back(List& other) noexcept {
    if (other.empty()) return;
    other.head_.next->previous = head_.previous;
    head_.previous->next = other.head_.next;
    other.head_.previous->next = &head_;
    head_.previous = other.head_.previous;
    other.head_.previous = other.head_.next = &other.head_;
  }

  // Calls `visit(T&)` on each element. `visit` must not change the list.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (ListNode* node = head_.next; node != &head_; node = node->next) visit(static_cast<T&>(*node));
  }
  // Calls `visit(const T&)` on each element until it returns false.
  template <class Visit>
  void for_each_while(Visit&& visit) const {
    const ListNode* node = head_.next;
    while (node != &head_ && visit(static_cast<const T&>(*node))) node = node->next;
  }

 private:
  ListNode head_;
};

// FIFO queue of T, linked through the member `T* queue_next`. Carries runnable tasks between queues.
template <class T>
class Chain {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void push_back(T* element) noexcept {
    element->queue_next = nullptr;
    (last_ == nullptr ? first_ : last_->queue_next) = element;
    last_ = element;
    ++size_;
  }

  [[nodiscard]] const T* front() const noexcept { return first_; }
  T* pop_front() noexcept {
    T* element = first_;
    if (element == nullptr) return nullptr;
    first_ = element->queue_next;
    if (first_ == nullptr) last_ = nullptr;
    --size_;
    return element;
  }

  // Moves all elements of `other` to the end of this chain, in order. O(1).
  void append(Chain& other) noexcept {
    if (other.empty()) return;
    (last_ == nullptr ? first_ : last_->queue_next) = other.first_;
    last_ = other.last_;
    size_ += other.size_;
    other = Chain{};
  }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace volt::base
