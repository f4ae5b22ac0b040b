// Features to lists: each id becomes a word of key and sample, in the list of its SparseCore.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "arrays.h"
#include "kernels.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

enum Combiner { kSum = 0, kMean = 1, kSqrtn = 2 };
enum Code { kGood = 0, kBadId = 1, kDoubtful = 2 };

// Far below the largest float32, 2^128: a sum of up to 2^31 such gains is finite.
constexpr float kLarge = 0x1p96F;

struct Mapping {
  uint64_t mask, shift;
  int log_partitions;
  uint64_t base;  // the first row in a partition
  int bits;       // of a row's number in it
  int64_t bound;  // one past the largest id
};

// Appends the words of ids of successive samples (`step` is 1), or of one sample (`step` is 0). The
// result is negative if an id is out of bounds.
template <typename Id>
SDYKIT_INLINE int64_t Append(const Id* ids, int64_t count, uint64_t row, uint64_t step,
                             const Mapping& map, uint64_t* words) {
  int64_t outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t id = static_cast<uint64_t>(static_cast<int64_t>(ids[i]));
    // Negative if the id is negative or too large, in a form that is vectorized.
    outside |= static_cast<int64_t>(id | (static_cast<uint64_t>(map.bound - 1) - id));
    const uint64_t partition = (id + map.shift) & map.mask;
    const uint64_t key = partition << map.bits | ((id >> map.log_partitions) + map.base);
    words[i] = key << kKeyShift | (row + static_cast<uint64_t>(i) * step);
  }
  return outside;
}

template <typename Id>
SDYKIT_INLINE int64_t AppendEven(const Id* ids, int64_t samples, int64_t valency, uint64_t row,
                                 const Mapping& map, uint64_t* words) {
  if (valency == 1) return Append(ids, samples, row, 1, map, words);
  int64_t outside = 0;
  for (int64_t i = 0; i < samples; ++i) {
    outside |= Append(ids + i * valency, valency, row + static_cast<uint64_t>(i), 0, map,
                      words + i * valency);
  }
  return outside;
}

// The compiler makes no clones of templates.
SDYKIT_CLONES int64_t AppendSamples(const int32_t* ids, int64_t samples, int64_t valency,
                                    uint64_t row, const Mapping& map, uint64_t* words) {
  return AppendEven(ids, samples, valency, row, map, words);
}

SDYKIT_CLONES int64_t AppendSamples(const int64_t* ids, int64_t samples, int64_t valency,
                                    uint64_t row, const Mapping& map, uint64_t* words) {
  return AppendEven(ids, samples, valency, row, map, words);
}

// The positions of the ids of samples.
struct Samples {
  const char* function;
  const int64_t* splits;  // not read if valency >= 0
  int64_t valency;
  int64_t ids;   // the number of ids of all samples
  int64_t room;  // the size of the array that is written

  // Returns the range of a sample's ids; fails if it is not in the array, or there is no room.
  Range Of(int64_t sample, int64_t cursor) const {
    const int64_t start = valency < 0 ? splits[sample] : sample * valency;
    const int64_t stop = valency < 0 ? splits[sample + 1] : start + valency;
    if (start < 0 || start > stop || stop > ids) {
      Fail(function, "sample " + std::to_string(sample) + " has the ids " +
                         std::to_string(start) + " to " + std::to_string(stop) +
                         "; expected some of " + std::to_string(ids));
    }
    CheckRoom(cursor, stop - start);
    return {start, stop};
  }
  void CheckRoom(int64_t cursor, int64_t count) const {
    if (cursor >= 0 && cursor <= room && count <= room - cursor) return;
    Fail(function, "a list of " + std::to_string(count) + " more ids ends at " +
                       std::to_string(cursor) + "; expected room for them in " +
                       std::to_string(room) + " elements");
  }
};

// The arguments of both functions, checked.
struct Feature {
  Array<const int64_t> splits;
  Array<int64_t> cursors;
  Samples samples;

  Feature(const char* function, nb::handle given_splits, nb::handle given_cursors, Range cores,
          int64_t rows, int64_t valency, int64_t ids, int64_t room)
      : splits({function, "splits"}, given_splits),
        cursors({function, "cursors"}, given_cursors),
        samples{function, splits.data(), valency, ids, room} {
    constexpr int64_t kMax = int64_t{1} << 31;
    CheckRange({function, "cores"}, cores.first, 0, cores.second);
    CheckRange({function, "cores"}, cores.second, 0, kMax);
    CheckRange({function, "rows_per_core"}, rows, 0, kMax);
    CheckRange({function, "valency"}, valency, -1, kMax);
    cursors.Needs(cores.second - cores.first);
    if (valency < 0) splits.Needs(cores.second * rows + 1);
    const __int128 needed = __int128{cores.second} * rows * (valency < 0 ? 0 : valency);
    if (needed > ids) {
      Fail(function, "there are " + std::to_string(ids) + " ids; expected those of " +
                         std::to_string(cores.second) + " SparseCores");
    }
  }
};

template <typename Id>
int64_t AppendPlain(const Id* ids, const Feature& feature, Range cores, int64_t rows,
                    uint64_t first_row, const Mapping& map, uint64_t* words) {
  const Samples& samples = feature.samples;
  int64_t outside = 0;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    int64_t& end = feature.cursors.data()[core - cores.first];
    int64_t cursor = end;
    if (samples.valency >= 0) {
      const int64_t count = rows * samples.valency;
      samples.CheckRoom(cursor, count);
      outside |= AppendSamples(ids + core * count, rows, samples.valency, first_row, map,
                               words + cursor);
      cursor += count;
    } else {
      for (int64_t row = 0; row < rows; ++row) {
        const auto [start, stop] = samples.Of(core * rows + row, cursor);
        outside |= Append(ids + start, stop - start, first_row + static_cast<uint64_t>(row), 0,
                          map, words + cursor);
        cursor += stop - start;
      }
    }
    end = cursor;
  }
  return outside;
}

int BindAppendPlain(nb::handle ids, nb::handle splits, int64_t valency, int64_t rows_per_core,
                    Range cores, int64_t first_row,
                    std::tuple<int64_t, int64_t, int, int64_t, int> mapping, int64_t bound,
                    nb::handle cursors, nb::handle words) {
  constexpr const char* kFunction = "append_plain";
  const Buffer values({kFunction, "ids"}, ids, 1, false);
  const bool narrow = values.Holds(ElementTypeOf<int32_t>());
  if (!narrow && !values.Holds(ElementTypeOf<int64_t>())) values.Misfit("int32 or int64");
  const Array<uint64_t> list({kFunction, "words"}, words);
  const Feature feature(kFunction, splits, cursors, cores, rows_per_core, valency, values.size(),
                        list.size());
  const auto [mask, shift, log_partitions, base, bits] = mapping;
  CheckRange({kFunction, "log2 of partitions"}, log_partitions, 0, 32);
  CheckRange({kFunction, "bits"}, bits, 0, 32);
  CheckRange({kFunction, "bound"}, bound, 0, std::numeric_limits<int64_t>::max());
  const Mapping map{static_cast<uint64_t>(mask), static_cast<uint64_t>(shift), log_partitions,
                    static_cast<uint64_t>(base), bits,  bound};
  if (valency == 0) return kGood;  // The number of empty samples has no bound: do not walk them.
  nb::gil_scoped_release release;
  const auto append = [&](const auto* ids) {
    return AppendPlain(ids, feature, cores, rows_per_core, static_cast<uint64_t>(first_row), map,
                       list.data());
  };
  const int64_t outside = narrow ? append(static_cast<const int32_t*>(values.data()))
                                 : append(static_cast<const int64_t*>(values.data()));
  return outside < 0 ? kBadId : kGood;
}

// Writes the gains of a sample; returns whether they are doubtful and need a thorough check.
SDYKIT_INLINE bool AppendSample(const float* weights, int64_t count, int combiner, float* gains) {
  float divisor = 0, size = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float weight = weights != nullptr ? weights[i] : 1.0F;
    size += std::fabs(weight);
    divisor = combiner == kSqrtn ? std::fma(weight, weight, divisor) : divisor + weight;
    gains[i] = weight;
  }
  float bound = std::numeric_limits<float>::infinity();
  if (combiner != kSum && count > 0) {
    if (combiner == kSqrtn) divisor = std::sqrt(divisor);
    bound = std::fabs(divisor) < bound ? std::fabs(divisor) * kLarge : 0.0F;
    for (int64_t i = 0; i < count; ++i) gains[i] /= divisor;
  }
  return !(size < bound);  // In this form a NaN is doubtful, too.
}

// The same for successive samples: for few ids, a call of a clone takes longer than its loop.
SDYKIT_CLONES bool AppendSamplesGains(const float* weights, int64_t samples, int64_t valency,
                                      int combiner, float* gains) {
  bool doubtful = false;
  for (int64_t i = 0; i < samples; ++i) {
    const float* own = weights != nullptr ? weights + i * valency : nullptr;
    doubtful |= AppendSample(own, valency, combiner, gains + i * valency);
  }
  return doubtful;
}

// Copies weights, the gains of a sum; returns whether no sample of them can be doubtful.
SDYKIT_CLONES bool CopyWeights(const float* weights, int64_t count, float* gains) {
  int32_t others = 0;
  for (int64_t i = 0; i < count; ++i) {
    others |= static_cast<int32_t>(!(std::fabs(weights[i]) < kLarge));
    gains[i] = weights[i];
  }
  return others == 0;
}

bool AppendGains(const float* weights, const Samples& samples, int64_t first, int64_t last,
                 int combiner, int64_t* end, float* gains) {
  if (samples.valency >= 0) {
    const int64_t count = (last - first) * samples.valency;
    samples.CheckRoom(*end, count);
    const float* own = weights != nullptr ? weights + first * samples.valency : nullptr;
    float* const out = gains + std::exchange(*end, *end + count);
    if (own != nullptr && combiner == kSum && CopyWeights(own, count, out)) return false;
    return AppendSamplesGains(own, last - first, samples.valency, combiner, out);
  }
  bool doubtful = false;
  for (int64_t sample = first; sample < last; ++sample) {
    const auto [start, stop] = samples.Of(sample, *end);
    const float* own = weights != nullptr ? weights + start : nullptr;
    doubtful |= AppendSamplesGains(own, 1, stop - start, combiner, gains + *end);
    *end += stop - start;
  }
  return doubtful;
}

int BindAppendGains(nb::handle ids, nb::handle splits, int64_t valency, int64_t rows_per_core,
                    Range cores, nb::handle weights, int combiner, nb::handle cursors,
                    nb::handle gains) {
  constexpr const char* kFunction = "append_gains";
  const int64_t count = Buffer({kFunction, "ids"}, ids, 1, false).size();
  const Array<const float> factors({kFunction, "weights"}, weights);
  if (factors.size() > 0) factors.Needs(count);
  const Array<float> list({kFunction, "gains"}, gains);
  const Feature feature(kFunction, splits, cursors, cores, rows_per_core, valency, count,
                        list.size());
  CheckRange({kFunction, "combiner"}, combiner, kSum, kSqrtn);
  const float* own = factors.size() > 0 ? factors.data() : nullptr;
  if (valency == 0) return kGood;
  nb::gil_scoped_release release;
  bool doubtful = false;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    doubtful |= AppendGains(own, feature.samples, core * rows_per_core,
                            (core + 1) * rows_per_core, combiner,
                            &feature.cursors.data()[core - cores.first], list.data());
  }
  return doubtful ? kDoubtful : kGood;
}

}  // namespace

void BindLists(nb::module_& m) {
  m.attr("SUM") = static_cast<int>(kSum);
  m.attr("MEAN") = static_cast<int>(kMean);
  m.attr("SQRTN") = static_cast<int>(kSqrtn);
  m.attr("GOOD") = static_cast<int>(kGood);
  m.attr("BAD_ID") = static_cast<int>(kBadId);
  m.attr("DOUBTFUL") = static_cast<int>(kDoubtful);
  m.def("append_plain", &BindAppendPlain, "ids"_a, "splits"_a, "valency"_a, "rows_per_core"_a,
        "cores"_a, "first_row"_a, "mapping"_a, "bound"_a, "cursors"_a, "words"_a);
  m.def("append_gains", &BindAppendGains, "ids"_a, "splits"_a, "valency"_a, "rows_per_core"_a,
        "cores"_a, "weights"_a, "combiner"_a, "cursors"_a, "gains"_a);
}

}  // namespace sdykit
