"""At which stage reviewed retrievals lost their evidence, in all and slice by slice."""

from collections.abc import Sequence

from ragvigil_dashboards import formats
from ragvigil_dashboards.exclusion_models import Losses, SliceLosses, StageLoss
from ragvigil_dashboards.markup import Markup, foreign, table, tag


def evidence_losses_table(losses: Losses) -> Markup:
    """One row for all and one a slice; the stages in their order, the largest loss of a row in bold."""
    stages = [each.stage for each in losses.stages]
    head = ["Slice", "With evidence", *(_title(stage) for stage in stages), "not known"]
    rows = [
        [tag("b", "all"), *_counts(losses.n, losses.stages, losses.unknown)],
        *([_slice(each), *_counts(each.n, each.stages, each.unknown)] for each in losses.slices),
    ]
    return table(head, rows, right=range(1, len(head)))


def losses_sentence(losses: Losses) -> Markup:
    """For example: "62 of 480 reviewed retrievals with evidence lost it, most of them at filter: 40."."""
    lost = [each for each in losses.stages if each.stage != "kept" and each.n]
    total = sum(each.n for each in lost)
    if not total:
        return tag("p", f"None of {losses.n} reviewed retrievals with evidence is known to have lost it.")
    first = max(lost, key=lambda each: each.n)
    text = f"{total} of {losses.n} reviewed retrievals with evidence lost it, most of them at "
    return tag("p", text, tag("b", first.stage), f": {first.n}.")


def _title(stage: str) -> str:
    return "kept" if stage == "kept" else f"lost at {stage}"


def _counts(n: int, stages: Sequence[StageLoss], unknown: int) -> list[str]:
    most = max((each.n for each in stages if each.stage != "kept"), default=0)
    counts = [_count(each, most) for each in stages]
    return [formats.count(n), *counts, formats.count(unknown)]


def _count(loss: StageLoss, most: int) -> str:
    text = formats.count(loss.n)
    return tag("b", text) if loss.n == most > 0 and loss.stage != "kept" else text


def _slice(losses: SliceLosses) -> Markup:
    return foreign(f"{losses.name} = {losses.value}", longest=80)
