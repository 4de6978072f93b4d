"""The numbers that the paper prints under its figures."""

# ACC by figure, data set and method.
ACC = {
    ("figure2", "iris"): {
        "isomap-fcm": 76.67,
        "ppca-fcm": 76.00,
        "aml": 77.33,
        "unca": 88.27,
        "gplvm-fcm": 74.00,
        "sgp-mic": 93.33,
    },
    ("figure3", "wine"): {
        "isomap-fcm": 72.47,
        "ppca-fcm": 61.80,
        "aml": 60.67,
        "unca": 50.45,
        "gplvm-fcm": 69.10,
        "sgp-mic": 75.28,
    },
    ("figure5", "iris"): {"linear": 82.67, "rbf": 93.33},
    ("figure5", "wine"): {"linear": 74.16, "rbf": 75.28},
}
ARCS = {"acc": 99.32, "nmi": 97.35}  # figure 4, in the text
