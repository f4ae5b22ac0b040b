#include "hash.h"

#include "kernels.h"

namespace sdykit {

namespace {

struct Lane {
  uint64_t v0, v1, mul0, mul1;
};

struct State {
  Lane lanes[4];
};

constexpr uint64_t kKey[] = {0x4451E30F87DB9609, 0xCA7358A1FD2737F8, 0x4B2C991FCEE4FDEA,
                             0x0B2658E18326F6BA};
constexpr uint64_t kMul0[] = {0xDBE6D5D5FE4CCE2F, 0xA4093822299F31D0, 0x13198A2E03707344,
                              0x243F6A8885A308D3};
constexpr uint64_t kMul1[] = {0x3BD39E10CB0EF593, 0xC0ACF169B5F18A8C, 0xBE5466CF34E90C6C,
                              0x452821E638D01377};
constexpr uint64_t kBytes = 4;
constexpr int kRounds = 4;

// Returns a word with its halves exchanged.
constexpr uint64_t SwapHalves(uint64_t word) { return word >> 32 | word << 32; }

// Rotates both halves of a word by the number of bytes, as bits.
constexpr uint64_t RotateHalves(uint64_t word) {
  const uint32_t low = static_cast<uint32_t>(word), high = static_cast<uint32_t>(word >> 32);
  const uint32_t new_low = low << kBytes | low >> (32 - kBytes);
  const uint32_t new_high = high << kBytes | high >> (32 - kBytes);
  return uint64_t{new_high} << 32 | new_low;
}

// Returns the state for the key, before a packet of 4 bytes.
constexpr State InitialState() {
  State state{};
  for (int i = 0; i < 4; ++i) {
    state.lanes[i] = {(kMul0[i] ^ kKey[i]) + ((kBytes << 32) + kBytes),
                      RotateHalves(kMul1[i] ^ SwapHalves(kKey[i])), kMul0[i], kMul1[i]};
  }
  return state;
}

constexpr State kInitialState = InitialState();

inline void Multiply(Lane& lane, uint64_t word) {
  lane.v1 += lane.mul0 + word;
  lane.mul0 ^= (lane.v1 & 0xFFFFFFFF) * (lane.v0 >> 32);
  lane.v0 += lane.mul1;
  lane.mul1 ^= (lane.v0 & 0xFFFFFFFF) * (lane.v1 >> 32);
}

// Returns the bytes of two neighbouring lanes that HighwayHash adds to the even one.
inline uint64_t EvenBytes(uint64_t odd, uint64_t even) {
  return ((even & 0xFF000000) | (odd & 0xFF00000000)) >> 24 |
         ((even & 0xFF0000000000) | (odd & 0xFF000000000000)) >> 16 | (even & 0xFF0000) |
         (even & 0xFF00) << 32 | (odd & 0xFF00000000000000) >> 8 | even << 56;
}

// Returns the bytes of two neighbouring lanes that HighwayHash adds to the odd one.
inline uint64_t OddBytes(uint64_t odd, uint64_t even) {
  return ((odd & 0xFF000000) | (even & 0xFF00000000)) >> 24 | (odd & 0xFF0000) |
         (odd & 0xFF0000000000) >> 16 | (odd & 0xFF00) << 24 | (even & 0xFF000000000000) >> 8 |
         (odd & 0xFF) << 48 | (even & 0xFF00000000000000);
}

// Adds the shuffled bytes of a pair of lanes, first of v1 to v0, then of v0 to v1.
inline void Mix(Lane& even, Lane& odd) {
  even.v0 += EvenBytes(odd.v1, even.v1);
  odd.v0 += OddBytes(odd.v1, even.v1);
  even.v1 += EvenBytes(odd.v0, even.v0);
  odd.v1 += OddBytes(odd.v0, even.v0);
}

inline void Update(State& state, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  Lane* lanes = state.lanes;
  Multiply(lanes[0], a);
  Multiply(lanes[1], b);
  Multiply(lanes[2], c);
  Multiply(lanes[3], d);
  Mix(lanes[0], lanes[1]);
  Mix(lanes[2], lanes[3]);
}

}  // namespace

uint64_t BucketOf(uint64_t column) {
  State state = kInitialState;
  Update(state, column, 0, 0, 0);
  const Lane* lanes = state.lanes;
  for (int round = 0; round < kRounds; ++round) {
    Update(state, SwapHalves(lanes[2].v0), SwapHalves(lanes[3].v0), SwapHalves(lanes[0].v0),
           SwapHalves(lanes[1].v0));
  }
  return (lanes[0].v0 + lanes[0].v1 + lanes[0].mul0 + lanes[0].mul1) & (kBuckets - 1);
}

}  // namespace sdykit
