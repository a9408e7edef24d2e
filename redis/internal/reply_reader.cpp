// SPDX-License-Identifier: MIT

#include "redis/internal/reply_reader.h"

#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

#include "redis/error.h"

namespace volt::redis::internal {
namespace {

struct FreeReader {
  void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
};

constexpr std::string_view kTooLarge = "a reply is larger than reply_bytes_max";
constexpr std::string_view kTooDeep = "a reply has arrays nested too deeply";
constexpr std::string_view kUnknownType = "a reply has a type that RESP2 does not have";
constexpr std::string_view kNoMemory = "out of memory";

}  // namespace

struct ReplyReader::State {
  explicit State(std::size_t max) : bytes_max(max) {}

  const std::size_t bytes_max;
  std::size_t bytes = 0;  // memory of the reply that is being read
  std::string_view refusal = {};
  Reply root = {};
  redisReplyObjectFunctions functions = {};
  std::unique_ptr<redisReader, FreeReader> reader = {};

  // Reserves memory for a part of the reply. Returns false beyond the limit.
  [[nodiscard]] bool take(std::size_t size) noexcept {
    if (size > bytes_max - bytes) {
      refusal = kTooLarge;
      return false;
    }
    bytes += size;
    return true;
  }
};

namespace {

// The functions that hiredis calls. They return null for a refusal, and must not throw.
template <class State>
struct Builder {
  static State& state_of(const redisReadTask* task) noexcept { return *static_cast<State*>(task->privdata); }

  // Returns the value that `task` reads: the root, or an element of the array that was created for it.
  static Reply* place_of(const redisReadTask* task) noexcept {
    if (task->parent == nullptr) return &state_of(task).root;
    return &static_cast<Reply*>(task->parent->obj)->elements[static_cast<std::size_t>(task->idx)];
  }

  static void* refuse(const redisReadTask* task, std::string_view why) noexcept {
    state_of(task).refusal = why;
    return nullptr;
  }

  static void* create_string(const redisReadTask* task, char* text, std::size_t size) noexcept {
    Reply* const place = place_of(task);
    if (task->type == REDIS_REPLY_STRING) {
      place->kind = Reply::Kind::string;
    } else if (task->type == REDIS_REPLY_STATUS) {
      place->kind = Reply::Kind::status;
    } else if (task->type == REDIS_REPLY_ERROR) {
      place->kind = Reply::Kind::error;
    } else {
      return refuse(task, kUnknownType);
    }
    if (!state_of(task).take(size)) return nullptr;
    try {
      place->text.assign(text, size);
    } catch (const std::bad_alloc&) {  // decided: hiredis is C, so the refusal ends the connection
      return refuse(task, kNoMemory);
    }
    return place;
  }

  // The type of the number differs between versions of hiredis.
  static void* create_array(const redisReadTask* task, int count) noexcept {
    return create_array(task, static_cast<std::size_t>(count));
  }
  static void* create_array(const redisReadTask* task, std::size_t count) noexcept {
    if (task->type != REDIS_REPLY_ARRAY) return refuse(task, kUnknownType);
    std::size_t depth = 1;
    for (const redisReadTask* above = task->parent; above != nullptr; above = above->parent) ++depth;
    if (depth > kReplyDepthMax) return refuse(task, kTooDeep);
    if (count > state_of(task).bytes_max / sizeof(Reply)) return refuse(task, kTooLarge);
    if (!state_of(task).take(count * sizeof(Reply))) return nullptr;
    Reply* const place = place_of(task);
    place->kind = Reply::Kind::array;
    try {
      place->elements.resize(count);
    } catch (const std::bad_alloc&) {  // decided: as in create_string()
      return refuse(task, kNoMemory);
    }
    return place;
  }

  static void* create_integer(const redisReadTask* task, long long number) noexcept {
    Reply* const place = place_of(task);
    place->kind = Reply::Kind::integer;
    place->integer = number;
    return place;
  }

  static void* create_nil(const redisReadTask* task) noexcept { return place_of(task); }
  static void* create_double(const redisReadTask* task, double, char*, std::size_t) noexcept {
    return refuse(task, kUnknownType);
  }
  static void* create_bool(const redisReadTask* task, int) noexcept { return refuse(task, kUnknownType); }
  static void free_object(void*) noexcept {}  // the State owns the reply
};

// A template, because older versions of hiredis do not have all of the functions.
template <class State, class Functions>
void set_functions(Functions& functions) {
  using Build = Builder<State>;
  functions.createString = Build::create_string;
  functions.createArray = Build::create_array;
  functions.createInteger = Build::create_integer;
  functions.createNil = Build::create_nil;
  if constexpr (requires { functions.createDouble; }) functions.createDouble = Build::create_double;
  if constexpr (requires { functions.createBool; }) functions.createBool = Build::create_bool;
  functions.freeObject = Build::free_object;
}

}  // namespace

ReplyReader::ReplyReader(std::size_t reply_bytes_max) : state_(std::make_unique<State>(reply_bytes_max)) {
  set_functions<State>(state_->functions);
  state_->reader.reset(redisReaderCreateWithFunctions(&state_->functions));
  if (state_->reader == nullptr) throw std::bad_alloc();
  state_->reader->privdata = state_.get();
}

ReplyReader::~ReplyReader() = default;

bool ReplyReader::read(std::span<const std::byte> bytes, std::vector<Reply>& into) {
  redisReader* const reader = state_->reader.get();
  const auto fail = [&](std::string_view why) {
    failure_ = state_->refusal.empty() ? why : state_->refusal;
    return false;
  };
  if (redisReaderFeed(reader, reinterpret_cast<const char*>(bytes.data()), bytes.size()) != REDIS_OK) {
    return fail(reader->errstr);
  }
  for (;;) {
    void* complete = nullptr;
    if (redisReaderGetReply(reader, &complete) != REDIS_OK) return fail(reader->errstr);
    if (complete == nullptr) break;
    into.push_back(std::exchange(state_->root, Reply{}));
    state_->bytes = 0;
  }
  const std::size_t unread = reader->len - reader->pos;
  return unread <= state_->bytes_max - state_->bytes || fail(kTooLarge);
}

void format(const Command& command, std::string& out) {
  constexpr std::size_t kArgumentBytesMax = 512 * 1024 * 1024;
  const auto append_number = [&out](char type, std::size_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out += type;
    out.append(digits, end);
    out += "\r\n";
  };
  std::size_t total = 0;
  for (std::size_t i = 0; i != command.size(); ++i) total += command[i].size();
  if (total > kArgumentBytesMax) throw Error("a command has more than 512 MiB of arguments");
  append_number('*', command.size());
  for (std::size_t i = 0; i != command.size(); ++i) {
    append_number('$', command[i].size());
    out += command[i];
    out += "\r\n";
  }
}

}  // namespace volt::redis::internal
