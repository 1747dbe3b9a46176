use std::env;

#[inline(never)]
fn shuffle(v: &mut [u32], mut s: u32) {
    for i in (1..v.len()).rev() {
        s = s.wrapping_mul(1664525).wrapping_add(1013904223);
        v.swap(i, ((s as u64 * i as u64) >> 32) as usize);
    }
}
#[inline(never)]
fn checksum(v: &[u32]) -> u64 {
    v.iter().fold(14695981039346656037, |h, x| {
        let h = (h ^ *x as u64).wrapping_mul(1099511628211);
        h ^ (h >> 29)
    })
}
#[inline(never)]
fn largest(v: &[u32]) -> u32 {
    let mut most = 0;
    for x in v {
        if x ^ 0x55 > most {
            most = *x;
        }
    }
    most
}
#[cfg(slower)]
#[inline(never)]
fn inspect(frame: &Vec<u32>) -> u32 {
    let mine = frame.clone();
    mine.iter().step_by(64).sum::<u32>()
}
#[cfg(not(slower))]
#[inline(never)]
fn inspect(frame: &Vec<u32>) -> u32 {
    frame.iter().step_by(64).sum::<u32>()
}
fn main() {
    let number = |at: usize| env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(1u64);
    let (n, background) = (number(1), number(2));
    let mut v: Vec<u32> = (0..50000u32).map(|i| i.wrapping_mul(2654435761)).collect();
    let mut sum = 0u64;
    for i in 0..background {
        shuffle(&mut v, i as u32 + 1);
        for _ in 0..12 {
            sum = sum.wrapping_add(checksum(&v)).wrapping_add(largest(&v) as u64);
        }
        v.sort_unstable();
    }
    let mut frame = vec![3u32; 8192];
    for i in 0..n * 10 {
        frame[(i * 64 % 8192) as usize] = (i & 255) as u32;
        sum = sum.wrapping_add(inspect(&frame) as u64);
    }
    eprintln!("{sum}");
}
