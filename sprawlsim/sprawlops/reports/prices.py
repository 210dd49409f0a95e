"""What cards cost against what cards of their deck cost that do as much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sprawlsim.stats.multiple import LEVEL
from sprawlsim.stats.sums import normal_quantile, student_quantile

if TYPE_CHECKING:
    import pandas as pd

FEWEST_CARDS = 6
"""A line is drawn through so many cards at least."""


def compare_prices(frame: pd.DataFrame) -> pd.DataFrame:
    """Lay a line through the costs of each deck's cards by what they gain, and take it off the costs.

    Parameters
    ----------
    frame : DataFrame
        A row a card: ``deck, cost`` (empty where it has no price), ``gain, gain_low, gain_high`` (95%).

    Returns
    -------
    DataFrame
        With the same index: ``line`` (straight, by least squares), ``residual`` (cost less that),
        ``residual_low, residual_high`` (95%). Empty for decks with fewer than 6 priced cards, and where
        costs are not known to rise with gains (Kendall's test, one-sided, at 0.05): cards of such a deck
        that do as much have no price in common.

    Notes
    -----
    The interval is that of the line's mean at the card's gain (Student, by how the deck's costs scatter
    about the line), with the error of the gain itself added by squares.
    """
    import pandas as pd

    told = pd.DataFrame(np.nan, frame.index, ["line", "residual", "residual_low", "residual_high"])
    for _, deck in frame.dropna(subset=["cost"]).groupby("deck"):
        if _costs_rise(deck):
            told.loc[deck.index] = _against_line(deck)
    return told


def _costs_rise(deck: pd.DataFrame) -> bool:
    """Tell whether cards that do more are known to cost more."""
    from scipy.stats import kendalltau

    if len(deck) < FEWEST_CARDS or deck["gain"].nunique() == 1 or deck["cost"].nunique() == 1:
        return False
    return bool(kendalltau(deck["gain"], deck["cost"], alternative="greater").pvalue <= LEVEL)


def _against_line(deck: pd.DataFrame) -> pd.DataFrame:
    """Compare the costs of a deck with its line."""
    from scipy.stats import linregress

    gains, costs = deck["gain"].to_numpy(float), deck["cost"].to_numpy(float)
    fit = linregress(gains, costs)
    line = fit.intercept + fit.slope * gains
    middle = gains.mean()
    of_middle = fit.intercept_stderr**2 - (fit.stderr * middle) ** 2
    of_line = np.sqrt(of_middle + (fit.stderr * (gains - middle)) ** 2)
    of_gain = fit.slope * (deck["gain_high"] - deck["gain_low"]).to_numpy(float) / (2 * normal_quantile(0.95))
    half = np.hypot(student_quantile(0.95, len(deck) - 2) * of_line, normal_quantile(0.95) * of_gain)
    residual = costs - line
    return deck.assign(
        line=line, residual=residual, residual_low=residual - half, residual_high=residual + half
    )[["line", "residual", "residual_low", "residual_high"]]
