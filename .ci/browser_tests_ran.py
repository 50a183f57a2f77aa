"""Fail unless the browser tests ran.

    python browser_tests_ran.py REPORT     (the JUnit report of `python -m pytest -m browser`)

A developer without Chromium may skip them. In CI a skip would hide that nothing tested the player.
"""

import sys
from xml.etree import ElementTree

all_cases = ElementTree.parse(sys.argv[1]).iter("testcase")
cases = [case for case in all_cases if "browser" in case.get("classname", "")]
skipped = []
for case in cases:
    skip = case.find("skipped")
    if skip is not None:
        skipped.append(f"{case.get('name')}: {skip.get('message')}")
if skipped:
    sys.exit("skipped browser tests:\n" + "\n".join(skipped))
if not cases:
    sys.exit("there are no browser tests in the report")
print(f"{len(cases)} browser tests ran")
