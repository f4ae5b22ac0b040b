#include "copies.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace sdykit::machine {

namespace {

bool IsWidth(int64_t bits) {
  return bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool Fits(Operation operation, int64_t bits, int64_t stored_bits) {
  switch (operation) {
    case Operation::kCopy:
      return IsWidth(bits) && IsWidth(stored_bits) && stored_bits >= bits;
    case Operation::kAddInteger:
      return IsWidth(bits) && bits >= 8 && stored_bits == bits;
    case Operation::kAddFloat:
      return (bits == 32 || bits == 64) && stored_bits == bits;
    case Operation::kAddBfloat16:
      return bits == 16 && stored_bits == bits;
  }
  return false;
}

// Leaves out dimensions of size 1, and joins those that continue each other in both.
Dimensions Joined(const Dimensions& all) {
  Dimensions found;
  for (const Dimension& inner : all) {
    if (inner.size == 1) continue;
    if (found.size() > 0) {
      Dimension& outer = found[found.size() - 1];
      if (outer.source == inner.size * inner.source && outer.target == inner.size * inner.target) {
        outer = {outer.size * inner.size, inner.source, inner.target};
        continue;
      }
    }
    found.Add(inner);
  }
  return found;
}

struct AddBfloat16 {
  static float Widened(uint16_t bits) {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }

  // To the nearest, ties to even; a NaN stays one.
  static uint16_t Rounded(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    if (value != value) return static_cast<uint16_t>(wide >> 16 | 0x40);
    return static_cast<uint16_t>((wide + 0x7FFF + (wide >> 16 & 1)) >> 16);
  }

  uint16_t operator()(uint16_t old, uint16_t added) const {
    return Rounded(Widened(old) + Widened(added));
  }
};

struct Take {
  template <typename T>
  T operator()(T, T taken) const {
    return taken;
  }
};

struct Add {
  template <typename T>
  T operator()(T old, T added) const {
    return static_cast<T>(old + added);
  }
};

// `from` and `to` are the bytes between elements.
template <typename T, typename Combine, typename From, typename To>
void RowBy(const char* source, From from, char* target, To to, int64_t count, Combine combine) {
  for (int64_t i = 0; i < count; ++i, source += from, target += to) {
    T taken;
    T old{};
    std::memcpy(&taken, source, sizeof(T));
    if constexpr (!std::is_same_v<Combine, Take>) std::memcpy(&old, target, sizeof(T));
    const T made = combine(old, taken);
    std::memcpy(target, &made, sizeof(T));
  }
}

template <typename T, typename Combine>
void Row(const char* source, int64_t from, char* target, int64_t to, int64_t count,
         Combine combine) {
  constexpr int64_t kNext = sizeof(T);
  if (from == kNext && to == kNext) {  // Several elements at a time.
    constexpr std::integral_constant<int64_t, kNext> next;
    return RowBy<T>(source, next, target, next, count, combine);
  }
  RowBy<T>(source, from, target, to, count, combine);
}

template <typename Combine>
void RowOfIntegers(int64_t bits, const char* source, int64_t from, char* target, int64_t to,
                   int64_t count, Combine combine) {
  if (bits == 8) return Row<uint8_t>(source, from, target, to, count, combine);
  if (bits == 16) return Row<uint16_t>(source, from, target, to, count, combine);
  if (bits == 32) return Row<uint32_t>(source, from, target, to, count, combine);
  Row<uint64_t>(source, from, target, to, count, combine);
}

void AnyRow(Operation operation, int64_t bits, const char* source, int64_t from, char* target,
            int64_t to, int64_t count) {
  const int64_t bytes = bits / 8;
  switch (operation) {
    case Operation::kCopy:
      if (from == bytes && to == bytes) {
        std::memcpy(target, source, count * bytes);
        return;
      }
      return RowOfIntegers(bits, source, from, target, to, count, Take());
    case Operation::kAddInteger:
      return RowOfIntegers(bits, source, from, target, to, count, Add());
    case Operation::kAddFloat:
      if (bits == 32) return Row<float>(source, from, target, to, count, Add());
      return Row<double>(source, from, target, to, count, Add());
    case Operation::kAddBfloat16:
      return Row<uint16_t>(source, from, target, to, count, AddBfloat16());
  }
}

// Bytes of memory that a copy may touch, as distances from its first element.
struct Extent {
  int64_t low = 0;
  int64_t high = 0;
};

uint64_t ReadBits(const char* base, int64_t bit, int64_t bits) {
  uint64_t value = 0;
  const char* at = base + (bit >> 3);
  std::memcpy(&value, at, std::max<int64_t>(bits, 8) / 8);
  return bits < 8 ? value >> (bit & 7) & 0xF : value;
}

void WriteBits(char* base, int64_t bit, int64_t bits, uint64_t value) {
  char* at = base + (bit >> 3);
  if (bits < 8) {
    const int shift = static_cast<int>(bit & 7);
    const uint64_t old = static_cast<unsigned char>(*at);
    value = (old & ~(uint64_t{0xF} << shift)) | (value & 0xF) << shift;
  }
  std::memcpy(at, &value, std::max<int64_t>(bits, 8) / 8);
}

}  // namespace

Copy::Copy(const Dimensions& dimensions, int64_t bits, int64_t stored_bits,
           Operation operation)
    : dimensions_(Joined(dimensions)),
      bits_(bits),
      stored_bits_(stored_bits),
      operation_(operation),
      is_valid_(Fits(operation, bits, stored_bits)),
      has_bytes_(bits >= 8 && bits == stored_bits) {
  for (const Dimension& each : dimensions) {
    is_empty_ = is_empty_ || each.size == 0;
    is_valid_ = is_valid_ && each.size >= 0;
    has_bytes_ = has_bytes_ && each.source % 8 == 0 && each.target % 8 == 0;
  }
}

void Copy::operator()(const char* source, int64_t source_bit, char* target,
                      int64_t target_bit) const {
  if (is_empty_) return;
  if (Overlaps(source, source_bit, target, target_bit)) {
    Together(source, source_bit, target, target_bit);
  } else {
    Apart(source, source_bit, target, target_bit);
  }
}

bool Copy::Overlaps(const char* source, int64_t source_bit, const char* target,
                    int64_t target_bit) const {
  Extent from{source_bit, source_bit + bits_};
  Extent to{target_bit, target_bit + stored_bits_};
  for (const Dimension& each : dimensions_) {
    const int64_t last = each.size - 1;
    (each.source < 0 ? from.low : from.high) += last * each.source;
    (each.target < 0 ? to.low : to.high) += last * each.target;
  }
  return source + (from.low >> 3) < target + (to.high + 7) / 8 &&
         target + (to.low >> 3) < source + (from.high + 7) / 8;
}

void Copy::Apart(const char* source, int64_t source_bit, char* target, int64_t target_bit) const {
  if (has_bytes_ && source_bit % 8 == 0 && target_bit % 8 == 0) {
    Nest(0, source + source_bit / 8, target + target_bit / 8);
  } else {
    Bits(0, source, source_bit, target, target_bit);
  }
}

void Copy::Nest(size_t depth, const char* source, char* target) const {
  if (depth == dimensions_.size()) {  // A single element.
    return AnyRow(operation_, bits_, source, bits_ / 8, target, bits_ / 8, 1);
  }
  const Dimension& each = dimensions_[depth];
  const int64_t from = each.source / 8;
  const int64_t to = each.target / 8;
  if (depth + 1 == dimensions_.size()) {
    return AnyRow(operation_, bits_, source, from, target, to, each.size);
  }
  for (int64_t i = 0; i < each.size; ++i) Nest(depth + 1, source + i * from, target + i * to);
}

void Copy::Bits(size_t depth, const char* source, int64_t source_bit, char* target,
                int64_t target_bit) const {
  if (depth < dimensions_.size()) {
    const Dimension& each = dimensions_[depth];
    for (int64_t i = 0; i < each.size; ++i) {
      Bits(depth + 1, source, source_bit + i * each.source, target, target_bit + i * each.target);
    }
    return;
  }
  uint64_t value = ReadBits(source, source_bit, bits_);
  if (stored_bits_ > bits_) {
    const int unused = static_cast<int>(64 - bits_);
    value = static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
  }
  WriteBits(target, target_bit, stored_bits_, value);
}

// Through memory of its own.
void Copy::Together(const char* source, int64_t source_bit, char* target,
                    int64_t target_bit) const {
  Dimensions in = dimensions_;
  Dimensions out = dimensions_;
  const int64_t width = std::max<int64_t>(bits_, 8);
  int64_t count = 1;
  for (size_t k = dimensions_.size(); k-- > 0;) {
    in[k].target = out[k].source = count * width;
    count *= dimensions_[k].size;
  }
  std::vector<char> own(count * width / 8);
  Copy(in, bits_, bits_, Operation::kCopy).Apart(source, source_bit, own.data(), 0);
  Copy(out, bits_, stored_bits_, operation_).Apart(own.data(), 0, target, target_bit);
}

}  // namespace sdykit::machine
