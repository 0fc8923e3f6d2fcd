"""Rules of one's own, in NumPy."""

import numpy as np
import pytest

import lavoxel

SCENE = {"grid": {"size": [24, 16, 20]}, "terrain": {"kind": "plane"}, "vent": [{"x": 12.0, "z": 10.0, "rate": 2.0}]}


def test_a_rule_that_cools_shortens_the_flow_and_is_in_the_account():
    def cool(amount, energy, solid):
        open_above = np.ones(amount.shape, bool)
        open_above[:, :-1] = amount[:, 1:] == 0
        return amount, np.where(open_above, energy - energy // 64, energy)

    warm, cooled = lavoxel.simulate(SCENE), lavoxel.simulate(SCENE)
    cooled.add_rule(cool)
    for simulation in (warm, cooled):
        simulation.step(80)
        simulation.check()
    covered = [np.count_nonzero(simulation.map("thickness") > 0) for simulation in (warm, cooled)]
    assert covered[1] < covered[0]
    report = cooled.report()
    assert report["energy_units"]["removed"] > 0 and report["removed_units"] == 0


def test_a_rule_that_moves_lava_keeps_it_to_the_unit():
    def east(amount, energy, solid):
        # A quarter of every cell goes east, where there is room.
        gift = np.zeros_like(amount)
        room = np.where(solid[:, :, 1:], 0, lavoxel.AMOUNT_ONE - amount[:, :, 1:])
        gift[:, :, :-1] = np.minimum(amount[:, :, :-1] // 4, room)
        come = np.zeros_like(amount)
        come[:, :, 1:] = gift[:, :, :-1]
        return amount - gift + come, energy

    plain, wind = lavoxel.simulate(SCENE), lavoxel.simulate(SCENE)
    wind.add_rule(east, after="gravity")
    for simulation in (plain, wind):
        simulation.step(30)
        simulation.check()
    middle = [np.average(np.arange(24), weights=s.amounts().sum(axis=(0, 1))) for s in (plain, wind)]
    assert middle[1] > middle[0] + 1.0
    account = wind.accounts()["lava"]
    assert account["removed"] == 0.0 and account["mass"] == account["sourced"]
    # Twice the same: rules of one's own change no bit by chance.
    again = lavoxel.simulate(SCENE)
    again.add_rule(east, after="gravity")
    again.step(30)
    assert again.state_hash == wind.state_hash


def test_wrong_rules_are_told():
    simulation = lavoxel.simulate(SCENE)
    for wrong, words in [
        ({"material": "water"}, "no such material"),
        ({"after": "evening"}, "no such rule"),
    ]:
        with pytest.raises(lavoxel.LavoxelError, match=words):
            simulation.add_rule(lambda *arrays: arrays[:2], **wrong)
    with pytest.raises(lavoxel.LavoxelError, match="shows the lava"):
        lavoxel.simulate("wax").add_rule(lambda *arrays: arrays[:2])
    for rule, kind, words in [
        (lambda amount, energy, solid: (amount[1:], energy[1:]), lavoxel.LavoxelError, "the box has"),
        (lambda amount, energy, solid: (amount.astype(int) - 1, energy), lavoxel.LavoxelError, "0 to 65535"),
        (lambda amount, energy, solid: (np.where(solid, 1, amount), energy), lavoxel.LavoxelError, "ground"),
        (lambda amount, energy, solid: 1 / 0, ZeroDivisionError, "division"),
    ]:
        simulation = lavoxel.simulate(SCENE)
        simulation.add_rule(rule)
        with pytest.raises(kind, match=words):
            simulation.step(20)
