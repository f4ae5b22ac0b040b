// The arithmetic of tile programs on threads of XLA.

#ifndef SDYKIT_BRIDGE_NATIVE_IEEE_H_
#define SDYKIT_BRIDGE_NATIVE_IEEE_H_

#include <cfenv>

namespace sdykit {

// XLA's threads treat subnormal numbers as zero. During the lifetime of this
// object the thread follows IEEE 754, by which tile programs are defined.
class IeeeArithmetic {
 public:
  IeeeArithmetic() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  IeeeArithmetic(const IeeeArithmetic&) = delete;
  IeeeArithmetic& operator=(const IeeeArithmetic&) = delete;
  ~IeeeArithmetic() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
};

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_IEEE_H_
