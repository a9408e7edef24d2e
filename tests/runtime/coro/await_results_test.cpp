// SPDX-License-Identifier: MIT

// Tests of the result of a co_await in expressions, initializers, conditions and loops.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/coro/await_forms.h"

namespace volt {
namespace {

using namespace test;  // NOLINT: the forms consist of its names

const Form kResults[] = {
    {"discarded", []() -> Task<> { co_await make(1); }},
    {"initializes a variable",
     []() -> Task<> {
       Tracked a = co_await make(1);
       Tracked b{co_await make(2)};
       Tracked c(co_await make(3));
       static_cast<void>(a.value() + b.value() + c.value());
     }},
    {"bound to a reference",
     []() -> Task<> {
       const Tracked& one = co_await make(1);
       co_await Wait();
       static_cast<void>(one.value());
     }},
    {"assigned",
     []() -> Task<> {
       Tracked one;
       one = co_await make(1);
       Group two{Tracked(0)};
       two = Group{co_await make(1)};
       two = {co_await make(2)};
     }},
    {"returned", []() -> Task<> { co_await []() -> Task<Tracked> { co_return co_await make(1); }(); }},
    {"returned in an aggregate",
     []() -> Task<> { co_await []() -> Task<Group> { co_return Group{.first = co_await make(1)}; }(); }},
    {"returned in a class",
     []() -> Task<> { co_await []() -> Task<Constructed> { co_return Constructed(co_await make(1), 2); }(); }},
    {"returned, of an aggregate",
     []() -> Task<> { co_await []() -> Task<int> { co_return co_await group({Tracked(1)}); }(); }},
    {"first member",
     []() -> Task<> {
       Group one{co_await make(1)};
       static_cast<void>(one.first.value());
     }},
    {"second member",
     []() -> Task<> {
       Two one{.first = Tracked(1), .second = co_await make(2)};
       static_cast<void>(one.first.value());
     },
     kElementLeak},
    {"elements of std::array",
     []() -> Task<> {
       std::array<Tracked, 2> both{co_await make(1), co_await make(2)};
       static_cast<void>(both[0].value());
     },
     kElementLeak},
    {"elements of an array",
     []() -> Task<> {
       Tracked both[] = {co_await make(1), co_await make(2)};
       static_cast<void>(both[0].value());
     },
     kElementLeak},
    {"pair in a binding",
     []() -> Task<> {
       auto [a, b] = co_await pair();
       static_cast<void>(a.value() + b.value());
       co_await Wait();
     }},
    {"aggregate in a binding",
     []() -> Task<> {
       auto [a, b] = co_await two();
       static_cast<void>(a.value() + b.value());
       co_await Wait();
     }},
    {"tuple in a binding of references",
     []() -> Task<> {
       auto&& [a, b] = co_await tuple();
       static_cast<void>(a.value() + b.value());
       co_await Wait();
     }},
    {"argument", []() -> Task<> { co_await object(co_await make(1)); }},
    {"both arguments", []() -> Task<> { co_await objects(co_await make(1), co_await make(2)); }},
    {"argument after another", []() -> Task<> { co_await objects(Tracked(1), co_await make(2)); }},
    {"argument in an aggregate", []() -> Task<> { co_await group(Group{co_await make(1)}); }},
    {"argument in braces", []() -> Task<> { co_await group({co_await make(1)}); }},
    {"argument after another in braces", []() -> Task<> { co_await pair_of({Tracked(1), co_await make(1)}); }},
    {"allocated",
     // Not by `new Tracked(co_await ..)`: clang allocates first, and leaks if the coroutine is destroyed in the await.
     []() -> Task<> {
       auto one = std::make_unique<Tracked>(co_await make(1));
       auto other = std::make_unique<Tracked>(co_await make(2));
     }},
    {"appended",
     []() -> Task<> {
       std::vector<Tracked> all;
       all.push_back(co_await make(1));
       all.emplace_back(co_await make(2));
     }},
    {"appended in an aggregate",
     []() -> Task<> {
       std::vector<Group> all;
       all.push_back({co_await make(1)});
       all.push_back(Group{.first = co_await make(1)});
     }},
    {"parts of a string",
     []() -> Task<> {
       const std::string text =
           "<" + co_await longer("a" + std::to_string(1)) + ">" + co_await longer(std::string(40, 'y'));
       if (text.size() < 80) ++run.faults;
     }},
    {"comma", []() -> Task<> { co_await Wait(), co_await object(Tracked(1)); }},
};

const Form kConditions[] = {
    {"both branches wait",
     []() -> Task<> {
       Tracked one = yes() ? co_await make(1) : co_await make(2);
       static_cast<void>(one.value());
     }},
    {"first branch waits",
     []() -> Task<> {
       Tracked one = yes() ? co_await make(1) : Tracked(2);
       static_cast<void>(one.value());
     }},
    {"other branch waits",
     []() -> Task<> {
       Tracked one = !yes() ? co_await make(1) : Tracked(2);
       co_await Wait();
       static_cast<void>(one.value());
     }},
    {"chosen argument", []() -> Task<> { co_await object(yes() ? Tracked(1) : Tracked(2)); }},
    {"chosen aggregate", []() -> Task<> { co_await group(yes() ? Group{Tracked(1)} : Group{Tracked(2)}); }},
    {"chosen task", []() -> Task<> { co_await (yes() ? object(Tracked(1)) : group({Tracked(2)})); }},
    {"chosen string", []() -> Task<> { co_await string(yes() ? std::string(50, 'a') : "short"); }},
    {"while",
     []() -> Task<> {
       int left = 3;
       while (co_await object_and(Tracked(1), left-- > 0)) {
       }
     }},
    {"while with a variable",
     []() -> Task<> {
       run.messages = 3;
       while (auto one = co_await message()) static_cast<void>(one->value());
     }},
    {"while with a member",
     []() -> Task<> {
       run.messages = 3;
       while ((co_await message()).has_value()) {
       }
     }},
    {"while with an optional",
     []() -> Task<> {
       run.messages = 3;
       while (co_await message()) {
       }
     }},
    {"do while",
     []() -> Task<> {
       run.messages = 3;
       do {
       } while (co_await message());
     }},
    {"for",
     []() -> Task<> {
       run.messages = 3;
       for (int i = 0; co_await message(); i += 2) static_cast<void>(i);
     }},
    {"if not an optional",
     []() -> Task<> {
       run.messages = 1;
       if (!co_await message()) co_return;
       if (!co_await message()) co_return;
     }},
    {"if not a bool",
     []() -> Task<> {
       if (!co_await object_and(Tracked(1), true)) co_return;
       if (!co_await object_and(Tracked(1), false)) co_return;
     }},
    {"if not, of an aggregate",
     []() -> Task<> {
       if (!co_await group({Tracked(1)})) co_return;
     }},
    {"if with a variable",
     []() -> Task<> {
       run.messages = 1;
       if (auto one = co_await message(); one) static_cast<void>(one->value());
     }},
    {"if with a member",
     []() -> Task<> {
       if ((co_await make(1)).value() != 0) co_return;
     }},
    {"if equal",
     []() -> Task<> {
       if (co_await make(1) == Tracked(1)) co_return;
     }},
    {"and, or",
     []() -> Task<> {
       bool all = co_await object_and(Tracked(1), true) && co_await object_and(Tracked(2), false);
       all = all || co_await object_and(Tracked(3), true);
     }},
    {"and of optionals",
     []() -> Task<> {
       run.messages = 2;
       [[maybe_unused]] const bool both = co_await message() && co_await message();
     }},
    {"switch",
     []() -> Task<> {
       switch (co_await object(Tracked(1))) {
         case 1:
           break;
         default:
           break;
       }
     }},
    {"range",
     []() -> Task<> {
       for (const Tracked& one : co_await list()) static_cast<void>(one.value());
     }},
    {"range with waits",
     []() -> Task<> {
       for (Tracked one : co_await list()) {
         co_await Wait();
         static_cast<void>(one.value());
       }
     }},
    {"range with bindings",
     []() -> Task<> {
       for (auto& [a, b] : co_await list_of_pairs()) {
         static_cast<void>(a.value());
         co_await Wait();
         static_cast<void>(b.value());
       }
     }},
};

}  // namespace

TEST_SUITE_BEGIN("runtime/coro/await_results");

TEST_CASE("the result of an await is destroyed once") {
  for (const Form& form : kResults) check(form);
}

TEST_CASE("operands and results in conditions and loops are destroyed once") {
  for (const Form& form : kConditions) check(form);
}

}  // namespace volt
