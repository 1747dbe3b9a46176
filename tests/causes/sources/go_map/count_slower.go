//go:build slower

package main

//go:noinline
func count(values []int) int {
	counts := map[int]int{}
	for _, value := range values {
		counts[value&255]++
	}
	return counts[7]
}
