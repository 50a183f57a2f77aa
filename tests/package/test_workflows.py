"""What GitHub runs: nothing that can change unseen, no rights but those that a job needs, and what is promised.

(Their grammar and their commonest holes are looked at by `.ci/run`, with check-jsonschema and zizmor.)
"""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github/workflows"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SYSTEMS = {"Operating System :: POSIX :: Linux": "ubuntu", "Operating System :: MacOS": "macos"}
SYSTEMS |= {"Operating System :: Microsoft :: Windows": "windows"}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the sdist has no workflows")
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.yml"))
}
JOBS = {
    f"{name}/{key}": job for name, flow in WORKFLOWS.items() for key, job in flow["jobs"].items()
}
RIGHTS = {
    "release/publish": {"id-token": "write"},
    "release/main": {"contents": "write", "actions": "write"},
    "site/publish": {"pages": "write", "id-token": "write"},
}
"""The jobs that may do more than read."""


def steps(name):
    return JOBS[name].get("steps", [])


def commands(name):
    return "\n".join(step.get("run", "") for step in steps(name))


def test_there_are_five_and_each_is_read():
    assert set(WORKFLOWS) == {"tests", "frameworks", "weekly", "site", "release"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yml")), ids=lambda path: path.stem)
def test_an_action_is_pinned_to_a_commit_and_says_its_version(path):
    used = re.findall(r"^\s*-?\s*uses: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    for one in used:
        if one.startswith("./"):
            assert (ROOT / one).is_file()
        else:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_an_action_has_one_commit_in_all_of_them():
    pins = {
        step["uses"].split("@")[0]: set() for name in JOBS for step in steps(name) if "uses" in step
    }
    for name in JOBS:
        for step in steps(name):
            if "uses" in step:
                pins[step["uses"].split("@")[0]].add(step["uses"])
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_gives_no_rights_and_runs_once_at_a_time(name):
    assert WORKFLOWS[name]["permissions"] == {}
    assert WORKFLOWS[name]["concurrency"]["group"]
    assert not {"pull_request_target", "workflow_run"} & set(WORKFLOWS[name][True]), (
        "they run with our rights"
    )


@pytest.mark.parametrize("name", JOBS)
def test_a_job_has_the_rights_that_it_needs_and_an_end(name):
    assert JOBS[name]["permissions"] == RIGHTS.get(name, {"contents": "read"})
    assert "uses" in JOBS[name] or JOBS[name]["timeout-minutes"] <= 120
    for step in steps(name):
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", ""), (
            "what others wrote comes in as a variable, not as a command"
        )


def test_the_tests_run_on_the_systems_that_are_named():
    matrix = JOBS["tests/tests"]["strategy"]["matrix"]
    said = [
        one.rpartition(" ")[2]
        for one in PROJECT["classifiers"]
        if re.search(r"Python :: 3\.\d+$", one)
    ]
    assert matrix["python"] == said
    assert f">={said[0]}" == PROJECT["requires-python"]
    assert sorted(system.partition("-")[0] for system in matrix["system"]) == sorted(
        SYSTEMS[one] for one in PROJECT["classifiers"] if one.startswith("Operating System")
    )


def test_a_command_names_files_that_are_there():
    named = {found for name in JOBS for found in re.findall(r"(?<!\S)\.ci/\S+", commands(name))}
    assert {".ci/run", ".ci/site/build.py", ".ci/release_works.py", ".ci/links_answer.py"} <= named
    assert not {file for file in named if not (ROOT / file).exists()}


def test_what_is_published_was_tested_and_comes_from_the_tag():
    needs = {name: JOBS[f"release/{name}"].get("needs", []) for name in ("publish", "main")}
    assert needs == {"publish": ["tests", "build", "bundle"], "main": "publish"}, (
        "main promises nothing that pip does not find"
    )
    for job in ("build", "bundle", "main"):
        assert "--release" in commands(f"release/{job}")
    assert (
        JOBS["release/publish"]["environment"]["url"]
        == f"https://pypi.org/project/{PROJECT['name']}/"
    )
    assert not any("password" in str(step) for step in steps("release/publish"))


def test_a_release_has_the_offline_bundle_before_the_site_asks_for_it():
    script = commands("release/main")
    assert "offline_bundle.py website lab bundle" in commands("release/bundle")
    assert script.index("gh release create") < script.index("bundle/*.zip")
    assert script.index("bundle/*.zip") < script.index("gh workflow run site.yml")
    assert "keep_versions.py site" in commands("site/build")


def test_the_site_is_published_from_main_alone():
    assert "pull_request" in WORKFLOWS["site"][True]
    assert "if" not in JOBS["site/build"]
    assert JOBS["site/publish"]["if"].startswith("github.ref == 'refs/heads/main' && ")


FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_little_and_says_why(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert form["name"] and form["description"] and 4 <= len(asked) <= 6
    assert sum(part.get("validations", {}).get("required", False) for part in asked) in (3, 4)
    assert len({part["id"] for part in asked}) == len(asked)


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md"])
def test_links_between_the_pages_lead_somewhere(name):
    text = (ROOT / ".github" / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https://)([^)#]+)", text):
        assert (ROOT / ".github" / link).is_file(), link


def test_only_the_versions_of_the_stage_are_not_marked_untried():
    script = (ROOT / ".ci/frameworks_work.py").read_text(encoding="utf-8")
    versions = re.findall(r'add_argument\("--(\w+)", default="([\d.]+)"', script)
    rows = JOBS["frameworks/frameworks"]["strategy"]["matrix"]["include"]
    tried = [{key: row[key] for key, _ in versions} for row in rows if not row["untried"]]
    assert tried == [dict(versions)]


def test_the_stage_of_the_frameworks_is_the_last_one():
    stages = re.findall(
        r'^say "(.*)"$', (ROOT / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert "PyTorch and JAX" in stages[-2] and stages[-1] == "Done"
