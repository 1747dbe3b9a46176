//go:build !slower

package main

//go:noinline
func count(values []int) int {
	var counts [256]int
	for _, value := range values {
		counts[value&255]++
	}
	return counts[7]
}
