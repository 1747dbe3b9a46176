#!/bin/sh
# A fork-heavy script: 12 small compilations with link, 20 times /bin/true.
# usage: cc.sh FOLDER (scratch, must exist)
set -e
cd "$1"
i=0
while [ $i -lt 12 ]; do
  printf 'int f%d(int x) { return x * %d; }\nint main(void) { return f%d(0); }\n' $i $i $i > f$i.c
  gcc -O1 -o f$i f$i.c
  i=$((i + 1))
done
i=0
while [ $i -lt 20 ]; do
  /bin/true
  i=$((i + 1))
done
