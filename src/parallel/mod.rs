//! Threads, or none: the one place that names rayon.
//!
//! With the feature `parallel` this is rayon itself. Without it the same names run on the calling thread, in order, so that
//! a loop is written once. Results never depend on the number of threads, so both give the same bits.

#[cfg(feature = "parallel")]
mod threads {
    pub(crate) use rayon::prelude::*;
    pub(crate) use rayon::{current_num_threads, join};

    /// Runs on one of the pool's threads, so that loops inside do not wait for it each by itself.
    pub(crate) fn enter<R: Send>(run: impl FnOnce() -> R + Send) -> R {
        rayon::scope(|_| run())
    }
}

#[cfg(not(feature = "parallel"))]
#[path = "serial.rs"]
mod threads;

pub(crate) use threads::*;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_run_a_loop_give_the_same() {
        let numbers: Vec<u32> = (0..1000).collect();
        let mut halves = vec![0; 1000];
        halves.par_chunks_mut(7).zip(numbers.par_chunks(7)).enumerate().for_each(|(i, (to, from))| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from / 2 + i as u32);
        });
        assert_eq!(halves[999], 499 + 142);
        let scratch = |buffer: &mut Vec<u32>, n: &u32| {
            buffer.push(*n);
            n % 10
        };
        assert_eq!(numbers.par_iter().map_init(Vec::new, scratch).sum::<u32>(), 4500);
        let largest = (0..numbers.len()).into_par_iter().map(|i| numbers[i]).reduce(|| 0, u32::max);
        assert_eq!(largest, 999);
        let first_wrong = numbers.par_iter().try_for_each(|&n| if n == 500 { Err(n) } else { Ok(()) });
        assert_eq!(first_wrong, Err(500));
        assert_eq!(join(|| 1, || 2), (1, 2));
        assert_eq!(enter(|| 3), 3);
    }
}
