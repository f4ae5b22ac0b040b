// Copies between strided parts of memory.

#ifndef SDYKIT_SPARSECORE_MACHINE_COPIES_H_
#define SDYKIT_SPARSECORE_MACHINE_COPIES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace sdykit::machine {

// What is done with the elements of the target.
enum class Operation : int64_t { kCopy = 0, kAddInteger = 1, kAddFloat = 2, kAddBfloat16 = 3 };

// One dimension; strides are in bits.
struct Dimension {
  int64_t size;
  int64_t source;
  int64_t target;
};

// The dimensions of a copy, outermost first.
class Dimensions {
 public:
  static constexpr int64_t kMax = 16;

  Dimension* begin() { return all_.data(); }
  const Dimension* begin() const { return all_.data(); }
  const Dimension* end() const { return all_.data() + count_; }
  size_t size() const { return count_; }
  Dimension& operator[](size_t at) { return all_[at]; }
  const Dimension& operator[](size_t at) const { return all_[at]; }

  // There are at most kMax.
  void Add(Dimension added) { all_[count_++] = added; }

 private:
  std::array<Dimension, kMax> all_;
  size_t count_ = 0;
};

// A copy of elements in some order of dimensions, prepared once for any number of places.
class Copy {
 public:
  // The elements have `bits` (4, 8, 16, 32 or 64) in the source, and `stored_bits` in the target,
  // which has their sign in bits that the source has not. Elements of less than a byte lie within
  // one. Operations other than kCopy are for whole bytes, kAddFloat for 32 and 64 bits,
  // kAddBfloat16 for 16.
  Copy(const Dimensions& dimensions, int64_t bits, int64_t stored_bits, Operation operation);

  // Whether the numbers make sense.
  bool is_valid() const { return is_valid_; }

  // Copies from a position to another, each an address and bits after it. If parts of both are the
  // same memory, all is read before anything is written.
  void operator()(const char* source, int64_t source_bit, char* target, int64_t target_bit) const;

 private:
  bool Overlaps(const char* source, int64_t source_bit, const char* target,
                int64_t target_bit) const;
  void Apart(const char* source, int64_t source_bit, char* target, int64_t target_bit) const;
  void Together(const char* source, int64_t source_bit, char* target, int64_t target_bit) const;
  void Nest(size_t depth, const char* source, char* target) const;
  void Bits(size_t depth, const char* source, int64_t source_bit, char* target,
            int64_t target_bit) const;

  Dimensions dimensions_;  // without those of size 1; neighbours are joined
  int64_t bits_;
  int64_t stored_bits_;
  Operation operation_;
  bool is_valid_;
  bool is_empty_ = false;
  bool has_bytes_;  // all positions within the elements' nest are whole bytes
};

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_COPIES_H_
