// SPDX-License-Identifier: MIT

// A million awaits of tasks that end at once. Each of them is two symmetric transfers, which overflow the stack unless
// the compiler makes them tail calls; the package makes g++ do so in builds without optimization, too.
#include <runtime/runtime.h>
#include <runtime/task.h>

volt::Task<int> parity(int number) { co_return number % 2; }

volt::Task<int> parity_by_another(int number) {
  const int result = co_await parity(number);
  co_return result;
}

volt::Task<int> count_odd(int end) {
  int count = 0;
  for (int number = 0; number != end; ++number) count += co_await parity_by_another(number);
  co_return count;
}

int main() {
  volt::Runtime runtime;
  return runtime.block_on(count_odd, 1'000'000) == 500'000 ? 0 : 1;
}
