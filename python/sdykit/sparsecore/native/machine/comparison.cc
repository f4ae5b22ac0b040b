#include "comparison.h"

#include <algorithm>
#include <cstring>

namespace sdykit::machine {

namespace {

// An element of 4 bits as a byte with its sign.
char SignedNibble(const char* base, int64_t bit) {
  const auto byte = static_cast<unsigned char>(base[bit / 8]);
  const int nibble = (byte >> bit % 8) & 15;
  return static_cast<char>(nibble >= 8 ? nibble - 16 : nibble);
}

}  // namespace

bool Comparison::operator()(int64_t begin, int64_t end) const {
  if (differs_.empty()) {
    if (event_.target.rows == nullptr) {
      CompareRow(event_.source.offset, event_.target.offset, 0);
    } else {
      for (int64_t row = 0; row < event_.target.row_count; ++row) {
        CompareRow(event_.source.offset + event_.source.rows[row],
                   event_.target.offset + event_.target.rows[row], 0);
      }
    }
  }
  const auto first = differs_.begin();
  return std::find(first + begin, first + end, 1) == first + end;
}

void Comparison::CompareRow(int64_t source_bit, int64_t target_bit, int64_t dimension) const {
  if (dimension == event_.target.rank) {
    CompareElement(source_bit, target_bit);
    return;
  }
  for (int64_t k = 0; k < event_.target.sizes[dimension]; ++k) {
    CompareRow(source_bit + k * event_.source.strides[dimension],
               target_bit + k * event_.target.strides[dimension], dimension + 1);
  }
}

void Comparison::CompareElement(int64_t source_bit, int64_t target_bit) const {
  const char* target = event_.target.base + target_bit / 8;
  if (event_.source.bits == event_.target.bits) {
    const char* source = event_.source.base + source_bit / 8;
    for (int64_t k = 0; k < event_.target.bits / 8; ++k) {
      differs_.push_back(source[k] != target[k]);
    }
    return;
  }
  differs_.push_back(SignedNibble(event_.source.base, source_bit) != *target);
}

}  // namespace sdykit::machine
