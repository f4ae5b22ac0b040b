// The hash that assigns ids to buckets: HighwayHash, 64 bits, of 4 bytes.
//
// HighwayHash is described by its authors in https://arxiv.org/abs/1612.06257; key and use are
// those of jax-tpu-embedding, so that the same ids are in the same minibatches.

#ifndef SDYKIT_SPARSECORE_HASH_H_
#define SDYKIT_SPARSECORE_HASH_H_

#include <cstdint>

namespace sdykit {

// Returns the bucket of a column of a stack, from 0 to 63.
uint64_t BucketOf(uint64_t column);

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_HASH_H_
