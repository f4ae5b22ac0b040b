// Loops that are compiled for several processors.

#ifndef SDYKIT_SPARSECORE_CLONES_H_
#define SDYKIT_SPARSECORE_CLONES_H_

// A loop that profits from vectors is also compiled for x86-64-v3 and -v4 (AVX2, FMA, BMI2;
// AVX-512), and one version is chosen when the module is loaded. It must not throw: GCC assumes
// that a call of it does not.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__) &&      \
    __GNUC__ >= 12
#define SDYKIT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SDYKIT_CLONES
#endif
// A function that is always inlined into such a loop.
#define SDYKIT_INLINE inline __attribute__((always_inline))

#endif  // SDYKIT_SPARSECORE_CLONES_H_
