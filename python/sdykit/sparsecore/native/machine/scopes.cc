// When scopes begin and end. mosaic/scopes.py says what the words of a scope are.

#include <chrono>

#include "functions.h"

namespace sdykit::machine {

namespace {

constexpr int64_t kKept = 16;
constexpr int64_t kFirst = 3;

int64_t SteadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void BeginScope(int64_t* words, int64_t first) {
  int64_t* own = words + first;
  own[2] = SteadyNanoseconds();
  if (own[0] < kKept) own[kFirst + 2 * own[0]] = own[2];
}

void EndScope(int64_t* words, int64_t first) {
  int64_t* own = words + first;
  const int64_t now = SteadyNanoseconds();
  if (own[0] < kKept) own[kFirst + 2 * own[0] + 1] = now;
  ++own[0];
  own[1] += now - own[2];
}

}  // namespace sdykit::machine
