"""Membership in a list where a set would do, beside other work."""

import sys


def checksum(values):
    total = 7
    for value in values:
        total = (total * 31 + value) & 0xFFFFFFFF
    return total


def common(known, values):
    return sum(value in known for value in values)


def main():
    slower = sys.argv[3] == "list"
    values = [i * 7919 % 1000 for i in range(300)]
    known = (list if slower else set)(range(300, 600))
    total = 0
    for _ in range(int(sys.argv[2])):
        total += checksum(values) + len(sorted(values)) + len(repr(values))
    for _ in range(int(sys.argv[1])):
        total += common(known, values)
    print(total, file=sys.stderr)


main()
