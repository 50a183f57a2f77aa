"""The function that the source texts, the literature and our tests all use."""

import numpy as np


def example(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def contrast(a, b):
    """How well one colour stands out from another; WCAG AA asks for 4.5 between text and what is behind it."""

    def luminance(colour):
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
