"""Fail unless the browser tests ran.

    python browser_tests_ran.py REPORT     (the JUnit report of `python -m pytest -m browser`)

A reader without Chromium may skip them. Here a skip would hide that the player was never looked at.
"""

import sys
from xml.etree import ElementTree

cases = [
    case
    for case in ElementTree.parse(sys.argv[1]).iter("testcase")
    if "browser" in case.get("classname", "")
]
skipped = [
    f"{case.get('name')}: {case.find('skipped').get('message')}"
    for case in cases
    if case.find("skipped") is not None
]
if skipped:
    sys.exit("skipped browser tests:\n" + "\n".join(skipped))
if not cases:
    sys.exit("there are no browser tests in the report")
print(f"{len(cases)} browser tests ran")
