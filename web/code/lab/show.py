# A number on a line: its name, where it belongs, the mean over trials and its standard error.
import numpy as np


def show(name, values, se=None, **at):
    """Of trials that are true or false, their share; a single number may bring its standard error."""
    values = np.asarray(values)
    if values.ndim == 1:
        n, mean = len(values), values.mean()
        se = (np.sqrt(mean * (1 - mean)) if values.dtype == bool else values.std(ddof=1)) / np.sqrt(n)
        values = mean
    place = "".join(f" {key}={value}" for key, value in at.items())
    error = "" if se is None else f" ± {se:.9g}"
    print(f"{name}{place} = {values:.9g}{error}")


def show_row(name, numbers, **at):
    """The numbers of a row of a matrix, or of a line of a chart."""
    place = "".join(f" {key}={value}" for key, value in at.items())
    print(f"{name}{place} = {' '.join(f'{x:.9g}' for x in numbers)}")
