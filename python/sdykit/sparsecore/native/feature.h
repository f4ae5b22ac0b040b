// A feature's ids and weights, read as words and gains.

#ifndef SDYKIT_SPARSECORE_FEATURE_H_
#define SDYKIT_SPARSECORE_FEATURE_H_

#include "arrays.h"
#include "kernels.h"
#include "words.h"

namespace sdykit {

// `(ids, splits, valency, samples of a SparseCore, first row, mapping, bound, weights)`, as
// `fill_lists` has them.
class Feature {
 public:
  Feature(const char* function, const nanobind::tuple& given, int64_t cores);

  int64_t valency() const { return valency_; }
  // Returns the number of ids on a SparseCore.
  int64_t Count(int64_t core) const;
  // Writes the words of a SparseCore, `count` as `Count` returns; false if an id is out of bounds.
  bool Words(int64_t core, int64_t count, uint64_t* words) const;
  // Writes the gains of a SparseCore; returns whether they are doubtful.
  bool Gains(int64_t core, int64_t count, int combiner, float* gains) const;

 private:
  void CheckSizes(int64_t cores) const;
  // Returns the range of a sample's ids; fails if they are not ids, or more than `room`.
  Range Sample(int64_t sample, int64_t room) const;
  template <typename Id>
  int64_t Append(const Id* ids, int64_t core, int64_t count, uint64_t* words) const;

  const char* function_;
  Buffer ids_;
  bool is_narrow_;  // whether ids are int32
  Array<const int64_t> splits_;  // the position of each sample's first id, if `valency_` is -1
  int64_t valency_;
  int64_t rows_;  // the samples of a SparseCore
  uint64_t first_row_;
  Mapping map_;
  Array<const float> weights_;
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_FEATURE_H_
