// SPDX-License-Identifier: MIT

// Borrowed<T>: a reference for a spawned task, to an object that outlives it.
//
//   Task<> wait_for(Borrowed<Notify> ready) { co_await ready->wait(); }
//
//   Notify ready;
//   Scope scope;
//   scope.spawn(wait_for, borrow(ready));   // `ready` is destroyed after the scope has joined its tasks
//
// spawn() and Scope::spawn() refuse references, pointers and std::reference_wrapper, because the caller's objects may
// be gone when the task runs. With borrow(), a program states that this object is not: it belongs to an enclosing
// scope, to the whole program, or to a function that joins the task. Nothing checks the statement; where it does not
// plainly hold, pass a std::shared_ptr.
//
// Threads: as those of the object.
#pragma once

namespace volt {

template <class T>
class Borrowed {
 public:
  explicit Borrowed(T& object) noexcept : object_(&object) {}

  [[nodiscard]] T& get() const noexcept { return *object_; }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }
  [[nodiscard]] T* operator->() const noexcept { return object_; }
  operator T&() const noexcept { return *object_; }  // NOLINT(google-explicit-constructor): it stands for a T&

 private:
  T* object_;  // never null
};

template <class T>
[[nodiscard]] Borrowed<T> borrow(T& object) noexcept {
  return Borrowed<T>(object);
}
template <class T>
void borrow(const T&&) = delete;  // a temporary object ends with the call of spawn()

}  // namespace volt
