// SPDX-License-Identifier: MIT

// Patterns of text: a subset of ECMAScript's regular expressions, which is what JSON Schema uses. A pattern is compiled
// at compile time, where a mistake in it does not compile, and matches a whole text.
//
//   a  \.            the character; \ precedes one of  . * + ? ( ) [ ] { } | / \ - ^ $
//   \d  \w           a digit; a letter, a digit or _; of ASCII
//   .                any character but a line break; also one beyond ASCII
//   [a-z_]  [^,]     one of these characters; any other character, also one beyond ASCII
//   ab  a|b  (ab)    a then b; a or b; a group
//   * + ? {2} {2,} {2,4}     repetition of the character or group before it
//
// Not in it: ^ and $ (the whole text must match anyway), lazy repetition, back references, look-around, characters
// beyond ASCII in the pattern itself.
//
// Time: matching simulates all ways at once (Thompson's construction) and never goes back, so it takes time in
// proportion to the text multiplied with the pattern, whatever the text is. Rejected: std::regex, whose recursion a
// hostile text makes deep or exponential.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "http/message/fixed_string.h"

namespace volt::http::validation {

// Characters of ASCII, and whether those beyond it belong to the set as well.
struct CharacterSet {
  std::array<std::uint64_t, 2> ascii{};
  bool beyond = false;

  constexpr void add(unsigned char c) noexcept { ascii[c / 64] |= std::uint64_t{1} << (c % 64); }
  constexpr void add(const CharacterSet& other) noexcept {
    for (std::size_t i = 0; i != ascii.size(); ++i) ascii[i] |= other.ascii[i];
    beyond = beyond || other.beyond;
  }
  constexpr CharacterSet inverse() const noexcept { return {{~ascii[0], ~ascii[1]}, !beyond}; }
  constexpr bool contains(unsigned char c) const noexcept {
    return c >= 0x80 ? beyond : (ascii[c / 64] >> (c % 64) & 1) != 0;
  }
};

// One step of a compiled pattern. `set` takes one character and goes on with the next instruction; `split` goes on with
// both targets, `jump` with the first; `match` is the end.
struct PatternStep {
  enum class Kind : std::uint8_t { set, split, jump, match };

  Kind kind = Kind::match;
  std::array<std::uint16_t, 2> targets{};
  CharacterSet set{};
};

inline constexpr std::size_t kPatternStepsMax = 512;

[[nodiscard]] bool matches(std::span<const PatternStep> steps, std::string_view text) noexcept;

// Returns `"pattern":"^(?:...)$"`.
[[nodiscard]] std::string pattern_schema(std::string_view pattern);

// The mistakes of a pattern.
enum class PatternError : std::uint8_t {
  none,
  no_opening,
  not_ascii,
  too_long,
  repeated_twice,
  never,
  bad_repetition,
  backwards_repetition,
  too_often,
  too_early,
  unknown_group,
  no_closing,
  anchor,
  nothing_to_repeat,
  bare_bracket,
  bare_escape,
  unknown_escape,
  empty_set,
  no_closing_bracket,
  bad_range,
};

// Instantiated for a wrong pattern; the assertion that fails states the mistake.
template <PatternError error>
struct PatternMistake {
  static_assert(error != PatternError::no_opening, "a ) of the pattern has no (");
  static_assert(error != PatternError::not_ascii, "a pattern consists of printable characters of ASCII");
  static_assert(error != PatternError::too_long, "the pattern is too long when its repetitions are written out");
  static_assert(error != PatternError::repeated_twice, "a repetition is repeated");
  static_assert(error != PatternError::never, "a repetition of {0} matches nothing");
  static_assert(error != PatternError::bad_repetition, "a repetition is {2}, {2,} or {2,4}");
  static_assert(error != PatternError::backwards_repetition, "a repetition from more to less");
  static_assert(error != PatternError::too_often, "a repetition is too often");
  static_assert(error != PatternError::too_early, "the pattern ends too early");
  static_assert(error != PatternError::unknown_group,
                "of the groups that begin with (? only (?:...) is in the dialect");
  static_assert(error != PatternError::no_closing, "a ( of the pattern has no )");
  static_assert(error != PatternError::anchor,
                "a pattern matches the whole text: leave out ^ and $, or write \\^ and \\$");
  static_assert(error != PatternError::nothing_to_repeat, "a repetition without anything before it");
  static_assert(error != PatternError::bare_bracket, "write \\] and \\} for these characters");
  static_assert(error != PatternError::bare_escape, "the pattern ends with \\");
  static_assert(error != PatternError::unknown_escape, "this escape is not in the dialect");
  static_assert(error != PatternError::empty_set, "an empty [] matches nothing");
  static_assert(error != PatternError::no_closing_bracket, "a [ of the pattern has no ]");
  static_assert(error != PatternError::bad_range, "a range of characters goes up, from a character to a character");
};

// Compiles a pattern: a recursive descent over its text that appends steps. A repeated part is compiled once for each
// time that it may occur.
class PatternCompiler {
 public:
  constexpr explicit PatternCompiler(std::string_view pattern) : pattern_(pattern) {
    alternatives();
    if (more()) fail(PatternError::no_opening);
    append({});
  }

  constexpr PatternError error() const { return error_; }
  constexpr std::size_t size() const { return size_; }
  constexpr const PatternStep& operator[](std::size_t i) const { return steps_[i]; }

 private:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  static constexpr std::string_view kSpecial = ".*+?()[]{}|/\\-^$";

  constexpr bool more() const { return at_ != pattern_.size(); }
  constexpr bool next_is(char c) const { return more() && pattern_[at_] == c; }
  constexpr bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  // Ends the parsing; the first error counts.
  constexpr void fail(PatternError error) {
    if (error_ == PatternError::none) error_ = error;
    at_ = pattern_.size();
  }
  // Returns a letter after an error.
  constexpr char take_any(PatternError missing) {
    if (!more()) {
      fail(missing);
      return 'x';
    }
    const char c = pattern_[at_++];
    if (c >= ' ' && c <= '~') return c;
    fail(PatternError::not_ascii);
    return 'x';
  }

  constexpr std::size_t append(const PatternStep& step) {
    if (size_ == kPatternStepsMax) {
      fail(PatternError::too_long);
      return size_ - 1;
    }
    steps_[size_] = step;
    return size_++;
  }
  // After an error there may be no such step.
  constexpr void aim(std::size_t step, std::size_t target, std::size_t where) {
    if (error_ != PatternError::none) return;
    steps_[step].targets[target] = static_cast<std::uint16_t>(where);
  }
  // Inserts a step before those from `first` on, which keep their targets relative to each other.
  constexpr void insert(std::size_t first, const PatternStep& step) {
    append({});
    if (error_ != PatternError::none) return;
    for (std::size_t i = size_ - 1; i > first; --i) steps_[i] = steps_[i - 1];
    for (std::size_t i = first + 1; i != size_; ++i) {
      for (std::uint16_t& target : steps_[i].targets) {
        if (target >= first) ++target;
      }
    }
    steps_[first] = step;
  }

  constexpr void alternatives() {
    const std::size_t first = size_;
    sequence();
    if (!take('|')) return;
    insert(first, {.kind = PatternStep::Kind::split});
    aim(first, 0, first + 1);
    const std::size_t jump = append({.kind = PatternStep::Kind::jump});
    aim(first, 1, size_);
    alternatives();
    aim(jump, 0, size_);
  }

  constexpr void sequence() {
    while (more() && !next_is('|') && !next_is(')')) repeated();
  }

  constexpr void repeated() {
    const std::size_t begin = at_;
    const std::size_t first = size_;
    atom();
    std::size_t min = 1;
    std::size_t max = 1;
    repetition(min, max);
    if (error_ != PatternError::none) return;
    if (next_is('*') || next_is('+') || next_is('?') || next_is('{')) return fail(PatternError::repeated_twice);
    const std::size_t after = at_;
    if (min == 0 && max == 0) return fail(PatternError::never);
    for (std::size_t i = 1; i < min; ++i) compile_again(begin);
    if (max == kNoLimit) {
      if (min != 0) compile_again(begin);
      loop_from(min == 0 ? first : last_);
    } else if (min == 0) {
      optional_from(first, max, begin);
    } else if (max > min) {
      const std::size_t rest = size_;
      compile_again(begin);
      optional_from(rest, max - min, begin);
    }
    last_ = first;
    if (error_ == PatternError::none) at_ = after;
  }

  // Makes the steps from `first` on a loop that is run any number of times.
  constexpr void loop_from(std::size_t first) {
    insert(first, {.kind = PatternStep::Kind::split});
    aim(first, 0, first + 1);
    aim(append({.kind = PatternStep::Kind::jump}), 0, first);
    aim(first, 1, size_);
  }

  // Appends the steps of the atom whose text is at `begin` once more.
  constexpr void compile_again(std::size_t begin) {
    if (error_ != PatternError::none) return;
    at_ = begin;
    atom();
  }

  // Makes the steps from `first` on optional, which are those of the atom at `begin`, and adds them `count` - 1 times
  // more.
  constexpr void optional_from(std::size_t first, std::size_t count, std::size_t begin) {
    std::array<std::size_t, kPatternStepsMax> splits{};
    for (std::size_t i = 0; i != count; ++i) {
      splits[i] = i == 0 ? first : size_;
      if (i != 0) compile_again(begin);
      insert(splits[i], {.kind = PatternStep::Kind::split});
      aim(splits[i], 0, splits[i] + 1);
    }
    for (std::size_t i = 0; i != count; ++i) aim(splits[i], 1, size_);
  }

  constexpr void repetition(std::size_t& min, std::size_t& max) {
    if (take('*')) {
      min = 0;
      max = kNoLimit;
    } else if (take('+')) {
      max = kNoLimit;
    } else if (take('?')) {
      min = 0;
    } else if (take('{')) {
      min = max = number();
      if (take(',')) max = next_is('}') ? kNoLimit : number();
      if (!take('}')) return fail(PatternError::bad_repetition);
      if (max < min) return fail(PatternError::backwards_repetition);
    }
  }

  constexpr std::size_t number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    while (more() && pattern_[at_] >= '0' && pattern_[at_] <= '9') {
      value = value * 10 + static_cast<std::size_t>(pattern_[at_++] - '0');
      if (value > kPatternStepsMax) fail(PatternError::too_often);
    }
    if (at_ == begin) fail(PatternError::bad_repetition);
    return value;
  }

  constexpr void atom() {
    const std::size_t first = size_;
    const char c = take_any(PatternError::too_early);
    if (c == '(') {
      if (take('?') && !take(':')) return fail(PatternError::unknown_group);
      alternatives();
      if (!take(')')) return fail(PatternError::no_closing);
    } else {
      append({.kind = PatternStep::Kind::set, .set = set_of(c)});
    }
    last_ = first;
  }

  constexpr CharacterSet set_of(char c) {
    CharacterSet set;
    if (c == '[') return bracketed();
    if (c == '\\') return escaped();
    if (c == '.') {
      set.add('\n');
      set.add('\r');
      return set.inverse();
    }
    if (c == '^' || c == '$') fail(PatternError::anchor);
    if (c == '*' || c == '+' || c == '?' || c == '{') fail(PatternError::nothing_to_repeat);
    if (c == ']' || c == '}') fail(PatternError::bare_bracket);
    set.add(static_cast<unsigned char>(c));
    return set;
  }

  constexpr CharacterSet escaped() {
    CharacterSet set;
    const char c = take_any(PatternError::bare_escape);
    if (c == 'd' || c == 'w') {
      for (unsigned char digit = '0'; digit <= '9'; ++digit) set.add(digit);
    }
    if (c == 'w') {
      for (unsigned char letter = 'a'; letter <= 'z'; ++letter) set.add(letter);
      for (unsigned char letter = 'A'; letter <= 'Z'; ++letter) set.add(letter);
      set.add('_');
    }
    if (c == 'd' || c == 'w') return set;
    if (kSpecial.find(c) == std::string_view::npos) fail(PatternError::unknown_escape);
    set.add(static_cast<unsigned char>(c));
    return set;
  }

  constexpr CharacterSet bracketed() {
    CharacterSet set;
    const bool inverse = take('^');
    if (next_is(']')) fail(PatternError::empty_set);
    while (error_ == PatternError::none && !take(']')) {
      const char c = take_any(PatternError::no_closing_bracket);
      if (c == '\\') {
        set.add(escaped());
      } else if (next_is('-') && at_ + 1 != pattern_.size() && pattern_[at_ + 1] != ']') {
        ++at_;
        const char end = take_any(PatternError::no_closing_bracket);
        if (end == '\\' || end < c) fail(PatternError::bad_range);
        for (int i = c; i <= end; ++i) set.add(static_cast<unsigned char>(i));
      } else {
        set.add(static_cast<unsigned char>(c));
      }
    }
    return inverse ? set.inverse() : set;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  PatternError error_ = PatternError::none;
  std::size_t last_ = 0;  // the first step of the atom that was compiled last
  std::array<PatternStep, kPatternStepsMax> steps_{};
};

// The steps of `pattern`.
template <FixedString pattern>
inline constexpr auto kPatternSteps = [] {
  constexpr PatternCompiler compiled(pattern.view());
  static_assert(sizeof(PatternMistake<compiled.error()>) > 0);
  constexpr std::size_t size = compiled.size();
  std::array<PatternStep, size> steps{};
  for (std::size_t i = 0; i != size; ++i) steps[i] = compiled[i];
  return steps;
}();

}  // namespace volt::http::validation
