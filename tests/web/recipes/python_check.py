"""Checks web/recipes/python with stand-ins for anywidget and traitlets, which need not be installed. Prints JSON."""

import ast
import json
import pathlib
import sys
import types

folder = pathlib.Path(sys.argv[1]).resolve()


class Trait:
    def __init__(self, *args, **options):
        self.args, self.options, self.metadata = args, options, {}

    def tag(self, **metadata):
        self.metadata.update(metadata)
        return self


class AnyWidget:
    def __init__(self, **traits):
        for name, value in traits.items():
            assert isinstance(getattr(type(self), name), Trait), name
            setattr(self, name, value)


traitlets = types.ModuleType("traitlets")
for kind in ("Unicode", "Dict", "Enum"):
    setattr(traitlets, kind, type(kind, (Trait,), {}))
anywidget = types.ModuleType("anywidget")
anywidget.AnyWidget = AnyWidget
sys.modules.update(traitlets=traitlets, anywidget=anywidget)
sys.dont_write_bytecode = True
sys.path.insert(0, str(folder))

import sqrtdk  # noqa: E402

project = {}
try:
    import tomllib

    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
except ImportError:  # before Python 3.11
    pass

notebook = json.loads((folder / "sqrtdk.ipynb").read_text("utf-8"))
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        ast.parse("".join(cell["source"]))

figure = sqrtdk.Figure("score_variance", d=[32, 128], seed=7, lang="zh", controls="few")
before = dict(vars(figure))
figure.set(d=(16, 64), n_keys=8)
print(
    json.dumps(
        {
            "project": project,
            "notebook": notebook,
            "version": sqrtdk.__version__,
            "esm": str(sqrtdk.Figure._esm.relative_to(folder)),
            "synced": sorted(
                name
                for name, trait in vars(sqrtdk.Figure).items()
                if isinstance(trait, Trait) and trait.metadata.get("sync")
            ),
            "before": before,
            "after": figure.params,
        }
    )
)
