// glibc 2.35 has new versions of hypot and hypotf, which report errors in another way. The older versions return the
// same values, and with them the binary also runs with glibc 2.34. scripts/dist links this file with --wrap.

#ifdef __x86_64__
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

double older_hypot(double x, double y);
float older_hypotf(float x, float y);
double __wrap_hypot(double x, double y);
float __wrap_hypotf(float x, float y);

__asm__(".symver older_hypot, hypot@" OLDEST);
__asm__(".symver older_hypotf, hypotf@" OLDEST);

double __wrap_hypot(double x, double y) { return older_hypot(x, y); }
float __wrap_hypotf(float x, float y) { return older_hypotf(x, y); }
