# Run by `make test`, or by hand: lit -Dtools=target/debug lit-tests
# `tools` is the folder of cnnc and cnnc-opt; the release build by default.
import os

import lit.formats

LLVM = "/usr/lib/llvm-22/bin"  # FileCheck and not, of Debian's llvm-22-tools

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
tools = os.path.abspath(lit_config.params.get("tools", os.path.join(root, "target", "release")))
for program in ("cnnc", "cnnc-opt"):
    if not os.path.exists(os.path.join(tools, program)):
        lit_config.fatal(f"no {program} in {tools}; build it with `make build`, or name its folder by -Dtools=DIR")

config.name = "cnnc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["networks", "lit.cfg.py"]
config.test_source_root = here
config.test_exec_root = os.path.join(root, "target", "lit-tests")
config.environment["PATH"] = os.pathsep.join([tools, LLVM, config.environment.get("PATH", "")])
# IREE's compiler lies in the repository's environment unless the caller names another.
config.environment.setdefault("VIRTUAL_ENV", os.path.join(root, ".venv"))
for name in ("CNNC_IREE", "VIRTUAL_ENV", "EERIE_PYTHON"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%networks", os.path.join(here, "networks")))
