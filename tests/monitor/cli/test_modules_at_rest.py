"""What a service that has nothing to judge yet has loaded: not the numerical libraries or pandas, 115 MB."""

import json
import subprocess
import sys
from pathlib import Path

SERVICE_AT_REST = """
import json, sys
from contextlib import ExitStack
from pathlib import Path

from ragvigil_monitor.api.app import create_app
from ragvigil_monitor.cli.server import open_service
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings

with ExitStack() as opened:
    settings = Settings(store={"path": Path(sys.argv[1])}, schedule={"tick_s": 0})
    service = open_service(settings, opened)
    create_app(service)
    run_due(service, utc_now())
    problems = service.store.rows("job_problems_now")
print(json.dumps({"modules": sorted(sys.modules), "problems": [row["error"] for row in problems]}))
"""
HEAVY = ("scipy.special", "scipy.stats", "scipy.linalg", "scipy.sparse", "sklearn", "pandas")


def test_a_service_without_traffic_has_not_loaded_what_is_large(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVICE_AT_REST, str(tmp_path / "rest.duckdb")]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    assert said["problems"] == []
    assert "duckdb" in said["modules"]
    assert [module for module in said["modules"] if module.startswith(HEAVY)] == []


def test_whoever_asks_for_pandas_later_gets_it() -> None:
    asked = """
from ragvigil_monitor.cli.light_arrow import leave_pandas_alone
leave_pandas_alone()
import pyarrow as pa
import sys
table = pa.Table.from_pylist([{"n": 3}])
assert "pandas" not in sys.modules
assert table.to_pandas().n.sum() == 3
"""
    subprocess.run([sys.executable, "-c", asked], check=True)
