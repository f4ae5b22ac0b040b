#include "feature.h"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

namespace nb = nanobind;

namespace sdykit {

namespace {

constexpr int64_t kMax = int64_t{1} << 31;

const nb::tuple& Checked(const char* function, const nb::tuple& given) {
  CheckTuple({function, "feature"}, given, 8);
  return given;
}

Mapping MappingOf(const char* function, nb::handle given, int64_t bound) {
  const auto [mask, shift, log_partitions, base, bits] =
      nb::cast<std::tuple<int64_t, int64_t, int, int64_t, int>>(given);
  CheckRange({function, "log2 of partitions"}, log_partitions, 0, 32);
  CheckRange({function, "bits"}, bits, 0, 32);
  CheckRange({function, "bound"}, bound, 0, std::numeric_limits<int64_t>::max());
  return {static_cast<uint64_t>(mask), static_cast<uint64_t>(shift), log_partitions,
          static_cast<uint64_t>(base), bits,  bound};
}

}  // namespace

Feature::Feature(const char* function, const nb::tuple& given, int64_t cores)
    : function_(function),
      ids_({function, "ids"}, Checked(function, given)[0], 1, false),
      is_narrow_(ids_.Holds(ElementTypeOf<int32_t>())),
      splits_({function, "splits"}, given[1]),
      valency_(nb::cast<int64_t>(given[2])),
      rows_(nb::cast<int64_t>(given[3])),
      first_row_(static_cast<uint64_t>(nb::cast<int64_t>(given[4]))),
      map_(MappingOf(function, given[5], nb::cast<int64_t>(given[6]))),
      weights_({function, "weights"}, given[7]) {
  if (!is_narrow_ && !ids_.Holds(ElementTypeOf<int64_t>())) ids_.Misfit("int32 or int64");
  if (weights_.size() > 0) weights_.Needs(ids_.size());
  CheckSizes(cores);
}

void Feature::CheckSizes(int64_t cores) const {
  CheckRange({function_, "cores"}, cores, 0, kMax);
  CheckRange({function_, "rows_per_core"}, rows_, 0, kMax);
  CheckRange({function_, "valency"}, valency_, -1, kMax);
  if (valency_ < 0) splits_.Needs(cores * rows_ + 1);
  const __int128 needed = __int128{cores} * rows_ * std::max<int64_t>(valency_, 0);
  if (needed <= ids_.size()) return;
  Fail(function_, "there are " + std::to_string(ids_.size()) + " ids; expected those of " +
                      std::to_string(cores) + " SparseCores");
}

int64_t Feature::Count(int64_t core) const {
  if (valency_ >= 0) return rows_ * valency_;
  const int64_t first = core * rows_;
  const int64_t start = splits_.data()[first], stop = splits_.data()[first + rows_];
  if (start >= 0 && start <= stop && stop <= ids_.size()) return stop - start;
  Fail(function_, "SparseCore " + std::to_string(core) + " has the ids " + std::to_string(start) +
                      " to " + std::to_string(stop) + "; expected some of " +
                      std::to_string(ids_.size()));
}

Range Feature::Sample(int64_t sample, int64_t room) const {
  const int64_t start = splits_.data()[sample], stop = splits_.data()[sample + 1];
  if (start >= 0 && start <= stop && stop <= ids_.size() && stop - start <= room) {
    return {start, stop};
  }
  Fail(function_, "sample " + std::to_string(sample) + " has the ids " + std::to_string(start) +
                      " to " + std::to_string(stop) + "; expected at most " +
                      std::to_string(room) + " of " + std::to_string(ids_.size()));
}

template <typename Id>
int64_t Feature::Append(const Id* ids, int64_t core, int64_t count, uint64_t* words) const {
  if (valency_ >= 0) {
    return AppendWords(ids + core * count, rows_, valency_, first_row_, map_, words);
  }
  int64_t outside = 0, written = 0;
  for (int64_t row = 0; row < rows_; ++row) {
    const auto [start, stop] = Sample(core * rows_ + row, count - written);
    outside |= AppendWords(ids + start, 1, stop - start, first_row_ + static_cast<uint64_t>(row),
                           map_, words + written);
    written += stop - start;
  }
  return outside;
}

bool Feature::Words(int64_t core, int64_t count, uint64_t* words) const {
  if (count == 0) return true;  // The number of empty samples has no bound: do not walk them.
  const int64_t outside =
      is_narrow_ ? Append(static_cast<const int32_t*>(ids_.data()), core, count, words)
                 : Append(static_cast<const int64_t*>(ids_.data()), core, count, words);
  return outside >= 0;
}

bool Feature::Gains(int64_t core, int64_t count, int combiner, float* gains) const {
  if (count == 0) return false;
  const float* const weights = weights_.size() > 0 ? weights_.data() : nullptr;
  if (valency_ >= 0) {
    const float* const own = weights != nullptr ? weights + core * count : nullptr;
    return AppendGains(own, rows_, valency_, combiner, gains);
  }
  bool doubtful = false;
  int64_t written = 0;
  for (int64_t sample = core * rows_; sample < (core + 1) * rows_; ++sample) {
    const auto [start, stop] = Sample(sample, count - written);
    const float* const own = weights != nullptr ? weights + start : nullptr;
    doubtful |= AppendGains(own, 1, stop - start, combiner, gains + written);
    written += stop - start;
  }
  return doubtful;
}

}  // namespace sdykit
