//! Times the opening of a heightmap, in columns per second: dividing the box at heights in memory,
//! and reading files.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lavoxel::output::Existing;
use lavoxel::terrain::{Heightmap, LoadOptions, load, write};
use lavoxel::world::{Ground, World};
use ndarray::Array2;

/// Returns a square heightmap of `side` × `side` columns (heights in cells or metres) that differ
/// from column to column.
fn ridges(side: usize) -> Array2<f32> {
    Array2::from_shape_fn((side, side), |(z, x)| 40.0 + ((x ^ z) & 255) as f32)
}

fn voxelise(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("voxelise");
    group.sample_size(10);
    for side in [1024, 4096] {
        let heights = ridges(side);
        group.throughput(Throughput::Elements((side * side) as u64));
        group.bench_function(BenchmarkId::from_parameter(side), |b| {
            let open = |heights| World::new(Ground::from_surface(512, heights));
            b.iter_batched(|| heights.clone(), open, BatchSize::LargeInput);
        });
    }
}

fn read(bench: &mut Criterion) {
    const SIDE: usize = 512;
    let folder = tempfile::tempdir().expect("a folder");
    let map = Heightmap {
        heights: ridges(SIDE),
        cell_size_m: (10.0, 10.0),
        origin: None,
        notes: Vec::new(),
    };
    let mut group = bench.benchmark_group("read");
    group
        .sample_size(10)
        .throughput(Throughput::Elements((SIDE * SIDE) as u64));
    for ending in ["asc", "png"] {
        let path = folder.path().join("ridges").with_extension(ending);
        write::heightmap(&map, &path, Existing::Keep).expect("a new file");
        let options = LoadOptions {
            cell_size_m: Some(10.0),
            ..LoadOptions::default()
        };
        group.bench_function(ending, |b| {
            b.iter(|| load(&path, &options).expect("what was just written"))
        });
    }
}

criterion_group!(benches, voxelise, read);
criterion_main!(benches);
