#include "words.h"

#include <cmath>
#include <limits>

#include "kernels.h"

namespace sdykit {

namespace {

// Far below the largest float32, 2^128: a sum of up to 2^31 such gains is finite.
constexpr float kLarge = 0x1p96F;

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

}  // namespace

// The compiler makes no clones of templates.
SDYKIT_CLONES int64_t AppendWords(const int32_t* ids, int64_t samples, int64_t valency,
                                  uint64_t row, const Mapping& map, uint64_t* words) {
  return AppendEven(ids, samples, valency, row, map, words);
}

SDYKIT_CLONES int64_t AppendWords(const int64_t* ids, int64_t samples, int64_t valency,
                                  uint64_t row, const Mapping& map, uint64_t* words) {
  return AppendEven(ids, samples, valency, row, map, words);
}

bool AppendGains(const float* weights, int64_t samples, int64_t valency, int combiner,
                 float* gains) {
  const bool is_copied = weights != nullptr && combiner == kSum;
  if (is_copied && CopyWeights(weights, samples * valency, gains)) return false;
  return AppendSamplesGains(weights, samples, valency, combiner, gains);
}

}  // namespace sdykit
