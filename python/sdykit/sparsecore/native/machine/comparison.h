// Whether a transfer would change its target.

#ifndef SDYKIT_SPARSECORE_MACHINE_COMPARISON_H_
#define SDYKIT_SPARSECORE_MACHINE_COMPARISON_H_

#include <cstdint>
#include <vector>

#include "events.h"

namespace sdykit::machine {

// Compares source and target of a transfer once somebody asks.
class Comparison {
 public:
  // `event` must live as long as this.
  explicit Comparison(const TransferEvent& event) : event_(event) {}

  // Whether the elements can be compared: those of the target are whole bytes.
  bool is_possible() const { return event_.target.bits % 8 == 0; }

  // Whether the bytes [begin, end) of the target, in the order of its elements, stay as they are.
  bool operator()(int64_t begin, int64_t end) const;

 private:
  void CompareRow(int64_t source_bit, int64_t target_bit, int64_t dimension) const;
  void CompareElement(int64_t source_bit, int64_t target_bit) const;

  const TransferEvent& event_;
  mutable std::vector<uint8_t> differs_;  // for each byte of the target
};

}  // namespace sdykit::machine

#endif  // SDYKIT_SPARSECORE_MACHINE_COMPARISON_H_
