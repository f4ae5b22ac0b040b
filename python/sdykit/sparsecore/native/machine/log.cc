// What kernels print: a line on the standard error of the process.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "functions.h"
#include "machine.h"

namespace sdykit::machine {

namespace {

// The first numbers; `LOG_NUMBERS` of codegen's runtime_functions.py has what they mean. The sizes of
// all dimensions follow, then the text before the values, in words of 8 bytes.
struct Head {
  int64_t is_scalar;
  int64_t core;
  int64_t subcore;
  int64_t has_values;
  int64_t is_float;
  int64_t rank;
  int64_t text_bytes;
};

// Floats in [kLeastFixed, kMostFixed) are written without an exponent.
constexpr double kLeastFixed = 1e-4;
constexpr double kMostFixed = 1e6;

// The fewest digits that are read as this number again.
void Add(std::string& line, float number) {
  if (std::isnan(number)) {
    line += "nan";
    return;
  }
  if (std::isinf(number)) {
    line += number < 0 ? "-inf" : "inf";
    return;
  }
  const double size = std::fabs(number);
  const bool is_fixed = size == 0 || (size >= kLeastFixed && size < kMostFixed);
  char text[64];
  const auto format = is_fixed ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text, text + sizeof(text), number, format).ptr;
  line.append(text, end);
  if (is_fixed && std::memchr(text, '.', end - text) == nullptr) line += ".0";
}

struct Values {
  const char* at;
  bool is_float;

  void AddNext(std::string& line) {
    if (is_float) {
      float number;
      std::memcpy(&number, at, sizeof(number));
      at += sizeof(number);
      Add(line, number);
    } else {
      int64_t number;
      std::memcpy(&number, at, sizeof(number));
      at += sizeof(number);
      line += std::to_string(number);
    }
  }
};

// Adds the values of the last dimensions, in brackets.
void AddAll(std::string& line, Values& values, const int64_t* sizes, int64_t rank) {
  if (rank == 0) {
    values.AddNext(line);
    return;
  }
  line += '[';
  for (int64_t k = 0; k < sizes[0]; ++k) {
    if (k > 0) line += ", ";
    AddAll(line, values, sizes + 1, rank - 1);
  }
  line += ']';
}

void Print(const char* values, const int64_t* numbers) {
  Head head;
  std::memcpy(&head, numbers, sizeof(head));
  const int64_t* sizes = numbers + sizeof(head) / sizeof(int64_t);
  std::string line = head.is_scalar != 0 ? "scalar subcore " : "vector subcore (";
  line += std::to_string(head.core);
  if (head.is_scalar == 0) line += ", " + std::to_string(head.subcore) + ")";
  line += ": ";
  line.append(reinterpret_cast<const char*>(sizes + head.rank), head.text_bytes);
  if (head.has_values != 0) {
    line += ' ';
    Values rest{values, head.is_float != 0};
    AddAll(line, rest, sizes, head.rank);
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void Log(char* arena, const char* values, const int64_t* numbers, int64_t) {
  HeaderOf(arena).machine->Guard(kNobody, [&] { Print(values, numbers); });
}

}  // namespace sdykit::machine
