package main

// #include <stdlib.h>
import "C" // linked dynamically, so that a library can be preloaded

import (
	"fmt"
	"os"
	"sort"
	"strconv"
)

//go:noinline
func checksum(values []int) int {
	total := 7
	for _, value := range values {
		total = total*31 + value
	}
	return total
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	background, _ := strconv.Atoi(os.Args[2])
	values := make([]int, 20000)
	total := 0
	for i := 0; i < background; i++ {
		for k := range values {
			values[k] = (k + i) * 2654435761 & 65535
		}
		for k := 0; k < 10; k++ {
			total += checksum(values)
		}
		sort.Ints(values)
	}
	for i := 0; i < n; i++ {
		values[i%20000]++
		total += count(values[:1000])
	}
	fmt.Fprintln(os.Stderr, total, C.abs(-3))
}
