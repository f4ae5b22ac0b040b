#include "tile_counts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "clones.h"

namespace sdykit {

namespace {

constexpr int64_t kByteTiles = 256;
// The number of samples whose tiles are computed at once.
constexpr int64_t kSamplesAtOnce = 4096;

// Sets `tiles` to the tile of each sample, whose share of `samples_per_core` it is in: a
// quotient, which a product with the reciprocal is if the numbers are small. There are at
// most kByteTiles.
template <typename Float>
SDYKIT_INLINE void FindTilesAs(const int32_t* samples, int64_t count, int64_t samples_per_core,
                               int64_t num_tiles, uint8_t* tiles) {
  const Float reciprocal = Float{1} / static_cast<Float>(samples_per_core);
  const auto last = static_cast<uint32_t>(samples_per_core - 1);
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t sample = std::min(static_cast<uint32_t>(samples[i]), last);
    const Float dividend = static_cast<Float>(static_cast<int32_t>(sample)) *
                               static_cast<Float>(num_tiles) +
                           static_cast<Float>(num_tiles) - Float{0.5};
    tiles[i] = static_cast<uint8_t>(static_cast<int32_t>(dividend * reciprocal));
  }
}

SDYKIT_CLONES void FindTiles(const int32_t* samples, int64_t count, int64_t samples_per_core,
                             int64_t num_tiles, uint8_t* tiles) {
  // A float holds halves of integers up to 2^23; the quotient is far enough from an
  // integer up to 2^20.
  if (samples_per_core * num_tiles < int64_t{1} << 20) {
    FindTilesAs<float>(samples, count, samples_per_core, num_tiles, tiles);
  } else {
    FindTilesAs<double>(samples, count, samples_per_core, num_tiles, tiles);
  }
}

typedef uint8_t Bytes __attribute__((vector_size(32)));
constexpr int64_t kBytes = sizeof(Bytes);
constexpr int kTilesAtOnce = 8;

// Adds to each element of `counts` how often its number is in `tiles`, of which there
// are at most 255 vectors.
SDYKIT_CLONES void CountTiles(const uint8_t* tiles, int64_t count, int64_t num_tiles,
                              int32_t* counts) {
  const int64_t whole = count / kBytes * kBytes;
  for (int64_t first = 0; first < num_tiles; first += kTilesAtOnce) {
    Bytes found[kTilesAtOnce] = {};
    for (int64_t i = 0; i < whole; i += kBytes) {
      Bytes some;
      std::memcpy(&some, tiles + i, kBytes);
      for (int k = 0; k < kTilesAtOnce; ++k) {
        found[k] -= reinterpret_cast<Bytes>(some == static_cast<uint8_t>(first + k));
      }
    }
    for (int k = 0; k < kTilesAtOnce && first + k < num_tiles; ++k) {
      for (int64_t lane = 0; lane < kBytes; ++lane) counts[first + k] += found[k][lane];
    }
  }
  for (int64_t i = whole; i < count; ++i) ++counts[tiles[i]];
}

// The same for any number of tiles, from samples.
void CountManyTiles(const int32_t* samples, int64_t count, int64_t samples_per_core,
                    int64_t num_tiles, int32_t* counts) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t sample = std::min<int64_t>(static_cast<uint32_t>(samples[i]), samples_per_core - 1);
    ++counts[((sample + 1) * num_tiles - 1) / samples_per_core];
  }
}

}  // namespace

void CountTileIds(const int32_t* samples, int64_t count, int64_t samples_per_core, int64_t tiles,
                  int32_t* counts) {
  std::fill_n(counts, tiles, 0);
  if (tiles > kByteTiles) return CountManyTiles(samples, count, samples_per_core, tiles, counts);
  std::array<uint8_t, kSamplesAtOnce> found;
  for (int64_t at = 0; at < count; at += kSamplesAtOnce) {
    const int64_t some = std::min(count - at, kSamplesAtOnce);
    FindTiles(samples + at, some, samples_per_core, tiles, found.data());
    CountTiles(found.data(), some, tiles, counts);
  }
}

}  // namespace sdykit
