"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from typing import Literal

from .. import _situ
from ..metrics import Metric


class Accuracy(Metric):
    """The share of rows whose label is among the k largest scores; of equal scores the first ranks higher.

    k: counts if the label is among the k largest scores"""

    def __init__(self, *, k: int = 1) -> None:
        self._make(_situ.accuracy_metric, k)


class ConfusionMatrix(Metric):
    """metric_result: how many rows with label i have their largest score at j, f64[classes, classes]."""

    def __init__(self, classes: int) -> None:
        self._make(_situ.confusion_metric, classes)


class Precision(Metric):
    """Precision, Recall, F1: Precision, recall and F1 of predictions by the largest score. metric_result has the values of each class.

    average: how classes are averaged; a class without counts is 0"""

    def __init__(self, classes: int, *, average: Literal['macro', 'micro', 'weighted', 'binary'] = 'macro') -> None:
        self._make(_situ.precision_metric, classes, average)


class Recall(Metric):
    """Precision, Recall, F1: Precision, recall and F1 of predictions by the largest score. metric_result has the values of each class.

    average: how classes are averaged; a class without counts is 0"""

    def __init__(self, classes: int, *, average: Literal['macro', 'micro', 'weighted', 'binary'] = 'macro') -> None:
        self._make(_situ.recall_metric, classes, average)


class F1(Metric):
    """Precision, Recall, F1: Precision, recall and F1 of predictions by the largest score. metric_result has the values of each class.

    average: how classes are averaged; a class without counts is 0"""

    def __init__(self, classes: int, *, average: Literal['macro', 'micro', 'weighted', 'binary'] = 'macro') -> None:
        self._make(_situ.f1_metric, classes, average)


class AUC(Metric):
    """The area under the ROC curve: the share of pairs of a row with target 1 and one with target 0 in which the former has the larger
    probability; ties count half. Probabilities from 0 to 1 and targets 0 or 1, of one shape.

    bins: bins between 0 and 1; probabilities in one bin count as equal"""

    def __init__(self, *, bins: int = 65536) -> None:
        self._make(_situ.auc_metric, bins)


class Perplexity(Metric):
    """Exp of the mean cross entropy of logits and labels."""

    def __init__(self) -> None:
        self._make(_situ.perplexity_metric)


class MAE(Metric):
    """MAE, MSE, R2: For predictions and targets of one shape: mean |d|; mean d^2; 1 - sum(d^2) / sum((target - mean target)^2)."""

    def __init__(self) -> None:
        self._make(_situ.mae_metric)


class MSE(Metric):
    """MAE, MSE, R2: For predictions and targets of one shape: mean |d|; mean d^2; 1 - sum(d^2) / sum((target - mean target)^2)."""

    def __init__(self) -> None:
        self._make(_situ.mse_metric)


class R2(Metric):
    """MAE, MSE, R2: For predictions and targets of one shape: mean |d|; mean d^2; 1 - sum(d^2) / sum((target - mean target)^2)."""

    def __init__(self) -> None:
        self._make(_situ.r2_metric)


class Mean(Metric):
    """The mean of all elements, such as losses; target is None."""

    def __init__(self) -> None:
        self._make(_situ.mean_metric)


__all__ = ["Accuracy", "ConfusionMatrix", "Precision", "Recall", "F1", "AUC", "Perplexity", "MAE", "MSE", "R2",
           "Mean"]
