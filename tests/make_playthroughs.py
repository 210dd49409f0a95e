"""Write the golden playthroughs: ``python tests/make_playthroughs.py``.

Six games as ``sprawlsim watch`` tells them, in ``tests/playthroughs``; ``test_playthroughs.py`` compares
them. When the cards, the strategies, the rules or the words change, this command writes them anew, and the
difference is to be read like any other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from sprawlsim.sprawlops.game.simulate import ROUND_LIMIT, Batch
from sprawlsim.sprawlops.game.story import tell_game

FOLDER = Path(__file__).parent / "playthroughs"
COMMAND = "python tests/make_playthroughs.py"


class Playthrough(NamedTuple):
    """Which game is told; what is left out is as in the command line."""

    players: int
    seed: int
    game: int = 0
    strategies: str | None = None
    rotate_seats: bool = True
    round_limit: int = ROUND_LIMIT
    final: str | None = None

    def command(self) -> str:
        """Write the command that tells the same."""
        parts = ["sprawlsim watch"]
        parts += [f"--strategies {self.strategies}"] * (self.strategies is not None)
        parts += [f"--players {self.players} --seed {self.seed} --game {self.game}"]
        parts += ["--no-rotate-seats"] * (not self.rotate_seats)
        parts += [f"--round-limit {self.round_limit}"] * (self.round_limit != ROUND_LIMIT)
        parts += [f"--final {self.final}"] * (self.final is not None)
        return " ".join(parts)

    def text(self) -> str:
        """Tell the game, under the command that tells it."""
        how: dict[str, Any] = self._asdict()
        game, strategies = how.pop("game"), how.pop("strategies")
        batch = Batch(None if strategies is None else strategies.split(","), **how)
        return f"$ {self.command()}\n{tell_game(batch, game).text()}\n"


PLAYTHROUGHS = {
    "two-players": Playthrough(2, 7, 0, "gear-rush,docwagon"),
    "two-players-one-at-random": Playthrough(2, 3, 1, "random,face-economy", round_limit=6),
    "three-players": Playthrough(3, 11, 2, "balanced,mission-grinder,runner-collector"),
    "three-players-in-haste": Playthrough(3, 5, 0, "docwagon,final-gambler,random", False, 6),
    "four-players": Playthrough(4, 1, 4),
    "four-players-alike": Playthrough(4, 9, 0, "balanced", round_limit=8, final="vault"),
}


def main() -> None:
    """Write all of them, and nothing else, into the folder."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        if path.stem not in PLAYTHROUGHS:
            path.unlink()
    for name, playthrough in PLAYTHROUGHS.items():
        path = FOLDER / f"{name}.txt"
        path.write_text(playthrough.text(), encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
