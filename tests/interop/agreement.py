"""scikit-learn and SciPy on tensors of situ, compared with the same calls on NumPy's arrays: prints PASS or FAIL for each."""
import os
import sys

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is imported
import numpy as np
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats
from scipy.spatial.transform import Rotation
from sklearn import config_context, metrics, preprocessing
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, RidgeCV
from sklearn.naive_bayes import GaussianNB

import situ

failed = 0
rng = np.random.default_rng(0)
X = rng.standard_normal((80, 7)) @ rng.standard_normal((7, 7)) + rng.standard_normal(7)
labels = np.digitize(X[:, 0] + 0.5 * rng.standard_normal(80), np.quantile(X[:, 0], [0.3, 0.7]))
target = X @ rng.standard_normal(7) + 0.1 * rng.standard_normal(80)


def report(name, work):
    global failed
    try:
        work()
        print(f"PASS interop: {name}", flush=True)
    except Exception as e:
        failed += 1
        print(f"FAIL interop: {name}: {type(e).__name__}: {str(e)[:400]}", flush=True)


def agree(got, want, tolerance, sign=False):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            agree(g, w, tolerance)
    elif want is not None:
        got, want = np.asarray(got), np.asarray(want)
        if sign:  # columns of a singular vector matrix, each up to its sign
            got, want = np.abs(got), np.abs(want)
        assert got.shape == want.shape, (got.shape, want.shape)
        scale = max(1.0, np.abs(want[np.isfinite(want)]).max(initial=0)) if want.dtype.kind == "f" else 1.0
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale)


def as_dtype(a, dtype):
    return a.astype(dtype) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a


# float32 is compared with NumPy's float64
PRECISION = ((np.float64, 1e-9), (np.float32, 2e-3))


def estimator(name, make, y, attributes, methods, x=X, up_to_sign=()):
    def check():
        args = (x,) if y is None else (x, y)
        want = make().fit(*args)
        for dtype, tolerance in PRECISION:
            with config_context(array_api_dispatch=True):
                ours = [situ.asarray(as_dtype(a, dtype)) for a in args]
                got = make().fit(*ours)
                for a in attributes:
                    assert isinstance(getattr(got, a), (situ.Tensor, float)), (a, type(getattr(got, a)))
                    agree(getattr(got, a), getattr(want, a), tolerance, a in up_to_sign)
                for m in methods:
                    value = getattr(got, m)(ours[0])
                    assert isinstance(value, situ.Tensor), (m, type(value))
                    agree(value, getattr(want, m)(x), tolerance, m in up_to_sign)

    report(f"scikit-learn {name}", check)


def estimators():
    components = ["components_", "explained_variance_", "singular_values_", "mean_"]
    for solver in ("full", "covariance_eigh", "randomized"):
        more = {"power_iteration_normalizer": "QR", "random_state": 0} if solver == "randomized" else {}
        estimator(f"PCA {solver}", lambda: PCA(3, svd_solver=solver, **more), None, components, ["transform"])
    estimator("PCA whiten", lambda: PCA(3, svd_solver="full", whiten=True), None, components + ["noise_variance_"], ["transform"])
    estimator("LinearDiscriminantAnalysis", LinearDiscriminantAnalysis, labels, ["coef_", "intercept_", "means_", "priors_", "scalings_"],
              ["transform", "decision_function", "predict", "predict_proba", "predict_log_proba"], up_to_sign=("scalings_", "transform"))
    estimator("Ridge", lambda: Ridge(0.5, solver="svd"), target, ["coef_", "intercept_"], ["predict"])
    estimator("RidgeCV", RidgeCV, target, ["coef_", "intercept_"], ["predict"])
    estimator("RidgeClassifier", lambda: RidgeClassifier(solver="svd"), labels, ["coef_"], ["predict", "decision_function"])
    estimator("GaussianNB", GaussianNB, labels, ["theta_", "var_"], ["predict", "predict_proba"])
    estimator("LogisticRegression", lambda: LogisticRegression(tol=1e-8, max_iter=1000), labels, [], ["predict"])
    for kind in (preprocessing.StandardScaler, preprocessing.MinMaxScaler, preprocessing.MaxAbsScaler, preprocessing.Normalizer,
                 preprocessing.Binarizer, preprocessing.PolynomialFeatures):
        estimator(kind.__name__, kind, None, [], ["transform"])


def metric(function, *args, tolerances=PRECISION, **options):
    def check():
        want = function(*args, **options)
        for dtype, tolerance in tolerances:
            with config_context(array_api_dispatch=True):
                agree(function(*[situ.asarray(as_dtype(a, dtype)) for a in args], **options), want, tolerance)

    report(f"scikit-learn {function.__name__} {options.get('average', '')}".strip(), check)


def all_metrics():
    guess = rng.integers(0, 3, 80)
    guess[:3] = 0, 1, 2
    share = rng.random((80, 3)) + 0.05
    share /= share.sum(1, keepdims=True)
    other, binary, score = target + rng.standard_normal(80), (labels > 1).astype(np.int64), rng.random(80)
    # the mean of integers is a float32 here, NumPy's a float64
    counts = {"tolerances": ((np.float64, 1e-6),)}
    for f in (metrics.accuracy_score, metrics.balanced_accuracy_score, metrics.cohen_kappa_score, metrics.confusion_matrix, metrics.zero_one_loss,
              metrics.hamming_loss, metrics.multilabel_confusion_matrix):
        metric(f, labels, guess, **counts)
    for f in (metrics.f1_score, metrics.precision_score, metrics.recall_score, metrics.jaccard_score, metrics.precision_recall_fscore_support):
        for average in ("macro", "micro", "weighted", None):
            metric(f, labels, guess, average=average, **counts)
    for f in (metrics.roc_curve, metrics.roc_auc_score, metrics.precision_recall_curve, metrics.det_curve, metrics.average_precision_score,
              metrics.brier_score_loss):
        metric(f, binary, score.astype(np.float32).astype(np.float64))
    metric(metrics.log_loss, labels, share)
    for f in (metrics.mean_absolute_error, metrics.mean_squared_error, metrics.root_mean_squared_error, metrics.r2_score, metrics.max_error,
              metrics.explained_variance_score, metrics.median_absolute_error, metrics.mean_pinball_loss, metrics.d2_absolute_error_score):
        metric(f, target, other)
    for f in (metrics.mean_absolute_percentage_error, metrics.mean_gamma_deviance, metrics.mean_poisson_deviance, metrics.mean_squared_log_error,
              metrics.d2_tweedie_score):
        metric(f, np.abs(target) + 1, np.abs(other) + 1)
    pair = metrics.pairwise
    for f in (pair.cosine_similarity, pair.cosine_distances, pair.linear_kernel, pair.polynomial_kernel, pair.rbf_kernel, pair.sigmoid_kernel,
              pair.laplacian_kernel, pair.manhattan_distances):
        metric(f, X, X[:9])
    for f in (pair.euclidean_distances, pair.pairwise_distances):
        metric(f, X[9:], X[:9], tolerances=((np.float64, 1e-7), (np.float32, 5e-3)))


def scipy_call(name, function, *args, tolerances=PRECISION):
    def check():
        want = function(*args)
        for dtype, tolerance in tolerances:
            got = function(*[situ.asarray(as_dtype(a, dtype)) if isinstance(a, np.ndarray) else a for a in args])
            first = got[0] if isinstance(got, tuple) else got
            assert isinstance(first, situ.Tensor), type(first)
            agree(got, want, tolerance)

    report(f"SciPy {name}", check)


def scipy_functions():
    a, b = rng.standard_normal((6, 50)), rng.standard_normal((6, 50))
    positive = np.abs(a) + 0.1
    for name in ("fft", "ifft", "rfft", "fft2", "fftn", "rfftn", "hfft", "dct", "idct", "dst"):
        scipy_call(f"fft.{name}", getattr(scipy.fft, name), a)
    for name in ("logsumexp", "softmax", "log_softmax", "xlogy", "entr", "gammaln", "ndtr", "erf", "expit", "i0", "log_ndtr", "rel_entr"):
        f = getattr(scipy.special, name)
        scipy_call(f"special.{name}", f, *((positive, positive[::-1].copy()) if name in ("xlogy", "rel_entr") else (positive,)))
    scipy_call("cluster.vq.whiten", scipy.cluster.vq.whiten, a)
    scipy_call("cluster.vq.vq", scipy.cluster.vq.vq, a.T.copy(), a.T[:5].copy())
    scipy_call("integrate.trapezoid", scipy.integrate.trapezoid, a)
    for name in ("zscore", "skew", "kurtosis", "moment", "sem", "gstd", "hmean", "gmean", "variation", "describe", "entropy", "bartlett"):
        args = (a[0], b[0]) if name == "bartlett" else (positive,)
        scipy_call(f"stats.{name}", lambda *x: tuple(getattr(scipy.stats, name)(*x)) if name in ("bartlett",) else
                   tuple(v for v in scipy.stats.describe(*x)[2:]) if name == "describe" else getattr(scipy.stats, name)(*x), *args)
    for name in ("pearsonr", "ttest_ind", "ttest_rel"):
        scipy_call(f"stats.{name}", lambda x, y: tuple(getattr(scipy.stats, name)(x, y)), a[0], b[0])
    for name in ("gaussian_filter", "uniform_filter", "sobel", "laplace"):
        more = {"gaussian_filter": (1.5,), "uniform_filter": (3,)}.get(name, ())
        scipy_call(f"ndimage.{name}", lambda x: getattr(scipy.ndimage, name)(x, *more), a)
    scipy_call("signal.fftconvolve", scipy.signal.fftconvolve, a, b)
    scipy_call("signal.hilbert", scipy.signal.hilbert, a)
    scipy_call("signal.detrend", scipy.signal.detrend, a)
    q = rng.standard_normal((10, 4))
    scipy_call("spatial Rotation.apply", lambda q, v: Rotation.from_quat(q).apply(v), q, rng.standard_normal((10, 3)))
    scipy_call("spatial Rotation.as_matrix", lambda q: Rotation.from_quat(q).as_matrix(), q)


estimators()
all_metrics()
scipy_functions()
sys.exit(failed != 0)
