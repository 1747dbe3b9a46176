// csink.h in C++: prints what the functions answer, and burns a little.
#include <csink.h>

#include <cstdio>

#include "burn.h"

int main() {
  std::printf("status %d\nmark %d\n", csink_status(), csink_mark("c++"));
  BurnMs(100);
  std::printf("pause %d\nresume %d\n", csink_pause(), csink_resume());
  return 0;
}
