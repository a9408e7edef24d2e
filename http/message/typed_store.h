// SPDX-License-Identifier: MIT

// TypedStore: holds at most one value of each type; the type is the key. It stores an app's state and a request's
// extensions.
//
// Threads: filled by one thread; after that, const members may be called from any thread.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::http::message {

// The address of this variable identifies T; it is equal in all translation units.
template <class T>
inline constexpr char kTypeTag{};

using TypeId = const void*;
template <class T>
constexpr TypeId type_id() noexcept {
  return &kTypeTag<T>;
}

// Returns the type's name as the compiler writes it, for messages to developers.
template <class T>
constexpr std::string_view type_name() noexcept {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("T = ") + 4);
  return name.substr(0, name.find_first_of(";]"));
}

class TypedStore {
 public:
  TypedStore() = default;
  TypedStore(TypedStore&& other) noexcept : entries_(std::exchange(other.entries_, {})) {}
  TypedStore& operator=(TypedStore&& other) noexcept {
    std::swap(entries_, other.entries_);
    return *this;
  }
  ~TypedStore() { clear(); }

  // Stores `value` and replaces an existing value of type T.
  template <class T>
  T& put(T value) {
    if (T* old = find<T>()) return *old = std::move(value);
    return add<T>(std::move(value));
  }
  // Returns the value of type T. If there is none, default-constructs one in place, so T need not be movable.
  template <class T>
  T& get_or_make() {
    if (T* old = find<T>()) return *old;
    return add<T>();
  }

  // Constructs the value of type T in place and destroys an existing one.
  template <class T, class... Args>
  T& make(Args&&... args) {
    T& made = add<T>(std::forward<Args>(args)...);
    const auto old = std::ranges::find(entries_, type_id<T>(), &Entry::type);
    if (old->object != &made) {
      old->destroy(old->object);
      entries_.erase(old);
    }
    return made;
  }

  // Returns the value of type T, or null if there is none.
  template <class T>
  T* find() const noexcept {
    return static_cast<T*>(find(type_id<T>()));
  }
  [[nodiscard]] bool contains(TypeId type) const noexcept { return find(type) != nullptr; }

  void clear() noexcept {
    while (!entries_.empty()) {
      const Entry last = entries_.back();
      entries_.pop_back();
      last.destroy(last.object);
    }
  }

 private:
  struct Entry {
    TypeId type;
    void* object;
    void (*destroy)(void*);
  };

  template <class T, class... Args>
  T& add(Args&&... args) {
    entries_.reserve(entries_.size() + 1);
    T* object = new T(std::forward<Args>(args)...);
    entries_.push_back({type_id<T>(), object, [](void* entry) { delete static_cast<T*>(entry); }});
    return *object;
  }

  [[nodiscard]] void* find(TypeId type) const noexcept {
    for (const Entry& entry : entries_) {
      if (entry.type == type) return entry.object;
    }
    return nullptr;
  }

  std::vector<Entry> entries_;  // few entries: a linear search is faster than a map
};

}  // namespace volt::http::message
