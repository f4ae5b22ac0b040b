// The features of a stack as lists, one for each SparseCore.

#ifndef SDYKIT_SPARSECORE_LISTS_H_
#define SDYKIT_SPARSECORE_LISTS_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "feature.h"
#include "scratch.h"
#include "tables.h"

namespace sdykit {

// What is wrong with a feature: bits of a code.
enum Code : uint8_t { kGood = 0, kBadId = 1, kDoubtful = 2 };

// `(features, combiner, gain, limits of tables)`, as `fill_lists` has them.
class Source {
 public:
  // `cores`: the number of this host's SparseCores.
  Source(const char* function, const nanobind::tuple& given, int64_t cores);

  int64_t features() const { return static_cast<int64_t>(features_.size()); }
  bool is_weighted() const { return !gain_.has_value(); }
  bool has_limits() const { return limits_.has_value(); }
  // Whether all samples have one id, and lists their order.
  bool is_in_order() const;
  // Returns the number of ids on a SparseCore.
  int64_t Count(int64_t core) const;
  // Returns the list of a SparseCore, in memory of `scratch`, without ids over limits of tables.
  //
  // Adds to `codes`, one for each feature. After kBadId there is no list.
  std::optional<List> Fill(int64_t core, Scratch& scratch, uint8_t* codes) const;

 private:
  std::deque<Feature> features_;
  int combiner_;
  std::optional<float> gain_;  // none: each word has its own
  std::optional<TableLimits> limits_;
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_LISTS_H_
