"""The one place where the library's parameters become options of the command line.

Below the commands an error or a remark names a parameter as Python does, `n_jobs=0` or `scale must be ...`. A person at
a terminal reads `--n-jobs 0` and `--scale must be ...`.
"""

import re

OTHER_NAMES = {  # where the option is not called like the parameter
    "datasets": "dataset",
    "variances": "variance",
    "n_clusters": "clusters",
    "n_components": "dims",
    "n_inducing": "inducing",
    "max_iter": "iterations",
    "n_init": "init",
    "random_state": "seed",
}
SAME_NAMES = (
    *(
        "backend",
        "clusters",
        "data",
        "data_dir",
        "dims",
        "drop",
        "force",
        "inducing",
        "junit",
        "kernel",
        "label",
        "methods",
        "mirror",
    ),
    *(
        "n_jobs",
        "offline",
        "optimizer",
        "out",
        "protocol",
        "reference",
        "repeats",
        "results",
        "retry_failed",
        "scale",
    ),
    *("scheduler", "seed", "setting", "store", "temp_folder", "update", "values", "variance"),
)
_NAMES = "|".join([*OTHER_NAMES, *SAME_NAMES])
# Not inside a word or a path, nor at the start of a quoted name: those are the user's own words.
_NAMED = re.compile(rf"(?<![\w'\"/\\.-])({_NAMES})(=True\b|=| must\b)")


def in_options(sentence: str) -> str:
    """The sentence with options in place of parameters: a switch without its value, all others followed by theirs."""

    def option(found: re.Match[str]) -> str:
        parameter, form = found.groups()
        name = "--" + OTHER_NAMES.get(parameter, parameter).replace("_", "-")
        return name + {"=True": "", "=": " "}.get(form, form)

    return _NAMED.sub(option, sentence)
