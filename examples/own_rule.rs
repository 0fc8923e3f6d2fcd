// A custom rule: lava under the open sky cools, so that the flow tires sooner than by friction
// alone.
use lavoxel::engine::{Engine, tiled::Tiled};
use lavoxel::prelude::*;
use lavoxel::random::Draw;
use lavoxel::rules::Rule;
use lavoxel::world::Content;

/// Default engine with one more rule after the lava's last.
#[derive(Default)]
struct Cooling(Tiled);

impl Engine for Cooling {
    fn run(&mut self, world: &mut World, rule: (usize, &Rule), draw: Draw) {
        self.0.run(world, rule, draw);
        if matches!(rule, (_, Rule::Spreading(_))) {
            let before = world.lava().clone();
            let covered = |[x, y, z]: Place| y + 1 < 48 && before.at([x, y + 1, z]).amount > 0;
            // Removes a 64th of the energy from the top cell of each stack in every step; the
            // account books this energy as removed.
            world.rewrite(0, |at, Content { amount, energy }| Content {
                amount,
                energy: if covered(at) {
                    energy
                } else {
                    energy - energy / 64
                },
            });
        }
    }
}

/// Length in cells of the flow down a slope after 600 steps.
fn reach(engine: Box<dyn Engine>) -> Result<usize, String> {
    let slope = Array2::from_shape_fn((48, 160), |(_, x)| 40.0 - 0.25 * x as f32);
    let vent = VentSpec {
        x: 10.0,
        z: 24.0,
        rate: 2.0,
        ..VentSpec::default()
    };
    let world = World::new(Ground::from_surface(48, slope));
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[vent], 1, engine);
    (0..600).for_each(|_| simulation.step());
    simulation.world().check()?;
    Ok(simulation
        .world()
        .lava()
        .held()
        .map(|([x, ..], _)| x)
        .max()
        .unwrap_or(0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [warm, cooled] = [
        reach(Box::new(Tiled::default()))?,
        reach(Box::new(Cooling::default()))?,
    ];
    println!("the flow reaches column {warm}, and {cooled} when it cools");
    if cooled < warm {
        Ok(())
    } else {
        Err("cooling should shorten the flow".into())
    }
}
