"""The `flexgen` command: its group, and one place where errors become one line."""

from __future__ import annotations

import sys
import warnings
from typing import Any, NoReturn

import click

from .. import __version__
from ..build import BuildError
from ..manipulator.case import CaseError, CaseWarning
from . import bench, check, clear, count, frf, generate, modal, report, run, simulate
from .common import Failed


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="flexgen")
def cli() -> None:
    """Straight-line Fortran, C or Python for the dynamics of a serial arm.

    CASE is a TOML file, or the name of a case that comes with flexgen (`flexgen check` with
    no case lists them). A first round:

    \b
      flexgen check stanford                       is the data sound?
      flexgen count stanford                       operations of every routine
      flexgen generate stanford -o inverse.f90     the code of one routine
      flexgen verify stanford                      compile, and check against all we know
    """  # noqa: D301


for module in (bench, check, generate, clear, count, run, simulate, report, modal, frf):
    for command in module.COMMANDS:
        cli.add_command(command)


def main(argv: list[str] | None = None) -> NoReturn:
    """Run the command; exit status 0 done, 1 failed, 2 bad usage or bad input."""
    warnings.showwarning = _show
    warnings.simplefilter("always", CaseWarning)
    try:
        cli.main(args=argv, prog_name="flexgen", standalone_mode=False)
    except CaseError as error:
        _end(str(error), 2)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        _end(" ".join(error.format_message().split()), 2)
    except (Failed, BuildError) as error:
        _end(str(error), 1)
    except ValueError as error:  # choices that do not go together
        _end(" ".join(str(error).split()), 2)
    except (KeyboardInterrupt, click.Abort):
        _end("interrupted", 1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        _end(f"cannot write: {error.strerror}", 1)
    sys.exit(0)


def _end(message: str, status: int) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(status)


def _show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    click.echo(f"warning: {message}", err=True)
