// A Rust program for the test of the report's page: nearly all time is in one function.

use std::hint::black_box;

#[inline(never)]
fn is_prime(n: u64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)
}

#[inline(never)]
fn count_primes(limit: u64) -> usize {
    let mut found = 0;
    for n in 0..limit {
        // The test of small numbers is in this function's own code.
        if n % 2 == 0 || n % 3 == 0 || n % 5 == 0 || n % 7 == 0 || n % 11 == 0 {
            continue;
        }
        if is_prime(black_box(n)) {
            found += 1;
        }
    }
    for n in 0..black_box(limit * 120) {
        found ^= (black_box(n) % 7) as usize;
    }
    found
}

fn main() {
    println!("{}", count_primes(1_000_000));
}
